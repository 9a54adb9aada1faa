/*
 * Layout: what a podium_collection contains after its spec has been checked and laid out on a grid.
 *
 * The grid has the cells 0 ... cells-1. A value is put at one of the places 0 ... places, and a *sampler* draws a cell
 * around that place by comparing random words with thresholds. A *map* says what each cell is worth. The report is
 * first + spacing * worth. Privacy depends on the sampler's thresholds alone (docs/proof.md); everything else here
 * affects only accuracy.
 *
 * The mechanism's row in the registry (mechanism.h) chooses the sampler and the map once. Code that depends on them
 * looks in a table at c->sampler or c->map, and never asks which mechanism it is.
 */
#ifndef PODIUM_LAYOUT_H
#define PODIUM_LAYOUT_H

#include "collection/internal.h"

#define PODIUM_COINS_MAX 25
#define PODIUM_KNOTS_MAX 14
#define PODIUM_PIECES_MAX 128
#define PODIUM_INDEX_CELLS 256
#define PODIUM_INDEX_BUCKETS 128
#define PODIUM_INDEX_SLOTS 512

/* ---- Samplers: how a cell is drawn around a place ---- */

typedef enum podium_sampler_kind {
    PODIUM_SAMPLER_STEP,   /* a uniform cell of a step at the place, or of the whole grid */
    PODIUM_SAMPLER_PAIR,   /* a public coin chooses a step on the lower half of the grid, or one of two outputs on the
                              upper half */
    PODIUM_SAMPLER_STAIRS, /* stairs that fall by a constant factor on either side of the place */
    PODIUM_SAMPLERS
} podium_sampler_kind;

/* A threshold is how many of the 2^64 words choose something. */
typedef struct podium_step_draw {
    uint64_t width; /* cells in the step */
    uint64_t threshold;
} PODIUM_MAY_ALIAS podium_step_draw;

typedef struct podium_pair_draw {
    podium_step_draw step;   /* on the lower half of the cells */
    uint64_t coin;           /* words that choose the upper half */
    uint64_t pair_threshold; /* words that choose the upper half's step, which covers half of its cells */
} PODIUM_MAY_ALIAS podium_pair_draw;

typedef struct podium_stairs_draw {
    uint64_t width;     /* cells in the middle stair */
    uint64_t threshold; /* words that choose the middle stair */
    uint64_t margin; /* cells before the middle stair at place 0, and after it at the last place; noise beyond them is
                        clamped */
    uint64_t tail_threshold;          /* words that choose an end cell for any coins */
    uint64_t coins[PODIUM_COINS_MAX]; /* words that make each binary digit of the stair's number 1 */
    uint32_t coin_count;
    uint32_t stair_bits; /* a stair is 2^stair_bits cells wide */
    uint32_t stairs;     /* stairs in the width of the range; each lowers the mass by e^(epsilon/stairs) */
} PODIUM_MAY_ALIAS podium_stairs_draw;

/* ---- Maps: what a cell is worth, and which cell has a given worth ---- */

typedef enum podium_map_kind {
    PODIUM_MAP_IDENTITY, /* a cell is worth its number */
    PODIUM_MAP_PAIR,     /* the same on the lower half; a cell of the upper half is worth one of two numbers */
    PODIUM_MAP_PIECES,   /* worth is linear on each of a few pieces of the grid */
    PODIUM_MAPS
} podium_map_kind;

typedef struct podium_pair_map {
    uint32_t low, high; /* worths of the two outputs */
} PODIUM_MAY_ALIAS podium_pair_map;

typedef struct podium_pieces_map {
    uint32_t count;
    uint32_t bits; /* a piece is 2^bits cells */
    uint32_t worth[PODIUM_PIECES_MAX];
    int32_t slope[PODIUM_PIECES_MAX]; /* worth + slope * (number of the cell in its piece) */
    double square[PODIUM_PIECES_MAX]; /* correction of a report's square; see pieces.c */
    /* A perfect hash from worths to cells, with which a collector finds the cell of a report without a search. It is
       filled only if there are at most PODIUM_INDEX_CELLS cells. */
    uint8_t index_shift[PODIUM_INDEX_BUCKETS];
    uint8_t index_cell[PODIUM_INDEX_SLOTS];
} PODIUM_MAY_ALIAS podium_pieces_map;

/* ---- The layout ---- */

typedef struct podium_layout {
    podium_spec spec;
    uint64_t fingerprint; /* of the spec */
    uint64_t cells;       /* 0 if the collection is not initialised */
    uint64_t places;
    uint32_t sampler;  /* a podium_sampler_kind, which says which member of draw is used */
    uint32_t map;      /* a podium_map_kind, which says which member of worth is used */
    bool tells_spread; /* whether squares of reports say something. If there are only two reports, they are the same
                          distance from the middle, so only their mean does. */
    union {
        podium_step_draw step;
        podium_pair_draw pair;
        podium_stairs_draw stairs;
    } draw;
    /* A value at distance z from the middle is put at the middle place plus or minus the sum of
       slopes[i] * max(z - knots[i], 0), in units of 2^-fraction_bits places. */
    uint32_t fraction_bits; /* binary digits of a place kept for random rounding; 0 means the nearest place */
    uint32_t knot_count;
    double middle;
    double knots[PODIUM_KNOTS_MAX];
    double slopes[PODIUM_KNOTS_MAX];
    /* A report is first + spacing * worth, where worth is from 0 to worth_most. */
    uint64_t worth_most;
    double first;
    double spacing;
    double stray; /* the furthest, in units of spacing, that a report may be from the worth of a cell to be read as that
                     cell */
    /* The variance of the report of x on this grid is alpha + beta (x - middle)^2. With a map of pieces it is alpha
       only on average. */
    double alpha, beta;
    double variance_least, variance_most; /* over all x */
    double variance_uniform;              /* on average over the range */
    union {
        podium_pair_map pair;
        podium_pieces_map pieces;
    } worth;
} PODIUM_MAY_ALIAS podium_layout;

_Static_assert(sizeof(podium_layout) <= sizeof(podium_collection), "podium_collection has no room for the layout");
_Static_assert(_Alignof(podium_layout) <= _Alignof(podium_collection), "podium_collection is not aligned well enough");

/* The bytes of the public struct are those of a layout. */
static inline const podium_layout *podium_layout_of(const podium_collection *collection) {
    return (const podium_layout *)(const void *)collection;
}

static inline podium_layout *podium_layout_in(podium_collection *collection) {
    return (podium_layout *)(void *)collection;
}

static inline bool podium_is_ready(const podium_layout *c) {
    return c->cells != 0;
}

/* How far the greatest report is from the least */
static inline double podium_support(const podium_layout *c) {
    return c->spacing * (double)c->worth_most;
}

/* The place of a value, as a real number, before it is rounded to a whole one */
double podium_place(const podium_layout *c, double value);

/* The sum of slope * knot, by which the sum of slope * max(x, knot) exceeds the sum of slope * max(x - knot, 0).
   Both the scalar and the vector code subtract it. */
static inline double podium_ramps_of_none(const podium_layout *c) {
    double sum = 0;
    for (uint32_t k = 0; k < c->knot_count; k++)
        sum += c->knots[k] * c->slopes[k];
    return sum;
}

/* ---- threshold.c: compute the thresholds of a laid-out grid, or verify finished ones ---- */

void podium_thresholds_set(podium_layout *c);
bool podium_thresholds_check(const podium_layout *c);

/* ---- mass.c: the probability of a cell in first ... last given a place, all three real numbers ---- */

double podium_mass_between(const podium_layout *c, double place, double first, double last);

/* The least and the greatest mass of an interval of cells, over all places */
typedef struct podium_mass_limits {
    double least, most;
} podium_mass_limits;
podium_mass_limits podium_mass_limits_of(const podium_layout *c, double first, double end);

/* Sets alpha and beta for a map in which the variance is of that form, and then the least, the greatest and the
   average variance. */
void podium_variance_set(podium_layout *c);

/* Returns the variance of the report of x, if it is alpha + beta (x - middle)^2. Rounding cannot make it negative. */
double podium_quadratic_variance(const podium_layout *c, double x);

/* The share of all words below the threshold, and the share of the rest. The rest is computed from integers, because
   1 - share would lose its digits where the share is nearly 1. */
static inline double podium_share(uint64_t threshold) {
    return (double)threshold * 0x1p-64;
}

static inline double podium_rest_of(uint64_t threshold) {
    return threshold == 0 ? 1 : (double)(UINT64_MAX - threshold + 1) * 0x1p-64;
}

/* ---- map.c ---- */

typedef struct podium_cell_range {
    uint64_t first, end;
} podium_cell_range;

typedef struct podium_map {
    /* Sets worth_most, spacing, stray and the knots, after the thresholds have been set. */
    void (*set_units)(podium_layout *c);
    /* Sets alpha, beta, and the least, the greatest and the average variance. */
    podium_status (*set_variance)(podium_layout *c);
    double (*variance)(const podium_layout *c, double x);
    uint32_t (*worth)(const podium_layout *c, uint32_t cell);
    /* Finds the first cell with that worth, or one within c->stray of it; returns false if there is none. */
    bool (*cell)(const podium_layout *c, uint32_t *cell, double worth);
    /* The cell as which this one is counted. Cells with the same worth are counted as the first of them, because
       their reports are the same. */
    uint32_t (*first_alike)(const podium_layout *c, uint32_t cell);
    /* The cells whose reports are counted in a bin of 2^bin_bits cells; the range is empty if there are none. */
    podium_cell_range (*bin)(const podium_layout *c, uint32_t bin, uint32_t bin_bits);
    /* What must be added to the square of a report of this cell so that its mean is alpha + (1 + beta) x^2 */
    double (*square_correction)(const podium_layout *c, uint32_t cell);
    /* Whether the bins are in the order of their worths */
    bool in_order;
    /* Whether cells that mirror each other in the grid have reports that mirror each other, so that an interval of
       cells about the middle of the grid is worth checking */
    bool has_middle;
    /* Whether a cell is worth its number */
    bool is_identity;
} podium_map;

extern const podium_map *const podium_maps[PODIUM_MAPS];

static inline const podium_map *podium_map_of(const podium_layout *c) {
    return podium_maps[c->map];
}

static inline uint32_t podium_pair_worth(const podium_layout *c, uint32_t cell) {
    const uint32_t half = (uint32_t)(c->cells / 2);
    if (cell < half)
        return cell;
    return cell - half < half / 2 ? c->worth.pair.low : c->worth.pair.high;
}

/* Sets the least and the greatest worth in a bin; returns false, with both untouched, if no report is counted there. */
bool podium_bin_worths(const podium_layout *c, uint32_t bin, uint32_t bin_bits, uint64_t *least, uint64_t *most);

/* ---- pieces.c ---- */

/* The map of pieces that a solver finds, for a range of width 1 about 0. There are `pieces` << piece_bits cells, and
   `width` << piece_bits of them in the step. */
typedef struct podium_piece_solution {
    uint32_t pieces, piece_bits, width;
    uint32_t knots;
    uint32_t knot[PODIUM_KNOTS_MAX]; /* the places, counted in pieces from the end to the middle, where the slope of the
                                        mean changes */
    double value[PODIUM_PIECES_MAX]; /* the mean of the worths in the piece */
    double slope[PODIUM_PIECES_MAX]; /* how much the worth rises from one end of the piece to the other */
} podium_piece_solution;
void podium_pieces_layout(podium_layout *c, const podium_piece_solution *solution);

static inline uint32_t podium_piece_worth(const podium_pieces_map *m, uint32_t cell) {
    uint32_t piece = cell >> m->bits, number = cell - (piece << m->bits);
    return m->worth[piece] + (uint32_t)m->slope[piece] * number;
}

/*
 * The index maps a worth to its cell. A worth is hashed to a bucket and to a slot, and the bucket's shift moves all of
 * its worths to other slots. The shifts are chosen so that no two worths of the collection share a slot, so there is
 * only one slot in which the cell of a worth can be.
 */
static inline uint32_t podium_index_bucket(uint32_t worth) {
    return (uint32_t)((worth * 0x9e3779b97f4a7c15) >> 57);
}

static inline uint32_t podium_index_slot(uint32_t worth, uint32_t shift) {
    uint64_t hash = worth * 0x9e3779b97f4a7c15;
    uint32_t from = (uint32_t)(hash >> 48), stride = (uint32_t)(hash >> 32) | 1;
    return (from + shift * stride) % PODIUM_INDEX_SLOTS;
}

/* Finds the cell with exactly this worth. If it returns false, there may still be such a cell, because cells are
   missing from the index if there are too many, or if two have the same worth. */
static inline bool podium_index_find(const podium_pieces_map *m, uint32_t *cell, uint32_t worth) {
    uint32_t slot = podium_index_slot(worth, m->index_shift[podium_index_bucket(worth)]);
    *cell = m->index_cell[slot];
    return podium_piece_worth(m, *cell) == worth;
}

/* Whether a worth is between 0 and worth_most, or within 0.5 of them. It is false for NaN, because no comparison
   with NaN holds. */
static inline bool podium_worth_exists(const podium_layout *c, double worth) {
    return worth > -0.5 && worth < (double)(int64_t)c->worth_most + 0.5;
}

/* If a collection has few possible outputs, a report is matched to the nearest one, and rejected if that is further
   away than this share of the support. The share leaves room for the rounding of the programs that wrote and read
   the report. */
#define PODIUM_STRAY 1e-6

/* ---- memory.c: zeroed memory for solvers; NULL if there is not enough, and always in a build without a heap ---- */

void *podium_allocate(size_t count, size_t size);
void podium_release(void *memory);

#endif
