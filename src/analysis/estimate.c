/*
 * Estimate: computes the mean of the values, its interval, and the variance of the values from an aggregate.
 *
 * Write y for a report and x for a value, both counted from the middle of the range. A report is unbiased, E[y|x] = x,
 * and has the variance alpha + beta x^2. So the mean of the reports estimates the mean of the values. And because
 * E[y^2] = alpha + (1 + beta) E[x^2], the same reports estimate the second moment of the values, at no further cost in
 * privacy. (With a map of pieces the variance is not of that form, so the squares are corrected piece by piece first.
 * With two outputs all squares are equal, so they say nothing about the spread.)
 */
#include "analysis/analysis.h"
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

static void set_interval(podium_estimate *e, const podium_layout *c, moments m) {
    double width = e->interval == PODIUM_INTERVAL_GUARANTEED
                       ? bernstein_width(c, m, (double)e->n, e->confidence)
                       : podium_normal_quantile(1 - e->confidence) * e->standard_error;
    e->lower = within(e->mean - width, c->spec.min, c->spec.max);
    e->upper = within(e->mean + width, c->spec.min, c->spec.max);
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

podium_status podium_estimate_make(podium_estimate *estimate, const podium_layout *c, const podium_sums *a,
                                   podium_interval interval, double confidence) {
    if (!podium_sums_fit(a, c))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (!(confidence > 0 && confidence < 1) ||
        (interval != PODIUM_INTERVAL_NORMAL && interval != PODIUM_INTERVAL_GUARANTEED))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    if (a->count < 2)
        return PODIUM_ERROR_TOO_FEW_REPORTS;
    moments m = moments_of(c, a);
    podium_estimate made = {.n = a->count,
                            .mean = c->middle + m.mean,
                            .standard_error = sqrt(fmax(m.variance, c->variance_least) / (double)a->count),
                            .confidence = confidence,
                            .interval = interval};
    set_interval(&made, c, m);
    set_variance(&made, c, a, m);
    *estimate = made;
    return PODIUM_OK;
}
