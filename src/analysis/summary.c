/* Summary: everything that may be said about the values of an aggregate. Every program that shows an answer uses it,
   so that what is withheld here is withheld everywhere. */
#include "analysis/analysis.h"

#include <math.h>

#define CONFIDENCE_DEFAULT 0.95

/* If the mean is outside the range by more standard errors than this, these are hardly reports of the collection. */
#define ERRORS_OUTSIDE 6

const char *podium_known_message(podium_known known) {
    static const char *const messages[] = {
        [PODIUM_KNOWN_ESTIMATED] = "",
        [PODIUM_KNOWN_TOO_FEW] = "too few reports",
        [PODIUM_KNOWN_TOO_SMALL] = "too small to measure with this many reports",
        [PODIUM_KNOWN_TOO_LARGE] = "came out larger than the range allows",
        [PODIUM_KNOWN_UNTOLD] = "reports of this collection tell the mean alone",
        [PODIUM_KNOWN_NOT_ASKED] = "not asked for",
        [PODIUM_KNOWN_SUBTRACTED] = "reports were subtracted, so no interval holds at all times",
    };
    return (unsigned)known < sizeof messages / sizeof *messages ? messages[known] : "unknown";
}

static const char *const intervals[] = {
    [PODIUM_INTERVAL_NORMAL] = "normal",
    [PODIUM_INTERVAL_GUARANTEED] = "guaranteed",
    [PODIUM_INTERVAL_ANYTIME] = "anytime",
};

const char *podium_interval_name(podium_interval interval) {
    return (unsigned)interval < sizeof intervals / sizeof *intervals ? intervals[interval] : NULL;
}

podium_status podium_interval_from_name(podium_interval *interval, const char *name, size_t n) {
    for (unsigned i = 0; i < sizeof intervals / sizeof *intervals; i++)
        if (strlen(intervals[i]) == n && memcmp(intervals[i], name, n) == 0) {
            *interval = (podium_interval)i;
            return PODIUM_OK;
        }
    return PODIUM_ERROR_ARGUMENT_WRONG;
}

const char *podium_summary_about(const podium_summary *summary) {
    return summary->population ? "population" : "these people";
}

static void set_mean(podium_summary *s, const podium_layout *c, const podium_estimate *e) {
    s->mean_known = PODIUM_KNOWN_ESTIMATED;
    s->mean = e->mean;
    s->standard_error = e->standard_error;
    s->interval_known = isnan(e->lower) ? PODIUM_KNOWN_SUBTRACTED : PODIUM_KNOWN_ESTIMATED;
    s->lower = e->lower;
    s->upper = e->upper;
    const double far = ERRORS_OUTSIDE * e->standard_error;
    s->mean_is_outside = e->mean < c->spec.min - far || e->mean > c->spec.max + far;
}

/* A variance that was clipped is not an estimate, so it is withheld. */
static void set_spread(podium_summary *s, const podium_layout *c, const podium_estimate *e) {
    if (!c->tells_spread) {
        s->spread_known = PODIUM_KNOWN_UNTOLD;
    } else if (e->variance_clipped) {
        s->spread_known = e->variance == 0 ? PODIUM_KNOWN_TOO_SMALL : PODIUM_KNOWN_TOO_LARGE;
    } else {
        s->spread_known = PODIUM_KNOWN_ESTIMATED;
        s->variance = e->variance;
        s->standard_deviation = e->standard_deviation;
    }
}

/* Estimates the distribution. If the interval of the mean is guaranteed, so are the limits of the shape. */
static podium_status estimate_shape(podium_summary *s, const podium_channel *channel,
                                    const podium_aggregate *aggregate) {
    podium_band band;
    podium_distribution *d = &s->distribution;
    podium_status status = podium_distribution_make(channel, d, aggregate, d->bins, s->confidence);
    if (status != PODIUM_OK || !d->telling || s->interval != PODIUM_INTERVAL_GUARANTEED)
        return status;
    status = podium_band_make(channel, &band, aggregate, s->confidence);
    if (status == PODIUM_OK)
        podium_distribution_guarantee(d, &band);
    return status;
}

static podium_status set_shape(podium_summary *s, const podium_collection *collection, const podium_channel *channel,
                               const podium_aggregate *aggregate) {
    podium_channel *own = NULL;
    podium_status status = PODIUM_OK;
    if (!podium_collection_tells_spread(collection)) {
        s->shape_known = PODIUM_KNOWN_UNTOLD;
        return PODIUM_OK;
    }
    if (channel == NULL)
        status = podium_channel_make(collection, &own);
    if (status == PODIUM_OK)
        status = estimate_shape(s, channel == NULL ? own : channel, aggregate);
    podium_channel_free(own);
    s->shape_known = status == PODIUM_OK && s->distribution.telling ? PODIUM_KNOWN_ESTIMATED : PODIUM_KNOWN_TOO_FEW;
    return status == PODIUM_ERROR_TOO_FEW_REPORTS ? PODIUM_OK : status;
}

/* A summary in which every part is unknown and every number is NaN */
static podium_summary summary_of_nothing(const podium_layout *c, const podium_sums *a, const podium_question *q) {
    podium_summary s = {
        .count = a->count,
        .refused = a->refused,
        .confidence = q->confidence == 0 ? CONFIDENCE_DEFAULT : q->confidence,
        .interval = q->interval,
        .population = q->population,
        .mean_known = PODIUM_KNOWN_TOO_FEW,
        .mean = NAN,
        .standard_error = NAN,
        .interval_known = PODIUM_KNOWN_TOO_FEW,
        .lower = NAN,
        .upper = NAN,
        .influence = NAN,
        .spread_known = c->tells_spread ? PODIUM_KNOWN_TOO_FEW : PODIUM_KNOWN_UNTOLD,
        .variance = NAN,
        .standard_deviation = NAN,
        .shape_known = PODIUM_KNOWN_NOT_ASKED,
    };
    s.distribution = podium_distribution_of_nothing(c->spec.min, c->spec.max,
                                                    q->bins == 0 ? PODIUM_BINS_DEFAULT : q->bins, s.confidence);
    return s;
}

podium_status podium_summary_make(const podium_collection *collection, const podium_channel *channel,
                                  podium_summary *summary, const podium_aggregate *aggregate,
                                  const podium_question *question) {
    static const podium_question none;
    const podium_layout *c = podium_layout_of(collection);
    const podium_sums *a = podium_sums_of(aggregate);
    const podium_question *q = question == NULL ? &none : question;
    podium_estimate e;
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    if (channel != NULL && !podium_channel_fits(channel, c))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (q->bins > PODIUM_SHARES)
        return PODIUM_ERROR_ARGUMENT_WRONG;
    podium_summary made = summary_of_nothing(c, a, q);
    podium_question complete = *q;
    complete.confidence = made.confidence;
    podium_status status = podium_estimate_make(&e, c, a, &complete);
    if (status == PODIUM_OK) {
        set_mean(&made, c, &e);
        set_spread(&made, c, &e);
        if (q->dishonest > 0)
            made.influence = podium_collection_influence(collection, q->dishonest, a->count);
    }
    if (status == PODIUM_ERROR_TOO_FEW_REPORTS)
        status = PODIUM_OK;
    if (status == PODIUM_OK && q->shape)
        status = set_shape(&made, collection, channel, aggregate);
    if (status == PODIUM_OK)
        *summary = made;
    return status;
}
