/* Random bytes of the host from WASI's random_get, which writes all bytes or returns an error. */
#include "device/backend.h"

#if PODIUM_RANDOM == PODIUM_RANDOM_WASI

#include <wasi/api.h>

size_t podium_system_fill(void *context, void *buffer, size_t n) {
    (void)context;
    return __wasi_random_get(buffer, n) == __WASI_ERRNO_SUCCESS ? n : 0;
}

const podium_random podium_system_source = {.fill = podium_system_fill};

#endif
