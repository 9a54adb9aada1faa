/*
 * Distribution: the shape of the values, by expectation-maximisation with smoothing.
 *
 * A value in bin j gives a report in bin b with probability a[b][j], known exactly. Given shares f, a report in b came
 * from j with probability a[b][j] f[j] / sum; averaging that over the reports gives the next f, of higher likelihood.
 * Smoothing by (1, 2, 1)/4 after each step keeps the noise of the reports from being fitted (Li et al., 2020).
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- The masses ---- */

/* A bin of values is this many places, evenly spread: the average over them stands for the bin. */
#define PLACES_PER_BIN 16

typedef struct {
    uint32_t reports, values;
    double *mass; /* of report bin b given value bin j: mass[b * values + j] */
} masses;

static void places_of_bin(double places[PLACES_PER_BIN], const podium_collection *collection, uint32_t bin,
                          uint32_t bins) {
    for (int i = 0; i < PLACES_PER_BIN; i++) {
        double along = (bin + (i + 0.5) / PLACES_PER_BIN) / bins;
        double value = collection->spec.min + along * (collection->spec.max - collection->spec.min);
        places[i] = podium_place(collection, value);
    }
}

static double mass_between(const podium_collection *collection, const double places[PLACES_PER_BIN], double first,
                           double last) {
    double sum = 0;
    for (int i = 0; i < PLACES_PER_BIN; i++)
        sum += podium_mass_between(collection, places[i], first, last);
    return sum / PLACES_PER_BIN;
}

static podium_status masses_make(masses *m, const podium_collection *collection, const podium_aggregate *aggregate,
                                 uint32_t bins) {
    *m = (masses){aggregate->bin_count, bins, malloc((size_t)aggregate->bin_count * bins * sizeof *m->mass)};
    if (m->mass == NULL)
        return PODIUM_OUT_OF_MEMORY;
    for (uint32_t j = 0; j < bins; j++) {
        double places[PLACES_PER_BIN];
        places_of_bin(places, collection, j, bins);
        for (uint32_t b = 0; b < aggregate->bin_count; b++) {
            double first = (double)((uint64_t)b << aggregate->bin_bits);
            double last = fmin((double)(((uint64_t)b + 1) << aggregate->bin_bits), (double)collection->cells);
            m->mass[(size_t)b * bins + j] = mass_between(collection, places, first, last);
        }
    }
    return PODIUM_OK;
}

/* ---- Expectation, maximisation, smoothing ---- */

/* Four sums at a time: a compiler may not reorder one. */
static double dot(const double *a, const double *b, uint32_t n) {
    double sum[4] = {0};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* One step from share to next; returns the log-likelihood of share. */
static double improve(const masses *m, const double *reports, const double *share, double *next) {
    double likelihood = 0;
    for (uint32_t j = 0; j < m->values; j++)
        next[j] = 0;
    for (uint32_t b = 0; b < m->reports; b++) {
        const double *row = m->mass + (size_t)b * m->values;
        if (reports[b] == 0)
            continue;
        double sum = dot(row, share, m->values), each = reports[b] / sum;
        likelihood += reports[b] * log(sum);
        for (uint32_t j = 0; j < m->values; j++)
            next[j] += each * row[j];
    }
    for (uint32_t j = 0; j < m->values; j++)
        next[j] *= share[j];
    return likelihood;
}

/* No reports say nothing: the shares stay as they are. (A bootstrap of very few draws none at times.) */
static bool nothing(const double *reports, uint32_t n) {
    for (uint32_t b = 0; b < n; b++)
        if (reports[b] > 0)
            return false;
    return true;
}

static void smooth(const double *from, double *to, uint32_t n) {
    double total = 0;
    for (uint32_t j = 0; j < n; j++) {
        double left = from[j == 0 ? 0 : j - 1], right = from[j == n - 1 ? j : j + 1];
        to[j] = (left + 2 * from[j] + right) / 4;
        total += to[j];
    }
    for (uint32_t j = 0; j < n; j++)
        to[j] /= total;
}

/* Returns the steps taken; gain is the log-likelihood above that of equal shares, from which it starts. */
static uint32_t maximise(const masses *m, const double *reports, double *share, double *gain) {
    double next[PODIUM_SHARES_MAX], before = -INFINITY, start = 0;
    uint32_t step = 0;
    *gain = 0;
    for (uint32_t j = 0; j < m->values; j++)
        share[j] = 1.0 / m->values;
    if (nothing(reports, m->reports))
        return 0;
    while (step < PODIUM_STEPS_MAX) {
        double likelihood = improve(m, reports, share, next);
        if (step == 0)
            start = likelihood;
        *gain = likelihood - start;
        if (fabs(likelihood - before) < 1e-3)
            break;
        before = likelihood;
        smooth(next, share, m->values);
        step++;
    }
    return step;
}

static podium_status check(const podium_collection *collection, const podium_aggregate *aggregate, uint32_t bins) {
    if (!podium_aggregate_fits(aggregate, collection))
        return PODIUM_FINGERPRINT_WRONG;
    if (bins < 1 || bins > PODIUM_SHARES_MAX)
        return PODIUM_ARGUMENT_WRONG;
    return aggregate->count == 0 ? PODIUM_TOO_FEW_REPORTS : PODIUM_OK;
}

/* With fewer than PODIUM_SHARES_FINE the places that stand for them would miss report bins at large epsilon; and how
   far the smoothing reaches would depend on what is asked for. So the estimate is made in as many, then put together.
 */
static uint32_t fine_bins(uint32_t bins) {
    return bins == 0 || bins >= PODIUM_SHARES_FINE ? bins : bins * ((PODIUM_SHARES_FINE + bins - 1) / bins);
}

/* Gains of less than this are what chance gives when all shares are equal. */
#define TELLING_GAIN 2

podium_status podium_distribution_make(podium_distribution *distribution, const podium_collection *collection,
                                       const podium_aggregate *aggregate, uint32_t bins) {
    double reports[PODIUM_BINS_MAX], gain;
    masses m;
    podium_status status = check(collection, aggregate, bins);
    uint32_t fine = fine_bins(bins);
    if (status == PODIUM_OK)
        status = masses_make(&m, collection, aggregate, fine);
    if (status != PODIUM_OK)
        return status;
    for (uint32_t b = 0; b < aggregate->bin_count; b++)
        reports[b] = (double)aggregate->bins[b];
    podium_distribution made = {.min = collection->spec.min, .max = collection->spec.max, .bins = fine};
    made.steps = maximise(&m, reports, made.share, &gain);
    made.telling = gain >= TELLING_GAIN && collection->cells > 2; /* two outputs tell the mean alone */
    free(m.mass);
    status = podium_distribution_coarsen(&made, bins);
    if (status == PODIUM_OK)
        *distribution = made;
    return status;
}

/* ---- What is asked of it ---- */

double podium_distribution_quantile(const podium_distribution *distribution, double p) {
    double before = 0, width = (distribution->max - distribution->min) / distribution->bins;
    if (!(p >= 0 && p <= 1))
        return NAN;
    for (uint32_t j = 0; j < distribution->bins; j++) {
        double share = distribution->share[j];
        if (before + share >= p && share > 0)
            return distribution->min + width * (j + (p - before) / share);
        before += share;
    }
    return distribution->max;
}

double podium_distribution_below(const podium_distribution *distribution, double x) {
    double at = (x - distribution->min) / (distribution->max - distribution->min) * distribution->bins, sum = 0;
    if (isnan(x))
        return NAN;
    for (uint32_t j = 0; j < distribution->bins && j < at; j++)
        sum += distribution->share[j] * fmin(1, at - j);
    return fmin(1, sum);
}

podium_status podium_distribution_coarsen(podium_distribution *distribution, uint32_t bins) {
    if (bins == 0 || distribution->bins % bins != 0)
        return PODIUM_ARGUMENT_WRONG;
    uint32_t each = distribution->bins / bins;
    for (uint32_t j = 0; j < bins; j++) {
        double sum = 0;
        for (uint32_t k = 0; k < each; k++)
            sum += distribution->share[j * each + k];
        distribution->share[j] = sum;
    }
    memset(distribution->share + bins, 0, (PODIUM_SHARES_MAX - bins) * sizeof *distribution->share);
    distribution->bins = bins;
    return PODIUM_OK;
}

/* ---- Bootstrap: each report bin is counted anew, as a Poisson number with the count as its mean ---- */

static double uniform(uint64_t *state) { /* SplitMix64; these are no secrets */
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53 + 0x1p-54;
}

/* By waiting times for small means; the normal law is near enough for large ones. */
static double poisson(uint64_t *state, double mean) {
    if (mean > 100) {
        double normal = sqrt(-2 * log(uniform(state))) * cos(2 * acos(-1) * uniform(state));
        return fmax(0, nearbyint(mean + sqrt(mean) * normal));
    }
    double count = -1;
    for (double left = mean; left >= 0; left += log(uniform(state)))
        count++;
    return count;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Into samples[i * repetitions + r], quantile i of repetition r */
static void bootstrap(double *samples, const masses *m, const podium_aggregate *aggregate, const double *p,
                      size_t count, uint32_t repetitions, void (*progress)(void *context, uint32_t done),
                      void *context) {
    double reports[PODIUM_BINS_MAX];
    podium_distribution again = {.min = aggregate->spec.min, .max = aggregate->spec.max, .bins = m->values};
    uint64_t state = aggregate->fingerprint ^ aggregate->count;
    for (uint32_t r = 0; r < repetitions; r++) {
        for (uint32_t b = 0; b < m->reports; b++)
            reports[b] = poisson(&state, (double)aggregate->bins[b]);
        double gain;
        maximise(m, reports, again.share, &gain);
        for (size_t i = 0; i < count; i++)
            samples[i * repetitions + r] = podium_distribution_quantile(&again, p[i]);
        if (progress != NULL)
            progress(context, r + 1);
    }
}

double podium_bootstrap_least(double confidence) {
    return ceil(2 / (1 - confidence) * (1 - 1e-9)); /* 1 - 0.95 is not quite 0.05 */
}

podium_status podium_distribution_bootstrap(double *lower, double *upper, const podium_collection *collection,
                                            const podium_aggregate *aggregate, uint32_t bins, const double *p,
                                            size_t count, double confidence, uint32_t repetitions,
                                            void (*progress)(void *context, uint32_t done), void *context) {
    masses m;
    podium_status status = check(collection, aggregate, bins);
    if (status == PODIUM_OK &&
        (!(confidence > 0 && confidence < 1) || repetitions < podium_bootstrap_least(confidence)))
        status = PODIUM_ARGUMENT_WRONG; /* so few have no such quantiles */
    for (size_t i = 0; status == PODIUM_OK && i < count; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            status = PODIUM_ARGUMENT_WRONG;
    if (status == PODIUM_OK)
        status = masses_make(&m, collection, aggregate, fine_bins(bins));
    if (status != PODIUM_OK)
        return status;
    double *samples = malloc((count + 1) * repetitions * sizeof *samples), out = (1 - confidence) / 2;
    if (samples == NULL) {
        free(m.mass);
        return PODIUM_OUT_OF_MEMORY;
    }
    bootstrap(samples, &m, aggregate, p, count, repetitions, progress, context);
    for (size_t i = 0; i < count; i++) {
        double *own = samples + i * repetitions;
        qsort(own, repetitions, sizeof *own, by_size);
        lower[i] = own[(size_t)floor(out * (repetitions - 1))];
        upper[i] = own[(size_t)ceil((1 - out) * (repetitions - 1))];
    }
    free(samples);
    free(m.mass);
    return PODIUM_OK;
}
