/*
 * Distribution: estimates the distribution of the values by expectation-maximisation with smoothing.
 *
 * A value in bin j leads to a report in bin b with probability a[b][j], which is known exactly. Given shares f, a
 * report in b came from j with probability a[b][j] f[j] / sum. The average of that over the reports is the next f,
 * which has a higher likelihood. Smoothing by (1, 2, 1)/4 after each step keeps the estimate from fitting the noise of
 * the reports (Li et al., 2020).
 */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

/* ---- The channel ---- */

/* The values of a bin are represented by this many evenly spread places, and the mass given the bin is the average
   over them. */
#define PLACES_PER_BIN 16

#define SCORES 6 /* see "Enough reports?" below */

struct podium_channel {
    uint64_t fingerprint;
    bool tells_spread;
    double min, max;
    uint32_t bins;                  /* of the distributions that are returned */
    uint32_t reports, values;       /* number of report bins; number of value bins, a multiple of `bins` */
    uint32_t report_bits;           /* a bin of reports is 2^report_bits cells */
    double evenly[PODIUM_BINS_MAX]; /* mass of each report bin if the values are spread evenly */
    uint32_t scores;
    double score[SCORES][PODIUM_BINS_MAX]; /* score of a report in each bin */
    double mass[];                         /* of report bin b given value bin j: mass[b * values + j] */
};

static void places_of_bin(double places[PLACES_PER_BIN], const podium_layout *layout, uint32_t bin, uint32_t bins) {
    for (int i = 0; i < PLACES_PER_BIN; i++) {
        double along = (bin + (i + 0.5) / PLACES_PER_BIN) / bins;
        double value = layout->spec.min + along * (layout->spec.max - layout->spec.min);
        places[i] = podium_place(layout, value);
    }
}

static double mass_between(const podium_layout *layout, const double places[PLACES_PER_BIN], double first,
                           double last) {
    double sum = 0;
    for (int i = 0; i < PLACES_PER_BIN; i++)
        sum += podium_mass_between(layout, places[i], first, last);
    return sum / PLACES_PER_BIN;
}

/* Computes the masses of all report bins given value bin j. */
static void channel_fill(podium_channel *c, const podium_layout *layout, uint32_t j) {
    double places[PLACES_PER_BIN];
    places_of_bin(places, layout, j, c->values);
    for (uint32_t b = 0; b < c->reports; b++) {
        podium_cell_range cells = podium_map_of(layout)->bin(layout, b, c->report_bits);
        double mass = mass_between(layout, places, (double)cells.first, (double)cells.end);
        c->mass[(size_t)b * c->values + j] = mass;
        c->evenly[b] += mass / c->values;
    }
}

/* ---- Enough reports? ---- */

/*
 * Do the reports say more about the values than that they lie in the range? This is a test of the hypothesis that the
 * values are spread evenly, against densities 1 + theta_1 cos(pi x) + theta_2 cos(2 pi x) + ... with SCORES terms.
 * Rao's score test measures how fast the log-likelihood changes with each theta at 0. For a report in bin b that is the
 * mean of the cosine given b, score[k][b]. The scores are made orthogonal, each with a variance of 1. So the squares of
 * their sums, divided by n, add up to a chi-squared variable with as many degrees of freedom as there are scores. (With
 * few cells there are fewer scores than SCORES.) tests/statistical/telling measures the rate of false alarms, which
 * stays below 5% for few reports too.
 */

/* What a chi-squared variable with that many degrees of freedom exceeds with a probability of 2.5% */
static const double chi_squared[SCORES + 1] = {0, 5.0239, 7.3778, 9.3484, 11.1433, 12.8325, 14.4494};

/* Subtracts from score its component along `other`, which is their covariance under evenly spread values. Returns
   the remaining variance of the score. */
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

/* Sets score to the mean of cos(k pi x) given each report bin, where x goes from 0 to 1 along the range. Returns its
   variance. */
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

/* With two outputs there are no scores, because their reports show only the mean. */
static void channel_set_scores(podium_channel *c) {
    c->scores = 0;
    for (unsigned k = 1; k <= SCORES && c->tells_spread; k++) {
        double *score = c->score[c->scores], variance = score_fill(c, score, k), left = variance;
        for (uint32_t other = 0; other < c->scores; other++)
            left = make_orthogonal(c, score, c->score[other]);
        for (uint32_t b = 0; b < c->reports; b++)
            score[b] /= sqrt(left);
        c->scores += left > 1e-6 * variance && left > 1e-20; /* else it is redundant or rounding error */
    }
}

/* With fewer reports than this the test always says no, because the statistic is not yet close to chi-squared. */
#define REPORTS_LEAST 50

static bool is_telling(const podium_channel *c, const podium_sums *a) {
    double statistic = 0;
    for (uint32_t k = 0; k < c->scores; k++) {
        double sum = 0;
        for (uint32_t b = 0; b < c->reports; b++)
            sum += (double)a->bins[b] * c->score[k][b];
        statistic += sum * sum / (double)a->count;
    }
    return a->count >= REPORTS_LEAST && statistic > chi_squared[c->scores];
}

/* ---- Making a channel ---- */

/* How many bins the estimate uses. With fewer than PODIUM_SHARES_FINE, the places that represent them would miss
   report bins at a large epsilon, and the reach of the smoothing would depend on the number of bins that the caller
   asks for. So the estimate uses at least that many, which are merged in the end. */
static uint32_t fine_bins(uint32_t bins) {
    return bins >= PODIUM_SHARES_FINE ? bins : bins * ((PODIUM_SHARES_FINE + bins - 1) / bins);
}

podium_status podium_channel_make(const podium_collection *collection, podium_channel **channel, uint32_t bins) {
    const podium_layout *layout = podium_layout_of(collection);
    podium_sums empty;
    if (!podium_is_ready(layout))
        return PODIUM_ERROR_NOT_INITIALISED;
    if (bins < 1 || bins > PODIUM_SHARES_MAX)
        return PODIUM_ERROR_ARGUMENT_WRONG;
    podium_sums_init(&empty, layout);
    /* At most PODIUM_BINS_MAX times PODIUM_SHARES_MAX doubles, which is 4 MiB. */
    const uint32_t reports = empty.bin_count, values = fine_bins(bins);
    podium_channel *c = malloc(sizeof *c + (size_t)reports * values * sizeof *c->mass);
    if (c == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    *c = (podium_channel){.fingerprint = layout->fingerprint,
                          .tells_spread = layout->tells_spread,
                          .min = layout->spec.min,
                          .max = layout->spec.max,
                          .bins = bins,
                          .reports = reports,
                          .values = values,
                          .report_bits = empty.bin_bits};
    for (uint32_t j = 0; j < values; j++)
        channel_fill(c, layout, j);
    channel_set_scores(c);
    *channel = c;
    return PODIUM_OK;
}

bool podium_channel_fits(const podium_channel *channel, const podium_layout *c) {
    return channel->fingerprint == c->fingerprint;
}

void podium_channel_free(podium_channel *channel) {
    free(channel);
}

/* ---- Expectation, maximisation, smoothing ---- */

/* Uses four sums, because a compiler may not reorder the additions of a single one. */
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

/* Takes one step from share to next, and returns the log-likelihood of share. */
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

/* Whether there are no reports, so that the shares stay as they are. (A bootstrap of very few reports can draw
   none.) */
static bool has_no_reports(const double *reports, uint32_t n) {
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

/* Improves the shares, beginning with equal ones, and returns the number of steps. */
static uint32_t maximise(const podium_channel *m, const double *reports, double *share) {
    double next[PODIUM_SHARES_MAX], before = -INFINITY;
    uint32_t step = 0;
    for (uint32_t j = 0; j < m->values; j++)
        share[j] = 1.0 / m->values;
    if (has_no_reports(reports, m->reports))
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

static podium_status check(const podium_channel *c, const podium_sums *a) {
    if (a->fingerprint != c->fingerprint || a->bin_count != c->reports || a->bin_bits != c->report_bits)
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    return a->count == 0 ? PODIUM_ERROR_TOO_FEW_REPORTS : PODIUM_OK;
}

podium_status podium_distribution_make(const podium_channel *channel, podium_distribution *distribution,
                                       const podium_aggregate *aggregate) {
    const podium_sums *a = podium_sums_of(aggregate);
    double reports[PODIUM_BINS_MAX];
    podium_status status = check(channel, a);
    if (status != PODIUM_OK)
        return status;
    podium_distribution made = {
        .min = channel->min, .max = channel->max, .bins = channel->values, .telling = is_telling(channel, a)};
    for (uint32_t b = 0; b < channel->reports; b++)
        reports[b] = (double)a->bins[b];
    for (uint32_t j = 0; j < channel->values; j++)
        made.share[j] = NAN;
    if (made.telling)
        made.steps = maximise(channel, reports, made.share);
    status = podium_distribution_coarsen(&made, channel->bins);
    if (status == PODIUM_OK)
        *distribution = made;
    return status;
}

/* ---- Quantiles, shares, bins ---- */

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

podium_bin podium_distribution_bin(const podium_distribution *distribution, uint32_t number, uint32_t bins) {
    const double min = distribution->min, max = distribution->max, width = (max - min) / bins;
    if (number >= bins)
        return (podium_bin){NAN, NAN, NAN};
    podium_bin bin = {.lower = min + width * number, .upper = number + 1 == bins ? max : min + width * (number + 1)};
    bin.share = podium_distribution_below(distribution, bin.upper) - podium_distribution_below(distribution, bin.lower);
    return bin;
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

/* ---- Bootstrap: the count of each report bin is replaced by a Poisson number whose mean is the count ---- */

static double uniform(uint64_t *state) { /* SplitMix64, because these numbers are not secret */
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53 + 0x1p-54;
}

/* Counts waiting times if the mean is small. If it is large, the normal distribution is close enough. */
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

/* Sets samples[i * repetitions + r] to quantile i of repetition r. */
static void bootstrap(double *samples, const podium_channel *m, const podium_sums *a, const double *p, size_t count,
                      uint32_t repetitions, void (*progress)(void *context, uint32_t done), void *context) {
    double reports[PODIUM_BINS_MAX];
    podium_distribution again = {.min = m->min, .max = m->max, .bins = m->values, .telling = true};
    uint64_t state = a->fingerprint ^ a->count;
    for (uint32_t r = 0; r < repetitions; r++) {
        for (uint32_t b = 0; b < m->reports; b++)
            reports[b] = poisson(&state, (double)a->bins[b]);
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

static podium_status bootstrap_check(const podium_channel *channel, const podium_sums *a, const double *p, size_t count,
                                     double confidence, uint32_t repetitions) {
    podium_status status = check(channel, a);
    if (status == PODIUM_OK &&
        (!(confidence > 0 && confidence < 1) || repetitions < podium_bootstrap_least(confidence)))
        status = PODIUM_ERROR_ARGUMENT_WRONG; /* so few repetitions have no quantiles that far out */
    for (size_t i = 0; status == PODIUM_OK && i < count; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            status = PODIUM_ERROR_ARGUMENT_WRONG;
    return status;
}

podium_status podium_distribution_bootstrap(const podium_channel *channel, double *lower, double *upper,
                                            const podium_aggregate *aggregate, const double *p, size_t count,
                                            double confidence, uint32_t repetitions,
                                            void (*progress)(void *context, uint32_t done), void *context) {
    const podium_sums *a = podium_sums_of(aggregate);
    podium_status status = bootstrap_check(channel, a, p, count, confidence, repetitions);
    if (status != PODIUM_OK)
        return status;
    if (count == 0 || !is_telling(channel, a)) {
        for (size_t i = 0; i < count; i++)
            lower[i] = upper[i] = NAN;
        return PODIUM_OK;
    }
    double *samples =
        count <= SIZE_MAX / sizeof *samples / repetitions ? malloc(count * repetitions * sizeof *samples) : NULL;
    if (samples == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    bootstrap(samples, channel, a, p, count, repetitions, progress, context);
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
