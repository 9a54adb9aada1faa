/*
 * Draw: the exact sampler. It turns a place and random words into a cell by comparing, multiplying, shifting and
 * masking integers. No branch, address, division or loop count depends on a place or a word: those are as secret as
 * the value. It knows nothing of values, epsilon or floating point.
 */
#include "internal.h"
#include "mask.h"

/* floor(word n / R), for n <= 2^32: two half products, so that 64 bits hold everything. Exact: with word = high 2^h +
 * low it is floor((high n + floor(low n / 2^h)) / 2^(bits - h)). */
static inline uint64_t scale(uint64_t word, uint64_t n) {
    const unsigned half = PODIUM_WORD_BITS / 2;
    uint64_t high = word >> half, low = word & (((uint64_t)1 << half) - 1);
    return (high * n + (low * n >> half)) >> (PODIUM_WORD_BITS - half);
}

/* Theorem 1's sampler: a uniform cell of the step at the place, or a uniform cell of all. */
static void draw_step(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                      const uint64_t *words, size_t n) {
    const uint64_t width = collection->width, all = collection->cells, threshold = collection->threshold;
    const uint64_t *position = words + n;
    for (size_t i = 0; i < n; i++) {
        uint64_t on_step = places[i] + scale(position[i], width);
        cells[i] = (uint32_t)mask_select(mask_if(words[i] < threshold), on_step, scale(position[i], all));
    }
}

/* The number of a stair, a coin a binary digit. */
static inline uint64_t stair_number(const podium_collection *collection, const uint64_t *coin_words, size_t n) {
    uint64_t number = 0;
    for (uint32_t k = 0; k < collection->coin_count; k++)
        number |= mask_if(coin_words[k * n] < collection->coins[k]) & (uint64_t)1 << k;
    return number;
}

/* Theorem 2's sampler: a uniform cell of the middle stair at the place, or of a stair at either side of it; what lies
   beyond the grid is gathered in its end cells. */
static void draw_stairs(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                        const uint64_t *words, size_t n) {
    const uint64_t width = collection->width, last = collection->cells - 1;
    const unsigned stair_bits = collection->stair_bits;
    const uint64_t *position = words + n, *tail = words + 2 * n, *coins = words + 3 * n;
    for (size_t i = 0; i < n; i++) {
        uint64_t middle = collection->margin + places[i];
        uint64_t distance = stair_number(collection, coins + i, n) << stair_bits;
        distance += position[i] >> (PODIUM_WORD_BITS - stair_bits);
        distance |= mask_if(tail[i] < collection->tail_threshold);
        uint64_t left = middle - 1 - mask_smaller(distance, middle - 1);
        uint64_t right = middle + width + mask_smaller(distance, last - (middle + width));
        uint64_t side = mask_select(mask_if(position[i] & 1), right, left);
        uint64_t on_middle = middle + scale(position[i], width);
        cells[i] = (uint32_t)mask_select(mask_if(words[i] < collection->threshold), on_middle, side);
    }
}

size_t podium_draw_words(const podium_collection *collection) {
    return collection->coin_count == 0 ? 2 : 3 + (size_t)collection->coin_count;
}

void podium_draw(const podium_collection *collection, uint32_t *cells, const uint32_t *places, const uint64_t *words,
                 size_t n) {
    if (collection->coin_count == 0)
        draw_step(collection, cells, places, words, n);
    else
        draw_stairs(collection, cells, places, words, n);
}
