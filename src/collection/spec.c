/* The words for things, and what makes a spec valid. */
#include "collection/internal.h"

#include <math.h>

const char *podium_version(void) {
    return PODIUM_VERSION;
}

const char *podium_status_message(podium_status status) {
    switch (status) {
    case PODIUM_OK:
        return "no error";
    case PODIUM_ERROR_MECHANISM_UNKNOWN:
        return "unknown mechanism";
    case PODIUM_ERROR_EPSILON_NOT_FINITE:
        return "epsilon is not a finite number";
    case PODIUM_ERROR_EPSILON_NOT_POSITIVE:
        return "epsilon is not positive";
    case PODIUM_ERROR_EPSILON_TOO_SMALL:
        return "epsilon is below 1e-6: reports would be noise only";
    case PODIUM_ERROR_EPSILON_TOO_LARGE:
        return "epsilon is too large: the largest is 50 for reports, 700 for formulas";
    case PODIUM_ERROR_RANGE_NOT_FINITE:
        return "min or max is not a finite number";
    case PODIUM_ERROR_RANGE_EMPTY:
        return "min is not below max";
    case PODIUM_ERROR_RANGE_ABSURD:
        return "min and max must each be 0 or between 1e-140 and 1e140 in size";
    case PODIUM_ERROR_RANGE_TOO_NARROW:
        return "max - min is too small beside min and max for a double to hold the reports: subtract an offset first";
    case PODIUM_ERROR_NOT_INITIALISED:
        return "the collection was not initialised";
    case PODIUM_ERROR_RANDOM_FAILED:
        return "the random source failed";
    case PODIUM_ERROR_NOT_PRIVATE:
        return "the sampling thresholds failed their privacy check: this is a defect in Podium";
    case PODIUM_ERROR_TEXT_MALFORMED:
        return "not in the format it should be in";
    case PODIUM_ERROR_VERSION_UNKNOWN:
        return "made by a newer version of Podium";
    case PODIUM_ERROR_FINGERPRINT_WRONG:
        return "the fingerprint is that of another collection";
    case PODIUM_ERROR_AGGREGATE_FULL:
        return "more reports than an aggregate can count";
    case PODIUM_ERROR_TOO_FEW_REPORTS:
        return "too few reports to estimate from";
    case PODIUM_ERROR_ARGUMENT_WRONG:
        return "an argument is out of range";
    case PODIUM_ERROR_OUT_OF_MEMORY:
        return "out of memory";
    case PODIUM_ERROR_SPREAD_WRONG:
        return "spread must be from 0 to 0.25, and is for podium-tuned alone";
    case PODIUM_ERROR_CELLS_WRONG:
        return "cells must be from 2 to 65536, and are for minimax alone";
    case PODIUM_ERROR_NO_DENSITY:
        return "the mechanism has no density";
    case PODIUM_ERROR_NEVER_ADDED:
        return "what is to be taken away was never added";
    case PODIUM_ERROR_NOT_REPORTS:
        return "these cannot be reports of this collection";
    }
    return "unknown status";
}

const char *podium_mechanism_name(podium_mechanism mechanism) {
    switch (mechanism) {
    case PODIUM_MECHANISM_PODIUM:
        return "podium";
    case PODIUM_MECHANISM_PODIUM_APPROXIMATE:
        return "podium-approximate";
    case PODIUM_MECHANISM_LAPLACE:
        return "laplace";
    case PODIUM_MECHANISM_STAIRCASE:
        return "staircase";
    case PODIUM_MECHANISM_DUCHI:
        return "duchi";
    case PODIUM_MECHANISM_PIECEWISE:
        return "piecewise";
    case PODIUM_MECHANISM_HYBRID:
        return "hybrid";
    case PODIUM_MECHANISM_PODIUM_TUNED:
        return "podium-tuned";
    case PODIUM_MECHANISM_MINIMAX:
        return "minimax";
    }
    return NULL;
}

static bool bound_is_absurd(double bound) {
    double size = fabs(bound);
    return size > PODIUM_BOUND_MAX || (size != 0 && size < PODIUM_BOUND_MIN);
}

podium_status podium_spec_check(const podium_spec *spec, double epsilon_max) {
    if (podium_mechanism_name(spec->mechanism) == NULL)
        return PODIUM_ERROR_MECHANISM_UNKNOWN;
    if (!isfinite(spec->epsilon))
        return PODIUM_ERROR_EPSILON_NOT_FINITE;
    if (spec->epsilon <= 0)
        return PODIUM_ERROR_EPSILON_NOT_POSITIVE;
    if (spec->epsilon < PODIUM_EPSILON_MIN)
        return PODIUM_ERROR_EPSILON_TOO_SMALL;
    if (spec->epsilon > epsilon_max)
        return PODIUM_ERROR_EPSILON_TOO_LARGE;
    if (!isfinite(spec->min) || !isfinite(spec->max))
        return PODIUM_ERROR_RANGE_NOT_FINITE;
    if (spec->min >= spec->max)
        return PODIUM_ERROR_RANGE_EMPTY;
    if (bound_is_absurd(spec->min) || bound_is_absurd(spec->max))
        return PODIUM_ERROR_RANGE_ABSURD;
    if (spec->mechanism == PODIUM_MECHANISM_PODIUM_TUNED ? !(spec->spread >= 0 && spec->spread <= 0.25)
                                                         : spec->spread != 0)
        return PODIUM_ERROR_SPREAD_WRONG;
    if (spec->mechanism != PODIUM_MECHANISM_MINIMAX ? spec->cells != 0
                                                    : spec->cells == 1 || spec->cells > PODIUM_MINIMAX_CELLS_MAX)
        return PODIUM_ERROR_CELLS_WRONG;
    return PODIUM_OK;
}
