/* The collector's half: aggregates, summaries, differences, and what is known before the first report. */
#include "core.h"

#include <podium_analysis.h>
#include <string.h>

static podium_aggregate aggregates[2]; /* the one that calls are about, and the other one */
static podium_bounds bounds;
static podium_summary summary;
static podium_shape shape;

static podium_status number_out(podium_status status, double x) {
    shared.numbers[0] = x;
    return status;
}

EXPORT(aggregates) void *aggregates_address(void) {
    return aggregates;
}

EXPORT(aggregateSize) size_t aggregate_size(void) {
    return sizeof *aggregates;
}

EXPORT(bounds) void *bounds_address(void) {
    return &bounds;
}

EXPORT(boundsSize) size_t bounds_size(void) {
    return sizeof bounds;
}

/* ---- Words ---- */

EXPORT(knownMessage) const char *known_message(podium_known known) {
    return podium_known_message(known);
}

EXPORT(intervalName) const char *interval_name(podium_interval interval) {
    return podium_interval_name(interval);
}

EXPORT(strengthName) const char *strength_name(podium_strength strength) {
    return podium_strength_name(strength);
}

EXPORT(about) const char *about(void) {
    return podium_summary_about(&summary);
}

/* ---- Collections ---- */

/* Makes the collection for which podium_choose finds the least noise. */
EXPORT(choose)
podium_status choose(double epsilon, double min, double max, uint32_t most_cells, podium_objective objective) {
    const podium_spec given = {.epsilon = epsilon, .min = min, .max = max, .cells = most_cells};
    podium_spec chosen;
    podium_status status = podium_choose(&chosen, &given, objective);
    return status == PODIUM_OK ? podium_collection_init(&collection, &chosen) : status;
}

EXPORT(variance) double variance(double x) {
    return podium_collection_variance(&collection, x);
}

EXPORT(varianceMost) double variance_most(void) {
    return podium_collection_variance_most(&collection);
}

EXPORT(varianceLeast) double variance_least(void) {
    return podium_collection_variance_least(&collection);
}

EXPORT(tellsSpread) bool tells_spread(void) {
    return podium_collection_tells_spread(&collection);
}

EXPORT(noise) double noise(podium_objective objective) {
    return podium_collection_noise(&collection, objective);
}

/* Replaces n values in the page by the probabilities with which each has this cell. */
EXPORT(likelihood) void likelihood(double cell, size_t n) {
    const uint64_t number = cell >= 0 && cell < 0x1p32 ? (uint64_t)cell : UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        shared.numbers[i] = podium_collection_likelihood(&collection, shared.numbers[i], number);
}

/* ---- Aggregates ---- */

EXPORT(aggregateInit) void aggregate_init(void) {
    podium_aggregate_init(&collection, aggregates);
}

EXPORT(count) double count(void) {
    return (double)podium_aggregate_count(aggregates);
}

EXPORT(refused) double refused(void) {
    return (double)podium_aggregate_refused(aggregates);
}

EXPORT(add) podium_status add(size_t n) {
    return podium_aggregate_add(&collection, aggregates, shared.numbers, n);
}

EXPORT(addCells) podium_status add_cells(size_t n) {
    return podium_aggregate_add_cells(&collection, aggregates, cells, n);
}

EXPORT(merge) podium_status merge(void) {
    return podium_aggregate_merge(&aggregates[0], &aggregates[1]);
}

EXPORT(subtract) podium_status subtract(void) {
    return podium_aggregate_subtract(&collection, &aggregates[0], &aggregates[1]);
}

EXPORT(checkAggregate) podium_status check_aggregate(void) {
    return podium_aggregate_check(&collection, aggregates);
}

/* Writes the aggregate's bytes, or its line of text, into the page, and returns the length. */
EXPORT(encode) size_t encode(void) {
    return podium_aggregate_encode(aggregates, shared.bytes, sizeof shared.bytes);
}

EXPORT(formatAggregate) size_t format_aggregate(void) {
    return podium_aggregate_format(aggregates, shared.text, sizeof shared.text);
}

/* Read the aggregate from n bytes in the page. */
EXPORT(decode) podium_status decode(size_t n) {
    return podium_aggregate_decode(&collection, aggregates, shared.bytes, n);
}

EXPORT(parseAggregate) podium_status parse_aggregate(size_t n) {
    return podium_aggregate_parse(&collection, aggregates, shared.text, n);
}

/* Makes the collection of the aggregate in n bytes of the page. */
EXPORT(peek) podium_status peek(size_t n) {
    podium_spec spec;
    podium_status status = podium_aggregate_peek(&spec, shared.bytes, n);
    return status == PODIUM_OK ? podium_collection_init(&collection, &spec) : status;
}

/* ---- Summaries ---- */

/* Writes the address of a new channel of the collection into the page. */
EXPORT(channelMake) podium_status channel_make(void) {
    podium_channel *channel = NULL;
    const podium_status status = podium_channel_make(&collection, &channel);
    return number_out(status, (double)(uintptr_t)channel);
}

EXPORT(channelFree) void channel_free(podium_channel *channel) {
    podium_channel_free(channel);
}

EXPORT(boundsInit) podium_status bounds_init(void) {
    return podium_bounds_init(&collection, &bounds);
}

static podium_question question_of(double confidence, podium_interval interval, bool population) {
    return (podium_question){.confidence = confidence,
                             .interval = interval,
                             .population = population,
                             .bounds = interval == PODIUM_INTERVAL_NORMAL ? NULL : &bounds};
}

/* Writes the summary into the page, in the order of SUMMARY in aggregate.js; the distribution is estimated if there is
   a channel. */
EXPORT(summary)
podium_status summary_make(const podium_channel *channel, double confidence, podium_interval interval, bool population,
                           uint32_t bins, double dishonest) {
    podium_question question = question_of(confidence, interval, population);
    question.shape = channel != NULL;
    question.bins = bins;
    question.dishonest = (uint64_t)dishonest;
    const podium_status status = podium_summary_make(&collection, channel, &summary, aggregates, &question);
    const double all[] = {
        (double)summary.count, (double)summary.refused,    summary.confidence,     summary.mean_known,
        summary.mean,          summary.standard_error,     summary.interval_known, summary.lower,
        summary.upper,         summary.mean_is_outside,    summary.influence,      summary.spread_known,
        summary.variance,      summary.standard_deviation, summary.shape_known};
    memcpy(shared.numbers, all, sizeof all);
    return status;
}

static void three_out(double x, podium_limits limits) {
    shared.numbers[0] = x;
    shared.numbers[1] = limits.lower;
    shared.numbers[2] = limits.upper;
}

/* These are about the summary that was made last. */
EXPORT(quantile) void quantile(double p) {
    three_out(podium_distribution_quantile(&summary.distribution, p),
              podium_distribution_quantile_limits(&summary.distribution, p));
}

EXPORT(below) void below(double x) {
    three_out(podium_distribution_below(&summary.distribution, x),
              podium_distribution_below_limits(&summary.distribution, x));
}

EXPORT(bin) void bin(uint32_t number) {
    const podium_bin b = podium_distribution_bin(&summary.distribution, number);
    const double all[] = {b.from, b.to, b.share, b.lower, b.upper};
    memcpy(shared.numbers, all, sizeof all);
}

/* ---- Differences ---- */

EXPORT(difference) podium_status difference(double confidence, podium_interval interval, bool population) {
    const podium_question question = question_of(confidence, interval, population);
    podium_difference d = {.known = PODIUM_KNOWN_NOT_ASKED};
    const podium_status status = podium_difference_make(&collection, &d, &aggregates[0], &aggregates[1], &question);
    const double all[] = {d.confidence,     d.known, d.difference, d.standard_error,
                          d.interval_known, d.lower, d.upper,      d.p_value};
    memcpy(shared.numbers, all, sizeof all);
    return status;
}

/* Adjusts the n p-values in the page. */
EXPORT(adjust) podium_status adjust(size_t n) {
    return podium_differences_adjust(shared.numbers, shared.numbers, n);
}

/* ---- Plans ---- */

EXPORT(planError) podium_status plan_error(double people, double spread, double confidence) {
    double within = 0;
    const podium_status status = podium_plan_error(&collection, &within, people, spread, confidence);
    return number_out(status, within);
}

EXPORT(planPeople) podium_status plan_people(double within, double spread, double confidence) {
    double people = 0;
    const podium_status status = podium_plan_people(&collection, &people, within, spread, confidence);
    return number_out(status, people);
}

/* Makes the collection with the least epsilon that is enough. */
EXPORT(planEpsilon) podium_status plan_epsilon(double people, double within, double spread, double confidence) {
    const podium_spec spec = podium_collection_spec(&collection);
    return podium_plan_epsilon(&collection, &spec, people, within, spread, confidence);
}

EXPORT(planQuantile)
podium_status plan_quantile(const podium_channel *channel, bool asks_people, double given, double p,
                            double confidence) {
    double found = 0;
    const podium_status status = asks_people ? podium_plan_quantile_people(channel, &found, given, p, confidence)
                                             : podium_plan_quantile(channel, &found, given, p, confidence);
    return number_out(status, found);
}

EXPORT(planHistogram)
podium_status plan_histogram(const podium_channel *channel, bool asks_people, double given, uint32_t bins,
                             double confidence) {
    double found = 0;
    const podium_status status = asks_people ? podium_plan_histogram_people(channel, &found, given, bins, confidence)
                                             : podium_plan_histogram(channel, &found, given, bins, confidence);
    return number_out(status, found);
}

EXPORT(planDifference)
podium_status plan_difference(double within, uint32_t groups, double confidence, double power) {
    double found = 0;
    const podium_status status = podium_plan_difference(&found, within, groups, confidence, power);
    return number_out(status, found);
}

/* ---- Promises ---- */

EXPORT(promise) podium_status promise(double epsilon, double prior) {
    podium_promise p = {.epsilon = epsilon};
    const podium_status status = podium_promise_make(&p, epsilon, prior);
    const double all[] = {p.factor, p.prior, p.least, p.most, p.strength};
    memcpy(shared.numbers, all, sizeof all);
    return status;
}

EXPORT(span) podium_status span(double x, double share) {
    podium_limits limits = {0, 0};
    const podium_status status = podium_collection_span(&collection, &limits, x, share);
    three_out(x, limits);
    return status;
}

/* ---- Shape ---- */

EXPORT(shapeInit) podium_status shape_init(void) {
    const podium_spec spec = podium_collection_spec(&collection);
    return podium_shape_init(&shape, &spec);
}

/* Replaces n reports in the page by their densities at x. */
EXPORT(density) void density(double x, size_t n) {
    for (size_t i = 0; i < n; i++)
        shared.numbers[i] = podium_shape_density(&shape, x, shared.numbers[i]);
}
