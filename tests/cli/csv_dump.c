/*
 * Prints how csv.c reads standard input, for csv_oracle.py: each record as its number of fields, then each field,
 * unquoted, as its length and bytes. The input is a sequence of files: separator, seed of the chunk sizes, length,
 * bytes.
 */
#include "table/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(uint32_t n) {
    fwrite(&n, sizeof n, 1, stdout);
}

static void show(const csv_record *record, char separator) {
    put((uint32_t)csv_count(record, separator));
    for (csv_field field = csv_begin(record); csv_next(&field, record, separator);) {
        char *plain = malloc(field.to - field.from + 1);
        size_t n = csv_unquote(plain, field.to - field.from, record->text + field.from, field.to - field.from);
        put((uint32_t)n);
        fwrite(plain, 1, n, stdout);
        free(plain);
    }
}

/* Checks that the marks of a record are the ends of its fields. Returns their number. */
static size_t check_marks(const uint32_t *marks, const csv_record *record, size_t start, char separator) {
    csv_field field = csv_begin(record);
    size_t count = 0;
    for (; csv_next(&field, record, separator); count++) {
        bool last = field.to == record->n;
        if (start + field.to + (last && record->text[field.to] == '\r') != marks[count])
            abort();
    }
    return count;
}

/* Shows complete records of a text whose first field begins at `first`. */
static void show_whole(const char *text, size_t n, size_t first, char separator, bool has_quotes) {
    uint32_t *marks = malloc((n + 1) * sizeof *marks);
    size_t count = csv_marks(marks, text, first, n, separator, has_quotes), mark = 0;
    for (size_t at = 0, end; at < n; at += end, first = 0) {
        csv_record record = csv_first(text + at, n - at, first, separator, &end);
        if (end == 0)
            abort();
        mark += check_marks(marks + mark, &record, at, separator);
        show(&record, separator);
    }
    if (mark != count)
        abort();
    free(marks);
}

/* Shows the last record of the input, which may be incomplete. */
static void show_rest(const char *text, size_t n, size_t first, char separator) {
    csv_record record = {text, first, n > first && text[n - 1] == '\r' ? n - 1 : n};
    if (n > 0)
        show(&record, separator);
}

/* Reads the n bytes of the text in chunks, and shows complete records as soon as there are any. */
static void dump(const char *text, size_t n, char separator, uint32_t seed) {
    size_t start = 0, first = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    csv_scan scan = {.at = first};
    for (size_t at = first; at < n;) {
        seed = seed * 1664525 + 1013904223;
        size_t most = (seed >> 24 & (seed >> 16 & 1 ? 255 : 3)) + 1;
        at = most < n - at ? at + most : n;
        csv_whole(&scan, text + start, at - start, separator);
        if (scan.whole == 0)
            continue;
        char *copy = malloc(scan.whole + CSV_PADDING); /* so that a sanitizer notices reads beyond it */
        memcpy(copy, text + start, scan.whole);
        show_whole(copy, scan.whole, first, separator, scan.has_quotes);
        free(copy);
        start += scan.whole;
        first = 0;
        scan = (csv_scan){.at = 0};
    }
    show_rest(text + start, n - start, first, separator);
    put(UINT32_MAX);
}

int main(void) {
    struct {
        uint32_t separator, seed, n;
    } head;
    while (fread(&head, sizeof head, 1, stdin) == 1) {
        char *text = malloc(head.n + 1);
        if (text == NULL || fread(text, 1, head.n, stdin) != head.n)
            return EXIT_FAILURE;
        dump(text, head.n, (char)head.separator, head.seed);
        free(text);
    }
    return EXIT_SUCCESS;
}
