/*
 * The program's numbers compared with the C library's. Reading agrees with strtod to the bit, writing agrees with
 * printf to the byte, and a written report is read as its own cell, with no more decimals than needed. NUMBER_STRINGS
 * is how many million strings are tried; half of them are all short ones, or an even sample of those.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <check.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#ifdef _WIN32
#include <windows.h>
#undef near /* a word of 16-bit compilers */
#else
#include <sys/mman.h>
#endif

#include "table/number.h"
#include "number_oracle.h"
#include "support.h"

/* ck_assert reports every success to its parent process, which takes longer than all of these tests. */
#define REQUIRE(condition, ...)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
    } while (0)

#define WORKERS 2
#define STRINGS (NUMBER_STRINGS * 1000000 / 2 / WORKERS) /* of each kind, for each worker */

/* ---- Strings ---- */

/* A number below 2^128, least significant limb first. wide.h could be used, but would be too slow for 200 million
   numbers. */
typedef struct {
    uint32_t limb[4];
} natural;

static natural natural_from(uint64_t value) {
    return (natural){{(uint32_t)value, (uint32_t)(value >> 32)}};
}

static natural times_plus(natural a, uint32_t factor, uint32_t plus) {
    uint64_t carry = plus;
    for (int i = 0; i < 4; i++, carry >>= 32) {
        carry += (uint64_t)a.limb[i] * factor;
        a.limb[i] = (uint32_t)carry;
    }
    return a;
}

static natural times_power_of_five(natural a, size_t n) {
    for (; n >= 13; n -= 13)
        a = times_plus(a, 1220703125, 0);
    while (n-- > 0)
        a = times_plus(a, 5, 0);
    return a;
}

static natural shift_right(natural a, size_t bits) {
    natural r = {{0}};
    for (size_t i = 0; i + bits / 32 < 4; i++) {
        uint64_t two = a.limb[i + bits / 32] | (uint64_t)(i + bits / 32 < 3 ? a.limb[i + bits / 32 + 1] : 0) << 32;
        r.limb[i] = (uint32_t)(two >> bits % 32);
    }
    return r;
}

/* Divides by 10^9 and returns the rest. */
static uint32_t next_nine(natural *a) {
    uint64_t rest = 0;
    for (int i = 4; i-- > 0; rest %= 1000000000) {
        rest = rest << 32 | a->limb[i];
        a->limb[i] = (uint32_t)(rest / 1000000000);
    }
    return (uint32_t)rest;
}

static size_t digits_of(char *to, natural value) {
    char reversed[40];
    size_t n = 0;
    while ((value.limb[1] | value.limb[2] | value.limb[3]) > 0) {
        uint32_t nine = next_nine(&value);
        for (int i = 0; i < 9; i++, nine /= 10)
            reversed[n++] = (char)('0' + (int)(nine % 10));
    }
    uint32_t rest = value.limb[0];
    do
        reversed[n++] = (char)('0' + (int)(rest % 10));
    while ((rest /= 10) > 0);
    for (size_t i = 0; i < n; i++)
        to[i] = reversed[n - 1 - i];
    return n;
}

/* Writes the digits with a point before the last `decimals` of them, adds zeros if there are too few, and sometimes
   a sign. */
static void compose(string *s, const char *digits, size_t n, size_t decimals, uint64_t random) {
    s->n = 0;
    if (random % 4 == 0)
        s->text[s->n++] = random % 8 == 0 ? '-' : '+';
    for (size_t i = n > decimals ? n : decimals; i-- > 0;) {
        if (i + 1 == decimals)
            s->text[s->n++] = '.';
        s->text[s->n++] = i < n ? digits[n - 1 - i] : '0';
    }
    if (decimals == 0 && random % 64 == 1)
        s->text[s->n++] = '.';
}

static void any_digits(string *s, uint64_t *seed) {
    char digits[48];
    uint64_t random = seeded_word(seed), word = 0;
    size_t n = (size_t)(1 + random % 25), zeros = random >> 8 & 15;
    for (size_t i = 0; i < n; i++) {
        word = i % 16 == 0 ? seeded_word(seed) : word >> 4;
        digits[i] = (char)('0' + (word & 15) % 10);
    }
    if (zeros < 4) /* adds zeros in front, at the end, or both */
        memset(digits, '0', n * zeros / 3);
    else if (zeros < 6)
        memset(digits + n / 2, zeros == 4 ? '0' : '9', n - n / 2);
    compose(s, digits, n, (size_t)(random >> 16) % (n + 4), random >> 24);
}

/* A number near the middle between two doubles: (2m + 1) 2^-k, truncated after some decimals, or the next one after
   it */
static void near_halfway(string *s, uint64_t *seed) {
    char digits[48];
    uint64_t random = seeded_word(seed), middle = (seeded_word(seed) >> 11 | (uint64_t)1 << 53) | 1;
    size_t decimals = (size_t)(random % 28), shift = (size_t)(random >> 8) % 128; /* k is larger by decimals */
    natural value = shift_right(times_power_of_five(natural_from(middle), decimals), shift);
    compose(s, digits, digits_of(digits, times_plus(value, 1, random >> 16 & 1)), decimals, random >> 24);
}

/* The middle between two doubles, or one unit of the last decimal beside it, sometimes followed by three more
   decimals, 000 or 001 */
static void halfway(string *s, uint64_t *seed) {
    char digits[64];
    uint64_t random = seeded_word(seed), middle = (seeded_word(seed) >> 11 | (uint64_t)1 << 53) | 1;
    size_t decimals = (size_t)(random % 12), left = (size_t)(random >> 8) % 10, more = random >> 16 & 7;
    natural value = times_power_of_five(natural_from(middle << (decimals == 0 ? left : 0)), decimals);
    value.limb[0]--; /* not 0, because the middle is odd */
    size_t n = digits_of(digits, times_plus(value, 1, (uint32_t)((random >> 24) % 3)));
    if (decimals > 0 && more < 2) {
        memcpy(digits + n, more == 0 ? "000" : "001", 3);
        n += 3;
        decimals += 3;
    }
    compose(s, digits, n, decimals, random >> 32);
}

/* Doubles of every size, mostly ordinary ones, with the 17 digits that identify them or with fewer */
static void full_double(string *s, uint64_t *seed) {
    uint64_t random = seeded_word(seed);
    int exponent = random % 8 == 0 ? (int)(random >> 8 & 2047) - 1023 : (int)(random >> 8 & 63) - 32;
    double x = ldexp(1 + seeded_uniform(seed), exponent);
    if (exponent > -10 && exponent < 50 && random >> 20 & 1) {
        int before = 1 + (int)fmax(floor(log10(x)), 0);
        s->n = (size_t)snprintf(s->text, sizeof s->text, "%.*f", 17 - before, x);
    } else
        s->n = (size_t)snprintf(s->text, 128, "%.*g", 15 + (int)((random >> 24) % 3), x);
}

/* Other texts that people and programs write, including some that are not numbers */
static void anything(string *s, uint64_t *seed) {
    static const char bytes[] = "0123456789012345678901234567890123456789..++--eE  \t,x/:\377";
    uint64_t random = seeded_word(seed);
    s->n = (size_t)(random % 1024 < 8 ? 110 + (random >> 10) % 40 : (random >> 10) % 14);
    for (size_t i = 0; i < s->n; i++)
        s->text[i] = bytes[seeded_word(seed) % (s->n > 100 ? 40 : sizeof bytes)];
    if (s->n > 0 && random >> 20 & 1) {
        s->text[0] = '+';
        s->text[s->n / 2] = '.';
    }
}

static void one_of(string *s, uint64_t *seed) {
    static void (*const kinds[])(string *, uint64_t *) = {any_digits,   any_digits,   any_digits, any_digits,
                                                          near_halfway, near_halfway, halfway,    anything};
    uint64_t random = seeded_word(seed);
    (random % 64 == 0 ? full_double : kinds[random >> 8 & 7])(s, seed);
}

/* ---- Reading ---- */

typedef struct {
    pthread_t thread;
    uint64_t number;
    bool failed;
    string bad;
} worker;

static void *read_many(void *context) {
    worker *w = context;
    uint64_t seed = 500 + w->number;
    for (uint64_t i = 0; i < STRINGS && !w->failed; i++) {
        one_of(&w->bad, &seed);
        size_t n = w->bad.n;
        w->failed = !reads_alike(&w->bad);
        w->bad.n = n;
    }
    return NULL;
}

/* 0.000 to 99999.999, and without zeros in front or at the end */
static void short_number(string *s, uint64_t number) {
    char digits[16];
    size_t decimals = 3;
    for (; number % 10 == 0 && decimals > 0 && number % 3 == 0; decimals--)
        number /= 10;
    compose(s, digits, digits_of(digits, natural_from(number)), decimals, number + decimals);
    if (number % 2 == 0 && s->text[0] == '0' && s->n > 1)
        memmove(s->text, s->text + 1, --s->n);
}

static void *read_short(void *context) {
    worker *w = context;
    const uint64_t all = 100000000, count = WORKERS * (uint64_t)STRINGS, step = all <= count ? 1 : all / count;
    for (uint64_t i = w->number; i * step < all && !w->failed; i += WORKERS) {
        double x;
        short_number(&w->bad, i * step + i % step);
        w->bad.text[w->bad.n] = '\n'; /* ends the number for number_scan and for strtod */
        const char *end = number_scan(&x, w->bad.text, w->bad.text + sizeof w->bad.text);
        w->failed = end != w->bad.text + w->bad.n || !same_number(x, strtod(w->bad.text, NULL));
    }
    return NULL;
}

static void work(void *(*job)(void *)) {
    static worker workers[WORKERS];
    for (uint64_t i = 0; i < WORKERS; i++) {
        workers[i] = (worker){.number = i};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, job, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        ck_assert_msg(!workers[i].failed, "'%.*s' is read otherwise", (int)workers[i].bad.n, workers[i].bad.text);
    }
}

START_TEST(strings_read_as_by_strtod) {
    work(read_many);
}
END_TEST

START_TEST(short_strings_read_as_by_strtod) {
    work(read_short);
}
END_TEST

static void check_read(const char *text) {
    string s = {.n = strlen(text)};
    memcpy(s.text, text, s.n);
    REQUIRE(reads_alike(&s), "'%s' is read otherwise", text);
}

START_TEST(special_strings) {
    static const char *const texts[] = {"",
                                        " ",
                                        ".",
                                        "+",
                                        "-",
                                        "+.",
                                        "-.",
                                        "..",
                                        "0",
                                        "-0",
                                        "+0",
                                        "-0.",
                                        "-.0",
                                        "00",
                                        "5.",
                                        ".5",
                                        "-5.",
                                        "+.5",
                                        "1.2.3",
                                        "1..2",
                                        "--1",
                                        "+-1",
                                        "1-",
                                        "1+",
                                        "e",
                                        "1e",
                                        "e1",
                                        "1e5",
                                        "1E-5",
                                        "1.e+5",
                                        ".e5",
                                        "1e999",
                                        "1e-999",
                                        "-1e-400",
                                        " 12",
                                        "12\t ",
                                        "\t -12.5 ",
                                        "1 2",
                                        "0x10",
                                        "inf",
                                        "nan",
                                        "1,5",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9007199254740993.",
                                        "9007199254740993.0",
                                        "9007199254740993.00000000000000",
                                        "9007199254740992.999",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999",
                                        "9223372036854775807.9",
                                        "0.0000000000000000000000000",
                                        "-0.000000000000000000000000000",
                                        "0.0000000000000000000000000000",
                                        "0.000000000000000000000000001",
                                        "0.00000000000000000000000000001",
                                        "9999999.999999999999",
                                        "00000000000000000000000000000001",
                                        "0000000000000000000000000000001.5",
                                        "0000000000000000000000000000000.5",
                                        "140737488355327",
                                        "140737488355328",
                                        "1.40737488355327",
                                        "1.40737488355328",
                                        "0.500000000000000166533453694"};
    for (size_t i = 0; i < LENGTH(texts); i++)
        check_read(texts[i]);
    for (int power = -70; power <= 70; power++)
        for (int side = -1; side <= 1; side++)
            for (int decimals = 0; decimals <= 30; decimals++)
                for (int ten = 0; ten < 2; ten++) {
                    char text[256];
                    double x = ten ? pow(10, power / 4.0) : ldexp(1, power); /* and what is between */
                    x = side == 0 ? x : nextafter(x, side < 0 ? -INFINITY : INFINITY);
                    snprintf(text, sizeof text, "%.*f", decimals, x);
                    check_read(text);
                    snprintf(text, sizeof text, "%.*g", decimals, x);
                    check_read(text);
                }
}
END_TEST

/* Returns memory of which the second half cannot be read. */
static char *half_readable(size_t half) {
#ifdef _WIN32
    DWORD before;
    char *memory = VirtualAlloc(NULL, 2 * half, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    ck_assert_ptr_nonnull(memory);
    ck_assert(VirtualProtect(memory + half, half, PAGE_NOACCESS, &before));
#else
    char *memory = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    ck_assert_int_eq(mprotect(memory + half, half, PROT_NONE), 0);
#endif
    return memory;
}

START_TEST(nothing_beyond_the_limit_is_read) {
    const size_t page = 65536;
    char *memory = half_readable(page);
    uint64_t seed = 502;
    for (int i = 0; i < 1000000; i++) {
        string s;
        double x = 7, right = 7;
        size_t more = seeded_word(&seed) % 64;
        any_digits(&s, &seed);
        char *text = memory + page - s.n - more;
        memset(text, ',', s.n + more);
        memcpy(text, s.text, s.n);
        REQUIRE(expected(&right, s.text, s.n), "no number");
        const char *end = number_scan(&x, text, memory + page);
        REQUIRE(end == NULL || (end == text + s.n && same_number(x, right)), "scanned otherwise at the end");
        REQUIRE(number_read(&x, text, s.n) && same_number(x, right), "read otherwise at the end");
    }
}
END_TEST

/* ---- Writing ---- */

static void check_write(double x, int decimals) {
    char right[NUMBER_TEXT_MAX + 8], to[NUMBER_TEXT_MAX + 8];
    memset(to + NUMBER_TEXT_MAX, '#', 8);
    size_t n = (size_t)snprintf(right, sizeof right, "%.*f", decimals, x);
    REQUIRE(number_write(to, x, decimals) == n && memcmp(to, right, n) == 0, "%a with %d decimals is not '%.*s'", x,
            decimals, (int)n, to);
    REQUIRE(memcmp(to + NUMBER_TEXT_MAX, "########", 8) == 0, "%a with %d decimals is too long", x, decimals);
}

/* Doubles of every size, and doubles of few binary digits, which are in the middle between two decimals */
static double some_double(uint64_t *seed) {
    uint64_t random = seeded_word(seed);
    double x = podium_double_of(seeded_word(seed));
    if (random % 16 > 0)
        x = ldexp(1 + seeded_uniform(seed), (int)(random >> 8 & 127) - (random & 32 ? 64 : 32));
    if (random % 16 > 9)
        x = (seeded_uniform(seed) - 0.5) * 1000;
    if (random % 16 > 11)
        x = ldexp((double)(seeded_word(seed) >> (random >> 16 & 63)), -(int)(random >> 24 & 31));
    return random >> 40 & 1 ? x : -x;
}

START_TEST(written_as_by_printf) {
    uint64_t seed = 503;
    for (long i = 0; i < NUMBER_STRINGS * 100000L; i++) {
        double x = some_double(&seed);
        check_write(x, (int)(seeded_word(&seed) % (NUMBER_DECIMALS_MAX + 1)));
    }
    for (int d = 0; d <= NUMBER_DECIMALS_MAX; d++) {
        static const double special[] = {
            0,       DBL_TRUE_MIN, DBL_MIN, DBL_MAX, INFINITY,           NAN,  0x1p52,           0x1p53, 0x1p63,
            0x1p-11, 0x1p-12,      0x1p-13, 0x1p-60, 8191.9999999999999, 8192, 9999.99999999999, 10000};
        for (size_t i = 0; i < LENGTH(special); i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                check_write(sign * special[i], d);
                check_write(sign * nextafter(special[i], 0), d);
                check_write(sign * nextafter(special[i], INFINITY), d);
            }
        for (int k = 0; k <= 18; k++) { /* 0.5, 0.05 ..., 0.9995, and those next to them */
            double half = pow(10, -k) / 2, ones = pow(10, k % 5) - half;
            for (int i = 0; i < 3; i++, half = nextafter(half, i), ones = nextafter(ones, (1 - i) * 1e6)) {
                check_write(half, d);
                check_write(ones, d);
            }
        }
    }
}
END_TEST

/* ---- Reports ---- */

static double report_of(const podium_collection *c, uint32_t cell) {
    double report;
    ck_assert_int_eq(podium_collection_reports(c, &report, &cell, 1), PODIUM_OK);
    return report;
}

static bool is_of(const podium_collection *c, uint32_t cell, double report) {
    const podium_layout *layout = podium_layout_of(c);
    const podium_map *map = podium_map_of(layout);
    uint32_t read;
    return map->cell(layout, &read, (report - layout->first) / layout->spacing) &&
           map->worth(layout, read) == map->worth(layout, cell);
}

/* Returns whether a report that is written in this format and read again still has the worth of its cell. */
static bool survives(const podium_collection *c, uint32_t cell, number_format format, double *read) {
    char text[NUMBER_TEXT_MAX];
    size_t n = number_write_report(text, report_of(c, cell), format);
    REQUIRE(number_read(read, text, n), "'%.*s' is no number", (int)n, text);
    return is_of(c, cell, *read);
}

static uint32_t some_cell(const podium_collection *c, uint64_t *seed, int i) {
    const uint64_t cells = podium_collection_cells(c), last = cells - 1;
    const uint64_t near = (uint64_t)i / 2 < last ? (uint64_t)i / 2 : last;
    return (uint32_t)(i >= 64 ? seeded_word(seed) % cells : i % 2 == 0 ? near : last - near);
}

/* Checks each report, and the aggregate of all. Returns how many would not survive with one decimal less. */
static int check_reports(const podium_collection *c, uint64_t *seed, int count) {
    const podium_spec spec = podium_collection_spec(c);
    const double support = podium_collection_most(c) - podium_collection_least(c);
    number_format format = number_format_for(c), less = {format.fixed, format.digits - 1};
    static podium_aggregate of_text, of_cells;
    int lost = 0;
    podium_aggregate_init(c, &of_text);
    podium_aggregate_init(c, &of_cells);
    for (int i = 0; i < count; i++) {
        uint32_t cell = some_cell(c, seed, i);
        double read, nearly = support * 0.501e-9 + fabs(report_of(c, cell)) * DBL_EPSILON;
        REQUIRE(survives(c, cell, format, &read) && fabs(read - report_of(c, cell)) <= nearly,
                "%s, epsilon %g, %g:%g: cell %u is lost with %d digits", podium_mechanism_name(spec.mechanism),
                spec.epsilon, spec.min, spec.max, cell, format.digits);
        REQUIRE(podium_aggregate_add(c, &of_text, &read, 1) == PODIUM_OK &&
                    podium_aggregate_add_cells(c, &of_cells, &cell, 1) == PODIUM_OK,
                "not added");
        lost += format.digits > 0 && !survives(c, cell, less, &read);
    }
    ck_assert(memcmp(&of_text, &of_cells, sizeof of_text) == 0);
    return lost;
}

static const double some_epsilons[] = {0.01, 0.1, 0.5, 1, 3, 8, 20};
#define CELLS (1000 + NUMBER_STRINGS * 100)

START_TEST(reports_are_read_as_their_cells) {
    static const double ranges[][2] = {{0, 1},        {1, 120},   {-1e6, 1e6},      {1e9, 1e9 + 1e5},
                                       {0, 1e-6},     {-1, 1e12}, {1e-130, 2e-130}, {-1e-139, 1e-140},
                                       {-3e20, 1e20}, {0, 1e13},  {-1e139, 1e139}};
    uint64_t seed = 504;
    double rounding = 0;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(some_epsilons); e++)
            for (size_t r = 0; r < LENGTH(ranges); r++) {
                if (podium_row_of(m)->revision > 0 && (e + r) % 4 != 0) /* solving for a map takes long */
                    continue;
                podium_collection c = collection_of(m, some_epsilons[e], ranges[r][0], ranges[r][1]);
                int lost = check_reports(&c, &seed, CELLS);
                bool fine = podium_collection_cells(&c) > PODIUM_CELLS_MAX && number_format_for(&c).digits > 0;
                ck_assert_msg(!fine || lost > 0, "%s, epsilon %g, %g:%g: a decimal less would do",
                              podium_mechanism_name(m), some_epsilons[e], ranges[r][0], ranges[r][1]);
                rounding += fine;
            }
    ck_assert_double_gt(rounding, 300);
}
END_TEST

/* The narrowest range of each mechanism, for which the rounding of doubles matters. */
START_TEST(reports_of_narrow_ranges) {
    uint64_t seed = 505;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(some_epsilons); e++) {
            double from = pow(10, 2 * (double)e), width = from / 1e5;
            podium_spec spec = spec_of(m, some_epsilons[e], from, from + width);
            podium_collection narrowest = collection_from(&spec), c; /* init clears the collection if it fails */
            for (; podium_collection_init(&c, &spec) == PODIUM_OK; spec.max = from + width) {
                narrowest = c;
                width *= 0.6;
            }
            check_reports(&narrowest, &seed, CELLS);
        }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("number");
    tcase_set_timeout(tests, 600);
    /* The quickest first, because tests/planted stops at the first failure */
    tcase_add_test(tests, special_strings);
    tcase_add_test(tests, nothing_beyond_the_limit_is_read);
    tcase_add_test(tests, reports_of_narrow_ranges);
    tcase_add_test(tests, reports_are_read_as_their_cells);
    tcase_add_test(tests, written_as_by_printf);
    tcase_add_test(tests, strings_read_as_by_strtod);
    tcase_add_test(tests, short_strings_read_as_by_strtod);
    return run_tests("number", tests);
}
