/* Table: rows of a column, from CSV or TSV files one after the other. */
#ifndef PODIUM_CLI_TABLE_H
#define PODIUM_CLI_TABLE_H

#include "cli.h"
#include "csv.h"

typedef enum { INVALID_ERROR, INVALID_DROP, INVALID_CLAMP } invalid;

typedef struct {
    const char *command;
    const char *column, *by; /* a name or a number; NULL: the only column, or no grouping */
    char separator;          /* 0: find out */
    int header;              /* 0 yes, 1 no, 2 auto */
    invalid invalid;
    bool codes;               /* the column holds, or is to hold, cells and not reports */
    const podium_spec *range; /* values outside are invalid; NULL: any number will do */
    char **files;             /* NULL at the end */
    const char *doing;        /* for the progress line */
} table_options;

/* The options that all commands with tables share; false if it is none of them. */
enum { OPTION_COLUMN = OPTION_OWN, OPTION_SEPARATOR, OPTION_HEADER, OPTION_INVALID, OPTION_CODES, OPTION_TABLE_OWN };
#define TABLE_OPTIONS                                                                                                  \
    {"column", required_argument, NULL, OPTION_COLUMN}, {"separator", required_argument, NULL, OPTION_SEPARATOR},      \
        {"header", required_argument, NULL, OPTION_HEADER}, {"invalid", required_argument, NULL, OPTION_INVALID}, {    \
        "codes", no_argument, NULL, OPTION_CODES                                                                       \
    }
bool table_option(table_options *options, int option, const char *argument);

/* All the arguments of a command that has no others but -o, whose argument it returns, and files. */
const char *table_arguments(int argc, char **argv, collection_options *which, table_options *options);

typedef struct {
    double value;
    csv_record record;
    csv_field field; /* where the value stands */
    csv_field by;    /* the group, where asked for */
} row;

typedef struct table table;
table *table_open(const table_options *options);
void table_close(table *table);

/* The next rows, at most `most`; 0 when all is read. Waits for input only when it has nothing complete to give. Texts
   are valid until the next call. */
size_t table_rows(table *table, row *rows, size_t most);

/* The header line of the first file, ending in a line end; NULL if there is none. Known after table_rows. */
const char *table_header(const table *table, size_t *n);

#endif
