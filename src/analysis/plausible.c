/*
 * Plausible: could an aggregate consist of reports of this collection? Raw values, reports of another collection and
 * clamped reports would lead to confident but wrong answers. They can be detected, because reports must follow the
 * distribution of the noise.
 *
 * For all values, the probability that a report falls into an interval of cells has a minimum and a maximum. So the
 * number of reports in it lies, stochastically, between two binomial variables. By Chernoff's bound (or Hoeffding's,
 * because the reports are not identically distributed) a share above the maximum p, or below the minimum p, has a
 * probability of at most e^(-n KL(share, p)). Three families of intervals are checked: each bin, all bins up to each
 * bin, and the bins between each bin and its mirror image. The first detects values that repeat, the others detect that
 * the noise beyond the range is missing.
 */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

/* A few dishonest devices must not stop a collection. So an interval is rejected only if it has at least this many
   reports, and this share of all reports, too many or too few. What fewer dishonest reports can do is bounded by
   podium_collection_influence. */
#define WRONG_LEAST 5
#define WRONG_SHARE 0.002

/* Honest reports are never refused, so a larger share of refused reports, and WRONG_LEAST of them, means that the
   others are not to be trusted either. */
#define REFUSED_SHARE 0.01

double podium_divergence(double a, double p) {
    double in = a == 0 ? 0 : a * log(a / p), out = a == 1 ? 0 : (1 - a) * log((1 - a) / (1 - p));
    return in + out;
}

/* The limits of all intervals, which depend only on the collection. An interval in which no report is counted has
   the limits 0 and 1. */
typedef struct {
    uint32_t bins;
    podium_mass_limits bin[PODIUM_BINS_MAX], up_to[PODIUM_BINS_MAX];
    podium_mass_limits middle[PODIUM_BINS_MAX]; /* of all bins except the first k and the last k */
} all_limits;

static const podium_mass_limits any = {0, 1};

static podium_mass_limits middle_limits(const podium_layout *c, const podium_sums *empty, uint32_t k) {
    if (k == 0 || k >= empty->bin_count - k || !podium_map_of(c)->has_middle)
        return any;
    const podium_cell_range first = podium_map_of(c)->bin(c, k, empty->bin_bits);
    const podium_cell_range behind = podium_map_of(c)->bin(c, empty->bin_count - k, empty->bin_bits);
    if (first.first == first.end || behind.first == behind.end) /* cuts a group counted as one */
        return any;
    return podium_mass_limits_of(c, (double)first.first, (double)behind.first);
}

static void limits_fill(all_limits *limits, const podium_layout *c) {
    podium_sums empty;
    podium_sums_init(&empty, c);
    limits->bins = empty.bin_count;
    for (uint32_t b = 0; b < empty.bin_count; b++) {
        const podium_cell_range cells = podium_map_of(c)->bin(c, b, empty.bin_bits);
        const bool counted = cells.first < cells.end;
        limits->bin[b] = counted ? podium_mass_limits_of(c, (double)cells.first, (double)cells.end) : any;
        limits->up_to[b] = counted ? podium_mass_limits_of(c, 0, (double)cells.end) : any;
        limits->middle[b] = middle_limits(c, &empty, b);
    }
}

/* Returns whether `inside` of n reports can be in an interval with these limits. Probabilities below e^-chance count
   as impossible. */
static bool is_possible(podium_mass_limits limits, double inside, double n, double chance) {
    const double share = inside / n, wrong = fmax(WRONG_LEAST / n, WRONG_SHARE);
    if (share - limits.most >= wrong)
        return n * podium_divergence(share, limits.most) <= chance;
    if (limits.least - share >= wrong)
        return n * podium_divergence(share, limits.least) <= chance;
    return true;
}

static bool bins_are_possible(const all_limits *limits, const podium_sums *a, double chance) {
    const double n = (double)a->count;
    double up_to = 0, middle = n;
    for (uint32_t b = 0; b < limits->bins; b++) {
        const double inside = (double)a->bins[b];
        up_to += inside;
        if (b > 0 && b < limits->bins - b)
            middle -= (double)a->bins[b - 1] + (double)a->bins[limits->bins - b];
        if (!is_possible(limits->bin[b], inside, n, chance) || !is_possible(limits->up_to[b], up_to, n, chance) ||
            !is_possible(limits->middle[b], middle, n, chance))
            return false;
    }
    return true;
}

static bool refused_is_possible(const podium_sums *a) {
    const double refused = (double)a->refused;
    return a->refused < WRONG_LEAST || refused <= REFUSED_SHARE * (refused + (double)a->count);
}

static bool is_plausible(const all_limits *limits, const podium_sums *a, double chance) {
    if (!refused_is_possible(a))
        return false;
    return a->count == 0 || bins_are_possible(limits, a, chance);
}

podium_status podium_aggregates_check(const podium_collection *collection, size_t *which,
                                      const podium_aggregate *const *aggregates, size_t count) {
    const podium_layout *c = podium_layout_of(collection);
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    for (size_t i = 0; i < count; i++)
        if (!podium_sums_fit(podium_sums_of(aggregates[i]), c)) {
            *which = i;
            return PODIUM_ERROR_FINGERPRINT_WRONG;
        }
    all_limits *limits = malloc(sizeof *limits);
    if (limits == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    limits_fill(limits, c);
    /* Two directions, three families, all bins and all aggregates share the rate of false alarms. */
    const double chance = log(6.0 * limits->bins * (double)count / PODIUM_FALSE_ALARM);
    size_t found = 0;
    while (found < count && is_plausible(limits, podium_sums_of(aggregates[found]), chance))
        found++;
    free(limits);
    if (found == count)
        return PODIUM_OK;
    *which = found;
    return PODIUM_ERROR_NOT_REPORTS;
}

podium_status podium_aggregate_check(const podium_collection *collection, const podium_aggregate *aggregate) {
    size_t which;
    return podium_aggregates_check(collection, &which, &aggregate, 1);
}
