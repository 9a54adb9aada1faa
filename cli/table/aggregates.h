/* Aggregates: groups with a name each, and how they are added up from the reports of a table. */
#ifndef PODIUM_CLI_AGGREGATES_H
#define PODIUM_CLI_AGGREGATES_H

#include "table/table.h"

#define GROUPS_MAX 10000    /* 8 KiB each */
#define NAME_MAX_BYTES 4096 /* names of groups are shorter */

/* One aggregate per group, in the order in which the groups first appear. Without groups there is one, named "". */
typedef struct {
    char *name;
    podium_aggregate aggregate;
    podium_trimmed trimmed; /* by groups_trim */
} group;

typedef struct {
    group **group;
    size_t count;
    bool grouped; /* the groups have names; otherwise there is one, named "" */
    bool named;   /* the names are those of groups in a file, not of files */
} groups;
groups groups_new(bool grouped);
/* Adds a group without reports, whose name is these n bytes. Ends the program if there are GROUPS_MAX already. */
group *groups_add(groups *all, const podium_collection *collection, const char *name, size_t n);

/* Finds groups by their names. The index is freed with free(). */
typedef struct group_index group_index;
group_index *groups_index(groups *all, const podium_collection *collection);
/* Returns the group with this name, which is new if there was none. */
group *groups_find(group_index *index, const char *name, size_t n);
/* Makes the names unique: the second group of a name gets " (2)" after it, and so on. */
void groups_number(groups *all, const podium_collection *collection);

/* Adds up the reports of a table. */
groups groups_from(table *table, const podium_collection *collection, const table_options *options);
/* Ends the program, unless forced, if a group or all groups together cannot be reports of the collection. */
void require_reports(const groups *all, const podium_collection *collection, const table_options *options);
/* Takes out of each group what honest people cannot have sent, and says what that was. */
void groups_trim(groups *all, const podium_collection *collection);
/* Warns if rows were refused; if they were many, also suggests --codes. */
void warn_of_refused(uint64_t refused, uint64_t accepted, bool codes);
void warn_of_refused_in(const groups *all, bool codes); /* all groups together */
/* One group, named "", with a copy of the aggregate. */
groups groups_of_one(const podium_collection *collection, const podium_aggregate *aggregate);
void groups_free(groups *groups);

#endif
