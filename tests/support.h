/* What the tests share: a seeded random source, reference files, and the Check runner. */
#ifndef PODIUM_TESTS_SUPPORT_H
#define PODIUM_TESTS_SUPPORT_H

#include "internal.h"

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

static inline podium_collection collection_of(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_spec spec = {.mechanism = mechanism, .epsilon = epsilon, .min = min, .max = max};
    podium_collection collection;
    podium_status status = podium_collection_init(&collection, &spec);
    if (status != PODIUM_OK) {
        fprintf(stderr, "%s, epsilon %g, [%g, %g]: %s\n", podium_mechanism_name(mechanism), epsilon, min, max,
                podium_status_message(status));
        abort();
    }
    return collection;
}

static inline podium_shape shape_of(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_spec spec = {.mechanism = mechanism, .epsilon = epsilon, .min = min, .max = max};
    podium_shape shape;
    if (podium_shape_init(&shape, &spec) != PODIUM_OK)
        abort();
    return shape;
}

static const podium_mechanism all_mechanisms[] = {PODIUM_EXACT, PODIUM_APPROXIMATE, PODIUM_LAPLACE, PODIUM_STAIRCASE};

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
