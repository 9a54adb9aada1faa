/* Table: rows of some columns, from CSV or TSV files one after the other. */
#ifndef PODIUM_CLI_TABLE_H
#define PODIUM_CLI_TABLE_H

#include "options.h"
#include "table/columns.h"
#include "table/crew.h"

typedef enum { INVALID_ERROR, INVALID_DROP, INVALID_CLAMP, INVALID_KEEP } invalid;

typedef struct {
    text_list columns; /* names or numbers; none: the only column */
    const char *by;    /* a name or a number; NULL: no grouping */
    char separator;    /* 0: find out */
    header_mode header;
    invalid invalid;
    bool codes;                      /* the columns hold, or are to hold, cells and not reports */
    bool private;                    /* the columns hold values, and not reports */
    const podium_spec *const *range; /* of the values of each column; NULL: any number will do */
    bool force;                      /* take even what cannot be reports of the collection */
    unsigned threads;                /* 0: as many as there are processors */
    char **files;                    /* NULL at the end */
    const char *doing;               /* for the progress line */
} table_options;

extern const option column_option[];  /* --column */
extern const option columns_option[]; /* --column, which may be given more than once */
extern const option table_form[];     /* --separator and --header */

#define INPUT_HEADING "Input (CSV or TSV; no FILE, or -, is standard input)"
/* Rows for what is read: private values or reports */
#define ROW_THREADS                                                                                                    \
    {                                                                                                                  \
        .name = "threads", .argument = "N", TO_COUNT(table_options, threads, 1, CREW_MAX),                             \
        .help = "how many work at once; one for each processor if not given"                                           \
    }
extern const option report_options[]; /* --invalid, --codes, --threads, --force */

/* Positions in rows.text */
typedef struct {
    uint32_t start, end;     /* of the line, with its end */
    uint32_t by_from, by_to; /* the group, where asked for */
} row;

typedef struct {
    uint32_t from, to; /* where a value stands; to is below from where it is missing, and must stay as it is */
} span;

/* Some rows of a file that follow each other, but for those that are left out */
typedef struct {
    const char *text;
    size_t first, n; /* the rows are at first ... n - 1 of the text */
    size_t count;
    const row *row;
    const column *column; /* in the order of their fields */
    size_t columns;
    const span *cell; /* of the columns of a row, then those of the next row */
    double *value;    /* of the rows of a column; may be written over */
    size_t stride;    /* those of the next column begin so much later */
    size_t kept;      /* cells that are missing */
    bool alone;       /* there are no others in work: those before are finished */
} rows;

typedef struct table table;
table *table_open(const table_options *options);
void table_close(table *table);
/* The threads that table_run will use, each of which needs its own memory: at most CREW_MAX. */
unsigned table_threads(const table *table);

/*
 * Goes through all rows, in threads that each have `size` bytes of their own, beginning at `own`. work is called for
 * some rows at the same time as for others, perhaps several times; then finish for all that it got, in the order of the
 * files, one at a time, and only it may print (or work, where its rows are alone). Where there are groups, work is
 * called once, and finish gets the same rows. Then says how many rows were left out, and how many cells left as they
 * are.
 */
typedef void table_step(void *own, const rows *rows);
void table_run(table *table, void *own, size_t size, table_step *work, table_step *finish);

/* The header line of the first file, ending in a line end; NULL if there is none. Known from the first finish on. */
const char *table_header(const table *table, size_t *n);

/* For finish: there is something wrong with a row; says where, and ends the program. */
_Noreturn void table_fail(const table *table, const rows *rows, const row *row, const char *what);

#endif
