/* podium privatize: replace columns of private values with reports. */
#include "collection.h"
#include "commands/commands.h"
#include "table/number.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

/* How the values of a column are replaced */
typedef struct {
    podium_collection collection;
    podium_spec spec; /* of the collection */
    number_format format;
} replacement;

/* What all threads share */
typedef struct {
    replacement *replacement;
    bool one; /* one replacement for all columns; otherwise each --column has its own */
    table *table;
    output *out;
    bool codes;
    bool begun; /* the header has been written, if there is one */
} job;

/* What each thread has of its own */
typedef struct {
    job *job;
    char *text; /* the privatized rows */
    size_t n, capacity;
    uint32_t *cells; /* for codes */
    size_t cells_capacity;
} own;

static const replacement *replacement_of(const job *j, const column *c) {
    return &j->replacement[j->one ? 0 : c->option];
}

static void write_header(job *j) {
    size_t n;
    const char *header = table_header(j->table, &n);
    if (!j->begun && header != NULL)
        output_write(j->out, header, n);
    j->begun = true;
}

/* ---- Rows as text ---- */

/* Rows that are alone are written straight to the output, because they may be long. */
static inline __attribute__((always_inline)) void append(own *o, const char *text, size_t n, bool straight) {
    if (straight) {
        output_write(o->job->out, text, n);
        return;
    }
    memcpy(o->text + o->n, text, n);
    o->n += n;
}

static inline __attribute__((always_inline)) void append_report(own *o, double report, number_format format,
                                                                bool straight) {
    char text[NUMBER_TEXT_MAX];
    if (straight)
        output_write(o->job->out, text, number_write_report(text, report, format));
    else
        o->n += number_write_report(o->text + o->n, report, format);
}

/* Copies the rows with reports instead of values. Lines that were dropped are left out, and missing values stay. The
   last three arguments are constants in the common cases, so that the compiler can specialise this function. */
static inline __attribute__((always_inline)) void write_as(own *o, const rows *r, size_t columns, bool kept,
                                                           bool straight) {
    size_t copied = r->first, end = r->first;
    number_format format = replacement_of(o->job, &r->column[0])->format;
    const span *field = r->field;
    for (size_t i = 0; i < r->count; i++) {
        const row *line = &r->row[i];
        if (line->start != end) {
            append(o, r->text + copied, end - copied, straight);
            copied = line->start;
        }
        for (size_t c = 0; c < columns; c++, field++) {
            if (kept && field->to < field->from)
                continue;
            if (columns > 1)
                format = replacement_of(o->job, &r->column[c])->format;
            append(o, r->text + copied, field->from - copied, straight);
            append_report(o, r->value[c * r->stride + i], format, straight);
            copied = field->to;
        }
        end = line->end;
    }
    append(o, r->text + copied, end - copied, straight);
}

static void write_rows(own *o, const rows *r) {
    size_t most = o->n + (r->n - r->first) + r->count * r->columns * NUMBER_REPORT_MAX + NUMBER_TEXT_MAX;
    if (r->alone) {
        write_header(o->job);
        write_as(o, r, r->columns, true, true);
        return;
    }
    if (most > o->capacity)
        o->text = reallocate(o->text, o->capacity = most);
    if (r->columns == 1 && r->kept == 0)
        write_as(o, r, 1, false, false);
    else
        write_as(o, r, r->columns, true, false);
}

/* ---- Reports ---- */

/* Replaces values with codes, in place. */
static podium_status make_codes(own *o, const podium_collection *collection, double *values, size_t n) {
    if (n > o->cells_capacity)
        o->cells = reallocate(o->cells, (o->cells_capacity = n) * sizeof *o->cells);
    podium_status status = podium_privatize_cells(collection, NULL, o->cells, values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = o->cells[i];
    return status;
}

static void work(void *argument, const rows *r) {
    own *o = argument;
    for (size_t c = 0; c < r->columns; c++) {
        const podium_collection *collection = &replacement_of(o->job, &r->column[c])->collection;
        double *values = r->value + c * r->stride;
        podium_status status = o->job->codes ? make_codes(o, collection, values, r->count)
                                             : podium_privatize(collection, values, values, r->count);
        if (status != PODIUM_OK)
            fail(BAD_IO, "%s", podium_status_message(status));
    }
    write_rows(o, r);
}

static void finish(void *argument, const rows *r) {
    own *o = argument;
    (void)r;
    write_header(o->job);
    if (o->n > 0)
        output_write(o->job->out, o->text, o->n);
    output_flush(o->job->out); /* so that the reader of a pipe gets them now */
    o->n = 0;
}

static void privatize_all(job *j) {
    unsigned threads = table_threads(j->table);
    own *all = allocate(threads * sizeof *all);
    for (unsigned i = 0; i < threads; i++)
        all[i] = (own){.job = j};
    table_run(j->table, all, sizeof *all, work, finish);
    write_header(j); /* in case the table has no rows */
    for (unsigned i = 0; i < threads; i++) {
        free(all[i].text);
        free(all[i].cells);
    }
    free(all);
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    table_options table;
    output_options output;
} settings;

static const char *const invalid_words[] = {"error", "drop", "clamp", "keep", NULL};

static const option value_options[] = {
    {.name = "invalid",
     TO_CHOICE(table_options, invalid),
     .words = invalid_words,
     .help =
         "fields that are empty, not numbers, or out of range: stop (default); drop the row; clamp numbers to the range "
         "(anything else is an error); or keep fields that are empty, NA or null (anything else is an error)"},
    {.name = "codes", TO_FLAG(table_options, codes), .help = "write each report as its code, a small whole number"},
    ROW_THREADS,
    {.name = "force", .kind = OPTION_REFUSED, .help = "is for reports, but this command reads values"},
    {.name = NULL},
};

static bool warned_before(const replacement *all, size_t k) {
    for (size_t i = 0; i < k; i++)
        if (podium_spec_equal(&all[i].spec, &all[k].spec))
            return true;
    return false;
}

/* Returns one replacement for all columns, or one for each: the k-th --collection belongs to the k-th --column. */
static replacement *replacements(const collection_options *which, size_t columns, bool codes) {
    char name[PODIUM_NAME_MAX];
    size_t count = which->files.count > 1 ? which->files.count : 1;
    if (count > 1 && count != columns)
        fail_usage("privatize",
                   "there are %zu --collection and %zu --column; give one collection for all columns, or one for "
                   "each, in the same order",
                   count, columns);
    replacement *all = allocate(count * sizeof *all);
    for (size_t k = 0; k < count; k++) {
        const char *file = which->files.count == 0 ? "" : which->files.of[k];
        all[k].collection = k == 0 ? collection_from(which, name) : collection_read(file, name);
        all[k].spec = podium_collection_spec(&all[k].collection);
        if (which->files.count == 0)
            collection_warn(&all[k].collection); /* now, because it can still be changed */
        all[k].format = codes ? (number_format){.fixed = true} : number_format_for(&all[k].collection);
        if (!warned_before(all, k))
            collection_warn_of_epsilon(&all[k].collection, file);
    }
    return all;
}

static const podium_spec *range_of(const job *j, size_t k) {
    return &j->replacement[j->one ? 0 : k].spec;
}

static int run(char **arguments) {
    settings s = {.which = {.command = "privatize"},
                  .table = {.header = HEADER_AUTO, .private = true, .doing = "privatizing"}};
    s.table.files = options_parse(&command_privatize, &s, arguments);
    collection_check_input(&s.which, s.table.files);
    job j = {.replacement = replacements(&s.which, s.table.columns.count, s.table.codes),
             .one = s.which.files.count <= 1,
             .codes = s.table.codes};
    const podium_spec *range[COLUMNS_MAX] = {range_of(&j, 0)};
    for (size_t c = 1; c < s.table.columns.count; c++)
        range[c] = range_of(&j, c);
    s.table.range = range;
    j.table = table_open(&s.table);
    j.out = output_open(s.output.path);
    privatize_all(&j);
    table_close(j.table);
    output_close(j.out);
    free(j.replacement);
    return DONE;
}

const command command_privatize = {
    .name = "privatize",
    .summary = "replace columns of private values with reports",
    .usage = "[OPTIONS] [FILE...]",
    .operands = true,
    .groups = {{.heading = COLLECTION_HEADING, .options = collections_option, .record = offsetof(settings, which)},
               {.options = spec_options,
                .record = offsetof(settings, which),
                .note = "To privatize several columns, repeat --column, and give one collection for all of them or one "
                        "--collection for each in the same order. The epsilons of a row's reports add up."},
               {.heading = INPUT_HEADING, .options = columns_option, .record = offsetof(settings, table)},
               {.options = table_form, .record = offsetof(settings, table)},
               {.options = value_options, .record = offsetof(settings, table)},
               {.heading = OUTPUT_HEADING, .options = output_option, .record = offsetof(settings, output)}},
    .run = run,
};
