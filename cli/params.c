/* podium params: the shape of the Podium distribution. */
#include "cli.h"

#include <getopt.h>
#include <math.h>

enum { OPTION_APPROXIMATE = OPTION_OWN, OPTION_TABLE, OPTION_FORMAT };

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
        if (format == FORMAT_TEXT)
            output_print(out, "  %-7.2f  %-8.2f  %-20.16g  %-20.16g  %-20.16g  %.16g\n", e, exp(e), s.d, s.w, s.m, s.s);
        else if (format == FORMAT_CSV)
            output_print(out, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", e, exp(e), s.d, s.w, s.m, s.s);
        else
            output_print(
                out, "%s  {\"epsilon\": %.17g, \"exp\": %.17g, \"d\": %.17g, \"w\": %.17g, \"m\": %.17g, \"s\": %.17g}",
                i == 1 ? "\n" : ",\n", e, exp(e), s.d, s.w, s.m, s.s);
    }
    output_print(out, format == FORMAT_JSON ? "\n]\n" : "");
}

static const char text_shape[] =
    "epsilon          %.17g\nvariant          %s\n"
    "s                %.16g\nm                %.16g   the support is m times the range wide\n"
    "w                %.16g   width of the step\n"
    "d                %.16g   density beside the step\n"
    "q                %.16g   mass that the step has above the rest\n"
    "support          %.16g to %.16g\n"
    "variance_centre  %.16g   of a report, in the middle of the range\n"
    "variance_edge    %.16g   at its ends: the worst case\n";
static const char json_shape[] = "{\"epsilon\": %.17g, \"variant\": \"%s\", \"s\": %.17g, \"m\": %.17g, \"w\": %.17g, "
                                 "\"d\": %.17g, \"q\": %.17g, \"support\": [%.17g, %.17g], "
                                 "\"variance_centre\": %.17g, \"variance_edge\": %.17g}\n";
static const char csv_shape[] = "epsilon,variant,s,m,w,d,q,support_lower,support_upper,variance_centre,variance_edge\n"
                                "%.17g,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n";

static void print_shape(output *out, const podium_shape *s, output_format format) {
    static const char *const formats[] = {text_shape, json_shape, csv_shape};
    double half = s->delta * s->m / 2;
    output_print(out, formats[format], s->spec.epsilon,
                 s->spec.mechanism == PODIUM_TUNED   ? "tuned"
                 : s->spec.mechanism == PODIUM_EXACT ? "exact"
                                                     : "approximate",
                 s->s, s->m, s->w, s->d, s->q, s->middle - half, s->middle + half, podium_shape_variance(s, s->middle),
                 podium_shape_variance(s, s->spec.max));
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
    for (int option; (option = getopt_long(argc, argv, "ho:", known, NULL)) != -1;) {
        if (option == OPTION_APPROXIMATE)
            options.spec.mechanism = PODIUM_APPROXIMATE;
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
    if (options.spread && options.spec.mechanism == PODIUM_APPROXIMATE)
        fail_usage("params", "--approximate and --spread are two ways to choose s");
    if (options.spread)
        options.spec.mechanism = PODIUM_TUNED;
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
