/* The guaranteed band of the distribution, and the linear programs behind it. */
#include "../../src/analysis/band.c" /* for its static functions */

#include <check.h>

#include "support.h"

#define MANY 4000

/* ---- Populations that are hard to estimate, as shares of the range ---- */

static double evenly(double u) {
    return u;
}

static double all_at_the_lower_end(double u) {
    (void)u;
    return 0;
}

static double all_at_the_upper_end(double u) {
    (void)u;
    return 1;
}

static double at_two_edges(double u) { /* of the band's own parts */
    return u < 0.3 ? 0.25 : 0.75;
}

static double spikes(double u) {
    return (floor(7 * u) + 0.37) / 7;
}

static double at_both_ends(double u) {
    return (1 - cos(acos(-1) * u)) / 2;
}

static double (*const populations[])(double) = {evenly, all_at_the_lower_end, all_at_the_upper_end, at_two_edges,
                                                spikes, at_both_ends};

#define LEAST (-3.0)
#define MOST 5.0

/* Reports of n values of a population, and the share of the values below, and below or at, each edge */
typedef struct sample {
    podium_aggregate aggregate;
    double below[PARTS + 1], up_to[PARTS + 1];
} sample;

static void sample_add(sample *s, const podium_collection *c, double (*population)(double), size_t n, uint64_t *seed) {
    static double values[MANY], reports[MANY];
    podium_random random = seeded_random(seed);
    for (size_t i = 0; i < n; i++) {
        values[i] = LEAST + (MOST - LEAST) * population(seeded_uniform(seed));
        for (uint32_t k = 0; k <= PARTS; k++) {
            s->below[k] += values[i] < edge_value(LEAST, MOST, k);
            s->up_to[k] += values[i] <= edge_value(LEAST, MOST, k);
        }
    }
    ck_assert_int_eq(podium_privatize_from(c, &random, reports, values, n), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_add(c, &s->aggregate, reports, n), PODIUM_OK);
}

static sample sample_of(const podium_collection *c, double (*population)(double), size_t n, uint64_t seed) {
    sample s = {.below = {0}};
    podium_aggregate_init(c, &s.aggregate);
    for (size_t done = 0; done < n; done += MANY)
        sample_add(&s, c, population, n - done < MANY ? n - done : MANY, &seed);
    for (uint32_t k = 0; k <= PARTS; k++) {
        s.below[k] /= (double)n;
        s.up_to[k] /= (double)n;
    }
    return s;
}

static podium_channel *channel_of(const podium_collection *c) {
    podium_channel *channel;
    ck_assert_int_eq(podium_channel_make(c, &channel), PODIUM_OK);
    return channel;
}

static podium_band band_of(const podium_channel *channel, const podium_aggregate *a, double confidence) {
    podium_band band;
    memset(&band, 0x5a, sizeof band);
    ck_assert_int_eq(podium_band_make(channel, &band, a, confidence), PODIUM_OK);
    ck_assert(band.min == LEAST && band.max == MOST && band.confidence == confidence);
    ck_assert(band.lower[0] == 0 && band.upper[PARTS] == 1);
    for (uint32_t k = 0; k <= PARTS; k++)
        ck_assert(band.lower[k] >= 0 && band.lower[k] <= band.upper[k] && band.upper[k] <= 1);
    for (uint32_t k = 0; k < PARTS; k++)
        ck_assert(band.lower[k] <= band.lower[k + 1] && band.upper[k] <= band.upper[k + 1]);
    return band;
}

static double width_of(const podium_band *band) {
    double sum = 0;
    for (uint32_t k = 1; k < PARTS; k++)
        sum += (band->upper[k] - band->lower[k]) / (PARTS - 1);
    return sum;
}

/* ---- The band ---- */

static bool holds(const podium_band *band, const sample *s) {
    for (uint32_t k = 0; k <= PARTS; k++)
        if (s->below[k] < band->lower[k] || s->up_to[k] > band->upper[k])
            return false;
    return true;
}

/* The seeds are fixed. Of bands with a confidence of 90%, more than 10% would fail by chance with a small probability,
   because each misses much less often. */
START_TEST(covers_hard_populations) {
    int bands = 0, missed = 0;
    FOR_EACH_MECHANISM (m) {
        const podium_collection c = collection_of(m, 1.5, LEAST, MOST);
        podium_channel *channel = channel_of(&c);
        for (size_t i = 0; i < LENGTH(populations); i++)
            for (uint64_t seed = 1; seed <= 2; seed++) {
                const sample s = sample_of(&c, populations[i], MANY, seed);
                const podium_band band = band_of(channel, &s.aggregate, 0.9);
                bands++;
                missed += !holds(&band, &s);
            }
        podium_channel_free(channel);
    }
    ck_assert_msg(10 * missed <= bands, "%d of %d bands miss", missed, bands);
}
END_TEST

START_TEST(more_reports_make_it_narrower) {
    static const struct {
        podium_mechanism mechanism;
        double most[3]; /* the average width with MANY reports, 5 and 25 times as many */
    } known[] = {{PODIUM_MECHANISM_PODIUM, {0.5, 0.3, 0.17}},
                 {PODIUM_MECHANISM_SQUARE_WAVE, {0.5, 0.3, 0.17}},
                 {PODIUM_MECHANISM_MINIMAX, {0.5, 0.3, 0.18}},
                 {PODIUM_MECHANISM_STAIRCASE, {0.6, 0.4, 0.25}}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        const podium_collection c = collection_of(known[i].mechanism, 1.5, LEAST, MOST);
        podium_channel *channel = channel_of(&c);
        double before = 1;
        for (size_t j = 0, n = MANY; j < 3; j++, n *= 5) {
            const sample s = sample_of(&c, evenly, n, 3);
            const podium_band band = band_of(channel, &s.aggregate, 0.95),
                              surer = band_of(channel, &s.aggregate, 0.999);
            ck_assert_double_lt(width_of(&band), fmin(before, known[i].most[j]));
            ck_assert_double_lt(width_of(&band), width_of(&surer));
            before = width_of(&band);
        }
        podium_channel_free(channel);
    }
}
END_TEST

START_TEST(
    two_outputs_bound_by_the_mean) { /* If nearly all values are at the upper end, few can be below the middle. */
    const podium_collection c = collection_of(PODIUM_MECHANISM_DUCHI, 2, LEAST, MOST);
    podium_channel *channel = channel_of(&c);
    const sample s = sample_of(&c, all_at_the_upper_end, MANY, 4);
    const podium_band band = band_of(channel, &s.aggregate, 0.95);
    ck_assert_double_lt(band.upper[PARTS / 2], 0.2);
    ck_assert(band.lower[PARTS] == 0); /* but all may be a little below it */
    podium_channel_free(channel);
}
END_TEST

START_TEST(says_nothing_if_no_values_fit) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, LEAST, MOST);
    podium_channel *channel = channel_of(&c);
    static double same[MANY];
    podium_aggregate a;
    podium_aggregate_init(&c, &a);
    ck_assert_int_eq(podium_aggregate_add(&c, &a, same, MANY), PODIUM_OK);
    const podium_band band = band_of(channel, &a, 0.95);
    for (uint32_t k = 0; k <= PARTS; k++)
        ck_assert(band.lower[k] == 0 && band.upper[k] == 1);
    podium_channel_free(channel);
}
END_TEST

START_TEST(one_report_is_enough) {
    FOR_EACH_MECHANISM (m) {
        const podium_collection c = collection_of(m, 1, LEAST, MOST);
        podium_channel *channel = channel_of(&c);
        const sample s = sample_of(&c, evenly, 1, 5);
        const podium_band band = band_of(channel, &s.aggregate, 0.9);
        ck_assert(holds(&band, &s));
        podium_channel_free(channel);
    }
}
END_TEST

START_TEST(errors_leave_the_band_alone) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_DUCHI, 1, LEAST, MOST),
                            other = collection_of(PODIUM_MECHANISM_DUCHI, 2, LEAST, MOST);
    podium_channel *channel = channel_of(&c);
    const sample s = sample_of(&c, evenly, 10, 6), others = sample_of(&other, evenly, 10, 6);
    static const double wrong[] = {0, 1, -0.5, 1.5, NAN};
    podium_band band, untouched;
    podium_aggregate none;
    memset(&band, 0x5a, sizeof band);
    untouched = band;
    podium_aggregate_init(&c, &none);
    ck_assert_int_eq(podium_band_make(channel, &band, &others.aggregate, 0.9), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_band_make(channel, &band, &none, 0.9), PODIUM_ERROR_TOO_FEW_REPORTS);
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert_int_eq(podium_band_make(channel, &band, &s.aggregate, wrong[i]), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_mem_eq(&band, &untouched, sizeof band);
    podium_channel_free(channel);
}
END_TEST

/* ---- Reading it ---- */

static podium_band ramp(void) { /* from 0 to 1, with limits 1/8 of the range to the left and right */
    podium_band band = {.min = LEAST, .max = MOST, .confidence = 0.9};
    for (int k = 0; k <= PARTS; k++) {
        band.lower[k] = fmax(0, k / (double)PARTS - 0.125);
        band.upper[k] = fmin(1, k / (double)PARTS + 0.125);
    }
    return band;
}

static bool are(podium_limits limits, double lower, double upper) {
    return limits.lower == lower && limits.upper == upper;
}

START_TEST(shares_are_those_of_the_edges_around) {
    const podium_band band = ramp();
    const double part = (MOST - LEAST) / PARTS;
    ck_assert(are(podium_band_below(&band, LEAST + 32 * part), 0.375, 0.625));
    ck_assert(are(podium_band_below(&band, LEAST + 32.5 * part), 0.375, 0.625 + 1.0 / PARTS));
    ck_assert(are(podium_band_below(&band, LEAST), 0, 0.125) && are(podium_band_below(&band, MOST), 0.875, 1));
    ck_assert(are(podium_band_below(&band, LEAST - 1e-9), 0, 0) && are(podium_band_below(&band, -INFINITY), 0, 0));
    ck_assert(are(podium_band_below(&band, MOST + 1e-9), 1, 1) && are(podium_band_below(&band, INFINITY), 1, 1));
    ck_assert(isnan(podium_band_below(&band, NAN).lower) && isnan(podium_band_below(&band, NAN).upper));
}
END_TEST

START_TEST(quantiles_are_edges) {
    static const double wrong[] = {-1e-9, 1 + 1e-9, NAN};
    const podium_band band = ramp();
    const double part = (MOST - LEAST) / PARTS;
    ck_assert(are(podium_band_quantile(&band, 0.5), LEAST + 23 * part, LEAST + 41 * part));
    ck_assert(are(podium_band_quantile(&band, 0.501), LEAST + 24 * part, LEAST + 41 * part));
    ck_assert(are(podium_band_quantile(&band, 0), LEAST, LEAST + 9 * part));
    ck_assert(are(podium_band_quantile(&band, 1), LEAST + 55 * part, MOST));
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert(isnan(podium_band_quantile(&band, wrong[i]).lower) &&
                  isnan(podium_band_quantile(&band, wrong[i]).upper));
}
END_TEST

/* ---- The proof ---- */

/* The sum of the weights of all sets times their probabilities, given a place that is rounded at random */
static double weighed(const problem *p, const double *weights, double place) {
    const double whole = floor(place), along = place - whole;
    double sum = 0;
    for (uint32_t k = 0; k < p->sets; k++) {
        if (weights[k] == 0)
            continue;
        const double from = p->edge[p->set[k].from], to = p->edge[p->set[k].to];
        const double here = podium_mass_between(p->layout, whole, from, to);
        const double next = along > 0 ? podium_mass_between(p->layout, whole + 1, from, to) : 0;
        sum += weights[k] * ((1 - along) * here + along * next);
    }
    return sum;
}

/* The bound must hold for every value, not only for those at the places that prove() looks at. */
static void check_between_places(const problem *p, const double *weights, uint32_t edge) {
    const double below = prove(p, weights, 0, p->after[edge]),
                 above = prove(p, weights, p->before[edge], p->places - 1), at = edge_place(p->layout, edge);
    for (uint32_t i = 0; i + 1 < p->places; i++)
        for (int j = 0; j <= 4; j++) {
            const double place = p->place[i] + (p->place[i + 1] - p->place[i]) * j / 4;
            const double sum = weighed(p, weights, place);
            ck_assert_double_ge(below, (place <= at) - sum);
            ck_assert_double_ge(above, (place >= at) - sum);
        }
}

START_TEST(no_value_escapes_the_proof) {
    static const double epsilons[] = {0.1, 2, 12};
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            const podium_layout c = layout_of(m, epsilons[e], LEAST, MOST);
            uint64_t seed = 7;
            podium_sums sums;
            double weights[SETS + 1], none[SETS + 1] = {0};
            problem *p = calloc(1, sizeof *p);
            ck_assert_ptr_nonnull(p);
            podium_sums_init(&sums, &c);
            p->layout = &c;
            p->program.lower = p->program.upper = none;
            set_blocks(p, sums.bin_count, sums.bin_bits);
            set_sets(p);
            set_places(p);
            set_masses(p);
            for (uint32_t k = 0; k < p->sets; k++)
                weights[k] = 6 * seeded_uniform(&seed) - 3;
            check_between_places(p, weights, PARTS / 3);
            for (uint32_t k = 0; k < p->sets; k += 3) { /* its mass is often greatest between two places */
                double alone[SETS + 1] = {0};
                alone[k] = -9;
                check_between_places(p, alone, PARTS / 3);
            }
            free(p);
        }
}
END_TEST

START_TEST(blocks_divide_the_support) {
    FOR_EACH_MECHANISM (m) {
        const podium_layout c = layout_of(m, 1, LEAST, MOST);
        podium_sums sums;
        problem *p = calloc(1, sizeof *p);
        ck_assert_ptr_nonnull(p);
        podium_sums_init(&sums, &c);
        p->layout = &c;
        set_blocks(p, sums.bin_count, sums.bin_bits);
        set_sets(p);
        ck_assert(p->blocks >= 2 && p->blocks <= BLOCKS && p->sets <= SETS);
        ck_assert(p->edge[0] == 0 && p->edge[p->blocks] == (double)c.cells);
        ck_assert(p->first_bin[0] == 0 && p->first_bin[p->blocks] == sums.bin_count);
        for (uint32_t b = 0; b < p->blocks; b++)
            ck_assert(p->edge[b] < p->edge[b + 1] && p->first_bin[b] < p->first_bin[b + 1]);
        free(p);
    }
}
END_TEST

START_TEST(limits_of_very_many_reports) {
    const uint64_t n = PODIUM_TRIALS_MAX;
    static const double shares[] = {0, 1e-6, 0.1, 0.5, 0.99, 1};
    for (size_t i = 0; i < LENGTH(shares); i++) {
        const uint64_t hits = (uint64_t)(shares[i] * (double)n);
        const podium_limits exact = limits_of(hits, n, 1e-4), chernoff = limits_of(hits, n + (hits < n), 1e-4);
        const double share = (double)hits / (double)n;
        ck_assert(chernoff.lower <= exact.lower + 1e-9 && chernoff.upper >= exact.upper - 1e-9);
        ck_assert_double_le(chernoff.upper - chernoff.lower, 1.3 * (exact.upper - exact.lower) + 1e-9);
        ck_assert(chernoff.lower <= share && share <= chernoff.upper);
    }
}
END_TEST

/* ---- The solver ---- */

START_TEST(program_is_solved) { /* f0 + f1 = 1 and 0.2 <= 0.9 f0 + 0.1 f1 <= 0.5 */
    podium_simplex p;
    double weights[2];
    ck_assert(podium_simplex_make(&p, 2, 2));
    p.table[0] = p.table[1] = p.lower[0] = p.upper[0] = 1;
    p.table[2] = 0.9;
    p.table[3] = 0.1;
    p.lower[1] = 0.2;
    p.upper[1] = 0.5;
    ck_assert(podium_simplex_start(&p, 10));
    podium_simplex_solve(&p, weights, (const double[]){1, 0}, 10); /* f0 = 0.5 */
    ck_assert_double_eq_tol(weights[0] + 0.5 * weights[1], 0.5, 1e-12);
    ck_assert_double_eq_tol(weights[1], 1.25, 1e-12);
    podium_simplex_solve(&p, weights, (const double[]){0, 1}, 10); /* f1 = 7/8 */
    ck_assert_double_eq_tol(weights[0] + 0.2 * weights[1], 0.875, 1e-12);
    ck_assert_double_eq_tol(weights[1], -1.25, 1e-12);
    podium_simplex_clear(&p);
}
END_TEST

START_TEST(program_without_a_solution) { /* f0 + f1 = 1 and f0 + f1 >= 2 */
    podium_simplex p;
    ck_assert(podium_simplex_make(&p, 2, 2));
    for (int i = 0; i < 4; i++)
        p.table[i] = 1;
    p.lower[0] = p.upper[0] = 1;
    p.lower[1] = 2;
    p.upper[1] = 3;
    ck_assert(!podium_simplex_start(&p, 10));
    podium_simplex_clear(&p);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("band");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, program_is_solved);
    tcase_add_test(tests, program_without_a_solution);
    tcase_add_test(tests, blocks_divide_the_support);
    tcase_add_test(tests, limits_of_very_many_reports);
    tcase_add_test(tests, no_value_escapes_the_proof);
    tcase_add_test(tests, shares_are_those_of_the_edges_around);
    tcase_add_test(tests, quantiles_are_edges);
    tcase_add_test(tests, errors_leave_the_band_alone);
    tcase_add_test(tests, one_report_is_enough);
    tcase_add_test(tests, says_nothing_if_no_values_fit);
    tcase_add_test(tests, two_outputs_bound_by_the_mean);
    tcase_add_test(tests, more_reports_make_it_narrower);
    tcase_add_test(tests, covers_hard_populations);
    return run_tests("band", tests);
}
