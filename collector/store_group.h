/* Group: what every store does with the batches of one transaction, so that a store itself is little more than its SQL.
   A store begins a group, loads the sums and the keys that the group names, lets it add up, and writes what has
   changed. Sums and keys are in a fixed order, so that several servers that lock them never wait for each other in a
   circle. */
#ifndef PODIUM_COLLECTOR_STORE_GROUP_H
#define PODIUM_COLLECTOR_STORE_GROUP_H

#include "clock.h"
#include "store.h"

typedef struct {
    int64_t collection, start;
    uint32_t period;
    const char *labels;
    const podium_collection *ready;
    int64_t number; /* as the store numbers it; 0 if the store does not have it */
    bool changed;
    podium_aggregate aggregate;
} group_sum;

typedef struct {
    store_hash hash, body;
    bool known; /* a batch was counted under this key before, or earlier in the group */
    bool added; /* by this group */
    uint64_t accepted, refused;
} group_key;

typedef struct {
    store_entry *entry;
    size_t sum, key; /* where in the lists below */
} grouped_batch;

/* All zeros is a group without memory. It may be begun again and again. */
typedef struct {
    group_sum *sums;
    size_t sums_n, sums_capacity;
    group_key *keys;
    grouped_batch *members; /* in the order in which the batches came */
    grouped_batch **sorted;
    size_t keys_n, members_n, members_capacity;
    const store_policy *policy;
    int64_t *rolled; /* the numbers of sums by hour that are now in sums by day */
    size_t rolled_n, rolled_capacity;
} store_group;

/* Lists the sums and the keys of the entries. Returns false if there is no memory. */
bool group_begin(store_group *g, store_entry *const *entries, size_t count, const store_policy *policy);
/* Decodes a sum that the store has. Returns false if it is damaged. */
bool group_load(group_sum *u, int64_t number, const unsigned char *state, size_t n);
/* Says that the store has the key, with the body and the answer of then. A body of another length never fits. */
void group_know(group_key *k, const unsigned char *body, size_t n, int64_t accepted, int64_t refused);
group_key *group_find_key(store_group *g, const unsigned char hash[STORE_HASH_BYTES]); /* NULL if there is none */
/* Adds up, and sets the outcome of every entry. stored is how many keys the store has. Returns how many it gets. */
uint64_t group_add(store_group *g, uint64_t stored);
/* Are the entry's single reports to be kept? */
bool group_keeps(const store_group *g, const store_entry *e);

/* Rolling up a day of a collection: the store begins, gives the group each sum of that day in the order of labels,
   writes the sums that have changed, deletes those that were rolled, and ends. */
typedef struct {
    int64_t collection, day;
    const podium_collection *ready;
} roll_place;
void group_roll_begin(store_group *g);
/* Returns false if the sum is damaged or cannot be added, or if there is no memory. */
bool group_roll(store_group *g, const roll_place *place, const store_row *row, int64_t number);
void group_roll_end(store_group *g);

void group_free(store_group *g);

/* Is the collection that the store has under this name the same one? If not, the message says so. */
bool store_same_spec(store *s, const char *name, const char *known, const char *spec);

/* Returns the reports of a batch, 8 bytes each as IEEE 754 has them, and after them its codes, 4 bytes each, all with
   the least significant byte first. The caller frees it. Returns NULL if there is no memory. */
unsigned char *batch_encode(const batch *b, size_t *reports_n, size_t *codes_n);

#endif
