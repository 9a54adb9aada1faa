/* podium privatize: replace a column of private values by reports. */
#include "number.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* What all threads share, and what each has of its own */
typedef struct {
    const podium_collection *collection;
    table *table;
    output *out;
    number_format format;
    bool codes, begun;
} job;

typedef struct {
    job *job;
    char *text; /* the rows, privatized */
    size_t n, capacity;
    uint32_t *cells; /* for codes */
    size_t cells_capacity;
} own;

static void append(own *o, const char *text, size_t n) {
    memcpy(o->text + o->n, text, n);
    o->n += n;
}

/* The rows as they stand, but reports in the place of values; lines that are left out go */
static void write_rows(own *o, const rows *r) {
    size_t most = r->n + r->count * NUMBER_REPORT_MAX + NUMBER_TEXT_MAX;
    if (most > o->capacity)
        o->text = reallocate(o->text, o->capacity = most);
    size_t copied = r->first, end = r->first;
    o->n = 0;
    for (size_t i = 0; i < r->count; i++) {
        const row *line = &r->row[i];
        if (line->start != end) {
            append(o, r->text + copied, end - copied);
            copied = line->start;
        }
        append(o, r->text + copied, line->from - copied);
        o->n += number_write_report(o->text + o->n, r->value[i], o->job->format);
        copied = line->to;
        end = line->end;
    }
    append(o, r->text + copied, end - copied);
}

/* In place: values become codes */
static podium_status make_codes(own *o, double *values, size_t n) {
    if (n > o->cells_capacity)
        o->cells = reallocate(o->cells, (o->cells_capacity = n) * sizeof *o->cells);
    podium_status status = podium_privatize_cells(o->job->collection, NULL, o->cells, values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = o->cells[i];
    return status;
}

static void work(void *argument, const rows *r) {
    own *o = argument;
    podium_status status = o->job->codes ? make_codes(o, r->value, r->count)
                                         : podium_privatize(o->job->collection, r->value, r->value, r->count);
    if (status != PODIUM_OK)
        fail(BAD_IO, "%s", podium_status_message(status));
    write_rows(o, r);
}

static void write_header(job *j) {
    size_t n;
    const char *header = table_header(j->table, &n);
    if (!j->begun && header != NULL)
        output_write(j->out, header, n);
    j->begun = true;
}

static void finish(void *argument, const rows *r) {
    own *o = argument;
    (void)r;
    write_header(o->job);
    output_write(o->job->out, o->text, o->n);
    output_flush(o->job->out); /* whoever waits at the other end of a pipe has them now */
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

int command_privatize(int argc, char **argv) {
    collection_options which = {.command = "privatize"};
    podium_spec range = {.epsilon = 0};
    table_options options = {.command = "privatize", .header = 2, .range = &range, .doing = "privatizing"};
    const char *path = table_arguments(argc, argv, &which, &options);
    char name[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&which, name);
    range = collection.spec;
    job j = {.collection = &collection, .table = table_open(&options), .out = output_open(path)};
    j.codes = options.codes;
    j.format = options.codes ? (number_format){.fixed = true} : number_format_for(&collection);
    privatize_all(&j);
    table_close(j.table);
    output_close(j.out);
    return DONE;
}
