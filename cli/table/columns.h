/* Columns: which fields of a table are asked for, by its first line, and whether that line is a header. */
#ifndef PODIUM_CLI_COLUMNS_H
#define PODIUM_CLI_COLUMNS_H

#include "cli.h"
#include "table/csv.h"

typedef struct {
    const char *asked; /* a name or a number; NULL: the only column of the table */
    double min, max;   /* numbers outside are invalid; may be infinite */
    size_t place;      /* among those asked for, from 0 */
    size_t field;      /* its number in a record, from 0: known from the first line on */
    size_t matches;    /* fields of the first line that are called so */
} column;

typedef enum { HEADER_YES, HEADER_NO, HEADER_AUTO } header_mode;

typedef struct {
    column *column; /* those that are read; in the order of their fields once they are located */
    size_t count;
    column *by; /* the groups; NULL: none */
    header_mode header;
    bool private;  /* the columns hold values, which must not be printed */
    size_t fields; /* of the first line */
    size_t least;  /* a record needs as many fields for all columns to be there */
} column_set;

/* Finds the columns by the first line of the file called so. Returns whether the line is a header; ends the program
   where a column is not there, or not certain. */
bool columns_locate(column_set *all, const csv_record *line, char separator, const char *file);

/* For messages: what was asked for, or the column's number */
const char *column_label(const column *column, char text[32]);

#endif
