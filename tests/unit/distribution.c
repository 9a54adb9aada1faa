/* Distributions: what they say of values that are known, how sure they are, and what is withheld. */
#include <check.h>
#include <math.h>

#include "support.h"

/* ---- Reports to estimate from ---- */

#define MANY 200000

static double values[MANY];
static uint32_t cells[MANY];

static double bell(uint64_t *seed) { /* mean 0, standard deviation 1, within 6 */
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += seeded_uniform(seed);
    return sum;
}

static podium_aggregate of_cells(const podium_collection *c, const uint32_t *which, size_t n) {
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    ck_assert_int_eq(podium_aggregate_add_cells(c, &a, which, n), PODIUM_OK);
    return a;
}

static podium_aggregate privatized(const podium_collection *c, uint64_t *seed, size_t n) {
    podium_random random = seeded_random(seed);
    ck_assert_int_eq(podium_privatize_cells(c, &random, cells, values, n), PODIUM_OK);
    return of_cells(c, cells, n);
}

/* The values are spread evenly, or most of them are in the lower half, which thousands of reports can tell apart. */
static podium_aggregate spread_values(const podium_collection *c, uint64_t *seed, size_t n, bool skewed) {
    const podium_spec spec = podium_collection_spec(c);
    for (size_t i = 0; i < n; i++) {
        double along = seeded_uniform(seed);
        values[i] = spec.min + (spec.max - spec.min) * along * (skewed ? along : 1);
    }
    return privatized(c, seed, n);
}

static podium_aggregate all_at(const podium_collection *c, double value, uint64_t seed, size_t n) {
    for (size_t i = 0; i < n; i++)
        values[i] = value;
    return privatized(c, &seed, n);
}

/* ---- Errors ---- */

static podium_status make(const podium_channel *channel, const podium_aggregate *a, uint32_t bins, double confidence) {
    static podium_distribution d, before;
    memset(&d, 0x5a, sizeof d);
    before = d;
    podium_status status = podium_distribution_make(channel, &d, a, bins, confidence);
    ck_assert(status == PODIUM_OK || memcmp(&d, &before, sizeof d) == 0);
    return status;
}

START_TEST(refused) {
    static const double wrong[] = {0, 1, -0.01, 1.01, NAN, INFINITY};
    static const podium_collection zeros;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 2);
    podium_aggregate none = of_cells(&c, NULL, 0), two = of_cells(&c, (uint32_t[]){5, 6}, 2), bent = two;
    podium_channel *channel, *untouched = NULL;
    ck_assert_int_eq(podium_channel_make(&zeros, &untouched), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_ptr_null(untouched);
    ck_assert_int_eq(podium_channel_make(&c, &channel), PODIUM_OK);
    ck_assert_int_eq(make(channel, &two, 0, 0.9), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(make(channel, &two, PODIUM_SHARES + 1, 0.9), PODIUM_ERROR_ARGUMENT_WRONG);
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert_int_eq(make(channel, &two, 8, wrong[i]), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(make(channel, &none, 8, 0.9), PODIUM_ERROR_TOO_FEW_REPORTS);
    ck_assert_int_eq(make(channel, &two, 8, 0.9), PODIUM_OK);
    podium_sums_in(&bent)->bin_bits++;
    ck_assert_int_eq(make(channel, &bent, 8, 0.9), PODIUM_ERROR_FINGERPRINT_WRONG);
    podium_channel_free(channel);
    ck_assert_int_eq(podium_channel_make(&other, &channel), PODIUM_OK);
    ck_assert_int_eq(make(channel, &two, 8, 0.9), PODIUM_ERROR_FINGERPRINT_WRONG);
    podium_channel_free(channel);
    podium_channel_free(NULL);
}
END_TEST

/* ---- Every distribution ---- */

static void check_withheld(const podium_distribution *d) {
    const podium_bin bin = podium_distribution_bin(d, 0);
    size_t known = 0;
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        known += !isnan(d->share[j]) || !isnan(d->below_lower[j]) || !isnan(d->bin_upper[j]);
    ck_assert_uint_eq(known, 0);
    ck_assert(isnan(podium_distribution_quantile(d, 0.5)) && isnan(podium_distribution_below(d, d->max)));
    ck_assert(isnan(podium_distribution_quantile_limits(d, 0.5).lower));
    ck_assert(isnan(podium_distribution_below_limits(d, d->min).upper));
    ck_assert(bin.from == d->min && isnan(bin.share) && isnan(bin.lower) && isnan(bin.upper));
}

/* Quantiles and their limits never decrease, lie in the range, and the limits are around the quantile. */
static void check_quantiles(const podium_distribution *d) {
    const double slack = 1e-12 * (d->max - d->min);
    podium_limits before = {d->min, d->min};
    double last = d->min;
    size_t bad = 0;
    for (int i = 0; i <= 1000; i++) {
        const double now = podium_distribution_quantile(d, i / 1000.0);
        const podium_limits limits = podium_distribution_quantile_limits(d, i / 1000.0);
        bad += !(now >= last && now <= d->max + slack);
        bad += !(limits.lower >= before.lower && limits.upper >= before.upper);
        bad += !(limits.lower <= now + slack && now <= limits.upper + slack && limits.upper <= d->max);
        last = now, before = limits;
    }
    ck_assert_uint_eq(bad, 0);
    ck_assert(isnan(podium_distribution_quantile(d, -1e-9)) && isnan(podium_distribution_quantile(d, 1 + 1e-9)));
    ck_assert(isnan(podium_distribution_quantile(d, NAN)) && isnan(podium_distribution_quantile_limits(d, 2).lower));
}

/* The same of the shares below. Nobody is below the range, and everybody below what is above it. */
static void check_below(const podium_distribution *d) {
    double last = 0;
    size_t bad = 0;
    for (int i = -10; i <= 1010; i++) {
        const double x = d->min + (d->max - d->min) * i / 1000, now = podium_distribution_below(d, x);
        const podium_limits limits = podium_distribution_below_limits(d, x);
        bad += !(now >= last - 1e-12 && now <= 1);
        bad += !(limits.lower <= now + 1e-12 && now <= limits.upper + 1e-12 && limits.lower >= 0 && limits.upper <= 1);
        bad += (i <= 0 && limits.upper > 0) || (i > 1000 && limits.lower < 1);
        last = now;
    }
    ck_assert_uint_eq(bad, 0);
    ck_assert(isnan(podium_distribution_below(d, NAN)) && isnan(podium_distribution_below_limits(d, NAN).lower));
}

/* Neighbouring bins share an edge, the first edge is min, the last is max, and the limits are around the share. */
static void check_bins(const podium_distribution *d) {
    double sum = 0, at = d->min;
    for (uint32_t i = 0; i < d->bins; i++) {
        podium_bin bin = podium_distribution_bin(d, i);
        ck_assert(bin.from == at && bin.to > bin.from && bin.share >= -1e-15);
        ck_assert(bin.lower >= 0 && bin.lower <= bin.share + 1e-12 && bin.share <= bin.upper + 1e-12 && bin.upper <= 1);
        sum += bin.share, at = bin.to;
    }
    ck_assert(at == d->max && isnan(podium_distribution_bin(d, d->bins).share));
    ck_assert(isnan(podium_distribution_bin(d, UINT32_MAX).from));
    ck_assert_double_eq_tol(sum, 1, 1e-9);
}

static void check_distribution(const podium_distribution *d) {
    double sum = 0;
    if (!d->telling) {
        check_withheld(d);
        return;
    }
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        sum += d->share[j];
    ck_assert_double_eq_tol(sum, 1, 1e-12);
    check_quantiles(d);
    check_below(d);
    check_bins(d);
}

START_TEST(of_every_mechanism) {
    static const uint32_t bins[] = {1, 2, 7, 64, PODIUM_SHARES};
    static podium_distribution d;
    uint64_t seed = 405;
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, -3, 5);
        podium_aggregate a = spread_values(&c, &seed, 20000, true);
        for (size_t i = (size_t)m % TEST_STRIDE; i < LENGTH(bins); i += TEST_STRIDE) {
            ck_assert_int_eq(distribution_with(&d, &c, &a, bins[i]), PODIUM_OK);
            ck_assert(d.min == -3 && d.max == 5 && d.bins == bins[i] && d.confidence == 0.95);
            ck_assert_int_eq(d.telling, podium_collection_tells_spread(&c));
            check_distribution(&d);
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
    ck_assert_int_eq(podium_channel_make(&c, &channel), PODIUM_OK);
    for (size_t n = 10; n <= 100000; n *= 10) {
        podium_aggregate a = spread_values(&c, &seed, n, true);
        memset(&own, 0, sizeof own), memset(&shared, 0, sizeof shared);
        ck_assert_int_eq(distribution_with(&own, &c, &a, 20), PODIUM_OK);
        ck_assert_int_eq(podium_distribution_make(channel, &shared, &a, 20, 0.95), PODIUM_OK);
        ck_assert(memcmp(&own, &shared, sizeof own) == 0);
        ck_assert(shared.telling == (n >= 1000));
    }
    podium_channel_free(channel);
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
                podium_aggregate alone = of_cells(&c, &far[i], 1), many = spread_values(&c, &seed, 200, true);
                ck_assert_int_eq(distribution_with(&d, &c, &alone, 16), PODIUM_OK);
                check_distribution(&d);
                ck_assert_int_eq(podium_aggregate_merge(&many, &alone), PODIUM_OK);
                ck_assert_int_eq(distribution_with(&d, &c, &many, 16), PODIUM_OK);
                check_distribution(&d);
            }
        }
}
END_TEST

/* ---- Known shares ---- */

/* A distribution whose shares in quarters of the range are these, with limits that are the shares themselves */
static podium_distribution of_quarters(double min, double max, const double share[4]) {
    podium_distribution d = {.min = min, .max = max, .bins = 8, .confidence = 0.95, .telling = true};
    for (uint32_t j = 0; j < PODIUM_SHARES; j++) {
        d.share[j] = share[4 * j / PODIUM_SHARES] * 4 / PODIUM_SHARES;
        d.below_lower[j + 1] = d.below_upper[j + 1] = d.below_lower[j] + d.share[j];
        d.quantile_lower[j + 1] = d.quantile_upper[j + 1] = d.below_lower[j + 1];
    }
    return d;
}

START_TEST(quantiles_of_known_shares) {
    const podium_distribution d = of_quarters(10, 14, (double[]){0.25, 0, 0.5, 0.25});
    static const double known[][2] = {{0, 10},     {0.125, 10.5}, {0.25, 11},    {0.375, 12.25},
                                      {0.5, 12.5}, {0.75, 13},    {0.875, 13.5}, {1, 14}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        const podium_limits limits = podium_distribution_quantile_limits(&d, known[i][0]);
        ck_assert_double_eq_tol(podium_distribution_quantile(&d, known[i][0]), known[i][1], 1e-9);
        ck_assert_double_eq_tol(limits.lower, known[i][1], 1e-9);
        ck_assert_double_eq_tol(limits.upper, known[i][0] == 0.25 ? 12 : known[i][1], 1e-9); /* nobody in between */
    }
    check_quantiles(&d);
}
END_TEST

START_TEST(bins_of_known_shares) {
    static const double eighths[] = {0.125, 0.125, 0, 0, 0.25, 0.25, 0.125, 0.125};
    const podium_distribution d = of_quarters(10, 14, (double[]){0.25, 0, 0.5, 0.25});
    for (uint32_t i = 0; i < LENGTH(eighths); i++) {
        podium_bin bin = podium_distribution_bin(&d, i);
        ck_assert(bin.from == 10 + 0.5 * i && bin.to == 10.5 + 0.5 * i);
        ck_assert_double_eq_tol(bin.share, eighths[i], 1e-12);
    }
}
END_TEST

START_TEST(below_is_the_inverse_of_quantile) {
    const podium_distribution d = of_quarters(-1, 3, (double[]){0.1, 0, 0.6, 0.3});
    ck_assert_double_eq_tol(podium_distribution_below(&d, -5), 0, 1e-15);
    ck_assert_double_eq_tol(podium_distribution_below(&d, 0), 0.1, 1e-12);
    ck_assert_double_eq_tol(podium_distribution_below(&d, 1.5), 0.4, 1e-12);
    ck_assert_double_eq_tol(podium_distribution_below_limits(&d, 1.5).lower, 0.4, 1e-12);
    ck_assert_double_eq_tol(podium_distribution_below(&d, 9), 1, 1e-12);
    for (double p = 0.01; p < 1; p += 0.03)
        ck_assert_double_eq_tol(podium_distribution_below(&d, podium_distribution_quantile(&d, p)), p, 1e-12);
}
END_TEST

/* ---- Known values ---- */

/* Half of the values are around a quarter of the range and half around three quarters, with a standard deviation of
   5% of the range, so the quartiles are at the peaks. They must be found within 1% of the range, and within 2% for
   mechanisms with unbounded noise. The valley from 40% to 60% contains 0.13% of the values; the estimate may leave 1%
   there, and 6% for those mechanisms (a flat distribution would have 20%). */
static void two_peaks(podium_mechanism mechanism) {
    static podium_distribution d;
    uint64_t seed = 407;
    podium_collection c = collection_of(mechanism, 2, 0, 100);
    const bool noisy = podium_layout_of(&c)->sampler == PODIUM_SAMPLER_STAIRS;
    if (!podium_collection_tells_spread(&c))
        return;
    for (size_t i = 0; i < MANY; i++)
        values[i] = (i % 2 == 0 ? 25 : 75) + 5 * bell(&seed);
    podium_aggregate a = privatized(&c, &seed, MANY);
    ck_assert_int_eq(distribution_with(&d, &c, &a, 5), PODIUM_OK);
    check_distribution(&d);
    double low = podium_distribution_quantile(&d, 0.25), high = podium_distribution_quantile(&d, 0.75);
    double eighth = podium_distribution_quantile(&d, 0.125), valley = podium_distribution_bin(&d, 2).share;
    printf(
        "two peaks, %s: quartiles off by %.2f%% and %.2f%%, first eighth by %.2f%%; in the valley %.2f%%; %u steps\n",
        podium_mechanism_name(mechanism), low - 25, high - 75, eighth - (25 - 5 * 0.6745), 100 * valley, d.steps);
    fflush(stdout); /* before a failed assertion ends this process */
    ck_assert_double_le(fabs(low - 25), noisy ? 2 : 1);
    ck_assert_double_le(fabs(high - 75), noisy ? 2 : 1);
    ck_assert_double_le(valley, noisy ? 0.06 : 0.01);
}

START_TEST(two_peaks_of_all) {
    FOR_EACH_MECHANISM (m)
        two_peaks(m);
}
END_TEST

START_TEST(equal_values_at_large_epsilon) { /* They must be found to within the resolution. */
    static podium_distribution d;
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 50, 0, 1);
        podium_aggregate a = all_at(&c, 0.137, 401, 2000);
        ck_assert_int_eq(distribution_with(&d, &c, &a, 20), PODIUM_OK);
        check_distribution(&d);
        ck_assert_int_eq(d.telling, podium_collection_tells_spread(&c));
        if (!d.telling)
            continue;
        ck_assert_double_le(fabs(podium_distribution_quantile(&d, 0.5) - 0.137), 0.01);
        ck_assert_double_ge(podium_distribution_below(&d, 0.187) - podium_distribution_below(&d, 0.087), 0.9);
    }
}
END_TEST

START_TEST(says_when_it_cannot_tell) { /* epsilon 0.01: the noise is a hundred times the range */
    static podium_distribution d;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 0.01, 0, 1);
    podium_aggregate a = all_at(&c, 0.2, 402, 2000);
    ck_assert_int_eq(distribution_with(&d, &c, &a, 10), PODIUM_OK);
    ck_assert(!d.telling);
    check_withheld(&d);
}
END_TEST

/* ---- Limits ---- */

static double width(const podium_distribution *d, double p) {
    const podium_limits limits = podium_distribution_quantile_limits(d, p);
    return limits.upper - limits.lower;
}

/* A larger confidence has wider limits, and more reports have narrower ones. */
START_TEST(width_of_limits) {
    static podium_distribution d, sure, more;
    uint64_t seed = 408;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 100);
    podium_aggregate few = spread_values(&c, &seed, MANY / 10, true), many = spread_values(&c, &seed, MANY, true);
    podium_channel *channel;
    ck_assert_int_eq(podium_channel_make(&c, &channel), PODIUM_OK);
    ck_assert_int_eq(podium_distribution_make(channel, &d, &few, 10, 0.9), PODIUM_OK);
    ck_assert_int_eq(podium_distribution_make(channel, &sure, &few, 10, 0.99), PODIUM_OK);
    ck_assert_int_eq(podium_distribution_make(channel, &more, &many, 10, 0.9), PODIUM_OK);
    podium_channel_free(channel);
    for (double p = 0.1; p < 0.95; p += 0.2) {
        ck_assert_double_gt(width(&sure, p), width(&d, p));
        ck_assert_double_gt(width(&d, p), 1.5 * width(&more, p)); /* about 3 */
        ck_assert(width(&d, p) > 0 && width(&d, p) < 20);
    }
    for (uint32_t i = 0; i < 10; i++) {
        const podium_bin a = podium_distribution_bin(&sure, i), b = podium_distribution_bin(&more, i);
        ck_assert_double_gt(a.upper - a.lower, b.upper - b.lower);
    }
}
END_TEST

/* Reports that mirror others have limits that mirror theirs. */
START_TEST(mirrored_limits) {
    static podium_distribution d, mirror;
    uint64_t seed = 410;
    podium_collection c = collection_of(PODIUM_MECHANISM_SQUARE_WAVE, 1, 0, 100);
    podium_aggregate a = spread_values(&c, &seed, 10000, true);
    for (size_t i = 0; i < 10000; i++)
        cells[i] = UINT32_MAX - cells[i];
    podium_aggregate b = of_cells(&c, cells, 10000);
    ck_assert_int_eq(distribution_with(&d, &c, &a, 10), PODIUM_OK);
    ck_assert_int_eq(distribution_with(&mirror, &c, &b, 10), PODIUM_OK);
    for (double p = 0.05; p < 1; p += 0.05) {
        const podium_limits one = podium_distribution_quantile_limits(&d, p);
        const podium_limits other = podium_distribution_quantile_limits(&mirror, 1 - p);
        ck_assert_double_eq_tol(one.lower, 100 - other.upper, 1e-4);
        ck_assert_double_eq_tol(one.upper, 100 - other.lower, 1e-4);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("distribution");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, of_every_mechanism);
    tcase_add_test(tests, one_channel);
    tcase_add_test(tests, far_reports);
    tcase_add_test(tests, quantiles_of_known_shares);
    tcase_add_test(tests, bins_of_known_shares);
    tcase_add_test(tests, below_is_the_inverse_of_quantile);
    tcase_add_test(tests, two_peaks_of_all);
    tcase_add_test(tests, equal_values_at_large_epsilon);
    tcase_add_test(tests, says_when_it_cannot_tell);
    tcase_add_test(tests, width_of_limits);
    tcase_add_test(tests, mirrored_limits);
    return run_tests("distribution", tests);
}
