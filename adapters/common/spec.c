#include "spec.h"

#include <stdio.h>

#define QUOTED_MAX 32 /* the most bytes of a wrong text that a message quotes */
#define LINE_MAX (PODIUM_SPEC_TEXT_MAX + PODIUM_NUMBER_PARSE_MAX)

static int quoted_bytes(size_t n) {
    return n < QUOTED_MAX ? (int)n : QUOTED_MAX;
}

/* ---- Messages ---- */

/* Appends as much of the text as fits. */
static void append(char message[SQL_MESSAGE_MAX], const char *text) {
    size_t n = strlen(message);
    snprintf(message + n, SQL_MESSAGE_MAX - n, "%s", text);
}

static void append_status(char message[SQL_MESSAGE_MAX], podium_status status) {
    append(message, "; ");
    append(message, podium_status_message(status));
}

static bool mechanism_unknown(char message[SQL_MESSAGE_MAX], const char *text, size_t n) {
    snprintf(message, SQL_MESSAGE_MAX, "no mechanism is called \"%.*s\"; it must be one of", quoted_bytes(n), text);
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        append(message, m == 0 ? " " : ", ");
        append(message, podium_mechanism_name((podium_mechanism)m));
    }
    return false;
}

/* Appends an example of a line, unless the missing key does not occur in the example. */
static void append_example(char message[SQL_MESSAGE_MAX], const char *missing) {
    static const podium_spec example = {.epsilon = 1, .max = 1};
    char line[PODIUM_SPEC_TEXT_MAX];
    podium_spec_format(&example, line, sizeof line);
    if (strstr(line, missing) == NULL)
        return;
    append(message, "; it should read like \"");
    append(message, line);
    append(message, "\"");
}

/* Writes the message for a key of a line that is wrong or missing. */
static bool line_wrong(char message[SQL_MESSAGE_MAX], const podium_error *error) {
    const bool is_missing = error->column == 0;
    if (is_missing)
        snprintf(message, SQL_MESSAGE_MAX, "spec lacks \"%s=\"", error->field);
    else
        snprintf(message, SQL_MESSAGE_MAX, "spec is wrong at \"%s\", column %u", error->field, (unsigned)error->column);
    if (error->status == PODIUM_ERROR_TEXT_MALFORMED)
        append_example(message, is_missing ? error->field : "");
    else
        append_status(message, error->status);
    return false;
}

void sql_specs_differ(char message[SQL_MESSAGE_MAX], const podium_spec *a, const podium_spec *b) {
    char one[PODIUM_SPEC_TEXT_MAX] = "", other[PODIUM_SPEC_TEXT_MAX] = "";
    podium_spec_format(a, one, sizeof one);
    podium_spec_format(b, other, sizeof other);
    message[0] = '\0';
    append(message, "\"");
    append(message, one);
    append(message, "\" and \"");
    append(message, other);
    append(message, "\"");
}

/* ---- A line ---- */

static bool line_parse(podium_spec *spec, char message[SQL_MESSAGE_MAX], const char *line, size_t n) {
    podium_error error;
    if (podium_spec_parse(spec, &error, line, n) == PODIUM_OK)
        return true;
    if (error.status == PODIUM_ERROR_MECHANISM_UNKNOWN)
        return mechanism_unknown(message, error.field, strlen(error.field));
    return line_wrong(message, &error);
}

/* ---- A mechanism, with its parameter or without ---- */

static bool parameter_wrong(char message[SQL_MESSAGE_MAX], const char *name, const char *key, podium_status status,
                            const char *value, size_t n) {
    if (n == 0)
        snprintf(message, SQL_MESSAGE_MAX, "%s needs its %s after a colon", name, key);
    else
        snprintf(message, SQL_MESSAGE_MAX, "%s cannot have \"%.*s\" as its %s", name, quoted_bytes(n), value, key);
    if (status != PODIUM_ERROR_TEXT_MALFORMED)
        append_status(message, status);
    return false;
}

/* Reads the parameter of n bytes by putting it into a line whose numbers are valid for every mechanism. */
static bool parameter_parse(podium_spec *spec, char message[SQL_MESSAGE_MAX], const char *value, size_t n) {
    const char *name = podium_mechanism_name(spec->mechanism), *key = podium_mechanism_parameter(spec->mechanism);
    char line[LINE_MAX];
    podium_status status = PODIUM_ERROR_TEXT_MALFORMED;
    if (key == NULL && n > 0) {
        snprintf(message, SQL_MESSAGE_MAX, "%s has no parameter", name);
        return false;
    }
    int head = snprintf(line, sizeof line, "%s epsilon=1 range=0:1", name);
    if (n > 0)
        head += snprintf(line + head, sizeof line - (size_t)head, " %s=", key);
    if (n <= PODIUM_NUMBER_PARSE_MAX) {
        memcpy(line + head, value, n);
        status = podium_spec_parse(spec, NULL, line, (size_t)head + n);
    }
    return status == PODIUM_OK || parameter_wrong(message, name, key, status, value, n);
}

static bool mechanism_parse(podium_spec *spec, char message[SQL_MESSAGE_MAX], const char *text, size_t n) {
    const char *colon = memchr(text, ':', n);
    const size_t name_n = colon == NULL ? n : (size_t)(colon - text);
    const size_t from = colon == NULL ? n : name_n + 1;
    if (podium_mechanism_from_name(&spec->mechanism, text, name_n) != PODIUM_OK)
        return mechanism_unknown(message, text, name_n);
    return parameter_parse(spec, message, text + from, n - from);
}

bool sql_spec(podium_spec *spec, char message[SQL_MESSAGE_MAX], const sql_arguments *a) {
    podium_spec made = {.epsilon = 0};
    if (a->is_line)
        return line_parse(spec, message, a->text, a->n);
    if (a->text != NULL && !mechanism_parse(&made, message, a->text, a->n))
        return false;
    made.epsilon = a->epsilon;
    made.min = a->min;
    made.max = a->max;
    *spec = made;
    return true;
}

/* ---- The arguments of an earlier call ---- */

void sql_memo_keep(sql_memo *memo, const sql_arguments *arguments) {
    memo->is_kept = arguments->n <= sizeof memo->text;
    if (!memo->is_kept)
        return;
    memo->arguments = *arguments;
    if (arguments->text != NULL)
        memo->arguments.text = memcpy(memo->text, arguments->text, arguments->n);
}
