#include "source.h"
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void source_open(source *s, const char *path, char separator, size_t piece_size) {
    bool standard = strcmp(path, "-") == 0;
    struct stat status;
    *s = (source){.name = standard ? "standard input" : path, .separator = separator, .piece_size = piece_size};
    s->descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY);
    if (s->descriptor < 0)
        fail(BAD_IO, "%s: %s", s->name, strerror(errno));
    if (fstat(s->descriptor, &status) == 0 && S_ISDIR(status.st_mode))
        fail(BAD_IO, "%s: %s", s->name, strerror(EISDIR));
}

void source_close(source *s) {
    if (s->descriptor > STDIN_FILENO)
        close(s->descriptor);
    free(s->rest);
    *s = (source){.descriptor = -1};
}

/* Room for n bytes in all */
static void reserve(char **text, size_t *capacity, size_t n) {
    if (n <= *capacity)
        return;
    *text = reallocate(*text, n + CSV_PADDING);
    *capacity = n;
}

static void keep(source *s, const char *text, size_t n) {
    reserve(&s->rest, &s->rest_capacity, n);
    if (n > 0)
        memcpy(s->rest, text, n);
    s->rest_n = n;
}

/* The length of a byte order mark that the file begins with; *maybe: so far it looks like one */
static size_t mark_length(const source *s, const piece *p, bool *maybe) {
    static const char mark[] = "\xef\xbb\xbf";
    *maybe = !s->begun && p->n < 3 && memcmp(p->text, mark, p->n) == 0;
    return !s->begun && p->n >= 3 && memcmp(p->text, mark, 3) == 0 ? 3 : 0;
}

/* How much of what has been read can be given, of which it is looked at what is new; all of it at the end */
static size_t givable(const source *s, piece *p, csv_scan *scan) {
    bool maybe_mark;
    p->first = mark_length(s, p, &maybe_mark);
    if (maybe_mark && !s->ended)
        return 0;
    if (scan->at < p->first)
        scan->at = p->first;
    csv_whole(scan, p->text, p->n, s->separator);
    p->has_quotes = scan->has_quotes;
    return s->ended ? p->n : scan->whole;
}

/* Reads once. False: it failed. */
static bool fill(source *s, piece *p) {
    if (p->n >= CSV_RECORD_MAX) {
        errno = 0;
        return false;
    }
    size_t size =
        p->n + 1 < s->piece_size ? s->piece_size : p->n + s->piece_size; /* a long record needs no long piece */
    if (size + 1 > p->capacity)
        reserve(&p->text, &p->capacity, 2 * size); /* a line end has room too */
    ptrdiff_t got;
    do
        got = input_read(s->descriptor, p->text + p->n, size - p->n);
    while (got < 0 && errno == EINTR);
    s->ended = got == 0;
    p->n += got > 0 ? (size_t)got : 0;
    return got >= 0;
}

source_result source_next(source *s, piece *p) {
    csv_scan scan = {.at = 0};
    reserve(&p->text, &p->capacity, s->piece_size + s->rest_n + 1);
    if (s->rest_n > 0)
        memcpy(p->text, s->rest, s->rest_n);
    p->n = s->rest_n;
    size_t n;
    while ((n = givable(s, p, &scan)) == 0) {
        if (s->ended)
            return SOURCE_ENDED;
        if (!fill(s, p))
            return SOURCE_FAILED;
    }
    keep(s, p->text + n, p->n - n);
    p->n = n;
    if (p->text[n - 1] != '\n')
        p->text[p->n++] = '\n';
    memset(p->text + p->n, 0, CSV_PADDING);
    s->begun = true;
    return SOURCE_GAVE;
}

void source_again(source *s, const piece *p, char separator) {
    reserve(&s->rest, &s->rest_capacity, p->n + s->rest_n);
    memmove(s->rest + p->n, s->rest, s->rest_n);
    memcpy(s->rest, p->text, p->n);
    s->rest_n += p->n;
    s->separator = separator;
    s->begun = false;
}
