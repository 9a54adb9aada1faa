/* A collection as lines of "key = value", for a file that people can read. */
#include "collection/hex.h"
#include "text/slice.h"

#include <math.h>
#include <stdio.h>

#define COLLECTION_VERSION "1"

/* A name that reads back as it was written */
static bool is_name(podium_slice name) {
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.text[i] < ' ' || name.text[i] == 0x7f)
            return false;
    return name.n < PODIUM_NAME_MAX;
}

static bool name_is_valid(const char *name) {
    return name == NULL || is_name((podium_slice){name, strlen(name)});
}

size_t podium_collection_format(const podium_collection *collection, char *text, size_t capacity, const char *name) {
    const podium_layout *c = podium_layout_of(collection);
    char epsilon[PODIUM_NUMBER_TEXT_MAX], min[PODIUM_NUMBER_TEXT_MAX], max[PODIUM_NUMBER_TEXT_MAX];
    char parameter[PODIUM_PARAMETER_TEXT_MAX], lines[PODIUM_COLLECTION_TEXT_MAX];
    if (!podium_is_ready(c) || !name_is_valid(name))
        return 0;
    podium_number_format(epsilon, sizeof epsilon, c->spec.epsilon);
    podium_number_format(min, sizeof min, c->spec.min);
    podium_number_format(max, sizeof max, c->spec.max);
    podium_parameter_format(parameter, "%s = %s\n", &c->spec);
    const size_t length = (size_t)snprintf(lines, sizeof lines,
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
                                           name == NULL ? "" : "\n", podium_mechanism_name(c->spec.mechanism), epsilon,
                                           min, max, parameter, (unsigned long long)c->fingerprint);
    if (length < capacity)
        memcpy(text, lines, length + 1);
    return length;
}

/* ---- Parse ---- */

enum { VERSION, NAME, MECHANISM, EPSILON, MIN, MAX, FINGERPRINT, PARAMETER, KINDS };

typedef struct {
    size_t line, column; /* both 0 if there is no such line */
} position;

typedef struct {
    podium_spec spec;
    char name[PODIUM_NAME_MAX];
    uint64_t fingerprint;
    position seen[KINDS]; /* where each key was, because a key may occur only once */
    podium_parameter_kind parameter;
} reading;

static podium_status parse_version(reading *r, podium_slice value) {
    (void)r;
    for (size_t i = 0; i < value.n; i++)
        if (value.text[i] < '0' || value.text[i] > '9')
            return PODIUM_ERROR_TEXT_MALFORMED;
    if (value.n == 0)
        return PODIUM_ERROR_TEXT_MALFORMED;
    return podium_slice_is(value, COLLECTION_VERSION) ? PODIUM_OK : PODIUM_ERROR_VERSION_UNKNOWN;
}

static podium_status parse_name(reading *r, podium_slice value) {
    if (!is_name(value))
        return PODIUM_ERROR_TEXT_MALFORMED;
    memcpy(r->name, value.text, value.n);
    return PODIUM_OK;
}

static podium_status parse_mechanism(reading *r, podium_slice value) {
    return podium_mechanism_from_name(&r->spec.mechanism, value.text, value.n);
}

static podium_status parse_number(double *x, podium_slice value) {
    return podium_number_parse(x, value.text, value.n);
}

static podium_status parse_epsilon(reading *r, podium_slice value) {
    return parse_number(&r->spec.epsilon, value);
}

static podium_status parse_min(reading *r, podium_slice value) {
    return parse_number(&r->spec.min, value);
}

static podium_status parse_max(reading *r, podium_slice value) {
    return parse_number(&r->spec.max, value);
}

static podium_status parse_fingerprint(reading *r, podium_slice value) {
    if (value.n != 16)
        return PODIUM_ERROR_TEXT_MALFORMED;
    for (size_t i = 0; i < value.n; i++) {
        const int digit = podium_hex_value(value.text[i]);
        if (digit < 0)
            return PODIUM_ERROR_TEXT_MALFORMED;
        r->fingerprint = r->fingerprint << 4 | (uint64_t)digit;
    }
    return PODIUM_OK;
}

typedef struct {
    const char *key;
    podium_status (*parse)(reading *r, podium_slice value);
    bool needed;
} line_kind;

/* The parameter has no row, because its key depends on the mechanism. */
static const line_kind kinds[PARAMETER] = {
    [VERSION] = {"podium", parse_version, true},
    [NAME] = {"name", parse_name, false},
    [MECHANISM] = {"mechanism", parse_mechanism, true},
    [EPSILON] = {"epsilon", parse_epsilon, true},
    [MIN] = {"min", parse_min, true},
    [MAX] = {"max", parse_max, true},
    [FINGERPRINT] = {"fingerprint", parse_fingerprint, true},
};

/* A mechanism has at most one parameter, so there is at most one such line. */
static podium_status parse_parameter(reading *r, podium_slice key, podium_slice value) {
    const podium_parameter_kind kind = podium_parameter_from_key(key);
    if (kind == PODIUM_PARAMETER_NONE)
        return PODIUM_ERROR_TEXT_MALFORMED;
    r->parameter = kind;
    return podium_parameter_parse(&r->spec, kind, value);
}

static podium_status parse_pair(reading *r, position at, podium_slice key, podium_slice value) {
    int which = 0;
    while (which < PARAMETER && !podium_slice_is(key, kinds[which].key))
        which++;
    if (r->seen[which].line > 0)
        return PODIUM_ERROR_TEXT_MALFORMED;
    r->seen[which] = at;
    return which == PARAMETER ? parse_parameter(r, key, value) : kinds[which].parse(r, value);
}

/* Is this line empty or a comment? */
static bool is_skipped(podium_slice line) {
    const podium_slice whole = podium_slice_trim(line);
    return whole.n == 0 || whole.text[0] == '#';
}

static podium_status parse_line(reading *r, podium_error *error, podium_slice line, size_t number) {
    podium_slice rest;
    const podium_slice whole = podium_slice_trim(line), key = podium_slice_trim(podium_slice_cut(whole, '=', &rest));
    const position at = {number, (size_t)(whole.text - line.text) + 1};
    podium_status status = PODIUM_ERROR_TEXT_MALFORMED;
    if (is_skipped(line))
        return PODIUM_OK;
    if (rest.n > 0)
        status = parse_pair(r, at, key, podium_slice_trim((podium_slice){rest.text + 1, rest.n - 1}));
    return status == PODIUM_OK ? status : podium_fail(error, status, at.line, at.column, key);
}

/* Fails if a line is missing, or if there is a parameter that the mechanism does not have. */
static podium_status check_lines(const reading *r, podium_error *error) {
    for (int which = 0; which < PARAMETER; which++)
        if (kinds[which].needed && r->seen[which].line == 0)
            return podium_fail(error, PODIUM_ERROR_TEXT_MALFORMED, 0, 0,
                               (podium_slice){kinds[which].key, strlen(kinds[which].key)});
    const podium_parameter_kind own = podium_row_of(r->spec.mechanism)->parameter;
    if (r->parameter == own)
        return PODIUM_OK;
    const char *key = podium_parameters[own == PODIUM_PARAMETER_NONE ? r->parameter : own].key;
    return podium_fail(error, PODIUM_ERROR_TEXT_MALFORMED, 0, 0, (podium_slice){key, strlen(key)});
}

/* Does this bound fail the check with that status even in a range that is symmetric about 0? */
static bool is_wrong_alone(const podium_spec *spec, double bound, podium_status status) {
    podium_spec symmetric = *spec;
    symmetric.min = -fabs(bound);
    symmetric.max = fabs(bound);
    return podium_spec_check(&symmetric, PODIUM_EPSILON_MAX) == status;
}

/* A range is wrong in the line of the bound that is wrong by itself, or else in the later of the two lines. */
static position position_of_range(const reading *r, podium_status status) {
    if (status == PODIUM_ERROR_RANGE_NOT_FINITE || status == PODIUM_ERROR_RANGE_ABSURD)
        return r->seen[is_wrong_alone(&r->spec, r->spec.min, status) ? MIN : MAX];
    return r->seen[r->seen[MIN].line > r->seen[MAX].line ? MIN : MAX];
}

/* A wrong fingerprint has no line of its own, because any line may have been edited. */
static position position_of(const reading *r, podium_status status) {
    const char *field = podium_status_field(status);
    const podium_slice slice = {field, strlen(field)};
    if (podium_slice_is(slice, "range"))
        return position_of_range(r, status);
    if (podium_parameter_from_key(slice) != PODIUM_PARAMETER_NONE)
        return r->seen[PARAMETER];
    return podium_slice_is(slice, kinds[EPSILON].key) ? r->seen[EPSILON] : (position){0, 0};
}

/* The fingerprint must be that of the spec, so that an edited file is detected. */
static podium_status finish(const reading *r, podium_collection *collection, podium_error *error) {
    podium_status status = check_lines(r, error);
    if (status != PODIUM_OK)
        return status;
    status = podium_collection_init(collection, &r->spec);
    if (status == PODIUM_OK && podium_layout_of(collection)->fingerprint != r->fingerprint)
        status = PODIUM_ERROR_FINGERPRINT_WRONG;
    if (status == PODIUM_OK)
        return status;
    const char *field = podium_status_field(status);
    const position at = position_of(r, status);
    return podium_fail(error, status, at.line, at.column, (podium_slice){field, strlen(field)});
}

static podium_status parse_lines(reading *r, podium_error *error, podium_slice text) {
    podium_status status = PODIUM_OK;
    for (size_t number = 1; status == PODIUM_OK && text.n > 0; number++) {
        podium_slice rest;
        status = parse_line(r, error, podium_slice_cut(text, '\n', &rest), number);
        text = rest.n > 0 ? (podium_slice){rest.text + 1, rest.n - 1} : rest;
    }
    return status;
}

/* Cuts off the empty lines and comments before the first other line, and returns how many there are. */
static size_t skip_lines(podium_slice *text) {
    size_t skipped = 0;
    for (podium_slice rest; is_skipped(podium_slice_cut(*text, '\n', &rest)) && rest.n > 0; skipped++)
        *text = (podium_slice){rest.text + 1, rest.n - 1};
    return skipped;
}

/* A text is a spec if it is a single line whose first word is not followed by "=". */
static bool is_spec(podium_slice text) {
    podium_slice rest;
    const podium_slice line = podium_slice_trim(podium_slice_cut(text, '\n', &rest));
    size_t n = 0;
    while (n < line.n && !podium_is_blank(line.text[n]) && line.text[n] != '=')
        n++;
    const podium_slice after = podium_slice_trim((podium_slice){line.text + n, line.n - n});
    return rest.n <= 1 && !is_skipped(line) && after.n > 0 && after.text[0] != '=';
}

static podium_status parse_spec(podium_collection *collection, podium_error *error, podium_slice text, size_t skipped) {
    podium_spec spec;
    podium_slice rest;
    const podium_slice line = podium_slice_cut(text, '\n', &rest);
    podium_status status = podium_spec_parse(&spec, error, line.text, line.n);
    if (status == PODIUM_OK) {
        status = podium_collection_init(collection, &spec);
        const char *field = podium_status_field(status);
        if (status != PODIUM_OK)
            podium_fail(error, status, 1, 0, (podium_slice){field, strlen(field)});
    }
    if (status != PODIUM_OK && error != NULL)
        error->line += (uint32_t)skipped;
    return status;
}

static podium_status parse_file(podium_collection *collection, reading *r, podium_error *error, podium_slice text) {
    podium_status status = parse_lines(r, error, text);
    return status == PODIUM_OK ? finish(r, collection, error) : status;
}

podium_status podium_collection_parse(podium_collection *collection, char *name, size_t capacity, podium_error *error,
                                      const char *text, size_t n) {
    const podium_slice whole = {text, n};
    podium_slice after = whole;
    const size_t skipped = skip_lines(&after);
    reading r = {.fingerprint = 0};
    podium_status status =
        is_spec(after) ? parse_spec(collection, error, after, skipped) : parse_file(collection, &r, error, whole);
    if (status == PODIUM_OK && name != NULL && strlen(r.name) >= capacity)
        status = podium_fail(error, PODIUM_ERROR_BUFFER_TOO_SMALL, 0, 0, (podium_slice){"name", 4});
    if (status == PODIUM_OK && name != NULL)
        memcpy(name, r.name, strlen(r.name) + 1);
    if (status != PODIUM_OK)
        memset(collection, 0, sizeof *collection);
    return status;
}
