/*
 * Reports as they come out, against the closed forms: mean, variance and the whole distribution.
 *
 * Seeded, so a run either passes always or never; a false alarm is a seed for which a correct sampler fails. There are
 * 4 mechanisms x 7 epsilons x 5 values x 3 comparisons, 420 in all; each has a false-alarm rate of at most 2e-9, all
 * together less than 1e-6. Mean and variance: 6 standard errors of a normal law (2e-9). Distribution: the
 * Dvoretzky-Kiefer-Wolfowitz inequality in Massart's form, which holds at every n.
 */
#include "support.h"

#include <math.h>

#define DRAWS 400000
#define SIGMAS 6.0
#define ALARM 2e-9

static double values[DRAWS], reports[DRAWS];
static int comparisons, failures;

static void compare(const podium_shape *shape, double x, const char *what, double distance, double allowed) {
    comparisons++;
    if (distance <= allowed)
        return;
    failures++;
    printf("%s, epsilon %g, x %g: %s is off by %g, allowed is %g\n", podium_mechanism_name(shape->spec.mechanism),
           shape->spec.epsilon, x, what, distance, allowed);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void check_mean_and_variance(const podium_shape *shape, double x) {
    double second = 0, fourth = 0, sum = 0, variance = podium_shape_variance(shape, x);
    for (size_t i = 0; i < DRAWS; i++) {
        double noise = reports[i] - x;
        sum += noise;
        second += noise * noise;
        fourth += noise * noise * noise * noise;
    }
    second /= DRAWS, fourth /= DRAWS;
    compare(shape, x, "mean", fabs(sum / DRAWS), SIGMAS * sqrt(variance / DRAWS));
    /* the second moment about x has standard error sqrt((fourth - second^2)/n); 0.1% is the sampler's own tolerance */
    compare(shape, x, "variance", fabs(second - variance),
            1e-3 * variance + SIGMAS * sqrt((fourth - second * second) / DRAWS));
}

static void check_distribution(const podium_shape *shape, double x, double spacing) {
    double largest = 0;
    qsort(reports, DRAWS, sizeof *reports, by_size);
    for (size_t i = 0; i < DRAWS; i++) {
        double below = podium_shape_cdf(shape, x, reports[i] - spacing),
               above = podium_shape_cdf(shape, x, reports[i] + spacing);
        largest = fmax(largest, fmax(below - (double)(i + 1) / DRAWS, (double)i / DRAWS - above));
    }
    compare(shape, x, "distribution", largest, sqrt(log(2 / ALARM) / 2 / DRAWS));
}

int main(void) {
    static const double epsilons[] = {0.001, 0.1, 0.5, 1, 2, 4, 6};
    uint64_t seed = 20;
    podium_random random = seeded_random(&seed);
    for (size_t m = 0; m < LENGTH(all_mechanisms); m++)
        for (size_t e = 0; e < LENGTH(epsilons); e++)
            for (int quarter = 0; quarter <= 4; quarter++) {
                double x = -7 + 20 * (quarter < 4 ? quarter / 4.1 : 1); /* between places, and at both ends */
                podium_collection collection = collection_of(all_mechanisms[m], epsilons[e], -7, 13);
                podium_shape shape = shape_of(all_mechanisms[m], epsilons[e], -7, 13);
                for (size_t i = 0; i < DRAWS; i++)
                    values[i] = x;
                if (podium_privatize_from(&collection, &random, reports, values, DRAWS) != PODIUM_OK)
                    return EXIT_FAILURE;
                check_mean_and_variance(&shape, x);
                check_distribution(&shape, x, collection.spacing);
            }
    printf("statistical: %d comparisons of %d draws, %d failed\n", comparisons, DRAWS, failures);
    return failures == 0 && comparisons == 420 ? EXIT_SUCCESS : EXIT_FAILURE;
}
