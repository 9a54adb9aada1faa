/* Summaries: the questions, the answers, and what is withheld because it is not known. */
#include <check.h>
#include <math.h>

#include "support.h"

#define MANY 20000

static double values[MANY], reports[MANY];

/* ---- Reports to sum up ---- */

/* Most of the values are in the lower half of the range, so that thousands of reports show the distribution. */
static podium_aggregate skewed_values(const podium_collection *c, size_t n) {
    const podium_spec spec = podium_collection_spec(c);
    uint64_t seed = 701;
    podium_random random = seeded_random(&seed);
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    for (size_t i = 0; i < n; i++) {
        double along = seeded_uniform(&seed);
        values[i] = spec.min + (spec.max - spec.min) * along * along;
    }
    ck_assert_int_eq(podium_privatize_from(c, &random, reports, values, n), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_add(c, &a, reports, n), PODIUM_OK);
    return a;
}

static podium_aggregate times(const podium_collection *c, double report, size_t n) {
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(podium_aggregate_add(c, &a, &report, 1), PODIUM_OK);
    ck_assert_uint_eq(podium_aggregate_count(&a), n);
    return a;
}

static podium_summary summary_of(const podium_collection *c, const podium_aggregate *a, const podium_question *q) {
    static podium_summary s;
    memset(&s, 0x5a, sizeof s);
    ck_assert_int_eq(podium_summary_make(c, NULL, &s, a, q), PODIUM_OK);
    return s;
}

/* Compares two numbers; NaN equals NaN. */
static bool same_number(double a, double b) {
    return isnan(a) ? isnan(b) : a == b;
}

static bool same_distribution(const podium_distribution *a, const podium_distribution *b) {
    bool same = a->min == b->min && a->max == b->max && a->bins == b->bins && a->steps == b->steps;
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        same &= same_number(a->share[j], b->share[j]) && same_number(a->below_lower[j], b->below_lower[j]) &&
                same_number(a->bin_upper[j], b->bin_upper[j]);
    return same && a->telling == b->telling;
}

static bool same_summary(const podium_summary *a, const podium_summary *b) {
    return a->count == b->count && a->refused == b->refused && a->confidence == b->confidence &&
           a->interval == b->interval && a->population == b->population && a->interval_known == b->interval_known &&
           a->mean_known == b->mean_known && same_number(a->mean, b->mean) &&
           same_number(a->standard_error, b->standard_error) && same_number(a->lower, b->lower) &&
           same_number(a->upper, b->upper) && a->mean_is_outside == b->mean_is_outside &&
           same_number(a->influence, b->influence) && a->spread_known == b->spread_known &&
           same_number(a->variance, b->variance) && same_number(a->standard_deviation, b->standard_deviation) &&
           a->shape_known == b->shape_known && same_distribution(&a->distribution, &b->distribution);
}

/* ---- Numbers that are not known are NaN ---- */

static void expect_mean_withheld(const podium_summary *s) {
    ck_assert_int_eq(s->mean_known, PODIUM_KNOWN_TOO_FEW);
    ck_assert_int_eq(s->interval_known, PODIUM_KNOWN_TOO_FEW);
    ck_assert(isnan(s->mean) && isnan(s->standard_error) && isnan(s->lower) && isnan(s->upper) && !s->mean_is_outside);
    ck_assert(isnan(s->influence));
}

static void expect_spread_withheld(const podium_summary *s, podium_known why) {
    ck_assert_int_eq(s->spread_known, why);
    ck_assert(isnan(s->variance) && isnan(s->standard_deviation));
}

static void expect_shape_withheld(const podium_summary *s, podium_known why) {
    const podium_distribution *d = &s->distribution;
    ck_assert_int_eq(s->shape_known, why);
    ck_assert(!d->telling && isnan(podium_distribution_quantile(d, 0.5)));
    ck_assert(isnan(podium_distribution_below(d, d->max)) && isnan(podium_distribution_bin(d, 0).share));
    for (uint32_t j = 0; j < d->bins; j++)
        ck_assert(isnan(d->share[j]));
}

/* ---- What is asked ---- */

START_TEST(defaults) {
    static const podium_question zeros, spelt = {.confidence = 0.95, .interval = PODIUM_INTERVAL_NORMAL};
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 2, 0, 10);
        podium_aggregate a = skewed_values(&c, 1000);
        podium_summary none = summary_of(&c, &a, NULL), of_zeros = summary_of(&c, &a, &zeros),
                       of_spelt = summary_of(&c, &a, &spelt);
        ck_assert(same_summary(&none, &of_zeros) && same_summary(&none, &of_spelt));
        ck_assert(none.confidence == 0.95 && none.interval == PODIUM_INTERVAL_NORMAL);
        ck_assert(isnan(none.influence));
        expect_shape_withheld(&none, PODIUM_KNOWN_NOT_ASKED);
        ck_assert(none.distribution.min == 0 && none.distribution.max == 10);
    }
}
END_TEST

/* The summary has the mean of the reports, and everything from the internal estimate. */
START_TEST(says_what_was_estimated) {
    static const podium_question questions[] = {{.confidence = 0.5},
                                                {.confidence = 0.999},
                                                {.confidence = 0.9, .interval = PODIUM_INTERVAL_GUARANTEED},
                                                {.interval = PODIUM_INTERVAL_GUARANTEED},
                                                {.interval = PODIUM_INTERVAL_GUARANTEED, .population = true},
                                                {.interval = PODIUM_INTERVAL_ANYTIME}};
    FOR_EACH_MECHANISM (m)
        for (size_t i = 0; i < LENGTH(questions); i++) {
            const podium_question *q = &questions[i];
            podium_collection c = collection_of(m, 4, -7, 13);
            podium_aggregate a = skewed_values(&c, MANY);
            podium_summary s = summary_of(&c, &a, q);
            podium_estimate e;
            double sum = 0;
            for (size_t k = 0; k < MANY; k++)
                sum += reports[k];
            ck_assert_double_eq_tol(s.mean, sum / MANY, 1e-9);
            podium_question complete = *q;
            complete.confidence = q->confidence == 0 ? 0.95 : q->confidence;
            ck_assert_int_eq(podium_estimate_make(&e, podium_layout_of(&c), podium_sums_of(&a), &complete), PODIUM_OK);
            ck_assert(s.mean_known == PODIUM_KNOWN_ESTIMATED && s.count == MANY && s.refused == 0);
            ck_assert(s.confidence == e.confidence && s.interval == e.interval && s.mean == e.mean);
            ck_assert(s.standard_error == e.standard_error && s.lower == e.lower && s.upper == e.upper);
            ck_assert(s.lower < s.mean && s.mean < s.upper && !s.mean_is_outside);
            if (podium_collection_cells(&c) == 2)
                continue;
            ck_assert_int_eq(s.spread_known, PODIUM_KNOWN_ESTIMATED);
            ck_assert(s.variance == e.variance && s.standard_deviation == sqrt(s.variance));
        }
}
END_TEST

START_TEST(counts) {
    static const double strangers[] = {NAN, INFINITY, 1e300};
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 10);
        podium_aggregate a = times(&c, podium_collection_least(&c), 5);
        ck_assert_int_eq(podium_aggregate_add(&c, &a, strangers, LENGTH(strangers)), PODIUM_OK);
        podium_summary s = summary_of(&c, &a, NULL);
        ck_assert(s.count == 5 && s.refused == 3);
    }
}
END_TEST

static podium_status ask(const podium_collection *c, const podium_channel *channel, const podium_aggregate *a,
                         const podium_question *q) {
    static podium_summary s, before;
    memset(&s, 0x5a, sizeof s);
    before = s;
    podium_status status = podium_summary_make(c, channel, &s, a, q);
    ck_assert(status == PODIUM_OK || memcmp(&s, &before, sizeof s) == 0); /* untouched on failure */
    return status;
}

/* An interval for all numbers of reports at once does not hold if some reports were taken out. Others do. */
START_TEST(anytime_after_a_subtraction) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10);
    podium_aggregate a = skewed_values(&c, 100), gone = times(&c, reports[3], 1);
    const podium_question anytime = {.interval = PODIUM_INTERVAL_ANYTIME};
    podium_summary s = summary_of(&c, &a, &anytime);
    ck_assert(s.interval_known == PODIUM_KNOWN_ESTIMATED && s.lower < s.upper);
    ck_assert_int_eq(podium_aggregate_subtract(&c, &a, &gone), PODIUM_OK);
    s = summary_of(&c, &a, &anytime);
    ck_assert(s.mean_known == PODIUM_KNOWN_ESTIMATED && s.interval_known == PODIUM_KNOWN_SUBTRACTED);
    ck_assert(isnan(s.lower) && isnan(s.upper));
    s = summary_of(&c, &a, &(podium_question){.interval = PODIUM_INTERVAL_GUARANTEED});
    ck_assert(s.interval_known == PODIUM_KNOWN_ESTIMATED && s.lower < s.upper);
}
END_TEST

START_TEST(questions_that_are_not_valid) {
    static const double confidences[] = {-0.1, 1, 1.1, NAN, INFINITY, -INFINITY};
    static const int intervals[] = {-1, 3, 99};
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10);
    for (size_t n = 0; n <= 3; n++) { /* even with few reports */
        podium_aggregate a = times(&c, podium_collection_least(&c), n);
        for (size_t i = 0; i < LENGTH(confidences); i++)
            ck_assert_int_eq(ask(&c, NULL, &a, &(podium_question){.confidence = confidences[i]}),
                             PODIUM_ERROR_ARGUMENT_WRONG);
        for (size_t i = 0; i < LENGTH(intervals); i++)
            ck_assert_int_eq(ask(&c, NULL, &a, &(podium_question){.interval = (podium_interval)intervals[i]}),
                             PODIUM_ERROR_ARGUMENT_WRONG);
        ck_assert_int_eq(ask(&c, NULL, &a, &(podium_question){.confidence = nextafter(1, 0)}), PODIUM_OK);
        ck_assert_int_eq(ask(&c, NULL, &a, &(podium_question){.confidence = nextafter(0, 1)}), PODIUM_OK);
    }
}
END_TEST

START_TEST(of_another_collection) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10),
                      other = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 11);
    podium_aggregate a = times(&c, podium_collection_least(&c), 3), bent = a;
    podium_channel *own, *wrong;
    ck_assert_int_eq(podium_channel_make(&c, &own), PODIUM_OK);
    ck_assert_int_eq(podium_channel_make(&other, &wrong), PODIUM_OK);
    for (int shape = 0; shape <= 1; shape++) { /* a wrong channel is rejected even if it is not needed */
        podium_question q = {.shape = shape == 1};
        ck_assert_int_eq(ask(&c, own, &a, &q), PODIUM_OK);
        ck_assert_int_eq(ask(&c, wrong, &a, &q), PODIUM_ERROR_FINGERPRINT_WRONG);
        ck_assert_int_eq(ask(&other, NULL, &a, &q), PODIUM_ERROR_FINGERPRINT_WRONG);
        ck_assert_int_eq(ask(&other, wrong, &a, &q), PODIUM_ERROR_FINGERPRINT_WRONG);
    }
    podium_sums_in(&bent)->bin_bits++; /* the fingerprint is right, but the bins belong to another collection */
    ck_assert_int_eq(ask(&c, NULL, &bent, NULL), PODIUM_ERROR_FINGERPRINT_WRONG);
    podium_channel_free(own);
    podium_channel_free(wrong);
}
END_TEST

START_TEST(not_initialised) {
    static const podium_collection none;
    static const podium_aggregate zeros;
    static const podium_question shape = {.shape = true};
    ck_assert_int_eq(ask(&none, NULL, &zeros, NULL), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_int_eq(ask(&none, NULL, &zeros, &shape), PODIUM_ERROR_NOT_INITIALISED);
}
END_TEST

/* ---- What is withheld ---- */

START_TEST(too_few_reports) { /* Too few reports are an answer and not a failure. */
    static const podium_question all = {.shape = true, .dishonest = 1};
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 10);
        const bool tells = podium_collection_cells(&c) > 2;
        for (size_t n = 0; n <= 1; n++) {
            podium_aggregate a = times(&c, podium_collection_least(&c), n);
            podium_summary s = summary_of(&c, &a, &all);
            ck_assert(s.count == n && s.refused == 0 && s.confidence == 0.95);
            expect_mean_withheld(&s);
            expect_spread_withheld(&s, tells ? PODIUM_KNOWN_TOO_FEW : PODIUM_KNOWN_UNTOLD);
            expect_shape_withheld(&s, tells ? PODIUM_KNOWN_TOO_FEW : PODIUM_KNOWN_UNTOLD);
        }
    }
}
END_TEST

/* Two reports have a mean, but not yet a distribution. */
START_TEST(too_few_for_a_shape) {
    static const podium_question shape = {.shape = true};
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 10);
        podium_aggregate a = times(&c, podium_collection_least(&c), 2);
        podium_summary s = summary_of(&c, &a, &shape);
        ck_assert_int_eq(s.mean_known, PODIUM_KNOWN_ESTIMATED);
        expect_shape_withheld(&s, podium_collection_cells(&c) > 2 ? PODIUM_KNOWN_TOO_FEW : PODIUM_KNOWN_UNTOLD);
    }
}
END_TEST

START_TEST(two_cells) { /* With two cells, any number of reports shows only the mean. */
    static const podium_question shape = {.shape = true};
    podium_collection two[] = {collection_of(PODIUM_MECHANISM_DUCHI, 1, 0, 10),
                               collection_of(PODIUM_MECHANISM_HYBRID, 0.5, 0, 10), minimax_of(1, 2)};
    for (size_t i = 0; i < LENGTH(two); i++) {
        podium_channel *channel;
        ck_assert_uint_eq(podium_collection_cells(&two[i]), 2);
        podium_aggregate a = skewed_values(&two[i], MANY);
        podium_summary s = summary_of(&two[i], &a, &shape), given;
        ck_assert_int_eq(s.mean_known, PODIUM_KNOWN_ESTIMATED);
        ck_assert(s.mean == s.mean && s.lower < s.upper);
        expect_spread_withheld(&s, PODIUM_KNOWN_UNTOLD);
        expect_shape_withheld(&s, PODIUM_KNOWN_UNTOLD);
        ck_assert_int_eq(podium_channel_make(&two[i], &channel), PODIUM_OK);
        ck_assert_int_eq(podium_summary_make(&two[i], channel, &given, &a, &shape), PODIUM_OK);
        ck_assert(same_summary(&s, &given));
        podium_channel_free(channel);
    }
}
END_TEST

static podium_aggregate of_cells(const podium_collection *c, const uint32_t *cells, size_t n) {
    podium_aggregate a;
    podium_aggregate_init(c, &a);
    ck_assert_int_eq(podium_aggregate_add_cells(c, &a, cells, n), PODIUM_OK);
    return a;
}

/* Equal reports vary less than their noise should, and reports at both ends vary more than any values allow. */
START_TEST(clipped_spread) {
    FOR_EACH_MECHANISM (m) {
        podium_collection collection = collection_of(m, 1, 0, 10);
        const podium_layout *c = podium_layout_of(&collection);
        /* Cells that are not outputs of a pair. */
        const uint64_t cells = c->map == PODIUM_MAP_PAIR ? c->cells / 2 : c->cells;
        const uint32_t middle = (uint32_t)(cells - 1) / 2, alike[] = {middle, middle, middle};
        const uint32_t ends[] = {cell_worth(c, 0), cell_worth(c, c->worth_most)};
        podium_aggregate small = of_cells(&collection, alike, 3), large = of_cells(&collection, ends, 2);
        podium_summary of_small = summary_of(&collection, &small, NULL),
                       of_large = summary_of(&collection, &large, NULL);
        const bool tells = c->cells > 2;
        expect_spread_withheld(&of_small, tells ? PODIUM_KNOWN_TOO_SMALL : PODIUM_KNOWN_UNTOLD);
        expect_spread_withheld(&of_large, tells ? PODIUM_KNOWN_TOO_LARGE : PODIUM_KNOWN_UNTOLD);
        ck_assert_int_eq(of_small.mean_known, PODIUM_KNOWN_ESTIMATED); /* the mean is still known */
        ck_assert_int_eq(of_large.mean_known, PODIUM_KNOWN_ESTIMATED);
        ck_assert_double_eq_tol(of_large.mean, 5, 1e-6);
    }
}
END_TEST

START_TEST(names_of_intervals) {
    podium_interval found;
    for (int i = PODIUM_INTERVAL_NORMAL; i <= PODIUM_INTERVAL_ANYTIME; i++) {
        const char *name = podium_interval_name((podium_interval)i);
        ck_assert_int_eq(podium_interval_from_name(&found, name, strlen(name)), PODIUM_OK);
        ck_assert_int_eq(found, i);
    }
    ck_assert_ptr_null(podium_interval_name((podium_interval)(PODIUM_INTERVAL_ANYTIME + 1)));
    ck_assert_ptr_null(podium_interval_name((podium_interval)-1));
    found = PODIUM_INTERVAL_GUARANTEED;
    ck_assert_int_eq(podium_interval_from_name(&found, "norma", 5), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_interval_from_name(&found, "Normal", 6), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(podium_interval_from_name(&found, "", 0), PODIUM_ERROR_ARGUMENT_WRONG);
    ck_assert_int_eq(found, PODIUM_INTERVAL_GUARANTEED);
    ck_assert_str_eq(podium_summary_about(&(podium_summary){.population = false}), "these people");
    ck_assert_str_eq(podium_summary_about(&(podium_summary){.population = true}), "population");
}
END_TEST

START_TEST(words) {
    ck_assert_str_eq(podium_known_message(PODIUM_KNOWN_ESTIMATED), "");
    for (int a = PODIUM_KNOWN_TOO_FEW; a <= PODIUM_KNOWN_SUBTRACTED; a++) {
        ck_assert_str_ne(podium_known_message((podium_known)a), "");
        for (int b = PODIUM_KNOWN_ESTIMATED; b < a; b++)
            ck_assert_str_ne(podium_known_message((podium_known)a), podium_known_message((podium_known)b));
    }
    ck_assert_str_eq(podium_known_message((podium_known)(PODIUM_KNOWN_SUBTRACTED + 1)), "unknown");
    ck_assert_str_eq(podium_known_message((podium_known)-1), "unknown");
}
END_TEST

/* ---- What does not look right ---- */

static bool is_outside(const podium_collection *c, double report, size_t n) {
    podium_aggregate a = times(c, report, n);
    podium_summary s = summary_of(c, &a, NULL);
    ck_assert(s.lower >= 0 && s.upper <= 10);
    return s.mean_is_outside;
}

/* By six standard errors, which for equal reports are those of the least noise. If cells are close together, there
   are reports just inside and outside that limit; otherwise the ends of the support are used. */
START_TEST(mean_is_outside) {
    enum { REPORTS = 200 };
    size_t close = 0;
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 10);
        const double error = sqrt(podium_collection_variance_least(&c) / REPORTS);
        ck_assert(is_outside(&c, podium_collection_least(&c), REPORTS));
        ck_assert(is_outside(&c, podium_collection_most(&c), REPORTS));
        if (podium_collection_cells(&c) <= PODIUM_CELLS_MAX)
            continue;
        ck_assert(is_outside(&c, -6.01 * error, REPORTS) && !is_outside(&c, -5.99 * error, REPORTS));
        ck_assert(is_outside(&c, 10 + 6.01 * error, REPORTS) && !is_outside(&c, 10 + 5.99 * error, REPORTS));
        ck_assert(!is_outside(&c, 5, REPORTS));
        close++;
    }
    ck_assert_uint_ge(close, 5);
}
END_TEST

START_TEST(dishonest_reports) {
    static const uint64_t dishonest[] = {1, 3, 100, 101, UINT64_MAX};
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 10);
        const double support = podium_collection_most(&c) - podium_collection_least(&c);
        podium_aggregate a = skewed_values(&c, 100);
        ck_assert(isnan(summary_of(&c, &a, &(podium_question){.dishonest = 0}).influence));
        for (size_t i = 0; i < LENGTH(dishonest); i++) {
            const double share = dishonest[i] < 100 ? (double)dishonest[i] / 100 : 1;
            podium_summary s = summary_of(&c, &a, &(podium_question){.dishonest = dishonest[i]});
            ck_assert_double_eq_tol(s.influence, share * support, 1e-9 * support);
            ck_assert_double_eq(s.influence, podium_collection_influence(&c, dishonest[i], 100));
        }
    }
}
END_TEST

/* ---- The shape ---- */

/* A given channel and one that is made for the call lead to the same distribution as podium_distribution_make. */
START_TEST(shape_by_either_channel) {
    static const podium_question question = {.shape = true, .confidence = 0.9, .bins = 12, .dishonest = 2};
    static podium_summary given;
    static podium_distribution d;
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 2, -3, 5);
        podium_channel *channel;
        podium_aggregate a = skewed_values(&c, MANY);
        podium_summary own = summary_of(&c, &a, &question);
        ck_assert_int_eq(podium_channel_make(&c, &channel), PODIUM_OK);
        ck_assert_int_eq(podium_summary_make(&c, channel, &given, &a, &question), PODIUM_OK);
        ck_assert(same_summary(&own, &given));
        if (podium_collection_tells_spread(&c)) {
            ck_assert_int_eq(own.shape_known, PODIUM_KNOWN_ESTIMATED);
            ck_assert(own.distribution.telling && own.distribution.bins == 12 && own.distribution.confidence == 0.9);
            ck_assert_int_eq(podium_distribution_make(channel, &d, &a, 12, 0.9), PODIUM_OK);
            ck_assert(same_distribution(&own.distribution, &d));
            ck_assert_double_gt(podium_distribution_below(&own.distribution, 1), 0.6); /* the true share is 71% */
        }
        podium_channel_free(channel);
    }
}
END_TEST

/* With a guaranteed interval, the limits of the shape are those of the band, moved outwards by less than two of its
   parts. */
START_TEST(guaranteed_shape) {
    static const podium_question question = {
        .shape = true, .confidence = 0.9, .interval = PODIUM_INTERVAL_GUARANTEED, .bins = 7};
    static podium_band band;
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 2, -3, 5);
    podium_aggregate a = skewed_values(&c, MANY);
    podium_channel *channel;
    ck_assert_int_eq(podium_channel_make(&c, &channel), PODIUM_OK);
    ck_assert_int_eq(podium_band_make(channel, &band, &a, 0.9), PODIUM_OK);
    podium_channel_free(channel);
    podium_summary s = summary_of(&c, &a, &question);
    const double part = 8.0 / PODIUM_BAND_PARTS;
    for (double x = -3.5; x < 5.5; x += 0.01) {
        const podium_limits mine = podium_distribution_below_limits(&s.distribution, x);
        const podium_limits sure = podium_band_below(&band, x), left = podium_band_below(&band, x - 2 * part),
                            right = podium_band_below(&band, x + 2 * part);
        ck_assert(mine.lower <= sure.lower && mine.lower >= left.lower);
        ck_assert(mine.upper >= sure.upper && mine.upper <= right.upper);
    }
    for (double p = 0.05; p < 1; p += 0.05) {
        const podium_limits mine = podium_distribution_quantile_limits(&s.distribution, p);
        const podium_limits sure = podium_band_quantile(&band, p);
        ck_assert(mine.lower <= sure.lower && mine.lower >= sure.lower - 2 * part);
        ck_assert(mine.upper >= sure.upper && mine.upper <= sure.upper + 2 * part);
    }
    for (uint32_t i = 0; i < 7; i++) {
        const podium_bin bin = podium_distribution_bin(&s.distribution, i);
        /* Nobody is below the first bin, and everybody is below the end of the last. */
        const podium_limits from = podium_band_below(&band, i == 0 ? -4 : bin.from);
        const podium_limits to = podium_band_below(&band, i == 6 ? 6 : bin.to);
        ck_assert(bin.lower <= bin.share && bin.share <= bin.upper && bin.upper - bin.lower < 0.5);
        ck_assert(bin.lower <= fmax(0, to.lower - from.upper) + 1e-12);
        ck_assert(bin.upper >= fmin(1, to.upper - from.lower) - 1e-12);
    }
}
END_TEST

START_TEST(number_of_bins) { /* 0 stands for the default, and a bin has edges even if its share is not known. */
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 10);
    podium_aggregate a = times(&c, podium_collection_least(&c), 2);
    for (int shape = 0; shape <= 1; shape++) {
        podium_summary s = summary_of(&c, &a, &(podium_question){.shape = shape == 1});
        ck_assert_uint_eq(s.distribution.bins, PODIUM_BINS_DEFAULT);
        s = summary_of(&c, &a, &(podium_question){.shape = shape == 1, .bins = 5});
        for (uint32_t i = 0; i < 5; i++) {
            podium_bin bin = podium_distribution_bin(&s.distribution, i);
            ck_assert(bin.from == 2 * i && bin.to == 2 * (i + 1) && isnan(bin.share) && isnan(bin.lower));
        }
        ck_assert(isnan(podium_distribution_bin(&s.distribution, 5).from));
        ck_assert_int_eq(ask(&c, NULL, &a, &(podium_question){.shape = shape == 1, .bins = PODIUM_SHARES}), PODIUM_OK);
        ck_assert_int_eq(ask(&c, NULL, &a, &(podium_question){.shape = shape == 1, .bins = PODIUM_SHARES + 1}),
                         PODIUM_ERROR_ARGUMENT_WRONG);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("summary");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, says_what_was_estimated);
    tcase_add_test(tests, counts);
    tcase_add_test(tests, anytime_after_a_subtraction);
    tcase_add_test(tests, questions_that_are_not_valid);
    tcase_add_test(tests, of_another_collection);
    tcase_add_test(tests, not_initialised);
    tcase_add_test(tests, too_few_reports);
    tcase_add_test(tests, too_few_for_a_shape);
    tcase_add_test(tests, two_cells);
    tcase_add_test(tests, clipped_spread);
    tcase_add_test(tests, names_of_intervals);
    tcase_add_test(tests, words);
    tcase_add_test(tests, mean_is_outside);
    tcase_add_test(tests, dishonest_reports);
    tcase_add_test(tests, shape_by_either_channel);
    tcase_add_test(tests, guaranteed_shape);
    tcase_add_test(tests, number_of_bins);
    return run_tests("summary", tests);
}
