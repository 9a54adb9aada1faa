/* Status: a message for each status, and the field that it is about. */
#include "collection/internal.h"

const char *podium_version(void) {
    return PODIUM_VERSION;
}

typedef struct {
    const char *message, *field;
} words;

static const words known[] = {
    [PODIUM_OK] = {"no error", ""},
    [PODIUM_ERROR_MECHANISM_UNKNOWN] = {"unknown mechanism", "mechanism"},
    [PODIUM_ERROR_EPSILON_NOT_FINITE] = {"epsilon is not a finite number", "epsilon"},
    [PODIUM_ERROR_EPSILON_NOT_POSITIVE] = {"epsilon is not positive", "epsilon"},
    [PODIUM_ERROR_EPSILON_TOO_SMALL] = {"epsilon is below 1e-6: reports would be noise only", "epsilon"},
    [PODIUM_ERROR_EPSILON_TOO_LARGE] = {"epsilon is too large: the largest is 50 for reports, 700 for formulas",
                                        "epsilon"},
    [PODIUM_ERROR_RANGE_NOT_FINITE] = {"min or max is not a finite number", "range"},
    [PODIUM_ERROR_RANGE_EMPTY] = {"min is not below max", "range"},
    [PODIUM_ERROR_RANGE_ABSURD] = {"min and max must each be 0 or between 1e-140 and 1e140 in size", "range"},
    [PODIUM_ERROR_RANGE_TOO_NARROW] =
        {"max - min is too small beside min and max for a double to hold the reports: subtract an offset first",
         "range"},
    [PODIUM_ERROR_NOT_INITIALISED] = {"the collection was not initialised", ""},
    [PODIUM_ERROR_RANDOM_FAILED] = {"the random source failed", ""},
    [PODIUM_ERROR_NOT_PRIVATE] = {"the sampling thresholds failed their privacy check: this is a defect in Podium", ""},
    [PODIUM_ERROR_TEXT_MALFORMED] = {"not in the format it should be in", ""},
    [PODIUM_ERROR_VERSION_UNKNOWN] = {"made by a newer version of Podium", "podium"},
    [PODIUM_ERROR_FINGERPRINT_WRONG] = {"the fingerprint is that of another collection", "fingerprint"},
    [PODIUM_ERROR_AGGREGATE_FULL] = {"more reports than an aggregate can count", ""},
    [PODIUM_ERROR_TOO_FEW_REPORTS] = {"too few reports to estimate from", ""},
    [PODIUM_ERROR_ARGUMENT_WRONG] = {"an argument is out of range", ""},
    [PODIUM_ERROR_OUT_OF_MEMORY] = {"out of memory", ""},
    [PODIUM_ERROR_SPREAD_WRONG] = {"spread must be from 0 to 0.25, and only mechanisms with that parameter take it",
                                   "spread"},
    [PODIUM_ERROR_CELLS_WRONG] = {"cells must be from 2 to 65536, and only mechanisms with that parameter take it",
                                  "cells"},
    [PODIUM_ERROR_NO_DENSITY] = {"the mechanism has no density", ""},
    [PODIUM_ERROR_NEVER_ADDED] = {"what is to be subtracted was never added", ""},
    [PODIUM_ERROR_NOT_REPORTS] = {"these cannot be reports of this collection", ""},
    [PODIUM_ERROR_BUFFER_TOO_SMALL] = {"the output buffer is too small", ""},
    [PODIUM_ERROR_MEAN_ONLY] = {"the reports of this collection show only the mean of the values", ""},
    [PODIUM_ERROR_CHECKSUM_WRONG] = {"the collection in flash is damaged", ""},
};

static const words *words_of(podium_status status) {
    static const words unknown = {"unknown status", ""};
    return (unsigned)status < sizeof known / sizeof *known ? &known[status] : &unknown;
}

const char *podium_status_message(podium_status status) {
    return words_of(status)->message;
}

const char *podium_status_field(podium_status status) {
    return words_of(status)->field;
}
