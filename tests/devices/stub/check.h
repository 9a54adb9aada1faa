/*
 * As much of Check as the unit tests use, for machines for which Debian has no Check. The tests run in one process,
 * which ends at the first assertion that fails.
 */
#ifndef PODIUM_TESTS_STUB_CHECK_H
#define PODIUM_TESTS_STUB_CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_MAJOR_VERSION 0
#define START_TEST(name)                                                                                               \
    static void name(int _i) {                                                                                         \
        (void)_i;
#define END_TEST }
#define CK_NORMAL 0

typedef struct {
    const char *name;
    void (*run)(int);
    int from, to; /* of the loop; 0 and 1 if there is none */
} stub_test;

typedef struct {
    stub_test tests[64];
    size_t count;
} TCase;
typedef TCase Suite;
typedef TCase SRunner;

static inline TCase *tcase_create(const char *name) {
    static TCase tests;
    (void)name;
    return &tests;
}

static inline void stub_add(TCase *tests, stub_test test) {
    if (tests->count == sizeof tests->tests / sizeof *tests->tests)
        abort();
    tests->tests[tests->count++] = test;
}
#define tcase_add_test(tests, test) stub_add(tests, (stub_test){#test, test, 0, 1})
#define tcase_add_loop_test(tests, test, from, to) stub_add(tests, (stub_test){#test, test, from, (int)(to)})
#define tcase_set_timeout(tests, seconds) ((void)(tests), (void)(seconds))

/* There is one test case in a program, so the suite and its runner are that test case. */
static TCase *stub_suite;

static inline Suite *suite_create(const char *name) {
    (void)name;
    return NULL;
}

static inline void suite_add_tcase(Suite *suite, TCase *tests) {
    (void)suite;
    stub_suite = tests;
}

static inline SRunner *srunner_create(Suite *suite) {
    (void)suite;
    return stub_suite;
}

static inline void srunner_run_all(SRunner *runner, int mode) {
    (void)mode;
    for (size_t i = 0; i < runner->count; i++) {
        const stub_test *test = &runner->tests[i];
        for (int at = test->from; at < test->to; at++)
            test->run(at);
        printf("ok %d - %s\n", (int)i + 1, test->name);
        fflush(stdout);
    }
}

/* Whatever fails has ended the program. A program without tests fails, too. */
static inline int srunner_ntests_failed(const SRunner *runner) {
    return runner->count == 0;
}

static inline void srunner_free(SRunner *runner) {
    (void)runner;
}

_Noreturn static inline void stub_fail(const char *file, int line, const char *what) {
    printf("not ok - %s:%d: %s\n", file, line, what);
    exit(EXIT_FAILURE);
}

#define ck_assert(condition) ((condition) ? (void)0 : stub_fail(__FILE__, __LINE__, #condition))
#define ck_assert_msg(condition, ...)                                                                                  \
    ((condition) ? (void)0 : (printf(__VA_ARGS__), stub_fail(__FILE__, __LINE__, #condition)))
#define ck_abort_msg(...) (printf(__VA_ARGS__), stub_fail(__FILE__, __LINE__, "aborted"))

#define STUB_COMPARE(type, a, comparison, b)                                                                           \
    ((type)(a)comparison(type)(b) ? (void)0 : stub_fail(__FILE__, __LINE__, #a " " #comparison " " #b))
#define ck_assert_int_eq(a, b) STUB_COMPARE(intmax_t, a, ==, b)
#define ck_assert_int_ne(a, b) STUB_COMPARE(intmax_t, a, !=, b)
#define ck_assert_int_ge(a, b) STUB_COMPARE(intmax_t, a, >=, b)
#define ck_assert_int_gt(a, b) STUB_COMPARE(intmax_t, a, >, b)
#define ck_assert_int_le(a, b) STUB_COMPARE(intmax_t, a, <=, b)
#define ck_assert_int_lt(a, b) STUB_COMPARE(intmax_t, a, <, b)
#define ck_assert_uint_eq(a, b) STUB_COMPARE(uintmax_t, a, ==, b)
#define ck_assert_uint_ne(a, b) STUB_COMPARE(uintmax_t, a, !=, b)
#define ck_assert_uint_ge(a, b) STUB_COMPARE(uintmax_t, a, >=, b)
#define ck_assert_uint_gt(a, b) STUB_COMPARE(uintmax_t, a, >, b)
#define ck_assert_uint_le(a, b) STUB_COMPARE(uintmax_t, a, <=, b)
#define ck_assert_uint_lt(a, b) STUB_COMPARE(uintmax_t, a, <, b)
#define ck_assert_double_eq(a, b) STUB_COMPARE(double, a, ==, b)
#define ck_assert_double_ge(a, b) STUB_COMPARE(double, a, >=, b)
#define ck_assert_double_gt(a, b) STUB_COMPARE(double, a, >, b)
#define ck_assert_double_le(a, b) STUB_COMPARE(double, a, <=, b)
#define ck_assert_double_lt(a, b) STUB_COMPARE(double, a, <, b)
#define ck_assert_double_eq_tol(a, b, tolerance) ck_assert(fabs((double)(a) - (double)(b)) < (double)(tolerance))
#define ck_assert_str_eq(a, b) ck_assert(strcmp(a, b) == 0)
#define ck_assert_str_ne(a, b) ck_assert(strcmp(a, b) != 0)
#define ck_assert_mem_eq(a, b, n) ck_assert(memcmp(a, b, n) == 0)
#define ck_assert_ptr_ne(a, b) ck_assert((const void *)(a) != (const void *)(b))
#define ck_assert_ptr_null(a) ck_assert((a) == NULL)
#define ck_assert_ptr_nonnull(a) ck_assert((a) != NULL)

#endif
