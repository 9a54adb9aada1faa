/*
 * Number: see number.h. Common numbers are converted with integers, because the remainder of a division decides exactly
 * how to round. Rounding is to nearest, ties to even, as in the C library. The program never leaves the C locale and
 * never changes the rounding mode.
 */
#include "table/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Code that relies on a compiler or a machine has a portable version beside it, and the tests build both. */
#if defined(__SSE2__) && !defined(NUMBER_PORTABLE)
#define HAS_SSE2 1
#include <emmintrin.h>
#else
#define HAS_SSE2 0
#endif

#define TEXT_MOST 127 /* the longest number that is read, in characters */

/* ---- Eight digits at a time, the first in the lowest byte ---- */

#define EACH(byte) (0x0101010101010101 * (uint64_t)(byte))

static inline uint64_t first_lowest(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return word;
#else
    return __builtin_bswap64(word);
#endif
}

static inline uint64_t get8(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return first_lowest(word);
}

static inline void put8(char *to, uint64_t digits) {
    uint64_t word = first_lowest(digits);
    memcpy(to, &word, sizeof word);
}

/* Converts eight digits, one per byte, to their value. Three multiplications add neighbours: digits become pairs, pairs
   become fours, and fours become the value. */
static inline uint64_t value_of_eight(uint64_t digits) {
    uint64_t pairs = digits * (1 + (10 << 8)) >> 8 & 0x00ff00ff00ff00ff;
    uint64_t fours = pairs * (1 + (100 << 16)) >> 16 & 0x0000ffff0000ffff;
    return fours * (1 + ((uint64_t)10000 << 32)) >> 32;
}

/* Converts two values below 10^4 to eight digits. The factors are 1/100 and 1/10, rounded up by so little that every
   quotient is exact. */
static inline uint64_t eight_of_fours(uint64_t first, uint64_t last) {
    uint64_t fours = first | last << 32;
    uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f;
    uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = pairs * 103 >> 10 & 0x000f000f000f000f;
    return tens | (pairs - 10 * tens) << 8;
}

static inline uint64_t eight_of_value(uint32_t value) {
    return eight_of_fours(value / 10000, value % 10000);
}

#define TEN_TO(k) ((uint64_t)1e##k)
static const uint64_t powers_of_ten[] = {TEN_TO(0),  TEN_TO(1),  TEN_TO(2),  TEN_TO(3),  TEN_TO(4),
                                         TEN_TO(5),  TEN_TO(6),  TEN_TO(7),  TEN_TO(8),  TEN_TO(9),
                                         TEN_TO(10), TEN_TO(11), TEN_TO(12), TEN_TO(13), TEN_TO(14),
                                         TEN_TO(15), TEN_TO(16), TEN_TO(17), TEN_TO(18)};

/* ---- 128 bits ---- */

typedef struct {
    uint64_t high, low;
} wide;

static inline wide product(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(NUMBER_PORTABLE)
    __extension__ typedef unsigned __int128 both;
    both ab = (both)a * b;
    return (wide){(uint64_t)(ab >> 64), (uint64_t)ab};
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);
    return (wide){(a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32), other << 32 | (low & UINT32_MAX)};
#endif
}

/* ---- Reading ---- */

/*
 * For k = 0 ... 27: `five` is 5^k times the power of two that gives it 63 bits, `inverse` is 2^125 / five, rounded
 * down, and `exponent` is the biased exponent e of a double for which m/10^k = (m * 2^61 / five) * 2^(e - 1023).
 */
#define DECIMALS_MOST 27
static const struct {
    uint64_t five, inverse;
    uint64_t exponent;
} fives[DECIMALS_MOST + 1] = {
    {0x4000000000000000, 0x8000000000000000, 1024}, {0x5000000000000000, 0x6666666666666666, 1021},
    {0x6400000000000000, 0x51eb851eb851eb85, 1018}, {0x7d00000000000000, 0x4189374bc6a7ef9d, 1015},
    {0x4e20000000000000, 0x68db8bac710cb295, 1011}, {0x61a8000000000000, 0x53e2d6238da3c211, 1008},
    {0x7a12000000000000, 0x431bde82d7b634da, 1005}, {0x4c4b400000000000, 0x6b5fca6af2bd215e, 1001},
    {0x5f5e100000000000, 0x55e63b88c230e77e, 998},  {0x7735940000000000, 0x44b82fa09b5a52cb, 995},
    {0x4a817c8000000000, 0x6df37f675ef6eadf, 991},  {0x5d21dba000000000, 0x57f5ff85e592557f, 988},
    {0x746a528800000000, 0x465e6604b7a84465, 985},  {0x48c2739500000000, 0x709709a125da0709, 981},
    {0x5af3107a40000000, 0x5a126e1a84ae6c07, 978},  {0x71afd498d0000000, 0x480ebe7b9d58566c, 975},
    {0x470de4df82000000, 0x734aca5f6226f0ad, 971},  {0x58d15e1762800000, 0x5c3bd5191b525a24, 968},
    {0x6f05b59d3b200000, 0x49c97747490eae83, 965},  {0x4563918244f40000, 0x760f253edb4ab0d2, 961},
    {0x56bc75e2d6310000, 0x5e72843249088d75, 958},  {0x6c6b935b8bbd4000, 0x4b8ed0283a6d3df7, 955},
    {0x43c33c1937564800, 0x78e480405d7b9658, 951},  {0x54b40b1f852bda00, 0x60b6cd004ac94513, 948},
    {0x69e10de76676d080, 0x4d5f0a66a23a9da9, 945},  {0x422ca8b0a00a4250, 0x7bcb43d769f762a8, 941},
    {0x52b7d2dcc80cd2e4, 0x63090312bb2c4eed, 938},  {0x6765c793fa10079d, 0x4f3a68dbc8f03f24, 935},
};

/*
 * Returns m/10^k, rounded once. m is shifted up to 64 bits and the divisor has 63, so the quotient m 2^61/five has 62
 * or 63 bits. These are more than a double holds, so the quotient decides the rounding once its last bit is set for any
 * remainder. The quotient is computed from the inverse, which is too small by less than 1. The product of m and the
 * inverse, over 2^64, is therefore too small by less than 1 as well, and the remainder shows whether the quotient has
 * to be raised by one; it is below 2 five and so below 2^64. There is no division because a 64-bit one takes longer
 * than all of this, and the compiler's 128-bit one takes several times as long.
 */
static double long_quotient(uint64_t m, size_t k) {
    int shift = __builtin_clzll(m);
    uint64_t five = fives[k].five, scale = (fives[k].exponent - (uint64_t)shift) << 52;
    m <<= shift;
    uint64_t q = product(m, fives[k].inverse).high, left = (m << 61) - q * five;
    bool whole = left >= five;
    q += whole;
    left -= whole ? five : 0;
    double unit;
    memcpy(&unit, &scale, sizeof unit);
    return (double)(int64_t)(q | (left != 0)) * unit; /* the conversion rounds, the product does not */
}

/* If m and 10^k are exact as doubles, dividing them rounds once. That holds up to m = 2^53, but the limit here is
   lower: doubles written in full lie around 2^53, and an unpredictable branch costs more than either way. */
static inline double quotient(uint64_t m, size_t k) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (m < (uint64_t)1 << 47 && k <= 22)
        return (double)(int64_t)m / powers[k];
    return m == 0 ? 0 : long_quotient(m, k);
}

/* Bit i of the result is set if byte i of the 16 at text is not a digit. */
static inline uint32_t others_of_16(const char *text) {
#if HAS_SSE2
    const __m128i ten = _mm_set1_epi8(10);
    __m128i digits = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)text), _mm_set1_epi8('0'));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(digits, ten), ten));
#else
    uint32_t others = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t digits = get8(text + 8 * i) ^ EACH('0');
        uint64_t tops = (((digits & EACH(0x7f)) + EACH(0x80 - 10)) | digits) & EACH(0x80);
        others |= (uint32_t)(tops * 0x0002040810204081 >> 56) << 8 * i; /* gathers the bits in the top byte */
    }
    return others;
#endif
}

/* Appends n digits to m. The last ones, fewer than eight, are shifted to the end of a word, so that zeros precede them.
 */
static inline uint64_t with_digits(uint64_t m, const char *text, size_t n) {
    for (; n >= 8; n -= 8, text += 8)
        m = m * 100000000 + value_of_eight(get8(text) ^ EACH('0'));
    return m * powers_of_ten[n] + value_of_eight((get8(text) ^ EACH('0')) << 8 << (56 - 8 * n));
}

/* Returns whether the digits fit 64 bits. Any 19 digits do, and leading zeros do not count. */
static bool few_digits(const char *text, size_t digits) {
    for (; *text == '0' || *text == '.'; text++)
        digits -= *text == '0';
    return digits <= 19;
}

static bool in_numbers(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

/*
 * number_scan for a text of which ROOM bytes can be read: 32 bytes are examined, and a word may begin at the last one.
 * One mask shows where the point and the end are, so that the lengths, which vary, decide no branch except where they
 * pass 7 and 15. If the point or the end is not among the 32 bytes, it is assumed to follow them, and a longer number
 * is recognised there by the character after it.
 */
#define ROOM 48
static inline const char *scan(double *x, const char *text) {
    uint64_t bits, negative = *text == '-', sign = negative | (*text == '+');
    uint64_t others = others_of_16(text) & ~sign;
    if ((others & (others - 1)) == 0)
        others |= (uint64_t)others_of_16(text + 16) << 16 | (uint64_t)3 << 32;
    const char *first = text + sign, *point = text + __builtin_ctzll(others), *end = point;
    size_t decimals = 0;
    uint64_t m = with_digits(0, first, (size_t)(point - first));
    if (*point == '.') {
        end = text + __builtin_ctzll(others & (others - 1));
        decimals = (size_t)(end - point) - 1;
        m = with_digits(m, point + 1, decimals);
    }
    size_t digits = (size_t)(point - first) + decimals;
    if (digits == 0 || decimals > DECIMALS_MOST || in_numbers(*end) || (digits > 19 && !few_digits(first, digits)))
        return NULL;
    double size = quotient(m, decimals);
    memcpy(&bits, &size, sizeof bits);
    bits |= negative << 63;
    memcpy(x, &bits, sizeof bits);
    return end;
}

/* number_scan at the end of a text, on a copy that is followed by zero bytes, which no number contains. It is not
   inlined because the stack protector that guards the copy would then slow down every number. */
__attribute__((noinline)) static const char *scan_last(double *x, const char *text, size_t n) {
    char copy[ROOM] = {0};
    memcpy(copy, text, n);
    const char *end = scan(x, copy);
    return end == NULL ? NULL : text + (end - copy);
}

const char *number_scan(double *x, const char *text, const char *limit) {
    return limit - text >= ROOM ? scan(x, text) : scan_last(x, text, (size_t)(limit - text));
}

static bool read_slowly(double *x, const char *text, size_t n) {
    char copy[TEXT_MOST + 1], *end;
    if (n == 0 || n > TEXT_MOST)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!in_numbers(text[i]))
            return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    *x = strtod(copy, &end);
    return *end == '\0' && end != copy && isfinite(*x);
}

const char *without_blanks(const char *text, size_t *n) {
    while (*n > 0 && (*text == ' ' || *text == '\t'))
        text++, --*n;
    while (*n > 0 && (text[*n - 1] == ' ' || text[*n - 1] == '\t'))
        --*n;
    return text;
}

bool number_read(double *x, const char *text, size_t n) {
    double read;
    text = without_blanks(text, &n);
    if (number_scan(&read, text, text + n) != text + n && !read_slowly(&read, text, n))
        return false;
    *x = read;
    return true;
}

/* ---- Writing ---- */

typedef struct {
    uint64_t whole, fraction; /* in units of the last decimal */
} parts;

/* Splits m 2^-k at the point, for 1 <= k <= 64. The part after the point, in units of 2^-64, times 10^decimals has the
   fraction in its upper half, and the lower half decides how to round. */
static inline parts parts_of(uint64_t m, int k, int decimals) {
    uint64_t whole = k < 64 ? m >> k : 0, power = powers_of_ten[decimals];
    wide scaled = product(m << (64 - k), power);
    uint64_t odd = (decimals == 0 ? whole : scaled.high) & 1;
    uint64_t fraction = scaled.high + (scaled.low > ((uint64_t)1 << 63) - odd);
    return fraction < power ? (parts){whole, fraction} : (parts){whole + 1, 0};
}

/* The same for k > 64, where the whole part is 0. More bits have to be shifted out, and these decide how to round. Any
   k above 120 is treated as 120, because both are far below half a unit. */
static parts parts_of_tiny(uint64_t m, int k, int decimals) {
    int shift = k < 120 ? k - 64 : 56;
    wide scaled = product(m, powers_of_ten[decimals]);
    uint64_t fraction = scaled.high >> shift, left = scaled.high - (fraction << shift);
    uint64_t half = (uint64_t)1 << (shift - 1), odd = fraction & 1;
    return (parts){0, fraction + (left > half || (left == half && (scaled.low | odd) != 0))};
}

static inline void put_eight(char *to, uint64_t digits) {
    put8(to, digits | EACH('0'));
}

/* Writes the first n digits without leading zeros, but at least the last one. Returns the end of the text. */
static inline char *put_without_zeros(char *to, uint64_t digits, int n) {
    int zeros = __builtin_ctzll(digits | (uint64_t)1 << 8 * (n - 1)) / 8;
    put8(to, (digits | EACH('0')) >> 8 * zeros);
    return to + n - zeros;
}

static char *put_whole(char *to, uint64_t whole) {
    if (whole < 100000000)
        return put_without_zeros(to, eight_of_value((uint32_t)whole), 8);
    to = put_without_zeros(to, eight_of_value((uint32_t)(whole / 100000000)), 8);
    put_eight(to, eight_of_value((uint32_t)(whole % 100000000)));
    return to + 8;
}

/* Writes the decimals, leading zeros included. It writes 8, 16 or 24 characters, of which the caller keeps `decimals`.
 */
static void put_fraction(char *to, uint64_t fraction, int decimals) {
    if (decimals > 16) {
        put_eight(to + decimals - 8, eight_of_value((uint32_t)(fraction % 100000000)));
        fraction /= powers_of_ten[decimals - 16];
        decimals = 16;
    }
    if (decimals > 8) {
        fraction *= powers_of_ten[16 - decimals];
        put_eight(to + 8, eight_of_value((uint32_t)(fraction % 100000000)));
        fraction /= 100000000;
        decimals = 8;
    }
    put_eight(to, eight_of_value((uint32_t)(fraction * powers_of_ten[8 - decimals])));
}

/* Not inlined, so that common numbers need not save its registers */
__attribute__((noinline)) static size_t write_any(char *to, double x, uint64_t m, int k, int decimals) {
    if (k < 1 || decimals > NUMBER_DECIMALS_MAX) /* 2^52 and more, infinite, not a number */
        return (size_t)snprintf(to, NUMBER_TEXT_MAX, "%.*f", decimals, x);
    parts p = k <= 64 ? parts_of(m, k, decimals) : parts_of_tiny(m, k, decimals);
    *to = '-';
    char *at = put_whole(to + (signbit(x) != 0), p.whole);
    if (decimals == 0)
        return (size_t)(at - to);
    *at = '.';
    put_fraction(at + 1, p.fraction, decimals);
    return (size_t)(at - to) + 1 + (size_t)decimals;
}

/* Most numbers have up to 4 digits before the point and up to 12 after it. The first four of these are converted
   together with those before the point. */
size_t number_write(char *to, double x, int decimals) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t m = (bits & (UINT64_MAX >> 12)) | (uint64_t)1 << 52;
    int k = 1075 - (int)(bits >> 52 & 2047);
    if (k < 40 || k > 63 || decimals < 1 || decimals > 12) /* k >= 40: below 2^13 */
        return write_any(to, x, m, k, decimals);
    parts p = parts_of(m, k, decimals);
    uint64_t twelve = p.fraction * powers_of_ten[12 - decimals];
    uint64_t digits = eight_of_fours(p.whole, twelve / 100000000);
    *to = '-';
    char *at = put_without_zeros(to + (bits >> 63), digits, 4);
    *at = '.';
    put_eight(at + 1, digits >> 32);
    put_eight(at + 5, eight_of_value((uint32_t)(twelve % 100000000)));
    return (size_t)(at - to) + 1 + (size_t)decimals;
}

/* ---- Reports ---- */

/* Returns the least d for which 10^-d is at most x. x is lowered by a hair, so that the rounding of the logarithm does
   not decide. */
static int decimals_within(double x) {
    return (int)ceil(-log10(x * (1 - 1e-12)));
}

/*
 * Half a unit of the last decimal plus the rounding errors of doubles must stay within half a spacing. Doubles round
 * when a report is made, as first + spacing * worth, when it is read, as (report - first)/spacing, and when the text is
 * converted: two operations of the size of the largest report and three of the size of the support, each off by at most
 * half an epsilon. Enough is left for the decimals, because the spacing of a collection is at least four epsilons of
 * the largest report and at least 2^-32 of the support.
 */
static int decimals_of_grid(const podium_collection *collection, double largest, double support) {
    double rounding = DBL_EPSILON * (largest + 1.5 * support);
    return decimals_within(podium_collection_spacing(collection) - 2 * rounding);
}

number_format number_format_for(const podium_collection *collection) {
    const double least = podium_collection_least(collection), most = podium_collection_most(collection);
    const double support = most - least, largest = fmax(fabs(least), fabs(most));
    int of_grid = decimals_of_grid(collection, largest, support), of_mean = decimals_within(support * 1e-9);
    int decimals = of_grid > of_mean ? of_grid : of_mean;
    if (largest < 1e15 && decimals <= NUMBER_DECIMALS_MAX)
        return (number_format){true, decimals < 0 ? 0 : decimals};
    int digits = 1 + (int)floor(log10(largest)) + decimals;
    return (number_format){false, digits < DBL_DECIMAL_DIG ? digits : DBL_DECIMAL_DIG};
}

size_t number_write_report(char *to, double report, number_format format) {
    if (format.fixed)
        return number_write(to, report, format.digits);
    return (size_t)snprintf(to, NUMBER_TEXT_MAX, "%.*g", format.digits, report);
}
