/* Channel: how likely each report bin is for values in each part of the range, and the splines of the fit. */
#ifndef PODIUM_ANALYSIS_CHANNEL_H
#define PODIUM_ANALYSIS_CHANNEL_H

#include "analysis/analysis.h"

/* The logarithm of the density is a sum of cubic splines. A level is a number of splines, together with the number of
   report bins, here called rows, that tell that many apart. The fit begins with the coarsest level, and goes on to a
   finer one if the reports ask for it. */
typedef struct podium_level {
    uint32_t splines;
    uint32_t rows;
    uint32_t merged;                 /* how many report bins of the aggregate make up a row */
    uint32_t first[PODIUM_SHARES];   /* the first of the four splines that are not zero in each value bin */
    double weight[PODIUM_SHARES][4]; /* their values there */
    double *mass;                    /* of row b given value bin j: mass[b * PODIUM_SHARES + j] */
} podium_level;

#define PODIUM_LEVELS 3
#define PODIUM_LEVEL_FINE (PODIUM_LEVELS - 1)

#define PODIUM_SPLINES_MAX 128
#define PODIUM_ROWS_MAX 512
#define PODIUM_SCORES 6

struct podium_channel {
    uint64_t fingerprint;
    podium_layout layout; /* of the collection */
    double min, max;
    uint32_t reports, report_bits; /* the report bins of the aggregate, and how many cells each has */
    uint32_t scores;               /* see channel.c */
    double score[PODIUM_SCORES][PODIUM_ROWS_MAX];
    podium_level level[PODIUM_LEVELS];
};

/* Do the reports say more about the values than that they lie in the range? */
bool podium_channel_is_telling(const podium_channel *channel, const podium_sums *sums);

/* Counts the reports in each row of a level. */
void podium_level_count(const podium_level *level, double *counts, const podium_sums *sums);

#endif
