/*
 * Too few reports cannot tell the distribution of the values from an even one, and must say so: of 1,000 collections of
 * evenly spread values, for every mechanism and many epsilon and n, at most 5% may be called telling. And reports that
 * are many enough must be, or the test would be worth nothing.
 *
 * The test is made for 2.5%, and comes near to 4% for few reports of Laplace's at small epsilon. At a true rate of 3% a
 * count above 5% of 1,000 has a probability of 0.02%, at 4% one of 5%: with another seed one of the 216 rates would be
 * above 5% in about one run of ten.
 */
#include "support.h"

#define COLLECTIONS 1000
#define MOST 1000

static const double epsilons[] = {0.01, 0.3, 1, 2, 4, 12};
static const size_t sizes[] = {2, 50, 200, MOST};

static podium_channel *channel_of(const podium_collection *c) {
    podium_channel *channel;
    if (podium_channel_make(&channel, c, PODIUM_SHARES_FINE) != PODIUM_OK)
        abort();
    return channel;
}

/* How many of the collections are called telling. The values are spread evenly, or their square roots are. */
static unsigned telling(const podium_collection *c, const podium_channel *channel, size_t n, bool skewed,
                        unsigned collections, uint64_t *seed) {
    static double values[MOST];
    static uint32_t cells[MOST];
    static podium_distribution d;
    podium_random random = seeded_random(seed);
    unsigned found = 0;
    for (unsigned k = 0; k < collections; k++) {
        podium_aggregate a;
        for (size_t i = 0; i < n; i++) {
            double along = seeded_uniform(seed);
            values[i] = c->spec.min + (c->spec.max - c->spec.min) * along * (skewed ? along : 1);
        }
        podium_aggregate_init(&a, c);
        if (podium_privatize_cells(c, &random, cells, values, n) != PODIUM_OK ||
            podium_aggregate_add_cells(&a, c, cells, n) != PODIUM_OK ||
            podium_distribution_from(&d, channel, &a) != PODIUM_OK)
            abort();
        found += d.telling;
    }
    return found;
}

static int false_alarms(uint64_t *seed) {
    const unsigned most = COLLECTIONS / 20;
    unsigned rates = 0, all = 0, worst = 0;
    int failed = 0;
    for (size_t m = 0; m < LENGTH(all_mechanisms); m++)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_collection c = collection_of(all_mechanisms[m], epsilons[e], -1, 3);
            podium_channel *channel = channel_of(&c);
            for (size_t s = 0; s < LENGTH(sizes); s++) {
                unsigned found = telling(&c, channel, sizes[s], false, COLLECTIONS, seed);
                rates++, all += found;
                worst = found > worst ? found : worst;
                if (found > most) {
                    printf("%s, epsilon %g, n %zu: %u of %d evenly spread collections are called telling\n",
                           podium_mechanism_name(all_mechanisms[m]), epsilons[e], sizes[s], found, COLLECTIONS);
                    failed = 1;
                }
            }
            podium_channel_free(channel);
        }
    printf("false alarms: %.2f%% on average over %u rates, %.1f%% at most\n", 100.0 * all / rates / COLLECTIONS, rates,
           100.0 * worst / COLLECTIONS);
    return failed;
}

/* At epsilon 2, 1,000 values with a density of 1/(2 sqrt x) are found to be skewed by all that can: Duchi cannot. */
static int found_out(uint64_t *seed) {
    enum { SKEWED = 100 };
    int failed = 0;
    for (size_t m = 0; m < LENGTH(all_mechanisms); m++) {
        podium_collection c = collection_of(all_mechanisms[m], 2, -1, 3);
        podium_channel *channel = channel_of(&c);
        unsigned found = telling(&c, channel, MOST, true, SKEWED, seed);
        printf("%s: %u of %d skewed collections are called telling\n", podium_mechanism_name(all_mechanisms[m]), found,
               SKEWED);
        failed |= c.cells == 2 ? found > 0 : found < 0.95 * SKEWED;
        podium_channel_free(channel);
    }
    return failed;
}

int main(void) {
    uint64_t seed = 501;
    return false_alarms(&seed) + found_out(&seed) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
