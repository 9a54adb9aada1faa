#include "log.h"
#include "service.h"
#include "text.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

static _Atomic log_kind chosen = LOG_TEXT;

static _Atomic bool has_journal;

void log_format(log_kind kind) {
    chosen = kind;
    has_journal = service_has_journal();
}

/* The line is written by one call, so that lines of several threads do not mix. */
void log_line(log_level level, const char *format, ...) {
    static const char *const levels[] = {"info", "warning", "error"};
    static const char *const priorities[] = {"<6>", "<4>", "<3>"}; /* of syslog */
    char message[1024], at[UTC_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    utc_print(at, (int64_t)time(NULL));
    text line = {.bytes = NULL};
    text_print(&line, "%s", has_journal ? priorities[level] : "");
    if (chosen == LOG_JSON) {
        text_print(&line, "{\"time\": \"%s\", \"level\": \"%s\", \"message\": ", at, levels[level]);
        text_string(&line, message);
        text_add(&line, "}\n", 2);
    } else if (has_journal) {
        text_print(&line, "%s\n", message);
    } else {
        text_print(&line, "%s %s: %s\n", at, levels[level], message);
    }
    if (!line.failed)
        fwrite(line.bytes, 1, line.n, stderr);
    text_free(&line);
}
