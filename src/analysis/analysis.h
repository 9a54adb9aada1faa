/* What the files of the collector's half share: the contents of an aggregate, and the estimate of a mean. */
#ifndef PODIUM_ANALYSIS_INTERNAL_H
#define PODIUM_ANALYSIS_INTERNAL_H

#include "collection/mechanism.h"
#include "podium_analysis.h"

#define PODIUM_BINS_MAX 1024

typedef struct podium_sum { /* 128 bits */
    uint64_t low, high;
} PODIUM_MAY_ALIAS podium_sum;

/* The contents of a podium_aggregate */
typedef struct podium_sums {
    podium_spec spec;
    uint64_t fingerprint;
    uint64_t count;      /* reports added */
    uint64_t refused;    /* reports that the collection cannot have produced; they are not in the sums */
    podium_sum sum;      /* of the worths of their cells */
    podium_sum squares;  /* of the squares of those worths */
    uint64_t subtracted; /* 1 if reports were subtracted and others are left, otherwise 0 */
    uint32_t bin_count;  /* bins of 2^bin_bits cells each */
    uint32_t bin_bits;
    uint64_t bins[PODIUM_BINS_MAX];
} PODIUM_MAY_ALIAS podium_sums;

_Static_assert(sizeof(podium_sums) <= sizeof(podium_aggregate), "podium_aggregate has no room for the sums");

static inline const podium_sums *podium_sums_of(const podium_aggregate *aggregate) {
    return (const podium_sums *)(const void *)aggregate;
}

static inline podium_sums *podium_sums_in(podium_aggregate *aggregate) {
    return (podium_sums *)(void *)aggregate;
}

/* aggregate.c: makes sums of no reports, and checks whether sums belong to this collection and have its bins. */
void podium_sums_init(podium_sums *sums, const podium_layout *c);
bool podium_sums_fit(const podium_sums *sums, const podium_layout *c);
bool podium_bins_fit(const podium_sums *sums, uint64_t cells);

/* aggregate.c: counts n refused reports. */
void podium_sums_refuse(podium_sums *sums, uint64_t n);

/* possible.c: whether reports of the collection could have led to these sums */
bool podium_sums_possible(const podium_sums *sums, const podium_layout *c);

/* The probability that plausible.c or excess.c finds something wrong with honest reports is at most this. */
#define PODIUM_FALSE_ALARM 1e-9

/* plausible.c: KL(a, p) = a ln(a/p) + (1 - a) ln((1 - a)/(1 - p)), for 0 < p < 1 */
double podium_divergence(double a, double p);

/* information.c: PODIUM_OBJECTIVE_DISTRIBUTION */
double podium_distribution_noise(const podium_layout *c);

/* estimate.c: the z with Pr[|normal| > z] = alpha */
double podium_normal_quantile(double alpha);

typedef struct podium_estimate {
    uint64_t n;
    double mean;
    double standard_error;
    double confidence;
    podium_interval interval;
    double lower, upper; /* NaN for an anytime interval if reports were subtracted */
    double variance;     /* NaN if reports say nothing but the mean; otherwise within [0, (max - min)^2/4] */
    double standard_deviation;
    bool variance_clipped; /* the estimate was outside those limits, and was moved to the nearer one */
} podium_estimate;

/* Needs at least two reports and 0 < confidence < 1. The sums and the question's bounds must belong to the
   collection. */
podium_status podium_estimate_make(podium_estimate *estimate, const podium_layout *c, const podium_sums *sums,
                                   const podium_question *question);

/* distribution.c: a distribution that is withheld, in which every number is NaN; and limits that a band guarantees, in
   place of those that a distribution has */
podium_distribution podium_distribution_of_nothing(double min, double max, uint32_t bins, double confidence);
void podium_distribution_guarantee(podium_distribution *distribution, const podium_band *band);

/* channel.c: checks whether a channel belongs to the collection. */
bool podium_channel_fits(const podium_channel *channel, const podium_layout *c);

#endif
