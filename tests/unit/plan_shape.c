/* Plans for quantiles and histograms: what they refuse, how they depend on their arguments, and whether reports of the
   reference population keep them. */
#include <check.h>
#include <math.h>

#include "support.h"

#define WIDTH 100.0 /* of the range */
#define BINS 10
#define CONFIDENCE 0.95

static podium_channel *channel_for(podium_mechanism mechanism, double epsilon, double width) {
    const podium_collection c = collection_of(mechanism, epsilon, 0, width);
    podium_channel *channel;
    ck_assert_int_eq(podium_channel_make(&c, &channel), PODIUM_OK);
    return channel;
}

static podium_channel *best_channel(double epsilon, double width) {
    podium_spec spec = spec_of(PODIUM_MECHANISM_DEFAULT, epsilon, 0, width);
    ck_assert_int_eq(podium_choose(&spec, &spec, PODIUM_OBJECTIVE_DISTRIBUTION), PODIUM_OK);
    return channel_for(spec.mechanism, epsilon, width);
}

static double quantile_error(const podium_channel *channel, double people, double p, double confidence) {
    double within;
    ck_assert_int_eq(podium_plan_quantile(channel, &within, people, p, confidence), PODIUM_OK);
    return within;
}

static double histogram_error(const podium_channel *channel, double people, uint32_t bins, double confidence) {
    double within;
    ck_assert_int_eq(podium_plan_histogram(channel, &within, people, bins, confidence), PODIUM_OK);
    return within;
}

/* ---- Errors ---- */

/* Plans for both shapes with these arguments, which both must refuse without setting their output. */
static void refuse_error(const podium_channel *channel, podium_status expected, double people, double confidence) {
    double within = -1;
    ck_assert_int_eq(podium_plan_quantile(channel, &within, people, 0.5, confidence), expected);
    ck_assert_int_eq(podium_plan_histogram(channel, &within, people, BINS, confidence), expected);
    ck_assert_double_eq(within, -1);
}

static void refuse_people(const podium_channel *channel, podium_status expected, double within, double confidence) {
    double people = -1;
    ck_assert_int_eq(podium_plan_quantile_people(channel, &people, within, 0.5, confidence), expected);
    ck_assert_int_eq(podium_plan_histogram_people(channel, &people, within, BINS, confidence), expected);
    ck_assert_double_eq(people, -1);
}

START_TEST(refused) {
    podium_channel *channel = best_channel(1, WIDTH);
    const double wrong_people[] = {0, 0.5, -1, 1.1e12, INFINITY, NAN}, wrong_within[] = {0, -1, NAN},
                 wrong_share[] = {0, 1, -0.5, 1.5, NAN};
    double out = -1;
    for (size_t i = 0; i < sizeof wrong_people / sizeof *wrong_people; i++)
        refuse_error(channel, PODIUM_ERROR_ARGUMENT_WRONG, wrong_people[i], CONFIDENCE);
    for (size_t i = 0; i < sizeof wrong_within / sizeof *wrong_within; i++)
        refuse_people(channel, PODIUM_ERROR_ARGUMENT_WRONG, wrong_within[i], CONFIDENCE);
    for (size_t i = 0; i < sizeof wrong_share / sizeof *wrong_share; i++) {
        refuse_error(channel, PODIUM_ERROR_ARGUMENT_WRONG, 1e5, wrong_share[i]);
        refuse_people(channel, PODIUM_ERROR_ARGUMENT_WRONG, 0.1, wrong_share[i]);
        ck_assert_int_eq(podium_plan_quantile(channel, &out, 1e5, wrong_share[i], CONFIDENCE),
                         PODIUM_ERROR_ARGUMENT_WRONG);
        ck_assert_int_eq(podium_plan_quantile_people(channel, &out, 1, wrong_share[i], CONFIDENCE),
                         PODIUM_ERROR_ARGUMENT_WRONG);
    }
    for (uint32_t bins = 0; bins <= PODIUM_SHARES + 1; bins += PODIUM_SHARES + 1) {
        ck_assert_int_eq(podium_plan_histogram(channel, &out, 1e5, bins, CONFIDENCE), PODIUM_ERROR_ARGUMENT_WRONG);
        ck_assert_int_eq(podium_plan_histogram_people(channel, &out, 0.1, bins, CONFIDENCE),
                         PODIUM_ERROR_ARGUMENT_WRONG);
    }
    ck_assert_double_eq(out, -1);
    podium_channel_free(channel);
}
END_TEST

START_TEST(too_few) {
    podium_channel *channel = best_channel(1, WIDTH), *vague = best_channel(1e-5, WIDTH);
    refuse_error(channel, PODIUM_ERROR_TOO_FEW_REPORTS, 1, CONFIDENCE);
    refuse_error(channel, PODIUM_ERROR_TOO_FEW_REPORTS, 100, CONFIDENCE);
    refuse_people(channel, PODIUM_ERROR_TOO_FEW_REPORTS, 1e-9, CONFIDENCE);
    refuse_people(vague, PODIUM_ERROR_TOO_FEW_REPORTS, 0.1, CONFIDENCE);
    podium_channel_free(channel);
    podium_channel_free(vague);
}
END_TEST

START_TEST(of_every_mechanism) {
    int shapeless = 0;
    FOR_EACH_MECHANISM (m) {
        const podium_collection c = collection_of(m, 4, 0, WIDTH);
        podium_channel *channel = channel_for(m, 4, WIDTH);
        if (podium_collection_tells_spread(&c)) {
            ck_assert_double_gt(quantile_error(channel, 1e5, 0.5, CONFIDENCE), 0.1);
            ck_assert_double_lt(quantile_error(channel, 1e5, 0.5, CONFIDENCE), 2);
        } else {
            refuse_error(channel, PODIUM_ERROR_MEAN_ONLY, 1e5, CONFIDENCE);
            refuse_people(channel, PODIUM_ERROR_MEAN_ONLY, 0.1, CONFIDENCE);
            shapeless++;
        }
        podium_channel_free(channel);
    }
    ck_assert_int_ge(shapeless, 1);
}
END_TEST

/* ---- How the numbers depend on each other ---- */

START_TEST(more_people_know_more) {
    podium_channel *channel = best_channel(1, WIDTH);
    for (double people = 1e4; people < 1e8; people *= 10) {
        const double ratio =
            quantile_error(channel, people, 0.5, CONFIDENCE) / quantile_error(channel, 10 * people, 0.5, CONFIDENCE);
        ck_assert(ratio > 2 && ratio < 3.5); /* sqrt(10), or less because the fit shows more detail */
        ck_assert_double_gt(histogram_error(channel, people, BINS, CONFIDENCE),
                            2 * histogram_error(channel, 10 * people, BINS, CONFIDENCE));
    }
    podium_channel_free(channel);
}
END_TEST

START_TEST(depends_on_the_question) {
    podium_channel *channel = best_channel(1, WIDTH);
    const double middle = quantile_error(channel, 1e5, 0.5, CONFIDENCE),
                 tail = quantile_error(channel, 1e5, 0.05, CONFIDENCE);
    ck_assert_double_gt(tail, 1.2 * middle); /* there are fewer values */
    ck_assert_double_eq_tol(quantile_error(channel, 1e5, 0.95, CONFIDENCE), tail, 0.02 * tail); /* by symmetry */
    ck_assert_double_gt(quantile_error(channel, 1e5, 0.5, 0.99), 1.2 * middle);
    ck_assert_double_gt(histogram_error(channel, 1e5, BINS, 0.99), 1.2 * histogram_error(channel, 1e5, BINS, 0.95));
    ck_assert_double_eq(quantile_error(channel, 1e5 + 0.9, 0.5, CONFIDENCE), middle);
    podium_channel_free(channel);
}
END_TEST

START_TEST(units_of_the_range) {
    podium_channel *channel = best_channel(1, WIDTH), *unit = best_channel(1, 1);
    ck_assert_double_eq_tol(quantile_error(channel, 1e5, 0.3, CONFIDENCE),
                            WIDTH * quantile_error(unit, 1e5, 0.3, CONFIDENCE), 1e-4);
    ck_assert_double_eq_tol(histogram_error(channel, 1e5, BINS, CONFIDENCE),
                            histogram_error(unit, 1e5, BINS, CONFIDENCE), 1e-6);
    podium_channel_free(channel);
    podium_channel_free(unit);
}
END_TEST

/* So many people are enough, and 2% fewer are not. */
START_TEST(there_and_back) {
    podium_channel *channel = best_channel(2, WIDTH);
    double people;
    for (double within = 0.1; within < 10; within *= 3) {
        ck_assert_int_eq(podium_plan_quantile_people(channel, &people, within, 0.25, CONFIDENCE), PODIUM_OK);
        ck_assert_double_le(quantile_error(channel, people, 0.25, CONFIDENCE), within);
        ck_assert_double_gt(quantile_error(channel, 0.98 * people, 0.25, CONFIDENCE), within);
    }
    for (double within = 0.003; within < 0.2; within *= 3) {
        ck_assert_int_eq(podium_plan_histogram_people(channel, &people, within, BINS, CONFIDENCE), PODIUM_OK);
        ck_assert_double_le(histogram_error(channel, people, BINS, CONFIDENCE), within);
        ck_assert_double_gt(histogram_error(channel, 0.98 * people, BINS, CONFIDENCE), within);
    }
    podium_channel_free(channel);
}
END_TEST

START_TEST(people_are_round) {
    podium_channel *channel = best_channel(1, WIDTH), *clear = best_channel(50, WIDTH);
    double people;
    ck_assert_int_eq(podium_plan_quantile_people(channel, &people, 1, 0.5, CONFIDENCE), PODIUM_OK);
    ck_assert_double_gt(people, 1e4);
    const double unit = pow(10, floor(log10(people)) - 2);
    ck_assert_double_eq(fmod(people, unit), 0);
    ck_assert_int_eq(podium_plan_quantile_people(clear, &people, WIDTH, 0.5, CONFIDENCE), PODIUM_OK);
    ck_assert_double_eq(people, 50); /* the fewest that show a distribution */
    podium_channel_free(channel);
    podium_channel_free(clear);
}
END_TEST

/* ---- Simulated reports of the reference population ---- */

#define PEOPLE_MOST 100000
#define TIMES 10
#define CLOSE 0.15
#define ROUGHLY 0.45 /* for people so few that some of their distributions are withheld */

static double values[PEOPLE_MOST];
static uint32_t cells[PEOPLE_MOST];

/* By Box and Muller's method */
static double normal(uint64_t *seed) {
    const double radius = sqrt(-2 * log(1 - seeded_uniform(seed)));
    return radius * cos(2 * acos(-1) * seeded_uniform(seed));
}

static double of_reference(uint64_t *seed) {
    double value;
    do
        value = WIDTH * (0.5 + 0.2 * normal(seed));
    while (value < 0 || value > WIDTH);
    return value;
}

static podium_aggregate simulated(const podium_collection *c, uint64_t *seed, size_t people) {
    podium_random random = seeded_random(seed);
    podium_aggregate a;
    for (size_t i = 0; i < people; i++)
        values[i] = of_reference(seed);
    ck_assert_int_eq(podium_privatize_cells(c, &random, cells, values, people), PODIUM_OK);
    podium_aggregate_init(c, &a);
    ck_assert_int_eq(podium_aggregate_add_cells(c, &a, cells, people), PODIUM_OK);
    return a;
}

static double widest_bin(const podium_distribution *d) {
    double most = 0;
    for (uint32_t j = 0; j < BINS; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        most = fmax(most, (bin.upper - bin.lower) / 2);
    }
    return most;
}

static const double asked[] = {0.1, 0.25, 0.5, 0.9};
#define ASKED (sizeof asked / sizeof *asked)

/* Adds the half-widths of the quantiles, and then of the widest bin, to the sums. */
static void add_errors(double sum[ASKED + 1], const podium_distribution *d) {
    for (size_t i = 0; i < ASKED; i++) {
        const podium_limits limits = podium_distribution_quantile_limits(d, asked[i]);
        sum[i] += (limits.upper - limits.lower) / 2;
    }
    sum[ASKED] += widest_bin(d);
}

/* Sets sum to the sums over all distributions that are not withheld, and returns how many these are. */
static int measure(double sum[ASKED + 1], const podium_channel *channel, const podium_collection *c, size_t people) {
    static podium_distribution d;
    uint64_t seed = 20240229;
    int shown = 0;
    memset(sum, 0, (ASKED + 1) * sizeof *sum);
    for (int time = 0; time < TIMES; time++) {
        const podium_aggregate a = simulated(c, &seed, people);
        ck_assert_int_eq(podium_distribution_make(channel, &d, &a, BINS, CONFIDENCE), PODIUM_OK);
        if (d.telling)
            add_errors(sum, &d);
        shown += d.telling;
    }
    return shown;
}

static void compare(podium_mechanism m, double epsilon, size_t people, double tolerance) {
    const podium_collection c = collection_of(m, epsilon, 0, WIDTH);
    if (!podium_collection_tells_spread(&c))
        return;
    podium_channel *channel = channel_for(m, epsilon, WIDTH);
    double sum[ASKED + 1];
    const int shown = measure(sum, channel, &c, people);
    ck_assert_int_ge(shown, tolerance > CLOSE ? TIMES / 2 : TIMES);
    printf("%s at epsilon %g, %zu people: printed over planned", podium_mechanism_name(m), epsilon, people);
    for (size_t i = 0; i <= ASKED; i++) {
        const double planned = i < ASKED ? quantile_error(channel, (double)people, asked[i], CONFIDENCE)
                                         : histogram_error(channel, (double)people, BINS, CONFIDENCE);
        const double ratio = sum[i] / shown / planned;
        printf(" %.3f", ratio);
        ck_assert_double_eq_tol(ratio, 1, tolerance);
    }
    printf("\n");
    podium_channel_free(channel);
}

/* The seed is fixed, so these tests always have the same result. */
START_TEST(as_simulated) {
    FOR_EACH_MECHANISM (m) {
        compare(m, 1, PEOPLE_MOST, CLOSE);
        compare(m, 4, PEOPLE_MOST / 5, CLOSE);
    }
}
END_TEST

START_TEST(roughly_as_simulated) {
    FOR_EACH_MECHANISM (m)
        compare(m, 1, PEOPLE_MOST / 10, ROUGHLY);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("plan_shape");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, too_few);
    tcase_add_test(tests, of_every_mechanism);
    tcase_add_test(tests, more_people_know_more);
    tcase_add_test(tests, depends_on_the_question);
    tcase_add_test(tests, units_of_the_range);
    tcase_add_test(tests, there_and_back);
    tcase_add_test(tests, people_are_round);
    tcase_add_test(tests, as_simulated);
    tcase_add_test(tests, roughly_as_simulated);
    return run_tests("plan_shape", tests);
}
