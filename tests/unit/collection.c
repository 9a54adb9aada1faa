/* What is refused and why; and what the grid and the thresholds make of mean and variance, exactly. */
#include <check.h>
#include <float.h>
#include <math.h>

#include "support.h"

/* ---- Validation ---- */

static podium_status init(int mechanism, double epsilon, double min, double max) {
    podium_spec spec = spec_of((podium_mechanism)mechanism, epsilon, min, max);
    podium_collection collection, before;
    memset(&collection, 0x5a, sizeof collection);
    before = collection;
    podium_status status = podium_collection_init(&collection, &spec);
    if (status != PODIUM_OK)
        ck_assert_msg(memcmp(&collection, &before, sizeof before) == 0, "a failed initialisation wrote to its output");
    return status;
}

START_TEST(precise_errors) {
    for (int m = PODIUM_MECHANISM_PODIUM; m <= PODIUM_MECHANISM_MINIMAX; m++) {
        ck_assert_int_eq(init(m, NAN, 0, 1), PODIUM_ERROR_EPSILON_NOT_FINITE);
        ck_assert_int_eq(init(m, INFINITY, 0, 1), PODIUM_ERROR_EPSILON_NOT_FINITE);
        ck_assert_int_eq(init(m, 0, 0, 1), PODIUM_ERROR_EPSILON_NOT_POSITIVE);
        ck_assert_int_eq(init(m, -1, 0, 1), PODIUM_ERROR_EPSILON_NOT_POSITIVE);
        ck_assert_int_eq(init(m, nextafter(1e-6, 0), 0, 1), PODIUM_ERROR_EPSILON_TOO_SMALL);
        ck_assert_int_eq(init(m, DBL_TRUE_MIN, 0, 1), PODIUM_ERROR_EPSILON_TOO_SMALL);
        ck_assert_int_eq(init(m, nextafter(50, 51), 0, 1), PODIUM_ERROR_EPSILON_TOO_LARGE);
        ck_assert_int_eq(init(m, DBL_MAX, 0, 1), PODIUM_ERROR_EPSILON_TOO_LARGE);
        ck_assert_int_eq(init(m, 1, NAN, 1), PODIUM_ERROR_RANGE_NOT_FINITE);
        ck_assert_int_eq(init(m, 1, 0, INFINITY), PODIUM_ERROR_RANGE_NOT_FINITE);
        ck_assert_int_eq(init(m, 1, 1, 1), PODIUM_ERROR_RANGE_EMPTY);
        ck_assert_int_eq(init(m, 1, 2, 1), PODIUM_ERROR_RANGE_EMPTY);
        ck_assert_int_eq(init(m, 1, -1e300, 1e300), PODIUM_ERROR_RANGE_ABSURD);
        ck_assert_int_eq(init(m, 1, DBL_MIN, 1),
                         PODIUM_ERROR_RANGE_ABSURD); /* DBL_MIN is not the most negative double */
        ck_assert_int_eq(init(m, 1, 1e9, 1e9 + 1e-5), PODIUM_ERROR_RANGE_TOO_NARROW);
        ck_assert_int_eq(init(m, 1, 1e16, 1e16 + 2), PODIUM_ERROR_RANGE_TOO_NARROW);
        ck_assert_int_eq(init(m, 1e-6, 0, 1), PODIUM_OK);
        ck_assert_int_eq(init(m, 50, 0, 1), PODIUM_OK);
        ck_assert_int_eq(init(m, 1, -1e140, 1e140), PODIUM_OK);
        ck_assert_int_eq(init(m, 1, 1e-140, 2e-140), PODIUM_OK);
        ck_assert_int_eq(init(m, 1, -0.0, 1e-140), PODIUM_OK);
        ck_assert_int_eq(init(m, 1, 1.7e9, 1.7e9 + 86400), PODIUM_OK); /* a day of Unix time */
    }
    ck_assert_int_eq(init(PODIUM_MECHANISM_MINIMAX + 1, 1, 0, 1), PODIUM_ERROR_MECHANISM_UNKNOWN);
    ck_assert_int_eq(init(-1, 1, 0, 1), PODIUM_ERROR_MECHANISM_UNKNOWN);
}
END_TEST

START_TEST(narrow_enough) { /* the header's rule: a hundred-thousandth of the larger bound will do */
    for (int m = PODIUM_MECHANISM_PODIUM; m <= PODIUM_MECHANISM_MINIMAX; m++)
        for (double epsilon = 1e-6; epsilon < 50; epsilon *= m == PODIUM_MECHANISM_MINIMAX ? 2 : 1.3) {
            ck_assert_int_eq(init(m, epsilon, 1e9, 1e9 * (1 + 1e-5)), PODIUM_OK);
            ck_assert_int_eq(init(m, epsilon, -1e9 * (1 + 1e-5), -1e9), PODIUM_OK);
        }
}
END_TEST

START_TEST(shape_has_its_own_limit) {
    podium_shape shape;
    podium_spec spec = {.epsilon = 700, .min = 1e9, .max = 1e9 + 1e-5};
    ck_assert_int_eq(podium_shape_init(&shape, &spec), PODIUM_OK);
    spec.epsilon = nextafter(700, 701);
    ck_assert_int_eq(podium_shape_init(&shape, &spec), PODIUM_ERROR_EPSILON_TOO_LARGE);
}
END_TEST

START_TEST(words_for_everything) {
    for (int status = PODIUM_OK; status <= PODIUM_ERROR_NEVER_ADDED; status++) {
        const char *message = podium_status_message((podium_status)status);
        ck_assert(strlen(message) > 5 && strcmp(message, "unknown status") != 0);
        for (int other = PODIUM_OK; other < status; other++)
            ck_assert_str_ne(message, podium_status_message((podium_status)other));
    }
    ck_assert_str_eq(podium_status_message((podium_status)99), "unknown status");
    ck_assert_str_eq(podium_mechanism_name(PODIUM_MECHANISM_PODIUM_APPROXIMATE), "podium-approximate");
    ck_assert_ptr_null(podium_mechanism_name((podium_mechanism)99));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PODIUM_VERSION_MAJOR, PODIUM_VERSION_MINOR, PODIUM_VERSION_PATCH);
    ck_assert_str_eq(podium_version(), version);
    ck_assert_str_eq(PODIUM_VERSION, version);
}
END_TEST

/* ---- Mean and variance as realised, from the integers ---- */

static const double epsilons[] = {1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 20, 25, 30, 40, 50};

START_TEST(podium_moments) {
    for (size_t m = 0; m < LENGTH(of_steps); m++)
        for (size_t i = 0; i < LENGTH(epsilons); i++)
            for (int fifths = 0; fifths <= 5; fifths++) {
                podium_collection c = collection_of(of_steps[m], epsilons[i], -2, 3);
                podium_shape shape = shape_of(of_steps[m], epsilons[i], -2, 3);
                long double n = (long double)c.cells, w = (long double)c.width, h = (long double)c.spacing;
                long double place = roundl((long double)c.places * fifths / 5), q = (long double)c.threshold * 0x1p-64L;
                long double middle = (n - 1) / 2, step = place + (w - 1) / 2;
                long double mean = q * step + (1 - q) * middle;
                long double variance =
                    q * (w * w - 1) / 12 + (1 - q) * (n * n - 1) / 12 + q * (1 - q) * (step - middle) * (step - middle);
                double x = -2 + fifths, rounding = podium_has_lower(c.threshold) ? 0 : 0x1p-20;
                ck_assert_double_eq_tol((double)((long double)c.first + h * mean), x, 5 * 1e-9);
                ck_assert_double_eq_tol((double)(variance * h * h) / podium_shape_variance(&shape, x), 1,
                                        1e-8 + rounding + 2 / (double)c.width); /* of the step, and of its threshold */
            }
}
END_TEST

/* Moments of the distance beyond the middle stair, in cells, from independent coins */
typedef struct {
    long double mean, square;
} moments;

static moments distance_moments(const podium_collection *c) {
    long double mean = 0, variance = 0, stair = (long double)((uint64_t)1 << c->stair_bits);
    for (uint32_t i = 0; i < c->coin_count; i++) {
        long double p = (long double)c->coins[i] * 0x1p-64L, worth = ldexpl(stair, (int)i);
        mean += worth * p;
        variance += worth * worth * p * (1 - p);
    }
    mean += (stair - 1) / 2;
    variance += (stair * stair - 1) / 12;
    return (moments){mean, variance + mean * mean};
}

START_TEST(noise_variance) {
    double worst = 0;
    for (int m = PODIUM_MECHANISM_LAPLACE; m <= PODIUM_MECHANISM_STAIRCASE; m++)
        for (size_t i = 0; i < LENGTH(epsilons); i++) {
            podium_collection c = collection_of((podium_mechanism)m, epsilons[i], 10, 14);
            podium_shape shape = shape_of((podium_mechanism)m, epsilons[i], 10, 14);
            moments d = distance_moments(&c);
            long double in = (long double)c.threshold * 0x1p-64L, w = (long double)c.width, start = (w + 1) / 2;
            long double square = in * (w * w - 1) / 12 + (1 - in) * (d.square + 2 * start * d.mean + start * start);
            square += 0.25L; /* random rounding between two places adds as much at the most */
            double ratio = (double)(square * (long double)c.spacing * (long double)c.spacing) / shape.alpha;
            ck_assert_msg(fabs(ratio - 1) < 1e-3, "%s, epsilon %g: variance %.6f of the closed form",
                          podium_mechanism_name((podium_mechanism)m), epsilons[i], ratio);
            worst = fmax(worst, fabs(ratio - 1));
        }
    printf("Laplace and Staircase: variance within %.2g of the closed form\n", worst);
}
END_TEST

/* At the upper end of the range the right side is clamped sooner than the left: the mean loses what the stairs beyond
   the margin lose, and what goes straight to the end cells pulls to the middle. */
START_TEST(noise_bias) {
    double worst = 0;
    for (int m = PODIUM_MECHANISM_LAPLACE; m <= PODIUM_MECHANISM_STAIRCASE; m++)
        for (size_t i = 0; i < LENGTH(epsilons); i++) {
            podium_collection c = collection_of((podium_mechanism)m, epsilons[i], 0, 1);
            uint64_t stairs = (uint64_t)1 << c.coin_count;
            long double lost = 0, stair = (long double)((uint64_t)1 << c.stair_bits);
            for (uint64_t g = stairs - c.stairs; g < stairs;
                 g++) { /* the margin at the nearer end is this many stairs */
                long double p = 1;
                for (uint32_t k = 0; k < c.coin_count; k++) {
                    long double one = (long double)c.coins[k] * 0x1p-64L;
                    p *= g >> k & 1 ? one : 1 - one;
                }
                lost += p * stair * (long double)(g - (stairs - c.stairs) + 1);
            }
            lost += (long double)c.tail_threshold * 0x1p-64L * (long double)c.places;
            long double beside = 1 - (long double)c.threshold * 0x1p-64L;
            double bias = (double)(beside * lost / 2 * (long double)c.spacing);
            ck_assert_msg(bias * epsilons[i] < 1e-12, "%s, epsilon %g: bias up to %g delta",
                          podium_mechanism_name((podium_mechanism)m), epsilons[i], bias);
            worst = fmax(worst, bias * epsilons[i]);
        }
    printf("Laplace and Staircase: bias from clamping below %.2g delta/epsilon\n", worst);
}
END_TEST

START_TEST(clamped_far_away) {
    for (int m = PODIUM_MECHANISM_LAPLACE; m <= PODIUM_MECHANISM_STAIRCASE; m++)
        for (size_t i = 0; i < LENGTH(epsilons); i++) {
            podium_collection c = collection_of((podium_mechanism)m, epsilons[i], 0, 1);
            ck_assert_double_ge((double)c.margin * c.spacing * epsilons[i], 30 * (1 - 1e-12));
            uint32_t ends[] = {0, (uint32_t)(c.cells - 1)};
            double reports[2];
            podium_collection_reports(&c, reports, ends, 2);
            ck_assert_double_eq_tol((reports[0] + reports[1]) / (reports[1] - reports[0]),
                                    1 / (reports[1] - reports[0]), 1e-9);
        }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("collection");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, precise_errors);
    tcase_add_test(tests, narrow_enough);
    tcase_add_test(tests, shape_has_its_own_limit);
    tcase_add_test(tests, words_for_everything);
    tcase_add_test(tests, podium_moments);
    tcase_add_test(tests, noise_variance);
    tcase_add_test(tests, noise_bias);
    tcase_add_test(tests, clamped_far_away);
    return run_tests("collection", tests);
}
