/* The widths of the intervals for a mean, compared with plain formulas, and which of them an estimate uses. */
#include <check.h>
#include <math.h>

#include "analysis/interval.h"
#include "support.h"

static const double epsilons[] = {0.1, 1, 4};
static const double alphas[] = {0.5, 0.05, 1e-6};
static const double sizes[] = {2, 30, 1000, 1e5, 1e9, 0x1p63};

static podium_noise_bounds bounds_of(podium_mechanism m, double epsilon) {
    podium_layout c = layout_of(m, epsilon, 0, 1);
    podium_noise_bounds b;
    ck_assert_int_eq(podium_noise_bounds_set(&b, &c), PODIUM_OK);
    return b;
}

typedef void checker(const podium_noise_bounds *b, double n, double alpha, bool population);

static void for_each_case(checker *check) {
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_noise_bounds b = bounds_of(m, epsilons[e]);
            for (size_t i = 0; i < LENGTH(sizes) * LENGTH(alphas) * 2; i++)
                check(&b, sizes[i / 2 / LENGTH(alphas)], alphas[i / 2 % LENGTH(alphas)], i % 2 == 1);
        }
}

/* psi at a tilt of the table, or by the moments for a smaller one */
static double psi_of(const podium_noise_bounds *b, int k, bool population) {
    const double t = podium_tilt(b, k), v = b->variance_most;
    const double by_moments = v * t * t / 2 + sqrt(v * b->fourth) * t * t * t * exp(t * b->reach) / 6;
    return (k < PODIUM_TILTS_EXACT ? b->psi[k] : by_moments) + (population ? t * t / 8 : 0);
}

/* ---- Chernoff ---- */

/* At the width, no tilt makes the bound 2 e^(n psi - n t w) smaller than alpha, and one of them reaches it. */
static void check_chernoff(const podium_noise_bounds *b, double n, double alpha, bool population) {
    const double w = podium_width_chernoff(b, n, alpha, population) - b->bias;
    double least = INFINITY;
    for (int k = 0; k < PODIUM_TILTS; k++)
        least = fmin(least, log(2) + n * (psi_of(b, k, population) - podium_tilt(b, k) * w));
    ck_assert_double_eq_tol(least, log(alpha), 1e-9 * n * b->bias + 1e-6);
}

START_TEST(chernoff) {
    for_each_case(check_chernoff);
}
END_TEST

/* The bound of a normal variable is sqrt(2 v ln(2/alpha)/n), and many reports come within the spacing of the tilts. */
START_TEST(chernoff_of_many) {
    FOR_EACH_MECHANISM (m) {
        podium_noise_bounds b = bounds_of(m, 1);
        const double w = podium_width_chernoff(&b, 1e10, 0.05, false) - b.bias;
        const double normal = sqrt(2 * b.variance_most * log(40) / 1e10);
        ck_assert_double_ge(w, normal * (1 - 1e-9));
        ck_assert_double_le(w, normal * 1.005);
    }
}
END_TEST

/* ---- Berry and Esseen ---- */

/* The miss is at most 2 (1 - Phi(z)) + 2 B, where z is the width in standard deviations and B the distance from the
   normal distribution. */
static void check_berry_esseen(const podium_noise_bounds *b, double n, double alpha, bool population) {
    const double w = podium_width_berry_esseen(b, n, alpha, population) - b->bias;
    const double root = pow(b->fourth, 0.25) + pow(12, -0.25), v = b->variance_most + (population ? 0.25 : 0);
    const double tailedness = population ? pow(root, 4) / b->variance_least : b->tailedness;
    const double distance = 0.56 * sqrt(tailedness / (n * b->variance_least));
    if (2 * distance >= alpha)
        ck_assert(isinf(w));
    else
        ck_assert_double_eq_tol(erfc(w / sqrt(2 * v / n)) + 2 * distance, alpha, 1e-9 * alpha + 1e-6 * (n > 1e15));
}

START_TEST(berry_esseen) {
    for_each_case(check_berry_esseen);
}
END_TEST

START_TEST(near_the_normal_width) {
    podium_noise_bounds b = bounds_of(PODIUM_MECHANISM_MINIMAX, 1);
    const double normal = podium_normal_quantile(0.05) * sqrt(b.variance_most / 1e5);
    ck_assert_double_le(podium_width_berry_esseen(&b, 1e5, 0.05, false), 1.03 * normal);
    ck_assert_double_ge(podium_width_berry_esseen(&b, 1e5, 0.05, false), normal);
}
END_TEST

/* ---- Anytime ---- */

/* The weights must add up to 1, and the mixture must be 1/alpha at the width. The weights are written down again. */
static void check_anytime(const podium_noise_bounds *b, double n, double alpha, bool population) {
    const double s = n * (podium_width_anytime(b, n, alpha, population) - b->bias);
    const double deviation = sqrt(b->variance_most + (population ? 0.25 : 0));
    double sum = 0, weights = 0;
    for (int k = 0; k < PODIUM_TILTS; k += 2)
        weights += pow(5 + fabs(log2(16 * podium_tilt(b, k) * deviation)), -1.5);
    for (int k = 0; k < PODIUM_TILTS; k += 2) {
        const double t = podium_tilt(b, k), weight = pow(5 + fabs(log2(16 * t * deviation)), -1.5) / weights;
        const double drift = n * psi_of(b, k, population);
        sum += weight * (exp(t * s - drift) + exp(-t * s - drift)) / 2;
    }
    ck_assert_double_eq_tol(log(sum * alpha), 0, n < 1e12 ? 1e-6 : 1e-2);
}

START_TEST(anytime_mixture) {
    for_each_case(check_anytime);
}
END_TEST

static void check_order(const podium_noise_bounds *b, double n, double alpha, bool population) {
    const double now = podium_width_anytime(b, n, alpha, population);
    ck_assert_double_gt(now, podium_width_chernoff(b, n, alpha, population));
    ck_assert_double_lt(podium_width_anytime(b, 2 * n, alpha, population), now);
    ck_assert_double_gt(podium_width_anytime(b, n, alpha / 2, population), now);
    ck_assert_double_ge(podium_width_anytime(b, n, alpha, true), podium_width_anytime(b, n, alpha, false));
}

START_TEST(order) {
    for_each_case(check_order);
}
END_TEST

/* ---- Clopper and Pearson ---- */

static double binomial_at_least(uint64_t hits, uint64_t n, double p) {
    long double sum = 0;
    for (uint64_t k = hits; k <= n; k++)
        sum += expl(lgammal((long double)n + 1) - lgammal((long double)k + 1) - lgammal((long double)(n - k) + 1) +
                    (long double)k * logl((long double)p) + (long double)(n - k) * log1pl(-(long double)p));
    return (double)sum;
}

START_TEST(clopper_pearson) {
    static const uint64_t of[][2] = {{2, 2}, {2, 10}, {5, 10}, {9, 10}, {50, 1000}, {500, 1000}, {99990, 100000}};
    for (size_t i = 0; i < LENGTH(of); i++)
        for (size_t a = 1; a < LENGTH(alphas); a++) {
            const uint64_t hits = of[i][0], n = of[i][1];
            const podium_limits p = podium_clopper_pearson(hits, n, alphas[a]),
                                mirrored = podium_clopper_pearson(n - hits, n, alphas[a]);
            const double reached = binomial_at_least(hits, n, p.lower) / (alphas[a] / 2);
            ck_assert(reached <= 1 && reached >= 1 - 2e-4);
            ck_assert_double_eq_tol(mirrored.upper, 1 - p.lower, 1e-12);
        }
    const podium_limits none = podium_clopper_pearson(0, 50, 0.05), one = podium_clopper_pearson(1, 50, 0.05);
    ck_assert(none.lower == 0 && one.lower == 0); /* see docs/estimation.md */
    ck_assert_double_eq_tol(none.upper, 1 - pow(0.025, 1 / 50.0), 1e-5);
    ck_assert(podium_clopper_pearson(50, 50, 0.05).upper == 1);
}
END_TEST

START_TEST(clopper_pearson_of_many) { /* The normal interval, and the continuity correction of half a hit */
    const uint64_t n = PODIUM_TRIALS_MAX;
    const podium_limits p = podium_clopper_pearson(n / 2, n, 0.05);
    const double deviation = sqrt(0.25 / (double)n);
    ck_assert_double_eq_tol((0.5 - p.lower) / deviation, podium_normal_quantile(0.05), 1e-3);
    ck_assert_double_eq_tol((p.upper - 0.5) / deviation, podium_normal_quantile(0.05), 1e-3);
}
END_TEST

/* ---- Which of them is used ---- */

static podium_aggregate even_reports(const podium_collection *collection, size_t n) {
    uint64_t seed = 31;
    podium_random random = seeded_random(&seed);
    podium_aggregate a;
    podium_aggregate_init(collection, &a);
    for (size_t i = 0; i < n; i++) {
        const podium_spec spec = podium_collection_spec(collection);
        double value = spec.min + (spec.max - spec.min) * seeded_uniform(&seed), report;
        ck_assert_int_eq(podium_privatize_from(collection, &random, &report, &value, 1), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_add(collection, &a, &report, 1), PODIUM_OK);
    }
    return a;
}

static double half_width(const podium_collection *collection, const podium_aggregate *a, podium_question question) {
    podium_estimate e;
    question.confidence = 0.95;
    ck_assert_int_eq(podium_estimate_make(&e, podium_layout_of(collection), podium_sums_of(a), &question), PODIUM_OK);
    const podium_spec spec = podium_collection_spec(collection);
    ck_assert(e.lower > spec.min && e.upper < spec.max); /* not clipped */
    return (e.upper - e.lower) / 2;
}

#define MANY 40000
#define RANGE 20

static void check_used(const podium_collection *collection, const podium_aggregate *a) {
    const podium_layout *c = podium_layout_of(collection);
    podium_noise_bounds b;
    ck_assert_int_eq(podium_noise_bounds_set(&b, c), PODIUM_OK);
    const double people =
        fmin(podium_width_chernoff(&b, MANY, 0.05, false), podium_width_berry_esseen(&b, MANY, 0.05, false));
    const double anytime = podium_width_anytime(&b, MANY, 0.05, false);
    const double drawn = podium_width_anytime(&b, MANY, 0.05, true);
    ck_assert_double_eq_tol(half_width(collection, a, (podium_question){.interval = PODIUM_INTERVAL_GUARANTEED}),
                            RANGE * people, 1e-9);
    ck_assert_double_eq_tol(half_width(collection, a, (podium_question){.interval = PODIUM_INTERVAL_ANYTIME}),
                            RANGE * anytime, 1e-9);
    ck_assert_double_eq_tol(
        half_width(collection, a, (podium_question){.interval = PODIUM_INTERVAL_ANYTIME, .population = true}),
        RANGE * drawn, 1e-9);
}

START_TEST(used_for_these_people) {
    FOR_EACH_MECHANISM (m) {
        podium_collection collection = collection_of(m, 1, -3, RANGE - 3);
        podium_aggregate a = even_reports(&collection, MANY);
        if (podium_collection_tells_spread(&collection))
            check_used(&collection, &a);
    }
}
END_TEST

/* The bound of Maurer and Pontil, with half of the failure probability on each side */
static double bernstein(const podium_collection *collection, const podium_aggregate *a) {
    const podium_layout *c = podium_layout_of(collection);
    podium_estimate e;
    const podium_question normal = {.confidence = 0.95};
    ck_assert_int_eq(podium_estimate_make(&e, c, podium_sums_of(a), &normal), PODIUM_OK);
    const double n = (double)e.n, l = log(4 / 0.05), v = e.standard_error * e.standard_error * n;
    return sqrt(2 * v * l / n) + 7 * podium_support(c) * l / (3 * (n - 1));
}

/* At a large epsilon the values vary more than the noise, so measuring how much pays. */
START_TEST(used_for_a_population) {
    static const podium_mechanism measured[] = {PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_MINIMAX};
    const podium_question question = {.interval = PODIUM_INTERVAL_GUARANTEED, .population = true};
    for (size_t i = 0; i < LENGTH(measured); i++) {
        podium_collection collection = collection_of(measured[i], 8, -3, RANGE - 3);
        podium_aggregate a = even_reports(&collection, MANY);
        ck_assert_double_eq_tol(half_width(&collection, &a, question), bernstein(&collection, &a), 1e-6);
    }
    FOR_EACH_MECHANISM (m) {
        podium_collection collection = collection_of(m, 0.5, -3, RANGE - 3);
        podium_aggregate a = even_reports(&collection, MANY);
        ck_assert_double_lt(half_width(&collection, &a, question), bernstein(&collection, &a));
    }
}
END_TEST

START_TEST(used_for_two_outputs) { /* whatever the question is about */
    podium_collection collection = collection_of(PODIUM_MECHANISM_DUCHI, 1, -3, RANGE - 3);
    const podium_layout *c = podium_layout_of(&collection);
    podium_aggregate a = even_reports(&collection, MANY);
    const podium_limits p = podium_clopper_pearson(podium_sums_of(&a)->sum.low, MANY, 0.05);
    for (int population = 0; population < 2; population++) {
        const podium_question question = {.interval = PODIUM_INTERVAL_GUARANTEED, .population = population == 1};
        ck_assert_double_eq_tol(half_width(&collection, &a, question), (p.upper - p.lower) / 2 * podium_support(c),
                                1e-6);
    }
}
END_TEST

START_TEST(bounds_of_another_collection) {
    podium_collection collection = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 2);
    podium_aggregate a = even_reports(&collection, 10);
    podium_bounds own, wrong, none = {.opaque = {{0}}};
    podium_summary s;
    ck_assert_int_eq(podium_bounds_init(&collection, &own), PODIUM_OK);
    ck_assert_int_eq(podium_bounds_init(&other, &wrong), PODIUM_OK);
    podium_question question = {.interval = PODIUM_INTERVAL_ANYTIME, .bounds = &own};
    ck_assert_int_eq(podium_summary_make(&collection, NULL, &s, &a, &question), PODIUM_OK);
    question.bounds = &wrong;
    ck_assert_int_eq(podium_summary_make(&collection, NULL, &s, &a, &question), PODIUM_ERROR_FINGERPRINT_WRONG);
    question.bounds = &none;
    ck_assert_int_eq(podium_summary_make(&collection, NULL, &s, &a, &question), PODIUM_ERROR_FINGERPRINT_WRONG);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("interval");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, chernoff);
    tcase_add_test(tests, chernoff_of_many);
    tcase_add_test(tests, berry_esseen);
    tcase_add_test(tests, near_the_normal_width);
    tcase_add_test(tests, anytime_mixture);
    tcase_add_test(tests, order);
    tcase_add_test(tests, clopper_pearson);
    tcase_add_test(tests, clopper_pearson_of_many);
    tcase_add_test(tests, used_for_these_people);
    tcase_add_test(tests, used_for_a_population);
    tcase_add_test(tests, used_for_two_outputs);
    tcase_add_test(tests, bounds_of_another_collection);
    return run_tests("interval", tests);
}
