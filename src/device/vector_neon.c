/* The operations of vector_lanes.h for NEON as 64-bit ARM has it. A register has four lanes of 32 bits, or two of 64
   bits, so everything here is a pair of registers. */
#include "device/vector.h"

#if PODIUM_HAS_NEON

#include <arm_neon.h>
#include <math.h>

#define VECTOR
#define INLINE static inline __attribute__((always_inline))
typedef struct {
    uint64x2_t a, b;
} words4;
typedef struct {
    uint32x4_t a, b;
} words8;
typedef struct {
    float64x2_t a, b;
} doubles4;
typedef uint32x4_t fraction4; /* the bits of half a word that round a place */
typedef uint32x4_t factor8;   /* a number below 2^32 by which words are scaled */
typedef int64x2_t shift4;     /* how far lanes are shifted to the left; to the right if negative */
typedef int32x4_t shift8;

/* An operation that is one instruction for each register of the pair */
#define PAIRED(name, result, operand, instruction)                                                                     \
    INLINE result name(operand x, operand y) {                                                                         \
        return (result){instruction(x.a, y.a), instruction(x.b, y.b)};                                                 \
    }
#define PAIRED_SINGLE(name, result, operand, instruction)                                                              \
    INLINE result name(operand x) {                                                                                    \
        return (result){instruction(x.a), instruction(x.b)};                                                           \
    }

/* ---- Four of 64 bits ---- */

INLINE words4 all4(uint64_t word) {
    return (words4){vdupq_n_u64(word), vdupq_n_u64(word)};
}

INLINE words4 load4(const double *at) {
    return (words4){vreinterpretq_u64_f64(vld1q_f64(at)), vreinterpretq_u64_f64(vld1q_f64(at + 2))};
}

PAIRED(and4, words4, words4, vandq_u64)
PAIRED(above4, words4, words4, vcgtq_u64) /* a > b */

INLINE shift4 shift4_of(uint32_t bits) {
    return vdupq_n_s64(bits);
}

INLINE words4 shift_right4(words4 x, shift4 bits) {
    return (words4){vshlq_u64(x.a, vnegq_s64(bits)), vshlq_u64(x.b, vnegq_s64(bits))};
}

INLINE fraction4 fraction4_of(uint32_t mask) {
    return vdupq_n_u32(mask);
}

INLINE words4 add_fraction4(words4 x, const uint32_t *halves, fraction4 mask) {
    uint32x4_t coin = vandq_u32(vld1q_u32(halves), mask);
    return (words4){vaddw_u32(x.a, vget_low_u32(coin)), vaddw_high_u32(x.b, coin)};
}

/* ---- Four doubles. No operand is NaN, so minimum and maximum are those of all processors. ---- */

INLINE doubles4 all_doubles4(double x) {
    return (doubles4){vdupq_n_f64(x), vdupq_n_f64(x)};
}

PAIRED_SINGLE(as_doubles, doubles4, words4, vreinterpretq_f64_u64)
PAIRED_SINGLE(as_words, words4, doubles4, vreinterpretq_u64_f64)

INLINE void store4(double *at, doubles4 x) {
    vst1q_f64(at, x.a);
    vst1q_f64(at + 2, x.b);
}

PAIRED(add4, doubles4, doubles4, vaddq_f64)
PAIRED(subtract4, doubles4, doubles4, vsubq_f64)
PAIRED(multiply4, doubles4, doubles4, vmulq_f64)
PAIRED(smaller4, doubles4, doubles4, vminq_f64)
PAIRED(larger4, doubles4, doubles4, vmaxq_f64)
PAIRED_SINGLE(negative4, doubles4, doubles4, vnegq_f64)
PAIRED_SINGLE(size4, doubles4, doubles4, vabsq_f64)

/* mask ? yes : no */
INLINE doubles4 select4(words4 mask, doubles4 yes, doubles4 no) {
    return (doubles4){vbslq_f64(mask.a, yes.a, no.a), vbslq_f64(mask.b, yes.b, no.b)};
}

/* The size of one with the sign of the other */
INLINE doubles4 signed4(doubles4 size, doubles4 sign) {
    return select4(all4((uint64_t)1 << 63), sign, size);
}

/* ---- Eight of 32 bits ---- */

INLINE words8 all8(uint64_t word) {
    return (words8){vdupq_n_u32((uint32_t)word), vdupq_n_u32((uint32_t)word)};
}

INLINE words8 load8(const uint32_t *at) {
    return (words8){vld1q_u32(at), vld1q_u32(at + 4)};
}

INLINE void store8(uint32_t *at, words8 x) {
    vst1q_u32(at, x.a);
    vst1q_u32(at + 4, x.b);
}

PAIRED(add8, words8, words8, vaddq_u32)
PAIRED(subtract8, words8, words8, vsubq_u32)
PAIRED(multiply8, words8, words8, vmulq_u32)
PAIRED(and8, words8, words8, vandq_u32)
PAIRED(or8, words8, words8, vorrq_u32)
PAIRED(smaller8, words8, words8, vminq_u32)
PAIRED(below8, words8, words8, vcltq_u32)
PAIRED(equal8, words8, words8, vceqq_u32)
PAIRED(any_bit8, words8, words8, vtstq_u32) /* (a & b) != 0 */

INLINE words8 halved8(words8 x) {
    return (words8){vshrq_n_u32(x.a, 1), vshrq_n_u32(x.b, 1)};
}

INLINE shift8 shift8_of(uint32_t bits) {
    return vdupq_n_s32((int32_t)bits);
}

INLINE words8 shift_left8(words8 x, shift8 bits) {
    return (words8){vshlq_u32(x.a, bits), vshlq_u32(x.b, bits)};
}

INLINE words8 shift_right8(words8 x, shift8 bits) {
    return shift_left8(x, vnegq_s32(bits));
}

/* NEON compares unsigned numbers, so they are in order as they are. */
INLINE uint64_t ordered_word(uint64_t word) {
    return word;
}

INLINE words8 ordered8(words8 x) {
    return x;
}

INLINE words8 is_odd8(words8 x) {
    return any_bit8(x, all8(1));
}

INLINE words8 is_upper8(words8 x) { /* x >= 2^31 */
    return any_bit8(x, all8((uint32_t)1 << 31));
}

/* mask ? yes : no */
INLINE words8 select8(words8 mask, words8 yes, words8 no) {
    return (words8){vbslq_u32(mask.a, yes.a, no.a), vbslq_u32(mask.b, yes.b, no.b)};
}

/* Binary digits, the lowest first. A digit is 1 where the mask is set. Here one instruction moves the digits down by
   one and keeps the top bit of the mask above them, so that in the end they fill the top bits. */
INLINE words8 next_digit8(words8 digits, words8 mask, uint32_t digit) {
    (void)digit;
    return (words8){vsriq_n_u32(mask.a, digits.a, 1), vsriq_n_u32(mask.b, digits.b, 1)};
}

INLINE shift8 digits8_shift(uint32_t count, uint32_t bits) {
    return vdupq_n_s32((int32_t)(count + bits) - 32);
}

/* ---- From one to the other ---- */

/* The lower, or the upper, 32 bits of four 64-bit words */
INLINE uint32x4_t lower_halves(uint64x2_t a, uint64x2_t b) {
    return vuzp1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
}

INLINE uint32x4_t upper_halves(uint64x2_t a, uint64x2_t b) {
    return vuzp2q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
}

INLINE words8 narrow8(words4 x, words4 y) {
    return (words8){lower_halves(x.a, x.b), lower_halves(y.a, y.b)};
}

INLINE doubles4 doubles_of(uint32x4_t x) {
    return (doubles4){vcvtq_f64_u64(vmovl_u32(vget_low_u32(x))), vcvtq_f64_u64(vmovl_high_u32(x))};
}

INLINE void widen8(words8 x, doubles4 *low, doubles4 *high) {
    *low = doubles_of(x.a);
    *high = doubles_of(x.b);
}

INLINE factor8 factor8_of(uint64_t n) {
    return vdupq_n_u32((uint32_t)n);
}

/* scale of draw.c */
INLINE uint32x4_t scale_quad(uint32x4_t upper, uint32x4_t lower, factor8 n) {
    uint64x2_t low = vmull_u32(vget_low_u32(upper), vget_low_u32(n)), high = vmull_high_u32(upper, n);
    low = vsraq_n_u64(low, vmull_u32(vget_low_u32(lower), vget_low_u32(n)), 32);
    high = vsraq_n_u64(high, vmull_high_u32(lower, n), 32);
    return upper_halves(low, high);
}

INLINE words8 scale8(words8 upper, words8 lower, factor8 n) {
    return (words8){scale_quad(upper.a, lower.a, n), scale_quad(upper.b, lower.b, n)};
}

/* What a table has at public indices: words of 32 bits, or reports. NEON has no such instruction. */
INLINE uint32x4_t look_up_quad(const uint32_t *table, uint32x4_t index) {
    uint32x4_t found = vdupq_n_u32(table[vgetq_lane_u32(index, 0)]);
    found = vsetq_lane_u32(table[vgetq_lane_u32(index, 1)], found, 1);
    found = vsetq_lane_u32(table[vgetq_lane_u32(index, 2)], found, 2);
    return vsetq_lane_u32(table[vgetq_lane_u32(index, 3)], found, 3);
}

INLINE words8 look_up8(const void *table, words8 index) {
    return (words8){look_up_quad(table, index.a), look_up_quad(table, index.b)};
}

INLINE void look_up_reports_quad(const double *table, double *reports, uint32x4_t cell) {
    reports[0] = table[vgetq_lane_u32(cell, 0)];
    reports[1] = table[vgetq_lane_u32(cell, 1)];
    reports[2] = table[vgetq_lane_u32(cell, 2)];
    reports[3] = table[vgetq_lane_u32(cell, 3)];
}

INLINE void look_up_reports8(const double *table, double *reports, words8 cell) {
    look_up_reports_quad(table, reports, cell.a);
    look_up_reports_quad(table, reports + 4, cell.b);
}

#include "device/vector_lanes.h"

size_t podium_neon_privatize(const podium_layout *c, const podium_block *block) {
    return privatize_lanes(c, block);
}

size_t podium_neon_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    return report_lanes(c, reports, cells, n);
}

#endif
