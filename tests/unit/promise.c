/* What may be promised: odds by Bayes' theorem, and the interval of most reports beside the masses of the cells. */
#include <check.h>
#include <math.h>

#include "support.h"

static podium_promise promise_of(double epsilon, double prior) {
    podium_promise promise;
    ck_assert_int_eq(podium_promise_make(&promise, epsilon, prior), PODIUM_OK);
    return promise;
}

START_TEST(odds) {
    podium_promise promise = promise_of(1, 0.01);
    ck_assert_double_eq_tol(1 / promise.most, 37.42, 0.01); /* 99/e + 1 */
    ck_assert_double_eq_tol(promise.factor, 2.718281828, 1e-9);
    static const double priors[] = {1e-12, 1e-3, 0.1, 0.5, 0.9};
    for (double epsilon = 1e-6; epsilon < 20; epsilon *= 3)
        for (size_t i = 0; i < LENGTH(priors); i++) {
            promise = promise_of(epsilon, priors[i]);
            const double before = log(priors[i] / (1 - priors[i]));
            ck_assert_double_eq_tol(log(promise.most / (1 - promise.most)) - before, epsilon, 1e-6);
            ck_assert_double_eq_tol(log(promise.least / (1 - promise.least)) - before, -epsilon, 1e-6);
        }
    promise = promise_of(700, 0.5);
    ck_assert(promise.most <= 1 && promise.least > 0 && isfinite(promise.factor));
}
END_TEST

/* A real collection reaches the limit: the cell that is likeliest at one end and least likely at the other */
START_TEST(odds_are_reached) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    const uint64_t cells = podium_collection_cells(&c), places = podium_collection_places(&c);
    const double low = podium_collection_mass(&c, 0, 0, cells / 100),
                 high = podium_collection_mass(&c, places, 0, cells / 100);
    const double after = 0.01 * low / (0.01 * low + 0.99 * high);
    ck_assert_double_eq_tol(after, promise_of(1, 0.01).most, 1e-6);
}
END_TEST

START_TEST(strengths) {
    ck_assert_int_eq(podium_strength_of(0.1), PODIUM_STRENGTH_STRONG);
    ck_assert_int_eq(podium_strength_of(1), PODIUM_STRENGTH_STRONG);
    ck_assert_int_eq(podium_strength_of(1.01), PODIUM_STRENGTH_MODERATE);
    ck_assert_int_eq(podium_strength_of(3), PODIUM_STRENGTH_WEAK);
    ck_assert_int_eq(podium_strength_of(5.5), PODIUM_STRENGTH_NOMINAL);
    ck_assert_int_eq(podium_strength_of(NAN), PODIUM_STRENGTH_NOMINAL);
    ck_assert_str_eq(podium_strength_name(PODIUM_STRENGTH_WEAK), "weak");
    ck_assert_str_eq(podium_strength_name((podium_strength)4), "unknown");
}
END_TEST

/* ---- The interval ---- */

/* Whether single reports are so likely that no interval contains just 80% */
static bool has_atoms(const podium_collection *c) {
    return podium_collection_cells(c) <= 256 || podium_layout_of(c)->sampler == PODIUM_SAMPLER_PAIR;
}

/* The share of reports of one end of the range, within the interval, by drawing: 40,000 reports for each of 20 cases.
   A correct interval misses by more than 0.015 (6 standard deviations) in less than one run of 10^7. */
START_TEST(contains_its_share) {
    static double reports[40000], values[40000];
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        for (int end = 0; end < 2; end++) {
            podium_collection c = collection_of((podium_mechanism)m, 1, 1, 120);
            uint64_t state = m;
            podium_random random = seeded_random(&state);
            const double x = end == 0 ? 1 : 120;
            podium_limits span;
            size_t within = 0;
            for (size_t i = 0; i < LENGTH(values); i++)
                values[i] = x;
            ck_assert_int_eq(podium_privatize_from(&c, &random, reports, values, LENGTH(values)), PODIUM_OK);
            ck_assert_int_eq(podium_collection_span(&c, &span, x, 0.8), PODIUM_OK);
            const double room = 1e-9 * (span.upper - span.lower);
            for (size_t i = 0; i < LENGTH(values); i++)
                within += reports[i] >= span.lower - room && reports[i] <= span.upper + room;
            const double share = (double)within / LENGTH(values);
            ck_assert_msg(share > 0.785 && (share < 0.815 || has_atoms(&c)), "%s: %g",
                          podium_mechanism_name((podium_mechanism)m), share);
        }
}
END_TEST

START_TEST(mirrored) { /* the reports of the two ends mirror each other, and a value outside is the nearer end */
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        podium_collection c = collection_of((podium_mechanism)m, 2, -1, 1);
        podium_limits low, high;
        ck_assert_int_eq(podium_collection_span(&c, &low, -1, 0.9), PODIUM_OK);
        ck_assert_int_eq(podium_collection_span(&c, &high, 7, 0.9), PODIUM_OK);
        const double support = podium_collection_most(&c) - podium_collection_least(&c);
        ck_assert_double_eq_tol(low.lower, -high.upper, 0.002 * support);
        ck_assert_double_eq_tol(low.upper, -high.lower, 0.002 * support);
        ck_assert(low.lower >= podium_collection_least(&c) && low.upper <= podium_collection_most(&c));
        ck_assert(low.lower <= low.upper);
    }
}
END_TEST

START_TEST(refused_arguments) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1), none = {.opaque = {{0}}};
    podium_limits span = {7, 7};
    podium_promise promise = {.epsilon = 7};
    static const double wrong[][2] = {{0, 0.5}, {-1, 0.5}, {701, 0.5}, {NAN, 0.5}, {1, 0}, {1, 1}, {1, NAN}};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert_int_eq(podium_promise_make(&promise, wrong[i][0], wrong[i][1]), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_double_eq(promise.epsilon, 7);
    ck_assert_int_eq(podium_collection_span(&none, &span, 0, 0.5), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_int_eq(podium_collection_span(&c, &span, NAN, 0.5), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_collection_span(&c, &span, 0, 1), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_collection_span(&c, &span, 0, 0), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert(span.lower == 7 && span.upper == 7);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("promise");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, odds);
    tcase_add_test(tests, odds_are_reached);
    tcase_add_test(tests, strengths);
    tcase_add_test(tests, contains_its_share);
    tcase_add_test(tests, mirrored);
    tcase_add_test(tests, refused_arguments);
    return run_tests("promise", tests);
}
