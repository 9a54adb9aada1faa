/* podium plan: compute the number of people, epsilon or error from the other two, for every mechanism. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    podium_spec spec;      /* the range, epsilon (0 if it is wanted), and the parameters of mechanisms that have them */
    double people, within; /* 0 if wanted */
    double confidence, spread, response, power;
    double difference; /* between two groups; 0 if it is not what within was computed from */
    uint32_t questions, groups;
    bool all;              /* text shows all mechanisms */
    const char *for_shape; /* the mechanism that is best for the distribution; NULL if there is no epsilon for it */
} goal;

typedef struct {
    podium_mechanism mechanism;
    bool possible;
    double people, epsilon, within;
    double difference;          /* that will be found between two groups; NaN if there is only one */
    podium_questions questions; /* questions.each is 0 if there is only one question */
} row;

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

/* Plans for one group; row_of multiplies the people. */
static void plan_group(row *r, const goal *g, podium_mechanism mechanism) {
    podium_spec spec = spec_for(&g->spec, mechanism);
    podium_collection collection;
    if (g->spec.epsilon == 0) {
        podium_status status = podium_plan_epsilon(&collection, &spec, r->people, g->within, g->spread, g->confidence);
        r->possible = status != PODIUM_ERROR_TOO_FEW_REPORTS;
        if (r->possible) {
            require(status, BAD_USAGE);
            r->epsilon = podium_collection_spec(&collection).epsilon;
        }
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
    row r = {mechanism, true, g->people / g->groups, g->spec.epsilon, g->within, NAN, {.each = 0}};
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
static double cost(const goal *g, const row *r) {
    return !r->possible ? INFINITY : g->people == 0 ? r->people : g->within == 0 ? r->within : r->epsilon;
}

static const row *best_of(const goal *g, const row *rows, size_t count) {
    const row *best = &rows[0];
    for (size_t i = 1; i < count; i++)
        if (cost(g, &rows[i]) < cost(g, best))
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
        if (!r->possible) {
            output_print(out, " %14.0f people are too few at any epsilon up to %g\n", r->people, PODIUM_EPSILON_MAX);
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

/* What is learned, after "to": the mean, or a difference between groups */
static void print_aim(output *out, const goal *g, const row *r) {
    const char *whose = g->questions > 1 ? " of each question" : g->groups > 1 ? " of each group" : "";
    const unsigned long long comparisons = (unsigned long long)g->groups * (g->groups - 1) / 2;
    if (g->difference > 0)
        output_print(out,
                     "find a difference of %.5g between the means of two groups with %g%% power and %g%% confidence",
                     r->difference, 100 * g->power, 100 * g->confidence);
    else
        output_print(out, "know the mean%s to within %.5g with %g%% confidence", whose, r->within, 100 * g->confidence);
    if (g->difference > 0 && comparisons > 1)
        output_print(out, " in all %llu comparisons together", comparisons);
}

static void print_impossible(output *out, const goal *g, const row *r) {
    char people[32];
    output_print(out, "With any mechanism and any epsilon up to %g, %s people are too few to ", PODIUM_EPSILON_MAX,
                 people_text(people, r->people));
    print_aim(out, g, r);
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
    output_print(out, " are enough to ");
    print_aim(out, g, r);
    output_print(out, ".\n");
    if (g->groups > 1 && !(g->difference > 0))
        output_print(out, "A difference of %.5g between two groups will then be found with %g%% power.\n",
                     r->difference, 100 * g->power);
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
    (best->possible ? print_advice : print_impossible)(out, g, best);
    if (!g->all)
        return;
    output_print(out, "\n");
    print_table(out, g, rows, count);
}

typedef struct {
    named_number plan[4], questions[3], difference[1];
} numbers;

static numbers numbers_of(const goal *g, const row *r) {
    const podium_questions *q = &r->questions;
    return (numbers){
        .plan = {{"people", r->people},
                 {"to_ask", asked(g, r)},
                 {"epsilon", r->possible ? r->epsilon : NAN},
                 {"within", r->within}},
        .questions = {{"each", q->each}, {"within_split", q->within_split}, {"within_one", q->within_one}},
        .difference = {{"difference", r->difference}},
    };
}

static void print_csv(output *out, const goal *g, const row *rows, size_t count) {
    output_print(out, "mechanism,people,to_ask,epsilon,within,confidence,each,within_split,within_one,difference\n");
    for (size_t i = 0; i < count; i++) {
        const numbers n = numbers_of(g, &rows[i]);
        output_print(out, "%s", podium_mechanism_name(rows[i].mechanism));
        print_fields(out, n.plan, LENGTH(n.plan));
        print_number(out, ",", g->confidence, "");
        if (g->questions > 1)
            print_fields(out, n.questions, LENGTH(n.questions));
        output_print(out, g->questions > 1 ? "" : ",,,");
        print_fields(out, n.difference, LENGTH(n.difference));
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
    double within, difference, confidence, response, power;
    uint32_t questions, groups;
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
     .help = "the error, which is half the width of the interval for the mean; more than 0"},
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
     .help = "how many groups the people are divided into, from 1 to 10000; 1 if not given, or 2 with --difference"},
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

static void check(const settings *s) {
    const podium_spec *spec = &s->which.spec;
    const bool epsilon = s->which.given.epsilon;
    const bool aim = s->within > 0 || s->difference > 0;
    int given = (s->people > 0) + aim + epsilon;
    if (!s->which.given.range)
        fail_usage("plan", "--range MIN:MAX is missing");
    if (epsilon && !(spec->epsilon > 0))
        fail_usage("plan", "--epsilon must be more than 0");
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
              .within = s.within,
              .confidence = s.confidence,
              .spread = s.which.spec.spread,
              .response = s.response,
              .power = s.power > 0 ? s.power : POWER_DEFAULT,
              .difference = s.difference,
              .questions = s.questions,
              .groups = s.groups > 0       ? s.groups
                        : s.difference > 0 ? 2
                                           : 1,
              .all = s.all,
              .for_shape = s.which.given.epsilon && s.questions == 1 ? best_for_shape(&s.which.spec) : NULL};
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
    .usage = "--range MIN:MAX [two of --people, --epsilon, --within or --difference] [OPTIONS]",
    .groups = {{.heading = "Give two of these, people, epsilon and an error; the third is computed",
                .options = people_option},
               {.options = epsilon_option, .record = offsetof(settings, which)},
               {.options = within_option},
               {.heading = "About the people and the values",
                .options = value_options,
                .record = offsetof(settings, which)},
               {.options = own_options},
               {.heading = OUTPUT_HEADING, .options = all_option},
               {.options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
