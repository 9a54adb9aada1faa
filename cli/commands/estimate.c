/* podium estimate: estimate the mean, spread and shape of the values. */
#include "estimate.h"
#include "commands/commands.h"
#include "commands/read_groups.h"
#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Estimating, with progress ---- */

typedef struct {
    const podium_collection *collection;
    const podium_channel *channel; /* one for all groups; NULL if no shape is wanted */
    const podium_bounds *bounds;   /* likewise; NULL if the interval is normal */
    const asked *asked;
    size_t group, groups; /* the current group, from 0, and how many there are */
} work;

static void show_progress(const work *w) {
    char what[64] = "estimating";
    if (w->groups > 1)
        snprintf(what, sizeof what, "estimating group %zu of %zu", w->group + 1, w->groups);
    progress_show(what, w->group, w->groups, 0);
}

static result *result_of(const group *g, const work *w) {
    const asked *a = w->asked;
    const podium_question question = {.confidence = a->confidence,
                                      .interval = a->interval,
                                      .population = a->population,
                                      .bounds = w->bounds,
                                      .shape = w->channel != NULL,
                                      .bins = bins_shown(a),
                                      .dishonest = a->dishonest};
    result *r = allocate(sizeof *r);
    r->group = g->name;
    r->trimmed = g->trimmed;
    r->suspect_influence =
        podium_collection_influence(w->collection, g->trimmed.suspect, podium_aggregate_count(&g->aggregate));
    require(podium_summary_make(w->collection, w->channel, &r->summary, &g->aggregate, &question), BAD_DATA);
    return r;
}

static result **results_of(const groups *all, const podium_collection *collection, const asked *a, bool shape) {
    result **results = allocate((all->count + 1) * sizeof *results);
    podium_channel *channel = NULL;
    podium_bounds bounds;
    if (shape)
        require(podium_channel_make(collection, &channel), BAD_DATA);
    if (a->interval != PODIUM_INTERVAL_NORMAL)
        require(podium_bounds_init(collection, &bounds), BAD_DATA);
    work w = {collection, channel, a->interval == PODIUM_INTERVAL_NORMAL ? NULL : &bounds, a, 0, all->count};
    for (; w.group < all->count; w.group++) {
        show_progress(&w);
        results[w.group] = result_of(all->group[w.group], &w);
    }
    progress_clear();
    podium_channel_free(channel);
    return results;
}

static void warn(const podium_summary *s, bool codes) {
    warn_of_refused(s->refused, s->count, codes);
    if (s->mean_is_outside)
        say("warning: the mean is far outside the range, so these are probably not %s of this collection",
            codes ? "codes" : "reports");
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    table_options table;
    asked asked;
    bool merge;
} settings;

static const option merge_option[] = {
    {.name = "merge",
     TO_FLAG(settings, merge),
     .help = "merge all aggregates into one; otherwise each has an estimate of its own"},
    {.name = NULL},
};

static const option trim_option[] = {
    {.name = "trim",
     TO_FLAG(table_options, trim),
     .help = "take out reports where there are more than honest people can have sent, and say how many"},
    {.name = NULL},
};

static bool is_probability(double x) {
    return x >= 0 && x <= 1;
}

static bool is_finite(double x) {
    return isfinite(x);
}

static const option asked_options[] = {
    ROW_CONFIDENCE(asked, confidence),
    {.name = "interval",
     TO_CHOICE(asked, interval),
     .words = interval_words,
     .help = "normal if not given; guaranteed holds for any number of reports; anytime holds for all numbers at once"},
    {.name = "population",
     TO_FLAG(asked, population),
     .help = "make the interval for a population from which these people were drawn at random"},
    {.name = "histogram",
     .argument = "BINS",
     TO_COUNT(asked, histogram, 1, PODIUM_SHARES),
     .help = "estimate the shares of BINS equal parts of the range"},
    {.name = "quantiles",
     .argument = "P,P,...",
     TO_NUMBERS(asked, quantiles),
     .items = QUANTILES_MAX,
     .allowed = is_probability,
     .takes = "takes numbers from 0 to 1, separated by commas",
     .help = "estimate the values below which these shares of the values, from 0 to 1, lie"},
    {.name = "below",
     .argument = "X,X,...",
     TO_NUMBERS(asked, below),
     .items = BELOW_MAX,
     .allowed = is_finite,
     .takes = "takes numbers, separated by commas",
     .help = "estimate the shares of the values below these numbers"},
    {.name = "dishonest",
     .argument = "K",
     TO_COUNT(asked, dishonest, 1, COUNT_MOST),
     .help = "compute how far K dishonest reports can have moved the mean"},
    {.name = NULL},
};

static const option output_rows[] = {
    ROW_FORMAT,     ROW_PLOT("draw a picture; FILE ends in .svg or .png (needs gnuplot), or is - for the terminal"),
    ROW_TITLE,      ROW_OUTPUT,
    {.name = NULL},
};

static bool in_terminal(const asked *a) {
    return a->output.plot != NULL && strcmp(a->output.plot, "-") == 0;
}

static void check(const asked *a) {
    if (in_terminal(a) && a->output.format != FORMAT_TEXT)
        fail_usage("estimate", "--plot - draws into the text; use --format text, or a file");
    if (a->output.plot != NULL && !in_terminal(a))
        plot_check("estimate", a->output.plot);
    if (a->output.title != NULL && a->output.plot == NULL)
        fail_usage("estimate", "--title is for --plot");
}

/* Is called before reports are read, and after aggregates are, because these may be groups. */
static void check_grouped(const asked *a) {
    if (a->output.format == FORMAT_TEXT && (a->histogram > 0 || a->dishonest > 0 || a->below.count > 0))
        fail_usage("estimate", "--histogram, --below and --dishonest of groups need --format json or csv");
}

/* Returns the first option that asks for the shape, or NULL. Plots of groups, or in the terminal, show only means. */
static const char *shape_option(const asked *a, bool grouped) {
    const struct {
        const char *name;
        bool given;
    } options[] = {{"--histogram", a->histogram > 0},
                   {"--quantiles", a->quantiles.count > 0},
                   {"--below", a->below.count > 0},
                   {"--plot", a->output.plot != NULL && !grouped && !in_terminal(a)}};
    for (size_t i = 0; i < LENGTH(options); i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

/* Returns whether the shape is to be estimated. Ends the program if it is asked for, but the cells of the collection do
   not reveal it. */
static bool shape_wanted(const asked *a, const podium_collection *collection, bool grouped) {
    const char *asking = shape_option(a, grouped);
    const bool possible = podium_collection_tells_spread(collection);
    const podium_spec spec = podium_collection_spec(collection);
    if (asking != NULL && !possible)
        fail_usage("estimate", "%s is not possible, because %s has two cells at epsilon %g, which reveal only the mean",
                   asking, podium_mechanism_name(spec.mechanism), spec.epsilon);
    return asking != NULL || (a->output.format == FORMAT_TEXT && !grouped && possible);
}

static void require_enough(const podium_summary *s) {
    if (s->mean_known != PODIUM_KNOWN_ESTIMATED)
        fail(BAD_DATA, "%s: there %s %llu", podium_status_message(PODIUM_ERROR_TOO_FEW_REPORTS),
             s->count == 1 ? "is" : "are", (unsigned long long)s->count);
}

static points points_of(result **results, size_t count, const asked *a, plot_head head) {
    points all = {head, a->confidence, allocate((count + 1) * sizeof *all.point), count, false};
    for (size_t i = 0; i < count; i++) {
        const podium_summary *s = &results[i]->summary;
        const char *name = *results[i]->group == '\0' && count == 1 ? "mean" : results[i]->group;
        all.point[i] = (point){name, s->mean_known == PODIUM_KNOWN_ESTIMATED, s->mean, s->lower, s->upper, 0};
    }
    points_order(&all);
    return all;
}

static void write_results(result **results, size_t count, const asked *a, const podium_collection *collection,
                          const char *name, bool grouped) {
    const podium_spec spec = podium_collection_spec(collection);
    output *out = output_open(a->output.path);
    plot_head head = {.title = a->output.title, .name = name, .spec = &spec};
    for (size_t i = 0; i < count; i++)
        head.reports += results[i]->summary.count;
    points all = points_of(results, count, a, head);
    if (a->output.plot != NULL && !in_terminal(a) && grouped)
        points_plot(a->output.plot, &all);
    else if (a->output.plot != NULL && !in_terminal(a))
        plot_write(a->output.plot, &(plot){head, &results[0]->summary});
    print_results(out, results, count, a, collection, name, grouped);
    if (in_terminal(a))
        points_chart(out, &all);
    output_close(out);
    free(all.point);
}

static int run(char **arguments) {
    settings s = {.which = {.command = "estimate", .exists = true},
                  .table = {.header = HEADER_AUTO, .doing = "reading"},
                  .asked = {.confidence = 0.95}};
    s.table.files = options_parse(&command_estimate, &s, arguments);
    collection_check_input(&s.which, s.table.files);
    check(&s.asked);
    if (s.table.by.count > 0)
        check_grouped(&s.asked);

    podium_collection collection;
    char name[PODIUM_NAME_MAX];
    groups all = read_groups(&collection, name, &s.table, &s.which, s.merge ? READ_MERGED : READ_BY_AGGREGATE);
    const bool grouped = all.grouped;
    if (grouped)
        check_grouped(&s.asked);
    result **results = results_of(&all, &collection, &s.asked, shape_wanted(&s.asked, &collection, grouped));
    for (size_t i = 0; i < all.count; i++)
        warn(&results[i]->summary, s.table.codes);
    if (!grouped)
        require_enough(&results[0]->summary);
    write_results(results, all.count, &s.asked, &collection, name, grouped);
    for (size_t i = 0; i < all.count; i++)
        free(results[i]);
    free(results);
    groups_free(&all);
    return DONE;
}

const command command_estimate = {
    .name = "estimate",
    .summary = "estimate the mean, spread and shape of the values",
    .usage = "[OPTIONS] [FILE...]",
    .operands = true,
    .note = "The files contain either reports or aggregates.",
    .groups = {{.heading = COLLECTION_HEADING, .options = collection_option, .record = offsetof(settings, which)},
               {.options = spec_options,
                .record = offsetof(settings, which),
                .note = "An aggregate contains its collection, so none need be given."},
               {.heading = INPUT_HEADING, .options = column_option, .record = offsetof(settings, table)},
               {.options = table_form, .record = offsetof(settings, table)},
               {.options = report_options, .record = offsetof(settings, table)},
               {.options = trim_option, .record = offsetof(settings, table)},
               {.options = by_option, .record = offsetof(settings, table)},
               {.options = merge_option},
               {.heading = "What to estimate", .options = asked_options, .record = offsetof(settings, asked)},
               {.heading = OUTPUT_HEADING, .options = output_rows, .record = offsetof(settings, asked.output)}},
    .run = run,
};
