/*
 * Vector code for AVX2, eight values at a time. It compares, adds and blends whole registers, so no jump, no address
 * and no division depends on a value, a place or a word here either. The bits of values are compared as integers, so
 * that no NaN raises an exception. Products and sums of doubles are separate instructions, so they round as in the
 * portable code.
 */
#include "device/vector.h"

#if PODIUM_HAS_AVX2

#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 static inline __attribute__((always_inline))
typedef __m256i words4; /* four of 64 bits */
typedef __m256i words8; /* eight of 32 bits */
typedef __m256d doubles4;

INLINE words4 all4(uint64_t word) {
    return _mm256_set1_epi64x((long long)word);
}

INLINE words8 all8(uint64_t word) {
    return _mm256_set1_epi32((int)(uint32_t)word);
}

INLINE doubles4 as_doubles(words4 bits) {
    return _mm256_castsi256_pd(bits);
}

INLINE words4 as_words(doubles4 x) {
    return _mm256_castpd_si256(x);
}

INLINE words8 load8(const void *at) {
    return _mm256_loadu_si256((const words8 *)at);
}

/* The lower 32 bits of eight 64-bit words */
INLINE words8 narrow8(words4 a, words4 b) {
    __m256 mixed = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

/* mask ? yes : no */
INLINE words8 select8(words8 mask, words8 yes, words8 no) {
    return _mm256_blendv_epi8(no, yes, mask);
}

/* ---- Places ---- */

typedef struct {
    doubles4 middle, half, slope, none;
    words4 fraction;
    words8 last;
    __m128i digits;
} place_constants;

AVX2 static place_constants place_constants_of(const podium_layout *c) {
    return (place_constants){.middle = _mm256_set1_pd(c->middle),
                             .half = _mm256_set1_pd(ldexp((double)c->places, (int)c->fraction_bits - 1)),
                             .slope = _mm256_set1_pd(c->slopes[0]),
                             .none = _mm256_set1_pd(podium_ramps_of_none(c)),
                             .fraction = all4(((uint64_t)1 << c->fraction_bits) - 1),
                             .last = all8(c->places),
                             .digits = _mm_cvtsi32_si128((int)c->fraction_bits)};
}

/* x, or the nearer of -most and most */
INLINE doubles4 within4(doubles4 x, doubles4 most) {
    const doubles4 minus = _mm256_set1_pd(-0.0);
    return _mm256_max_pd(_mm256_min_pd(x, most), _mm256_xor_pd(most, minus));
}

/* tame of privatize.c, minus the middle; NaN counts as the middle. */
INLINE doubles4 centred4(words4 bits, doubles4 middle) {
    words4 size = _mm256_and_si256(bits, all4(UINT64_MAX >> 1));
    words4 is_nan = _mm256_cmpgt_epi64(size, all4(podium_bits_of(INFINITY)));
    words4 big_enough = _mm256_cmpgt_epi64(size, all4(podium_bits_of(0x1p-512) - 1));
    doubles4 value = as_doubles(_mm256_and_si256(bits, big_enough));
    value = _mm256_blendv_pd(value, middle, as_doubles(is_nan));
    return _mm256_sub_pd(within4(value, _mm256_set1_pd(0x1p470)), middle);
}

/* The place in units of 2^-fraction_bits, given the offset from the middle place. The exponent of a double is still
   in the bits above it. */
INLINE words4 fixed4(const place_constants *c, doubles4 offset) {
    return as_words(_mm256_add_pd(_mm256_add_pd(c->half, within4(offset, c->half)), _mm256_set1_pd(0x1p52)));
}

/* A single ramp is a product. */
INLINE words4 on_a_line4(const place_constants *c, const double *values) {
    return fixed4(c, _mm256_mul_pd(centred4(load8(values), c->middle), c->slope));
}

/* offsets of privatize.c for sixteen distances at once. With fewer sums, each addition would have to wait for the
   one before it. */
INLINE void offsets16(const podium_layout *layout, const place_constants *c, doubles4 sums[4],
                      const doubles4 distances[4]) {
    for (int i = 0; i < 4; i++)
        sums[i] = _mm256_mul_pd(distances[i], c->slope); /* the first knot is 0 */
    for (uint32_t k = 1; k < layout->knot_count; k++) {
        const doubles4 knot = _mm256_set1_pd(layout->knots[k]), slope = _mm256_set1_pd(layout->slopes[k]);
        for (int i = 0; i < 4; i++)
            sums[i] = _mm256_add_pd(sums[i], _mm256_mul_pd(_mm256_max_pd(distances[i], knot), slope));
    }
    for (int i = 0; i < 4; i++)
        sums[i] = _mm256_sub_pd(sums[i], c->none);
}

/* Returns size with the sign of the other argument. The sign of size is cleared first, because rounding can make a
   sum of ramps that is nearly 0 slightly negative. */
INLINE doubles4 signed4(doubles4 size, doubles4 sign) {
    const doubles4 minus = _mm256_set1_pd(-0.0);
    return _mm256_or_pd(_mm256_andnot_pd(minus, size), _mm256_and_pd(minus, sign));
}

/* The place rounded at random by half a word */
INLINE words4 rounded4(const place_constants *c, words4 fixed, const uint32_t *rounding) {
    words4 coin = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)rounding));
    words4 place = _mm256_and_si256(fixed, all4(UINT64_MAX >> 12));
    return _mm256_srl_epi64(_mm256_add_epi64(place, _mm256_and_si256(coin, c->fraction)), c->digits);
}

/* As in privatize.c, the last operation is a minimum of integers, so that 0 <= place <= last for any input. */
INLINE words8 place8(const place_constants *c, words4 a, words4 b) {
    return _mm256_min_epu32(narrow8(a, b), c->last);
}

/* ---- Draw ---- */

/* scale of draw.c, for an n below 2^32 in each 64-bit lane. The words in even lanes and those in odd lanes are
   scaled separately. */
INLINE words8 scale8(words8 upper, words8 lower, words4 n) {
    words4 even = _mm256_srli_epi64(_mm256_mul_epu32(lower, n), 32);
    words4 odd = _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(lower, 32), n), 32);
    even = _mm256_add_epi64(even, _mm256_mul_epu32(upper, n));
    odd = _mm256_add_epi64(odd, _mm256_mul_epu32(_mm256_srli_epi64(upper, 32), n));
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* A threshold with the top bit of each half flipped, because AVX2 only compares signed numbers, and flipping puts
   unsigned numbers in the order of signed ones. */
typedef struct {
    words8 upper, lower;
    bool has_lower;
} threshold8;

#define FLIP ((uint64_t)1 << 63 | (uint64_t)1 << 31)

INLINE threshold8 threshold8_of(uint64_t threshold, bool has_lower) {
    return (threshold8){all8((threshold ^ FLIP) >> 32), all8(threshold ^ FLIP), has_lower};
}

static size_t halves_of(const threshold8 *threshold) {
    return threshold->has_lower ? 2 : 1;
}

/* word < threshold. The lower half of the word, if it was drawn, is stride after the upper half. */
INLINE words8 chosen8(const threshold8 *threshold, const uint32_t *halves, size_t stride) {
    const words8 flip = all8((uint32_t)1 << 31);
    words8 upper = _mm256_xor_si256(load8(halves), flip), below = _mm256_cmpgt_epi32(threshold->upper, upper);
    if (!threshold->has_lower)
        return below;
    words8 lower_below = _mm256_cmpgt_epi32(threshold->lower, _mm256_xor_si256(load8(halves + stride), flip));
    return _mm256_or_si256(below, _mm256_and_si256(_mm256_cmpeq_epi32(upper, threshold->upper), lower_below));
}

typedef struct {
    words4 width, cells;
    threshold8 threshold;
    bool full; /* there are 2^32 cells, so a word is scaled to its upper half */
} step_constants;

AVX2 static step_constants step_constants_of(const podium_layout *c) {
    const podium_step_draw *d = &c->draw.step;
    return (step_constants){.width = all4(d->width),
                            .cells = all4(c->cells),
                            .threshold = threshold8_of(d->threshold, podium_has_lower(d->threshold)),
                            .full = c->cells == PODIUM_GRID_MAX};
}

/* draw_step of draw.c */
INLINE words8 step8(const step_constants *c, words8 place, const uint32_t *halves, size_t stride) {
    words8 upper = load8(halves), lower = load8(halves + stride);
    words8 on_step = _mm256_add_epi32(place, scale8(upper, lower, c->width));
    words8 anywhere = c->full ? upper : scale8(upper, lower, c->cells);
    return select8(chosen8(&c->threshold, halves + 2 * stride, stride), on_step, anywhere);
}

/* draw_pair of draw.c for 2^32 cells. A word is scaled to half or a quarter of them by a shift. */
typedef struct {
    words4 width, places;
    words8 half, quarter;
    threshold8 threshold, pair_threshold, coin;
} pair_constants;

AVX2 static pair_constants pair_constants_of(const podium_layout *c) {
    const podium_pair_draw *d = &c->draw.pair;
    const bool has_lower = podium_has_lower(d->step.threshold | d->pair_threshold);
    return (pair_constants){.width = all4(d->step.width),
                            .places = all4(c->places),
                            .half = all8(PODIUM_GRID_MAX / 2),
                            .quarter = all8(PODIUM_GRID_MAX / 4),
                            .threshold = threshold8_of(d->step.threshold, has_lower),
                            .pair_threshold = threshold8_of(d->pair_threshold, has_lower),
                            .coin = threshold8_of(d->coin, podium_has_lower(d->coin))};
}

INLINE words8 pair8(const pair_constants *c, words8 place, const uint32_t *halves, size_t stride) {
    const words8 flip = all8((uint32_t)1 << 31);
    const uint32_t *select = halves + 2 * stride, *coin = select + halves_of(&c->threshold) * stride;
    const uint32_t *side = coin + halves_of(&c->coin) * stride;
    words8 upper = load8(halves), lower = load8(halves + stride), anywhere = _mm256_srli_epi32(upper, 1);
    words8 along = scale8(load8(side), load8(side + stride), c->places);
    words8 far = _mm256_cmpgt_epi32(_mm256_xor_si256(place, flip), _mm256_xor_si256(along, flip));
    words8 on_step = _mm256_add_epi32(place, scale8(upper, lower, c->width));
    words8 on_pair = _mm256_add_epi32(_mm256_and_si256(far, c->quarter), _mm256_srli_epi32(upper, 2));
    words8 own = select8(chosen8(&c->threshold, select, stride), on_step, anywhere);
    words8 pair = select8(chosen8(&c->pair_threshold, select, stride), on_pair, anywhere);
    return select8(chosen8(&c->coin, coin, stride), _mm256_add_epi32(c->half, pair), own);
}

/* draw_stairs of draw.c */
typedef struct {
    words4 width;
    words8 margin, middle_width, last;
    __m128i stair_bits, other_bits;
    threshold8 threshold, tail;
    struct {
        uint32_t upper, lower, digit; /* halves of the flipped threshold; digit of the stair's number */
        bool has_lower;
    } coins[PODIUM_COINS_MAX];
    uint32_t coin_count;
} stairs_constants;

AVX2 static stairs_constants stairs_constants_of(const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    stairs_constants made = {.width = all4(d->width),
                             .margin = all8(d->margin),
                             .middle_width = all8(d->width),
                             .last = all8(c->cells - 1),
                             .stair_bits = _mm_cvtsi32_si128((int)d->stair_bits),
                             .other_bits = _mm_cvtsi32_si128(32 - (int)d->stair_bits),
                             .threshold = threshold8_of(d->threshold, podium_has_lower(d->threshold)),
                             .tail = threshold8_of(d->tail_threshold, podium_has_lower(d->tail_threshold)),
                             .coin_count = d->coin_count};
    for (uint32_t k = 0; k < d->coin_count; k++) {
        made.coins[k].upper = (uint32_t)((d->coins[k] ^ FLIP) >> 32);
        made.coins[k].lower = (uint32_t)(d->coins[k] ^ FLIP);
        made.coins[k].digit = (uint32_t)1 << k;
        made.coins[k].has_lower = podium_has_lower(d->coins[k]);
    }
    return made;
}

INLINE words8 stair_number8(const stairs_constants *c, const uint32_t *halves, size_t stride) {
    words8 number = _mm256_setzero_si256();
    for (uint32_t k = 0; k < c->coin_count; k++) {
        const threshold8 coin = {all8(c->coins[k].upper), all8(c->coins[k].lower), c->coins[k].has_lower};
        words8 digit = _mm256_and_si256(chosen8(&coin, halves, stride), all8(c->coins[k].digit));
        number = _mm256_or_si256(number, digit);
        halves += halves_of(&coin) * stride;
    }
    return number;
}

/* A distance is below 2^32. In the tail it is 2^32 - 1, which is at least as far as any cell. The lowest bit of
   position decides the side. */
INLINE words8 stairs8(const stairs_constants *c, words8 place, const uint32_t *halves, size_t stride) {
    const words8 one = all8(1);
    const uint32_t *select = halves + 2 * stride, *tail = select + halves_of(&c->threshold) * stride;
    const uint32_t *coins = tail + halves_of(&c->tail) * stride;
    words8 upper = load8(halves), lower = load8(halves + stride);
    words8 middle = _mm256_add_epi32(c->margin, place), end = _mm256_add_epi32(middle, c->middle_width);
    words8 distance = _mm256_sll_epi32(stair_number8(c, coins, stride), c->stair_bits);
    distance = _mm256_add_epi32(distance, _mm256_srl_epi32(upper, c->other_bits));
    distance = _mm256_or_si256(distance, chosen8(&c->tail, tail, stride));
    words8 before = _mm256_sub_epi32(middle, one), after = _mm256_sub_epi32(c->last, end);
    words8 left = _mm256_sub_epi32(before, _mm256_min_epu32(distance, before));
    words8 right = _mm256_add_epi32(end, _mm256_min_epu32(distance, after));
    words8 is_right = _mm256_cmpeq_epi32(_mm256_and_si256(lower, one), one);
    words8 on_middle = _mm256_add_epi32(middle, scale8(upper, lower, c->width));
    return select8(chosen8(&c->threshold, select, stride), on_middle, select8(is_right, right, left));
}

/* ---- Reports ---- */

/* The three maps of map.c. A cell is public, so it may be used as an index. */
INLINE words8 identity8(const podium_layout *c, words8 cell) {
    (void)c;
    return cell;
}

INLINE words8 piece8(const podium_layout *c, words8 cell) {
    const podium_pieces_map *m = &c->worth.pieces;
    words8 piece = _mm256_srl_epi32(cell, _mm_cvtsi32_si128((int)m->bits));
    words8 number = _mm256_and_si256(cell, all8(((uint32_t)1 << m->bits) - 1));
    words8 slope = _mm256_i32gather_epi32(m->slope, piece, 4);
    words8 worth = _mm256_i32gather_epi32((const int *)m->worth, piece, 4);
    return _mm256_add_epi32(worth, _mm256_mullo_epi32(slope, number));
}

/* For 2^32 cells, the top bit says which half a cell is in, and the bit below it which output it is. */
INLINE words8 output8(const podium_layout *c, words8 cell) {
    const words8 low = all8(c->worth.pair.low), high = all8(c->worth.pair.high);
    words8 is_high = _mm256_srai_epi32(_mm256_slli_epi32(cell, 1), 31);
    return select8(_mm256_srai_epi32(cell, 31), select8(is_high, high, low), cell);
}

typedef struct {
    doubles4 first, spacing;
} report_constants;

AVX2 static report_constants report_constants_of(const podium_layout *c) {
    return (report_constants){_mm256_set1_pd(c->first), _mm256_set1_pd(c->spacing)};
}

/* first + spacing * worth. `digits` has the worth in the low bits under the exponent of 2^52, so subtracting 2^52
   leaves the worth as a double. */
INLINE doubles4 report4(const report_constants *c, words4 digits) {
    doubles4 worth = _mm256_sub_pd(as_doubles(digits), _mm256_set1_pd(0x1p52));
    return _mm256_add_pd(c->first, _mm256_mul_pd(c->spacing, worth));
}

INLINE void report8(const report_constants *c, double *reports, words8 worth) {
    const words8 exponent = all8(podium_bits_of(0x1p52) >> 32);
    words8 mixed = _mm256_permute4x64_epi64(worth, 0xd8); /* unpacking restores the order */
    _mm256_storeu_pd(reports, report4(c, _mm256_unpacklo_epi32(mixed, exponent)));
    _mm256_storeu_pd(reports + 4, report4(c, _mm256_unpackhi_epi32(mixed, exponent)));
}

/* Reports from a table of the reports of all cells */
INLINE void look_up8(const double *table, double *reports, words8 cell) {
    _mm256_storeu_pd(reports, _mm256_i32gather_pd(table, _mm256_castsi256_si128(cell), 8));
    _mm256_storeu_pd(reports + 4, _mm256_i32gather_pd(table, _mm256_extracti128_si256(cell, 1), 8));
}

/* ---- Loops: each works on a copy of the block, which a store to reports cannot change ---- */

INLINE void store8(uint32_t *cells, words8 cell) {
    _mm256_storeu_si256((words8 *)cells, cell);
}

/* Steps on 2^32 cells. has_lower and to_cells are constants at each call, so that the compiler makes a separate loop
   for each case. */
INLINE void fine_steps(const podium_layout *layout, const podium_block *to, size_t n, bool has_lower, bool to_cells) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    step_constants step = step_constants_of(layout);
    step.full = true, step.threshold.has_lower = has_lower;
    for (size_t i = 0; i < n; i += 8) {
        words4 a = on_a_line4(&place, block.values + i), b = on_a_line4(&place, block.values + i + 4);
        words8 cell = step8(&step, place8(&place, a, b), block.halves + i, block.n);
        if (to_cells)
            store8(block.cells + i, cell);
        else
            report8(&report, block.reports + i, cell);
    }
}

AVX2 static void fine_steps_any(const podium_layout *layout, const podium_block *block, size_t n) {
    const bool has_lower = podium_has_lower(layout->draw.step.threshold), to_cells = block->cells != NULL;
    if (has_lower && to_cells)
        fine_steps(layout, block, n, true, true);
    else if (has_lower)
        fine_steps(layout, block, n, true, false);
    else if (to_cells)
        fine_steps(layout, block, n, false, true);
    else
        fine_steps(layout, block, n, false, false);
}

/* Sixteen places, for the eight values from at[0] on and the eight from at[1] on, which may be the same eight */
INLINE void places16(const podium_layout *layout, const place_constants *c, words8 places[2], const podium_block *block,
                     const size_t at[2]) {
    doubles4 centred[4], distances[4], sums[4];
    words4 rounded[4];
    for (int i = 0; i < 4; i++) {
        centred[i] = centred4(load8(block->values + at[i / 2] + i % 2 * 4), c->middle);
        distances[i] = _mm256_andnot_pd(_mm256_set1_pd(-0.0), centred[i]);
    }
    offsets16(layout, c, sums, distances);
    for (int i = 0; i < 4; i++)
        rounded[i] = rounded4(c, fixed4(c, signed4(sums[i], centred[i])), block->rounding + at[i / 2] + i % 2 * 4);
    places[0] = place8(c, rounded[0], rounded[1]);
    places[1] = place8(c, rounded[2], rounded[3]);
}

/* Steps on coarser grids, whose places are rounded at random */
AVX2 static void coarse_steps(const podium_layout *layout, const podium_block *to, size_t n) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    const step_constants step = step_constants_of(layout);
    const bool is_identity = podium_map_of(layout)->is_identity;
    for (size_t i = 0; i < n; i += 16) {
        const size_t at[2] = {i, i + 8 < n ? i + 8 : i};
        words8 places[2];
        places16(layout, &place, places, &block, at);
        for (int k = 0; k < 2; k++) {
            words8 cell = step8(&step, places[k], block.halves + at[k], block.n);
            if (block.cells != NULL)
                store8(block.cells + at[k], cell);
            else if (block.table != NULL)
                look_up8(block.table, block.reports + at[k], cell);
            else
                report8(&report, block.reports + at[k], is_identity ? cell : piece8(layout, cell));
        }
    }
}

INLINE words8 rounded_place8(const place_constants *c, const podium_block *block, size_t i) {
    words4 a = on_a_line4(c, block->values + i), b = on_a_line4(c, block->values + i + 4);
    return place8(c, rounded4(c, a, block->rounding + i), rounded4(c, b, block->rounding + i + 4));
}

AVX2 static void pairs(const podium_layout *layout, const podium_block *to, size_t n) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    const pair_constants pair = pair_constants_of(layout);
    for (size_t i = 0; i < n; i += 8) {
        words8 cell = pair8(&pair, rounded_place8(&place, &block, i), block.halves + i, block.n);
        if (block.cells != NULL)
            store8(block.cells + i, cell);
        else
            report8(&report, block.reports + i, output8(layout, cell));
    }
}

AVX2 static void stairs(const podium_layout *layout, const podium_block *to, size_t n) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    const stairs_constants constants = stairs_constants_of(layout);
    for (size_t i = 0; i < n; i += 8) {
        words8 at = rounded_place8(&place, &block, i);
        words8 cell = stairs8(&constants, at, block.halves + i, block.n);
        if (block.cells != NULL)
            store8(block.cells + i, cell);
        else
            report8(&report, block.reports + i, cell);
    }
}

/* ---- All samplers, all maps ---- */

AVX2 static void steps(const podium_layout *layout, const podium_block *block, size_t n) {
    if (layout->fraction_bits == 0)
        fine_steps_any(layout, block, n);
    else
        coarse_steps(layout, block, n);
}

/* These functions say whether the loops can handle a layout. The loops rely on what podium_collection_init makes
   today: either one ramp and 2^32 cells, or places that are rounded at random, and certain maps. Everything else
   that a new mechanism may bring is left to the portable code. */
static bool steps_are_known(const podium_layout *layout) {
    return layout->fraction_bits != 0 ||
           (layout->cells == PODIUM_GRID_MAX && layout->knot_count == 1 && podium_map_of(layout)->is_identity);
}

static bool pairs_are_known(const podium_layout *layout) {
    return layout->fraction_bits != 0 && layout->cells == PODIUM_GRID_MAX && layout->knot_count == 1;
}

static bool stairs_are_known(const podium_layout *layout) {
    return layout->fraction_bits != 0 && layout->knot_count == 1;
}

typedef struct {
    bool (*is_known)(const podium_layout *layout);
    void (*privatize)(const podium_layout *layout, const podium_block *block, size_t n);
    bool maps[PODIUM_MAPS]; /* which of them the loop can compute */
} sampler;

static const sampler samplers[PODIUM_SAMPLERS] = {
    [PODIUM_SAMPLER_STEP] = {steps_are_known, steps, {[PODIUM_MAP_IDENTITY] = true, [PODIUM_MAP_PIECES] = true}},
    [PODIUM_SAMPLER_PAIR] = {pairs_are_known, pairs, {[PODIUM_MAP_PAIR] = true}},
    [PODIUM_SAMPLER_STAIRS] = {stairs_are_known, stairs, {[PODIUM_MAP_IDENTITY] = true}},
};

size_t podium_avx2_privatize(const podium_layout *c, const podium_block *block) {
    const sampler *s = &samplers[c->sampler];
    const size_t n = s->maps[c->map] && s->is_known(c) ? block->n & ~(size_t)7 : 0;
    if (n > 0) /* even the prologue of an AVX2 function may contain an AVX instruction */
        s->privatize(c, block, n);
    return n;
}

#define REPORTER(name, worth8)                                                                                         \
    AVX2 static void name(const podium_layout *layout, double *reports, const uint32_t *cells, size_t n) {             \
        const report_constants report = report_constants_of(layout);                                                   \
        for (size_t i = 0; i < n; i += 8)                                                                              \
            report8(&report, reports + i, worth8(layout, load8(cells + i)));                                           \
    }

REPORTER(report_identity, identity8)
REPORTER(report_pair, output8)
REPORTER(report_pieces, piece8)

size_t podium_avx2_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    static void (*const reporters[PODIUM_MAPS])(const podium_layout *, double *, const uint32_t *, size_t) = {
        [PODIUM_MAP_IDENTITY] = report_identity,
        [PODIUM_MAP_PAIR] = report_pair,
        [PODIUM_MAP_PIECES] = report_pieces,
    };
    const size_t done = n & ~(size_t)7;
    if (done > 0)
        reporters[c->map](c, reports, cells, done);
    return done;
}

#endif
