/*
 * CSV: records from a stream, in constant memory. As RFC 4180 has it: a field that begins with a quote ends at the next
 * single quote and may hold separators and line ends; elsewhere a quote is a character. Lines end in \n or \r\n. A byte
 * order mark at the very start belongs to the first record, but to none of its fields.
 */
#ifndef PODIUM_CLI_CSV_H
#define PODIUM_CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_RECORD_MAX ((size_t)1 << 24)

typedef struct {
    const char *text; /* valid until the next csv_feed */
    size_t first;     /* where its first field begins: after a byte order mark */
    size_t n;         /* with its line end */
    size_t content;   /* without */
    uint64_t line;    /* where it begins, counted from 1 */
    bool unclosed;    /* the input ended inside quotes: who knows what is in there */
} csv_record;

typedef struct {
    char separator;
    char *buffer;
    size_t capacity, start, end; /* what has not been taken yet is at start ... end - 1 */
    size_t scanned;              /* up to here no record ends */
    int state;                   /* of the scan: see csv.c */
    uint64_t line;
    bool finished; /* no more will be fed: the rest is the last record */
} csv_reader;

bool csv_init(csv_reader *reader, char separator); /* false: out of memory */
void csv_free(csv_reader *reader);

/* Room for more input: at least one byte, or NULL where a record is longer than CSV_RECORD_MAX (or memory is short). */
char *csv_room(csv_reader *reader, size_t *room);
void csv_feed(csv_reader *reader, size_t n); /* n bytes were put there; 0 is the end */

/* The next record that is complete; false where more input is needed, or none is left. */
bool csv_next(csv_reader *reader, csv_record *record);
/* Takes the record just given back, to be read with another separator. */
void csv_again(csv_reader *reader, const csv_record *record, char separator);

/* Field number `index` of a record, from 0, as it stands (quotes included); false where there are fewer. */
typedef struct {
    size_t from, to; /* in record->text */
} csv_field;
bool csv_find(csv_field *field, const csv_record *record, char separator, size_t index);
size_t csv_count(const csv_record *record, char separator);

/* A field without its quotes, doubled ones made single; returns the length, at most size. */
size_t csv_unquote(char *to, size_t size, const char *text, size_t n);

#endif
