/* podium params: show the shape of the Podium distribution. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>

/* ---- The paper's Table 1 ---- */

/* The rows have epsilon 0.1, 0.2 ... 5, and then 6, 7 ... 10. */
enum { TABLE_TENTHS = 50, TABLE_ROWS = 55, TENTHS = 10 };

static double table_epsilon(int row) {
    const int whole = TABLE_TENTHS / TENTHS + row + 1 - TABLE_TENTHS;
    return row < TABLE_TENTHS ? (double)(row + 1) / TENTHS : whole;
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

/* Prints the rows of CSV or JSON. `before` precedes the epsilon of a row, `print` prints the other numbers, and `after`
   separates two rows. */
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
        print_table_rows(out, specs, "", print_fields, "\n");
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

typedef struct {
    named_number shape[5], support[2], variances[2];
} numbers;

static numbers numbers_of(const podium_shape *s) {
    double half = s->delta * s->m / 2;
    return (numbers){
        .shape = {{"s", s->s}, {"m", s->m}, {"w", s->w}, {"d", s->d}, {"q", s->q}},
        .support = {{"support_lower", s->middle - half}, {"support_upper", s->middle + half}},
        .variances = {{"variance_middle", podium_shape_variance(s, s->middle)},
                      {"variance_edge", podium_shape_variance(s, s->spec.max)}},
    };
}

static const char text_shape[] =
    "variant          %s\n"
    "s                %.16g\nm                %.16g   the support is m times as wide as the range\n"
    "w                %.16g   the width of the step\n"
    "d                %.16g   the density outside the step\n"
    "q                %.16g   the mass of the step above that density\n"
    "support          %.16g to %.16g\n"
    "variance_middle  %.16g   the variance of a report in the middle of the range\n"
    "variance_edge    %.16g   and at its ends, which is the worst case\n";

static void print_shape_text(output *out, const podium_shape *s, const numbers *n) {
    print_number(out, "epsilon          ", s->spec.epsilon, "");
    output_print(out, "\n");
    output_print(out, text_shape, variant_of(s), s->s, s->m, s->w, s->d, s->q, n->support[0].x, n->support[1].x,
                 n->variances[0].x, n->variances[1].x);
}

static void print_shape_json(output *out, const podium_shape *s, const numbers *n) {
    print_number(out, "{\"epsilon\": ", s->spec.epsilon, "null");
    output_print(out, ", \"variant\": \"%s\"", variant_of(s));
    print_members(out, n->shape, LENGTH(n->shape));
    print_number(out, ", \"support\": [", n->support[0].x, "null");
    print_number(out, ", ", n->support[1].x, "null");
    output_print(out, "]");
    print_members(out, n->variances, LENGTH(n->variances));
    output_print(out, "}\n");
}

static void print_shape_csv(output *out, const podium_shape *s, const numbers *n) {
    output_print(out, "epsilon,variant,s,m,w,d,q,support_lower,support_upper,variance_middle,variance_edge\n");
    print_number(out, "", s->spec.epsilon, "");
    output_print(out, ",%s", variant_of(s));
    print_fields(out, n->shape, LENGTH(n->shape));
    print_fields(out, n->support, LENGTH(n->support));
    print_fields(out, n->variances, LENGTH(n->variances));
    output_print(out, "\n");
}

static void print_shape(output *out, const podium_shape *s, output_format format) {
    static void (*const print[])(output *, const podium_shape *, const numbers *) = {
        [FORMAT_TEXT] = print_shape_text, [FORMAT_JSON] = print_shape_json, [FORMAT_CSV] = print_shape_csv};
    const numbers n = numbers_of(s);
    print[format](out, s, &n);
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    output_options output;
    bool approximate, table;
} settings;

static const option shape_options[] = {
    ROW_EPSILON("from 1e-6 to 700"),
    ROW_RANGE("the range of the values; -0.5:0.5 if not given"),
    ROW_SPREAD("choose s for values with a mean square of R (MAX-MIN)^2 about the middle; from 0 to 0.25"),
    {.name = NULL},
};

static const option own_options[] = {
    {.name = "approximate", TO_FLAG(settings, approximate), .help = "use s = epsilon/3"},
    {.name = "table", TO_FLAG(settings, table), .help = "compute Table 1 of the paper"},
    {.name = NULL},
};

static const option output_rows[] = {ROW_FORMAT, ROW_OUTPUT, {.name = NULL}};

static void check(const settings *s) {
    if (s->which.given.spread && s->approximate)
        fail_usage("params", "--approximate and --spread cannot be used together, because both choose s");
    if (s->table == s->which.given.epsilon)
        fail_usage("params", s->table ? "--table has its own epsilons; leave out --epsilon" : "--epsilon E is missing");
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
    .summary = "show the shape of the Podium distribution",
    .usage = "--epsilon E [--range MIN:MAX] [--approximate | --spread R] | --table",
    .groups = {{.options = shape_options, .record = offsetof(settings, which)},
               {.options = own_options},
               {.options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
