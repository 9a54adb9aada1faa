/* Estimates compared with plain formulas, their intervals, and distributions that are known in advance. */
#include <check.h>
#include <math.h>

#include "support.h"

/* ---- Reports to estimate from ---- */

#define MANY 200000

static double values[MANY], reports[MANY];

static double bell(uint64_t *seed) { /* mean 0, standard deviation 1, within 6 */
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += seeded_uniform(seed);
    return sum;
}

static podium_aggregate privatized(const podium_collection *c, uint64_t *seed, size_t n) {
    podium_random random = seeded_random(seed);
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    ck_assert_int_eq(podium_privatize_from(c, &random, reports, values, n), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_add(c, &a, reports, n), PODIUM_OK);
    ck_assert_uint_eq(podium_aggregate_refused(&a), 0);
    return a;
}

static podium_aggregate of_cells(const podium_collection *c, const uint32_t *cells, size_t n) {
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    ck_assert_int_eq(podium_aggregate_add_cells(c, &a, cells, n), PODIUM_OK);
    return a;
}

static podium_aggregate uniform_values(const podium_collection *c, uint64_t *seed, size_t n) {
    const podium_spec spec = podium_collection_spec(c);
    for (size_t i = 0; i < n; i++)
        values[i] = spec.min + (spec.max - spec.min) * seeded_uniform(seed);
    return privatized(c, seed, n);
}

/* Most values are in the lower half, which thousands of reports can tell apart from an even spread. */
static podium_aggregate skewed_values(const podium_collection *c, uint64_t *seed, size_t n) {
    const podium_spec spec = podium_collection_spec(c);
    for (size_t i = 0; i < n; i++) {
        double along = seeded_uniform(seed);
        values[i] = spec.min + (spec.max - spec.min) * along * along;
    }
    return privatized(c, seed, n);
}

/* The estimate that the library computes from sums. unit/summary tests what it says about them. */
static podium_status make(podium_estimate *e, const podium_collection *c, const podium_aggregate *a,
                          podium_interval interval, double confidence) {
    const podium_question question = {.confidence = confidence, .interval = interval};
    return podium_estimate_make(e, podium_layout_of(c), podium_sums_of(a), &question);
}

static podium_estimate estimate_of(const podium_collection *c, const podium_aggregate *a) {
    podium_estimate e;
    ck_assert_int_eq(make(&e, c, a, PODIUM_INTERVAL_NORMAL, 0.95), PODIUM_OK);
    return e;
}

/* ---- Mean and variance ---- */

typedef struct {
    long double mean, variance; /* of the reports, about the middle of the range; variance unbiased */
} plain;

static plain of_reports(const podium_layout *c, size_t n) {
    long double middle = c->spec.min + (long double)(c->spec.max - c->spec.min) / 2, sum = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        sum += reports[i] - middle;
    for (size_t i = 0; i < n; i++)
        square += (reports[i] - middle - sum / n) * (reports[i] - middle - sum / n);
    return (plain){sum / n, square / (n - 1)};
}

/* The correction that a map of pieces adds to the square of a report */
static double correction_of(const podium_layout *c, double report) {
    uint32_t cell;
    ck_assert(podium_map_of(c)->cell(c, &cell, (report - c->first) / c->spacing));
    return c->map == PODIUM_MAP_PIECES ? c->worth.pieces.square[cell >> c->worth.pieces.bits] : 0;
}

static long double mean_correction(const podium_layout *c, size_t n) {
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)correction_of(c, reports[i]);
    return sum / n;
}

static void check_variance(const podium_layout *c, const podium_estimate *e, plain p, size_t n) {
    long double delta = c->spec.max - c->spec.min;
    long double square_y = p.variance * (n - 1) / n + p.mean * p.mean + mean_correction(c, n);
    long double value_variance = (square_y - c->alpha) / (1 + c->beta) - p.mean * p.mean + p.variance / n;
    bool clipped = value_variance < 0 || value_variance > delta * delta / 4;
    ck_assert_int_eq(e->variance_clipped, clipped);
    if (!clipped)
        ck_assert_double_eq_tol(e->variance, (double)value_variance, (double)(1e-9L * p.variance));
    ck_assert(e->variance >= 0 && e->variance <= (double)(delta * delta / 4));
    ck_assert_double_eq(e->standard_deviation, sqrt(e->variance));
}

static void check_moments(const podium_collection *collection, const podium_aggregate *a, size_t n) {
    const podium_layout *c = podium_layout_of(collection);
    podium_estimate e = estimate_of(collection, a);
    plain p = of_reports(c, n);
    long double middle = c->spec.min + (long double)(c->spec.max - c->spec.min) / 2;
    /* Every report contains noise, whose variance is at least alpha if beta is not negative. */
    long double scale = sqrtl(fmaxl(p.variance, (long double)c->variance_least));
    if (c->beta >= 0 && c->map != PODIUM_MAP_PIECES)
        ck_assert_double_eq(c->variance_least, c->alpha);
    ck_assert_uint_eq(e.n, n);
    ck_assert_double_eq_tol(e.mean, (double)(p.mean + middle), (double)(1e-10L * (scale + fabsl(middle))));
    ck_assert_double_eq_tol(e.standard_error, (double)(scale / sqrtl(n)), (double)(1e-10L * scale));
    if (c->cells > 2)
        check_variance(c, &e, p, n);
    else /* two outputs say nothing about it */
        ck_assert(isnan(e.variance) && isnan(e.standard_deviation) && !e.variance_clipped);
}

START_TEST(moments) {
    static const double ranges[][2] = {{1, 120}, {-1, 1}, {1e9, 1e9 + 86400}, {-1e-9, 0}};
    static const size_t sizes[] = {2, 3, 50, 5000};
    uint64_t seed = 401;
    FOR_EACH_MECHANISM (m)
        for (size_t r = 0; r < LENGTH(ranges); r++)
            for (size_t s = 0; s < LENGTH(sizes); s++) {
                podium_collection c = collection_of(m, 2, ranges[r][0], ranges[r][1]);
                podium_aggregate a = uniform_values(&c, &seed, sizes[s]);
                check_moments(&c, &a, sizes[s]);
            }
}
END_TEST

START_TEST(many_reports) { /* The sums of 2^60 reports, for which doubles would have been rounded long before. */
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, -1, 1);
    uint32_t cells[] = {UINT32_MAX / 2, UINT32_MAX / 2 + 1};
    podium_aggregate a = of_cells(&c, cells, 2);
    for (int i = 1; i < 60; i++)
        ck_assert_int_eq(podium_aggregate_merge(&a, &a), PODIUM_OK);
    podium_estimate e = estimate_of(&c, &a);
    ck_assert_uint_eq(e.n, (uint64_t)1 << 60);
    ck_assert_double_eq(e.mean, 0);
    ck_assert_double_eq_tol(e.standard_error / (sqrt(podium_layout_of(&c)->alpha) * 0x1p-30), 1, 1e-12);
}
END_TEST

/* Estimates of values with a known mean and variance, within 6 standard errors. There are at most two comparisons
   for each mechanism, with false alarms below 6e-8 for a dozen of them. The variance comes from the mean of y^2
   divided by 1 + beta; the tolerance is not divided, which leaves room for the square of the mean. */
START_TEST(estimates_the_values) {
    uint64_t seed = 402;
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 2, 0, 10);
        double fourth = 0, square = 0;
        podium_aggregate a = uniform_values(&c, &seed, MANY);
        for (size_t i = 0; i < MANY; i++) {
            double y = (reports[i] - 5) * (reports[i] - 5) + correction_of(podium_layout_of(&c), reports[i]);
            square += y / MANY, fourth += y * y / MANY;
        }
        podium_estimate e = estimate_of(&c, &a);
        ck_assert_double_le(fabs(e.mean - 5), 6 * e.standard_error);
        if (podium_collection_cells(&c) == 2)
            continue;
        ck_assert_double_le(fabs(e.variance - 100 / 12.0), 6 * sqrt((fourth - square * square) / MANY));
        ck_assert(!e.variance_clipped);
    }
}
END_TEST

START_TEST(variance_clipped) {
    FOR_EACH_MECHANISM (m) {
        podium_collection collection = collection_of(m, 1, 0, 10);
        const podium_layout *c = podium_layout_of(&collection);
        const uint64_t cells = c->map == PODIUM_MAP_PAIR ? c->cells / 2 : c->cells; /* that are not outputs */
        uint32_t middle = (uint32_t)(cells - 1) / 2, alike[] = {middle, middle, middle};
        uint32_t ends[] = {cell_worth(c, 0), cell_worth(c, c->worth_most)};
        podium_aggregate a = of_cells(&collection, alike, 3), b = of_cells(&collection, ends, 2);
        if (c->cells == 2)
            continue;
        podium_estimate e = estimate_of(&collection, &a);
        ck_assert(e.variance == 0 && e.standard_deviation == 0 && e.variance_clipped);
        e = estimate_of(&collection, &b);
        ck_assert(e.variance == 25 && e.standard_deviation == 5 && e.variance_clipped);
    }
}
END_TEST

/* ---- Intervals ---- */

static double half_width(const podium_collection *c, const podium_aggregate *a, podium_interval interval,
                         double confidence) {
    const podium_spec spec = podium_collection_spec(c);
    podium_estimate e;
    ck_assert_int_eq(make(&e, c, a, interval, confidence), PODIUM_OK);
    ck_assert_double_eq(e.confidence, confidence);
    ck_assert_int_eq(e.interval, interval);
    ck_assert(e.lower > spec.min && e.upper < spec.max); /* not clipped */
    ck_assert_double_eq_tol(e.mean - e.lower, e.upper - e.mean, 1e-12);
    return (e.upper - e.lower) / 2;
}

START_TEST(normal_quantiles) { /* To 12 digits; for 1 - 1e-9 a double has only 7. */
    static const double known[][3] = {{0.5, 0.6744897501960817, 1e-12},    {0.6826894921370859, 1, 1e-12},
                                      {0.9, 1.6448536269514722, 1e-12},    {0.95, 1.959963984540054, 1e-12},
                                      {0.99, 2.5758293035489004, 1e-12},   {0.9973002039367398, 3, 1e-12},
                                      {0.999, 3.2905267314919255, 1e-12},  {1 - 1e-9, 6.109410204869, 1e-7},
                                      {0.01, 0.012533469508069276, 1e-12}, {1e-6, 1.2533141373158e-6, 1e-15}};
    uint64_t seed = 403;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, -1, 1);
    podium_aggregate a = uniform_values(&c, &seed, MANY);
    podium_estimate e = estimate_of(&c, &a);
    for (size_t i = 0; i < LENGTH(known); i++) {
        double z = half_width(&c, &a, PODIUM_INTERVAL_NORMAL, known[i][0]) / e.standard_error;
        /* the ends are rounded relative to the mean, by 1e-16 of it in standard errors */
        ck_assert_double_eq_tol(z, known[i][1], known[i][2] * fmax(1, known[i][1]) + 4e-16 / e.standard_error);
    }
}
END_TEST

START_TEST(within_the_range) {
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 3, 4);
        const podium_layout *layout = podium_layout_of(&c);
        uint32_t first = cell_worth(layout, 0), last = cell_worth(layout, layout->worth_most);
        uint32_t right[] = {last, last}, left[] = {first, first}, both[] = {first, last};
        podium_aggregate above = of_cells(&c, right, 2), below = of_cells(&c, left, 2), wide = of_cells(&c, both, 2);
        for (int interval = PODIUM_INTERVAL_NORMAL; interval <= PODIUM_INTERVAL_ANYTIME; interval++) {
            podium_estimate e;
            ck_assert_int_eq(make(&e, &c, &wide, (podium_interval)interval, 0.95), PODIUM_OK);
            ck_assert(e.lower == 3 && e.upper == 4);
            ck_assert_int_eq(make(&e, &c, &above, (podium_interval)interval, 0.95), PODIUM_OK);
            ck_assert(e.mean > 4 && e.lower >= 3 && e.upper == 4);
            ck_assert_int_eq(make(&e, &c, &below, (podium_interval)interval, 0.95), PODIUM_OK);
            ck_assert(e.mean < 3 && e.lower == 3 && e.upper <= 4);
        }
    }
}
END_TEST

/* ---- Errors ---- */

static podium_status estimate(const podium_collection *c, const podium_aggregate *a, int interval, double confidence) {
    podium_estimate e, before;
    memset(&e, 0x5a, sizeof e);
    before = e;
    podium_status status = make(&e, c, a, (podium_interval)interval, confidence);
    ck_assert(status == PODIUM_OK || memcmp(&e, &before, sizeof e) == 0);
    return status;
}

START_TEST(refused_estimates) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 2);
    uint32_t cells[] = {5, 6};
    podium_aggregate none = of_cells(&c, cells, 0), one = of_cells(&c, cells, 1), two = of_cells(&c, cells, 2), bent;
    static const double wrong[] = {0, 1, -0.1, 1.1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert_int_eq(estimate(&c, &two, PODIUM_INTERVAL_NORMAL, wrong[i]), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(estimate(&c, &two, 3, 0.95), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(estimate(&c, &two, -1, 0.95), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(estimate(&c, &none, PODIUM_INTERVAL_NORMAL, 0.95), PODIUM_ERROR_TOO_FEW_REPORTS);
    ck_assert_int_eq(estimate(&c, &one, PODIUM_INTERVAL_GUARANTEED, 0.95), PODIUM_ERROR_TOO_FEW_REPORTS);
    ck_assert_int_eq(estimate(&other, &two, PODIUM_INTERVAL_NORMAL, 0.95), PODIUM_ERROR_FINGERPRINT_WRONG);
    bent = two;
    podium_sums_in(&bent)->bin_bits++;
    ck_assert_int_eq(estimate(&c, &bent, PODIUM_INTERVAL_NORMAL, 0.95), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(estimate(&c, &two, PODIUM_INTERVAL_NORMAL, nextafter(0, 1)), PODIUM_OK);
    ck_assert_int_eq(estimate(&c, &two, PODIUM_INTERVAL_GUARANTEED, nextafter(1, 0)), PODIUM_OK);
}
END_TEST

static podium_status distribution(const podium_collection *c, const podium_aggregate *a, uint32_t bins) {
    static podium_distribution d, before;
    memset(&d, 0x5a, sizeof d);
    before = d;
    podium_status status = distribution_with(&d, c, a, bins);
    ck_assert(status == PODIUM_OK || memcmp(&d, &before, sizeof d) == 0);
    return status;
}

static podium_status bootstrap(const podium_collection *c, const podium_aggregate *a, uint32_t bins, double p,
                               double confidence, uint32_t repetitions) {
    double lower = -7, upper = -8;
    podium_channel *channel;
    podium_status status = podium_channel_make(c, &channel, bins);
    if (status != PODIUM_OK)
        return status;
    status = podium_distribution_bootstrap(channel, &lower, &upper, a, &p, 1, confidence, repetitions, NULL, NULL);
    podium_channel_free(channel);
    ck_assert(status == PODIUM_OK ? isnan(lower) && isnan(upper) : lower == -7 && upper == -8);
    return status;
}

START_TEST(refused_distributions) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 2);
    uint32_t cells[] = {5, 6};
    podium_aggregate none = of_cells(&c, cells, 0), two = of_cells(&c, cells, 2);
    ck_assert_int_eq(distribution(&c, &two, 0), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(distribution(&c, &two, PODIUM_SHARES_MAX + 1), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(distribution(&c, &none, 8), PODIUM_ERROR_TOO_FEW_REPORTS);
    ck_assert_int_eq(distribution(&other, &two, 8), PODIUM_ERROR_FINGERPRINT_WRONG);
    static const podium_collection zeros;
    ck_assert_int_eq(distribution(&zeros, &two, 8), PODIUM_ERROR_NOT_INITIALISED);
    static const double wrong[] = {-0.01, 1.01, NAN, INFINITY};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        ck_assert_int_eq(bootstrap(&c, &two, 8, wrong[i], 0.9, 20), PODIUM_ERROR_ARGUMENT_WRONG);
        ck_assert_int_eq(bootstrap(&c, &two, 8, 0.5, wrong[i], 20), PODIUM_ERROR_ARGUMENT_WRONG);
    }
    ck_assert_int_eq(bootstrap(&c, &two, 8, 0.5, 0.9, 19), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(bootstrap(&c, &two, 8, 0.5, 0, 20), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(bootstrap(&c, &two, 8, 0.5, 1, 20), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(bootstrap(&c, &two, 0, 0.5, 0.9, 20), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(bootstrap(&c, &none, 8, 0.5, 0.9, 20), PODIUM_ERROR_TOO_FEW_REPORTS);
    ck_assert_int_eq(bootstrap(&other, &two, 8, 0.5, 0.9, 20), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(bootstrap(&c, &two, 8, 0.5, 0.9, 20), PODIUM_OK);
}
END_TEST

/* ---- Distributions ---- */

/* Known shares add up to 1. Withheld shares are NaN, and so is everything computed from them. */
static void check_shares(const podium_distribution *d) {
    double sum = 0;
    size_t bad = 0;
    for (uint32_t j = 0; j < PODIUM_SHARES_MAX; j++) {
        bad += j >= d->bins ? d->share[j] != 0 : d->telling ? !(d->share[j] >= 0) : !isnan(d->share[j]);
        sum += d->share[j];
    }
    ck_assert_uint_eq(bad, 0);
    if (d->telling)
        ck_assert_double_eq_tol(sum, 1, 1e-12);
    else
        ck_assert(isnan(podium_distribution_quantile(d, 0.5)) && isnan(podium_distribution_below(d, d->max)));
}

static void check_quantiles(const podium_distribution *d) {
    double before = d->min;
    size_t bad = 0;
    for (int i = 0; i <= 1000; i++) {
        double now = podium_distribution_quantile(d, i / 1000.0);
        bad += !(now >= before && now <= d->max + 1e-12 * (d->max - d->min));
        before = now;
    }
    ck_assert_uint_eq(bad, 0);
    ck_assert(isnan(podium_distribution_quantile(d, -1e-9)) && isnan(podium_distribution_quantile(d, 1 + 1e-9)));
    ck_assert(isnan(podium_distribution_quantile(d, NAN)));
}

START_TEST(shares) {
    static const uint32_t bins[] = {1, 2, 7, 64, PODIUM_SHARES_MAX};
    static podium_distribution d;
    uint64_t seed = 405;
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, -3, 5);
        podium_aggregate a = skewed_values(&c, &seed, 20000);
        for (size_t i = (size_t)m % TEST_STRIDE; i < LENGTH(bins); i += TEST_STRIDE) {
            ck_assert_int_eq(distribution_with(&d, &c, &a, bins[i]), PODIUM_OK);
            ck_assert(d.min == -3 && d.max == 5 && d.bins == bins[i] && d.steps <= PODIUM_STEPS_MAX);
            check_shares(&d);
            ck_assert_int_eq(d.telling, podium_collection_cells(&c) > 2);
            if (d.telling)
                check_quantiles(&d);
        }
    }
}
END_TEST

/* Many aggregates with one channel have the same distributions as with a channel each. */
START_TEST(one_channel) {
    static podium_distribution own, shared;
    uint64_t seed = 409;
    podium_channel *channel;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, -3, 5);
    ck_assert_int_eq(podium_channel_make(&c, &channel, 20), PODIUM_OK);
    for (size_t n = 10; n <= 100000; n *= 10) {
        podium_aggregate a = skewed_values(&c, &seed, n);
        memset(&own, 0, sizeof own), memset(&shared, 0, sizeof shared);
        ck_assert_int_eq(distribution_with(&own, &c, &a, 20), PODIUM_OK);
        ck_assert_int_eq(podium_distribution_make(channel, &shared, &a), PODIUM_OK);
        ck_assert(memcmp(&own, &shared, sizeof own) == 0);
        ck_assert(shared.telling == (n >= 1000));
    }
    podium_channel_free(channel);
    podium_channel_free(NULL);
}
END_TEST

/* One report where hardly any occurs, at the far end of every mechanism's support, alone and with others. A single
   dishonest report must not ruin the estimate. */
START_TEST(far_reports) {
    static const double epsilons[] = {0.001, 1, 10, 50};
    static podium_distribution d;
    uint64_t seed = 406;
    FOR_EACH_MECHANISM (m)
        for (size_t e = (size_t)m % 2; e < LENGTH(epsilons);
             e += 2) { /* half of them each time, at half of the places */
            podium_collection c = collection_of(m, epsilons[e], 0, 1);
            uint32_t last = (uint32_t)(podium_collection_cells(&c) - 1),
                     far[] = {0, 1, last / 50, last - last / 50, last - 1, last};
            for (size_t i = e / 2 + 2 * ((size_t)m % TEST_STRIDE); i < LENGTH(far); i += 2 * TEST_STRIDE) {
                podium_aggregate alone = of_cells(&c, &far[i], 1), many = uniform_values(&c, &seed, 200);
                ck_assert_int_eq(distribution_with(&d, &c, &alone, 16), PODIUM_OK);
                check_shares(&d);
                ck_assert_int_eq(podium_aggregate_merge(&many, &alone), PODIUM_OK);
                ck_assert_int_eq(distribution_with(&d, &c, &many, 16), PODIUM_OK);
                check_shares(&d);
            }
        }
}
END_TEST

START_TEST(quantiles_of_known_shares) {
    podium_distribution d = {.min = 10, .max = 14, .bins = 4, .telling = true, .share = {0.25, 0, 0.5, 0.25}};
    static const double known[][2] = {{0, 10},     {0.125, 10.5}, {0.25, 11},    {0.375, 12.25},
                                      {0.5, 12.5}, {0.75, 13},    {0.875, 13.5}, {1, 14}};
    for (size_t i = 0; i < LENGTH(known); i++)
        ck_assert_double_eq_tol(podium_distribution_quantile(&d, known[i][0]), known[i][1], 1e-12);
    check_quantiles(&d);
}
END_TEST

START_TEST(coarser) {
    podium_distribution d = {.min = 0, .max = 6, .bins = 6, .telling = true, .share = {0.1, 0.2, 0.3, 0.15, 0.05, 0.2}};
    podium_distribution before = d;
    ck_assert_int_eq(podium_distribution_coarsen(&d, 4), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_distribution_coarsen(&d, 12), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_distribution_coarsen(&d, 0), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_distribution_coarsen(&d, 6), PODIUM_OK);
    ck_assert(memcmp(&d, &before, sizeof d) == 0);
    ck_assert_int_eq(podium_distribution_coarsen(&d, 3), PODIUM_OK);
    ck_assert_uint_eq(d.bins, 3);
    ck_assert_double_eq_tol(d.share[0], 0.3, 1e-15);
    ck_assert_double_eq_tol(d.share[1], 0.45, 1e-15);
    ck_assert_double_eq_tol(d.share[2], 0.25, 1e-15);
    check_shares(&d);
    for (int i = 0; i <= 2; i += 2) /* quantiles at the ends of coarse bins do not change */
        ck_assert_double_eq_tol(podium_distribution_quantile(&d, i == 0 ? 0.3 : 0.75), i == 0 ? 2 : 4, 1e-12);
    ck_assert_int_eq(podium_distribution_coarsen(&d, 1), PODIUM_OK);
    ck_assert_double_eq_tol(d.share[0], 1, 1e-15);
}
END_TEST

/* Half of the values are around a quarter of the range and half around three quarters, with a standard deviation of
   5% of the range, so the quartiles are at the peaks. They must be found within 2% of the range, and within 3% for
   Laplace, whose reports are noisier. The valley from 40% to 60% contains 0.13% of the values. Smoothing and noise
   may leave 10% there, and 25% for Laplace, which finds the quartiles with this n but hardly the two peaks (a flat
   distribution would have 19%). */
static void two_peaks(podium_mechanism mechanism, double tolerance, double valley_most) {
    static podium_distribution d;
    uint64_t seed = 407;
    podium_collection c = collection_of(mechanism, 2, 0, 100);
    if (podium_collection_cells(&c) == 2) /* shows only the mean */
        return;
    for (size_t i = 0; i < MANY; i++)
        values[i] = (i % 2 == 0 ? 25 : 75) + 5 * bell(&seed);
    podium_aggregate a = privatized(&c, &seed, MANY);
    ck_assert_int_eq(distribution_with(&d, &c, &a, 64), PODIUM_OK);
    check_shares(&d);
    double low = podium_distribution_quantile(&d, 0.25), high = podium_distribution_quantile(&d, 0.75);
    double eighth = podium_distribution_quantile(&d, 0.125), valley = 0;
    for (uint32_t j = 26; j < 38; j++) /* 40.6 to 59.4 */
        valley += d.share[j];
    printf(
        "two peaks, %s: quartiles off by %.2f%% and %.2f%%, first eighth by %.2f%%; in the valley %.2f%%; %u steps\n",
        podium_mechanism_name(mechanism), low - 25, high - 75, eighth - (25 - 5 * 0.6745), 100 * valley, d.steps);
    fflush(stdout); /* before a failed assertion ends this process */
    ck_assert_double_le(fabs(low - 25), 100 * tolerance);
    ck_assert_double_le(fabs(high - 75), 100 * tolerance);
    ck_assert_double_le(valley, valley_most);
}

START_TEST(two_peaks_of_all) {
    FOR_EACH_MECHANISM (m)
        two_peaks(m, m == PODIUM_MECHANISM_LAPLACE ? 0.03 : 0.02, m == PODIUM_MECHANISM_LAPLACE ? 0.25 : 0.1);
}
END_TEST

/* ---- Bootstrap ---- */

static void count_up(void *context, uint32_t done) {
    uint32_t *count = context;
    ck_assert_uint_eq(done, ++*count);
}

/* 2,000 people with the same value */
static podium_aggregate all_at(const podium_collection *c, double value, uint64_t seed) {
    uint32_t cells[2000];
    double at[LENGTH(cells)];
    podium_random random = seeded_random(&seed);
    for (size_t i = 0; i < LENGTH(at); i++)
        at[i] = value;
    ck_assert_int_eq(podium_privatize_cells(c, &random, cells, at, LENGTH(at)), PODIUM_OK);
    return of_cells(c, cells, LENGTH(cells));
}

START_TEST(few_bins_at_large_epsilon) { /* If all values are equal, they must be found even with few bins. */
    static const uint32_t few[] = {1, 4, 10, 20, 128};
    FOR_EACH_MECHANISM (m)
        for (size_t k = 0; k < LENGTH(few); k++) {
            podium_collection c = collection_of(m, 50, 0, 1);
            podium_aggregate a = all_at(&c, 0.137, 401);
            podium_distribution d;
            ck_assert_int_eq(distribution_with(&d, &c, &a, few[k]), PODIUM_OK);
            if (podium_collection_cells(&c) == 2) { /* but not with two outputs, for any number of reports */
                ck_assert(!d.telling);
                continue;
            }
            double near = 0.1 + 1.0 / few[k];
            ck_assert_double_ge(
                podium_distribution_below(&d, 0.137 + near) - podium_distribution_below(&d, 0.137 - near), 0.9);
            if (few[k] > 1) /* one bin is always right */
                ck_assert_double_le(fabs(podium_distribution_quantile(&d, 0.5) - 0.137), 1.0 / few[k]);
            ck_assert(d.telling);
        }
}
END_TEST

START_TEST(says_when_it_cannot_tell) { /* epsilon 0.01: the noise is a hundred times the range */
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 0.01, 0, 1);
    podium_aggregate a = all_at(&c, 0.2, 402);
    podium_distribution d;
    ck_assert_int_eq(distribution_with(&d, &c, &a, 10), PODIUM_OK);
    ck_assert(!d.telling);
}
END_TEST

START_TEST(below_is_the_inverse_of_quantile) {
    podium_distribution d = {.min = -1, .max = 3, .bins = 4, .telling = true, .share = {0.1, 0, 0.6, 0.3}};
    ck_assert_double_eq_tol(podium_distribution_below(&d, -5), 0, 1e-15);
    ck_assert_double_eq_tol(podium_distribution_below(&d, 0), 0.1, 1e-15);
    ck_assert_double_eq_tol(podium_distribution_below(&d, 1.5), 0.4, 1e-15);
    ck_assert_double_eq_tol(podium_distribution_below(&d, 9), 1, 1e-15);
    ck_assert(isnan(podium_distribution_below(&d, NAN)));
    for (double p = 0.01; p < 1; p += 0.03)
        ck_assert_double_eq_tol(podium_distribution_below(&d, podium_distribution_quantile(&d, p)), p, 1e-12);
}
END_TEST

START_TEST(bootstrapped) {
    static const double p[] = {0, 0.25, 0.5, 0.75, 1};
    enum { QUANTILES = LENGTH(p), REPETITIONS = 40 };
    static podium_distribution d;
    uint64_t seed = 408;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 100);
    podium_aggregate a = skewed_values(&c, &seed, 20000);
    podium_channel *channel;
    ck_assert_int_eq(podium_channel_make(&c, &channel, 32), PODIUM_OK);
    double lower[QUANTILES], upper[QUANTILES], low[QUANTILES], high[QUANTILES];
    uint32_t done = 0;
    ck_assert_int_eq(
        podium_distribution_bootstrap(channel, lower, upper, &a, p, QUANTILES, 0.9, REPETITIONS, count_up, &done),
        PODIUM_OK);
    ck_assert_uint_eq(done, REPETITIONS);
    ck_assert_int_eq(podium_distribution_bootstrap(channel, low, high, &a, p, QUANTILES, 0.9, REPETITIONS, NULL, NULL),
                     PODIUM_OK);
    ck_assert(memcmp(lower, low, sizeof low) == 0 && memcmp(upper, high, sizeof high) == 0);
    ck_assert_int_eq(podium_distribution_bootstrap(channel, low, high, &a, p, QUANTILES, 0.3, REPETITIONS, NULL, NULL),
                     PODIUM_OK);
    ck_assert_int_eq(podium_distribution_make(channel, &d, &a), PODIUM_OK);
    podium_channel_free(channel);
    for (int i = 0; i < QUANTILES; i++) {
        /* A larger confidence has a wider interval. */
        ck_assert(lower[i] <= low[i] && low[i] <= high[i] && high[i] <= upper[i]);
        ck_assert(lower[i] >= 0 && upper[i] <= 100 + 1e-9);
        ck_assert(i == 0 || (lower[i - 1] <= lower[i] && upper[i - 1] <= upper[i]));
    }
    /* The interval contains the estimate, and is neither a point nor the whole range. */
    for (int i = 1; i < QUANTILES - 1; i++) {
        double at = podium_distribution_quantile(&d, p[i]);
        ck_assert(lower[i] < upper[i] && upper[i] - lower[i] < 20 && lower[i] - 5 < at && at < upper[i] + 5);
    }
}
END_TEST

START_TEST(bootstrap_withheld) { /* If the distribution is withheld, so is the interval, and no repetition is made. */
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 100);
    uint32_t cell = UINT32_MAX / 4, done = 0;
    podium_aggregate a = of_cells(&c, &cell, 1);
    podium_channel *channel;
    double lower, upper, p = 0.5;
    ck_assert_int_eq(podium_channel_make(&c, &channel, 16), PODIUM_OK);
    ck_assert_int_eq(podium_distribution_bootstrap(channel, &lower, &upper, &a, &p, 1, 0.98, 100, count_up, &done),
                     PODIUM_OK);
    ck_assert(isnan(lower) && isnan(upper) && done == 0);
    podium_channel_free(channel);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("estimate");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, moments);
    tcase_add_test(tests, many_reports);
    tcase_add_test(tests, estimates_the_values);
    tcase_add_test(tests, variance_clipped);
    tcase_add_test(tests, normal_quantiles);
    tcase_add_test(tests, within_the_range);
    tcase_add_test(tests, refused_estimates);
    tcase_add_test(tests, refused_distributions);
    tcase_add_test(tests, shares);
    tcase_add_test(tests, one_channel);
    tcase_add_test(tests, far_reports);
    tcase_add_test(tests, quantiles_of_known_shares);
    tcase_add_test(tests, coarser);
    tcase_add_test(tests, two_peaks_of_all);
    tcase_add_test(tests, few_bins_at_large_epsilon);
    tcase_add_test(tests, says_when_it_cannot_tell);
    tcase_add_test(tests, below_is_the_inverse_of_quantile);
    tcase_add_test(tests, bootstrapped);
    tcase_add_test(tests, bootstrap_withheld);
    return run_tests("estimate", tests);
}
