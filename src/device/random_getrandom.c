/* Random bytes from getrandom(2), which waits until the kernel has gathered entropy. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif
#include "device/backend.h"

#if PODIUM_RANDOM == PODIUM_RANDOM_GETRANDOM

#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

/* A signal can interrupt getrandom before it has written all bytes, so it is called until all are there. */
size_t podium_system_fill(void *context, void *buffer, size_t n) {
    (void)context;
    size_t done = 0;
    while (done < n) {
        ssize_t got = getrandom((unsigned char *)buffer + done, n - done, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return done;
        done += (size_t)got;
    }
    return done;
}

const podium_random podium_system_source = {.fill = podium_system_fill};

#endif
