/*
 * Sample: the arithmetic of one exact draw, which draw.c and firmware.c share. It turns a place and random words into a
 * cell by comparing, multiplying, shifting and masking integers. No branch, address, division or loop count depends on
 * a place or a word, because both are as secret as the value. No value, epsilon or floating-point number appears here.
 */
#ifndef PODIUM_SAMPLE_H
#define PODIUM_SAMPLE_H

#include "collection/layout.h"
#include "device/mask.h"
#include "device/multiply.h"

/* floor(word n / R) for n <= 2^32. It is computed from two half products, which fit into 64 bits. The result is
   exact, because with word = high 2^h + low it is floor((high n + floor(low n / 2^h)) / 2^(bits - h)). */
static inline uint64_t scale(uint64_t word, uint64_t n) {
    const unsigned half = PODIUM_WORD_BITS / 2;
    uint64_t high = word >> half, low = word & (((uint64_t)1 << half) - 1);
    return (multiply(high, n) + (multiply(low, n) >> half)) >> (PODIUM_WORD_BITS - half);
}

/* The sampler of Theorem 1: a uniform cell of the step at the place, or a uniform cell of the grid */
static inline uint64_t step_cell(uint64_t place, uint64_t width, uint64_t all, uint64_t threshold, uint64_t select,
                                 uint64_t position) {
    return mask_select(mask_less(select, threshold), place + scale(position, width), scale(position, all));
}

/* The words of one draw of a pair */
typedef struct {
    uint64_t position, select, coin, side;
} pair_words;

/* The sampler of the corollary to Theorem 1. It draws from the lower half of the cells, or from the upper half, in
   which the step covers half of the cells and is at one of two places. It is at the upper one with a probability
   that grows linearly with the place. */
static inline uint64_t pair_cell(const podium_pair_draw *d, uint64_t cells, uint64_t places, uint64_t place,
                                 const pair_words *words) {
    const uint64_t half = cells >> 1, quarter = half >> 1; /* no division, because tests/ctime rejects any */
    uint64_t selected = words->select, at = words->position;
    uint64_t upper = mask_less(scale(words->side, places), place);
    uint64_t lower_cell = step_cell(place, d->step.width, half, d->step.threshold, selected, at);
    uint64_t upper_cell = step_cell(upper & quarter, quarter, half, d->pair_threshold, selected, at);
    uint64_t is_pair = mask_less(words->coin, d->coin);
    return mask_select(is_pair, half + upper_cell, lower_cell);
}

/* The number of a stair. Each coin decides one binary digit, and halves begins with the words of the coins. */
static inline uint64_t stair_number(const uint64_t *coins, uint32_t count, const uint32_t *halves, size_t stride) {
    uint64_t number = 0;
    for (uint32_t k = 0; k < count; k++, halves += stride) {
        uint64_t word = (uint64_t)*halves << PODIUM_HALF_BITS;
        if (podium_has_lower(coins[k]))
            word |= *(halves += stride);
        number |= mask_less(word, coins[k]) & (uint64_t)1 << k;
    }
    return number;
}

/* What a draw of stairs has decided before the cell is known: masks, a position, and the number of a stair */
typedef struct {
    uint64_t on_middle, in_tail;
    uint64_t position, stair;
} stairs_decided;

/* The sampler of Theorem 2: a uniform cell of the middle stair, which begins at cell `middle` and is `width` cells
   wide, or of a stair on either side. Everything beyond the last cell is drawn as the end cell. */
static inline uint64_t stairs_cell(uint64_t middle, uint64_t width, uint64_t last, unsigned stair_bits,
                                   const stairs_decided *s) {
    const uint64_t at = s->position;
    uint64_t distance = s->stair << stair_bits;
    distance += at >> (PODIUM_WORD_BITS - stair_bits);
    distance |= s->in_tail;
    uint64_t left = middle - 1 - mask_smaller(distance, middle - 1);
    uint64_t right = middle + width + mask_smaller(distance, last - (middle + width));
    uint64_t side = mask_select(mask_if(at & 1), right, left);
    uint64_t on_middle = middle + scale(at, width);
    return mask_select(s->on_middle, on_middle, side);
}

#endif
