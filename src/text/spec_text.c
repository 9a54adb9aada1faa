/* A spec as one line: "mechanism epsilon=E range=MIN:MAX", then the parameter unless it has its default. */
#include "text/slice.h"

#include <math.h>
#include <stdio.h>

/* ---- Parameters, which collection_text.c uses too ---- */

podium_parameter_kind podium_parameter_from_key(podium_slice key) {
    for (int kind = PODIUM_PARAMETER_NONE + 1; kind < PODIUM_PARAMETERS; kind++)
        if (podium_slice_is(key, podium_parameters[kind].key))
            return (podium_parameter_kind)kind;
    return PODIUM_PARAMETER_NONE;
}

podium_status podium_parameter_parse(podium_spec *spec, podium_parameter_kind kind, podium_slice value) {
    double x;
    const podium_status status = podium_number_parse(&x, value.text, value.n);
    if (status != PODIUM_OK)
        return status;
    if (podium_parameters[kind].whole && !(x >= 1 && x <= UINT32_MAX && x == floor(x)))
        return PODIUM_ERROR_TEXT_MALFORMED;
    podium_parameter_set(spec, kind, x);
    return PODIUM_OK;
}

void podium_parameter_format(char text[PODIUM_PARAMETER_TEXT_MAX], const char *format, const podium_spec *spec) {
    const podium_parameter_kind kind = podium_row_of(spec->mechanism)->parameter;
    char value[PODIUM_NUMBER_TEXT_MAX];
    text[0] = '\0';
    if (kind == PODIUM_PARAMETER_NONE)
        return;
    podium_number_format(value, sizeof value, podium_parameter_get(spec, kind));
    snprintf(text, PODIUM_PARAMETER_TEXT_MAX, format, podium_parameters[kind].key, value);
}

/* ---- Format ---- */

static bool parameter_is_default(const podium_spec *spec) {
    const podium_parameter_kind kind = podium_row_of(spec->mechanism)->parameter;
    return podium_parameter_get(spec, kind) == podium_parameters[kind].fallback;
}

size_t podium_spec_format(const podium_spec *spec, char *text, size_t capacity) {
    char epsilon[PODIUM_NUMBER_TEXT_MAX], min[PODIUM_NUMBER_TEXT_MAX], max[PODIUM_NUMBER_TEXT_MAX];
    char parameter[PODIUM_PARAMETER_TEXT_MAX] = "", line[PODIUM_SPEC_TEXT_MAX];
    if (podium_spec_check(spec, PODIUM_EPSILON_MAX) != PODIUM_OK)
        return 0;
    const podium_spec whole = podium_spec_complete(spec);
    podium_number_format(epsilon, sizeof epsilon, whole.epsilon);
    podium_number_format(min, sizeof min, whole.min);
    podium_number_format(max, sizeof max, whole.max);
    if (!parameter_is_default(&whole))
        podium_parameter_format(parameter, " %s=%s", &whole);
    const size_t length = (size_t)snprintf(line, sizeof line, "%s epsilon=%s range=%s:%s%s",
                                           podium_mechanism_name(whole.mechanism), epsilon, min, max, parameter);
    if (length < capacity)
        memcpy(text, line, length + 1);
    return length;
}

/* ---- Parse ---- */

enum { EPSILON, RANGE, PARAMETER, KEYS };

typedef struct {
    podium_spec spec;
    const char *text;                /* the whole text, from which columns are counted */
    podium_slice token[KEYS];        /* where each key was given; empty if it was not */
    podium_parameter_kind parameter; /* which parameter was given */
    podium_error *error;
} reading;

static podium_status fail_at(const reading *r, podium_status status, podium_slice field) {
    return podium_fail(r->error, status, 1, (size_t)(field.text - r->text) + 1, field);
}

static podium_status parse_range(podium_spec *spec, podium_slice value) {
    podium_slice rest;
    const podium_slice min = podium_slice_cut(value, ':', &rest);
    const podium_status status = podium_number_parse(&spec->min, min.text, min.n);
    if (status != PODIUM_OK || rest.n == 0)
        return PODIUM_ERROR_TEXT_MALFORMED;
    return podium_number_parse(&spec->max, rest.text + 1, rest.n - 1);
}

/* Reads one key=value. */
static podium_status parse_token(reading *r, podium_slice token) {
    podium_slice rest;
    const podium_slice key = podium_slice_cut(token, '=', &rest);
    const podium_parameter_kind kind = podium_parameter_from_key(key);
    const int which = podium_slice_is(key, "epsilon") ? EPSILON
                      : podium_slice_is(key, "range") ? RANGE
                      : kind != PODIUM_PARAMETER_NONE ? PARAMETER
                                                      : KEYS;
    if (which == KEYS || rest.n == 0 || r->token[which].n > 0)
        return fail_at(r, PODIUM_ERROR_TEXT_MALFORMED, key);
    r->token[which] = key;
    if (which == PARAMETER)
        r->parameter = kind;
    const podium_slice value = {rest.text + 1, rest.n - 1};
    const podium_status status = which == EPSILON ? podium_number_parse(&r->spec.epsilon, value.text, value.n)
                                 : which == RANGE ? parse_range(&r->spec, value)
                                                  : podium_parameter_parse(&r->spec, kind, value);
    return status == PODIUM_OK ? PODIUM_OK : fail_at(r, status, key);
}

static podium_slice next_token(podium_slice *rest) {
    podium_slice token = *rest = podium_slice_trim(*rest);
    size_t n = 0;
    while (n < token.n && !podium_is_blank(token.text[n]))
        n++;
    token.n = n;
    *rest = (podium_slice){rest->text + n, rest->n - n};
    return token;
}

static podium_status fail_missing(const reading *r, podium_status status, const char *key) {
    return podium_fail(r->error, status, 1, 0, (podium_slice){key, strlen(key)});
}

/* A parameter without a default must be given, and a parameter of another mechanism must not. */
static podium_status check_parameter(const reading *r) {
    const podium_parameter_kind own = podium_row_of(r->spec.mechanism)->parameter;
    if (r->parameter != PODIUM_PARAMETER_NONE && r->parameter != own)
        return fail_at(r, podium_parameters[r->parameter].wrong, r->token[PARAMETER]);
    if (r->parameter == PODIUM_PARAMETER_NONE && isnan(podium_parameters[own].fallback))
        return fail_missing(r, podium_parameters[own].wrong, podium_parameters[own].key);
    return PODIUM_OK;
}

/* Checks the spec as a whole: whether a key is missing or out of range. */
static podium_status finish(const reading *r) {
    if (r->token[EPSILON].n == 0)
        return fail_missing(r, PODIUM_ERROR_TEXT_MALFORMED, "epsilon");
    if (r->token[RANGE].n == 0)
        return fail_missing(r, PODIUM_ERROR_TEXT_MALFORMED, "range");
    podium_status status = check_parameter(r);
    if (status != PODIUM_OK)
        return status;
    status = podium_spec_check(&r->spec, PODIUM_EPSILON_MAX);
    for (int which = 0; status != PODIUM_OK && which < KEYS; which++)
        if (podium_slice_is(r->token[which], podium_status_field(status)))
            return fail_at(r, status, r->token[which]);
    return status;
}

podium_status podium_spec_parse(podium_spec *spec, podium_error *error, const char *text, size_t n) {
    reading r = {.text = text, .error = error};
    podium_slice rest = {text, n};
    const podium_slice name = next_token(&rest);
    podium_status status = podium_mechanism_from_name(&r.spec.mechanism, name.text, name.n);
    if (status != PODIUM_OK)
        return fail_at(&r, status, name);
    for (podium_slice token = next_token(&rest); status == PODIUM_OK && token.n > 0; token = next_token(&rest))
        status = parse_token(&r, token);
    if (status == PODIUM_OK)
        status = finish(&r);
    if (status == PODIUM_OK)
        *spec = podium_spec_complete(&r.spec);
    return status;
}
