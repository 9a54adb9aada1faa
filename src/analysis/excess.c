/*
 * Excess: bins with more reports than honest people can have sent.
 *
 * For every value, the probability of a report in a bin is at most some p. So h honest people have sent,
 * stochastically, at most a binomial number of them with h and p, and by Chernoff's bound more than T(h) with a
 * probability of at most that of a false alarm, shared by all bins; T grows with h. Of n reports let k be dishonest.
 * Then h = n - k, and what is above T(n - k) in the bins is dishonest:
 *
 *     k >= sum over the bins of (reports - T(n - k)), where that is positive.
 *
 * From k >= 0 follows a first bound, from that a larger one, and so on; each of them holds.
 *
 * Nothing says which reports of a bin are the dishonest ones, nor how many hide below T. So what is left after trimming
 * is not T, which honest people reach once in 1e9 collections, but p (n - k), the most that they send on average.
 */
#include "analysis/analysis.h"
#include "analysis/sum.h"

#include <math.h>

#define ROUNDING 1e-9 /* the masses of bins are known at least so exactly, in relation to them */

typedef struct {
    double greatest[PODIUM_BINS_MAX]; /* mass of each bin */
    uint64_t most[PODIUM_BINS_MAX];   /* reports of honest people in it */
    uint64_t people;                  /* at most so many are honest */
    double chance;                    /* probabilities below e^-chance count as impossible */
} honest;

/* The most reports of h honest people in a bin with this greatest mass */
static uint64_t most_of(double mass, uint64_t h, double chance) {
    if (mass >= 1 || h == 0)
        return h;
    uint64_t low = (uint64_t)fmin(ceil(mass * (double)h), (double)h), high = h;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if ((double)h * podium_divergence((double)middle / (double)h, mass) <= chance)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void masses_fill(honest *all, const podium_sums *a, const podium_layout *c) {
    all->chance = log(a->bin_count / PODIUM_FALSE_ALARM);
    for (uint32_t b = 0; b < a->bin_count; b++) {
        const podium_cell_range cells = podium_map_of(c)->bin(c, b, a->bin_bits);
        const bool counted = cells.first < cells.end;
        const double mass = counted ? podium_mass_limits_of(c, (double)cells.first, (double)cells.end).most : 1;
        all->greatest[b] = fmin(mass * (1 + ROUNDING), 1);
    }
}

/* Sets what h honest people have sent at most, and returns how many reports are above that. */
static uint64_t above(honest *all, const podium_sums *a, uint64_t h) {
    uint64_t sum = 0;
    all->people = h;
    for (uint32_t b = 0; b < a->bin_count; b++) {
        all->most[b] = most_of(all->greatest[b], h, all->chance);
        sum += a->bins[b] > all->most[b] ? a->bins[b] - all->most[b] : 0;
    }
    return sum;
}

/* Each round raises the bound. It may converge slowly, and what later rounds would add is small. */
static uint64_t honest_set(honest *all, const podium_sums *a, const podium_layout *c) {
    enum { ROUNDS = 50 };
    uint64_t dishonest = 0;
    masses_fill(all, a, c);
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t more = above(all, a, a->count - dishonest);
        if (more <= dishonest)
            break;
        dishonest = more;
    }
    return dishonest;
}

/* The least and the greatest report of the cells of a bin */
static podium_status span_of(const podium_collection *collection, podium_excess *e, podium_cell_range cells) {
    const uint32_t ends[2] = {(uint32_t)cells.first, (uint32_t)(cells.end - 1)};
    double reports[2];
    const podium_status status = podium_collection_reports(collection, reports, ends, 2);
    e->low = fmin(reports[0], reports[1]);
    e->high = fmax(reports[0], reports[1]);
    return status;
}

static podium_status is_checkable(const podium_sums *a, const podium_layout *c) {
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    return podium_sums_fit(a, c) ? PODIUM_OK : PODIUM_ERROR_FINGERPRINT_WRONG;
}

podium_status podium_aggregate_excess(const podium_collection *collection, podium_excess *excess, size_t capacity,
                                      size_t *found, const podium_aggregate *aggregate) {
    const podium_layout *c = podium_layout_of(collection);
    const podium_sums *a = podium_sums_of(aggregate);
    honest all;
    podium_status status = is_checkable(a, c);
    if (status != PODIUM_OK)
        return status;
    honest_set(&all, a, c);
    *found = 0;
    for (uint32_t b = 0; b < a->bin_count && status == PODIUM_OK; b++) {
        if (a->bins[b] <= all.most[b])
            continue;
        if ((*found)++ >= capacity)
            continue;
        podium_excess *e = &excess[*found - 1];
        *e = (podium_excess){.count = a->bins[b], .most = all.most[b]};
        status = span_of(collection, e, podium_map_of(c)->bin(c, b, a->bin_bits));
    }
    return status;
}

/* How many reports a bin keeps: all, if there are not too many */
static uint64_t kept_of(const honest *all, const podium_sums *a, uint32_t b) {
    if (a->bins[b] <= all->most[b])
        return a->bins[b];
    const uint64_t mean = (uint64_t)ceil(all->greatest[b] * (double)all->people);
    return mean < all->most[b] ? mean : all->most[b];
}

/* Nobody knows which cells of a bin the surplus was in, unless the bin has only one. So it is taken out at the middle
   of the bin's worths, which errs least, or as near to it as leaves sums that reports can lead to. In eighths: */
static const unsigned parts[] = {4, 5, 3, 6, 2, 7, 1, 8, 0};

static void removed_set(podium_aggregate *removed, const honest *all, const podium_sums *a, const podium_layout *c,
                        unsigned part) {
    podium_sums *r = podium_sums_in(removed);
    podium_sums_init(r, c);
    for (uint32_t b = 0; b < a->bin_count; b++) {
        uint64_t least = 0, most = 0;
        const uint64_t n = a->bins[b] - kept_of(all, a, b);
        if (n == 0 || !podium_bin_worths(c, b, a->bin_bits, &least, &most))
            continue;
        const uint64_t worth = least + (most - least) * part / 8;
        r->bins[b] = n;
        r->count += n;
        podium_sum_add(&r->sum, podium_product(n, worth));
        podium_sum_add(&r->squares, podium_product(n, worth * worth));
    }
}

static podium_trimmed trimmed_of(const honest *all, const podium_sums *a, uint64_t dishonest) {
    podium_trimmed t = {.dishonest = dishonest};
    for (uint32_t b = 0; b < a->bin_count; b++)
        if (a->bins[b] > all->most[b]) {
            const uint64_t kept = kept_of(all, a, b);
            t.suspect += kept;
            t.removed += a->bins[b] - kept;
        }
    return t;
}

podium_status podium_aggregate_trim(const podium_collection *collection, podium_aggregate *aggregate,
                                    podium_trimmed *trimmed) {
    const podium_layout *c = podium_layout_of(collection);
    podium_aggregate removed;
    honest all;
    podium_status status = is_checkable(podium_sums_of(aggregate), c);
    if (status != PODIUM_OK)
        return status;
    const uint64_t dishonest = honest_set(&all, podium_sums_of(aggregate), c);
    *trimmed = trimmed_of(&all, podium_sums_of(aggregate), dishonest);
    if (dishonest == 0)
        return PODIUM_OK;
    memset(&removed, 0, sizeof removed);
    status = PODIUM_ERROR_NEVER_ADDED;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == PODIUM_ERROR_NEVER_ADDED; i++) {
        removed_set(&removed, &all, podium_sums_of(aggregate), c, parts[i]);
        status = podium_aggregate_subtract(collection, aggregate, &removed);
    }
    return status == PODIUM_ERROR_NEVER_ADDED ? PODIUM_ERROR_NOT_REPORTS : status;
}
