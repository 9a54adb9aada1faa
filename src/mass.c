/*
 * Mass: the probabilities that draw.c realises, as doubles, from the finished collection. For analysts: estimating a
 * distribution, planning, checking. No privacy decision is made here.
 */
#include "internal.h"

#include <math.h>

static double share(uint64_t threshold) {
    return ldexp((double)threshold, -64);
}

static double between(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* Probability of a cell before `cell` at place: a cumulative distribution over the cells 0 ... cells */
static double step_below(const podium_collection *collection, double place, double cell) {
    double q = share(collection->threshold), width = (double)collection->width;
    double on_step = between((cell - place) / width, 0, 1);
    return (1 - q) * cell / (double)collection->cells + q * on_step;
}

/* Pr[stair number >= g]: from the top digit down, either a 1 where g has a 0, or the same digit so far */
static double stairs_from(const podium_collection *collection, uint64_t g) {
    double more = 0, same = 1;
    if (g >> collection->coin_count != 0)
        return 0;
    for (uint32_t i = collection->coin_count; i-- > 0;) {
        double one = share(collection->coins[i]);
        if ((g >> i & 1) == 0)
            more += same * one;
        same *= g >> i & 1 ? one : 1 - one;
    }
    return more + same;
}

/* Pr[distance >= v], for v >= 0 in cells: linear within a stair */
static double distance_from(const podium_collection *collection, double v) {
    double stair = ldexp(1, (int)collection->stair_bits), number = floor(v / stair), part = v / stair - number;
    double here = stairs_from(collection, (uint64_t)number), next = stairs_from(collection, (uint64_t)number + 1);
    double tail = share(collection->tail_threshold);
    return tail + (1 - tail) * (here + part * (next - here));
}

static double stairs_below(const podium_collection *collection, double place, double cell) {
    double in = share(collection->threshold), start = (double)collection->margin + place;
    double width = (double)collection->width;
    if (cell <= 0)
        return 0;
    if (cell >= (double)collection->cells)
        return 1;
    if (cell <= start)
        return (1 - in) / 2 * distance_from(collection, start - cell);
    if (cell >= start + width)
        return 1 - (1 - in) / 2 * distance_from(collection, cell - start - width);
    return (1 - in) / 2 + in * (cell - start) / width;
}

double podium_mass_below(const podium_collection *collection, double place, double cell) {
    return collection->coin_count == 0 ? step_below(collection, place, cell) : stairs_below(collection, place, cell);
}

double podium_collection_mass(const podium_collection *collection, uint64_t place, uint64_t first, uint64_t last) {
    return podium_mass_below(collection, (double)place, (double)last) -
           podium_mass_below(collection, (double)place, (double)first);
}

/* ---- Variance of a report, alpha + beta x^2 about the middle of the range ---- */

/* Mean and mean square of the distance beyond the middle stair: independent digits, and a uniform cell of the stair */
static double distance_square(const podium_collection *collection, double start) {
    double stair = ldexp(1, (int)collection->stair_bits), mean = (stair - 1) / 2, variance = (stair * stair - 1) / 12;
    for (uint32_t i = 0; i < collection->coin_count; i++) {
        double one = share(collection->coins[i]), worth = ldexp(stair, (int)i);
        mean += worth * one;
        variance += worth * worth * one * (1 - one);
    }
    return variance + (mean + start) * (mean + start);
}

void podium_mass_variance(podium_collection *collection) {
    double q = share(collection->threshold), width = (double)collection->width, cells = (double)collection->cells;
    double square = collection->spacing * collection->spacing, inside = q * (width * width - 1) / 12;
    bool step = collection->coin_count == 0;
    double outside = step ? (cells * cells - 1) / 12 : distance_square(collection, (width + 1) / 2);
    collection->alpha = square * (inside + (1 - q) * outside);
    collection->beta = step ? (1 - q) / q : 0;
}
