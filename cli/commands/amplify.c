/* podium amplify: compute what a whole collection promises if somebody who is trusted mixes the reports. */
#include "collection.h"
#include "commands/commands.h"

typedef struct {
    const char *mechanism; /* "any" if the bound is for every mechanism */
    double local, variation, delta, epsilon;
    uint64_t people, dishonest;
} result;

/* ---- Printing ---- */

static const char conditions[] = "  This holds only if\n"
                                 "  - a shuffler that is trusted removes the identity, the order and the time of\n"
                                 "    each report before anybody else sees it, and keeps no copy;\n"
                                 "  - at least %.0f people report honestly, one report each.\n"
                                 "  Otherwise the promise is that of each report, which is epsilon %g.\n";

static void print_text(output *out, const result *r) {
    output_print(out, "%s, epsilon %g for each report\n\n", r->mechanism, r->local);
    output_print(out, "people                    %.0f\n", (double)r->people);
    if (r->dishonest > 0)
        output_print(out, "perhaps dishonest         %.0f\n", (double)r->dishonest);
    output_print(out, "total variation           %.6g\ndelta                     %g\n", r->variation, r->delta);
    output_print(out, "epsilon of the whole      %.6g\n\n", r->epsilon);
    output_print(out, conditions, (double)(r->people - r->dishonest), r->local);
}

#define NUMBERS 6
typedef struct {
    named_number of[NUMBERS];
} numbers;

static numbers numbers_of(const result *r) {
    return (numbers){{{"local", r->local},
                      {"variation", r->variation},
                      {"people", (double)r->people},
                      {"dishonest", (double)r->dishonest},
                      {"delta", r->delta},
                      {"epsilon", r->epsilon}}};
}

static void print_json(output *out, const result *r) {
    const numbers n = numbers_of(r);
    output_print(out, "{\"mechanism\": \"%s\"", r->mechanism);
    print_members(out, n.of, NUMBERS);
    output_print(out, "}\n");
}

static void print_csv(output *out, const result *r) {
    const numbers n = numbers_of(r);
    output_print(out, "mechanism");
    for (size_t i = 0; i < NUMBERS; i++)
        output_print(out, ",%s", n.of[i].name);
    output_print(out, "\n%s", r->mechanism);
    print_fields(out, n.of, NUMBERS);
    output_print(out, "\n");
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    output_options output;
    uint64_t people, dishonest;
    double delta;
} settings;

static bool is_delta(double x) {
    return x >= PODIUM_SHUFFLE_DELTA_MIN && x < 1;
}

static const option own_options[] = {
    {.name = "people", .argument = "N", TO_COUNT(settings, people, 1, COUNT_MOST), .help = "how many people report"},
    {.name = "delta",
     .argument = "D",
     TO_NUMBER(settings, delta),
     .allowed = is_delta,
     .takes = "must be at least 1e-100 and less than 1",
     .help = "the probability with which the promise may fail; much less than 1/N, such as 1e-6"},
    {.name = "dishonest",
     .argument = "K",
     TO_COUNT(settings, dishonest, 0, COUNT_MOST),
     .help = "how many of the people may be dishonest, so that their reports hide nobody; 0 if not given"},
    {.name = NULL},
};

static const option output_rows[] = {ROW_FORMAT, ROW_OUTPUT, {.name = NULL}};

static void check(const settings *s) {
    if (!collection_given(&s->which))
        fail_usage("amplify", "--epsilon E or --collection FILE is missing");
    if (s->people == 0)
        fail_usage("amplify", "--people N is missing");
    if (s->delta == 0)
        fail_usage("amplify", "--delta D is missing");
    if (s->dishonest >= s->people)
        fail_usage("amplify", "--dishonest must be less than --people");
    if (s->delta * (double)s->people >= 1)
        say("warning: delta %g is not below 1/%.0f, so the promise may fail for somebody", s->delta, (double)s->people);
}

/* The range only changes the units of the reports, so that it may be missing. */
static void set_local(result *r, collection_options *which) {
    char name[PODIUM_NAME_MAX];
    if (collection_is_epsilon(which)) {
        *r = (result){.mechanism = "any",
                      .local = which->spec.epsilon,
                      .variation = podium_shuffle_variation(which->spec.epsilon)};
        if (!(r->local >= PODIUM_EPSILON_MIN && r->local <= PODIUM_EPSILON_MAX))
            fail_usage("amplify", "--epsilon must be from %g to %g", PODIUM_EPSILON_MIN, PODIUM_EPSILON_MAX);
        return;
    }
    if (!which->given.range && which->files.count == 0) {
        which->given.range = true;
        which->spec.min = -0.5;
        which->spec.max = 0.5;
    }
    const podium_collection collection = collection_from(which, name);
    const podium_spec spec = podium_collection_spec(&collection);
    *r = (result){.mechanism = podium_mechanism_name(spec.mechanism),
                  .local = spec.epsilon,
                  .variation = podium_collection_variation(&collection)};
}

static int run(char **arguments) {
    settings s = {.which = {.command = "amplify"}};
    result r;
    options_parse(&command_amplify, &s, arguments);
    check(&s);
    set_local(&r, &s.which);
    r.people = s.people;
    r.dishonest = s.dishonest;
    r.delta = s.delta;
    require(podium_shuffle_epsilon(&r.epsilon, r.local, r.variation, s.people - s.dishonest, s.delta), BAD_USAGE);
    static void (*const print[])(output *, const result *) = {
        [FORMAT_TEXT] = print_text, [FORMAT_JSON] = print_json, [FORMAT_CSV] = print_csv};
    output *out = output_open(s.output.path);
    print[s.output.format](out, &r);
    output_close(out);
    return DONE;
}

const command command_amplify = {
    .name = "amplify",
    .summary = "compute what a trusted shuffler would add",
    .usage = "--epsilon E --people N --delta D [OPTIONS]",
    .groups = {{.options = own_options},
               {.heading =
                    "The collection (a file, the options that describe it, or --epsilon alone for any mechanism)",
                .options = collection_option,
                .record = offsetof(settings, which)},
               {.options = spec_options, .record = offsetof(settings, which)},
               {.heading = OUTPUT_HEADING, .options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
