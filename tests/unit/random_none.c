/* A build without a source of random bytes: privatising fails without a source, and works with a source of the
   caller's own. */
#include <check.h>
#include <math.h>

#include "support.h"

#define MANY 1000
static double values[MANY], reports[MANY];
static uint32_t cells[MANY];
static const size_t sizes[] = {1, 2, 22, MANY};

static void check_fails(const podium_random *random, size_t n) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    for (size_t i = 0; i < n; i++)
        values[i] = 0.25, reports[i] = 0.25, cells[i] = 77;
    ck_assert_int_eq(podium_privatize_from(&c, random, reports, values, n), PODIUM_ERROR_RANDOM_FAILED);
    ck_assert_int_eq(podium_privatize_cells(&c, random, cells, values, n), PODIUM_ERROR_RANDOM_FAILED);
    for (size_t i = 0; i < n; i++)
        ck_assert(isnan(reports[i]) && cells[i] == 0);
}

START_TEST(without_a_source_nothing_works) {
    ck_assert(podium_random_system()->fill == NULL && podium_random_default()->fill == NULL);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        check_fails(NULL, sizes[i]);
        check_fails(podium_random_system(), sizes[i]);
        check_fails(podium_random_default(), sizes[i]);
    }
}
END_TEST

START_TEST(the_callers_own_works) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    uint64_t seed = 1;
    podium_random own = seeded_random(&seed);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        ck_assert_int_eq(podium_privatize_from(&c, &own, reports, values, sizes[i]), PODIUM_OK);
        for (size_t k = 0; k < sizes[i]; k++)
            ck_assert(isfinite(reports[k]));
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("random_none");
    tcase_add_test(tests, without_a_source_nothing_works);
    tcase_add_test(tests, the_callers_own_works);
    return run_tests("random_none", tests);
}
