/* podium estimate: mean, interval, spread and shape of the values. */
#include "number.h"
#include "states.h"

#include <getopt.h>
#include <math.h>
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

#define QUANTILES_MAX 99
#define TERMINAL_BINS 12 /* of the small histogram that text shows unasked */

static const char *const interval_words[] = {"normal", "guaranteed", NULL};

typedef struct {
    double confidence;
    podium_interval interval;
    uint32_t histogram; /* bins; 0: not asked for */
    double p[QUANTILES_MAX];
    size_t quantiles;
    uint32_t bootstrap; /* repetitions; 0: none */
    uint64_t dishonest;
    output_format format;
    const char *plot, *path;
} asked;

/* ---- What is known of one group ---- */

typedef struct {
    const char *group;
    uint64_t n, refused;
    bool enough; /* reports for an estimate */
    podium_estimate estimate;
    podium_distribution shape; /* in asked->histogram bins, or TERMINAL_BINS */
    double quantile[QUANTILES_MAX], lower[QUANTILES_MAX], upper[QUANTILES_MAX];
    double influence;
} result;

static void require(podium_status status) {
    if (status != PODIUM_OK)
        fail(status == PODIUM_OUT_OF_MEMORY ? BAD_IO : BAD_DATA, "%s", podium_status_message(status));
}

static void show_repetition(void *total, uint32_t done) {
    progress_show("bootstrapping", done, *(const uint32_t *)total, 0);
}

static void set_shape(result *r, const podium_collection *collection, const podium_aggregate *aggregate,
                      const asked *a) {
    podium_distribution fine; /* the same whatever is shown of it */
    require(podium_distribution_make(&fine, collection, aggregate, PODIUM_SHARES_FINE));
    for (size_t i = 0; i < a->quantiles; i++)
        r->quantile[i] = podium_distribution_quantile(&fine, a->p[i]);
    if (a->bootstrap > 0)
        require(podium_distribution_bootstrap(r->lower, r->upper, collection, aggregate, PODIUM_SHARES_FINE, a->p,
                                              a->quantiles, a->confidence, a->bootstrap, show_repetition,
                                              (void *)&a->bootstrap));
    progress_clear();
    r->shape = (podium_distribution){.min = fine.min,
                                     .max = fine.max,
                                     .telling = fine.telling,
                                     .bins = a->histogram == 0 ? TERMINAL_BINS : a->histogram};
    double width = (fine.max - fine.min) / r->shape.bins;
    for (uint32_t j = 0; j < r->shape.bins; j++)
        r->shape.share[j] = podium_distribution_below(&fine, fine.min + width * (j + 1)) -
                            podium_distribution_below(&fine, fine.min + width * j);
}

static result *result_of(const group *g, const podium_collection *collection, const asked *a, bool shape) {
    result *r = allocate(sizeof *r);
    memset(r, 0, sizeof *r);
    r->group = g->name;
    r->n = g->aggregate.count;
    r->refused = g->aggregate.refused;
    podium_status status = podium_estimate_make(&r->estimate, collection, &g->aggregate, a->interval, a->confidence);
    if (status == PODIUM_TOO_FEW_REPORTS)
        return r;
    require(status);
    r->enough = true;
    r->influence = podium_collection_influence(collection, a->dishonest, r->n);
    if (shape)
        set_shape(r, collection, &g->aggregate, a);
    return r;
}

/* What is estimated from something else than this collection's reports betrays itself at times. */
static void warn(const result *r, const podium_collection *collection, bool codes) {
    const podium_estimate *e = &r->estimate;
    warn_of_refused(r->refused, r->n, codes);
    if (r->enough && (e->mean < collection->spec.min - 6 * e->standard_error ||
                      e->mean > collection->spec.max + 6 * e->standard_error))
        fprintf(stderr, "podium: warning: the mean is far outside the range: these are hardly %s of this collection\n",
                codes ? "codes" : "reports");
}

/* ---- Text ---- */

/* A number with as many decimals as show two digits of its error; the plain number where that makes no sense. NaN is
   the variance of a mechanism with two outputs: they tell the mean alone. */
static const char *rounded(char text[64], double x, double error) {
    if (isnan(x))
        snprintf(text, 64, "unknown");
    else if (error > 1e-12 && error < 1e15)
        snprintf(text, 64, "%.*f", (int)fmax(1 - floor(log10(error)), 0), x);
    else
        snprintf(text, 64, "%.6g", x);
    return text;
}

static bool blocks_readable(void) {
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *locale = getenv(names[i]);
        if (locale != NULL && *locale != '\0')
            return strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL;
    }
    return false;
}

static void print_histogram(output *out, const podium_distribution *d) {
    double largest = 0, width = (d->max - d->min) / d->bins;
    for (uint32_t j = 0; j < d->bins; j++)
        largest = fmax(largest, d->share[j]);
    for (uint32_t j = 0; j < d->bins; j++) {
        output_print(out, "  %10.4g to %-10.4g %5.1f%%  ", d->min + width * j, d->min + width * (j + 1),
                     100 * d->share[j]);
        for (int k = 0; k < (int)nearbyint(40 * d->share[j] / largest); k++)
            output_print(out, "%s", blocks_readable() ? "█" : "#");
        output_print(out, "\n");
    }
}

static void print_text(output *out, const result *r, const asked *a) {
    const podium_estimate *e = &r->estimate;
    double error = e->standard_error;
    char x[64], y[64];
    output_print(out, "reports             %llu\n", (unsigned long long)r->n);
    if (r->refused > 0)
        output_print(out, "refused             %llu (outside the support: not reports of this collection)\n",
                     (unsigned long long)r->refused);
    output_print(out, "mean                %s\n", rounded(x, e->mean, error));
    output_print(out, "standard error      %s\n", rounded(x, error, error));
    output_print(out, "interval            %s to %s (%g%%, %s)\n", rounded(x, e->lower, error),
                 rounded(y, e->upper, error), 100 * e->confidence, interval_words[e->interval]);
    output_print(out, "standard deviation  %s%s\n", rounded(x, e->standard_deviation, error),
                 e->variance_clipped            ? " (the nearest that is possible: cannot be told from it)"
                 : isnan(e->standard_deviation) ? " (the mechanism has two outputs, which tell the mean alone)"
                                                : "");
    if (a->dishonest > 0)
        output_print(out, "dishonest           %llu such reports can have moved the mean by %s at the most\n",
                     (unsigned long long)a->dishonest, rounded(x, r->influence, error));
    if (a->quantiles > 0)
        output_print(out, "\nquantiles%s\n", a->bootstrap > 0 ? " (and how much they vary with the reports)" : "");
    for (size_t i = 0; i < a->quantiles; i++) {
        output_print(out, "  %9.4g%%  %s", 100 * a->p[i], rounded(x, r->quantile[i], error));
        if (a->bootstrap > 0)
            output_print(out, "  (%s to %s)", rounded(x, r->lower[i], error), rounded(y, r->upper[i], error));
        output_print(out, "\n");
    }
    if (r->shape.bins == 0)
        return;
    output_print(out, "\nshares of the range%s\n",
                 r->shape.telling ? "" : " (too few reports to tell: equal shares would do as well)");
    print_histogram(out, &r->shape);
}

static void print_text_groups(output *out, result **results, size_t count, const asked *a) {
    int width = 5;
    char text[64];
    for (size_t i = 0; i < count; i++)
        width = (int)fmax(width, fmin(40, (double)strlen(results[i]->group)));
    output_print(out, "%-*s %10s %14s %12s %14s %14s %14s", width, "group", "reports", "mean", "std error", "lower",
                 "upper", "std deviation");
    for (size_t k = 0; k < a->quantiles; k++)
        output_print(out, " %13.4g%%", 100 * a->p[k]);
    output_print(out, "\n");
    for (size_t i = 0; i < count; i++) {
        const result *r = results[i];
        const podium_estimate *e = &r->estimate;
        double error = e->standard_error, shown[] = {e->mean, error, e->lower, e->upper, e->standard_deviation};
        static const int widths[] = {14, 12, 14, 14, 14};
        output_print(out, "%-*s %10llu", width, r->group, (unsigned long long)r->n);
        if (!r->enough)
            output_print(out, " %14s", "too few");
        for (size_t k = 0; r->enough && k < sizeof shown / sizeof *shown; k++)
            output_print(out, " %*s", widths[k], rounded(text, shown[k], error));
        for (size_t k = 0; r->enough && k < a->quantiles; k++)
            output_print(out, " %14s", rounded(text, r->quantile[k], error));
        output_print(out, "\n");
    }
}

/* ---- JSON and CSV ---- */

static void print_quoted(output *out, const char *text, const char *escapes) {
    output_print(out, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*escapes == '\\' && (unsigned char)*c < ' ')
            output_print(out, "\\u%04x", (unsigned)*c);
        else
            output_print(out, "%s%c", *c == '"' ? escapes : *c == '\\' && *escapes == '\\' ? "\\" : "", *c);
    }
    output_print(out, "\"");
}

static void print_json_lists(output *out, const result *r, const asked *a) {
    const podium_distribution *d = &r->shape;
    double width = d->bins == 0 ? 0 : (d->max - d->min) / d->bins;
    if (a->dishonest > 0)
        output_print(out, ", \"dishonest\": %llu, \"influence\": %.17g", (unsigned long long)a->dishonest,
                     r->influence);
    if (a->quantiles > 0 || a->histogram > 0)
        output_print(out, ", \"telling\": %s", d->telling ? "true" : "false");
    if (a->quantiles > 0)
        output_print(out, ", \"quantiles\": [");
    for (size_t i = 0; i < a->quantiles; i++) {
        output_print(out, "%s{\"p\": %.17g, \"value\": %.17g", i == 0 ? "" : ", ", a->p[i], r->quantile[i]);
        if (a->bootstrap > 0)
            output_print(out, ", \"lower\": %.17g, \"upper\": %.17g", r->lower[i], r->upper[i]);
        output_print(out, "}");
    }
    if (a->quantiles > 0)
        output_print(out, "]");
    if (a->histogram == 0)
        return;
    output_print(out, ", \"histogram\": [");
    for (uint32_t j = 0; j < d->bins; j++)
        output_print(out, "%s{\"lower\": %.17g, \"upper\": %.17g, \"share\": %.17g}", j == 0 ? "" : ", ",
                     d->min + width * j, j + 1 == d->bins ? d->max : d->min + width * (j + 1), d->share[j]);
    output_print(out, "]");
}

static void print_json(output *out, const result *r, const asked *a, bool grouped) {
    const podium_estimate *e = &r->estimate;
    output_print(out, "{");
    if (grouped) {
        output_print(out, "\"group\": ");
        print_quoted(out, r->group, "\\");
        output_print(out, ", ");
    }
    output_print(out, "\"n\": %llu", (unsigned long long)r->n);
    if (r->refused > 0)
        output_print(out, ", \"refused\": %llu", (unsigned long long)r->refused);
    if (r->enough) {
        output_print(out,
                     ", \"mean\": %.17g, \"standard_error\": %.17g, \"confidence\": %.17g, \"interval\": \"%s\", "
                     "\"lower\": %.17g, \"upper\": %.17g, ",
                     e->mean, e->standard_error, e->confidence, interval_words[e->interval], e->lower, e->upper);
        if (isnan(e->variance))
            output_print(out, "\"variance\": null, \"standard_deviation\": null, ");
        else
            output_print(out, "\"variance\": %.17g, \"standard_deviation\": %.17g, ", e->variance,
                         e->standard_deviation);
        output_print(out, "\"variance_clipped\": %s", e->variance_clipped ? "true" : "false");
        print_json_lists(out, r, a);
    }
    output_print(out, "}");
}

/* One more number of a line, or an empty cell */
static void print_cell(output *out, bool known, double x) {
    if (known)
        output_print(out, ",%.17g", x);
    else
        output_print(out, ",");
}

static void print_csv_head(output *out, const asked *a, bool grouped) {
    output_print(out, "%sn,mean,standard_error,confidence,interval,lower,upper,variance,standard_deviation",
                 grouped ? "group," : "");
    for (size_t i = 0; i < a->quantiles; i++) {
        output_print(out, ",quantile_%.10g", a->p[i]);
        if (a->bootstrap > 0)
            output_print(out, ",quantile_%.10g_lower,quantile_%.10g_upper", a->p[i], a->p[i]);
    }
    for (uint32_t j = 1; j <= a->histogram; j++)
        output_print(out, ",share_%u", j);
    output_print(out, "%s,variance_clipped,refused\n", a->dishonest > 0 ? ",influence" : "");
}

static void print_csv_row(output *out, const result *r, const asked *a, bool grouped) {
    const podium_estimate *e = &r->estimate;
    if (grouped) {
        print_quoted(out, r->group, "\"");
        output_print(out, ",");
    }
    output_print(out, "%llu", (unsigned long long)r->n);
    print_cell(out, r->enough, e->mean);
    print_cell(out, r->enough, e->standard_error);
    print_cell(out, r->enough, e->confidence);
    output_print(out, ",%s", r->enough ? interval_words[e->interval] : "");
    print_cell(out, r->enough, e->lower);
    print_cell(out, r->enough, e->upper);
    print_cell(out, r->enough && !isnan(e->variance), e->variance);
    print_cell(out, r->enough && !isnan(e->variance), e->standard_deviation);
    for (size_t i = 0; i < a->quantiles; i++) {
        print_cell(out, r->enough, r->quantile[i]);
        if (a->bootstrap > 0) {
            print_cell(out, r->enough, r->lower[i]);
            print_cell(out, r->enough, r->upper[i]);
        }
    }
    for (uint32_t j = 0; j < a->histogram; j++)
        print_cell(out, r->enough, r->shape.share[j]);
    if (a->dishonest > 0)
        print_cell(out, r->enough, r->influence);
    output_print(out, ",%s,%llu\n",
                 !r->enough            ? ""
                 : e->variance_clipped ? "true"
                                       : "false",
                 (unsigned long long)r->refused);
}

/* ---- All of it ---- */

static void print_results(output *out, result **results, size_t count, const asked *a,
                          const podium_collection *collection, const char *name, bool grouped) {
    if (a->format == FORMAT_CSV) {
        print_csv_head(out, a, grouped);
        for (size_t i = 0; i < count; i++)
            print_csv_row(out, results[i], a, grouped);
    } else if (a->format == FORMAT_JSON) {
        output_print(out, grouped ? "[" : "");
        for (size_t i = 0; i < count; i++) {
            output_print(out, i == 0 ? "" : ",\n ");
            print_json(out, results[i], a, grouped);
        }
        output_print(out, grouped ? "]\n" : "\n");
    } else {
        output_print(out, "%s%s%s, epsilon %g, range %g to %g\n\n", name, *name == '\0' ? "" : ": ",
                     podium_mechanism_name(collection->spec.mechanism), collection->spec.epsilon, collection->spec.min,
                     collection->spec.max);
        if (grouped)
            print_text_groups(out, results, count, a);
        else
            print_text(out, results[0], a);
    }
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
    if (options->by != NULL || options->column != NULL || options->codes)
        fail_usage("estimate", "a state has no columns: --by, --column and --codes are for reports");
    podium_aggregate merged = states_merged(options->files);
    name[0] = '\0';
    if (collection_given(which))
        *collection = collection_from(which, name);
    else
        require(podium_collection_init(collection, &merged.spec));
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
    table_options options = {.command = "estimate", .header = 2, .doing = "estimating"};
    asked a = {.confidence = 0.95};
    for (int option; (option = getopt_long(argc, argv, "ho:", known, NULL)) != -1;)
        if (!own_option(&a, &options, option, optarg))
            collection_option(&which, option, optarg);
    options.files = argv + optind;
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
    bool asked_shape = a.histogram > 0 || a.quantiles > 0 || a.plot != NULL;
    if (asked_shape && collection.cells == 2)
        fail_usage("estimate",
                   "%s has two outputs at epsilon %g, which tell the mean alone: no histogram, quantiles or plot",
                   podium_mechanism_name(collection.spec.mechanism), collection.spec.epsilon);
    bool shape = asked_shape || (a.format == FORMAT_TEXT && !grouped && collection.cells > 2);
    result **results = allocate((all.count + 1) * sizeof *results);
    for (size_t i = 0; i < all.count; i++)
        results[i] = result_of(all.group[i], &collection, &a, shape);
    for (size_t i = 0; i < all.count; i++)
        warn(results[i], &collection, options.codes);
    if (!grouped && !results[0]->enough)
        fail(BAD_DATA, "%s: there %s %llu", podium_status_message(PODIUM_TOO_FEW_REPORTS),
             results[0]->n == 1 ? "is" : "are", (unsigned long long)results[0]->n);
    if (a.plot != NULL)
        plot_write(a.plot, &(plot){name, &collection.spec, &results[0]->shape, &results[0]->estimate});
    output *out = output_open(a.path);
    print_results(out, results, all.count, &a, &collection, name, grouped);
    output_close(out);
    for (size_t i = 0; i < all.count; i++)
        free(results[i]);
    free(results);
    groups_free(&all);
    return DONE;
}
