/* podium aggregate: add up reports into a state. podium merge: add up states into one. */
#include "table/states.h"

#include <getopt.h>

static void write_state(const char *path, const podium_aggregate *aggregate) {
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    size_t n = podium_aggregate_write(aggregate, text);
    output *out = output_open(path);
    output_write(out, text, n);
    output_write(out, "\n", 1);
    output_close(out);
}

int command_aggregate(int argc, char **argv) {
    collection_options which = {.command = "aggregate"};
    table_options options = {.command = "aggregate", .header = HEADER_AUTO, .doing = "aggregating"};
    const char *path = table_arguments(argc, argv, &which, &options);
    collection_apart(&which, options.files);
    char name[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&which, name);
    table *t = table_open(&options);
    groups all = groups_from(t, &collection, &options);
    table_close(t);
    require_reports(&all, &collection, &options);
    warn_of_refused(all.group[0]->aggregate.refused, all.group[0]->aggregate.count, options.codes);
    write_state(path, &all.group[0]->aggregate);
    groups_free(&all);
    return DONE;
}

int command_merge(int argc, char **argv) {
    static const struct option known[] = {
        {"help", no_argument, NULL, OPTION_HELP}, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    collection_options which = {.command = "merge"};
    const char *path = NULL;
    for (int option; (option = option_next(&which, argc, argv, known)) != -1;) {
        if (option == 'o')
            path = optarg;
        else
            collection_option(&which, option, optarg);
    }
    podium_aggregate sum = states_merged(argv + optind);
    write_state(path, &sum);
    return DONE;
}
