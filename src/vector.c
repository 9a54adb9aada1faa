/*
 * Vector: see vector.h. Comparing, adding and blending whole registers: no jump, no address and no division depends on
 * a value, a place or a word here either. Comparisons are of integers, so that no NaN raises an exception; products and
 * sums of doubles are separate instructions, as in the portable code, and so round alike.
 */
#include "vector.h"

#if PODIUM_HAS_VECTORS

#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2")))
typedef __m256i words4;
typedef __m256d doubles4;

size_t podium_vector_count(size_t n) {
    return __builtin_cpu_supports("avx2") ? n & ~(size_t)3 : 0;
}

AVX2 static inline words4 all4(uint64_t word) {
    return _mm256_set1_epi64x((long long)word);
}

AVX2 static inline words4 load4(const void *at) {
    return _mm256_loadu_si256((const words4 *)at);
}

/* 32 bits each, to and from 64 */
AVX2 static inline words4 widen4(const uint32_t *at) {
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)at));
}

AVX2 static inline void narrow4(uint32_t *to, words4 words) {
    words4 packed = _mm256_permutevar8x32_epi32(words, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(packed));
}

/* The smaller; both below 2^63 */
AVX2 static inline words4 smaller4(words4 a, words4 b) {
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

/* ---- Places ---- */

/* privatize.c's centred_bits */
AVX2 static inline words4 centred4(words4 bits, doubles4 middle) {
    const words4 magnitude = all4(UINT64_MAX >> 1);
    words4 size = _mm256_and_si256(bits, magnitude), sign = _mm256_andnot_si256(magnitude, bits);
    words4 is_nan = _mm256_cmpgt_epi64(size, all4(podium_bits_of(INFINITY)));
    words4 big_enough = _mm256_cmpgt_epi64(size, all4(podium_bits_of(0x1p-512) - 1));
    words4 tamed = _mm256_and_si256(smaller4(size, all4(podium_bits_of(0x1p470))), big_enough);
    tamed = _mm256_or_si256(_mm256_andnot_si256(is_nan, tamed), sign);
    return _mm256_andnot_si256(is_nan, _mm256_castpd_si256(_mm256_sub_pd(_mm256_castsi256_pd(tamed), middle)));
}

AVX2 static inline doubles4 size4(doubles4 x) {
    return _mm256_and_pd(x, _mm256_castsi256_pd(all4(UINT64_MAX >> 1)));
}

/* One step of the sum of ramps: privatize.c's double_offsets */
AVX2 static inline doubles4 ramp4(doubles4 twice, doubles4 distance, doubles4 knot, doubles4 slope) {
    doubles4 beyond = _mm256_sub_pd(distance, knot);
    return _mm256_add_pd(twice, _mm256_mul_pd(_mm256_add_pd(beyond, size4(beyond)), slope));
}

typedef struct {
    words4 fraction, last;
    doubles4 half, middle;
    __m128i digits;
} place_constants;

/* privatize.c's fixed_place, rounded at random and clamped */
AVX2 static inline words4 place4(const place_constants *c, doubles4 twice, words4 sign, words4 rounding) {
    doubles4 offset = _mm256_mul_pd(size4(twice), _mm256_set1_pd(0.5));
    words4 clamped = smaller4(_mm256_castpd_si256(offset), _mm256_castpd_si256(c->half)); /* neither is negative */
    doubles4 signed_offset = _mm256_castsi256_pd(_mm256_or_si256(clamped, sign));
    doubles4 sum = _mm256_add_pd(_mm256_add_pd(c->half, signed_offset), _mm256_set1_pd(0x1p52));
    words4 place = _mm256_and_si256(_mm256_castpd_si256(sum), all4(UINT64_MAX >> 12));
    place = _mm256_add_epi64(place, _mm256_and_si256(rounding, c->fraction));
    return smaller4(_mm256_srl_epi64(place, c->digits), c->last);
}

/* Two times four at once: the sums of ramps wait for each other's additions otherwise. */
AVX2 void podium_vector_places(const podium_collection *collection, uint32_t *places, const double *values,
                               const uint64_t *rounding, size_t n) {
    const unsigned digits = collection->fraction_bits;
    const words4 sign_bit = all4((uint64_t)1 << 63), none = _mm256_setzero_si256();
    const place_constants constants = {.fraction = all4(((uint64_t)1 << digits) - 1),
                                       .last = all4(collection->places),
                                       .half = _mm256_set1_pd(ldexp((double)collection->places, (int)digits - 1)),
                                       .middle = _mm256_set1_pd(collection->middle),
                                       .digits = _mm_cvtsi32_si128((int)digits)};
    for (size_t i = 0; i < n; i += 8) {
        const size_t j = i + 4 < n ? i + 4 : i; /* of an odd four the same twice */
        words4 a = centred4(load4(values + i), constants.middle), b = centred4(load4(values + j), constants.middle);
        words4 sign_a = _mm256_and_si256(a, sign_bit), sign_b = _mm256_and_si256(b, sign_bit);
        doubles4 distance_a = _mm256_castsi256_pd(_mm256_xor_si256(a, sign_a)), twice_a = _mm256_setzero_pd();
        doubles4 distance_b = _mm256_castsi256_pd(_mm256_xor_si256(b, sign_b)), twice_b = _mm256_setzero_pd();
        for (uint32_t k = 0; k < collection->knot_count; k++) {
            const doubles4 knot = _mm256_set1_pd(collection->knots[k]), slope = _mm256_set1_pd(collection->slopes[k]);
            twice_a = ramp4(twice_a, distance_a, knot, slope);
            twice_b = ramp4(twice_b, distance_b, knot, slope);
        }
        narrow4(places + i, place4(&constants, twice_a, sign_a, digits == 0 ? none : load4(rounding + i)));
        narrow4(places + j, place4(&constants, twice_b, sign_b, digits == 0 ? none : load4(rounding + j)));
    }
}

/* ---- Draw ---- */

/* draw.c's scale, for n below 2^32 */
AVX2 static inline words4 scale4(words4 word, words4 n) {
    words4 high = _mm256_mul_epu32(_mm256_srli_epi64(word, 32), n);
    words4 low = _mm256_srli_epi64(_mm256_mul_epu32(word, n), 32);
    return _mm256_srli_epi64(_mm256_add_epi64(high, low), 32);
}

AVX2 void podium_vector_step(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                             const uint64_t *select, const uint64_t *position, size_t n) {
    const bool full = collection->cells == PODIUM_CELLS_MAX; /* public: 2^32 cells are the upper half of a word */
    const words4 width = all4(collection->width), all = all4(collection->cells), flip = all4((uint64_t)1 << 63);
    const words4 threshold = _mm256_xor_si256(all4(collection->threshold), flip);
    for (size_t i = 0; i < n; i += 4) {
        words4 word = load4(position + i), chosen = _mm256_xor_si256(load4(select + i), flip);
        words4 on_step = _mm256_add_epi64(widen4(places + i), scale4(word, width));
        words4 anywhere = full ? _mm256_srli_epi64(word, 32) : scale4(word, all);
        narrow4(cells + i, _mm256_blendv_epi8(anywhere, on_step, _mm256_cmpgt_epi64(threshold, chosen)));
    }
}

/* ---- Reports ---- */

/* first + spacing * worth, worth being of 32 bits: with 2^52 it is a double's last digits */
AVX2 static inline doubles4 report4(__m128i worth, doubles4 first, doubles4 spacing) {
    const words4 two_52 = all4(podium_bits_of(0x1p52));
    doubles4 sum = _mm256_castsi256_pd(_mm256_or_si256(_mm256_cvtepu32_epi64(worth), two_52));
    return _mm256_add_pd(first, _mm256_mul_pd(spacing, _mm256_sub_pd(sum, _mm256_castsi256_pd(two_52))));
}

AVX2 void podium_vector_reports(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n) {
    const doubles4 first = _mm256_set1_pd(collection->first), spacing = _mm256_set1_pd(collection->spacing);
    for (size_t i = 0; i < n; i += 4)
        _mm256_storeu_pd(reports + i, report4(_mm_loadu_si128((const __m128i *)(cells + i)), first, spacing));
}

/* collection.c's worth_of_piece; a cell is public, and may be looked up. */
AVX2 void podium_vector_pieces(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n) {
    const doubles4 first = _mm256_set1_pd(collection->first), spacing = _mm256_set1_pd(collection->spacing);
    const __m128i bits = _mm_cvtsi32_si128((int)collection->piece_bits);
    const __m128i in_piece = _mm_set1_epi32((int)(((uint32_t)1 << collection->piece_bits) - 1));
    for (size_t i = 0; i < n; i += 4) {
        __m128i cell = _mm_loadu_si128((const __m128i *)(cells + i)), piece = _mm_srl_epi32(cell, bits);
        __m128i worth = _mm_i32gather_epi32((const int *)collection->piece_worth, piece, 4);
        __m128i slope = _mm_i32gather_epi32(collection->piece_slope, piece, 4);
        worth = _mm_add_epi32(worth, _mm_mullo_epi32(slope, _mm_and_si128(cell, in_piece)));
        _mm256_storeu_pd(reports + i, report4(worth, first, spacing));
    }
}

#else

size_t podium_vector_count(size_t n) {
    return n & 0;
}

void podium_vector_places(const podium_collection *collection, uint32_t *places, const double *values,
                          const uint64_t *rounding, size_t n) {
    (void)collection, (void)places, (void)values, (void)rounding, (void)n;
}

void podium_vector_step(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                        const uint64_t *select, const uint64_t *position, size_t n) {
    (void)collection, (void)cells, (void)places, (void)select, (void)position, (void)n;
}

void podium_vector_reports(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n) {
    (void)collection, (void)reports, (void)cells, (void)n;
}

void podium_vector_pieces(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n) {
    (void)collection, (void)reports, (void)cells, (void)n;
}

#endif
