/*
 * How often the interval of a difference covers the true one, and how p-values are distributed where there is none.
 *
 * The values of one group are the smaller of two uniform numbers (mean 1/3), those of the other are uniform (mean 1/2);
 * the groups have 400 and 250 people. The test is seeded. The number of collections whose normal interval covers the
 * difference is binomial, and deviates by more than 5.2 standard deviations once in 5e6. By the inequality of
 * Dvoretzky, Kiefer and Wolfowitz, the shares of the p-values up to x deviate from x by more than PS at any x less than
 * once in 1e8. So a dozen mechanisms together raise a false alarm less than once in 3e5. What having only some hundred
 * reports costs is allowed in addition, as in coverage.c.
 *
 * The guaranteed interval must cover at least as often as it says, and its p-values must not be too small, without any
 * allowance but that of chance. The power of a planned difference is binomial as well.
 */
#include "support.h"

#include <math.h>

#define LARGER 400
#define SMALLER 250
#define COLLECTIONS 20000
#define CONFIDENCE 0.95
#define SIGMAS 5.2
#define PS 0.0219 /* sqrt(ln(2e8)/(2 COLLECTIONS)) */
#define SMALL_N 0.004

enum { BELOW = 100 }; /* p-values are counted up to each hundredth */

static podium_aggregate collected(const podium_collection *collection, uint64_t *seed, size_t n, bool skewed) {
    podium_random random = seeded_random(seed);
    podium_aggregate aggregate;
    double values[LARGER];
    uint32_t cells[LARGER];
    for (size_t i = 0; i < n; i++)
        values[i] = fmin(seeded_uniform(seed), skewed ? seeded_uniform(seed) : 1);
    podium_aggregate_init(collection, &aggregate);
    if (podium_privatize_cells(collection, &random, cells, values, n) != PODIUM_OK ||
        podium_aggregate_add_cells(collection, &aggregate, cells, n) != PODIUM_OK)
        abort();
    return aggregate;
}

/* Values at the ends of the range, of which a share `upper` is at the upper end */
static podium_aggregate at_the_ends(const podium_collection *collection, uint64_t *seed, double upper) {
    podium_random random = seeded_random(seed);
    podium_aggregate aggregate;
    double values[LARGER];
    uint32_t cells[LARGER];
    for (size_t i = 0; i < LARGER; i++)
        values[i] = seeded_uniform(seed) < upper;
    podium_aggregate_init(collection, &aggregate);
    if (podium_privatize_cells(collection, &random, cells, values, LARGER) != PODIUM_OK ||
        podium_aggregate_add_cells(collection, &aggregate, cells, LARGER) != PODIUM_OK)
        abort();
    return aggregate;
}

static podium_difference difference_of(const podium_collection *collection, const podium_aggregate *a,
                                       const podium_aggregate *b, podium_interval interval) {
    podium_difference difference;
    const podium_question question = {.confidence = CONFIDENCE, .interval = interval, .population = true};
    if (podium_difference_make(collection, &difference, a, b, &question) != PODIUM_OK)
        abort();
    return difference;
}

static bool covers(const podium_difference *d, double truth) {
    return d->lower <= truth && truth <= d->upper;
}

/* Returns whether the shares of collections whose intervals cover the difference are what they should be. */
static bool measure_coverage(const podium_collection *c, const char *name, uint64_t *seed) {
    const double truth = 1 / 3.0 - 1 / 2.0;
    int normal = 0, guaranteed = 0;
    for (int i = 0; i < COLLECTIONS; i++) {
        const podium_aggregate a = collected(c, seed, LARGER, true), b = collected(c, seed, SMALLER, false);
        const podium_difference d = difference_of(c, &a, &b, PODIUM_INTERVAL_NORMAL);
        normal += covers(&d, truth);
        if (i % 20 == 0) { /* because it takes longer, and is far from the limit */
            const podium_difference sure = difference_of(c, &a, &b, PODIUM_INTERVAL_GUARANTEED);
            guaranteed += 20 * covers(&sure, truth);
        }
    }
    const double share = (double)normal / COLLECTIONS, sure = (double)guaranteed / COLLECTIONS;
    const double allowed = SMALL_N + SIGMAS * sqrt(CONFIDENCE * (1 - CONFIDENCE) / COLLECTIONS);
    const bool good = fabs(share - CONFIDENCE) <= allowed && sure >= CONFIDENCE;
    printf("%s: the normal interval covers %.2f%% (95%% +- %.2f%%), the guaranteed one %.2f%%%s\n", name, 100 * share,
           100 * allowed, 100 * sure, good ? "" : ": FAILED");
    return good;
}

/* Returns whether the p-values of groups that do not differ are spread evenly. */
static bool measure_p_values(const podium_collection *c, const char *name, uint64_t *seed) {
    int up_to[BELOW + 1] = {0}, small = 0;
    double worst = 0;
    for (int i = 0; i < COLLECTIONS; i++) {
        const podium_aggregate a = collected(c, seed, LARGER, true), b = collected(c, seed, SMALLER, true);
        const double p = difference_of(c, &a, &b, PODIUM_INTERVAL_NORMAL).p_value;
        for (int j = (int)ceil(p * BELOW); j <= BELOW; j++)
            up_to[j]++;
        if (i % 100 == 0)
            small += difference_of(c, &a, &b, PODIUM_INTERVAL_GUARANTEED).p_value <= 0.05;
    }
    for (int j = 0; j <= BELOW; j++)
        worst = fmax(worst, fabs((double)up_to[j] / COLLECTIONS - (double)j / BELOW));
    const bool good = worst <= PS + SMALL_N && small <= 0.05 * COLLECTIONS / 100;
    printf("%s: shares of p-values deviate by %.4f (at most %.4f); %d guaranteed ones are small%s\n", name, worst,
           PS + SMALL_N, small, good ? "" : ": FAILED");
    return good;
}

/* Returns whether a difference is found as often as planned. The values are at both ends of the range, where they have
   the largest spread and Podium has the largest noise, so the plan is not too careful. */
static bool measure_power(uint64_t *seed) {
    enum { GROUPS = 2, SAMPLES = 4000 };
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 1);
    const double power = 0.8;
    double within, difference;
    if (podium_plan_error(&c, &within, LARGER, 0.25, CONFIDENCE) != PODIUM_OK ||
        podium_plan_difference(&difference, within, GROUPS, CONFIDENCE, power) != PODIUM_OK)
        abort();
    int found = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const podium_aggregate a = at_the_ends(&c, seed, 0.5 - difference / 2);
        const podium_aggregate b = at_the_ends(&c, seed, 0.5 + difference / 2);
        found += difference_of(&c, &a, &b, PODIUM_INTERVAL_NORMAL).p_value <= 1 - CONFIDENCE;
    }
    const double share = (double)found / SAMPLES, allowed = 0.01 + SIGMAS * sqrt(power * (1 - power) / SAMPLES);
    const bool good = fabs(share - power) <= allowed;
    printf("a difference of %.3f is found in %.1f%% (80%% +- %.1f%%)%s\n", difference, 100 * share, 100 * allowed,
           good ? "" : ": FAILED");
    return good;
}

int main(void) {
    uint64_t seed = 44;
    bool good = measure_power(&seed);
    FOR_EACH_MECHANISM (m) {
        const podium_collection collection = collection_of(m, 1, 0, 1);
        good &= measure_coverage(&collection, podium_mechanism_name(m), &seed);
        good &= measure_p_values(&collection, podium_mechanism_name(m), &seed);
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
