#include "store_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

static bool reserve_sums(store_group *g, size_t count) {
    const size_t capacity = count < 2 * g->sums_capacity ? 2 * g->sums_capacity : count;
    if (count <= g->sums_capacity)
        return true;
    group_sum *grown = realloc(g->sums, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    g->sums = grown;
    g->sums_capacity = capacity;
    return true;
}

static bool reserve_members(store_group *g, size_t count) {
    if (count <= g->members_capacity)
        return true;
    free(g->keys);
    free(g->members);
    free(g->sorted);
    g->keys = malloc(count * sizeof *g->keys);
    g->members = malloc(count * sizeof *g->members);
    g->sorted = malloc(count * sizeof *g->sorted);
    const bool good = g->keys != NULL && g->members != NULL && g->sorted != NULL;
    g->members_capacity = good ? count : 0;
    return good;
}

void group_free(store_group *g) {
    free(g->sums);
    free(g->keys);
    free(g->members);
    free(g->sorted);
    free(g->rolled);
    *g = (store_group){.sums = NULL};
}

/* ---- Beginning ---- */

static int compare_places(const void *a, const void *b) {
    const store_entry *x = (*(grouped_batch *const *)a)->entry, *y = (*(grouped_batch *const *)b)->entry;
    if (x->collection != y->collection)
        return x->collection < y->collection ? -1 : 1;
    return strcmp(x->labels, y->labels);
}

static int compare_keys(const void *a, const void *b) {
    const store_entry *x = (*(grouped_batch *const *)a)->entry, *y = (*(grouped_batch *const *)b)->entry;
    if (x->keyed != y->keyed)
        return x->keyed ? -1 : 1;
    return memcmp(x->key.bytes, y->key.bytes, STORE_HASH_BYTES);
}

static void begin_sum(group_sum *u, int64_t collection, const char *label_text, const podium_collection *ready,
                      int64_t start, uint32_t period) {
    u->collection = collection;
    u->start = start;
    u->period = period;
    u->labels = label_text;
    u->ready = ready;
    u->number = 0;
    u->changed = false;
    podium_aggregate_init(ready, &u->aggregate);
}

/* One sum for all members of the same collection and labels */
static bool list_sums(store_group *g) {
    const int64_t start = g->policy->now - g->policy->now % g->policy->period;
    size_t places = 0;
    qsort(g->sorted, g->members_n, sizeof *g->sorted, compare_places);
    for (size_t i = 0; i < g->members_n; i++) {
        places += i == 0 || compare_places(&g->sorted[i - 1], &g->sorted[i]) != 0 ? 1 : 0;
        g->sorted[i]->sum = places - 1;
    }
    g->sums_n = 0;
    if (!reserve_sums(g, places))
        return false;
    for (size_t i = 0; i < g->members_n; i++) {
        const store_entry *e = g->sorted[i]->entry;
        if (g->sorted[i]->sum == g->sums_n)
            begin_sum(&g->sums[g->sums_n++], e->collection, e->labels, e->ready, start, g->policy->period);
    }
    return true;
}

static void list_keys(store_group *g) {
    g->keys_n = 0;
    qsort(g->sorted, g->members_n, sizeof *g->sorted, compare_keys);
    for (size_t i = 0; i < g->members_n && g->sorted[i]->entry->keyed; i++) {
        if (i == 0 || compare_keys(&g->sorted[i - 1], &g->sorted[i]) != 0)
            g->keys[g->keys_n++] = (group_key){.hash = g->sorted[i]->entry->key};
        g->sorted[i]->key = g->keys_n - 1;
    }
}

bool group_begin(store_group *g, store_entry *const *entries, size_t count, const store_policy *policy) {
    g->policy = policy;
    g->members_n = g->sums_n = g->keys_n = 0;
    if (!reserve_members(g, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        g->members[i] = (grouped_batch){.entry = entries[i]};
        g->sorted[i] = &g->members[i];
    }
    g->members_n = count;
    if (!list_sums(g))
        return false;
    list_keys(g);
    return true;
}

bool group_load(group_sum *u, int64_t number, const unsigned char *state, size_t n) {
    u->number = number;
    return podium_aggregate_decode(u->ready, &u->aggregate, state, n) == PODIUM_OK;
}

void group_know(group_key *k, const unsigned char *body, size_t n, int64_t accepted, int64_t refused) {
    k->known = true;
    k->accepted = (uint64_t)accepted;
    k->refused = (uint64_t)refused;
    if (n == STORE_HASH_BYTES)
        memcpy(k->body.bytes, body, n);
}

static int compare_with_key(const void *hash, const void *key) {
    return memcmp(hash, ((const group_key *)key)->hash.bytes, STORE_HASH_BYTES);
}

group_key *group_find_key(store_group *g, const unsigned char hash[STORE_HASH_BYTES]) {
    return bsearch(hash, g->keys, g->keys_n, sizeof *g->keys, compare_with_key);
}

/* ---- Adding up ---- */

/* Adds the entry to its sum, and says in the entry how many reports that were. */
static podium_status add_to_sum(store_entry *e, group_sum *u) {
    podium_aggregate *a = &u->aggregate;
    const uint64_t count = podium_aggregate_count(a), refused = podium_aggregate_refused(a);
    const podium_status status =
        e->batch == NULL ? podium_aggregate_merge(a, e->state) : batch_add_to(e->ready, a, e->batch);
    e->accepted = podium_aggregate_count(a) - count;
    e->refused = podium_aggregate_refused(a) - refused;
    u->changed |= e->accepted > 0 || e->refused > 0;
    return status;
}

static void repeat_answer(store_entry *e, const group_key *k) {
    e->outcome = memcmp(k->body.bytes, e->body.bytes, STORE_HASH_BYTES) == 0 ? STORE_DUPLICATE : STORE_KEY_REUSED;
    e->accepted = k->accepted;
    e->refused = k->refused;
}

static void remember(group_key *k, const store_entry *e) {
    k->known = k->added = true;
    k->body = e->body;
    k->accepted = e->accepted;
    k->refused = e->refused;
}

/* Returns how many keys the store gets: 0 or 1. */
static uint64_t add_member(store_group *g, const grouped_batch *m, uint64_t stored) {
    store_entry *e = m->entry;
    group_key *k = e->keyed ? &g->keys[m->key] : NULL;
    if (k != NULL && k->known)
        repeat_answer(e, k);
    else if (k != NULL && stored >= g->policy->keys_max)
        e->outcome = STORE_KEYS_FULL;
    else if (add_to_sum(e, &g->sums[m->sum]) != PODIUM_OK)
        e->outcome = STORE_AGGREGATE_FULL;
    else {
        e->outcome = STORE_COUNTED;
        if (k != NULL)
            remember(k, e);
        return k != NULL ? 1 : 0;
    }
    return 0;
}

uint64_t group_add(store_group *g, uint64_t stored) {
    uint64_t added = 0;
    for (size_t i = 0; i < g->members_n; i++)
        added += add_member(g, &g->members[i], stored + added);
    return added;
}

bool group_keeps(const store_group *g, const store_entry *e) {
    return g->policy->keep_reports && e->outcome == STORE_COUNTED && e->batch != NULL &&
           e->batch->reports_n + e->batch->cells_n > 0;
}

/* ---- Rolling up ---- */

void group_roll_begin(store_group *g) {
    g->sums_n = g->rolled_n = 0;
}

/* The sum of the day with these labels, which is the last one if there is one, because rows come in the order of labels
 */
static group_sum *day_of(store_group *g, const roll_place *place, const char *label_text) {
    if (g->sums_n > 0 && strcmp(g->sums[g->sums_n - 1].labels, label_text) == 0)
        return &g->sums[g->sums_n - 1];
    char *copy = strdup(label_text);
    if (copy == NULL || !reserve_sums(g, g->sums_n + 1)) {
        free(copy);
        return NULL;
    }
    begin_sum(&g->sums[g->sums_n], place->collection, copy, place->ready, place->day, DAY);
    return &g->sums[g->sums_n++];
}

static bool add_rolled(store_group *g, int64_t number) {
    if (g->rolled_n == g->rolled_capacity) {
        const size_t capacity = 2 * g->rolled_capacity + 24;
        int64_t *grown = realloc(g->rolled, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        g->rolled = grown;
        g->rolled_capacity = capacity;
    }
    g->rolled[g->rolled_n++] = number;
    return true;
}

bool group_roll(store_group *g, const roll_place *place, const store_row *row, int64_t number) {
    podium_aggregate stored;
    group_sum *u = day_of(g, place, row->labels);
    if (u == NULL || podium_aggregate_decode(place->ready, &stored, row->state, row->n) != PODIUM_OK ||
        podium_aggregate_merge(&u->aggregate, &stored) != PODIUM_OK)
        return false;
    if (row->period == DAY) {
        u->number = number;
        return true;
    }
    u->changed = true;
    return add_rolled(g, number);
}

void group_roll_end(store_group *g) {
    for (size_t i = 0; i < g->sums_n; i++)
        free((char *)(uintptr_t)g->sums[i].labels);
    group_roll_begin(g);
}

/* ---- Kept reports ---- */

static void put(unsigned char *bytes, uint64_t x, size_t n) {
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(x >> (8 * i));
}

unsigned char *batch_encode(const batch *b, size_t *reports_n, size_t *codes_n) {
    enum { REPORT_BYTES = 8, CODE_BYTES = 4 };
    *reports_n = REPORT_BYTES * b->reports_n;
    *codes_n = CODE_BYTES * b->cells_n;
    unsigned char *bytes = malloc(*reports_n + *codes_n + 1);
    for (size_t i = 0; bytes != NULL && i < b->reports_n; i++) {
        uint64_t bits;
        memcpy(&bits, &b->reports[i], sizeof bits);
        put(bytes + REPORT_BYTES * i, bits, REPORT_BYTES);
    }
    for (size_t i = 0; bytes != NULL && i < b->cells_n; i++)
        put(bytes + *reports_n + CODE_BYTES * i, b->cells[i], CODE_BYTES);
    return bytes;
}

/* ---- Collections ---- */

bool store_same_spec(store *s, const char *name, const char *known, const char *spec) {
    if (strcmp(known, spec) == 0)
        return true;
    snprintf(s->message, sizeof s->message,
             "the collection '%s' was '%.128s' and is '%.128s' now; give the new one another name", name, known, spec);
    return false;
}
