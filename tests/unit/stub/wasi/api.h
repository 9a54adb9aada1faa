/* As much of WASI as src/device asks for: see ../windows.h. */
#include <stddef.h>
#include <stdint.h>

#define __WASI_ERRNO_SUCCESS 0

uint16_t __wasi_random_get(uint8_t *buffer, size_t n);
