#include "log.h"
#include "text.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

static _Atomic log_kind chosen = LOG_TEXT;

void log_format(log_kind kind) {
    chosen = kind;
}

/* The line is written by one call, so that lines of several threads do not mix. */
void log_line(log_level level, const char *format, ...) {
    static const char *const levels[] = {"info", "warning", "error"};
    char message[1024], at[32];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const time_t now = time(NULL);
    struct tm utc;
    strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    text line = {.bytes = NULL};
    if (chosen == LOG_JSON) {
        text_print(&line, "{\"time\": \"%s\", \"level\": \"%s\", \"message\": ", at, levels[level]);
        text_string(&line, message);
        text_add(&line, "}\n", 2);
    } else {
        text_print(&line, "%s %s: %s\n", at, levels[level], message);
    }
    if (!line.failed)
        fwrite(line.bytes, 1, line.n, stderr);
    text_free(&line);
}
