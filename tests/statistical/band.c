/*
 * The guaranteed band: how often it holds, and how wide it is.
 *
 * Coverage: bands with a confidence of 90%, for each mechanism and some ways to choose values. A band misses if it is
 * wrong at any edge. If each missed with a probability of 10%, the test would fail once in a million times. Widths:
 * fails if they are larger than docs/estimation.md promises.
 */
#include "support.h"

#include <math.h>

#define BLOCK 10000
#define PARTS PODIUM_BAND_PARTS

static double evenly(double u) {
    return u;
}

static double at_one_end(double u) {
    (void)u;
    return 1;
}

static double at_two_values(double u) {
    return u < 0.3 ? 0.2 : 0.75;
}

static double at_both_ends(double u) {
    return (1 - cos(acos(-1) * u)) / 2;
}

typedef double (*population)(double u);

/* Reports of n values, and the shares of values below, and below or at, each edge */
typedef struct sample {
    podium_aggregate aggregate;
    double below[PARTS + 1], up_to[PARTS + 1];
} sample;

static void add(sample *s, const podium_collection *c, population values_of, size_t n, uint64_t *seed) {
    static double values[BLOCK], reports[BLOCK];
    podium_random random = seeded_random(seed);
    for (size_t i = 0; i < n; i++) {
        const double x = values[i] = values_of(seeded_uniform(seed)), at = x * PARTS;
        s->below[(uint32_t)fmin(floor(at) + 1, PARTS)] += at < PARTS;
        s->up_to[(uint32_t)ceil(at)]++;
    }
    if (podium_privatize_from(c, &random, reports, values, n) != PODIUM_OK ||
        podium_aggregate_add(c, &s->aggregate, reports, n) != PODIUM_OK)
        abort();
}

static sample sample_of(const podium_collection *c, population values_of, size_t n, uint64_t *seed) {
    sample s = {.below = {0}};
    podium_aggregate_init(c, &s.aggregate);
    for (size_t done = 0; done < n; done += BLOCK)
        add(&s, c, values_of, n - done < BLOCK ? n - done : BLOCK, seed);
    for (int k = 0; k < PARTS; k++) {
        s.below[k + 1] += s.below[k];
        s.up_to[k + 1] += s.up_to[k];
    }
    return s;
}

static podium_channel *channel_of(const podium_collection *c) {
    podium_channel *channel;
    if (podium_channel_make(c, &channel) != PODIUM_OK)
        abort();
    return channel;
}

static podium_band band_of(const podium_channel *channel, const sample *s, double confidence) {
    podium_band band;
    if (podium_band_make(channel, &band, &s->aggregate, confidence) != PODIUM_OK)
        abort();
    return band;
}

static bool holds(const podium_band *band, const sample *s) {
    const double n = (double)podium_aggregate_count(&s->aggregate);
    for (int k = 0; k <= PARTS; k++)
        if (s->below[k] < band->lower[k] * n || s->up_to[k] > band->upper[k] * n)
            return false;
    return true;
}

/* ---- Coverage ---- */

enum { REPORTS = 2000, BANDS = 40, DEVIATIONS_MOST = 5 };

typedef struct coverage {
    int bands, missed;
} coverage;

static int count_missed(const podium_collection *c, const podium_channel *channel, population values_of,
                        uint64_t *seed) {
    int missed = 0;
    for (int j = 0; j < BANDS; j++) {
        const sample s = sample_of(c, values_of, REPORTS, seed);
        const podium_band band = band_of(channel, &s, 0.9);
        missed += !holds(&band, &s);
    }
    return missed;
}

static void print_coverage(coverage *all, podium_mechanism m, double epsilon) {
    static const population populations[] = {evenly, at_one_end, at_two_values, at_both_ends};
    const podium_collection c = collection_of(m, epsilon, 0, 1);
    podium_channel *channel = channel_of(&c);
    uint64_t seed = 1;
    printf("| %s | %g |", podium_mechanism_name(m), epsilon);
    for (size_t i = 0; i < LENGTH(populations); i++) {
        const int missed = count_missed(&c, channel, populations[i], &seed);
        all->missed += missed;
        all->bands += BANDS;
        printf(" %d |", missed);
    }
    printf("\n");
    podium_channel_free(channel);
}

static bool is_covered(coverage all) {
    const double expected = 0.1 * all.bands, deviation = sqrt(0.9 * expected);
    printf("\n%d of %d bands miss\n", all.missed, all.bands);
    return all.missed <= expected + DEVIATIONS_MOST * deviation;
}

/* ---- Widths ---- */

static double width_of(const podium_band *band) {
    double sum = 0;
    for (int k = 1; k < PARTS; k++)
        sum += (band->upper[k] - band->lower[k]) / (PARTS - 1);
    return sum;
}

/* The average width for evenly spread values and for two values, and the limits of the median of the former */
static bool print_widths(podium_mechanism m, double epsilon) {
    static const double sizes[] = {1e4, 1e5, 1e6};
    const podium_collection c = collection_of(m, epsilon, 0, 1);
    podium_channel *channel = channel_of(&c);
    bool good = true;
    uint64_t seed = 2;
    printf("| %s | %g |", podium_mechanism_name(m), epsilon);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        const sample s = sample_of(&c, evenly, (size_t)sizes[i], &seed),
                     two = sample_of(&c, at_two_values, (size_t)sizes[i], &seed);
        const podium_band band = band_of(channel, &s, 0.95), of_two = band_of(channel, &two, 0.95);
        const podium_limits median = podium_band_quantile(&band, 0.5);
        printf(" %.3f, %.3f, %.2f–%.2f |", width_of(&band), width_of(&of_two), median.lower, median.upper);
        if (m == PODIUM_MECHANISM_SQUARE_WAVE && epsilon == 1)
            good &= width_of(&band) <= 9 / cbrt(sizes[i]);
    }
    printf("%s\n", good ? "" : " FAILED");
    podium_channel_free(channel);
    return good;
}

int main(void) {
    static const podium_mechanism shown[] = {PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_SQUARE_WAVE,
                                             PODIUM_MECHANISM_MINIMAX, PODIUM_MECHANISM_LAPLACE};
    coverage all = {0, 0};
    bool good = true;
    printf("Widths at 95%%: evenly spread, two values, median of evenly spread values\n\n"
           "| mechanism | epsilon | n = 1e4 | 1e5 | 1e6 |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < LENGTH(shown); i++)
        for (int epsilon = 1; epsilon <= 4; epsilon *= 2)
            good &= print_widths(shown[i], epsilon);
    printf(
        "\nOf %d bands at 90%%, how many miss\n\n"
        "| mechanism | epsilon | evenly spread | at one end | two values | at both ends |\n|---|---|---|---|---|---|\n",
        BANDS);
    FOR_EACH_MECHANISM (m)
        print_coverage(&all, m, 1);
    return is_covered(all) && good ? EXIT_SUCCESS : EXIT_FAILURE;
}
