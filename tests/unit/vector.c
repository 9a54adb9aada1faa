/* Eight values at a time have the same cells and reports, to the bit, as one value at a time. On words of few bits,
   for which the 64-bit sampler is that of tests/exhaustive, all words are tried and compared with exact masses. If
   the processor has no vectors that are used, the test says so and checks nothing. tests/devices/neon.sh runs it on
   64-bit ARM. */
#include <check.h>
#include <float.h>
#include <math.h>

#include "support.h"
#include "device/vector.h"

#define N 1024
#define HALVES_MAX (7 + 2 * PODIUM_COINS_MAX)

static const double epsilons[] = {1e-6, 1e-4, 0.01, 0.5, 1, 3, 8, 30, 50};

static bool no_vectors(void) {
    podium_layout c = layout_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    double values[8] = {0}, reports[8];
    uint32_t halves[8 * 3] = {0};
    podium_block block = {.values = values, .halves = halves, .reports = reports, .n = 8};
    if (podium_vector_privatize(&c, &block) == 8)
        return false;
    printf("vector: no AVX2 and no NEON here; nothing to compare\n");
    return true;
}

/* Every kind of double: in the range, outside it, far outside, tiny, subnormal, infinite, and NaN with any payload */
static double some_value(uint64_t *seed, size_t i, const podium_layout *c) {
    static const double special[] = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324};
    double along = 3 * seeded_uniform(seed) - 1;
    if (i % 4 == 0)
        return podium_double_of(seeded_word(seed)); /* any bits at all */
    if (i % 4 == 1 && i % 16 != 1)
        return special[seeded_word(seed) % LENGTH(special)];
    if (i % 4 == 2 && i % 32 == 2)
        return i % 64 == 2 ? c->spec.min : c->spec.max;
    return c->spec.min + along * (c->spec.max - c->spec.min);
}

/* The threshold with which select is compared */
static uint64_t select_threshold(const podium_layout *c) {
    return c->sampler == PODIUM_SAMPLER_STAIRS ? c->draw.stairs.threshold
           : c->sampler == PODIUM_SAMPLER_PAIR ? c->draw.pair.step.threshold
                                               : c->draw.step.threshold;
}

/* Random halves, among which are those of select's threshold and of one less */
static void set_halves(const podium_layout *c, uint64_t *seed, uint32_t *halves, size_t n) {
    const uint64_t threshold = select_threshold(c);
    seeded_fill(seed, halves, n * HALVES_MAX * sizeof *halves);
    for (size_t i = 0; i < n; i += 3) {
        halves[2 * n + i] = (uint32_t)(threshold >> 32) - (i % 2 == 0);
        if (podium_has_lower(threshold))
            halves[3 * n + i] = (uint32_t)threshold - (i % 4 == 0);
    }
}

/* Privatises one value by the portable code; vectors are never used for a single value. */
static void one_by_one(const podium_layout *c, const podium_block *block, size_t i, uint32_t *cell, double *report) {
    uint32_t own[HALVES_MAX], place;
    for (size_t k = 0; k < podium_draw_halves(c); k++)
        own[k] = block->halves[k * block->n + i];
    podium_places(c, &place, &block->values[i], &block->rounding[i], 1);
    podium_draw(c, cell, &place, own, 1, 1);
    podium_reports(c, report, cell, 1);
}

/* Checks a block whose values, halves and results have any alignment; in half of the cases the reports replace the
   values. Returns how many values were done in vectors. */
static size_t check_block(const podium_layout *c, uint64_t *seed, size_t n, const double *table) {
    static double values[N + 8], kept[N + 8], reports[N + 8];
    static uint32_t halves[N * HALVES_MAX + 8], cells[N + 8];
    const size_t shift = seeded_word(seed) % 8;
    podium_block block = {.values = values + shift, .halves = halves + shift, .n = n, .table = table};
    block.rounding = block.halves + n * podium_draw_halves(c);
    for (size_t i = 0; i < n; i++)
        values[shift + i] = some_value(seed, i, c);
    set_halves(c, seed, halves + shift, n);
    memcpy(kept, values, sizeof kept);
    block.cells = cells + shift;
    size_t done = podium_vector_privatize(c, &block);
    block.cells = NULL;
    block.reports = n % 16 == 0 ? values + shift : reports + shift;
    ck_assert_uint_eq(podium_vector_privatize(c, &block), done);
    ck_assert(done == 0 || done == n / 8 * 8);
    block.values = kept + shift;
    size_t wrong = 0;
    for (size_t i = 0; i < done; i++) {
        uint32_t cell;
        double report;
        one_by_one(c, &block, i, &cell, &report);
        wrong += cells[shift + i] != cell || podium_bits_of(block.reports[i]) != podium_bits_of(report);
    }
    ck_assert_uint_eq(wrong, 0);
    return done;
}

static void check_collection(const podium_layout *c, uint64_t *seed) {
    static double table[PODIUM_CELLS_MAX];
    const bool has_table = c->map == PODIUM_MAP_PIECES;
    for (uint32_t i = 0; has_table && i < c->cells; i++)
        podium_reports(c, &table[i], &i, 1);
    const size_t done = check_block(c, seed, N, NULL);
    ck_assert_uint_eq(done, N);
    for (size_t n = 0; n < 40; n++)
        ck_assert_uint_eq(check_block(c, seed, n, NULL), n / 8 * 8);
    for (size_t n = 8; has_table && n <= N; n *= 2)
        check_block(c, seed, n, table);
}

START_TEST(same_as_one_by_one) {
    static const double ranges[][2] = {{0, 1}, {-40, 50}, {1e-140, 2e-140}, {-1e140, 1e140}, {1.7e9, 1.7e9 + 86400}};
    uint64_t seed = 6;
    if (no_vectors())
        return;
    FOR_EACH_MECHANISM (m) {
        const size_t next = podium_row_of(m)->revision == 0 ? 1 : 2; /* solving for a map takes long */
        for (size_t e = (size_t)m % TEST_STRIDE; e < LENGTH(epsilons); e += TEST_STRIDE)
            for (size_t r = 0; r < LENGTH(ranges); r += next) {
                podium_layout c = layout_of(m, epsilons[e], ranges[r][0], ranges[r][1]);
                check_collection(&c, &seed);
            }
    }
    static const uint32_t cells[] = {2, 3, 64, 1000, PODIUM_CELLS_MAX};
    for (size_t l = 0; l < LENGTH(cells); l++) {
        podium_collection collection = minimax_of(4, cells[l]);
        check_collection(podium_layout_of(&collection), &seed);
    }
}
END_TEST

/* The reports of given cells */
START_TEST(reports_of_cells) {
    static uint32_t cells[N];
    static double reports[N];
    uint64_t seed = 8;
    FOR_EACH_MECHANISM (m)
        for (size_t e = (size_t)m % TEST_STRIDE; e < LENGTH(epsilons); e += TEST_STRIDE) {
            podium_collection collection = collection_of(m, epsilons[e], -1, 7);
            const podium_layout c = *podium_layout_of(&collection);
            for (size_t i = 0; i < N; i++)
                cells[i] = (uint32_t)(i == 0 ? 0 : i == 1 ? c.cells - 1 : seeded_word(&seed) % c.cells);
            for (size_t n = N; n > N - 9; n--) {
                size_t wrong = 0;
                ck_assert_int_eq(podium_collection_reports(&collection, reports, cells, n), PODIUM_OK);
                for (size_t i = 0; i < n; i++) {
                    double want = c.first + c.spacing * (double)podium_map_of(&c)->worth(&c, cells[i]);
                    wrong += podium_bits_of(reports[i]) != podium_bits_of(want);
                }
                ck_assert_uint_eq(wrong, 0);
            }
        }
}
END_TEST

/* ---- Grids of any size ---- */

/* A layout that puts the value x at the place x + places/2. On 2^32 cells it is like Podium's. Otherwise places are
   rounded at random, which has no effect because they are whole. */
static podium_layout grid_of(uint64_t n, uint64_t w, uint64_t threshold) {
    const uint32_t digits = n == PODIUM_GRID_MAX ? 0 : 20;
    return (podium_layout){.sampler = PODIUM_SAMPLER_STEP,
                           .cells = n,
                           .places = n - w,
                           .draw.step = {w, threshold},
                           .fraction_bits = digits,
                           .knot_count = 1,
                           .slopes = {ldexp(1, (int)digits)}};
}

static double value_at(const podium_layout *c, uint64_t place) {
    return (double)place - (double)c->places / 2;
}

#define DRAWS 65536

static void vector_cells(const podium_layout *c, uint32_t *cells, const double *values, const uint64_t *words,
                         size_t n) {
    static uint32_t halves[DRAWS * 10];
    podium_block block = {.values = values, .halves = halves, .cells = cells, .n = n};
    size_t used = podium_draw_halves(c);
    halves_from(c, halves, words, n);
    block.rounding = halves + n * (used - 1); /* any halves, because places are whole */
    ck_assert_uint_eq(podium_vector_privatize(c, &block), n);
}

/* The first word that is scaled to cell j, the word before it, or the word after it */
static uint64_t border(uint64_t j, uint64_t n, uint64_t beside) {
    return first_word(j, n) - 1 + beside % 3;
}

/* Tries every place, positions at every border of a cell of the grid and of the step, and selects at and beside the
   threshold and at both ends. */
static void check_borders(uint64_t n, uint64_t w, uint64_t threshold) {
    static double values[DRAWS];
    static uint64_t words[2 * DRAWS];
    static uint32_t places[DRAWS], cells[DRAWS], want[DRAWS];
    const uint64_t selects[] = {threshold - 1, threshold, threshold + 1, 0, UINT64_MAX, threshold ^ (uint64_t)1 << 63};
    podium_layout c = grid_of(n, w, threshold);
    size_t count = 0;
    for (uint64_t place = 0; place <= n - w; place++)
        for (uint64_t j = 0; j < 3 * (n + w); j++)
            for (size_t s = 0; s < LENGTH(selects); s++, count++)
                words[count] = selects[s], places[count] = (uint32_t)place;
    ck_assert(count <= DRAWS);
    size_t all = (count + 7) / 8 * 8; /* whole vectors, filled up with zeros */
    for (size_t i = 0; i < count; i++) {
        uint64_t j = i / LENGTH(selects) % (3 * (n + w));
        words[all + i] = j < 3 * n ? border(j / 3, n, j) : border(j / 3 - n, w, j);
    }
    for (size_t i = count; i < all; i++)
        words[i] = words[all + i] = places[i] = 0;
    for (size_t i = 0; i < all; i++)
        values[i] = value_at(&c, places[i]);
    vector_cells(&c, cells, values, words, all);
    draw_from_words(&c, want, places, words, all);
    ck_assert(memcmp(cells, want, all * sizeof *cells) == 0);
}

START_TEST(every_border) {
    if (no_vectors())
        return;
    for (uint64_t n = 2; n <= 12; n++)
        for (uint64_t w = 1; w < n; w++) {
            check_borders(n, w, 0x6789abcdef012345);
            check_borders(n, w, 0x6789abcd00000000);
            check_borders(n, w, 0xfedcba9876543210);
            check_borders(n, w, 0xfedcba9800000000);
        }
}
END_TEST

/* Steps and grids of any size, including those that no collection has */
START_TEST(any_grid) {
    static uint64_t words[2 * N];
    static uint32_t places[N], cells[N], want[N];
    static double values[N];
    uint64_t seed = 7;
    if (no_vectors())
        return;
    for (int trial = 0; trial < 3000; trial++) {
        uint64_t n = 2 + seeded_word(&seed) % ((uint64_t)1 << (2 + trial % 30)), w = 1 + seeded_word(&seed) % (n - 1);
        if (trial % 4 == 0)
            n = PODIUM_GRID_MAX;
        podium_layout c = grid_of(n, w, trial % 3 == 0 ? seeded_word(&seed) << 32 : seeded_word(&seed));
        seeded_fill(&seed, words, sizeof words);
        for (size_t i = 0; i < N; i++) {
            places[i] = (uint32_t)(i % 7 == 0 ? n - w : seeded_word(&seed) % (n - w + 1));
            values[i] = value_at(&c, places[i]);
            words[N + i] = i % 2 == 0 ? words[N + i] : border(seeded_word(&seed) % w, w, i);
        }
        vector_cells(&c, cells, values, words, N);
        draw_from_words(&c, want, places, words, N);
        ck_assert(memcmp(cells, want, sizeof cells) == 0);
    }
}
END_TEST

/* ---- Every word, of a few bits ---- */

/*
 * If only the top bits of a word vary, it is scaled, and compared with a threshold of such bits, like a word that has
 * only those bits. Then the 64-bit sampler is the sampler of tests/exhaustive, and its masses are known exactly. A word
 * that is compared may also have the upper half of its threshold and vary in the top bits of its lower half.
 */
typedef struct {
    unsigned bits;
    bool lower;
} few_bits;

static uint64_t compared_word(few_bits few, uint64_t word) {
    return few.lower ? (uint64_t)0x80000001 << 32 | word << (32 - few.bits) : word << (64 - few.bits);
}

/* How many words of that many bits are scaled to j among n; 0 if j is not one of them */
static uint64_t words_to(few_bits few, uint64_t j, uint64_t n) {
    return j >= n ? 0 : (((j + 1) << few.bits) + n - 1) / n - ((j << few.bits) + n - 1) / n;
}

#define MASSES 257

/* Counts the cells of all draws, without their last shift bits; cells beyond the masses are counted in the last one. */
static void count_cells(const podium_layout *c, uint64_t place, unsigned shift, const uint64_t *words,
                        uint64_t *masses) {
    static double values[DRAWS];
    static uint32_t cells[DRAWS];
    for (size_t i = 0; i < DRAWS; i++)
        values[i] = value_at(c, place << shift);
    vector_cells(c, cells, values, words, DRAWS);
    for (size_t i = 0; i < DRAWS; i++)
        masses[cells[i] >> shift < MASSES - 1 ? cells[i] >> shift : MASSES - 1]++;
}

/* The masses and the bound of Theorem 1, with n cells and w in the step, both times 2^shift, and a threshold of 2^8 */
static void check_steps(uint64_t n, uint64_t w, uint64_t threshold, unsigned shift, bool lower) {
    static uint64_t words[2 * DRAWS];
    const few_bits few = {8, lower};
    const uint64_t all = (uint64_t)1 << few.bits, base = (all - threshold) * (all / n);
    podium_layout c = grid_of(n << shift, w << shift, compared_word(few, threshold));
    uint64_t least[MASSES], most[MASSES] = {0}, wrong = 0;
    memset(least, 0xff, sizeof least);
    for (uint64_t i = 0; i < DRAWS; i++)
        words[i] = compared_word(few, i >> 8), words[DRAWS + i] = i << 56;
    for (uint64_t place = 0; place <= n - w; place++) {
        uint64_t masses[MASSES] = {0};
        count_cells(&c, place, shift, words, masses);
        for (uint64_t y = 0; y < n; y++) {
            uint64_t on_step = y < place ? 0 : words_to(few, y - place, w);
            wrong += masses[y] != (all - threshold) * words_to(few, y, n) + threshold * on_step;
            least[y] = masses[y] < least[y] ? masses[y] : least[y];
            most[y] = masses[y] > most[y] ? masses[y] : most[y];
        }
    }
    for (uint64_t y = 0; y < n; y++)
        wrong += most[y] * base > least[y] * (base + threshold * ((all + w - 1) / w));
    ck_assert_uint_eq(wrong, 0);
}

START_TEST(theorem_1_by_trying_everything) {
    static const uint64_t thresholds[] = {0, 1, 100, 255};
    if (no_vectors())
        return;
    for (size_t t = 0; t < 2 * LENGTH(thresholds); t += TEST_STRIDE) {
        uint64_t threshold = thresholds[t / 2];
        for (uint64_t n = 2; n <= 9; n++)
            for (uint64_t w = 1; w < n; w++)
                check_steps(n, w, threshold, 0, t % 2);
        check_steps(256, 250, threshold, 24, t % 2); /* 2^32 cells, as Podium has */
        check_steps(256, 249, threshold, 24, t % 2);
    }
}
END_TEST

/* The masses of the corollary, with two halves of 8 times 2^28 cells and thresholds of 2^4 */
static void check_pair(uint64_t w, uint64_t threshold, uint64_t pair_threshold, uint64_t coin, bool lower) {
    static uint64_t words[4 * DRAWS];
    const few_bits few = {4, lower};
    const unsigned shift = 28;
    const uint64_t n = 8, all = 16;
    podium_layout c = {.sampler = PODIUM_SAMPLER_PAIR,
                       .map = PODIUM_MAP_PAIR,
                       .cells = PODIUM_GRID_MAX,
                       .places = (n - w) << shift,
                       .draw.pair = {.step = {w << shift, compared_word(few, threshold)},
                                     .coin = compared_word(few, coin),
                                     .pair_threshold = compared_word(few, pair_threshold)},
                       .fraction_bits = 20,
                       .knot_count = 1,
                       .slopes = {0x1p20}};
    for (uint64_t i = 0; i < DRAWS; i++) {
        words[i] = compared_word(few, i >> 12), words[DRAWS + i] = (i >> 8) << 60;
        words[2 * DRAWS + i] = compared_word(few, i >> 4 & 15), words[3 * DRAWS + i] = i << 60;
    }
    for (uint64_t place = 0; place <= n - w; place++) {
        uint64_t masses[MASSES] = {0}, wrong = 0, upper = (place * all + n - w - 1) / (n - w);
        count_cells(&c, place, shift, words, masses);
        for (uint64_t y = 0; y < n; y++) {
            uint64_t base = words_to(few, y, n), on_step = y < place ? 0 : words_to(few, y - place, w);
            uint64_t on_lower = words_to(few, y, n / 2), on_upper = y < n / 2 ? 0 : words_to(few, y - n / 2, n / 2);
            wrong += masses[y] != (all - coin) * all * ((all - threshold) * base + threshold * on_step);
            wrong += masses[n + y] != coin * (all * (all - pair_threshold) * base +
                                              pair_threshold * ((all - upper) * on_lower + upper * on_upper));
        }
        ck_assert_uint_eq(wrong, 0);
    }
}

START_TEST(the_corollary_by_trying_everything) {
    if (no_vectors())
        return;
    for (uint64_t w = 1; w < 8; w++)
        for (int lower = 0; lower <= 1; lower++) {
            check_pair(w, 5, 9, 3, lower);
            check_pair(w, 15, 1, 15, lower);
            check_pair(w, 0, 8, 8, lower);
        }
}
END_TEST

/* The masses of Theorem 2, with thresholds of 2^4 and two coins. The lowest bit of position, which decides the side,
   varies too. */
static void expect_stairs(const podium_layout *c, const uint64_t thresholds[4], uint64_t place, uint64_t *masses) {
    const few_bits few = {4, false};
    const podium_stairs_draw *d = &c->draw.stairs;
    const uint64_t all = 16, stair = (uint64_t)1 << d->stair_bits, middle = d->margin + place, last = c->cells - 1;
    const uint64_t beside = all - thresholds[0], beyond = beside * all * thresholds[1] * all * all;
    for (uint64_t j = 0; j < d->width; j++)
        masses[middle + j] += thresholds[0] * words_to(few, j, d->width) * 2 * all * all * all;
    for (uint64_t distance = 0; distance < 4 * stair; distance++) {
        uint64_t words = beside * (all / stair) * (all - thresholds[1]), right = middle + d->width + distance;
        for (uint64_t k = 0; k < 2; k++)
            words *= distance / stair >> k & 1 ? thresholds[2 + k] : all - thresholds[2 + k];
        masses[distance < middle ? middle - 1 - distance : 0] += words;
        masses[right < last ? right : last] += words;
    }
    masses[0] += beyond;
    masses[last] += beyond;
}

static void check_stairs(uint32_t stair_bits, uint64_t width, uint64_t margin, const uint64_t thresholds[4],
                         bool lower) {
    static uint64_t words[5 * DRAWS];
    const few_bits few = {4, lower};
    podium_layout c = {.sampler = PODIUM_SAMPLER_STAIRS,
                       .cells = 2 * margin + 3 + width,
                       .places = 3,
                       .draw.stairs = {.width = width,
                                       .threshold = compared_word(few, thresholds[0]),
                                       .margin = margin,
                                       .tail_threshold = compared_word(few, thresholds[1]),
                                       .coins = {compared_word(few, thresholds[2]), compared_word(few, thresholds[3])},
                                       .coin_count = 2,
                                       .stair_bits = stair_bits},
                       .fraction_bits = 20,
                       .knot_count = 1,
                       .slopes = {0x1p20}};
    for (uint64_t place = 0; place <= c.places; place++) {
        uint64_t masses[MASSES] = {0}, want[MASSES] = {0};
        for (uint64_t part = 0; part < 32; part++) {
            for (uint64_t i = 0; i < DRAWS; i++) {
                words[i] = compared_word(few, i >> 12), words[DRAWS + i] = (part >> 1) << 60 | (part & 1);
                for (unsigned k = 0; k < 3; k++)
                    words[(2 + k) * DRAWS + i] = compared_word(few, i >> 4 * k & 15);
            }
            count_cells(&c, place, 0, words, masses);
        }
        expect_stairs(&c, thresholds, place, want);
        ck_assert(memcmp(masses, want, sizeof want) == 0);
    }
}

START_TEST(theorem_2_by_trying_everything) {
    static const uint64_t thresholds[][4] = {{5, 1, 7, 4}, {15, 0, 8, 1}, {1, 9, 3, 15}};
    if (no_vectors())
        return;
    for (size_t i = 0; i < 4 * LENGTH(thresholds); i += TEST_STRIDE) {
        const uint32_t bits = 1 + i % 2;
        check_stairs(bits, 1 + bits, 1 + 2 * bits, thresholds[i / 4], i / 2 % 2);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("vector");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, same_as_one_by_one);
    tcase_add_test(tests, reports_of_cells);
    tcase_add_test(tests, every_border);
    tcase_add_test(tests, any_grid);
    tcase_add_test(tests, theorem_1_by_trying_everything);
    tcase_add_test(tests, the_corollary_by_trying_everything);
    tcase_add_test(tests, theorem_2_by_trying_everything);
    return run_tests("vector", tests);
}
