/* Random bytes from arc4random_buf. It cannot fail, because a system without entropy ends the program. If it keeps
   its own generator, that is reseeded after a fork. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif
#include "device/backend.h"

#if PODIUM_RANDOM == PODIUM_RANDOM_ARC4RANDOM

#include <stdlib.h>

size_t podium_system_fill(void *context, void *buffer, size_t n) {
    (void)context;
    arc4random_buf(buffer, n);
    return n;
}

const podium_random podium_system_source = {.fill = podium_system_fill};

#endif
