#include "csv.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- With quotes: field by field ---- */

/* From the start of a field to the separator or line end after it, or n */
static size_t field_end(const char *text, size_t n, size_t at, char separator) {
    for (bool quoted = at < n && text[at] == '"'; quoted;) {
        const char *quote = memchr(text + at + 1, '"', n - at - 1);
        if (quote == NULL)
            return n;
        at = (size_t)(quote - text) + 1;
        quoted = at < n && text[at] == '"'; /* two make one, and the field goes on */
    }
    while (at < n && text[at] != separator && text[at] != '\n')
        at++;
    return at;
}

bool csv_has_quotes(const char *text, size_t n) {
    return memchr(text, '"', n) != NULL;
}

size_t csv_whole(const char *text, size_t n, char separator, bool has_quotes) {
    if (!has_quotes) {
        while (n > 0 && text[n - 1] != '\n')
            n--;
        return n;
    }
    size_t whole = 0;
    for (size_t at = 0, end; at < n && (end = field_end(text, n, at, separator)) < n; at = end + 1)
        if (text[end] == '\n')
            whole = end + 1;
    return whole;
}

static size_t marks_outside_quotes(uint32_t *marks, const char *text, size_t from, size_t n, char separator) {
    size_t count = 0;
    for (size_t at = from, end; at < n && (end = field_end(text, n, at, separator)) < n; at = end + 1)
        marks[count++] = (uint32_t)end;
    return count;
}

/* ---- Without: all at once ---- */

#ifdef __SSE2__
/* A bit for each of 64 bytes that is either */
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
        for (; bits != 0; bits &= bits - 1)
            marks[count++] = (uint32_t)(at + (unsigned)__builtin_ctzll(bits));
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
    size_t at = field_end(text, n, first, separator);
    while (at < n && text[at] != '\n')
        at = field_end(text, n, at + 1, separator);
    *end = at < n ? at + 1 : 0;
    return (csv_record){text, first, at > first && text[at - 1] == '\r' ? at - 1 : at};
}

bool csv_find(csv_field *field, const csv_record *record, char separator, size_t index) {
    size_t from = record->first, to = field_end(record->text, record->n, from, separator);
    for (; index > 0; index--) {
        if (to == record->n)
            return false;
        from = to + 1;
        to = field_end(record->text, record->n, from, separator);
    }
    *field = (csv_field){from, to};
    return true;
}

size_t csv_count(const csv_record *record, char separator) {
    size_t count = 1, to = field_end(record->text, record->n, record->first, separator);
    for (; to < record->n; count++)
        to = field_end(record->text, record->n, to + 1, separator);
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
