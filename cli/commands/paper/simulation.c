/* Section 7: Beta(2, 2) values, less a half, with noise; and how much the variances in its panels vary by chance. */
#include "paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 2019

/* SplitMix64: the same draws every time. These values are made up; nothing here is a secret. */
static uint64_t next_word(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static size_t fill(void *state, void *buffer, size_t n) {
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = next_word(state);
        memcpy((char *)buffer + i, &word, n - i < 8 ? n - i : 8);
    }
    return n;
}

/* The middle one of three uniform numbers has the Beta(2, 2) distribution. */
static double beta22(uint64_t *state) {
    double u[3];
    for (int i = 0; i < 3; i++)
        u[i] = (double)(next_word(state) >> 11) * 0x1p-53;
    double least = fmin(u[0], fmin(u[1], u[2])), most = fmax(u[0], fmax(u[1], u[2]));
    return u[0] + u[1] + u[2] - least - most;
}

static double variance_of(const double *x, size_t n) {
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum / (double)(n - 1);
}

/* Beta(2, 2) has variance 1/20, and the noise is alpha + beta x^2. */
static double expected_variance(const podium_collection *collection) {
    return 0.05 + collection->alpha + collection->beta * 0.05;
}

static void simulate_panel(panel *p, double *reports) {
    podium_spec spec = {.mechanism = p->mechanism, .epsilon = p->epsilon, .min = -0.5, .max = 0.5};
    podium_collection collection;
    double *values = allocate(SIMULATED * sizeof *values), sum = 0, squares = 0;
    uint64_t people = SEED, noise = SEED + 1 + (uint64_t)p->mechanism + 16 * (uint64_t)p->epsilon;
    podium_random random = {.fill = fill, .context = &noise};
    if (podium_collection_init(&collection, &spec) != PODIUM_OK)
        fail(BAD_DATA, "%s cannot be sampled", podium_mechanism_name(p->mechanism));
    p->expected = expected_variance(&collection);
    for (int r = 0; r < SIMULATIONS; r++) {
        for (size_t i = 0; i < SIMULATED; i++)
            values[i] = beta22(&people) - 0.5;
        podium_status status = podium_privatize_from(&collection, &random, values, values, SIMULATED);
        if (status != PODIUM_OK)
            fail(BAD_IO, "%s", podium_status_message(status));
        double variance = variance_of(values, SIMULATED);
        if (r == 0) {
            memcpy(reports, values, SIMULATED * sizeof *values);
            p->first = variance;
        }
        sum += variance;
        squares += variance * variance;
    }
    p->mean = sum / SIMULATIONS;
    p->deviation = sqrt((squares - sum * p->mean) / (SIMULATIONS - 1));
    free(values);
}

void simulate(panel panels[PANELS], double *values, double *reports[PANELS]) {
    static const podium_mechanism mechanisms[] = {PODIUM_MECHANISM_LAPLACE, PODIUM_MECHANISM_STAIRCASE,
                                                  PODIUM_MECHANISM_PODIUM};
    uint64_t people = SEED;
    for (size_t i = 0; i < SIMULATED; i++) /* every panel's first draw has the same people */
        values[i] = beta22(&people) - 0.5;
    for (int i = 0; i < PANELS; i++) {
        panels[i] = (panel){.mechanism = mechanisms[i % 3], .epsilon = i < 3 ? 1 : 5};
        simulate_panel(&panels[i], reports[i]);
    }
}

void write_simulation(const char *path, const panel panels[PANELS]) {
    output *out = output_open(path);
    output_print(out, "mechanism,epsilon,variance_of_one_draw,mean_of_%d,standard_deviation,expected\n", SIMULATIONS);
    for (int i = 0; i < PANELS; i++)
        output_print(out, "%s,%.10g,%.8f,%.8f,%.8f,%.8f\n", podium_mechanism_name(panels[i].mechanism),
                     panels[i].epsilon, panels[i].first, panels[i].mean, panels[i].deviation, panels[i].expected);
    output_close(out);
}
