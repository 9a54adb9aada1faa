/*
 * Collection: a spec that is checked once and laid out on a grid of cells.
 *
 * The layout of the grid affects only accuracy. threshold.c decides privacy. It takes any grid as it is, and
 * initialisation fails if the finished collection does not pass its check.
 */
#include "collection/mechanism.h"

#include <float.h>
#include <math.h>

/* ---- Initialising ---- */

/* With 2^31 places or more, the nearest place is within 2^-32 of the range. If there are fewer, a place is rounded
   at random, so that coarse grids are unbiased too. It is then kept to as many binary digits as fit into the 52 of a
   double and into half a word. */
#define PLACES_FINE ((uint64_t)1 << 31)

static uint32_t fraction_bits(uint64_t places) {
    uint32_t bits = 51;
    if (places >= PLACES_FINE)
        return 0;
    while ((uint64_t)2 << (51 - bits) <= places)
        bits--;
    return bits > 32 ? 32 : bits;
}

/* Neighbouring reports must be different doubles even after the rounding of a program that reads them, and if there
   are few outputs, that rounding must stay below PODIUM_STRAY. */
static bool reports_fit_doubles(const podium_layout *c) {
    double support = podium_support(c), last = c->first + support;
    double room = fmin(c->spacing, PODIUM_STRAY * support);
    return room >= 4 * DBL_EPSILON * fmax(fabs(c->first), fabs(last));
}

static podium_status lay_out(podium_layout *c) {
    podium_status status = podium_row_of(c->spec.mechanism)->layout(c);
    if (status != PODIUM_OK)
        return status;
    podium_thresholds_set(c);
    c->middle = c->spec.min + (c->spec.max - c->spec.min) / 2;
    c->fraction_bits = fraction_bits(c->places);
    podium_map_of(c)->set_units(c);
    c->first = c->middle - c->spacing * ((double)c->worth_most / 2);
    if (!reports_fit_doubles(c))
        return PODIUM_ERROR_RANGE_TOO_NARROW;
    if (!podium_thresholds_check(c))
        return PODIUM_ERROR_NOT_PRIVATE;
    return podium_map_of(c)->set_variance(c);
}

podium_status podium_collection_init(podium_collection *collection, const podium_spec *spec) {
    podium_layout *c = podium_layout_in(collection);
    podium_status status = podium_spec_check(spec, PODIUM_EPSILON_MAX);
    const podium_spec complete = status == PODIUM_OK ? podium_spec_complete(spec) : *spec;
    memset(collection, 0, sizeof *collection);
    if (status != PODIUM_OK)
        return status;
    c->spec = complete;
    podium_spec_clear_gaps(&c->spec);
    c->fingerprint = podium_fingerprint(&c->spec);
    status = lay_out(c);
    if (status != PODIUM_OK)
        memset(collection, 0, sizeof *collection);
    return status;
}

double podium_place(const podium_layout *c, double value) {
    double top = ldexp((double)c->places, (int)c->fraction_bits) / 2, offset = 0;
    for (uint32_t i = 0; i < c->knot_count; i++)
        offset += c->slopes[i] * fmax(fabs(value - c->middle) - c->knots[i], 0);
    return ldexp(top + copysign(fmin(offset, top), value - c->middle), -(int)c->fraction_bits);
}

/* ---- Reading a collection ---- */

podium_spec podium_collection_spec(const podium_collection *collection) {
    return podium_layout_of(collection)->spec;
}

uint64_t podium_collection_fingerprint(const podium_collection *collection) {
    return podium_layout_of(collection)->fingerprint;
}

uint64_t podium_collection_cells(const podium_collection *collection) {
    return podium_layout_of(collection)->cells;
}

uint64_t podium_collection_places(const podium_collection *collection) {
    return podium_layout_of(collection)->places;
}

double podium_collection_least(const podium_collection *collection) {
    return podium_layout_of(collection)->first;
}

double podium_collection_most(const podium_collection *collection) {
    const podium_layout *c = podium_layout_of(collection);
    return c->first + podium_support(c);
}

double podium_collection_spacing(const podium_collection *collection) {
    return podium_layout_of(collection)->spacing;
}

bool podium_collection_tells_spread(const podium_collection *collection) {
    return podium_layout_of(collection)->tells_spread;
}

double podium_collection_variance(const podium_collection *collection, double x) {
    const podium_layout *c = podium_layout_of(collection);
    return isnan(x) ? NAN : podium_map_of(c)->variance(c, fmin(fmax(x, c->spec.min), c->spec.max));
}

double podium_collection_variance_least(const podium_collection *collection) {
    return podium_layout_of(collection)->variance_least;
}

double podium_collection_variance_most(const podium_collection *collection) {
    return podium_layout_of(collection)->variance_most;
}
