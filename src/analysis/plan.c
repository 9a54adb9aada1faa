/*
 * Plan: which mechanism to choose before a collection starts, and how people, epsilon and error depend on each other.
 *
 * Everything follows from the variance of a report, which is the variance of its noise plus the variance of the
 * people's values, because the people are a sample. The mean of n reports is close enough to normal for planning.
 */
#include "analysis/analysis.h"

#include <math.h>

/* ---- Which mechanism ---- */

/* The spread for which the tuned mechanism is made under each objective: the mean square of the values about the
   middle */
static const double spread_for[] = {
    [PODIUM_OBJECTIVE_WORST_CASE] = 0.25,
    [PODIUM_OBJECTIVE_UNIFORM] = 1.0 / 12,
    [PODIUM_OBJECTIVE_MIDDLE] = 0,
    [PODIUM_OBJECTIVE_DISTRIBUTION] = 1.0 / 12,
};

static podium_spec candidate(podium_mechanism mechanism, const podium_spec *given, podium_objective objective) {
    const podium_parameter_kind own = podium_row_of(mechanism)->parameter;
    podium_spec spec = *given;
    spec.mechanism = mechanism;
    for (podium_parameter_kind kind = PODIUM_PARAMETER_NONE; kind < PODIUM_PARAMETERS; kind++)
        if (kind != own)
            podium_parameter_set(&spec, kind, 0);
    if (own == PODIUM_PARAMETER_SPREAD)
        spec.spread = spread_for[objective];
    return spec;
}

/* A range may be too narrow for one mechanism but not for another, so that failure is reported only if all
   mechanisms have it. */
podium_status podium_choose(podium_spec *spec, const podium_spec *given, podium_objective objective) {
    podium_spec best = *given;
    double least = INFINITY; /* which may also be the least, if no mechanism tells the distribution */
    podium_status found = PODIUM_ERROR_RANGE_TOO_NARROW;
    if ((unsigned)objective >= sizeof spread_for / sizeof *spread_for)
        return PODIUM_ERROR_ARGUMENT_WRONG;
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        const podium_spec own = candidate((podium_mechanism)m, given, objective);
        podium_collection collection;
        podium_status status = podium_collection_init(&collection, &own);
        if (status != PODIUM_OK && status != PODIUM_ERROR_RANGE_TOO_NARROW)
            return status;
        if (status == PODIUM_ERROR_RANGE_TOO_NARROW)
            continue;
        const double noise = podium_collection_noise(&collection, objective);
        if (found != PODIUM_OK || noise < least) {
            least = noise;
            best = podium_collection_spec(&collection);
        }
        found = PODIUM_OK;
    }
    if (found == PODIUM_OK)
        *spec = best;
    return found;
}

/* The optima of a linear program over all unbiased mechanisms, with 51 inputs (using symmetry) and 451 outputs. They
   were computed by another program; tests/data has them for the tests. */
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

/* An upper bound of the variance of a report: the largest noise plus the variance of the values */
static double report_variance(const podium_layout *c, double spread) {
    double delta = c->spec.max - c->spec.min;
    return c->variance_most + spread * delta * delta;
}

static bool goal_wrong(double spread, double confidence) {
    return !(spread >= 0 && spread <= 0.25) || !(confidence > 0 && confidence < 1);
}

podium_status podium_plan_error(const podium_collection *collection, double *within, double people, double spread,
                                double confidence) {
    const podium_layout *c = podium_layout_of(collection);
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    if (goal_wrong(spread, confidence) || !(people >= 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    *within = podium_normal_quantile(1 - confidence) * sqrt(report_variance(c, spread) / people);
    return PODIUM_OK;
}

podium_status podium_plan_people(const podium_collection *collection, double *people, double within, double spread,
                                 double confidence) {
    const podium_layout *c = podium_layout_of(collection);
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    if (goal_wrong(spread, confidence) || !(within > 0))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    double z = podium_normal_quantile(1 - confidence) / within;
    *people = fmax(2, ceil(z * z * report_variance(c, spread)));
    return PODIUM_OK;
}

/* Initialises the collection with epsilon = e^log_epsilon, and computes its error. */
static podium_status error_at(podium_collection *collection, double *error, const podium_spec *spec, double log_epsilon,
                              double people, double spread, double confidence) {
    podium_spec own = *spec;
    own.epsilon = fmin(exp(log_epsilon), PODIUM_EPSILON_MAX);
    podium_status status = podium_collection_init(collection, &own);
    return status == PODIUM_OK ? podium_plan_error(collection, error, people, spread, confidence) : status;
}

/* The error falls as epsilon grows, so the interval of ln epsilon is halved until it is a thousandth wide. The range
   may be too narrow for the reports of a large epsilon but not of a smaller one; then the search goes on below. */
static podium_status least_epsilon(podium_collection *best, const podium_spec *spec, double people, double within,
                                   double spread, double confidence) {
    double low = log(PODIUM_EPSILON_MIN), high = log(PODIUM_EPSILON_MAX), error;
    podium_status found = PODIUM_ERROR_RANGE_TOO_NARROW; /* unless one is wide enough */
    for (double tried = high; tried == high || high - low > 1e-3; tried = (low + high) / 2) {
        podium_collection made;
        const podium_status status = error_at(&made, &error, spec, tried, people, spread, confidence);
        if (status != PODIUM_OK && status != PODIUM_ERROR_RANGE_TOO_NARROW)
            return status;
        if (status == PODIUM_OK && error > within) {
            found = found == PODIUM_OK ? found : PODIUM_ERROR_TOO_FEW_REPORTS;
            if (tried == high)
                break;
            low = tried;
            continue;
        }
        if (status == PODIUM_OK) {
            *best = made;
            found = PODIUM_OK;
        }
        high = tried;
    }
    return found;
}

podium_status podium_plan_epsilon(podium_collection *collection, const podium_spec *spec, double people, double within,
                                  double spread, double confidence) {
    podium_collection best;
    podium_status status = PODIUM_ERROR_ARGUMENT_WRONG;
    if (!goal_wrong(spread, confidence) && people >= 1 && within > 0)
        status = least_epsilon(&best, spec, people, within, spread, confidence);
    if (status == PODIUM_OK)
        *collection = best;
    else
        memset(collection, 0, sizeof *collection);
    return status;
}

/* ---- Groups ---- */

/* The z that a normal variable is below with this probability */
static double normal_below(double probability) {
    const double z = podium_normal_quantile(2 * fmin(probability, 1 - probability));
    return probability < 0.5 ? -z : z;
}

/* The difference of two means has the error of one times sqrt(2). It is found if it exceeds z errors, and it does so
   with the given power if the true one exceeds z + z' errors. The least of m p-values is multiplied by m, which is the
   most that the adjustment does. */
podium_status podium_plan_difference(double *difference, double within, uint32_t groups, double confidence,
                                     double power) {
    if (!(within > 0) || groups < 2 || !(confidence > 0 && confidence < 1) || !(power >= 1 - confidence && power < 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    const double comparisons = (double)groups * (groups - 1.0) / 2, alpha = 1 - confidence;
    const double error = within / podium_normal_quantile(alpha);
    *difference = sqrt(2) * error * (podium_normal_quantile(alpha / comparisons) + normal_below(power));
    return PODIUM_OK;
}

/* ---- Several questions to one person ---- */

/* The error of each question's mean if a person answers `each` of the questions with epsilon/each */
static podium_status error_of(double *within, const podium_spec *spec, double people, uint32_t questions, uint32_t each,
                              double spread, double confidence) {
    podium_spec own = *spec;
    podium_collection collection;
    own.epsilon = spec->epsilon / each;
    podium_status status = podium_collection_init(&collection, &own);
    if (status != PODIUM_OK)
        return status;
    return podium_plan_error(&collection, within, fmax(1, people * each / questions), spread, confidence);
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
    uint32_t worse = 0; /* begin with few answers, and stop when two numbers in a row are no better */
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
