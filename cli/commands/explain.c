/* podium explain: say in plain words what a report can tell about a person, and what it cannot. */
#include "collection.h"
#include "commands/commands.h"

#include <math.h>
#include <string.h>

enum { LINE_MOST = 78, INDENT = 2, PARAGRAPH_MAX = 2048, PHRASE_MAX = 64 };

/* What somebody may believe before a report arrives */
static const double priors[] = {0.01, 0.1, 0.5};

#define CERTAIN 0.9999 /* from here on a probability has no better words */
#define SHARE 0.8      /* of the reports that the examples show; the text says "about eight of ten" */

typedef struct {
    double epsilon;
    bool has_collection;
    podium_collection collection;
    podium_spec spec;
    char name[PODIUM_NAME_MAX];
} subject;

/* ---- Words ---- */

/* Prints a paragraph, wrapped, and an empty line. */
static void PRINTS(2, 3) paragraph(output *out, const char *format, ...) {
    char text[PARAGRAPH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t column = 0;
    for (const char *word = text; *word != '\0';) {
        const size_t n = strcspn(word, " ");
        const bool wraps = column > 0 && column + 1 + n > LINE_MOST;
        output_print(out, column == 0 ? "%*s" : wraps ? "\n%*s" : " ", column == 0 || wraps ? INDENT : 0, "");
        column = column == 0 || wraps ? INDENT + n : column + 1 + n;
        output_write(out, word, n);
        word += n + (word[n] == ' ');
    }
    output_print(out, "\n\n");
}

/* Writes a probability in words, rounded upwards, such as "1 in 37" or "74 in 100". */
static const char *chance(char text[PHRASE_MAX], double p) {
    const double parts = p < 0.99 ? 100 : 1e4;
    if (p <= 0.1)
        snprintf(text, PHRASE_MAX, "1 in %.0f", floor(1 / p * (1 + 1e-9)));
    else if (p == 0.5)
        snprintf(text, PHRASE_MAX, "1 in 2");
    else if (p < CERTAIN)
        snprintf(text, PHRASE_MAX, "%.0f in %.0f", ceil(parts * p * (1 - 1e-9)), parts);
    else
        snprintf(text, PHRASE_MAX, "near certainty");
    return text;
}

/* Writes a factor, rounded upwards, such as "2.72", "22027" or "10^18". */
static const char *times(char text[PHRASE_MAX], double factor) {
    const double unit = factor < 10 ? 0.01 : factor < 100 ? 0.1 : 1;
    if (factor < 1e7)
        snprintf(text, PHRASE_MAX, "%.7g", ceil(factor / unit * (1 - 1e-9)) * unit);
    else
        snprintf(text, PHRASE_MAX, "10^%.0f", ceil(log10(factor)));
    return text;
}

static podium_promise promise_of(double epsilon, double prior) {
    podium_promise promise;
    require(podium_promise_make(&promise, epsilon, prior), BAD_USAGE);
    return promise;
}

static double factor_of(double epsilon) {
    return promise_of(epsilon, priors[0]).factor;
}

/* ---- For the person who is asked ---- */

static void print_odds(output *out, double epsilon) {
    char text[PARAGRAPH_MAX] = "", before[PHRASE_MAX], after[PHRASE_MAX], factor[PHRASE_MAX];
    size_t n = 0;
    for (size_t i = 0; i < LENGTH(priors); i++) {
        const char *joint = i == 0 ? "" : i + 1 == LENGTH(priors) ? ", or " : ", ";
        const double most = promise_of(epsilon, priors[i]).most;
        n += (size_t)snprintf(text + n, sizeof text - n, "%sfrom %s to %s%s", joint, chance(before, priors[i]),
                              most < CERTAIN ? "at most " : "", chance(after, most));
    }
    paragraph(
        out,
        "Whatever somebody guesses about your number, and whatever else they know, your report changes the odds of "
        "the guess by a factor of at most %s. The chance that the guess is right can rise %s.",
        times(factor, factor_of(epsilon)), text);
}

static const char *const strength_sentences[] = {
    [PODIUM_STRENGTH_STRONG] = "This protection is strong.",
    [PODIUM_STRENGTH_MODERATE] = "This protection is moderate.",
    [PODIUM_STRENGTH_WEAK] =
        "This protection is weak, because a single report can turn an unlikely guess into a likely "
        "one.",
    [PODIUM_STRENGTH_NOMINAL] = "This is hardly any protection, because a single report can all but give your number "
                                "away.",
};

/* With two cells every report is one of two numbers. */
static void print_two_reports(output *out, const subject *s) {
    const podium_collection *c = &s->collection;
    const double low = podium_collection_mass(c, 0, 0, 1),
                 high = podium_collection_mass(c, podium_collection_places(c), 0, 1);
    paragraph(
        out,
        "Every report is either %.4g or %.4g. Of a thousand people at the low end, whose number is %g, about %.0f "
        "report the lower one; of a thousand at the high end, whose number is %g, about %.0f.",
        podium_collection_least(c), podium_collection_most(c), s->spec.min, 1000 * low, s->spec.max, 1000 * high);
}

static void print_examples(output *out, const subject *s) {
    podium_limits low, high;
    require(podium_collection_span(&s->collection, &low, s->spec.min, SHARE), BAD_USAGE);
    require(podium_collection_span(&s->collection, &high, s->spec.max, SHARE), BAD_USAGE);
    paragraph(
        out,
        "For example, of ten people at the low end, whose number is %g, about eight report something from %.4g to "
        "%.4g. Of ten people at the high end, whose number is %g, about eight report something from %.4g to %.4g.",
        s->spec.min, low.lower, low.upper, s->spec.max, high.lower, high.upper);
    if (high.lower < low.upper)
        paragraph(out, "Reports from %.4g to %.4g are common at both ends.", high.lower, low.upper);
    else
        paragraph(out, "Hardly any report is common at both ends, so a report shows roughly where a number lies.");
}

static void print_for_person(output *out, const subject *s) {
    output_print(out, "For the person who is asked\n\n");
    paragraph(out, "Your number stays on your device. What leaves it is a report: a number that the device draws at "
                   "random, with chances that depend on yours. Many reports together show what people have in common, "
                   "such as their average. A report may be far from your number, and that is intended.");
    print_odds(out, s->epsilon);
    paragraph(out, "%s", strength_sentences[podium_strength_of(s->epsilon)]);
    if (s->has_collection)
        (podium_collection_cells(&s->collection) == 2 ? print_two_reports : print_examples)(out, s);
}

/* ---- For the privacy officer ---- */

static void print_for_officer(output *out, const subject *s) {
    char factor[PHRASE_MAX], twice[PHRASE_MAX], five[PHRASE_MAX], range[2 * PHRASE_MAX] = "of the range";
    if (s->has_collection)
        snprintf(range, sizeof range, "from %g to %g", s->spec.min, s->spec.max);
    output_print(out, "For the privacy officer\n\n");
    paragraph(
        out,
        "Each report is locally differentially private with epsilon %g. For any two numbers %s, every report is at "
        "most %s times as likely from one as from the other. This holds against everybody, including the collector, "
        "whatever they know and compute.",
        s->epsilon, range, times(factor, factor_of(s->epsilon)));
    paragraph(out,
              "It holds for one report. Further reports about the same number, or about one that depends on it, add "
              "up: two change the odds by a factor of up to %s, and five by up to %s.",
              times(twice, factor_of(2 * s->epsilon)), times(five, factor_of(5 * s->epsilon)));
    paragraph(out, "It does not hide that somebody took part, when, how often and from where. It hides neither the "
                   "range, which is public and must not be taken from the data, nor other columns, nor what is true of "
                   "people in general.");
    paragraph(out,
              "It holds if the report is drawn before anybody else sees the number. Numbers that already lie in one "
              "place are not protected from whoever holds them, and central differential privacy would publish "
              "statistics about them with far less noise. See docs/promises.md.");
}

static void print_text(output *out, const subject *s) {
    print_name(out, s->name, 0);
    output_print(out, "%s", s->name[0] == '\0' ? "" : ": ");
    if (s->has_collection)
        output_print(out, "%s, epsilon %g, range %g to %g\n\n", podium_mechanism_name(s->spec.mechanism), s->epsilon,
                     s->spec.min, s->spec.max);
    else
        output_print(out, "epsilon %g\n\n", s->epsilon);
    print_for_person(out, s);
    print_for_officer(out, s);
}

/* ---- JSON ---- */

static void print_json_example(output *out, const subject *s, double x) {
    podium_limits span;
    require(podium_collection_span(&s->collection, &span, x, SHARE), BAD_USAGE);
    const named_number rest[] = {{"share", SHARE}, {"lower", span.lower}, {"upper", span.upper}};
    print_number(out, "\n  {\"value\": ", x, "null");
    print_members(out, rest, LENGTH(rest));
    output_print(out, "}");
}

static void print_json_odds(output *out, double epsilon) {
    output_print(out, ",\n \"odds\": [");
    for (size_t i = 0; i < LENGTH(priors); i++) {
        const podium_promise promise = promise_of(epsilon, priors[i]);
        const named_number rest[] = {{"least", promise.least}, {"most", promise.most}};
        output_print(out, i == 0 ? "" : ",");
        print_number(out, "\n  {\"prior\": ", promise.prior, "null");
        print_members(out, rest, LENGTH(rest));
        output_print(out, "}");
    }
    output_print(out, "]");
}

static void print_json(output *out, const subject *s) {
    char spec[PODIUM_SPEC_TEXT_MAX];
    print_number(out, "{\"epsilon\": ", s->epsilon, "null");
    print_number(out, ", \"factor\": ", factor_of(s->epsilon), "null");
    output_print(out, ", \"strength\": \"%s\", \"collection\": ", podium_strength_name(podium_strength_of(s->epsilon)));
    if (s->has_collection && podium_spec_format(&s->spec, spec, sizeof spec) > 0)
        output_print(out, "\"%s\"", spec);
    else
        output_print(out, "null");
    print_json_odds(out, s->epsilon);
    output_print(out, ",\n \"examples\": [");
    if (s->has_collection) {
        print_json_example(out, s, s->spec.min);
        output_print(out, ",");
        print_json_example(out, s, s->spec.max);
    }
    output_print(out, "]}\n");
}

/* ---- The command ---- */

typedef struct {
    collection_options which;
    output_options output;
} settings;

static const char *const words[] = {"text", "json", NULL};

static const option output_rows[] = {
    {.name = "format",
     TO_CHOICE(output_options, format),
     .words = words,
     .help = "the format of the output; text if not given"},
    ROW_OUTPUT,
    {.name = NULL},
};

static subject subject_of(const collection_options *which) {
    if (!collection_given(which))
        fail_usage("explain", "--epsilon E or --collection FILE is missing");
    subject s = {.epsilon = which->spec.epsilon, .has_collection = !collection_is_epsilon(which)};
    if (s.has_collection) {
        s.collection = collection_from(which, s.name);
        s.spec = podium_collection_spec(&s.collection);
        s.epsilon = s.spec.epsilon;
    } else if (!(s.epsilon >= PODIUM_EPSILON_MIN && s.epsilon <= PODIUM_EPSILON_MAX)) {
        fail_usage("explain", "--epsilon must be from %g to %g", PODIUM_EPSILON_MIN, PODIUM_EPSILON_MAX);
    }
    return s;
}

static int run(char **arguments) {
    settings s = {.which = {.command = "explain"}};
    options_parse(&command_explain, &s, arguments);
    const subject about = subject_of(&s.which);
    output *out = output_open(s.output.path);
    (s.output.format == FORMAT_JSON ? print_json : print_text)(out, &about);
    output_close(out);
    return DONE;
}

const command command_explain = {
    .name = "explain",
    .summary = "say in plain words what a report can tell about a person",
    .usage = "--collection FILE|SPEC | --epsilon E [--range MIN:MAX] [OPTIONS]",
    .groups = {{.heading = "The collection (a file, the options that describe it, or --epsilon alone)",
                .options = collection_option,
                .record = offsetof(settings, which)},
               {.options = spec_options, .record = offsetof(settings, which)},
               {.heading = OUTPUT_HEADING, .options = output_rows, .record = offsetof(settings, output)}},
    .run = run,
};
