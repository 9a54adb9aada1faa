/*
 * Distribution: the shape of the values, by expectation-maximisation with smoothing.
 *
 * A value in bin j gives a report in bin b with probability a[b][j], known exactly. Given shares f, a report in b came
 * from j with probability a[b][j] f[j] / sum; averaging that over the reports gives the next f, of higher likelihood.
 * Smoothing by (1, 2, 1)/4 after each step keeps the noise of the reports from being fitted (Li et al., 2020).
 */
#include "collection/internal.h"

#include <math.h>
#include <stdlib.h>

/* ---- The channel ---- */

/* A bin of values is this many places, evenly spread: the average over them stands for the bin. */
#define PLACES_PER_BIN 16

#define SCORES 6 /* see "Enough reports?" */

struct podium_channel {
    uint64_t fingerprint, cells;
    double min, max;
    uint32_t bins;                  /* that a distribution shall have */
    uint32_t reports, values;       /* bins of reports; bins of values, a multiple of `bins` */
    uint32_t report_bits;           /* a bin of reports is 2^report_bits cells */
    double evenly[PODIUM_BINS_MAX]; /* mass of each report bin if the values are spread evenly */
    uint32_t scores;
    double score[SCORES][PODIUM_BINS_MAX]; /* what a report in each bin says against that */
    double mass[];                         /* of report bin b given value bin j: mass[b * values + j] */
};

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

/* Report bin by report bin, given value bin j */
static void channel_fill(podium_channel *c, const podium_collection *collection, uint32_t j) {
    double places[PLACES_PER_BIN];
    places_of_bin(places, collection, j, c->values);
    for (uint32_t b = 0; b < c->reports; b++) {
        podium_cell_range cells = podium_bin_cells(collection, b, c->report_bits);
        double mass = mass_between(collection, places, (double)cells.first, (double)cells.end);
        c->mass[(size_t)b * c->values + j] = mass;
        c->evenly[b] += mass / c->values;
    }
}

/* ---- Enough reports? ---- */

/*
 * Do the reports say more about the values than that they lie in the range? That is a test of the hypothesis that the
 * values are spread evenly, against densities 1 + theta_1 cos(pi x) + theta_2 cos(2 pi x) + ..., SCORES terms of it.
 * Rao's score test looks at how fast the log-likelihood changes with each theta at 0. For a report in bin b that is the
 * mean of the cosine given b, score[k][b]. The scores are made orthogonal, each with a variance of 1, so the squares of
 * their sums, divided by n, add up to a chi-squared variable with as many degrees of freedom as there are scores. (Few
 * cells have fewer scores than SCORES.) tests/statistical/telling measures the rate of false alarms: for few reports,
 * too, it stays below 5%.
 */

/* Exceeded with a probability of 2.5% */
static const double chi_squared[SCORES + 1] = {0, 5.0239, 7.3778, 9.3484, 11.1433, 12.8325, 14.4494};

/* score -= along times `other`, where along is their covariance under evenly spread values; returns what is left of the
   variance of the score. */
static double make_orthogonal(const podium_channel *c, double *score, const double *other) {
    double along = 0, left = 0;
    for (uint32_t b = 0; b < c->reports; b++)
        along += c->evenly[b] * score[b] * other[b];
    for (uint32_t b = 0; b < c->reports; b++) {
        score[b] -= along * other[b];
        left += c->evenly[b] * score[b] * score[b];
    }
    return left;
}

/* The mean of cos(k pi x), x from 0 to 1 along the range, given each report bin; returns its variance. */
static double score_fill(const podium_channel *c, double *score, unsigned k) {
    double variance = 0, cosine[PODIUM_SHARES_MAX];
    for (uint32_t j = 0; j < c->values; j++)
        cosine[j] = cos(acos(-1) * k * (j + 0.5) / c->values);
    for (uint32_t b = 0; b < c->reports; b++) {
        double sum = 0;
        for (uint32_t j = 0; j < c->values; j++)
            sum += c->mass[(size_t)b * c->values + j] * cosine[j] / c->values;
        score[b] = c->evenly[b] > 0 ? sum / c->evenly[b] : 0;
        variance += c->evenly[b] * score[b] * score[b];
    }
    return variance;
}

/* Two outputs tell the mean alone, and so have no scores. */
static void channel_set_scores(podium_channel *c) {
    c->scores = 0;
    for (unsigned k = 1; k <= SCORES && c->cells > 2; k++) {
        double *score = c->score[c->scores], variance = score_fill(c, score, k), left = variance;
        for (uint32_t other = 0; other < c->scores; other++)
            left = make_orthogonal(c, score, c->score[other]);
        for (uint32_t b = 0; b < c->reports; b++)
            score[b] /= sqrt(left);
        c->scores += left > 1e-6 * variance && left > 1e-20; /* else the others say the same, or it is rounding */
    }
}

/* Fewer reports than this are never telling: the statistic is not chi-squared yet. */
#define REPORTS_LEAST 50

static bool is_telling(const podium_channel *c, const podium_aggregate *aggregate) {
    double statistic = 0;
    for (uint32_t k = 0; k < c->scores; k++) {
        double sum = 0;
        for (uint32_t b = 0; b < c->reports; b++)
            sum += (double)aggregate->bins[b] * c->score[k][b];
        statistic += sum * sum / (double)aggregate->count;
    }
    return aggregate->count >= REPORTS_LEAST && statistic > chi_squared[c->scores];
}

/* ---- Making a channel ---- */

/* With fewer than PODIUM_SHARES_FINE the places that stand for them would miss report bins at large epsilon; and how
   far the smoothing reaches would depend on what is asked for. So the estimate is made in as many, then put together.
 */
static uint32_t fine_bins(uint32_t bins) {
    return bins >= PODIUM_SHARES_FINE ? bins : bins * ((PODIUM_SHARES_FINE + bins - 1) / bins);
}

podium_status podium_channel_make(podium_channel **channel, const podium_collection *collection, uint32_t bins) {
    podium_aggregate empty;
    if (collection->cells == 0)
        return PODIUM_ERROR_NOT_INITIALISED;
    if (bins < 1 || bins > PODIUM_SHARES_MAX)
        return PODIUM_ERROR_ARGUMENT_WRONG;
    podium_aggregate_init(&empty, collection);
    /* at most PODIUM_BINS_MAX times PODIUM_SHARES_MAX doubles, which is 4 MiB */
    const uint32_t reports = empty.bin_count, values = fine_bins(bins);
    podium_channel *c = malloc(sizeof *c + (size_t)reports * values * sizeof *c->mass);
    if (c == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    *c = (podium_channel){.fingerprint = collection->fingerprint,
                          .cells = collection->cells,
                          .min = collection->spec.min,
                          .max = collection->spec.max,
                          .bins = bins,
                          .reports = reports,
                          .values = values,
                          .report_bits = empty.bin_bits};
    for (uint32_t j = 0; j < values; j++)
        channel_fill(c, collection, j);
    channel_set_scores(c);
    *channel = c;
    return PODIUM_OK;
}

void podium_channel_free(podium_channel *channel) {
    free(channel);
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
static double improve(const podium_channel *m, const double *reports, const double *share, double *next) {
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

/* From equal shares on; returns the steps taken. */
static uint32_t maximise(const podium_channel *m, const double *reports, double *share) {
    double next[PODIUM_SHARES_MAX], before = -INFINITY;
    uint32_t step = 0;
    for (uint32_t j = 0; j < m->values; j++)
        share[j] = 1.0 / m->values;
    if (nothing(reports, m->reports))
        return 0;
    while (step < PODIUM_STEPS_MAX) {
        double likelihood = improve(m, reports, share, next);
        if (fabs(likelihood - before) < 1e-3)
            break;
        before = likelihood;
        smooth(next, share, m->values);
        step++;
    }
    return step;
}

/* ---- The estimate ---- */

static podium_status check(const podium_channel *c, const podium_aggregate *aggregate) {
    if (aggregate->fingerprint != c->fingerprint || aggregate->bin_count != c->reports ||
        aggregate->bin_bits != c->report_bits)
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    return aggregate->count == 0 ? PODIUM_ERROR_TOO_FEW_REPORTS : PODIUM_OK;
}

podium_status podium_distribution_from(podium_distribution *distribution, const podium_channel *channel,
                                       const podium_aggregate *aggregate) {
    double reports[PODIUM_BINS_MAX];
    podium_status status = check(channel, aggregate);
    if (status != PODIUM_OK)
        return status;
    podium_distribution made = {
        .min = channel->min, .max = channel->max, .bins = channel->values, .telling = is_telling(channel, aggregate)};
    for (uint32_t b = 0; b < channel->reports; b++)
        reports[b] = (double)aggregate->bins[b];
    for (uint32_t j = 0; j < channel->values; j++)
        made.share[j] = NAN;
    if (made.telling)
        made.steps = maximise(channel, reports, made.share);
    status = podium_distribution_coarsen(&made, channel->bins);
    if (status == PODIUM_OK)
        *distribution = made;
    return status;
}

podium_status podium_distribution_make(podium_distribution *distribution, const podium_collection *collection,
                                       const podium_aggregate *aggregate, uint32_t bins) {
    podium_channel *channel;
    podium_status status = podium_channel_make(&channel, collection, bins);
    if (status != PODIUM_OK)
        return status;
    status = podium_distribution_from(distribution, channel, aggregate);
    podium_channel_free(channel);
    return status;
}

/* ---- What is asked of it ---- */

double podium_distribution_quantile(const podium_distribution *distribution, double p) {
    double before = 0, width = (distribution->max - distribution->min) / distribution->bins;
    if (!distribution->telling || !(p >= 0 && p <= 1))
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
    if (!distribution->telling || isnan(x))
        return NAN;
    for (uint32_t j = 0; j < distribution->bins && j < at; j++)
        sum += distribution->share[j] * fmin(1, at - j);
    return fmin(1, sum);
}

podium_status podium_distribution_coarsen(podium_distribution *distribution, uint32_t bins) {
    if (bins == 0 || distribution->bins % bins != 0)
        return PODIUM_ERROR_ARGUMENT_WRONG;
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
static void bootstrap(double *samples, const podium_channel *m, const podium_aggregate *aggregate, const double *p,
                      size_t count, uint32_t repetitions, void (*progress)(void *context, uint32_t done),
                      void *context) {
    double reports[PODIUM_BINS_MAX];
    podium_distribution again = {.min = m->min, .max = m->max, .bins = m->values, .telling = true};
    uint64_t state = aggregate->fingerprint ^ aggregate->count;
    for (uint32_t r = 0; r < repetitions; r++) {
        for (uint32_t b = 0; b < m->reports; b++)
            reports[b] = poisson(&state, (double)aggregate->bins[b]);
        maximise(m, reports, again.share);
        for (size_t i = 0; i < count; i++)
            samples[i * repetitions + r] = podium_distribution_quantile(&again, p[i]);
        if (progress != NULL)
            progress(context, r + 1);
    }
}

double podium_bootstrap_least(double confidence) {
    return ceil(2 / (1 - confidence) * (1 - 1e-9)); /* 1 - 0.95 is not quite 0.05 */
}

static podium_status bootstrap_check(const podium_channel *channel, const podium_aggregate *aggregate, const double *p,
                                     size_t count, double confidence, uint32_t repetitions) {
    podium_status status = check(channel, aggregate);
    if (status == PODIUM_OK &&
        (!(confidence > 0 && confidence < 1) || repetitions < podium_bootstrap_least(confidence)))
        status = PODIUM_ERROR_ARGUMENT_WRONG; /* so few have no such quantiles */
    for (size_t i = 0; status == PODIUM_OK && i < count; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            status = PODIUM_ERROR_ARGUMENT_WRONG;
    return status;
}

podium_status podium_distribution_bootstrap(double *lower, double *upper, const podium_channel *channel,
                                            const podium_aggregate *aggregate, const double *p, size_t count,
                                            double confidence, uint32_t repetitions,
                                            void (*progress)(void *context, uint32_t done), void *context) {
    podium_status status = bootstrap_check(channel, aggregate, p, count, confidence, repetitions);
    if (status != PODIUM_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        lower[i] = upper[i] = NAN;
    if (count == 0 || !is_telling(channel, aggregate))
        return PODIUM_OK;
    double *samples =
        count <= SIZE_MAX / sizeof *samples / repetitions ? malloc(count * repetitions * sizeof *samples) : NULL;
    if (samples == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    bootstrap(samples, channel, aggregate, p, count, repetitions, progress, context);
    const double out = (1 - confidence) / 2;
    for (size_t i = 0; i < count; i++) {
        double *own = samples + i * repetitions;
        qsort(own, repetitions, sizeof *own, by_size);
        lower[i] = own[(size_t)floor(out * (repetitions - 1))];
        upper[i] = own[(size_t)ceil((1 - out) * (repetitions - 1))];
    }
    free(samples);
    return PODIUM_OK;
}
