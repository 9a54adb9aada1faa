/*
 * Maps: what a cell is worth, and which cell has a given worth. A worth is an integer, so that reports add up exactly.
 * Maps are public, and privacy does not depend on them.
 */
#include "collection/layout.h"

#include <math.h>

/* ---- Identity: a cell is worth its number ---- */

/* The place is a linear function of the value, so one knot at the middle is enough. */
static void one_knot(podium_layout *c) {
    c->knot_count = 1;
    c->knots[0] = 0;
    c->slopes[0] = ldexp((double)c->places, (int)c->fraction_bits) / (c->spec.max - c->spec.min);
}

/* How much the mean cell moves if the place moves by one. A step is chosen with probability q, which is its
   threshold as a share, so the mean moves by q. Noise moves with the place, so its mean moves by 1. */
static double mean_per_place(const podium_layout *c) {
    switch ((podium_sampler_kind)c->sampler) {
    case PODIUM_SAMPLER_STEP:
        return podium_share(c->draw.step.threshold);
    case PODIUM_SAMPLER_PAIR:
        return podium_share(c->draw.pair.step.threshold);
    default:
        return 1;
    }
}

/* The spacing makes min and max the means at the first and the last place. */
static void identity_units(podium_layout *c) {
    c->worth_most = c->cells - 1;
    c->spacing = (c->spec.max - c->spec.min) / (double)c->places / mean_per_place(c);
    c->stray = c->tells_spread ? 0.5 : PODIUM_STRAY;
    one_knot(c);
}

static podium_status quadratic_variance_set(podium_layout *c) {
    podium_variance_set(c);
    return PODIUM_OK;
}

static uint32_t identity_worth(const podium_layout *c, uint32_t cell) {
    (void)c;
    return cell;
}

static bool identity_cell(const podium_layout *c, uint32_t *cell, double worth) {
    if (!podium_worth_exists(c, worth) || fabs(worth - floor(worth + 0.5)) > c->stray)
        return false;
    *cell = (uint32_t)(worth + 0.5);
    return true;
}

static uint32_t cell_alone(const podium_layout *c, uint32_t cell) {
    (void)c;
    return cell;
}

static podium_cell_range whole_bin(const podium_layout *c, uint32_t bin, uint32_t bin_bits) {
    const uint64_t first = (uint64_t)bin << bin_bits, end = ((uint64_t)bin + 1) << bin_bits;
    return (podium_cell_range){first, end < c->cells ? end : c->cells};
}

static double no_correction(const podium_layout *c, uint32_t cell) {
    (void)c, (void)cell;
    return 0;
}

/* ---- Pair: a cell of the lower half is worth its number; each half of the upper half is one output ---- */

static uint32_t half_of(const podium_layout *c) {
    return (uint32_t)(c->cells / 2);
}

static void pair_units(podium_layout *c) {
    const podium_pair_draw *d = &c->draw.pair;
    const double delta = c->spec.max - c->spec.min, output = delta / 2 / podium_share(d->pair_threshold);
    c->worth_most = half_of(c) - 1;
    c->spacing = delta / (double)c->places / mean_per_place(c);
    c->stray = 0.5;
    c->worth.pair.low = (uint32_t)nearbyint((double)c->worth_most / 2 - output / c->spacing);
    c->worth.pair.high = (uint32_t)c->worth_most - c->worth.pair.low;
    one_knot(c);
}

static uint32_t pair_worth(const podium_layout *c, uint32_t cell) {
    return podium_pair_worth(c, cell);
}

/* A worth that belongs to an output and to a cell of the lower half is read as the output, because that cell is
   about 2^31 times as rare. */
static bool pair_cell(const podium_layout *c, uint32_t *cell, double worth) {
    if (!podium_worth_exists(c, worth))
        return false;
    const uint32_t nearest = (uint32_t)(worth + 0.5), half = half_of(c);
    *cell = nearest == c->worth.pair.low ? half : nearest == c->worth.pair.high ? half + half / 2 : nearest;
    return true;
}

static uint32_t pair_first_alike(const podium_layout *c, uint32_t cell) {
    const uint32_t half = half_of(c);
    return cell < half ? cell : cell - half < half / 2 ? half : half + half / 2;
}

static podium_cell_range pair_bin(const podium_layout *c, uint32_t bin, uint32_t bin_bits) {
    const uint64_t first = (uint64_t)bin << bin_bits, half = half_of(c), output = half / 2;
    if (first < half)
        return whole_bin(c, bin, bin_bits);
    return (podium_cell_range){first, first == half || first == half + output ? first + output : first};
}

/* ---- All maps ---- */

bool podium_bin_worths(const podium_layout *c, uint32_t bin, uint32_t bin_bits, uint64_t *least, uint64_t *most) {
    const podium_map *map = podium_map_of(c);
    const podium_cell_range cells = map->bin(c, bin, bin_bits);
    if (cells.first == cells.end)
        return false;
    const uint32_t first = map->worth(c, (uint32_t)cells.first), last = map->worth(c, (uint32_t)(cells.end - 1));
    *least = first < last ? first : last; /* the slope of a piece may be negative */
    *most = first < last ? last : first;
    return true;
}

extern const podium_map podium_pieces; /* pieces.c */

const podium_map *const podium_maps[PODIUM_MAPS] = {
    [PODIUM_MAP_IDENTITY] =
        &(const podium_map){
            .set_units = identity_units,
            .set_variance = quadratic_variance_set,
            .variance = podium_quadratic_variance,
            .worth = identity_worth,
            .cell = identity_cell,
            .first_alike = cell_alone,
            .bin = whole_bin,
            .square_correction = no_correction,
            .in_order = true,
            .has_middle = true,
            .is_identity = true,
        },
    [PODIUM_MAP_PAIR] =
        &(const podium_map){
            .set_units = pair_units,
            .set_variance = quadratic_variance_set,
            .variance = podium_quadratic_variance,
            .worth = pair_worth,
            .cell = pair_cell,
            .first_alike = pair_first_alike,
            .bin = pair_bin,
            .square_correction = no_correction,
            .in_order = true, /* the bins of the two outputs have no width, so their order does not matter */
            .has_middle = false,
        },
    [PODIUM_MAP_PIECES] = &podium_pieces,
};
