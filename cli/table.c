#include "table.h"
#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct table {
    table_options options;
    size_t file; /* index in options.files */
    int descriptor;
    const char *name; /* of the file, for messages */
    csv_reader reader;
    bool at_start; /* of a file: a header may come */
    char separator;
    size_t column, by, fields; /* field numbers from 0, and how many there are: known after the first line */
    bool located;
    char *header;
    size_t header_first, header_n;
    uint64_t done, total, rows; /* bytes, and rows given */
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
    default:
        return false;
    }
}

const char *table_arguments(int argc, char **argv, collection_options *which, table_options *options) {
    static const struct option known[] = {
        COLLECTION_OPTIONS, TABLE_OPTIONS, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    const char *path = NULL;
    for (int option; (option = getopt_long(argc, argv, "ho:", known, NULL)) != -1;) {
        if (option == 'o')
            path = optarg;
        else if (!table_option(options, option, optarg))
            collection_option(which, option, optarg);
    }
    options->files = argv + optind;
    return path;
}

/* ---- Files ---- */

static char *standard_input[] = {"-", NULL};

static void open_file(table *t) {
    const char *path = t->options.files[t->file];
    bool standard = strcmp(path, "-") == 0;
    struct stat status;
    t->name = standard ? "standard input" : path;
    t->descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY);
    if (t->descriptor < 0)
        fail(BAD_IO, "%s: %s", t->name, strerror(errno));
    if (fstat(t->descriptor, &status) == 0 && S_ISDIR(status.st_mode))
        fail(BAD_IO, "%s: %s", t->name, strerror(EISDIR));
    if (!csv_init(&t->reader, t->separator == 0 ? ',' : t->separator))
        fail(BAD_IO, "out of memory");
    t->at_start = true;
}

static void close_file(table *t) {
    if (t->descriptor > STDIN_FILENO)
        close(t->descriptor);
    t->descriptor = -1;
    csv_free(&t->reader);
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

table *table_open(const table_options *options) {
    table *t = allocate(sizeof *t);
    *t = (table){.options = *options, .separator = options->separator, .descriptor = -1};
    if (t->options.files[0] == NULL)
        t->options.files = standard_input;
    t->total = total_size(t->options.files);
    open_file(t);
    return t;
}

void table_close(table *t) {
    progress_clear();
    close_file(t);
    free(t->header);
    free(t);
}

const char *table_header(const table *t, size_t *n) {
    *n = t->header_n;
    return t->header;
}

/* ---- Messages: file, line, column, never the value ---- */

static _Noreturn void fail_row(const table *t, const csv_record *record, const char *what) {
    if (t->options.column != NULL)
        fail(BAD_DATA, "%s, line %llu, column %s: %s", t->name, (unsigned long long)record->line, t->options.column,
             what);
    fail(BAD_DATA, "%s, line %llu, column %zu: %s", t->name, (unsigned long long)record->line, t->column + 1, what);
}

/* ---- The first line ---- */

/* Of a record that was read with commas: with tabs, it may end elsewhere. */
static void find_separator(table *t, const csv_record *record) {
    t->separator = csv_count(record, '\t') > csv_count(record, ',') ? '\t' : ',';
    csv_again(&t->reader, record, t->separator);
}

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
    fail(BAD_DATA, "%s, line %llu: no column is called '%s' (there are %zu)", t->name, (unsigned long long)record->line,
         column, fields);
}

static bool parse(const csv_record *record, csv_field field, double *value) {
    char plain[130];
    size_t n = field.to - field.from;
    if (n > 0 && record->text[field.from] == '"') {
        n = csv_unquote(plain, sizeof plain, record->text + field.from, n);
        return number_read(value, plain, n);
    }
    return number_read(value, record->text + field.from, n);
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
        fail(BAD_DATA, "%s, line %llu: a state, where reports are read", t->name, (unsigned long long)record->line);
    bool header = false, known = t->located; /* as the first file, so the others */
    if (!t->located) {
        if (t->options.column == NULL && csv_count(record, t->separator) != 1)
            fail(BAD_USAGE, "%s has %zu columns: say which with --column NAME or --column NUMBER", t->name,
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

static void keep_header(table *t, const csv_record *record) {
    for (size_t i = 0; i < record->content; i++)
        if (record->text[i] == '\r' && record->text[i + 1] != '\n')
            fail(BAD_DATA, "%s, line %llu: a carriage return that ends no line", t->name,
                 (unsigned long long)record->line); /* the whole file may be this one line */
    if (t->header == NULL) {
        t->header = allocate(record->n);
        memcpy(t->header, record->text, t->header_n = record->n);
        t->header_first = record->first;
        return;
    }
    const char *header = t->header + t->header_first; /* line ends and byte order marks may differ */
    size_t n = t->header_n - t->header_first;
    while (n > 0 && (header[n - 1] == '\n' || header[n - 1] == '\r'))
        n--;
    if (n != record->content - record->first || memcmp(header, record->text + record->first, n) != 0)
        fail(BAD_DATA, "%s, line %llu: its header is not that of the first file", t->name,
             (unsigned long long)record->line);
}

/* ---- Rows ---- */

/* A row from a record; false where it is to be left out. */
static bool take(table *t, const csv_record *record, row *r) {
    const podium_spec *range = t->options.range;
    const char *trouble = NULL;
    r->record = *record;
    if (!csv_find(&r->field, record, t->separator, t->column) ||
        (t->options.by != NULL && !csv_find(&r->by, record, t->separator, t->by)))
        trouble = "the line has too few columns";
    else if (csv_count(record, t->separator) > t->fields)
        trouble = "the line has too many columns"; /* of 34,5 the 5 would be printed */
    else if (r->field.from == r->field.to)
        trouble = "empty";
    else if (!parse(record, r->field, &r->value))
        trouble = t->rows == 0 && record->line == 1 ? "not a number (a header? then say --header yes)" : "not a number";
    else if (range == NULL && t->options.codes && !(r->value >= 0 && r->value == floor(r->value)))
        trouble = "not a code: a whole number";
    else if (range != NULL && (r->value < range->min || r->value > range->max)) {
        if (t->options.invalid == INVALID_CLAMP)
            return true; /* privatize clamps, as it does for every value */
        trouble = "out of range";
    }
    if (trouble == NULL)
        return true;
    if (t->options.invalid != INVALID_DROP)
        fail_row(t, record, trouble);
    return false;
}

/* Waits for input. */
static void refill(table *t) {
    size_t room;
    char *to = csv_room(&t->reader, &room);
    if (to == NULL)
        fail(BAD_DATA, "%s, line %llu: a line longer than %zu MiB (a quote that is not closed?)", t->name,
             (unsigned long long)t->reader.line, CSV_RECORD_MAX >> 20);
    ssize_t got;
    do
        got = input_read(t->descriptor, to, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fail(BAD_IO, "%s: %s", t->name, strerror(errno));
    csv_feed(&t->reader, (size_t)got);
    t->done += (uint64_t)got;
    progress_show(t->options.doing, t->done, t->total, t->rows);
}

static bool next_file(table *t) {
    close_file(t);
    t->file++;
    if (t->options.files[t->file] == NULL)
        return false;
    open_file(t);
    return true;
}

size_t table_rows(table *t, row *rows, size_t most) {
    size_t count = 0;
    while (count < most && t->descriptor >= 0) {
        csv_record record;
        if (csv_next(&t->reader, &record)) {
            if (t->separator == 0) {
                find_separator(t, &record);
                continue;
            }
            if (record.unclosed)
                fail(BAD_DATA, "%s, line %llu: a quote is not closed before the end", t->name,
                     (unsigned long long)record.line);
            bool header = t->at_start && start(t, &record);
            t->at_start = false;
            if (header)
                keep_header(t, &record);
            else
                count += take(t, &record, &rows[count]);
        } else if (count > 0) {
            break; /* what is complete first, then wait for more */
        } else if (t->reader.finished) {
            if (!next_file(t))
                break;
        } else {
            refill(t);
        }
    }
    t->rows += count;
    return count;
}
