/*
 * Baselines: random bits alone, and what one would write without Podium: scalar samplers in floating point with libm's
 * logarithm. They draw from the right distributions, but none is private to the last bit, and their time tells about
 * the value: they are here to be compared with, not used.
 */
#ifndef PODIUM_BENCH_BASELINES_H
#define PODIUM_BENCH_BASELINES_H

#include <podium_analysis.h>

typedef enum {
    RANDOM_BITS,     /* 16 bytes a value, and nothing done with them */
    NAIVE_LAPLACE,   /* by the inverse of its distribution function */
    PAPER_PODIUM,    /* the paper's Algorithm 2 */
    NAIVE_STAIRCASE, /* Geng and Viswanath's algorithm */
    BASELINES
} baseline;

/* A fast generator that anybody can predict: no source of privacy. */
extern const podium_random fast_random;

/* n reports with words from the source, taken in blocks as podium_privatize does. The shape is the mechanism's (random
   bits have none); reports may be values. False where the source fails. */
bool baseline_privatize(baseline which, const podium_shape *shape, const podium_random *random, double *reports,
                        const double *values, size_t n);

#endif
