/*
 * Mass: the probabilities with which draw.c draws cells, as doubles, computed from the finished collection. They are
 * for estimating a distribution, planning and checking. No privacy decision is made here.
 */
#include "collection/layout.h"

#include <math.h>

/* Every mass is a sum of positive parts, so that small masses keep their digits. As a difference of two cumulative
   masses, the mass of a tail would be nothing but rounding error. */
static double overlap(double first, double last, double from, double to) {
    return fmax(0, fmin(last, to) - fmax(first, from));
}

/* The mass of an interval of `cells` cells, of which `width` are in the step at `place` */
static double step_between(double cells, double width, uint64_t threshold, double place, double first, double last) {
    double on_step = overlap(first, last, place, place + width) / width;
    return podium_rest_of(threshold) * (overlap(first, last, 0, cells) / cells) + podium_share(threshold) * on_step;
}

static double step_mass(const podium_layout *c, double place, double first, double last) {
    const podium_step_draw *d = &c->draw.step;
    return step_between((double)c->cells, (double)d->width, d->threshold, place, first, last);
}

/* The upper half's step is at place 0 or half / 2, the latter with probability `along`. */
static double pair_mass(const podium_layout *c, double place, double first, double last) {
    const podium_pair_draw *d = &c->draw.pair;
    const double half = (double)c->cells / 2, along = place / (double)c->places;
    double own = step_between(half, (double)d->step.width, d->step.threshold, place, first, last);
    double lower = step_between(half, half / 2, d->pair_threshold, 0, first - half, last - half);
    double upper = step_between(half, half / 2, d->pair_threshold, half / 2, first - half, last - half);
    return podium_rest_of(d->coin) * own + podium_share(d->coin) * ((1 - along) * lower + along * upper);
}

/* Returns Pr[stair number = g], and sets beyond to Pr[stair number > g]. A number is larger than g if, from the top
   digit down, the first digit that differs is a 1 where g has a 0. */
static double stair(const podium_stairs_draw *d, uint64_t g, double *beyond) {
    double more = 0, same = g >> d->coin_count == 0;
    for (uint32_t i = d->coin_count; i-- > 0;) {
        double one = podium_share(d->coins[i]);
        if ((g >> i & 1) == 0)
            more += same * one;
        same *= g >> i & 1 ? one : podium_rest_of(d->coins[i]);
    }
    *beyond = more;
    return same;
}

/* Pr[low <= distance < high] for 0 <= low <= high, in cells. It is linear within a stair. An infinite high includes
   the tail. */
static double distance_between(const podium_stairs_draw *d, double low, double high) {
    double tail = podium_share(d->tail_threshold), beyond_low, beyond_high;
    double width = (double)((uint64_t)1 << d->stair_bits), x = low / width, y = high / width;
    uint64_t g = (uint64_t)x;
    double first = stair(d, g, &beyond_low), rest = (double)(g + 1) - x;
    if (isinf(high))
        return tail + (1 - tail) * (first * rest + beyond_low);
    uint64_t h = (uint64_t)y;
    if (g == h)
        return (1 - tail) * first * (y - x);
    double last = stair(d, h, &beyond_high), whole = h == g + 1 ? 0 : beyond_low - beyond_high - last;
    return (1 - tail) * (first * rest + whole + last * (y - (double)h));
}

/* Sums the parts of the interval to the left of the middle stair, on it and to the right. An end cell has the mass
   of everything beyond it. */
static double stairs_mass(const podium_layout *c, double place, double first, double last) {
    const podium_stairs_draw *d = &c->draw.stairs;
    double in = podium_share(d->threshold), width = (double)d->width, beside = 0;
    double start = (double)d->margin + place, end = start + width;
    if (first < start)
        beside += distance_between(d, start - fmin(last, start), first <= 0 ? INFINITY : start - first);
    if (last > end)
        beside += distance_between(d, fmax(first, end) - end, last >= (double)c->cells ? INFINITY : last - end);
    return podium_rest_of(d->threshold) / 2 * beside + in * overlap(first, last, start, end) / width;
}

/* ---- The least and the greatest mass of an interval, over all places ---- */

static double clamped(double x, double most) {
    return fmin(fmax(x, 0), most);
}

/*
 * As the place moves from 0 to the last, the mass of the interval rises while the step (or the middle stair) approaches
 * it, and falls again afterwards. So it is least at one of the two ends. It is greatest where the step lies inside the
 * interval or covers it, which is so if their left ends, their right ends or their middles coincide. `margin` cells lie
 * before the step at place 0. The factors 1 - 1e-6 and 1 + 1e-6 leave room for rounding.
 */
static podium_mass_limits limits_by_place(const podium_layout *c, double margin, double width, double first,
                                          double end) {
    const double places = (double)c->places, from = first - margin, to = end - margin - width;
    const double tried[] = {0, places, clamped(from, places), clamped(to, places), clamped((from + to) / 2, places)};
    podium_mass_limits limits = {1, 0};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        double mass = podium_mass_between(c, tried[i], first, end);
        limits.most = fmax(limits.most, mass);
        limits.least = i < 2 ? fmin(limits.least, mass) : limits.least;
    }
    return (podium_mass_limits){limits.least * (1 - 1e-6), fmin(1, limits.most * (1 + 1e-6))};
}

static podium_mass_limits step_limits(const podium_layout *c, double first, double end) {
    return limits_by_place(c, 0, (double)c->draw.step.width, first, end);
}

static podium_mass_limits stairs_limits(const podium_layout *c, double first, double end) {
    return limits_by_place(c, (double)c->draw.stairs.margin, (double)c->draw.stairs.width, first, end);
}

/* The masses of the two halves each rise and fall with the place, and for the cells up to a given one they do so
   together. Two cells of the lower half have the same worth as the two outputs, so their reports are read as those
   outputs; each limit is widened by 1/width for that. */
static podium_mass_limits pair_limits(const podium_layout *c, double first, double end) {
    const double width = (double)c->draw.pair.step.width, misread = 1 / width;
    const podium_mass_limits own = limits_by_place(c, 0, width, first, end);
    return (podium_mass_limits){fmax(0, own.least - misread), fmin(1, own.most + misread)};
}

/* ---- Variance of a report: alpha + beta x^2, with x counted from the middle of the range ---- */

/* Both outputs have the same square, which is E[y^2] for every x. */
static void two_cells_variance(podium_layout *c) {
    double output = podium_support(c) / 2;
    c->alpha = output * output;
    c->beta = -1;
}

static void step_alpha_beta(podium_layout *c, const podium_step_draw *d, double cells) {
    double q = podium_share(d->threshold), beside = podium_rest_of(d->threshold), width = (double)d->width;
    double square = c->spacing * c->spacing;
    c->alpha = square * (q * (width * width - 1) + beside * (cells * cells - 1)) / 12;
    c->beta = beside / q;
}

static void step_variance(podium_layout *c) {
    if (c->tells_spread)
        step_alpha_beta(c, &c->draw.step, (double)c->cells);
    else
        two_cells_variance(c);
}

/* E[y^2] = alpha + (1 + beta) x^2 for each half, and the coin mixes the two. */
static void pair_variance(podium_layout *c) {
    const podium_pair_draw *d = &c->draw.pair;
    double output = c->spacing * ((double)c->worth_most / 2 - c->worth.pair.low);
    double pair = podium_share(d->coin), rest = podium_rest_of(d->coin);
    step_alpha_beta(c, &d->step, (double)c->cells / 2);
    c->alpha = rest * c->alpha + pair * output * output;
    c->beta = rest * (1 + c->beta) - 1;
}

/* The mean square of start plus the distance beyond the middle stair. The distance is a sum of independent digits
   and a uniform cell of the stair. */
static double distance_square(const podium_stairs_draw *d, double start) {
    double stair = ldexp(1, (int)d->stair_bits), mean = (stair - 1) / 2, variance = (stair * stair - 1) / 12;
    for (uint32_t i = 0; i < d->coin_count; i++) {
        double one = podium_share(d->coins[i]), worth = ldexp(stair, (int)i);
        mean += worth * one;
        variance += worth * worth * one * podium_rest_of(d->coins[i]);
    }
    return variance + (mean + start) * (mean + start);
}

static void stairs_variance(podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    double beside = podium_rest_of(d->threshold), width = (double)d->width;
    double inside = podium_share(d->threshold) * (width * width - 1) / 12;
    c->alpha = c->spacing * c->spacing * (inside + beside * distance_square(d, (width + 1) / 2));
    c->beta = 0;
}

/* ---- All samplers ---- */

typedef struct {
    double (*mass)(const podium_layout *c, double place, double first, double last);
    podium_mass_limits (*limits)(const podium_layout *c, double first, double end);
    void (*variance)(podium_layout *c);
} sampler;

static const sampler samplers[PODIUM_SAMPLERS] = {
    [PODIUM_SAMPLER_STEP] = {step_mass, step_limits, step_variance},
    [PODIUM_SAMPLER_PAIR] = {pair_mass, pair_limits, pair_variance},
    [PODIUM_SAMPLER_STAIRS] = {stairs_mass, stairs_limits, stairs_variance},
};

double podium_mass_between(const podium_layout *c, double place, double first, double last) {
    return first < last ? samplers[c->sampler].mass(c, place, first, last) : 0;
}

podium_mass_limits podium_mass_limits_of(const podium_layout *c, double first, double end) {
    return samplers[c->sampler].limits(c, first, end);
}

/* The maximum with 0 is needed because at a large epsilon the least variance can be nothing but rounding error. */
void podium_variance_set(podium_layout *c) {
    samplers[c->sampler].variance(c);
    double half = (c->spec.max - c->spec.min) / 2, at_end = c->beta * half * half;
    c->variance_least = fmax(0, c->alpha - fmax(0, -at_end));
    c->variance_most = c->alpha + fmax(0, at_end);
    c->variance_uniform = c->alpha + at_end / 3;
}

double podium_quadratic_variance(const podium_layout *c, double x) {
    double distance = x - c->middle;
    return fmax(0, c->alpha + c->beta * distance * distance);
}
