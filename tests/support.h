/* What the tests share: a seeded random source, reference files, and the Check runner. */
#ifndef PODIUM_TESTS_SUPPORT_H
#define PODIUM_TESTS_SUPPORT_H

#include "collection/internal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* SplitMix64: reproducible words for tests, worthless as a source of secrets. */
static inline uint64_t seeded_word(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* ceil(j 2^64/n) for j <= n <= 2^32, the first of the 2^64 words w with floor(w n/2^64) = j; 0 if j = n, since there is
   no such word. */
static inline uint64_t first_word(uint64_t j, uint64_t n) {
    uint64_t high = j << 32, low = high % n << 32;
    return (high / n << 32) + low / n + (low % n > 0);
}

static inline size_t seeded_fill(void *state, void *buffer, size_t n) {
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = seeded_word(state);
        memcpy((char *)buffer + i, &word, n - i < 8 ? n - i : 8);
    }
    return n;
}

static inline podium_random seeded_random(uint64_t *state) {
    return (podium_random){.fill = seeded_fill, .context = state};
}

static inline double seeded_uniform(uint64_t *state) {
    return (double)(seeded_word(state) >> 11) * 0x1p-53;
}

/* Tuned Podium for values spread evenly, Minimax with its usual cells */
static inline podium_spec spec_of(podium_mechanism mechanism, double epsilon, double min, double max) {
    return (podium_spec){.mechanism = mechanism,
                         .epsilon = epsilon,
                         .min = min,
                         .max = max,
                         .spread = mechanism == PODIUM_MECHANISM_PODIUM_TUNED ? 1 / 12.0 : 0};
}

static inline podium_collection collection_from(const podium_spec *spec) {
    podium_collection collection;
    podium_status status = podium_collection_init(&collection, spec);
    if (status != PODIUM_OK) {
        fprintf(stderr, "%s, epsilon %g, [%g, %g], spread %g, %u cells: %s\n", podium_mechanism_name(spec->mechanism),
                spec->epsilon, spec->min, spec->max, spec->spread, spec->cells, podium_status_message(status));
        abort();
    }
    return collection;
}

static inline podium_collection collection_of(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_spec spec = spec_of(mechanism, epsilon, min, max);
    return collection_from(&spec);
}

static inline podium_collection minimax_of(double epsilon, uint32_t cells) { /* for a range that is 1 wide, about 0 */
    podium_spec spec = {
        .mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = epsilon, .min = -0.5, .max = 0.5, .cells = cells};
    return collection_from(&spec);
}

static inline podium_shape shape_of(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_spec spec = spec_of(mechanism, epsilon, min, max);
    podium_shape shape;
    if (podium_shape_init(&shape, &spec) != PODIUM_OK)
        abort();
    return shape;
}

/* The collection of a state, or NULL where decoding will fail for its spec. The last one is kept, because initialising
   Minimax for each of thousands of states would take minutes. */
static inline const podium_collection *collection_of_state(const void *state, size_t n) {
    static podium_collection kept;
    podium_spec spec;
    if (podium_aggregate_spec(&spec, state, n) != PODIUM_OK)
        return NULL;
    if (kept.fingerprint != podium_fingerprint(&spec) && podium_collection_init(&kept, &spec) != PODIUM_OK)
        return NULL;
    return &kept;
}

/* How many words a draw takes, those that are drawn in one half alone included */
static inline size_t words_of_draw(const podium_collection *collection) {
    return collection->coin_count > 0 ? 3 + collection->coin_count : collection->pair_coin != 0 ? 4 : 2;
}

/* The words of n draws in halves, as podium_draw wants them. Word k of draw i is words[k * n + i]: select, position,
   then the coin and side of Hybrid, or the tail and coins of stairs. Lower halves that are not drawn are left out. */
static inline void halves_from(const podium_collection *collection, uint32_t *halves, const uint64_t *words, size_t n) {
    const uint64_t all = PODIUM_WORD_MAX; /* for a word that is wanted whole */
    const bool pair = collection->pair_coin != 0;
    uint64_t compared[4 + PODIUM_COINS_MAX] = {collection->threshold | collection->pair_threshold, all,
                                               pair ? collection->pair_coin : collection->tail_threshold, all};
    const uint64_t lowest = ((uint64_t)1 << PODIUM_HALF_BITS) - 1;
    const uint32_t *start = halves;
    memcpy(compared + 3 + pair, collection->coins, collection->coin_count * sizeof *compared);
    for (size_t at = 0; at < words_of_draw(collection); at++) {
        const size_t k = at < 2 ? 1 - at : at; /* position comes first */
        for (size_t i = 0; i < n; i++)
            halves[i] = (uint32_t)(words[k * n + i] >> PODIUM_HALF_BITS);
        halves += n;
        if (!podium_has_lower(compared[k]))
            continue;
        for (size_t i = 0; i < n; i++)
            halves[i] = (uint32_t)(words[k * n + i] & lowest);
        halves += n;
    }
    if (halves != start + n * podium_draw_halves(collection))
        abort();
}

static inline void draw_from_words(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                                   const uint64_t *words, size_t n) {
    uint32_t *halves = malloc(2 * words_of_draw(collection) * n * sizeof *halves);
    if (halves == NULL)
        abort();
    halves_from(collection, halves, words, n);
    podium_draw(collection, cells, places, halves, n, n);
    free(halves);
}

/* The lower of the two places that a value may be put at, and the share of the rounding halves that put it at the upper
   one: the largest words do, so find where they begin. Exact: a share is a whole number of 2^-fraction_bits. */
static inline double upper_share(const podium_collection *collection, double value, uint32_t *low) {
    uint64_t from = 0, to = ((uint64_t)1 << collection->fraction_bits) - 1;
    uint32_t high, zeros = 0, ones = (uint32_t)to;
    podium_places(collection, low, &value, &zeros, 1);
    podium_places(collection, &high, &value, &ones, 1);
    if (high == *low)
        return 0;
    while (from < to) {
        uint32_t half = (uint32_t)(from + (to - from) / 2);
        podium_places(collection, &high, &value, &half, 1);
        if (high > *low)
            to = half;
        else
            from = (uint64_t)half + 1;
    }
    return 1 - (double)from / (double)((uint64_t)1 << collection->fraction_bits);
}

/* A cell that is worth so much, which one must be */
static inline uint32_t cell_worth(const podium_collection *collection, uint64_t worth) {
    uint32_t cell;
    if (!podium_cell_worth(collection, &cell, (double)worth) || podium_worth(collection, cell) != worth)
        abort();
    return cell;
}

static const podium_mechanism all_mechanisms[] = {PODIUM_MECHANISM_PODIUM,  PODIUM_MECHANISM_PODIUM_APPROXIMATE,
                                                  PODIUM_MECHANISM_LAPLACE, PODIUM_MECHANISM_STAIRCASE,
                                                  PODIUM_MECHANISM_DUCHI,   PODIUM_MECHANISM_PIECEWISE,
                                                  PODIUM_MECHANISM_HYBRID,  PODIUM_MECHANISM_PODIUM_TUNED,
                                                  PODIUM_MECHANISM_MINIMAX};
static const podium_mechanism with_density[] = {PODIUM_MECHANISM_PODIUM,    PODIUM_MECHANISM_PODIUM_APPROXIMATE,
                                                PODIUM_MECHANISM_LAPLACE,   PODIUM_MECHANISM_STAIRCASE,
                                                PODIUM_MECHANISM_PIECEWISE, PODIUM_MECHANISM_PODIUM_TUNED};
static const podium_mechanism of_steps[] = {PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_PODIUM_APPROXIMATE,
                                            PODIUM_MECHANISM_PIECEWISE, PODIUM_MECHANISM_PODIUM_TUNED};

#ifdef TEST_LOCALES
/* Their decimal points have one byte, a comma, and two. */
static const char *const odd_locales[] = {"de_DE.UTF-8", "ps_AF.UTF-8"};

static inline void enter_locale(const char *name) {
    setenv("LOCPATH", TEST_LOCALES, 1);
    if (setlocale(LC_NUMERIC, name) == NULL || strcmp(localeconv()->decimal_point, ".") == 0) {
        fprintf(stderr, "no locale %s with a point of its own in " TEST_LOCALES "\n", name);
        abort();
    }
}
#endif

#ifdef CHECK_MAJOR_VERSION
/* Runs one test case as a suite; the exit status of a test program. */
static inline int run_tests(const char *name, TCase *tests) {
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
#endif

#endif
