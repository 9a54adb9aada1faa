#include "body.h"
#include "json.h"
#include "table/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static body_status wrong(batch *b, body_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static body_status wrong(batch *b, body_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->detail, sizeof b->detail, format, arguments);
    va_end(arguments);
    return status;
}

void batch_free(batch *b) {
    free(b->reports);
    free(b->cells);
    *b = (batch){.reports = NULL};
}

/* ---- Adding reports and cells ---- */

static bool is_power_of_two(size_t n) {
    return (n & (n - 1)) == 0;
}

/* Returns the array with room for one more item than the n that it has, or NULL. Its capacity is the next power of two,
   which n alone tells. */
static void *with_room(void *array, size_t n, size_t size) {
    return n == 0 || is_power_of_two(n) ? realloc(array, (n == 0 ? 1 : 2 * n) * size) : array;
}

static body_status check_room(const body_rules *rules, batch *b) {
    if (b->reports_n + b->cells_n < rules->reports_max)
        return BODY_TAKEN;
    return wrong(b, BODY_TOO_MANY, "A batch has at most %zu reports; send the rest in another one.",
                 rules->reports_max);
}

static body_status add_report(const body_rules *rules, batch *b, double report) {
    const body_status status = check_room(rules, b);
    if (status != BODY_TAKEN)
        return status;
    double *reports = with_room(b->reports, b->reports_n, sizeof *reports);
    if (reports == NULL)
        return wrong(b, BODY_OUT_OF_MEMORY, "There is no memory for this batch.");
    b->reports = reports;
    reports[b->reports_n++] = report;
    return BODY_TAKEN;
}

static body_status add_cell(const body_rules *rules, batch *b, uint32_t cell) {
    const body_status status = check_room(rules, b);
    if (status != BODY_TAKEN)
        return status;
    uint32_t *cells = with_room(b->cells, b->cells_n, sizeof *cells);
    if (cells == NULL)
        return wrong(b, BODY_OUT_OF_MEMORY, "There is no memory for this batch.");
    b->cells = cells;
    cells[b->cells_n++] = cell;
    return BODY_TAKEN;
}

/* The aggregate refuses a report that is NaN. */
static body_status add_refused(const body_rules *rules, batch *b) {
    return add_report(rules, b, NAN);
}

static body_status add_not_number(const body_rules *rules, batch *b) {
    b->not_numbers++;
    return add_refused(rules, b);
}

static body_status add_report_value(const body_rules *rules, batch *b, json_value v) {
    double x;
    const bool number = v.kind == JSON_NUMBER && number_read(&x, v.bytes, v.n);
    return number ? add_report(rules, b, x) : add_not_number(rules, b);
}

static body_status add_code_value(const body_rules *rules, batch *b, json_value v) {
    double x;
    const bool number = v.kind == JSON_NUMBER && number_read(&x, v.bytes, v.n);
    const bool cell = number && x >= 0 && x == floor(x) && x < (double)podium_collection_cells(rules->collection);
    return cell ? add_cell(rules, b, (uint32_t)x) : number ? add_refused(rules, b) : add_not_number(rules, b);
}

podium_status batch_add_to(const podium_collection *collection, podium_aggregate *aggregate, const batch *b) {
    if (b->cells_n == 0)
        return podium_aggregate_add(collection, aggregate, b->reports, b->reports_n);
    if (b->reports_n == 0)
        return podium_aggregate_add_cells(collection, aggregate, b->cells, b->cells_n);
    podium_aggregate both = *aggregate;
    podium_status status = podium_aggregate_add(collection, &both, b->reports, b->reports_n);
    if (status == PODIUM_OK)
        status = podium_aggregate_add_cells(collection, &both, b->cells, b->cells_n);
    if (status == PODIUM_OK)
        *aggregate = both;
    return status;
}

/* ---- What a batch says about itself ---- */

body_status batch_set_fingerprint(const body_rules *rules, batch *b, const char *fingerprint) {
    char own[FINGERPRINT_TEXT_MAX];
    snprintf(own, sizeof own, "%016llx", (unsigned long long)podium_collection_fingerprint(rules->collection));
    const bool well_formed = strlen(fingerprint) == 16 && strspn(fingerprint, "0123456789abcdef") == 16;
    if (!well_formed)
        return wrong(b, BODY_MALFORMED, "A fingerprint has 16 hexadecimal digits, in lower case.");
    memcpy(b->given_fingerprint, fingerprint, sizeof b->given_fingerprint);
    if (strcmp(own, fingerprint) != 0)
        return wrong(b, BODY_FINGERPRINT_WRONG,
                     "The reports are of the collection with the fingerprint %s, and this is %s. Get the collection "
                     "again from this server, and make new reports with it.",
                     fingerprint, own);
    return BODY_TAKEN;
}

body_status batch_set_label(const body_rules *rules, batch *b, const char *name, const char *value) {
    const char *complaint = label_set_add(rules->labels, &b->labels, name, value);
    return complaint == NULL ? BODY_TAKEN
                             : wrong(b, BODY_LABEL_WRONG,
                                     "A label is wrong: %s. GET /v1/collections lists all that there are.", complaint);
}

/* ---- JSON ---- */

static body_status not_json(batch *b) {
    return wrong(b, BODY_MALFORMED, "The body is not JSON.");
}

typedef body_status adder(const body_rules *rules, batch *b, json_value v);

static body_status read_array(const body_rules *rules, batch *b, json *j, json_value v, adder *add) {
    if (v.kind != JSON_ARRAY)
        return wrong(b, BODY_MALFORMED, "\"reports\" and \"codes\" are arrays of numbers.");
    for (bool first = true; json_next_item(j, first); first = false) {
        const json_value item = json_read(j);
        if (!json_skip(j, item))
            return not_json(b);
        const body_status status = add(rules, b, item);
        if (status != BODY_TAKEN)
            return status;
    }
    return json_is_wrong(j) ? not_json(b) : BODY_TAKEN;
}

static body_status read_reports(const body_rules *rules, batch *b, json *j, json_value v) {
    return read_array(rules, b, j, v, add_report_value);
}

static body_status read_codes(const body_rules *rules, batch *b, json *j, json_value v) {
    return read_array(rules, b, j, v, add_code_value);
}

static body_status read_fingerprint(const body_rules *rules, batch *b, json *j, json_value v) {
    char fingerprint[64];
    (void)j;
    if (v.kind != JSON_STRING || !json_unescape(fingerprint, sizeof fingerprint, v))
        fingerprint[0] = '\0';
    return batch_set_fingerprint(rules, b, fingerprint);
}

static body_status read_labels(const body_rules *rules, batch *b, json *j, json_value v) {
    json_value name;
    if (v.kind != JSON_OBJECT)
        return wrong(b, BODY_MALFORMED, "\"labels\" is an object of names and values.");
    for (bool first = true; json_next_member(j, first, &name); first = false) {
        char label_name[LABEL_TEXT_MAX], value[LABEL_TEXT_MAX];
        const json_value string = json_read(j);
        if (string.kind == JSON_WRONG)
            return not_json(b);
        if (string.kind != JSON_STRING)
            return wrong(b, BODY_LABEL_WRONG, "The value of a label is a string.");
        if (!json_unescape(label_name, sizeof label_name, name) || !json_unescape(value, sizeof value, string))
            return wrong(b, BODY_LABEL_WRONG, "The collection declares no such label.");
        const body_status status = batch_set_label(rules, b, label_name, value);
        if (status != BODY_TAKEN)
            return status;
    }
    return json_is_wrong(j) ? not_json(b) : BODY_TAKEN;
}

static body_status read_atomic(const body_rules *rules, batch *b, json *j, json_value v) {
    (void)rules, (void)j;
    if (v.kind != JSON_TRUE && v.kind != JSON_FALSE)
        return wrong(b, BODY_MALFORMED, "\"atomic\" is true or false.");
    b->atomic = v.kind == JSON_TRUE;
    return BODY_TAKEN;
}

typedef struct {
    const char *name;
    body_status (*read)(const body_rules *rules, batch *b, json *j, json_value v);
} member;
static const member members[] = {
    {"reports", read_reports}, {"codes", read_codes},   {"fingerprint", read_fingerprint},
    {"labels", read_labels},   {"atomic", read_atomic},
};
enum { MEMBERS = sizeof members / sizeof *members };

static size_t find_member(json_value name) {
    char known[16];
    size_t i = 0;
    if (!json_unescape(known, sizeof known, name))
        return MEMBERS;
    while (i < MEMBERS && strcmp(members[i].name, known) != 0)
        i++;
    return i;
}

static body_status read_json(const body_rules *rules, batch *b, const char *bytes, size_t n) {
    json j = {bytes, n, 0};
    json_value name;
    bool seen[MEMBERS] = {false};
    if (json_read(&j).kind != JSON_OBJECT)
        return wrong(b, BODY_MALFORMED, "The body is a JSON object, such as {\"reports\": [34.2, -11.9]}.");
    for (bool first = true; json_next_member(&j, first, &name); first = false) {
        const size_t i = find_member(name);
        if (i == MEMBERS || seen[i])
            return wrong(b, BODY_MALFORMED,
                         "The body has each of reports, codes, fingerprint, labels and atomic at "
                         "most once, and nothing else.");
        seen[i] = true;
        const body_status status = members[i].read(rules, b, &j, json_read(&j));
        if (status != BODY_TAKEN)
            return status;
    }
    return json_ended(&j) ? BODY_TAKEN : not_json(b);
}

/* ---- NDJSON ---- */

/* Is the value {"report": x} or {"code": x}? Then it is replaced by x, and add by what adds it. */
static bool is_wrapped(json *j, json_value *v, adder **add) {
    json_value name;
    if (!json_next_member(j, true, &name))
        return false;
    const bool report = name.n == 6 && memcmp(name.bytes, "report", 6) == 0;
    const bool code = name.n == 4 && memcmp(name.bytes, "code", 4) == 0;
    *v = json_read(j);
    *add = code ? add_code_value : add_report_value;
    return (report || code) && json_skip(j, *v) && !json_next_member(j, false, &name) && !json_is_wrong(j);
}

/* A line that is no report is refused and counted, like a report that cannot be one. */
static body_status read_line(const body_rules *rules, batch *b, const char *bytes, size_t n) {
    json j = {bytes, n, 0};
    adder *add = add_report_value;
    if (json_ended(&j))
        return BODY_TAKEN; /* an empty line */
    json_value v = json_read(&j);
    if (v.kind == JSON_OBJECT && !is_wrapped(&j, &v, &add))
        return add_not_number(rules, b);
    return v.kind == JSON_NUMBER && json_ended(&j) ? add(rules, b, v) : add_not_number(rules, b);
}

static body_status read_ndjson(const body_rules *rules, batch *b, const char *bytes, size_t n) {
    for (size_t at = 0; at < n;) {
        const char *end = memchr(bytes + at, '\n', n - at);
        const size_t length = end == NULL ? n - at : (size_t)(end - (bytes + at));
        const body_status status = read_line(rules, b, bytes + at, length);
        if (status != BODY_TAKEN)
            return status;
        at += length + 1;
    }
    return BODY_TAKEN;
}

/* ---- Codes ---- */

static body_status read_code_bytes(const body_rules *rules, batch *b, const char *bytes, size_t n) {
    const size_t width = podium_code_bytes(rules->collection), count = n / width;
    if (n % width != 0)
        return wrong(b, BODY_MALFORMED,
                     "A code of this collection has %zu bytes, and the body is not a whole number of them.", width);
    if (count > rules->reports_max)
        return wrong(b, BODY_TOO_MANY, "A batch has at most %zu reports; send the rest in another one.",
                     rules->reports_max);
    b->cells = malloc((count + 1) * sizeof *b->cells);
    if (b->cells == NULL)
        return wrong(b, BODY_OUT_OF_MEMORY, "There is no memory for this batch.");
    for (size_t i = 0; i < count; i++) {
        uint32_t cell = 0;
        for (size_t k = 0; k < width; k++)
            cell |= (uint32_t)(unsigned char)bytes[i * width + k] << 8 * k;
        b->cells[i] = cell; /* the aggregate refuses what is not a cell, and counts it */
    }
    b->cells_n = count;
    return BODY_TAKEN;
}

/* ---- All formats ---- */

body_status body_read(const body_rules *rules, body_format format, batch *b, const char *bytes, size_t n) {
    static body_status (*const readers[BODY_FORMATS])(const body_rules *, batch *, const char *, size_t) = {
        [BODY_JSON] = read_json,
        [BODY_NDJSON] = read_ndjson,
        [BODY_CODES] = read_code_bytes,
    };
    return readers[format](rules, b, bytes, n);
}

/* ---- gzip ---- */

/* Inflates into a buffer that doubles, so that a small body takes little memory. */
static body_status inflate_all(z_stream *z, char **plain, size_t *plain_n, size_t most) {
    size_t capacity = 4096;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        if (z->total_out == capacity)
            capacity *= 2;
        char *grown = z->total_out > most ? NULL : realloc(*plain, capacity);
        if (grown == NULL)
            return z->total_out > most ? BODY_TOO_LARGE : BODY_OUT_OF_MEMORY;
        *plain = grown;
        z->next_out = (unsigned char *)grown + z->total_out;
        z->avail_out = (uInt)(capacity - z->total_out);
        status = inflate(z, Z_NO_FLUSH);
        if ((status != Z_OK && status != Z_STREAM_END) || (status == Z_OK && z->avail_out > 0 && z->avail_in == 0))
            return BODY_MALFORMED;
    }
    *plain_n = z->total_out;
    return z->avail_in > 0 ? BODY_MALFORMED : *plain_n > most ? BODY_TOO_LARGE : BODY_TAKEN;
}

body_status body_gunzip(char **plain, size_t *plain_n, const char *bytes, size_t n, size_t most) {
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes, .avail_in = (uInt)n};
    enum { GZIP_ONLY = 16 + MAX_WBITS };
    *plain = NULL;
    if (n > UINT32_MAX)
        return BODY_TOO_LARGE;
    if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
        return BODY_OUT_OF_MEMORY;
    const body_status status = inflate_all(&z, plain, plain_n, most);
    inflateEnd(&z);
    if (status != BODY_TAKEN) {
        free(*plain);
        *plain = NULL;
    }
    return status;
}
