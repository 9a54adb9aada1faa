/* Estimates as text, JSON and CSV. */
#include "estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const interval_words[] = {"normal", "guaranteed", NULL};

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

static void print_shape(output *out, const result *r, const asked *a) {
    const double error = r->estimate.standard_error;
    char x[64], y[64];
    if (!r->shape.telling) {
        output_print(out, "\n" SHAPE_WITHHELD ".\n");
        return;
    }
    if (a->quantiles.count > 0)
        output_print(out, "\nquantiles%s\n", a->bootstrap > 0 ? " (and how much they vary with the reports)" : "");
    for (size_t i = 0; i < a->quantiles.count; i++) {
        output_print(out, "  %9.4g%%  %s", 100 * a->quantiles.of[i], rounded(x, r->quantile[i], error));
        if (a->bootstrap > 0)
            output_print(out, "  (%s to %s)", rounded(x, r->lower[i], error), rounded(y, r->upper[i], error));
        output_print(out, "\n");
    }
    output_print(out, "\nshares of the range\n");
    print_histogram(out, &r->shape);
}

/* Why a standard deviation is not simply the estimate: what a table marks it with, and in words */
typedef struct {
    const char *mark, *words;
} remark;

enum { PLAIN, TOO_SMALL, TOO_LARGE, UNKNOWN, REMARKS };
static const remark remarks[REMARKS] = {
    {"", ""},
    {"*", "too small to measure with this many reports"},
    {"+", "larger than the range allows; this is the most that is possible"},
    {"unknown", "the mechanism has two outputs, which tell the mean alone"},
};

static int remark_on(const podium_estimate *e) {
    if (isnan(e->standard_deviation))
        return UNKNOWN;
    return !e->variance_clipped ? PLAIN : e->standard_deviation == 0 ? TOO_SMALL : TOO_LARGE;
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
    int why = remark_on(e);
    output_print(out, why == PLAIN ? "standard deviation  %s\n" : "standard deviation  %s (%s)\n",
                 rounded(x, e->standard_deviation, error), remarks[why].words);
    if (a->dishonest > 0)
        output_print(out, "dishonest           %llu such reports can have moved the mean by %s at the most\n",
                     (unsigned long long)a->dishonest, rounded(x, r->influence, error));
    if (r->shape.bins > 0)
        print_shape(out, r, a);
}

static void print_text_head(output *out, int width, const asked *a) {
    output_print(out, "%-*s %10s %14s %12s %14s %14s %14s", width, "group", "reports", "mean", "std error", "lower",
                 "upper", "std deviation");
    for (size_t k = 0; k < a->quantiles.count; k++)
        output_print(out, " %13.4g%%", 100 * a->quantiles.of[k]);
    output_print(out, "\n");
}

/* The numbers of a group. A mark stands where the blank before the next column would. */
static void print_text_numbers(output *out, const result *r, const asked *a) {
    const podium_estimate *e = &r->estimate;
    double error = e->standard_error, shown[] = {e->mean, error, e->lower, e->upper, e->standard_deviation};
    static const int widths[] = {14, 12, 14, 14, 14};
    char text[64];
    int why = remark_on(e);
    bool marked = why == TOO_SMALL || why == TOO_LARGE;
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        output_print(out, " %*s", widths[k], rounded(text, shown[k], error));
    output_print(out, "%s", marked ? remarks[why].mark : "");
    for (size_t k = 0; k < a->quantiles.count; k++)
        output_print(out, k == 0 && marked ? "%14s" : " %14s",
                     r->shape.telling ? rounded(text, r->quantile[k], error) : "too few");
}

/* What the marks mean, those that occur */
static void print_remarks(output *out, result **results, size_t count) {
    bool occurs[REMARKS] = {false}, any = false;
    for (size_t i = 0; i < count; i++)
        if (results[i]->enough)
            occurs[remark_on(&results[i]->estimate)] = true;
    for (int why = PLAIN + 1; why < REMARKS; why++)
        if (occurs[why]) {
            output_print(out, "%s%s: %s\n", any ? "" : "\n", remarks[why].mark, remarks[why].words);
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
        output_print(out, " %10llu", (unsigned long long)results[i]->n);
        if (results[i]->enough)
            print_text_numbers(out, results[i], a);
        else
            output_print(out, " %14s", "too few");
        output_print(out, "\n");
    }
    print_remarks(out, results, count);
}

/* ---- JSON and CSV ---- */

static const char *word_of(bool x) {
    return x ? "true" : "false";
}

static bool shape_asked(const asked *a) {
    return a->quantiles.count > 0 || a->histogram > 0;
}

/* What is known of a group, but for the interval's word, which stands between the two */
typedef struct {
    named_number mean[3], rest[4];
} moments;

static moments moments_of(const podium_estimate *e) {
    return (moments){
        .mean = {{"mean", e->mean}, {"standard_error", e->standard_error}, {"confidence", e->confidence}},
        .rest = {{"lower", e->lower},
                 {"upper", e->upper},
                 {"variance", e->variance},
                 {"standard_deviation", e->standard_deviation}},
    };
}

static void print_json_quantiles(output *out, const result *r, const asked *a) {
    output_print(out, ", \"quantiles\": [");
    for (size_t i = 0; i < a->quantiles.count; i++) {
        const named_number value[] = {{"value", r->quantile[i]}, {"lower", r->lower[i]}, {"upper", r->upper[i]}};
        print_number(out, i == 0 ? "{\"p\": " : ", {\"p\": ", a->quantiles.of[i], "null");
        print_members(out, value, a->bootstrap > 0 ? LENGTH(value) : 1);
        output_print(out, "}");
    }
    output_print(out, "]");
}

static void print_json_histogram(output *out, const podium_distribution *d) {
    double width = (d->max - d->min) / d->bins;
    output_print(out, ", \"histogram\": [");
    for (uint32_t j = 0; j < d->bins; j++) {
        const named_number bin[] = {{"upper", j + 1 == d->bins ? d->max : d->min + width * (j + 1)},
                                    {"share", d->share[j]}};
        print_number(out, j == 0 ? "{\"lower\": " : ", {\"lower\": ", d->min + width * j, "null");
        print_members(out, bin, LENGTH(bin));
        output_print(out, "}");
    }
    output_print(out, "]");
}

static void print_json_estimate(output *out, const result *r, const asked *a) {
    const moments m = moments_of(&r->estimate);
    print_members(out, m.mean, LENGTH(m.mean));
    output_print(out, ", \"interval\": \"%s\"", interval_words[r->estimate.interval]);
    print_members(out, m.rest, LENGTH(m.rest));
    output_print(out, ", \"variance_clipped\": %s", word_of(r->estimate.variance_clipped));
    if (a->dishonest > 0) {
        output_print(out, ", \"dishonest\": %llu", (unsigned long long)a->dishonest);
        print_number(out, ", \"influence\": ", r->influence, "null");
    }
    if (shape_asked(a))
        output_print(out, ", \"telling\": %s", word_of(r->shape.telling));
    if (a->quantiles.count > 0)
        print_json_quantiles(out, r, a);
    if (a->histogram > 0)
        print_json_histogram(out, &r->shape);
}

static void print_json(output *out, const result *r, const asked *a, bool grouped) {
    output_print(out, "{");
    if (grouped) {
        output_print(out, "\"group\": ");
        print_name_json(out, r->group);
        output_print(out, ", ");
    }
    output_print(out, "\"n\": %llu", (unsigned long long)r->n);
    if (r->refused > 0)
        output_print(out, ", \"refused\": %llu", (unsigned long long)r->refused);
    if (r->enough)
        print_json_estimate(out, r, a);
    output_print(out, "}");
}

static void print_csv_head(output *out, const asked *a, bool grouped) {
    output_print(out, "%sn,mean,standard_error,confidence,interval,lower,upper,variance,standard_deviation",
                 grouped ? "group," : "");
    for (size_t i = 0; i < a->quantiles.count; i++) {
        char p[PODIUM_NUMBER_TEXT_MAX];
        podium_number_write(p, a->quantiles.of[i]);
        output_print(out, ",quantile_%s", p);
        if (a->bootstrap > 0)
            output_print(out, ",quantile_%s_lower,quantile_%s_upper", p, p);
    }
    for (uint32_t j = 1; j <= a->histogram; j++)
        output_print(out, ",share_%u", j);
    output_print(out, "%s,variance_clipped%s,refused\n", a->dishonest > 0 ? ",influence" : "",
                 shape_asked(a) ? ",telling" : "");
}

/* The cells of a group, empty where there are too few reports for an estimate */
static void print_known(output *out, const result *r, const named_number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        print_number(out, ",", r->enough ? numbers[i].x : NAN, "");
}

static void print_known_word(output *out, const result *r, const char *word) {
    output_print(out, ",%s", r->enough ? word : "");
}

static void print_csv_shape(output *out, const result *r, const asked *a) {
    for (size_t i = 0; i < a->quantiles.count; i++) {
        const named_number value[] = {{"value", r->quantile[i]}, {"lower", r->lower[i]}, {"upper", r->upper[i]}};
        print_known(out, r, value, a->bootstrap > 0 ? LENGTH(value) : 1);
    }
    for (uint32_t j = 0; j < a->histogram; j++)
        print_known(out, r, &(named_number){"share", r->shape.share[j]}, 1);
}

static void print_csv_row(output *out, const result *r, const asked *a, bool grouped) {
    const moments m = moments_of(&r->estimate);
    if (grouped) {
        print_name_csv(out, r->group);
        output_print(out, ",");
    }
    output_print(out, "%llu", (unsigned long long)r->n);
    print_known(out, r, m.mean, LENGTH(m.mean));
    print_known_word(out, r, interval_words[r->estimate.interval]);
    print_known(out, r, m.rest, LENGTH(m.rest));
    print_csv_shape(out, r, a);
    if (a->dishonest > 0)
        print_known(out, r, &(named_number){"influence", r->influence}, 1);
    print_known_word(out, r, word_of(r->estimate.variance_clipped));
    if (shape_asked(a))
        print_known_word(out, r, word_of(r->shape.telling));
    output_print(out, ",%llu\n", (unsigned long long)r->refused);
}

/* ---- All of it ---- */

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
        output_print(out, "%s%s, epsilon %g, range %g to %g\n\n", *name == '\0' ? "" : ": ",
                     podium_mechanism_name(collection->spec.mechanism), collection->spec.epsilon, collection->spec.min,
                     collection->spec.max);
        if (grouped)
            print_text_groups(out, results, count, a);
        else
            print_text(out, results[0], a);
    }
}
