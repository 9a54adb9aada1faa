/*
 * Number: see number.h. The common shapes go by integers: what is left after a division says exactly how to round, and
 * rounding is to nearest, ties to even, as the C library's. The program never leaves the C locale, nor changes the
 * rounding mode.
 */
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MOST 127 /* characters of a number that is read */

/* ---- Eight digits at a time, the first in the lowest byte ---- */

#define EACH(byte) (0x0101010101010101 * (uint64_t)(byte))

/* Compilers make one instruction of these on machines that can. */
static inline uint64_t get8(const char *text) {
    const unsigned char *b = (const unsigned char *)text;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static inline void put8(char *to, uint64_t word) {
    for (int i = 0; i < 8; i++)
        to[i] = (char)(word >> 8 * i);
}

/* The last bytes of a text, fewer than eight; then zeros, which are no digits. */
static uint64_t get_last(const char *text, const char *limit) {
    uint64_t word = 0;
    for (size_t i = 0; text + i < limit; i++)
        word |= (uint64_t)(unsigned char)text[i] << 8 * i;
    return word;
}

/* From digits, a byte each: pairs, then fours, then all, each step by one multiplication that adds neighbours. */
static inline uint64_t value_of_eight(uint64_t digits) {
    uint64_t pairs = digits * (1 + (10 << 8)) >> 8 & 0x00ff00ff00ff00ff;
    uint64_t fours = pairs * (1 + (100 << 16)) >> 16 & 0x0000ffff0000ffff;
    return fours * (1 + ((uint64_t)10000 << 32)) >> 32;
}

/* Back, for a value below 10^8. The factors are 1/100 and 1/10, rounded up so little that no quotient changes. */
static inline uint64_t eight_of_value(uint32_t value) {
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f;
    uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = pairs * 103 >> 10 & 0x000f000f000f000f;
    return tens | (pairs - 10 * tens) << 8;
}

static const uint64_t powers_of_ten[] = {1,
                                         10,
                                         100,
                                         1000,
                                         10000,
                                         100000,
                                         1000000,
                                         10000000,
                                         100000000,
                                         1000000000,
                                         10000000000,
                                         100000000000,
                                         1000000000000,
                                         10000000000000,
                                         100000000000000,
                                         1000000000000000,
                                         10000000000000000,
                                         100000000000000000,
                                         1000000000000000000};

/* ---- Reading ---- */

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

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
static inline double quotient(uint64_t m, size_t k) {
    if (m == 0)
        return 0;
    int shift = __builtin_clzll(m);
    uint64_t five = fives[k].five, scale = (fives[k].exponent - (uint64_t)shift) << 52;
    m <<= shift;
    uint64_t q = (uint64_t)((wide)m * fives[k].inverse >> 64), left = (m << 61) - q * five;
    bool whole = left >= five;
    q += whole;
    left -= whole ? five : 0;
    double unit;
    memcpy(&unit, &scale, sizeof unit);
    return (double)(int64_t)(q | (left != 0)) * unit; /* the conversion rounds, the product does not */
}
#else
#define DECIMALS_MOST 0
static double quotient(uint64_t m, size_t k) {
    (void)k;
    return (double)m;
}
#endif

/* Past the digits at text, which are put behind those of m; m is too large for its word when there are many. */
static inline const char *scan_digits(uint64_t *m, const char *text, const char *limit) {
    for (;; text += 8) {
        uint64_t digits = (limit - text >= 8 ? get8(text) : get_last(text, limit)) ^ EACH('0');
        uint64_t others = (digits | (digits + EACH(0x80 - 10))) & EACH(0x80); /* the lowest bit is right: no carry */
        if (others != 0) {
            int n = __builtin_ctzll(others) / 8;
            *m = *m * powers_of_ten[n] + value_of_eight(digits << 8 << (56 - 8 * n));
            return text + n;
        }
        *m = *m * 100000000 + value_of_eight(digits);
    }
}

/* Did they fit 64 bits after all? 19 digits do, whatever they are, and zeros in front do not count. */
static bool few_digits(const char *text, const char *end, size_t digits) {
    for (; text < end && (*text == '0' || *text == '.'); text++)
        digits -= *text == '0';
    return digits <= 19;
}

static bool in_numbers(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

const char *number_scan(double *x, const char *text, const char *limit) {
    if (text == limit)
        return NULL;
    uint64_t m = 0, bits, negative = *text == '-';
    const char *first = text + (*text == '-' || *text == '+');
    const char *end = scan_digits(&m, first, limit);
    size_t digits = (size_t)(end - first), decimals = 0;
    if (end < limit && *end == '.') {
        const char *after = end + 1;
        end = scan_digits(&m, after, limit);
        decimals = (size_t)(end - after);
        digits += decimals;
    }
    if (digits == 0 || decimals > DECIMALS_MOST || (end < limit && in_numbers(*end)))
        return NULL;
    if (digits > 19 && (end - text > TEXT_MOST || !few_digits(first, end, digits)))
        return NULL;
    double size = quotient(m, decimals);
    memcpy(&bits, &size, sizeof bits);
    bits |= negative << 63;
    memcpy(x, &bits, sizeof bits);
    return end;
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
    double read = strtod(copy, &end);
    if (*end != '\0' || end == copy || !isfinite(read))
        return false;
    *x = read;
    return true;
}

bool number_read(double *x, const char *text, size_t n) {
    while (n > 0 && (*text == ' ' || *text == '\t'))
        text++, n--;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    return number_scan(x, text, text + n) == text + n || read_slowly(x, text, n);
}

/* ---- Writing ---- */

#ifdef __SIZEOF_INT128__
#define ASCII EACH('0')

/* Without zeros in front, but one digit */
static inline char *write_whole(char *to, uint64_t whole) {
    if (whole >= 100000000) {
        to = write_whole(to, whole / 100000000);
        put8(to, eight_of_value((uint32_t)(whole % 100000000)) | ASCII);
        return to + 8;
    }
    uint64_t digits = eight_of_value((uint32_t)whole);
    int zeros = __builtin_ctzll(digits | (uint64_t)1 << 56) / 8;
    put8(to, (digits | ASCII) >> 8 * zeros);
    return to + 8 - zeros;
}

/* So many digits of a fraction, zeros in front included: as if there were 8 or 16, those behind overwritten later. */
static inline char *write_fraction(char *to, uint64_t fraction, int decimals) {
    char *end = to + decimals;
    if (decimals > 16) {
        put8(end - 8, eight_of_value((uint32_t)(fraction % 100000000)) | ASCII);
        fraction /= powers_of_ten[decimals - 16];
        decimals = 16;
    }
    if (decimals > 8) {
        fraction *= powers_of_ten[16 - decimals];
        put8(to + 8, eight_of_value((uint32_t)(fraction % 100000000)) | ASCII);
        fraction /= 100000000;
        decimals = 8;
    }
    put8(to, eight_of_value((uint32_t)(fraction * powers_of_ten[8 - decimals])) | ASCII);
    return end;
}

/*
 * x is m 2^-k. Its whole part is written as it is; the rest, below 1, times 10^decimals is below 2^60 in units of 2^-k,
 * and the bits below say how to round. A k beyond 120 says no more than 120: below half of the last decimal.
 */
size_t number_write(char *to, double x, int decimals) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = 1075 - (int)(bits >> 52 & 2047);
    if (k < 1 || decimals > NUMBER_DECIMALS_MAX) /* 2^52 and more, infinite, not a number */
        return (size_t)snprintf(to, NUMBER_TEXT_MAX, "%.*f", decimals, x);
    if (k > 120)
        k = 120;
    uint64_t m = (bits & (UINT64_MAX >> 12)) | (uint64_t)1 << 52, whole = k < 64 ? m >> k : 0;
    wide product = (wide)(k < 64 ? m - (whole << k) : m) * powers_of_ten[decimals], half = (wide)1 << (k - 1);
    uint64_t fraction = (uint64_t)(product >> k), odd = (decimals == 0 ? whole : fraction) & 1;
    wide left = product & (half + half - 1);
    fraction += left + odd > half;
    if (fraction == powers_of_ten[decimals]) {
        fraction = 0;
        whole++;
    }
    char *at = to;
    *at = '-';
    at = write_whole(at + (bits >> 63), whole);
    if (decimals > 0) {
        *at = '.';
        at = write_fraction(at + 1, fraction, decimals);
    }
    return (size_t)(at - to);
}
#else
size_t number_write(char *to, double x, int decimals) {
    return (size_t)snprintf(to, NUMBER_TEXT_MAX, "%.*f", decimals, x);
}
#endif
