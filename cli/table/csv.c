#include "table/csv.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool contains_quotes(const char *text, size_t n) {
    return n > 0 && memchr(text, '"', n) != NULL;
}

/* ---- A text that grows ---- */

enum { FIELD_START, UNQUOTED, QUOTED, QUOTE_SEEN };

static int next_state(int state, char c, char separator) {
    if (c == '"' && (state == FIELD_START || state == QUOTE_SEEN)) /* opens the field, or doubles a quote in it */
        return QUOTED;
    return c == separator || c == '\n' ? FIELD_START : UNQUOTED;
}

void csv_whole(csv_scan *scan, const char *text, size_t n, char separator) {
    bool outside = scan->state == FIELD_START || scan->state == UNQUOTED;
    bool has_quotes = contains_quotes(text + scan->at, n - scan->at);
    scan->has_quotes |= has_quotes;
    if (n > scan->at && outside && !has_quotes) {
        size_t end = n;
        while (end > scan->at && text[end - 1] != '\n')
            end--;
        scan->whole = end > scan->at ? end : scan->whole;
        scan->state = next_state(UNQUOTED, text[n - 1], separator);
        scan->at = n;
    }
    while (scan->at < n) {
        if (scan->state == QUOTED) {
            const char *quote = memchr(text + scan->at, '"', n - scan->at);
            scan->at = quote == NULL ? n : (size_t)(quote - text) + 1;
            scan->state = quote == NULL ? QUOTED : QUOTE_SEEN;
            continue;
        }
        char c = text[scan->at++];
        scan->state = next_state(scan->state, c, separator);
        if (c == '\n')
            scan->whole = scan->at;
    }
}

/* ---- Marks in a text with quotes, field by field ---- */

/* For a field that starts at `at`: returns the position of the first separator or `other` outside quotes, or n. */
static size_t field_end(const char *text, size_t n, size_t at, char separator, char other) {
    for (bool quoted = at < n && text[at] == '"'; quoted;) {
        const char *quote = memchr(text + at + 1, '"', n - at - 1);
        if (quote == NULL)
            return n;
        at = (size_t)(quote - text) + 1;
        quoted = at < n && text[at] == '"';
    }
    while (at < n && text[at] != separator && text[at] != other)
        at++;
    return at;
}

static size_t marks_outside_quotes(uint32_t *marks, const char *text, size_t from, size_t n, char separator) {
    size_t count = 0;
    for (size_t at = from, end; at < n && (end = field_end(text, n, at, separator, '\n')) < n; at = end + 1)
        marks[count++] = (uint32_t)end;
    return count;
}

/* ---- Marks in a text without quotes, 64 bytes at a time ---- */

#ifdef __SSE2__
/* Bit i of the result is set if byte i of 64 is a separator or a line end. */
static inline uint64_t either(const char *text, __m128i separator, __m128i line_end) {
    uint64_t bits = 0;
    for (unsigned part = 0; part < 4; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * part));
        __m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, separator), _mm_cmpeq_epi8(bytes, line_end));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(found) << 16 * part;
    }
    return bits;
}

static size_t marks_anywhere(uint32_t *marks, const char *text, size_t from, size_t n, char separator) {
    const __m128i separators = _mm_set1_epi8(separator), line_ends = _mm_set1_epi8('\n');
    size_t count = 0;
    for (size_t at = from; at < n; at += 64) {
        uint64_t bits = either(text + at, separators, line_ends);
        if (n - at < 64)
            bits &= ((uint64_t)1 << (n - at)) - 1;
        while (bits != 0) /* four marks per round, which is easier to predict; surplus ones are overwritten */
            for (int k = 0; k < 4; k++) {
                marks[count] = (uint32_t)(at + (unsigned)__builtin_ctzll(bits | (uint64_t)1 << 63));
                count += bits != 0;
                bits &= bits - 1;
            }
    }
    return count;
}
#else
static size_t marks_anywhere(uint32_t *marks, const char *text, size_t from, size_t n, char separator) {
    size_t count = 0;
    for (size_t at = from; at < n; at++)
        if (text[at] == separator || text[at] == '\n')
            marks[count++] = (uint32_t)at;
    return count;
}
#endif

size_t csv_marks(uint32_t *marks, const char *text, size_t from, size_t n, char separator, bool has_quotes) {
    return has_quotes ? marks_outside_quotes(marks, text, from, n, separator)
                      : marks_anywhere(marks, text, from, n, separator);
}

/* ---- One record ---- */

csv_record csv_first(const char *text, size_t n, size_t first, char separator, size_t *end) {
    size_t at = field_end(text, n, first, separator, '\n');
    while (at < n && text[at] != '\n')
        at = field_end(text, n, at + 1, separator, '\n');
    *end = at < n ? at + 1 : 0;
    return (csv_record){text, first, at > first && text[at - 1] == '\r' ? at - 1 : at};
}

csv_field csv_begin(const csv_record *record) {
    return (csv_field){.next = record->first};
}

/* Only the separator ends a field, because a line end inside a record is quoted, or would be with the right separator.
 */
bool csv_next(csv_field *field, const csv_record *record, char separator) {
    if (field->next > record->n)
        return false;
    field->from = field->next;
    field->to = field_end(record->text, record->n, field->from, separator, separator);
    field->next = field->to + 1;
    return true;
}

size_t csv_count(const csv_record *record, char separator) {
    size_t count = 0;
    for (csv_field field = csv_begin(record); csv_next(&field, record, separator);)
        count++;
    return count;
}

size_t csv_unquote(char *to, size_t size, const char *text, size_t n) {
    bool quoted = n > 0 && text[0] == '"';
    size_t length = 0;
    for (size_t at = quoted; at < n && length < size; at++) {
        if (quoted && text[at] == '"') {
            quoted = at + 1 < n && text[at + 1] == '"';
            at += quoted;
            if (!quoted)
                continue;
        }
        to[length++] = text[at];
    }
    return length;
}
