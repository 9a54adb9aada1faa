/* Differences between groups, and the p-values of many comparisons. */
#include <check.h>
#include <math.h>

#include "support.h"

#define MANY 5000

/* Reports of n values that are spread evenly from `from` to `to` */
static podium_aggregate even_values(const podium_collection *c, double from, double to, size_t n, uint64_t seed) {
    static double values[MANY], reports[MANY];
    podium_random random = seeded_random(&seed);
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    for (size_t i = 0; i < n; i++)
        values[i] = from + (to - from) * seeded_uniform(&seed);
    ck_assert_int_eq(podium_privatize_from(c, &random, reports, values, n), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_add(c, &a, reports, n), PODIUM_OK);
    return a;
}

static podium_difference difference_of(const podium_collection *c, const podium_aggregate *a, const podium_aggregate *b,
                                       const podium_question *q) {
    podium_difference d;
    memset(&d, 0x5a, sizeof d);
    ck_assert_int_eq(podium_difference_make(c, &d, a, b, q), PODIUM_OK);
    return d;
}

static podium_summary summary_of(const podium_collection *c, const podium_aggregate *a, podium_interval interval,
                                 double confidence) {
    static podium_summary s;
    const podium_question q = {.confidence = confidence, .interval = interval};
    ck_assert_int_eq(podium_summary_make(c, NULL, &s, a, &q), PODIUM_OK);
    return s;
}

static bool close_to(double x, double y) {
    return fabs(x - y) <= 1e-12 * (1 + fabs(y));
}

START_TEST(normal_difference_is_that_of_the_means) {
    FOR_EACH_MECHANISM (m) {
        const podium_collection c = collection_of(m, 1, -10, 30);
        const podium_aggregate a = even_values(&c, -10, 20, MANY, 1), b = even_values(&c, 0, 30, MANY / 2, 2);
        const podium_summary x = summary_of(&c, &a, PODIUM_INTERVAL_NORMAL, 0),
                             y = summary_of(&c, &b, PODIUM_INTERVAL_NORMAL, 0);
        const podium_difference d = difference_of(&c, &a, &b, NULL), e = difference_of(&c, &b, &a, NULL);
        const double error = sqrt(x.standard_error * x.standard_error + y.standard_error * y.standard_error);
        const double z = 1.959963984540054; /* of 95% */
        ck_assert_int_eq(d.known, PODIUM_KNOWN_ESTIMATED);
        ck_assert(d.confidence == 0.95 && d.interval == PODIUM_INTERVAL_NORMAL);
        ck_assert(close_to(d.difference, x.mean - y.mean) && close_to(d.standard_error, error));
        ck_assert(close_to(d.lower, x.mean - y.mean - z * error) && close_to(d.upper, x.mean - y.mean + z * error));
        ck_assert(e.difference == -d.difference && e.lower == -d.upper && e.upper == -d.lower &&
                  e.p_value == d.p_value);
    }
}
END_TEST

/* Finds a second group, which begins ever further from the first one, until the p-value is below 0.3. */
static podium_aggregate other_group(const podium_collection *c, const podium_aggregate *a, const podium_question *q) {
    for (double from = 0.01; from < 1; from += 0.01) {
        const podium_aggregate b = even_values(c, from, 1, MANY, 4);
        const podium_difference d = difference_of(c, a, &b, q);
        if (d.p_value < 0.3 && d.difference < 0)
            return b;
    }
    ck_abort_msg("no groups differ");
    return *a;
}

/* The p-value is alpha where an end of the interval is 0. */
START_TEST(p_value_belongs_to_the_interval) {
    static const podium_interval intervals[] = {PODIUM_INTERVAL_NORMAL, PODIUM_INTERVAL_GUARANTEED};
    const podium_collection c = collection_of(PODIUM_MECHANISM_MINIMAX, 4, 0, 1);
    const podium_aggregate a = even_values(&c, 0, 1, MANY, 3);
    for (size_t i = 0; i < LENGTH(intervals); i++) {
        podium_question q = {.interval = intervals[i]};
        const podium_aggregate b = other_group(&c, &a, &q);
        const double p = difference_of(&c, &a, &b, &q).p_value;
        ck_assert_msg(p > 1e-9, "p is %g", p);
        q.confidence = 1 - 1.001 * p;
        ck_assert(difference_of(&c, &a, &b, &q).upper < 0);
        q.confidence = 1 - 0.98 * p;
        ck_assert(difference_of(&c, &a, &b, &q).upper > 0);
    }
}
END_TEST

START_TEST(p_value_of_known_z) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    const podium_aggregate a = even_values(&c, 0, 1, MANY, 5), b = even_values(&c, 0, 0.9, MANY, 6);
    const podium_difference d = difference_of(&c, &a, &b, NULL);
    const double z = fabs(d.difference) / d.standard_error;
    ck_assert(close_to(d.p_value, 1 - erf(z / sqrt(2))));
    ck_assert(difference_of(&c, &a, &a, NULL).p_value == 1);
    const podium_question guaranteed = {.interval = PODIUM_INTERVAL_GUARANTEED};
    ck_assert(difference_of(&c, &a, &a, &guaranteed).p_value == 1);
}
END_TEST

/* The ends are those of two intervals that err half as often, as the union bound wants it. */
START_TEST(guaranteed_difference_contains_all) {
    const podium_question q = {.confidence = 0.9, .interval = PODIUM_INTERVAL_GUARANTEED};
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 3, 0, 10);
    const podium_aggregate a = even_values(&c, 0, 4, MANY, 7), b = even_values(&c, 5, 10, MANY, 8);
    const podium_summary x = summary_of(&c, &a, q.interval, 0.95), y = summary_of(&c, &b, q.interval, 0.95);
    const podium_difference d = difference_of(&c, &a, &b, &q);
    ck_assert(d.lower == x.lower - y.upper && d.upper == x.upper - y.lower && d.lower < -5.5 && d.upper > -5.5);
    ck_assert(d.confidence == 0.9 && d.p_value >= 1e-12);
}
END_TEST

/* Two noisy reports of each group say nothing but that the values are in the range. */
START_TEST(difference_stays_in_the_range) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 0.1, 0, 10);
    const podium_aggregate a = even_values(&c, 0, 4, 2, 9), b = even_values(&c, 0, 4, 2, 10);
    for (int interval = 0; interval < 2; interval++) {
        const podium_question q = {.interval = (podium_interval)interval};
        const podium_difference d = difference_of(&c, &a, &b, &q);
        ck_assert(d.lower == -10 && d.upper == 10);
    }
}
END_TEST

START_TEST(too_few_reports) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    const podium_aggregate many = even_values(&c, 0, 1, 10, 1), one = even_values(&c, 0, 1, 1, 1);
    const podium_aggregate *const sides[][2] = {{&many, &one}, {&one, &many}, {&one, &one}};
    for (size_t i = 0; i < LENGTH(sides); i++)
        for (int interval = 0; interval < 2; interval++) {
            const podium_question q = {.interval = (podium_interval)interval};
            const podium_difference d = difference_of(&c, sides[i][0], sides[i][1], &q);
            ck_assert_int_eq(d.known, PODIUM_KNOWN_TOO_FEW);
            ck_assert(isnan(d.difference) && isnan(d.standard_error) && isnan(d.lower) && isnan(d.upper));
            ck_assert(isnan(d.p_value) && d.confidence == 0.95);
        }
}
END_TEST

/* What was subtracted may have been chosen by looking at it, so no anytime interval holds, and no p-value either. */
START_TEST(withheld_interval) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_aggregate a = even_values(&c, 0, 1, MANY, 1);
    const podium_aggregate b = even_values(&c, 0, 1, MANY, 2), some = even_values(&c, 0, 1, 10, 3);
    const podium_question anytime = {.interval = PODIUM_INTERVAL_ANYTIME};
    ck_assert_int_eq(difference_of(&c, &a, &b, &anytime).interval_known, PODIUM_KNOWN_ESTIMATED);
    ck_assert_int_eq(podium_aggregate_merge(&a, &some), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_subtract(&c, &a, &some), PODIUM_OK);
    const podium_difference d = difference_of(&c, &a, &b, &anytime), e = difference_of(&c, &b, &a, &anytime);
    ck_assert(d.known == PODIUM_KNOWN_ESTIMATED && d.difference == -e.difference && d.standard_error > 0);
    ck_assert_int_eq(d.interval_known, PODIUM_KNOWN_SUBTRACTED);
    ck_assert_int_eq(e.interval_known, PODIUM_KNOWN_SUBTRACTED);
    ck_assert(isnan(d.lower) && isnan(d.upper) && isnan(d.p_value) && isnan(e.lower) && isnan(e.p_value));
    ck_assert_int_eq(difference_of(&c, &a, &b, NULL).interval_known, PODIUM_KNOWN_ESTIMATED);
}
END_TEST

/* For populations the interval is wider. The bounds may be the caller's. */
START_TEST(difference_of_populations) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 3, 0, 10);
    const podium_aggregate a = even_values(&c, 0, 4, MANY, 7), b = even_values(&c, 5, 10, MANY, 8);
    podium_bounds bounds;
    ck_assert_int_eq(podium_bounds_init(&c, &bounds), PODIUM_OK);
    podium_question q = {.interval = PODIUM_INTERVAL_GUARANTEED};
    const podium_difference these = difference_of(&c, &a, &b, &q);
    q.bounds = &bounds;
    const podium_difference same = difference_of(&c, &a, &b, &q);
    q.population = true;
    const podium_difference all = difference_of(&c, &a, &b, &q);
    ck_assert(these.lower == same.lower && these.upper == same.upper && these.p_value == same.p_value);
    ck_assert(!these.population && all.population && all.upper - all.lower > these.upper - these.lower);
}
END_TEST

START_TEST(difference_refuses) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1), empty = {.opaque = {.word = 0}};
    const podium_collection other = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 1);
    const podium_aggregate a = even_values(&c, 0, 1, 10, 1), b = even_values(&other, 0, 1, 10, 1);
    const podium_question wrong = {.confidence = 1.5}, strange = {.interval = (podium_interval)77};
    podium_difference d, before;
    memset(&d, 0x5a, sizeof d);
    memcpy(&before, &d, sizeof d);
    ck_assert_int_eq(podium_difference_make(&c, &d, &a, &b, NULL), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_difference_make(&c, &d, &b, &a, NULL), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_difference_make(&c, &d, &a, &a, &wrong), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_difference_make(&c, &d, &a, &a, &strange), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_difference_make(&empty, &d, &a, &a, NULL), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_mem_eq(&d, &before, sizeof d);
}
END_TEST

/* ---- Many comparisons ---- */

/* The results of R: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.5), "holm") and so on */
START_TEST(holm_agrees_with_r) {
    const double p[] = {0.01, 0.04, 0.03, 0.005, 0.5}, expected[] = {0.04, 0.09, 0.09, 0.025, 0.5};
    const double q[] = {0.7, NAN, 0.6, 0.2, 0}, also[] = {1, NAN, 1, 0.6, 0};
    double adjusted[LENGTH(p)];
    ck_assert_int_eq(podium_differences_adjust(adjusted, p, LENGTH(p)), PODIUM_OK);
    for (size_t i = 0; i < LENGTH(p); i++)
        ck_assert_msg(close_to(adjusted[i], expected[i]), "%zu: %g instead of %g", i, adjusted[i], expected[i]);
    ck_assert_int_eq(podium_differences_adjust(adjusted, q, LENGTH(q)), PODIUM_OK);
    for (size_t i = 0; i < LENGTH(q); i++)
        ck_assert(isnan(also[i]) ? isnan(adjusted[i]) : close_to(adjusted[i], also[i]));
}
END_TEST

/* One step after the other, as Holm described it: the least p is compared with alpha/m, the next with alpha/(m - 1) */
static bool rejected(const double *p, size_t count, size_t which, double alpha) {
    size_t smaller = 0;
    for (size_t i = 0; i < count; i++)
        smaller += p[i] < p[which] || (p[i] == p[which] && i < which);
    for (size_t i = 0; i < count; i++)
        if (p[i] < p[which] && !rejected(p, count, i, alpha))
            return false;
    return p[which] * (double)(count - smaller) <= alpha;
}

START_TEST(holm_rejects_step_by_step) {
    uint64_t seed = 5;
    for (int repetition = 0; repetition < 200; repetition++) {
        double p[5], adjusted[5];
        for (size_t i = 0; i < LENGTH(p); i++)
            p[i] = pow(seeded_uniform(&seed), 3);
        ck_assert_int_eq(podium_differences_adjust(adjusted, p, LENGTH(p)), PODIUM_OK);
        for (size_t i = 0; i < LENGTH(p); i++)
            for (double alpha = 0.01; alpha < 1; alpha += 0.0137)
                ck_assert_int_eq(adjusted[i] <= alpha, rejected(p, LENGTH(p), i, alpha));
    }
}
END_TEST

START_TEST(holm_refuses_and_works_in_place) {
    double p[] = {0.5, 0.02}, wrong[] = {0.5, 1.5}, negative[] = {-0.1};
    ck_assert_int_eq(podium_differences_adjust(wrong, wrong, 2), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert(wrong[0] == 0.5 && wrong[1] == 1.5);
    ck_assert_int_eq(podium_differences_adjust(negative, negative, 1), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_differences_adjust(p, p, 2), PODIUM_OK);
    ck_assert(p[0] == 0.5 && close_to(p[1], 0.04));
    ck_assert_int_eq(podium_differences_adjust(p, p, 0), PODIUM_OK);
}
END_TEST

/* ---- Planning ---- */

/* The probability that a normal variable is below x */
static double normal(double x) {
    return erfc(-x / sqrt(2)) / 2;
}

/* The error of each mean is within/z, where z is that of the confidence. */
START_TEST(planned_difference_is_found_with_its_power) {
    static const struct { double confidence, z; } cases[] = {{0.95, 1.959963984540054}, {0.99, 2.575829303548901}};
    static const double powers[] = {0.1, 0.5, 0.8, 0.99};
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (size_t j = 0; j < LENGTH(powers); j++) {
            double difference, twice;
            const double error = sqrt(2) * 3 / cases[i].z;
            ck_assert_int_eq(podium_plan_difference(&difference, 3, 2, cases[i].confidence, powers[j]), PODIUM_OK);
            ck_assert_int_eq(podium_plan_difference(&twice, 6, 2, cases[i].confidence, powers[j]), PODIUM_OK);
            ck_assert(fabs(normal(difference / error - cases[i].z) - powers[j]) < 1e-9);
            ck_assert(close_to(twice, 2 * difference));
        }
}
END_TEST

START_TEST(planned_difference_of_many_groups) {
    double two, five, alone;
    ck_assert_int_eq(podium_plan_difference(&two, 1, 2, 0.95, 0.8), PODIUM_OK);
    ck_assert_int_eq(podium_plan_difference(&five, 1, 5, 0.95, 0.8), PODIUM_OK);
    /* as if each of the 10 comparisons were made with a confidence of 99.5%, whose z is 2.807 */
    ck_assert_int_eq(podium_plan_difference(&alone, 2.807033768343804 / 1.959963984540054, 2, 0.995, 0.8), PODIUM_OK);
    ck_assert(five > two && fabs(five - alone) < 1e-9);
}
END_TEST

START_TEST(plan_refuses) {
    double difference = 7;
    const podium_status wrong = PODIUM_ERROR_ARGUMENT_WRONG;
    ck_assert_int_eq(podium_plan_difference(&difference, 0, 2, 0.95, 0.8), wrong);
    ck_assert_int_eq(podium_plan_difference(&difference, NAN, 2, 0.95, 0.8), wrong);
    ck_assert_int_eq(podium_plan_difference(&difference, 1, 1, 0.95, 0.8), wrong);
    ck_assert_int_eq(podium_plan_difference(&difference, 1, 2, 1, 0.8), wrong);
    ck_assert_int_eq(podium_plan_difference(&difference, 1, 2, 0.95, 0.04), wrong);
    ck_assert_int_eq(podium_plan_difference(&difference, 1, 2, 0.95, 1), wrong);
    ck_assert(difference == 7);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("difference");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, normal_difference_is_that_of_the_means);
    tcase_add_test(tests, p_value_belongs_to_the_interval);
    tcase_add_test(tests, p_value_of_known_z);
    tcase_add_test(tests, guaranteed_difference_contains_all);
    tcase_add_test(tests, difference_stays_in_the_range);
    tcase_add_test(tests, too_few_reports);
    tcase_add_test(tests, withheld_interval);
    tcase_add_test(tests, difference_of_populations);
    tcase_add_test(tests, difference_refuses);
    tcase_add_test(tests, holm_agrees_with_r);
    tcase_add_test(tests, holm_rejects_step_by_step);
    tcase_add_test(tests, holm_refuses_and_works_in_place);
    tcase_add_test(tests, planned_difference_is_found_with_its_power);
    tcase_add_test(tests, planned_difference_of_many_groups);
    tcase_add_test(tests, plan_refuses);
    return run_tests("difference", tests);
}
