/* Four at a time or one by one: the same places, cells and reports, to the bit. (A single value never takes the
   vectors.) Where the processor has no AVX2 both ways are the same, and the test says so. */
#include <check.h>
#include <float.h>
#include <math.h>

#include "support.h"
#include "vector.h"

#define N 1024

static const double epsilons[] = {1e-6, 0.01, 0.5, 1, 3, 8, 50};

/* Every kind of double: in the range, beyond it, far beyond, tiny, subnormal, infinite, NaN of any payload */
static double some_value(uint64_t *seed, size_t i, const podium_collection *c) {
    static const double special[] = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324};
    double along = 3 * seeded_uniform(seed) - 1;
    if (i % 4 == 0)
        return podium_double_of(seeded_word(seed)); /* any bits at all */
    if (i % 4 == 1 && i % 16 != 1)
        return special[seeded_word(seed) % LENGTH(special)];
    return c->spec.min + along * (c->spec.max - c->spec.min);
}

static void check_collection(const podium_collection *c, uint64_t *seed) {
    static double values[N], reports[N];
    static uint64_t words[N * (4 + PODIUM_COINS_MAX)], rounding[N];
    static uint32_t places[N], cells[N];
    size_t each = podium_draw_words(c);
    seeded_fill(seed, words, N * each * sizeof *words);
    seeded_fill(seed, rounding, sizeof rounding);
    for (size_t i = 0; i < N; i++) {
        values[i] = some_value(seed, i, c);
        if (i % 8 == 0)
            words[i] = c->threshold - i / 8 % 3; /* either side of it */
    }
    podium_places(c, places, values, rounding, N);
    podium_draw(c, cells, places, words, N);
    podium_collection_reports(c, reports, cells, N);
    for (size_t i = 0; i < N; i++) {
        uint64_t own[4 + PODIUM_COINS_MAX];
        uint32_t place, cell;
        double report;
        for (size_t k = 0; k < each; k++)
            own[k] = words[k * N + i];
        podium_places(c, &place, &values[i], &rounding[i], 1);
        podium_draw(c, &cell, &place, own, 1);
        podium_collection_reports(c, &report, &cell, 1);
        ck_assert_uint_eq(places[i], place);
        ck_assert_uint_eq(cells[i], cell);
        ck_assert_uint_eq(podium_bits_of(reports[i]), podium_bits_of(report));
    }
}

START_TEST(same_as_one_by_one) {
    static const double ranges[][2] = {{0, 1}, {-40, 50}, {1e-140, 2e-140}, {-1e140, 1e140}, {1.7e9, 1.7e9 + 86400}};
    uint64_t seed = 6;
    if (podium_vector_count(4) == 0)
        printf("vector: no AVX2 here; nothing to compare\n");
    for (size_t m = 0; m < LENGTH(all_mechanisms); m++)
        for (size_t e = 0; e < LENGTH(epsilons); e++)
            for (size_t r = 0; r < LENGTH(ranges); r += all_mechanisms[m] == PODIUM_MINIMAX ? 2 : 1) {
                podium_collection c = collection_of(all_mechanisms[m], epsilons[e], ranges[r][0], ranges[r][1]);
                check_collection(&c, &seed);
            }
}
END_TEST

/* Steps and grids of any size, not only those that collections have */
START_TEST(any_grid) {
    uint64_t seed = 7;
    static uint64_t words[2 * N];
    static uint32_t places[N], cells[N];
    for (int trial = 0; trial < 2000; trial++) {
        uint64_t n = 2 + seeded_word(&seed) % ((uint64_t)1 << (2 + trial % 31)), w = 1 + seeded_word(&seed) % (n - 1);
        if (trial % 16 == 0)
            n = (uint64_t)1 << 32;
        podium_collection c = {.cells = n, .width = w, .places = n - w, .threshold = seeded_word(&seed)};
        seeded_fill(&seed, words, sizeof words);
        for (size_t i = 0; i < N; i++)
            places[i] = (uint32_t)(seeded_word(&seed) % (n - w + 1));
        podium_draw(&c, cells, places, words, N);
        for (size_t i = 0; i < N; i += 17) {
            uint32_t cell;
            podium_draw(&c, &cell, &places[i], (uint64_t[]){words[i], words[N + i]}, 1);
            ck_assert_uint_eq(cells[i], cell);
        }
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("vector");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, same_as_one_by_one);
    tcase_add_test(tests, any_grid);
    return run_tests("vector", tests);
}
