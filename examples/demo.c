/*
 * A simulated collection: a million people, their ages, and what a collector sees of them under each mechanism.
 * The ages are made up by a small fixed generator; the noise is real.
 */
#include <podium.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PEOPLE 1000000

static double uniform(void) {
    static uint64_t state = 2026;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* The middle of three uniform numbers has the paper's Beta(2,2) distribution. */
static double age(const podium_spec *spec) {
    double a = uniform(), b = uniform(), c = uniform();
    return spec->min + (spec->max - spec->min) * fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static void fail(podium_status status) {
    fprintf(stderr, "demo: %s\n", podium_status_message(status));
    exit(1);
}

static void run(podium_spec spec, podium_mechanism mechanism, const double *values, double *reports) {
    podium_collection collection;
    podium_shape shape;
    spec.mechanism = mechanism;
    podium_status status = podium_collection_init(&collection, &spec);
    if (status == PODIUM_OK)
        status = podium_shape_init(&shape, &spec);
    if (status == PODIUM_OK)
        status = podium_privatize(&collection, reports, values, PEOPLE);
    if (status != PODIUM_OK)
        fail(status);

    double bias = 0, variance = 0, theory = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < PEOPLE; i++) {
        double noise = reports[i] - values[i];
        bias += noise / PEOPLE;
        variance += noise * noise / PEOPLE;
        theory += podium_shape_variance(&shape, values[i]) / PEOPLE;
        least = fmin(least, reports[i]);
        most = fmax(most, reports[i]);
    }
    printf("  %-18s  %+9.3f  %9.3f  %12.1f  %12.1f  %7.4f  %9.0f .. %.0f\n", podium_mechanism_name(mechanism), bias,
           sqrt(theory / PEOPLE), variance, theory, variance / theory, least, most);
}

int main(void) {
    static const podium_mechanism mechanisms[] = {PODIUM_EXACT, PODIUM_APPROXIMATE, PODIUM_LAPLACE, PODIUM_STAIRCASE};
    podium_spec spec = {.epsilon = 1, .min = 1, .max = 120};
    double *values = malloc(PEOPLE * sizeof *values), *reports = malloc(PEOPLE * sizeof *reports), mean = 0;
    if (values == NULL || reports == NULL) {
        fprintf(stderr, "demo: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < PEOPLE; i++) {
        values[i] = age(&spec);
        mean += values[i] / PEOPLE;
    }

    printf("Podium %s: %d simulated people aged %g to %g, epsilon %g, true mean age %.3f\n\n", podium_version(), PEOPLE,
           spec.min, spec.max, spec.epsilon, mean);
    printf("  %-18s  %9s  %9s  %12s  %12s  %7s  %s\n", "mechanism", "bias", "std error", "variance", "in theory",
           "ratio", "     reports");
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
        run(spec, mechanisms[i], values, reports);
    printf("\nbias: mean report less true mean; expect it within three standard errors of 0.\n"
           "variance: of the noise in one report; less is better. No report tells an age: every report\n"
           "is at most e = 2.718 times as likely from one person as from any other.\n");
    free(values);
    free(reports);
    return 0;
}
