#include "spec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The number of the mechanism that text of n bytes names; false if there is none. */
static bool find_mechanism(podium_mechanism *mechanism, const char *text, size_t n) {
    const char *name;
    for (int m = 0; (name = podium_mechanism_name((podium_mechanism)m)) != NULL; m++)
        if (strlen(name) == n && memcmp(name, text, n) == 0) {
            *mechanism = (podium_mechanism)m;
            return true;
        }
    return false;
}

/* Adds as much of the text as there is room for. */
static void append(char message[SQL_MESSAGE_MAX], const char *text) {
    size_t n = strlen(message);
    snprintf(message + n, SQL_MESSAGE_MAX - n, "%s", text);
}

static bool mechanism_unknown(char *message, const char *text, size_t n) {
    const char *name;
    snprintf(message, SQL_MESSAGE_MAX, "no mechanism is called \"%.*s\": it is one of", n < 32 ? (int)n : 32, text);
    for (int m = 0; (name = podium_mechanism_name((podium_mechanism)m)) != NULL; m++) {
        append(message, m == 0 ? " " : ", ");
        append(message, name);
    }
    return false;
}

static bool parameter_wrong(char *message, const char *what) {
    snprintf(message, SQL_MESSAGE_MAX, "%s", what);
    return false;
}

/* Digits and at most one point: neither sign nor exponent */
static bool read_decimal(double *x, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (text[i] != '.' && (text[i] < '0' || text[i] > '9'))
            return false;
    return podium_number_read(x, text, n);
}

/* What follows the colon, n bytes of it; 0 bytes where there is none */
static bool set_parameter(podium_spec *spec, char *message, const char *text, size_t n) {
    double cells = PODIUM_MINIMAX_CELLS_DEFAULT;
    switch (spec->mechanism) {
    case PODIUM_MECHANISM_PODIUM_TUNED:
        if (!read_decimal(&spec->spread, text, n) || spec->spread > 0.25)
            return parameter_wrong(message, "podium-tuned takes a spread from 0 to 0.25, as in \"podium-tuned:0.05\"");
        return true;
    case PODIUM_MECHANISM_MINIMAX:
        if (n > 0 &&
            (!read_decimal(&cells, text, n) || cells != floor(cells) || cells < 2 || cells > PODIUM_MINIMAX_CELLS_MAX))
            return parameter_wrong(message, "minimax takes from 2 to 65536 cells, as in \"minimax:1024\"");
        spec->cells = (uint32_t)cells;
        return true;
    default:
        return n == 0 || parameter_wrong(message, "only podium-tuned and minimax have a parameter");
    }
}

bool sql_spec(podium_spec *spec, char message[SQL_MESSAGE_MAX], double min, double max, double epsilon,
              const char *mechanism, size_t mechanism_n) {
    *spec = (podium_spec){.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = epsilon, .min = min, .max = max};
    if (mechanism == NULL)
        return true;
    const char *colon = memchr(mechanism, ':', mechanism_n);
    size_t name_n = colon == NULL ? mechanism_n : (size_t)(colon - mechanism);
    if (!find_mechanism(&spec->mechanism, mechanism, name_n))
        return mechanism_unknown(message, mechanism, name_n);
    size_t from = colon == NULL ? mechanism_n : name_n + 1;
    return set_parameter(spec, message, mechanism + from, mechanism_n - from);
}

bool sql_same_spec(const podium_spec *a, const podium_spec *b) {
    return a->mechanism == b->mechanism && a->epsilon == b->epsilon && a->min == b->min && a->max == b->max &&
           a->spread == b->spread && a->cells == b->cells;
}
