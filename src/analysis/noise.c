/* Noise: what is known of a collection's reports before the first one arrives. */
#include "analysis/analysis.h"

#include <math.h>

double podium_collection_mass(const podium_collection *collection, uint64_t place, uint64_t first, uint64_t last) {
    return podium_mass_between(podium_layout_of(collection), (double)place, (double)first, (double)last);
}

double podium_collection_likelihood(const podium_collection *collection, double x, uint64_t cell) {
    const podium_layout *c = podium_layout_of(collection);
    if (isnan(x) || cell >= c->cells)
        return NAN;
    return podium_mass_between(c, podium_place(c, x), (double)cell, (double)cell + 1);
}

double podium_collection_influence(const podium_collection *collection, uint64_t k, uint64_t n) {
    const podium_layout *c = podium_layout_of(collection);
    double support = podium_support(c);
    return n == 0 ? INFINITY : support * ((double)(k < n ? k : n) / (double)n);
}

double podium_collection_noise(const podium_collection *collection, podium_objective objective) {
    const podium_layout *c = podium_layout_of(collection);
    switch (objective) {
    case PODIUM_OBJECTIVE_UNIFORM:
        return c->variance_uniform;
    case PODIUM_OBJECTIVE_MIDDLE:
        return podium_collection_variance(collection, c->middle);
    case PODIUM_OBJECTIVE_DISTRIBUTION:
        return podium_distribution_noise(c);
    case PODIUM_OBJECTIVE_WORST_CASE:
        break;
    }
    return c->variance_most;
}
