/* Fuzzing aggregates: any bytes and any text are either rejected, or they are exactly what the decoded aggregate is
   encoded as. */
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool condition) {
    if (!condition)
        abort();
}

static void try_bytes(const uint8_t *data, size_t n) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    static podium_aggregate aggregate;
    const podium_collection *collection = collection_of_aggregate(data, n);
    static podium_summary summary;
    static const podium_question question = {.interval = PODIUM_INTERVAL_GUARANTEED};
    if (podium_aggregate_decode(collection, &aggregate, data, n) != PODIUM_OK)
        return;
    require(podium_aggregate_encode(&aggregate, bytes, sizeof bytes) == n && memcmp(bytes, data, n) == 0);
    /* an accepted aggregate can be summarised */
    require(podium_summary_make(collection, NULL, &summary, &aggregate, &question) == PODIUM_OK);
    require(summary.mean_known ==
            (podium_aggregate_count(&aggregate) < 2 ? PODIUM_KNOWN_TOO_FEW : PODIUM_KNOWN_ESTIMATED));
    if (summary.mean_known == PODIUM_KNOWN_ESTIMATED)
        require(summary.lower <= summary.upper && summary.standard_error >= 0);
}

static void try_text(const char *text, size_t n) {
    static char again[PODIUM_AGGREGATE_TEXT_MAX];
    static podium_aggregate aggregate;
    if (podium_aggregate_parse(collection_of_aggregate(text, n), &aggregate, text, n) == PODIUM_OK)
        require(podium_aggregate_format(&aggregate, again, sizeof again) == n && memcmp(again, text, n) == 0);
}

/* The bytes are also tried as text, both unchanged and in hexadecimal, so that what the fuzzer learns of one format
   helps with the other. */
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
