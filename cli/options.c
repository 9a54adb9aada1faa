/* Options that several commands share, and their numbers and words. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const format_words[] = {"text", "json", "csv", NULL};

bool number_read(double *x, const char *text, size_t n) {
    char copy[128], *end;
    while (n > 0 && (*text == ' ' || *text == '\t'))
        text++, n--;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (n == 0 || n >= sizeof copy)
        return false;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\0' || strchr("+-.0123456789eE", text[i]) == NULL)
            return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    *x = strtod(copy, &end);
    return *end == '\0' && end != copy && isfinite(*x);
}

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

/* ---- The collection ---- */

static podium_mechanism mechanism_option(const char *command, const char *text) {
    const char *words[32] = {NULL};
    for (int m = 0; m < 31 && podium_mechanism_name((podium_mechanism)m) != NULL; m++)
        words[m] = podium_mechanism_name((podium_mechanism)m);
    return (podium_mechanism)choice_option(command, "--mechanism", text, words);
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
        options->file = argument;
        return;
    case OPTION_RANGE:
        range_option(options, argument);
        return;
    case OPTION_EPSILON:
        options->spec.epsilon = number_option(options->command, "--epsilon", argument);
        options->epsilon = true;
        return;
    case OPTION_MECHANISM:
        options->spec.mechanism = mechanism_option(options->command, argument);
        options->mechanism = true;
        return;
    default:
        fail(BAD_USAGE, "see 'podium help %s'", options->command); /* getopt has said what is wrong */
    }
}

bool collection_given(const collection_options *options) {
    return options->file != NULL || options->range || options->epsilon || options->mechanism;
}

static podium_collection collection_read(const char *path, char name[PODIUM_NAME_MAX]) {
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
    if (status == PODIUM_TEXT_MALFORMED && line == 0)
        fail(BAD_DATA, "%s: not a collection file: a line is missing", path);
    if (status != PODIUM_OK && line > 0)
        fail(BAD_DATA, "%s, line %zu: %s", path, line, podium_status_message(status));
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s: %s", path, podium_status_message(status));
    return collection;
}

podium_collection collection_from(const collection_options *options, char name[PODIUM_NAME_MAX]) {
    podium_collection collection;
    name[0] = '\0';
    if (options->file != NULL && (options->range || options->epsilon || options->mechanism))
        fail_usage(options->command, "--collection already says the range, epsilon and mechanism");
    if (options->file != NULL)
        return collection_read(options->file, name);
    if (!options->range)
        fail_usage(options->command,
                   "--range MIN:MAX is missing (or --collection FILE). It must come from what is known of "
                   "the question:\npodium: a range taken from the data would tell about the data");
    if (!options->epsilon)
        fail_usage(options->command, "--epsilon E is missing");
    podium_status status = podium_collection_init(&collection, &options->spec);
    if (status != PODIUM_OK)
        fail(BAD_USAGE, "%s", podium_status_message(status));
    return collection;
}
