/*
 * Collection: a spec checked once and laid out on a grid of cells.
 *
 * How the grid is chosen decides accuracy only. Privacy is decided by threshold.c, which takes the grid as it finds
 * it and has the last word.
 */
#include "internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Laplace and Staircase are clamped where the density has fallen by e^30 or more, at least 30 delta/epsilon beyond the
   range. One report in 10^13 is, which moves the mean by less than 10^-12 delta/epsilon. A thinner tail would need
   coins with thresholds too small to be set finely enough for (2) of threshold.c. */
#define CLAMP_DECAY 30

/* Laplace's smooth density is made of 2^10 stairs or more: none is higher than e^(80/1024), and the variance falls
   short of the closed form by less than (80/1024)^2/24. */
#define LAPLACE_COINS 10

/* Podium: the step's share of the support is 1/(1 + u). */
static void step_grid(podium_collection *collection, const podium_shape *shape) {
    collection->cells = PODIUM_CELLS_MAX;
    collection->width = (uint64_t)fmax(1, nearbyint((double)PODIUM_CELLS_MAX * (shape->w / (shape->delta * shape->m))));
    collection->places = collection->cells - collection->width;
}

static uint32_t log2_floor(uint64_t most) {
    uint32_t bits = 0;
    while ((uint64_t)2 << bits <= most)
        bits++;
    return bits;
}

/* Of 2^coins stairs at each side, those in the width of the range: one of a Staircase's, all that epsilon claims of a
   Laplace's. The others are the margin, in which the density must fall by e^CLAMP_DECAY. */
static uint32_t stairs_in_range(const podium_spec *spec, uint32_t coins) {
    double claimed = spec->epsilon / (CLAMP_DECAY + spec->epsilon);
    return spec->mechanism == PODIUM_LAPLACE ? (uint32_t)ldexp(claimed, (int)coins) : 1;
}

static bool stairs_suffice(const podium_spec *spec, uint32_t coins) {
    double stairs = stairs_in_range(spec, coins);
    return stairs >= 1 && (ldexp(1, (int)coins) - stairs) * spec->epsilon >= CLAMP_DECAY * stairs;
}

static void stairs_grid(podium_collection *collection, const podium_shape *shape) {
    uint32_t coins = collection->spec.mechanism == PODIUM_LAPLACE ? LAPLACE_COINS : 1;
    while (coins < PODIUM_COINS_MAX && !stairs_suffice(&collection->spec, coins))
        coins++;
    collection->coin_count = coins;
    collection->stairs = stairs_in_range(&collection->spec, coins);
    uint64_t margin = ((uint64_t)1 << collection->coin_count) - collection->stairs; /* in stairs */
    uint32_t bits = log2_floor(PODIUM_CELLS_MAX / (2 * margin + collection->stairs + 1));
    collection->stair_bits = bits;
    collection->margin = margin << bits;
    collection->places = (uint64_t)collection->stairs << bits;
    collection->width = (uint64_t)1 << bits;
    if (collection->spec.mechanism == PODIUM_STAIRCASE)
        collection->width = 2 * (uint64_t)fmax(1, nearbyint(shape->gamma * (double)collection->places));
    collection->cells = 2 * collection->margin + collection->places + collection->width;
}

/* A place is kept to as many binary digits as a double's 52 allow, and rounded at random, so that coarse grids are
   unbiased too. Podium's 2^31 places need no such help: the nearest one is within 2^-32 delta. */
static uint32_t fraction_bits(const podium_collection *collection) {
    return collection->coin_count == 0 ? 0 : 51 - log2_floor(collection->places);
}

/* The step is chosen with probability q as realised, so the mean report moves by q spacing from place to place;
   noise moves with the place itself. The grid is laid so that the ends of the places have the means min and max. */
static void set_units(podium_collection *collection, const podium_shape *shape) {
    double places = (double)collection->places;
    double follow = collection->coin_count == 0 ? ldexp((double)collection->threshold, -64) : 1;
    collection->fraction_bits = fraction_bits(collection);
    collection->scale = ldexp(places, (int)collection->fraction_bits) / shape->delta;
    collection->spacing = shape->delta / places / follow;
    collection->first = shape->middle - collection->spacing * ((double)(collection->cells - 1) / 2);
}

/* Of the spec, by its bits; 0 and -0 are the same bound. */
uint64_t podium_fingerprint(const podium_spec *spec) {
    const char *mechanism = podium_mechanism_name(spec->mechanism);
    double numbers[] = {spec->epsilon, spec->min + 0.0, spec->max + 0.0};
    uint64_t hash = podium_hash(PODIUM_HASH_START, mechanism, strlen(mechanism));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        unsigned char bytes[8];
        for (unsigned k = 0; k < 8; k++)
            bytes[k] = (unsigned char)(podium_bits_of(numbers[i]) >> 8 * k);
        hash = podium_hash(hash, bytes, sizeof bytes);
    }
    return hash;
}

/* Neighbouring reports must be different doubles, with room for the rounding of whoever reads them. */
static bool reports_fit_doubles(const podium_collection *collection) {
    double last = collection->first + collection->spacing * (double)(collection->cells - 1);
    return collection->spacing >= 4 * DBL_EPSILON * fmax(fabs(collection->first), fabs(last));
}

podium_status podium_collection_init(podium_collection *collection, const podium_spec *spec) {
    podium_shape shape;
    podium_collection made;
    podium_status status = podium_spec_check(spec, PODIUM_EPSILON_MAX);
    if (status == PODIUM_OK)
        status = podium_shape_init(&shape, spec);
    if (status != PODIUM_OK)
        return status;

    memset(&made, 0, sizeof made);
    made.spec = *spec;
    if (spec->mechanism == PODIUM_LAPLACE || spec->mechanism == PODIUM_STAIRCASE)
        stairs_grid(&made, &shape);
    else
        step_grid(&made, &shape);
    podium_thresholds_set(&made);
    set_units(&made, &shape);
    podium_mass_variance(&made);
    made.fingerprint = podium_fingerprint(spec);
    if (!reports_fit_doubles(&made))
        return PODIUM_RANGE_TOO_NARROW;
    if (!podium_thresholds_check(&made))
        return PODIUM_NOT_PRIVATE;
    *collection = made;
    return PODIUM_OK;
}

void podium_collection_reports(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n) {
    const double first = collection->first, spacing = collection->spacing;
    for (size_t i = 0; i < n; i++)
        reports[i] = first + spacing * (double)(int64_t)cells[i]; /* by way of a signed number: no jump */
}

double podium_collection_influence(const podium_collection *collection, uint64_t k, uint64_t n) {
    double support = collection->spacing * (double)(collection->cells - 1);
    return n == 0 ? INFINITY : support * ((double)(k < n ? k : n) / (double)n);
}
