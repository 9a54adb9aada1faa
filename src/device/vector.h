/*
 * Vector: privatises several values at a time if the processor can. The cells and reports are the same, to the bit, as
 * those of privatize.c and draw.c, except that in an unusual rounding mode a place may be the neighbouring one.
 * tests/unit/vector compares them. The code is in vector_lanes.h. Each instruction set has a file of its own, which
 * says how vector_lanes.h uses its registers, and vector.c chooses among them.
 */
#ifndef PODIUM_VECTOR_H
#define PODIUM_VECTOR_H

#include "collection/layout.h"

/* n values, their halves of words, and where to write their cells or their reports. One of cells and reports is
   NULL. */
typedef struct podium_block {
    const double *values;
    const uint32_t *halves;   /* in the order of podium_draw, with a stride of n */
    const uint32_t *rounding; /* as podium_places reads them */
    uint32_t *cells;
    double *reports;     /* may be the same array as values */
    const double *table; /* the reports of all cells, or NULL if they are computed */
    size_t n;
} podium_block;

/* Both return how many they have done, beginning with the first; the caller does the rest. They return 0 if the
   processor has no instruction set that is used here. */
size_t podium_vector_privatize(const podium_layout *c, const podium_block *block);
size_t podium_vector_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n);

/* vector_avx2.c or vector_neon.c: the same for a processor that has the instruction set */
#if PODIUM_HAS_AVX2
size_t podium_avx2_privatize(const podium_layout *c, const podium_block *block);
size_t podium_avx2_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n);
#elif PODIUM_HAS_NEON
size_t podium_neon_privatize(const podium_layout *c, const podium_block *block);
size_t podium_neon_reports(const podium_layout *c, double *reports, const uint32_t *cells, size_t n);
#endif

#endif
