#include "table/source.h"
#include "cli.h"
#include "platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void source_open(source *s, const char *path, char separator, size_t piece_size) {
    bool standard = strcmp(path, "-") == 0;
    *s = (source){.name = standard ? "standard input" : path,
                  .separator = separator,
                  .piece_size = piece_size,
                  .rest = s->rest,
                  .rest_capacity = s->rest_capacity,
                  .long_text = s->long_text};
    s->descriptor = standard ? STANDARD_INPUT : file_open(path);
    if (s->descriptor < 0)
        fail(BAD_IO, "%s: %s", s->name, strerror(errno));
}

void source_close(source *s) {
    if (s->descriptor > STANDARD_INPUT)
        file_close(s->descriptor);
    s->descriptor = -1;
}

void source_free(source *s) {
    free(s->rest);
    free(s->long_text);
    *s = (source){.descriptor = -1};
}

static void keep(source *s, const char *text, size_t n) {
    if (n > s->rest_capacity)
        s->rest = reallocate(s->rest, s->rest_capacity = n);
    if (n > 0)
        memcpy(s->rest, text, n);
    s->rest_n = n;
}

/* ---- Pieces ---- */

bool piece_is_long(const piece *p) {
    return p->text != p->own;
}

/* Makes room for n bytes and a line end. The memory of a piece has room for two reads; that of the source has room for
   the longest record and one more read. */
static void make_room(source *s, piece *p, size_t n) {
    if (n <= 2 * s->piece_size || piece_is_long(p))
        return;
    if (s->long_text == NULL)
        s->long_text = allocate(CSV_RECORD_MAX + s->piece_size + 1 + CSV_PADDING);
    memcpy(s->long_text, p->text, p->n);
    p->text = s->long_text;
}

/* A piece begins with what the one before it left. */
static void begin_piece(source *s, piece *p) {
    if (p->own == NULL)
        p->own = allocate(2 * s->piece_size + 1 + CSV_PADDING);
    p->text = p->own;
    p->n = 0;
    make_room(s, p, s->rest_n);
    if (s->rest_n > 0)
        memcpy(p->text, s->rest, s->rest_n);
    p->n = s->rest_n;
}

/* Returns the length of the byte order mark at the beginning of the file, or 0. Sets *maybe if too little has been read
   to know. */
static size_t mark_length(const source *s, const piece *p, bool *maybe) {
    static const char mark[] = "\xef\xbb\xbf";
    *maybe = !s->begun && p->n < 3 && memcmp(p->text, mark, p->n) == 0;
    return !s->begun && p->n >= 3 && memcmp(p->text, mark, 3) == 0 ? 3 : 0;
}

/* Returns how many buffered bytes form complete records; at the end of the file these are all. Only the newly read part
   is scanned. */
static size_t complete_bytes(const source *s, piece *p, csv_scan *scan) {
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

/* Reads once. Returns false if that fails, or if the record is too long; errno is then 0. */
static bool fill(source *s, piece *p) {
    if (p->n >= CSV_RECORD_MAX) {
        errno = 0;
        return false;
    }
    size_t size =
        p->n + 1 < s->piece_size ? s->piece_size : p->n + s->piece_size; /* fill up the piece before it grows */
    make_room(s, p, size);
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
    if (!s->again)
        begin_piece(s, p);
    s->again = false;
    size_t n;
    while ((n = complete_bytes(s, p, &scan)) == 0) {
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
    return SOURCE_READ;
}

void source_again(source *s, piece *p, char separator) {
    if (s->rest_n > 0)
        memcpy(p->text + p->n, s->rest, s->rest_n);
    p->n += s->rest_n;
    s->rest_n = 0;
    s->again = true;
    s->separator = separator;
    s->begun = false;
}
