/*
 * Random: fills a buffer with random bytes, or fails.
 *
 * Nothing is kept between calls, so two processes cannot get the same bytes after a fork. If a source fails, nothing
 * weaker takes its place. random_*.c has the sources; see backend.h.
 */
#include "device/backend.h"

#if !defined(PODIUM_WITH_OPENSSL) && PODIUM_RANDOM != PODIUM_RANDOM_NONE
const podium_random podium_default_source = {.fill = podium_system_fill};
#endif

const podium_random *podium_random_system(void) {
    return &podium_system_source;
}

const podium_random *podium_random_default(void) {
    return &podium_default_source;
}

podium_status podium_stream_open(podium_stream *stream, const podium_random *random, size_t bytes) {
    stream->random = random == NULL ? &podium_default_source : random;
    stream->context = NULL;
    if (stream->random->fill == NULL)
        return PODIUM_ERROR_RANDOM_FAILED;
    stream->context = stream->random->context;
    if (stream->random->open == NULL)
        return PODIUM_OK;
    stream->context = stream->random->open(stream->context, bytes);
    return stream->context == NULL ? PODIUM_ERROR_RANDOM_FAILED : PODIUM_OK;
}

/* The least significant byte of a half comes first on every machine, so that the same bytes draw the same cells. */
static void order_bytes(uint32_t *halves, size_t n) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < n; i++)
        halves[i] = halves[i] >> 24 | (halves[i] >> 8 & 0xff00) | (halves[i] & 0xff00) << 8 | halves[i] << 24;
#else
    (void)halves, (void)n;
#endif
}

podium_status podium_stream_fill(podium_stream *stream, uint32_t *halves, size_t n) {
    const size_t bytes = n * sizeof *halves;
    if (stream->random->fill(stream->context, halves, bytes) != bytes)
        return PODIUM_ERROR_RANDOM_FAILED;
    order_bytes(halves, n);
    return PODIUM_OK;
}

void podium_stream_close(podium_stream *stream) {
    if (stream->context != NULL && stream->random->open != NULL && stream->random->close != NULL)
        stream->random->close(stream->context);
}
