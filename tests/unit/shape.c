/* The closed forms compared with 40-digit reference rows and with each other. */
#include <check.h>
#include <math.h>

#include "support.h"

/* ---- Reference rows ---- */

#define TOLERANCE 1e-14L
#define CELLS 12

typedef struct {
    char text[1024];
    char *cell[CELLS];
    int count;
} csv_row;

static bool read_row(FILE *file, csv_row *row) {
    if (fgets(row->text, sizeof row->text, file) == NULL)
        return false;
    row->count = 0;
    for (char *at = strtok(row->text, ",\n"); at != NULL && row->count < CELLS; at = strtok(NULL, ",\n"))
        row->cell[row->count++] = at;
    return true;
}

static FILE *open_reference(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    csv_row head;
    ck_assert(read_row(file, &head));
    return file;
}

static long double error_of(double got, const char *want) {
    long double exact = strtold(want, NULL);
    return fabsl((long double)got - exact) / fabsl(exact);
}

typedef struct {
    long double largest;
    int cells;
} error_log;

static void compare(error_log *errors, const char *label, const char *what, double got, const char *want,
                    long double tolerance) {
    long double error = error_of(got, want);
    ck_assert_msg(error <= tolerance, "epsilon %s, %s: %.17g, not %s (relative error %.3Lg)", label, what, got, want,
                  error);
    if (error > errors->largest)
        errors->largest = error;
    errors->cells++;
}

START_TEST(shape_rows) {
    FILE *file = open_reference("shape.csv"); /* label, epsilon, variant (a mechanism), s, m, w, d */
    error_log errors = {0};
    csv_row row;
    while (read_row(file, &row)) {
        podium_mechanism mechanism;
        ck_assert_int_eq(podium_mechanism_from_name(&mechanism, row.cell[2], strlen(row.cell[2])), PODIUM_OK);
        podium_shape shape = shape_of(mechanism, strtod(row.cell[1], NULL), -0.5, 0.5);
        compare(&errors, row.cell[0], "s", shape.s, row.cell[3], TOLERANCE);
        compare(&errors, row.cell[0], "m", shape.m, row.cell[4], TOLERANCE);
        compare(&errors, row.cell[0], "w", shape.w, row.cell[5], TOLERANCE);
        compare(&errors, row.cell[0], "d", shape.d, row.cell[6], TOLERANCE);
    }
    fclose(file);
    ck_assert(errors.cells >= 2 * 4 * 72 && errors.cells % (4 * 72) == 0); /* 72 epsilons for each mechanism */
    printf("shape.csv: %d cells, largest relative error %.2Lg\n", errors.cells, errors.largest);
}
END_TEST

START_TEST(variance_rows) {
    FILE *file = open_reference("variance.csv");
    error_log errors = {0};
    csv_row row;
    while (read_row(file, &row)) {
        double epsilon = strtod(row.cell[1], NULL);
        podium_shape exact = shape_of(PODIUM_MECHANISM_PODIUM, epsilon, -0.5, 0.5);
        podium_shape approximate = shape_of(PODIUM_MECHANISM_PODIUM_APPROXIMATE, epsilon, -0.5, 0.5);
        podium_shape laplace = shape_of(PODIUM_MECHANISM_LAPLACE, epsilon, -0.5, 0.5);
        podium_shape staircase = shape_of(PODIUM_MECHANISM_STAIRCASE, epsilon, -0.5, 0.5);
        const char *label = row.cell[0];
        compare(&errors, label, "podium_centre", podium_shape_variance(&exact, 0), row.cell[2], TOLERANCE);
        compare(&errors, label, "podium_edge", podium_shape_variance(&exact, 0.5), row.cell[3], TOLERANCE);
        compare(&errors, label, "approximate_edge", podium_shape_variance(&approximate, -0.5), row.cell[4], TOLERANCE);
        compare(&errors, label, "laplace", podium_shape_variance(&laplace, 0.2), row.cell[5], TOLERANCE);
        compare(&errors, label, "staircase", podium_shape_variance(&staircase, 0.2), row.cell[6], TOLERANCE);
        compare(&errors, label, "staircase_gamma", staircase.gamma, row.cell[7], TOLERANCE);
    }
    fclose(file);
    ck_assert_int_eq(errors.cells, 6 * 72);
    printf("variance.csv: %d cells, largest relative error %.2Lg\n", errors.cells, errors.largest);
}
END_TEST

START_TEST(efficiency_rows) {
    FILE *file = open_reference("efficiency.csv");
    error_log errors = {0};
    csv_row row;
    while (read_row(file, &row)) {
        double epsilon = strtod(row.cell[1], NULL);
        podium_shape exact = shape_of(PODIUM_MECHANISM_PODIUM, epsilon, -0.5, 0.5);
        podium_shape approximate = shape_of(PODIUM_MECHANISM_PODIUM_APPROXIMATE, epsilon, -0.5, 0.5);
        podium_shape laplace = shape_of(PODIUM_MECHANISM_LAPLACE, epsilon, -0.5, 0.5);
        podium_shape staircase = shape_of(PODIUM_MECHANISM_STAIRCASE, epsilon, -0.5, 0.5);
        const char *label = row.cell[0];
        double centre_to_edge = podium_shape_variance(&exact, 0) / podium_shape_variance(&exact, 0.5);
        compare(&errors, label, "approximate/exact", podium_shape_efficiency(&approximate, &exact, 0.5), row.cell[2],
                2 * TOLERANCE);
        compare(&errors, label, "centre/edge", centre_to_edge, row.cell[3], 2 * TOLERANCE);
        compare(&errors, label, "podium/laplace", podium_shape_efficiency(&exact, &laplace, 0.5), row.cell[4],
                2 * TOLERANCE);
        compare(&errors, label, "staircase/laplace", podium_shape_efficiency(&staircase, &laplace, 0), row.cell[5],
                2 * TOLERANCE);
        compare(&errors, label, "centre/staircase", podium_shape_efficiency(&exact, &staircase, 0), row.cell[6],
                2 * TOLERANCE);
        compare(&errors, label, "edge/staircase", podium_shape_efficiency(&exact, &staircase, 0.5), row.cell[7],
                2 * TOLERANCE);
    }
    fclose(file);
    ck_assert_int_eq(errors.cells, 6 * 72);
    printf("efficiency.csv: %d cells, largest relative error %.2Lg\n", errors.cells, errors.largest);
}
END_TEST

/* ---- Density, cdf, quantile and moments compared with each other ---- */

#define FOR_EACH_DENSITY(m)                                                                                            \
    FOR_EACH_MECHANISM (m)                                                                                             \
        if (has_density(m))

static const double epsilons[] = {1e-6, 1e-3, 0.1, 0.34657359027997264, 1, 3, 10, 50, 300, 700};

/* The exact s is a minimum, because s +- 1% has a larger variance by the paper's formula. */
START_TEST(exact_beats_its_neighbours) {
    for (size_t i = 0; i < LENGTH(epsilons); i++) {
        long double e = epsilons[i], s = (long double)shape_of(PODIUM_MECHANISM_PODIUM, epsilons[i], 0, 1).s;
        long double at[3];
        for (int k = -1; k <= 1; k++) {
            long double near = s * (1 + 0.01L * k);
            at[k + 1] = (coshl(2 * near - e) + 4 * coshl(near) + 3) / (coshl(e) - 1);
        }
        ck_assert(at[1] <= at[0] && at[1] <= at[2]);
    }
}
END_TEST

static void check_mass(podium_mechanism m, double epsilon) {
    podium_shape shape = shape_of(m, epsilon, 3, 8);
    double base = shape.d * shape.delta * shape.m;
    ck_assert_double_eq_tol(base + shape.q, 1, 1e-14);
    ck_assert_double_eq_tol(shape.lift * shape.w / shape.q, 1, 1e-14);
    ck_assert_double_eq_tol(shape.d_step / shape.d / exp(epsilon), 1, 1e-12);
}

START_TEST(mass_is_one) {
    for (size_t i = 0; i < LENGTH(epsilons); i++) {
        FOR_EACH_MECHANISM (m)
            if (is_step(m))
                check_mass(m, epsilons[i]);
        podium_shape stairs = shape_of(PODIUM_MECHANISM_STAIRCASE, epsilons[i], 3, 8);
        ck_assert_double_eq_tol(podium_shape_cdf(&stairs, 5, 5), 0.5, 1e-12);
    }
}
END_TEST

START_TEST(quantile_inverts_cdf) {
    static const double p[] = {1e-12, 1e-3, 0.1, 0.25, 0.4999, 0.5, 0.5001, 0.75, 0.9, 0.999, 1 - 1e-9};
    static const double x[] = {3, 3.7, 5.5, 8};
    FOR_EACH_DENSITY (m)
        for (size_t i = 1; i < 8; i++)
            for (size_t j = 0; j < LENGTH(x); j++)
                for (size_t k = 0; k < LENGTH(p); k++) {
                    podium_shape shape = shape_of(m, epsilons[i], 3, 8);
                    double y = podium_shape_quantile(&shape, x[j], p[k]);
                    /* y is rounded to a double, so the mass of that rounding is allowed */
                    double peak = fmax(shape.d_step, podium_shape_density(&shape, x[j], x[j]));
                    double rounding = peak * fabs(y) * 4e-16;
                    if (rounding < 1e-4) /* or the step is narrower than what lies between doubles */
                        ck_assert_double_eq_tol(podium_shape_cdf(&shape, x[j], y), p[k], 2e-14 + rounding);
                }
}
END_TEST

/* Mean and variance from the quantile function. E[y^k] is the integral of Q(p)^k over p, here by the midpoint rule
   on a grid that becomes finer towards both ends, where Q is steep. */
START_TEST(moments_from_quantiles) {
    static const double x[] = {-2, -0.3, 1};
    FOR_EACH_DENSITY (m)
        for (size_t i = 2; i < 7; i++)
            for (size_t j = 0; j < LENGTH(x); j++) {
                podium_shape shape = shape_of(m, epsilons[i], -2, 1);
                double mean = 0, square = 0;
                for (double high = 0.5; high > 1e-30; high /= 2)
                    for (int k = 0; k < 2000; k++) {
                        double p = high / 2 * (1 + (k + 0.5) / 2000), weight = high / 2 / 2000;
                        double low = podium_shape_quantile(&shape, x[j], p) - x[j];
                        double up = 1 - p < 1 ? podium_shape_quantile(&shape, x[j], 1 - p) - x[j] : -low;
                        mean += weight * (low + up);
                        square += weight * (low * low + up * up);
                    }
                double variance = podium_shape_variance(&shape, x[j]);
                ck_assert_double_eq_tol(mean / sqrt(variance), 0, 1e-5);
                ck_assert_double_eq_tol(square / variance, 1, 1e-3);
                ck_assert_double_eq(podium_shape_mean(&shape, x[j]), x[j]);
            }
}
END_TEST

START_TEST(density_is_slope_of_cdf) {
    uint64_t seed = 1;
    FOR_EACH_DENSITY (m)
        for (int i = 0; i < 2000; i++) {
            podium_shape shape = shape_of(m, 0.2 + 4 * seeded_uniform(&seed), 10, 20);
            double x = 10 + 10 * seeded_uniform(&seed), y = -20 + 70 * seeded_uniform(&seed), h = 1e-4;
            double left = podium_shape_density(&shape, x, y - h), right = podium_shape_density(&shape, x, y + h);
            double slope = (podium_shape_cdf(&shape, x, y + h) - podium_shape_cdf(&shape, x, y - h)) / (2 * h);
            ck_assert_double_ge(slope, fmin(left, right) - 1e-9);
            ck_assert_double_le(slope, fmax(left, right) + 1e-9);
        }
}
END_TEST

/* By the paper's theorem, ratios are only e^-epsilon, 1 and e^epsilon for Podium. */
START_TEST(densities_keep_the_ratio) {
    uint64_t seed = 2;
    FOR_EACH_DENSITY (m)
        for (int i = 0; i < 5000; i++) {
            double epsilon = 0.1 + 5 * seeded_uniform(&seed);
            podium_shape shape = shape_of(m, epsilon, 0, 1);
            double a = seeded_uniform(&seed), b = seeded_uniform(&seed), y = 0.5 + 2 * (seeded_uniform(&seed) - 0.5);
            double one = podium_shape_density(&shape, a, y), other = podium_shape_density(&shape, b, y);
            if (one == 0) {
                ck_assert(other == 0);
                continue;
            }
            double gap = fabs(log(one / other));
            ck_assert_double_le(gap, epsilon * (1 + 1e-12));
            if (shape.w > 0)
                ck_assert(gap == 0 || fabs(gap - epsilon) < 1e-12);
        }
}
END_TEST

START_TEST(step_moves_across_the_support) {
    podium_shape shape = shape_of(PODIUM_MECHANISM_PODIUM, log(9), 0, 1);
    ck_assert_double_eq_tol(podium_shape_step(&shape, 1) + shape.w, 0.5 + shape.m / 2, 1e-14);
    ck_assert_double_eq_tol(podium_shape_step(&shape, 0), 0.5 - shape.m / 2, 1e-14);
    ck_assert_double_eq_tol(podium_shape_step(&shape, 0.5), 0.5 - shape.w / 2, 1e-14);
    double lift = shape.d * 8, x = 0.3 - 0.5; /* t of Algorithm 2, where e^epsilon - 1 is 8 */
    double t = (2 * x - shape.w * shape.w * lift) / (2 * shape.w * lift);
    ck_assert_double_eq_tol(podium_shape_step(&shape, 0.3), 0.5 + t, 1e-14);
    ck_assert_double_eq_tol(shape.m, 2.102601, 5e-7); /* the paper's Figure 2 */
    ck_assert_double_eq_tol(shape.w, 0.7540498, 5e-8);
}
END_TEST

START_TEST(shift_and_scale) {
    FOR_EACH_DENSITY (m) {
        podium_shape unit = shape_of(m, 1.3, -0.5, 0.5), age = shape_of(m, 1.3, 1, 121);
        for (double x = -0.5; x <= 0.5; x += 0.125)
            for (double p = 0.01; p < 1; p += 0.07) {
                double y = podium_shape_quantile(&unit, x, p);
                ck_assert_double_eq_tol(podium_shape_quantile(&age, 61 + 120 * x, p), 61 + 120 * y, 1e-10);
                ck_assert_double_eq_tol(podium_shape_variance(&age, 61 + 120 * x) / podium_shape_variance(&unit, x),
                                        14400, 1e-9);
            }
    }
}
END_TEST

START_TEST(strange_arguments) {
    FOR_EACH_DENSITY (m) {
        podium_shape shape = shape_of(m, 1, 0, 10);
        ck_assert(isnan(podium_shape_density(&shape, NAN, 1)) && isnan(podium_shape_cdf(&shape, 1, NAN)));
        ck_assert(isnan(podium_shape_quantile(&shape, 1, -0.1)) && isnan(podium_shape_quantile(&shape, 1, 1.1)));
        ck_assert(isnan(podium_shape_quantile(&shape, 1, NAN)) && isnan(podium_shape_variance(&shape, NAN)));
        ck_assert(podium_shape_cdf(&shape, 1, -INFINITY) == 0 && podium_shape_cdf(&shape, 1, INFINITY) == 1);
        ck_assert(podium_shape_density(&shape, 1, INFINITY) == 0);
        ck_assert(podium_shape_quantile(&shape, 1, 0) < -10 && podium_shape_quantile(&shape, 1, 1) > 20);
        ck_assert(podium_shape_variance(&shape, 1e300) == podium_shape_variance(&shape, 10));
        ck_assert(podium_shape_cdf(&shape, -5, 3) == podium_shape_cdf(&shape, 0, 3));
        const bool noise = !is_step(m);
        ck_assert((isnan(podium_shape_step(&shape, 1)) != 0) == noise);
        ck_assert((isinf(podium_shape_quantile(&shape, 1, 1)) != 0) == noise);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("shape");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, shape_rows);
    tcase_add_test(tests, variance_rows);
    tcase_add_test(tests, efficiency_rows);
    tcase_add_test(tests, exact_beats_its_neighbours);
    tcase_add_test(tests, mass_is_one);
    tcase_add_test(tests, quantile_inverts_cdf);
    tcase_add_test(tests, moments_from_quantiles);
    tcase_add_test(tests, density_is_slope_of_cdf);
    tcase_add_test(tests, densities_keep_the_ratio);
    tcase_add_test(tests, step_moves_across_the_support);
    tcase_add_test(tests, shift_and_scale);
    tcase_add_test(tests, strange_arguments);
    return run_tests("shape", tests);
}
