/* Excess is found where dishonest devices repeat themselves, never among honest people, and can be taken out. */
#include <check.h>
#include <math.h>

#include "support.h"

#define HONEST 20000

static double values[HONEST], reports[HONEST];

static podium_aggregate honest_aggregate(const podium_collection *c, uint64_t *seed, size_t n) {
    podium_random random = seeded_random(seed);
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    ck_assert_int_eq(podium_privatize_from(c, &random, reports, values, n), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_add(c, &a, reports, n), PODIUM_OK);
    return a;
}

static void send(const podium_collection *c, podium_aggregate *a, uint32_t cell, size_t n) {
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(podium_aggregate_add_cells(c, a, &cell, 1), PODIUM_OK);
}

static size_t found_in(const podium_collection *c, const podium_aggregate *a, podium_excess *excess, size_t capacity) {
    size_t found = 99;
    ck_assert_int_eq(podium_aggregate_excess(c, excess, capacity, &found, a), PODIUM_OK);
    return found;
}

/* All at one end, in the middle, at both ends or spread: nothing is found, and trimming changes no bit. There are 480
   aggregates, so the rate of false alarms is below 5e-7. */
START_TEST(honest_people) {
    static const double epsilons[] = {0.1, 1, 3, 8};
    static const size_t sizes[] = {0, 1, 1000, HONEST};
    uint64_t seed = 701;
    podium_trimmed trimmed;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++)
            for (int kind = 0; kind < 3; kind++) {
                podium_collection c = collection_of(m, epsilons[e], 0, 10);
                for (size_t i = 0; i < HONEST; i++)
                    values[i] = kind == 0 ? 10 : kind == 1 ? (i % 2 == 0 ? 0 : 5) : 10 * seeded_uniform(&seed);
                for (size_t s = 0; s < LENGTH(sizes); s++) {
                    podium_aggregate a = honest_aggregate(&c, &seed, sizes[s]), before = a;
                    ck_assert_uint_eq(found_in(&c, &a, NULL, 0), 0);
                    ck_assert_int_eq(podium_aggregate_trim(&c, &a, &trimmed), PODIUM_OK);
                    ck_assert_uint_eq(trimmed.removed + trimmed.suspect, 0);
                    ck_assert_mem_eq(&a, &before, sizeof a);
                }
            }
}
END_TEST

static double mean_of(const podium_collection *c, const podium_aggregate *a) {
    podium_summary s;
    ck_assert_int_eq(podium_summary_make(c, NULL, &s, a, NULL), PODIUM_OK);
    return s.mean;
}

/* A third of all reports are the last cell's, over and over. No more are called dishonest than are, most of them are if
   honest people rarely send that report, and without them the mean is nearer to the truth. */
static void attack(podium_spec spec, uint64_t *seed) {
    enum { EVIL = HONEST / 2 };
    podium_collection c = collection_from(&spec);
    for (size_t i = 0; i < HONEST; i++)
        values[i] = 3;
    podium_aggregate a = honest_aggregate(&c, seed, HONEST);
    const uint32_t last = (uint32_t)podium_collection_cells(&c) - 1;
    podium_excess excess[4];
    podium_trimmed trimmed;
    double report;
    send(&c, &a, last, EVIL);
    ck_assert_uint_ge(found_in(&c, &a, excess, LENGTH(excess)), 1);
    const double before = mean_of(&c, &a);
    ck_assert_int_eq(podium_collection_reports(&c, &report, &last, 1), PODIUM_OK);
    ck_assert(excess[0].low <= report && report <= excess[0].high);
    ck_assert_int_eq(podium_aggregate_trim(&c, &a, &trimmed), PODIUM_OK);
    ck_assert_uint_eq(trimmed.dishonest, excess[0].count - excess[0].most);
    ck_assert_uint_eq(trimmed.suspect, excess[0].count - trimmed.removed);
    ck_assert(trimmed.dishonest <= trimmed.removed && trimmed.removed <= EVIL);
    ck_assert_uint_eq(podium_aggregate_count(&a), HONEST + EVIL - trimmed.removed);
    ck_assert_double_lt(fabs(mean_of(&c, &a) - 3), fabs(before - 3));
    ck_assert_uint_eq(found_in(&c, &a, NULL, 0), 0);
    ck_assert_msg(spec.cells == 16 || trimmed.removed > EVIL * 8 / 10, "%llu", (unsigned long long)trimmed.removed);
}

START_TEST(one_report_over_and_over) {
    uint64_t seed = 702;
    FOR_EACH_MECHANISM (m)
        if (m != PODIUM_MECHANISM_DUCHI && m != PODIUM_MECHANISM_HYBRID)
            attack((podium_spec){.mechanism = m, .epsilon = 1, .min = 0, .max = 10}, &seed);
    attack((podium_spec){.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 1, .min = 0, .max = 10, .cells = 16}, &seed);
}
END_TEST

/* Pr[binomial(n, p) > most], the greatest term first, each from the one before */
static double tail_of(double n, double p, double most) {
    double term = exp(lgamma(n + 1) - lgamma(most + 2) - lgamma(n - most) + (most + 1) * log(p) +
                      (n - most - 1) * log1p(-p)),
           sum = 0;
    for (double j = most + 1; j <= n && term > 0; j++) {
        sum += term;
        term *= (n - j) / (j + 1) * p / (1 - p);
    }
    return sum;
}

/* The limit itself, beside exact binomial tails. All reports are of one cell, and 16 cells share a rate of 1e-9. The
   bound is not much looser than it must be: half as far above the expected number would be too little. */
START_TEST(limit_of_a_cell) {
    const podium_spec spec = {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 1, .min = 0, .max = 10, .cells = 16};
    podium_collection c = collection_from(&spec);
    const uint32_t cell = 3;
    double p = 0;
    for (int i = 0; i <= 1000; i++)
        p = fmax(p, podium_collection_likelihood(&c, i / 100.0, cell));
    for (size_t n = 100; n <= 10000; n *= 10) {
        podium_aggregate a;
        podium_excess e;
        podium_aggregate_init(&c, &a);
        send(&c, &a, cell, n);
        ck_assert_uint_eq(found_in(&c, &a, &e, 1), 1);
        const double honest = (double)n - (double)(e.count - e.most), most = (double)e.most;
        ck_assert_double_le(tail_of(honest, p, most), 1e-9 / 16);
        ck_assert_double_gt(tail_of(honest, p, floor((honest * p + most) / 2)), 1e-9 / 16);
    }
}
END_TEST

START_TEST(refusals) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 10), none = {0};
    podium_aggregate a;
    size_t found;
    podium_trimmed trimmed;
    podium_aggregate_init(&c, &a);
    ck_assert_int_eq(podium_aggregate_excess(&other, NULL, 0, &found, &a), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_aggregate_trim(&other, &a, &trimmed), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_aggregate_excess(&none, NULL, 0, &found, &a), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_int_eq(podium_aggregate_trim(&none, &a, &trimmed), PODIUM_ERROR_NOT_INITIALISED);
}
END_TEST

/* What is left can be reports, so that an estimate is not refused after all. If as many were left as honest people can
   send at most, a few of these 100 would be refused. */
START_TEST(what_is_left_is_plausible) {
    uint64_t seed = 704;
    podium_trimmed trimmed;
    podium_collection c = collection_of(PODIUM_MECHANISM_MINIMAX, 3, 0, 10);
    const uint32_t last = (uint32_t)podium_collection_cells(&c) - 1;
    for (size_t i = 0; i < HONEST; i++)
        values[i] = 3;
    for (int i = 0; i < 100; i++) {
        podium_aggregate a = honest_aggregate(&c, &seed, HONEST);
        send(&c, &a, last, HONEST / 20);
        ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_ERROR_NOT_REPORTS);
        ck_assert_int_eq(podium_aggregate_trim(&c, &a, &trimmed), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_OK);
    }
}
END_TEST

/* Nothing but one cell, the first, the last or any other of a bin: trimming succeeds and leaves a possible aggregate,
   or fails and leaves it alone. */
START_TEST(nothing_but_one_cell) {
    uint64_t seed = 703;
    podium_trimmed trimmed;
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    FOR_EACH_MECHANISM (m)
        for (int i = 0; i < 20; i++) {
            podium_collection c = collection_of(m, 1, 0, 10);
            const uint64_t cells = podium_collection_cells(&c);
            const uint32_t cell = i == 0 ? 0 : (uint32_t)(i == 1 ? cells - 1 : seeded_word(&seed) % cells);
            podium_aggregate a, decoded;
            podium_aggregate_init(&c, &a);
            send(&c, &a, cell, 500);
            podium_aggregate before = a;
            const podium_status status = podium_aggregate_trim(&c, &a, &trimmed);
            ck_assert(status == PODIUM_OK || status == PODIUM_ERROR_NOT_REPORTS);
            if (status != PODIUM_OK)
                ck_assert_mem_eq(&a, &before, sizeof a);
            const size_t n = podium_aggregate_encode(&a, bytes, sizeof bytes);
            ck_assert_int_eq(podium_aggregate_decode(&c, &decoded, bytes, n), PODIUM_OK);
        }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("excess");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, honest_people);
    tcase_add_test(tests, one_report_over_and_over);
    tcase_add_test(tests, what_is_left_is_plausible);
    tcase_add_test(tests, limit_of_a_cell);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, nothing_but_one_cell);
    return run_tests("excess", tests);
}
