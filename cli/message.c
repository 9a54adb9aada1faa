/* Messages, and how the program ends early. */
#include "cli.h"
#include "platform.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_MAX 8192

static size_t lines_in(const char *text) {
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

/* Names of files and columns in a message may contain any bytes, so the message is escaped. Line ends of the format
   itself stay; but if the message has more line ends than the format, some belong to a name, and all are escaped. */
static void say_all(const char *format, va_list arguments) {
    char message[MESSAGE_MAX], shown[MESSAGE_MAX];
    vsnprintf(message, sizeof message, format, arguments);
    bool own_lines = lines_in(message) == lines_in(format);
    size_t n = 0;
    for (const char *at = message; *at != '\0' && n + ESCAPED_MAX < sizeof shown; n += strlen(shown + n))
        if (*at == '\n' && own_lines)
            strcpy(shown + n, (char[]){*at++, '\0'});
        else
            at = escape(shown + n, at, ESCAPE_TEXT);
    shown[n] = '\0';
    progress_clear();
    fprintf(stderr, "podium: %s\n", shown);
    fflush(stderr);
}

void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_all(format, arguments);
    va_end(arguments);
}

static void (*volatile last_words)(void);

void before_leaving(void (*function)(void)) {
    last_words = function;
}

void say_before_leaving(void) {
    if (last_words != NULL)
        last_words();
}

/* Only the first thread to fail prints its message; any other waits here until the program ends. */
static void begin_to_leave(void) {
    static pthread_mutex_t leaving = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&leaving);
    output_abandon();
}

/* Uses _exit because other threads may still be running, and exit would unload libraries that they use. */
static _Noreturn void leave(int status) {
    fflush(stdout);
    _exit(status);
}

void fail(int status, const char *format, ...) {
    va_list arguments;
    begin_to_leave();
    va_start(arguments, format);
    say_all(format, arguments);
    va_end(arguments);
    say_before_leaving();
    leave(status);
}

void fail_usage(const char *name, const char *format, ...) {
    va_list arguments;
    begin_to_leave();
    va_start(arguments, format);
    say_all(format, arguments);
    va_end(arguments);
    say("see 'podium help%s%s'", *name == '\0' ? "" : " ", name);
    say_before_leaving();
    leave(BAD_USAGE);
}

void leave_quietly(void) {
    begin_to_leave();
    progress_clear();
    end_for_broken_pipe();
}

void require(podium_status status, int otherwise) {
    if (status != PODIUM_OK)
        fail(status == PODIUM_ERROR_OUT_OF_MEMORY ? BAD_IO : otherwise, "%s", podium_status_message(status));
}

int close_stdout(int status) {
    const bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (!written && is_broken_pipe(errno))
        leave_quietly();
    if (!written)
        fail(BAD_IO, "standard output: cannot write");
    return status;
}

/* ---- Memory ---- */

void *allocate(size_t n) {
    return reallocate(NULL, n);
}

void *reallocate(void *memory, size_t n) {
    memory = realloc(memory, n == 0 ? 1 : n);
    if (memory == NULL)
        fail(BAD_IO, "out of memory");
    return memory;
}
