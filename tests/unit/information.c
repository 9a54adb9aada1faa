/* How well reports tell the shape: beside the closed form of a report's distribution, and in known cases. */
#include <check.h>
#include <math.h>

#include "support.h"

enum { WAVES = 6 };

static double noise_of(podium_mechanism mechanism, double epsilon) {
    podium_collection c = collection_of(mechanism, epsilon, -3, 5);
    return podium_collection_noise(&c, PODIUM_OBJECTIVE_DISTRIBUTION);
}

/* ---- The definition again, from the cumulative distribution in closed form, and with another way to invert ---- */

static void invert(double a[WAVES][2 * WAVES]) { /* Gauss and Jordan */
    for (int i = 0; i < WAVES; i++)
        for (int j = 0; j < WAVES; j++)
            a[i][WAVES + j] = i == j;
    for (int i = 0; i < WAVES; i++) {
        const double pivot = a[i][i];
        for (int j = 0; j < 2 * WAVES; j++)
            a[i][j] /= pivot;
        for (int k = 0; k < WAVES; k++) {
            const double factor = k == i ? 0 : a[k][i];
            for (int j = 0; j < 2 * WAVES; j++)
                a[k][j] -= factor * a[i][j];
        }
    }
}

static double noise_of_shape(const podium_shape *shape, double low, double high) {
    enum { BINS = 1500, VALUES = 300 };
    double a[WAVES][2 * WAVES] = {{0}}, sum = 0;
    for (int b = 0; b < BINS; b++) {
        const double from = low + (high - low) * b / BINS, to = low + (high - low) * (b + 1) / BINS;
        double r = 0, c[WAVES] = {0};
        for (int j = 0; j < VALUES; j++) {
            const double x = (j + 0.5) / VALUES, value = shape->spec.min + x * shape->delta;
            const double mass = (podium_shape_cdf(shape, value, to) - podium_shape_cdf(shape, value, from)) / VALUES;
            r += mass;
            for (int k = 0; k < WAVES; k++)
                c[k] += mass * cos((k + 1) * acos(-1) * x);
        }
        for (int i = 0; i < WAVES * WAVES && r > 0; i++)
            a[i / WAVES][i % WAVES] += 4 * c[i / WAVES] * c[i % WAVES] / r;
    }
    invert(a);
    for (int k = 0; k < WAVES; k++)
        sum += 2 * a[k][WAVES + k] / ((k + 1) * (k + 1) * acos(-1) * acos(-1));
    return sum;
}

START_TEST(as_defined) {
    static const podium_mechanism mechanisms[] = {PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_PIECEWISE,
                                                  PODIUM_MECHANISM_SQUARE_WAVE};
    static const double epsilons[] = {0.3, 1, 3};
    for (size_t i = 0; i < LENGTH(mechanisms) * LENGTH(epsilons); i++) {
        const podium_mechanism mechanism = mechanisms[i / LENGTH(epsilons)];
        const double epsilon = epsilons[i % LENGTH(epsilons)];
        podium_collection c = collection_of(mechanism, epsilon, -3, 5);
        podium_shape shape = shape_of(mechanism, epsilon, -3, 5);
        const double expected = noise_of_shape(&shape, podium_collection_least(&c), podium_collection_most(&c));
        ck_assert_double_eq_tol(podium_collection_noise(&c, PODIUM_OBJECTIVE_DISTRIBUTION) / expected, 1, 0.01);
    }
}
END_TEST

/* Without noise the variance of cos(k pi x) is left, which is 1/2 for evenly spread values. */
START_TEST(without_noise) {
    double expected = 0;
    for (int k = 1; k <= WAVES; k++)
        expected += 2 * 0.5 / (k * k * acos(-1) * acos(-1));
    ck_assert_double_eq_tol(noise_of(PODIUM_MECHANISM_PODIUM, 50), expected, 1e-6);
    ck_assert_double_eq_tol(noise_of(PODIUM_MECHANISM_MINIMAX, 50), expected, 1e-3);
}
END_TEST

START_TEST(more_epsilon_tells_more) {
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        for (double epsilon = 0.7; epsilon < 12; epsilon *= 2.5) {
            const double less = noise_of((podium_mechanism)m, epsilon),
                         more = noise_of((podium_mechanism)m, 2.5 * epsilon);
            ck_assert_msg(more < less || isinf(less), "%s at %g: %g %g", podium_mechanism_name((podium_mechanism)m),
                          epsilon, less, more);
        }
}
END_TEST

/* Square Wave was made for the shape, and is the best of all steps up to epsilon 2. */
START_TEST(made_for_the_shape) {
    for (double epsilon = 0.5; epsilon <= 2; epsilon *= 2)
        for (size_t m = 0; m < podium_mechanism_count(); m++)
            ck_assert(m == PODIUM_MECHANISM_SQUARE_WAVE ||
                      noise_of((podium_mechanism)m, epsilon) > noise_of(PODIUM_MECHANISM_SQUARE_WAVE, epsilon));
}
END_TEST

START_TEST(units_do_not_matter) {
    podium_collection small = collection_of(PODIUM_MECHANISM_MINIMAX, 1, 0, 1e-3);
    ck_assert_double_eq_tol(podium_collection_noise(&small, PODIUM_OBJECTIVE_DISTRIBUTION),
                            noise_of(PODIUM_MECHANISM_MINIMAX, 1), 1e-9);
}
END_TEST

START_TEST(too_few_cells) { /* Six coefficients need seven cells. */
    podium_collection six = minimax_of(3, 6), more = minimax_of(3, 16);
    ck_assert(isinf(noise_of(PODIUM_MECHANISM_DUCHI, 1)) && isinf(noise_of(PODIUM_MECHANISM_HYBRID, 0.5)));
    ck_assert(isinf(podium_collection_noise(&six, PODIUM_OBJECTIVE_DISTRIBUTION)));
    ck_assert(isfinite(podium_collection_noise(&more, PODIUM_OBJECTIVE_DISTRIBUTION)));
}
END_TEST

START_TEST(chosen) {
    podium_spec given = {.epsilon = 1, .min = 0, .max = 1}, spec = {.epsilon = 7};
    ck_assert_int_eq(podium_choose(&spec, &given, PODIUM_OBJECTIVE_DISTRIBUTION), PODIUM_OK);
    ck_assert_int_eq(spec.mechanism, PODIUM_MECHANISM_SQUARE_WAVE);
    given.epsilon = PODIUM_EPSILON_MIN;
    ck_assert_int_eq(podium_choose(&spec, &given, PODIUM_OBJECTIVE_DISTRIBUTION), PODIUM_OK);
    spec = (podium_spec){.epsilon = 7};
    ck_assert_int_eq(podium_choose(&spec, &given, (podium_objective)4), PODIUM_ERROR_ARGUMENT_WRONG);
    given = (podium_spec){.epsilon = 1, .min = 1, .max = nextafter(1, 2)};
    ck_assert_int_eq(podium_choose(&spec, &given, PODIUM_OBJECTIVE_DISTRIBUTION), PODIUM_ERROR_RANGE_TOO_NARROW);
    ck_assert_double_eq(spec.epsilon, 7);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("information");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, as_defined);
    tcase_add_test(tests, without_noise);
    tcase_add_test(tests, more_epsilon_tells_more);
    tcase_add_test(tests, made_for_the_shape);
    tcase_add_test(tests, units_do_not_matter);
    tcase_add_test(tests, too_few_cells);
    tcase_add_test(tests, chosen);
    return run_tests("information", tests);
}
