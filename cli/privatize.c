/* podium privatize: replace a column of private values by reports. */
#include "number.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 4096

/* A line from somewhere on; the last of a file may lack its end. */
static void write_line(output *out, const char *text, size_t n, size_t from) {
    output_write(out, text + from, n - from);
    if (text[n - 1] != '\n')
        output_write(out, "\n", 1);
}

static void write_rows(output *out, const row *rows, const double *reports, size_t n, number_format format) {
    for (size_t i = 0; i < n; i++) {
        const csv_record *record = &rows[i].record;
        char report[NUMBER_TEXT_MAX];
        size_t length = number_write_report(report, reports[i], format);
        output_write(out, record->text, rows[i].field.from);
        output_write(out, report, length);
        write_line(out, record->text, record->n, rows[i].field.to);
    }
    output_flush(out);
}

/* In place: values become reports, or codes */
static void privatize(const podium_collection *collection, double *values, size_t n, bool codes) {
    static uint32_t cells[BATCH];
    podium_status status = codes ? podium_privatize_cells(collection, NULL, cells, values, n)
                                 : podium_privatize(collection, values, values, n);
    if (status != PODIUM_OK)
        fail(BAD_IO, "%s", podium_status_message(status));
    for (size_t i = 0; codes && i < n; i++)
        values[i] = cells[i];
}

static void privatize_all(table *t, output *out, const podium_collection *collection, bool codes) {
    row *rows = allocate(BATCH * sizeof *rows);
    double *values = allocate(BATCH * sizeof *values);
    number_format format = codes ? (number_format){.fixed = true, .digits = 0} : number_format_for(collection);
    bool begun = false;
    for (size_t n; (n = table_rows(t, rows, BATCH)) > 0 || !begun;) {
        size_t header_n;
        const char *header = table_header(t, &header_n);
        if (!begun && header != NULL)
            write_line(out, header, header_n, 0);
        begun = true;
        for (size_t i = 0; i < n; i++)
            values[i] = rows[i].value;
        privatize(collection, values, n, codes);
        write_rows(out, rows, values, n, format);
    }
    free(values);
    free(rows);
}

int command_privatize(int argc, char **argv) {
    collection_options which = {.command = "privatize"};
    podium_spec range = {.epsilon = 0};
    table_options options = {.command = "privatize", .header = 2, .range = &range, .doing = "privatizing"};
    const char *path = table_arguments(argc, argv, &which, &options);
    char name[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&which, name);
    range = collection.spec;
    table *t = table_open(&options);
    output *out = output_open(path);
    privatize_all(t, out, &collection, options.codes);
    table_close(t);
    output_close(out);
    return DONE;
}
