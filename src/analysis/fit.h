/* Fit: the density of the values, and how much it may vary. */
#ifndef PODIUM_ANALYSIS_FIT_H
#define PODIUM_ANALYSIS_FIT_H

#include "analysis/channel.h"

typedef struct podium_fit {
    uint32_t splines;
    uint32_t steps;              /* Newton steps taken */
    double share[PODIUM_SHARES]; /* of each value bin */
    double loose[PODIUM_SHARES]; /* the same with less smoothing, the centre of all intervals */
    /* Vectors whose lengths are standard errors: the one of the share below edge i is root[i], with `splines` elements,
       and the one of the share between two edges is the difference of their vectors. */
    double (*root)[PODIUM_SPLINES_MAX];
} podium_fit;

/* Fits the density to the reports of an aggregate, which must belong to the channel and not be empty. Fails with
   PODIUM_ERROR_OUT_OF_MEMORY. podium_fit_clear frees what the fit holds. */
podium_status podium_fit_make(podium_fit *fit, const podium_channel *channel, const podium_sums *sums);
void podium_fit_clear(podium_fit *fit);

#endif
