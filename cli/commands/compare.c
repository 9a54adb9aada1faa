/* podium compare: show which mechanism is best, and by how much. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>
#include <stdlib.h>

/* ---- All mechanisms at one epsilon ---- */

typedef struct {
    podium_collection *of; /* one for each mechanism */
    double *shape;         /* the error of the distribution for each mechanism, or NULL, because it takes long */
    double bound;          /* the lower bound of the worst-case variance; NaN if unknown */
    double delta, middle;
} comparison;

/* Uses the range from -0.5 to 0.5, because any other range only changes the units, and might be too narrow. */
static podium_spec unit_spec(const podium_spec *given, podium_mechanism mechanism, double epsilon) {
    podium_spec spec = spec_for(given, mechanism);
    spec.epsilon = epsilon;
    spec.min = -0.5;
    spec.max = 0.5;
    return spec;
}

static void comparison_make(comparison *cmp, const podium_spec *given, double epsilon) {
    cmp->delta = given->max - given->min;
    cmp->middle = given->min + cmp->delta / 2;
    cmp->of = reallocate(cmp->of, podium_mechanism_count() * sizeof *cmp->of);
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        podium_spec spec = unit_spec(given, (podium_mechanism)m, epsilon);
        cmp->of[m] = collection_for(&spec);
    }
    cmp->bound = podium_lower_bound(epsilon);
}

static void comparison_add_shape(comparison *cmp) {
    cmp->shape = allocate(podium_mechanism_count() * sizeof *cmp->shape);
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        cmp->shape[m] = podium_collection_noise(&cmp->of[m], PODIUM_OBJECTIVE_DISTRIBUTION);
}

static void comparison_free(comparison *cmp) {
    free(cmp->of);
    free(cmp->shape);
}

static double noise_of(const comparison *cmp, size_t m, podium_objective objective) {
    return objective == PODIUM_OBJECTIVE_DISTRIBUTION ? cmp->shape[m] : podium_collection_noise(&cmp->of[m], objective);
}

static const podium_collection *best_of(const comparison *cmp, podium_objective objective) {
    size_t best = 0;
    for (size_t m = 1; m < podium_mechanism_count(); m++)
        if (noise_of(cmp, m, objective) < noise_of(cmp, best, objective))
            best = m;
    return &cmp->of[best];
}

/* ---- Printing ---- */

typedef struct {
    const char *name;
    double worst, uniform, middle, least, distribution, to_yardstick, to_best;
    size_t bytes; /* 0, with no support, for the bound, which is not a mechanism */
    double lower, upper;
} line;

static double worst_of(const podium_collection *c) {
    return podium_collection_noise(c, PODIUM_OBJECTIVE_WORST_CASE);
}

static podium_mechanism mechanism_of(const podium_collection *c) {
    return podium_collection_spec(c).mechanism;
}

static line line_of(const comparison *cmp, size_t m) {
    const double yardstick = worst_of(&cmp->of[podium_mechanism_yardstick()]);
    const double best = worst_of(best_of(cmp, PODIUM_OBJECTIVE_WORST_CASE)), unit = cmp->delta * cmp->delta;
    if (m == podium_mechanism_count())
        return (line){"bound", unit * cmp->bound, NAN, NAN, NAN, NAN, cmp->bound / yardstick, cmp->bound / best, 0, NAN,
                      NAN};
    const podium_collection *c = &cmp->of[m];
    return (line){podium_mechanism_name(mechanism_of(c)),
                  unit * worst_of(c),
                  unit * podium_collection_noise(c, PODIUM_OBJECTIVE_UNIFORM),
                  unit * podium_collection_noise(c, PODIUM_OBJECTIVE_MIDDLE),
                  unit * podium_collection_variance_least(c),
                  cmp->shape[m],
                  worst_of(c) / yardstick,
                  worst_of(c) / best,
                  podium_code_bytes(c),
                  cmp->middle + cmp->delta * podium_collection_least(c),
                  cmp->middle + cmp->delta * podium_collection_most(c)};
}

/* Returns the number of rows: one per mechanism, and one for the bound if it is known. */
static size_t rows_of(const comparison *cmp) {
    return isnan(cmp->bound) ? podium_mechanism_count() : podium_mechanism_count() + 1;
}

static void print_best(output *out, const comparison *cmp) {
    static const char *const when[] = {"the worst case", "evenly spread values", "values near the middle",
                                       "the distribution"};
    output_print(out, "\n  Best: ");
    for (unsigned i = 0; objective_words[i] != NULL; i++)
        output_print(out, "%s%s for %s",
                     i == 0   ? ""
                     : i == 2 ? ",\n  "
                              : ", ",
                     podium_mechanism_name(mechanism_of(best_of(cmp, (podium_objective)i))), when[i]);
    output_print(out, ".\n");
}

static void print_text(output *out, const comparison *cmp, double epsilon) {
    char against[64];
    snprintf(against, sizeof against, "to %s", podium_mechanism_name(podium_mechanism_yardstick()));
    output_print(out, "epsilon %g\n\n  %-18s %12s %12s %12s %12s %10s %8s %6s  %s\n", epsilon, "mechanism",
                 "worst case", "uniform", "middle", "distribution", against, "to best", "bytes", "support");
    for (size_t m = 0; m < rows_of(cmp); m++) {
        line l = line_of(cmp, m);
        if (m == podium_mechanism_count()) {
            output_print(out, "  %-18s %12.6g %38s %10.4f %8.4f\n", "lower bound", l.worst, "", l.to_yardstick,
                         l.to_best);
            continue;
        }
        output_print(out, "  %-18s %12.6g %12.6g %12.6g ", l.name, l.worst, l.uniform, l.middle);
        if (isinf(l.distribution))
            output_print(out, "%12s", "none");
        else
            output_print(out, "%12.4g", l.distribution);
        output_print(out, " %10.4f %8.4f %6zu  %.6g to %.6g\n", l.to_yardstick, l.to_best, l.bytes, l.lower, l.upper);
    }
    print_best(out, cmp);
}

/* Returns the name of the column that compares with the yardstick: "to_" and the mechanism's name. */
static const char *to_yardstick(void) {
    static char name[64];
    snprintf(name, sizeof name, "to_%s", podium_mechanism_name(podium_mechanism_yardstick()));
    return name;
}

#define VARIANCES 7
typedef struct {
    named_number of[VARIANCES];
} variances;

static variances variances_of(const line *l) {
    return (variances){{{"worst", l->worst},
                        {"uniform", l->uniform},
                        {"middle", l->middle},
                        {"least", l->least},
                        {"distribution", l->distribution},
                        {to_yardstick(), l->to_yardstick},
                        {"to_best", l->to_best}}};
}

static void print_csv(output *out, const comparison *cmp, double epsilon) {
    for (size_t m = 0; m < rows_of(cmp); m++) {
        const line l = line_of(cmp, m);
        const variances v = variances_of(&l);
        const named_number rest[] = {
            {"bytes", l.bytes == 0 ? NAN : (double)l.bytes}, {"lower", l.lower}, {"upper", l.upper}};
        print_number(out, "", epsilon, "");
        output_print(out, ",%s", l.name);
        print_fields(out, v.of, VARIANCES);
        print_fields(out, rest, LENGTH(rest));
        output_print(out, "\n");
    }
}

static void print_json_line(output *out, const line *l) {
    const variances v = variances_of(l);
    output_print(out, "\n  {\"mechanism\": \"%s\"", l->name);
    print_members(out, v.of, VARIANCES);
    output_print(out, ", \"bytes\": %zu", l->bytes);
    print_number(out, ", \"support\": [", l->lower, "null");
    print_number(out, ", ", l->upper, "null");
    output_print(out, "]}");
}

static void print_json(output *out, const comparison *cmp, double epsilon) {
    print_number(out, "{\"epsilon\": ", epsilon, "null");
    print_number(out, ", \"lower_bound\": ", cmp->delta * cmp->delta * cmp->bound, "null");
    output_print(out, ", \"take\": {");
    for (unsigned i = 0; objective_words[i] != NULL; i++)
        output_print(out, "%s\"%s\": \"%s\"", i == 0 ? "" : ", ", objective_words[i],
                     podium_mechanism_name(mechanism_of(best_of(cmp, (podium_objective)i))));
    output_print(out, "}, \"mechanisms\": [");
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        const line l = line_of(cmp, m);
        output_print(out, m == 0 ? "" : ",");
        print_json_line(out, &l);
    }
    output_print(out, "]}");
}

/* ---- The picture ---- */

#define POINTS_X 201
#define POINTS_EPSILON 41

/* Writes a gnuplot data block for each mechanism: its name, such as $x0, and then pairs of numbers. */
static void write_against_x(FILE *to, const comparison *cmp) {
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        const podium_collection *c = &cmp->of[m];
        fprintf(to, "$x%zu << E\n", m);
        for (int i = 0; i < POINTS_X; i++) {
            double x = (double)i / (POINTS_X - 1) - 0.5;
            fprintf(to, "%.10g %.10g\n", cmp->middle + cmp->delta * x,
                    cmp->delta * cmp->delta * podium_collection_variance(c, x));
        }
        fputs("E\n", to);
    }
}

static void write_against_epsilon(FILE *to, const podium_spec *given) {
    double *ratio = allocate(podium_mechanism_count() * POINTS_EPSILON * sizeof *ratio);
    comparison cmp = {.of = NULL, .shape = NULL};
    for (int i = 0; i < POINTS_EPSILON; i++) {
        progress_show("comparing", (uint64_t)i, POINTS_EPSILON, 0);
        comparison_make(&cmp, given, 0.1 * pow(100, i / (POINTS_EPSILON - 1.0)));
        for (size_t m = 0; m < podium_mechanism_count(); m++)
            ratio[m * POINTS_EPSILON + (size_t)i] =
                worst_of(&cmp.of[m]) / worst_of(&cmp.of[podium_mechanism_yardstick()]);
    }
    progress_clear();
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        fprintf(to, "$e%zu << E\n", m);
        for (int i = 0; i < POINTS_EPSILON; i++)
            fprintf(to, "%.10g %.10g\n", 0.1 * pow(100, i / (POINTS_EPSILON - 1.0)),
                    ratio[m * POINTS_EPSILON + (size_t)i]);
        fputs("E\n", to);
    }
    comparison_free(&cmp);
    free(ratio);
}

/* Plots one line per mechanism, from the blocks $x0, $x1 ... or $e0 .... If block is NULL the lines are outside the
   picture and only the key is visible. The best has the thickest line. */
static void write_lines(FILE *to, const char *block, podium_mechanism best) {
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        podium_mechanism mechanism = (podium_mechanism)m;
        fprintf(to, m == 0 ? "plot " : ", ");
        fprintf(to, block == NULL ? "2" : "%s%zu", block, m);
        fprintf(to, " with lines lw %d lc '%s' title '%s'", mechanism == best ? 4 : 2,
                podium_mechanism_colour(mechanism), podium_mechanism_name(mechanism));
    }
    fputc('\n', to);
}

static void draw(const char *path, const podium_spec *given, const comparison *cmp, double epsilon) {
    const podium_mechanism best = mechanism_of(best_of(cmp, PODIUM_OBJECTIVE_WORST_CASE));
    FILE *to = plot_open(path, 1000, 480);
    write_against_x(to, cmp);
    write_against_epsilon(to, given);
    fprintf(to,
            "set multiplot\nunset key\nset size 0.5,0.84\nset origin 0,0.16\nset yrange [0:*]\nset xrange "
            "[%.10g:%.10g]\nset title 'at ε = %g'\nset xlabel 'value'\nset ylabel 'variance of a report'\n",
            given->min, given->max, epsilon);
    write_lines(to, "$x", best);
    fprintf(to,
            "set origin 0.5,0.16\nset title 'worst case, relative to %s'\nset xlabel 'ε'\n"
            "set ylabel 'ratio of variances'\nset xrange [0.1:10]\nset logscale x\nset yrange [0:1.2]\n",
            podium_mechanism_name(podium_mechanism_yardstick()));
    write_lines(to, "$e", best);
    fputs("set size 1,0.16\nset origin 0,0\nunset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\n"
          "set margins 0,0,0,0\nset yrange [0:1]\nset key center center horizontal maxcols 5 samplen 2\n",
          to);
    write_lines(to, NULL, best);
    fputs("unset multiplot\n", to);
    plot_close(to, path);
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    output_options output;
    number_list epsilons;
} settings;

static const option epsilons_option[] = {
    {.name = "epsilon",
     .argument = "E[,E...]",
     TO_NUMBERS(settings, epsilons),
     .items = NUMBERS_MAX,
     .takes = "takes numbers separated by commas",
     .help = "one or more, from 1e-6 to 50"},
    {.name = NULL},
};

static const option value_options[] = {
    ROW_RANGE("the range of the values; -0.5:0.5 if not given, so that variances are in units of (MAX-MIN)^2"),
    ROW_SPREAD("for mechanisms with this parameter; from 0 to 0.25; 0.0833, as for evenly spread values, if not given"),
    ROW_CELLS("for mechanisms with this parameter; 256 if not given"),
    {.name = NULL},
};

static const option output_rows[] = {
    ROW_FORMAT,
    ROW_PLOT("draw the variance against the value (at the first E) and against epsilon; FILE ends in .svg or .png"),
    ROW_OUTPUT,
    {.name = NULL},
};

static comparison *comparisons_of(const podium_spec *given, const number_list *epsilons) {
    comparison *all = allocate(epsilons->count * sizeof *all);
    for (size_t i = 0; i < epsilons->count; i++) {
        all[i].of = NULL;
        all[i].shape = NULL;
        progress_show("comparing", i, epsilons->count, 0);
        comparison_make(&all[i], given, epsilons->of[i]);
        comparison_add_shape(&all[i]);
    }
    progress_clear();
    return all;
}

static void print_all(output *out, const comparison *all, const number_list *epsilons, output_format format) {
    if (format == FORMAT_CSV)
        output_print(out, "epsilon,mechanism,worst,uniform,middle,least,distribution,%s,to_best,bytes,lower,upper\n",
                     to_yardstick());
    output_print(out, format == FORMAT_JSON ? "[" : "");
    for (size_t i = 0; i < epsilons->count; i++) {
        const comparison *cmp = &all[i];
        if (format == FORMAT_TEXT) {
            output_print(out, i == 0 ? "" : "\n");
            print_text(out, cmp, epsilons->of[i]);
        } else if (format == FORMAT_CSV) {
            print_csv(out, cmp, epsilons->of[i]);
        } else {
            output_print(out, i == 0 ? "" : ",\n ");
            print_json(out, cmp, epsilons->of[i]);
        }
    }
    output_print(out, format == FORMAT_JSON ? "]\n" : "");
}

static void check(const settings *s) {
    if (s->epsilons.count == 0)
        fail_usage("compare", "--epsilon E is missing");
    shape_for(podium_mechanism_yardstick(), 1, s->which.spec.min,
              s->which.spec.max); /* ends the program if the range is not valid */
    if (s->output.plot != NULL)
        plot_check("compare", s->output.plot);
}

static int run(char **arguments) {
    settings s = {.which = {.command = "compare", .spec = {.min = -0.5, .max = 0.5, .spread = SPREAD_UNIFORM}}};
    options_parse(&command_compare, &s, arguments);
    check(&s);
    output *out = output_open(s.output.path);
    comparison *all = comparisons_of(&s.which.spec, &s.epsilons);
    if (s.output.plot != NULL)
        draw(s.output.plot, &s.which.spec, &all[0], s.epsilons.of[0]);
    print_all(out, all, &s.epsilons, s.output.format);
    output_close(out);
    for (size_t i = 0; i < s.epsilons.count; i++)
        comparison_free(&all[i]);
    free(all);
    return DONE;
}

const command command_compare = {
    .name = "compare",
    .summary = "show which mechanism is best, and by how much",
    .usage = "--epsilon E[,E...] [OPTIONS]",
    .groups = {{.options = epsilons_option},
               {.options = value_options, .record = offsetof(settings, which)},
               {.options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
