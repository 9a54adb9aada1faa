/*
 * Mechanisms: one constant row each. A mechanism is a sampler, a map and a parameter. Its row says how to lay out the
 * grid, what the mechanism is called, and what is known of it in closed form. All other code goes through the registry,
 * so a new mechanism needs only a file in mechanisms/, a row in registry.c and an enumerator in podium.h
 * (docs/design.md).
 */
#ifndef PODIUM_ROW_H
#define PODIUM_ROW_H

#include "collection/layout.h"

/* ---- Parameters: what a mechanism needs besides epsilon and the range ---- */

typedef enum podium_parameter_kind {
    PODIUM_PARAMETER_NONE,
    PODIUM_PARAMETER_SPREAD,
    PODIUM_PARAMETER_CELLS,
    PODIUM_PARAMETERS
} podium_parameter_kind;

typedef struct podium_parameter {
    const char *key;
    double least, most;
    double fallback; /* the value of a parameter that is not given; NaN if it must be given */
    bool whole;
    podium_status wrong; /* the status if it is out of range, or given to a mechanism without this parameter */
} podium_parameter;

extern const podium_parameter podium_parameters[PODIUM_PARAMETERS];

/* Read and write the parameter in its field of the spec. A parameter that is not given is 0. */
double podium_parameter_get(const podium_spec *spec, podium_parameter_kind kind);
void podium_parameter_set(podium_spec *spec, podium_parameter_kind kind, double value);

/* ---- Laws: the continuous distribution of a report, where it has a density ---- */

/* Only the files that compute with a shape include podium_analysis.h, which defines it. */
typedef struct podium_shape podium_shape;

/* Noise that does not depend on the value, as a function of the distance from it */
typedef struct podium_noise {
    double (*density)(const podium_shape *shape, double z);     /* at distance z >= 0 */
    double (*tail)(const podium_shape *shape, double z);        /* mass beyond distance z, on one side */
    double (*distance)(const podium_shape *shape, double tail); /* its inverse, for 0 < tail <= 1/2 */
} podium_noise;

typedef struct podium_law {
    void (*fill)(podium_shape *shape);
    double (*density)(const podium_shape *shape, double x, double y);
    double (*cdf)(const podium_shape *shape, double x, double y);
    double (*quantile)(const podium_shape *shape, double x, double p);
    double (*step)(const podium_shape *shape, double x); /* left end of the step; NaN if the law has none */
    const podium_noise *noise;                           /* of a law that is nothing else; NULL for the step family */
} podium_law;

/* ---- The registry ---- */

/* A number as the sum of two doubles. u = e^s needs s to more than 53 bits, because an absolute error in s is a
   relative error in u, and s goes up to 233. */
typedef struct podium_two {
    double high, low;
} podium_two;

typedef struct podium_row {
    const char *name;
    const char *summary; /* when to choose it, in a few words */
    const char *colour;  /* in plots, as #rrggbb */
    podium_parameter_kind parameter;
    uint32_t revision; /* version of the solver's output map, which is part of the fingerprint; 0 if the map has a
                          closed form */
    podium_status (*layout)(podium_layout *c); /* sets sampler, map, cells, places and all of the grid but thresholds */
    const podium_law *law;                     /* NULL if the mechanism has no density */
    podium_two (*step_parameter)(const podium_spec *spec); /* the step family's s; NULL for the others */
} podium_row;

/* Returns NULL if no mechanism has this number. */
const podium_row *podium_row_of(podium_mechanism mechanism);

/* spec.c: the status of a spec, the spec with its defaults filled in, and the fingerprint and the parameter's bits
   of a spec that is valid and complete */
podium_status podium_spec_check(const podium_spec *spec, double epsilon_max);
podium_spec podium_spec_complete(const podium_spec *spec);
uint64_t podium_fingerprint(const podium_spec *spec);
uint64_t podium_parameter_bits(const podium_spec *spec);
/* Clears the bytes between the fields, because collections and aggregates are compared by their bytes. */
void podium_spec_clear_gaps(podium_spec *spec);

/* ---- step.c: the step family, whose members differ in s alone ---- */

extern const podium_law podium_step_law;
podium_status podium_step_layout(podium_layout *c);
/* The s where alpha + beta spread delta^2 is smallest */
podium_two podium_step_parameter_for(double epsilon, double spread);
/* The shape for a given s, and the width of its step in a grid of that many cells, for mechanisms that combine a
   step with something else */
void podium_step_fill(podium_shape *shape, podium_two s);
uint64_t podium_step_width(const podium_shape *shape, uint64_t cells);
/* Lays out two cells, one of which is the step. */
void podium_two_cells(podium_layout *c);

/* ---- stairs.c: noise that does not depend on the value ---- */

/* The law's functions, for a law that has a noise */
double podium_noise_density(const podium_shape *shape, double x, double y);
double podium_noise_cdf(const podium_shape *shape, double x, double y);
double podium_noise_quantile(const podium_shape *shape, double x, double p);
double podium_noise_step(const podium_shape *shape, double x);

/* Given 2^coins stairs on each side, of which `stairs` lie in the width of the range, returns whether the density
   falls far enough over the others. */
bool podium_stairs_suffice(double epsilon, uint32_t coins, uint32_t stairs);
/* The share of the stairs that lies in the width of the range if there are just enough stairs */
double podium_stairs_claimed(double epsilon);
/* Lays the stairs out; the middle stair is middle_share of the range wide, or one stair if that is 0. */
podium_status podium_stairs_layout(podium_layout *c, uint32_t coins, uint32_t stairs, double middle_share);

/* ---- What laws share ---- */

static inline double podium_into_range(const podium_spec *spec, double x) {
    return x < spec->min ? spec->min : x > spec->max ? spec->max : x;
}

#endif
