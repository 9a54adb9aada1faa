/*
 * Difference: compares the means of two groups.
 *
 * The reports of the groups are independent, so the variance of the difference is the sum of the variances of the two
 * means. An interval that is guaranteed cannot be added like that. If each mean is in its interval except with the
 * probability alpha/2, then by the union bound the difference is between the differences of the ends except with alpha.
 */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

/* ---- Two groups ---- */

typedef struct {
    const podium_collection *collection;
    const podium_aggregate *a, *b;
    podium_interval interval;
} sides;

typedef struct {
    podium_summary a, b;
} summaries;

static podium_status summarise(summaries *made, const sides *s, double confidence) {
    const podium_question question = {.confidence = confidence, .interval = s->interval};
    podium_status status = podium_summary_make(s->collection, NULL, &made->a, s->a, &question);
    return status == PODIUM_OK ? podium_summary_make(s->collection, NULL, &made->b, s->b, &question) : status;
}

/* The difference is known only to lie between the widths of the range. */
static double within_range(const sides *s, double x) {
    const podium_spec spec = podium_collection_spec(s->collection);
    const double width = spec.max - spec.min;
    return fmin(fmax(x, -width), width);
}

static void set_normal(podium_difference *d, const sides *s) {
    const double half = podium_normal_quantile(1 - d->confidence) * d->standard_error;
    d->lower = within_range(s, d->difference - half);
    d->upper = within_range(s, d->difference + half);
    d->p_value = erfc(fabs(d->difference) / d->standard_error * sqrt(0.5));
}

static bool excludes_zero(const summaries *m) {
    return m->a.lower > m->b.upper || m->a.upper < m->b.lower;
}

/* Each side errs with half of alpha. Below P_LEAST, 1 - alpha/2 would hardly differ from 1 as a double. */
#define P_LEAST 1e-12

static double confidence_for(double alpha) {
    return 1 - alpha / 2;
}

/* The least alpha whose intervals do not touch. They shrink as alpha grows, so ln alpha is halved, to a hundredth. */
static podium_status least_alpha(double *p, const sides *s) {
    summaries m;
    double low = log(P_LEAST), high = 0;
    podium_status status = PODIUM_OK;
    while (status == PODIUM_OK && high - low > 0.01) {
        const double tried = (low + high) / 2;
        status = summarise(&m, s, confidence_for(exp(tried)));
        if (status == PODIUM_OK && excludes_zero(&m))
            high = tried;
        else
            low = tried;
    }
    *p = exp(high);
    return status;
}

static podium_status set_guaranteed(podium_difference *d, const sides *s) {
    summaries m;
    podium_status status = summarise(&m, s, confidence_for(1 - d->confidence));
    if (status != PODIUM_OK)
        return status;
    d->lower = within_range(s, m.a.lower - m.b.upper);
    d->upper = within_range(s, m.a.upper - m.b.lower);
    return least_alpha(&d->p_value, s);
}

podium_status podium_difference_make(const podium_collection *collection, podium_difference *difference,
                                     const podium_aggregate *a, const podium_aggregate *b,
                                     const podium_question *question) {
    static const podium_question none;
    const podium_question *q = question == NULL ? &none : question;
    const sides s = {collection, a, b, q->interval};
    summaries m;
    podium_status status = summarise(&m, &s, q->confidence);
    if (status != PODIUM_OK)
        return status;
    podium_difference made = {PODIUM_KNOWN_TOO_FEW, m.a.confidence, q->interval, NAN, NAN, NAN, NAN, NAN};
    if (m.a.mean_known == PODIUM_KNOWN_ESTIMATED && m.b.mean_known == PODIUM_KNOWN_ESTIMATED) {
        made.known = PODIUM_KNOWN_ESTIMATED;
        made.difference = m.a.mean - m.b.mean;
        made.standard_error = hypot(m.a.standard_error, m.b.standard_error);
        if (q->interval == PODIUM_INTERVAL_NORMAL)
            set_normal(&made, &s);
        else
            status = set_guaranteed(&made, &s);
    }
    if (status == PODIUM_OK)
        *difference = made;
    return status;
}

/* ---- Many comparisons ---- */

typedef struct {
    double p;
    size_t at;
} comparison;

static int by_p(const void *a, const void *b) {
    const double x = ((const comparison *)a)->p, y = ((const comparison *)b)->p;
    return (x > y) - (x < y);
}

/* Copies the comparisons that are no NaN. Returns how many there are. */
static size_t comparisons_from(comparison *made, const double *p, size_t count) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            made[known++] = (comparison){p[i], i};
    return known;
}

/* Of m p-values in ascending order, the one at index i is multiplied by m - i. An adjusted one is never less than that
   of a smaller p-value, nor more than 1. (Holm, 1979) */
podium_status podium_differences_adjust(double *adjusted, const double *p, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (p[i] < 0 || p[i] > 1)
            return PODIUM_ERROR_ARGUMENT_WRONG;
    comparison *all = count > SIZE_MAX / sizeof *all ? NULL : malloc(count == 0 ? 1 : count * sizeof *all);
    if (all == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    const size_t known = comparisons_from(all, p, count);
    qsort(all, known, sizeof *all, by_p);
    for (size_t i = 0; i < count; i++)
        adjusted[i] = NAN;
    double least = 0;
    for (size_t i = 0; i < known; i++) {
        least = fmin(1, fmax(least, (double)(known - i) * all[i].p));
        adjusted[all[i].at] = least;
    }
    free(all);
    return PODIUM_OK;
}
