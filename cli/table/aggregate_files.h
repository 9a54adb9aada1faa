/*
 * Aggregate files: text files with an aggregate on each line. A line is either the aggregate alone, as
 * podium_aggregate_format writes it, or the aggregate of a group, which is a record of CSV with three fields:
 *
 *     podium-group:1,"name of the group",podium-aggregate:...
 *
 * The number is the version of this format. The name may contain any bytes except zero bytes, so a line end in it is
 * inside the quotes. Files can be concatenated.
 */
#ifndef PODIUM_CLI_AGGREGATE_FILES_H
#define PODIUM_CLI_AGGREGATE_FILES_H

#include "table/aggregates.h"

#define GROUP_PREFIX "podium-group:"

/* Returns whether a file begins like one with aggregates; see input_begins. */
bool aggregates_in(const char *path);

/* An aggregate and where it was found */
typedef struct {
    const char *file;
    size_t line;
    const char *name; /* of the group; NULL if it has none */
    const podium_aggregate *aggregate;
} stored;

/* Calls visit for each aggregate in the files, and sets *collection to theirs before the first call. Ends the program
   if there are none, or if they belong to different collections. */
typedef void stored_visit(void *context, const stored *one);
void aggregates_visit(podium_collection *collection, char **files, stored_visit *visit, void *context);

/* Merges all aggregates in the files into one. */
podium_aggregate aggregates_merged(podium_collection *collection, char **files);
/* Merges the aggregates of each group, and ends the program if an aggregate has no name. */
groups aggregates_by_name(podium_collection *collection, char **files);
/* Returns each aggregate as a group. One without a name is named after its file. If two would have the same name, that
   of the file comes before it. A single aggregate without a name is not grouped. */
groups aggregates_apart(podium_collection *collection, char **files);

/* Writes a line; the name is NULL for an aggregate without one. */
void aggregate_write(output *out, const char *name, const podium_aggregate *aggregate);

#endif
