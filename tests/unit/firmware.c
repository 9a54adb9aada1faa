/*
 * Collections for flash: places in integers beside the exact ones, cells beside those of the library for the same
 * random bytes, what happens to a collection that is damaged, and the source that is written. tests/devices/firmware.sh
 * runs the same code on the processors that it is for.
 */
#include <check.h>

#include "device/firmware.h"
#include "device/multiply.h"
#include "support.h"

#include <math.h>

/* Check writes a line for each of its own assertions, which takes longer than most of what is asserted here. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg("%s", #condition);                                                                            \
    } while (0)

/* Random bytes one by one, so that they do not depend on the pieces in which they are drawn */
static size_t byte_fill(void *state, void *buffer, size_t n) {
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)buffer)[i] = (unsigned char)seeded_word(state);
    return n;
}

static podium_random random_bytes(uint64_t *state) {
    return (podium_random){.fill = byte_fill, .context = state};
}

typedef struct {
    podium_collection collection;
    const podium_layout *layout;
    podium_firmware firmware;
    podium_firmware_tables tables;
    double unit;
} subject;

static void make(subject *s, const podium_spec *spec, double unit) {
    s->collection = collection_from(spec);
    s->layout = podium_layout_of(&s->collection);
    s->unit = unit;
    ck_assert_int_eq(podium_firmware_make(&s->firmware, &s->tables, &s->collection, unit), PODIUM_OK);
}

/* Ranges of whole units, of half units, of 12 bits, of a single unit; with a middle that is no binary fraction; and of
   all integers */
static const struct {
    double min, max, unit;
} ranges[] = {
    {1, 120, 1},        {-40, 50, 0.1}, {0, 100, 0.5},         {0, 4095, 1},         {0, 1, 1},
    {0.3, 7.77, 0.013}, {-1, 2, 1e-3},  {1e6, 1.0005e6, 0.25}, {-0.7, 0.3, 1 / 3.0}, {INT32_MIN, INT32_MAX, 1},
};
static const double epsilons[] = {0.01, 0.5, 1, 3, 11};

typedef void visit(subject *s, int32_t value);

/* Every integer of the range and some beyond, or 2,000 of them if there are more */
static void visit_values(subject *s, visit *see) {
    const int64_t first = s->firmware.least - 3, last = s->firmware.least + (int64_t)s->firmware.span + 3;
    const int64_t stride = last - first < 2000 ? 1 : (last - first) / 2000;
    for (int64_t value = first; value <= last; value += stride)
        if (value >= INT32_MIN && value <= INT32_MAX)
            see(s, (int32_t)value);
    see(s, INT32_MIN);
    see(s, INT32_MAX);
    see(s, 0);
}

static void visit_all(visit *see) {
    subject s;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++)
            for (size_t r = 0; r < LENGTH(ranges); r++) {
                const podium_spec spec = spec_of(m, epsilons[e], ranges[r].min, ranges[r].max);
                make(&s, &spec, ranges[r].unit);
                visit_values(&s, see);
            }
}

/* ---- Places ---- */

static uint64_t seen, alike;             /* of all */
static uint64_t whole_seen, whole_alike; /* where the ends of the range are whole units */
static double furthest;                  /* from the exact place, in units of 2^-32 places */

static uint64_t apart(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

static bool ends_are_whole(const subject *s) {
    const double least = s->layout->spec.min / s->unit, most = s->layout->spec.max / s->unit;
    return fabs(least - nearbyint(least)) < 1e-6 && fabs(most - nearbyint(most)) < 1e-6;
}

/* The exact place of some number within 2^-30 of the range; rest is for the doubles that are compared with */
static void place_is_near(subject *s, int32_t value) {
    const podium_layout *c = s->layout;
    const double width = c->spec.max - c->spec.min, x = value * s->unit, error = 0x1p-30 * width;
    const double got = ldexp((double)podium_firmware_place(&s->firmware, value), -32), rest = 0x1p-19;
    REQUIRE(got >= podium_place(c, x - error) - rest);
    REQUIRE(got <= podium_place(c, x + error) + rest);
    REQUIRE(got <= (double)c->places);
    if (c->places < (uint64_t)1 << 20 && ends_are_whole(s))
        furthest = fmax(furthest, ldexp(fabs(got - podium_place(c, x)), 32));
    seen++;
}

START_TEST(places_are_exact_to_a_billionth_of_the_range) {
    visit_all(place_is_near);
    printf("%llu places; of fewer than 2^20 from end to whole end, none is more than %.1f x 2^-32 from the exact one\n",
           (unsigned long long)seen, furthest);
    ck_assert_uint_gt(seen, 300000);
    ck_assert_double_le(furthest, 32);
}
END_TEST

/* At least 99% of what is visited must be the library's, and all but one in 50,000 where both ends are whole units. */
static void expect_alike(visit *see, const char *what) {
    seen = alike = whole_seen = whole_alike = 0;
    visit_all(see);
    printf("%llu of %llu %s are the library's; from end to whole end, all but %llu of %llu\n",
           (unsigned long long)alike, (unsigned long long)seen, what, (unsigned long long)(whole_seen - whole_alike),
           (unsigned long long)whole_seen);
    ck_assert_uint_gt(alike, seen - seen / 100);
    ck_assert_uint_gt(whole_alike, whole_seen - whole_seen / 50000);
}

/* The whole place for the same rounding half. It may differ from the library's by one, if the place lies so close to
   where the next one begins that the doubles of the library do not decide either. */
static void place_is_the_librarys(subject *s, int32_t value) {
    static uint64_t state = 3;
    const podium_layout *c = s->layout;
    const uint32_t halves[] = {0, UINT32_MAX, (uint32_t)seeded_word(&state)};
    const double x = value * s->unit, exact = podium_place(c, x);
    for (size_t i = 0; i < LENGTH(halves); i++, seen++) {
        const uint64_t place = podium_firmware_place(&s->firmware, value);
        const uint64_t got = podium_firmware_round(&s->firmware, place, halves[i]);
        uint32_t want;
        podium_places(c, &want, &x, &halves[i], 1);
        alike += got == want;
        whole_seen += ends_are_whole(s), whole_alike += ends_are_whole(s) && got == want;
        if (got == want)
            continue;
        const uint64_t coin = c->fraction_bits == 0 ? 0 : halves[i] & (((uint64_t)1 << c->fraction_bits) - 1);
        const double shifted =
            c->fraction_bits == 0 ? exact + 0.5 : exact + ldexp((double)coin, -(int)c->fraction_bits);
        const double near = ends_are_whole(s) ? 0x1p-18 : fmax(0x1p-18, 0x1p-30 * (double)c->places);
        REQUIRE(apart(got, want) == 1);
        REQUIRE(fabs(shifted - nearbyint(shifted)) <= near);
    }
}

START_TEST(whole_places_are_the_librarys) {
    expect_alike(place_is_the_librarys, "whole places");
}
END_TEST

/* The ends and the middle are at the first, the last and the middle place, exactly. */
START_TEST(ends_and_middle_are_exact) {
    subject s;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            const podium_spec spec = spec_of(m, epsilons[e], -100, 100);
            make(&s, &spec, 0.5);
            const uint64_t last = s.firmware.places << 32;
            ck_assert_uint_eq(podium_firmware_place(&s.firmware, -200), 0);
            ck_assert_uint_eq(podium_firmware_place(&s.firmware, 0), last / 2);
            ck_assert_uint_eq(podium_firmware_place(&s.firmware, 200), last);
            for (uint64_t k = 0, bits = s.firmware.fraction_bits; k < 4; k++) { /* for any rounding half */
                const uint32_t rounding = (uint32_t)(0x55555555 * k);
                ck_assert_uint_eq(podium_firmware_round(&s.firmware, 0, bits == 0 ? 0 : rounding), 0);
                ck_assert_uint_eq(podium_firmware_round(&s.firmware, last, rounding), s.firmware.places);
            }
        }
}
END_TEST

/* Whatever the ramps are, a place exists. */
START_TEST(places_exist_for_any_ramps) {
    subject s;
    uint64_t state = 17;
    for (int i = 0; i < 20000; i++) {
        const podium_spec spec = spec_of((podium_mechanism)(i % (int)podium_mechanism_count()), 1, 1, 120);
        if (i < (int)podium_mechanism_count() || i % 100 == 0)
            make(&s, &spec, 1);
        for (uint64_t k = 0; k < s.firmware.ramp_count; k++)
            s.tables.ramps[k] = (podium_firmware_ramp){seeded_word(&state), seeded_word(&state) >> (i % 64)};
        const int32_t value = (int32_t)seeded_word(&state);
        const uint64_t place = podium_firmware_place(&s.firmware, value);
        ck_assert_uint_le(podium_firmware_round(&s.firmware, place, (uint32_t)seeded_word(&state)), s.firmware.places);
        ck_assert_uint_le(podium_firmware_round(&s.firmware, seeded_word(&state), UINT32_MAX), s.firmware.places);
    }
}
END_TEST

/* ---- Cells and codes ---- */

/* The same seed for both, so that a pair of a value and random bytes gives the same cell wherever the place is the
   same. A place that was rounded the other way moves a cell by one at most, unless cells are few. */
static void cell_is_the_librarys(subject *s, int32_t value) {
    static uint64_t seed;
    uint64_t state = ++seed, other = seed;
    const podium_random ours = random_bytes(&state), theirs = random_bytes(&other);
    const double x = value * s->unit;
    uint32_t cell, want;
    unsigned char code[4] = {0}, encoded[4] = {0};
    REQUIRE(podium_firmware_cells(&s->firmware, &ours, &cell, &value, 1) == PODIUM_OK);
    REQUIRE(podium_privatize_cells(&s->collection, &theirs, &want, &x, 1) == PODIUM_OK);
    REQUIRE(state == other);
    REQUIRE(cell < s->firmware.cells);
    seen++, alike += cell == want;
    whole_seen += ends_are_whole(s), whole_alike += ends_are_whole(s) && cell == want;
    if (cell != want)
        REQUIRE(apart(cell, want) <= 4);
    state = seed;
    REQUIRE(podium_firmware_codes(&s->firmware, &ours, code, sizeof code, &value, 1) == PODIUM_OK);
    REQUIRE(podium_codes_encode(&s->collection, encoded, sizeof encoded, &cell, 1) == PODIUM_OK);
    REQUIRE(memcmp(code, encoded, sizeof code) == 0);
}

START_TEST(cells_are_the_librarys) {
    expect_alike(cell_is_the_librarys, "cells");
}
END_TEST

/* Where a place keeps 32 binary digits, and the ends are whole units, a draw differs with a probability below 2^-27, so
   200,000 draws are all alike with probability 0.998. The seeds are fixed. */
START_TEST(cells_of_few_places_are_all_the_librarys) {
    subject s;
    seen = alike = 0;
    FOR_EACH_MECHANISM (m) {
        const podium_spec spec = spec_of(m, 1, -40, 50);
        make(&s, &spec, 0.1);
        for (int i = 0; s.firmware.fraction_bits == 32 && i < 50; i++)
            visit_values(&s, cell_is_the_librarys);
    }
    ck_assert_uint_gt(seen, 80000);
    ck_assert_uint_eq(alike, seen);
}
END_TEST

/* An array is drawn like its values one by one, and takes the source once. */
START_TEST(arrays_are_values_one_by_one) {
    subject s;
    int32_t values[40];
    uint32_t cells[40], one;
    unsigned char codes[160], encoded[160];
    FOR_EACH_MECHANISM (m) {
        const podium_spec spec = spec_of(m, 0.7, 1, 120);
        uint64_t state = 5, other = 5, third = 5;
        const podium_random random = random_bytes(&state), again = random_bytes(&other), coded = random_bytes(&third);
        make(&s, &spec, 1);
        for (int i = 0; i < 40; i++)
            values[i] = 3 * i;
        ck_assert_int_eq(podium_firmware_cells(&s.firmware, &random, cells, values, 40), PODIUM_OK);
        for (int i = 0; i < 40; i++) {
            ck_assert_int_eq(podium_firmware_cells(&s.firmware, &again, &one, &values[i], 1), PODIUM_OK);
            ck_assert_uint_eq(cells[i], one);
        }
        const size_t bytes = podium_firmware_code_bytes(&s.firmware);
        ck_assert_uint_eq(bytes, podium_code_bytes(&s.collection));
        memset(codes, 0xee, sizeof codes);
        ck_assert_int_eq(podium_firmware_codes(&s.firmware, &coded, codes, 40 * bytes - 1, values, 40),
                         PODIUM_ERROR_BUFFER_TOO_SMALL);
        ck_assert_uint_eq(codes[0], 0xee);
        ck_assert_int_eq(podium_firmware_codes(&s.firmware, &coded, codes, 40 * bytes, values, 40), PODIUM_OK);
        ck_assert_int_eq(podium_codes_encode(&s.collection, encoded, sizeof encoded, cells, 40), PODIUM_OK);
        ck_assert_mem_eq(codes, encoded, 40 * bytes);
    }
}
END_TEST

/* ---- It fails closed ---- */

static void draws_nothing(const podium_firmware *f, podium_status want) {
    uint64_t state = 1;
    const podium_random random = random_bytes(&state);
    const int32_t values[3] = {7, 8, 9};
    uint32_t cells[3] = {77, 88, 99};
    unsigned char codes[12];
    memset(codes, 0xee, sizeof codes);
    REQUIRE(podium_firmware_cells(f, &random, cells, values, 3) == want);
    REQUIRE(cells[0] == 0 && cells[1] == 0 && cells[2] == 0);
    REQUIRE(podium_firmware_codes(f, &random, codes, sizeof codes, values, 3) == want);
    for (size_t i = 0; i < 3 * podium_firmware_code_bytes(f); i++)
        REQUIRE(codes[i] == 0);
    REQUIRE(state == 1); /* not a byte was drawn */
}

static void damage(subject *s, uint64_t *number, bool is_version) {
    for (int bit = 0; bit < 64; bit++) {
        *number ^= (uint64_t)1 << bit;
        const podium_status want = !is_version    ? PODIUM_ERROR_CHECKSUM_WRONG
                                   : *number == 0 ? PODIUM_ERROR_NOT_INITIALISED
                                                  : PODIUM_ERROR_VERSION_UNKNOWN;
        draws_nothing(&s->firmware, want);
        *number ^= (uint64_t)1 << bit;
    }
}

START_TEST(a_damaged_collection_draws_nothing) {
    subject s;
    FOR_EACH_MECHANISM (m) {
        const podium_spec spec = spec_of(m, 1, 1, 120);
        make(&s, &spec, 1);
        damage(&s, &s.firmware.checksum, false);
        for (size_t i = 0; i < PODIUM_FIRMWARE_NUMBERS; i++)
            damage(&s, (uint64_t *)(void *)((char *)&s.firmware + offsetof(podium_firmware, version)) + i, i == 0);
        for (uint64_t k = 0; k < s.firmware.ramp_count; k++) {
            damage(&s, &s.tables.ramps[k].slope, false);
            damage(&s, &s.tables.ramps[k].lift, false);
        }
        for (uint64_t k = 0; k < s.firmware.coin_count; k++)
            damage(&s, &s.tables.coins[k], false);
    }
    memset(&s.firmware, 0, sizeof s.firmware);
    draws_nothing(&s.firmware, PODIUM_ERROR_NOT_INITIALISED);
    memset(&s.firmware, 0xff, sizeof s.firmware); /* flash that was erased */
    draws_nothing(&s.firmware, PODIUM_ERROR_VERSION_UNKNOWN);
}
END_TEST

START_TEST(a_sampler_that_was_not_meant_draws_nothing) {
    podium_firmware_sampler *const samplers[] = {podium_firmware_step, podium_firmware_pair, podium_firmware_stairs};
    subject s;
    FOR_EACH_MECHANISM (m) {
        const podium_spec spec = spec_of(m, 1, 1, 120);
        make(&s, &spec, 1);
        podium_firmware_sampler *const meant = s.firmware.sampler;
        for (size_t k = 0; k < LENGTH(samplers); k++) {
            s.firmware.sampler = samplers[k];
            if (samplers[k] != meant)
                draws_nothing(&s.firmware, PODIUM_ERROR_CHECKSUM_WRONG);
        }
    }
}
END_TEST

/* A source that fails at the last of a few values, keeps the buffer's address, and sees whether it was wiped. */
typedef struct {
    size_t left; /* bytes until it fails */
    const uint32_t *buffer;
    size_t halves;
    bool opened, closed, dirty;
    size_t announced, filled;
} watchful;

static void *watchful_open(void *context, size_t bytes) {
    watchful *w = context;
    w->opened = true;
    w->announced = bytes;
    return context;
}

static size_t watchful_fill(void *context, void *buffer, size_t n) {
    watchful *w = context;
    w->buffer = buffer;
    w->halves = n / sizeof(uint32_t);
    w->filled += n;
    memset(buffer, 0xa7, n);
    return w->filled <= w->left ? n : n - 1;
}

/* The stack of the sampler, which has returned, is still there: nothing has been called since but this. */
static void watchful_close(void *context) {
    watchful *w = context;
    const volatile uint32_t *buffer = w->buffer;
    w->closed = true;
    for (size_t i = 0; i < w->halves; i++)
        w->dirty |= buffer[i] == 0xa7a7a7a7;
}

START_TEST(a_source_that_fails_leaves_zeros) {
    subject s;
    const int32_t values[3] = {7, 8, 9};
    FOR_EACH_MECHANISM (m) {
        const podium_spec spec = spec_of(m, 1, 1, 120);
        uint32_t cells[3] = {77, 88, 99};
        make(&s, &spec, 1);
        for (size_t left = 0; left <= 3; left++) {
            watchful w = {.left = 4 * s.firmware.halves * left};
            const podium_random random = {watchful_fill, &w, watchful_open, watchful_close};
            const podium_status status = podium_firmware_cells(&s.firmware, &random, cells, values, 3);
            ck_assert_int_eq(status, left < 3 ? PODIUM_ERROR_RANDOM_FAILED : PODIUM_OK);
            ck_assert(left == 3 || (cells[0] == 0 && cells[1] == 0 && cells[2] == 0));
            ck_assert(w.opened && w.closed && !w.dirty);
            ck_assert_uint_eq(w.announced, 12 * s.firmware.halves);
            ck_assert(left < 3 || w.filled == w.announced);
        }
        const podium_random none = {.fill = NULL};
        ck_assert_int_eq(podium_firmware_cells(&s.firmware, &none, cells, values, 3), PODIUM_ERROR_RANDOM_FAILED);
        ck_assert_uint_eq(cells[0], 0);
    }
}
END_TEST

/* ---- The source, and what cannot be made ---- */

START_TEST(refused_units) {
    podium_firmware f;
    podium_firmware_tables tables;
    const podium_collection age = collection_of(PODIUM_MECHANISM_DEFAULT, 1, 1, 120);
    const podium_collection none = {.opaque = {{0}}};
    const double refused[] = {0, -1, NAN, INFINITY, 1e-9, 119.1, 1e300, 5e-324};
    for (size_t i = 0; i < LENGTH(refused); i++)
        ck_assert_int_eq(podium_firmware_make(&f, &tables, &age, refused[i]), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_firmware_make(&f, &tables, &none, 1), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_int_eq(podium_firmware_make(&f, &tables, &age, 119), PODIUM_OK);
    ck_assert_int_eq(podium_firmware_make(&f, &tables, &age, 6e-8), PODIUM_OK);
}
END_TEST

START_TEST(names_are_identifiers) {
    static const char *const good[] = {
        "age", "a", "Age_2", "integer", "podium", "a23456789012345678901234567890123456789012345678901234567890123"};
    static const char *const bad[] = {"",
                                      "2",
                                      "a-b",
                                      "_a",
                                      "int",
                                      "class",
                                      "a b",
                                      "\xc3\xa4",
                                      "podium_privatize",
                                      "a*",
                                      "/",
                                      "a;",
                                      "main",
                                      "a2345678901234567890123456789012345678901234567890123456789012345"};
    const podium_collection age = collection_of(PODIUM_MECHANISM_DEFAULT, 1, 1, 120);
    char text[PODIUM_FIRMWARE_TEXT_MAX];
    for (size_t i = 0; i < LENGTH(good); i++)
        ck_assert_int_eq(podium_firmware_format(&age, text, sizeof text, good[i], 1), PODIUM_OK);
    text[0] = '!';
    for (size_t i = 0; i < LENGTH(bad); i++)
        ck_assert_int_eq(podium_firmware_format(&age, text, sizeof text, bad[i], 1), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(text[0], '!');
}
END_TEST

/* The longest source is far below PODIUM_FIRMWARE_TEXT_MAX. */
START_TEST(sources_fit) {
    static const char *const name = "a23456789012345678901234567890123456789012345678901234567890123";
    size_t longest = 0;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            char text[PODIUM_FIRMWARE_TEXT_MAX];
            const podium_collection c = collection_of(m, e == 0 ? 1e-6 : epsilons[e], -12345.678912345, 123456.7891234);
            ck_assert_int_eq(podium_firmware_format(&c, text, sizeof text, name, 1.23456789012345e-4), PODIUM_OK);
            const size_t n = strlen(text);
            longest = n > longest ? n : longest;
            ck_assert_int_eq(podium_firmware_format(&c, text, n, name, 1.23456789012345e-4),
                             PODIUM_ERROR_BUFFER_TOO_SMALL);
            ck_assert_int_eq(podium_firmware_format(&c, text, n + 1, name, 1.23456789012345e-4), PODIUM_OK);
        }
    printf("the longest source has %zu bytes\n", longest);
    ck_assert_uint_lt(longest, PODIUM_FIRMWARE_TEXT_MAX - 1024);
}
END_TEST

/* ---- Products from halves of halves ---- */

START_TEST(narrow_products_are_exact) {
    static const uint64_t edges[] = {0,       1,       2,          0x7fff,     0x8000,     0xffff,
                                     0x10000, 0x10001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    uint64_t state = 23;
    for (size_t i = 0; i < LENGTH(edges); i++) {
        ck_assert_uint_eq(multiply_narrow(edges[i], (uint64_t)1 << 32), edges[i] << 32);
        for (size_t k = 0; k < LENGTH(edges); k++)
            ck_assert_uint_eq(multiply_narrow(edges[i], edges[k]), edges[i] * edges[k]);
    }
    for (int i = 0; i < 10000000; i++) {
        const uint64_t word = seeded_word(&state), a = word >> 32, n = word & UINT32_MAX;
        if (multiply_narrow(a, n) != a * n)
            ck_abort_msg("%llu * %llu", (unsigned long long)a, (unsigned long long)n);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("firmware");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, places_are_exact_to_a_billionth_of_the_range);
    tcase_add_test(tests, whole_places_are_the_librarys);
    tcase_add_test(tests, ends_and_middle_are_exact);
    tcase_add_test(tests, places_exist_for_any_ramps);
    tcase_add_test(tests, cells_are_the_librarys);
    tcase_add_test(tests, cells_of_few_places_are_all_the_librarys);
    tcase_add_test(tests, arrays_are_values_one_by_one);
    tcase_add_test(tests, a_damaged_collection_draws_nothing);
    tcase_add_test(tests, a_sampler_that_was_not_meant_draws_nothing);
    tcase_add_test(tests, a_source_that_fails_leaves_zeros);
    tcase_add_test(tests, refused_units);
    tcase_add_test(tests, names_are_identifiers);
    tcase_add_test(tests, sources_fit);
    tcase_add_test(tests, narrow_products_are_exact);
    return run_tests("firmware", tests);
}
