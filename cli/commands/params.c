/* podium params: the shape of the Podium distribution. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>

/* ---- The paper's Table 1 ---- */

/* 0.1, 0.2 ... 5 in tenths, then 6, 7 ... 10 */
enum { TABLE_TENTHS = 50, TABLE_ROWS = 55, TENTHS = 10 };

static double table_epsilon(int row) {
    return row < TABLE_TENTHS ? (double)(row + 1) / TENTHS : TABLE_TENTHS / TENTHS + row + 1 - TABLE_TENTHS;
}

static void print_table_text(output *out, const podium_spec *specs) {
    output_print(out, "  %-7s  %-8s  %-20s  %-20s  %-20s  %s\n", "epsilon", "exp", "d", "w", "m", "s");
    for (int i = 0; i < TABLE_ROWS; i++) {
        podium_shape s = shape_from(&specs[i]);
        double e = specs[i].epsilon;
        output_print(out, "  %-7.2f  %-8.2f  %-20.16g  %-20.16g  %-20.16g  %.16g\n", e, exp(e), s.d, s.w, s.m, s.s);
    }
}

typedef void print_named(output *out, const named_number *numbers, size_t count);

/* Rows of CSV or JSON: epsilon, with what is printed before it, the other numbers, and what ends a row that another one
   follows */
static void print_table_rows(output *out, const podium_spec *specs, const char *before, print_named *print,
                             const char *after) {
    for (int i = 0; i < TABLE_ROWS; i++) {
        podium_shape s = shape_from(&specs[i]);
        const named_number numbers[] = {{"exp", exp(specs[i].epsilon)}, {"d", s.d}, {"w", s.w}, {"m", s.m}, {"s", s.s}};
        output_print(out, "%s", i == 0 ? "" : after);
        print_number(out, before, specs[i].epsilon, "");
        print(out, numbers, LENGTH(numbers));
    }
}

static void print_table(output *out, const podium_spec *given, output_format format) {
    podium_spec specs[TABLE_ROWS];
    for (int i = 0; i < TABLE_ROWS; i++) {
        specs[i] = *given;
        specs[i].epsilon = table_epsilon(i);
    }
    if (format == FORMAT_TEXT) {
        print_table_text(out, specs);
    } else if (format == FORMAT_CSV) {
        output_print(out, "epsilon,exp,d,w,m,s\n");
        print_table_rows(out, specs, "", print_cells, "\n");
        output_print(out, "\n");
    } else {
        output_print(out, "[");
        print_table_rows(out, specs, "\n  {\"epsilon\": ", print_members, "},");
        output_print(out, "}\n]\n");
    }
}

/* ---- One shape ---- */

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
    const named_number shape[] = {{"s", s->s}, {"m", s->m}, {"w", s->w}, {"d", s->d}, {"q", s->q}};
    const named_number ends[] = {{"support_lower", lower}, {"support_upper", upper}};
    const named_number variances[] = {{"variance_middle", podium_shape_variance(s, s->middle)},
                                      {"variance_edge", podium_shape_variance(s, s->spec.max)}};
    if (format == FORMAT_TEXT) {
        print_number(out, "epsilon          ", s->spec.epsilon, "");
        output_print(out, "\n");
        output_print(out, text_shape, variant_of(s), s->s, s->m, s->w, s->d, s->q, lower, upper, variances[0].x,
                     variances[1].x);
    } else if (format == FORMAT_JSON) {
        print_number(out, "{\"epsilon\": ", s->spec.epsilon, "null");
        output_print(out, ", \"variant\": \"%s\"", variant_of(s));
        print_members(out, shape, LENGTH(shape));
        print_number(out, ", \"support\": [", lower, "null");
        print_number(out, ", ", upper, "null");
        output_print(out, "]");
        print_members(out, variances, LENGTH(variances));
        output_print(out, "}\n");
    } else {
        output_print(out, "epsilon,variant,s,m,w,d,q,support_lower,support_upper,variance_middle,variance_edge\n");
        print_number(out, "", s->spec.epsilon, "");
        output_print(out, ",%s", variant_of(s));
        print_cells(out, shape, LENGTH(shape));
        print_cells(out, ends, LENGTH(ends));
        print_cells(out, variances, LENGTH(variances));
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
        print_table(out, &spec, s.output.format);
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
