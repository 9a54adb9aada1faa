/* podium aggregate: add up reports into an aggregate, or into one for each group. podium merge: merge aggregates into
   one, or into one for each group. */
#include "collection.h"
#include "commands/commands.h"
#include "table/aggregate_files.h"

#include <stdlib.h>
#include <string.h>

/* ---- Output: a file, or a directory with a file for each group ---- */

static bool is_directory(const char *path) {
    return path != NULL && path[0] != '\0' && path[strlen(path) - 1] == '/';
}

/* Bytes that stand for themselves in the name of a file. All others could be special in a shell or a path. */
static bool is_plain(const char *name, const char *at) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    return (signed char)*at < 0 || (strchr(plain, *at) != NULL && !(*at == '.' && at == name));
}

static output *open_for_group(const char *name) {
    static const char suffix[] = ".aggregate";
    char *file = allocate(3 * strlen(name) + sizeof suffix + 1), *to = file;
    if (*name == '\0')
        *to++ = '%'; /* otherwise the file would be hidden */
    for (const char *at = name; *at != '\0'; at++)
        to += is_plain(name, at) ? sprintf(to, "%c", *at) : sprintf(to, "%%%02X", (unsigned char)*at);
    memcpy(to, suffix, sizeof suffix);
    output *out = output_open_inside(file);
    free(file);
    return out;
}

static void write_directory(const char *path, const groups *all) {
    output_directory_begin(path);
    for (size_t i = 0; i < all->count; i++) {
        output *out = open_for_group(all->group[i]->name);
        aggregate_write(out, all->group[i]->name, &all->group[i]->aggregate);
        output_close(out);
    }
    output_directory_end();
}

static void write_groups(const char *path, const groups *all) {
    if (is_directory(path)) {
        write_directory(path, all);
        return;
    }
    output *out = output_open(path);
    for (size_t i = 0; i < all->count; i++)
        aggregate_write(out, all->grouped ? all->group[i]->name : NULL, &all->group[i]->aggregate);
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
    if (is_directory(s.output.path) && s.table.by.count == 0)
        fail_usage("aggregate", "--output takes a directory only with --by");
    char name[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&s.which, name);
    table *t = table_open(&s.table);
    groups all = groups_from(t, &collection, &s.table);
    table_close(t);
    require_reports(&all, &collection, &s.table);
    warn_of_refused_in(&all, s.table.codes);
    write_groups(s.output.path, &all);
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
               {.options = by_option, .record = offsetof(settings, table)},
               {.heading = OUTPUT_HEADING, .options = output_option, .record = offsetof(settings, output)}},
    .run = run_aggregate,
};

/* ---- merge ---- */

typedef struct {
    output_options output;
    bool groups;
} merge_settings;

static const option groups_option[] = {
    {.name = "groups",
     TO_FLAG(merge_settings, groups),
     .help = "keep the groups apart, and merge the aggregates of each"},
    {.name = NULL},
};

static int run_merge(char **arguments) {
    merge_settings s = {.groups = false};
    char **files = options_parse(&command_merge, &s, arguments);
    if (is_directory(s.output.path) && !s.groups)
        fail_usage("merge", "--output takes a directory only with --groups");
    podium_collection collection;
    groups all;
    if (s.groups) {
        all = aggregates_by_name(&collection, files);
    } else {
        const podium_aggregate sum = aggregates_merged(&collection, files);
        all = groups_of_one(&collection, &sum);
    }
    write_groups(s.output.path, &all);
    groups_free(&all);
    return DONE;
}

const command command_merge = {
    .name = "merge",
    .summary = "merge aggregates into one",
    .usage = "[--groups] [-o FILE] [AGGREGATE...]",
    .operands = true,
    .note = "A file may contain several aggregates, one per line. All must belong to the same collection.",
    .groups = {{.options = groups_option}, {.options = output_option, .record = offsetof(merge_settings, output)}},
    .run = run_merge,
};
