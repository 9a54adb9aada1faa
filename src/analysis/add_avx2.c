/* Four reports at a time with AVX2, if the processor has it. See add.h. */
#include "analysis/add.h"

#if PODIUM_HAS_AVX2

#include <immintrin.h>

#define VECTOR __attribute__((target("avx2")))
#define INLINE VECTOR static inline __attribute__((always_inline))

typedef struct {
    __m256d first, per_spacing, half, end;
} ruler4;

INLINE ruler4 ruler4_of(const podium_ruler *r) {
    return (ruler4){_mm256_set1_pd(r->first), _mm256_set1_pd(r->per_spacing), _mm256_set1_pd(0.5),
                    _mm256_set1_pd(r->end)};
}

/* Returns four worths, or 0 for a report that has none. All bits of exists are then 0, and otherwise 1. Adding 2^52
   puts an integer into the low bits of a double. */
INLINE __m256i worths4(const ruler4 *r, const double *reports, __m256i *exists) {
    __m256d t = _mm256_sub_pd(_mm256_loadu_pd(reports), r->first);
    t = _mm256_add_pd(_mm256_mul_pd(t, r->per_spacing), r->half);
    __m256d inside = _mm256_and_pd(_mm256_cmp_pd(t, _mm256_setzero_pd(), _CMP_GT_OQ), /* false for NaN */
                                   _mm256_cmp_pd(t, r->end, _CMP_LT_OQ));
    __m256d whole = _mm256_add_pd(_mm256_floor_pd(t), _mm256_set1_pd(0x1p52));
    *exists = _mm256_castpd_si256(inside);
    return _mm256_and_si256(_mm256_and_si256(_mm256_castpd_si256(whole), *exists), _mm256_set1_epi64x(UINT32_MAX));
}

VECTOR static void worths_of(const podium_ruler *ruler, uint64_t *worths, const double *reports, size_t n) {
    const ruler4 r = ruler4_of(ruler);
    const __m256i none = _mm256_set1_epi64x((long long)PODIUM_NO_WORTH);
    for (size_t i = 0; i < n; i += 4) {
        __m256i exists, worth = worths4(&r, reports + i, &exists);
        worth = _mm256_or_si256(worth, _mm256_andnot_si256(exists, none));
        _mm256_storeu_si256((__m256i *)(void *)(worths + i), worth);
    }
}

INLINE uint64_t lanes_sum(__m256i x) {
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *)(void *)lanes, x);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

VECTOR static void tally_of(const podium_ruler *ruler, podium_tally *tally, uint64_t *bins, uint32_t bin_bits,
                            const double *reports, size_t n) {
    const ruler4 r = ruler4_of(ruler);
    const __m128i shift = _mm_cvtsi32_si128((int)bin_bits);
    const __m256i half = _mm256_set1_epi64x(UINT32_MAX);
    __m256i count = _mm256_setzero_si256(), sum = count, low = count, high = count;
    for (size_t i = 0; i < n; i += 4) {
        __m256i exists, worth = worths4(&r, reports + i, &exists), square = _mm256_mul_epu32(worth, worth);
        count = _mm256_sub_epi64(count, exists); /* which is -1 */
        sum = _mm256_add_epi64(sum, worth);
        low = _mm256_add_epi64(low, _mm256_and_si256(square, half));
        high = _mm256_add_epi64(high, _mm256_srli_epi64(square, 32));
        _mm256_storeu_si256((__m256i *)(void *)(bins + i), _mm256_srl_epi64(worth, shift));
    }
    tally->count += lanes_sum(count);
    tally->sum += lanes_sum(sum);
    tally->squares_low += lanes_sum(low);
    tally->squares_high += lanes_sum(high);
}

static size_t lanes(size_t n) {
    return __builtin_cpu_supports("avx2") ? n & ~(size_t)3 : 0;
}

size_t podium_vector_worths(const podium_ruler *ruler, uint64_t *worths, const double *reports, size_t n) {
    const size_t done = lanes(n);
    if (done > 0)
        worths_of(ruler, worths, reports, done);
    return done;
}

size_t podium_vector_tally(const podium_ruler *ruler, podium_tally *tally, uint64_t *bins, uint32_t bin_bits,
                           const double *reports, size_t n) {
    const size_t done = lanes(n);
    if (done > 0)
        tally_of(ruler, tally, bins, bin_bits, reports, done);
    return done;
}

#else

size_t podium_vector_worths(const podium_ruler *ruler, uint64_t *worths, const double *reports, size_t n) {
    (void)ruler, (void)worths, (void)reports, (void)n;
    return 0;
}

size_t podium_vector_tally(const podium_ruler *ruler, podium_tally *tally, uint64_t *bins, uint32_t bin_bits,
                           const double *reports, size_t n) {
    (void)ruler, (void)tally, (void)bins, (void)bin_bits, (void)reports, (void)n;
    return 0;
}

#endif
