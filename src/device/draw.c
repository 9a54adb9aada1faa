/*
 * Draw: the exact sampler. It turns a place and random words into a cell by comparing, multiplying, shifting and
 * masking integers. No branch, address, division or loop count depends on a place or a word, because both are as secret
 * as the value. No value, epsilon or floating-point number appears here.
 */
#include "device/device.h"
#include "device/mask.h"

/* floor(word n / R) for n <= 2^32. It is computed from two half products, which fit into 64 bits. The result is
   exact, because with word = high 2^h + low it is floor((high n + floor(low n / 2^h)) / 2^(bits - h)). */
static inline uint64_t scale(uint64_t word, uint64_t n) {
    const unsigned half = PODIUM_WORD_BITS / 2;
    uint64_t high = word >> half, low = word & (((uint64_t)1 << half) - 1);
    return (high * n + (low * n >> half)) >> (PODIUM_WORD_BITS - half);
}

/* The sampler of Theorem 1: a uniform cell of the step at the place, or a uniform cell of the grid */
static inline uint64_t step_cell(uint64_t place, uint64_t width, uint64_t all, uint64_t threshold, uint64_t select,
                                 uint64_t position) {
    return mask_select(mask_if(select < threshold), place + scale(position, width), scale(position, all));
}

/* The halves of one word for every draw; lower is NULL if the lower half is not drawn. */
typedef struct {
    const uint32_t *upper, *lower;
} word_halves;

/* Returns the next word of the draws, and advances halves past its one half or two. */
static word_halves next_word(const uint32_t **halves, size_t stride, bool has_lower) {
    word_halves word = {*halves, has_lower ? *halves + stride : NULL};
    *halves += has_lower ? 2 * stride : stride;
    return word;
}

static inline uint64_t word_of(word_halves word, size_t i) {
    return (uint64_t)word.upper[i] << PODIUM_HALF_BITS | (word.lower == NULL ? 0 : word.lower[i]);
}

typedef void drawer(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                    size_t stride, size_t n);

static void draw_step(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                      size_t stride, size_t n) {
    const uint64_t width = c->draw.step.width, all = c->cells, threshold = c->draw.step.threshold;
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select = next_word(&halves, stride, podium_has_lower(threshold));
    for (size_t i = 0; i < n; i++)
        cells[i] = (uint32_t)step_cell(places[i], width, all, threshold, word_of(select, i), word_of(position, i));
}

/* The sampler of the corollary to Theorem 1. It draws from the lower half of the cells, or from the upper half, in
   which the step covers half of the cells and is at one of two places. It is at the upper one with a probability
   that grows linearly with the place. */
static void draw_pair(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                      size_t stride, size_t n) {
    const podium_pair_draw *d = &c->draw.pair;
    const uint64_t half = c->cells >> 1, quarter = half >> 1; /* no division, because tests/ctime rejects any */
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select = next_word(&halves, stride, podium_has_lower(d->step.threshold | d->pair_threshold));
    const word_halves coin = next_word(&halves, stride, podium_has_lower(d->coin));
    const word_halves side = next_word(&halves, stride, true);
    for (size_t i = 0; i < n; i++) {
        uint64_t selected = word_of(select, i), at = word_of(position, i);
        uint64_t upper = mask_if(scale(word_of(side, i), c->places) < places[i]);
        uint64_t lower_cell = step_cell(places[i], d->step.width, half, d->step.threshold, selected, at);
        uint64_t pair_cell = step_cell(upper & quarter, quarter, half, d->pair_threshold, selected, at);
        uint64_t is_pair = mask_if(word_of(coin, i) < d->coin);
        cells[i] = (uint32_t)mask_select(is_pair, half + pair_cell, lower_cell);
    }
}

/* The number of a stair. Each coin decides one binary digit, and halves begins with the coins. */
static inline uint64_t stair_number(const podium_stairs_draw *d, const uint32_t *halves, size_t stride) {
    uint64_t number = 0;
    for (uint32_t k = 0; k < d->coin_count; k++, halves += stride) {
        uint64_t word = (uint64_t)*halves << PODIUM_HALF_BITS;
        if (podium_has_lower(d->coins[k]))
            word |= *(halves += stride);
        number |= mask_if(word < d->coins[k]) & (uint64_t)1 << k;
    }
    return number;
}

/* The sampler of Theorem 2: a uniform cell of the middle stair at the place, or of a stair on either side.
   Everything beyond the grid is drawn as its end cell. */
static void draw_stairs(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                        size_t stride, size_t n) {
    const podium_stairs_draw *d = &c->draw.stairs;
    const uint64_t width = d->width, last = c->cells - 1;
    const unsigned stair_bits = d->stair_bits;
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select = next_word(&halves, stride, podium_has_lower(d->threshold));
    const word_halves tail = next_word(&halves, stride, podium_has_lower(d->tail_threshold));
    for (size_t i = 0; i < n; i++) {
        uint64_t middle = d->margin + places[i], at = word_of(position, i);
        uint64_t distance = stair_number(d, halves + i, stride) << stair_bits;
        distance += at >> (PODIUM_WORD_BITS - stair_bits);
        distance |= mask_if(word_of(tail, i) < d->tail_threshold);
        uint64_t left = middle - 1 - mask_smaller(distance, middle - 1);
        uint64_t right = middle + width + mask_smaller(distance, last - (middle + width));
        uint64_t side = mask_select(mask_if(at & 1), right, left);
        uint64_t on_middle = middle + scale(at, width);
        cells[i] = (uint32_t)mask_select(mask_if(word_of(select, i) < d->threshold), on_middle, side);
    }
}

/* ---- How many halves a draw takes: two for each scaled word, one or two for each compared word ---- */

static size_t halves_of(uint64_t threshold) {
    return podium_has_lower(threshold) ? 2 : 1;
}

static size_t step_halves(const podium_layout *c) {
    return 2 + halves_of(c->draw.step.threshold);
}

/* The side is scaled like a position, so both of its halves are drawn. */
static size_t pair_halves(const podium_layout *c) {
    const podium_pair_draw *d = &c->draw.pair;
    return 4 + halves_of(d->step.threshold | d->pair_threshold) + halves_of(d->coin);
}

static size_t stairs_halves(const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    size_t halves = 2 + halves_of(d->threshold) + halves_of(d->tail_threshold);
    for (uint32_t k = 0; k < d->coin_count; k++)
        halves += halves_of(d->coins[k]);
    return halves;
}

/* ---- All samplers ---- */

typedef struct {
    size_t (*halves)(const podium_layout *c);
    drawer *draw;
} sampler;

static const sampler samplers[PODIUM_SAMPLERS] = {
    [PODIUM_SAMPLER_STEP] = {step_halves, draw_step},
    [PODIUM_SAMPLER_PAIR] = {pair_halves, draw_pair},
    [PODIUM_SAMPLER_STAIRS] = {stairs_halves, draw_stairs},
};

size_t podium_draw_halves(const podium_layout *c) {
    return samplers[c->sampler].halves(c);
}

void podium_draw(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves, size_t stride,
                 size_t n) {
    samplers[c->sampler].draw(c, cells, places, halves, stride, n);
}
