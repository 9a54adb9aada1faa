/* podium compare: which mechanism is best, and by how much. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>
#include <stdlib.h>

/* ---- What is known of all mechanisms at one epsilon ---- */

typedef struct {
    podium_collection of[PODIUM_MECHANISMS];
    double bound; /* NaN: not known */
    double delta, middle;
} field;

/* Of a range of width 1 about 0: all else is a matter of units, and no range is too narrow for that. */
static podium_spec unit_spec(const podium_spec *given, podium_mechanism mechanism, double epsilon) {
    podium_spec spec = spec_for(given, mechanism);
    spec.epsilon = epsilon;
    spec.min = -0.5;
    spec.max = 0.5;
    return spec;
}

static void field_make(field *f, const podium_spec *given, double epsilon) {
    f->delta = given->max - given->min;
    f->middle = given->min + f->delta / 2;
    for (size_t m = 0; m < PODIUM_MECHANISMS; m++) {
        podium_spec spec = unit_spec(given, (podium_mechanism)m, epsilon);
        f->of[m] = collection_for(&spec);
    }
    f->bound = podium_lower_bound(epsilon);
}

static const podium_collection *best_of(const field *f, podium_objective objective) {
    const podium_collection *best = &f->of[0];
    for (size_t m = 1; m < PODIUM_MECHANISMS; m++)
        if (podium_collection_noise(&f->of[m], objective) < podium_collection_noise(best, objective))
            best = &f->of[m];
    return best;
}

/* ---- Printing ---- */

typedef struct {
    const char *name;
    double worst, uniform, middle, least, to_laplace, to_best;
    size_t bytes; /* 0 and no support for the bound, which is no mechanism */
    double lower, upper;
} line;

static line line_of(const field *f, size_t m) {
    double laplace = f->of[PODIUM_MECHANISM_LAPLACE].variance_most,
           best = best_of(f, PODIUM_OBJECTIVE_WORST_CASE)->variance_most;
    double unit = f->delta * f->delta;
    if (m == PODIUM_MECHANISMS)
        return (line){"bound", unit * f->bound, NAN, NAN, NAN, f->bound / laplace, f->bound / best, 0, NAN, NAN};
    const podium_collection *c = &f->of[m];
    return (line){podium_mechanism_name(c->spec.mechanism),
                  unit * c->variance_most,
                  unit * c->variance_uniform,
                  unit * podium_collection_noise(c, PODIUM_OBJECTIVE_MIDDLE),
                  unit * c->variance_least,
                  c->variance_most / laplace,
                  c->variance_most / best,
                  podium_code_bytes(c),
                  f->middle + f->delta * c->first,
                  f->middle + f->delta * (c->first + c->spacing * (double)c->worth_most)};
}

/* The mechanisms, and the bound where there is one */
static size_t rows_of(const field *f) {
    return isnan(f->bound) ? PODIUM_MECHANISMS : PODIUM_MECHANISMS + 1;
}

static void print_text(output *out, const field *f, double epsilon) {
    output_print(out, "epsilon %g\n\n  %-18s %12s %12s %12s %10s %8s %6s  %s\n", epsilon, "mechanism", "worst case",
                 "uniform", "middle", "to laplace", "to best", "bytes", "support");
    for (size_t m = 0; m < rows_of(f); m++) {
        line l = line_of(f, m);
        if (m == PODIUM_MECHANISMS)
            output_print(out, "  %-18s %12.6g %12s %12s %10.4f %8.4f\n", "lower bound", l.worst, "", "", l.to_laplace,
                         l.to_best);
        else
            output_print(out, "  %-18s %12.6g %12.6g %12.6g %10.4f %8.4f %6zu  %.6g to %.6g\n", l.name, l.worst,
                         l.uniform, l.middle, l.to_laplace, l.to_best, l.bytes, l.lower, l.upper);
    }
    const podium_collection *worst = best_of(f, PODIUM_OBJECTIVE_WORST_CASE),
                            *even = best_of(f, PODIUM_OBJECTIVE_UNIFORM);
    const podium_collection *middle = best_of(f, PODIUM_OBJECTIVE_MIDDLE);
    output_print(out, "\n  take %s for the worst case, %s for values spread evenly, %s for values about the middle\n",
                 podium_mechanism_name(worst->spec.mechanism), podium_mechanism_name(even->spec.mechanism),
                 podium_mechanism_name(middle->spec.mechanism));
}

#define VARIANCES 6
typedef struct {
    named_number of[VARIANCES];
} variances;

static variances variances_of(const line *l) {
    return (variances){{{"worst", l->worst},
                        {"uniform", l->uniform},
                        {"middle", l->middle},
                        {"least", l->least},
                        {"to_laplace", l->to_laplace},
                        {"to_best", l->to_best}}};
}

static void print_csv(output *out, const field *f, double epsilon) {
    for (size_t m = 0; m < rows_of(f); m++) {
        const line l = line_of(f, m);
        const variances v = variances_of(&l);
        const named_number rest[] = {
            {"bytes", l.bytes == 0 ? NAN : (double)l.bytes}, {"lower", l.lower}, {"upper", l.upper}};
        print_number(out, "", epsilon, "");
        output_print(out, ",%s", l.name);
        print_cells(out, v.of, VARIANCES);
        print_cells(out, rest, LENGTH(rest));
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

static void print_json(output *out, const field *f, double epsilon) {
    print_number(out, "{\"epsilon\": ", epsilon, "null");
    print_number(out, ", \"lower_bound\": ", f->delta * f->delta * f->bound, "null");
    output_print(out, ", \"take\": {");
    for (unsigned i = 0; objective_words[i] != NULL; i++)
        output_print(out, "%s\"%s\": \"%s\"", i == 0 ? "" : ", ", objective_words[i],
                     podium_mechanism_name(best_of(f, (podium_objective)i)->spec.mechanism));
    output_print(out, "}, \"mechanisms\": [");
    for (size_t m = 0; m < PODIUM_MECHANISMS; m++) {
        const line l = line_of(f, m);
        output_print(out, m == 0 ? "" : ",");
        print_json_line(out, &l);
    }
    output_print(out, "]}");
}

/* ---- The picture ---- */

#define POINTS_X 201
#define POINTS_EPSILON 41

/* A data block of gnuplot for each mechanism: "$name" and then pairs */
static void write_against_x(FILE *to, const field *f) {
    for (size_t m = 0; m < PODIUM_MECHANISMS; m++) {
        const podium_collection *c = &f->of[m];
        fprintf(to, "$x%zu << E\n", m);
        for (int i = 0; i < POINTS_X; i++) {
            double x = (double)i / (POINTS_X - 1) - 0.5;
            fprintf(to, "%.10g %.10g\n", f->middle + f->delta * x,
                    f->delta * f->delta * podium_collection_variance(c, x));
        }
        fputs("E\n", to);
    }
}

static void write_against_epsilon(FILE *to, const podium_spec *given) {
    static double ratio[PODIUM_MECHANISMS][POINTS_EPSILON];
    static field f;
    for (int i = 0; i < POINTS_EPSILON; i++) {
        progress_show("comparing", (uint64_t)i, POINTS_EPSILON, 0);
        field_make(&f, given, 0.1 * pow(100, i / (POINTS_EPSILON - 1.0)));
        for (size_t m = 0; m < PODIUM_MECHANISMS; m++)
            ratio[m][i] = f.of[m].variance_most / f.of[PODIUM_MECHANISM_LAPLACE].variance_most;
    }
    progress_clear();
    for (size_t m = 0; m < PODIUM_MECHANISMS; m++) {
        fprintf(to, "$e%zu << E\n", m);
        for (int i = 0; i < POINTS_EPSILON; i++)
            fprintf(to, "%.10g %.10g\n", 0.1 * pow(100, i / (POINTS_EPSILON - 1.0)), ratio[m][i]);
        fputs("E\n", to);
    }
}

/* One line a mechanism: of the blocks $x0, $x1 ... or $e0 ..., or, for the key, of nothing that is seen. */
static void write_lines(FILE *to, const char *block) {
    for (size_t m = 0; m < PODIUM_MECHANISMS; m++) {
        podium_mechanism mechanism = (podium_mechanism)m;
        fprintf(to, m == 0 ? "plot " : ", ");
        fprintf(to, block == NULL ? "2" : "%s%zu", block, m);
        fprintf(to, " with lines lw %d lc '%s' title '%s'", mechanism == PODIUM_MECHANISM_MINIMAX ? 4 : 2,
                mechanism_colour(mechanism), podium_mechanism_name(mechanism));
    }
    fputc('\n', to);
}

static void draw(const char *path, const podium_spec *given, const field *f, double epsilon) {
    FILE *to = plot_open(path, 1000, 480);
    write_against_x(to, f);
    write_against_epsilon(to, given);
    fprintf(to,
            "set multiplot\nunset key\nset size 0.5,0.84\nset origin 0,0.16\nset yrange [0:*]\nset xrange "
            "[%.10g:%.10g]\nset title 'at ε = %g'\nset xlabel 'value'\nset ylabel 'variance of a report'\n",
            given->min, given->max, epsilon);
    write_lines(to, "$x");
    fputs("set origin 0.5,0.16\nset title 'at its worst, beside Laplace’s'\nset xlabel 'ε'\n"
          "set ylabel 'ratio of variances'\nset xrange [0.1:10]\nset logscale x\nset yrange [0:1.2]\n",
          to);
    write_lines(to, "$e");
    fputs("set size 1,0.16\nset origin 0,0\nunset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\n"
          "set margins 0,0,0,0\nset yrange [0:1]\nset key center center horizontal maxcols 5 samplen 2\n",
          to);
    write_lines(to, NULL);
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
     .takes = "takes numbers, with commas between them",
     .help = "1e-6 to 50"},
    {.name = NULL},
};

static const option value_options[] = {
    ROW_RANGE("-0.5:0.5 if not given, so that variances are in units of (MAX-MIN)^2"),
    ROW_SPREAD("what podium-tuned is tuned to; 0.0833, a uniform prior, if not given"),
    ROW_CELLS("of minimax; 256 if not given"),
    {.name = NULL},
};

static const option output_rows[] = {
    ROW_FORMAT,
    ROW_PLOT("variance against the value (at the first E), and against epsilon; SVG or PNG by the end of the name"),
    ROW_OUTPUT,
    {.name = NULL},
};

static field *fields_of(const podium_spec *given, const number_list *epsilons) {
    field *fields = allocate(epsilons->count * sizeof *fields);
    for (size_t i = 0; i < epsilons->count; i++) {
        progress_show("comparing", i, epsilons->count, 0);
        field_make(&fields[i], given, epsilons->of[i]);
    }
    progress_clear();
    return fields;
}

static void print_all(output *out, const field *fields, const number_list *epsilons, output_format format) {
    output_print(out, "%s",
                 format == FORMAT_CSV
                     ? "epsilon,mechanism,worst,uniform,middle,least,to_laplace,to_best,bytes,lower,upper\n"
                 : format == FORMAT_JSON ? "["
                                         : "");
    for (size_t i = 0; i < epsilons->count; i++) {
        const field *f = &fields[i];
        if (format == FORMAT_TEXT) {
            output_print(out, i == 0 ? "" : "\n");
            print_text(out, f, epsilons->of[i]);
        } else if (format == FORMAT_CSV) {
            print_csv(out, f, epsilons->of[i]);
        } else {
            output_print(out, i == 0 ? "" : ",\n ");
            print_json(out, f, epsilons->of[i]);
        }
    }
    output_print(out, format == FORMAT_JSON ? "]\n" : "");
}

static void check(const settings *s) {
    if (s->epsilons.count == 0)
        fail_usage("compare", "--epsilon E is missing");
    shape_for(PODIUM_MECHANISM_LAPLACE, 1, s->which.spec.min, s->which.spec.max); /* or fail: is it a range? */
    if (s->output.plot != NULL)
        plot_check("compare", s->output.plot);
}

static int run(char **arguments) {
    settings s = {.which = {.command = "compare", .spec = {.min = -0.5, .max = 0.5, .spread = SPREAD_UNIFORM}}};
    options_parse(&command_compare, &s, arguments);
    check(&s);
    output *out = output_open(s.output.path);
    field *fields = fields_of(&s.which.spec, &s.epsilons);
    if (s.output.plot != NULL)
        draw(s.output.plot, &s.which.spec, &fields[0], s.epsilons.of[0]);
    print_all(out, fields, &s.epsilons, s.output.format);
    output_close(out);
    free(fields);
    return DONE;
}

const command command_compare = {
    .name = "compare",
    .summary = "which mechanism is best, and by how much",
    .usage = "--epsilon E[,E...] [OPTIONS]",
    .groups = {{.options = epsilons_option},
               {.options = value_options, .record = offsetof(settings, which)},
               {.options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
