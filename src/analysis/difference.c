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
    podium_question question;
} sides;

typedef struct {
    podium_summary a, b;
} summaries;

static podium_status summarise(summaries *made, const sides *s, double confidence) {
    podium_question question = s->question;
    question.confidence = confidence;
    podium_status status = podium_summary_make(s->collection, NULL, &made->a, s->a, &question);
    return status == PODIUM_OK ? podium_summary_make(s->collection, NULL, &made->b, s->b, &question) : status;
}

/* No difference is larger than the width of the range. */
static void set_ends(podium_difference *d, const sides *s, double lower, double upper) {
    const podium_spec spec = podium_collection_spec(s->collection);
    const double width = spec.max - spec.min;
    d->interval_known = PODIUM_KNOWN_ESTIMATED;
    d->lower = fmin(fmax(lower, -width), width);
    d->upper = fmin(fmax(upper, -width), width);
}

static void set_normal(podium_difference *d, const sides *s) {
    const double half = podium_normal_quantile(1 - d->confidence) * d->standard_error;
    set_ends(d, s, d->difference - half, d->difference + half);
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

/* What is known of both intervals */
static podium_known both_known(const summaries *m) {
    return m->a.interval_known != PODIUM_KNOWN_ESTIMATED ? m->a.interval_known : m->b.interval_known;
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
    d->interval_known = status == PODIUM_OK ? both_known(&m) : d->interval_known;
    if (status != PODIUM_OK || d->interval_known != PODIUM_KNOWN_ESTIMATED)
        return status;
    set_ends(d, s, m.a.lower - m.b.upper, m.a.upper - m.b.lower);
    return least_alpha(&d->p_value, s);
}

/* Computes the bounds once, because the p-value takes many summaries, unless the caller has done so. */
static podium_status bound(sides *s, podium_bounds *room) {
    if (s->question.interval == PODIUM_INTERVAL_NORMAL || s->question.bounds != NULL)
        return PODIUM_OK;
    s->question.bounds = room;
    return podium_bounds_init(s->collection, room);
}

static podium_difference difference_of_nothing(const sides *s, const podium_summary *summary) {
    return (podium_difference){.known = PODIUM_KNOWN_TOO_FEW,
                               .confidence = summary->confidence,
                               .interval = s->question.interval,
                               .population = s->question.population,
                               .difference = NAN,
                               .standard_error = NAN,
                               .interval_known = PODIUM_KNOWN_TOO_FEW,
                               .lower = NAN,
                               .upper = NAN,
                               .p_value = NAN};
}

podium_status podium_difference_make(const podium_collection *collection, podium_difference *difference,
                                     const podium_aggregate *a, const podium_aggregate *b,
                                     const podium_question *question) {
    static const podium_question none;
    const podium_question *q = question == NULL ? &none : question;
    sides s = {collection, a, b, *q};
    s.question.shape = false;
    s.question.dishonest = 0;
    podium_bounds room;
    summaries m;
    podium_status status = bound(&s, &room);
    if (status == PODIUM_OK)
        status = summarise(&m, &s, q->confidence);
    if (status != PODIUM_OK)
        return status;
    podium_difference made = difference_of_nothing(&s, &m.a);
    if (m.a.mean_known == PODIUM_KNOWN_ESTIMATED && m.b.mean_known == PODIUM_KNOWN_ESTIMATED) {
        made.known = PODIUM_KNOWN_ESTIMATED;
        made.difference = m.a.mean - m.b.mean;
        /* The squares can neither overflow nor vanish, and hypot would need a newer C library. */
        made.standard_error = sqrt(m.a.standard_error * m.a.standard_error + m.b.standard_error * m.b.standard_error);
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
