/*
 * Distribution: the shares of the values, with intervals that contain the truth as often as they say.
 *
 * The intervals come from the covariance of a fit that is smoothed less than the estimate (fit.c). That fit still
 * cannot show what is finer than its resolution, so an interval also allows values to lie a little further left or
 * right than the fit puts them. The allowance is a share of the average width of the intervals, and larger near the
 * ends of the range, where values may pile up unseen. tests/statistical/shape measures how often the intervals cover.
 */
#include "analysis/fit.h"

#include <math.h>

/* The allowances, in units of the average half-width, as a share of the range. That of a share below a value is
   larger than those of quantiles and bins, because it jumps by all of a spike if the spike lies a little further left.
   A quantile does not, and a bin does so only if the spike is near one of its edges. */
#define BLUR 0.15
#define BLUR_BELOW 0.5
#define BLUR_END 0.6
#define END_REACH 4 /* how many times BLUR_END the influence of the ends reaches */

typedef struct band {
    const podium_fit *fit;
    double z;                        /* quantile of the normal distribution */
    double unit;                     /* average half-width of the intervals of the share below a value */
    double below[PODIUM_SHARES + 1]; /* the share below each edge, by the loose fit */
} band;

/* ---- Shares between two points of the range, which are counted in value bins ---- */

static double along(const double *edge, double at) {
    uint32_t i = at >= PODIUM_SHARES ? PODIUM_SHARES - 1 : (uint32_t)at;
    return edge[i] + (at - i) * (edge[i + 1] - edge[i]);
}

/* The standard error of the share between two points */
static double error_between(const podium_fit *fit, double from, double to) {
    const uint32_t i = from >= PODIUM_SHARES ? PODIUM_SHARES - 1 : (uint32_t)from;
    const uint32_t j = to >= PODIUM_SHARES ? PODIUM_SHARES - 1 : (uint32_t)to;
    double sum = 0;
    for (uint32_t k = 0; k < fit->splines; k++) {
        double start = fit->root[i][k] + (from - i) * (fit->root[i + 1][k] - fit->root[i][k]);
        double end = fit->root[j][k] + (to - j) * (fit->root[j + 1][k] - fit->root[j][k]);
        sum += (end - start) * (end - start);
    }
    return sqrt(sum);
}

static double into(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
}

static void set_band(band *b, const podium_fit *fit, double confidence) {
    double errors = 0;
    b->fit = fit;
    b->z = podium_normal_quantile(1 - confidence);
    b->below[0] = 0;
    for (uint32_t j = 0; j < PODIUM_SHARES; j++) {
        b->below[j + 1] = b->below[j] + fit->loose[j];
        errors += error_between(fit, 0, j + 1) / PODIUM_SHARES;
    }
    b->unit = b->z * errors;
}

/* How far a value at this edge may lie from where the fit puts it, in value bins */
static double blur_at(const band *b, double at, double blur) {
    const double end = BLUR_END * b->unit * PODIUM_SHARES, inside = blur * b->unit * PODIUM_SHARES;
    const double distance = fmin(at, PODIUM_SHARES - at);
    return fmax(inside, end * (1 - distance / (END_REACH * end)));
}

/* The limits of the share below edge i */
static podium_limits below_limits(const band *b, uint32_t i, double blur_inside) {
    const double blur = blur_at(b, i, blur_inside), left = into(i - blur, 0, PODIUM_SHARES),
                 right = into(i + blur, 0, PODIUM_SHARES);
    return (podium_limits){
        .lower = into(along(b->below, left) - b->z * error_between(b->fit, 0, left), 0, 1),
        .upper =
            into(right < PODIUM_SHARES ? along(b->below, right) + b->z * error_between(b->fit, 0, right) : 1, 0, 1)};
}

/* Sets the limits of the share below every edge. The shares below never decrease, so their limits do not either. */
static void set_below(double *lower, double *upper, const band *b, const double *share, double blur) {
    double estimate = 0;
    for (uint32_t i = 0; i <= PODIUM_SHARES; i++) {
        const podium_limits limits = below_limits(b, i, blur);
        lower[i] = fmin(limits.lower, estimate);
        upper[i] = fmax(fmax(limits.upper, estimate), i > 0 ? upper[i - 1] : 0);
        estimate = fmin(1, estimate + (i < PODIUM_SHARES ? share[i] : 0));
    }
    for (uint32_t i = PODIUM_SHARES; i-- > 0;)
        lower[i] = fmin(lower[i], lower[i + 1]);
}

/* Sets the limits of the share of each bin: at most what may lie in a slightly wider bin, at least what must lie in a
   slightly narrower one. */
static void set_bins(podium_distribution *d, const band *b) {
    const double width = (double)PODIUM_SHARES / d->bins, blur = BLUR * b->unit * PODIUM_SHARES;
    for (uint32_t j = 0; j < d->bins; j++) {
        const double from = j * width, to = from + width, share = podium_distribution_bin(d, j).share;
        const double out = fmax(from - blur, 0), far = fmin(to + blur, PODIUM_SHARES);
        const double in = j == 0 ? 0 : from + blur, near = j + 1 == d->bins ? PODIUM_SHARES : to - blur;
        double most = along(b->below, far) - along(b->below, out) + b->z * error_between(b->fit, out, far);
        double least =
            in < near ? along(b->below, near) - along(b->below, in) - b->z * error_between(b->fit, in, near) : 0;
        d->bin_lower[j] = into(least, 0, share);
        d->bin_upper[j] = into(most, share, 1);
    }
}

/* ---- The estimate ---- */

static podium_status check(const podium_channel *c, const podium_sums *a) {
    if (a->fingerprint != c->fingerprint || a->bin_count != c->reports || a->bin_bits != c->report_bits)
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    return a->count == 0 ? PODIUM_ERROR_TOO_FEW_REPORTS : PODIUM_OK;
}

static podium_status estimate(podium_distribution *d, const podium_channel *channel, const podium_sums *a) {
    podium_fit fit;
    band b;
    podium_status status = podium_fit_make(&fit, channel, a);
    if (status != PODIUM_OK)
        return status;
    d->steps = fit.steps;
    memcpy(d->share, fit.share, sizeof d->share);
    set_band(&b, &fit, d->confidence);
    set_below(d->below_lower, d->below_upper, &b, d->share, BLUR_BELOW);
    set_below(d->quantile_lower, d->quantile_upper, &b, d->share, BLUR);
    set_bins(d, &b);
    podium_fit_clear(&fit);
    return PODIUM_OK;
}

podium_distribution podium_distribution_of_nothing(double min, double max, uint32_t bins, double confidence) {
    podium_distribution d = {.min = min, .max = max, .bins = bins, .confidence = confidence};
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        d.share[j] = d.bin_lower[j] = d.bin_upper[j] = NAN;
    for (uint32_t i = 0; i <= PODIUM_SHARES; i++)
        d.below_lower[i] = d.below_upper[i] = d.quantile_lower[i] = d.quantile_upper[i] = NAN;
    return d;
}

podium_status podium_distribution_make(const podium_channel *channel, podium_distribution *distribution,
                                       const podium_aggregate *aggregate, uint32_t bins, double confidence) {
    const podium_sums *a = podium_sums_of(aggregate);
    podium_status status = check(channel, a);
    if (status != PODIUM_OK)
        return status;
    if (bins < 1 || bins > PODIUM_SHARES || !(confidence > 0 && confidence < 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    podium_distribution made = podium_distribution_of_nothing(channel->min, channel->max, bins, confidence);
    made.telling = podium_channel_is_telling(channel, a);
    if (made.telling)
        status = estimate(&made, channel, a);
    if (status == PODIUM_OK)
        *distribution = made;
    return status;
}

/* ---- Guaranteed limits ---- */

/* Value bins in a part of the band */
#define BINS_PER_PART (PODIUM_SHARES / PODIUM_BAND_PARTS)

/* The band says nothing between its edges but that shares do not decrease. So each limit is that of an edge which is at
   least one value bin further out, and then also holds where it is interpolated. */
void podium_distribution_guarantee(podium_distribution *d, const podium_band *sure) {
    for (uint32_t i = 0; i <= PODIUM_SHARES; i++) {
        const uint32_t left = i == 0 ? 0 : (i - 1) / BINS_PER_PART, right = i / BINS_PER_PART + 1;
        d->below_lower[i] = d->quantile_lower[i] = sure->lower[left];
        d->below_upper[i] = d->quantile_upper[i] = right > PODIUM_BAND_PARTS ? 1 : sure->upper[right];
    }
    for (uint32_t j = 0; j < d->bins; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        const podium_limits from = podium_distribution_below_limits(d, bin.from);
        const podium_limits to = j + 1 == d->bins ? (podium_limits){1, 1} : podium_distribution_below_limits(d, bin.to);
        d->bin_lower[j] = into(to.lower - from.upper, 0, bin.share);
        d->bin_upper[j] = into(to.upper - from.lower, bin.share, 1);
    }
}

/* ---- Quantiles, shares, bins ---- */

static const podium_limits no_limits = {NAN, NAN};

static double place_of(const podium_distribution *d, double at) {
    return at >= PODIUM_SHARES ? d->max : d->min + (d->max - d->min) * at / PODIUM_SHARES;
}

/* Where the line through these edges, which never falls, first reaches p */
static double first_at(const double *edge, double p) {
    for (uint32_t i = 0; i < PODIUM_SHARES; i++)
        if (edge[i + 1] >= p)
            return edge[i] >= p ? i : i + (p - edge[i]) / (edge[i + 1] - edge[i]);
    return PODIUM_SHARES;
}

/* Where it last is p */
static double last_at(const double *edge, double p) {
    for (uint32_t i = PODIUM_SHARES; i > 0; i--)
        if (edge[i - 1] <= p)
            return edge[i] <= p ? i : i - 1 + (p - edge[i - 1]) / (edge[i] - edge[i - 1]);
    return 0;
}

double podium_distribution_quantile(const podium_distribution *d, double p) {
    double before = 0;
    if (!d->telling || !(p >= 0 && p <= 1))
        return NAN;
    for (uint32_t j = 0; j < PODIUM_SHARES; j++) {
        if (before + d->share[j] >= p && d->share[j] > 0)
            return place_of(d, j + (p - before) / d->share[j]);
        before += d->share[j];
    }
    return d->max;
}

podium_limits podium_distribution_quantile_limits(const podium_distribution *d, double p) {
    if (!d->telling || !(p >= 0 && p <= 1))
        return no_limits;
    return (podium_limits){place_of(d, first_at(d->quantile_upper, p)), place_of(d, last_at(d->quantile_lower, p))};
}

/* Where x lies, in value bins */
static double position(const podium_distribution *d, double x) {
    return into((x - d->min) / (d->max - d->min), 0, 1) * PODIUM_SHARES;
}

double podium_distribution_below(const podium_distribution *d, double x) {
    const double at = position(d, x);
    double sum = 0;
    if (!d->telling || isnan(x))
        return NAN;
    for (uint32_t j = 0; j < PODIUM_SHARES && j < at; j++)
        sum += d->share[j] * fmin(1, at - j);
    return fmin(1, sum);
}

podium_limits podium_distribution_below_limits(const podium_distribution *d, double x) {
    if (!d->telling || isnan(x))
        return no_limits;
    if (x <= d->min || x > d->max) /* nobody is below the range, everybody below what is above it */
        return (podium_limits){x > d->max, x > d->max};
    const double at = position(d, x);
    return (podium_limits){along(d->below_lower, at), along(d->below_upper, at)};
}

podium_bin podium_distribution_bin(const podium_distribution *d, uint32_t number) {
    if (number >= d->bins)
        return (podium_bin){NAN, NAN, NAN, NAN, NAN};
    const double width = (d->max - d->min) / d->bins;
    podium_bin bin = {.from = d->min + width * number,
                      .to = number + 1 == d->bins ? d->max : d->min + width * (number + 1),
                      .lower = d->bin_lower[number],
                      .upper = d->bin_upper[number]};
    bin.share = podium_distribution_below(d, bin.to) - podium_distribution_below(d, bin.from);
    return bin;
}
