/* podium aggregate: add up reports into an aggregate. podium merge: merge aggregates into one. */
#include "collection.h"
#include "commands/commands.h"
#include "table/aggregates.h"

static void write_aggregate(const char *path, const podium_aggregate *aggregate) {
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    size_t n = podium_aggregate_format(aggregate, text, sizeof text);
    output *out = output_open(path);
    output_write(out, text, n);
    output_write(out, "\n", 1);
    output_close(out);
}

/* ---- aggregate ---- */

typedef struct {
    collection_options which;
    table_options table;
    output_options output;
} settings;

static int run_aggregate(char **arguments) {
    settings s = {.which = {.command = "aggregate", .exists = true},
                  .table = {.header = HEADER_AUTO, .doing = "aggregating"}};
    s.table.files = options_parse(&command_aggregate, &s, arguments);
    collection_check_input(&s.which, s.table.files);
    char name[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&s.which, name);
    table *t = table_open(&s.table);
    groups all = groups_from(t, &collection, &s.table);
    table_close(t);
    require_reports(&all, &collection, &s.table);
    const podium_aggregate *sum = &all.group[0]->aggregate;
    warn_of_refused(podium_aggregate_refused(sum), podium_aggregate_count(sum), s.table.codes);
    write_aggregate(s.output.path, sum);
    groups_free(&all);
    return DONE;
}

const command command_aggregate = {
    .name = "aggregate",
    .summary = "add up reports into an aggregate",
    .usage = "[OPTIONS] [FILE...]",
    .operands = true,
    .groups = {{.heading = COLLECTION_HEADING, .options = collection_option, .record = offsetof(settings, which)},
               {.options = spec_options, .record = offsetof(settings, which)},
               {.heading = INPUT_HEADING, .options = column_option, .record = offsetof(settings, table)},
               {.options = table_form, .record = offsetof(settings, table)},
               {.options = report_options, .record = offsetof(settings, table)},
               {.heading = OUTPUT_HEADING, .options = output_option, .record = offsetof(settings, output)}},
    .run = run_aggregate,
};

/* ---- merge ---- */

static int run_merge(char **arguments) {
    output_options to = {.path = NULL};
    podium_collection collection;
    podium_aggregate sum = aggregates_merged(&collection, options_parse(&command_merge, &to, arguments));
    write_aggregate(to.path, &sum);
    return DONE;
}

const command command_merge = {
    .name = "merge",
    .summary = "merge aggregates into one",
    .usage = "[-o FILE] [AGGREGATE...]",
    .operands = true,
    .note = "A file may contain several aggregates, one per line. All must belong to the same collection.",
    .groups = {{.options = output_option}},
    .run = run_merge,
};
