/* The device's half: collections, privatising, codes. */
#include "core.h"

#include <string.h>

page shared;
uint32_t cells[PAGE_VALUES];
podium_collection collection;
static podium_error error;

EXPORT(page) void *page_address(void) {
    return &shared;
}

EXPORT(cells) void *cells_address(void) {
    return cells;
}

EXPORT(collection) void *collection_address(void) {
    return &collection;
}

/* ---- Words ---- */

EXPORT(version) const char *version(void) {
    return podium_version();
}

EXPORT(message) const char *message(podium_status status) {
    return podium_status_message(status);
}

/* What is wrong with the text that was parsed last */
EXPORT(errorField) const char *error_field(void) {
    return error.field;
}

EXPORT(errorLine) uint32_t error_line(void) {
    return error.line;
}

EXPORT(errorColumn) uint32_t error_column(void) {
    return error.column;
}

EXPORT(mechanismCount) size_t mechanism_count(void) {
    return podium_mechanism_count();
}

EXPORT(mechanismName) const char *mechanism_name(podium_mechanism mechanism) {
    return podium_mechanism_name(mechanism);
}

/* "" if there is none */
EXPORT(mechanismParameter) const char *mechanism_parameter(podium_mechanism mechanism) {
    const char *parameter = podium_mechanism_parameter(mechanism);
    return parameter == NULL ? "" : parameter;
}

/* ---- Collections ---- */

/* Parses the line of n bytes in the page. */
EXPORT(parse) podium_status parse(size_t n) {
    podium_spec spec;
    podium_status status = podium_spec_parse(&spec, &error, shared.text, n);
    if (status != PODIUM_OK)
        return status;
    error = (podium_error){.status = status};
    return podium_collection_init(&collection, &spec);
}

/* Writes the spec's line into the page, and returns its length. */
EXPORT(line) size_t line(void) {
    const podium_spec spec = podium_collection_spec(&collection);
    return podium_spec_format(&spec, shared.text, sizeof shared.text);
}

/* Writes what the collection says of itself into the page, in the order of FACTS in collection.js. */
EXPORT(facts) void facts(void) {
    const podium_spec spec = podium_collection_spec(&collection);
    const uint64_t fingerprint = podium_collection_fingerprint(&collection);
    const double all[] = {spec.mechanism,
                          spec.epsilon,
                          spec.min,
                          spec.max,
                          spec.spread,
                          spec.cells,
                          (double)(fingerprint >> 32),
                          (double)(uint32_t)fingerprint,
                          (double)podium_collection_cells(&collection),
                          podium_collection_least(&collection),
                          podium_collection_most(&collection),
                          (double)podium_code_bytes(&collection)};
    memcpy(shared.numbers, all, sizeof all);
}

/* ---- Privatising ---- */

EXPORT(hasNaN) bool has_nan(size_t n) {
    bool has = false;
    for (size_t i = 0; i < n; i++)
        has |= shared.numbers[i] != shared.numbers[i];
    return has;
}

/* Replaces n values in the page by their reports. */
EXPORT(privatize) podium_status privatize(size_t n) {
    return podium_privatize(&collection, shared.numbers, shared.numbers, n);
}

/* Draws cells for the n values in the page. The caller wipes the values. */
EXPORT(privatizeCells) podium_status privatize_cells(size_t n) {
    return podium_privatize_cells(&collection, NULL, cells, shared.numbers, n);
}

/* ---- Cells as reports, and as codes ---- */

/* Writes the reports of n cells into the page. */
EXPORT(reports) podium_status reports(size_t n) {
    return podium_collection_reports(&collection, shared.numbers, cells, n);
}

/* Writes the codes of n cells into the page. */
EXPORT(encodeCodes) podium_status encode_codes(size_t n) {
    return podium_codes_encode(&collection, shared.bytes, sizeof shared.bytes, cells, n);
}

/* Reads the cells of n bytes of codes in the page. */
EXPORT(decodeCodes) podium_status decode_codes(size_t n) {
    return podium_codes_decode(&collection, cells, PAGE_VALUES, shared.bytes, n);
}
