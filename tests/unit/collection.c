/* Which specs are rejected and why, and the exact mean and variance that the grid and the thresholds lead to. */
#include <check.h>
#include <float.h>
#include <limits.h>
#include <math.h>

#include "support.h"

/* ---- Validation ---- */

static podium_status init_from(const podium_spec *spec) {
    podium_collection collection, cleared;
    memset(&collection, 0x5a, sizeof collection);
    memset(&cleared, 0, sizeof cleared);
    podium_status status = podium_collection_init(&collection, spec);
    if (status != PODIUM_OK)
        ck_assert_msg(memcmp(&collection, &cleared, sizeof cleared) == 0, "a failed collection is not cleared");
    return status;
}

static podium_status init(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_spec spec = spec_of(mechanism, epsilon, min, max);
    return init_from(&spec);
}

static podium_status init_unknown(int mechanism) {
    podium_spec spec = {.mechanism = (podium_mechanism)mechanism, .epsilon = 1, .min = 0, .max = 1};
    return init_from(&spec);
}

START_TEST(precise_errors) {
    FOR_EACH_MECHANISM (m) {
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
    ck_assert_int_eq(init_unknown((int)podium_mechanism_count()), PODIUM_ERROR_MECHANISM_UNKNOWN);
    ck_assert_int_eq(init_unknown(INT_MAX), PODIUM_ERROR_MECHANISM_UNKNOWN);
    ck_assert_int_eq(init_unknown(-1), PODIUM_ERROR_MECHANISM_UNKNOWN);
    ck_assert_int_eq(init_unknown(0), PODIUM_OK);
}
END_TEST

START_TEST(narrow_enough) { /* The header promises that a hundred-thousandth of the larger bound is enough. */
    FOR_EACH_MECHANISM (m) {
        const double next = podium_row_of(m)->revision == 0 ? 1.3 : 2; /* solving for a map takes long */
        for (double epsilon = 1e-6; epsilon < 50; epsilon *= next) {
            ck_assert_int_eq(init(m, epsilon, 1e9, 1e9 * (1 + 1e-5)), PODIUM_OK);
            ck_assert_int_eq(init(m, epsilon, -1e9 * (1 + 1e-5), -1e9), PODIUM_OK);
        }
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
    for (int status = PODIUM_OK; status <= PODIUM_ERROR_CHECKSUM_WRONG; status++) {
        const char *message = podium_status_message((podium_status)status);
        ck_assert(strlen(message) > 5 && strcmp(message, "unknown status") != 0);
        for (int other = PODIUM_OK; other < status; other++)
            ck_assert_str_ne(message, podium_status_message((podium_status)other));
    }
    ck_assert_str_eq(podium_status_message((podium_status)(PODIUM_ERROR_CHECKSUM_WRONG + 1)), "unknown status");
    ck_assert_str_eq(podium_status_message((podium_status)-1), "unknown status");
    ck_assert_str_eq(podium_mechanism_name(PODIUM_MECHANISM_PODIUM_APPROXIMATE), "podium-approximate");
    ck_assert_ptr_null(podium_mechanism_name((podium_mechanism)99));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PODIUM_VERSION_MAJOR, PODIUM_VERSION_MINOR, PODIUM_VERSION_PATCH);
    ck_assert_str_eq(podium_version(), version);
    ck_assert_str_eq(PODIUM_VERSION, version);
}
END_TEST

/* ---- Mean and variance of the sampler, from its integers ---- */

static const double epsilons[] = {1e-6, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 20, 25, 30, 40, 50};

static void check_step_moments(const podium_layout *c, const podium_shape *shape) {
    const podium_step_draw *d = &c->draw.step;
    long double n = (long double)c->cells, w = (long double)d->width, h = (long double)c->spacing;
    for (int fifths = 0; fifths <= 5; fifths++) {
        long double place = roundl((long double)c->places * fifths / 5), q = (long double)d->threshold * 0x1p-64L;
        long double middle = (n - 1) / 2, step = place + (w - 1) / 2;
        long double mean = q * step + (1 - q) * middle;
        long double variance =
            q * (w * w - 1) / 12 + (1 - q) * (n * n - 1) / 12 + q * (1 - q) * (step - middle) * (step - middle);
        double x = -2 + fifths, rounding = podium_has_lower(d->threshold) ? 0 : 0x1p-20;
        ck_assert_double_eq_tol((double)((long double)c->first + h * mean), x, 5 * 1e-9);
        ck_assert_double_eq_tol((double)(variance * h * h) / podium_shape_variance(shape, x), 1,
                                1e-8 + rounding + 2 / (double)d->width); /* rounding of the step and of its threshold */
    }
}

START_TEST(step_moments) {
    int checked = 0;
    FOR_EACH_MECHANISM (m)
        for (size_t i = 0; is_step(m) && i < LENGTH(epsilons); i++, checked++) {
            podium_layout c = layout_of(m, epsilons[i], -2, 3);
            podium_shape shape = shape_of(m, epsilons[i], -2, 3);
            check_step_moments(&c, &shape);
        }
    ck_assert_int_ge(checked, 4 * (int)LENGTH(epsilons));
}
END_TEST

/* ---- Stairs ---- */

/* Checks every mechanism that draws stairs at every epsilon; returns the largest result. */
static double worst_of_stairs(double (*check)(const podium_collection *collection, const podium_layout *c), double min,
                              double max) {
    double worst = 0;
    size_t checked = 0;
    FOR_EACH_MECHANISM (m)
        for (size_t i = 0; i < LENGTH(epsilons); i++) {
            podium_collection collection = collection_of(m, epsilons[i], min, max);
            const podium_layout *c = podium_layout_of(&collection);
            if (c->sampler != PODIUM_SAMPLER_STAIRS)
                continue;
            worst = fmax(worst, check(&collection, c));
            checked++;
        }
    ck_assert_uint_ge(checked, 2 * LENGTH(epsilons));
    return worst;
}

/* Moments of the distance beyond the middle stair, in cells, from independent coins */
typedef struct {
    long double mean, square;
} moments;

static moments distance_moments(const podium_stairs_draw *d) {
    long double mean = 0, variance = 0, stair = (long double)((uint64_t)1 << d->stair_bits);
    for (uint32_t i = 0; i < d->coin_count; i++) {
        long double p = (long double)d->coins[i] * 0x1p-64L, worth = ldexpl(stair, (int)i);
        mean += worth * p;
        variance += worth * worth * p * (1 - p);
    }
    mean += (stair - 1) / 2;
    variance += (stair * stair - 1) / 12;
    return (moments){mean, variance + mean * mean};
}

static double check_noise_variance(const podium_collection *collection, const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    podium_shape shape = shape_of(c->spec.mechanism, c->spec.epsilon, c->spec.min, c->spec.max);
    moments beyond = distance_moments(d);
    long double in = (long double)d->threshold * 0x1p-64L, w = (long double)d->width, start = (w + 1) / 2;
    long double square = in * (w * w - 1) / 12 + (1 - in) * (beyond.square + 2 * start * beyond.mean + start * start);
    square += 0.25L; /* the most that random rounding between two places adds */
    double ratio = (double)(square * (long double)c->spacing * (long double)c->spacing) / shape.alpha;
    (void)collection;
    ck_assert_msg(fabs(ratio - 1) < 1e-3, "%s, epsilon %g: variance %.6f of the closed form",
                  podium_mechanism_name(c->spec.mechanism), c->spec.epsilon, ratio);
    return fabs(ratio - 1);
}

START_TEST(noise_variance) {
    double worst = worst_of_stairs(check_noise_variance, 10, 14);
    printf("stairs: variance within %.2g of the closed form\n", worst);
}
END_TEST

/* At the upper end of the range the right side is clamped sooner than the left. The mean loses what the stairs
   beyond the margin lose, and the draws that go straight to an end cell move it towards the middle. */
static double check_noise_bias(const podium_collection *collection, const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    uint64_t stairs = (uint64_t)1 << d->coin_count;
    long double lost = 0, stair = (long double)((uint64_t)1 << d->stair_bits);
    for (uint64_t g = stairs - d->stairs; g < stairs; g++) { /* stairs beyond the margin at the nearer end */
        long double p = 1;
        for (uint32_t k = 0; k < d->coin_count; k++) {
            long double one = (long double)d->coins[k] * 0x1p-64L;
            p *= g >> k & 1 ? one : 1 - one;
        }
        lost += p * stair * (long double)(g - (stairs - d->stairs) + 1);
    }
    lost += (long double)d->tail_threshold * 0x1p-64L * (long double)c->places;
    long double beside = 1 - (long double)d->threshold * 0x1p-64L;
    double bias = (double)(beside * lost / 2 * (long double)c->spacing);
    (void)collection;
    ck_assert_msg(bias * c->spec.epsilon < 1e-12, "%s, epsilon %g: bias up to %g delta",
                  podium_mechanism_name(c->spec.mechanism), c->spec.epsilon, bias);
    return bias * c->spec.epsilon;
}

START_TEST(noise_bias) {
    double worst = worst_of_stairs(check_noise_bias, 0, 1);
    printf("stairs: bias from clamping below %.2g delta/epsilon\n", worst);
}
END_TEST

static double check_clamps(const podium_collection *collection, const podium_layout *c) {
    ck_assert_double_ge((double)c->draw.stairs.margin * c->spacing * c->spec.epsilon, 30 * (1 - 1e-12));
    uint32_t ends[] = {0, (uint32_t)(c->cells - 1)};
    double reports[2];
    ck_assert_int_eq(podium_collection_reports(collection, reports, ends, 2), PODIUM_OK);
    ck_assert_double_eq_tol((reports[0] + reports[1]) / (reports[1] - reports[0]), 1 / (reports[1] - reports[0]), 1e-9);
    return 0;
}

START_TEST(clamped_far_away) {
    worst_of_stairs(check_clamps, 0, 1);
}
END_TEST

/* ---- What people read ---- */

START_TEST(getters) {
    FOR_EACH_MECHANISM (m) {
        podium_spec spec = spec_of(m, 1.5, -0.0, 4), own;
        podium_collection collection = collection_from(&spec);
        const podium_layout *c = podium_layout_of(&collection);
        const uint32_t ends[] = {cell_worth(c, 0), cell_worth(c, c->worth_most)};
        double reports[2];
        own = podium_collection_spec(&collection);
        ck_assert(own.mechanism == m && own.epsilon == 1.5 && own.min == 0 && !signbit(own.min) && own.max == 4);
        ck_assert(podium_spec_equal(&own, &spec));
        ck_assert(podium_collection_cells(&collection) == c->cells && c->cells >= 2);
        ck_assert(podium_collection_places(&collection) == c->places && c->places >= 1);
        ck_assert_int_eq(podium_collection_reports(&collection, reports, ends, 2), PODIUM_OK);
        ck_assert_double_eq(podium_collection_least(&collection), reports[0]);
        ck_assert_double_eq(podium_collection_most(&collection), reports[1]);
        ck_assert_double_eq_tol(reports[0] + reports[1], 4, 1e-9);
        ck_assert_double_eq_tol((reports[1] - reports[0]) / podium_collection_spacing(&collection),
                                (double)c->worth_most, 1e-6);
        ck_assert(podium_collection_tells_spread(&collection) == (c->cells > 2));
        ck_assert(podium_collection_variance_least(&collection) <= podium_collection_variance_most(&collection));
        ck_assert(isnan(podium_collection_variance(&collection, NAN)));
        ck_assert_double_eq(podium_collection_variance(&collection, -7), podium_collection_variance(&collection, 0));
        ck_assert_double_eq(podium_collection_variance(&collection, INFINITY),
                            podium_collection_variance(&collection, 4));
    }
    const podium_collection zeros = {.opaque = {{0}}};
    ck_assert_uint_eq(podium_collection_cells(&zeros), 0);
}
END_TEST

/* ---- Collections that were copied from elsewhere ---- */

START_TEST(checked_after_a_copy) {
    FOR_EACH_MECHANISM (m) {
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            const podium_collection c = collection_of(m, epsilons[e], 1, 120);
            ck_assert_int_eq(podium_collection_check(&c), PODIUM_OK);
        }
        podium_layout less = layout_of(m, 1, 1, 120); /* the thresholds of epsilon 1 under a stronger promise */
        less.spec.epsilon = 0.999;
        const podium_collection promised = collection_with(&less);
        ck_assert_int_eq(podium_collection_check(&promised), PODIUM_ERROR_NOT_PRIVATE);
    }
    const podium_collection zeros = {.opaque = {{0}}};
    ck_assert_int_eq(podium_collection_check(&zeros), PODIUM_ERROR_NOT_INITIALISED);
}
END_TEST

START_TEST(checked_tables) {
    podium_layout good = layout_of(PODIUM_MECHANISM_MINIMAX, 1, 1, 120), bad[5];
    for (size_t i = 0; i < LENGTH(bad); i++)
        bad[i] = good;
    bad[0].map = PODIUM_MAPS;
    bad[1].knot_count = PODIUM_KNOTS_MAX + 1;
    bad[2].fraction_bits = 33;
    bad[3].worth.pieces.count--;
    bad[4].worth.pieces.bits = 32;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        const podium_collection c = collection_with(&bad[i]);
        ck_assert_int_eq(podium_collection_check(&c), PODIUM_ERROR_NOT_PRIVATE);
    }
}
END_TEST

/* Whatever passes the check can be used: each report is of a cell, and a sanitizer sees no address beyond the tables.
 */
START_TEST(damaged_collections) {
    uint64_t seed = 77, passed = 0;
    FOR_EACH_MECHANISM (m) {
        const podium_layout good = layout_of(m, 1, 1, 120);
        for (int i = 0; i < 400; i++) {
            podium_collection c = collection_with(&good);
            const double values[] = {-5, 1, 60, 120, NAN};
            uint32_t cells[LENGTH(values)];
            double reports[LENGTH(values)];
            const uint64_t word = seeded_word(&seed);
            c.opaque.bytes[(word >> 8) % sizeof good] ^= (unsigned char)(1 << word % 8);
            if (podium_collection_check(&c) != PODIUM_OK)
                continue;
            const podium_random random = seeded_random(&seed);
            ck_assert_int_eq(podium_privatize_cells(&c, &random, cells, values, LENGTH(values)), PODIUM_OK);
            ck_assert_int_eq(podium_collection_reports(&c, reports, cells, LENGTH(values)), PODIUM_OK);
            passed++;
        }
    }
    ck_assert_uint_gt(passed, 1000);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("collection");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, precise_errors);
    tcase_add_test(tests, narrow_enough);
    tcase_add_test(tests, shape_has_its_own_limit);
    tcase_add_test(tests, words_for_everything);
    tcase_add_test(tests, step_moments);
    tcase_add_test(tests, noise_variance);
    tcase_add_test(tests, noise_bias);
    tcase_add_test(tests, clamped_far_away);
    tcase_add_test(tests, getters);
    tcase_add_test(tests, checked_after_a_copy);
    tcase_add_test(tests, checked_tables);
    tcase_add_test(tests, damaged_collections);
    return run_tests("collection", tests);
}
