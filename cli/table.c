#include "table.h"
#include "crew.h"
#include "number.h"
#include "source.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS_FEW 16 /* have room for large pieces in 64 MiB */

struct table {
    table_options options;
    size_t file; /* index in options.files */
    source source;
    bool at_start; /* of a file: a header may come */
    char separator;
    size_t column, by, fields; /* field numbers from 0, and how many there are: known after the first line */
    bool located;
    char *header;
    size_t header_first, header_n;
    uint64_t total; /* bytes, or 0 where that cannot be known */
    unsigned threads;
    /* Of what is being finished */
    const char *name;          /* of the file, for messages */
    uint64_t line;             /* the number of the first line */
    uint64_t done, rows_given; /* bytes, and rows */
};

/* ---- Options ---- */

static char separator_option(const char *command, const char *text) {
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        return '\t';
    if (strlen(text) != 1 || strchr("\"\n\r+-.0123456789eE", *text) != NULL)
        fail_usage(command, "--separator takes one character that is in no number, or tab, not '%s'", text);
    return *text;
}

bool table_option(table_options *options, int option, const char *argument) {
    static const char *const header_words[] = {"yes", "no", "auto", NULL};
    static const char *const invalid_words[] = {"error", "drop", "clamp", NULL};
    static const char *const invalid_words_reports[] = {"error", "drop", NULL};
    switch (option) {
    case OPTION_COLUMN:
        options->column = argument;
        return true;
    case OPTION_SEPARATOR:
        options->separator = separator_option(options->command, argument);
        return true;
    case OPTION_HEADER:
        options->header = choice_option(options->command, "--header", argument, header_words);
        return true;
    case OPTION_INVALID:
        options->invalid = (invalid)choice_option(options->command, "--invalid", argument,
                                                  options->range == NULL ? invalid_words_reports : invalid_words);
        return true;
    case OPTION_CODES:
        options->codes = true;
        return true;
    case OPTION_THREADS:
        options->threads = (unsigned)count_option(options->command, "--threads", argument, 1, CREW_MAX);
        return true;
    default:
        return false;
    }
}

const char *table_arguments(int argc, char **argv, collection_options *which, table_options *options) {
    static const struct option known[] = {
        COLLECTION_OPTIONS, TABLE_OPTIONS, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    const char *path = NULL;
    for (int option; (option = option_next(which, argc, argv, known)) != -1;) {
        if (option == 'o')
            path = optarg;
        else if (!table_option(options, option, optarg))
            collection_option(which, option, optarg);
    }
    options->files = argv + optind;
    return path;
}

/* ---- Files ---- */

static void open_file(table *t) {
    size_t piece_size = t->threads <= THREADS_FEW ? PIECE_SIZE : PIECE_SIZE_SMALL;
    source_open(&t->source, t->options.files[t->file], t->separator == 0 ? ',' : t->separator, piece_size);
    t->at_start = true;
}

/* Bytes in all, or 0 where that cannot be known */
static uint64_t total_size(char **files) {
    uint64_t total = 0;
    for (; *files != NULL; files++) {
        struct stat status;
        if (stat(*files, &status) != 0 || !S_ISREG(status.st_mode))
            return 0;
        total += (uint64_t)status.st_size;
    }
    return total;
}

static unsigned threads_for(unsigned asked, uint64_t total) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = asked > 0 ? asked : processors < 1 ? 1 : (uint64_t)processors;
    uint64_t pieces = total == 0 ? CREW_MAX : total / PIECE_SIZE_SMALL + 1; /* no idle ones */
    threads = threads < pieces ? threads : pieces;
    return threads < CREW_MAX ? (unsigned)threads : CREW_MAX;
}

table *table_open(const table_options *options) {
    table *t = allocate(sizeof *t);
    *t = (table){.options = *options, .separator = options->separator};
    t->options.files = input_files(options->files);
    t->total = total_size(t->options.files);
    t->threads = threads_for(options->threads, t->total);
    open_file(t);
    return t;
}

void table_close(table *t) {
    progress_clear();
    source_close(&t->source);
    free(t->header);
    free(t);
}

const char *table_header(const table *t, size_t *n) {
    *n = t->header_n;
    return t->header;
}

unsigned table_threads(const table *t) {
    return t->threads;
}

/* ---- Messages: file, line, column, never the value ---- */

static const char not_a_number[] = "not a number", unclosed[] = "a quote is not closed before the end";

static uint64_t lines_in(const char *text, size_t n) {
    uint64_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}

static _Noreturn void fail_field(const table *t, uint64_t line, const char *what) {
    if (t->options.column != NULL)
        fail(BAD_DATA, "%s, line %llu, column %s: %s", t->name, (unsigned long long)line, t->options.column, what);
    fail(BAD_DATA, "%s, line %llu, column %zu: %s", t->name, (unsigned long long)line, t->column + 1, what);
}

void table_fail(const table *t, const rows *all, const row *r, const char *what) {
    fail(BAD_DATA, "%s, line %llu: %s", t->name, (unsigned long long)(t->line + lines_in(all->text, r->start)), what);
}

/* ---- The first line ---- */

static bool names_field(const csv_record *record, csv_field field, const char *name) {
    char plain[1024];
    size_t n = csv_unquote(plain, sizeof plain, record->text + field.from, field.to - field.from);
    return n == strlen(name) && memcmp(plain, name, n) == 0;
}

/*
 * A column's number: by its name in the header, or a number from 1. Returns whether the header was needed. Where it is
 * not known that there is one, a number is no name: a value on the first line would make a header of it.
 */
static bool locate(const table *t, const csv_record *record, const char *column, size_t *index) {
    size_t fields = csv_count(record, t->separator);
    csv_field field;
    double number;
    bool numbered = number_read(&number, column, strlen(column)) && number >= 1 && number <= (double)fields &&
                    number == (double)(size_t)number;
    bool named = t->options.header == 0 || (t->options.header == 2 && !numbered);
    for (*index = 0; named && csv_find(&field, record, t->separator, *index); (*index)++)
        if (names_field(record, field, column))
            return true;
    if (numbered) {
        *index = (size_t)number - 1;
        return false;
    }
    fail(BAD_DATA, "%s, line 1: no column is called '%s' (there are %zu)", t->source.name, column, fields);
}

/* A header is printed as it stands, so a value must not pass for one: neither 12kg nor EUR 12 nor 1.000,50. */
static bool reads_as_name(const csv_record *record, csv_field field) {
    for (size_t i = field.from; i < field.to; i++)
        if (record->text[i] >= '0' && record->text[i] <= '9')
            return false;
    return field.to > field.from;
}

/* Columns, and whether the line is a header. */
static bool start(table *t, const csv_record *record) {
    if (record->n >= strlen(PODIUM_AGGREGATE_PREFIX) &&
        memcmp(record->text, PODIUM_AGGREGATE_PREFIX, strlen(PODIUM_AGGREGATE_PREFIX)) == 0)
        fail(BAD_DATA, "%s, line 1: a state, where reports are read", t->source.name);
    bool header = false, known = t->located; /* as the first file, so the others */
    if (!t->located) {
        if (t->options.column == NULL && csv_count(record, t->separator) != 1)
            fail(BAD_USAGE, "%s has %zu columns: say which with --column NAME or --column NUMBER", t->source.name,
                 csv_count(record, t->separator));
        if (t->options.column != NULL)
            header = locate(t, record, t->options.column, &t->column);
        if (t->options.by != NULL)
            header |= locate(t, record, t->options.by, &t->by);
        t->fields = csv_count(record, t->separator);
        t->located = true;
    }
    csv_field field;
    if (t->options.header != 2)
        return t->options.header == 0;
    if (t->header != NULL || header)
        return true;
    if (known)
        return false;
    return csv_find(&field, record, t->separator, t->column) && reads_as_name(record, field);
}

/* With its line end, n bytes */
static void keep_header(table *t, const csv_record *record, size_t n) {
    for (size_t i = 0; i < record->n; i++)
        if (record->text[i] == '\r' && record->text[i + 1] != '\n')
            fail(BAD_DATA, "%s, line 1: a carriage return that ends no line",
                 t->source.name); /* the whole file may be this one line */
    if (t->header == NULL) {
        t->header = allocate(n);
        memcpy(t->header, record->text, t->header_n = n);
        t->header_first = record->first;
        return;
    }
    const char *header = t->header + t->header_first; /* line ends and byte order marks may differ */
    size_t header_n = t->header_n - t->header_first;
    while (header_n > 0 && (header[header_n - 1] == '\n' || header[header_n - 1] == '\r'))
        header_n--;
    if (header_n != record->n - record->first || memcmp(header, record->text + record->first, header_n) != 0)
        fail(BAD_DATA, "%s, line 1: its header is not that of the first file", t->source.name);
}

/* ---- Pieces, in order ---- */

typedef struct {
    table *table;
    void *own; /* the command's */
    table_step *work, *finish;
    piece piece;
    const char *name; /* of the file */
    bool begins;      /* a file */
    size_t header_n;  /* in the piece */
    uint32_t *marks;
    row *row;
    size_t row_capacity, mark_capacity;
    rows rows;
    uint64_t lines;
    const char *trouble; /* with the row at trouble_at, that ends it all; or NULL */
    size_t trouble_at;
} worker;

/* Looks at the first line. False: it must be read again, with another separator. */
static bool begin_file(table *t, worker *w) {
    size_t end;
    csv_record record = csv_first(w->piece.text, w->piece.n, w->piece.first, t->source.separator, &end);
    if (t->separator == 0) {
        t->separator = csv_count(&record, '\t') > csv_count(&record, ',') ? '\t' : ',';
        if (t->separator != t->source.separator) {
            source_again(&t->source, &w->piece, t->separator);
            return false;
        }
    }
    if (end == 0)
        fail(BAD_DATA, "%s, line 1: %s", t->source.name, unclosed);
    if (start(t, &record)) {
        keep_header(t, &record, end);
        w->header_n = end;
    }
    t->at_start = false;
    return true;
}

/* What was wrong with the file, after all that came before it */
static _Noreturn void fail_source(crew *c, const table *t) {
    int error = errno;
    crew_await(c);
    if (error != 0)
        fail(BAD_IO, "%s: %s", t->source.name, strerror(error));
    fail(BAD_DATA, "%s, line %llu: a line longer than %zu MiB (a quote that is not closed?)", t->source.name,
         (unsigned long long)(t->at_start ? 1 : t->line), CSV_RECORD_MAX >> 20);
}

static bool take(crew *c, void *argument) {
    worker *w = argument;
    table *t = w->table;
    while (t->options.files[t->file] != NULL) {
        source_result result = source_next(&t->source, &w->piece);
        if (result == SOURCE_FAILED)
            fail_source(c, t);
        if (result == SOURCE_ENDED) {
            crew_await(c); /* the next file may not be there */
            source_close(&t->source);
            if (t->options.files[++t->file] != NULL)
                open_file(t);
            continue;
        }
        w->name = t->source.name;
        w->begins = t->at_start;
        w->header_n = 0;
        if (!t->at_start || begin_file(t, w))
            return true;
    }
    return false;
}

/* ---- Rows of a piece, at the same time as others ---- */

/* The number from text on that ends at `end`. What can be read beyond is more than the longest of the common ones. */
static inline bool parse(double *value, const char *text, const char *end) {
    char plain[130];
    if (number_scan(value, text, end + CSV_PADDING) == end)
        return true;
    if (*text != '"')
        return number_read(value, text, (size_t)(end - text));
    return number_read(value, plain, csv_unquote(plain, sizeof plain, text, (size_t)(end - text)));
}

/* What is wrong with the field of a row, and its value; NULL: nothing */
static const char *read_value(const table_options *options, const row *r, const char *text, double *value) {
    const podium_spec *range = options->range;
    if (r->from == r->to)
        return "empty";
    if (!parse(value, text + r->from, text + r->to))
        return not_a_number;
    if (range == NULL && options->codes && !(*value >= 0 && *value == floor(*value)))
        return "not a code: a whole number";
    if (range != NULL && options->invalid != INVALID_CLAMP && (*value < range->min || *value > range->max))
        return "out of range"; /* privatize clamps, as it does for every value */
    return NULL;
}

/* Where a field stands: between the marks before it and after it. A carriage return before the line end is no part. */
static void set_field(uint32_t *from, uint32_t *to, const row *r, const char *text, const uint32_t *marks,
                      size_t column) {
    *from = column == 0 ? *from : marks[column - 1] + 1;
    *to = marks[column];
    if (*to + 1 == r->end && *to > *from && text[*to - 1] == '\r')
        --*to;
}

/* A row from its line, which has so many fields */
static const char *read_row(const table *t, row *r, double *value, const char *text, const uint32_t *marks,
                            size_t fields, uint32_t first) {
    r->from = r->by_from = first;
    if (fields <= t->column || (t->options.by != NULL && fields <= t->by))
        return "the line has too few columns";
    if (fields > t->fields)
        return "the line has too many columns"; /* of 34,5 the 5 would be printed */
    set_field(&r->from, &r->to, r, text, marks, t->column);
    if (t->options.by != NULL)
        set_field(&r->by_from, &r->by_to, r, text, marks, t->by);
    return read_value(&t->options, r, text, value);
}

static size_t find_marks(worker *w, size_t from) {
    if (w->piece.n + 1 > w->mark_capacity) {
        w->mark_capacity = w->piece.n + 1;
        w->marks = reallocate(w->marks, w->mark_capacity * sizeof *w->marks);
    }
    size_t marks = csv_marks(w->marks, w->piece.text, from, w->piece.n, w->table->separator, w->piece.has_quotes);
    if (marks > w->row_capacity) { /* a row has a mark at least */
        w->row_capacity = marks;
        w->row = reallocate(w->row, marks * sizeof *w->row);
        w->rows.value = reallocate(w->rows.value, marks * sizeof *w->rows.value);
    }
    return marks;
}

/* The mark of a line's end, from its first mark on; marks, where the text ends inside quotes */
static inline size_t line_mark(const worker *w, size_t from, size_t marks) {
    while (from < marks && w->piece.text[w->marks[from]] != '\n')
        from++;
    return from;
}

static void read_rows(worker *w) {
    const table *t = w->table;
    const char *text = w->piece.text;
    const size_t marks = find_marks(w, w->header_n > 0 ? w->header_n : w->piece.first);
    size_t count = 0, lines = 0, last;
    uint32_t start = (uint32_t)w->header_n, first = w->header_n > 0 ? start : (uint32_t)w->piece.first;
    w->trouble = NULL;
    for (size_t mark = 0; w->trouble == NULL && (last = line_mark(w, mark, marks)) < marks; mark = last + 1, lines++) {
        row *r = &w->row[count];
        r->start = start;
        r->end = start = w->marks[last] + 1;
        const char *trouble = read_row(t, r, &w->rows.value[count], text, w->marks + mark, last - mark + 1, first);
        first = start;
        count += trouble == NULL;
        if (trouble != NULL && t->options.invalid != INVALID_DROP) {
            w->trouble = trouble;
            w->trouble_at = r->start;
        }
    }
    if (w->trouble == NULL && start < w->piece.n) {
        w->trouble = unclosed; /* who knows what is in there */
        w->trouble_at = start;
    }
    w->lines = w->piece.has_quotes ? lines_in(text, w->piece.n) : lines + lines_in(text, w->header_n);
    w->rows = (rows){text, w->header_n, w->piece.n, w->row, w->rows.value, count};
}

static void work(void *argument) {
    worker *w = argument;
    read_rows(w);
    w->work(w->own, &w->rows);
}

/* ---- And in order again ---- */

static _Noreturn void fail_row(const worker *w) {
    const table *t = w->table;
    uint64_t line = t->line + lines_in(w->piece.text, w->trouble_at);
    if (w->trouble == unclosed)
        fail(BAD_DATA, "%s, line %llu: %s", t->name, (unsigned long long)line, unclosed);
    bool first = t->rows_given == 0 && line == 1 && w->trouble == not_a_number;
    fail_field(t, line, first ? "not a number (a header? then say --header yes)" : w->trouble);
}

static void finish(void *argument) {
    worker *w = argument;
    table *t = w->table;
    if (w->begins)
        t->line = 1;
    t->name = w->name;
    if (w->trouble != NULL)
        fail_row(w);
    w->finish(w->own, &w->rows);
    t->line += w->lines;
    t->done += w->piece.n;
    t->rows_given += w->rows.count;
    progress_show(t->options.doing, t->done, t->total, t->rows_given);
}

void table_run(table *t, void *own, size_t size, table_step *do_work, table_step *do_finish) {
    static const crew_steps steps = {take, work, finish};
    const unsigned threads = t->threads;
    worker *workers = allocate(threads * sizeof *workers);
    for (unsigned i = 0; i < threads; i++)
        workers[i] = (worker){.table = t, .own = (char *)own + i * size, .work = do_work, .finish = do_finish};
    crew_run(&steps, workers, sizeof *workers, threads);
    for (unsigned i = 0; i < threads; i++) {
        free(workers[i].piece.text);
        free(workers[i].marks);
        free(workers[i].row);
        free(workers[i].rows.value);
    }
    free(workers);
}
