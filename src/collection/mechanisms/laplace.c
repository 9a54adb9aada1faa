/* Laplace: the density at distance z is epsilon/(2 delta) e^(-|z| epsilon/delta). */
#include "collection/elementary.h"
#include "collection/mechanism.h"
#include "podium_analysis.h"

#include <math.h>

static double rate(const podium_shape *shape) {
    return shape->spec.epsilon / shape->delta;
}

static double density_at(const podium_shape *shape, double z) {
    return rate(shape) / 2 * podium_exp(-z * rate(shape));
}

static double tail(const podium_shape *shape, double z) {
    return podium_exp(-z * rate(shape)) / 2;
}

static double distance(const podium_shape *shape, double mass) {
    return -podium_log(2 * mass) / rate(shape);
}

static const podium_noise noise = {density_at, tail, distance};

static void fill(podium_shape *shape) {
    double scale = shape->delta / shape->spec.epsilon;
    shape->alpha = 2 * scale * scale;
}

static const podium_law law = {fill,  podium_noise_density, podium_noise_cdf, podium_noise_quantile, podium_noise_step,
                               &noise};

/* The smooth density is approximated by at least 2^10 stairs on each side. Then each stair is at most e^(80/1024)
   times as high as the next, and the variance is below the closed form by less than a share of (80/1024)^2/24. */
#define COINS_LEAST 10

static uint32_t stairs_in_range(double epsilon, uint32_t coins) {
    return (uint32_t)ldexp(podium_stairs_claimed(epsilon), (int)coins);
}

static podium_status layout(podium_layout *c) {
    const double epsilon = c->spec.epsilon;
    uint32_t coins = COINS_LEAST;
    while (coins < PODIUM_COINS_MAX && !podium_stairs_suffice(epsilon, coins, stairs_in_range(epsilon, coins)))
        coins++;
    return podium_stairs_layout(c, coins, stairs_in_range(epsilon, coins), 0);
}

const podium_row podium_row_laplace = {
    .name = "laplace",
    .summary = "the textbook's noise, to compare with",
    .colour = "#d55e00",
    .layout = layout,
    .law = &law,
};
