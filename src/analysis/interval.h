/* What the noise of a report can do at most, and the intervals that follow from it. */
#ifndef PODIUM_INTERVAL_H
#define PODIUM_INTERVAL_H

#include "analysis/analysis.h"

#include <math.h>

/* The maximum so far and one more number, which is ignored if it is NaN. Loops use this rather than fmax, because at
   -O3 gcc 12 for aarch64 stops with an internal error at some loops that have fmax. */
static inline double podium_larger(double most, double x) {
    return x > most ? x : most;
}

/* Tilts are the t in E[e^(t (y - x))]. They are a geometric sequence, from TILT_MOST/reach downwards. psi is tabulated
   for the first ones; the others are so small that two moments bound it. */
#define PODIUM_TILT_MOST 64.0
#define PODIUM_TILTS_PER_OCTAVE 4
#define PODIUM_TILTS_EXACT (12 * PODIUM_TILTS_PER_OCTAVE)
#define PODIUM_TILTS (40 * PODIUM_TILTS_PER_OCTAVE)

/* The mean of the report of x differs from x by at most this share of the support, because places and worths are
   integers, and noise is clamped at the ends of the grid. */
#define PODIUM_BIAS 0x1p-31

/* The contents of a podium_bounds, in units of the range. "Most" is over all values x; y is the report of x. */
typedef struct podium_noise_bounds {
    uint64_t fingerprint;
    double reach;                         /* most |y - x| */
    double bias;                          /* most |E[y] - x| */
    double variance_least, variance_most; /* of y */
    double fourth;                        /* most E[(y - x)^4] */
    double tailedness;                    /* most E[(y - x)^4] / E[(y - x)^2] */
    double psi[PODIUM_TILTS_EXACT];       /* most log E[e^(t (y - x))], and the same for -t */
} PODIUM_MAY_ALIAS podium_noise_bounds;

_Static_assert(sizeof(podium_noise_bounds) <= sizeof(podium_bounds), "podium_bounds is too small");

static inline const podium_noise_bounds *podium_noise_bounds_of(const podium_bounds *bounds) {
    return (const podium_noise_bounds *)(const void *)bounds;
}

static inline double podium_tilt(const podium_noise_bounds *b, int number) {
    return PODIUM_TILT_MOST / b->reach * exp2(-(double)number / PODIUM_TILTS_PER_OCTAVE);
}

/* bounds.c */
podium_status podium_noise_bounds_set(podium_noise_bounds *bounds, const podium_layout *c);

/* interval.c: half the width, in units of the range, of an interval for the mean of n values, or of the population from
   which they were drawn. It depends on the collection, n and alpha = 1 - confidence alone. */
double podium_width_chernoff(const podium_noise_bounds *b, double n, double alpha, bool population);
double podium_width_berry_esseen(const podium_noise_bounds *b, double n, double alpha, bool population);
double podium_width_anytime(const podium_noise_bounds *b, double n, double alpha, bool population);

/* Clopper and Pearson's limits of a probability, if it happened `hits` times in n, moved outwards to at least one
   more or less; n is at most PODIUM_TRIALS_MAX. */
#define PODIUM_TRIALS_MAX ((uint64_t)1 << 30)
podium_limits podium_clopper_pearson(uint64_t hits, uint64_t n, double alpha);

#endif
