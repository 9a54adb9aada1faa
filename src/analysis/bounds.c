/*
 * Bounds: the most that the noise of a report can do, whatever the value. The intervals of interval.c rest on these
 * numbers and on nothing else, so each of them is an upper limit, computed from the thresholds and worths as realised
 * (docs/estimation.md has the proofs).
 *
 * Write u = t(y - x) for the tilted deviation of a report y from its value x, and phi(u) = e^u - 1 - u. Since E[u] = 0,
 * E[e^u] = 1 + E[phi(u)], and psi(t) is the logarithm of that, at the worst x. phi is never negative, so nothing
 * cancels, however small t is. The noise is symmetric: the report of the mirrored value is the mirrored report, so that
 * psi(-t) = psi(t). All of this is for a range of width 1 about 0.
 */
#include "analysis/interval.h"

#include <math.h>

/* Room for rounding errors, and for probabilities that are off by a few of 2^64 words. It widens an interval by less
   than a millionth. */
#define SLACK (1 + 1e-6)

/* ---- Uniform parts of the noise, with half-width d about m ---- */

/* The first terms of the series are used where the difference would lose more than 3 digits of 15. */
static double phi(double u) {
    return fabs(u) > 1e-3 ? expm1(u) - u : u * u / 2 * (1 + u / 3 * (1 + u / 4));
}

/* sinh(d)/d - 1 */
static double excess(double d) {
    return d > 1e-2 ? sinh(d) / d - 1 : d * d / 6 * (1 + d * d / 20);
}

/* Uniform cells are replaced by a uniform interval that is half a cell longer at each end. That makes the mean of every
   convex function larger. */
static double uniform_phi(double m, double d) {
    return phi(m) + exp(m) * excess(d);
}

static double uniform_square(double m, double d) {
    return m * m + d * d / 3;
}

static double uniform_fourth(double m, double d) {
    return m * m * m * m + 2 * m * m * d * d + d * d * d * d / 5;
}

/* ---- A step of many cells ---- */

/* The report of x, counted from the middle of the range, is uniform about x/on or about 0. */
typedef struct {
    double on, beside;    /* probabilities of the step and of the whole grid */
    double narrow, broad; /* half their widths */
} step_noise;

static step_noise step_noise_of(const podium_layout *c, const podium_step_draw *d, double cells) {
    return (step_noise){podium_share(d->threshold), podium_rest_of(d->threshold), c->spacing * (double)d->width / 2,
                        c->spacing * cells / 2};
}

static double step_phi(const step_noise *s, double x, double tilt) {
    const double from_step = x * s->beside / s->on;
    return s->beside * uniform_phi(-tilt * x, tilt * s->broad) +
           s->on * uniform_phi(tilt * from_step, tilt * s->narrow);
}

static double step_fourth(const step_noise *s, double x) {
    return s->beside * uniform_fourth(x, s->broad) + s->on * uniform_fourth(x * s->beside / s->on, s->narrow);
}

static double step_square(const step_noise *s, double x) {
    return s->beside * uniform_square(x, s->broad) + s->on * uniform_square(x * s->beside / s->on, s->narrow);
}

/* Maxima over x that are not at an end are bounded stretch by stretch between 0 and half the range. */
#define STRETCHES 256

static double station(int number) {
    return 0.5 * number / STRETCHES;
}

/* The fourth moment and the variance both rise with the distance from the middle. */
static void step_moments(const podium_layout *c, podium_noise_bounds *b) {
    const step_noise s = step_noise_of(c, &c->draw.step, (double)c->cells);
    b->fourth = step_fourth(&s, station(STRETCHES));
    for (int k = 0; k < STRETCHES; k++)
        b->tailedness = podium_larger(b->tailedness, step_fourth(&s, station(k + 1)) / step_square(&s, station(k)));
}

/* E[e^u] is a sum of two exponentials in x, and therefore convex, so that it is largest at an end of the range. */
static double step_worst(const podium_layout *c, double tilt) {
    const step_noise s = step_noise_of(c, &c->draw.step, (double)c->cells);
    const double end = station(STRETCHES);
    return fmax(step_phi(&s, end, tilt), step_phi(&s, -end, tilt));
}

/* ---- A step, or by a coin one of two outputs ---- */

typedef struct {
    step_noise step;
    double coin, output; /* the outputs are at this distance from the middle, on either side */
} pair_noise;

static pair_noise pair_noise_of(const podium_layout *c) {
    const podium_pair_draw *d = &c->draw.pair;
    return (pair_noise){step_noise_of(c, &d->step, (double)c->cells / 2), podium_share(d->coin),
                        c->spacing * ((double)c->worth_most / 2 - c->worth.pair.low)};
}

static double outputs_phi(double output, double x, double tilt) {
    return (output + x) / (2 * output) * phi(tilt * (output - x)) +
           (output - x) / (2 * output) * phi(-tilt * (output + x));
}

/* On a stretch from a to b, the step's part is convex in x, and so it is largest at an end. The logarithm of the
   outputs' part is concave, and so that part is largest at its peak, or at the end next to it. */
static double pair_worst(const podium_layout *c, double tilt) {
    const pair_noise p = pair_noise_of(c);
    const double peak = 1 / tilt - p.output / tanh(tilt * p.output);
    double most = 0, at_a = step_phi(&p.step, station(-STRETCHES), tilt);
    for (int k = -STRETCHES; k < STRETCHES; k++) {
        const double a = station(k), b = station(k + 1), at_b = step_phi(&p.step, b, tilt);
        const double outputs = outputs_phi(p.output, fmin(fmax(peak, a), b), tilt);
        most = fmax(most, (1 - p.coin) * fmax(at_a, at_b) + p.coin * outputs);
        at_a = at_b;
    }
    return most;
}

/* The outputs have the variance output^2 - x^2, and the fourth moment is output^2 + 3 x^2 times that. */
static void pair_moments(const podium_layout *c, podium_noise_bounds *b) {
    const pair_noise p = pair_noise_of(c);
    const double output = p.output * p.output;
    for (int k = 0; k < STRETCHES; k++) {
        const double near = station(k), far = station(k + 1);
        const double fourth =
            (1 - p.coin) * step_fourth(&p.step, far) + p.coin * (output - near * near) * (output + 3 * far * far);
        const double square = (1 - p.coin) * step_square(&p.step, near) + p.coin * (output - far * far);
        b->fourth = podium_larger(b->fourth, fourth);
        b->tailedness = podium_larger(b->tailedness, fourth / square);
    }
}

/* ---- Stairs: noise that does not depend on the value ---- */

/* Noise that is clamped at an end of the grid is closer to the value than it would be otherwise, on the same side. That
   makes phi and all even moments smaller, so clamping is left out. */
typedef struct {
    double start, stair; /* half the middle stair, and the width of the others */
    double in, beside, tail;
} stairs_noise;

static stairs_noise stairs_noise_of(const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    return (stairs_noise){c->spacing * (double)d->width / 2, ldexp(c->spacing, (int)d->stair_bits),
                          podium_share(d->threshold), podium_rest_of(d->threshold), podium_share(d->tail_threshold)};
}

/* E[e^(tilt z)] - 1 for the distance z from the value, which is start, a uniform part of a stair, and independent
   binary digits of the stair's number */
static double distance_grows(const podium_layout *c, const stairs_noise *s, double tilt) {
    const podium_stairs_draw *d = &c->draw.stairs;
    double log_mean = tilt * (s->start + s->stair / 2) + log1p(excess(fabs(tilt) * s->stair / 2));
    for (uint32_t i = 0; i < d->coin_count; i++)
        log_mean += log1p(podium_share(d->coins[i]) * expm1(tilt * ldexp(s->stair, (int)i)));
    return expm1(log_mean);
}

static double stairs_worst(const podium_layout *c, double tilt, double reach) {
    const stairs_noise s = stairs_noise_of(c);
    const double sides = (distance_grows(c, &s, tilt) + distance_grows(c, &s, -tilt)) / 2;
    return s.in * excess(tilt * s.start) + s.beside * ((1 - s.tail) * sides + s.tail * (cosh(tilt * reach) - 1));
}

/* The fourth moment of the distance, from its cumulants, which add up */
static double distance_fourth(const podium_layout *c, const stairs_noise *s) {
    const podium_stairs_draw *d = &c->draw.stairs;
    const double square = s->stair * s->stair;
    double mean = s->start + s->stair / 2, variance = square / 12, third = 0, fourth = -square * square / 120;
    for (uint32_t i = 0; i < d->coin_count; i++) {
        const double one = podium_share(d->coins[i]), zero = podium_rest_of(d->coins[i]), both = one * zero;
        const double worth = ldexp(s->stair, (int)i), worth_square = worth * worth;
        mean += worth * one;
        variance += worth_square * both;
        third += worth_square * worth * both * (zero - one);
        fourth += worth_square * worth_square * both * (1 - 6 * both);
    }
    return fourth + 4 * third * mean + 3 * variance * variance + 6 * variance * mean * mean + mean * mean * mean * mean;
}

static void stairs_moments(const podium_layout *c, podium_noise_bounds *b) {
    const stairs_noise s = stairs_noise_of(c);
    const double end = b->reach * b->reach * b->reach * b->reach;
    b->fourth = s.in * uniform_fourth(0, s.start) + s.beside * ((1 - s.tail) * distance_fourth(c, &s) + s.tail * end);
    b->tailedness = b->fourth / c->variance_least;
}

/* ---- A step of few cells, any map: place by place ---- */

/* Grids of at most this many cells are walked through cell by cell. */
#define CELLS_FEW ((uint64_t)1 << 16)

typedef struct {
    const podium_layout *layout;
    double *of_cell;      /* some function of each cell's report */
    double *back, *forth; /* its sums from a cell to the end of its block, and from the beginning to the cell */
    double *at_place;     /* its mean at each place */
    double *power[4];     /* the means at each place of the first four powers of the report, from the middle */
} walk;

enum { POWERS = 4, WALK_ARRAYS = 4 + POWERS };

static double centred(const podium_layout *c, uint64_t cell) {
    return c->spacing * ((double)podium_map_of(c)->worth(c, (uint32_t)cell) - (double)c->worth_most / 2);
}

/*
 * Computes the mean at each place. The grid is cut into blocks as wide as the step. A step that does not fill a block
 * is the end of one block and the beginning of the next, so its sum is the sum of two parts. If the sum slid along
 * instead, adding one cell and subtracting another, small sums would be nothing but rounding errors.
 */
static void average(const walk *w, double *at_place) {
    const podium_layout *c = w->layout;
    const uint64_t cells = c->cells, width = c->draw.step.width;
    double all = 0;
    for (uint64_t j = 0; j < cells; j++) {
        w->forth[j] = w->of_cell[j] + (j % width == 0 ? 0 : w->forth[j - 1]);
        all += w->of_cell[j];
    }
    for (uint64_t j = cells; j-- > 0;)
        w->back[j] = w->of_cell[j] + ((j + 1) % width == 0 || j + 1 == cells ? 0 : w->back[j + 1]);
    for (uint64_t t = 0; t <= c->places; t++) {
        const double step = w->back[t] + (t % width == 0 ? 0 : w->forth[t + width - 1]);
        at_place[t] = podium_rest_of(c->draw.step.threshold) * all / (double)cells +
                      podium_share(c->draw.step.threshold) * step / (double)width;
    }
}

static podium_status walk_init(walk *w, const podium_layout *c) {
    double *memory = podium_allocate(WALK_ARRAYS * (size_t)c->cells, sizeof *memory);
    if (memory == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    w->layout = c;
    w->of_cell = memory;
    w->back = memory + c->cells;
    w->forth = memory + 2 * c->cells;
    w->at_place = memory + 3 * c->cells;
    for (uint64_t j = 0; j < c->cells; j++)
        w->of_cell[j] = 1;
    for (int k = 0; k < POWERS; k++) {
        w->power[k] = memory + (4 + (uint64_t)k) * c->cells;
        for (uint64_t j = 0; j < c->cells; j++)
            w->of_cell[j] *= centred(c, j);
        average(w, w->power[k]);
    }
    return PODIUM_OK;
}

static void walk_free(walk *w) {
    podium_release(w->of_cell);
}

static double variance_at(const walk *w, uint64_t t) {
    const double mean = w->power[0][t];
    return w->power[1][t] - mean * mean;
}

static double fourth_at(const walk *w, uint64_t t) {
    const double mean = w->power[0][t], square = mean * mean;
    return w->power[3][t] - 4 * mean * w->power[2][t] + 6 * square * w->power[1][t] - 3 * square * square;
}

/* A value between two places is put at one of them at random, and is at most `gap` from either. So the fourth root of
   its fourth moment is at most `gap` above the larger one (Minkowski), and its variance is not below the smaller. */
static void few_moments(const walk *w, podium_noise_bounds *b) {
    for (uint64_t t = 0; t < w->layout->places; t++) {
        const double gap = w->power[0][t + 1] - w->power[0][t];
        const double root = pow(fmax(fmax(fourth_at(w, t), fourth_at(w, t + 1)), 0), 0.25) + gap;
        const double fourth = root * root * root * root, square = fmin(variance_at(w, t), variance_at(w, t + 1));
        b->fourth = podium_larger(b->fourth, fourth);
        b->tailedness = podium_larger(b->tailedness, square > 0 ? fourth / square : INFINITY);
    }
}

/*
 * The largest E[e^u] - 1 between two neighbouring places with means a and a + gap, at which E[phi(u)] is p and r. With
 * v = tilt gap, a value at a share f of the gap has, after e^u = 1 + u + phi(u),
 *     (1 - f) (p + (1 + p) phi(-f v)) + f (r + (1 + r) phi((1 - f) v)) + f (1 - f) v (r - p).
 * Its logarithm is that of a linear function of f minus a linear function, so it is concave, and the f where it is
 * largest has a closed form.
 */
static double largest_between(double p, double r, double v) {
    const double growth = expm1(v + log1p(r) - log1p(p));
    const double f = growth > 0 ? fmin(fmax(1 / v - 1 / growth, 0), 1) : 0;
    const double between =
        (1 - f) * (p + (1 + p) * phi(-f * v)) + f * (r + (1 + r) * phi((1 - f) * v)) + f * (1 - f) * v * (r - p);
    return fmax(fmax(p, r), between);
}

/* What largest_between returns is at most this, by Hoeffding's lemma; it is computed without an exponential if v is
   small. */
static double limit_between(double p, double r, double v) {
    return v < 0.5 ? fmax(p, r) + (1 + fmax(p, r)) * v * v / 7 : INFINITY;
}

/* E[e^u] at a place with the mean m is e^(-tilt m) (1 + tilt m + E[phi(tilt y)]). */
static double few_worst(const walk *w, double tilt) {
    const podium_layout *c = w->layout;
    double most = 0, last = 0;
    for (uint64_t j = 0; j < c->cells; j++)
        w->of_cell[j] = phi(tilt * centred(c, j));
    average(w, w->at_place);
    for (uint64_t t = 0; t <= c->places; t++) {
        const double mean = tilt * w->power[0][t], here = fmax(0, exp(-mean) * (w->at_place[t] - phi(mean)));
        const double v = t == 0 ? 0 : mean - tilt * w->power[0][t - 1];
        if (t > 0 && limit_between(last, here, v) > most)
            most = fmax(most, largest_between(last, here, v));
        last = here;
    }
    return most;
}

static podium_status few_fill(const podium_layout *c, podium_noise_bounds *b) {
    walk w;
    podium_status status = walk_init(&w, c);
    if (status != PODIUM_OK)
        return status;
    few_moments(&w, b);
    for (int k = 0; k < PODIUM_TILTS_EXACT; k++)
        b->psi[k] = few_worst(&w, podium_tilt(b, k));
    walk_free(&w);
    return PODIUM_OK;
}

/* ---- All samplers ---- */

/* Sets fourth and tailedness, and psi to the largest E[phi(u)] for each tilt. */
typedef podium_status filler(const podium_layout *c, podium_noise_bounds *b);

static podium_status step_fill(const podium_layout *c, podium_noise_bounds *b) {
    if (c->cells <= CELLS_FEW)
        return few_fill(c, b);
    step_moments(c, b);
    for (int k = 0; k < PODIUM_TILTS_EXACT; k++)
        b->psi[k] = step_worst(c, podium_tilt(b, k));
    return PODIUM_OK;
}

static podium_status pair_fill(const podium_layout *c, podium_noise_bounds *b) {
    pair_moments(c, b);
    for (int k = 0; k < PODIUM_TILTS_EXACT; k++)
        b->psi[k] = pair_worst(c, podium_tilt(b, k));
    return PODIUM_OK;
}

static podium_status stairs_fill(const podium_layout *c, podium_noise_bounds *b) {
    stairs_moments(c, b);
    for (int k = 0; k < PODIUM_TILTS_EXACT; k++)
        b->psi[k] = stairs_worst(c, podium_tilt(b, k), b->reach);
    return PODIUM_OK;
}

static filler *const fillers[PODIUM_SAMPLERS] = {
    [PODIUM_SAMPLER_STEP] = step_fill,
    [PODIUM_SAMPLER_PAIR] = pair_fill,
    [PODIUM_SAMPLER_STAIRS] = stairs_fill,
};

/* Adds the slack, and for a fine grid what rounding a place at random adds: the part of the noise that moves with the
   place moves by one cell, so E[e^u] grows by a factor of at most e^((tilt spacing)^2/8) (Hoeffding's lemma). */
static void finish(const podium_layout *c, podium_noise_bounds *b) {
    for (int k = 0; k < PODIUM_TILTS_EXACT; k++) {
        const double moved = c->cells <= CELLS_FEW ? 0 : podium_tilt(b, k) * c->spacing;
        b->psi[k] = SLACK * (log1p(b->psi[k]) + moved * moved / 8);
    }
    b->variance_least /= SLACK;
    b->variance_most *= SLACK;
    b->fourth *= SLACK;
    b->tailedness *= SLACK;
}

/* The same collection for a range of width 1 about 0. Powers of the reports of a very wide range would overflow. */
static podium_layout for_range_1(const podium_layout *c) {
    podium_layout unit = *c;
    const double range = c->spec.max - c->spec.min;
    unit.spec.min = -0.5;
    unit.spec.max = 0.5;
    unit.spacing /= range;
    unit.variance_least = c->variance_least / range / range;
    unit.variance_most = c->variance_most / range / range;
    return unit;
}

podium_status podium_noise_bounds_set(podium_noise_bounds *bounds, const podium_layout *collection) {
    const podium_layout c = for_range_1(collection);
    podium_noise_bounds made = {
        .fingerprint = c.fingerprint,
        .reach = (podium_support(&c) + 1) / 2,
        .bias = podium_support(&c) * PODIUM_BIAS,
        .variance_least = c.variance_least,
        .variance_most = c.variance_most,
    };
    podium_status status = fillers[c.sampler](&c, &made);
    if (status != PODIUM_OK)
        return status;
    finish(&c, &made);
    *bounds = made;
    return PODIUM_OK;
}

podium_status podium_bounds_init(const podium_collection *collection, podium_bounds *bounds) {
    const podium_layout *c = podium_layout_of(collection);
    memset(bounds, 0, sizeof *bounds);
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    return podium_noise_bounds_set((podium_noise_bounds *)(void *)bounds, c);
}
