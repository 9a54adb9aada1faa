/*
 * Number: see number.h. The common shapes go by integers: what is left after a division says exactly how to round, and
 * rounding is to nearest, ties to even, as the C library's. The program never leaves the C locale, nor changes the
 * rounding mode.
 */
#include "table/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What compilers and machines may lack is written twice; the tests try both. */
#if defined(__SSE2__) && !defined(NUMBER_PORTABLE)
#define HAS_SSE2 1
#include <emmintrin.h>
#else
#define HAS_SSE2 0
#endif

#define TEXT_MOST 127 /* characters of a number that is read */

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

/* From digits, a byte each: pairs, then fours, then all, each step by one multiplication that adds neighbours. */
static inline uint64_t value_of_eight(uint64_t digits) {
    uint64_t pairs = digits * (1 + (10 << 8)) >> 8 & 0x00ff00ff00ff00ff;
    uint64_t fours = pairs * (1 + (100 << 16)) >> 16 & 0x0000ffff0000ffff;
    return fours * (1 + ((uint64_t)10000 << 32)) >> 32;
}

/* Back, from two values below 10^4. The factors are 1/100 and 1/10, rounded up so little that no quotient changes. */
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
 * For k = 0 ... 27: 5^k times a power of two, such that it has 63 bits; 2^125 divided by that, rounded down; and the
 * exponent e, with that of a double's bits for 2^0 in it, for which m/10^k = (m * 2^61 / five) * 2^(e - 1023).
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
 * m/10^k rounded once. With m shifted up to 64 bits and a divisor of 63, the quotient m 2^61/five has 62 or 63: more
 * than a double takes, so that it, and a last bit that says whether anything was left over, decide the rounding. The
 * quotient comes from the inverse, which is too small by less than 1: m times it, over 2^64, is too small by less than
 * 1, and what is left over, below 2 five and so below 2^64, tells whether that cost a whole one. (No division: a
 * machine's takes longer than all this, and the compiler's for 128 bits several times as long.)
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

/* Where both are doubles, one division of doubles rounds once. That would be up to m = 2^53; but doubles written in
   full have about as many digits, and a jump that goes now this way, now that, costs more than either. */
static inline double quotient(uint64_t m, size_t k) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (m < (uint64_t)1 << 47 && k <= 22)
        return (double)(int64_t)m / powers[k];
    return m == 0 ? 0 : long_quotient(m, k);
}

/* Bit i says whether byte i at text, of 16, is no digit. */
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
        others |= (uint32_t)(tops * 0x0002040810204081 >> 56) << 8 * i; /* gathers them in the top byte */
    }
    return others;
#endif
}

/* m with n digits behind it. The last, fewer than eight, are shifted to the end of a word: zeros stand before them. */
static inline uint64_t with_digits(uint64_t m, const char *text, size_t n) {
    for (; n >= 8; n -= 8, text += 8)
        m = m * 100000000 + value_of_eight(get8(text) ^ EACH('0'));
    return m * powers_of_ten[n] + value_of_eight((get8(text) ^ EACH('0')) << 8 << (56 - 8 * n));
}

/* Did they fit 64 bits? 19 digits do, whatever they are, and zeros in front do not count. */
static bool few_digits(const char *text, size_t digits) {
    for (; *text == '0' || *text == '.'; text++)
        digits -= *text == '0';
    return digits <= 19;
}

static bool in_numbers(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

/*
 * number_scan where so many bytes can be read: 32 are looked at, and words may begin at the last. One look tells where
 * the point and the end are, so that lengths, which vary, decide no jump, but where they pass 7 and 15. Where the point
 * or the end is not among them it is taken to be behind them, and a longer number goes on there.
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

/* At the end of a text, in a copy with zeros behind it, which are in no number. Not inlined, because a stack protector
   that guards the copy would cost every number. */
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

/* Of m 2^-k, 1 <= k <= 64. What is behind the point, in units of 2^-64, times 10^decimals has the fraction in its upper
   half, and the lower half says how to round. */
static inline parts parts_of(uint64_t m, int k, int decimals) {
    uint64_t whole = k < 64 ? m >> k : 0, power = powers_of_ten[decimals];
    wide scaled = product(m << (64 - k), power);
    uint64_t odd = (decimals == 0 ? whole : scaled.high) & 1;
    uint64_t fraction = scaled.high + (scaled.low > ((uint64_t)1 << 63) - odd);
    return fraction < power ? (parts){whole, fraction} : (parts){whole + 1, 0};
}

/* The same for k > 64, when nothing is before the point: more has to be shifted out, and says how to round. A k beyond
   120 says no more than 120: far below half. */
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

/* Digits without the zeros in front of them, but not the last of the first n; to where those end */
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

/* So many decimals, zeros in front included: of 8, 16 or 24 that are written, those beyond do not count. */
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

/* Not inlined, lest its registers be saved for the others too */
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

/* Mostly there are up to 4 digits before the point, and up to 12 behind: the first four of those go with the former. */
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

/* The least d for which 10^-d is at most x; a hair less than x, lest it be the logarithm's rounding that decides. */
static int decimals_within(double x) {
    return (int)ceil(-log10(x * (1 - 1e-12)));
}

/*
 * Half a unit of the last decimal, and what doubles round off, must stay within half a spacing. They do when the report
 * is made and when it is read, first + spacing * worth and (report - first)/spacing, and at the text itself: two
 * operations of the size of the largest report, three of the size of the support, each off by half an epsilon. (A
 * collection's spacing is at least four epsilons of the largest report, and 2^-32 of the support: enough is left.)
 */
static int decimals_of_grid(const podium_collection *collection, double largest, double support) {
    double rounding = DBL_EPSILON * (largest + 1.5 * support);
    return decimals_within(collection->spacing - 2 * rounding);
}

number_format number_format_for(const podium_collection *collection) {
    double support = collection->spacing * (double)collection->worth_most;
    double largest = fmax(fabs(collection->first), fabs(collection->first + support));
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
