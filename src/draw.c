/*
 * Draw: the exact sampler. It turns a place and random words into a cell by comparing, multiplying, shifting and
 * masking integers. No branch, address, division or loop count depends on a place or a word: those are as secret as
 * the value. It knows nothing of values, epsilon or floating point.
 */
#include "internal.h"
#include "mask.h"
#include "vector.h"

/* floor(word n / R), for n <= 2^32: two half products, so that 64 bits hold everything. Exact: with word = high 2^h +
 * low it is floor((high n + floor(low n / 2^h)) / 2^(bits - h)). */
static inline uint64_t scale(uint64_t word, uint64_t n) {
    const unsigned half = PODIUM_WORD_BITS / 2;
    uint64_t high = word >> half, low = word & (((uint64_t)1 << half) - 1);
    return (high * n + (low * n >> half)) >> (PODIUM_WORD_BITS - half);
}

/* Theorem 1's sampler: a uniform cell of the step at the place, or a uniform cell of all. */
static inline uint64_t step_cell(uint64_t place, uint64_t width, uint64_t all, uint64_t threshold, uint64_t select,
                                 uint64_t position) {
    return mask_select(mask_if(select < threshold), place + scale(position, width), scale(position, all));
}

static void draw_step(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                      const uint64_t *words, size_t n) {
    const uint64_t width = collection->width, all = collection->cells, threshold = collection->threshold;
    const uint64_t *position = words + n;
    size_t vectors = podium_vector_count(n);
    podium_vector_step(collection, cells, places, words, position, vectors);
    for (size_t i = vectors; i < n; i++)
        cells[i] = (uint32_t)step_cell(places[i], width, all, threshold, words[i], position[i]);
}

/* Hybrid: Theorem 1's sampler on the lower half of the cells; or on the upper half, where the step is half of that, and
   its place one of two, the upper one as often as the place is far along. */
static void draw_hybrid(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                        const uint64_t *words, size_t n) {
    const uint64_t half = collection->cells / 2;
    const uint64_t *position = words + n, *coin = words + 2 * n, *side = words + 3 * n;
    for (size_t i = 0; i < n; i++) {
        uint64_t upper = mask_if(scale(side[i], collection->places) < places[i]);
        uint64_t lower_cell =
            step_cell(places[i], collection->width, half, collection->threshold, words[i], position[i]);
        uint64_t pair_cell =
            step_cell(upper & (half / 2), half / 2, half, collection->pair_threshold, words[i], position[i]);
        cells[i] = (uint32_t)mask_select(mask_if(coin[i] < collection->pair_coin), half + pair_cell, lower_cell);
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
    if (collection->coin_count > 0)
        return 3 + (size_t)collection->coin_count;
    return collection->pair_coin == 0 ? 2 : 4;
}

void podium_draw(const podium_collection *collection, uint32_t *cells, const uint32_t *places, const uint64_t *words,
                 size_t n) {
    if (collection->coin_count > 0)
        draw_stairs(collection, cells, places, words, n);
    else if (collection->pair_coin != 0)
        draw_hybrid(collection, cells, places, words, n);
    else
        draw_step(collection, cells, places, words, n);
}
