/* What a shuffler adds: beside the expectation of the theorem, summed term by term, and published numbers. */
#include <check.h>
#include <math.h>

#include "support.h"

static double shuffled(double local, double variation, uint64_t people, double delta) {
    double epsilon = NAN;
    ck_assert_int_eq(podium_shuffle_epsilon(&epsilon, local, variation, people, delta), PODIUM_OK);
    return epsilon;
}

/* ---- The divergence, term by term ---- */

/* Pr[A = a, B = b, Z = z] of n draws, which has no memory of how it is computed in the library */
static long double drawn(int n, long double each, long double common, int a, int b, int z) {
    const long double rest = 1 - 2 * each - common;
    const int others = n - a - b - z;
    long double log = lgammal(n + 1.0L) - lgammal(a + 1.0L) - lgammal(b + 1.0L) - lgammal(z + 1.0L) -
                      lgammal(others + 1.0L) + (a + b) * logl(each);
    if ((z > 0 && common <= 0) || (others > 0 && rest <= 0))
        return 0;
    log += z > 0 ? z * logl(common) : 0;
    return expl(log + (others > 0 ? others * logl(rest) : 0));
}

static long double divergence(double epsilon, double local, double variation, int n) {
    const long double p = expl(local), e = expl(epsilon), each = variation / (p - 1);
    const long double common = fmaxl(0, 1 - variation - 2 * each);
    long double sum = 0;
    for (int a = 0; a <= n; a++)
        for (int b = 0; a + b <= n && p * a + b > e * (a + p * b); b++)
            for (int z = 0; a + b + z <= n && p * a + b + z > e * (a + p * b + z); z++)
                sum += drawn(n, each, common, a, b, z) * (p * a + b + z - e * (a + p * b + z));
    return sum / n;
}

static const double locals[] = {0.1, 0.5, 1, 2, 4, 8};
static const double shares[] = {1, 0.9, 0.4}; /* of the largest total variation that epsilon allows */
static const double deltas[] = {0.05, 1e-3, 1e-6, 1e-12};
static const int sizes[] = {1, 2, 3, 10, 40};

/* Never below the theorem's epsilon, and hardly above. Rounding is added up where people are few and epsilon is large,
   so that the divergence there may be delta - 1e-10. */
START_TEST(as_the_theorem_says) {
    for (size_t i = 0; i < LENGTH(locals) * LENGTH(shares) * LENGTH(deltas) * LENGTH(sizes); i += TEST_STRIDE) {
        const double local = locals[i % LENGTH(locals)], delta = deltas[i / LENGTH(locals) % LENGTH(deltas)];
        const size_t rest = i / LENGTH(locals) / LENGTH(deltas);
        const double variation = shares[rest % LENGTH(shares)] * tanh(local / 2);
        const int people = sizes[rest / LENGTH(shares)];
        const double epsilon = shuffled(local, variation, (uint64_t)people, delta);
        ck_assert_msg(divergence(epsilon, local, variation, people) <= delta * (1 + 1e-9),
                      "local %g, variation %g, %d people, delta %g: %.9g is not enough", local, variation, people,
                      delta, epsilon);
        ck_assert_msg(epsilon == 0 || divergence(epsilon * (1 - 1e-4), local, variation, people) >
                                          fmin(delta * (1 - 1e-5), delta - 1e-10),
                      "local %g, variation %g, %d people, delta %g: %.9g is too much", local, variation, people, delta,
                      epsilon);
    }
}
END_TEST

/* ---- Many people ---- */

/* Pr[Bin(n, q) = k] */
static double binomial(double n, double q, double k) {
    const long double ways = lgammal(n + 1.0L) - lgammal(k + 1.0L) - lgammal(n - k + 1.0L);
    return (double)expl(ways + k * logl(q) + (n - k) * log1pl(-q));
}

/* Puts the mean of Z, given A + B, in place of Z. By Jensen's inequality this is at most the divergence. */
static double lower_divergence(double epsilon, double local, double variation, double n) {
    const double p = exp(local), e = exp(epsilon), share = 2 * variation / (p - 1), deviation = sqrt(n * share);
    const double common = fmax(0, 1 - variation - share) / (1 - share);
    double sum = 0;
    for (double t = floor(n * share - 9 * deviation); t < n * share + 9 * deviation; t++) {
        const double z = (n - t) * common;
        double inner = 0, a = ceil(((e * p - 1) * t + (e - 1) * z) / ((p - 1) * (1 + e))), mass = binomial(t, 0.5, a);
        for (double last = a + 9 * sqrt(t); a < last; a++) {
            inner += mass * (p * a + t - a + z - e * (a + p * (t - a) + z));
            mass *= (t - a) / (a + 1);
        }
        sum += binomial(n, share, t) * inner;
    }
    return sum / n;
}

START_TEST(close_for_many_people) {
    static const double people[] = {20000, 100000, 400000};
    for (size_t i = 0; i < LENGTH(people); i++)
        for (double local = 0.5; local <= 4; local *= 2) {
            const double variation = 0.8 * tanh(local / 2), delta = 1e-6;
            const double epsilon = shuffled(local, variation, (uint64_t)people[i], delta);
            ck_assert_double_le(lower_divergence(epsilon, local, variation, people[i]), delta);
            ck_assert_double_gt(lower_divergence(0.99 * epsilon, local, variation, people[i]), delta);
        }
}
END_TEST

/* ---- Published numbers ---- */

START_TEST(published) { /* at delta = 1e-6 and 100,000 people */
    static const double expected[][2] = {{1, 0.012}, {4, 0.116}};
    static const podium_mechanism mechanisms[] = {PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_MINIMAX};
    for (size_t i = 0; i < LENGTH(expected) * LENGTH(mechanisms); i++) {
        const double *e = expected[i % LENGTH(expected)];
        podium_collection c = collection_of(mechanisms[i / LENGTH(expected)], e[0], 0, 1);
        ck_assert_double_eq_tol(shuffled(e[0], podium_collection_variation(&c), 100000, 1e-6), e[1], 5e-4);
    }
}
END_TEST

/* Feldman, McMillan and Talwar 2021, Theorem 3.1, which holds for every mechanism: it is never better. */
START_TEST(below_the_closed_form) {
    int compared = 0;
    for (double local = 0.25; local <= 8; local *= 2)
        for (double n = 1e3; n <= 1e8; n *= 10)
            for (double delta = 1e-10; delta < 1e-4; delta *= 100) {
                const double p = exp(local);
                if (local > log(n / (16 * log(2 / delta))))
                    continue;
                const double form = log1p(tanh(local / 2) * (8 * sqrt(p * log(4 / delta) / n) + 8 * p / n));
                ck_assert_double_le(shuffled(local, 1, (uint64_t)n, delta), form);
                compared++;
            }
    ck_assert_int_ge(compared, 55);
}
END_TEST

START_TEST(less_hides_less) {
    double before = 1;
    for (uint64_t n = 2; n <= PODIUM_SHUFFLE_PEOPLE_MAX; n *= 30) {
        const double epsilon = shuffled(1, 1, n, 1e-6);
        ck_assert_double_le(epsilon, before);
        before = epsilon;
    }
    ck_assert_double_eq(shuffled(1, 1, UINT64_MAX, 1e-9), shuffled(1, 1, PODIUM_SHUFFLE_PEOPLE_MAX, 1e-9));
    ck_assert_double_lt(shuffled(1, 0.3, 1000, 1e-6), shuffled(1, 0.4, 1000, 1e-6));
    ck_assert_double_lt(shuffled(0.9, 0.3, 1000, 1e-6), shuffled(1, 0.3, 1000, 1e-6));
    ck_assert_double_lt(shuffled(1, 0.3, 1000, 1e-5), shuffled(1, 0.3, 1000, 1e-6));
    ck_assert_double_eq(shuffled(1, 0.3, 1000, 0.5), 0);
    ck_assert_double_eq_tol(podium_shuffle_variation(1), tanh(0.5), 1e-15);
    ck_assert_double_eq(shuffled(1, 1, 1000, 1e-6), shuffled(1, podium_shuffle_variation(1), 1000, 1e-6));
    ck_assert_double_eq(shuffled(50, 1, 1000, 1e-6), 50);
}
END_TEST

/* ---- The total variation ---- */

/* Half the sum of the differences over all cells, between two places */
static double variation_of(const podium_collection *c, uint64_t one, uint64_t other) {
    double sum = 0;
    for (uint64_t cell = 0; cell < podium_collection_cells(c); cell++)
        sum += fabs(podium_collection_mass(c, one, cell, cell + 1) - podium_collection_mass(c, other, cell, cell + 1));
    return sum / 2;
}

START_TEST(variation_by_cells) { /* the two ends are furthest apart */
    static const uint32_t cells[] = {2, 3, 4, 5, 9, 16, 60, 256};
    for (size_t i = 0; i < LENGTH(cells); i++)
        for (double epsilon = 0.1; epsilon < 12; epsilon *= 2.1) {
            podium_collection c = minimax_of(epsilon, cells[i]);
            const uint64_t places = podium_collection_places(&c), step = 1 + places / 10;
            const double most = podium_collection_variation(&c);
            ck_assert_double_eq_tol(variation_of(&c, 0, places), most, 1e-11);
            for (uint64_t one = 0; one <= places; one += step)
                for (uint64_t other = 0; other <= places; other += step)
                    ck_assert_double_le(variation_of(&c, one, other), most);
        }
}
END_TEST

/* Where there are too many cells to go through: the largest difference over all intervals of a 64th of the cells is a
   lower bound, and for a step it is close if its ends are not inside of one. */
START_TEST(variation_of_intervals) {
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        for (double epsilon = 0.05; epsilon < 30; epsilon *= 3) {
            podium_collection c = collection_of((podium_mechanism)m, epsilon, 0, 1);
            const uint64_t cells = podium_collection_cells(&c), places = podium_collection_places(&c);
            const double most = podium_collection_variation(&c);
            ck_assert_double_le(most, tanh(epsilon / 2));
            for (uint64_t one = 0; one < 5; one++)
                for (uint64_t other = 0; other < 5; other++) {
                    double sum = 0;
                    for (uint64_t i = 0; i < 64; i++) {
                        uint64_t first = cells / 64 * i, last = i == 63 ? cells : cells / 64 * (i + 1);
                        sum += fabs(podium_collection_mass(&c, places / 4 * one, first, last) -
                                    podium_collection_mass(&c, places / 4 * other, first, last));
                    }
                    ck_assert_double_le(sum / 2, most);
                }
        }
}
END_TEST

START_TEST(variation_in_closed_form) {
    for (double epsilon = 0.01; epsilon < 20; epsilon *= 2) {
        podium_collection duchi = collection_of(PODIUM_MECHANISM_DUCHI, epsilon, 0, 1);
        podium_collection laplace = collection_of(PODIUM_MECHANISM_LAPLACE, epsilon, 0, 1);
        podium_collection piecewise = collection_of(PODIUM_MECHANISM_PIECEWISE, epsilon, 0, 1);
        podium_collection own = collection_of(PODIUM_MECHANISM_PODIUM, epsilon, 0, 1);
        podium_shape shape = shape_of(PODIUM_MECHANISM_PODIUM, epsilon, 0, 1);
        ck_assert_double_eq_tol(podium_collection_variation(&duchi), tanh(epsilon / 2), 1e-6);
        ck_assert_double_eq_tol(podium_collection_variation(&laplace), -expm1(-epsilon / 2), 1e-3);
        ck_assert_double_eq_tol(podium_collection_variation(&piecewise), -expm1(-epsilon / 2), 1e-6);
        ck_assert_double_eq_tol(podium_collection_variation(&own), shape.q, 1e-6);
    }
}
END_TEST

START_TEST(refused_arguments) {
    const struct {
        double local, variation;
        uint64_t people;
        double delta;
    } wrong[] = {{0, 1, 9, 0.1},  {51, 1, 9, 0.1},   {NAN, 1, 9, 0.1}, {1, 0, 9, 0.1},
                 {1, -1, 9, 0.1}, {1, NAN, 9, 0.1},  {1, 1, 0, 0.1},   {1, 1, 9, 0},
                 {1, 1, 9, 1},    {1, 1, 9, 1e-101}, {1, 1, 9, NAN}};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        double epsilon = 7;
        ck_assert_int_eq(
            podium_shuffle_epsilon(&epsilon, wrong[i].local, wrong[i].variation, wrong[i].people, wrong[i].delta),
            PODIUM_ERROR_ARGUMENT_WRONG);
        ck_assert_double_eq(epsilon, 7);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("shuffle");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, as_the_theorem_says);
    tcase_add_test(tests, close_for_many_people);
    tcase_add_test(tests, published);
    tcase_add_test(tests, below_the_closed_form);
    tcase_add_test(tests, less_hides_less);
    tcase_add_test(tests, variation_by_cells);
    tcase_add_test(tests, variation_of_intervals);
    tcase_add_test(tests, variation_in_closed_form);
    tcase_add_test(tests, refused_arguments);
    return run_tests("shuffle", tests);
}
