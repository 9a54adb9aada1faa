/* Aggregates: read from files, or added up from the reports of a table. */
#ifndef PODIUM_CLI_AGGREGATES_H
#define PODIUM_CLI_AGGREGATES_H

#include "table/table.h"

/* Merges all aggregates in the files, one per line, and sets *collection to theirs. Ends the program if there are none,
   or if they belong to different collections. */
podium_aggregate aggregates_merged(podium_collection *collection, char **files);

/* One aggregate per group, in the order in which the groups first appear. Without groups there is one, named "". */
typedef struct {
    char *name;
    podium_aggregate aggregate;
} group;

typedef struct {
    group **group;
    size_t count;
} groups;
/* Adds up the reports of a table. */
groups groups_from(table *table, const podium_collection *collection, const table_options *options);
/* Ends the program, unless forced, if a group or all groups together cannot be reports of the collection. */
void require_reports(const groups *all, const podium_collection *collection, const table_options *options);
/* Warns if rows were refused; if they were many, also suggests --codes. */
void warn_of_refused(uint64_t refused, uint64_t accepted, bool codes);
/* One group, named "", with a copy of the aggregate. */
groups groups_of_one(const podium_aggregate *aggregate);
void groups_free(groups *groups);

#endif
