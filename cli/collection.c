/* Collections: the options that describe one, and what they describe. */
#include "collection.h"
#include "table/number.h"

#include <errno.h>
#include <string.h>

/* ---- The options ---- */

const char *const objective_words[] = {"worst", "uniform", "middle", NULL};

/* The mechanisms that the library has, and auto */
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
    ROW_RANGE("the values that count; by default privatize stops at any other"),
    ROW_EPSILON("privacy: less is more; 1e-6 to 50, usually about 1"),
    {.name = "mechanism",
     .argument = "MECHANISM",
     TO_CHOICE(collection_options, mechanism),
     .word = mechanism_word,
     GIVEN(collection_options, given.mechanism),
     .help = "podium if not given; auto is the best by --objective. One of "},
    ROW_SPREAD("podium: tuned to values of mean square R (MAX-MIN)^2 about the middle, 0 to 0.25 (podium-tuned)"),
    ROW_CELLS("minimax: at most so many outputs, 2 to 65536; 256 if not given"),
    {.name = "objective",
     TO_CHOICE(collection_options, objective),
     .words = objective_words,
     GIVEN(collection_options, given.objective),
     .help = "auto: the variance to make small; the worst case if not given"},
    {.name = NULL},
};

#define ROW_COLLECTION                                                                                                 \
    .name = "collection", .argument = "FILE", .file = true, TO_TEXTS(collection_options, files),                       \
    .help = "as written by podium design"

const option collection_option[] = {{ROW_COLLECTION}, {.name = NULL}};
const option collections_option[] = {{ROW_COLLECTION, .repeatable = true}, {.name = NULL}};

/* ---- What they describe ---- */

static bool spec_given(const collection_options *options) {
    return options->given.range || options->given.epsilon || options->given.mechanism || options->given.spread ||
           options->given.cells || options->given.objective;
}

bool collection_given(const collection_options *options) {
    return options->files.count > 0 || spec_given(options);
}

podium_collection collection_read(const char *path, char name[PODIUM_NAME_MAX]) {
    char text[64 * 1024];
    podium_collection collection;
    size_t line;
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    size_t n = fread(text, 1, sizeof text, file);
    if (ferror(file))
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    podium_status status = podium_collection_read(&collection, name, &line, text, n);
    if (status == PODIUM_ERROR_TEXT_MALFORMED && line == 0)
        fail(BAD_DATA, "%s: not a collection file: a line is missing, or one too many", path);
    if (status != PODIUM_OK && line > 0)
        fail(BAD_DATA, "%s, line %zu: %s", path, line, podium_status_message(status));
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s: %s", path, podium_status_message(status));
    return collection;
}

static bool is_automatic(const collection_options *options) {
    return podium_mechanism_name((podium_mechanism)options->mechanism) == NULL;
}

/* Parameters belong to mechanisms: podium with a spread is the tuned one. */
static void check_parameters(const collection_options *options) {
    const bool automatic = is_automatic(options);
    podium_mechanism m = (podium_mechanism)options->mechanism;
    if (options->given.objective && !automatic)
        fail_usage(options->command, "--objective is what --mechanism auto goes by");
    if (options->given.spread && m != PODIUM_MECHANISM_PODIUM && m != PODIUM_MECHANISM_PODIUM_TUNED)
        fail_usage(options->command, "--spread is for --mechanism podium");
    if (!options->given.spread && m == PODIUM_MECHANISM_PODIUM_TUNED)
        fail_usage(options->command, "--mechanism podium-tuned needs --spread");
    if (options->given.cells && !automatic && m != PODIUM_MECHANISM_MINIMAX)
        fail_usage(options->command, "--cells is for --mechanism minimax");
}

podium_spec spec_for(const podium_spec *given, podium_mechanism mechanism) {
    podium_spec spec = *given;
    spec.mechanism = mechanism;
    if (mechanism != PODIUM_MECHANISM_PODIUM_TUNED)
        spec.spread = 0;
    if (mechanism != PODIUM_MECHANISM_MINIMAX)
        spec.cells = 0;
    return spec;
}

podium_collection collection_for(const podium_spec *spec) {
    podium_collection collection;
    require(podium_collection_init(&collection, spec), BAD_USAGE);
    return collection;
}

/* Few outputs serve a large epsilon badly. With cells enough, minimax's worst case is 0.75 to 0.8 of podium's. */
void collection_warn(const podium_collection *collection) {
    podium_mechanism m = collection->spec.mechanism;
    if (m != PODIUM_MECHANISM_MINIMAX && m != PODIUM_MECHANISM_DUCHI)
        return;
    podium_spec spec = {
        PODIUM_MECHANISM_PODIUM, collection->spec.epsilon, collection->spec.min, collection->spec.max, 0, 0};
    podium_collection podium;
    if (podium_collection_init(&podium, &spec) != PODIUM_OK)
        return;
    double ratio = collection->variance_most / podium.variance_most;
    if (m == PODIUM_MECHANISM_MINIMAX && ratio > 0.85)
        say("warning: minimax with %lu cells has %.3g times the worst-case variance of podium at epsilon "
            "%g (with enough cells, 0.75 to 0.8): take %spodium",
            (unsigned long)collection->spec.cells, ratio, collection->spec.epsilon,
            collection->spec.cells < PODIUM_MINIMAX_CELLS_MAX && collection->spec.epsilon <= 12 ? "more --cells, or "
                                                                                                : "");
    if (m == PODIUM_MECHANISM_DUCHI && ratio > 1.5)
        say("warning: duchi has %.3g times the worst-case variance of podium at epsilon %g", ratio,
            collection->spec.epsilon);
}

static void choose(podium_spec *spec, podium_objective objective) {
    static const char *const least[] = {"worst-case variance", "average variance over the range",
                                        "variance in the middle"};
    require(podium_choose(spec, objective), BAD_USAGE);
    say("auto: %s has the least %s at epsilon %g", podium_mechanism_name(spec->mechanism), least[objective],
        spec->epsilon);
}

static podium_spec spec_described(const collection_options *options) {
    podium_spec spec = options->spec;
    if (is_automatic(options))
        choose(&spec, options->objective);
    else
        spec.mechanism = options->given.spread ? PODIUM_MECHANISM_PODIUM_TUNED : (podium_mechanism)options->mechanism;
    return spec;
}

podium_collection collection_described(const collection_options *options, const char *instead) {
    if (!options->given.range)
        fail_usage(options->command,
                   "--range MIN:MAX is missing%s. It must come from what is known of the question:\n"
                   "podium: a range taken from the data would tell about the data",
                   instead);
    if (!options->given.epsilon)
        fail_usage(options->command, "--epsilon E is missing");
    check_parameters(options);
    podium_spec spec = spec_described(options);
    return collection_for(&spec);
}

podium_collection collection_from(const collection_options *options, char name[PODIUM_NAME_MAX]) {
    name[0] = '\0';
    if (options->files.count > 0 && spec_given(options))
        fail_usage(options->command, "--collection already says the range, epsilon and mechanism");
    if (options->files.count > 0)
        return collection_read(options->files.of[0], name);
    return collection_described(options, " (or --collection FILE)");
}

void collection_apart(const collection_options *options, char **files) {
    size_t standard = 0;
    for (size_t i = 0; i < options->files.count; i++)
        standard += strcmp(options->files.of[i], "-") == 0;
    for (files = input_files(files); standard > 0 && *files != NULL; files++)
        if (strcmp(*files, "-") == 0)
            fail_usage(options->command,
                       "--collection - and the data cannot both be standard input; name a file for one");
    if (standard > 1)
        fail_usage(options->command, "--collection - can be given once only: standard input is read once");
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
