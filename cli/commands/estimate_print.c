/* Prints estimates as text, JSON and CSV. */
#include "estimate.h"

#include <math.h>

const char *const interval_words[] = {"normal", "guaranteed", "anytime", NULL};

/* An estimate about the distribution, with its limits */
typedef struct {
    double estimate;
    podium_limits limits;
} limited;

static limited quantile_of(const podium_distribution *d, double p) {
    return (limited){podium_distribution_quantile(d, p), podium_distribution_quantile_limits(d, p)};
}

static limited below_of(const podium_distribution *d, double x) {
    return (limited){podium_distribution_below(d, x), podium_distribution_below_limits(d, x)};
}

static limited share_of(const podium_bin *bin) {
    return (limited){bin->share, {bin->lower, bin->upper}};
}

/* ---- Text ---- */

/* The bar of a share is solid up to its lower limit and shaded up to the estimate; a line ends at the upper limit. */
typedef enum { SURE, LIKELY, POSSIBLE, LIMIT, STROKES } stroke;
static const char *const strokes[STROKES][2] = {
    [SURE] = {"█", "#"},
    [LIKELY] = {"▒", "="},
    [POSSIBLE] = {"─", "-"},
    [LIMIT] = {"┤", "|"},
};

/* Prints strokes up to a column, and returns where they end. */
static int print_strokes(output *out, stroke which, int from, int to) {
    for (int i = from; i < to; i++)
        output_print(out, "%s", strokes[which][!blocks_readable()]);
    return to > from ? to : from;
}

static void print_bar(output *out, const podium_bin *bin, double scale) {
    const int estimate = (int)nearbyint(scale * bin->share), end = (int)nearbyint(scale * bin->upper);
    int at = print_strokes(out, SURE, 0, (int)nearbyint(scale * bin->lower));
    at = print_strokes(out, LIKELY, at, estimate);
    at = print_strokes(out, POSSIBLE, at, end - 1);
    print_strokes(out, LIMIT, at, end);
}

static void print_share(output *out, limited e) {
    output_print(out, "%5.1f%% (%5.1f to %5.1f)", 100 * e.estimate, 100 * e.limits.lower, 100 * e.limits.upper);
}

enum { LINE_WIDTH = 79, BAR_WIDTH = 40, BESIDES = 33 }; /* columns besides the edges of a bin and its bar */

static int edge_width(const podium_distribution *d) {
    int width = 0;
    for (uint32_t j = 0; j < d->bins; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        width = (int)fmax(width, fmax(snprintf(NULL, 0, "%.4g", bin.from), snprintf(NULL, 0, "%.4g", bin.to)));
    }
    return width;
}

static void print_histogram(output *out, const podium_distribution *d) {
    const int width = edge_width(d), left = LINE_WIDTH - BESIDES - 2 * width;
    double top = 0;
    for (uint32_t j = 0; j < d->bins; j++)
        top = fmax(top, podium_distribution_bin(d, j).upper);
    for (uint32_t j = 0; j < d->bins; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        output_print(out, "  %*.4g to %-*.4g  ", width, bin.from, width, bin.to);
        print_share(out, share_of(&bin));
        output_print(out, "  ");
        print_bar(out, &bin, fmin(left, BAR_WIDTH) / top);
        output_print(out, "\n");
    }
}

/* Are there enough reports for a mean? */
static bool is_known(const result *r) {
    return r->summary.mean_known == PODIUM_KNOWN_ESTIMATED;
}

static bool shape_known(const result *r) {
    return r->summary.shape_known == PODIUM_KNOWN_ESTIMATED;
}

static void print_quantiles(output *out, const result *r, const asked *a) {
    const double error = r->summary.standard_error;
    char value[ROUNDED_MAX], lower[ROUNDED_MAX], upper[ROUNDED_MAX];
    output_print(out, "\nquantiles, and their %g%% intervals\n", 100 * a->confidence);
    for (size_t i = 0; i < a->quantiles.count; i++) {
        const limited q = quantile_of(&r->summary.distribution, a->quantiles.of[i]);
        output_print(out, "  %9.4g%%  %s (%s to %s)\n", 100 * a->quantiles.of[i], rounded(value, q.estimate, error),
                     rounded(lower, q.limits.lower, error), rounded(upper, q.limits.upper, error));
    }
}

static void print_below(output *out, const result *r, const asked *a) {
    output_print(out, "\nshares of the values below, and their %g%% intervals\n", 100 * a->confidence);
    for (size_t i = 0; i < a->below.count; i++) {
        output_print(out, "  %10.6g  ", a->below.of[i]);
        print_share(out, below_of(&r->summary.distribution, a->below.of[i]));
        output_print(out, "\n");
    }
}

static void print_shape(output *out, const result *r, const asked *a) {
    if (!shape_known(r)) {
        output_print(out, "\n" SHAPE_WITHHELD ".\n");
        return;
    }
    if (a->quantiles.count > 0)
        print_quantiles(out, r, a);
    if (a->below.count > 0)
        print_below(out, r, a);
    output_print(out, "\nshares of the range, and their %g%% intervals\n", 100 * a->confidence);
    print_histogram(out, &r->summary.distribution);
}

static bool is_shape_shown(const result *r) {
    return r->summary.shape_known == PODIUM_KNOWN_ESTIMATED || r->summary.shape_known == PODIUM_KNOWN_TOO_FEW;
}

static void print_interval(output *out, const podium_summary *s) {
    char x[64], y[64];
    if (s->interval_known == PODIUM_KNOWN_ESTIMATED)
        output_print(out, "interval            %s to %s (%g%%, %s, %s)\n", rounded(x, s->lower, s->standard_error),
                     rounded(y, s->upper, s->standard_error), 100 * s->confidence, interval_words[s->interval],
                     podium_summary_about(s));
    else
        output_print(out, "interval            unknown (%s)\n", podium_known_message(s->interval_known));
}

static void print_text(output *out, const result *r, const asked *a) {
    const podium_summary *s = &r->summary;
    const double error = s->standard_error;
    char x[64];
    output_print(out, "reports             %llu\n", (unsigned long long)s->count);
    if (s->refused > 0)
        output_print(out, "refused             %llu (outside the support, so not reports of this collection)\n",
                     (unsigned long long)s->refused);
    if (r->trimmed.removed > 0)
        output_print(out, "trimmed             %llu (more than honest people can have sent, so not counted)\n",
                     (unsigned long long)r->trimmed.removed);
    output_print(out, "mean                %s\n", rounded(x, s->mean, error));
    output_print(out, "standard error      %s\n", rounded(x, error, error));
    print_interval(out, s);
    const bool known = s->spread_known == PODIUM_KNOWN_ESTIMATED;
    output_print(out, known ? "standard deviation  %s\n" : "standard deviation  %s (%s)\n",
                 rounded(x, s->standard_deviation, error), podium_known_message(s->spread_known));
    if (r->trimmed.removed > 0)
        output_print(out, "suspect             %llu more reports there can have moved the mean by at most %s\n",
                     (unsigned long long)r->trimmed.suspect, rounded(x, r->suspect_influence, error));
    if (a->dishonest > 0)
        output_print(out, "dishonest           %llu such reports can have moved the mean by at most %s\n",
                     (unsigned long long)a->dishonest, rounded(x, s->influence, error));
    if (is_shape_shown(r))
        print_shape(out, r, a);
}

static void print_text_head(output *out, int width, const asked *a) {
    output_print(out, "%-*s %10s %14s %12s %14s %14s %14s", width, "group", "reports", "mean", "std error", "lower",
                 "upper", "std deviation");
    for (size_t k = 0; k < a->quantiles.count; k++)
        output_print(out, " %13.4g%%", 100 * a->quantiles.of[k]);
    output_print(out, "\n");
}

/* A mark after the standard deviation shows why it is unknown. */
static const char *const marks[] = {
    [PODIUM_KNOWN_ESTIMATED] = "",  [PODIUM_KNOWN_TOO_FEW] = "", [PODIUM_KNOWN_TOO_SMALL] = "*",
    [PODIUM_KNOWN_TOO_LARGE] = "+", [PODIUM_KNOWN_UNTOLD] = "#", [PODIUM_KNOWN_NOT_ASKED] = "",
    [PODIUM_KNOWN_SUBTRACTED] = "",
};

/* Prints the numbers of a group. A mark replaces the blank before the next column. */
static void print_text_numbers(output *out, const result *r, const asked *a) {
    const podium_summary *s = &r->summary;
    const double error = s->standard_error, shown[] = {s->mean, error, s->lower, s->upper, s->standard_deviation};
    static const int widths[] = {14, 12, 14, 14, 14};
    const char *mark = marks[s->spread_known];
    char text[64];
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        output_print(out, " %*s", widths[k], rounded(text, shown[k], error));
    output_print(out, "%s", mark);
    for (size_t k = 0; k < a->quantiles.count; k++)
        output_print(out, k == 0 && *mark != '\0' ? "%14s" : " %14s",
                     shape_known(r) ? rounded(text, quantile_of(&s->distribution, a->quantiles.of[k]).estimate, error)
                                    : "too few");
}

/* Explains the marks that occur. */
static void print_remarks(output *out, result **results, size_t count) {
    bool any = false;
    for (size_t known = 0; known < LENGTH(marks); known++) {
        bool occurs = false;
        for (size_t i = 0; i < count; i++)
            occurs |= results[i]->summary.spread_known == (podium_known)known;
        if (!occurs || *marks[known] == '\0')
            continue;
        output_print(out, "%s%s: %s\n", any ? "" : "\n", marks[known], podium_known_message((podium_known)known));
        any = true;
    }
}

static void print_text_groups(output *out, result **results, size_t count, const asked *a) {
    int width = 5;
    for (size_t i = 0; i < count; i++)
        width = (int)fmax(width, fmin(40, print_width(results[i]->group)));
    print_text_head(out, width, a);
    for (size_t i = 0; i < count; i++) {
        print_name(out, results[i]->group, width);
        output_print(out, " %10llu", (unsigned long long)results[i]->summary.count);
        if (is_known(results[i]))
            print_text_numbers(out, results[i], a);
        else
            output_print(out, " %14s", "too few");
        if (results[i]->summary.refused > 0)
            output_print(out, "  (%llu refused)", (unsigned long long)results[i]->summary.refused);
        if (results[i]->trimmed.removed > 0)
            output_print(out, "  (%llu trimmed)", (unsigned long long)results[i]->trimmed.removed);
        output_print(out, "\n");
    }
    print_remarks(out, results, count);
    if (count > 0)
        output_print(out, "\nlower to upper: %g%%, %s, %s\n", 100 * a->confidence, interval_words[a->interval],
                     podium_summary_about(&results[0]->summary));
}

/* ---- JSON and CSV ---- */

static const char *word_of(bool x) {
    return x ? "true" : "false";
}

/* The numbers of a group; the word for the interval is printed between `mean` and `rest` */
typedef struct {
    named_number mean[3], rest[4];
} moments;

static moments moments_of(const podium_summary *e) {
    return (moments){
        .mean = {{"mean", e->mean}, {"standard_error", e->standard_error}, {"confidence", e->confidence}},
        .rest = {{"lower", e->lower},
                 {"upper", e->upper},
                 {"variance", e->variance},
                 {"standard_deviation", e->standard_deviation}},
    };
}

/* Prints an estimate, which is called `name`, and its limits. */
static void print_json_limited(output *out, const char *name, limited e) {
    const named_number numbers[] = {{name, e.estimate}, {"lower", e.limits.lower}, {"upper", e.limits.upper}};
    print_members(out, numbers, LENGTH(numbers));
    output_print(out, "}");
}

static void print_json_quantiles(output *out, const podium_distribution *d, const number_list *p) {
    output_print(out, ", \"quantiles\": [");
    for (size_t i = 0; i < p->count; i++) {
        print_number(out, i == 0 ? "{\"p\": " : ", {\"p\": ", p->of[i], "null");
        print_json_limited(out, "value", quantile_of(d, p->of[i]));
    }
    output_print(out, "]");
}

static void print_json_below(output *out, const podium_distribution *d, const number_list *x) {
    output_print(out, ", \"below\": [");
    for (size_t i = 0; i < x->count; i++) {
        print_number(out, i == 0 ? "{\"x\": " : ", {\"x\": ", x->of[i], "null");
        print_json_limited(out, "share", below_of(d, x->of[i]));
    }
    output_print(out, "]");
}

static void print_json_histogram(output *out, const podium_distribution *d) {
    output_print(out, ", \"histogram\": [");
    for (uint32_t j = 0; j < d->bins; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        print_number(out, j == 0 ? "{\"from\": " : ", {\"from\": ", bin.from, "null");
        print_number(out, ", \"to\": ", bin.to, "null");
        print_json_limited(out, "share", share_of(&bin));
    }
    output_print(out, "]");
}

/* Was the spread left out because the estimate is impossible? */
static bool is_clipped(const podium_summary *s) {
    return s->spread_known == PODIUM_KNOWN_TOO_SMALL || s->spread_known == PODIUM_KNOWN_TOO_LARGE;
}

static void print_json_estimate(output *out, const result *r, const asked *a) {
    const moments m = moments_of(&r->summary);
    print_members(out, m.mean, LENGTH(m.mean));
    output_print(out, ", \"interval\": \"%s\", \"about\": \"%s\"", interval_words[r->summary.interval],
                 podium_summary_about(&r->summary));
    print_members(out, m.rest, LENGTH(m.rest));
    output_print(out, ", \"variance_clipped\": %s", word_of(is_clipped(&r->summary)));
    if (a->dishonest > 0) {
        output_print(out, ", \"dishonest\": %llu", (unsigned long long)a->dishonest);
        print_number(out, ", \"influence\": ", r->summary.influence, "null");
    }
    if (shape_asked(a))
        output_print(out, ", \"telling\": %s", word_of(shape_known(r)));
    if (a->quantiles.count > 0)
        print_json_quantiles(out, &r->summary.distribution, &a->quantiles);
    if (a->below.count > 0)
        print_json_below(out, &r->summary.distribution, &a->below);
    if (a->histogram > 0)
        print_json_histogram(out, &r->summary.distribution);
}

static void print_json(output *out, const result *r, const asked *a, bool grouped) {
    output_print(out, "{");
    if (grouped) {
        output_print(out, "\"group\": ");
        print_name_json(out, r->group);
        output_print(out, ", ");
    }
    output_print(out, "\"n\": %llu", (unsigned long long)r->summary.count);
    if (r->summary.refused > 0)
        output_print(out, ", \"refused\": %llu", (unsigned long long)r->summary.refused);
    if (r->trimmed.removed > 0) {
        output_print(out, ", \"trimmed\": %llu, \"suspect\": %llu", (unsigned long long)r->trimmed.removed,
                     (unsigned long long)r->trimmed.suspect);
        print_number(out, ", \"suspect_influence\": ", r->suspect_influence, "null");
    }
    if (is_known(r))
        print_json_estimate(out, r, a);
    output_print(out, "}");
}

/* Prints the names of an estimate and its limits. */
static void print_csv_names(output *out, const char *name, double x) {
    char text[PODIUM_NUMBER_TEXT_MAX];
    podium_number_format(text, sizeof text, x);
    output_print(out, ",%s_%s,%s_%s_lower,%s_%s_upper", name, text, name, text, name, text);
}

static void print_csv_head(output *out, const asked *a, bool grouped) {
    output_print(out, "%sn,mean,standard_error,confidence,interval,lower,upper,variance,standard_deviation",
                 grouped ? "group," : "");
    for (size_t i = 0; i < a->quantiles.count; i++)
        print_csv_names(out, "quantile", a->quantiles.of[i]);
    for (size_t i = 0; i < a->below.count; i++)
        print_csv_names(out, "below", a->below.of[i]);
    for (uint32_t j = 1; j <= a->histogram; j++)
        print_csv_names(out, "share", j);
    output_print(out, "%s,variance_clipped%s,refused,about\n", a->dishonest > 0 ? ",influence" : "",
                 shape_asked(a) ? ",telling" : "");
}

/* Prints fields of a group, which are empty if there are too few reports for an estimate. */
static void print_known(output *out, const result *r, const named_number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        print_number(out, ",", is_known(r) ? numbers[i].x : NAN, "");
}

static void print_known_word(output *out, const result *r, const char *word) {
    output_print(out, ",%s", is_known(r) ? word : "");
}

static void print_csv_limited(output *out, const result *r, limited e) {
    const named_number numbers[] = {{"estimate", e.estimate}, {"lower", e.limits.lower}, {"upper", e.limits.upper}};
    print_known(out, r, numbers, LENGTH(numbers));
}

static void print_csv_shape(output *out, const result *r, const asked *a) {
    const podium_distribution *d = &r->summary.distribution;
    for (size_t i = 0; i < a->quantiles.count; i++)
        print_csv_limited(out, r, quantile_of(d, a->quantiles.of[i]));
    for (size_t i = 0; i < a->below.count; i++)
        print_csv_limited(out, r, below_of(d, a->below.of[i]));
    for (uint32_t j = 0; j < a->histogram; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        print_csv_limited(out, r, share_of(&bin));
    }
}

static void print_csv_row(output *out, const result *r, const asked *a, bool grouped) {
    const moments m = moments_of(&r->summary);
    if (grouped) {
        print_name_csv(out, r->group);
        output_print(out, ",");
    }
    output_print(out, "%llu", (unsigned long long)r->summary.count);
    print_known(out, r, m.mean, LENGTH(m.mean));
    print_known_word(out, r, interval_words[r->summary.interval]);
    print_known(out, r, m.rest, LENGTH(m.rest));
    print_csv_shape(out, r, a);
    if (a->dishonest > 0)
        print_known(out, r, &(named_number){"influence", r->summary.influence}, 1);
    print_known_word(out, r, word_of(is_clipped(&r->summary)));
    if (shape_asked(a))
        print_known_word(out, r, word_of(shape_known(r)));
    output_print(out, ",%llu", (unsigned long long)r->summary.refused);
    print_known_word(out, r, podium_summary_about(&r->summary));
    output_print(out, "\n");
}

/* ---- All formats ---- */

void print_results(output *out, result **results, size_t count, const asked *a, const podium_collection *collection,
                   const char *name, bool grouped) {
    if (a->output.format == FORMAT_CSV) {
        print_csv_head(out, a, grouped);
        for (size_t i = 0; i < count; i++)
            print_csv_row(out, results[i], a, grouped);
    } else if (a->output.format == FORMAT_JSON) {
        output_print(out, grouped ? "[" : "");
        for (size_t i = 0; i < count; i++) {
            output_print(out, i == 0 ? "" : ",\n ");
            print_json(out, results[i], a, grouped);
        }
        output_print(out, grouped ? "]\n" : "\n");
    } else {
        print_name(out, name, 0);
        const podium_spec spec = podium_collection_spec(collection);
        output_print(out, "%s%s, epsilon %g, range %g to %g\n\n", *name == '\0' ? "" : ": ",
                     podium_mechanism_name(spec.mechanism), spec.epsilon, spec.min, spec.max);
        if (grouped)
            print_text_groups(out, results, count, a);
        else
            print_text(out, results[0], a);
    }
}
