/* podium aggregate: add up reports into a state. podium merge: add up states into one. */
#include "collection.h"
#include "commands/commands.h"
#include "table/states.h"

static void write_state(const char *path, const podium_aggregate *aggregate) {
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    size_t n = podium_aggregate_write(aggregate, text);
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
    settings s = {.which = {.command = "aggregate"}, .table = {.header = HEADER_AUTO, .doing = "aggregating"}};
    s.table.files = options_parse(&command_aggregate, &s, arguments);
    collection_apart(&s.which, s.table.files);
    char name[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&s.which, name);
    table *t = table_open(&s.table);
    groups all = groups_from(t, &collection, &s.table);
    table_close(t);
    require_reports(&all, &collection, &s.table);
    warn_of_refused(all.group[0]->aggregate.refused, all.group[0]->aggregate.count, s.table.codes);
    write_state(s.output.path, &all.group[0]->aggregate);
    groups_free(&all);
    return DONE;
}

const command command_aggregate = {
    .name = "aggregate",
    .summary = "add up reports into a state",
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
    podium_aggregate sum = states_merged(&collection, options_parse(&command_merge, &to, arguments));
    write_state(to.path, &sum);
    return DONE;
}

const command command_merge = {
    .name = "merge",
    .summary = "add up states into one",
    .usage = "[-o FILE] [STATE...]",
    .operands = true,
    .note = "A file may hold several states, one a line. States of different collections are refused.",
    .groups = {{.options = output_option}},
    .run = run_merge,
};
