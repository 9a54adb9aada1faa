/* A collection as text: formatting and parsing to the bit, and every way in which a text can be wrong. */
#include <check.h>
#include <float.h>
#include <locale.h>
#include <math.h>

#include "support.h"

static const char head[] = "# A Podium collection: public, and fixed before the first value is seen.\n";

/* ---- There and back ---- */

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_spec(const podium_spec *a, const podium_spec *b) {
    return a->mechanism == b->mechanism && same_bits(a->epsilon, b->epsilon) && same_bits(a->min, b->min) &&
           same_bits(a->max, b->max) && a->spread == b->spread && a->cells == b->cells; /* a spread of -0 is 0 */
}

/* Compares what reports depend on, to the bit: sampler, map, first and spacing. */
static bool same_layout(const podium_collection *a, const podium_collection *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Checks that the text has the returned length, fits, and leads to the same collection and name. The error must be
   untouched. */
static bool round_trip(const podium_collection *c, const char *name) {
    char text[PODIUM_COLLECTION_TEXT_MAX], back[PODIUM_NAME_MAX];
    podium_collection again;
    podium_error error = {.line = 77};
    const podium_spec spec = podium_collection_spec(c);
    size_t n = podium_collection_format(c, text, sizeof text, name);
    if (n >= sizeof text || strlen(text) != n ||
        podium_collection_parse(&again, back, sizeof back, &error, text, n) != PODIUM_OK)
        return false;
    const podium_spec own = podium_collection_spec(&again);
    return error.line == 77 && strcmp(back, name == NULL ? "" : name) == 0 && same_spec(&own, &spec) &&
           podium_collection_fingerprint(&again) == podium_collection_fingerprint(c) && same_layout(&again, c);
}

static double some_bound(uint64_t *seed) {
    double size = pow(10, 280 * seeded_uniform(seed) - 140);
    return seeded_word(seed) % 8 == 0 ? 0 : seeded_word(seed) % 2 == 0 ? size : -size;
}

/* Random bits, integers and short decimals, as people and programs write them */
static podium_spec some_spec(uint64_t *seed) {
    podium_spec spec = {.mechanism = (podium_mechanism)(seeded_word(seed) % podium_mechanism_count())};
    const podium_parameter_kind parameter = podium_row_of(spec.mechanism)->parameter;
    double a = some_bound(seed), b = some_bound(seed);
    spec.epsilon = fmin(50, fmax(1e-6, pow(10, 7.7 * seeded_uniform(seed) - 6)));
    if (seeded_word(seed) % 3 == 0) {
        a = (double)(int64_t)(seeded_word(seed) % 2000) / 10 - 100;
        b = a + 1 + (double)(seeded_word(seed) % 1000) / 100;
        spec.epsilon = (double)(1 + seeded_word(seed) % 500) / 10;
    }
    spec.min = fmin(a, b);
    spec.max = fmax(a, b);
    if (parameter == PODIUM_PARAMETER_SPREAD)
        spec.spread = seeded_word(seed) % 4 == 0 ? 0.01 * (double)(seeded_word(seed) % 26) : seeded_uniform(seed) / 4;
    if (parameter == PODIUM_PARAMETER_CELLS) /* mostly numbers that are solved at once */
        spec.cells = 2 + (uint32_t)(seeded_word(seed) % (seeded_word(seed) % 8 == 0 ? 65535 : 15));
    return spec;
}

static const char *const names[] = {NULL,
                                    "",
                                    "age",
                                    "income = what one earns # not a comment",
                                    "\xc3\x84lter \xe2\x82\xac \xf0\x9f\x8e\xb2",
                                    "123456789012345678901234567890123456789012345678901234567890123",
                                    "1234567890123456789012345678901234567890123456789012345678901\xc3\xa9"};

static size_t trips(uint64_t seed, int trials) {
    size_t bad = 0, done = 0;
    for (int trial = 0; trial < trials; trial++) {
        podium_spec spec = some_spec(&seed);
        podium_collection c;
        if (podium_collection_init(&c, &spec) != PODIUM_OK)
            continue; /* the range is too narrow, or both bounds are 0 */
        done++;
        bad += !round_trip(&c, names[(size_t)trial % LENGTH(names)]);
    }
    ck_assert_uint_gt(done, (size_t)trials / 2);
    return bad;
}

START_TEST(there_and_back) {
    ck_assert_uint_eq(trips(201, 2000), 0);
}
END_TEST

START_TEST(extremes_there_and_back) { /* the longest numbers, and a zero with a sign */
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, nextafter(1e-6, 1), -nextafter(1e140, 0), 1e-140);
        ck_assert(round_trip(&c, names[5]));
        c = collection_of(m, 0.1 + 0.2, -0.0, 1.0 / 3);
        ck_assert(round_trip(&c, NULL));
    }
}
END_TEST

START_TEST(extreme_parameters) {
    static const uint32_t cells[] = {0, 2, 3, 255, 257, PODIUM_CELLS_MAX};
    const double spreads[] = {-0.0, DBL_TRUE_MIN, DBL_MIN, 0.1, 1 / 12.0, nextafter(0.25, 0), 0.25};
    for (size_t i = 0; i < LENGTH(cells); i++) {
        podium_collection c = minimax_of(0.5, cells[i]);
        ck_assert(round_trip(&c, names[5]));
    }
    for (size_t i = 0; i < LENGTH(spreads); i++) {
        podium_spec spec = {
            .mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 1 / 3.0, .min = -1 / 3.0, .max = 1 / 7.0};
        spec.spread = spreads[i];
        podium_collection c = collection_from(&spec);
        ck_assert(round_trip(&c, names[5]));
    }
}
END_TEST

START_TEST(in_other_locales) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 0.5, -1.25, 2.75);
    char text[PODIUM_COLLECTION_TEXT_MAX];
    enter_locale(odd_locales[_i]);
    podium_collection_format(&c, text, sizeof text, NULL);
    size_t bad = trips(202, 500);
    setlocale(LC_NUMERIC, "C");
    ck_assert_uint_eq(bad, 0);
    ck_assert_ptr_nonnull(strstr(text, "epsilon = 0.5\nmin = -1.25\nmax = 2.75\n"));
}
END_TEST

/* ---- Numbers ---- */

static double some_number(uint64_t *seed) {
    uint64_t word = seeded_word(seed);
    double x;
    memcpy(&x, &word, sizeof x);
    if (word % 4 == 0)
        x = (double)(int64_t)(seeded_word(seed) % 2000000) / 1000 - 1000;
    return word % 16 == 1 ? x * DBL_MIN * DBL_EPSILON : x; /* often too small to be normal */
}

/* The fewest digits that read back as x, in the C locale */
static int fewest_digits(double x) {
    char text[64];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*e", digits, x);
    while (strtod(text, NULL) != x && digits++ < 17);
    return digits + 1;
}

/* Digits before an exponent, without the zeros at both ends */
static int digits_in(const char *text) {
    int digits = 0, counted = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= (counted > 0 ? '0' : '1') && *text <= '9') {
            counted++;
            if (*text != '0')
                digits = counted;
        }
    return digits;
}

static size_t wrong_numbers_in(const char *locale, uint64_t seed, int trials) {
    size_t wrong = 0;
    for (int trial = 0; trial < trials; trial++) {
        char text[PODIUM_NUMBER_TEXT_MAX];
        double x = some_number(&seed), back;
        if (!isfinite(x) || x == 0)
            continue;
        if (locale != NULL)
            enter_locale(locale);
        size_t n = podium_number_format(text, sizeof text, x);
        bool read = podium_number_parse(&back, text, n) == PODIUM_OK;
        setlocale(LC_NUMERIC, "C");
        wrong += n != strlen(text) || !read || !same_bits(back, x) || !same_bits(strtod(text, NULL), x) ||
                 digits_in(text) != fewest_digits(x);
    }
    return wrong;
}

START_TEST(numbers_there_and_back) {
    ck_assert_uint_eq(wrong_numbers_in(NULL, 203, 100000), 0);
    for (size_t i = 0; i < LENGTH(odd_locales); i++)
        ck_assert_uint_eq(wrong_numbers_in(odd_locales[i], 204 + i, 5000), 0);
}
END_TEST

START_TEST(numbers_as_people_write_them) {
    static const struct {
        double x;
        const char *text;
    } known[] = {{0.95, "0.95"},
                 {0, "0"},
                 {-0.0, "-0"},
                 {740, "740"},
                 {1e22, "1e+22"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {-1 / 3.0, "-0.3333333333333333"},
                 {DBL_TRUE_MIN, "5e-324"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {INFINITY, "inf"}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        char text[PODIUM_NUMBER_TEXT_MAX];
        podium_number_format(text, sizeof text, known[i].x);
        ck_assert_str_eq(text, known[i].text);
    }
}
END_TEST

START_TEST(numbers_with_the_locale_s_own_point) { /* No file contains the decimal point of a locale. */
    double x = 77;
    enter_locale(odd_locales[1]);
    ck_assert_int_eq(podium_number_parse(&x, "1\xd9\xab", 3), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(podium_number_parse(&x, "1.5.5", 5), PODIUM_ERROR_TEXT_MALFORMED);
    enter_locale(odd_locales[0]);
    ck_assert_int_eq(podium_number_parse(&x, "1,5", 3), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert(x == 77);
    setlocale(LC_NUMERIC, "C");
}
END_TEST

START_TEST(numbers_of_every_length) { /* Numbers of every length, with a point at every position. */
    for (size_t i = 0; i <= LENGTH(odd_locales); i++)
        for (size_t n = 1; n < 2 * PODIUM_NUMBER_PARSE_MAX; n++) {
            char text[2 * PODIUM_NUMBER_PARSE_MAX];
            double x = 77;
            memset(text, '0', sizeof text);
            text[n / 2] = '.';
            if (i < LENGTH(odd_locales))
                enter_locale(odd_locales[i]);
            bool read = podium_number_parse(&x, text, n) == PODIUM_OK;
            memset(text, '.', n);
            bool dots = podium_number_parse(&x, text, n) != PODIUM_ERROR_TEXT_MALFORMED;
            setlocale(LC_NUMERIC, "C");
            ck_assert(read == (n > 1 && n <= PODIUM_NUMBER_PARSE_MAX) && x == (read ? 0 : 77) && !dots);
        }
}
END_TEST

/* ---- The format itself, which files outlive ---- */

#define GOLDEN                                                                                                         \
    "podium = 1\n"                                                                                                     \
    "name = age\n"                                                                                                     \
    "mechanism = podium\n"                                                                                             \
    "epsilon = 0.1\n"                                                                                                  \
    "min = 1\n"                                                                                                        \
    "max = 120\n"                                                                                                      \
    "fingerprint = a1e002b232eb5f93\n"

START_TEST(golden) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 0.1, 1, 120);
    char text[PODIUM_COLLECTION_TEXT_MAX], expected[PODIUM_COLLECTION_TEXT_MAX];
    snprintf(expected, sizeof expected, "%s%s", head, GOLDEN);
    size_t n = podium_collection_format(&c, text, sizeof text, "age");
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(n, strlen(expected));
}
END_TEST

/* ---- Reading ---- */

/* Parses n bytes at the end of a block of their own, so that a sanitizer detects a read beyond the end. On failure
   the collection must be cleared, and the name untouched. */
static podium_status parse_bytes(const char *text, size_t n, podium_error *error, char name[PODIUM_NAME_MAX]) {
    podium_collection c, cleared;
    char before[PODIUM_NAME_MAX], *copy = malloc(n == 0 ? 1 : n);
    memcpy(copy, text, n);
    memset(&c, 0x5a, sizeof c);
    memset(&cleared, 0, sizeof cleared);
    memset(name, 0x5a, PODIUM_NAME_MAX);
    memcpy(before, name, sizeof before);
    podium_status status = podium_collection_parse(&c, name, PODIUM_NAME_MAX, error, copy, n);
    free(copy);
    if (status != PODIUM_OK)
        ck_assert(memcmp(&c, &cleared, sizeof c) == 0 && memcmp(name, before, PODIUM_NAME_MAX) == 0);
    return status;
}

/* Checks the status, and the line of the error, which is 0 if it is not in one line. Without an error, the fields
   keep 77. */
static void expect(const char *text, podium_status status, uint32_t line) {
    char name[PODIUM_NAME_MAX];
    podium_error error = {.status = (podium_status)77, .line = 77, .column = 77};
    podium_status got = parse_bytes(text, strlen(text), &error, name);
    ck_assert_msg(got == status && error.line == (status == PODIUM_OK ? 77 : line),
                  "%s\ngave \"%s\" in line %u instead of \"%s\" in line %u", text, podium_status_message(got),
                  error.line, podium_status_message(status), line);
    ck_assert_int_eq((int)error.status, status == PODIUM_OK ? 77 : (int)status);
    ck_assert_uint_eq(error.column == 0, status != PODIUM_OK && line == 0); /* line and column are 0 together */
}

/* The golden text with one line changed; lines count from 1 */
static void changed(char text[PODIUM_COLLECTION_TEXT_MAX], int which, const char *replacement) {
    char *at = text;
    int number = 0;
    *text = '\0';
    for (const char *from = GOLDEN; *from != '\0';) {
        const char *end = strchr(from, '\n') + 1;
        bool change = ++number == which;
        at += snprintf(at, PODIUM_COLLECTION_TEXT_MAX - (size_t)(at - text), "%.*s",
                       change ? (int)strlen(replacement) : (int)(end - from), change ? replacement : from);
        from = end;
    }
}

static void expect_changed(int which, const char *replacement, podium_status status, uint32_t line) {
    char text[PODIUM_COLLECTION_TEXT_MAX];
    changed(text, which, replacement);
    expect(text, status, line);
}

enum { VERSION = 1, NAME, MECHANISM, EPSILON, MIN, MAX, FINGERPRINT };

START_TEST(accepted) {
    char name[PODIUM_NAME_MAX];
    expect(GOLDEN, PODIUM_OK, 0);
    expect_changed(0, "", PODIUM_OK, 0);
    expect_changed(NAME, "", PODIUM_OK, 0);
    expect_changed(NAME, "name =\n", PODIUM_OK, 0);
    expect_changed(NAME, "\n   \n\t# a comment = a comment\nname = a\n#\n", PODIUM_OK, 0);
    expect_changed(EPSILON, "epsilon=0.1\n", PODIUM_OK, 0);
    expect_changed(EPSILON, " \tepsilon\t =  +0.100e-0 \t\n", PODIUM_OK, 0);
    expect_changed(EPSILON, "epsilon = .1\n", PODIUM_OK, 0);
    expect_changed(MAX, "max = 1.2E2\n", PODIUM_OK, 0);
    expect_changed(FINGERPRINT, "fingerprint = a1e002b232eb5f93", PODIUM_OK, 0); /* no final newline */
    ck_assert_int_eq(parse_bytes(GOLDEN, strlen(GOLDEN), NULL, name), PODIUM_OK);
    ck_assert_str_eq(name, "age");
}
END_TEST

START_TEST(carriage_returns) {
    char text[PODIUM_COLLECTION_TEXT_MAX], name[PODIUM_NAME_MAX];
    size_t n = 0;
    for (const char *from = GOLDEN; *from != '\0'; from++) {
        if (*from == '\n')
            text[n++] = '\r';
        text[n++] = *from;
    }
    ck_assert_int_eq(parse_bytes(text, n, NULL, name), PODIUM_OK);
    ck_assert_str_eq(name, "age");
}
END_TEST

START_TEST(no_name_wanted) {
    podium_collection c;
    ck_assert_int_eq(podium_collection_parse(&c, NULL, 0, NULL, GOLDEN, strlen(GOLDEN)), PODIUM_OK);
    ck_assert_double_eq(podium_collection_spec(&c).max, 120);
}
END_TEST

START_TEST(any_order_of_lines) {
    expect("fingerprint = a1e002b232eb5f93\nmax = 120\nmin = 1\nepsilon = 0.1\nmechanism = podium\npodium = 1\n",
           PODIUM_OK, 0);
}
END_TEST

START_TEST(wrong_keys) {
    expect("", PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect("\n\n# nothing\n", PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect("an age\n", PODIUM_ERROR_MECHANISM_UNKNOWN, 1); /* one line is a spec */
    expect("an age\nan age\n", PODIUM_ERROR_TEXT_MALFORMED, 1);
    expect("age\n", PODIUM_ERROR_TEXT_MALFORMED, 1);
    for (int which = VERSION; which <= FINGERPRINT; which++)
        if (which != NAME)
            expect_changed(which, "", PODIUM_ERROR_TEXT_MALFORMED, 0); /* a missing line has no line number */
    expect_changed(NAME, "names = age\n", PODIUM_ERROR_TEXT_MALFORMED, 2);
    expect_changed(EPSILON, "Epsilon = 0.1\n", PODIUM_ERROR_TEXT_MALFORMED, 4);
    expect_changed(EPSILON, "= 0.1\n", PODIUM_ERROR_TEXT_MALFORMED, 4);
    expect_changed(EPSILON, "epsilon 0.1\n", PODIUM_ERROR_TEXT_MALFORMED, 4);
    expect_changed(EPSILON, "# skipped\n\nbeta = 1\n", PODIUM_ERROR_TEXT_MALFORMED, 6);
    expect_changed(FINGERPRINT, "garbage", PODIUM_ERROR_TEXT_MALFORMED, 7);
}
END_TEST

START_TEST(twice) {
    static const char *const lines[] = {"podium = 1\n",
                                        "name = age\n",
                                        "mechanism = podium\n",
                                        "epsilon = 0.1\n",
                                        "min = 1\n",
                                        "max = 120\n",
                                        "fingerprint = a1e002b232eb5f93\n"};
    for (size_t i = 0; i < LENGTH(lines); i++) {
        char text[PODIUM_COLLECTION_TEXT_MAX];
        snprintf(text, sizeof text, "%s%s", GOLDEN, lines[i]);
        expect(text, PODIUM_ERROR_TEXT_MALFORMED, 8);
    }
}
END_TEST

START_TEST(wrong_numbers) {
    static const char *const numbers[] = {
        "",    "0x1p-3", "0x1", "nan", "NaN", "inf", "-inf", "infinity", "1,5",      "1.5.5", "1e",  "1e+", "--1",
        "+-1", ".",      "-",   "e5",  "1 2", "1f",  "1_0",  "1d2",      "\xd9\xa1", "1\t1",  "one", "=1",  "1e5e5"};
    for (size_t i = 0; i < LENGTH(numbers); i++)
        for (int which = EPSILON; which <= MAX; which++) {
            static const char *const keys[] = {"epsilon", "min", "max"};
            char line[64];
            snprintf(line, sizeof line, "%s = %s\n", keys[which - EPSILON], numbers[i]);
            expect_changed(which, line, PODIUM_ERROR_TEXT_MALFORMED, (uint32_t)which);
        }
}
END_TEST

START_TEST(long_numbers) {
    char line[300];
    snprintf(line, sizeof line, "min = 1.%0100d\n", 0);
    expect_changed(MIN, line, PODIUM_OK, 0);
    snprintf(line, sizeof line, "min = 1.%0200d\n", 0);
    expect_changed(MIN, line, PODIUM_ERROR_TEXT_MALFORMED, MIN);
}
END_TEST

START_TEST(numbers_that_no_collection_has) { /* The error is in the line of the number. */
    expect_changed(EPSILON, "epsilon = 0\n", PODIUM_ERROR_EPSILON_NOT_POSITIVE, 4);
    expect_changed(EPSILON, "epsilon = 51\n", PODIUM_ERROR_EPSILON_TOO_LARGE, 4);
    expect_changed(EPSILON, "epsilon = 1e-7\n", PODIUM_ERROR_EPSILON_TOO_SMALL, 4);
    expect_changed(EPSILON, "epsilon = 1e999\n", PODIUM_ERROR_EPSILON_NOT_FINITE, 4);
    expect_changed(MAX, "max = 1e999\n", PODIUM_ERROR_RANGE_NOT_FINITE, 6);
    expect_changed(MAX, "max = 1\n", PODIUM_ERROR_RANGE_EMPTY, 6);
    expect_changed(MAX, "max = 1e141\n", PODIUM_ERROR_RANGE_ABSURD, 6);
    expect_changed(MAX, "max = 1.000000001\n", PODIUM_ERROR_RANGE_TOO_NARROW, 6);
    expect_changed(MIN, "min = -1e999\n", PODIUM_ERROR_RANGE_NOT_FINITE, 5);
    expect_changed(MIN, "min = 1e-141\n", PODIUM_ERROR_RANGE_ABSURD, 5);
    expect_changed(MIN, "min = 120\n", PODIUM_ERROR_RANGE_EMPTY, 6);
    expect_changed(MIN, "", PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect_changed(MAX, "\n# a comment\n  max = 1\n", PODIUM_ERROR_RANGE_EMPTY, 8);
    expect_changed(VERSION, "max = 120\npodium = 1\n", PODIUM_ERROR_TEXT_MALFORMED, 7);
    expect_changed(MECHANISM, "mechanism = Podium\n", PODIUM_ERROR_MECHANISM_UNKNOWN, 3);
    expect_changed(MECHANISM, "mechanism = podium-\n", PODIUM_ERROR_MECHANISM_UNKNOWN, 3);
    expect_changed(MECHANISM, "mechanism =\n", PODIUM_ERROR_MECHANISM_UNKNOWN, 3);
}
END_TEST

START_TEST(versions) {
    expect_changed(VERSION, "podium = 2\n", PODIUM_ERROR_VERSION_UNKNOWN, 1);
    expect_changed(VERSION, "podium = 01\n", PODIUM_ERROR_VERSION_UNKNOWN, 1);
    expect_changed(VERSION, "podium = 99999999999999999999\n", PODIUM_ERROR_VERSION_UNKNOWN, 1);
    expect_changed(VERSION, "podium = 1.0\n", PODIUM_ERROR_TEXT_MALFORMED, 1);
    expect_changed(VERSION, "podium = -1\n", PODIUM_ERROR_TEXT_MALFORMED, 1);
    expect_changed(VERSION, "podium =\n", PODIUM_ERROR_TEXT_MALFORMED, 1);
}
END_TEST

START_TEST(edited) { /* The fingerprint is no longer that of the spec. */
    expect_changed(MECHANISM, "mechanism = laplace\n", PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_changed(EPSILON, "epsilon = 0.10000000000000002\n", PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_changed(EPSILON, "epsilon = 10\n", PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_changed(MIN, "min = 0\n", PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_changed(MAX, "max = 121\n", PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_changed(NAME, "name = another age\n", PODIUM_OK, 0); /* the name is not part of the fingerprint */
    expect_changed(FINGERPRINT, "fingerprint = a1e002b232eb5f90\n", PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_changed(FINGERPRINT, "fingerprint = A1E002B232EB5F93\n", PODIUM_ERROR_TEXT_MALFORMED, 7);
    expect_changed(FINGERPRINT, "fingerprint = 1e002b232eb5f93\n", PODIUM_ERROR_TEXT_MALFORMED, 7);
    expect_changed(FINGERPRINT, "fingerprint = 0a1e002b232eb5f93\n", PODIUM_ERROR_TEXT_MALFORMED, 7);
    expect_changed(FINGERPRINT, "fingerprint =\n", PODIUM_ERROR_TEXT_MALFORMED, 7);
}
END_TEST

START_TEST(wrong_names) {
    char line[2 * PODIUM_NAME_MAX];
    snprintf(line, sizeof line, "name = %063d\n", 0);
    expect_changed(NAME, line, PODIUM_OK, 0);
    snprintf(line, sizeof line, "name = %064d\n", 0);
    expect_changed(NAME, line, PODIUM_ERROR_TEXT_MALFORMED, 2);
    expect_changed(NAME, "name = a\x01z\n", PODIUM_ERROR_TEXT_MALFORMED, 2);
    expect_changed(NAME, "name = a\tz\n", PODIUM_ERROR_TEXT_MALFORMED, 2);
    expect_changed(NAME, "name = a\rz\n", PODIUM_ERROR_TEXT_MALFORMED, 2);
    expect_changed(NAME, "name = a\x1bz\n", PODIUM_ERROR_TEXT_MALFORMED, 2);
    expect_changed(NAME, "name = a\x7fz\n", PODIUM_ERROR_TEXT_MALFORMED, 2);
}
END_TEST

/* A 0 byte in place of any byte is an error of that line; after the text it is a line of its own. */
START_TEST(nul_bytes) {
    char text[] = GOLDEN, name[PODIUM_NAME_MAX];
    size_t n = sizeof text - 1, number = 1;
    podium_error error;
    for (size_t i = 0; i < n; i++) {
        char byte = text[i];
        text[i] = '\0';
        ck_assert_int_ne(parse_bytes(text, n, &error, name), PODIUM_OK);
        ck_assert_uint_eq(error.line, number);
        text[i] = byte;
        number += byte == '\n';
    }
    ck_assert_int_eq(parse_bytes(text, n + 1, &error, name), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_uint_eq(error.line, 8);
}
END_TEST

START_TEST(every_truncation) { /* Only a text that lacks no more than the last newline is complete. */
    char name[PODIUM_NAME_MAX];
    for (size_t n = 0; n < strlen(GOLDEN) - 1; n++)
        ck_assert_int_ne(parse_bytes(GOLDEN, n, NULL, name), PODIUM_OK);
}
END_TEST

/* ---- Where it is wrong, and which key ---- */

typedef struct {
    int which;
    const char *replacement;
    podium_status status;
    uint32_t line, column;
    const char *field;
} fault;

START_TEST(faults_are_located) {
    static const fault faults[] = {
        {VERSION, "podium = x\n", PODIUM_ERROR_TEXT_MALFORMED, 1, 1, "podium"},
        {VERSION, "podium = 2\n", PODIUM_ERROR_VERSION_UNKNOWN, 1, 1, "podium"},
        {VERSION, "", PODIUM_ERROR_TEXT_MALFORMED, 0, 0, "podium"},
        {NAME, "  nam = age\n", PODIUM_ERROR_TEXT_MALFORMED, 2, 3, "nam"},
        {NAME, "\t name = a\tz\n", PODIUM_ERROR_TEXT_MALFORMED, 2, 3, "name"},
        {NAME, "\n\n    an age\n", PODIUM_ERROR_TEXT_MALFORMED, 4, 5, "an age"},
        {NAME, " = age\n", PODIUM_ERROR_TEXT_MALFORMED, 2, 2, ""},
        {MECHANISM, "mechanism = laplacian\n", PODIUM_ERROR_MECHANISM_UNKNOWN, 3, 1, "mechanism"},
        {MECHANISM, "mechanism = podium\nmechanism = podium\n", PODIUM_ERROR_TEXT_MALFORMED, 4, 1, "mechanism"},
        {EPSILON, "epsilon\t= one\n", PODIUM_ERROR_TEXT_MALFORMED, 4, 1, "epsilon"},
        {EPSILON, "epsilon = 60\n", PODIUM_ERROR_EPSILON_TOO_LARGE, 4, 1, "epsilon"},
        {EPSILON, "", PODIUM_ERROR_TEXT_MALFORMED, 0, 0, "epsilon"},
        {MIN, "", PODIUM_ERROR_TEXT_MALFORMED, 0, 0, "min"},
        {MIN, " min = 0x1\n", PODIUM_ERROR_TEXT_MALFORMED, 5, 2, "min"},
        {MIN, "  min = 1e200\n", PODIUM_ERROR_RANGE_EMPTY, 6, 1, "range"},
        {MIN, "  min = -1e200\n", PODIUM_ERROR_RANGE_ABSURD, 5, 3, "range"},
        {MAX, "max = 1\n", PODIUM_ERROR_RANGE_EMPTY, 6, 1, "range"},
        {MAX, "max = 120\nspread = 0.1\n", PODIUM_ERROR_TEXT_MALFORMED, 0, 0, "spread"},
        {FINGERPRINT, "fingerprint = 0123456789abcdef\n", PODIUM_ERROR_FINGERPRINT_WRONG, 0, 0, "fingerprint"},
        {FINGERPRINT, "", PODIUM_ERROR_TEXT_MALFORMED, 0, 0, "fingerprint"},
        {FINGERPRINT, "a key that is far too long to be told in full = 1\n", PODIUM_ERROR_TEXT_MALFORMED, 7, 1,
         "a key that is far too long to b"},
    };
    for (size_t i = 0; i < LENGTH(faults); i++) {
        const fault *f = &faults[i];
        char text[PODIUM_COLLECTION_TEXT_MAX], name[PODIUM_NAME_MAX];
        podium_error error;
        memset(&error, 0x5a, sizeof error);
        changed(text, f->which, f->replacement);
        ck_assert_int_eq(parse_bytes(text, strlen(text), &error, name), f->status);
        ck_assert_int_eq(error.status, f->status);
        ck_assert_msg(error.line == f->line && error.column == f->column, "%s: line %u, column %u", f->replacement,
                      error.line, error.column);
        ck_assert_str_eq(error.field, f->field);
    }
}
END_TEST

START_TEST(names_that_do_not_fit) {
    podium_collection c, cleared;
    podium_error error;
    char name[] = "####";
    memset(&cleared, 0, sizeof cleared);
    ck_assert_int_eq(podium_collection_parse(&c, name, 4, NULL, GOLDEN, strlen(GOLDEN)), PODIUM_OK);
    ck_assert_str_eq(name, "age");
    for (size_t capacity = 0; capacity < 4; capacity++) {
        memcpy(name, "####", 4);
        podium_status status = podium_collection_parse(&c, name, capacity, &error, GOLDEN, strlen(GOLDEN));
        ck_assert_int_eq(status, PODIUM_ERROR_BUFFER_TOO_SMALL);
        ck_assert(error.status == status && error.line == 0 && strcmp(error.field, "name") == 0);
        ck_assert(memcmp(name, "####", 4) == 0 && memcmp(&c, &cleared, sizeof c) == 0);
    }
}
END_TEST

/* ---- The mechanism's own parameter ---- */

#define TUNED(parameter)                                                                                               \
    "podium = 1\nmechanism = podium-tuned\nepsilon = 2\nmin = 0\nmax = 1\n" parameter "fingerprint = "
#define MINIMAX(parameter)                                                                                             \
    "podium = 1\nmechanism = minimax\nepsilon = 0.5\nmin = 0\nmax = 1\n" parameter "fingerprint = "

static uint64_t tuned_print(double spread) {
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 2, .min = 0, .max = 1, .spread = spread};
    podium_collection c = collection_from(&spec);
    return podium_collection_fingerprint(&c);
}

static uint64_t minimax_print(uint32_t cells) {
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 0.5, .min = 0, .max = 1, .cells = cells};
    podium_collection c = collection_from(&spec);
    return podium_collection_fingerprint(&c);
}

static void expect_printed(const char *text, uint64_t print, podium_status status, uint32_t line) {
    char whole[PODIUM_COLLECTION_TEXT_MAX];
    snprintf(whole, sizeof whole, "%s%016llx\n", text, (unsigned long long)print);
    expect(whole, status, line);
}

START_TEST(parameters) { /* A parameter is accepted only for its mechanism and only once, and has the written value. */
    uint64_t tuned = tuned_print(0.125), minimax = minimax_print(16);
    expect_printed(TUNED("spread = 0.125\n"), tuned, PODIUM_OK, 0);
    expect_printed(TUNED("spread = +1.25e-1\n"), tuned, PODIUM_OK, 0);
    expect_printed(TUNED("spread = 0.126\n"), tuned, PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_printed(TUNED(""), tuned_print(0), PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect_printed(TUNED("cells = 16\n"), tuned_print(0), PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect_printed(TUNED("spread = 0.125\ncells = 16\n"), tuned, PODIUM_ERROR_TEXT_MALFORMED, 7);
    expect_printed(TUNED("spread = 0.125\nspread = 0.125\n"), tuned, PODIUM_ERROR_TEXT_MALFORMED, 7);
    expect_printed(TUNED("spread = a\n"), tuned, PODIUM_ERROR_TEXT_MALFORMED, 6);
    expect_printed(TUNED("spread = 0.26\n"), tuned, PODIUM_ERROR_SPREAD_WRONG, 6);
    expect_printed(TUNED("spread = -0.1\n"), tuned, PODIUM_ERROR_SPREAD_WRONG, 6);
    expect_printed(MINIMAX("cells = 16\n"), minimax, PODIUM_OK, 0);
    expect_printed(MINIMAX("cells = 17\n"), minimax, PODIUM_ERROR_FINGERPRINT_WRONG, 0);
    expect_printed(MINIMAX(""), minimax_print(0), PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect_printed(MINIMAX("spread = 0\n"), minimax_print(0), PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect_printed(MINIMAX("cells = 16\nspread = 0\n"), minimax, PODIUM_ERROR_TEXT_MALFORMED, 7);
    expect_printed(MINIMAX("cells = 16\ncells = 16\n"), minimax, PODIUM_ERROR_TEXT_MALFORMED, 7);
    /* Podium does not have it, even if it is 0. */
    expect_changed(MAX, "max = 120\nspread = 0\n", PODIUM_ERROR_TEXT_MALFORMED, 0);
    expect_changed(MAX, "max = 120\ncells = 256\n", PODIUM_ERROR_TEXT_MALFORMED, 0);
}
END_TEST

START_TEST(wrong_cells) {
    static const char *const lines[] = {"cells = 0\n",          "cells = -16\n",  "cells = 16.5\n",
                                        "cells = 4294967296\n", "cells = 1e10\n", "cells =\n",
                                        "cells = 4294967312\n", "cells = x\n"};
    for (size_t i = 0; i < LENGTH(lines); i++) {
        char text[PODIUM_COLLECTION_TEXT_MAX];
        snprintf(text, sizeof text, "podium = 1\nmechanism = minimax\n%s", lines[i]);
        expect(text, PODIUM_ERROR_TEXT_MALFORMED, 3);
    }
    expect_printed(MINIMAX("cells = 1\n"), 0, PODIUM_ERROR_CELLS_WRONG, 6);
    expect_printed(MINIMAX("cells = 65537\n"), 0, PODIUM_ERROR_CELLS_WRONG, 6);
    expect_printed(MINIMAX("cells = 4294967295\n"), 0, PODIUM_ERROR_CELLS_WRONG, 6);
}
END_TEST

START_TEST(golden_parameters) {
    podium_collection c = minimax_of(0.5, 0);
    char text[PODIUM_COLLECTION_TEXT_MAX];
    podium_collection_format(&c, text, sizeof text, NULL);
    ck_assert_ptr_nonnull(strstr(text, "mechanism = minimax\nepsilon = 0.5\nmin = -0.5\nmax = 0.5\ncells = 256\n"
                                       "fingerprint = dd29513f285edc87\n"));
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 2, .min = 0, .max = 1, .spread = 0.1};
    c = collection_from(&spec);
    podium_collection_format(&c, text, sizeof text, NULL);
    ck_assert_ptr_nonnull(strstr(text, "mechanism = podium-tuned\nepsilon = 2\nmin = 0\nmax = 1\nspread = 0.1\n"
                                       "fingerprint = 5349a04568ac931a\n"));
}
END_TEST

/* ---- Fingerprints ---- */

static uint64_t fingerprint(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_collection c = collection_of(mechanism, epsilon, min, max);
    return podium_collection_fingerprint(&c);
}

START_TEST(fingerprints_differ) {
    static uint64_t all[2000];
    size_t n = 0, equal = 0;
    const double three[] = {1, nextafter(1, 2), 2}, low[] = {-1, nextafter(-1, 0), 0, 0.5},
                 high[] = {3, nextafter(3, 4), 1e9, 120};
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; podium_row_of(m)->revision == 0 && e < 3; e++) /* solving for a map takes long */
            for (size_t i = 0; i < 4; i++)
                for (size_t k = 0; k < 4; k++)
                    all[n++] = fingerprint(m, three[e], low[i], high[k]);
    all[n++] = tuned_print(0.1), all[n++] = tuned_print(nextafter(0.1, 1));
    all[n++] = minimax_print(16), all[n++] = minimax_print(17);
    ck_assert(n >= 8 * 3 * 4 * 4 + 4 && n <= LENGTH(all));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            equal += all[i] == all[k];
    ck_assert_uint_eq(equal, 0);
}
END_TEST

START_TEST(zero_is_zero) {
    FOR_EACH_MECHANISM (m) {
        ck_assert_uint_eq(fingerprint(m, 1, 0, 1), fingerprint(m, 1, -0.0, 1));
        ck_assert_uint_eq(fingerprint(m, 1, -1, 0), fingerprint(m, 1, -1, -0.0));
        ck_assert_uint_ne(fingerprint(m, 1, 0, 1), fingerprint(m, 1, -1, 0));
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("text");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, there_and_back);
    tcase_add_test(tests, extremes_there_and_back);
    tcase_add_test(tests, extreme_parameters);
    tcase_add_loop_test(tests, in_other_locales, 0, LENGTH(odd_locales));
    tcase_add_test(tests, numbers_there_and_back);
    tcase_add_test(tests, numbers_as_people_write_them);
    tcase_add_test(tests, numbers_with_the_locale_s_own_point);
    tcase_add_test(tests, numbers_of_every_length);
    tcase_add_test(tests, golden);
    tcase_add_test(tests, accepted);
    tcase_add_test(tests, carriage_returns);
    tcase_add_test(tests, no_name_wanted);
    tcase_add_test(tests, any_order_of_lines);
    tcase_add_test(tests, wrong_keys);
    tcase_add_test(tests, twice);
    tcase_add_test(tests, wrong_numbers);
    tcase_add_test(tests, long_numbers);
    tcase_add_test(tests, numbers_that_no_collection_has);
    tcase_add_test(tests, versions);
    tcase_add_test(tests, edited);
    tcase_add_test(tests, wrong_names);
    tcase_add_test(tests, nul_bytes);
    tcase_add_test(tests, every_truncation);
    tcase_add_test(tests, faults_are_located);
    tcase_add_test(tests, names_that_do_not_fit);
    tcase_add_test(tests, parameters);
    tcase_add_test(tests, wrong_cells);
    tcase_add_test(tests, golden_parameters);
    tcase_add_test(tests, fingerprints_differ);
    tcase_add_test(tests, zero_is_zero);
    return run_tests("text", tests);
}
