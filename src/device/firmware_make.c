/*
 * Firmware, where it is made: a collection for flash from an initialised one. The thresholds are copied as they were
 * verified. Only the way from a value to a place is new, because the device computes it in integers, and it is checked
 * against the exact places before it is handed out.
 */
#include "device/firmware.h"

#include <math.h>

/* ---- The draw, which is copied ---- */

static void copy_step(podium_firmware *f, const podium_layout *c) {
    f->sampler = podium_firmware_step;
    f->width = c->draw.step.width;
    f->threshold = c->draw.step.threshold;
}

static void copy_pair(podium_firmware *f, const podium_layout *c) {
    f->sampler = podium_firmware_pair;
    f->width = c->draw.pair.step.width;
    f->threshold = c->draw.pair.step.threshold;
    f->pair_threshold = c->draw.pair.pair_threshold;
    f->coin = c->draw.pair.coin;
}

static void copy_stairs(podium_firmware *f, const podium_layout *c) {
    f->sampler = podium_firmware_stairs;
    f->width = c->draw.stairs.width;
    f->threshold = c->draw.stairs.threshold;
    f->margin = c->draw.stairs.margin;
    f->tail_threshold = c->draw.stairs.tail_threshold;
    f->stair_bits = c->draw.stairs.stair_bits;
    f->coin_count = c->draw.stairs.coin_count;
}

static void (*const copy[PODIUM_SAMPLERS])(podium_firmware *f, const podium_layout *c) = {
    [PODIUM_SAMPLER_STEP] = copy_step,
    [PODIUM_SAMPLER_PAIR] = copy_pair,
    [PODIUM_SAMPLER_STAIRS] = copy_stairs,
};

static void copy_draw(podium_firmware *f, podium_firmware_tables *tables, const podium_layout *c) {
    copy[c->sampler](f, c);
    f->version = PODIUM_FIRMWARE_VERSION;
    f->kind = c->sampler;
    f->fingerprint = c->fingerprint;
    f->cells = c->cells;
    f->places = c->places;
    f->halves = podium_draw_halves(c) + (c->fraction_bits != 0);
    f->fraction_bits = c->fraction_bits;
    for (uint64_t k = 0; k < f->coin_count; k++)
        tables->coins[k] = c->draw.stairs.coins[k];
    f->coins = f->coin_count == 0 ? NULL : tables->coins;
}

/* ---- The place, in integers ---- */

/* The next whole number; firmware_make.c needs no function of math.h that the rest of the library does not need. */
static double upwards(double x) {
    return -floor(-x);
}

/* A bound of the range in units. 0.3/0.1 is not 3 in doubles, but it is meant, so a quotient that is a whole number
   but for rounding becomes that number. */
static double in_units(double bound, double unit) {
    const double units = bound / unit, whole = nearbyint(units);
    return fabs(units - whole) <= 0x1p-40 * fmax(1, fabs(whole)) ? whole : units;
}

typedef struct {
    double least, most; /* the bounds in units */
} unit_range;

static bool fits_integers(const unit_range *r) {
    return r->least >= INT32_MIN && r->most <= INT32_MAX && r->most - r->least >= 1;
}

/* Distances are kept in units of 2^-bits, with as many bits as leave the largest, half the width, at most 2^32. So an
   end or a middle that is not a whole number of those is off by at most 2^-32 of half the width. */
static void set_scale(podium_firmware *f, const unit_range *r) {
    const double half = (r->most - r->least) / 2, first = floor(r->least);
    int bits = 0;
    while (ldexp(half, bits + 1) < 0x1p32) /* it ends at 32 at the latest, because half is at least 1/2 */
        bits++;
    f->least = (int64_t)first;
    f->span = (uint64_t)(upwards(r->most) - first);
    f->scale = (uint64_t)1 << bits;
    f->middle = (uint64_t)nearbyint(ldexp(r->least - first + half, bits));
    f->end = (uint64_t)nearbyint(ldexp(half, bits));
}

/* The only ramp of a straight line, which reaches half of the places at the end. The quotient places 2^63 / end is
   computed 32 binary digits at a time, and rounded up, so that whole places stay whole after rise() rounds down. */
static podium_firmware_ramp straight_ramp(const podium_firmware *f) {
    const uint64_t upper = (f->places << 31) / f->end, rest = (f->places << 31) % f->end;
    const uint64_t lower = (rest << 32) / f->end + ((rest << 32) % f->end != 0);
    return (podium_firmware_ramp){.slope = (upper << 32) + lower};
}

/* A ramp whose slope and knot are those of the layout, but for its sign */
static podium_firmware_ramp ramp_of(const podium_firmware *f, const podium_layout *c, uint32_t k) {
    const double per_value = ldexp(fabs(c->slopes[k]), -(int)c->fraction_bits), half = (c->spec.max - c->spec.min) / 2;
    return (podium_firmware_ramp){.slope = (uint64_t)upwards(ldexp(per_value * half, 64) / (double)f->end),
                                  .lift = (uint64_t)nearbyint(ldexp(per_value * c->knots[k], 32))};
}

/* Every ramp is rounded, so that their sum may fall short of the last place by some 2^-32 of a place. A slope that is
   larger by one adds at least half of that. */
static void reach_the_end(const podium_firmware *f, podium_firmware_tables *tables) {
    const int32_t last = (int32_t)(f->least + (int64_t)f->span);
    for (int i = 0; i < 4 * PODIUM_KNOTS_MAX && podium_firmware_place(f, last) < f->places << 32; i++)
        tables->ramps[0].slope++;
}

/* The rising ramps come first. */
static void set_ramps(podium_firmware *f, podium_firmware_tables *tables, const podium_layout *c) {
    f->ramps = tables->ramps;
    f->ramp_count = c->knot_count;
    if (c->knot_count == 1) {
        tables->ramps[0] = straight_ramp(f);
        f->rising = 1;
        return;
    }
    uint64_t falling = 0;
    for (uint32_t k = 0; k < c->knot_count; k++) {
        const uint64_t at = c->slopes[k] >= 0 ? f->rising++ : f->ramp_count - ++falling;
        tables->ramps[at] = ramp_of(f, c, k);
    }
    reach_the_end(f, tables);
}

/* ---- The check ---- */

/* How far away, in units of max - min, the number may be whose exact place a value gets */
#define PLACE_ERROR 0x1p-30

/* Exact places grow with the value, so it is enough to look at the places PLACE_ERROR below and above it. They are
   doubles, for which 2^-20 of a place is left, and firmware counts in 2^-32 of a place. */
static bool place_is_right(const podium_firmware *f, const podium_layout *c, int32_t value, double unit) {
    const double error = PLACE_ERROR * (c->spec.max - c->spec.min), x = value * unit;
    const double place = ldexp((double)podium_firmware_place(f, value), -32), slack = 0x1p-20 + 0x1p-27;
    return place >= podium_place(c, x - error) - slack && place <= podium_place(c, x + error) + slack;
}

#define CHECKS 4096

/* Looks at the integers beside each knot, and at others from below the range to above it. */
static bool places_are_right(const podium_firmware *f, const podium_layout *c, double unit) {
    bool right = true;
    for (uint32_t k = 0; k < c->knot_count; k++)
        for (int side = -1; side <= 1; side += 2) {
            const int32_t value = (int32_t)floor((c->middle + side * c->knots[k]) / unit);
            right &= place_is_right(f, c, value, unit) && place_is_right(f, c, value + 1, unit);
        }
    for (uint64_t i = 0; i <= CHECKS; i++) {
        const int64_t value = f->least - 1 + (int64_t)((f->span + 2) * i / CHECKS);
        right &= place_is_right(f, c,
                                (int32_t)(value < INT32_MIN   ? INT32_MIN
                                          : value > INT32_MAX ? INT32_MAX
                                                              : value),
                                unit);
    }
    return right;
}

podium_status podium_firmware_make(podium_firmware *f, podium_firmware_tables *tables,
                                   const podium_collection *collection, double unit) {
    const podium_layout *c = podium_layout_of(collection);
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    const unit_range range = {in_units(c->spec.min, unit), in_units(c->spec.max, unit)};
    if (!(unit > 0) || !fits_integers(&range))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    memset(f, 0, sizeof *f);
    memset(tables, 0, sizeof *tables);
    copy_draw(f, tables, c);
    set_scale(f, &range);
    set_ramps(f, tables, c);
    f->checksum = podium_firmware_checksum(f);
    return places_are_right(f, c, unit) ? PODIUM_OK : PODIUM_ERROR_ARGUMENT_WRONG;
}
