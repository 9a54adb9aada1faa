/*
 * Draw: the exact sampler. It turns a place and random words into a cell by comparing, multiplying, shifting and
 * masking integers. No branch, address, division or loop count depends on a place or a word: those are as secret as
 * the value. It knows nothing of values, epsilon or floating point.
 */
#include "collection/internal.h"
#include "device/mask.h"

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

/* The halves of a word of every draw; lower is NULL where it decides nothing. */
typedef struct {
    const uint32_t *upper, *lower;
} word_halves;

/* The next word, in one half or two, of all that a draw takes */
static word_halves next_word(const uint32_t **halves, size_t stride, bool has_lower) {
    word_halves word = {*halves, has_lower ? *halves + stride : NULL};
    *halves += has_lower ? 2 * stride : stride;
    return word;
}

static inline uint64_t word_of(word_halves word, size_t i) {
    return (uint64_t)word.upper[i] << PODIUM_HALF_BITS | (word.lower == NULL ? 0 : word.lower[i]);
}

static void draw_step(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                      const uint32_t *halves, size_t stride, size_t n) {
    const uint64_t width = collection->width, all = collection->cells, threshold = collection->threshold;
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select = next_word(&halves, stride, podium_has_lower(threshold));
    for (size_t i = 0; i < n; i++)
        cells[i] = (uint32_t)step_cell(places[i], width, all, threshold, word_of(select, i), word_of(position, i));
}

/* Hybrid: Theorem 1's sampler on the lower half of the cells; or on the upper half, where the step is half of that, and
   its place one of two, the upper one as often as the place is far along. */
static void draw_hybrid(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                        const uint32_t *halves, size_t stride, size_t n) {
    const uint64_t half = collection->cells / 2;
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select =
        next_word(&halves, stride, podium_has_lower(collection->threshold | collection->pair_threshold));
    const word_halves coin = next_word(&halves, stride, podium_has_lower(collection->pair_coin));
    const word_halves side = next_word(&halves, stride, true);
    for (size_t i = 0; i < n; i++) {
        uint64_t selected = word_of(select, i), at = word_of(position, i);
        uint64_t upper = mask_if(scale(word_of(side, i), collection->places) < places[i]);
        uint64_t lower_cell = step_cell(places[i], collection->width, half, collection->threshold, selected, at);
        uint64_t pair_cell = step_cell(upper & (half / 2), half / 2, half, collection->pair_threshold, selected, at);
        uint64_t is_pair = mask_if(word_of(coin, i) < collection->pair_coin);
        cells[i] = (uint32_t)mask_select(is_pair, half + pair_cell, lower_cell);
    }
}

/* The number of a stair, a coin a binary digit. */
static inline uint64_t stair_number(const podium_collection *collection, const word_halves *coins, size_t i) {
    uint64_t number = 0;
    for (uint32_t k = 0; k < collection->coin_count; k++)
        number |= mask_if(word_of(coins[k], i) < collection->coins[k]) & (uint64_t)1 << k;
    return number;
}

/* Theorem 2's sampler: a uniform cell of the middle stair at the place, or of a stair at either side of it; what lies
   beyond the grid is gathered in its end cells. */
static void draw_stairs(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                        const uint32_t *halves, size_t stride, size_t n) {
    const uint64_t width = collection->width, last = collection->cells - 1;
    const unsigned stair_bits = collection->stair_bits;
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select = next_word(&halves, stride, podium_has_lower(collection->threshold));
    const word_halves tail = next_word(&halves, stride, podium_has_lower(collection->tail_threshold));
    word_halves coins[PODIUM_COINS_MAX];
    for (uint32_t k = 0; k < collection->coin_count; k++)
        coins[k] = next_word(&halves, stride, podium_has_lower(collection->coins[k]));
    for (size_t i = 0; i < n; i++) {
        uint64_t middle = collection->margin + places[i], at = word_of(position, i);
        uint64_t distance = stair_number(collection, coins, i) << stair_bits;
        distance += at >> (PODIUM_WORD_BITS - stair_bits);
        distance |= mask_if(word_of(tail, i) < collection->tail_threshold);
        uint64_t left = middle - 1 - mask_smaller(distance, middle - 1);
        uint64_t right = middle + width + mask_smaller(distance, last - (middle + width));
        uint64_t side = mask_select(mask_if(at & 1), right, left);
        uint64_t on_middle = middle + scale(at, width);
        cells[i] = (uint32_t)mask_select(mask_if(word_of(select, i) < collection->threshold), on_middle, side);
    }
}

static size_t halves_of(uint64_t threshold) {
    return podium_has_lower(threshold) ? 2 : 1;
}

/* Position, and what is compared; Hybrid's side is scaled like a position. */
size_t podium_draw_halves(const podium_collection *collection) {
    if (collection->pair_coin != 0)
        return 4 + halves_of(collection->threshold | collection->pair_threshold) + halves_of(collection->pair_coin);
    size_t halves = 2 + halves_of(collection->threshold);
    if (collection->coin_count > 0)
        halves += halves_of(collection->tail_threshold);
    for (uint32_t k = 0; k < collection->coin_count; k++)
        halves += halves_of(collection->coins[k]);
    return halves;
}

void podium_draw(const podium_collection *collection, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                 size_t stride, size_t n) {
    if (collection->coin_count > 0)
        draw_stairs(collection, cells, places, halves, stride, n);
    else if (collection->pair_coin != 0)
        draw_hybrid(collection, cells, places, halves, stride, n);
    else
        draw_step(collection, cells, places, halves, stride, n);
}
