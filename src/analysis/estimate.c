/*
 * Estimate: computes the mean of the values, its interval, and the variance of the values from an aggregate.
 *
 * Write y for a report and x for a value, both counted from the middle of the range. A report is unbiased, E[y|x] = x,
 * and has the variance alpha + beta x^2. So the mean of the reports estimates the mean of the values. And because
 * E[y^2] = alpha + (1 + beta) E[x^2], the same reports estimate the second moment of the values, at no further cost in
 * privacy. (With a map of pieces the variance is not of that form, so the squares are corrected piece by piece first.
 * With two outputs all squares are equal, so they say nothing about the spread.)
 */
#include "analysis/interval.h"
#include "collection/wide.h"

#include <math.h>

/* Uses Newton's method on the logarithm of erfc, which is concave. */
double podium_normal_quantile(double alpha) {
    double z = sqrt(-2 * log(alpha));
    for (int i = 0; i < 60; i++) {
        double tail = erfc(z * sqrt(0.5));
        double step = tail * log(tail / alpha) / (sqrt(2 / acos(-1)) * exp(-z * z / 2));
        z += step;
        if (fabs(step) <= 1e-15 * z)
            break;
    }
    return z;
}

/* ---- Moments of the reports, from exact integers that are rounded only in the end ---- */

static double wide_to_double(wide a) {
    double x = 0;
    for (int i = WIDE_LIMBS; i-- > 0;)
        x = x * 0x1p32 + a.limb[i];
    return x;
}

typedef struct {
    double mean;     /* of y */
    double variance; /* of y, unbiased */
} moments;

/* Twice a worth minus worth_most is an integer, which is twice the worth counted from the middle. The sum of n of
   them is 2 sum - n worth_most, which may be negative. */
static moments moments_of(const podium_layout *c, const podium_sums *a) {
    wide n = wide_from(a->count), sum = wide_from_two(a->sum.low, a->sum.high);
    wide squares = wide_from_two(a->squares.low, a->squares.high);
    wide twice = wide_shift_left(sum, 1), middle = wide_multiply(n, wide_from(c->worth_most));
    bool right = wide_at_most(middle, twice);
    double offset = wide_to_double(right ? wide_subtract(twice, middle) : wide_subtract(middle, twice));
    /* n times the sum of squares minus the square of the sum. It is exact, and by Cauchy-Schwarz not negative. */
    wide spread = wide_subtract(wide_multiply(n, squares), wide_multiply(sum, sum));
    double count = (double)a->count, h = c->spacing;
    return (moments){(right ? 1 : -1) * h * (offset / (2 * count)),
                     h * h * (wide_to_double(spread) / count / (count - 1))};
}

/* ---- Intervals ---- */

/*
 * Empirical Bernstein bound (Maurer and Pontil, 2009). For n independent variables in a range of width w with sample
 * variance v, the mean is off in one direction by at most
 *     sqrt(2 v ln(2/d) / n) + 7 w ln(2/d) / (3 (n - 1))
 * with probability 1 - d. There are two directions, so d is half of 1 - confidence.
 */
static double bernstein_width(const podium_layout *c, moments m, double n, double confidence) {
    double support = podium_support(c), l = log(4 / (1 - confidence));
    return sqrt(2 * m.variance * l / n) + 7 * support * l / (3 * (n - 1));
}

static double within(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static void set_limits(podium_estimate *e, const podium_layout *c, double lower, double upper) {
    e->lower = within(lower, c->spec.min, c->spec.max);
    e->upper = within(upper, c->spec.min, c->spec.max);
}

/* The widths of Chernoff, Berry and Esseen are known before the first report, so the smallest may be chosen. The
   empirical bound depends on the reports. So whether it is used for a population is decided by what it would be for
   evenly spread values, and not by what it is. */
static double guaranteed_width(const podium_layout *c, const podium_noise_bounds *b, moments m,
                               const podium_question *q, double n) {
    const double range = c->spec.max - c->spec.min, alpha = 1 - q->confidence;
    const double known = range * fmin(podium_width_chernoff(b, n, alpha, q->population),
                                      podium_width_berry_esseen(b, n, alpha, q->population));
    const moments evenly = {.variance = c->variance_uniform + range * range / 12};
    if (!q->population || known <= bernstein_width(c, evenly, n, q->confidence))
        return known;
    return bernstein_width(c, m, n, q->confidence) + range * b->bias;
}

static double width_of(const podium_estimate *e, const podium_layout *c, const podium_noise_bounds *b, moments m,
                       const podium_question *q) {
    switch (q->interval) {
    case PODIUM_INTERVAL_GUARANTEED:
        return guaranteed_width(c, b, m, q, (double)e->n);
    case PODIUM_INTERVAL_ANYTIME:
        return (c->spec.max - c->spec.min) * podium_width_anytime(b, (double)e->n, 1 - q->confidence, q->population);
    default:
        return podium_normal_quantile(1 - q->confidence) * e->standard_error;
    }
}

static bool counts_outputs(const podium_layout *c, const podium_sums *a, const podium_question *q) {
    return q->interval == PODIUM_INTERVAL_GUARANTEED && !c->tells_spread && a->count <= PODIUM_TRIALS_MAX;
}

/* Two outputs are worth 0 and worth_most, so the sum tells how often the upper one was reported. */
static void set_limits_by_count(podium_estimate *e, const podium_layout *c, const podium_sums *a, double alpha) {
    const podium_limits p = podium_clopper_pearson(a->sum.low / c->worth_most, a->count, alpha);
    const double support = podium_support(c), bias = support * PODIUM_BIAS;
    set_limits(e, c, c->first + support * p.lower - bias, c->first + support * p.upper + bias);
}

static podium_status set_interval(podium_estimate *e, const podium_layout *c, const podium_sums *a, moments m,
                                  const podium_question *q) {
    podium_noise_bounds own;
    const podium_noise_bounds *b = q->bounds == NULL ? &own : podium_noise_bounds_of(q->bounds);
    if (q->interval == PODIUM_INTERVAL_ANYTIME && a->subtracted) {
        e->lower = e->upper = NAN;
        return PODIUM_OK;
    }
    if (counts_outputs(c, a, q)) {
        set_limits_by_count(e, c, a, 1 - q->confidence);
        return PODIUM_OK;
    }
    if (q->interval != PODIUM_INTERVAL_NORMAL && q->bounds == NULL) {
        podium_status status = podium_noise_bounds_set(&own, c);
        if (status != PODIUM_OK)
            return status;
    }
    const double width = width_of(e, c, b, m, q);
    set_limits(e, c, e->mean - width, e->mean + width);
    return PODIUM_OK;
}

/* The average correction that the map adds to the squares of reports */
static double square_correction(const podium_layout *c, const podium_sums *a) {
    const podium_map *map = podium_map_of(c);
    double sum = 0;
    for (uint32_t b = 0; b < a->bin_count; b++)
        sum += (double)a->bins[b] * map->square_correction(c, b << a->bin_bits);
    return sum / (double)a->count;
}

/* The variance is E[x^2] - E[x]^2, and E[x]^2 is estimated by the square of the mean of y minus the variance of that
   mean. */
static void set_variance(podium_estimate *e, const podium_layout *c, const podium_sums *a, moments m) {
    if (!c->tells_spread) {
        e->variance = e->standard_deviation = NAN;
        return;
    }
    double n = (double)e->n, square_y = m.variance * (n - 1) / n + m.mean * m.mean;
    square_y += square_correction(c, a);
    double square_x = (square_y - c->alpha) / (1 + c->beta);
    double raw = square_x - (m.mean * m.mean - m.variance / n), delta = c->spec.max - c->spec.min;
    e->variance = within(raw, 0, delta * delta / 4);
    e->variance_clipped = e->variance != raw;
    e->standard_deviation = sqrt(e->variance);
}

static podium_status check_question(const podium_layout *c, const podium_question *q) {
    if (!(q->confidence > 0 && q->confidence < 1) || (unsigned)q->interval > PODIUM_INTERVAL_ANYTIME)
        return PODIUM_ERROR_ARGUMENT_WRONG;
    if (q->bounds != NULL && podium_noise_bounds_of(q->bounds)->fingerprint != c->fingerprint)
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    return PODIUM_OK;
}

podium_status podium_estimate_make(podium_estimate *estimate, const podium_layout *c, const podium_sums *a,
                                   const podium_question *q) {
    podium_status status = podium_sums_fit(a, c) ? check_question(c, q) : PODIUM_ERROR_FINGERPRINT_WRONG;
    if (status != PODIUM_OK)
        return status;
    if (a->count < 2)
        return PODIUM_ERROR_TOO_FEW_REPORTS;
    moments m = moments_of(c, a);
    podium_estimate made = {.n = a->count,
                            .mean = c->middle + m.mean,
                            .standard_error = sqrt(fmax(m.variance, c->variance_least) / (double)a->count),
                            .confidence = q->confidence,
                            .interval = q->interval};
    status = set_interval(&made, c, a, m, q);
    set_variance(&made, c, a, m);
    if (status == PODIUM_OK)
        *estimate = made;
    return status;
}
