/* States: aggregates in files, and from reports. */
#ifndef PODIUM_CLI_STATES_H
#define PODIUM_CLI_STATES_H

#include "table/table.h"

/* Every state in the files, one a line, merged; and their collection. */
podium_aggregate states_merged(podium_collection *collection, char **files);

/* One aggregate for each group, in the order of their first rows; without grouping there is one, named "". */
typedef struct {
    char *name;
    podium_aggregate aggregate;
} group;

typedef struct {
    group **group;
    size_t count;
} groups;
groups groups_from(table *table, const podium_collection *collection, const table_options *options);
/* Fails, unless forced, where one of them, or all together, cannot be reports of the collection. */
void require_reports(const groups *all, const podium_collection *collection, const table_options *options);
/* Says how many were refused; if many, what they may be. */
void warn_of_refused(uint64_t refused, uint64_t taken, bool codes);
groups groups_of_one(const podium_aggregate *aggregate);
void groups_free(groups *groups);

#endif
