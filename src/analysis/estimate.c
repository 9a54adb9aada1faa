/*
 * Estimate: from an aggregate to the mean of the values, its intervals, and the variance of the values.
 *
 * Write y for a report less the middle of the range, x for a value likewise. A report is unbiased, E[y|x] = x, and has
 * variance alpha + beta x^2. So the mean of the reports estimates that of the values; and E[y^2] = alpha + (1 + beta)
 * E[x^2] gives the values' second moment from the same reports, at no further cost in privacy. (Minimax's variance is
 * not of that form: its squares are corrected piece by piece first. Duchi's two outputs have one square: they cannot
 * tell.)
 */
#include "collection/internal.h"
#include "collection/wide.h"

#include <math.h>

/* By Newton's method on the logarithm of erfc, which is concave. */
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

/* ---- Moments of what the cells are worth, with no rounding before the end ---- */

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

/* Centred: twice a worth less the most is an integer, so n of them sum to 2 sum - n most, of either sign. */
static moments moments_of(const podium_collection *collection, const podium_aggregate *aggregate) {
    wide n = wide_from(aggregate->count), sum = wide_from_two(aggregate->sum.low, aggregate->sum.high);
    wide squares = wide_from_two(aggregate->squares.low, aggregate->squares.high);
    wide twice = wide_shift_left(sum, 1), middle = wide_multiply(n, wide_from(collection->worth_most));
    bool right = wide_at_most(middle, twice);
    double offset = wide_to_double(right ? wide_subtract(twice, middle) : wide_subtract(middle, twice));
    /* n sum of squares - square of sum: at least 0, by Cauchy and Schwarz, and exact */
    wide spread = wide_subtract(wide_multiply(n, squares), wide_multiply(sum, sum));
    double count = (double)aggregate->count, h = collection->spacing;
    return (moments){(right ? 1 : -1) * h * (offset / (2 * count)),
                     h * h * (wide_to_double(spread) / count / (count - 1))};
}

/* ---- Intervals ---- */

/*
 * Empirical Bernstein (Maurer and Pontil, 2009): for n independent variables with values in a range of width w and
 * sample variance v, each side holds with probability 1 - d for
 *     sqrt(2 v ln(2/d) / n) + 7 w ln(2/d) / (3 (n - 1)).
 * Two sides, so d is half of what may fail.
 */
static double bernstein_width(const podium_collection *collection, moments m, double n, double confidence) {
    double support = collection->spacing * (double)collection->worth_most, l = log(4 / (1 - confidence));
    return sqrt(2 * m.variance * l / n) + 7 * support * l / (3 * (n - 1));
}

static double within(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

static void set_interval(podium_estimate *e, const podium_collection *collection, moments m) {
    double width = e->interval == PODIUM_INTERVAL_GUARANTEED
                       ? bernstein_width(collection, m, (double)e->n, e->confidence)
                       : podium_normal_quantile(1 - e->confidence) * e->standard_error;
    e->lower = within(e->mean - width, collection->spec.min, collection->spec.max);
    e->upper = within(e->mean + width, collection->spec.min, collection->spec.max);
}

/* What Minimax's reports add to their squares, on average: 0 for the others */
static double square_correction(const podium_collection *collection, const podium_aggregate *aggregate) {
    double sum = 0;
    for (uint32_t b = 0; b < aggregate->bin_count && collection->piece_count > 0; b++) {
        uint64_t cell = (uint64_t)b << aggregate->bin_bits;
        sum += (double)aggregate->bins[b] * collection->piece_square[cell >> collection->piece_bits];
    }
    return sum / (double)aggregate->count;
}

/* E[x^2] - E[x]^2, the latter being E[mean y]^2 less the variance of that mean */
static void set_variance(podium_estimate *e, const podium_collection *collection, const podium_aggregate *aggregate,
                         moments m) {
    if (collection->cells == 2) {
        e->variance = e->standard_deviation = NAN;
        return;
    }
    double n = (double)e->n, square_y = m.variance * (n - 1) / n + m.mean * m.mean;
    square_y += square_correction(collection, aggregate);
    double square_x = (square_y - collection->alpha) / (1 + collection->beta);
    double raw = square_x - (m.mean * m.mean - m.variance / n), delta = collection->spec.max - collection->spec.min;
    e->variance = within(raw, 0, delta * delta / 4);
    e->variance_clipped = e->variance != raw;
    e->standard_deviation = sqrt(e->variance);
}

podium_status podium_estimate_make(podium_estimate *estimate, const podium_collection *collection,
                                   const podium_aggregate *aggregate, podium_interval interval, double confidence) {
    if (!podium_aggregate_fits(aggregate, collection))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (!(confidence > 0 && confidence < 1) ||
        (interval != PODIUM_INTERVAL_NORMAL && interval != PODIUM_INTERVAL_GUARANTEED))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    if (aggregate->count < 2)
        return PODIUM_ERROR_TOO_FEW_REPORTS;
    moments m = moments_of(collection, aggregate);
    double middle = collection->spec.min + (collection->spec.max - collection->spec.min) / 2;
    podium_estimate made = {.n = aggregate->count,
                            .mean = middle + m.mean,
                            .standard_error =
                                sqrt(fmax(m.variance, collection->variance_least) / (double)aggregate->count),
                            .confidence = confidence,
                            .interval = interval};
    set_interval(&made, collection, m);
    set_variance(&made, collection, aggregate, m);
    *estimate = made;
    return PODIUM_OK;
}
