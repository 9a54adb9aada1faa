#include "table.h"

#include <errno.h>
#include <fcntl.h>
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
    size_t column, by; /* field numbers from 0, known after the first line */
    bool located;
    char *header;
    size_t header_n;
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
    default:
        return false;
    }
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

/* More tabs than commas outside quotes: a TSV. False where the first line is not complete yet. */
static bool find_separator(table *t) {
    const char *text = t->reader.buffer + t->reader.start;
    size_t n = t->reader.end - t->reader.start, tabs = 0, commas = 0;
    bool quoted = false;
    for (size_t i = 0; i < n && (quoted || text[i] != '\n'); i++) {
        quoted ^= text[i] == '"';
        tabs += !quoted && text[i] == '\t';
        commas += !quoted && text[i] == ',';
    }
    if (memchr(text, '\n', n) == NULL && !t->reader.finished)
        return false;
    t->separator = t->reader.separator = tabs > commas ? '\t' : ',';
    return true;
}

/* A byte order mark belongs to no name. */
static size_t mark_length(const csv_record *record) {
    return record->line == 1 && record->content >= 3 && memcmp(record->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool find_field(const table *t, const csv_record *record, size_t index, csv_field *field) {
    if (!csv_find(field, record, t->separator, index))
        return false;
    if (index == 0)
        field->from += mark_length(record);
    return true;
}

static bool names_field(const csv_record *record, csv_field field, const char *name) {
    char plain[1024];
    return csv_unquote(plain, sizeof plain, record->text + field.from, field.to - field.from) == strlen(name) &&
           memcmp(plain, name, strlen(name)) == 0;
}

/* A column's number: a number from 1, or a name in the header. Returns whether the header was needed. */
static bool locate(const table *t, const csv_record *record, const char *column, size_t *index) {
    size_t fields = csv_count(record, t->separator);
    csv_field field;
    double number;
    if (number_read(&number, column, strlen(column))) {
        if (number < 1 || number > (double)fields || number != (double)(size_t)number)
            fail(BAD_DATA, "%s, line %llu: there is no column %s, only %zu", t->name, (unsigned long long)record->line,
                 column, fields);
        *index = (size_t)number - 1;
        return false;
    }
    for (*index = 0; t->options.header != 1 && find_field(t, record, *index, &field); (*index)++)
        if (names_field(record, field, column))
            return true;
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

static void locate_columns(table *t, const csv_record *record, bool *named) {
    if (t->options.column == NULL && csv_count(record, t->separator) != 1)
        fail(BAD_USAGE, "%s has %zu columns: say which with --column NAME or --column NUMBER", t->name,
             csv_count(record, t->separator));
    if (t->options.column != NULL)
        *named |= locate(t, record, t->options.column, &t->column);
    if (t->options.by != NULL)
        *named |= locate(t, record, t->options.by, &t->by);
    t->located = true;
}

/* A header is passed on as it is, so nothing that might be a value may be taken for one: a name begins with a letter.
 */
static bool looks_like_name(const table *t, const csv_record *record) {
    csv_field field;
    char plain[8] = "";
    if (!find_field(t, record, t->column, &field))
        return false;
    csv_unquote(plain, sizeof plain - 1, record->text + field.from, field.to - field.from);
    unsigned char first = (unsigned char)plain[strspn(plain, " ")];
    return first == '_' || first >= 128 || ((first | 32) >= 'a' && (first | 32) <= 'z');
}

/* The first line of a file: finds the columns, and says whether it is a header. Later files are like the first. */
static bool is_header(table *t, const csv_record *record) {
    bool named = false;
    if (t->located)
        return t->header != NULL;
    locate_columns(t, record, &named);
    return t->options.header == 2 ? named || looks_like_name(t, record) : t->options.header == 0;
}

static void keep_header(table *t, const csv_record *record) {
    if (t->header == NULL) {
        t->header = allocate(record->n + 1);
        memcpy(t->header, record->text, t->header_n = record->n);
        if (t->header[t->header_n - 1] != '\n')
            t->header[t->header_n++] = '\n';
        return;
    }
    size_t n = t->header_n; /* line ends may differ */
    while (n > 0 && (t->header[n - 1] == '\n' || t->header[n - 1] == '\r'))
        n--;
    if (n != record->content || memcmp(t->header, record->text, n) != 0)
        fail(BAD_DATA, "%s, line %llu: its header is not that of the first file", t->name,
             (unsigned long long)record->line);
}

/* ---- Rows ---- */

/* A row from a record; false where it is to be left out. */
static bool take(table *t, const csv_record *record, row *r) {
    const podium_spec *range = t->options.range;
    const char *trouble = NULL;
    r->record = *record;
    if (!find_field(t, record, t->column, &r->field) ||
        (t->options.by != NULL && !find_field(t, record, t->by, &r->by)))
        trouble = "the line has too few columns";
    else if (r->field.from == r->field.to)
        trouble = "empty";
    else if (!parse(record, r->field, &r->value))
        trouble = "not a number";
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

/* The next record, if one is complete; the separator must be known before. */
static bool next_record(table *t, csv_record *record) {
    if (t->separator == 0 && !find_separator(t))
        return false;
    if (!csv_next(&t->reader, record))
        return false;
    if (record->unclosed)
        fail(BAD_DATA, "%s, line %llu: a quote is not closed before the end", t->name,
             (unsigned long long)record->line);
    return true;
}

size_t table_rows(table *t, row *rows, size_t most) {
    size_t count = 0;
    while (count < most && t->descriptor >= 0) {
        csv_record record;
        if (next_record(t, &record)) {
            bool header = t->at_start && is_header(t, &record);
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
