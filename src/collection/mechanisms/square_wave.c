/* Square Wave (Li et al., 2020): the member of the step family whose step is 2b of a support of 1 + 2b, in their
   letters, so u = 1/(2b). It is made for the shape of the values. On this library's ruler it is unbiased as well, so
   the same reports give the mean. */
#include "collection/elementary.h"
#include "collection/mechanism.h"

#include <math.h>

/* Up to here the differences below would cancel, and their series are used. */
#define SERIES_EPSILON 1.0

/*
 * u - 1. Their b = (epsilon E - E + 1)/(2E(E - 1 - epsilon)) with E = e^epsilon makes u = (E - 1 - epsilon)/(1/E - 1 +
 * epsilon), and so u - 1 = (E - 1/E - 2 epsilon)/(1/E - 1 + epsilon). Divided by epsilon^2, the upper difference is
 * twice the sum of epsilon^k/(k+2)! over odd k, and the lower one is 1/E times the sum of (k+1) epsilon^k/(k+2)! over
 * all k. All terms are positive.
 */
static double excess(double epsilon) {
    double term = 0.5, above = 0, below = 0;
    if (epsilon > SERIES_EPSILON)
        return (podium_expm1(epsilon) - podium_expm1(-epsilon) - 2 * epsilon) / (podium_expm1(-epsilon) + epsilon);
    for (int k = 0; k < 24; k++) {
        above += k % 2 == 1 ? 2 * term : 0;
        below += (k + 1) * term;
        term *= epsilon / (k + 3);
    }
    return podium_exp(epsilon) * (above / below);
}

static podium_two step_parameter(const podium_spec *spec) {
    const double more = excess(spec->epsilon), s = podium_log1p(more);
    return (podium_two){s, (more - podium_expm1(s)) / podium_exp(s)};
}

const podium_row podium_row_square_wave = {
    .name = "square-wave",
    .summary = "made for the shape of the values",
    .colour = "#a6761d",
    .layout = podium_step_layout,
    .law = &podium_step_law,
    .step_parameter = step_parameter,
};
