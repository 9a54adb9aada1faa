/* The simulation in section 7: values from Beta(2, 2), less a half, are privatised. It is repeated to see how much the
   variances that the paper prints vary by chance. */
#include "paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 2019

/* SplitMix64 makes the same draws every time. The values are made up, so nothing here is a secret. */
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

/* The median of three uniform numbers has the Beta(2, 2) distribution. */
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

/* Beta(2, 2) has the variance 1/20, and the noise on x has the variance alpha + beta x^2. */
static double expected_variance(const podium_collection *collection) {
    double alpha = podium_collection_variance(collection, 0);
    double beta = (podium_collection_variance(collection, 0.5) - alpha) / 0.25;
    return 0.05 + alpha + beta * 0.05;
}

/* Replaces new values by their reports, and returns the reports' variance. */
static double draw(const podium_collection *collection, uint64_t *people, uint64_t *noise, double reports[SIMULATED]) {
    podium_random random = {.fill = fill, .context = noise};
    for (size_t i = 0; i < SIMULATED; i++)
        reports[i] = beta22(people) - 0.5;
    require(podium_privatize_from(collection, &random, reports, reports, SIMULATED), BAD_IO);
    return variance_of(reports, SIMULATED);
}

static void simulate_panel(panel *p, double *first_reports) {
    podium_spec spec = {.mechanism = p->mechanism, .epsilon = p->epsilon, .min = -0.5, .max = 0.5};
    podium_collection collection = collection_for(&spec);
    double *reports = allocate(SIMULATED * sizeof *reports), variances[SIMULATIONS];
    uint64_t people = SEED, noise = SEED + 1 + (uint64_t)p->mechanism + 16 * (uint64_t)p->epsilon;
    for (int r = 0; r < SIMULATIONS; r++) {
        variances[r] = draw(&collection, &people, &noise, r == 0 ? first_reports : reports);
        p->mean += variances[r] / SIMULATIONS;
    }
    p->first = variances[0];
    p->deviation = sqrt(variance_of(variances, SIMULATIONS));
    p->expected = expected_variance(&collection);
    free(reports);
}

void simulate(panel panels[PANELS], double *values, double *reports[PANELS]) {
    static const podium_mechanism mechanisms[] = {PODIUM_MECHANISM_LAPLACE, PODIUM_MECHANISM_STAIRCASE,
                                                  PODIUM_MECHANISM_PODIUM};
    uint64_t people = SEED;
    for (size_t i = 0; i < SIMULATED; i++) /* the same as in the first draw of every panel */
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
