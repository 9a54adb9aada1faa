/*
 * How often the limits of quantiles, of shares below a value and of histogram bins contain the truth.
 *
 * The truth is known because the values are drawn from populations that are. Each of them is an inverse of a
 * cumulative distribution, so the same function draws values and computes true quantiles. Evenly spread values are
 * not among them, because their distribution is withheld (tests/statistical/telling).
 *
 * The limits are for a confidence of 95%. They are made so that they cover a little too often where the density is
 * smooth, and enough where it is not: at spikes, at sharp peaks, and at ends where it is infinite. For every quantile
 * and share the coverage of COLLECTIONS collections must be at least LEAST. The average over all quantiles must be
 * between 95% and 99%, and that over all bins at most 99.5%, because most of them are easy. If the coverage of a place
 * is 95%, a count below LEAST has a probability of 0.4%; most places cover 97% or more, where it is below 1e-5. The
 * test is seeded.
 *
 *   statistical_shape [COLLECTIONS]
 */
#include "support.h"

#include <math.h>

#define COLLECTIONS 100
#define LEAST 0.89
#define PEOPLE 20000
#define BINS 20

/* ---- Populations, from 0 to 1 ---- */

static double normal_inverse(double p) { /* by bisection, which is accurate and fast enough here */
    double low = -8, high = 8;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *(erfc(-middle * sqrt(0.5)) / 2 < p ? &low : &high) = middle;
    }
    return low;
}

typedef struct part {
    double share, mean, deviation; /* of a normal distribution; of a spike if the deviation is 0; the end if all are */
} part;

/* Each part is cut to the range, and takes its own stretch of the quantiles. So it is not the inverse of the mixture,
   but values drawn with it have the right distribution. */
static double from_parts(const part *parts, double p) {
    while (p > parts->share && parts[1].share > 0)
        p -= parts++->share;
    if (parts->deviation == 0)
        return parts->mean;
    const double low = erfc(parts->mean / parts->deviation * sqrt(0.5)) / 2;
    const double high = erfc((parts->mean - 1) / parts->deviation * sqrt(0.5)) / 2;
    return parts->mean + parts->deviation * normal_inverse(low + (high - low) * fmin(1, p / parts->share));
}

static double one_peak(double p) {
    static const part parts[] = {{1, 0.7, 0.15}, {0, 0, 0}};
    return from_parts(parts, p);
}

static double two_peaks(double p) {
    static const part parts[] = {{0.35, 0.22, 0.05}, {0.65, 0.6, 0.12}, {0, 0, 0}};
    return from_parts(parts, p);
}

static double three_peaks(double p) {
    static const part parts[] = {{0.3, 0.15, 0.05}, {0.4, 0.5, 0.06}, {0.3, 0.8, 0.04}, {0, 0, 0}};
    return from_parts(parts, p);
}

static double spikes(double p) {
    static const part parts[] = {{0.2, 0.23, 0}, {0.2, 0.52, 0}, {0.6, 0.4, 0.25}, {0, 0, 0}};
    return from_parts(parts, p);
}

static double heavy_tail(double p) { /* lognormal, cut at 1 */
    const double most = erfc(-log(1 / 0.06) * sqrt(0.5)) / 2;
    return 0.06 * exp(normal_inverse(p * most));
}

static double u_shape(double p) { /* Beta(1/2, 1/2) */
    const double sine = sin(acos(-1) / 2 * p);
    return sine * sine;
}

static const struct {
    const char *name;
    double (*value)(double p);
} populations[] = {{"one peak", one_peak},     {"two peaks", two_peaks}, {"three peaks", three_peaks},
                   {"heavy tail", heavy_tail}, {"U shape", u_shape},     {"spikes", spikes}};

/* ---- The truth: the sorted values of a large, even sample of the population ---- */

#define TRUTH 200000

static double truth[TRUTH];

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void set_truth(double (*value)(double p)) {
    for (size_t i = 0; i < TRUTH; i++)
        truth[i] = value(((double)i + 0.5) / TRUTH);
    qsort(truth, TRUTH, sizeof *truth, by_size);
}

static double true_below(double x) {
    size_t low = 0, high = TRUTH;
    while (low < high) {
        size_t middle = (low + high) / 2;
        *(truth[middle] < x ? &low : &high) = truth[middle] < x ? middle + 1 : middle;
    }
    return (double)low / TRUTH;
}

/* ---- Collections ---- */

static const double probabilities[] = {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95};

typedef struct counts {
    unsigned quantile[LENGTH(probabilities)], below[LENGTH(probabilities)], bin[BINS];
    double width[LENGTH(probabilities)]; /* of the limits of the quantiles, summed */
} counts;

static podium_aggregate collected(const podium_collection *c, uint64_t *seed) {
    static double values[PEOPLE];
    static uint32_t cells[PEOPLE];
    podium_random random = seeded_random(seed);
    podium_aggregate a;
    for (size_t i = 0; i < PEOPLE; i++)
        values[i] = truth[(size_t)(TRUTH * seeded_uniform(seed))];
    podium_aggregate_init(c, &a);
    if (podium_privatize_cells(c, &random, cells, values, PEOPLE) != PODIUM_OK ||
        podium_aggregate_add_cells(c, &a, cells, PEOPLE) != PODIUM_OK)
        abort();
    return a;
}

static bool contains(podium_limits limits, double x) {
    return limits.lower <= x && x <= limits.upper;
}

static void count(counts *n, const podium_distribution *d) {
    for (size_t i = 0; i < LENGTH(probabilities); i++) {
        const double p = probabilities[i], x = truth[(size_t)(p * TRUTH)], slack = 0.5 / PODIUM_SHARES;
        const podium_limits limits = podium_distribution_quantile_limits(d, p);
        n->quantile[i] += contains(limits, x);
        n->width[i] += limits.upper - limits.lower;
        /* At a spike, just left and just right of it, and half a share of the range is as close as it gets. */
        n->below[i] += contains(podium_distribution_below_limits(d, x + slack), true_below(x + slack));
    }
    for (uint32_t j = 0; j < BINS; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        const podium_limits limits = {bin.lower, bin.upper};
        n->bin[j] += contains(limits, true_below(bin.to) - true_below(bin.from));
    }
}

/* ---- The table ---- */

static double sum_of(const unsigned *n, size_t length, unsigned *least) {
    double sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum += n[i];
        *least = n[i] < *least ? n[i] : *least;
    }
    return sum / (double)length;
}

typedef struct totals {
    double quantiles, bins, rows;
    bool good;
} totals;

static void report(totals *t, const podium_collection *c, const char *population, const counts *n, unsigned of) {
    const podium_spec spec = podium_collection_spec(c);
    unsigned least[3] = {of, of, of};
    double mean = sum_of(n->quantile, LENGTH(probabilities), &least[0]), bins = sum_of(n->bin, BINS, &least[2]);
    sum_of(n->below, LENGTH(probabilities), &least[1]);
    printf("| %s | %g | %s |", podium_mechanism_name(spec.mechanism), spec.epsilon, population);
    for (size_t i = 0; i < LENGTH(probabilities); i++)
        printf(" %.0f%% (%.3f) |", 100.0 * n->quantile[i] / of, n->width[i] / of);
    printf(" %.0f%% | %.0f%% |\n", 100.0 * least[1] / of, 100 * bins / of);
    fflush(stdout);
    t->quantiles += mean / of;
    t->bins += bins / of;
    t->rows++;
    t->good &= least[0] >= LEAST * of && least[1] >= LEAST * of && bins >= 0.93 * of;
}

static void measure(totals *t, podium_mechanism mechanism, double epsilon, unsigned collections, uint64_t *seed) {
    podium_collection c = collection_of(mechanism, epsilon, 0, 1);
    podium_channel *channel;
    if (podium_channel_make(&c, &channel) != PODIUM_OK)
        abort();
    for (size_t i = 0; i < LENGTH(populations); i++) {
        static podium_distribution d;
        counts n = {.bin = {0}};
        set_truth(populations[i].value);
        for (unsigned k = 0; k < collections; k++) {
            const podium_aggregate a = collected(&c, seed);
            if (podium_distribution_make(channel, &d, &a, BINS, 0.95) != PODIUM_OK || !d.telling)
                abort();
            count(&n, &d);
        }
        report(t, &c, populations[i].name, &n, collections);
    }
    podium_channel_free(channel);
}

int main(int arguments, char **argument) {
    static const podium_mechanism mechanisms[] = {PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_SQUARE_WAVE};
    const unsigned collections = arguments > 1 ? (unsigned)strtoul(argument[1], NULL, 10) : COLLECTIONS;
    totals t = {.good = true};
    uint64_t seed = 77;
    printf("| mechanism | ε | population | 5%% | 10%% | 25%% | 50%% | 75%% | 90%% | 95%% | shares below | bins |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t m = 0; m < LENGTH(mechanisms); m++)
        for (double epsilon = 1; epsilon <= 2; epsilon++)
            measure(&t, mechanisms[m], epsilon, collections, &seed);
    const double quantiles = t.quantiles / t.rows, bins = t.bins / t.rows;
    printf("\nOn average the limits of a quantile cover in %.1f%% of %u collections, and those of a bin in %.1f%%.\n",
           100 * quantiles, collections, 100 * bins);
    return t.good && quantiles >= 0.95 && quantiles <= 0.99 && bins <= 0.995 ? EXIT_SUCCESS : EXIT_FAILURE;
}
