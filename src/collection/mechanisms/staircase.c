/* Staircase (Geng et al., 2015): stair j has the density height b^j and covers the distances from (j-1+gamma) delta
   to (j+gamma) delta, where b is e^-epsilon. */
#include "collection/elementary.h"
#include "collection/mechanism.h"
#include "podium_analysis.h"

#include <math.h>

/* For a small epsilon the paper's gamma is a difference of nearly equal numbers. Multiplied out it is a quotient of
   positive numbers: with a^3 = b(1+b)/2, (a - b)/(1 - b) = (a^3 - b^3)/((1 - b)(a^2 + ab + b^2)). */
static void fill(podium_shape *shape) {
    double b = podium_exp(-shape->spec.epsilon), one_minus_b = -podium_expm1(-shape->spec.epsilon);
    double a = podium_cbrt(b * (1 + b) / 2), third = podium_cbrt(b) * podium_cbrt(1 + b);
    shape->gamma = b * (1 + 2 * b) / (2 * (a * a + a * b + b * b));
    shape->height = one_minus_b / (2 * shape->delta * (shape->gamma + b * (1 - shape->gamma)));
    shape->alpha = shape->delta * shape->delta * (podium_cbrt(0.25) * third * third + b) / (one_minus_b * one_minus_b);
}

static double stair_number(const podium_shape *shape, double z) {
    return fmax(0, floor(z / shape->delta - shape->gamma) + 1);
}

static double density_at(const podium_shape *shape, double z) {
    return shape->height * podium_exp(-stair_number(shape, z) * shape->spec.epsilon);
}

static double tail(const podium_shape *shape, double z) {
    if (isinf(z))
        return 0;
    double j = stair_number(shape, z);
    double b = podium_exp(-shape->spec.epsilon), one_minus_b = -podium_expm1(-shape->spec.epsilon);
    double rest_of_stair = j + shape->gamma - z / shape->delta;
    return shape->height * shape->delta * podium_exp(-j * shape->spec.epsilon) * (rest_of_stair + b / one_minus_b);
}

static double distance(const podium_shape *shape, double mass) {
    double b = podium_exp(-shape->spec.epsilon), one_minus_b = -podium_expm1(-shape->spec.epsilon);
    double scaled = mass / (shape->height * shape->delta); /* the tail beyond stair j is b^(j+1)/(1-b) of these */
    double j = fmax(0, floor(-podium_log(scaled * one_minus_b) / shape->spec.epsilon));
    double z = j + shape->gamma - (podium_exp(podium_log(scaled) + j * shape->spec.epsilon) - b / one_minus_b);
    return fmax(0, z) * shape->delta;
}

static const podium_noise noise = {density_at, tail, distance};

static const podium_law law = {fill,  podium_noise_density, podium_noise_cdf, podium_noise_quantile, podium_noise_step,
                               &noise};

static podium_status layout(podium_layout *c) {
    podium_shape shape = {.spec = c->spec, .delta = c->spec.max - c->spec.min};
    uint32_t coins = 1;
    fill(&shape);
    while (coins < PODIUM_COINS_MAX && !podium_stairs_suffice(c->spec.epsilon, coins, 1))
        coins++;
    return podium_stairs_layout(c, coins, 1, 2 * shape.gamma);
}

const podium_row podium_row_staircase = {
    .name = "staircase",
    .summary = "the best noise that does not depend on the value",
    .colour = "#e69f00",
    .layout = layout,
    .law = &law,
};
