/* Random bytes from getentropy, which writes all bytes or none. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif
#include "device/backend.h"

#if PODIUM_RANDOM == PODIUM_RANDOM_GETENTROPY

#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#define ONE_CALL_MAX 256 /* bytes; more is an error */

size_t podium_system_fill(void *context, void *buffer, size_t n) {
    (void)context;
    size_t done = 0;
    while (done < n) {
        size_t part = n - done < ONE_CALL_MAX ? n - done : ONE_CALL_MAX;
        if (getentropy((unsigned char *)buffer + done, part) != 0)
            return done;
        done += part;
    }
    return done;
}

const podium_random podium_system_source = {.fill = podium_system_fill};

#endif
