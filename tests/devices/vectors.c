/*
 * Test vectors: what the library computes for many specs, values and random bytes, as lines of text. They are the same
 * on every machine, so a machine that computes another line has an error. Nothing here rounds, so that the compiler's
 * floating point cannot make the inputs differ: numbers are given by their bits, and sums of them are exact.
 *
 *   vectors write        prints the file
 *   vectors check FILE   computes the lines again, and names the first line and field that differ
 *
 * Without arguments it checks VECTORS_FILE, if it was compiled with one.
 */
#include "podium.h"
#include "podium_analysis.h"

#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define LINE_MAX_BYTES 2048
#define ARRAY_VALUES 3001 /* several blocks of privatize.c, and a last one that fills no vector */
#define WHOLE_STATE 160   /* aggregates of up to this many bytes are written in full */

static const char head[] =
    "# Podium's test vectors, written by `vectors write` (tests/devices/vectors.c) and the same on every machine.\n"
    "# Doubles are the 16 hexadecimal digits of their bits, codes and states are bytes in hexadecimal, hashes are 64-bit\n"
    "# FNV-1a of little-endian bytes, all other numbers are decimal. Four kinds of lines:\n"
    "#   spec: a spec; then what its collection says of itself, and the line of podium_spec_format\n"
    "#   shape: the closed form of the spec above, if it has one, and its functions at min and max\n"
    "#   value: one value x of the spec above and a seed; then the cell, its code and the report\n"
    "#   array: n values of the spec above, low + k step with k = (a word of the seed's generator) mod count, after which\n"
    "#     a new generator of that seed gives the random bytes; then hashes of cells, codes and reports, and the bytes of\n"
    "#     the aggregate of the reports, or their hash\n"
    "# A generator is SplitMix64, started with the seed as its state; its words are bytes with the least significant "
    "first.\n";

/* ---- Lines ---- */

typedef struct {
    char text[LINE_MAX_BYTES];
    size_t n;
} line;

static void put(line *to, const char *text) {
    for (; *text != '\0' && to->n + 1 < sizeof to->text; text++)
        to->text[to->n++] = *text;
    to->text[to->n] = '\0';
}

/* Begins a field: a blank, its name and "=" */
static void put_name(line *to, const char *name) {
    put(to, to->n == 0 ? "" : " ");
    put(to, name);
    put(to, "=");
}

static void put_hex(line *to, uint64_t number, unsigned digits) {
    char text[17] = "";
    for (unsigned i = 0; i < digits; i++)
        text[i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
    put(to, text);
}

static void put_number(line *to, const char *name, uint64_t number) {
    char text[21], *at = text + 20;
    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    put_name(to, name);
    put(to, at);
}

static void put_bits(line *to, const char *name, uint64_t bits) {
    put_name(to, name);
    put_hex(to, bits, 16);
}

static void put_bytes(line *to, const char *name, const unsigned char *bytes, size_t n) {
    put_name(to, name);
    for (size_t i = 0; i < n; i++)
        put_hex(to, bytes[i], 2);
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void put_double(line *to, const char *name, double x) {
    put_bits(to, name, bits_of(x));
}

/* ---- Where lines go: to the standard output, or beside those of a file ---- */

static FILE *expected; /* NULL if the lines are printed */
static unsigned long lines_compared, line_in_file;

static bool read_expected(char text[LINE_MAX_BYTES]) {
    do {
        if (fgets(text, LINE_MAX_BYTES, expected) == NULL)
            return false;
        line_in_file++;
    } while (text[0] == '#');
    text[strcspn(text, "\r\n")] = '\0';
    return true;
}

/* Names the first field that differs. */
static bool differ(const char *want, const char *got) {
    size_t field = 0, i = 0;
    for (; want[i] == got[i]; i++)
        field = want[i] == ' ' ? i + 1 : field;
    fprintf(stderr, "vectors: line %lu differs from what this machine computes, first in this field:\n", line_in_file);
    fprintf(stderr, "  file     %.*s\n", (int)strcspn(want + field, " "), want + field);
    fprintf(stderr, "  machine  %.*s\n  line     %s\n", (int)strcspn(got + field, " "), got + field, want);
    return false;
}

static bool emit(const line *made) {
    char text[LINE_MAX_BYTES];
    if (expected == NULL)
        return puts(made->text) >= 0;
    lines_compared++;
    if (!read_expected(text)) {
        fprintf(stderr, "vectors: the file ends before this line:\n  %s\n", made->text);
        return false;
    }
    return strcmp(text, made->text) == 0 || differ(text, made->text);
}

static bool fail(const char *what) {
    fprintf(stderr, "vectors: %s (before line %lu)\n", what, line_in_file + 1);
    return false;
}

/* ---- Random bytes, and hashes ---- */

typedef struct {
    uint64_t state, word;
    unsigned left; /* bytes of word that were not used */
} generator;

static uint64_t next_word(generator *g) {
    uint64_t z = g->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static size_t fill(void *context, void *buffer, size_t n) {
    generator *g = context;
    for (size_t i = 0; i < n; i++, g->left--) {
        if (g->left == 0) {
            g->word = next_word(g);
            g->left = 8;
        }
        ((unsigned char *)buffer)[i] = (unsigned char)(g->word >> 8 * (8 - g->left));
    }
    return n;
}

#define HASH_START 0xcbf29ce484222325

static uint64_t hash(uint64_t hash_before, uint64_t number, unsigned bytes) {
    for (unsigned k = 0; k < bytes; k++)
        hash_before = (hash_before ^ (number >> 8 * k & 255)) * 0x100000001b3;
    return hash_before;
}

/* ---- What is asked ---- */

/* Bounds by their bits, and the values of arrays: low + k step for k < count is exact, and reaches beyond the range. */
typedef struct {
    uint64_t min, max, low, step, count;
} range;

static const range ranges[] = {
    {0x3ff0000000000000, 0x405e000000000000, 0xc049000000000000, 0x3f10000000000000, 4194304}, /* 1:120 */
    {0xbff0000000000000, 0x3ff0000000000000, 0xc000000000000000, 0x3eb0000000000000, 4194304}, /* -1:1 */
    {0x0000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ea0000000000000, 6291456}, /* 0:1 */
    {0x3fb999999999999a, 0x3fe6666666666666, 0x0000000000000000, 0x3eb0000000000000, 1048576}, /* 0.1:0.7 */
    {0xc08f400000000000, 0xc08f380000000000, 0xc08f500000000000, 0x3f00000000000000, 131072},  /* -1000:-999 */
    {0x0000000000000000, 0x22e6dd474ddce25f, 0xa2d0000000000000, 0x21b0000000000000, 1048576}, /* 0:1.5e-140 */
    {0xdd00cb70d24b7379, 0x5d00cb70d24b7379, 0xdd10000000000000, 0x5bd0000000000000, 2097152}, /* -1e140:1e140 */
    {0x42d0000000000000, 0x42d0008000000000, 0x42cfff8000000000, 0x4130000000000000, 16384}, /* 2^46, and 2^33 beyond */
    {0x42d0000000000000, 0x42d0000100000000, 0x42cffffe00000000, 0x40c0000000000000,
     32768}, /* 2^46, and 2^26 beyond: too narrow for most */
};

static const uint64_t epsilons[] = {
    0x3eb0c6f7a0b5ed8d, /* 1e-6 */
    0x3f847ae147ae147b, /* 0.01 */
    0x3fb999999999999a, /* 0.1 */
    0x3fd62e42fefa39ef, /* ln(2)/2, where the paper's formula is 0/0 */
    0x3fe0000000000000, /* 0.5 */
    0x3fe3851eb851eb85, /* 0.61, from which on hybrid mixes */
    0x3fe3851eb851eb86, /* the next double */
    0x3fe8000000000000, /* 0.75 */
    0x3ff0000000000000, /* 1 */
    0x3ff3c0ca428c59fb, /* 1.2345678901234567 */
    0x4000000000000000, /* 2 */
    0x40091eb851eb851f, /* 3.14 */
    0x4014000000000000, /* 5 */
    0x4024000000000000, /* 10 */
    0x4037000000000000, /* 23 */
    0x4049000000000000, /* 50 */
};

/* Those of a mechanism that solves for its map take longest, so that there are few of them. */
static const uint32_t cells[] = {0, 2, 3, 7, 16, 100, 1000, 65536};
static const uint64_t cells_epsilons[] = {0x3ff8000000000000, 0x4018000000000000, 0x3fe3333333333333}; /* 1.5, 6, 0.6 */

/* 0 to 1/4 */
static const uint64_t spreads[] = {0x0000000000000000, 0x3fa0000000000000, 0x3fb5555555555555, 0x3fd0000000000000};

static const uint64_t special_values[] = {
    0x7ff8000000000000, /* NaN */
    0xfff8000000000001, /* a negative NaN */
    0x7ff0000000000000, /* infinity */
    0xfff0000000000000, /* -infinity */
    0x8000000000000000, /* -0 */
    0x0000000000000001, /* the least subnormal number */
    0x800fffffffffffff, /* a negative subnormal number */
    0x7fefffffffffffff, /* the largest number */
    0x3fd5555555555555, /* 1/3, between places of most ranges */
};

/* ---- Lines of one spec ---- */

static const range *range_now;
static podium_collection collection;

static void random_start(generator *g, podium_random *random, uint64_t seed) {
    *g = (generator){.state = seed};
    *random = (podium_random){.fill = fill, .context = g};
}

static bool emit_value(uint64_t x, uint64_t seed) {
    const double value = double_of(x);
    uint32_t cell, back;
    double report, again;
    unsigned char code[4];
    generator g;
    podium_random random;
    line made = {.n = 0};
    random_start(&g, &random, seed);
    if (podium_privatize_cells(&collection, &random, &cell, &value, 1) != PODIUM_OK)
        return fail("podium_privatize_cells fails");
    random_start(&g, &random, seed);
    if (podium_privatize_from(&collection, &random, &report, &value, 1) != PODIUM_OK)
        return fail("podium_privatize_from fails");
    const size_t bytes = podium_code_bytes(&collection);
    if (podium_codes_encode(&collection, code, sizeof code, &cell, 1) != PODIUM_OK ||
        podium_codes_decode(&collection, &back, 1, code, bytes) != PODIUM_OK || back != cell ||
        podium_collection_reports(&collection, &again, &cell, 1) != PODIUM_OK || bits_of(again) != bits_of(report))
        return fail("a code or a report does not belong to its cell");
    put(&made, "value");
    put_bits(&made, "x", x);
    put_number(&made, "seed", seed);
    put_number(&made, "cell", cell);
    put_bytes(&made, "code", code, bytes);
    put_double(&made, "report", report);
    return emit(&made);
}

/* The law at x = min: the density and the distribution function at max, and the quantile of 1/8 */
static bool emit_shape(const podium_spec *spec) {
    podium_shape shape;
    line made = {.n = 0};
    if (podium_shape_init(&shape, spec) != PODIUM_OK)
        return true;
    put(&made, "shape");
    put_double(&made, "alpha", shape.alpha);
    put_double(&made, "beta", shape.beta);
    put_double(&made, "s", shape.s);
    put_double(&made, "m", shape.m);
    put_double(&made, "d", shape.d);
    put_double(&made, "q", shape.q);
    put_double(&made, "gamma", shape.gamma);
    put_double(&made, "height", shape.height);
    put_double(&made, "density", podium_shape_density(&shape, spec->min, spec->max));
    put_double(&made, "cdf", podium_shape_cdf(&shape, spec->min, spec->max));
    put_double(&made, "quantile", podium_shape_quantile(&shape, spec->min, 0.125));
    return emit(&made);
}

static bool emit_values(uint64_t seed) {
    const double low = double_of(range_now->low), step = double_of(range_now->step);
    const uint64_t count = range_now->count;
    const uint64_t own[] = {range_now->min,
                            range_now->max,
                            range_now->low,
                            bits_of(low + (double)(count / 2) * step),
                            bits_of(low + (double)(count / 2 + 1) * step),
                            bits_of(low + (double)(count / 3) * step),
                            bits_of(low + (double)(count - 1) * step)};
    for (size_t i = 0; i < LENGTH(own); i++)
        if (!emit_value(own[i], seed++))
            return false;
    for (size_t i = 0; i < LENGTH(special_values); i++)
        if (!emit_value(special_values[i], seed++))
            return false;
    return true;
}

static void put_state(line *made, const podium_aggregate *aggregate) {
    static unsigned char bytes[1 << 16];
    const size_t n = podium_aggregate_encode(aggregate, bytes, sizeof bytes);
    uint64_t of_state = HASH_START;
    for (size_t i = 0; i < n && n < sizeof bytes; i++)
        of_state = hash(of_state, bytes[i], 1);
    put_number(made, "bytes", n);
    if (n <= WHOLE_STATE)
        put_bytes(made, "state", bytes, n);
    else
        put_bits(made, "state", of_state);
}

static bool emit_array(uint64_t seed) {
    static double values[ARRAY_VALUES], reports[ARRAY_VALUES];
    static uint32_t drawn[ARRAY_VALUES];
    static unsigned char codes[4 * ARRAY_VALUES];
    static podium_aggregate aggregate;
    const double low = double_of(range_now->low), step = double_of(range_now->step);
    uint64_t of_cells = HASH_START, of_codes = HASH_START, of_reports = HASH_START;
    const size_t bytes = podium_code_bytes(&collection);
    generator g;
    podium_random random;
    line made = {.n = 0};

    random_start(&g, &random, seed);
    for (size_t i = 0; i < ARRAY_VALUES; i++)
        values[i] = low + (double)(next_word(&g) % range_now->count) * step;
    random_start(&g, &random, seed);
    if (podium_privatize_cells(&collection, &random, drawn, values, ARRAY_VALUES) != PODIUM_OK)
        return fail("podium_privatize_cells fails");
    random_start(&g, &random, seed);
    if (podium_privatize_from(&collection, &random, reports, values, ARRAY_VALUES) != PODIUM_OK)
        return fail("podium_privatize_from fails");
    if (podium_codes_encode(&collection, codes, sizeof codes, drawn, ARRAY_VALUES) != PODIUM_OK)
        return fail("podium_codes_encode fails");
    podium_aggregate_init(&collection, &aggregate);
    if (podium_aggregate_add(&collection, &aggregate, reports, ARRAY_VALUES) != PODIUM_OK)
        return fail("podium_aggregate_add fails");
    for (size_t i = 0; i < ARRAY_VALUES; i++) {
        of_cells = hash(of_cells, drawn[i], 4);
        of_reports = hash(of_reports, bits_of(reports[i]), 8);
    }
    for (size_t i = 0; i < bytes * ARRAY_VALUES; i++)
        of_codes = hash(of_codes, codes[i], 1);
    put(&made, "array");
    put_number(&made, "n", ARRAY_VALUES);
    put_number(&made, "seed", seed);
    put_bits(&made, "low", range_now->low);
    put_bits(&made, "step", range_now->step);
    put_number(&made, "count", range_now->count);
    put_bits(&made, "cells", of_cells);
    put_bits(&made, "codes", of_codes);
    put_bits(&made, "reports", of_reports);
    put_number(&made, "refused", podium_aggregate_refused(&aggregate));
    put_state(&made, &aggregate);
    return emit(&made);
}

static void put_collection(line *made, const podium_spec *spec) {
    char text[PODIUM_SPEC_TEXT_MAX] = "";
    podium_spec_format(spec, text, sizeof text);
    put_bits(made, "fingerprint", podium_collection_fingerprint(&collection));
    put_number(made, "places", podium_collection_places(&collection));
    put_number(made, "support", podium_collection_cells(&collection));
    put_double(made, "least", podium_collection_least(&collection));
    put_double(made, "most", podium_collection_most(&collection));
    put_double(made, "spacing", podium_collection_spacing(&collection));
    put_double(made, "variance_min", podium_collection_variance(&collection, spec->min));
    put_double(made, "variance_least", podium_collection_variance_least(&collection));
    put_double(made, "variance_most", podium_collection_variance_most(&collection));
    put(made, " text=");
    put(made, text);
}

/* A status is part of the line, because a range that is too narrow on one machine must be so on all. */
static bool emit_spec(podium_mechanism mechanism, uint64_t epsilon, size_t range_number, uint64_t spread,
                      uint32_t cells_asked) {
    static uint64_t seed = 1;
    range_now = &ranges[range_number % LENGTH(ranges)];
    const podium_spec spec = {.mechanism = mechanism,
                              .epsilon = double_of(epsilon),
                              .min = double_of(range_now->min),
                              .max = double_of(range_now->max),
                              .spread = double_of(spread),
                              .cells = cells_asked};
    const podium_status status = podium_collection_init(&collection, &spec);
    line made = {.n = 0};
    put(&made, "spec ");
    put(&made, podium_mechanism_name(mechanism));
    put_bits(&made, "epsilon", epsilon);
    put_bits(&made, "min", range_now->min);
    put_bits(&made, "max", range_now->max);
    put_bits(&made, "spread", spread);
    put_number(&made, "cells", cells_asked);
    put_number(&made, "status", (uint64_t)status);
    if (status == PODIUM_OK)
        put_collection(&made, &spec);
    seed += 100;
    return emit(&made) && emit_shape(&spec) && (status != PODIUM_OK || (emit_values(seed) && emit_array(seed + 99)));
}

/* The ranges rotate, and begin with another one for each mechanism. */
static bool emit_mechanism(podium_mechanism mechanism) {
    const char *parameter = podium_mechanism_parameter(mechanism);
    const bool has_spread = parameter != NULL && strcmp(parameter, "spread") == 0;
    const bool has_cells = parameter != NULL && strcmp(parameter, "cells") == 0;
    const size_t step = has_cells ? 4 : 1;
    for (size_t i = step / 2; i < LENGTH(epsilons); i += step)
        if (!emit_spec(mechanism, epsilons[i], i / step + mechanism, has_spread ? spreads[i % LENGTH(spreads)] : 0, 0))
            return false;
    for (size_t i = 0; has_cells && i < LENGTH(cells); i++)
        if (!emit_spec(mechanism, cells_epsilons[i % LENGTH(cells_epsilons)], i + mechanism, 0, cells[i]))
            return false;
    return true;
}

static bool emit_all(void) {
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        if (!emit_mechanism((podium_mechanism)m))
            return false;
    return true;
}

static int check(const char *name) {
    char text[LINE_MAX_BYTES];
    expected = fopen(name, "r");
    if (expected == NULL) {
        fprintf(stderr, "vectors: cannot open %s\n", name);
        return 2;
    }
    bool same = emit_all();
    if (same && read_expected(text))
        same = fail("the file has more lines");
    fclose(expected);
    if (same)
        printf("vectors: %lu lines, the same bytes\n", lines_compared);
    return same ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "write") == 0)
        return fputs(head, stdout) >= 0 && emit_all() && fflush(stdout) == 0 ? 0 : 1;
    if (argc == 3 && strcmp(argv[1], "check") == 0)
        return check(argv[2]);
#ifdef VECTORS_FILE
    if (argc == 1)
        return check(VECTORS_FILE);
#endif
    fputs("usage: vectors write | vectors check FILE\n", stderr);
    return 2;
}
