#include "commands/read_groups.h"

#include <string.h>

static groups groups_of_tables(const podium_collection *collection, const table_options *options) {
    table *t = table_open(options);
    groups all = groups_from(t, collection, options);
    table_close(t);
    return all;
}

/* A group for each file, named after it */
static groups groups_of_files(const podium_collection *collection, const table_options *options) {
    groups all = groups_new(true);
    for (char **file = input_files(options->files); *file != NULL; file++) {
        char *alone[] = {*file, NULL};
        table_options own = *options;
        own.files = alone;
        groups one = groups_of_tables(collection, &own);
        const char *name = strcmp(*file, "-") == 0 ? "standard input" : *file;
        groups_add(&all, collection, name, strlen(name))->aggregate = one.group[0]->aggregate;
        groups_free(&one);
    }
    groups_number(&all, collection);
    return all;
}

static groups groups_of_reports(podium_collection *collection, char name[PODIUM_NAME_MAX], const table_options *options,
                                const collection_options *which, read_mode mode) {
    if (mode == READ_MERGED)
        fail_usage(which->command, "--merge is for aggregates; reports are one group unless there is --by");
    *collection = collection_from(which, name);
    return mode == READ_BY_FILE && options->by.count == 0 ? groups_of_files(collection, options)
                                                          : groups_of_tables(collection, options);
}

static groups groups_merged(podium_collection *collection, char **files) {
    const podium_aggregate merged = aggregates_merged(collection, files);
    return groups_of_one(collection, &merged);
}

static groups groups_of_aggregates(podium_collection *collection, char name[PODIUM_NAME_MAX],
                                   const table_options *options, const collection_options *which, read_mode mode) {
    if (options->by.count > 0 || options->columns.count > 0 || options->codes)
        fail_usage(which->command, "an aggregate has no columns; --by, --column and --codes are for reports");
    groups all =
        mode == READ_MERGED ? groups_merged(collection, options->files) : aggregates_apart(collection, options->files);
    name[0] = '\0';
    if (collection_given(which))
        *collection = collection_from(which, name);
    if (podium_collection_fingerprint(collection) != podium_aggregate_fingerprint(&all.group[0]->aggregate))
        fail(BAD_DATA, "%s: this aggregate belongs to another collection than the one given",
             options->files[0] == NULL ? "standard input" : options->files[0]);
    return all;
}

groups read_groups(podium_collection *collection, char name[PODIUM_NAME_MAX], const table_options *options,
                   const collection_options *which, read_mode mode) {
    groups all = aggregates_in(input_files(options->files)[0])
                     ? groups_of_aggregates(collection, name, options, which, mode)
                     : groups_of_reports(collection, name, options, which, mode);
    if (options->trim)
        groups_trim(&all, collection);
    require_reports(&all, collection, options);
    return all;
}
