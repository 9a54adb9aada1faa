/* The operations of vector_lanes.h for AVX2. A register has eight lanes of 32 bits, or four of 64 bits. */
#include "device/vector.h"

#if PODIUM_HAS_AVX2

#include <immintrin.h>
#include <math.h>

#define VECTOR __attribute__((target("avx2")))
#define INLINE VECTOR static inline __attribute__((always_inline))
typedef __m256i words4;
typedef __m256i words8;
typedef __m256d doubles4;
typedef __m256i fraction4;      /* the bits of half a word that round a place */
typedef __m256i factor8;        /* a number below 2^32 by which words are scaled */
typedef __m128i shift4, shift8; /* how far lanes are shifted */

/* ---- Four of 64 bits ---- */

INLINE words4 all4(uint64_t word) {
    return _mm256_set1_epi64x((long long)word);
}

INLINE words4 load4(const double *at) {
    return _mm256_loadu_si256((const words4 *)(const void *)at);
}

INLINE words4 and4(words4 a, words4 b) {
    return _mm256_and_si256(a, b);
}

/* a > b, for words below 2^63 */
INLINE words4 above4(words4 a, words4 b) {
    return _mm256_cmpgt_epi64(a, b);
}

INLINE shift4 shift4_of(uint32_t bits) {
    return _mm_cvtsi32_si128((int)bits);
}

INLINE words4 shift_right4(words4 x, shift4 bits) {
    return _mm256_srl_epi64(x, bits);
}

INLINE fraction4 fraction4_of(uint32_t mask) {
    return all4(mask);
}

INLINE words4 add_fraction4(words4 x, const uint32_t *halves, fraction4 mask) {
    words4 coin = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)halves));
    return _mm256_add_epi64(x, _mm256_and_si256(coin, mask));
}

/* ---- Four doubles ---- */

INLINE doubles4 all_doubles4(double x) {
    return _mm256_set1_pd(x);
}

INLINE doubles4 as_doubles(words4 bits) {
    return _mm256_castsi256_pd(bits);
}

INLINE words4 as_words(doubles4 x) {
    return _mm256_castpd_si256(x);
}

INLINE void store4(double *at, doubles4 x) {
    _mm256_storeu_pd(at, x);
}

INLINE doubles4 add4(doubles4 a, doubles4 b) {
    return _mm256_add_pd(a, b);
}

INLINE doubles4 subtract4(doubles4 a, doubles4 b) {
    return _mm256_sub_pd(a, b);
}

INLINE doubles4 multiply4(doubles4 a, doubles4 b) {
    return _mm256_mul_pd(a, b);
}

INLINE doubles4 smaller4(doubles4 a, doubles4 b) {
    return _mm256_min_pd(a, b);
}

INLINE doubles4 larger4(doubles4 a, doubles4 b) {
    return _mm256_max_pd(a, b);
}

INLINE doubles4 negative4(doubles4 x) {
    return _mm256_xor_pd(x, _mm256_set1_pd(-0.0));
}

INLINE doubles4 size4(doubles4 x) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

/* The size of one with the sign of the other */
INLINE doubles4 signed4(doubles4 size, doubles4 sign) {
    return _mm256_or_pd(size4(size), _mm256_and_pd(_mm256_set1_pd(-0.0), sign));
}

/* mask ? yes : no */
INLINE doubles4 select4(words4 mask, doubles4 yes, doubles4 no) {
    return _mm256_blendv_pd(no, yes, as_doubles(mask));
}

/* ---- Eight of 32 bits ---- */

INLINE words8 all8(uint64_t word) {
    return _mm256_set1_epi32((int)(uint32_t)word);
}

INLINE words8 load8(const uint32_t *at) {
    return _mm256_loadu_si256((const words8 *)(const void *)at);
}

INLINE void store8(uint32_t *at, words8 x) {
    _mm256_storeu_si256((words8 *)(void *)at, x);
}

INLINE words8 add8(words8 a, words8 b) {
    return _mm256_add_epi32(a, b);
}

INLINE words8 subtract8(words8 a, words8 b) {
    return _mm256_sub_epi32(a, b);
}

INLINE words8 multiply8(words8 a, words8 b) {
    return _mm256_mullo_epi32(a, b);
}

INLINE words8 and8(words8 a, words8 b) {
    return _mm256_and_si256(a, b);
}

INLINE words8 or8(words8 a, words8 b) {
    return _mm256_or_si256(a, b);
}

INLINE words8 smaller8(words8 a, words8 b) {
    return _mm256_min_epu32(a, b);
}

INLINE words8 halved8(words8 x) {
    return _mm256_srli_epi32(x, 1);
}

INLINE shift8 shift8_of(uint32_t bits) {
    return _mm_cvtsi32_si128((int)bits);
}

INLINE words8 shift_left8(words8 x, shift8 bits) {
    return _mm256_sll_epi32(x, bits);
}

INLINE words8 shift_right8(words8 x, shift8 bits) {
    return _mm256_srl_epi32(x, bits);
}

/* AVX2 only compares signed numbers. Flipping the top bit puts unsigned numbers in the order of signed ones. Both
   halves of a 64-bit word are flipped. */
INLINE uint64_t ordered_word(uint64_t word) {
    return word ^ ((uint64_t)1 << 63 | (uint64_t)1 << 31);
}

INLINE words8 ordered8(words8 x) {
    return _mm256_xor_si256(x, all8((uint32_t)1 << 31));
}

/* a < b, both of them ordered */
INLINE words8 below8(words8 a, words8 b) {
    return _mm256_cmpgt_epi32(b, a);
}

INLINE words8 equal8(words8 a, words8 b) {
    return _mm256_cmpeq_epi32(a, b);
}

INLINE words8 is_odd8(words8 x) {
    return _mm256_cmpeq_epi32(_mm256_and_si256(x, all8(1)), all8(1));
}

INLINE words8 is_upper8(words8 x) { /* x >= 2^31 */
    return _mm256_srai_epi32(x, 31);
}

/* mask ? yes : no */
INLINE words8 select8(words8 mask, words8 yes, words8 no) {
    return _mm256_blendv_epi8(no, yes, mask);
}

/* Binary digits, the lowest first. A digit is 1 where the mask is set. Here each is put where it belongs, so that a
   number of any count of digits is shifted only to where it is used. */
INLINE words8 next_digit8(words8 digits, words8 mask, uint32_t digit) {
    return or8(digits, and8(mask, all8(digit)));
}

INLINE shift8 digits8_shift(uint32_t count, uint32_t bits) {
    (void)count;
    return shift8_of(bits);
}

/* ---- From one to the other ---- */

/* The lower 32 bits of eight 64-bit words */
INLINE words8 narrow8(words4 a, words4 b) {
    __m256 mixed = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

/* A word in the low bits under the exponent of 2^52 is a double, and subtracting 2^52 leaves the word. */
INLINE void widen8(words8 x, doubles4 *low, doubles4 *high) {
    const words8 exponent = all8(podium_bits_of(0x1p52) >> 32);
    const doubles4 offset = _mm256_set1_pd(0x1p52);
    words8 mixed = _mm256_permute4x64_epi64(x, 0xd8); /* unpacking restores the order */
    *low = _mm256_sub_pd(as_doubles(_mm256_unpacklo_epi32(mixed, exponent)), offset);
    *high = _mm256_sub_pd(as_doubles(_mm256_unpackhi_epi32(mixed, exponent)), offset);
}

INLINE factor8 factor8_of(uint64_t n) {
    return all4(n);
}

/* scale of draw.c. The words in even lanes and those in odd lanes are scaled separately. */
INLINE words8 scale8(words8 upper, words8 lower, factor8 n) {
    words4 even = _mm256_srli_epi64(_mm256_mul_epu32(lower, n), 32);
    words4 odd = _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(lower, 32), n), 32);
    even = _mm256_add_epi64(even, _mm256_mul_epu32(upper, n));
    odd = _mm256_add_epi64(odd, _mm256_mul_epu32(_mm256_srli_epi64(upper, 32), n));
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* What a table has at public indices: words of 32 bits, or reports */
INLINE words8 look_up8(const void *table, words8 index) {
    return _mm256_i32gather_epi32((const int *)table, index, 4);
}

INLINE void look_up_reports8(const double *table, double *reports, words8 cell) {
    _mm256_storeu_pd(reports, _mm256_i32gather_pd(table, _mm256_castsi256_si128(cell), 8));
    _mm256_storeu_pd(reports + 4, _mm256_i32gather_pd(table, _mm256_extracti128_si256(cell, 1), 8));
}

#include "device/vector_lanes.h"

size_t podium_avx2_privatize(const podium_layout *c, const podium_block *block) {
    return privatize_lanes(c, block);
}

size_t podium_avx2_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    return report_lanes(c, reports, cells, n);
}

#endif
