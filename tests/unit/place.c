/* From a value to a place: defined for every double in every floating-point mode, and accurate in the usual one. */
#include <check.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#ifdef __SSE__
#include <immintrin.h>
#endif

#include "support.h"

static uint32_t place(const podium_layout *c, double value, uint32_t rounding) {
    uint32_t place;
    podium_places(c, &place, &value, &rounding, 1);
    return place;
}

static double with_bits(uint64_t sign, uint64_t exponent, uint64_t mantissa) {
    uint64_t bits = sign << 63 | exponent << 52 | mantissa;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef struct {
    double min, max;
} range;

static const range ranges[] = {
    {0, 1},     {1, 120},  {-0.5, 0.5}, {-1e140, 1e140}, {1e-140, 2e-140}, {-1e-140, 0}, {1.7e9, 1.7e9 + 86400},
    {-3, -2.9}, {0, 1e140}};
static const double epsilons[] = {1e-6, 0.1, 1, 50};

/* Every exponent with both signs and special mantissas, including subnormals, zeros, infinities and NaN payloads */
static int check_all_doubles(const podium_layout *c) {
    static const uint64_t mantissas[] = {0, 1, 0x7ffffffffffff, 0x8000000000000, 0xfffffffffffff, 0x123456789abcd};
    int count = 0, outside = 0;
    for (uint64_t sign = 0; sign <= 1; sign++)
        for (uint64_t exponent = 0; exponent < 2048; exponent++)
            for (size_t i = 0; i < LENGTH(mantissas); i++)
                for (int ones = 0; ones <= 1; ones++, count++)
                    outside += place(c, with_bits(sign, exponent, mantissas[i]), ones ? UINT32_MAX : 0) > c->places;
    ck_assert_int_eq(outside, 0);
    return count;
}

static int check_everything(void) {
    int count = 0;
    FOR_EACH_MECHANISM (m)
        for (size_t r = 0; r < LENGTH(ranges); r++)
            for (size_t e = ((size_t)m + r) % TEST_STRIDE; e < LENGTH(epsilons); e += TEST_STRIDE) {
                podium_layout c = layout_of(m, epsilons[e], ranges[r].min, ranges[r].max);
                count += check_all_doubles(&c);
            }
    return count;
}

START_TEST(always_a_place) {
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int count = 0;
    for (size_t i = 0; i < LENGTH(modes); i++) {
        ck_assert_int_eq(fesetround(modes[i]), 0);
        count += check_everything();
        ck_assert_int_eq(fesetround(FE_TONEAREST), 0);
    }
#ifdef __SSE__
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* flush to zero, denormals are zero */
    count += check_everything();
    _mm_setcsr(before);
#endif
    printf("value to place: %d doubles and modes\n", count);
}
END_TEST

START_TEST(ends_and_strangers) {
    FOR_EACH_MECHANISM (m)
        for (size_t r = 0; r < LENGTH(ranges); r++)
            for (size_t e = 0; e < LENGTH(epsilons); e++) {
                podium_layout c = layout_of(m, epsilons[e], ranges[r].min, ranges[r].max);
                uint32_t last = (uint32_t)c.places;
                ck_assert_uint_eq(place(&c, c.spec.min, 0), 0);
                ck_assert_uint_eq(place(&c, -INFINITY, UINT32_MAX), 0);
                ck_assert_uint_eq(place(&c, -DBL_MAX, UINT32_MAX), 0);
                ck_assert_uint_ge(place(&c, c.spec.max, UINT32_MAX), last);
                ck_assert_uint_eq(place(&c, INFINITY, 0), last);
                ck_assert_uint_eq(place(&c, DBL_MAX, 0), last);
                for (uint64_t payload = 1; payload < 0x10000000000000; payload = payload * 3 + 1) {
                    ck_assert_uint_eq(place(&c, with_bits(0, 2047, payload), 0), place(&c, NAN, 0));
                    ck_assert_uint_eq(place(&c, with_bits(1, 2047, payload), 0), place(&c, NAN, 0));
                }
                double middle = (double)place(&c, NAN, 0) / (double)last;
                ck_assert_double_eq_tol(middle, 0.5, 0.51 / (double)last);
                if (c.spec.min == 0) {
                    ck_assert_uint_eq(place(&c, -0.0, 0), 0);
                    ck_assert_uint_eq(place(&c, DBL_TRUE_MIN, 0), 0);
                }
            }
}
END_TEST

static long double mean_place(const podium_layout *c, double value) {
    uint32_t low;
    long double share = (long double)upper_share(c, value, &low);
    return low + share;
}

/* Checks a place that is a linear function of the value; unit/minimax checks mechanisms with several ramps. The
   place may be off by half a place, or by the last binary digit of its fraction, plus the rounding of the arithmetic
   and of the middle of the range. */
static void check_place(const podium_layout *c, double value) {
    long double delta = (long double)c->spec.max - (long double)c->spec.min;
    long double want = ((long double)value - (long double)c->spec.min) / delta * (long double)c->places;
    long double slack = c->fraction_bits == 0 ? 0.5L : ldexpl(1, -(int)c->fraction_bits);
    long double middle = ((long double)c->spec.min + (long double)c->spec.max) / 2;
    slack += (long double)c->places * (4e-16L + fabsl((long double)c->middle - middle) / delta);
    ck_assert_double_le((double)fabsl(mean_place(c, value) - want), (double)slack);
}

/* Random rounding goes up for as many halves of words as the fraction says, so that the mean place is that of the
   value. */
START_TEST(accurate) {
    uint64_t seed = 10;
    FOR_EACH_MECHANISM (m)
        for (size_t r = 0; r < LENGTH(ranges); r++)
            for (size_t e = ((size_t)m + r) % TEST_STRIDE; e < LENGTH(epsilons); e += TEST_STRIDE) {
                podium_layout c = layout_of(m, epsilons[e], ranges[r].min, ranges[r].max);
                uint32_t before = 0;
                for (int i = 0; i <= 1000; i++) {
                    double value = c.spec.min + (c.spec.max - c.spec.min) * i / 1000;
                    uint32_t low = place(&c, value, 0);
                    if (c.knot_count == 1)
                        check_place(&c, value);
                    ck_assert_uint_ge(low, before);
                    before = low;
                    ck_assert_uint_eq(place(&c, value, (uint32_t)(seeded_word(&seed) << c.fraction_bits)), low);
                }
            }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("place");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, always_a_place);
    tcase_add_test(tests, ends_and_strangers);
    tcase_add_test(tests, accurate);
    return run_tests("place", tests);
}
