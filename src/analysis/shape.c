/* Shape: the closed forms of mechanisms that have a density. Each mechanism has its own formulas; the functions here
   call them. */
#include "collection/mechanism.h"
#include "podium_analysis.h"

#include <math.h>

static const podium_law *law_of(const podium_shape *shape) {
    return podium_row_of(shape->spec.mechanism)->law;
}

podium_status podium_shape_init(podium_shape *shape, const podium_spec *spec) {
    podium_status status = podium_spec_check(spec, PODIUM_EPSILON_MAX_SHAPE);
    if (status != PODIUM_OK)
        return status;
    podium_shape made = {
        .spec = *spec,
        .delta = spec->max - spec->min,
        .middle = spec->min + (spec->max - spec->min) / 2,
    };
    if (law_of(&made) == NULL)
        return PODIUM_ERROR_NO_DENSITY;
    law_of(&made)->fill(&made);
    *shape = made;
    return PODIUM_OK;
}

double podium_shape_step(const podium_shape *shape, double x) {
    return law_of(shape)->step(shape, x);
}

double podium_shape_density(const podium_shape *shape, double x, double y) {
    return isnan(x) || isnan(y) ? NAN : law_of(shape)->density(shape, x, y);
}

double podium_shape_cdf(const podium_shape *shape, double x, double y) {
    return isnan(x) || isnan(y) ? NAN : law_of(shape)->cdf(shape, x, y);
}

double podium_shape_quantile(const podium_shape *shape, double x, double p) {
    return isnan(x) || !(p >= 0 && p <= 1) ? NAN : law_of(shape)->quantile(shape, x, p);
}

double podium_shape_mean(const podium_shape *shape, double x) {
    return podium_into_range(&shape->spec, x);
}

double podium_shape_variance(const podium_shape *shape, double x) {
    double centred = podium_into_range(&shape->spec, x) - shape->middle;
    return shape->alpha + shape->beta * centred * centred;
}

double podium_shape_efficiency(const podium_shape *a, const podium_shape *b, double x) {
    return podium_shape_variance(a, x) / podium_shape_variance(b, x);
}
