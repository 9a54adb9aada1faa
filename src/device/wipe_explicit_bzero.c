/* Wipes by explicit_bzero. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif
#include "device/backend.h"

#if PODIUM_WIPE == PODIUM_WIPE_EXPLICIT_BZERO

#include <string.h>

void podium_wipe(void *memory, size_t n) {
    explicit_bzero(memory, n);
}

#endif
