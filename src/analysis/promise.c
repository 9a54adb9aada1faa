/* Promise: what epsilon means, for people who have to decide whether to report. */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

/* ---- Odds ---- */

/* The largest epsilon of each strength but the last */
static const double strength_most[] = {1, 2, 5};

podium_strength podium_strength_of(double epsilon) {
    unsigned strength = 0;
    while (strength < sizeof strength_most / sizeof *strength_most && !(epsilon <= strength_most[strength]))
        strength++;
    return (podium_strength)strength;
}

const char *podium_strength_name(podium_strength strength) {
    static const char *const names[] = {"strong", "moderate", "weak", "nominal"};
    return (unsigned)strength < sizeof names / sizeof *names ? names[strength] : "unknown";
}

/* Bayes' theorem: a report multiplies the odds p/(1 - p) by the ratio of its two probabilities. The forms do not
   overflow, and keep their digits for a prior near 0. */
podium_status podium_promise_make(podium_promise *promise, double epsilon, double prior) {
    if (!(epsilon > 0 && epsilon <= PODIUM_EPSILON_MAX_SHAPE) || !(prior > 0 && prior < 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    const double other = 1 - prior, b = exp(-epsilon);
    *promise = (podium_promise){.epsilon = epsilon,
                                .factor = exp(epsilon),
                                .prior = prior,
                                .least = prior * b / (prior * b + other),
                                .most = prior / (prior + other * b),
                                .strength = podium_strength_of(epsilon)};
    return PODIUM_OK;
}

/* ---- What reports look like ---- */

typedef struct {
    double least, most; /* the worths of the reports in a bin */
    double mass;
} span_bin;

static int by_worth(const void *a, const void *b) {
    const double x = ((const span_bin *)a)->least, y = ((const span_bin *)b)->least;
    return x < y ? -1 : x > y;
}

/* Fills in the bins of an aggregate that have reports, in the order of their worths. Returns how many there are. */
static size_t bins_fill(span_bin bins[PODIUM_BINS_MAX], const podium_layout *c, double place) {
    podium_sums empty;
    size_t count = 0;
    podium_sums_init(&empty, c);
    for (uint32_t b = 0; b < empty.bin_count; b++) {
        uint64_t least, most;
        if (!podium_bin_worths(c, b, empty.bin_bits, &least, &most))
            continue;
        const podium_cell_range cells = podium_map_of(c)->bin(c, b, empty.bin_bits);
        const double mass = podium_mass_between(c, place, (double)cells.first, (double)cells.end);
        bins[count++] = (span_bin){(double)least, (double)most, mass};
    }
    qsort(bins, count, sizeof *bins, by_worth);
    return count;
}

/* The worth below which a share p of the reports lies, linear within a bin */
static double worth_below(const span_bin *bins, size_t count, double p) {
    double before = 0;
    for (size_t i = 0; i < count; i++) {
        if (before + bins[i].mass >= p && bins[i].mass > 0)
            return bins[i].least + (bins[i].most - bins[i].least) * fmax(0, p - before) / bins[i].mass;
        before += bins[i].mass;
    }
    return bins[count - 1].most;
}

podium_status podium_collection_span(const podium_collection *collection, podium_limits *span, double x, double share) {
    const podium_layout *c = podium_layout_of(collection);
    span_bin bins[PODIUM_BINS_MAX];
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    if (isnan(x) || !(share > 0 && share < 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    const size_t count = bins_fill(bins, c, podium_place(c, fmin(fmax(x, c->spec.min), c->spec.max)));
    span->lower = c->first + c->spacing * worth_below(bins, count, (1 - share) / 2);
    span->upper = c->first + c->spacing * worth_below(bins, count, (1 + share) / 2);
    return PODIUM_OK;
}
