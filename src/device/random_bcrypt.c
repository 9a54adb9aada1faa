/* Random bytes from BCryptGenRandom. Programs must link bcrypt. */
#include "device/backend.h"

#if PODIUM_RANDOM == PODIUM_RANDOM_BCRYPT

#include <windows.h>
#include <bcrypt.h>

#define ONE_CALL_MAX ((size_t)1 << 30) /* bytes; a ULONG has 32 bits, and a size_t may have more */

size_t podium_system_fill(void *context, void *buffer, size_t n) {
    (void)context;
    size_t done = 0;
    while (done < n) {
        size_t part = n - done < ONE_CALL_MAX ? n - done : ONE_CALL_MAX;
        if (BCryptGenRandom(NULL, (PUCHAR)buffer + done, (ULONG)part, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0)
            return done;
        done += part;
    }
    return done;
}

const podium_random podium_system_source = {.fill = podium_system_fill};

#endif
