/* Reading groups: what estimate and difference share. */
#ifndef PODIUM_CLI_READ_GROUPS_H
#define PODIUM_CLI_READ_GROUPS_H

#include "collection.h"
#include "table/aggregate_files.h"

typedef enum {
    READ_MERGED,       /* all aggregates become one group */
    READ_BY_AGGREGATE, /* each aggregate is a group */
    READ_BY_FILE       /* each aggregate is a group, and so is each table, unless there is --by */
} read_mode;

/* Reads aggregates, which contain their collection, or reports, depending on how the first file begins. Sets the
   collection, and its name, which is "" if it has none. Ends the program if these cannot be reports of the collection.
 */
groups read_groups(podium_collection *collection, char name[PODIUM_NAME_MAX], const table_options *options,
                   const collection_options *which, read_mode mode);

#endif
