/*
 * CSV: where records and fields end. As RFC 4180 has it: a field that begins with a quote ends at the next single quote
 * and may hold separators and line ends; elsewhere a quote is a character. Lines end in \n or \r\n.
 */
#ifndef PODIUM_CLI_CSV_H
#define PODIUM_CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_RECORD_MAX ((size_t)1 << 24)
#define CSV_PADDING 64 /* bytes after a text that may be read, so that most things need not look for its end */

/* How much of a text is whole records, while it grows: a scan goes on where it stopped, and begins as {first field}. */
typedef struct {
    size_t at;    /* up to here it has been looked at */
    size_t whole; /* up to here it is whole records; 0 while the first one goes on */
    int state;    /* see csv.c */
    bool has_quotes;
} csv_scan;
void csv_whole(csv_scan *scan, const char *text, size_t n, char separator);

/*
 * The ends of all fields of the text, from the start of one on: the positions of the separators and line ends that
 * stand outside quotes, at most n - from; there must be room for one more. A text that ends inside quotes has no mark
 * there. A text without quotes is searched 64 bytes at a time.
 */
size_t csv_marks(uint32_t *marks, const char *text, size_t from, size_t n, char separator, bool has_quotes);

/* One record, without its line end; its first field begins at `first`. */
typedef struct {
    const char *text;
    size_t first, n;
} csv_record;

/* The first record of a text, whose first field begins at `first`; *end is where the next one would begin, 0 where this
   one is not whole. */
csv_record csv_first(const char *text, size_t n, size_t first, char separator, size_t *end);

/* The fields of a record one after the other, as they stand (quotes included): csv_next gives the next one after that
   of csv_begin or csv_next, and false after the last. */
typedef struct {
    size_t from, to; /* in record->text */
    size_t next;     /* where the next field begins; beyond the record after the last */
} csv_field;
csv_field csv_begin(const csv_record *record);
bool csv_next(csv_field *field, const csv_record *record, char separator);
size_t csv_count(const csv_record *record, char separator);

/* A field without its quotes, doubled ones made single; returns the length, at most size. */
size_t csv_unquote(char *to, size_t size, const char *text, size_t n);

#endif
