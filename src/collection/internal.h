/* What the modules of the library share with each other and with the tests. */
#ifndef PODIUM_INTERNAL_H
#define PODIUM_INTERNAL_H

#include "podium.h"

#include <stdbool.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error                                                                                                                 \
    "Podium's formulas and its treatment of NaN need IEEE arithmetic: build without -ffast-math and -ffinite-math-only"
#endif

/* Random words have this many bits. The library uses 64; the exhaustive tests build the same sampler for words so
   small that every one can be tried. R is 2^PODIUM_WORD_BITS throughout. */
#ifndef PODIUM_WORD_BITS
#define PODIUM_WORD_BITS 64
#endif
#define PODIUM_WORD_MAX (UINT64_MAX >> (64 - PODIUM_WORD_BITS))

/* Words are drawn in halves, upper and lower. A comparison with a threshold whose lower half is 0 looks at the upper
   half of the word alone, and the lower half is not drawn (docs/proof.md). */
#define PODIUM_HALF_BITS (PODIUM_WORD_BITS / 2)
static inline bool podium_has_lower(uint64_t threshold) {
    return (threshold & (((uint64_t)1 << PODIUM_HALF_BITS) - 1)) != 0;
}

/* The largest grid: a cell is a 32-bit number, and draw.c's products must fit 64 bits. */
#define PODIUM_CELLS_MAX ((uint64_t)1 << 32)

static inline uint64_t podium_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double podium_double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* spec.c */
podium_status podium_spec_check(const podium_spec *spec, double epsilon_max);

/* collection.c: of a valid spec; the place of a value, as a real number; the worth of a cell, and the first cell that
   is worth that (false: none is, within half a step of its worth). Of straight collections a cell is worth its number.
 */
uint64_t podium_fingerprint(const podium_spec *spec);
double podium_place(const podium_collection *collection, double value);
uint32_t podium_worth(const podium_collection *collection, uint32_t cell);
bool podium_cell_worth(const podium_collection *collection, uint32_t *cell, double worth);

/* The cells whose reports are counted in a bin of an aggregate, whose bins are 2^bin_bits cells. All cells that are
   worth the same are counted with the first of them, and in other bins there are none. */
typedef struct podium_cell_range {
    uint64_t first, end;
} podium_cell_range;
podium_cell_range podium_bin_cells(const podium_collection *collection, uint32_t bin, uint32_t bin_bits);

/* The least and the greatest worth of those; false, with both untouched, if there are none. No bin holds cells of two
   pieces. */
bool podium_bin_worths(const podium_collection *collection, uint32_t bin, uint32_t bin_bits, uint64_t *least,
                       uint64_t *most);

static inline bool podium_is_straight(const podium_collection *collection) {
    return collection->piece_count == 0 && collection->pair_coin == 0;
}

/* Minimax: piece_worth + piece_slope * (number of the cell in its piece) */
static inline uint32_t podium_worth_of_piece(const podium_collection *collection, uint32_t cell) {
    uint32_t piece = cell >> collection->piece_bits, number = cell - (piece << collection->piece_bits);
    return collection->piece_worth[piece] + (uint32_t)collection->piece_slope[piece] * number;
}

/* At a tiny epsilon, pieces of very many cells are so flat that all of their cells are worth the same. */
static inline bool podium_is_flat(const podium_collection *collection, uint32_t cell) {
    return collection->piece_slope[cell >> collection->piece_bits] == 0;
}

/*
 * The index: a worth is hashed to a bucket and a slot. The bucket's shift moves all of its worths to other slots, and
 * was chosen so that no two worths of the collection share one. So a worth has one slot in which its cell can be.
 */
static inline uint32_t podium_index_bucket(uint32_t worth) {
    return (uint32_t)((worth * 0x9e3779b97f4a7c15) >> 57);
}

static inline uint32_t podium_index_slot(uint32_t worth, uint32_t shift) {
    uint64_t hash = worth * 0x9e3779b97f4a7c15;
    uint32_t from = (uint32_t)(hash >> 48), stride = (uint32_t)(hash >> 32) | 1;
    return (from + shift * stride) % PODIUM_INDEX_SLOTS;
}

/* Finds the cell with exactly this worth. False does not mean that there is none: it may have been left out of the
   index, because there are too many cells, or two of them are worth the same. */
static inline bool podium_index_find(const podium_collection *collection, uint32_t *cell, uint32_t worth) {
    uint32_t slot = podium_index_slot(worth, collection->index_shift[podium_index_bucket(worth)]);
    *cell = collection->index_cell[slot];
    return podium_worth_of_piece(collection, *cell) == worth;
}

/* Between the least worth and the most, or within half a step of it; a NaN is not: no comparison holds for it. */
static inline bool podium_worth_exists(const podium_collection *collection, double worth) {
    return worth > -0.5 && worth < (double)(int64_t)collection->worth_most + 0.5;
}

/* The cells that Theorem 1's step is drawn from: all, or Hybrid's lower half. */
static inline uint64_t podium_step_cells(const podium_collection *collection) {
    return collection->pair_coin == 0 ? collection->cells : collection->cells / 2;
}

/* threshold.c: a collection's grid is set, its thresholds are wanted or doubted. */
void podium_thresholds_set(podium_collection *collection);
bool podium_thresholds_check(const podium_collection *collection);

/* mass.c: the probability of a cell in first ... last, all three real numbers; and the variance of a report, set. */
double podium_mass_between(const podium_collection *collection, double place, double first, double last);
podium_status podium_mass_variance(podium_collection *collection);

/* text.c: FNV-1a, for fingerprints */
uint64_t podium_hash(uint64_t hash, const void *bytes, size_t n);
#define PODIUM_HASH_START 0xcbf29ce484222325

/* draw.c: how many halves of words a draw takes, and n draws; half k of draw i is halves[k * stride + i]. */
size_t podium_draw_halves(const podium_collection *collection);
void podium_draw(const podium_collection *collection, uint32_t *cells, const uint32_t *places, const uint32_t *halves,
                 size_t stride, size_t n);

/* privatize.c: the place of each value; rounding has half a word a value, or is ignored where fraction_bits is 0. */
void podium_places(const podium_collection *collection, uint32_t *places, const double *values,
                   const uint32_t *rounding, size_t n);

/* Both ways to places need it: the sum of slope max(x, knot) for x = 0. */
static inline double podium_ramps_of_none(const podium_collection *collection) {
    double sum = 0;
    for (uint32_t k = 0; k < collection->knot_count; k++)
        sum += collection->knots[k] * collection->slopes[k];
    return sum;
}

/* aggregate.c: is it this collection's, bins and all? */
bool podium_aggregate_fits(const podium_aggregate *aggregate, const podium_collection *collection);

/* estimate.c: z with Pr[|normal| > z] = alpha */
double podium_normal_quantile(double alpha);

/* random.c: one call's worth of random bytes. Open, fill as often as needed, close whatever happened. */
typedef struct podium_stream {
    const podium_random *random;
    void *context;
} podium_stream;
podium_status podium_stream_open(podium_stream *stream, const podium_random *random, size_t bytes);
podium_status podium_stream_fill(podium_stream *stream, uint32_t *halves, size_t n);
void podium_stream_close(podium_stream *stream);

/* Clears memory in a way that the compiler may not leave out. */
void podium_wipe(void *memory, size_t n);

#endif
