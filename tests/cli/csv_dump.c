/*
 * Shows what csv.c makes of standard input, for csv_oracle.py: each record as its number of fields, then each field
 * unquoted as its length and bytes. Files come one after the other: separator, seed of the chunk sizes, length, bytes.
 */
#include "csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(uint32_t n) {
    fwrite(&n, sizeof n, 1, stdout);
}

static void show(const csv_record *record, char separator) {
    csv_field field;
    put((uint32_t)csv_count(record, separator));
    for (size_t i = 0; csv_find(&field, record, separator, i); i++) {
        char *plain = malloc(field.to - field.from + 1);
        size_t n = csv_unquote(plain, field.to - field.from, record->text + field.from, field.to - field.from);
        put((uint32_t)n);
        fwrite(plain, 1, n, stdout);
        free(plain);
    }
}

static void dump(const char *text, size_t n, char separator, uint32_t seed) {
    csv_reader reader;
    csv_record record;
    if (!csv_init(&reader, separator))
        abort();
    for (size_t at = 0; !reader.finished;) {
        seed = seed * 1664525 + 1013904223;
        size_t room, most = seed >> 24 & (seed >> 16 & 1 ? 255 : 3);
        char *to = csv_room(&reader, &room);
        size_t chunk = most + 1 < n - at ? most + 1 : n - at;
        if (to == NULL || room == 0)
            abort();
        chunk = chunk < room ? chunk : room;
        memcpy(to, text + at, chunk);
        csv_feed(&reader, chunk);
        at += chunk;
        while (csv_next(&reader, &record))
            show(&record, separator);
    }
    put(UINT32_MAX);
    csv_free(&reader);
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
