/* Wipes by memset_s of C11's Annex K, which a compiler may not optimise away. */
#define __STDC_WANT_LIB_EXT1__ 1
#include "device/backend.h"

#if PODIUM_WIPE == PODIUM_WIPE_MEMSET_S

#include <string.h>

void podium_wipe(void *memory, size_t n) {
    memset_s(memory, n, 0, n);
}

#endif
