/* podium params: the shape of the Podium distribution. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>

/* Numbers that have names: as the cells of a line of CSV, or as the inside of a JSON object */
typedef struct {
    const char *name;
    double x;
} named;

static void print_cells(output *out, const named *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        print_number(out, i == 0 ? "" : ",", numbers[i].x, "");
}

static void print_pairs(output *out, const named *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        output_print(out, "%s\"%s\": ", i == 0 ? "" : ", ", numbers[i].name);
        print_number(out, "", numbers[i].x, "null");
    }
}

/* The paper's Table 1: 0.1, 0.2 ... 5, 6, 7 ... 10 */
static void print_table(output *out, podium_spec spec, output_format format) {
    if (format == FORMAT_TEXT)
        output_print(out, "  %-7s  %-8s  %-20s  %-20s  %-20s  %s\n", "epsilon", "exp", "d", "w", "m", "s");
    else
        output_print(out, format == FORMAT_CSV ? "epsilon,exp,d,w,m,s\n" : "[");
    for (int i = 1; i <= 55; i++) {
        spec.epsilon = i <= 50 ? i / 10.0 : i - 45;
        podium_shape s = shape_from(&spec);
        double e = spec.epsilon;
        const named row[] = {{"epsilon", e}, {"exp", exp(e)}, {"d", s.d}, {"w", s.w}, {"m", s.m}, {"s", s.s}};
        const size_t count = sizeof row / sizeof *row;
        if (format == FORMAT_TEXT) {
            output_print(out, "  %-7.2f  %-8.2f  %-20.16g  %-20.16g  %-20.16g  %.16g\n", e, exp(e), s.d, s.w, s.m, s.s);
        } else if (format == FORMAT_CSV) {
            print_cells(out, row, count);
            output_print(out, "\n");
        } else {
            output_print(out, i == 1 ? "\n  {" : ",\n  {");
            print_pairs(out, row, count);
            output_print(out, "}");
        }
    }
    output_print(out, format == FORMAT_JSON ? "\n]\n" : "");
}

static const char *variant_of(const podium_shape *s) {
    return s->spec.mechanism == PODIUM_MECHANISM_PODIUM_TUNED ? "tuned"
           : s->spec.mechanism == PODIUM_MECHANISM_PODIUM     ? "exact"
                                                              : "approximate";
}

static const char text_shape[] =
    "variant          %s\n"
    "s                %.16g\nm                %.16g   the support is m times the range wide\n"
    "w                %.16g   width of the step\n"
    "d                %.16g   density beside the step\n"
    "q                %.16g   mass that the step has above the rest\n"
    "support          %.16g to %.16g\n"
    "variance_middle  %.16g   of a report, in the middle of the range\n"
    "variance_edge    %.16g   at its ends: the worst case\n";

static void print_shape(output *out, const podium_shape *s, output_format format) {
    double half = s->delta * s->m / 2, lower = s->middle - half, upper = s->middle + half;
    const named shape[] = {{"s", s->s}, {"m", s->m}, {"w", s->w}, {"d", s->d}, {"q", s->q}};
    const named ends[] = {{"support_lower", lower}, {"support_upper", upper}};
    const named variances[] = {{"variance_middle", podium_shape_variance(s, s->middle)},
                               {"variance_edge", podium_shape_variance(s, s->spec.max)}};
    if (format == FORMAT_TEXT) {
        print_number(out, "epsilon          ", s->spec.epsilon, "");
        output_print(out, "\n");
        output_print(out, text_shape, variant_of(s), s->s, s->m, s->w, s->d, s->q, lower, upper, variances[0].x,
                     variances[1].x);
    } else if (format == FORMAT_JSON) {
        print_number(out, "{\"epsilon\": ", s->spec.epsilon, "null");
        output_print(out, ", \"variant\": \"%s\", ", variant_of(s));
        print_pairs(out, shape, 5);
        print_number(out, ", \"support\": [", lower, "null");
        print_number(out, ", ", upper, "null");
        output_print(out, "], ");
        print_pairs(out, variances, 2);
        output_print(out, "}\n");
    } else {
        output_print(out, "epsilon,variant,s,m,w,d,q,support_lower,support_upper,variance_middle,variance_edge\n");
        print_number(out, "", s->spec.epsilon, "");
        output_print(out, ",%s,", variant_of(s));
        print_cells(out, shape, 5);
        output_print(out, ",");
        print_cells(out, ends, 2);
        output_print(out, ",");
        print_cells(out, variances, 2);
        output_print(out, "\n");
    }
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    output_options output;
    bool approximate, table;
} settings;

static const option shape_options[] = {
    ROW_EPSILON("1e-6 to 700"),
    ROW_RANGE("-0.5:0.5 if not given"),
    ROW_SPREAD("s for values of mean square R (MAX-MIN)^2 about the middle, 0 to 0.25"),
    {.name = NULL},
};

static const option own_options[] = {
    {.name = "approximate", TO_FLAG(settings, approximate), .help = "s = epsilon/3"},
    {.name = "table", TO_FLAG(settings, table), .help = "the paper's Table 1, computed"},
    {.name = NULL},
};

static const option output_rows[] = {ROW_FORMAT, ROW_OUTPUT, {.name = NULL}};

static void check(const settings *s) {
    if (s->which.given.spread && s->approximate)
        fail_usage("params", "--approximate and --spread are two ways to choose s");
    if (s->table == s->which.given.epsilon)
        fail_usage("params", s->table ? "--table has its own epsilons" : "--epsilon E is missing");
}

static int run(char **arguments) {
    settings s = {.which = {.command = "params", .spec = {.min = -0.5, .max = 0.5}}};
    options_parse(&command_params, &s, arguments);
    check(&s);
    podium_spec spec = s.which.spec;
    spec.mechanism = s.approximate          ? PODIUM_MECHANISM_PODIUM_APPROXIMATE
                     : s.which.given.spread ? PODIUM_MECHANISM_PODIUM_TUNED
                                            : PODIUM_MECHANISM_PODIUM;
    podium_shape shape = {.delta = 1};
    if (!s.table)
        shape = shape_from(&spec);
    output *out = output_open(s.output.path);
    if (s.table)
        print_table(out, spec, s.output.format);
    else
        print_shape(out, &shape, s.output.format);
    output_close(out);
    return DONE;
}

const command command_params = {
    .name = "params",
    .summary = "the shape of the Podium distribution",
    .usage = "--epsilon E [--range MIN:MAX] [--approximate | --spread R] | --table",
    .groups = {{.options = shape_options, .record = offsetof(settings, which)},
               {.options = own_options},
               {.options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
