/*
 * The step family: a density of two levels, d beside a step of width w and d e^epsilon on it, in the paper's letters.
 * Everything follows from one parameter s, which the mechanism chooses (the paper's Algorithm 1).
 *
 * The formulas are written in b = e^-epsilon and u = e^s, in forms whose terms are all positive, so that nothing
 * cancels and nothing overflows for epsilon from 1e-6 to 700. tests/unit/shape.c bounds the largest relative error
 * against 40-digit values.
 */
#include "collection/elementary.h"
#include "collection/mechanism.h"
#include "podium_analysis.h"

#include <math.h>

/* ---- The parameter ---- */

/*
 * Returns the root of sinh(2s - epsilon) + 2 sinh(s) - k e^s with k = (1 - b)(3 - 12 spread)/4. A spread of 1/4 is the
 * worst case, in which k is 0. The paper's solution of that quartic is 0/0 at epsilon = ln sqrt 2, and it overflows.
 * Newton's method, started from the limit for small or for large epsilon, has neither problem and converges in five
 * steps; six are enough in all cases. The last residual is the low part of the result.
 */
podium_two podium_step_parameter_for(double epsilon, double spread) {
    double k = -podium_expm1(-epsilon) * (3 - 12 * spread) / 4;
    double s = fmax(epsilon / 4, (epsilon - podium_log(2 - 2 * k)) / 3);
    double correction = 0;
    for (int i = 0; i < 7; i++) {
        s += correction;
        correction = -(podium_sinh(2 * s - epsilon) + 2 * podium_sinh(s) - k * podium_exp(s)) /
                     (2 * podium_cosh(2 * s - epsilon) + 2 * podium_cosh(s) - k * podium_exp(s));
    }
    return (podium_two){s, correction};
}

/* ---- The law ---- */

void podium_step_fill(podium_shape *shape, podium_two s) {
    double u = podium_exp(s.high) * (1 + s.low);
    double b = podium_exp(-shape->spec.epsilon), one_minus_b = -podium_expm1(-shape->spec.epsilon);
    double one_plus_ub = 1 + u * b;
    double base = b * (1 + u) / one_plus_ub; /* 1 - q */
    double delta = shape->delta;
    double w = one_plus_ub / (u * one_minus_b); /* for delta = 1 */

    shape->s = s.high;
    shape->m = (1 + u) * w;
    shape->w = delta * w;
    shape->d_step = u * one_minus_b / (one_plus_ub * one_plus_ub) / delta;
    shape->d = shape->d_step * b;
    shape->q = one_minus_b / one_plus_ub;
    shape->lift = shape->q / shape->w;
    shape->alpha = delta * delta * (base * shape->m * shape->m + shape->q * w * w) / 12;
    shape->beta = b * (1 + u) / one_minus_b;
}

static void fill(podium_shape *shape) {
    podium_step_fill(shape, podium_row_of(shape->spec.mechanism)->step_parameter(&shape->spec));
}

static double lower(const podium_shape *shape) {
    return shape->middle - shape->delta * shape->m / 2;
}

static double upper(const podium_shape *shape) {
    return shape->middle + shape->delta * shape->m / 2;
}

static double step(const podium_shape *shape, double x) {
    return shape->middle + (podium_into_range(&shape->spec, x) - shape->middle) / shape->q - shape->w / 2;
}

static double density(const podium_shape *shape, double x, double y) {
    if (y < lower(shape) || y > upper(shape))
        return 0;
    double t = step(shape, x);
    return y >= t && y < t + shape->w ? shape->d_step : shape->d;
}

static double cdf(const podium_shape *shape, double x, double y) {
    if (y <= lower(shape))
        return 0;
    if (y >= upper(shape))
        return 1;
    double on_step = fmin(fmax(y - step(shape, x), 0), shape->w);
    return fmin(1, shape->d * (y - lower(shape)) + shape->lift * on_step);
}

static double quantile(const podium_shape *shape, double x, double p) {
    double t = step(shape, x);
    double before = shape->d * (t - lower(shape)), after = shape->d * (upper(shape) - (t + shape->w));
    if (p <= before)
        return lower(shape) + p / shape->d;
    if (1 - p <= after)
        return upper(shape) - (1 - p) / shape->d;
    return t + (p - before) / shape->d_step;
}

const podium_law podium_step_law = {fill, density, cdf, quantile, step, NULL};

/* ---- The grid ---- */

/* The step's share of the support is 1/(1 + u). */
uint64_t podium_step_width(const podium_shape *shape, uint64_t cells) {
    return (uint64_t)fmax(1, nearbyint((double)cells * (shape->w / (shape->delta * shape->m))));
}

podium_status podium_step_layout(podium_layout *c) {
    podium_shape shape = {.spec = c->spec, .delta = c->spec.max - c->spec.min};
    fill(&shape);
    c->sampler = PODIUM_SAMPLER_STEP;
    c->map = PODIUM_MAP_IDENTITY;
    c->tells_spread = true;
    c->cells = PODIUM_GRID_MAX;
    c->draw.step.width = podium_step_width(&shape, c->cells);
    c->places = c->cells - c->draw.step.width;
    return PODIUM_OK;
}

void podium_two_cells(podium_layout *c) {
    c->sampler = PODIUM_SAMPLER_STEP;
    c->map = PODIUM_MAP_IDENTITY;
    c->tells_spread = false;
    c->cells = 2;
    c->draw.step.width = 1;
    c->places = 1;
}
