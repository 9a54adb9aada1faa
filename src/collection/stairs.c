/* Noise that does not depend on the value: its law as a function of the distance, and its stairs on a grid. */
#include "collection/mechanism.h"
#include "podium_analysis.h"

#include <math.h>

/* ---- The law ---- */

static const podium_noise *noise_of(const podium_shape *shape) {
    return podium_row_of(shape->spec.mechanism)->law->noise;
}

double podium_noise_density(const podium_shape *shape, double x, double y) {
    return noise_of(shape)->density(shape, fabs(y - podium_into_range(&shape->spec, x)));
}

double podium_noise_cdf(const podium_shape *shape, double x, double y) {
    double z = y - podium_into_range(&shape->spec, x);
    return z < 0 ? noise_of(shape)->tail(shape, -z) : 1 - noise_of(shape)->tail(shape, z);
}

double podium_noise_quantile(const podium_shape *shape, double x, double p) {
    const podium_noise *noise = noise_of(shape);
    double at = podium_into_range(&shape->spec, x);
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    return at + (p < 0.5 ? -noise->distance(shape, p) : noise->distance(shape, 1 - p));
}

double podium_noise_step(const podium_shape *shape, double x) {
    (void)shape, (void)x;
    return NAN;
}

/* ---- The grid ---- */

/* Noise is clamped where the density has fallen by a factor of e^30 or more, at least 30 delta/epsilon beyond the
   range. That concerns one report in 10^13, and moves the mean by less than 10^-12 delta/epsilon. A thinner tail
   would need coins whose thresholds are too small to satisfy (2) of threshold.c precisely enough. */
#define CLAMP_DECAY 30

double podium_stairs_claimed(double epsilon) {
    return epsilon / (CLAMP_DECAY + epsilon);
}

/* The stairs beyond the width of the range are the margin, over which the density must fall by e^CLAMP_DECAY. */
bool podium_stairs_suffice(double epsilon, uint32_t coins, uint32_t stairs) {
    return stairs >= 1 && (ldexp(1, (int)coins) - stairs) * epsilon >= CLAMP_DECAY * (double)stairs;
}

static uint32_t log2_floor(uint64_t most) {
    uint32_t bits = 0;
    while ((uint64_t)2 << bits <= most)
        bits++;
    return bits;
}

podium_status podium_stairs_layout(podium_layout *c, uint32_t coins, uint32_t stairs, double middle_share) {
    podium_stairs_draw *d = &c->draw.stairs;
    uint64_t margin = ((uint64_t)1 << coins) - stairs; /* in stairs */
    c->sampler = PODIUM_SAMPLER_STAIRS;
    c->map = PODIUM_MAP_IDENTITY;
    c->tells_spread = true;
    d->coin_count = coins;
    d->stairs = stairs;
    d->stair_bits = log2_floor(PODIUM_GRID_MAX / (2 * margin + stairs + 1));
    d->margin = margin << d->stair_bits;
    c->places = (uint64_t)stairs << d->stair_bits;
    d->width = (uint64_t)1 << d->stair_bits;
    if (middle_share > 0)
        d->width = 2 * (uint64_t)fmax(1, nearbyint(middle_share / 2 * (double)c->places));
    c->cells = 2 * d->margin + c->places + d->width;
    return PODIUM_OK;
}
