#include "csv.h"

#include <stdlib.h>
#include <string.h>

/* The scan: at the start of a field, inside an unquoted one, inside a quoted one, after a quote in a quoted one */
enum { FIELD_START, UNQUOTED, QUOTED, QUOTE_SEEN };

#define FIRST_CAPACITY ((size_t)1 << 18)

bool csv_init(csv_reader *reader, char separator) {
    *reader = (csv_reader){.separator = separator, .capacity = FIRST_CAPACITY, .line = 1};
    reader->buffer = malloc(reader->capacity);
    return reader->buffer != NULL;
}

void csv_free(csv_reader *reader) {
    free(reader->buffer);
    reader->buffer = NULL;
}

char *csv_room(csv_reader *reader, size_t *room) {
    if (reader->start > 0) {
        memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->scanned -= reader->start;
        reader->start = 0;
    }
    if (reader->end == reader->capacity) {
        char *larger = reader->capacity >= CSV_RECORD_MAX ? NULL : realloc(reader->buffer, reader->capacity * 2);
        if (larger == NULL)
            return NULL;
        reader->buffer = larger;
        reader->capacity *= 2;
    }
    *room = reader->capacity - reader->end;
    return reader->buffer + reader->end;
}

void csv_feed(csv_reader *reader, size_t n) {
    reader->end += n;
    reader->finished |= n == 0;
}

static int step(int state, char c, char separator) {
    switch (state) {
    case FIELD_START:
        return c == '"' ? QUOTED : c == separator ? FIELD_START : UNQUOTED;
    case QUOTED:
        return c == '"' ? QUOTE_SEEN : QUOTED;
    case QUOTE_SEEN:
        return c == '"' ? QUOTED : c == separator ? FIELD_START : UNQUOTED;
    default:
        return c == separator ? FIELD_START : UNQUOTED;
    }
}

/* Moves on to the next line end outside quotes; true if there is one. Most lines hold no quote at all. */
static bool scan(csv_reader *reader) {
    while (reader->scanned < reader->end) {
        char *from = reader->buffer + reader->scanned;
        size_t left = reader->end - reader->scanned;
        if (reader->state == FIELD_START && reader->scanned == reader->start) {
            char *end = memchr(from, '\n', left);
            if (end != NULL && memchr(from, '"', (size_t)(end - from)) == NULL) {
                reader->scanned += (size_t)(end - from);
                return true;
            }
        }
        if (*from == '\n' && reader->state != QUOTED)
            return true;
        reader->state = step(reader->state, *from, reader->separator);
        reader->scanned++;
    }
    return false;
}

/* The length of a byte order mark at the start of the stream, or of what may yet become one */
static size_t mark_length(const csv_reader *reader) {
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = reader->end - reader->start;
    n = n < 3 ? n : 3;
    return reader->line == 1 && memcmp(reader->buffer + reader->start, mark, n) == 0 ? n : 0;
}

static uint64_t lines_in(const char *text, size_t n) {
    uint64_t lines = 0;
    for (const char *at = text, *end = text + n; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        lines++;
    return lines;
}

bool csv_next(csv_reader *reader, csv_record *record) {
    size_t mark = mark_length(reader);
    if (mark > 0 && mark < 3 && !reader->finished)
        return false;
    if (mark == 3 && reader->scanned == reader->start)
        reader->scanned += mark;
    bool ended = scan(reader);
    if (!ended && (!reader->finished || reader->start == reader->end))
        return false;
    const char *text = reader->buffer + reader->start;
    size_t content = reader->scanned - reader->start, n = content + ended;
    if (content > 0 && text[content - 1] == '\r')
        content--;
    *record = (csv_record){text, mark == 3 ? mark : 0, n, content, reader->line, !ended && reader->state == QUOTED};
    reader->line += lines_in(text, n);
    reader->start += n;
    reader->scanned = reader->start;
    reader->state = FIELD_START;
    return true;
}

void csv_again(csv_reader *reader, const csv_record *record, char separator) {
    reader->start -= record->n;
    reader->scanned = reader->start;
    reader->line = record->line;
    reader->separator = separator;
}

/* From the start of a field to the separator after it, or the end */
static size_t field_end(const csv_record *record, size_t at, char separator) {
    if (at < record->content && record->text[at] != '"') {
        const char *end = memchr(record->text + at, separator, record->content - at);
        return end == NULL ? record->content : (size_t)(end - record->text);
    }
    int state = FIELD_START;
    for (; at < record->content; at++) {
        if (record->text[at] == separator && state != QUOTED)
            break;
        state = step(state, record->text[at], separator);
    }
    return at;
}

bool csv_find(csv_field *field, const csv_record *record, char separator, size_t index) {
    size_t from = record->first, to = field_end(record, from, separator);
    for (; index > 0; index--) {
        if (to == record->content)
            return false;
        from = to + 1;
        to = field_end(record, from, separator);
    }
    *field = (csv_field){from, to};
    return true;
}

size_t csv_count(const csv_record *record, char separator) {
    size_t count = 1;
    for (size_t to = field_end(record, record->first, separator); to < record->content; count++)
        to = field_end(record, to + 1, separator);
    return count;
}

size_t csv_unquote(char *to, size_t size, const char *text, size_t n) {
    size_t length = 0;
    int state = FIELD_START;
    for (size_t i = 0; i < n && length < size; i++) {
        int before = state;
        state = step(state, text[i], '\0');
        bool mark = text[i] == '"' && (before == FIELD_START || before == QUOTED);
        if (!mark)
            to[length++] = text[i];
    }
    return length;
}
