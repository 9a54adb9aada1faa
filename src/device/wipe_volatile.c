/* Wipes by memset. A compiler would optimise that away if nothing reads the memory afterwards, but since the pointer
   to memset is volatile, it cannot know which function is called. */
#include "device/backend.h"

#if PODIUM_WIPE == PODIUM_WIPE_VOLATILE

#include <string.h>

static void *(*const volatile set)(void *, int, size_t) = memset;

void podium_wipe(void *memory, size_t n) {
    set(memory, 0, n);
}

#endif
