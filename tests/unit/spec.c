/* A spec as one line: formatting and parsing, one line for equal specs, and every way in which a line can be wrong.
   Also what the registry says of mechanisms, and every function whose buffer may be too small. */
#include <check.h>
#include <float.h>
#include <locale.h>
#include <math.h>

#include "support.h"

/* ---- Mechanisms ---- */

static bool is_colour(const char *text) {
    return strlen(text) == 7 && text[0] == '#' && strspn(text + 1, "0123456789abcdef") == 6;
}

START_TEST(mechanisms) {
    ck_assert_uint_ge(podium_mechanism_count(), 9);
    FOR_EACH_MECHANISM (m) {
        const char *name = podium_mechanism_name(m), *parameter = podium_mechanism_parameter(m);
        podium_mechanism found = (podium_mechanism)77;
        ck_assert(strlen(name) > 0 && strlen(podium_mechanism_summary(m)) > 0);
        ck_assert(is_colour(podium_mechanism_colour(m)));
        ck_assert(parameter == NULL || strcmp(parameter, "spread") == 0 || strcmp(parameter, "cells") == 0);
        ck_assert_int_eq(podium_mechanism_from_name(&found, name, strlen(name)), PODIUM_OK);
        ck_assert_int_eq(found, m);
        for (podium_mechanism other = (podium_mechanism)0; other < m; other = (podium_mechanism)(other + 1)) {
            ck_assert_str_ne(name, podium_mechanism_name(other));
            ck_assert_str_ne(podium_mechanism_summary(m), podium_mechanism_summary(other));
            ck_assert_str_ne(podium_mechanism_colour(m), podium_mechanism_colour(other));
        }
    }
}
END_TEST

START_TEST(no_mechanisms) {
    static const int numbers[] = {-1, 99, 1 << 30};
    static const char *const names[] = {"", "Podium", "podiu", "podium-", "podium ", "laplacian", "minimax\n"};
    const podium_mechanism next = (podium_mechanism)podium_mechanism_count();
    ck_assert_ptr_null(podium_mechanism_name(next));
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        const podium_mechanism m = (podium_mechanism)numbers[i];
        ck_assert(podium_mechanism_name(m) == NULL && podium_mechanism_summary(m) == NULL);
        ck_assert(podium_mechanism_colour(m) == NULL && podium_mechanism_parameter(m) == NULL);
    }
    for (size_t i = 0; i < LENGTH(names); i++) {
        podium_mechanism found = PODIUM_MECHANISM_HYBRID;
        podium_status status = podium_mechanism_from_name(&found, names[i], strlen(names[i]));
        ck_assert(status == PODIUM_ERROR_MECHANISM_UNKNOWN && found == PODIUM_MECHANISM_HYBRID);
    }
    podium_mechanism found; /* The name is n bytes, and what follows is ignored. */
    ck_assert_int_eq(podium_mechanism_from_name(&found, "laplaces", 7), PODIUM_OK);
    ck_assert_int_eq(found, PODIUM_MECHANISM_LAPLACE);
    ck_assert_int_eq(podium_mechanism_from_name(&found, "podium\0", 7), PODIUM_ERROR_MECHANISM_UNKNOWN);
}
END_TEST

START_TEST(yardstick) {
    ck_assert_int_eq(podium_mechanism_yardstick(), PODIUM_MECHANISM_LAPLACE);
}
END_TEST

/* ---- Fields ---- */

START_TEST(fields_of_statuses) {
    static const struct {
        podium_status first, last;
        const char *field;
    } known[] = {
        {PODIUM_OK, PODIUM_OK, ""},
        {PODIUM_ERROR_MECHANISM_UNKNOWN, PODIUM_ERROR_MECHANISM_UNKNOWN, "mechanism"},
        {PODIUM_ERROR_EPSILON_NOT_FINITE, PODIUM_ERROR_EPSILON_TOO_LARGE, "epsilon"},
        {PODIUM_ERROR_RANGE_NOT_FINITE, PODIUM_ERROR_RANGE_TOO_NARROW, "range"},
        {PODIUM_ERROR_SPREAD_WRONG, PODIUM_ERROR_SPREAD_WRONG, "spread"},
        {PODIUM_ERROR_CELLS_WRONG, PODIUM_ERROR_CELLS_WRONG, "cells"},
        {PODIUM_ERROR_RANDOM_FAILED, PODIUM_ERROR_NOT_PRIVATE, ""},
        {PODIUM_ERROR_NO_DENSITY, PODIUM_ERROR_CHECKSUM_WRONG, ""},
        {(podium_status)(PODIUM_ERROR_CHECKSUM_WRONG + 1), (podium_status)99, ""},
    };
    for (size_t i = 0; i < LENGTH(known); i++)
        for (int status = (int)known[i].first; status <= (int)known[i].last; status++)
            ck_assert_str_eq(podium_status_field((podium_status)status), known[i].field);
    ck_assert_str_eq(podium_status_field((podium_status)-1), "");
}
END_TEST

/* ---- There and back ---- */

static bool same_bits(const podium_spec *a, const podium_spec *b) {
    return a->mechanism == b->mechanism && podium_bits_of(a->epsilon) == podium_bits_of(b->epsilon) &&
           podium_bits_of(a->min) == podium_bits_of(b->min) && podium_bits_of(a->max) == podium_bits_of(b->max) &&
           podium_bits_of(a->spread) == podium_bits_of(b->spread) && a->cells == b->cells;
}

/* Parses bytes in a block of their own, so that a sanitizer detects a read beyond the end. On failure the spec must
   be untouched. */
static podium_status parse_bytes(podium_spec *spec, podium_error *error, const char *text, size_t n) {
    podium_spec before = *spec;
    char *copy = malloc(n == 0 ? 1 : n);
    memcpy(copy, text, n);
    podium_status status = podium_spec_parse(spec, error, copy, n);
    free(copy);
    ck_assert(status == PODIUM_OK || same_bits(spec, &before));
    return status;
}

/* Checks that the line has the returned length, and that it is parsed as a spec whose line is the same. The error
   must be untouched. */
static bool round_trip(const podium_spec *spec) {
    char text[PODIUM_SPEC_TEXT_MAX], again[PODIUM_SPEC_TEXT_MAX];
    podium_spec back = {.cells = 77}, complete = podium_spec_complete(spec);
    podium_error error = {.line = 77};
    const size_t n = podium_spec_format(spec, text, sizeof text);
    if (n == 0 || n >= sizeof text || strlen(text) != n || parse_bytes(&back, &error, text, n) != PODIUM_OK)
        return false;
    return error.line == 77 && same_bits(&back, &complete) && podium_spec_equal(&back, spec) &&
           podium_spec_format(&back, again, sizeof again) == n && strcmp(text, again) == 0;
}

START_TEST(reserved_is_zero) {
    char text[PODIUM_SPEC_TEXT_MAX];
    const podium_spec good = spec_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    for (size_t i = 0; i < LENGTH(good.reserved); i++)
        for (unsigned bit = 0; bit < 64; bit += 9) {
            podium_spec spec = good, chosen;
            podium_collection c;
            spec.reserved[i] = (uint64_t)1 << bit;
            ck_assert_int_eq(podium_collection_init(&c, &spec), PODIUM_ERROR_ARGUMENT_WRONG);
            ck_assert_uint_eq(podium_collection_cells(&c), 0);
            ck_assert_int_eq(podium_choose(&chosen, &spec, PODIUM_OBJECTIVE_UNIFORM), PODIUM_ERROR_ARGUMENT_WRONG);
            ck_assert(!podium_spec_equal(&spec, &spec) && podium_spec_format(&spec, text, sizeof text) == 0);
        }
}
END_TEST

static const double odd[] = {0.1 + 0.2, 1 / 3.0, 1e-6, 2.5e-5, 49.999999999999993, 0.30000000000000004, 1e-5, 3};

static double some_bound(uint64_t *seed) {
    double size = pow(10, 280 * seeded_uniform(seed) - 140);
    return seeded_word(seed) % 8 == 0 ? -0.0 : seeded_word(seed) % 2 == 0 ? size : -size;
}

static podium_spec some_spec(podium_mechanism m, uint64_t *seed) {
    const podium_parameter_kind parameter = podium_row_of(m)->parameter;
    double a = some_bound(seed), b = some_bound(seed);
    podium_spec spec = {.mechanism = m, .epsilon = odd[seeded_word(seed) % LENGTH(odd)]};
    if (seeded_word(seed) % 2 == 0)
        spec.epsilon = fmax(1e-6, 50 * seeded_uniform(seed));
    spec.min = fmin(a, b);
    spec.max = fmax(a, b);
    if (parameter == PODIUM_PARAMETER_SPREAD)
        spec.spread = seeded_uniform(seed) / 4;
    if (parameter == PODIUM_PARAMETER_CELLS)
        spec.cells = seeded_word(seed) % 8 == 0 ? 0 : 2 + (uint32_t)(seeded_word(seed) % 65535);
    return spec;
}

static size_t bad_trips(uint64_t seed, int trials) {
    size_t bad = 0;
    for (int trial = 0; trial < trials; trial++)
        FOR_EACH_MECHANISM (m) {
            podium_spec spec = some_spec(m, &seed);
            bad += spec.min < spec.max && !round_trip(&spec);
        }
    return bad;
}

START_TEST(there_and_back) {
    ck_assert_uint_eq(bad_trips(301, 2000), 0);
}
END_TEST

START_TEST(in_other_locales) {
    podium_spec spec = {.epsilon = 77}, want = {.mechanism = PODIUM_MECHANISM_PODIUM_TUNED,
                                                .epsilon = 0.5,
                                                .min = -1.25,
                                                .max = 2.75,
                                                .spread = 0.05};
    static const char line[] = "podium-tuned epsilon=0.5 range=-1.25:2.75 spread=0.05";
    static const char comma[] = "podium epsilon=0,5 range=0:1", own[] = "podium epsilon=0\xd9\xab range=0:1";
    char text[PODIUM_SPEC_TEXT_MAX];
    enter_locale(odd_locales[_i]);
    const size_t bad = bad_trips(302, 200);
    podium_spec_format(&want, text, sizeof text);
    const podium_status parsed = podium_spec_parse(&spec, NULL, line, strlen(line));
    const podium_status commas = podium_spec_parse(&want, NULL, comma, strlen(comma));
    const podium_status points = podium_spec_parse(&want, NULL, own, strlen(own));
    setlocale(LC_NUMERIC, "C");
    ck_assert_uint_eq(bad, 0);
    ck_assert_str_eq(text, line);
    ck_assert(parsed == PODIUM_OK && same_bits(&spec, &want));
    ck_assert(commas == PODIUM_ERROR_TEXT_MALFORMED && points == PODIUM_ERROR_TEXT_MALFORMED);
}
END_TEST

/* ---- One line for equal specs ---- */

static void expect_line(const podium_spec *spec, const char *line) {
    char text[PODIUM_SPEC_TEXT_MAX] = "";
    ck_assert_uint_eq(podium_spec_format(spec, text, sizeof text), strlen(line));
    ck_assert_str_eq(text, line);
}

START_TEST(canonical) { /* Files and databases contain these lines, so they must never change. */
    podium_spec minimax = {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 1, .min = 1, .max = 120};
    podium_spec tuned = {
        .mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 0.5, .min = -0.0, .max = 10, .spread = 0.05};
    expect_line(&minimax, "minimax epsilon=1 range=1:120");
    minimax.cells = 256; /* the default is left out */
    expect_line(&minimax, "minimax epsilon=1 range=1:120");
    minimax.cells = 257;
    expect_line(&minimax, "minimax epsilon=1 range=1:120 cells=257");
    expect_line(&tuned, "podium-tuned epsilon=0.5 range=0:10 spread=0.05");
    tuned.spread = -0.0; /* a spread has no default, and 0 has no sign */
    expect_line(&tuned, "podium-tuned epsilon=0.5 range=0:10 spread=0");
    podium_spec shape = {.mechanism = PODIUM_MECHANISM_LAPLACE, .epsilon = 50, .min = -1e140, .max = 1e-140};
    expect_line(&shape, "laplace epsilon=50 range=-1e+140:1e-140");
    shape.epsilon = 0.1 + 0.2;
    expect_line(&shape, "laplace epsilon=0.30000000000000004 range=-1e+140:1e-140");
}
END_TEST

static podium_spec spec_from(const char *line) {
    podium_spec spec;
    podium_error error = {.field = ""};
    podium_status status = podium_spec_parse(&spec, &error, line, strlen(line));
    ck_assert_msg(status == PODIUM_OK, "%s: %s, %s", line, podium_status_message(status), error.field);
    return spec;
}

START_TEST(many_ways_to_write_it) {
    static const char *const same[] = {"minimax epsilon=1 range=1:120", "minimax epsilon=1 range=1:120 cells=256",
                                       "minimax cells=256.0 range=+1.0:1.2e2 epsilon=1e0",
                                       "  minimax\trange=1:120 \t epsilon=01.0\r", "minimax epsilon=1 range=1:120\r"};
    const podium_spec first = spec_from(same[0]);
    ck_assert_uint_eq(first.cells, PODIUM_CELLS_DEFAULT);
    for (size_t i = 0; i < LENGTH(same); i++) {
        const podium_spec other = spec_from(same[i]);
        ck_assert(same_bits(&first, &other) && podium_spec_equal(&first, &other));
        expect_line(&other, same[0]);
    }
}
END_TEST

/* Specs are equal exactly if their lines are, and then so are the fingerprints. */
static void compare(const podium_spec *a, const podium_spec *b, bool equal) {
    char one[PODIUM_SPEC_TEXT_MAX], two[PODIUM_SPEC_TEXT_MAX];
    const podium_spec x = podium_spec_complete(a), y = podium_spec_complete(b);
    podium_spec_format(a, one, sizeof one);
    podium_spec_format(b, two, sizeof two);
    ck_assert_msg(podium_spec_equal(a, b) == equal && podium_spec_equal(b, a) == equal, "%s and %s", one, two);
    ck_assert_uint_eq(strcmp(one, two) == 0, equal);
    ck_assert_uint_eq(podium_fingerprint(&x) == podium_fingerprint(&y), equal);
}

/* Specs that differ from each other in one field of the mechanism, by as little as possible */
static size_t neighbours(podium_spec specs[7], podium_mechanism m) {
    const podium_spec base = spec_of(m, 1, 0, 3);
    for (size_t i = 0; i < 7; i++)
        specs[i] = base;
    specs[1].epsilon = nextafter(1, 2);
    specs[2].min = -1e-140;
    specs[3].max = nextafter(3, 4);
    if (podium_row_of(m)->parameter == PODIUM_PARAMETER_NONE)
        return 4;
    if (podium_row_of(m)->parameter == PODIUM_PARAMETER_SPREAD)
        specs[4].spread = nextafter(base.spread, 1), specs[5].spread = 0, specs[6].spread = DBL_TRUE_MIN;
    else
        specs[4].cells = 255, specs[5].cells = 257, specs[6].cells = 2;
    return 7;
}

START_TEST(equal_or_not) {
    podium_spec all[16 * 7];
    size_t n = 0;
    FOR_EACH_MECHANISM (m) {
        ck_assert_uint_le(n + 7, LENGTH(all));
        n += neighbours(all + n, m);
        podium_spec zero = spec_of(m, 1, 0, 3), minus = spec_of(m, 1, -0.0, 3);
        compare(&zero, &minus, true);
        if (podium_row_of(m)->parameter == PODIUM_PARAMETER_CELLS) {
            zero.cells = PODIUM_CELLS_DEFAULT;
            compare(&zero, &minus, true);
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            compare(&all[i], &all[k], i == k);
}
END_TEST

START_TEST(not_valid_is_not_equal) {
    const podium_spec good = spec_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_spec wrong[] = {good, good, good, good, good, good, good};
    char text[] = "####";
    wrong[0].mechanism = (podium_mechanism)99;
    wrong[1].epsilon = NAN;
    wrong[2].epsilon = 701;
    wrong[3].min = 1;
    wrong[4].max = INFINITY;
    wrong[5].spread = 0.1;
    wrong[6].cells = 2;
    ck_assert(podium_spec_equal(&good, &good));
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        ck_assert(!podium_spec_equal(&wrong[i], &wrong[i]));
        ck_assert(!podium_spec_equal(&wrong[i], &good) && !podium_spec_equal(&good, &wrong[i]));
        ck_assert_uint_eq(podium_spec_format(&wrong[i], text, sizeof text), 0);
        ck_assert_str_eq(text, "####");
    }
}
END_TEST

/* ---- What can be wrong, and where ---- */

typedef struct {
    const char *line;
    podium_status status;
    uint32_t column; /* 0 if something is missing */
    const char *field;
} fault;

static const fault faults[] = {
    {"", PODIUM_ERROR_MECHANISM_UNKNOWN, 1, ""},
    {"   ", PODIUM_ERROR_MECHANISM_UNKNOWN, 4, ""},
    {"podim epsilon=1 range=0:1", PODIUM_ERROR_MECHANISM_UNKNOWN, 1, "podim"},
    {"  Podium epsilon=1 range=0:1", PODIUM_ERROR_MECHANISM_UNKNOWN, 3, "Podium"},
    {"epsilon=1 range=0:1", PODIUM_ERROR_MECHANISM_UNKNOWN, 1, "epsilon=1"},
    {"a-mechanism-whose-name-is-too-long-to-be-told", PODIUM_ERROR_MECHANISM_UNKNOWN, 1,
     "a-mechanism-whose-name-is-too-l"},
    {"podium epsilon=1 range=0:1 colour=red", PODIUM_ERROR_TEXT_MALFORMED, 28, "colour"},
    {"podium epsilon=1 range=0:1 Epsilon=1", PODIUM_ERROR_TEXT_MALFORMED, 28, "Epsilon"},
    {"podium epsilon=1 range=0:1 min=0", PODIUM_ERROR_TEXT_MALFORMED, 28, "min"},
    {"podium epsilon=1 range=0:1 =1", PODIUM_ERROR_TEXT_MALFORMED, 28, ""},
    {"podium epsilon=1 range=0:1 podium", PODIUM_ERROR_TEXT_MALFORMED, 28, "podium"},
    {"podium epsilon range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon = 1 range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon=1 epsilon=1 range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 18, "epsilon"},
    {"podium epsilon=1 range=0:1\trange=0:1", PODIUM_ERROR_TEXT_MALFORMED, 28, "range"},
    {"podium-tuned epsilon=1 range=0:1 spread=0 spread=0", PODIUM_ERROR_TEXT_MALFORMED, 43, "spread"},
    {"minimax epsilon=1 range=0:1 cells=9 spread=0", PODIUM_ERROR_TEXT_MALFORMED, 37, "spread"},
    {"podium", PODIUM_ERROR_TEXT_MALFORMED, 0, "epsilon"},
    {"podium range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 0, "epsilon"},
    {"podium epsilon=1", PODIUM_ERROR_TEXT_MALFORMED, 0, "range"},
    {"podium epsilon= range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon=one range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon=1,5 range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon=0x1 range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon=nan range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon==1 range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 8, "epsilon"},
    {"podium epsilon=1 range=0", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
    {"podium epsilon=1 range=:", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
    {"podium epsilon=1 range=0:", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
    {"podium epsilon=1 range=:1", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
    {"podium epsilon=1 range=0:1:2", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
    {"podium epsilon=1 range=0:one", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
    {"podium epsilon=1 range=0:inf", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
    {"podium epsilon=0 range=0:1", PODIUM_ERROR_EPSILON_NOT_POSITIVE, 8, "epsilon"},
    {"podium epsilon=-1 range=0:1", PODIUM_ERROR_EPSILON_NOT_POSITIVE, 8, "epsilon"},
    {"podium range=0:1 epsilon=1e-7", PODIUM_ERROR_EPSILON_TOO_SMALL, 18, "epsilon"},
    {"podium range=0:1 epsilon=50.1", PODIUM_ERROR_EPSILON_TOO_LARGE, 18, "epsilon"},
    {"podium range=0:1 epsilon=1e999", PODIUM_ERROR_EPSILON_NOT_FINITE, 18, "epsilon"},
    {"podium epsilon=1 range=-1e999:0", PODIUM_ERROR_RANGE_NOT_FINITE, 18, "range"},
    {"podium epsilon=1 range=0:0", PODIUM_ERROR_RANGE_EMPTY, 18, "range"},
    {"podium range=2:1 epsilon=1", PODIUM_ERROR_RANGE_EMPTY, 8, "range"},
    {"podium epsilon=1 range=0:1e141", PODIUM_ERROR_RANGE_ABSURD, 18, "range"},
    {"podium epsilon=1 range=1e-141:1", PODIUM_ERROR_RANGE_ABSURD, 18, "range"},
    {"podium-tuned epsilon=1 range=0:1", PODIUM_ERROR_SPREAD_WRONG, 0, "spread"},
    {"podium-tuned epsilon=1 range=0:1 spread=", PODIUM_ERROR_TEXT_MALFORMED, 34, "spread"},
    {"podium-tuned epsilon=1 range=0:1 spread=-0.1", PODIUM_ERROR_SPREAD_WRONG, 34, "spread"},
    {"podium-tuned epsilon=1 spread=0.26 range=0:1", PODIUM_ERROR_SPREAD_WRONG, 24, "spread"},
    {"podium-tuned epsilon=1 range=0:1 cells=2", PODIUM_ERROR_CELLS_WRONG, 34, "cells"},
    {"podium epsilon=1 range=0:1 spread=0.1", PODIUM_ERROR_SPREAD_WRONG, 28, "spread"},
    {"podium epsilon=1 range=0:1 spread=0", PODIUM_ERROR_SPREAD_WRONG, 28, "spread"}, /* not its own, even if it is 0 */
    {"podium cells=256 epsilon=1 range=0:1", PODIUM_ERROR_CELLS_WRONG, 8, "cells"},
    {"minimax epsilon=1 range=0:1 spread=0", PODIUM_ERROR_SPREAD_WRONG, 29, "spread"},
    {"minimax epsilon=1 range=0:1 cells=1", PODIUM_ERROR_CELLS_WRONG, 29, "cells"},
    {"minimax epsilon=1 range=0:1 cells=65537", PODIUM_ERROR_CELLS_WRONG, 29, "cells"},
    {"minimax epsilon=1 range=0:1 cells=0", PODIUM_ERROR_TEXT_MALFORMED, 29, "cells"},
    {"minimax epsilon=1 range=0:1 cells=16.5", PODIUM_ERROR_TEXT_MALFORMED, 29, "cells"},
    {"minimax epsilon=1 range=0:1 cells=4294967312", PODIUM_ERROR_TEXT_MALFORMED, 29, "cells"},
    {"minimax epsilon=1 range=0:1 cells=-16", PODIUM_ERROR_TEXT_MALFORMED, 29, "cells"},
    {"podium epsilon=1 range=0:1\npodium epsilon=1 range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 18, "range"},
};

static void check_error(const fault *f, podium_status got, const podium_error *error) {
    ck_assert_msg(got == f->status && error->status == f->status, "%s: %s", f->line, podium_status_message(got));
    ck_assert_msg(error->line == 1 && error->column == f->column, "%s: line %u, column %u", f->line, error->line,
                  error->column);
    ck_assert_str_eq(error->field, f->field);
}

START_TEST(faults_are_located) {
    for (size_t i = 0; i < LENGTH(faults); i++) {
        const size_t n = strlen(faults[i].line);
        podium_spec spec = {.epsilon = 77};
        podium_error error;
        memset(&error, 0x5a, sizeof error);
        check_error(&faults[i], parse_bytes(&spec, &error, faults[i].line, n), &error);
        ck_assert_int_eq(parse_bytes(&spec, NULL, faults[i].line, n), faults[i].status);
    }
}
END_TEST

/* Each mechanism with a parameter of another one, and without a parameter that it needs */
START_TEST(parameters_of_others) {
    FOR_EACH_MECHANISM (m) {
        const char *own = podium_mechanism_parameter(m), *name = podium_mechanism_name(m);
        for (int kind = PODIUM_PARAMETER_NONE + 1; kind < PODIUM_PARAMETERS; kind++) {
            const podium_parameter *p = &podium_parameters[kind];
            char line[PODIUM_SPEC_TEXT_MAX];
            podium_error error;
            podium_spec spec;
            const int before = snprintf(line, sizeof line, "%s epsilon=1 range=0:1 ", name);
            snprintf(line + before, sizeof line - (size_t)before, "%s=%g", p->key, p->most);
            podium_status status = podium_spec_parse(&spec, &error, line, strlen(line));
            if (own != NULL && strcmp(own, p->key) == 0) {
                ck_assert_int_eq(status, PODIUM_OK);
                status = podium_spec_parse(&spec, &error, line, (size_t)before);
                ck_assert_int_eq(status, isnan(p->fallback) ? p->wrong : PODIUM_OK);
            } else {
                ck_assert(status == p->wrong && error.column == (uint32_t)before + 1);
                ck_assert_str_eq(error.field, p->key);
            }
        }
    }
}
END_TEST

START_TEST(every_truncation_and_every_byte) { /* No byte beyond the end is read, and only the whole line is the spec. */
    static const char line[] = "podium-tuned epsilon=0.5 range=-1:12.5 spread=0.05";
    const podium_spec whole = spec_from(line);
    char changed[sizeof line];
    podium_spec spec;
    podium_error error;
    for (size_t n = 0; n < strlen(line); n++) {
        memset(&spec, 0, sizeof spec);
        ck_assert(parse_bytes(&spec, &error, line, n) != PODIUM_OK || !podium_spec_equal(&spec, &whole));
        memcpy(changed, line, sizeof line);
        changed[n] = '\0';
        ck_assert_int_ne(parse_bytes(&spec, &error, changed, strlen(line)), PODIUM_OK);
        ck_assert(error.line == 1 && error.column <= strlen(line));
    }
}
END_TEST

/* ---- A collection from such a line ---- */

START_TEST(collections_from_lines) {
    FOR_EACH_MECHANISM (m) {
        const podium_spec spec = spec_of(m, 2, -1, 7.5);
        const podium_collection want = collection_from(&spec);
        char text[PODIUM_SPEC_TEXT_MAX + 4], name[PODIUM_NAME_MAX] = "####";
        const size_t n = podium_spec_format(&spec, text, sizeof text);
        for (size_t extra = 0; extra < 3; extra++) { /* without a newline, with one, and with a carriage return */
            podium_collection c;
            memset(&c, 0x5a, sizeof c);
            memcpy(text + n, extra == 1 ? "\n" : "\r\n", extra);
            ck_assert_int_eq(podium_collection_parse(&c, name, sizeof name, NULL, text, n + extra), PODIUM_OK);
            ck_assert(memcmp(&c, &want, sizeof c) == 0);
            ck_assert_str_eq(name, ""); /* a line has no name */
        }
    }
}
END_TEST

START_TEST(lines_after_comments) { /* Empty lines and comments before a spec count, but mean nothing. */
    static const struct {
        const char *text;
        podium_status status;
        uint32_t line, column;
    } texts[] = {
        {"# a comment\npodium epsilon=1 range=0:1\n", PODIUM_OK, 77, 77},
        {"\n \t\r\n  # x = 1\n#\n podium epsilon=1 range=0:1", PODIUM_OK, 77, 77},
        {"\n# a comment\npodium epsilon=x range=0:1\n", PODIUM_ERROR_TEXT_MALFORMED, 3, 8},
        {"\n\n\npodium range=0:1\n", PODIUM_ERROR_TEXT_MALFORMED, 4, 0},
        {"#\npodium epsilon=1 range=1e9:1000000000.00001\n", PODIUM_ERROR_RANGE_TOO_NARROW, 2, 0},
        {"#\npodiun epsilon=1 range=0:1", PODIUM_ERROR_MECHANISM_UNKNOWN, 2, 1},
        {"# podium epsilon=1 range=0:1", PODIUM_ERROR_TEXT_MALFORMED, 0, 0},
        {"\n#\n", PODIUM_ERROR_TEXT_MALFORMED, 0, 0},
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        podium_collection c;
        podium_error error = {.line = 77, .column = 77};
        podium_status status = podium_collection_parse(&c, NULL, 0, &error, texts[i].text, strlen(texts[i].text));
        ck_assert_msg(status == texts[i].status && error.line == texts[i].line && error.column == texts[i].column,
                      "%s: %s, line %u, column %u", texts[i].text, podium_status_message(status), error.line,
                      error.column);
        ck_assert_int_eq(podium_collection_parse(&c, NULL, 0, NULL, texts[i].text, strlen(texts[i].text)), status);
    }
}
END_TEST

/* Whether a line begins with a word that is not followed by "=" */
static bool is_spec(const char *line) {
    const char *word = line + strspn(line, " "), *after = word + strcspn(word, " \t=");
    const char *next = after + strspn(after, " \t");
    return after > word && *next != '\0' && *next != '=' && strchr(line, '\n') == NULL;
}

START_TEST(collections_from_wrong_lines) {
    podium_collection c, cleared;
    podium_error error;
    int checked = 0;
    memset(&cleared, 0, sizeof cleared);
    for (size_t i = 0; i < LENGTH(faults); i++) {
        const char *line = faults[i].line;
        if (!is_spec(line))
            continue;
        memset(&c, 0x5a, sizeof c);
        check_error(&faults[i], podium_collection_parse(&c, NULL, 0, &error, line, strlen(line)), &error);
        ck_assert(memcmp(&c, &cleared, sizeof c) == 0);
        checked++;
    }
    ck_assert_int_ge(checked, 50);
    static const char narrow[] = "podium epsilon=1 range=1e9:1000000000.00001";
    memset(&c, 0x5a, sizeof c);
    podium_status status = podium_collection_parse(&c, NULL, 0, &error, narrow, strlen(narrow));
    ck_assert(status == PODIUM_ERROR_RANGE_TOO_NARROW && error.status == status);
    ck_assert(error.line == 1 && strcmp(error.field, "range") == 0 && memcmp(&c, &cleared, sizeof c) == 0);
}
END_TEST

/* ---- Capacities ---- */

static podium_collection minimax;
static podium_aggregate aggregate;

static size_t format_spec(void *text, size_t capacity) {
    static const podium_spec spec = {
        .mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 1 / 3.0, .min = -1e140, .max = 1e-140, .spread = 0.1};
    return podium_spec_format(&spec, text, capacity);
}

static size_t format_number(void *text, size_t capacity) {
    return podium_number_format(text, capacity, -DBL_MAX);
}

static size_t format_collection(void *text, size_t capacity) {
    return podium_collection_format(&minimax, text, capacity, "age");
}

static size_t format_nameless(void *text, size_t capacity) {
    return podium_collection_format(&minimax, text, capacity, NULL);
}

static size_t format_aggregate(void *text, size_t capacity) {
    return podium_aggregate_format(&aggregate, text, capacity);
}

static size_t encode_aggregate(void *bytes, size_t capacity) {
    return podium_aggregate_encode(&aggregate, bytes, capacity);
}

typedef struct {
    size_t (*write)(void *to, size_t capacity);
    size_t end; /* bytes after the length, such as the 0 byte of a text */
    size_t always_enough;
} writer;

static bool untouched(const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0x5a)
            return false;
    return true;
}

/* Writes into a block of exactly that capacity, so that a sanitizer detects a byte too many. */
static void check_capacity(const writer *w, size_t capacity, size_t length) {
    unsigned char *block = malloc(capacity + 1);
    const bool fits = capacity >= length + w->end;
    memset(block, 0x5a, capacity + 1);
    ck_assert_uint_eq(w->write(block, capacity), length);
    ck_assert(block[capacity] == 0x5a);
    ck_assert(fits ? !untouched(block, length) : untouched(block, capacity));
    if (fits && w->end > 0)
        ck_assert_uint_eq(strlen((char *)block), length);
    free(block);
}

START_TEST(capacities) {
    static const writer writers[] = {{format_spec, 1, PODIUM_SPEC_TEXT_MAX},
                                     {format_number, 1, PODIUM_NUMBER_TEXT_MAX},
                                     {format_collection, 1, PODIUM_COLLECTION_TEXT_MAX},
                                     {format_nameless, 1, PODIUM_COLLECTION_TEXT_MAX},
                                     {format_aggregate, 1, PODIUM_AGGREGATE_TEXT_MAX},
                                     {encode_aggregate, 0, PODIUM_AGGREGATE_BYTES_MAX}};
    const double reports[] = {0.25, 0.75};
    minimax = minimax_of(0.5, 17);
    podium_aggregate_init(&minimax, &aggregate);
    ck_assert_int_eq(podium_aggregate_add(&minimax, &aggregate, reports, 2), PODIUM_OK);
    for (size_t i = 0; i < LENGTH(writers); i++) {
        const writer *w = &writers[i];
        const size_t length = w->write(NULL, 0), exact = length + w->end;
        ck_assert(length > 0 && exact <= w->always_enough);
        check_capacity(w, 0, length);
        check_capacity(w, 1, length);
        check_capacity(w, exact - 1, length);
        check_capacity(w, exact, length);
        check_capacity(w, exact + 1, length);
        check_capacity(w, w->always_enough, length);
    }
}
END_TEST

/* The longest possible lines */
START_TEST(always_enough) {
    const double longest = -1.2345678901234567e-139;
    FOR_EACH_MECHANISM (m) {
        podium_spec spec = spec_of(m, 1.2345678901234567e-06, longest, -longest);
        if (podium_row_of(m)->parameter == PODIUM_PARAMETER_SPREAD)
            spec.spread = 1.2345678901234567e-308;
        char text[PODIUM_SPEC_TEXT_MAX], lines[PODIUM_COLLECTION_TEXT_MAX], name[PODIUM_NAME_MAX];
        memset(name, 'x', sizeof name);
        name[PODIUM_NAME_MAX - 1] = '\0';
        ck_assert(round_trip(&spec) && podium_spec_format(&spec, text, sizeof text) < sizeof text);
        const podium_collection c = collection_from(&spec);
        ck_assert_uint_lt(podium_collection_format(&c, lines, sizeof lines, name), sizeof lines);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("spec");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, mechanisms);
    tcase_add_test(tests, no_mechanisms);
    tcase_add_test(tests, yardstick);
    tcase_add_test(tests, fields_of_statuses);
    tcase_add_test(tests, reserved_is_zero);
    tcase_add_test(tests, there_and_back);
    tcase_add_loop_test(tests, in_other_locales, 0, LENGTH(odd_locales));
    tcase_add_test(tests, canonical);
    tcase_add_test(tests, many_ways_to_write_it);
    tcase_add_test(tests, equal_or_not);
    tcase_add_test(tests, not_valid_is_not_equal);
    tcase_add_test(tests, faults_are_located);
    tcase_add_test(tests, parameters_of_others);
    tcase_add_test(tests, every_truncation_and_every_byte);
    tcase_add_test(tests, collections_from_lines);
    tcase_add_test(tests, lines_after_comments);
    tcase_add_test(tests, collections_from_wrong_lines);
    tcase_add_test(tests, capacities);
    tcase_add_test(tests, always_enough);
    return run_tests("spec", tests);
}
