/* Estimates compared with plain formulas, and their intervals. */
#include <check.h>
#include <math.h>

#include "support.h"

/* ---- Reports to estimate from ---- */

#define MANY 200000

static double values[MANY], reports[MANY];

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
    return run_tests("estimate", tests);
}
