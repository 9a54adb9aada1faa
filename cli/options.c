/* Options that several commands share, and their numbers and words. */
#include "cli.h"
#include "table/number.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const format_words[] = {"text", "json", "csv", NULL};
const char *const objective_words[] = {"worst", "uniform", "middle", NULL};

double number_option(const char *command, const char *option, const char *text) {
    double x;
    if (!number_read(&x, text, strlen(text)))
        fail_usage(command, "%s takes a number, not '%s'", option, text);
    return x;
}

uint64_t count_option(const char *command, const char *option, const char *text, uint64_t least, uint64_t most) {
    double x;
    if (!number_read(&x, text, strlen(text)) || x != floor(x) || x < (double)least || x > (double)most)
        fail_usage(command, "%s takes a whole number from %llu to %llu, not '%s'", option, (unsigned long long)least,
                   (unsigned long long)most, text);
    return (uint64_t)x;
}

int choice_option(const char *command, const char *option, const char *text, const char *const *words) {
    char all[256] = "";
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    fail_usage(command, "%s is one of %s, not '%s'", option, all, text);
}

int option_next(collection_options *options, int argc, char **argv, const struct option *known) {
    int option = getopt_long(argc, argv, "ho:", known, NULL);
    if (option < 0)
        return option;
    bool repeatable = options->several && (option == OPTION_COLUMN || option == OPTION_COLLECTION);
    for (; options->seen[option] && !repeatable && known->name != NULL; known++)
        if (known->val == option)
            fail_usage(options->command, "--%s is given twice", known->name);
    options->seen[option] = true;
    return option;
}

/* ---- The collection ---- */

static void mechanism_option(collection_options *options, const char *text) {
    const char *words[33] = {NULL};
    int count = 0;
    for (; count < 31 && podium_mechanism_name((podium_mechanism)count) != NULL; count++)
        words[count] = podium_mechanism_name((podium_mechanism)count);
    words[count] = "auto";
    int which = choice_option(options->command, "--mechanism", text, words);
    options->mechanism = true;
    options->automatic = which == count;
    options->spec.mechanism = which == count ? PODIUM_MECHANISM_PODIUM : (podium_mechanism)which;
}

static void range_option(collection_options *options, const char *text) {
    const char *colon = strchr(text, ':');
    if (colon == NULL || !number_read(&options->spec.min, text, (size_t)(colon - text)) ||
        !number_read(&options->spec.max, colon + 1, strlen(colon + 1)))
        fail_usage(options->command, "--range takes two numbers, MIN:MAX, not '%s'", text);
    options->range = true;
}

void collection_option(collection_options *options, int option, const char *argument) {
    switch (option) {
    case OPTION_HELP:
    case 'h':
        help_for(options->command, stdout);
        exit(close_stdout(DONE));
    case OPTION_COLLECTION:
        if (options->files == COLUMNS_MAX)
            fail_usage(options->command, "--collection is given more than %d times", COLUMNS_MAX);
        options->file[options->files++] = argument;
        return;
    case OPTION_RANGE:
        range_option(options, argument);
        return;
    case OPTION_EPSILON:
        options->spec.epsilon = number_option(options->command, "--epsilon", argument);
        options->epsilon = true;
        return;
    case OPTION_MECHANISM:
        mechanism_option(options, argument);
        return;
    case OPTION_SPREAD:
        options->spec.spread = number_option(options->command, "--spread", argument);
        if (!(options->spec.spread >= 0 && options->spec.spread <= 0.25))
            fail_usage(options->command, "--spread is from 0 to 0.25, not '%s'", argument);
        options->spread = true;
        return;
    case OPTION_CELLS:
        options->spec.cells =
            (uint32_t)count_option(options->command, "--cells", argument, 2, PODIUM_MINIMAX_CELLS_MAX);
        options->cells = true;
        return;
    case OPTION_OBJECTIVE:
        options->objective =
            (podium_objective)choice_option(options->command, "--objective", argument, objective_words);
        options->objective_given = true;
        return;
    default:
        fail(BAD_USAGE, "see 'podium help %s'", options->command); /* getopt has said what is wrong */
    }
}

static bool spec_given(const collection_options *options) {
    return options->range || options->epsilon || options->mechanism || options->spread || options->cells ||
           options->objective_given;
}

bool collection_given(const collection_options *options) {
    return options->files > 0 || spec_given(options);
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

/* Parameters belong to mechanisms: podium with a spread is the tuned one. */
static void check_parameters(const collection_options *options) {
    podium_mechanism m = options->spec.mechanism;
    if (options->objective_given && !options->automatic)
        fail_usage(options->command, "--objective is what --mechanism auto goes by");
    if (options->spread && (options->automatic || (m != PODIUM_MECHANISM_PODIUM && m != PODIUM_MECHANISM_PODIUM_TUNED)))
        fail_usage(options->command, "--spread is for --mechanism podium");
    if (!options->spread && m == PODIUM_MECHANISM_PODIUM_TUNED)
        fail_usage(options->command, "--mechanism podium-tuned needs --spread");
    if (options->cells && !options->automatic && m != PODIUM_MECHANISM_MINIMAX)
        fail_usage(options->command, "--cells is for --mechanism minimax");
}

podium_collection collection_for(const podium_spec *spec) {
    podium_collection collection;
    require(podium_collection_init(&collection, spec), BAD_USAGE);
    return collection;
}

/* Few outputs serve a large epsilon badly. With cells enough, minimax's worst case is 0.75 to 0.8 of podium's. */
static void warn_if_coarse(const podium_collection *collection) {
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

podium_collection collection_from(const collection_options *options, char name[PODIUM_NAME_MAX]) {
    podium_spec spec = options->spec;
    name[0] = '\0';
    if (options->files > 0 && spec_given(options))
        fail_usage(options->command, "--collection already says the range, epsilon and mechanism");
    if (options->files > 0)
        return collection_read(options->file[0], name);
    if (!options->range)
        fail_usage(options->command,
                   "--range MIN:MAX is missing%s. It must come from what is known of "
                   "the question:\npodium: a range taken from the data would tell about the data",
                   strcmp(options->command, "design") == 0 ? "" : " (or --collection FILE)");
    if (!options->epsilon)
        fail_usage(options->command, "--epsilon E is missing");
    check_parameters(options);
    if (options->automatic)
        choose(&spec, options->objective);
    else if (options->spread)
        spec.mechanism = PODIUM_MECHANISM_PODIUM_TUNED;
    podium_collection collection = collection_for(&spec);
    if (strcmp(options->command, "design") == 0 || strcmp(options->command, "privatize") == 0)
        warn_if_coarse(&collection); /* while it can still be changed */
    return collection;
}

void collection_apart(const collection_options *options, char **files) {
    size_t standard = 0;
    for (size_t i = 0; i < options->files; i++)
        standard += strcmp(options->file[i], "-") == 0;
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
