/* Sums: what the store has about a collection, added up for each value of a label or all together. */
#ifndef PODIUM_COLLECTOR_SUMS_H
#define PODIUM_COLLECTOR_SUMS_H

#include "catalogue.h"

enum { GROUPS_MAX = LABEL_SETS_MAX + 1 };

/* Which sums are wanted, and what they add up to */
typedef struct {
    entry *entry;
    int64_t from, to;
    label_set wanted;
    size_t by; /* the number of the label that makes the groups; LABELS_MAX if there is one group */
    podium_aggregate *groups[GROUPS_MAX]; /* by the value of the label, of which 0 is none; NULL if no reports */
    podium_trimmed trimmed[GROUPS_MAX];   /* what was taken out of each */
    podium_status failed;
} sums;

/* Adds a row of the store; a store_row_reader whose context is the sums. Stops if it fails, and sets failed. */
bool sums_add_row(void *context, const store_row *row);
/* The group that a set of labels belongs to, which is made if there is none; NULL if there is no memory. */
podium_aggregate *sums_group(sums *s, const label_set *set);
const char *sums_name(const sums *s, size_t group);
/* Writes the member "group" of an object, and a comma; nothing if there is one group of all. */
void sums_print_name(text *t, const sums *s, size_t group);
void sums_clear(sums *s);

#endif
