/*
 * Draw: the exact samplers. They turn places and random words into cells. sample.h has the arithmetic of one draw; here
 * is which words it gets. No branch, address or loop count depends on a place or a word.
 */
#include "device/device.h"
#include "device/sample.h"

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

static void draw_pair(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                      size_t stride, size_t n) {
    const podium_pair_draw *d = &c->draw.pair;
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select = next_word(&halves, stride, podium_has_lower(d->step.threshold | d->pair_threshold));
    const word_halves coin = next_word(&halves, stride, podium_has_lower(d->coin));
    const word_halves side = next_word(&halves, stride, true);
    for (size_t i = 0; i < n; i++) {
        const pair_words words = {.position = word_of(position, i),
                                  .select = word_of(select, i),
                                  .coin = word_of(coin, i),
                                  .side = word_of(side, i)};
        cells[i] = (uint32_t)pair_cell(d, c->cells, c->places, places[i], &words);
    }
}

static void draw_stairs(const podium_layout *c, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                        size_t stride, size_t n) {
    const podium_stairs_draw *d = &c->draw.stairs;
    const word_halves position = next_word(&halves, stride, true);
    const word_halves select = next_word(&halves, stride, podium_has_lower(d->threshold));
    const word_halves tail = next_word(&halves, stride, podium_has_lower(d->tail_threshold));
    for (size_t i = 0; i < n; i++) {
        const stairs_decided decided = {.on_middle = mask_less(word_of(select, i), d->threshold),
                                        .in_tail = mask_less(word_of(tail, i), d->tail_threshold),
                                        .position = word_of(position, i),
                                        .stair = stair_number(d->coins, d->coin_count, halves + i, stride)};
        cells[i] = (uint32_t)stairs_cell(d->margin + places[i], d->width, c->cells - 1, d->stair_bits, &decided);
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
