/* All of string.h that the device's half may use. */
#ifndef FREESTANDING_STRING_H
#define FREESTANDING_STRING_H

#include <stddef.h>

int memcmp(const void *a, const void *b, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *memory, int byte, size_t n);
size_t strlen(const char *text);

#endif
