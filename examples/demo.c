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

static void run(podium_spec spec, podium_mechanism mechanism, const double *values, double *reports, double mean) {
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
    printf("  %-18s  %9.3f  %+7.3f  %7.3f  %10.1f  %10.1f  %7.4f  %7.0f .. %.0f\n", podium_mechanism_name(mechanism),
           mean + bias, bias, sqrt(theory / PEOPLE), variance, theory, variance / theory, least, most);
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

    printf("Podium %s: the ages of a million simulated people, from %g to %g, epsilon %g\n\n", podium_version(),
           spec.min, spec.max, spec.epsilon);
    printf("  %-18s  %9s  %7s  %7s  %10s  %10s  %7s  %s\n", "", "mean", "bias", "+-", "variance", "in theory", "ratio",
           "  reports");
    printf("  %-18s  %9.3f\n", "the truth", mean);
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
        run(spec, mechanisms[i], values, reports, mean);
    puts("\n"
         "mean       of the reports, which is what a collector learns; bias: how far that is from the truth\n"
         "+-         its standard error in theory: the bias is nearly always within three of these\n"
         "variance   of the noise in one report, as measured, in theory, and their ratio; less noise is better.\n"
         "           podium minimises the worst case, a population at the ends of the range; these people\n"
         "           are not, so podium-approximate is a little better off here\n"
         "reports    from the lowest to the highest: outside the range, as they must be to average right\n\n"
         "No report gives an age away: each is at most e = 2.718 times as likely from one person as from another.");
    free(values);
    free(reports);
    return 0;
}
