/* The whole path from values to reports: blocks, aliasing, a caller's own source, and what is left in memory. */
#include <check.h>
#include <fenv.h>
#include <float.h>
#include <math.h>

#include "support.h"

#define MANY 3000

static double values[MANY], reports[MANY + 1], again[MANY];
static uint32_t cells[MANY + 1];

static void set_values(uint64_t seed) {
    for (size_t i = 0; i < MANY; i++)
        values[i] = seeded_uniform(&seed);
}

static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, MANY};

START_TEST(reports_are_the_cells) {
    set_values(11);
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 1);
        for (size_t s = 0; s < LENGTH(sizes); s++) {
            uint64_t one = 12, two = 12, three = 12;
            podium_random a = seeded_random(&one), b = seeded_random(&two), d = seeded_random(&three);
            size_t n = sizes[s];
            reports[n] = 5, cells[n] = 5;
            ck_assert_int_eq(podium_privatize_from(&c, &a, reports, values, n), PODIUM_OK);
            ck_assert_int_eq(podium_privatize_cells(&c, &b, cells, values, n), PODIUM_OK);
            ck_assert(reports[n] == 5 && cells[n] == 5);
            ck_assert_int_eq(podium_collection_reports(&c, again, cells, n), PODIUM_OK);
            ck_assert(memcmp(reports, again, n * sizeof *reports) == 0);
            memcpy(again, values, n * sizeof *again); /* in place */
            ck_assert_int_eq(podium_privatize_from(&c, &d, again, again, n), PODIUM_OK);
            ck_assert(memcmp(reports, again, n * sizeof *reports) == 0);
            for (size_t i = 0; i < n; i++)
                ck_assert(cells[i] < podium_collection_cells(&c));
        }
    }
}
END_TEST

/* Each half of a word is used once: first those of the draw, then the one that rounds the place. */
static void check_halves(const podium_collection *collection, size_t n) {
    const podium_layout *c = podium_layout_of(collection);
    const size_t each = podium_draw_halves(c);
    uint64_t seed = n, same = n;
    podium_random random = seeded_random(&seed);
    uint32_t places[32], want[32], halves[32 * (7 + 2 * PODIUM_COINS_MAX)];
    ck_assert_int_eq(podium_privatize_cells(collection, &random, cells, values, n), PODIUM_OK);
    seeded_fill(&same, halves, n * (each + (c->fraction_bits != 0)) * sizeof *halves);
    podium_places(c, places, values, halves + n * each, n);
    podium_draw(c, want, places, halves, n, n);
    ck_assert(memcmp(cells, want, n * sizeof *want) == 0);
}

/* Also if select has a lower half, because a threshold is near an end. */
START_TEST(every_half_has_its_task) {
    static const double epsilons[] = {1e-4, 1, 30};
    set_values(19);
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_collection c = collection_of(m, epsilons[e], 0, 1);
            for (size_t n = 1; n <= 32; n++)
                check_halves(&c, n);
        }
}
END_TEST

/* No value may raise a floating-point exception that another value would not raise, because that would show in the
   status flags, and end a process that traps them. (Inexact results occur everywhere, and nobody traps those.) */
START_TEST(no_exceptions) {
    /* A NaN for which any arithmetic raises an exception. */
    const double signalling = podium_double_of(0x7ff0000000000001);
    const double all[] = {NAN,      -NAN, signalling, -signalling, INFINITY, -INFINITY, DBL_MAX,
                          -DBL_MAX, 0.0,  -0.0,       4.9e-324,    -1e-310,  DBL_MIN,   0.3};
    static const podium_spec specs[] = {
        {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 1, .min = 0, .max = 1},
        {.mechanism = PODIUM_MECHANISM_LAPLACE, .epsilon = 1e-6, .min = -1e140, .max = 1e140},
        {.mechanism = PODIUM_MECHANISM_STAIRCASE, .epsilon = 50, .min = 1e-140, .max = 2e-140},
        {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 0.1, .min = 0, .max = 1e140},
        {.mechanism = PODIUM_MECHANISM_DUCHI, .epsilon = 50, .min = -1e-140, .max = 1e140},
        {.mechanism = PODIUM_MECHANISM_HYBRID, .epsilon = 1, .min = -1e140, .max = 1e140},
        {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 4, .min = -1e140, .max = 1e140},
        {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 4, .min = 1e-140, .max = 2e-140}};
    const int watched = FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_DIVBYZERO;
    for (size_t s = 0; s < LENGTH(specs); s++) {
        podium_collection c;
        ck_assert_int_eq(podium_collection_init(&c, &specs[s]), PODIUM_OK);
        for (size_t i = 0; i < LENGTH(all); i++) {
            feclearexcept(FE_ALL_EXCEPT);
            ck_assert_int_eq(podium_privatize(&c, reports, &all[i], 1), PODIUM_OK);
            ck_assert_int_eq(fetestexcept(watched), 0);
        }
    }
}
END_TEST

START_TEST(every_double_is_accepted) {
    static const double strange[] = {NAN, -NAN, INFINITY, -INFINITY, 1e308,    -1e308,
                                     0.0, -0.0, 4.9e-324, 1e-310,    -2.2e-308};
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, -3, 3);
        const double least = podium_collection_least(&c), most = podium_collection_most(&c);
        double out[LENGTH(strange)];
        ck_assert_int_eq(podium_privatize(&c, out, strange, LENGTH(strange)), PODIUM_OK);
        for (size_t i = 0; i < LENGTH(strange); i++)
            ck_assert(isfinite(out[i]) && out[i] >= least && out[i] <= most);
    }
}
END_TEST

START_TEST(system_source_works) {
    set_values(13);
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    ck_assert_int_eq(podium_privatize_from(&c, podium_random_system(), reports, values, MANY), PODIUM_OK);
    ck_assert_int_eq(podium_privatize_from(&c, podium_random_default(), again, values, MANY), PODIUM_OK);
    ck_assert(memcmp(reports, again, sizeof again) != 0);
}
END_TEST

/* ---- A source that counts, remembers where it wrote, and can run dry ---- */

typedef struct {
    uint64_t seed;
    size_t left; /* bytes until it runs dry */
    size_t given, opened, closed, announced;
    const unsigned char *buffer; /* the caller's buffer, and the most bytes of it that were asked for */
    size_t length;
    size_t dirty; /* bytes that were not wiped when the source was closed */
} source;

static size_t source_fill(void *context, void *buffer, size_t n) {
    source *s = context;
    size_t give = n < s->left ? n : s->left;
    s->buffer = buffer;
    s->length = n > s->length ? n : s->length;
    seeded_fill(&s->seed, buffer, give);
    s->left -= give;
    s->given += give;
    return give;
}

static void *source_open(void *context, size_t n) {
    source *s = context;
    s->opened++;
    s->announced = n;
    return s;
}

/* Checks whether the caller's buffer, which still exists at this point, has been wiped. */
static void source_close(void *context) {
    source *s = context;
    s->closed++;
    for (size_t i = 0; i < s->length; i++)
        s->dirty += s->buffer[i] != 0;
}

static podium_random random_of(source *s) {
    return (podium_random){.fill = source_fill, .context = s, .open = source_open, .close = source_close};
}

/* The number of halves of words at epsilon 1: two for position, one for select, one for rounding if the place is
   rounded, and what the sampler needs besides. That is one for a coin and two for a side; or two for a tail, and one
   for each coin except the last, which takes two. */
static size_t halves_of(const podium_collection *collection) {
    const podium_layout *c = podium_layout_of(collection);
    const size_t besides[PODIUM_SAMPLERS] = {
        [PODIUM_SAMPLER_PAIR] = 3, [PODIUM_SAMPLER_STAIRS] = 2 + (size_t)c->draw.stairs.coin_count + 1};
    return (size_t)3 + (c->fraction_bits != 0) + besides[c->sampler];
}

/* As docs/design.md says */
START_TEST(bytes_of_a_value) {
    static const struct {
        podium_mechanism mechanism;
        size_t bytes;
    } known[] = {{PODIUM_MECHANISM_PODIUM, 12},       {PODIUM_MECHANISM_PODIUM_APPROXIMATE, 12},
                 {PODIUM_MECHANISM_PODIUM_TUNED, 12}, {PODIUM_MECHANISM_PIECEWISE, 12},
                 {PODIUM_MECHANISM_DUCHI, 16},        {PODIUM_MECHANISM_MINIMAX, 16},
                 {PODIUM_MECHANISM_HYBRID, 28},       {PODIUM_MECHANISM_STAIRCASE, 48},
                 {PODIUM_MECHANISM_LAPLACE, 68}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        podium_collection c = collection_of(known[i].mechanism, 1, 0, 1);
        ck_assert_uint_eq(4 * halves_of(&c), known[i].bytes);
    }
}
END_TEST

START_TEST(asks_for_what_it_uses_and_wipes_it) {
    set_values(14);
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 1);
        for (size_t s = 1; s < LENGTH(sizes); s++) {
            source own = {.seed = 15, .left = SIZE_MAX};
            podium_random random = random_of(&own);
            ck_assert_int_eq(podium_privatize_from(&c, &random, reports, values, sizes[s]), PODIUM_OK);
            ck_assert_uint_eq(own.given, sizes[s] * halves_of(&c) * 4);
            ck_assert_uint_eq(own.announced, own.given);
            ck_assert(own.opened == 1 && own.closed == 1);
            ck_assert_uint_eq(own.dirty, 0);
        }
    }
}
END_TEST

START_TEST(runs_dry_anywhere) {
    set_values(16);
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 1);
        size_t need = MANY * 4 * halves_of(&c);
        for (size_t left = 0; left < need; left += left < 100 ? 1 : 4999) {
            source own = {.seed = 17, .left = left};
            podium_random random = random_of(&own);
            memcpy(reports, values, sizeof values);
            ck_assert_int_eq(podium_privatize_from(&c, &random, reports, values, MANY), PODIUM_ERROR_RANDOM_FAILED);
            for (size_t i = 0; i < MANY; i++)
                ck_assert(isnan(reports[i]));
            ck_assert(own.closed == 1 && own.dirty == 0);
        }
    }
}
END_TEST

static void *open_nothing(void *context, size_t n) {
    (void)context, (void)n;
    return NULL;
}

START_TEST(source_that_does_not_open) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    source own = {.left = SIZE_MAX};
    podium_random random = random_of(&own);
    random.open = open_nothing;
    ck_assert_int_eq(podium_privatize_from(&c, &random, reports, values, 10), PODIUM_ERROR_RANDOM_FAILED);
    ck_assert(isnan(reports[0]) && isnan(reports[9]) && own.closed == 0 && own.given == 0);
}
END_TEST

START_TEST(nothing_set_up) {
    podium_collection zeros = {.opaque = {{0}}}, c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_random nothing = {0};
    ck_assert_int_eq(podium_privatize(&zeros, reports, values, 10), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert(isnan(reports[0]) && isnan(reports[9]));
    ck_assert_int_eq(podium_privatize_from(&c, &nothing, reports, values, 10), PODIUM_ERROR_RANDOM_FAILED);
    ck_assert(isnan(reports[0]) && isnan(reports[9]));
}
END_TEST

static size_t fill_too_much(void *context, void *buffer, size_t n) {
    return seeded_fill(context, buffer, n) + 1;
}

START_TEST(source_that_claims_too_much) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    uint64_t seed = 18;
    podium_random random = {.fill = fill_too_much, .context = &seed};
    cells[0] = 5;
    ck_assert_int_eq(podium_privatize_cells(&c, &random, cells, values, 1), PODIUM_ERROR_RANDOM_FAILED);
    ck_assert_uint_eq(cells[0], 0);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("privatize");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, reports_are_the_cells);
    tcase_add_test(tests, every_half_has_its_task);
    tcase_add_test(tests, no_exceptions);
    tcase_add_test(tests, every_double_is_accepted);
    tcase_add_test(tests, system_source_works);
    tcase_add_test(tests, bytes_of_a_value);
    tcase_add_test(tests, asks_for_what_it_uses_and_wipes_it);
    tcase_add_test(tests, runs_dry_anywhere);
    tcase_add_test(tests, source_that_does_not_open);
    tcase_add_test(tests, nothing_set_up);
    tcase_add_test(tests, source_that_claims_too_much);
    return run_tests("privatize", tests);
}
