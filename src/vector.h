/* Vector: the hot loops four values at a time, where the processor has AVX2. The same cells, to the bit, as draw.c and
   privatize.c give: tests/unit/vector compares. */
#ifndef PODIUM_VECTOR_H
#define PODIUM_VECTOR_H

#include "internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && PODIUM_WORD_BITS == 64 && !defined(PODIUM_WITHOUT_VECTORS)
#define PODIUM_HAS_VECTORS 1
#else
#define PODIUM_HAS_VECTORS 0
#endif

/* So many of n are done in vectors, a multiple of 4; the rest is the caller's. 0 where there is no AVX2. */
size_t podium_vector_count(size_t n);

/* As their namesakes, for n a multiple of 4 */
void podium_vector_places(const podium_collection *collection, uint32_t *places, const double *values,
                          const uint64_t *rounding, size_t n);
void podium_vector_step(const podium_collection *collection, uint32_t *cells, const uint32_t *places,
                        const uint64_t *select, const uint64_t *position, size_t n);
/* Reports of cells: on a straight line, or by pieces */
void podium_vector_reports(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n);
void podium_vector_pieces(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n);

#endif
