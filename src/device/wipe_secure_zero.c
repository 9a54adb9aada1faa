/* Wipes by SecureZeroMemory. */
#include "device/backend.h"

#if PODIUM_WIPE == PODIUM_WIPE_SECURE_ZERO

#include <windows.h>

void podium_wipe(void *memory, size_t n) {
    SecureZeroMemory(memory, n);
}

#endif
