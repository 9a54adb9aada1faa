/*
 * How often the intervals cover the mean of the values, and the mean of the population from which the values come.
 *
 * The values are the smaller of two uniform numbers (Beta(1, 2), mean 1/3), 500 in each collection. The test is seeded.
 * The number of collections whose normal interval covers the mean of the population is binomial. It deviates by more
 * than 5.2 standard deviations once in 5e6, so a dozen mechanisms together raise a false alarm less than once in 4e5. A
 * deviation that is due to having only 500 reports is allowed in addition: using a normal quantile instead of Student's
 * costs 0.055% at 95%, and skewness and kurtosis cost about as much, of the order 1/n; 0.2% is allowed for both.
 *
 * The guaranteed intervals must cover at least as often as they say, without any allowance. Those for two outputs are
 * so narrow that they cover hardly more often, so they may fall short by 5.2 standard deviations.
 */
#include "support.h"

#include <math.h>

#define VALUES 500
#define COLLECTIONS 100000
#define CONFIDENCE 0.95
#define SIGMAS 5.2
#define SMALL_N 0.002

static const double population_mean = 1 / 3.0;

typedef struct {
    podium_aggregate aggregate;
    double mean; /* of the values */
} collected;

static void collect(collected *all, const podium_collection *collection, uint64_t *seed) {
    podium_random random = seeded_random(seed);
    double values[VALUES];
    uint32_t cells[VALUES];
    all->mean = 0;
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = fmin(seeded_uniform(seed), seeded_uniform(seed));
        all->mean += values[i] / VALUES;
    }
    podium_aggregate_init(collection, &all->aggregate);
    if (podium_privatize_cells(collection, &random, cells, values, VALUES) != PODIUM_OK ||
        podium_aggregate_add_cells(collection, &all->aggregate, cells, VALUES) != PODIUM_OK)
        abort();
}

enum { NORMAL, PEOPLE, POPULATION, QUESTIONS };

static bool covers(const podium_collection *collection, const collected *all, const podium_question *question) {
    static podium_summary summary;
    const double truth = question->population ? population_mean : all->mean;
    if (podium_summary_make(collection, NULL, &summary, &all->aggregate, question) != PODIUM_OK)
        abort();
    return summary.lower <= truth && truth <= summary.upper;
}

static bool measure(podium_mechanism mechanism, uint64_t *seed) {
    podium_collection collection = collection_of(mechanism, 1, 0, 1);
    podium_bounds bounds;
    collected all;
    double share[QUESTIONS] = {0};
    if (podium_bounds_init(&collection, &bounds) != PODIUM_OK)
        abort();
    const podium_question questions[QUESTIONS] = {
        [NORMAL] = {.confidence = CONFIDENCE, .population = true},
        [PEOPLE] = {.confidence = CONFIDENCE, .interval = PODIUM_INTERVAL_GUARANTEED, .bounds = &bounds},
        [POPULATION] = {.confidence = CONFIDENCE,
                        .interval = PODIUM_INTERVAL_GUARANTEED,
                        .bounds = &bounds,
                        .population = true},
    };
    for (int i = 0; i < COLLECTIONS; i++) {
        collect(&all, &collection, seed);
        for (int q = 0; q < QUESTIONS; q++)
            share[q] += (double)covers(&collection, &all, &questions[q]) / COLLECTIONS;
    }
    const double chance = SIGMAS * sqrt(CONFIDENCE * (1 - CONFIDENCE) / COLLECTIONS), allowed = SMALL_N + chance;
    const double least = CONFIDENCE - (podium_collection_tells_spread(&collection) ? 0 : chance);
    bool good = fabs(share[NORMAL] - CONFIDENCE) <= allowed && share[PEOPLE] >= least && share[POPULATION] >= least;
    printf("%s: of %d collections the normal interval covers %.2f%% (95%% +- %.2f%%), the guaranteed ones %.2f%% "
           "(these people) and %.2f%% (population)%s\n",
           podium_mechanism_name(mechanism), COLLECTIONS, 100 * share[NORMAL], 100 * allowed, 100 * share[PEOPLE],
           100 * share[POPULATION], good ? "" : ": FAILED");
    return good;
}

int main(void) {
    uint64_t seed = 21;
    bool good = true;
    FOR_EACH_MECHANISM (m)
        good &= measure(m, &seed);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
