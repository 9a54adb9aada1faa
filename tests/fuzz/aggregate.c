/* Any bytes, and any text, as an aggregate: refused, or exactly what the aggregate that they give is written as. */
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool condition) {
    if (!condition)
        abort();
}

static void try_bytes(const uint8_t *data, size_t n) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    static podium_aggregate aggregate;
    const podium_collection *collection = collection_of_state(data, n);
    podium_estimate estimate;
    if (podium_aggregate_decode(&aggregate, collection, data, n) != PODIUM_OK)
        return;
    require(podium_aggregate_encode(&aggregate, bytes) == n && memcmp(bytes, data, n) == 0);
    /* and what is accepted can be worked with */
    if (podium_estimate_make(&estimate, collection, &aggregate, PODIUM_INTERVAL_GUARANTEED, 0.95) == PODIUM_OK)
        require(estimate.lower <= estimate.upper && estimate.standard_error >= 0);
}

static void try_text(const char *text, size_t n) {
    static char again[PODIUM_AGGREGATE_TEXT_MAX];
    static podium_aggregate aggregate;
    if (podium_aggregate_read(&aggregate, collection_of_state(text, n), text, n) == PODIUM_OK)
        require(podium_aggregate_write(&aggregate, again) == n && memcmp(again, text, n) == 0);
}

/* As text the bytes are tried both as they are and in hexadecimal, so that what is learnt of one serves the other. */
static void try_hexadecimal(const uint8_t *data, size_t n) {
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    size_t at = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    if (n > PODIUM_AGGREGATE_BYTES_MAX)
        return;
    memcpy(text, PODIUM_AGGREGATE_PREFIX, at);
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, 3, "%02x", data[i]);
    try_text(text, at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    try_bytes(data, n);
    try_text((const char *)data, n);
    try_hexadecimal(data, n);
    return 0;
}
