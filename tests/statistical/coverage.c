/*
 * How often the intervals cover the mean of the population from which the values come.
 *
 * The values are the smaller of two uniform numbers (Beta(1, 2), mean 1/3), 500 in each collection. The test is seeded.
 * The number of collections whose normal interval covers the mean is binomial. It deviates by more than 5.2 standard
 * deviations once in 5e6, so a dozen mechanisms together raise a false alarm less than once in 4e5. A deviation that is
 * due to having only 500 reports is allowed in addition: using a normal quantile instead of Student's costs 0.055% at
 * 95%, and skewness and kurtosis cost about as much, of the order 1/n; 0.2% is allowed for both.
 *
 * The guaranteed interval must cover at least as often as it says, without any allowance, because it is far wider than
 * necessary.
 */
#include "support.h"

#include <math.h>

#define VALUES 500
#define COLLECTIONS 100000
#define CONFIDENCE 0.95
#define SIGMAS 5.2
#define SMALL_N 0.002

static const double truth = 1 / 3.0;

static podium_aggregate collected(const podium_collection *collection, uint64_t *seed) {
    podium_random random = seeded_random(seed);
    podium_aggregate aggregate;
    double values[VALUES];
    uint32_t cells[VALUES];
    for (size_t i = 0; i < VALUES; i++)
        values[i] = fmin(seeded_uniform(seed), seeded_uniform(seed));
    podium_aggregate_init(collection, &aggregate);
    if (podium_privatize_cells(collection, &random, cells, values, VALUES) != PODIUM_OK ||
        podium_aggregate_add_cells(collection, &aggregate, cells, VALUES) != PODIUM_OK)
        abort();
    return aggregate;
}

static bool covers(const podium_collection *collection, const podium_aggregate *aggregate, podium_interval interval) {
    static podium_summary summary;
    podium_question question = {.confidence = CONFIDENCE, .interval = interval};
    if (podium_summary_make(collection, NULL, &summary, aggregate, &question) != PODIUM_OK)
        abort();
    return summary.lower <= truth && truth <= summary.upper;
}

static bool measure(podium_mechanism mechanism, uint64_t *seed) {
    podium_collection collection = collection_of(mechanism, 1, 0, 1);
    int normal = 0, guaranteed = 0;
    for (int i = 0; i < COLLECTIONS; i++) {
        podium_aggregate aggregate = collected(&collection, seed);
        normal += covers(&collection, &aggregate, PODIUM_INTERVAL_NORMAL);
        guaranteed += covers(&collection, &aggregate, PODIUM_INTERVAL_GUARANTEED);
    }
    double share = (double)normal / COLLECTIONS, sure = (double)guaranteed / COLLECTIONS;
    double allowed = SMALL_N + SIGMAS * sqrt(CONFIDENCE * (1 - CONFIDENCE) / COLLECTIONS);
    bool good = fabs(share - CONFIDENCE) <= allowed && sure >= CONFIDENCE;
    printf("%s: of %d collections the normal interval covers %.2f%% (95%% +- %.2f%%), the guaranteed one %.2f%%%s\n",
           podium_mechanism_name(mechanism), COLLECTIONS, 100 * share, 100 * allowed, 100 * sure,
           good ? "" : ": FAILED");
    return good;
}

int main(void) {
    uint64_t seed = 21;
    bool good = true;
    FOR_EACH_MECHANISM (m)
        good &= measure(m, &seed);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
