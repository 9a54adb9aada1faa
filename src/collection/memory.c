/* Memory for the solver of an output map, which is the only part of initialisation that needs more than a little
   stack. */
#include "collection/layout.h"

#ifdef PODIUM_WITHOUT_HEAP

void *podium_allocate(size_t count, size_t size) {
    (void)count, (void)size;
    return NULL;
}

void podium_release(void *memory) {
    (void)memory;
}

#else

#include <stdlib.h>

void *podium_allocate(size_t count, size_t size) {
    return calloc(count, size);
}

void podium_release(void *memory) {
    free(memory);
}

#endif
