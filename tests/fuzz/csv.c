/* Fuzzing csv.c: nothing is lost, nothing is outside, and how the input is cut does not matter. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

typedef struct {
    csv_reader reader;
    const char *text;
    size_t n, at, chunk; /* fed up to at, by chunk bytes */
} source;

static bool next(source *s, csv_record *record) {
    while (!csv_next(&s->reader, record)) {
        if (s->reader.finished)
            return false;
        size_t room, left = s->n - s->at, chunk = left < s->chunk ? left : s->chunk;
        char *to = csv_room(&s->reader, &room);
        REQUIRE(to != NULL && room > 0);
        chunk = chunk < room ? chunk : room;
        if (chunk > 0)
            memcpy(to, s->text + s->at, chunk);
        csv_feed(&s->reader, chunk);
        s->at += chunk;
    }
    return true;
}

static void check_fields(const csv_record *record, char separator) {
    csv_field field;
    size_t count = 0, from = record->first;
    REQUIRE(record->first <= record->content && record->content <= record->n);
    for (; count < 64 && csv_find(&field, record, separator, count); count++) {
        REQUIRE(field.from == from && field.from <= field.to && field.to <= record->content);
        REQUIRE(field.to == record->content || record->text[field.to] == separator);
        char *plain = malloc(field.to - field.from + 1);
        REQUIRE(plain != NULL);
        REQUIRE(csv_unquote(plain, field.to - field.from, record->text + field.from, field.to - field.from) <=
                field.to - field.from);
        free(plain);
        from = field.to + 1;
    }
    REQUIRE(count == 64 ? csv_count(record, separator) >= 64 : csv_count(record, separator) == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n < 1 || data[0] == '"' || data[0] == '\n' || data[0] == '\r')
        return 0;
    char separator = (char)data[0];
    source whole = {.text = (const char *)data + 1, .n = n - 1, .chunk = n}, bytes = whole;
    bytes.chunk = 1;
    REQUIRE(csv_init(&whole.reader, separator) && csv_init(&bytes.reader, separator));
    csv_record a, b;
    size_t at = 0;
    uint64_t line = 1;
    while (next(&whole, &a)) {
        REQUIRE(next(&bytes, &b));
        REQUIRE(a.n > 0 && a.n <= n - 1 - at && memcmp(a.text, data + 1 + at, a.n) == 0 && a.line == line);
        REQUIRE(a.n == b.n && memcmp(a.text, b.text, a.n) == 0);
        REQUIRE(a.first == b.first && a.content == b.content && a.line == b.line);
        check_fields(&a, separator);
        for (size_t i = 0; i < a.n; i++)
            line += a.text[i] == '\n';
        at += a.n;
    }
    REQUIRE(at == n - 1 && !next(&bytes, &b));
    csv_free(&whole.reader);
    csv_free(&bytes.reader);
    return 0;
}
