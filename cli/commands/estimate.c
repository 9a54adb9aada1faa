/* podium estimate: mean, interval, spread and shape of the values. */
#include "estimate.h"
#include "table/number.h"
#include "table/states.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_BY = OPTION_TABLE_OWN,
    OPTION_CONFIDENCE,
    OPTION_INTERVAL,
    OPTION_HISTOGRAM,
    OPTION_QUANTILES,
    OPTION_BOOTSTRAP,
    OPTION_DISHONEST,
    OPTION_FORMAT,
    OPTION_PLOT
};

/* ---- Estimating, with progress until the last group is done ---- */

typedef struct {
    const podium_collection *collection;
    const podium_channel *channel; /* one for all groups; NULL where no shape is asked for */
    const asked *asked;
    size_t group, groups; /* the one that is being estimated, from 0 */
} work;

/* A group is one step, and so is each repetition of the bootstrap. */
static void show_progress(void *context, uint32_t repetition) {
    const work *w = context;
    uint64_t steps = (uint64_t)w->asked->bootstrap + 1;
    char what[64] = "estimating";
    if (w->groups > 1)
        snprintf(what, sizeof what, "estimating group %zu of %zu", w->group + 1, w->groups);
    progress_show(what, w->group * steps + repetition, w->groups * steps, 0);
}

static void set_shape(result *r, const podium_aggregate *aggregate, work *w) {
    const asked *a = w->asked;
    podium_distribution fine; /* the same whatever is shown of it */
    require(podium_distribution_from(&fine, w->channel, aggregate), BAD_DATA);
    for (size_t i = 0; i < a->quantiles; i++)
        r->quantile[i] = podium_distribution_quantile(&fine, a->p[i]);
    if (a->bootstrap > 0)
        require(podium_distribution_bootstrap(r->lower, r->upper, w->channel, aggregate, a->p, a->quantiles,
                                              a->confidence, a->bootstrap, show_progress, w),
                BAD_DATA);
    r->shape = (podium_distribution){.min = fine.min,
                                     .max = fine.max,
                                     .telling = fine.telling,
                                     .bins = a->histogram == 0 ? TERMINAL_BINS : a->histogram};
    double width = (fine.max - fine.min) / r->shape.bins;
    for (uint32_t j = 0; j < r->shape.bins; j++)
        r->shape.share[j] = podium_distribution_below(&fine, fine.min + width * (j + 1)) -
                            podium_distribution_below(&fine, fine.min + width * j);
}

static result *result_of(const group *g, work *w) {
    const asked *a = w->asked;
    result *r = allocate(sizeof *r);
    memset(r, 0, sizeof *r);
    r->group = g->name;
    r->n = g->aggregate.count;
    r->refused = g->aggregate.refused;
    podium_status status = podium_estimate_make(&r->estimate, w->collection, &g->aggregate, a->interval, a->confidence);
    if (status == PODIUM_ERROR_TOO_FEW_REPORTS)
        return r;
    require(status, BAD_DATA);
    r->enough = true;
    r->influence = podium_collection_influence(w->collection, a->dishonest, r->n);
    if (w->channel != NULL)
        set_shape(r, &g->aggregate, w);
    return r;
}

static result **results_of(const groups *all, const podium_collection *collection, const asked *a, bool shape) {
    result **results = allocate((all->count + 1) * sizeof *results);
    podium_channel *channel = NULL;
    if (shape)
        require(podium_channel_make(&channel, collection, PODIUM_SHARES_FINE), BAD_DATA);
    work w = {collection, channel, a, 0, all->count};
    for (; w.group < all->count; w.group++) {
        show_progress(&w, 0);
        results[w.group] = result_of(all->group[w.group], &w);
    }
    progress_clear();
    podium_channel_free(channel);
    return results;
}

/* What is estimated from something else than this collection's reports betrays itself at times. */
static void warn(const result *r, const podium_collection *collection, bool codes) {
    const podium_estimate *e = &r->estimate;
    warn_of_refused(r->refused, r->n, codes);
    if (r->enough && (e->mean < collection->spec.min - 6 * e->standard_error ||
                      e->mean > collection->spec.max + 6 * e->standard_error))
        say("warning: the mean is far outside the range: these are hardly %s of this collection",
            codes ? "codes" : "reports");
}

static void quantiles_option(asked *a, const char *text) {
    for (const char *at = text; a->quantiles < QUANTILES_MAX;) {
        size_t n = strcspn(at, ",");
        double p;
        if (!number_read(&p, at, n) || p < 0 || p > 1)
            fail_usage("estimate", "--quantiles takes numbers from 0 to 1, with commas between them, not '%s'", text);
        a->p[a->quantiles++] = p;
        if (at[n] == '\0')
            return;
        at += n + 1;
    }
    fail_usage("estimate", "--quantiles takes at most %d numbers", QUANTILES_MAX);
}

static bool own_option(asked *a, table_options *options, int option, const char *argument) {
    switch (option) {
    case 'o':
        a->path = argument;
        return true;
    case OPTION_BY:
        options->by = argument;
        return true;
    case OPTION_CONFIDENCE:
        a->confidence = number_option("estimate", "--confidence", argument);
        if (!(a->confidence > 0 && a->confidence < 1))
            fail_usage("estimate", "--confidence is between 0 and 1, such as 0.95, not '%s'", argument);
        return true;
    case OPTION_INTERVAL:
        a->interval = (podium_interval)choice_option("estimate", "--interval", argument, interval_words);
        return true;
    case OPTION_HISTOGRAM:
        a->histogram = (uint32_t)count_option("estimate", "--histogram", argument, 1, PODIUM_SHARES_MAX);
        return true;
    case OPTION_QUANTILES:
        quantiles_option(a, argument);
        return true;
    case OPTION_BOOTSTRAP:
        a->bootstrap = (uint32_t)count_option("estimate", "--bootstrap", argument, 10, 10000);
        return true;
    case OPTION_DISHONEST:
        a->dishonest = count_option("estimate", "--dishonest", argument, 1, (uint64_t)1 << 53);
        return true;
    case OPTION_FORMAT:
        a->format = (output_format)choice_option("estimate", "--format", argument, format_words);
        return true;
    case OPTION_PLOT:
        a->plot = argument;
        return true;
    default:
        return table_option(options, option, argument);
    }
}

/* From states, whose collection is their own; or from reports. */
static groups groups_asked(const table_options *options, const collection_options *which, podium_collection *collection,
                           char name[PODIUM_NAME_MAX]) {
    bool states = input_begins(input_files(options->files)[0], PODIUM_AGGREGATE_PREFIX);
    if (!states) {
        *collection = collection_from(which, name);
        table *t = table_open(options);
        groups all = groups_from(t, collection, options);
        table_close(t);
        return all;
    }
    if (options->by != NULL || options->columns > 0 || options->codes)
        fail_usage("estimate", "a state has no columns: --by, --column and --codes are for reports");
    podium_aggregate merged = states_merged(options->files);
    name[0] = '\0';
    if (collection_given(which))
        *collection = collection_from(which, name);
    else
        require(podium_collection_init(collection, &merged.spec), BAD_DATA);
    if (collection->fingerprint != merged.fingerprint)
        fail(BAD_DATA, "%s: a state of another collection than the one given",
             options->files[0] == NULL ? "standard input" : options->files[0]);
    return groups_of_one(&merged);
}

int command_estimate(int argc, char **argv) {
    static const struct option known[] = {COLLECTION_OPTIONS,
                                          TABLE_OPTIONS,
                                          {"by", required_argument, NULL, OPTION_BY},
                                          {"confidence", required_argument, NULL, OPTION_CONFIDENCE},
                                          {"interval", required_argument, NULL, OPTION_INTERVAL},
                                          {"histogram", required_argument, NULL, OPTION_HISTOGRAM},
                                          {"quantiles", required_argument, NULL, OPTION_QUANTILES},
                                          {"bootstrap", required_argument, NULL, OPTION_BOOTSTRAP},
                                          {"dishonest", required_argument, NULL, OPTION_DISHONEST},
                                          {"format", required_argument, NULL, OPTION_FORMAT},
                                          {"plot", required_argument, NULL, OPTION_PLOT},
                                          {"output", required_argument, NULL, 'o'},
                                          {NULL, 0, NULL, 0}};
    collection_options which = {.command = "estimate"};
    table_options options = {.command = "estimate", .header = HEADER_AUTO, .doing = "reading"};
    asked a = {.confidence = 0.95};
    for (int option; (option = option_next(&which, argc, argv, known)) != -1;)
        if (!own_option(&a, &options, option, optarg))
            collection_option(&which, option, optarg);
    options.files = argv + optind;
    collection_apart(&which, options.files);
    bool grouped = options.by != NULL;
    if (a.bootstrap > 0 && a.quantiles == 0)
        fail_usage("estimate", "--bootstrap needs --quantiles");
    if (a.bootstrap > 0 && a.bootstrap < podium_bootstrap_least(a.confidence))
        fail_usage("estimate", "--bootstrap needs at least %.0f repetitions for a confidence of %g",
                   podium_bootstrap_least(a.confidence), a.confidence);
    if (a.plot != NULL && grouped)
        fail_usage("estimate", "--plot draws one group: leave out --by");
    if (grouped && a.format == FORMAT_TEXT && (a.histogram > 0 || a.dishonest > 0 || a.bootstrap > 0))
        fail_usage("estimate", "--histogram, --dishonest and --bootstrap with --by need --format json or csv");
    if (a.plot != NULL)
        plot_check("estimate", a.plot);

    podium_collection collection;
    char name[PODIUM_NAME_MAX];
    groups all = groups_asked(&options, &which, &collection, name);
    require_reports(&all, &collection, &options);
    bool asked_shape = a.histogram > 0 || a.quantiles > 0 || a.plot != NULL;
    if (asked_shape && collection.cells == 2)
        fail_usage("estimate",
                   "%s has two outputs at epsilon %g, which tell the mean alone: no histogram, quantiles or plot",
                   podium_mechanism_name(collection.spec.mechanism), collection.spec.epsilon);
    bool shape = asked_shape || (a.format == FORMAT_TEXT && !grouped && collection.cells > 2);
    result **results = results_of(&all, &collection, &a, shape);
    for (size_t i = 0; i < all.count; i++)
        warn(results[i], &collection, options.codes);
    if (!grouped && !results[0]->enough)
        fail(BAD_DATA, "%s: there %s %llu", podium_status_message(PODIUM_ERROR_TOO_FEW_REPORTS),
             results[0]->n == 1 ? "is" : "are", (unsigned long long)results[0]->n);
    output *out = output_open(a.path);
    if (a.plot != NULL)
        plot_write(a.plot, &(plot){name, &collection.spec, &results[0]->shape, &results[0]->estimate});
    print_results(out, results, all.count, &a, &collection, name, grouped);
    output_close(out);
    for (size_t i = 0; i < all.count; i++)
        free(results[i]);
    free(results);
    groups_free(&all);
    return DONE;
}
