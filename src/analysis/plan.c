/*
 * Plan: before a collection, which mechanism to take, and how people, epsilon and error hang together.
 *
 * All of it follows from the variance of a report: that of its noise, and that of the people's values, who are a sample
 * like any other. The mean of n reports is normal enough to plan with.
 */
#include "collection/internal.h"

#include <math.h>

/* ---- Which mechanism ---- */

double podium_collection_noise(const podium_collection *collection, podium_objective objective) {
    switch (objective) {
    case PODIUM_OBJECTIVE_UNIFORM:
        return collection->variance_uniform;
    case PODIUM_OBJECTIVE_MIDDLE:
        return podium_collection_variance(collection, collection->middle);
    case PODIUM_OBJECTIVE_WORST_CASE:
        break;
    }
    return collection->variance_most;
}

/* What Podium is tuned to for an objective: a value's mean square about the middle */
static double spread_for(podium_objective objective) {
    return objective == PODIUM_OBJECTIVE_MIDDLE ? 0 : objective == PODIUM_OBJECTIVE_UNIFORM ? 1.0 / 12 : 0.25;
}

podium_status podium_choose(podium_spec *spec, podium_objective objective) {
    podium_spec best = *spec;
    double least = INFINITY;
    if (objective != PODIUM_OBJECTIVE_WORST_CASE && objective != PODIUM_OBJECTIVE_UNIFORM &&
        objective != PODIUM_OBJECTIVE_MIDDLE)
        return PODIUM_ERROR_ARGUMENT_WRONG;
    for (int m = 0; podium_mechanism_name((podium_mechanism)m) != NULL; m++) {
        podium_spec own = {(podium_mechanism)m, spec->epsilon, spec->min, spec->max, 0, 0};
        podium_collection collection;
        if (m == PODIUM_MECHANISM_PODIUM_TUNED)
            own.spread = spread_for(objective);
        if (m == PODIUM_MECHANISM_MINIMAX)
            own.cells = spec->cells;
        podium_status status = podium_collection_init(&collection, &own);
        if (status == PODIUM_ERROR_RANGE_TOO_NARROW && m != PODIUM_MECHANISM_PODIUM)
            continue; /* for its reports, but not for others' */
        if (status != PODIUM_OK)
            return status;
        double noise = podium_collection_noise(&collection, objective);
        if (noise < least) {
            least = noise;
            best = collection.spec;
        }
    }
    *spec = best;
    return PODIUM_OK;
}

/* A linear program over all unbiased mechanisms, 51 inputs (symmetry used) by 451 outputs, solved elsewhere; the tests
   keep them in data/minimax.csv. */
double podium_lower_bound(double epsilon) {
    static const double known[][2] = {{0.1, 100.0},    {0.25, 16.0002}, {0.5, 4.00069},
                                      {0.75, 1.77932}, {1, 0.997653},   {1.0986122886681098, 0.822749},
                                      {1.5, 0.422869}, {2, 0.216349},   {2.5, 0.123309},
                                      {3, 0.0759971},  {4, 0.0317536},  {5, 0.0143275},
                                      {6, 0.00676404}, {8, 0.00160513}, {10, 0.000392236}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fabs(epsilon - known[i][0]) <= 1e-6 * epsilon)
            return known[i][1];
    return NAN;
}

/* ---- People, epsilon, error ---- */

/* At most: the noise at its worst, and the values' own variance */
static double report_variance(const podium_collection *collection, double spread) {
    double delta = collection->spec.max - collection->spec.min;
    return collection->variance_most + spread * delta * delta;
}

static bool goal_wrong(double spread, double confidence) {
    return !(spread >= 0 && spread <= 0.25) || !(confidence > 0 && confidence < 1);
}

podium_status podium_plan_error(double *within, const podium_collection *collection, double people, double spread,
                                double confidence) {
    if (collection->cells == 0)
        return PODIUM_ERROR_NOT_INITIALISED;
    if (goal_wrong(spread, confidence) || !(people >= 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    *within = podium_normal_quantile(1 - confidence) * sqrt(report_variance(collection, spread) / people);
    return PODIUM_OK;
}

podium_status podium_plan_people(double *people, const podium_collection *collection, double within, double spread,
                                 double confidence) {
    if (collection->cells == 0)
        return PODIUM_ERROR_NOT_INITIALISED;
    if (goal_wrong(spread, confidence) || !(within > 0))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    double z = podium_normal_quantile(1 - confidence) / within;
    *people = fmax(2, ceil(z * z * report_variance(collection, spread)));
    return PODIUM_OK;
}

/* The error falls as epsilon grows: halve the interval, in logarithms, to a thousandth. */
podium_status podium_plan_epsilon(podium_collection *collection, const podium_spec *spec, double people, double within,
                                  double spread, double confidence) {
    double low = log(PODIUM_EPSILON_MIN), high = log(PODIUM_EPSILON_MAX);
    podium_collection made, best = {.cells = 0};
    if (goal_wrong(spread, confidence) || !(people >= 1) || !(within > 0))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    for (double middle = high; best.cells == 0 || high - low > 1e-3; middle = (low + high) / 2) {
        podium_spec own = *spec;
        double error;
        own.epsilon = fmin(exp(middle), PODIUM_EPSILON_MAX);
        podium_status status = podium_collection_init(&made, &own);
        if (status == PODIUM_OK)
            status = podium_plan_error(&error, &made, people, spread, confidence);
        if (status != PODIUM_OK)
            return status;
        if (error > within && best.cells == 0)
            return PODIUM_ERROR_TOO_FEW_REPORTS;
        if (error <= within) {
            best = made;
            high = middle;
        } else {
            low = middle;
        }
    }
    *collection = best;
    return PODIUM_OK;
}

/* ---- Several questions to one person ---- */

/* The error of each question's mean, where a person answers `each` of the questions at epsilon/each. */
static podium_status error_of(double *within, const podium_spec *spec, double people, uint32_t questions, uint32_t each,
                              double spread, double confidence) {
    podium_spec own = *spec;
    podium_collection collection;
    own.epsilon = spec->epsilon / each;
    podium_status status = podium_collection_init(&collection, &own);
    if (status != PODIUM_OK)
        return status;
    return podium_plan_error(within, &collection, fmax(1, people * each / questions), spread, confidence);
}

podium_status podium_plan_questions(podium_questions *plan, const podium_spec *spec, double people, uint32_t questions,
                                    double spread, double confidence) {
    podium_questions made = {.each = 1};
    if (questions < 1 || !(people >= 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    podium_status status = error_of(&made.within_split, spec, people, questions, questions, spread, confidence);
    if (status == PODIUM_OK)
        status = error_of(&made.within_one, spec, people, questions, 1, spread, confidence);
    made.within = made.within_one;
    uint32_t worse = 0; /* few answers first; when two in a row are no better, more will not be */
    for (uint32_t each = 2; status == PODIUM_OK && each <= questions && worse < 2; each++) {
        double within;
        status = error_of(&within, spec, people, questions, each, spread, confidence);
        if (status != PODIUM_OK)
            break;
        worse = within < made.within ? 0 : worse + 1;
        if (within < made.within) {
            made.within = within;
            made.each = each;
        }
    }
    if (status == PODIUM_OK)
        *plan = made;
    return status;
}
