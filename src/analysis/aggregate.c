/*
 * Aggregate: counts and exact integer sums of reports. Adding (add.c) and merging are integer additions, so that no
 * order, thread or machine changes a bit of the result.
 *
 * Nothing can overflow as long as the count is below 2^64. The worth of a cell is below 2^32, so the sum of n worths is
 * below 2^32 n, and the sum of their squares is below 2^64 n.
 */
#include "analysis/analysis.h"
#include "analysis/sum.h"

/* ---- Bins, and what an aggregate says of itself ---- */

static uint32_t bin_bits(uint64_t cells) {
    uint32_t bits = 0;
    while ((cells - 1) >> bits >= PODIUM_BINS_MAX)
        bits++;
    return bits;
}

static uint32_t bin_count(uint64_t cells) {
    return (uint32_t)((cells - 1) >> bin_bits(cells)) + 1;
}

/* Whether bin_bits and bin_count are those of a collection with that many cells. It has no loop, because
   podium_aggregate_add calls it each time, even for a single report. */
bool podium_bins_fit(const podium_sums *a, uint64_t cells) {
    const uint32_t bits = a->bin_bits, last = a->bin_count - 1;
    return bits < 64 && last < PODIUM_BINS_MAX && (cells - 1) >> bits == last &&
           (bits == 0 || (cells - 1) >> (bits - 1) >= PODIUM_BINS_MAX);
}

void podium_sums_init(podium_sums *sums, const podium_layout *c) {
    memset(sums, 0, sizeof *sums);
    memcpy(&sums->spec, &c->spec, sizeof sums->spec); /* with its gaps, which memcmp compares */
    sums->fingerprint = c->fingerprint;
    sums->bin_bits = bin_bits(c->cells);
    sums->bin_count = bin_count(c->cells);
}

void podium_aggregate_init(const podium_collection *collection, podium_aggregate *aggregate) {
    const podium_layout *c = podium_layout_of(collection);
    memset(aggregate, 0, sizeof *aggregate);
    if (podium_is_ready(c))
        podium_sums_init(podium_sums_in(aggregate), c);
}

bool podium_sums_fit(const podium_sums *sums, const podium_layout *c) {
    return sums->fingerprint == c->fingerprint && podium_bins_fit(sums, c->cells);
}

podium_spec podium_aggregate_spec(const podium_aggregate *aggregate) {
    return podium_sums_of(aggregate)->spec;
}

uint64_t podium_aggregate_fingerprint(const podium_aggregate *aggregate) {
    return podium_sums_of(aggregate)->fingerprint;
}

uint64_t podium_aggregate_count(const podium_aggregate *aggregate) {
    return podium_sums_of(aggregate)->count;
}

uint64_t podium_aggregate_refused(const podium_aggregate *aggregate) {
    return podium_sums_of(aggregate)->refused;
}

/* The number of refused reports stops at its largest value, so that a forged aggregate cannot block a total for good.
 */
void podium_sums_refuse(podium_sums *a, uint64_t n) {
    a->refused += UINT64_MAX - a->refused < n ? UINT64_MAX - a->refused : n;
}

/* ---- Merging, subtracting ---- */

static bool of_one_collection(const podium_sums *a, const podium_sums *b) {
    return a->fingerprint == b->fingerprint && a->bin_bits == b->bin_bits && a->bin_count == b->bin_count;
}

podium_status podium_aggregate_merge(podium_aggregate *aggregate, const podium_aggregate *added) {
    podium_sums *a = podium_sums_in(aggregate);
    const podium_sums *other = podium_sums_of(added);
    if (!of_one_collection(a, other))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (UINT64_MAX - a->count < other->count)
        return PODIUM_ERROR_AGGREGATE_FULL;
    a->count += other->count;
    podium_sums_refuse(a, other->refused);
    a->subtracted |= other->subtracted;
    podium_sum_add(&a->sum, other->sum);
    podium_sum_add(&a->squares, other->squares);
    for (uint32_t i = 0; i < a->bin_count; i++)
        a->bins[i] += other->bins[i];
    return PODIUM_OK;
}

/* No count may fall below 0. Otherwise a count and a bin of reports worth 0 could both wrap around, and would still
   agree with each other. */
static bool holds(const podium_sums *a, const podium_sums *other) {
    bool all = other->count <= a->count && other->refused <= a->refused;
    for (uint32_t i = 0; i < a->bin_count; i++)
        all &= other->bins[i] <= a->bins[i];
    return all;
}

podium_status podium_aggregate_subtract(const podium_collection *collection, podium_aggregate *aggregate,
                                        const podium_aggregate *removed) {
    const podium_layout *c = podium_layout_of(collection);
    const podium_sums *a = podium_sums_of(aggregate), *other = podium_sums_of(removed);
    if (!podium_sums_fit(a, c) || !of_one_collection(a, other))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (!holds(a, other))
        return PODIUM_ERROR_NEVER_ADDED;
    podium_sums left;
    memcpy(&left, a, sizeof left); /* with its padding, which memcmp compares */
    left.count -= other->count;
    left.refused -= other->refused;
    left.subtracted = left.count == 0 ? 0 : a->subtracted | (other->count > 0);
    left.sum = podium_sum_less(left.sum, other->sum);
    left.squares = podium_sum_less(left.squares, other->squares);
    for (uint32_t i = 0; i < left.bin_count; i++)
        left.bins[i] -= other->bins[i];
    /* This also rejects a sum that wrapped around, because it is larger than any possible one. */
    if (!podium_sums_possible(&left, c))
        return PODIUM_ERROR_NEVER_ADDED;
    memcpy(aggregate, &left, sizeof left);
    return PODIUM_OK;
}
