/* podium params: the shape of the Podium distribution. */
#include "cli.h"

#include <getopt.h>
#include <math.h>

enum { OPTION_APPROXIMATE = OPTION_OWN, OPTION_TABLE, OPTION_FORMAT };

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

int command_params(int argc, char **argv) {
    static const struct option known[] = {{"help", no_argument, NULL, OPTION_HELP},
                                          {"range", required_argument, NULL, OPTION_RANGE},
                                          {"epsilon", required_argument, NULL, OPTION_EPSILON},
                                          {"approximate", no_argument, NULL, OPTION_APPROXIMATE},
                                          {"spread", required_argument, NULL, OPTION_SPREAD},
                                          {"table", no_argument, NULL, OPTION_TABLE},
                                          {"format", required_argument, NULL, OPTION_FORMAT},
                                          {"output", required_argument, NULL, 'o'},
                                          {NULL, 0, NULL, 0}};
    collection_options options = {.command = "params", .spec = {.min = -0.5, .max = 0.5}};
    bool table = false;
    output_format format = FORMAT_TEXT;
    const char *path = NULL;
    for (int option; (option = option_next(&options, argc, argv, known)) != -1;) {
        if (option == OPTION_APPROXIMATE)
            options.spec.mechanism = PODIUM_MECHANISM_PODIUM_APPROXIMATE;
        else if (option == OPTION_TABLE)
            table = true;
        else if (option == OPTION_FORMAT)
            format = (output_format)choice_option("params", "--format", optarg, format_words);
        else if (option == 'o')
            path = optarg;
        else
            collection_option(&options, option, optarg);
    }
    if (optind < argc)
        fail_usage("params", "what is '%s'?", argv[optind]);
    if (options.spread && options.spec.mechanism == PODIUM_MECHANISM_PODIUM_APPROXIMATE)
        fail_usage("params", "--approximate and --spread are two ways to choose s");
    if (options.spread)
        options.spec.mechanism = PODIUM_MECHANISM_PODIUM_TUNED;
    if (table == options.epsilon)
        fail_usage("params", table ? "--table has its own epsilons" : "--epsilon E is missing");
    podium_shape shape = {.delta = 1};
    if (!table)
        shape = shape_from(&options.spec);
    output *out = output_open(path);
    if (table)
        print_table(out, options.spec, format);
    else
        print_shape(out, &shape, format);
    output_close(out);
    return DONE;
}
