/* WebAssembly's own instruction instead of the C library's loop: smaller, and faster. */
#include <string.h>

void *memset(void *memory, int byte, size_t n) {
    return __builtin_memset(memory, byte, n);
}
