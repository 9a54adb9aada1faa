/*
 * CSV: finds where records and fields end, as in RFC 4180. A field that begins with a quote ends at the next quote that
 * is not doubled, and may contain separators and line ends. Anywhere else a quote is an ordinary character. Lines end
 * in \n or \r\n.
 */
#ifndef PODIUM_CLI_CSV_H
#define PODIUM_CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_RECORD_MAX ((size_t)1 << 24)
#define CSV_PADDING 64 /* readable bytes that follow every text, so that most code need not check for its end */

/* Finds how much of a growing text consists of complete records. A scan resumes where it stopped; it begins with `at`
   at the first field. */
typedef struct {
    size_t at;    /* everything before this has been scanned */
    size_t whole; /* everything before this is complete records; 0 until the first one is complete */
    int state;    /* of the scanner: see csv.c */
    bool has_quotes;
} csv_scan;
void csv_whole(csv_scan *scan, const char *text, size_t n, char separator);

/*
 * Finds the ends of all fields, the first of which begins at `from`. Writes the positions of the separators and line
 * ends outside quotes to marks and returns their number, which is at most n - from; marks must have room for one more.
 * If the text ends inside quotes, its last field has no mark. A text without quotes is searched 64 bytes at a time.
 */
size_t csv_marks(uint32_t *marks, const char *text, size_t from, size_t n, char separator, bool has_quotes);

/* One record, without its line end; its first field begins at `first`. */
typedef struct {
    const char *text;
    size_t first, n;
} csv_record;

/* Returns the first record of a text, whose first field begins at `first`. Sets *end to where the next record begins,
   or to 0 if this one is incomplete. */
csv_record csv_first(const char *text, size_t n, size_t first, char separator, size_t *end);

/* Iterates over the fields of a record as they are written, quotes included. csv_begin returns a position before the
   first field; csv_next moves it to the next one, and returns false after the last. */
typedef struct {
    size_t from, to; /* in record->text */
    size_t next;     /* where the next field begins; beyond the record if there is none */
} csv_field;
csv_field csv_begin(const csv_record *record);
bool csv_next(csv_field *field, const csv_record *record, char separator);
size_t csv_count(const csv_record *record, char separator);

/* Copies a field without the quotes around it, and with doubled quotes made single. Returns the length, at most size.
 */
size_t csv_unquote(char *to, size_t size, const char *text, size_t n);

#endif
