/* What the tests share: a seeded random source, reference files, and the Check runner. */
#ifndef PODIUM_TESTS_SUPPORT_H
#define PODIUM_TESTS_SUPPORT_H

#include "analysis/analysis.h"
#include "device/device.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* SplitMix64, which is reproducible and therefore unusable for secrets. */
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

/* A parameter that is a spread is that of evenly spread values; other parameters have their defaults. */
static inline podium_spec spec_of(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_spec spec = {.mechanism = mechanism, .epsilon = epsilon, .min = min, .max = max};
    if (podium_row_of(mechanism)->parameter == PODIUM_PARAMETER_SPREAD)
        spec.spread = 1 / 12.0;
    return spec;
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

static inline podium_collection minimax_of(double epsilon, uint32_t cells) { /* for a range of width 1 about 0 */
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

/* The layout of a collection, for the tests of samplers, maps and masses */
static inline podium_layout layout_of(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_collection collection = collection_of(mechanism, epsilon, min, max);
    return *podium_layout_of(&collection);
}

/* The collection with a layout that a test has changed */
static inline podium_collection collection_with(const podium_layout *c) {
    podium_collection collection = {.opaque = {{0}}};
    *podium_layout_in(&collection) = *c;
    return collection;
}

/* Returns the collection of an encoded aggregate, or NULL if decoding will fail because of its spec. The last
   collection is kept, because solving for a map for each of thousands of aggregates would take minutes. */
static inline const podium_collection *collection_of_aggregate(const void *bytes, size_t n) {
    static podium_collection kept;
    podium_spec spec;
    if (podium_aggregate_peek(&spec, bytes, n) != PODIUM_OK)
        return NULL;
    if (podium_collection_fingerprint(&kept) != podium_fingerprint(&spec) &&
        podium_collection_init(&kept, &spec) != PODIUM_OK)
        return NULL;
    return &kept;
}

/* Sets the threshold with which each word of a draw is compared: select, position, then coin and side of pairs, or
   tail and coins of stairs. PODIUM_WORD_MAX stands for a word that is scaled, so that both halves are drawn. Returns
   how many words there are. */
static inline size_t compared_words(const podium_layout *c, uint64_t compared[4 + PODIUM_COINS_MAX]) {
    const podium_pair_draw *pair = &c->draw.pair;
    const podium_stairs_draw *stairs = &c->draw.stairs;
    compared[1] = compared[3] = PODIUM_WORD_MAX;
    switch ((podium_sampler_kind)c->sampler) {
    case PODIUM_SAMPLER_STEP:
        compared[0] = c->draw.step.threshold;
        return 2;
    case PODIUM_SAMPLER_PAIR:
        compared[0] = pair->step.threshold | pair->pair_threshold;
        compared[2] = pair->coin;
        return 4;
    default:
        compared[0] = stairs->threshold;
        compared[2] = stairs->tail_threshold;
        memcpy(compared + 3, stairs->coins, stairs->coin_count * sizeof *compared);
        return 3 + stairs->coin_count;
    }
}

/* How many words a draw takes, including those of which only one half is drawn */
static inline size_t words_of_draw(const podium_layout *c) {
    uint64_t compared[4 + PODIUM_COINS_MAX];
    return compared_words(c, compared);
}

/* Converts the words of n draws into halves in the order of podium_draw. Word k of draw i is words[k * n + i], in
   the order of compared_words. Lower halves that are not drawn are left out. */
static inline void halves_from(const podium_layout *c, uint32_t *halves, const uint64_t *words, size_t n) {
    uint64_t compared[4 + PODIUM_COINS_MAX];
    const size_t count = compared_words(c, compared);
    const uint64_t lowest = ((uint64_t)1 << PODIUM_HALF_BITS) - 1;
    const uint32_t *start = halves;
    for (size_t at = 0; at < count; at++) {
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
    if (halves != start + n * podium_draw_halves(c))
        abort();
}

static inline void draw_from_words(const podium_layout *c, uint32_t *cells, const uint32_t *places,
                                   const uint64_t *words, size_t n) {
    uint32_t *halves = malloc(2 * words_of_draw(c) * n * sizeof *halves);
    if (halves == NULL)
        abort();
    halves_from(c, halves, words, n);
    podium_draw(c, cells, places, halves, n, n);
    free(halves);
}

/* Sets low to the lower of the two places at which a value may be put, and returns the share of the rounding halves
   that put it at the upper one. The largest halves do, so it searches for the first of them. The share is exact,
   because it is a whole number of 2^-fraction_bits. */
static inline double upper_share(const podium_layout *c, double value, uint32_t *low) {
    uint64_t from = 0, to = ((uint64_t)1 << c->fraction_bits) - 1;
    uint32_t high, zeros = 0, ones = (uint32_t)to;
    podium_places(c, low, &value, &zeros, 1);
    podium_places(c, &high, &value, &ones, 1);
    if (high == *low)
        return 0;
    while (from < to) {
        uint32_t half = (uint32_t)(from + (to - from) / 2);
        podium_places(c, &high, &value, &half, 1);
        if (high > *low)
            to = half;
        else
            from = (uint64_t)half + 1;
    }
    return 1 - (double)from / (double)((uint64_t)1 << c->fraction_bits);
}

/* Returns a cell with that worth, which must exist. */
static inline uint32_t cell_worth(const podium_layout *c, uint64_t worth) {
    uint32_t cell;
    const podium_map *map = podium_map_of(c);
    if (!map->cell(c, &cell, (double)worth) || map->worth(c, cell) != worth)
        abort();
    return cell;
}

/* Properties of mechanisms, read from their rows in the registry, so that a new mechanism is tested at once. */
static inline bool has_density(podium_mechanism mechanism) {
    return podium_row_of(mechanism)->law != NULL;
}

static inline bool is_step(podium_mechanism mechanism) {
    return podium_row_of(mechanism)->law == &podium_step_law;
}

#define FOR_EACH_MECHANISM(m)                                                                                          \
    for (podium_mechanism m = (podium_mechanism)0; (size_t)m < podium_mechanism_count(); m = (podium_mechanism)(m + 1))

/* The distribution of an aggregate with 95% limits, estimated with a channel made for this call */
static inline podium_status distribution_with(podium_distribution *distribution, const podium_collection *collection,
                                              const podium_aggregate *aggregate, uint32_t bins) {
    podium_channel *channel;
    podium_status status = podium_channel_make(collection, &channel);
    if (status != PODIUM_OK)
        return status;
    status = podium_distribution_make(channel, distribution, aggregate, bins, 0.95);
    podium_channel_free(channel);
    return status;
}

#ifdef TEST_LOCALES
/* Their decimal points are a comma, and a character of two bytes. Windows has its own locales, with commas. */
#ifdef _WIN32
static const char *const odd_locales[] = {"German_Germany", "French_France"};
#define setenv(name, value, overwrite) (void)(value)
#else
static const char *const odd_locales[] = {"de_DE.UTF-8", "ps_AF.UTF-8"};
#endif

static inline void enter_locale(const char *name) {
    setenv("LOCPATH", TEST_LOCALES, 1);
    if (setlocale(LC_NUMERIC, name) == NULL || strcmp(localeconv()->decimal_point, ".") == 0) {
        fprintf(stderr, "no locale %s with a point of its own in " TEST_LOCALES "\n", name);
        abort();
    }
}
#endif

#ifdef CHECK_MAJOR_VERSION
/* Runs one test case as a suite, and returns the exit status of the test program. */
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
