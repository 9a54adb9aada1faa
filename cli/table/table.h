/* Table: reads the rows of some columns from CSV or TSV files, one file after the other. */
#ifndef PODIUM_CLI_TABLE_H
#define PODIUM_CLI_TABLE_H

#include "options.h"
#include "table/columns.h"
#include "table/crew.h"

typedef enum { INVALID_ERROR, INVALID_DROP, INVALID_CLAMP, INVALID_KEEP } invalid;

#define BY_MAX 8 /* columns that name the groups */
typedef struct {
    char *of[BY_MAX]; /* names or numbers */
    size_t count;
} by_list;

typedef struct {
    text_list columns; /* names or numbers; none means the only column */
    by_list by;        /* none means no groups */
    char separator;    /* 0 means that the first line decides */
    header_mode header;
    invalid invalid;
    bool codes;                      /* the columns contain, or will contain, codes instead of reports */
    bool private;                    /* the columns contain values instead of reports */
    const podium_spec *const *range; /* the range of each column; NULL means that any number is valid */
    bool force;                      /* accept even what cannot be reports of the collection */
    bool trim;                       /* take out what honest people cannot have sent */
    unsigned threads;                /* 0 means one per processor */
    char **files;                    /* ends in NULL */
    const char *doing;               /* what the progress line says */
} table_options;

extern const option column_option[];  /* --column */
extern const option columns_option[]; /* --column, which may be repeated */
extern const option by_option[];      /* --by */
extern const option table_form[];     /* --separator and --header */

#define INPUT_HEADING "Input (CSV or TSV; standard input if FILE is missing or is -)"
#define ROW_THREADS                                                                                                    \
    {                                                                                                                  \
        .name = "threads", .argument = "N", TO_COUNT(table_options, threads, 1, CREW_MAX),                             \
        .help = "how many threads to use; one per processor if not given"                                              \
    }
extern const option report_options[]; /* --invalid, --codes, --threads, --force */

typedef struct {
    uint32_t start, end; /* of the line in rows.text, including its line end */
} row;

typedef struct {
    uint32_t from, to; /* of a field; to < from marks a missing value, which must stay as it is */
} span;

/* Consecutive rows of a file, without those that were dropped */
typedef struct {
    const char *text;
    size_t first, n; /* the rows are at positions first ... n - 1 of the text */
    size_t count;
    const row *row;
    const column *column; /* in the order of their fields */
    size_t columns;
    const span *field; /* all columns of the first row, then those of the next row */
    const span *by;    /* likewise the columns that name the groups */
    size_t by_count;
    double *value; /* all rows of the first column; may be overwritten */
    size_t stride; /* the values of column c begin at value + c * stride */
    size_t kept;   /* how many fields are missing */
    bool alone;    /* no other rows are being worked on, and all earlier ones are finished */
} rows;

typedef struct table table;
table *table_open(const table_options *options);
void table_close(table *table); /* also frees the names in options.by */
/* Returns how many threads table_run will use, at most CREW_MAX. Each of them needs memory of its own. */
unsigned table_threads(const table *table);

/*
 * Processes all rows in threads. Each thread has `size` bytes of its own in the array `own`. A thread calls work for
 * some rows, perhaps several times, in parallel with other threads; then it calls finish once for all of them. finish
 * is called by one thread at a time, in the order of the files. Only finish may print, or work if its rows are alone.
 * If there are groups, work is called once and finish gets the same rows. At the end a message says how many rows were
 * dropped and how many missing fields were kept.
 */
typedef void table_step(void *own, const rows *rows);
void table_run(table *table, void *own, size_t size, table_step *work, table_step *finish);

/* Returns the header line of the first file, with its line end, or NULL if there is none. Valid from the first finish
 * on. */
const char *table_header(const table *table, size_t *n);

/* For use inside finish: says what is wrong with a row, and where, and ends the program. */
_Noreturn void table_fail(const table *table, const rows *rows, const row *row, const char *what);

#endif
