/* podium difference: compare the means of groups. */
#include "commands/commands.h"
#include "commands/estimate.h"
#include "commands/read_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPARISONS_MAX 100000 /* all pairs of 447 groups */

/* ---- Comparing ---- */

typedef struct {
    const group *a, *b;
    podium_difference difference; /* of a minus b */
    double p_adjusted;
} comparison;

typedef struct {
    comparison *of;
    size_t count;
    size_t known; /* how many have a p-value, and count for the adjustment */
} comparisons;

static void compare(comparisons *all, const podium_collection *collection, const podium_question *question,
                    const group *a, const group *b) {
    if (all->count == COMPARISONS_MAX)
        fail(BAD_DATA, "more than %d comparisons; compare with one group by --baseline", COMPARISONS_MAX);
    comparison *c = &all->of[all->count++];
    *c = (comparison){.a = a, .b = b};
    require(podium_difference_make(collection, &c->difference, &a->aggregate, &b->aggregate, question), BAD_DATA);
    all->known += isnan(c->difference.p_value) ? 0 : 1;
}

static void adjust(comparisons *all) {
    double *p = allocate((all->count + 1) * sizeof *p);
    for (size_t i = 0; i < all->count; i++)
        p[i] = all->of[i].difference.p_value;
    require(podium_differences_adjust(p, p, all->count), BAD_DATA);
    for (size_t i = 0; i < all->count; i++)
        all->of[i].p_adjusted = p[i];
    free(p);
}

static const group *group_called(const groups *all, const char *name) {
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->group[i]->name, name) == 0)
            return all->group[i];
    fail(BAD_USAGE, "--baseline: no group is called '%s'", name);
}

/* Compares every group with the baseline, or every pair if there is none. */
static comparisons compare_all(const podium_collection *collection, const groups *all, const podium_question *question,
                               const char *baseline) {
    comparisons made = {.of = allocate(COMPARISONS_MAX * sizeof *made.of)};
    const group *base = baseline == NULL ? NULL : group_called(all, baseline);
    for (size_t i = 0; i < all->count; i++) {
        if (base != NULL && all->group[i] != base)
            compare(&made, collection, question, all->group[i], base);
        for (size_t j = i + 1; base == NULL && j < all->count; j++)
            compare(&made, collection, question, all->group[i], all->group[j]);
    }
    adjust(&made);
    return made;
}

/* ---- Text ---- */

static const char *about(const podium_difference *d) {
    return podium_summary_about(&(podium_summary){.population = d->population});
}

static const char *p_text(char text[ROUNDED_MAX], double p) {
    snprintf(text, ROUNDED_MAX, isnan(p) ? "unknown" : "%.2g", p);
    return text;
}

static unsigned long long refused_in(const group *g) {
    return podium_aggregate_refused(&g->aggregate);
}

static void print_side(output *out, const char *label, const group *g) {
    output_print(out, "%-15s ", label);
    print_name(out, g->name, 0);
    output_print(out, " (%llu reports", (unsigned long long)podium_aggregate_count(&g->aggregate));
    if (refused_in(g) > 0)
        output_print(out, ", %llu refused", refused_in(g));
    output_print(out, ")\n");
}

static void print_one(output *out, const comparison *c) {
    const podium_difference *d = &c->difference;
    const double error = d->standard_error;
    char x[ROUNDED_MAX], y[ROUNDED_MAX];
    print_side(out, "a", c->a);
    print_side(out, "b", c->b);
    output_print(out, "difference      %s (the mean of a minus that of b)\n", rounded(x, d->difference, error));
    output_print(out, "standard error  %s\n", rounded(x, error, error));
    if (d->interval_known == PODIUM_KNOWN_ESTIMATED)
        output_print(out, "interval        %s to %s (%g%%, %s, %s)\n", rounded(x, d->lower, error),
                     rounded(y, d->upper, error), 100 * d->confidence, interval_words[d->interval], about(d));
    else
        output_print(out, "interval        unknown (%s)\n", podium_known_message(d->interval_known));
    output_print(out, "p-value         %s\n", p_text(x, d->p_value));
}

static int name_width(const comparisons *all, bool second) {
    int width = 1;
    for (size_t i = 0; i < all->count; i++)
        width = (int)fmax(width, fmin(40, print_width((second ? all->of[i].b : all->of[i].a)->name)));
    return width;
}

static void print_row(output *out, const comparison *c, int a, int b) {
    const podium_difference *d = &c->difference;
    const double error = d->standard_error, shown[] = {d->difference, error, d->lower, d->upper};
    static const int widths[] = {14, 12, 14, 14};
    char text[ROUNDED_MAX];
    print_name(out, c->a->name, a);
    output_print(out, "  ");
    print_name(out, c->b->name, b);
    if (d->known != PODIUM_KNOWN_ESTIMATED) {
        output_print(out, " %14s", "too few");
        return;
    }
    for (size_t i = 0; i < LENGTH(shown); i++)
        output_print(out, " %*s", widths[i], rounded(text, shown[i], error));
    output_print(out, " %10s", p_text(text, d->p_value));
    output_print(out, " %10s", p_text(text, c->p_adjusted));
}

static void print_refused(output *out, const comparison *c) {
    const unsigned long long refused = refused_in(c->a) + refused_in(c->b);
    if (refused > 0)
        output_print(out, "  (%llu refused)", refused);
}

static void print_table(output *out, const comparisons *all) {
    const int a = name_width(all, false), b = name_width(all, true);
    const podium_difference *first = &all->of[0].difference;
    output_print(out, "%-*s  %-*s %14s %12s %14s %14s %10s %10s\n", a, "a", b, "b", "difference", "std error", "lower",
                 "upper", "p-value", "adjusted");
    for (size_t i = 0; i < all->count; i++) {
        print_row(out, &all->of[i], a, b);
        print_refused(out, &all->of[i]);
        output_print(out, "\n");
    }
    output_print(out,
                 "\n%zu comparison%s of the mean of a with that of b. Each interval (%g%%, %s, %s) and p-value\n"
                 "is for one of them; the adjusted p-values are for all of them together, by Holm's method.\n",
                 all->known, all->known == 1 ? "" : "s", 100 * first->confidence, interval_words[first->interval],
                 about(first));
}

static void print_text(output *out, const comparisons *all, const podium_collection *collection, const char *name) {
    const podium_spec spec = podium_collection_spec(collection);
    print_name(out, name, 0);
    output_print(out, "%s%s, epsilon %g, range %g to %g\n\n", *name == '\0' ? "" : ": ",
                 podium_mechanism_name(spec.mechanism), spec.epsilon, spec.min, spec.max);
    if (all->count == 1)
        print_one(out, &all->of[0]);
    else
        print_table(out, all);
}

/* ---- JSON and CSV ---- */

typedef struct {
    named_number of[8];
} numbers;

static numbers numbers_of(const comparisons *all, const comparison *c) {
    const podium_difference *d = &c->difference;
    return (numbers){{{"difference", d->difference},
                      {"standard_error", d->standard_error},
                      {"confidence", d->confidence},
                      {"lower", d->lower},
                      {"upper", d->upper},
                      {"p_value", d->p_value},
                      {"p_adjusted", c->p_adjusted},
                      {"comparisons", (double)all->known}}};
}

static void print_json(output *out, const comparisons *all) {
    output_print(out, "[");
    for (size_t i = 0; i < all->count; i++) {
        const comparison *c = &all->of[i];
        const numbers n = numbers_of(all, c);
        output_print(out, i == 0 ? "{\"a\": " : ",\n {\"a\": ");
        print_name_json(out, c->a->name);
        output_print(out, ", \"b\": ");
        print_name_json(out, c->b->name);
        print_members(out, n.of, LENGTH(n.of));
        output_print(out, ", \"interval\": \"%s\", \"about\": \"%s\"", interval_words[c->difference.interval],
                     about(&c->difference));
        output_print(out, ", \"refused_a\": %llu, \"refused_b\": %llu}", refused_in(c->a), refused_in(c->b));
    }
    output_print(out, "]\n");
}

static void print_csv(output *out, const comparisons *all) {
    output_print(out, "a,b,difference,standard_error,confidence,lower,upper,p_value,p_adjusted,comparisons,interval,"
                      "about,refused_a,refused_b\n");
    for (size_t i = 0; i < all->count; i++) {
        const comparison *c = &all->of[i];
        const numbers n = numbers_of(all, c);
        print_name_csv(out, c->a->name);
        output_print(out, ",");
        print_name_csv(out, c->b->name);
        print_fields(out, n.of, LENGTH(n.of));
        output_print(out, ",%s,%s,%llu,%llu\n", interval_words[c->difference.interval], about(&c->difference),
                     refused_in(c->a), refused_in(c->b));
    }
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    table_options table;
    podium_question question;
    const char *baseline;
    output_options output;
} settings;

static const option own_options[] = {
    {.name = "baseline",
     .argument = "GROUP",
     TO_TEXT(settings, baseline),
     .help = "compare each group with this one; all pairs if not given"},
    ROW_CONFIDENCE(settings, question.confidence),
    {.name = "interval",
     TO_CHOICE(settings, question.interval),
     .words = interval_words,
     .help = "how the interval is computed, as for podium estimate; normal if not given"},
    {.name = "population",
     TO_FLAG(settings, question.population),
     .help = "make the interval for populations from which these people were drawn at random"},
    {.name = NULL},
};

static const option output_rows[] = {ROW_FORMAT, ROW_OUTPUT, {.name = NULL}};

static void check_groups(const groups *all, const comparisons *made) {
    if (all->count < 2)
        fail(BAD_DATA, "%s; give two files, or --by",
             all->count == 0 ? "there is nothing to compare" : "one group cannot be compared");
    for (size_t i = 0; i < made->count; i++)
        if (made->of[i].difference.known == PODIUM_KNOWN_ESTIMATED)
            return;
    fail(BAD_DATA, "%s for any comparison; each group needs two", podium_status_message(PODIUM_ERROR_TOO_FEW_REPORTS));
}

static int run(char **arguments) {
    settings s = {.which = {.command = "difference"},
                  .table = {.header = HEADER_AUTO, .doing = "reading"},
                  .question = {.confidence = 0.95}};
    s.table.files = options_parse(&command_difference, &s, arguments);
    collection_check_input(&s.which, s.table.files);
    podium_collection collection;
    char name[PODIUM_NAME_MAX];
    groups all = read_groups(&collection, name, &s.table, &s.which, READ_BY_FILE);
    podium_bounds bounds;
    if (s.question.interval != PODIUM_INTERVAL_NORMAL) {
        require(podium_bounds_init(&collection, &bounds), BAD_DATA);
        s.question.bounds = &bounds;
    }
    comparisons made = compare_all(&collection, &all, &s.question, s.baseline);
    warn_of_refused_in(&all, s.table.codes);
    check_groups(&all, &made);
    output *out = output_open(s.output.path);
    if (s.output.format == FORMAT_TEXT)
        print_text(out, &made, &collection, name);
    else
        (s.output.format == FORMAT_JSON ? print_json : print_csv)(out, &made);
    output_close(out);
    free(made.of);
    groups_free(&all);
    return DONE;
}

const command command_difference = {
    .name = "difference",
    .summary = "compare the means of groups",
    .usage = "[OPTIONS] [FILE...]",
    .operands = true,
    .note =
        "The files contain either reports or aggregates. Each file of reports is a group, unless there is --by; each "
        "aggregate is a group.",
    .groups = {{.heading = COLLECTION_HEADING, .options = collection_option, .record = offsetof(settings, which)},
               {.options = spec_options,
                .record = offsetof(settings, which),
                .note = "An aggregate contains its collection, so none need be given."},
               {.heading = INPUT_HEADING, .options = column_option, .record = offsetof(settings, table)},
               {.options = table_form, .record = offsetof(settings, table)},
               {.options = report_options, .record = offsetof(settings, table)},
               {.options = by_option, .record = offsetof(settings, table)},
               {.heading = "What to compare", .options = own_options},
               {.heading = OUTPUT_HEADING, .options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
