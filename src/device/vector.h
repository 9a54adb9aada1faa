/* Vector: privatizing eight values at a time, where the processor has AVX2. The same cells and reports, to the bit, as
   privatize.c and draw.c give (in another rounding mode than the usual one, a place may be the next one): tests/unit/
   vector compares. */
#ifndef PODIUM_VECTOR_H
#define PODIUM_VECTOR_H

#include "collection/internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && PODIUM_WORD_BITS == 64 && !defined(PODIUM_WITHOUT_VECTORS)
#define PODIUM_HAS_VECTORS 1
#else
#define PODIUM_HAS_VECTORS 0
#endif

/* n values, their halves of words, and where their cells go, or their reports: the other is NULL. */
typedef struct podium_block {
    const double *values;
    const uint32_t *halves;   /* as podium_draw wants them, with a stride of n */
    const uint32_t *rounding; /* as podium_places wants them */
    uint32_t *cells;
    double *reports;     /* may be the values */
    const double *table; /* of every cell's report, where they are few and looked up; or NULL */
    size_t n;
} podium_block;

/* Both tell how many they have done, from the first on; the rest is the caller's. 0 where there is no AVX2. */
size_t podium_vector_privatize(const podium_collection *collection, const podium_block *block);
size_t podium_vector_reports(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n);

#endif
