#include "platform.h"
#include "table/aggregate_files.h"
#include "table/number.h"
#include "table/source.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Rows and their text need up to twenty times the memory of the pieces they are read from, which makes 40 MiB. */
#define PIECES_SIZE ((size_t)1 << 21)      /* all threads together */
#define PIECE_SIZE_LEAST ((size_t)1 << 16) /* less is not worth a thread */
#define BYTES_PER_FIELD 8 /* of a piece; more fields at once would need more memory, and be no faster */

struct table {
    table_options options;
    size_t file; /* index in options.files */
    source source;
    bool at_start;     /* of a file, where a header may be */
    bool long_fetched; /* the last piece is long, and work on it may not be done */
    char separator;
    column_set columns; /* known after the first line */
    column by[BY_MAX];
    bool codes; /* the input contains codes */
    bool located;
    char *header;
    size_t header_first, header_n;
    uint64_t total; /* bytes in all files; 0 if unknown */
    unsigned threads;
    /* What finish has reached */
    const char *name;         /* of the file, for messages */
    uint64_t line;            /* the number of the first line of the piece */
    uint64_t done, rows_read; /* bytes, and rows without the dropped ones */
    uint64_t dropped, kept;   /* rows, and fields */
};

/* ---- Options ---- */

static bool read_separator(void *separator, const char *text) {
    bool tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
    if (!tab && (strlen(text) != 1 || strchr("\"\n\r+-.0123456789eE", *text) != NULL))
        return false;
    *(char *)separator = tab ? '\t' : *text;
    return true;
}

static const char *const separator_words[] = {"tab", NULL};
static const char *const header_words[] = {"yes", "no", "auto", NULL};
static const char *const invalid_words[] = {"error", "drop", NULL};

#define ROW_COLUMN                                                                                                     \
    .name = "column", .argument = "NAME|NUMBER", TO_TEXTS(table_options, columns),                                     \
    .help = "the column to read; not needed if there is only one"

const option column_option[] = {{ROW_COLUMN}, {.name = NULL}};
const option columns_option[] = {{ROW_COLUMN, .repeatable = true}, {.name = NULL}};

/* The list is written as a record of CSV, so that a name may contain a comma if it is quoted. */
static bool read_by(void *value, const char *text) {
    by_list *list = value;
    const csv_record record = {text, 0, strlen(text)};
    for (csv_field field = csv_begin(&record); csv_next(&field, &record, ',');) {
        const size_t n = field.to - field.from;
        if (list->count == BY_MAX || n == 0)
            return false;
        char *name = allocate(n + 1);
        name[csv_unquote(name, n, text + field.from, n)] = '\0';
        list->of[list->count++] = name;
    }
    return true;
}

const option by_option[] = {
    {.name = "by",
     .argument = "COLUMN[,COLUMN...]",
     TO_OTHER(table_options, by, by_list, read_by),
     .takes = "takes at most 8 names or numbers of columns, separated by commas",
     .help = "keep the groups apart that these columns name"},
    {.name = NULL},
};

const option table_form[] = {
    {.name = "separator",
     .argument = "C",
     TO_OTHER(table_options, separator, char, read_separator),
     .takes = "takes tab, or one character that cannot be part of a number",
     .words = separator_words,
     .help = "one character, or tab; guessed from the first line if not given"},
    {.name = "header",
     TO_CHOICE(table_options, header),
     .words = header_words,
     .help =
         "auto (default): the first line is a header if it has the name that --column gives, or if its field in that "
         "column reads like a name"},
    {.name = NULL},
};

const option report_options[] = {
    {.name = "invalid",
     TO_CHOICE(table_options, invalid),
     .words = invalid_words,
     .help = "fields that are not numbers: stop (default), or drop the row. Reports outside the support are always "
             "refused and counted"},
    {.name = "codes",
     TO_FLAG(table_options, codes),
     .help = "the column contains codes, as privatize --codes writes them"},
    ROW_THREADS,
    {.name = "force",
     TO_FLAG(table_options, force),
     .help = "accept rows even if they cannot be reports of this collection"},
    {.name = NULL},
};

/* ---- Files ---- */

static void open_file(table *t) {
    size_t piece_size = PIECE_SIZE;
    while (t->threads * piece_size > PIECES_SIZE)
        piece_size /= 2;
    source_open(&t->source, t->options.files[t->file], t->separator == 0 ? ',' : t->separator, piece_size);
    t->at_start = true;
}

/* Returns the size of all files in bytes, or 0 if it cannot be known. */
static uint64_t total_size(char **files) {
    uint64_t total = 0;
    for (; *files != NULL; files++) {
        const file_status status = file_look(*files);
        if (status.kind != FILE_REGULAR)
            return 0;
        total += status.size;
    }
    return total;
}

static unsigned threads_for(unsigned asked, uint64_t total) {
    uint64_t threads = asked > 0 ? asked : processor_count();
    uint64_t pieces = total == 0 ? CREW_MAX : total / PIECE_SIZE_LEAST + 1; /* so that none is idle */
    threads = threads < pieces ? threads : pieces;
    return threads < CREW_MAX ? (unsigned)threads : CREW_MAX;
}

static void set_columns(table *t) {
    const table_options *options = &t->options;
    size_t count = options->columns.count == 0 ? 1 : options->columns.count;
    t->columns = (column_set){.column = allocate(count * sizeof *t->columns.column),
                              .count = count,
                              .by = t->by,
                              .by_count = options->by.count,
                              .header = options->header,
                              .private = options->private};
    for (size_t b = 0; b < options->by.count; b++)
        t->by[b] = (column){.asked = options->by.of[b]};
    bool any = options->range == NULL || options->invalid == INVALID_CLAMP; /* clamping is left to the library */
    for (size_t c = 0; c < count; c++)
        t->columns.column[c] = (column){.asked = options->columns.count == 0 ? NULL : options->columns.of[c],
                                        .min = any ? -INFINITY : options->range[c]->min,
                                        .max = any ? INFINITY : options->range[c]->max,
                                        .option = c};
    t->codes = options->codes && !options->private;
}

table *table_open(const table_options *options) {
    table *t = allocate(sizeof *t);
    *t = (table){.options = *options, .separator = options->separator};
    t->options.files = input_files(options->files);
    t->total = total_size(t->options.files);
    t->threads = threads_for(options->threads, t->total);
    set_columns(t);
    open_file(t);
    return t;
}

void table_close(table *t) {
    progress_clear();
    source_close(&t->source);
    source_free(&t->source);
    free(t->columns.column);
    free(t->header);
    for (size_t b = 0; b < t->options.by.count; b++)
        free(t->options.by.of[b]);
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

static const char not_a_number[] = "not a number", unclosed[] = "a quote is never closed";

static uint64_t lines_in(const char *text, size_t n) {
    uint64_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}

void table_fail(const table *t, const rows *all, const row *r, const char *what) {
    fail(BAD_DATA, "%s, line %llu: %s", t->name, (unsigned long long)(t->line + lines_in(all->text, r->start)), what);
}

/* ---- The first line ---- */

static bool begins_with(const csv_record *record, const char *prefix) {
    return record->n >= strlen(prefix) && memcmp(record->text, prefix, strlen(prefix)) == 0;
}

/* Locates the columns in the first line of the first file; the other files must be like it. Returns whether the line is
   a header. */
static bool locate(table *t, const csv_record *record) {
    if (begins_with(record, PODIUM_AGGREGATE_PREFIX) || begins_with(record, GROUP_PREFIX))
        fail(BAD_DATA, "%s, line 1: this is an aggregate, but %s are expected here", t->source.name,
             t->options.private ? "values" : "reports");
    if (t->located)
        return t->options.header == HEADER_YES || t->header != NULL;
    t->located = true;
    return columns_locate(&t->columns, record, t->separator, t->source.name);
}

/* Keeps the header of the first file, which has n bytes with its line end, and compares those of the others with it. */
static void keep_header(table *t, const csv_record *record, size_t n) {
    for (size_t i = 0; i < record->n; i++)
        if (record->text[i] == '\r' && record->text[i + 1] != '\n')
            fail(BAD_DATA, "%s, line 1: a carriage return without a line feed after it",
                 t->source.name); /* otherwise the whole file may be printed as the header */
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
        fail(BAD_DATA, "%s, line 1: the header differs from that of the first file", t->source.name);
}

/* ---- Pieces, in order ---- */

typedef struct {
    table *table;
    void *own; /* the memory of the command for this thread */
    table_step *work, *finish;
    piece piece;
    const char *name; /* of the file */
    bool begins;      /* this is the first piece of a file */
    size_t header_n;  /* length of the header in this piece */
    uint32_t *marks;
    size_t mark, mark_count, mark_capacity; /* marks before `mark` are done */
    row *row;
    span *field, *by;
    double *value;
    size_t row_capacity;
    rows rows;
    uint64_t rows_read, dropped, kept; /* in this piece: rows, rows, fields */
    const char *trouble;               /* what is wrong with the row at trouble_at and ends the program; or NULL */
    size_t trouble_at;
    const column *trouble_column; /* NULL if the whole line is wrong */
} worker;

/* Examines the first line of a file. Returns false if it must be read again with another separator. */
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
    if (locate(t, &record)) {
        keep_header(t, &record, end);
        w->header_n = end;
    }
    t->at_start = false;
    return true;
}

/* Says why the file cannot be read, after everything before that is finished. */
static _Noreturn void fail_source(crew *c, const table *t) {
    int error = errno;
    crew_await(c);
    if (error != 0)
        fail(BAD_IO, "%s: %s", t->source.name, strerror(error));
    fail(BAD_DATA, "%s, line %llu: this line is longer than %zu MiB; perhaps a quote is not closed", t->source.name,
         (unsigned long long)(t->at_start ? 1 : t->line), CSV_RECORD_MAX >> 20);
}

static bool fetch(crew *c, void *argument) {
    worker *w = argument;
    table *t = w->table;
    if (t->long_fetched)
        crew_await(c); /* there is memory for one long piece only */
    t->long_fetched = false;
    while (t->options.files[t->file] != NULL) {
        source_result result = source_next(&t->source, &w->piece);
        if (result == SOURCE_FAILED)
            fail_source(c, t);
        if (result == SOURCE_ENDED) {
            crew_await(c); /* because opening the next file may fail */
            source_close(&t->source);
            if (t->options.files[++t->file] != NULL)
                open_file(t);
            continue;
        }
        w->name = t->source.name;
        w->begins = t->at_start;
        w->header_n = 0;
        if (t->at_start && !begin_file(t, w))
            continue;
        if (piece_is_long(&w->piece))
            crew_await(c);
        t->long_fetched = piece_is_long(&w->piece);
        return true;
    }
    return false;
}

/* ---- Rows of a piece, in parallel ---- */

/* Reads the number from text to end. The padding after the text has room for the longest number that number_scan reads.
 */
static inline bool parse(double *value, const char *text, const char *end) {
    char plain[130];
    if (number_scan(value, text, end + CSV_PADDING) == end)
        return true;
    if (*text != '"')
        return number_read(value, text, (size_t)(end - text));
    return number_read(value, plain, csv_unquote(plain, sizeof plain, text, (size_t)(end - text)));
}

/* Reads the value of a field. Returns what is wrong with it, or NULL. */
static inline const char *read_value(const table *t, const column *c, span where, const char *text, double *value) {
    if (where.from == where.to)
        return "empty";
    if (!parse(value, text + where.from, text + where.to))
        return not_a_number;
    if (t->codes && !(*value >= 0 && *value == floor(*value)))
        return "not a code, which is a whole number";
    return *value < c->min || *value > c->max ? "out of range" : NULL;
}

/* Is the field empty, NA or null? Case, quotes and blanks around the word do not matter. */
static bool is_missing(const char *text, size_t n) {
    char plain[64];
    n = csv_unquote(plain, sizeof plain, text, n);
    if (n == sizeof plain)
        return false;
    const char *word = without_blanks(plain, &n);
    return n == 0 || (n == 2 && strncasecmp(word, "na", n) == 0) || (n == 4 && strncasecmp(word, "null", n) == 0);
}

/* Like read_value, but under --invalid keep a missing value is not an error: the span is marked as missing and the
   value is a placeholder. */
static inline const char *read_field(worker *w, const column *c, span *where, double *value) {
    const char *text = w->piece.text, *trouble = read_value(w->table, c, *where, text, value);
    if (trouble == NULL)
        return NULL;
    if (w->table->options.invalid != INVALID_KEEP || !is_missing(text + where->from, where->to - where->from)) {
        w->trouble_column = c;
        return trouble;
    }
    *where = (span){1, 0};
    *value = c->min;
    w->rows.kept++;
    return NULL;
}

static inline const char *check_fields(worker *w, size_t fields) {
    const column_set *all = &w->table->columns;
    if (fields >= all->least && fields <= all->fields)
        return NULL;
    w->trouble_column = NULL;
    return fields < all->least ? "the line has too few columns"
                               : "the line has too many columns"; /* if 34,5 is one value, its 5 would be printed */
}

/* Drops an invalid row, or keeps note of it so that finish ends the program. Returns whether reading goes on. */
static bool reject(worker *w, const row *r, const char *trouble) {
    if (w->table->options.invalid == INVALID_DROP) {
        w->dropped++;
        return true;
    }
    w->trouble = trouble;
    w->trouble_at = r->start;
    return false;
}

/* A field lies between two marks. A carriage return before the line end does not belong to it. */
static inline span field_at(const row *r, const char *text, const uint32_t *marks, size_t field, uint32_t first) {
    span at = {field == 0 ? first : marks[field - 1] + 1, marks[field]};
    if (at.to + 1 == r->end && at.to > at.from && text[at.to - 1] == '\r')
        at.to--;
    return at;
}

/* Reads a row of `count` columns. Its line has `fields` marks and fields, and the first field begins at `first`.
   Returns what is wrong with the row, or NULL. */
static inline const char *read_row(worker *w, size_t index, const uint32_t *marks, size_t fields, uint32_t first,
                                   size_t count) {
    const column_set *all = &w->table->columns;
    row *r = &w->row[index];
    span *where = &w->field[index * count];
    const char *trouble = check_fields(w, fields);
    for (size_t c = 0; c < count && trouble == NULL; c++) {
        where[c] = field_at(r, w->piece.text, marks, all->column[c].field, first);
        trouble = read_field(w, &all->column[c], &where[c], &w->value[c * w->row_capacity + index]);
    }
    for (size_t b = 0; b < all->by_count && trouble == NULL; b++)
        w->by[index * all->by_count + b] = field_at(r, w->piece.text, marks, all->by[b].field, first);
    return trouble;
}

/* Returns the index of the mark at the end of a line whose first mark is `from`; `marks` if the text ends before. */
static inline size_t line_mark(const worker *w, size_t from, size_t marks) {
    while (from < marks && w->piece.text[w->marks[from]] != '\n')
        from++;
    return from;
}

/* Reads the rows whose lines are complete among the marks, as many as there is room for. Returns where the next line
   begins. `count` is the number of columns, passed so that the compiler can unroll the case of 1. */
static inline __attribute__((always_inline)) size_t read_lines(worker *w, size_t at, size_t first, size_t count) {
    size_t index = w->rows.count, mark = w->mark, last;
    while (index < w->row_capacity && (last = line_mark(w, mark, w->mark_count)) < w->mark_count) {
        row *r = &w->row[index];
        r->start = (uint32_t)at;
        r->end = w->marks[last] + 1;
        at = r->end;
        const char *trouble = read_row(w, index, w->marks + mark, last - mark + 1, (uint32_t)first, count);
        if (trouble == NULL)
            index++;
        else if (!reject(w, r, trouble))
            break;
        first = at;
        mark = last + 1;
    }
    w->rows.count = index;
    w->mark = mark;
    return at;
}

/* Reads a line that is longer than the window of marks, field by field, so that memory does not grow with the line.
   Returns where the next line begins. */
static size_t read_long_line(worker *w, size_t at, size_t first) {
    const column_set *all = &w->table->columns;
    const size_t index = w->rows.count;
    size_t end, fields = 0, c = 0;
    const csv_record line = csv_first(w->piece.text, w->piece.n, first, w->table->separator, &end);
    row *r = &w->row[index];
    span *where = &w->field[index * all->count];
    if (end == 0) { /* an error even under --invalid drop, because many rows may be inside the quote */
        w->trouble = unclosed;
        w->trouble_at = at;
        w->trouble_column = NULL;
        return w->piece.n;
    }
    *r = (row){.start = (uint32_t)at, .end = (uint32_t)end};
    for (csv_field f = csv_begin(&line); csv_next(&f, &line, w->table->separator); fields++) {
        if (c < all->count && fields == all->column[c].field)
            where[c++] = (span){(uint32_t)f.from, (uint32_t)f.to};
        for (size_t b = 0; b < all->by_count; b++)
            if (fields == all->by[b].field)
                w->by[index * all->by_count + b] = (span){(uint32_t)f.from, (uint32_t)f.to};
    }
    const char *trouble = check_fields(w, fields);
    for (c = 0; c < all->count && trouble == NULL; c++)
        trouble = read_field(w, &all->column[c], &where[c], &w->value[c * w->row_capacity + index]);
    if (trouble == NULL)
        w->rows.count++;
    else
        reject(w, r, trouble);
    return end;
}

/* Makes room for `count` rows. Existing rows are kept only if there is one column, as with --by; with several columns
   their values would have to move. */
static void reserve_rows(worker *w, size_t count) {
    const size_t fields = count * w->table->columns.count;
    if (count <= w->row_capacity)
        return;
    w->row_capacity = count;
    w->row = reallocate(w->row, count * sizeof *w->row);
    w->field = reallocate(w->field, fields * sizeof *w->field);
    w->value = reallocate(w->value, fields * sizeof *w->value);
    if (w->table->columns.by_count > 0)
        w->by = reallocate(w->by, count * w->table->columns.by_count * sizeof *w->by);
}

/* Finds the marks of a window, which covers most pieces completely, and makes room for their rows; a row has at least
   one mark per column. With --by all rows of a piece are kept until finish, because groups are numbered in the order of
   the rows; otherwise rows are handed on in parts. */
static void find_marks(worker *w, size_t from) {
    const column_set *all = &w->table->columns;
    const size_t window = 2 * w->table->source.piece_size, left = w->piece.n - from, n = left < window ? left : window;
    if (n + 1 > w->mark_capacity) {
        w->mark_capacity = n + 1;
        w->marks = reallocate(w->marks, w->mark_capacity * sizeof *w->marks);
    }
    w->mark = 0;
    w->mark_count = csv_marks(w->marks, w->piece.text, from, from + n, w->table->separator, w->piece.has_quotes);
    size_t most = w->mark_count / all->count + 1, part = w->table->source.piece_size / BYTES_PER_FIELD / all->count + 1;
    reserve_rows(w, all->by_count > 0 ? w->rows.count + most : most < part ? most : part);
}

/* Reads some more rows. Returns where the next line begins. */
static size_t read_rows(worker *w, size_t at) {
    const size_t first = at == 0 ? w->piece.first : at, count = w->table->columns.count;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t end = count == 1 ? read_lines(w, at, first, 1) : read_lines(w, at, first, count);
        if (end > at)
            return end;
        if (attempt == 0)
            find_marks(w, first); /* because no complete line was left */
    }
    return read_long_line(w, at, first);
}

static bool has_more(const worker *w, size_t at) {
    return w->trouble == NULL && at < w->piece.n;
}

static void work(void *argument) {
    worker *w = argument;
    const column_set *all = &w->table->columns;
    const rows none = {
        .text = w->piece.text, .column = all->column, .columns = all->count, .alone = piece_is_long(&w->piece)};
    size_t at = w->header_n;
    w->rows_read = w->dropped = w->kept = 0;
    w->mark = w->mark_count = 0;
    w->trouble = NULL;
    w->rows = none;
    while (has_more(w, at)) {
        w->rows = none;
        w->rows.first = at;
        do
            at = read_rows(w, at);
        while (all->by_count > 0 && has_more(w, at));
        w->rows.n = at;
        w->rows.row = w->row;
        w->rows.field = w->field;
        w->rows.by = w->by;
        w->rows.by_count = all->by_count;
        w->rows.value = w->value;
        w->rows.stride = w->row_capacity;
        w->rows_read += w->rows.count;
        w->kept += w->rows.kept;
        w->work(w->own, &w->rows);
    }
}

/* ---- Finishing pieces, in order ---- */

static _Noreturn void fail_row(const worker *w) {
    const table *t = w->table;
    unsigned long long line = t->line + lines_in(w->piece.text, w->trouble_at);
    char label[32];
    if (w->trouble_column == NULL)
        fail(BAD_DATA, "%s, line %llu: %s", t->name, line, w->trouble);
    bool first = t->rows_read == 0 && line == 1 && w->trouble == not_a_number;
    fail(BAD_DATA, "%s, line %llu, column %s: %s", t->name, line, column_label(w->trouble_column, label),
         first ? "not a number (if this line is a header, use --header yes)" : w->trouble);
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
    t->line += w->piece.has_quotes ? lines_in(w->piece.text, w->piece.n)
                                   : lines_in(w->piece.text, w->header_n) + w->rows_read + w->dropped;
    t->done += w->piece.n;
    t->rows_read += w->rows_read;
    t->dropped += w->dropped;
    t->kept += w->kept;
    progress_show(t->options.doing, t->done, t->total, t->rows_read);
}

static void say_counts(const table *t) {
    unsigned long long dropped = t->dropped, kept = t->kept;
    progress_clear();
    if (dropped > 0)
        say("--invalid drop left out %llu of %llu rows", dropped, dropped + (unsigned long long)t->rows_read);
    if (kept > 0)
        say("--invalid keep left %llu missing value%s unchanged", kept, kept == 1 ? "" : "s");
}

void table_run(table *t, void *own, size_t size, table_step *do_work, table_step *do_finish) {
    static const crew_steps steps = {fetch, work, finish};
    const unsigned threads = t->threads;
    worker *workers = allocate(threads * sizeof *workers);
    for (unsigned i = 0; i < threads; i++)
        workers[i] = (worker){.table = t, .own = (char *)own + i * size, .work = do_work, .finish = do_finish};
    crew_run(&steps, workers, sizeof *workers, threads);
    for (unsigned i = 0; i < threads; i++) {
        free(workers[i].piece.own);
        free(workers[i].marks);
        free(workers[i].row);
        free(workers[i].field);
        free(workers[i].by);
        free(workers[i].value);
    }
    free(workers);
    say_counts(t);
}
