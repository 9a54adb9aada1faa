/*
 * Shape: how long the estimate of a distribution takes, in milliseconds of processor time, for every mechanism that
 * tells the shape. The values are smooth, or 40% of them are at two numbers, which is the most work.
 *
 *   shape
 */
#define _DEFAULT_SOURCE /* clock_gettime */
#include <podium_analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PEOPLE 100000
#define REPETITIONS 10

static double values[PEOPLE], reports[PEOPLE];

static void require(podium_status status) {
    if (status != PODIUM_OK) {
        fprintf(stderr, "shape: %s\n", podium_status_message(status));
        exit(1);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Evenly spread ranks of the density 2x, or of two spikes and evenly spread values */
static void set_values(bool spikes) {
    for (size_t i = 0; i < PEOPLE; i++) {
        const double p = ((double)i + 0.5) / PEOPLE;
        values[i] = !spikes ? sqrt(p) : p < 0.2 ? 0.25 : p < 0.4 ? 0.5 : (p - 0.4) / 0.6;
    }
}

/* Returns the median, because a machine is never quite quiet. */
static double time_of(const podium_channel *channel, podium_distribution *d, const podium_aggregate *sums) {
    double times[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
        const double start = now();
        require(podium_distribution_make(channel, d, sums, PODIUM_SHARES, 0.95));
        double taken = now() - start;
        int k = i;
        for (; k > 0 && times[k - 1] > taken; k--)
            times[k] = times[k - 1];
        times[k] = taken;
    }
    return times[REPETITIONS / 2];
}

static void measure(const podium_collection *collection, bool spikes) {
    static podium_distribution d;
    podium_channel *channel;
    podium_aggregate sums;
    const podium_spec spec = podium_collection_spec(collection);
    set_values(spikes);
    require(podium_privatize(collection, reports, values, PEOPLE));
    podium_aggregate_init(collection, &sums);
    require(podium_aggregate_add(collection, &sums, reports, PEOPLE));
    const double start = now();
    require(podium_channel_make(collection, &channel));
    const double made = now() - start;
    printf("%s,%g,%s,%.1f,%.1f,", podium_mechanism_name(spec.mechanism), spec.epsilon, spikes ? "spikes" : "smooth",
           made, time_of(channel, &d, &sums));
    printf("%u\n", d.steps);
    podium_channel_free(channel);
}

int main(void) {
    printf("mechanism,epsilon,values,channel_ms,distribution_ms,steps\n");
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        for (double epsilon = 1; epsilon <= 4; epsilon *= 4) {
            podium_spec spec = {.mechanism = (podium_mechanism)m, .epsilon = epsilon, .min = 0, .max = 1};
            podium_collection collection;
            if (podium_collection_init(&collection, &spec) != PODIUM_OK || !podium_collection_tells_spread(&collection))
                continue;
            measure(&collection, false);
            measure(&collection, true);
        }
}
