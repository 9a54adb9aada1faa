/* podium estimate: mean, interval, spread and shape of the values. */
#include "estimate.h"
#include "collection.h"
#include "commands/commands.h"
#include "table/states.h"

#include <stdlib.h>
#include <string.h>

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
    for (size_t i = 0; i < a->quantiles.count; i++)
        r->quantile[i] = podium_distribution_quantile(&fine, a->quantiles.of[i]);
    if (a->bootstrap > 0)
        require(podium_distribution_bootstrap(r->lower, r->upper, w->channel, aggregate, a->quantiles.of,
                                              a->quantiles.count, a->confidence, a->bootstrap, show_progress, w),
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

/* ---- The command ---- */

typedef struct {
    collection_options which;
    table_options table;
    asked asked;
} settings;

static bool is_probability(double x) {
    return x >= 0 && x <= 1;
}

static const option by_option[] = {
    {.name = "by",
     .argument = "NAME|NUMBER",
     TO_TEXT(table_options, by),
     .help = "one estimate for each value of this column"},
    {.name = NULL},
};

enum { BOOTSTRAP_LEAST = 10, BOOTSTRAP_MOST = 10000 };
static const option asked_options[] = {
    ROW_CONFIDENCE(asked, confidence),
    {.name = "interval",
     TO_CHOICE(asked, interval),
     .words = interval_words,
     .help = "guaranteed: covers at least that often, for any number of reports"},
    {.name = "histogram",
     .argument = "BINS",
     TO_COUNT(asked, histogram, 1, PODIUM_SHARES_MAX),
     .help = "the shares of BINS equal parts of the range"},
    {.name = "quantiles",
     .argument = "P,P,...",
     TO_NUMBERS(asked, quantiles),
     .items = QUANTILES_MAX,
     .allowed = is_probability,
     .takes = "takes numbers from 0 to 1, with commas between them",
     .help = "the values below which these shares lie"},
    {.name = "bootstrap",
     .argument = "N",
     TO_COUNT(asked, bootstrap, BOOTSTRAP_LEAST, BOOTSTRAP_MOST),
     .help = "how much the quantiles vary with the reports, from N repetitions"},
    {.name = "dishonest",
     .argument = "K",
     TO_COUNT(asked, dishonest, 1, COUNT_MOST),
     .help = "the most that K dishonest reports can have moved the mean"},
    {.name = NULL},
};

static const option output_rows[] = {
    ROW_FORMAT,
    ROW_PLOT("a picture, SVG or PNG by the end of the name (needs gnuplot)"),
    ROW_OUTPUT,
    {.name = NULL},
};

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
    if (options->by != NULL || options->columns.count > 0 || options->codes)
        fail_usage("estimate", "a state has no columns: --by, --column and --codes are for reports");
    podium_aggregate merged = states_merged(collection, options->files);
    name[0] = '\0';
    if (collection_given(which))
        *collection = collection_from(which, name);
    if (collection->fingerprint != merged.fingerprint)
        fail(BAD_DATA, "%s: a state of another collection than the one given",
             options->files[0] == NULL ? "standard input" : options->files[0]);
    return groups_of_one(&merged);
}

static void check(const asked *a, bool grouped) {
    if (a->bootstrap > 0 && a->quantiles.count == 0)
        fail_usage("estimate", "--bootstrap needs --quantiles");
    if (a->bootstrap > 0 && a->bootstrap < podium_bootstrap_least(a->confidence))
        fail_usage("estimate", "--bootstrap needs at least %.0f repetitions for a confidence of %g",
                   podium_bootstrap_least(a->confidence), a->confidence);
    if (a->output.plot != NULL && grouped)
        fail_usage("estimate", "--plot draws one group: leave out --by");
    if (grouped && a->output.format == FORMAT_TEXT && (a->histogram > 0 || a->dishonest > 0 || a->bootstrap > 0))
        fail_usage("estimate", "--histogram, --dishonest and --bootstrap with --by need --format json or csv");
    if (a->output.plot != NULL)
        plot_check("estimate", a->output.plot);
}

/* Whether shares are to be estimated; a usage error if that is asked of a collection that cannot tell them */
static bool shape_wanted(const asked *a, const podium_collection *collection, bool grouped) {
    bool wanted = a->histogram > 0 || a->quantiles.count > 0 || a->output.plot != NULL;
    if (wanted && collection->cells == 2)
        fail_usage("estimate",
                   "%s has two outputs at epsilon %g, which tell the mean alone: no histogram, quantiles or plot",
                   podium_mechanism_name(collection->spec.mechanism), collection->spec.epsilon);
    return wanted || (a->output.format == FORMAT_TEXT && !grouped && collection->cells > 2);
}

static void require_enough(const result *r) {
    if (!r->enough)
        fail(BAD_DATA, "%s: there %s %llu", podium_status_message(PODIUM_ERROR_TOO_FEW_REPORTS),
             r->n == 1 ? "is" : "are", (unsigned long long)r->n);
}

static void write_results(result **results, size_t count, const asked *a, const podium_collection *collection,
                          const char *name, bool grouped) {
    output *out = output_open(a->output.path);
    if (a->output.plot != NULL)
        plot_write(a->output.plot, &(plot){name, &collection->spec, &results[0]->shape, &results[0]->estimate});
    print_results(out, results, count, a, collection, name, grouped);
    output_close(out);
}

static int run(char **arguments) {
    settings s = {.which = {.command = "estimate"},
                  .table = {.header = HEADER_AUTO, .doing = "reading"},
                  .asked = {.confidence = 0.95}};
    s.table.files = options_parse(&command_estimate, &s, arguments);
    collection_apart(&s.which, s.table.files);
    const bool grouped = s.table.by != NULL;
    check(&s.asked, grouped);

    podium_collection collection;
    char name[PODIUM_NAME_MAX];
    groups all = groups_asked(&s.table, &s.which, &collection, name);
    require_reports(&all, &collection, &s.table);
    result **results = results_of(&all, &collection, &s.asked, shape_wanted(&s.asked, &collection, grouped));
    for (size_t i = 0; i < all.count; i++)
        warn(results[i], &collection, s.table.codes);
    if (!grouped)
        require_enough(results[0]);
    write_results(results, all.count, &s.asked, &collection, name, grouped);
    for (size_t i = 0; i < all.count; i++)
        free(results[i]);
    free(results);
    groups_free(&all);
    return DONE;
}

const command command_estimate = {
    .name = "estimate",
    .summary = "mean, interval, spread and shape of the values",
    .usage = "[OPTIONS] [FILE...]",
    .operands = true,
    .note = "FILE is a file of reports, or of states.",
    .groups = {{.heading = COLLECTION_HEADING, .options = collection_option, .record = offsetof(settings, which)},
               {.options = spec_options,
                .record = offsetof(settings, which),
                .note = "A state carries its collection; it need not be given."},
               {.heading = INPUT_HEADING, .options = column_option, .record = offsetof(settings, table)},
               {.options = table_form, .record = offsetof(settings, table)},
               {.options = report_options, .record = offsetof(settings, table)},
               {.options = by_option, .record = offsetof(settings, table)},
               {.heading = "What to estimate", .options = asked_options, .record = offsetof(settings, asked)},
               {.heading = OUTPUT_HEADING, .options = output_rows, .record = offsetof(settings, asked.output)}},
    .run = run,
};
