/*
 * Mass: the probabilities that draw.c realises, as doubles, from the finished collection. For analysts: estimating a
 * distribution, planning, checking. No privacy decision is made here.
 */
#include "internal.h"

#include <math.h>

static double share(uint64_t threshold) {
    return (double)threshold * 0x1p-64;
}

/* 1 - share, to its own last digit where the share is nearly 1 */
static double rest_of(uint64_t threshold) {
    return threshold == 0 ? 1 : (double)(UINT64_MAX - threshold + 1) * 0x1p-64;
}

/* Every mass is a sum of positive parts, so that small ones keep their digits: a difference of cumulative masses would
   leave nothing of a tail's. */
static double overlap(double first, double last, double from, double to) {
    return fmax(0, fmin(last, to) - fmax(first, from));
}

static double step_between(const podium_collection *collection, double place, double first, double last) {
    double q = share(collection->threshold), width = (double)collection->width;
    double on_step = overlap(first, last, place, place + width) / width;
    return rest_of(collection->threshold) * ((last - first) / (double)collection->cells) + q * on_step;
}

/* Pr[stair number = g], and in beyond Pr[stair number > g]: from the top digit down, a 1 where g has a 0 */
static double stair(const podium_collection *collection, uint64_t g, double *beyond) {
    double more = 0, same = g >> collection->coin_count == 0;
    for (uint32_t i = collection->coin_count; i-- > 0;) {
        double one = share(collection->coins[i]);
        if ((g >> i & 1) == 0)
            more += same * one;
        same *= g >> i & 1 ? one : rest_of(collection->coins[i]);
    }
    *beyond = more;
    return same;
}

/* Pr[low <= distance < high], in cells, 0 <= low <= high: linear within a stair. An infinite high includes the tail. */
static double distance_between(const podium_collection *collection, double low, double high) {
    double tail = share(collection->tail_threshold), beyond_low, beyond_high;
    double width = (double)((uint64_t)1 << collection->stair_bits), x = low / width, y = high / width;
    uint64_t g = (uint64_t)x;
    double first = stair(collection, g, &beyond_low), rest = (double)(g + 1) - x;
    if (isinf(high))
        return tail + (1 - tail) * (first * rest + beyond_low);
    uint64_t h = (uint64_t)y;
    if (g == h)
        return (1 - tail) * first * (y - x);
    double last = stair(collection, h, &beyond_high), whole = h == g + 1 ? 0 : beyond_low - beyond_high - last;
    return (1 - tail) * (first * rest + whole + last * (y - (double)h));
}

/* The left of the middle stair, the stair, and the right; an end cell has all that lies beyond it. */
static double stairs_between(const podium_collection *collection, double place, double first, double last) {
    double in = share(collection->threshold), width = (double)collection->width, beside = 0;
    double start = (double)collection->margin + place, end = start + width;
    if (first < start)
        beside += distance_between(collection, start - fmin(last, start), first <= 0 ? INFINITY : start - first);
    if (last > end)
        beside += distance_between(collection, fmax(first, end) - end,
                                   last >= (double)collection->cells ? INFINITY : last - end);
    return rest_of(collection->threshold) / 2 * beside + in * overlap(first, last, start, end) / width;
}

double podium_mass_between(const podium_collection *collection, double place, double first, double last) {
    if (!(first < last))
        return 0;
    return collection->coin_count == 0 ? step_between(collection, place, first, last)
                                       : stairs_between(collection, place, first, last);
}

double podium_collection_mass(const podium_collection *collection, uint64_t place, uint64_t first, uint64_t last) {
    return podium_mass_between(collection, (double)place, (double)first, (double)last);
}

/* ---- Variance of a report, alpha + beta x^2 about the middle of the range ---- */

/* Mean and mean square of the distance beyond the middle stair: independent digits, and a uniform cell of the stair */
static double distance_square(const podium_collection *collection, double start) {
    double stair = ldexp(1, (int)collection->stair_bits), mean = (stair - 1) / 2, variance = (stair * stair - 1) / 12;
    for (uint32_t i = 0; i < collection->coin_count; i++) {
        double one = share(collection->coins[i]), worth = ldexp(stair, (int)i);
        mean += worth * one;
        variance += worth * worth * one * rest_of(collection->coins[i]);
    }
    return variance + (mean + start) * (mean + start);
}

void podium_mass_variance(podium_collection *collection) {
    double q = share(collection->threshold), beside = rest_of(collection->threshold);
    double width = (double)collection->width, cells = (double)collection->cells;
    double square = collection->spacing * collection->spacing, inside = q * (width * width - 1) / 12;
    bool step = collection->coin_count == 0;
    double outside = step ? (cells * cells - 1) / 12 : distance_square(collection, (width + 1) / 2);
    collection->alpha = square * (inside + beside * outside);
    collection->beta = step ? beside / q : 0;
}
