/*
 * Compares drawn reports with the closed forms: mean, variance and the whole distribution. If a mechanism has no
 * density, it compares them with the masses of its cells.
 *
 * The test is seeded, so it either always passes or always fails; a false alarm is a seed for which a correct sampler
 * fails. There are 7 epsilons x 5 values x 3 comparisons for each mechanism. Each has a false-alarm rate of at most
 * 1e-9, so that a dozen mechanisms together have one of less than 2e-6. Mean and variance must be within 6.2 standard
 * errors of a normal law (6e-10). The distribution is compared by the Dvoretzky-Kiefer-Wolfowitz inequality in
 * Massart's form, which holds for every n and every law.
 */
#include "support.h"

#include <math.h>

#define DRAWS 400000
#define SIGMAS 6.2
#define ALARM 1e-9

static double values[DRAWS], reports[DRAWS];
static uint32_t cells[DRAWS];
static int comparisons, failures;

static void compare(const podium_collection *c, double x, const char *what, double distance, double allowed) {
    comparisons++;
    if (distance <= allowed)
        return;
    failures++;
    const podium_spec spec = podium_collection_spec(c);
    fprintf(stderr, "not ok: %s, epsilon %g, x %g: %s is off by %g, allowed is %g\n",
            podium_mechanism_name(spec.mechanism), spec.epsilon, x, what, distance, allowed);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void check_mean_and_variance(const podium_collection *c, double x, double variance) {
    double second = 0, fourth = 0, sum = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double noise = reports[i] - x;
        sum += noise;
        second += noise * noise;
        fourth += noise * noise * noise * noise;
    }
    second /= DRAWS, fourth /= DRAWS;
    compare(c, x, "mean", fabs(sum / DRAWS), SIGMAS * sqrt(variance / DRAWS));
    /* The second moment about x has the standard error sqrt((fourth - second^2)/n); 0.1% is allowed for the grid of
       the sampler. */
    compare(c, x, "variance", fabs(second - variance),
            1e-3 * variance + SIGMAS * sqrt((fourth - second * second) / DRAWS));
}

static void check_distribution(const podium_collection *c, const podium_shape *shape, double x) {
    double largest = 0, spacing = podium_collection_spacing(c);
    qsort(reports, DRAWS, sizeof *reports, by_size);
    for (size_t i = 0; i < DRAWS; i++) {
        double below = podium_shape_cdf(shape, x, reports[i] - spacing),
               above = podium_shape_cdf(shape, x, reports[i] + spacing);
        largest = fmax(largest, fmax(below - (double)(i + 1) / DRAWS, (double)i / DRAWS - above));
    }
    compare(c, x, "distribution", largest, sqrt(log(2 / ALARM) / 2 / DRAWS));
}

/* Compares the distribution of the cells, in the order of their numbers: the share below each cell, and the share up
   to it. */
static void check_cells(const podium_collection *c, double x) {
    const podium_layout *layout = podium_layout_of(c);
    double largest = 0, place = podium_place(layout, x);
    qsort(cells, DRAWS, sizeof *cells, by_number);
    for (size_t i = 0, next; i < DRAWS; i = next) {
        for (next = i; next < DRAWS && cells[next] == cells[i];)
            next++;
        double below = podium_mass_between(layout, place, 0, cells[i]),
               with = podium_mass_between(layout, place, 0, cells[i] + 1.0);
        largest = fmax(largest, fmax(fabs(below - (double)i / DRAWS), fabs(with - (double)next / DRAWS)));
    }
    compare(c, x, "distribution", largest, sqrt(log(2 / ALARM) / 2 / DRAWS));
}

static void check_all(const podium_collection *c, podium_random *random, double x) {
    const podium_spec spec = podium_collection_spec(c);
    podium_shape shape;
    for (size_t i = 0; i < DRAWS; i++)
        values[i] = x;
    if (podium_privatize_cells(c, random, cells, values, DRAWS) != PODIUM_OK)
        exit(EXIT_FAILURE);
    if (podium_collection_reports(c, reports, cells, DRAWS) != PODIUM_OK)
        abort();
    if (podium_shape_init(&shape, &spec) == PODIUM_OK) {
        check_mean_and_variance(c, x, podium_shape_variance(&shape, x));
        check_distribution(c, &shape, x);
    } else {
        check_mean_and_variance(c, x, podium_collection_variance(c, x));
        check_cells(c, x);
    }
}

int main(void) {
    static const double epsilons[] = {0.001, 0.1, 0.5, 1, 2, 4, 6};
    enum { COMPARISONS = LENGTH(epsilons) * 5 * 3 }; /* for each mechanism */
    uint64_t seed = 20;
    podium_random random = seeded_random(&seed);
    for (size_t m = podium_mechanism_count(); m-- > 0;) /* most planted bugs are in the last mechanisms */
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_collection c = collection_of((podium_mechanism)m, epsilons[e], -7, 13);
            for (int quarter = 0; quarter <= 4; quarter++) /* between places, and at both ends */
                check_all(&c, &random, -7 + 20 * (quarter < 4 ? quarter / 4.1 : 1));
        }
    printf("statistical: %d comparisons of %d draws, %d failed\n", comparisons, DRAWS, failures);
    return failures == 0 && comparisons == COMPARISONS * (int)podium_mechanism_count() ? EXIT_SUCCESS : EXIT_FAILURE;
}
