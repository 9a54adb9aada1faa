/* Drawing reports: all that the device's module has. */
#include "core.h"

#include <string.h>

page shared;
uint32_t cells[PAGE_VALUES];
podium_collection collection;

EXPORT(page) void *page_address(void) {
    return &shared;
}

EXPORT(cells) void *cells_address(void) {
    return cells;
}

EXPORT(collection) void *collection_address(void) {
    return &collection;
}

EXPORT(collectionSize) size_t collection_size(void) {
    return sizeof collection;
}

EXPORT(version) const char *version(void) {
    return PODIUM_VERSION;
}

EXPORT(message) const char *message(podium_status status) {
    return podium_status_message(status);
}

/* Checks a collection that JavaScript has copied from a design. */
EXPORT(check) podium_status check(void) {
    return podium_collection_check(&collection);
}

/* Writes what the collection says of itself into the page, in the order of FACTS in collection.js. */
EXPORT(facts) void facts(void) {
    const podium_spec spec = podium_collection_spec(&collection);
    const uint64_t fingerprint = podium_collection_fingerprint(&collection);
    const double all[] = {spec.epsilon,
                          spec.min,
                          spec.max,
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
    return podium_privatize_from(&collection, &browser_random, shared.numbers, shared.numbers, n);
}

/* Draws cells for the n values in the page. The caller wipes the values. */
EXPORT(privatizeCells) podium_status privatize_cells(size_t n) {
    return podium_privatize_cells(&collection, &browser_random, cells, shared.numbers, n);
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
