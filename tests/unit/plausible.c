/* The check detects what cannot be reports of a collection, and accepts reports of any values. */
#include <check.h>
#include <math.h>

#include "support.h"

#define MANY 20000

static double values[MANY], reports[MANY];

static podium_status check(const podium_collection *c, const double *given, size_t n) {
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    ck_assert_int_eq(podium_aggregate_add(c, &a, given, n), PODIUM_OK);
    return podium_aggregate_check(c, &a);
}

static podium_status check_privatized(const podium_collection *c, uint64_t *seed, size_t n) {
    podium_random random = seeded_random(seed);
    ck_assert_int_eq(podium_privatize_from(c, &random, reports, values, n), PODIUM_OK);
    return check(c, reports, n);
}

/* Extreme values: all at one end, in the middle, at both ends, at one odd place, or spread over the range. There are
   320 collections for each mechanism, each of which may be rejected once in 10^9, so false alarms are below 4e-6 for
   a dozen mechanisms. */
static double honest_value(int kind, size_t i, uint64_t *seed) {
    const double kinds[] = {0, 10, 5, i % 2 == 0 ? 0 : 10, 7.31, 10 * seeded_uniform(seed)};
    return kinds[kind];
}

static size_t honest_called_wrong(const podium_collection *c, uint64_t *seed) {
    static const size_t sizes[] = {1, 30, 1000, MANY};
    size_t wrong = 0;
    for (int kind = 0; kind < 6; kind++)
        for (size_t s = 0; s < LENGTH(sizes); s++) {
            for (size_t i = 0; i < sizes[s]; i++)
                values[i] = honest_value(kind, i, seed);
            wrong += check_privatized(c, seed, sizes[s]) != PODIUM_OK;
        }
    return wrong;
}

START_TEST(honest) {
    static const double epsilons[] = {1e-6, 0.1, 0.7, 1, 3, 8, 20, 50};
    static const uint32_t cells[] = {2, 3, 16, 1000, 4096, 65536};
    uint64_t seed = 601;
    size_t wrong = 0;
    for (size_t e = 0; e < LENGTH(epsilons); e++) {
        FOR_EACH_MECHANISM (m) {
            podium_collection c = collection_of(m, epsilons[e], 0, 10);
            wrong += honest_called_wrong(&c, &seed);
        }
        for (size_t l = 0; l < LENGTH(cells); l++) {
            podium_spec spec = {
                .mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = epsilons[e], .min = 0, .max = 10, .cells = cells[l]};
            podium_collection c = collection_from(&spec);
            wrong += honest_called_wrong(&c, &seed);
        }
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* A thousand raw ratings from 0 to 10 in steps of a half are rejected at every epsilon up to 4. */
START_TEST(raw_values) {
    static const double epsilons[] = {1e-6, 0.1, 0.7, 1, 2, 4};
    uint64_t seed = 602;
    for (size_t i = 0; i < 1000; i++)
        values[i] = (double)(seeded_word(&seed) % 21) / 2;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_collection c = collection_of(m, epsilons[e], 0, 10);
            ck_assert_int_eq(check(&c, values, 1000), PODIUM_ERROR_NOT_REPORTS);
        }
}
END_TEST

/* Reports that were clamped to the range, or that have another epsilon */
START_TEST(altered_reports) {
    uint64_t seed = 603;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 3, 0, 10);
    for (size_t i = 0; i < 1000; i++)
        values[i] = 10 * seeded_uniform(&seed);
    ck_assert_int_eq(check_privatized(&c, &seed, 1000), PODIUM_OK);
    for (size_t i = 0; i < 1000; i++)
        reports[i] = fmin(fmax(reports[i], 0), 10);
    ck_assert_int_eq(check(&c, reports, 1000), PODIUM_ERROR_NOT_REPORTS);
    ck_assert_int_eq(check_privatized(&other, &seed, 1000), PODIUM_OK);
    ck_assert_int_eq(check(&c, reports, 1000), PODIUM_ERROR_NOT_REPORTS);
}
END_TEST

/* Four dishonest reports at the end of the support among a thousand are accepted; a thousand of them are not. */
START_TEST(few_dishonest) {
    uint64_t seed = 604;
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 10);
        const uint32_t first = cell_worth(podium_layout_of(&c), 0), evil[] = {first, first, first, first};
        podium_aggregate a, worst;
        podium_random random = seeded_random(&seed);
        for (size_t i = 0; i < 1000; i++)
            values[i] = 9;
        podium_aggregate_init(&c, &a);
        ck_assert_int_eq(podium_privatize_from(&c, &random, reports, values, 1000), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_add(&c, &a, reports, 1000), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_add_cells(&c, &a, evil, 4), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_OK);
        podium_aggregate_init(&c, &worst);
        for (int i = 0; i < 250; i++)
            ck_assert_int_eq(podium_aggregate_add_cells(&c, &worst, evil, 4), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_check(&c, &worst), PODIUM_ERROR_NOT_REPORTS);
    }
}
END_TEST

/* A group of raw values is found among any number of honest groups. */
START_TEST(one_among_many) {
    enum { GROUPS = 50 };
    static podium_aggregate groups[GROUPS];
    const podium_aggregate *each[GROUPS];
    uint64_t seed = 605;
    size_t which = 99;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10);
    podium_random random = seeded_random(&seed);
    for (size_t g = 0; g < GROUPS; g++) {
        for (size_t i = 0; i < 500; i++)
            values[i] = 10 * seeded_uniform(&seed);
        podium_aggregate_init(&c, &groups[g]);
        ck_assert_int_eq(podium_privatize_from(&c, &random, reports, values, 500), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_add(&c, &groups[g], reports, 500), PODIUM_OK);
        each[g] = &groups[g];
    }
    ck_assert_int_eq(podium_aggregates_check(&c, &which, each, GROUPS), PODIUM_OK);
    ck_assert_int_eq(podium_aggregates_check(&c, &which, each, 0), PODIUM_OK);
    ck_assert_uint_eq(which, 99);
    podium_aggregate_init(&c, &groups[37]);
    ck_assert_int_eq(podium_aggregate_add(&c, &groups[37], values, 500), PODIUM_OK);
    ck_assert_int_eq(podium_aggregates_check(&c, &which, each, GROUPS), PODIUM_ERROR_NOT_REPORTS);
    ck_assert_uint_eq(which, 37);
}
END_TEST

START_TEST(refused_and_others) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 11);
    podium_aggregate a;
    podium_aggregate_init(&c, &a);
    ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_OK); /* an aggregate without reports is accepted */
    podium_sums_in(&a)->refused = 4;
    ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_OK);
    podium_sums_in(&a)->refused = 5;
    ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_ERROR_NOT_REPORTS);
    ck_assert_int_eq(podium_aggregate_check(&other, &a), PODIUM_ERROR_FINGERPRINT_WRONG);
}
END_TEST

/* One refused report in a hundred is accepted; more are not, if there are at least five. */
START_TEST(refused_share) {
    enum { COUNT = 990 };
    uint64_t seed = 606;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10);
    podium_random random = seeded_random(&seed);
    podium_aggregate a;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 10 * seeded_uniform(&seed);
    podium_aggregate_init(&c, &a);
    ck_assert_int_eq(podium_privatize_from(&c, &random, reports, values, COUNT), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_add(&c, &a, reports, COUNT), PODIUM_OK);
    podium_sums_in(&a)->refused = 10;
    ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_OK);
    podium_sums_in(&a)->refused = 11;
    ck_assert_int_eq(podium_aggregate_check(&c, &a), PODIUM_ERROR_NOT_REPORTS);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("plausible");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, honest);
    tcase_add_test(tests, raw_values);
    tcase_add_test(tests, altered_reports);
    tcase_add_test(tests, few_dishonest);
    tcase_add_test(tests, one_among_many);
    tcase_add_test(tests, refused_and_others);
    tcase_add_test(tests, refused_share);
    return run_tests("plausible", tests);
}
