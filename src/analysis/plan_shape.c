/*
 * Plan for shapes: how precisely so many people will show a quantile or a histogram, and how many people it takes.
 *
 * There is no formula for the limits of a distribution, so the estimator itself is asked. It gets the numbers of
 * reports that are expected from a reference population, without any noise, and the plan is the limits that it prints
 * for them.
 */
#include "analysis/channel.h"

#include <math.h>

/* The reference population is a normal one around the middle of the range, cut off at both ends. */
#define REFERENCE_DEVIATION 0.2 /* its standard deviation, as a share of the range */

#define PEOPLE_LEAST 50.0     /* no distribution is estimated from fewer reports */
#define LOG_PEOPLE_STRIDE 2.5 /* between the first numbers of people that the search tries */
#define LOG_PEOPLE_CLOSE 1e-3 /* where it ends */
#define PEOPLE_DIGITS 3

/* What is to be known: the shares of so many bins, or a quantile if bins is 0 */
typedef struct aim {
    const podium_channel *channel;
    double confidence;
    double p;
    uint32_t bins;
} aim;

/* ---- The reports that are expected ---- */

static void set_reference(double share[PODIUM_SHARES]) {
    double total = 0;
    for (uint32_t j = 0; j < PODIUM_SHARES; j++) {
        const double away = ((j + 0.5) / PODIUM_SHARES - 0.5) / REFERENCE_DEVIATION;
        total += share[j] = exp(-away * away / 2);
    }
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        share[j] /= total;
}

/* Sets rows to the probabilities of the finest rows. */
static void set_rows(double *rows, const podium_level *level) {
    double share[PODIUM_SHARES];
    set_reference(share);
    for (uint32_t b = 0; b < level->rows; b++) {
        rows[b] = 0;
        for (uint32_t j = 0; j < PODIUM_SHARES; j++)
            rows[b] += level->mass[(size_t)b * PODIUM_SHARES + j] * share[j];
    }
}

/* Makes an aggregate of the expected reports. The bins of a row are equally likely as far as the fit is concerned.
   Rounding the number of reports up to each bin, not in each bin, keeps the sum right. */
static void expect_reports(podium_aggregate *aggregate, const podium_channel *c, double people) {
    const podium_level *level = &c->level[PODIUM_LEVEL_FINE];
    podium_sums *sums = podium_sums_in(aggregate);
    double rows[PODIUM_ROWS_MAX], share = 0;
    uint64_t before = 0;
    set_rows(rows, level);
    podium_sums_init(sums, &c->layout);
    sums->count = (uint64_t)people;
    for (uint32_t b = 0; b < sums->bin_count; b++) {
        const uint32_t row = b / level->merged, left = sums->bin_count - row * level->merged;
        share += rows[row] / (left < level->merged ? left : level->merged);
        const double upto = fmin(round(people * share), people);
        sums->bins[b] = (b + 1 == sums->bin_count ? sums->count : (uint64_t)upto) - before;
        before += sums->bins[b];
    }
}

/* ---- The error of so many people ---- */

static double half_width(podium_limits limits) {
    return (limits.upper - limits.lower) / 2;
}

static double error_of(const podium_distribution *d, const aim *a) {
    double most = 0;
    if (a->bins == 0)
        return half_width(podium_distribution_quantile_limits(d, a->p));
    for (uint32_t j = 0; j < a->bins; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        most = fmax(most, half_width((podium_limits){bin.lower, bin.upper}));
    }
    return most;
}

static podium_status plan_error(const aim *a, double *within, double people) {
    podium_aggregate aggregate;
    podium_distribution d;
    expect_reports(&aggregate, a->channel, floor(people));
    podium_status status =
        podium_distribution_make(a->channel, &d, &aggregate, a->bins == 0 ? 1 : a->bins, a->confidence);
    if (status == PODIUM_OK && !d.telling)
        status = PODIUM_ERROR_TOO_FEW_REPORTS;
    if (status == PODIUM_OK)
        *within = error_of(&d, a);
    return status;
}

/* ---- The people for an error ---- */

/* The number of people with this logarithm, rounded up to three digits. A rounding error of exp must not count as one
   more person. */
static double people_of(double log_people) {
    const double people = exp(log_people) * (1 - 1e-12);
    const double unit = pow(10, fmax(0, floor(log10(people)) + 1 - PEOPLE_DIGITS));
    return ceil(people / unit) * unit;
}

/* Sets enough to whether the error of so many people is small enough. Too few people have no error. */
static podium_status is_enough(const aim *a, bool *enough, double log_people, double within) {
    double error = INFINITY;
    const podium_status status = plan_error(a, &error, people_of(log_people));
    *enough = error <= within;
    return status == PODIUM_ERROR_TOO_FEW_REPORTS ? PODIUM_OK : status;
}

/* The error falls as people are added, except for small steps where the fit goes on to more splines. The search begins
   with few people, because a fit to very many reports takes longer. */
static podium_status plan_people(const aim *a, double *people, double within) {
    const double most = log(PODIUM_PLAN_PEOPLE_MAX);
    double low = log(PEOPLE_LEAST), high = low;
    bool enough;
    podium_status status = is_enough(a, &enough, high, within);
    while (status == PODIUM_OK && !enough && high < most) {
        low = high;
        high = fmin(low + LOG_PEOPLE_STRIDE, most);
        status = is_enough(a, &enough, high, within);
    }
    if (status == PODIUM_OK && !enough)
        status = PODIUM_ERROR_TOO_FEW_REPORTS;
    while (status == PODIUM_OK && high - low > LOG_PEOPLE_CLOSE) {
        const double tried = (low + high) / 2;
        status = is_enough(a, &enough, tried, within);
        *(enough ? &high : &low) = tried;
    }
    if (status == PODIUM_OK)
        *people = people_of(high);
    return status;
}

/* ---- The calls ---- */

static podium_status check(const aim *a, bool right) {
    if (!right || !(a->confidence > 0 && a->confidence < 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    return !a->channel->layout.tells_spread ? PODIUM_ERROR_MEAN_ONLY : PODIUM_OK;
}

static bool is_number_of_people(double people) {
    return people >= 1 && people <= PODIUM_PLAN_PEOPLE_MAX;
}

static bool is_quantile(double p) {
    return p > 0 && p < 1;
}

static bool is_number_of_bins(uint32_t bins) {
    return bins >= 1 && bins <= PODIUM_SHARES;
}

podium_status podium_plan_quantile(const podium_channel *channel, double *within, double people, double p,
                                   double confidence) {
    const aim a = {.channel = channel, .confidence = confidence, .p = p};
    const podium_status status = check(&a, is_quantile(p) && is_number_of_people(people));
    return status == PODIUM_OK ? plan_error(&a, within, people) : status;
}

podium_status podium_plan_quantile_people(const podium_channel *channel, double *people, double within, double p,
                                          double confidence) {
    const aim a = {.channel = channel, .confidence = confidence, .p = p};
    const podium_status status = check(&a, is_quantile(p) && within > 0);
    return status == PODIUM_OK ? plan_people(&a, people, within) : status;
}

podium_status podium_plan_histogram(const podium_channel *channel, double *within, double people, uint32_t bins,
                                    double confidence) {
    const aim a = {.channel = channel, .confidence = confidence, .bins = bins};
    const podium_status status = check(&a, is_number_of_bins(bins) && is_number_of_people(people));
    return status == PODIUM_OK ? plan_error(&a, within, people) : status;
}

podium_status podium_plan_histogram_people(const podium_channel *channel, double *people, double within, uint32_t bins,
                                           double confidence) {
    const aim a = {.channel = channel, .confidence = confidence, .bins = bins};
    const podium_status status = check(&a, is_number_of_bins(bins) && within > 0);
    return status == PODIUM_OK ? plan_people(&a, people, within) : status;
}
