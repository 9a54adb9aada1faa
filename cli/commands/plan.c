/* podium plan: compute the number of people, epsilon or error from the other two, for every mechanism. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEDIAN 0.5

typedef struct {
    podium_spec spec;      /* the range, epsilon (0 if it is wanted), and the parameters of mechanisms that have them */
    double people, within; /* 0 if wanted */
    double confidence, spread, response, power;
    double difference; /* between two groups; 0 if it is not what within was computed from */
    double quantile;   /* which one within is about; 0 if it is not about a quantile */
    uint32_t bins;     /* of the histogram that within is about; 0 if it is not about a histogram */
    uint32_t questions, groups;
    bool all;              /* text shows all mechanisms */
    const char *for_shape; /* the mechanism that is best for the distribution; NULL if there is no epsilon for it */
} goal;

typedef struct {
    podium_mechanism mechanism;
    podium_status status;           /* if it is not PODIUM_OK, no number will do, and the wanted one is NaN */
    double people, epsilon, within; /* one of them was wanted */
    double difference;              /* that will be found between two groups; NaN if there is only one */
    podium_questions questions;     /* questions.each is 0 if there is only one question */
} row;

static bool is_for_shape(const goal *g) {
    return g->quantile > 0 || g->bins > 0;
}

static bool is_possible(const row *r) {
    return r->status == PODIUM_OK;
}

static double *wanted(const goal *g, row *r) {
    return g->people == 0 ? &r->people : g->within == 0 ? &r->within : &r->epsilon;
}

/* Ends the program if the plan failed for another reason than that no number will do. */
static void settle(row *r, const goal *g, podium_status status) {
    r->status = status;
    if (status == PODIUM_ERROR_TOO_FEW_REPORTS || status == PODIUM_ERROR_MEAN_ONLY)
        *wanted(g, r) = NAN;
    else
        require(status, BAD_USAGE);
}

/* The error falls with the square root of the number of people, so the result for one number gives that for any other.
 */
static void plan_questions(row *r, const goal *g, const podium_spec *spec) {
    double people = g->people > 0 ? r->people : 1e9;
    podium_questions *q = &r->questions;
    require(podium_plan_questions(q, spec, people, g->questions, g->spread, g->confidence), BAD_USAGE);
    if (g->people == 0) {
        double scale = g->within / q->within;
        r->people = fmax(ceil(2.0 * g->questions / q->each),
                         ceil(people / (scale * scale))); /* at least two answers per question */
        q->within *= scale;
        q->within_split *= scale;
        q->within_one *= scale;
    }
    r->within = q->within;
}

static podium_status plan_with(row *r, const goal *g, const podium_channel *channel) {
    if (g->people == 0)
        return g->bins > 0 ? podium_plan_histogram_people(channel, &r->people, g->within, g->bins, g->confidence)
                           : podium_plan_quantile_people(channel, &r->people, g->within, g->quantile, g->confidence);
    return g->bins > 0 ? podium_plan_histogram(channel, &r->within, r->people, g->bins, g->confidence)
                       : podium_plan_quantile(channel, &r->within, r->people, g->quantile, g->confidence);
}

static void plan_shape(row *r, const goal *g, const podium_spec *spec) {
    const podium_collection collection = collection_for(spec);
    podium_channel *channel;
    require(podium_channel_make(&collection, &channel), BAD_USAGE);
    const podium_status status = plan_with(r, g, channel);
    podium_channel_free(channel);
    settle(r, g, status);
}

/* Plans for one group; row_of multiplies the people. */
static void plan_group(row *r, const goal *g, podium_mechanism mechanism) {
    podium_spec spec = spec_for(&g->spec, mechanism);
    podium_collection collection;
    if (g->spec.epsilon == 0) {
        settle(r, g, podium_plan_epsilon(&collection, &spec, r->people, g->within, g->spread, g->confidence));
        if (is_possible(r))
            r->epsilon = podium_collection_spec(&collection).epsilon;
    } else if (is_for_shape(g)) {
        plan_shape(r, g, &spec);
    } else if (g->questions > 1) {
        plan_questions(r, g, &spec);
    } else {
        collection = collection_for(&spec);
        require(g->people == 0 ? podium_plan_people(&collection, &r->people, g->within, g->spread, g->confidence)
                               : podium_plan_error(&collection, &r->within, r->people, g->spread, g->confidence),
                BAD_USAGE);
    }
}

/* The people are divided evenly over the groups. */
static row row_of(const goal *g, podium_mechanism mechanism) {
    row r = {mechanism, PODIUM_OK, g->people / g->groups, g->spec.epsilon, g->within, NAN, {.each = 0}};
    plan_group(&r, g, mechanism);
    r.people = g->people > 0 ? g->people : r.people * g->groups;
    if (g->groups > 1)
        require(podium_plan_difference(&r.difference, r.within, g->groups, g->confidence, g->power), BAD_USAGE);
    return r;
}

/* Returns the error that the mean of each group may have, so that a difference is found. */
static double within_for(const goal *g) {
    double difference;
    require(podium_plan_difference(&difference, 1, g->groups, g->confidence, g->power), BAD_USAGE);
    return g->difference / difference;
}

static double asked(const goal *g, const row *r) {
    return ceil(r->people / g->response);
}

/* Returns the wanted number, which is smaller for a better mechanism. */
static double cost(const goal *g, row r) {
    return is_possible(&r) ? *wanted(g, &r) : INFINITY;
}

static const row *best_of(const goal *g, const row *rows, size_t count) {
    const row *best = &rows[0];
    for (size_t i = 1; i < count; i++)
        if (cost(g, rows[i]) < cost(g, *best))
            best = &rows[i];
    return best;
}

/* ---- Printing ---- */

/* Explains why to ask all questions or only some: splitting epsilon adds noise, and leaving out questions costs
 * answers. */
static void print_reason(output *out, const goal *g, const row *r) {
    const podium_questions *q = &r->questions;
    if (q->each == g->questions)
        output_print(out,
                     "Let everybody answer all %u questions at epsilon %g. To ask each person one question at\n"
                     "epsilon %g would give %.3g times the error, because there would be fewer answers.\n",
                     g->questions, g->spec.epsilon / g->questions, g->spec.epsilon, q->within_one / q->within);
    else
        output_print(
            out,
            "Ask each person %u of the %u questions, chosen at random, at epsilon %g. To split epsilon\n"
            "between all of them would give %.3g times the error, because more noise outweighs more answers.\n",
            q->each, g->questions, g->spec.epsilon / q->each, q->within_split / q->within);
}

static const char *people_text(char text[32], double people) {
    snprintf(text, 32, people < 1e14 ? "%.0f" : "%.3g", people);
    return text;
}

/* Says why a mechanism has no plan. */
static void print_excuse(output *out, const goal *g, const row *r) {
    if (r->status == PODIUM_ERROR_MEAN_ONLY)
        output_print(out, " its reports show only the mean\n");
    else if (!is_for_shape(g))
        output_print(out, " %14.0f people are too few at any epsilon up to %g\n", r->people, PODIUM_EPSILON_MAX);
    else
        output_print(out, " %14.0f people are too few\n", g->people > 0 ? g->people : PODIUM_PLAN_PEOPLE_MAX);
}

static void print_table(output *out, const goal *g, const row *rows, size_t count) {
    const bool several = g->questions > 1, compared = g->groups > 1;
    output_print(out, "  %-18s %14s %14s %12s %12s", "mechanism", "people", "to ask", "epsilon", "within");
    if (compared)
        output_print(out, " %12s", "difference");
    output_print(out, several ? " %12s %14s %14s\n" : "\n", "each answers", "all: within", "one: within");
    for (size_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        char people[32], to_ask[32];
        output_print(out, "  %-18s", podium_mechanism_name(r->mechanism));
        if (!is_possible(r)) {
            print_excuse(out, g, r);
            continue;
        }
        output_print(out, " %14s %14s %12.5g %12.5g", people_text(people, r->people), people_text(to_ask, asked(g, r)),
                     r->epsilon, r->within);
        if (compared)
            output_print(out, " %12.5g", r->difference);
        if (several)
            output_print(out, " %12u %14.5g %14.5g", r->questions.each, r->questions.within_split,
                         r->questions.within_one);
        output_print(out, "\n");
    }
}

static void print_shape_aim(output *out, const goal *g, const row *r) {
    if (g->bins > 0)
        output_print(out, "know the share of each of %u bins", g->bins);
    else if (g->quantile == MEDIAN)
        output_print(out, "know the median");
    else
        output_print(out, "know the %g quantile", g->quantile);
    if (isfinite(r->within))
        output_print(out, " to within %.5g with %g%% confidence", r->within, 100 * g->confidence);
    output_print(out, ", if the values are spread like a bell around the middle");
}

static const char *whose_mean(const goal *g) {
    return g->questions > 1 ? " of each question" : g->groups > 1 ? " of each group" : "";
}

static void print_comparisons(output *out, const goal *g) {
    const unsigned long long comparisons = (unsigned long long)g->groups * (g->groups - 1) / 2;
    if (comparisons > 1)
        output_print(out, " in all %llu comparisons together", comparisons);
}

/* What is learned, after "to": the mean, a difference between groups, a quantile or a histogram */
static void print_aim(output *out, const goal *g, const row *r) {
    if (is_for_shape(g)) {
        print_shape_aim(out, g, r);
    } else if (g->difference > 0) {
        output_print(out,
                     "find a difference of %.5g between the means of two groups with %g%% power and %g%% confidence",
                     r->difference, 100 * g->power, 100 * g->confidence);
        print_comparisons(out, g);
    } else {
        output_print(out, "know the mean%s to within %.5g with %g%% confidence", whose_mean(g), r->within,
                     100 * g->confidence);
    }
}

static void print_impossible(output *out, const goal *g, const row *r) {
    char people[32];
    people_text(people, g->people > 0 ? g->people : PODIUM_PLAN_PEOPLE_MAX);
    if (is_for_shape(g))
        output_print(out, "With any mechanism at epsilon %.5g, %s people are too few to ", r->epsilon, people);
    else
        output_print(out, "With any mechanism and any epsilon up to %g, %s people are too few to ", PODIUM_EPSILON_MAX,
                     people);
    print_aim(out, g, r);
    output_print(out, ".\n");
}

/* Whether the people tell less than the range alone, whose middle is within half its width of every mean */
static bool is_useless(const goal *g, const row *r) {
    return !is_for_shape(g) && g->within == 0 && r->within >= (g->spec.max - g->spec.min) / 2;
}

static void print_outcome(output *out, const goal *g, const row *r) {
    if (is_useless(g, r)) {
        output_print(out,
                     " are too few to say anything about the mean%s,\n"
                     "because the error would be %.5g with %g%% confidence, at least half the width of the range.\n",
                     whose_mean(g), r->within, 100 * g->confidence);
    } else {
        output_print(out, " are enough to ");
        print_aim(out, g, r);
        output_print(out, ".\n");
    }
}

/* The difference that will be found, if it is not what the plan was made for */
static void print_difference(output *out, const goal *g, const row *r) {
    if (r->difference < g->spec.max - g->spec.min)
        output_print(out, "A difference of %.5g between two groups will then be found with %g%% power", r->difference,
                     100 * g->power);
    else
        output_print(out, "They are too few to find any difference between two groups with %g%% power", 100 * g->power);
    print_comparisons(out, g);
    output_print(out, ".\n");
}

/* A sentence: which mechanism, how many people, and what they will learn. Others follow if there is more to say. */
static void print_advice(output *out, const goal *g, const row *r) {
    char people[32], each[32];
    people_text(people, r->people);
    output_print(out, "With %s at epsilon %.5g, ", podium_mechanism_name(r->mechanism), r->epsilon);
    if (g->groups > 1)
        output_print(out, "%s people in %u groups of %s", people, g->groups,
                     people_text(each, floor(r->people / g->groups)));
    else
        output_print(out, "%s people", people);
    print_outcome(out, g, r);
    if (g->groups > 1 && !(g->difference > 0))
        print_difference(out, g, r);
    if (g->response < 1)
        output_print(out, "If %g%% of the people answer, %s must be asked.\n", 100 * g->response,
                     people_text(people, asked(g, r)));
    if (g->questions > 1)
        print_reason(out, g, r);
    if (g->for_shape != NULL && strcmp(g->for_shape, podium_mechanism_name(r->mechanism)) != 0)
        output_print(out, "For the distribution of the values, %s is the best mechanism.\n", g->for_shape);
}

static void print_text(output *out, const goal *g, const row *rows, size_t count) {
    const row *best = best_of(g, rows, count);
    (is_possible(best) ? print_advice : print_impossible)(out, g, best);
    if (!g->all)
        return;
    output_print(out, "\n");
    print_table(out, g, rows, count);
}

typedef struct {
    named_number plan[4], questions[3], difference[1], shape[2];
} numbers;

static numbers numbers_of(const goal *g, const row *r) {
    const podium_questions *q = &r->questions;
    return (numbers){
        .plan = {{"people", r->people}, {"to_ask", asked(g, r)}, {"epsilon", r->epsilon}, {"within", r->within}},
        .questions = {{"each", q->each}, {"within_split", q->within_split}, {"within_one", q->within_one}},
        .difference = {{"difference", r->difference}},
        .shape = {{"quantile", g->quantile > 0 ? g->quantile : NAN},
                  {"histogram", g->bins > 0 ? (double)g->bins : NAN}},
    };
}

static void print_csv(output *out, const goal *g, const row *rows, size_t count) {
    output_print(out, "mechanism,people,to_ask,epsilon,within,confidence,each,within_split,within_one,difference%s\n",
                 is_for_shape(g) ? ",quantile,histogram" : "");
    for (size_t i = 0; i < count; i++) {
        const numbers n = numbers_of(g, &rows[i]);
        output_print(out, "%s", podium_mechanism_name(rows[i].mechanism));
        print_fields(out, n.plan, LENGTH(n.plan));
        print_number(out, ",", g->confidence, "");
        if (g->questions > 1)
            print_fields(out, n.questions, LENGTH(n.questions));
        output_print(out, g->questions > 1 ? "" : ",,,");
        print_fields(out, n.difference, LENGTH(n.difference));
        if (is_for_shape(g))
            print_fields(out, n.shape, LENGTH(n.shape));
        output_print(out, "\n");
    }
}

static void print_json_row(output *out, const goal *g, const row *r) {
    const numbers n = numbers_of(g, r);
    output_print(out, "\n  {\"mechanism\": \"%s\"", podium_mechanism_name(r->mechanism));
    print_members(out, n.plan, LENGTH(n.plan));
    if (g->questions > 1)
        print_members(out, n.questions, LENGTH(n.questions));
    if (g->groups > 1)
        print_members(out, n.difference, LENGTH(n.difference));
    output_print(out, "}");
}

static void print_json(output *out, const goal *g, const row *rows, size_t count) {
    const named_number given[] = {
        {"confidence", g->confidence}, {"spread", g->spread}, {"response", g->response}, {"questions", g->questions}};
    print_number(out, "{\"range\": [", g->spec.min, "null");
    print_number(out, ", ", g->spec.max, "null");
    output_print(out, "]");
    print_members(out, given, LENGTH(given));
    if (g->for_shape != NULL)
        output_print(out, ", \"distribution\": \"%s\"", g->for_shape);
    const named_number compared[] = {{"groups", g->groups}, {"power", g->power}};
    if (g->groups > 1)
        print_members(out, compared, LENGTH(compared));
    if (is_for_shape(g)) {
        const numbers n = numbers_of(g, &rows[0]);
        print_members(out, n.shape, LENGTH(n.shape));
        output_print(out, ", \"population\": \"bell\"");
    }
    output_print(out, ", \"plans\": [");
    for (size_t i = 0; i < count; i++) {
        output_print(out, i == 0 ? "" : ",");
        print_json_row(out, g, &rows[i]);
    }
    output_print(out, "]}\n");
}

/* ---- The command ---- */

enum { QUESTIONS_MOST = 1000, GROUPS_MOST = 10000 };
#define POWER_DEFAULT 0.8

typedef struct {
    collection_options which;
    output_options output;
    uint64_t people;
    double within, share, difference, quantile, confidence, response, power;
    uint32_t histogram, questions, groups;
    bool all;
} settings;

static const option people_option[] = {
    {.name = "people", .argument = "N", TO_COUNT(settings, people, 1, COUNT_MOST), .help = "how many people answer"},
    {.name = NULL},
};

static const option epsilon_option[] = {ROW_EPSILON("from 1e-6 to 50"), {.name = NULL}};

static const option within_option[] = {
    {.name = "within",
     .argument = "W",
     TO_NUMBER(settings, within),
     .allowed = is_positive,
     .takes = "must be more than 0",
     .help = "the error, which is half the width of the interval for the mean, or for the quantile; more than 0"},
    {.name = "share",
     .argument = "W",
     TO_NUMBER(settings, share),
     .allowed = is_confidence,
     .takes = "must be between 0 and 1, such as 0.01",
     .help = "for a histogram, the error of the share of a bin, between 0 and 1"},
    {.name = "difference",
     .argument = "D",
     TO_NUMBER(settings, difference),
     .allowed = is_positive,
     .takes = "must be more than 0",
     .help = "instead of the error, the difference to find between the means of two groups; more than 0"},
    {.name = NULL},
};

static const option value_options[] = {
    ROW_RANGE("the range of the values"),
    ROW_SPREAD(
        "the variance of the values is R (MAX-MIN)^2, R from 0 to 0.25; 0.0833, as for evenly spread values, if not given. 0.25 "
        "covers all values; 0 is for the mean of just these people"),
    ROW_CELLS("for mechanisms with this parameter; 256 if not given"),
    {.name = NULL},
};

static const option shape_options[] = {
    {.name = "quantile",
     .argument = "P",
     TO_NUMBER(settings, quantile),
     .allowed = is_confidence,
     .takes = "must be between 0 and 1, such as 0.5",
     .help = "the value below which this share of the values lies, between 0 and 1; 0.5 is the median"},
    {.name = "histogram",
     .argument = "BINS",
     TO_COUNT(settings, histogram, 1, PODIUM_SHARES),
     .help = "the shares of BINS equal parts of the range; the error is that of the bin with the widest limits"},
    {.name = NULL},
};

static const option own_options[] = {
    ROW_CONFIDENCE(settings, confidence),
    {.name = "response",
     .argument = "S",
     TO_NUMBER(settings, response),
     .allowed = is_share,
     .takes = "must be more than 0 and at most 1",
     .help = "the share of the people asked who answer, more than 0 and at most 1; 1 if not given"},
    {.name = "questions",
     .argument = "D",
     TO_COUNT(settings, questions, 1, QUESTIONS_MOST),
     .help = "how many questions each person is asked; they share epsilon"},
    {.name = "groups",
     .argument = "K",
     TO_COUNT(settings, groups, 1, GROUPS_MOST),
     .help = "how many groups the people are divided into; 1 if not given, or 2 for a difference"},
    {.name = "power",
     .argument = "P",
     TO_NUMBER(settings, power),
     .allowed = is_confidence,
     .takes = "must be between 0 and 1, such as 0.8",
     .help = "the probability of finding the difference, between 0 and 1; 0.8 if not given"},
    {.name = NULL},
};

static const option all_option[] = {
    {.name = "all", TO_FLAG(settings, all), .help = "show the plans of all mechanisms, not only the best; in text"},
    {.name = NULL},
};

static const option output_rows[] = {ROW_FORMAT, ROW_OUTPUT, {.name = NULL}};

static void check_shape(const settings *s) {
    if (s->quantile > 0 && s->histogram > 0)
        fail_usage("plan", "--quantile and --histogram are two plans; give one of them");
    if (s->share > 0 && s->histogram == 0)
        fail_usage("plan", "--share is for --histogram");
    if (s->quantile == 0 && s->histogram == 0)
        return;
    if (s->histogram > 0 && s->within > 0)
        fail_usage("plan", "the error of a --histogram is a share; give --share instead of --within");
    if (s->difference > 0 || s->questions > 1 || s->groups > 1 || s->power > 0)
        fail_usage("plan",
                   "--quantile and --histogram plan for one question and one group, without --difference or --power");
    if (!s->which.given.epsilon || (s->people > 0) == (s->within > 0 || s->share > 0))
        fail_usage("plan", "give --epsilon, and either --people or %s; the other one is computed",
                   s->histogram > 0 ? "--share" : "--within");
    if ((double)s->people > PODIUM_PLAN_PEOPLE_MAX)
        fail_usage("plan", "with --quantile or --histogram, --people must be at most %.0f", PODIUM_PLAN_PEOPLE_MAX);
}

static void check(const settings *s) {
    const podium_spec *spec = &s->which.spec;
    const bool epsilon = s->which.given.epsilon;
    const bool aim = s->within > 0 || s->share > 0 || s->difference > 0;
    int given = (s->people > 0) + aim + epsilon;
    if (!s->which.given.range)
        fail_usage("plan", "--range MIN:MAX is missing");
    shape_for(podium_mechanism_yardstick(), 1, spec->min, spec->max); /* ends the program if the range is not valid */
    if (epsilon && !(spec->epsilon > 0))
        fail_usage("plan", "--epsilon must be more than 0");
    check_shape(s);
    if (given != 2)
        fail_usage("plan", "give exactly two of --people, --epsilon and --within; the third is computed");
    if (s->within > 0 && s->difference > 0)
        fail_usage("plan", "--within and --difference are two ways to say one thing; give one of them");
    if (s->within >= spec->max - spec->min)
        fail_usage("plan", "--within must be less than the width of the range");
    if (s->difference >= spec->max - spec->min)
        fail_usage("plan", "--difference must be less than the width of the range");
    if (s->difference > 0 && s->groups == 1)
        fail_usage("plan", "--difference needs at least 2 --groups");
    if (s->people > 0 && s->people < s->groups)
        fail_usage("plan", "there must be at least as many --people as --groups");
    if (s->power > 0 && s->groups < 2 && !(s->difference > 0))
        fail_usage("plan", "--power is for --difference or --groups");
    if (s->power > 0 && s->power < 1 - s->confidence)
        fail_usage("plan", "--power must be at least %g, which is 1 minus the confidence", 1 - s->confidence);
    if (s->questions > 1 && !epsilon)
        fail_usage("plan", "--questions needs --epsilon, which all questions share");
    if (s->questions > 1 && spec->epsilon / s->questions < PODIUM_EPSILON_MIN)
        fail_usage("plan", "epsilon divided by %u questions is below %g", s->questions, PODIUM_EPSILON_MIN);
}

static const char *best_for_shape(const podium_spec *given) {
    podium_spec spec;
    require(podium_choose(&spec, given, PODIUM_OBJECTIVE_DISTRIBUTION), BAD_USAGE);
    return podium_mechanism_name(spec.mechanism);
}

static row *rows_of(const goal *g) {
    const size_t count = podium_mechanism_count();
    row *rows = allocate(count * sizeof *rows);
    for (size_t m = 0; m < count; m++) {
        progress_show("planning", m, count, 0);
        rows[m] = row_of(g, (podium_mechanism)m);
    }
    progress_clear();
    return rows;
}

static int run(char **arguments) {
    settings s = {.which = {.command = "plan", .spec = {.spread = SPREAD_UNIFORM}},
                  .confidence = 0.95,
                  .response = 1,
                  .questions = 1};
    options_parse(&command_plan, &s, arguments);
    check(&s);
    goal g = {.spec = s.which.spec,
              .people = (double)s.people,
              .within = s.histogram > 0 ? s.share : s.within,
              .confidence = s.confidence,
              .spread = s.which.spec.spread,
              .response = s.response,
              .power = s.power > 0 ? s.power : POWER_DEFAULT,
              .difference = s.difference,
              .quantile = s.quantile,
              .bins = s.histogram,
              .questions = s.questions,
              .groups = s.groups > 0       ? s.groups
                        : s.difference > 0 ? 2
                                           : 1,
              .all = s.all,
              .for_shape = s.which.given.epsilon && s.questions == 1 ? best_for_shape(&s.which.spec) : NULL};
    if (is_for_shape(&g))
        g.for_shape = NULL; /* the plan itself names the best mechanism */
    if (g.difference > 0)
        g.within = within_for(&g);
    row *rows = rows_of(&g);
    static void (*const print[])(output *, const goal *, const row *, size_t) = {
        [FORMAT_TEXT] = print_text, [FORMAT_JSON] = print_json, [FORMAT_CSV] = print_csv};
    output *out = output_open(s.output.path);
    print[s.output.format](out, &g, rows, podium_mechanism_count());
    output_close(out);
    free(rows);
    return DONE;
}

const command command_plan = {
    .name = "plan",
    .summary = "compute the number of people, epsilon or error",
    .usage = "--range MIN:MAX [two of --people, --epsilon, --within, --share or --difference] [OPTIONS]",
    .groups = {{.heading = "Give two of these, people, epsilon and an error; the third is computed",
                .options = people_option},
               {.options = epsilon_option, .record = offsetof(settings, which)},
               {.options = within_option},
               {.heading = "Plan for one of these instead of the mean", .options = shape_options},
               {.heading = "About the people and the values",
                .options = value_options,
                .record = offsetof(settings, which)},
               {.options = own_options},
               {.heading = OUTPUT_HEADING, .options = all_option},
               {.options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
