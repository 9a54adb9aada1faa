/*
 * Add: the part of add.c that several reports go through at a time if the processor can. The sums are the same, to the
 * bit, as those of add.c; tests/unit/aggregate compares them.
 */
#ifndef PODIUM_ADD_H
#define PODIUM_ADD_H

#include "analysis/analysis.h"

/* A report is first + spacing * worth. Its worth is therefore floor(t), where t = (report - first)/spacing + 1/2, if
   0 < t < end, and otherwise the collection cannot have produced the report. Multiplying by 1/spacing instead of
   dividing moves t by less than 2^-18, because worths are below 2^32, so a device's report still has its own worth. */
typedef struct podium_ruler {
    double first, per_spacing;
    double end; /* the largest worth + 1 */
} podium_ruler;

/* Stands for the worth of a report that has none. */
#define PODIUM_NO_WORTH ((uint64_t)1 << 32)

/* What a block of reports adds to the sums. Squares are added up in two halves, low + 2^32 high, so that nothing
   overflows with fewer than 2^32 reports. */
typedef struct podium_tally {
    uint64_t count, sum;
    uint64_t squares_low, squares_high;
} podium_tally;

/* add_avx2.c: both return how many reports they have done, beginning with the first, and the caller does the rest.
   The first writes worths, or PODIUM_NO_WORTH. The second is for cells that are worth their numbers; it adds to the
   tally, and writes the bin of each report, which is 0 for a report that has no worth. */
size_t podium_vector_worths(const podium_ruler *ruler, uint64_t *worths, const double *reports, size_t n);
size_t podium_vector_tally(const podium_ruler *ruler, podium_tally *tally, uint64_t *bins, uint32_t bin_bits,
                           const double *reports, size_t n);

#endif
