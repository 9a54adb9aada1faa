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
#include "internal.h"

#include <math.h>

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

/* Could `inside` of n reports be in the cells from first to end? `chance` is ln(1/probability) of what is impossible.
 */
static bool is_possible(const podium_collection *collection, double inside, double n, double first, double end,
                        double chance) {
    const double share = inside / n, wrong = fmax(WRONG_LEAST / n, WRONG_SHARE);
    mass_limits limits = limits_of(collection, first, end);
    if (share - limits.most >= wrong)
        return n * divergence(share, limits.most) <= chance;
    if (limits.least - share >= wrong)
        return n * divergence(share, limits.least) <= chance;
    return true;
}

/* Each bin, and the bins up to it */
static bool bins_are_possible(const podium_aggregate *a, const podium_collection *collection, double chance) {
    const double n = (double)a->count;
    double up_to = 0;
    for (uint32_t b = 0; b < a->bin_count; b++) {
        const podium_cell_range cells = podium_bin_cells(collection, b, a->bin_bits);
        const double inside = (double)a->bins[b];
        up_to += inside;
        if (cells.first == cells.end)
            continue;
        if (!is_possible(collection, inside, n, (double)cells.first, (double)cells.end, chance) ||
            !is_possible(collection, up_to, n, 0, (double)cells.end, chance))
            return false;
    }
    return true;
}

/* All but the first k bins and the last k: where the noise does not go, the reports in the middle are too many. */
static bool middle_is_possible(const podium_aggregate *a, const podium_collection *collection, double chance) {
    const double n = (double)a->count;
    double inside = n;
    for (uint32_t k = 1; k < a->bin_count - k; k++) {
        inside -= (double)a->bins[k - 1] + (double)a->bins[a->bin_count - k];
        const podium_cell_range first = podium_bin_cells(collection, k, a->bin_bits);
        const podium_cell_range behind = podium_bin_cells(collection, a->bin_count - k, a->bin_bits);
        if (first.first == first.end || behind.first == behind.end) /* amid cells that are counted together */
            continue;
        if (!is_possible(collection, inside, n, (double)first.first, (double)behind.first, chance))
            return false;
    }
    return true;
}

podium_status podium_aggregate_check(const podium_aggregate *aggregate, const podium_collection *collection) {
    if (!podium_aggregate_fits(aggregate, collection))
        return PODIUM_FINGERPRINT_WRONG;
    if (aggregate->refused >= WRONG_LEAST && aggregate->refused > aggregate->count)
        return PODIUM_NOT_REPORTS;
    if (aggregate->count == 0)
        return PODIUM_OK;
    const double chance = log(6.0 * aggregate->bin_count / FALSE_ALARM); /* too many or too few, in three families */
    const bool possible = bins_are_possible(aggregate, collection, chance) &&
                          (collection->pair_coin != 0 || middle_is_possible(aggregate, collection, chance));
    return possible ? PODIUM_OK : PODIUM_NOT_REPORTS;
}
