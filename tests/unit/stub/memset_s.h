/* memset_s, which glibc does not have: see windows.h. */
#include <stddef.h>

int memset_s(void *memory, size_t size, int byte, size_t n);
