/* As much of Windows as src/device asks for, so that its files run here. tests/devices/backends.sh compiles them with
   the real headers. */
#ifndef STUB_WINDOWS_H
#define STUB_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t LONG;
typedef uint32_t ULONG;
typedef unsigned char *PUCHAR;

void *SecureZeroMemory(void *memory, size_t n);

#endif
