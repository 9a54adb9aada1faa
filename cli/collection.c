/* Collections: the options that describe a collection, and how one is made from them. */
#include "collection.h"
#include "platform.h"
#include "table/number.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- The options ---- */

const char *const objective_words[] = {"worst", "uniform", "middle", "distribution", NULL};

/* The names of the library's mechanisms, followed by auto */
static const char *mechanism_word(size_t i) {
    const char *name = podium_mechanism_name((podium_mechanism)i);
    bool after_last = name == NULL && i > 0 && podium_mechanism_name((podium_mechanism)(i - 1)) != NULL;
    return after_last ? "auto" : name;
}

bool read_range(void *spec, const char *text) {
    podium_spec *to = spec;
    const char *colon = strchr(text, ':');
    return colon != NULL && number_read(&to->min, text, (size_t)(colon - text)) &&
           number_read(&to->max, colon + 1, strlen(colon + 1));
}

bool is_spread(double x) {
    return x >= 0 && x <= 0.25;
}

const option spec_options[] = {
    ROW_RANGE("the range of the values; by default privatize stops at a value outside"),
    ROW_EPSILON("smaller means more privacy; from 1e-6 to 50, usually about 1"),
    {.name = "mechanism",
     .argument = "MECHANISM",
     TO_CHOICE(collection_options, mechanism),
     .word = mechanism_word,
     GIVEN(collection_options, given.mechanism),
     .help =
         "if not given, the first of these, or the one that has the given --spread or --cells; auto chooses the best for --objective: "},
    ROW_SPREAD("tune the mechanism to values with a mean square of R (MAX-MIN)^2 about the middle; from 0 to 0.25"),
    ROW_CELLS("how many cells the mechanism may use at most; 256 if not given"),
    {.name = "objective",
     TO_CHOICE(collection_options, objective),
     .words = objective_words,
     GIVEN(collection_options, given.objective),
     .help = "what auto minimises: a variance, of the worst case if not given, or the error of the distribution"},
    {.name = NULL},
};

#define ROW_COLLECTION                                                                                                 \
    .name = "collection", .argument = "FILE|SPEC", .file = true, TO_TEXTS(collection_options, files),                  \
    .help = "a file written by podium design, or a line such as 'podium epsilon=1 range=1:120'"

const option collection_option[] = {{ROW_COLLECTION}, {.name = NULL}};
const option collections_option[] = {{ROW_COLLECTION, .repeatable = true}, {.name = NULL}};

/* ---- The collection ---- */

static bool spec_given(const collection_options *options) {
    return options->given.range || options->given.epsilon || options->given.mechanism || options->given.spread ||
           options->given.cells || options->given.objective;
}

bool collection_given(const collection_options *options) {
    return options->files.count > 0 || spec_given(options);
}

bool collection_is_epsilon(const collection_options *options) {
    collection_options others = *options;
    others.given.epsilon = false;
    return options->given.epsilon && !collection_given(&others);
}

/* Is this a spec such as "podium epsilon=1 range=1:120"? A file whose name looks like that is read if it is given with
   a slash, such as "./podium epsilon=1". */
bool collection_is_spec(const char *text) {
    return strchr(text, '=') != NULL && strpbrk(text, " \t") != NULL && strchr(text, '/') == NULL;
}

/* A single line is a spec even if its mechanism was forgotten, so it is not read as a line of a file. */
podium_collection collection_parse_spec(const char *before, const char *text) {
    char words[MISTAKE_MAX];
    podium_collection collection;
    podium_spec spec;
    podium_error error;
    podium_status status = PODIUM_OK;
    if (strchr(text, '\n') == NULL)
        status = podium_spec_parse(&spec, &error, text, strlen(text));
    if (status == PODIUM_OK)
        status = podium_collection_parse(&collection, NULL, 0, &error, text, strlen(text));
    if (status != PODIUM_OK)
        fail(BAD_USAGE, "%s'%s': %s", before, text, mistake_words(words, text, &error));
    return collection;
}

/* Reads a file, or as much of it as fits, and ends the text with a 0 byte. */
static size_t read_file(char *text, size_t capacity, const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : file_stream(path, "rb");
    if (file == NULL)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    size_t n = fread(text, 1, capacity - 1, file);
    text[n] = '\0';
    if (ferror(file))
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    return n;
}

podium_collection collection_read(const char *path, char name[PODIUM_NAME_MAX]) {
    char text[64 * 1024];
    if (collection_is_spec(path))
        return collection_parse_spec("--collection ", path);
    return collection_parse(path, name, text, read_file(text, sizeof text, path));
}

podium_collection collection_parse(const char *path, char name[PODIUM_NAME_MAX], const char *text, size_t n) {
    char words[MISTAKE_MAX];
    podium_collection collection;
    podium_error error;
    podium_status status = podium_collection_parse(&collection, name, PODIUM_NAME_MAX, &error, text, n);
    if (status == PODIUM_ERROR_TEXT_MALFORMED && error.line == 0)
        fail(BAD_DATA, "%s: not a collection file: \"%s\" must occur exactly once", path, error.field);
    if (status != PODIUM_OK && error.line > 0)
        fail(BAD_DATA, "%s, line %lu: %s", path, (unsigned long)error.line, mistake_words(words, text, &error));
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s: %s", path, podium_status_message(status));
    return collection;
}

static bool is_automatic(const collection_options *options) {
    return podium_mechanism_name((podium_mechanism)options->mechanism) == NULL;
}

static bool has_parameter(podium_mechanism mechanism, const char *key) {
    const char *own = podium_mechanism_parameter(mechanism);
    return own != NULL && strcmp(own, key) == 0;
}

/* Returns the first mechanism that has this parameter. */
static podium_mechanism mechanism_with(const char *key) {
    size_t m = 0;
    while (m < podium_mechanism_count() && !has_parameter((podium_mechanism)m, key))
        m++;
    return (podium_mechanism)m;
}

/* A parameter chooses the mechanism that has it if no mechanism is given; --spread also replaces the default one. */
static podium_mechanism mechanism_described(const collection_options *options) {
    const podium_mechanism m = (podium_mechanism)options->mechanism;
    if (options->given.spread && m == PODIUM_MECHANISM_DEFAULT)
        return mechanism_with("spread");
    return options->given.cells && !options->given.mechanism ? mechanism_with("cells") : m;
}

/* Only some mechanisms have a parameter. */
static void check_parameters(const collection_options *options) {
    const bool automatic = is_automatic(options);
    const podium_mechanism m = mechanism_described(options);
    if (options->given.objective && !automatic)
        fail_usage(options->command, "--objective is for --mechanism auto");
    if (options->given.spread && !has_parameter(m, "spread"))
        fail_usage(options->command, "--spread is for --mechanism %s", podium_mechanism_name(PODIUM_MECHANISM_DEFAULT));
    if (!options->given.spread && has_parameter(m, "spread"))
        fail_usage(options->command, "--mechanism %s needs --spread", podium_mechanism_name(m));
    if (options->given.cells && !automatic && !has_parameter(m, "cells"))
        fail_usage(options->command, "--cells is for --mechanism %s", podium_mechanism_name(mechanism_with("cells")));
}

podium_spec spec_for(const podium_spec *given, podium_mechanism mechanism) {
    podium_spec spec = *given;
    spec.mechanism = mechanism;
    spec.spread = has_parameter(mechanism, "spread") ? given->spread : 0;
    spec.cells = has_parameter(mechanism, "cells") ? given->cells : 0;
    return spec;
}

podium_collection collection_for(const podium_spec *spec) {
    podium_collection collection;
    require(podium_collection_init(&collection, spec), BAD_USAGE);
    return collection;
}

/* A warning is due if the worst-case variance exceeds the default mechanism's by this ratio. A mechanism whose number
   of cells can be chosen reaches 0.75 to 0.8 with enough cells, so its limit is lower. */
#define RATIO_WARN 1.5
#define RATIO_WARN_CELLS 0.85
#define EPSILON_CELLS 12 /* above this even the largest number of cells is too small */

/* Mechanisms with few cells are bad at a large epsilon. */
void collection_warn(const podium_collection *collection) {
    const podium_spec own = podium_collection_spec(collection), usual = spec_for(&own, PODIUM_MECHANISM_DEFAULT);
    const char *name = podium_mechanism_name(own.mechanism), *instead = podium_mechanism_name(usual.mechanism);
    const bool chosen = has_parameter(own.mechanism, "cells");
    podium_collection other;
    if (podium_collection_cells(collection) > PODIUM_CELLS_MAX || podium_collection_init(&other, &usual) != PODIUM_OK)
        return;
    const double ratio = podium_collection_variance_most(collection) / podium_collection_variance_most(&other);
    if (chosen && ratio > RATIO_WARN_CELLS)
        say("warning: %s with %lu cells has %.3g times the worst-case variance of %s at epsilon %g (with enough cells, "
            "0.75 to 0.8); use %s%s",
            name, (unsigned long)own.cells, ratio, instead, own.epsilon,
            own.cells < PODIUM_CELLS_MAX && own.epsilon <= EPSILON_CELLS ? "more --cells, or " : "", instead);
    if (!chosen && ratio > RATIO_WARN)
        say("warning: %s has %.3g times the worst-case variance of %s at epsilon %g", name, ratio, instead,
            own.epsilon);
}

#define EPSILON_LARGE 10 /* above this a warning says that reports nearly repeat the values */

static double rounded_up(double x) { /* to two digits */
    const double unit = pow(10, floor(log10(x)) - 1);
    return unit * ceil(x / unit);
}

void collection_warn_of_epsilon(const podium_collection *collection, const char *file) {
    const podium_spec spec = podium_collection_spec(collection);
    const double deviation = sqrt(podium_collection_variance_most(collection));
    if (spec.epsilon > EPSILON_LARGE)
        say("warning: %s%sat epsilon %g reports nearly repeat the values: a report is up to %.2g times as likely "
            "from one value as from another, and the standard deviation of its noise is at most %.3g, which is "
            "%.3g%% of the range",
            file, *file == '\0' ? "" : ": ", spec.epsilon, rounded_up(exp(spec.epsilon)), deviation,
            100 * deviation / (spec.max - spec.min));
}

#define SAVING_LEAST 0.05 /* less is not worth a message */

/* The number of people for a given error of the mean is proportional to the variance of a report. */
void collection_advise(const collection_options *options, const podium_collection *collection) {
    const podium_spec own = podium_collection_spec(collection);
    podium_spec best;
    podium_collection other;
    if (!terminal() || options->given.mechanism || options->given.spread ||
        podium_choose(&best, &own, PODIUM_OBJECTIVE_WORST_CASE) != PODIUM_OK ||
        podium_collection_init(&other, &best) != PODIUM_OK)
        return;
    const double saving = 1 - podium_collection_variance_most(&other) / podium_collection_variance_most(collection);
    if (saving >= SAVING_LEAST)
        say("in the worst case, %s would need %.0f%% fewer people for the same accuracy of the mean: --mechanism %s",
            podium_mechanism_name(best.mechanism), floor(100 * saving), podium_mechanism_name(best.mechanism));
}

static void choose(podium_spec *spec, podium_objective objective) {
    static const char *const least[] = {"worst-case variance", "average variance over the range",
                                        "variance in the middle", "error of the distribution"};
    const podium_spec given = *spec;
    require(podium_choose(spec, &given, objective), BAD_USAGE);
    say("auto: %s has the least %s at epsilon %g", podium_mechanism_name(spec->mechanism), least[objective],
        spec->epsilon);
}

static podium_spec spec_described(const collection_options *options) {
    podium_spec spec = options->spec;
    if (is_automatic(options))
        choose(&spec, options->objective);
    else
        spec.mechanism = mechanism_described(options);
    return spec;
}

/* Whoever has reports must not choose a range; it is the one that the devices used. */
static void require_range_and_epsilon(const collection_options *options, const char *instead) {
    if (options->exists && (!options->given.range || !options->given.epsilon))
        fail_usage(options->command,
                   "%s needs the collection of the reports: its file or its spec (--collection FILE|SPEC),\n"
                   "podium: or the same --range, --epsilon and --mechanism that the devices used",
                   options->command);
    if (!options->given.range)
        fail_usage(options->command,
                   "--range MIN:MAX is missing%s. Choose it from what you know about the question,\n"
                   "podium: because a range taken from the data would reveal something about them",
                   instead);
    if (!options->given.epsilon)
        fail_usage(options->command, "--epsilon E is missing");
}

podium_collection collection_described(const collection_options *options, const char *instead) {
    require_range_and_epsilon(options, instead);
    check_parameters(options);
    podium_spec spec = spec_described(options);
    return collection_for(&spec);
}

podium_collection collection_from(const collection_options *options, char name[PODIUM_NAME_MAX]) {
    name[0] = '\0';
    if (options->files.count > 0 && spec_given(options))
        fail_usage(options->command, "--collection already contains the range, epsilon and mechanism");
    if (options->files.count > 0)
        return collection_read(options->files.of[0], name);
    return collection_described(options, " (or --collection FILE|SPEC)");
}

void collection_check_input(const collection_options *options, char **files) {
    size_t standard = 0;
    for (size_t i = 0; i < options->files.count; i++)
        standard += strcmp(options->files.of[i], "-") == 0;
    for (files = input_files(files); standard > 0 && *files != NULL; files++)
        if (strcmp(*files, "-") == 0)
            fail_usage(options->command,
                       "--collection - and the data cannot both be standard input; use a file for one of them");
    if (standard > 1)
        fail_usage(options->command,
                   "--collection - can be given only once, because standard input can be read only once");
}

podium_shape shape_from(const podium_spec *spec) {
    podium_shape shape;
    require(podium_shape_init(&shape, spec), BAD_USAGE);
    return shape;
}

podium_shape shape_for(podium_mechanism mechanism, double epsilon, double min, double max) {
    podium_spec spec = {.mechanism = mechanism, .epsilon = epsilon, .min = min, .max = max};
    return shape_from(&spec);
}
