/* Spec: checking a spec, filling in its defaults, comparing specs, and the fingerprint. */
#include "collection/mechanism.h"

#include <math.h>

/* ---- Parameters ---- */

const podium_parameter podium_parameters[PODIUM_PARAMETERS] = {
    [PODIUM_PARAMETER_NONE] = {.key = NULL},
    [PODIUM_PARAMETER_SPREAD] = {"spread", 0, 0.25, NAN, false, PODIUM_ERROR_SPREAD_WRONG},
    [PODIUM_PARAMETER_CELLS] = {"cells", 2, PODIUM_CELLS_MAX, PODIUM_CELLS_DEFAULT, true, PODIUM_ERROR_CELLS_WRONG},
};

double podium_parameter_get(const podium_spec *spec, podium_parameter_kind kind) {
    switch (kind) {
    case PODIUM_PARAMETER_SPREAD:
        return spec->spread + 0.0; /* turns -0 into 0 */
    case PODIUM_PARAMETER_CELLS:
        return spec->cells;
    default:
        return 0;
    }
}

void podium_parameter_set(podium_spec *spec, podium_parameter_kind kind, double value) {
    if (kind == PODIUM_PARAMETER_SPREAD)
        spec->spread = value;
    if (kind == PODIUM_PARAMETER_CELLS)
        spec->cells = value >= 0 && value <= UINT32_MAX && value == floor(value) ? (uint32_t)value : UINT32_MAX;
}

/* The parameter as a 64-bit word for the fingerprint and for aggregates. A whole number is stored as an integer, any
   other by the bits of its double. */
uint64_t podium_parameter_bits(const podium_spec *spec) {
    const podium_parameter_kind kind = podium_row_of(spec->mechanism)->parameter;
    const double value = podium_parameter_get(spec, kind);
    return podium_parameters[kind].whole ? (uint64_t)value : podium_bits_of(value);
}

static bool parameter_is_valid(const podium_spec *spec, podium_parameter_kind kind, bool has_it) {
    const podium_parameter *p = &podium_parameters[kind];
    const double value = podium_parameter_get(spec, kind);
    if (!has_it || (value == 0 && !isnan(p->fallback)))
        return value == 0;
    return value >= p->least && value <= p->most;
}

/* ---- Specs ---- */

static bool bound_is_absurd(double bound) {
    double size = fabs(bound);
    return size > PODIUM_BOUND_MAX || (size != 0 && size < PODIUM_BOUND_MIN);
}

static podium_status check_epsilon(double epsilon, double most) {
    if (!isfinite(epsilon))
        return PODIUM_ERROR_EPSILON_NOT_FINITE;
    if (epsilon <= 0)
        return PODIUM_ERROR_EPSILON_NOT_POSITIVE;
    if (epsilon < PODIUM_EPSILON_MIN)
        return PODIUM_ERROR_EPSILON_TOO_SMALL;
    return epsilon > most ? PODIUM_ERROR_EPSILON_TOO_LARGE : PODIUM_OK;
}

static podium_status check_range(double min, double max) {
    if (!isfinite(min) || !isfinite(max))
        return PODIUM_ERROR_RANGE_NOT_FINITE;
    if (min >= max)
        return PODIUM_ERROR_RANGE_EMPTY;
    return bound_is_absurd(min) || bound_is_absurd(max) ? PODIUM_ERROR_RANGE_ABSURD : PODIUM_OK;
}

static podium_status check_reserved(const podium_spec *spec) {
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof spec->reserved / sizeof *spec->reserved; i++)
        all |= spec->reserved[i];
    return all == 0 ? PODIUM_OK : PODIUM_ERROR_ARGUMENT_WRONG;
}

podium_status podium_spec_check(const podium_spec *spec, double epsilon_max) {
    const podium_row *row = podium_row_of(spec->mechanism);
    if (row == NULL)
        return PODIUM_ERROR_MECHANISM_UNKNOWN;
    podium_status status = check_epsilon(spec->epsilon, epsilon_max);
    if (status == PODIUM_OK)
        status = check_range(spec->min, spec->max);
    for (int kind = PODIUM_PARAMETER_NONE + 1; status == PODIUM_OK && kind < PODIUM_PARAMETERS; kind++)
        if (!parameter_is_valid(spec, (podium_parameter_kind)kind, row->parameter == (podium_parameter_kind)kind))
            status = podium_parameters[kind].wrong;
    return status == PODIUM_OK ? check_reserved(spec) : status;
}

/* Adding 0.0 turns -0 into 0. */
podium_spec podium_spec_complete(const podium_spec *spec) {
    podium_spec made = *spec;
    made.min += 0.0;
    made.max += 0.0;
    made.spread += 0.0;
    const podium_parameter_kind kind = podium_row_of(spec->mechanism)->parameter;
    const double fallback = podium_parameters[kind].fallback;
    if (kind != PODIUM_PARAMETER_NONE && !isnan(fallback) && podium_parameter_get(spec, kind) == 0)
        podium_parameter_set(&made, kind, fallback);
    return made;
}

#define END_OF(field) (offsetof(podium_spec, field) + sizeof((podium_spec){0}.field))

_Static_assert(END_OF(reserved) == sizeof(podium_spec), "podium_spec has another gap, which must be cleared too");

static void clear_bytes(podium_spec *spec, size_t first, size_t end) {
    memset((unsigned char *)spec + first, 0, end - first);
}

void podium_spec_clear_gaps(podium_spec *spec) {
    clear_bytes(spec, END_OF(mechanism), offsetof(podium_spec, epsilon));
    clear_bytes(spec, END_OF(cells), offsetof(podium_spec, reserved));
}

bool podium_spec_equal(const podium_spec *a, const podium_spec *b) {
    if (podium_spec_check(a, PODIUM_EPSILON_MAX) != PODIUM_OK || podium_spec_check(b, PODIUM_EPSILON_MAX) != PODIUM_OK)
        return false;
    const podium_spec x = podium_spec_complete(a), y = podium_spec_complete(b);
    return x.mechanism == y.mechanism && x.epsilon == y.epsilon && x.min == y.min && x.max == y.max &&
           x.spread == y.spread && x.cells == y.cells;
}

/* ---- Fingerprint: FNV-1a of the mechanism's name and of the numbers by their bits ---- */

#define HASH_START 0xcbf29ce484222325

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

static uint64_t hash_number(uint64_t hash, uint64_t number) {
    unsigned char bytes[8];
    for (unsigned k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(number >> 8 * k);
    return hash_bytes(hash, bytes, sizeof bytes);
}

uint64_t podium_fingerprint(const podium_spec *spec) {
    const podium_row *row = podium_row_of(spec->mechanism);
    uint64_t hash = hash_bytes(HASH_START, row->name, strlen(row->name));
    hash = hash_number(hash, podium_bits_of(spec->epsilon));
    hash = hash_number(hash, podium_bits_of(spec->min + 0.0));
    hash = hash_number(hash, podium_bits_of(spec->max + 0.0));
    if (row->parameter != PODIUM_PARAMETER_NONE)
        hash = hash_number(hash, podium_parameter_bits(spec));
    if (row->revision != 0)
        hash = hash_number(hash, row->revision);
    return hash;
}
