/* Text: a collection as lines of "key = value", and the small parts that this needs. */
#include "collection/internal.h"

#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t podium_hash(uint64_t hash, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

/* ---- Numbers ---- */

/* printf and strtod write and want the locale's decimal point, of one byte or more; a file has a dot. */
static const char *decimal_point(void) {
    const char *point = localeconv()->decimal_point;
    return *point == '\0' ? "." : point;
}

/* A decimal of up to 15 digits survives in a normal double, so %.15g finds it again, whatever its length. A smaller
   double holds fewer digits, so all lengths are tried. */
size_t podium_number_write(char *text, double x) {
    bool normal = !(x > -DBL_MIN && x < DBL_MIN);
    for (int digits = normal ? DBL_DIG : 1; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, PODIUM_NUMBER_TEXT_MAX, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    const char *point = decimal_point();
    char *at = strstr(text, point);
    if (at != NULL) {
        const char *rest = at + strlen(point);
        *at = '.';
        memmove(at + 1, rest, strlen(rest) + 1);
    }
    return strlen(text);
}

/* Decimal digits, a dot, a sign, an exponent: no hexadecimal, no infinity, no NaN, no blanks */
bool podium_number_read(double *x, const char *text, size_t n) {
    char copy[PODIUM_NUMBER_READ_MAX + 33], *end, *to = copy; /* a point is longer than a dot */
    const char *point = decimal_point();
    if (n > PODIUM_NUMBER_READ_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\0' || strchr("+-.0123456789eE", text[i]) == NULL)
            return false;
        const char *from = text[i] == '.' ? point : text + i;
        size_t length = text[i] == '.' ? strlen(point) : 1;
        if (length >= sizeof copy - (size_t)(to - copy))
            return false;
        memcpy(to, from, length);
        to += length;
    }
    *to = '\0';
    double read = strtod(copy, &end);
    if (end == copy || *end != '\0')
        return false;
    *x = read;
    return true;
}

/* ---- Collections ---- */

#define COLLECTION_VERSION "1"

/* The mechanism's own parameter, as a line; empty for most */
static void write_parameter(char line[64], const podium_spec *spec) {
    char spread[PODIUM_NUMBER_TEXT_MAX];
    line[0] = '\0';
    if (spec->mechanism == PODIUM_MECHANISM_PODIUM_TUNED) {
        podium_number_write(spread, spec->spread + 0.0);
        snprintf(line, 64, "spread = %s\n", spread);
    }
    if (spec->mechanism == PODIUM_MECHANISM_MINIMAX)
        snprintf(line, 64, "cells = %lu\n", (unsigned long)spec->cells);
}

size_t podium_collection_write(const podium_collection *collection, char *text, const char *name) {
    char epsilon[PODIUM_NUMBER_TEXT_MAX], min[PODIUM_NUMBER_TEXT_MAX], max[PODIUM_NUMBER_TEXT_MAX], parameter[64];
    podium_number_write(epsilon, collection->spec.epsilon);
    podium_number_write(min, collection->spec.min);
    podium_number_write(max, collection->spec.max);
    write_parameter(parameter, &collection->spec);
    int length = snprintf(text, PODIUM_COLLECTION_TEXT_MAX,
                          "# A Podium collection: public, and fixed before the first value is seen.\n"
                          "podium = " COLLECTION_VERSION "\n"
                          "%s%.*s%s"
                          "mechanism = %s\n"
                          "epsilon = %s\n"
                          "min = %s\n"
                          "max = %s\n"
                          "%s"
                          "fingerprint = %016llx\n",
                          name == NULL ? "" : "name = ", PODIUM_NAME_MAX - 1, name == NULL ? "" : name,
                          name == NULL ? "" : "\n", podium_mechanism_name(collection->spec.mechanism), epsilon, min,
                          max, parameter, (unsigned long long)collection->fingerprint);
    return (size_t)length;
}

typedef struct {
    const char *text;
    size_t n;
} slice;

static bool slice_is(slice s, const char *word) {
    return s.n == strlen(word) && memcmp(s.text, word, s.n) == 0;
}

static slice trimmed(slice s) {
    while (s.n > 0 && (s.text[0] == ' ' || s.text[0] == '\t'))
        s.text++, s.n--;
    while (s.n > 0 && strchr(" \t\r", s.text[s.n - 1]) != NULL && s.text[s.n - 1] != '\0')
        s.n--;
    return s;
}

/* What has been read so far; a key may come once */
enum { VERSION, NAME, MECHANISM, EPSILON, MIN, MAX, SPREAD, CELLS, FINGERPRINT, KEYS };

typedef struct {
    podium_spec spec;
    char name[PODIUM_NAME_MAX];
    uint64_t fingerprint;
    bool seen[KEYS];
} reading;

static podium_status read_version(slice value) {
    for (size_t i = 0; i < value.n; i++)
        if (value.text[i] < '0' || value.text[i] > '9')
            return PODIUM_ERROR_TEXT_MALFORMED;
    return slice_is(value, COLLECTION_VERSION) ? PODIUM_OK
           : value.n == 0                      ? PODIUM_ERROR_TEXT_MALFORMED
                                               : PODIUM_ERROR_VERSION_UNKNOWN;
}

static podium_status read_name(reading *r, slice value) {
    if (value.n >= PODIUM_NAME_MAX)
        return PODIUM_ERROR_TEXT_MALFORMED;
    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.text[i] < ' ' || value.text[i] == 0x7f)
            return PODIUM_ERROR_TEXT_MALFORMED;
    memcpy(r->name, value.text, value.n);
    return PODIUM_OK;
}

static podium_status read_mechanism(reading *r, slice value) {
    for (int m = 0; podium_mechanism_name((podium_mechanism)m) != NULL; m++)
        if (slice_is(value, podium_mechanism_name((podium_mechanism)m))) {
            r->spec.mechanism = (podium_mechanism)m;
            return PODIUM_OK;
        }
    return PODIUM_ERROR_MECHANISM_UNKNOWN;
}

static podium_status read_number(double *x, slice value) {
    return podium_number_read(x, value.text, value.n) ? PODIUM_OK : PODIUM_ERROR_TEXT_MALFORMED;
}

static podium_status read_cells(reading *r, slice value) {
    double cells;
    if (!podium_number_read(&cells, value.text, value.n) || !(cells >= 1 && cells <= UINT32_MAX) ||
        cells != (double)(uint32_t)cells)
        return PODIUM_ERROR_TEXT_MALFORMED;
    r->spec.cells = (uint32_t)cells;
    return PODIUM_OK;
}

static podium_status read_fingerprint(reading *r, slice value) {
    if (value.n != 16)
        return PODIUM_ERROR_TEXT_MALFORMED;
    for (size_t i = 0; i < value.n; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, value.text[i]);
        if (value.text[i] == '\0' || digit == NULL)
            return PODIUM_ERROR_TEXT_MALFORMED;
        r->fingerprint = r->fingerprint << 4 | (uint64_t)(digit - digits);
    }
    return PODIUM_OK;
}

static podium_status read_pair(reading *r, slice key, slice value) {
    static const char *const keys[KEYS] = {"podium", "name",   "mechanism", "epsilon",    "min",
                                           "max",    "spread", "cells",     "fingerprint"};
    int which = 0;
    while (which < KEYS && !slice_is(key, keys[which]))
        which++;
    if (which == KEYS || r->seen[which])
        return PODIUM_ERROR_TEXT_MALFORMED;
    r->seen[which] = true;
    switch (which) {
    case VERSION:
        return read_version(value);
    case NAME:
        return read_name(r, value);
    case MECHANISM:
        return read_mechanism(r, value);
    case EPSILON:
        return read_number(&r->spec.epsilon, value);
    case MIN:
        return read_number(&r->spec.min, value);
    case MAX:
        return read_number(&r->spec.max, value);
    case SPREAD:
        return read_number(&r->spec.spread, value);
    case CELLS:
        return read_cells(r, value);
    default:
        return read_fingerprint(r, value);
    }
}

static podium_status read_line(reading *r, slice line) {
    const char *equals = memchr(line.text, '=', line.n);
    if (line.n == 0 || line.text[0] == '#')
        return PODIUM_OK;
    if (equals == NULL)
        return PODIUM_ERROR_TEXT_MALFORMED;
    slice key = {line.text, (size_t)(equals - line.text)}, value = {equals + 1, line.n - key.n - 1};
    return read_pair(r, trimmed(key), trimmed(value));
}

/* All but the name must be there, the mechanism's own parameter and no other's, and the fingerprint must be the spec's:
   an edited file is found out. */
static podium_status finish(podium_collection *collection, const reading *r) {
    const bool wanted[KEYS] = {[VERSION] = true,
                               [MECHANISM] = true,
                               [EPSILON] = true,
                               [MIN] = true,
                               [MAX] = true,
                               [SPREAD] = r->spec.mechanism == PODIUM_MECHANISM_PODIUM_TUNED,
                               [CELLS] = r->spec.mechanism == PODIUM_MECHANISM_MINIMAX,
                               [FINGERPRINT] = true};
    for (int which = 0; which < KEYS; which++)
        if (which != NAME && r->seen[which] != wanted[which])
            return PODIUM_ERROR_TEXT_MALFORMED;
    podium_collection made;
    podium_status status = podium_collection_init(&made, &r->spec);
    if (status != PODIUM_OK)
        return status;
    if (made.fingerprint != r->fingerprint)
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    *collection = made;
    return PODIUM_OK;
}

podium_status podium_collection_read(podium_collection *collection, char *name, size_t *line, const char *text,
                                     size_t n) {
    reading r = {.spec = {.mechanism = PODIUM_MECHANISM_PODIUM}};
    podium_status status = PODIUM_OK;
    size_t number = 0, at = 0;
    while (status == PODIUM_OK && at < n) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end == NULL ? n - at : (size_t)(end - text) - at;
        number++;
        status = read_line(&r, trimmed((slice){text + at, length}));
        at += length + 1;
    }
    if (status == PODIUM_OK) {
        number = 0;
        status = finish(collection, &r);
    }
    if (line != NULL)
        *line = number;
    if (status == PODIUM_OK && name != NULL)
        memcpy(name, r.name, sizeof r.name);
    return status;
}
