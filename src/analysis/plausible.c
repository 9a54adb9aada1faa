/*
 * Plausible: can what was added up be reports of this collection at all? Raw values, reports of another collection and
 * reports that somebody has clamped give confident nonsense; they show, because noise is a law that reports must obey.
 *
 * Whatever the values are, an interval of cells has a least and a greatest probability. So the number of reports in it
 * lies, stochastically, between two binomial variables, and by Chernoff's bound (Hoeffding's, for reports that are not
 * alike) a share above the greatest probability p, or below the least, is seen with a probability of at most
 * e^(-n KL(share, p)). Three families of intervals are looked at: each bin, the bins up to each, and the bins between
 * each and its mirror image. The first sees values that repeat, the others see that the noise beyond the range is
 * missing.
 */
#include "collection/internal.h"

#include <math.h>
#include <stdlib.h>

/* Honest reports are called impossible once in so many collections, or less often. */
#define FALSE_ALARM 1e-9

/* A few dishonest devices must not stop a collection: what is impossible must concern so many reports, and such a share
   of them. Their influence is bounded, and podium_collection_influence says by what. */
#define WRONG_LEAST 5
#define WRONG_SHARE 0.002

/* KL(a, p) = a ln(a/p) + (1 - a) ln((1 - a)/(1 - p)) */
static double divergence(double a, double p) {
    double in = a == 0 ? 0 : a * log(a / p), out = a == 1 ? 0 : (1 - a) * log((1 - a) / (1 - p));
    return in + out;
}

typedef struct {
    double least, most;
} mass_limits;

static double clamped(double x, double most) {
    return fmin(fmax(x, 0), most);
}

/*
 * The least and the greatest mass of an interval, over all places. The mass rises while the place comes nearer to it,
 * is greatest where the step (or the middle stair) lies inside it, covers it or has the same centre, and falls again:
 * so it is least at an end of the places. Hybrid's two halves each do so, and rise and fall together for the bins up to
 * one, but not for those in the middle. Two of its Piecewise cells are worth as much as Duchi's outputs, and read as
 * those; they may be that much of the mass. The factors 1 - 1e-6 and 1 + 1e-6 leave room for rounding.
 */
static mass_limits limits_of(const podium_collection *collection, double first, double end) {
    const double places = (double)collection->places, width = (double)collection->width;
    const double from = first - (double)collection->margin, to = end - (double)collection->margin - width;
    const double tried[] = {0, places, clamped(from, places), clamped(to, places), clamped((from + to) / 2, places)};
    const double misread = collection->pair_coin == 0 ? 0 : 1 / width;
    mass_limits limits = {1, 0};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        double mass = podium_mass_between(collection, tried[i], first, end);
        limits.most = fmax(limits.most, mass);
        limits.least = i < 2 ? fmin(limits.least, mass) : limits.least;
    }
    return (mass_limits){fmax(0, limits.least * (1 - 1e-6) - misread), fmin(1, limits.most * (1 + 1e-6) + misread)};
}

/* The limits of all intervals that are looked at: they depend on the collection alone. Those that no report is counted
   in have all limits. */
typedef struct {
    uint32_t bins;
    mass_limits bin[PODIUM_BINS_MAX], up_to[PODIUM_BINS_MAX];
    mass_limits middle[PODIUM_BINS_MAX]; /* all but the first k bins and the last k */
} all_limits;

static const mass_limits any = {0, 1};

/* Hybrid has no order of the cells for which a middle would make sense. */
static mass_limits middle_limits(const podium_collection *collection, const podium_aggregate *empty, uint32_t k) {
    if (k == 0 || k >= empty->bin_count - k || collection->pair_coin != 0)
        return any;
    const podium_cell_range first = podium_bin_cells(collection, k, empty->bin_bits);
    const podium_cell_range behind = podium_bin_cells(collection, empty->bin_count - k, empty->bin_bits);
    if (first.first == first.end || behind.first == behind.end) /* amid cells that are counted together */
        return any;
    return limits_of(collection, (double)first.first, (double)behind.first);
}

static void limits_fill(all_limits *limits, const podium_collection *collection) {
    podium_aggregate empty;
    podium_aggregate_init(&empty, collection);
    limits->bins = empty.bin_count;
    for (uint32_t b = 0; b < empty.bin_count; b++) {
        const podium_cell_range cells = podium_bin_cells(collection, b, empty.bin_bits);
        const bool counted = cells.first < cells.end;
        limits->bin[b] = counted ? limits_of(collection, (double)cells.first, (double)cells.end) : any;
        limits->up_to[b] = counted ? limits_of(collection, 0, (double)cells.end) : any;
        limits->middle[b] = middle_limits(collection, &empty, b);
    }
}

/* Could `inside` of n reports be in an interval? `chance` is ln(1/probability) of what counts as impossible. */
static bool is_possible(mass_limits limits, double inside, double n, double chance) {
    const double share = inside / n, wrong = fmax(WRONG_LEAST / n, WRONG_SHARE);
    if (share - limits.most >= wrong)
        return n * divergence(share, limits.most) <= chance;
    if (limits.least - share >= wrong)
        return n * divergence(share, limits.least) <= chance;
    return true;
}

static bool bins_are_possible(const all_limits *limits, const podium_aggregate *a, double chance) {
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

podium_status podium_aggregates_check(size_t *which, const podium_aggregate *const *aggregates, size_t count,
                                      const podium_collection *collection) {
    for (size_t i = 0; i < count; i++)
        if (!podium_aggregate_fits(aggregates[i], collection))
            return PODIUM_ERROR_FINGERPRINT_WRONG;
    all_limits *limits = malloc(sizeof *limits);
    if (limits == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    limits_fill(limits, collection);
    /* too many or too few, in three families, of all of them */
    const double chance = log(6.0 * limits->bins * (double)count / FALSE_ALARM);
    size_t found = 0;
    for (; found < count; found++) {
        const podium_aggregate *a = aggregates[found];
        if ((a->refused >= WRONG_LEAST && a->refused > a->count) ||
            (a->count > 0 && !bins_are_possible(limits, a, chance)))
            break;
    }
    free(limits);
    if (found == count)
        return PODIUM_OK;
    *which = found;
    return PODIUM_ERROR_NOT_REPORTS;
}

podium_status podium_aggregate_check(const podium_aggregate *aggregate, const podium_collection *collection) {
    size_t which;
    return podium_aggregates_check(&which, &aggregate, 1, collection);
}
