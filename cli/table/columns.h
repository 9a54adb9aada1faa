/* Columns: finds the wanted columns in the first line of a table, and decides whether that line is a header. */
#ifndef PODIUM_CLI_COLUMNS_H
#define PODIUM_CLI_COLUMNS_H

#include "cli.h"
#include "table/csv.h"

typedef struct {
    const char *asked; /* a name or a number; NULL means the only column of the table */
    double min, max;   /* numbers outside are invalid; may be infinite */
    size_t option;     /* which --column this is, from 0 */
    size_t field;      /* its position in a record, from 0; known after the first line */
    size_t matches;    /* how many fields of the first line have this name */
} column;

typedef enum { HEADER_YES, HEADER_NO, HEADER_AUTO } header_mode;

typedef struct {
    column *column; /* the columns that are read, sorted by their fields once these are known */
    size_t count;
    column *by; /* the columns whose fields name the groups */
    size_t by_count;
    header_mode header;
    bool private;  /* the columns contain values, which must not be printed */
    size_t fields; /* how many fields the first line has */
    size_t least;  /* how many fields a record must have to contain all columns */
} column_set;

/* Finds the columns in the first line of a file, whose name is for messages. Returns whether the line is a header. Ends
   the program if a column is missing or ambiguous. */
bool columns_locate(column_set *all, const csv_record *line, char separator, const char *file);

/* Returns whether all fields of a line read as names, so that none of them can be a value. */
bool columns_read_as_header(const csv_record *line, char separator);

/* Returns what messages call a column: the argument of --column, or else its number, which is written to text. */
const char *column_label(const column *column, char text[32]);

#endif
