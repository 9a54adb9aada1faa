/* The 64-bit sampler at its limits: the first and the last word that lead to a cell, and both sides of every
   threshold. */
#include <check.h>

#include "support.h"

static uint64_t last_word(uint64_t j, uint64_t n) {
    return first_word(j + 1, n) - 1;
}

#define WORDS_MAX (3 + PODIUM_COINS_MAX)

static uint32_t draw(const podium_layout *c, uint32_t place, const uint64_t *words) {
    uint32_t cell;
    draw_from_words(c, &cell, &place, words, 1);
    return cell;
}

static uint32_t draw_step(const podium_layout *c, uint32_t place, uint64_t select, uint64_t position) {
    return draw(c, place, (uint64_t[]){select, position});
}

/* Cells near both ends, near the middle and at random */
static uint64_t some_cell(uint64_t *seed, int i, uint64_t n) {
    uint64_t chosen[] = {0, 1, n / 2, n - 2, n - 1};
    return i < 5 ? chosen[i] % n : seeded_word(seed) % n;
}

START_TEST(step_words) {
    uint64_t seed = 7, full = (uint64_t)1 << 32;
    uint64_t sizes[] = {2, 3, 7, 255, 256, 65535, 1000003, full / 2, full - 1, full};
    for (size_t k = 0; k < LENGTH(sizes); k++)
        for (int trial = 0; trial < 50; trial++) {
            uint64_t n = sizes[k], w = 1 + seeded_word(&seed) % (n - 1);
            uint64_t threshold = seeded_word(&seed) | 1;
            if (trial % 3 == 0) /* a threshold whose lower half is 0 */
                threshold = (threshold | (uint64_t)1 << 32) & ~(uint64_t)UINT32_MAX;
            podium_layout c = {
                .sampler = PODIUM_SAMPLER_STEP, .cells = n, .places = n - w, .draw.step = {w, threshold}};
            uint32_t place = (uint32_t)(trial == 0 ? 0 : trial == 1 ? n - w : seeded_word(&seed) % (n - w + 1));
            for (int i = 0; i < 25; i++) {
                uint64_t j = some_cell(&seed, i, n), s = some_cell(&seed, i, w);
                for (int last = 0; last <= 1; last++) {
                    uint64_t at = last ? last_word(j, n) : first_word(j, n);
                    uint64_t on_step = last ? last_word(s, w) : first_word(s, w);
                    ck_assert_uint_eq(draw_step(&c, place, threshold, at), j);
                    ck_assert_uint_eq(draw_step(&c, place, UINT64_MAX, at), j);
                    ck_assert_uint_eq(draw_step(&c, place, threshold - 1, on_step), place + s);
                    ck_assert_uint_eq(draw_step(&c, place, 0, on_step), place + s);
                }
                if (j > 0)
                    ck_assert_uint_eq(draw_step(&c, place, UINT64_MAX, first_word(j, n) - 1), j - 1);
                if (j + 1 < n)
                    ck_assert_uint_eq(draw_step(&c, place, UINT64_MAX, last_word(j, n) + 1), j + 1);
            }
        }
}
END_TEST

/* Sets words that lead to a given stair, side and position. Each word is as close to its threshold as possible. */
static void stair_words(const podium_stairs_draw *d, uint64_t *words, uint64_t stair, uint64_t position) {
    words[0] = d->threshold;
    words[1] = position;
    words[2] = d->tail_threshold;
    for (uint32_t i = 0; i < d->coin_count; i++)
        words[3 + i] = stair >> i & 1 ? d->coins[i] - 1 : d->coins[i];
}

static void check_stairs(const podium_layout *c, uint64_t *seed) {
    const podium_stairs_draw *d = &c->draw.stairs;
    const uint64_t last = c->cells - 1, stairs = (uint64_t)1 << d->coin_count;
    uint64_t words[WORDS_MAX];
    for (int trial = 0; trial < 20000; trial++) {
        uint32_t place = (uint32_t)some_cell(seed, trial, c->places + 1);
        uint64_t middle = d->margin + place, stair = some_cell(seed, trial / 5, stairs);
        uint64_t offset = some_cell(seed, trial % 7, (uint64_t)1 << d->stair_bits);
        uint64_t distance = (stair << d->stair_bits) + offset, first = offset << (64 - d->stair_bits);
        uint64_t after = first | UINT64_MAX >> d->stair_bits; /* the last word with this offset; odd */

        stair_words(d, words, stair, first); /* even, so on the left */
        ck_assert_uint_eq(draw(c, place, words), distance >= middle ? 0 : middle - 1 - distance);
        stair_words(d, words, stair, after);
        uint64_t right = middle + d->width + distance;
        ck_assert_uint_eq(draw(c, place, words), right > last ? last : right);

        words[2] = d->tail_threshold - 1; /* beyond all stairs */
        ck_assert_uint_eq(draw(c, place, words), last);
        words[1] = first;
        ck_assert_uint_eq(draw(c, place, words), 0);

        uint64_t j = some_cell(seed, trial, d->width);
        words[0] = d->threshold - 1; /* on the middle stair for any other words */
        words[1] = first_word(j, d->width);
        ck_assert_uint_eq(draw(c, place, words), middle + j);
        words[1] = last_word(j, d->width);
        ck_assert_uint_eq(draw(c, place, words), middle + j);
    }
}

/* Both sides of the coin's threshold, of the other thresholds, and of the side word, which is compared with the
   place */
static void check_pair(const podium_layout *c, uint64_t *seed) {
    const podium_pair_draw *d = &c->draw.pair;
    const uint64_t half = c->cells / 2, lower = d->coin, upper = d->coin - 1, width = d->step.width;
    for (int trial = 0; trial < 20000; trial++) {
        uint32_t place = (uint32_t)some_cell(seed, trial, c->places + 1);
        uint64_t j = some_cell(seed, trial / 5, half), s = some_cell(seed, trial % 7, width);
        uint64_t t = some_cell(seed, trial / 3, half / 2), any = seeded_word(seed);
        uint64_t beside[] = {d->step.threshold, last_word(j, half), lower, any};
        uint64_t on_step[] = {d->step.threshold - 1, first_word(s, width), lower, any};
        uint64_t anywhere[] = {d->pair_threshold, first_word(j, half), upper, any};
        ck_assert_uint_eq(draw(c, place, beside), j);
        ck_assert_uint_eq(draw(c, place, on_step), place + s);
        ck_assert_uint_eq(draw(c, place, anywhere), half + j);
        if (place > 0) { /* the last side word that is below the place */
            uint64_t words[] = {d->pair_threshold - 1, last_word(t, half / 2), upper, last_word(place - 1, c->places)};
            ck_assert_uint_eq(draw(c, place, words), half + half / 2 + t);
        }
        if (place < c->places) {
            uint64_t words[] = {d->pair_threshold - 1, last_word(t, half / 2), 0, first_word(place, c->places)};
            ck_assert_uint_eq(draw(c, place, words), half + t);
        }
    }
}

/* Every mechanism with this sampler, at epsilons for which the sampler has all its parts */
static int for_each_sampler(podium_sampler_kind sampler, const double *epsilons, size_t count, uint64_t seed,
                            void (*check)(const podium_layout *c, uint64_t *seed)) {
    int checked = 0;
    FOR_EACH_MECHANISM (m)
        for (size_t k = 0; k < count; k++) {
            podium_layout c = layout_of(m, epsilons[k], 0, 1);
            if (c.sampler != (uint32_t)sampler)
                continue;
            check(&c, &seed);
            checked++;
        }
    return checked;
}

START_TEST(stairs_words) {
    static const double epsilons[] = {1e-6, 1e-4, 0.01, 0.5, 1, 5, 20, 50};
    int checked = for_each_sampler(PODIUM_SAMPLER_STAIRS, epsilons, LENGTH(epsilons), 8, check_stairs);
    ck_assert_int_ge(checked, 2 * (int)LENGTH(epsilons));
}
END_TEST

START_TEST(pair_words) {
    static const double epsilons[] = {0.62, 1, 4, 20};
    int checked = for_each_sampler(PODIUM_SAMPLER_PAIR, epsilons, LENGTH(epsilons), 11, check_pair);
    ck_assert_int_ge(checked, (int)LENGTH(epsilons));
}
END_TEST

START_TEST(many_draws_are_one_by_one) {
    uint64_t seed = 9;
    FOR_EACH_MECHANISM (m) {
        podium_layout c = layout_of(m, 1, 0, 1);
        size_t each = podium_draw_halves(&c), n = 37;
        uint32_t halves[37 * 2 * WORDS_MAX], own[2 * WORDS_MAX], places[37], cells[37], cell;
        for (size_t i = 0; i < n; i++)
            places[i] = (uint32_t)(seeded_word(&seed) % (c.places + 1));
        seeded_fill(&seed, halves, n * each * sizeof *halves);
        podium_draw(&c, cells, places, halves, n, n);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < each; k++)
                own[k] = halves[k * n + i];
            podium_draw(&c, &cell, &places[i], own, 1, 1);
            ck_assert_uint_eq(cells[i], cell);
        }
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("draw");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, step_words);
    tcase_add_test(tests, stairs_words);
    tcase_add_test(tests, pair_words);
    tcase_add_test(tests, many_draws_are_one_by_one);
    return run_tests("draw", tests);
}
