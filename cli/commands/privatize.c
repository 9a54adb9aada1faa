/* podium privatize: replace columns of private values by reports. */
#include "table/number.h"
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EPSILON_LARGE 10

/* How the values of a column are replaced */
typedef struct {
    podium_collection collection;
    number_format format;
} replacement;

/* What all threads share, and what each has of its own */
typedef struct {
    replacement *replacement;
    bool one; /* for all columns, else one for each of those asked for */
    table *table;
    output *out;
    bool codes, begun;
} job;

typedef struct {
    job *job;
    char *text; /* the rows, privatized */
    size_t n, capacity;
    uint32_t *cells; /* for codes */
    size_t cells_capacity;
} own;

static const replacement *replacement_of(const job *j, const column *c) {
    return &j->replacement[j->one ? 0 : c->place];
}

static void write_header(job *j) {
    size_t n;
    const char *header = table_header(j->table, &n);
    if (!j->begun && header != NULL)
        output_write(j->out, header, n);
    j->begun = true;
}

/* ---- Rows as text ---- */

/* Rows that are alone go straight out, because there may be much in them. */
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

/* The rows as they stand, but reports in the place of values; lines that are left out go, and cells that are missing
   stay. In the common cases the last three are constants. */
static inline __attribute__((always_inline)) void write_as(own *o, const rows *r, size_t columns, bool kept,
                                                           bool straight) {
    size_t copied = r->first, end = r->first;
    number_format format = replacement_of(o->job, &r->column[0])->format;
    const span *cell = r->cell;
    for (size_t i = 0; i < r->count; i++) {
        const row *line = &r->row[i];
        if (line->start != end) {
            append(o, r->text + copied, end - copied, straight);
            copied = line->start;
        }
        for (size_t c = 0; c < columns; c++, cell++) {
            if (kept && cell->to < cell->from)
                continue;
            if (columns > 1)
                format = replacement_of(o->job, &r->column[c])->format;
            append(o, r->text + copied, cell->from - copied, straight);
            append_report(o, r->value[c * r->stride + i], format, straight);
            copied = cell->to;
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

/* In place: values become codes */
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
    output_flush(o->job->out); /* whoever waits at the other end of a pipe has them now */
    o->n = 0;
}

static void privatize_all(job *j) {
    unsigned threads = table_threads(j->table);
    own *all = allocate(threads * sizeof *all);
    for (unsigned i = 0; i < threads; i++)
        all[i] = (own){.job = j};
    table_run(j->table, all, sizeof *all, work, finish);
    write_header(j); /* of a table without rows */
    for (unsigned i = 0; i < threads; i++) {
        free(all[i].text);
        free(all[i].cells);
    }
    free(all);
}

/* ---- The command ---- */

static void warn_of_epsilon(const podium_collection *collection, const char *file) {
    const podium_spec *spec = &collection->spec;
    double deviation = sqrt(collection->variance_most);
    if (spec->epsilon > EPSILON_LARGE)
        say("warning: %s%sat epsilon %g reports nearly repeat the values: one is up to %.2g times as likely "
            "from one value as from another, and its noise has a standard deviation of at most %.3g, which is "
            "%.3g%% of the range",
            file, *file == '\0' ? "" : ": ", spec->epsilon, exp(spec->epsilon), deviation,
            100 * deviation / (spec->max - spec->min));
}

static bool warned_before(const replacement *all, size_t k) {
    for (size_t i = 0; i < k; i++)
        if (all[i].collection.fingerprint == all[k].collection.fingerprint)
            return true;
    return false;
}

/* One for all columns, or one for each: the k-th collection belongs to the k-th column. */
static replacement *replacements(const collection_options *which, size_t columns, bool codes) {
    char name[PODIUM_NAME_MAX];
    size_t count = which->files > 1 ? which->files : 1;
    if (count > 1 && count != columns)
        fail_usage("privatize",
                   "%zu --collection and %zu --column were given; give one collection for all columns, or one "
                   "for each, in the same order",
                   count, columns);
    replacement *all = allocate(count * sizeof *all);
    for (size_t k = 0; k < count; k++) {
        const char *file = which->files == 0 ? "" : which->file[k];
        all[k].collection = k == 0 ? collection_from(which, name) : collection_read(file, name);
        all[k].format = codes ? (number_format){.fixed = true} : number_format_for(&all[k].collection);
        if (!warned_before(all, k))
            warn_of_epsilon(&all[k].collection, file);
    }
    return all;
}

int command_privatize(int argc, char **argv) {
    collection_options which = {.command = "privatize", .several = true};
    table_options options = {.command = "privatize", .header = HEADER_AUTO, .private = true, .doing = "privatizing"};
    const char *path = table_arguments(argc, argv, &which, &options);
    collection_apart(&which, options.files);
    const size_t columns = options.columns == 0 ? 1 : options.columns;
    job j = {.replacement = replacements(&which, options.columns, options.codes),
             .one = which.files <= 1,
             .codes = options.codes};
    const podium_spec *range[COLUMNS_MAX];
    for (size_t c = 0; c < columns; c++)
        range[c] = &j.replacement[j.one ? 0 : c].collection.spec;
    options.range = range;
    j.table = table_open(&options);
    j.out = output_open(path);
    privatize_all(&j);
    table_close(j.table);
    output_close(j.out);
    free(j.replacement);
    return DONE;
}
