/*
 * Shape: the paper's Algorithm 1 and the closed forms of the mechanisms that have a density.
 *
 * Everything is written in b = e^-epsilon and u = e^s, in forms whose terms are all positive, so that nothing
 * cancels and nothing overflows for epsilon from 1e-6 to 700. The largest relative error against 40-digit values
 * is kept by tests/unit/shape.c.
 */
#include "collection/internal.h"

#include <math.h>

/* ---- Podium ---- */

/* A number as the sum of two doubles: u = e^s needs s to more than 53 bits, since an error in s is a relative error
   in u, and s goes up to 233. */
typedef struct {
    double high, low;
} pair;

/*
 * The s where alpha + beta spread delta^2 is smallest: the root of sinh(2s - epsilon) + 2 sinh(s) - k e^s with k =
 * (1 - b)(3 - 12 spread)/4. EXACT is a spread of 1/4, the worst case, where k is 0. The paper's solution of that
 * quartic is 0/0 at epsilon = ln sqrt 2 and overflows; Newton's method from the small- or large-epsilon limit has
 * neither trouble, and is done after five steps (six for certain). The last residual gives the low part.
 */
static pair step_parameter_for(double epsilon, double spread) {
    double k = -expm1(-epsilon) * (3 - 12 * spread) / 4;
    double s = fmax(epsilon / 4, (epsilon - log(2 - 2 * k)) / 3);
    double correction = 0;
    for (int i = 0; i < 7; i++) {
        s += correction;
        correction = -(sinh(2 * s - epsilon) + 2 * sinh(s) - k * exp(s)) /
                     (2 * cosh(2 * s - epsilon) + 2 * cosh(s) - k * exp(s));
    }
    return (pair){s, correction};
}

static pair step_parameter_approximate(double epsilon) {
    double s = epsilon / 3;
    return (pair){s, fma(-3, s, epsilon) / 3};
}

static pair step_parameter_piecewise(double epsilon) {
    return (pair){epsilon / 2, 0};
}

static void podium_fill(podium_shape *shape, pair s) {
    double u = exp(s.high) * (1 + s.low);
    double b = exp(-shape->spec.epsilon), one_minus_b = -expm1(-shape->spec.epsilon);
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

static double podium_lower(const podium_shape *shape) {
    return shape->middle - shape->delta * shape->m / 2;
}

static double podium_upper(const podium_shape *shape) {
    return shape->middle + shape->delta * shape->m / 2;
}

static double podium_density(const podium_shape *shape, double x, double y) {
    if (y < podium_lower(shape) || y > podium_upper(shape))
        return 0;
    double t = podium_shape_step(shape, x);
    return y >= t && y < t + shape->w ? shape->d_step : shape->d;
}

static double podium_cdf(const podium_shape *shape, double x, double y) {
    if (y <= podium_lower(shape))
        return 0;
    if (y >= podium_upper(shape))
        return 1;
    double on_step = fmin(fmax(y - podium_shape_step(shape, x), 0), shape->w);
    return fmin(1, shape->d * (y - podium_lower(shape)) + shape->lift * on_step);
}

static double podium_quantile(const podium_shape *shape, double x, double p) {
    double t = podium_shape_step(shape, x);
    double before = shape->d * (t - podium_lower(shape));
    double after = shape->d * (podium_upper(shape) - (t + shape->w));
    if (p <= before)
        return podium_lower(shape) + p / shape->d;
    if (1 - p <= after)
        return podium_upper(shape) - (1 - p) / shape->d;
    return t + (p - before) / shape->d_step;
}

/* ---- Laplace: the density at distance z is epsilon/(2 delta) e^(-|z| epsilon/delta) ---- */

static double laplace_rate(const podium_shape *shape) {
    return shape->spec.epsilon / shape->delta;
}

static double laplace_density(const podium_shape *shape, double z) {
    return laplace_rate(shape) / 2 * exp(-z * laplace_rate(shape));
}

static double laplace_tail(const podium_shape *shape, double z) {
    return exp(-z * laplace_rate(shape)) / 2;
}

static double laplace_distance(const podium_shape *shape, double tail) {
    return -log(2 * tail) / laplace_rate(shape);
}

/* ---- Staircase: stair j, of density height b^j, covers distances from (j-1+gamma) delta to (j+gamma) delta ---- */

/* The paper's gamma is a difference of nearly equal numbers for small epsilon; multiplied out it is a quotient of
   positive ones: with a^3 = b(1+b)/2, (a - b)/(1 - b) = (a^3 - b^3)/((1 - b)(a^2 + ab + b^2)). */
static void staircase_fill(podium_shape *shape) {
    double b = exp(-shape->spec.epsilon), one_minus_b = -expm1(-shape->spec.epsilon);
    double a = cbrt(b * (1 + b) / 2), third = cbrt(b) * cbrt(1 + b);
    shape->gamma = b * (1 + 2 * b) / (2 * (a * a + a * b + b * b));
    shape->height = one_minus_b / (2 * shape->delta * (shape->gamma + b * (1 - shape->gamma)));
    shape->alpha = shape->delta * shape->delta * (cbrt(0.25) * third * third + b) / (one_minus_b * one_minus_b);
}

static double staircase_number(const podium_shape *shape, double z) {
    return fmax(0, floor(z / shape->delta - shape->gamma) + 1);
}

static double staircase_density(const podium_shape *shape, double z) {
    return shape->height * exp(-staircase_number(shape, z) * shape->spec.epsilon);
}

static double staircase_tail(const podium_shape *shape, double z) {
    if (isinf(z))
        return 0;
    double j = staircase_number(shape, z);
    double b = exp(-shape->spec.epsilon), one_minus_b = -expm1(-shape->spec.epsilon);
    double rest_of_stair = j + shape->gamma - z / shape->delta;
    return shape->height * shape->delta * exp(-j * shape->spec.epsilon) * (rest_of_stair + b / one_minus_b);
}

static double staircase_distance(const podium_shape *shape, double tail) {
    double b = exp(-shape->spec.epsilon), one_minus_b = -expm1(-shape->spec.epsilon);
    double scaled = tail / (shape->height * shape->delta); /* the tail beyond stair j is b^(j+1)/(1-b) of these */
    double j = fmax(0, floor(-log(scaled * one_minus_b) / shape->spec.epsilon));
    double z = j + shape->gamma - (exp(log(scaled) + j * shape->spec.epsilon) - b / one_minus_b);
    return fmax(0, z) * shape->delta;
}

/* ---- What a mechanism that adds noise (and so does not ask where x is) has to tell ---- */

typedef struct {
    double (*density)(const podium_shape *shape, double z);     /* at distance z >= 0 */
    double (*tail)(const podium_shape *shape, double z);        /* mass beyond distance z, on one side */
    double (*distance)(const podium_shape *shape, double tail); /* its inverse, for 0 < tail <= 1/2 */
} noise_law;

static const noise_law *noise_of(const podium_shape *shape) {
    static const noise_law laplace = {laplace_density, laplace_tail, laplace_distance};
    static const noise_law staircase = {staircase_density, staircase_tail, staircase_distance};
    switch (shape->spec.mechanism) {
    case PODIUM_MECHANISM_LAPLACE:
        return &laplace;
    case PODIUM_MECHANISM_STAIRCASE:
        return &staircase;
    default:
        return NULL;
    }
}

static double noise_cdf(const noise_law *noise, const podium_shape *shape, double z) {
    return z < 0 ? noise->tail(shape, -z) : 1 - noise->tail(shape, z);
}

static double noise_quantile(const noise_law *noise, const podium_shape *shape, double p) {
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    return p < 0.5 ? -noise->distance(shape, p) : noise->distance(shape, 1 - p);
}

/* ---- All mechanisms ---- */

podium_status podium_shape_init(podium_shape *shape, const podium_spec *spec) {
    podium_status status = podium_spec_check(spec, PODIUM_EPSILON_MAX_SHAPE);
    if (status != PODIUM_OK)
        return status;
    podium_shape made = {
        .spec = *spec, .delta = spec->max - spec->min, .middle = spec->min + (spec->max - spec->min) / 2};
    switch (spec->mechanism) {
    case PODIUM_MECHANISM_PODIUM:
        podium_fill(&made, step_parameter_for(spec->epsilon, 0.25));
        break;
    case PODIUM_MECHANISM_PODIUM_TUNED:
        podium_fill(&made, step_parameter_for(spec->epsilon, spec->spread));
        break;
    case PODIUM_MECHANISM_PIECEWISE:
        podium_fill(&made, step_parameter_piecewise(spec->epsilon));
        break;
    case PODIUM_MECHANISM_PODIUM_APPROXIMATE:
        podium_fill(&made, step_parameter_approximate(spec->epsilon));
        break;
    case PODIUM_MECHANISM_LAPLACE:
        made.alpha = 2 * (made.delta / spec->epsilon) * (made.delta / spec->epsilon);
        break;
    case PODIUM_MECHANISM_STAIRCASE:
        staircase_fill(&made);
        break;
    case PODIUM_MECHANISM_DUCHI:
    case PODIUM_MECHANISM_HYBRID:
    case PODIUM_MECHANISM_MINIMAX:
        return PODIUM_ERROR_NO_DENSITY;
    }
    *shape = made;
    return PODIUM_OK;
}

static double into_range(const podium_shape *shape, double x) {
    return x < shape->spec.min ? shape->spec.min : x > shape->spec.max ? shape->spec.max : x;
}

double podium_shape_step(const podium_shape *shape, double x) {
    if (noise_of(shape) != NULL)
        return NAN;
    return shape->middle + (into_range(shape, x) - shape->middle) / shape->q - shape->w / 2;
}

double podium_shape_density(const podium_shape *shape, double x, double y) {
    const noise_law *noise = noise_of(shape);
    if (isnan(x) || isnan(y))
        return NAN;
    return noise == NULL ? podium_density(shape, x, y) : noise->density(shape, fabs(y - into_range(shape, x)));
}

double podium_shape_cdf(const podium_shape *shape, double x, double y) {
    const noise_law *noise = noise_of(shape);
    if (isnan(x) || isnan(y))
        return NAN;
    return noise == NULL ? podium_cdf(shape, x, y) : noise_cdf(noise, shape, y - into_range(shape, x));
}

double podium_shape_quantile(const podium_shape *shape, double x, double p) {
    const noise_law *noise = noise_of(shape);
    if (isnan(x) || !(p >= 0 && p <= 1))
        return NAN;
    return noise == NULL ? podium_quantile(shape, x, p) : into_range(shape, x) + noise_quantile(noise, shape, p);
}

double podium_shape_mean(const podium_shape *shape, double x) {
    return into_range(shape, x);
}

double podium_shape_variance(const podium_shape *shape, double x) {
    double centred = into_range(shape, x) - shape->middle;
    return shape->alpha + shape->beta * centred * centred;
}

double podium_shape_efficiency(const podium_shape *a, const podium_shape *b, double x) {
    return podium_shape_variance(a, x) / podium_shape_variance(b, x);
}
