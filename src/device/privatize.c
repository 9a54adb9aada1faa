/*
 * Privatize: value -> place -> cell -> report. This is the only code that sees a private value.
 *
 * Everything before the place is preprocessing, and everything after the cell is post-processing, so floating point in
 * those stages can cost accuracy but never privacy (docs/proof.md). The running time must not depend on a value either.
 * So there is no branch on a value, and no arithmetic on numbers so small that some processors slow down.
 */
#include "device/device.h"
#include "device/mask.h"
#include "device/vector.h"

#include <math.h>
#include <string.h>

/* Halves of words are drawn, used and wiped in blocks of this many. A block is 8 KiB on the stack, which stays in
   the first-level cache together with its values and reports. (With twice as many, arrays take a tenth longer.) */
#define BLOCK_HALVES 2048
#define BLOCK_VALUES (BLOCK_HALVES / 4) /* at most; a multiple of 8, so that no vector is partly filled */

/* A few values, and in any case a single one, use a much smaller buffer, so that they fit on small stacks. */
#define FEW_HALVES 60
#define FEW_VALUES 8

#define HALVES_MOST (9 + 2 * PODIUM_COINS_MAX) /* the most that one value takes */
_Static_assert(HALVES_MOST <= FEW_HALVES && HALVES_MOST <= BLOCK_HALVES / 32, "a block of halves is too small");

/*
 * Returns the value as a double of ordinary size. A size above 2^470, including infinity, becomes 2^470, which is
 * larger than any bound. A size below 2^-512 becomes 0, which is so much smaller than any bound (PODIUM_BOUND_MAX and
 * _MIN) that it makes no difference. NaN becomes 0 here, and centred_bits makes it the middle. So no sum or product
 * overflows, is subnormal or is invalid, which would show in the floating-point status, and on some processors in the
 * running time.
 */
static inline double tame(uint64_t sign, uint64_t size, uint64_t is_nan) {
    uint64_t big_enough = mask_if(size >= podium_bits_of(0x1p-512));
    uint64_t tamed = mask_smaller(size, podium_bits_of(0x1p470)) & big_enough & ~is_nan;
    return podium_double_of(sign | tamed);
}

/* Places are computed for a chunk of values at a time. Within a chunk a compiler can keep LANES values in vector
   registers; lanes without a value compute on zeros. */
#define CHUNK 64
#define LANES 4 /* with eight, arrays are no faster, and a single value takes 300 bytes more of stack */
_Static_assert(CHUNK % LANES == 0 && FEW_VALUES % LANES == 0, "lanes beyond the values need room");

static inline double size_of(double x) {
    return podium_double_of(podium_bits_of(x) & (UINT64_MAX >> 1));
}

/* The larger of two doubles that are not negative, which are in the order of their bits. It uses a subtraction,
   because no compiler turns that into a jump. */
static inline double larger(double a, double b) {
    uint64_t from = podium_bits_of(a), to = podium_bits_of(b), lead = from - to;
    return podium_double_of(to + (lead & ((lead >> 63) - 1)));
}

/* Replaces distances from the middle by offsets from the middle place, in units of 2^-fraction_bits places. The
   offset is the sum of the ramps slope max(x - knot, 0), and slope max(x, knot) differs from a ramp only by a
   constant. `none` is the sum of those constants. Rounding can make an offset of nearly 0 slightly negative. */
static void offsets(const podium_layout *c, double *distances, size_t n) {
    const double none = podium_ramps_of_none(c);
    for (size_t from = 0; from < n; from += LANES) {
        double sums[LANES] = {0};
        for (uint32_t k = 0; k < c->knot_count; k++) {
            const double knot = c->knots[k], slope = c->slopes[k];
            for (size_t i = 0; i < LANES; i++)
                sums[i] += larger(distances[from + i], knot) * slope;
        }
        for (size_t i = 0; i < LANES; i++)
            distances[from + i] = sums[i] - none;
    }
}

/* The bits of value - middle; 0 if the value is NaN, so that NaN counts as the middle. */
static inline uint64_t centred_bits(const podium_layout *c, double value) {
    uint64_t bits = podium_bits_of(value), size = bits & (UINT64_MAX >> 1);
    uint64_t is_nan = mask_if(size > podium_bits_of(INFINITY));
    return podium_bits_of(tame(bits ^ size, size, is_nan) - c->middle) & ~is_nan;
}

/* The place in units of 2^-fraction_bits, from 0 to 2 half. In some rounding modes it can be 2 half + 1. */
static inline uint64_t fixed_place(double distance, uint64_t sign, double half) {
    uint64_t offset = podium_bits_of(size_of(distance));
    offset = mask_select(mask_if(podium_double_of(offset) < half), offset, podium_bits_of(half));
    /* Adding 2^52 leaves the rounded integer in the low bits. */
    return podium_bits_of(half + podium_double_of(sign | offset) + 0x1p52) & (UINT64_MAX >> 12);
}

/* signs and distances must have room for n values, rounded up to a multiple of LANES. */
static PODIUM_INLINED void places_chunk(const podium_layout *c, uint32_t *places, const double *values,
                                        const uint32_t *rounding, size_t n, uint64_t *signs, double *distances) {
    const unsigned digits = c->fraction_bits;
    const uint64_t fraction = ((uint64_t)1 << digits) - 1, last = c->places;
    const double half = ldexp((double)last, (int)digits - 1);
    const size_t lanes = (n + LANES - 1) & ~(size_t)(LANES - 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t centred = centred_bits(c, values[i]);
        signs[i] = centred & ~(UINT64_MAX >> 1);
        distances[i] = podium_double_of(centred ^ signs[i]);
    }
    for (size_t i = n; i < lanes; i++)
        distances[i] = 0;
    offsets(c, distances, lanes);
    for (size_t i = 0; i < n; i++) {
        uint64_t coin = digits == 0 ? 0 : rounding[i] & fraction;
        uint64_t place = (fixed_place(distances[i], signs[i], half) + coin) >> digits;
        places[i] = (uint32_t)mask_smaller(place, last); /* makes 0 <= place <= last true for any input */
    }
    podium_wipe(signs, n * sizeof *signs);
    podium_wipe(distances, n * sizeof *distances);
}

PODIUM_NOT_INLINED static void places_of_few(const podium_layout *c, uint32_t *places, const double *values,
                                             const uint32_t *rounding, size_t n) {
    uint64_t signs[FEW_VALUES];
    double distances[FEW_VALUES];
    places_chunk(c, places, values, rounding, n, signs, distances);
}

PODIUM_NOT_INLINED static void places_of_many(const podium_layout *c, uint32_t *places, const double *values,
                                              const uint32_t *rounding, size_t n) {
    uint64_t signs[CHUNK];
    double distances[CHUNK];
    for (size_t done = 0; done < n; done += CHUNK)
        places_chunk(c, places + done, values + done, c->fraction_bits == 0 ? NULL : rounding + done,
                     n - done < CHUNK ? n - done : CHUNK, signs, distances);
}

void podium_places(const podium_layout *c, uint32_t *places, const double *values, const uint32_t *rounding, size_t n) {
    if (n <= FEW_VALUES)
        places_of_few(c, places, values, rounding, n);
    else
        places_of_many(c, places, values, rounding, n);
}

/* Privatises at most CHUNK values of the block, beginning with number first. places needs room for that many; if the
   caller did not ask for cells, they are written over the places. */
static void privatize_chunk(const podium_layout *c, const podium_block *block, size_t first, uint32_t *places) {
    uint32_t *cells = block->cells == NULL ? places : block->cells + first;
    const size_t n = block->n - first < CHUNK ? block->n - first : CHUNK;
    podium_places(c, places, block->values + first, c->fraction_bits == 0 ? NULL : block->rounding + first, n);
    podium_draw(c, cells, places, block->halves + first, block->n, n);
    if (block->reports != NULL)
        podium_reports(c, block->reports + first, cells, n);
}

static void privatize_block(const podium_layout *c, const podium_block *block) {
    uint32_t places[CHUNK];
    const size_t vectors = podium_vector_privatize(c, block), rest = block->n - vectors;
    for (size_t done = vectors; done < block->n; done += CHUNK)
        privatize_chunk(c, block, done, places);
    if (rest > 0)
        podium_wipe(places, (rest < CHUNK ? rest : CHUNK) * sizeof *places);
}

/* If there are few cells and many values, reports are looked up in a table of the reports of all cells where that is
   faster. */
#define TABLE_CELLS 256

static const double *table_of(const podium_layout *c, double table[TABLE_CELLS], size_t n) {
    uint32_t cells[TABLE_CELLS], count = 0;
    if (!podium_reports_want_table(c) || c->cells > TABLE_CELLS || n < 4 * TABLE_CELLS)
        return NULL;
    for (; count < c->cells; count++)
        cells[count] = count;
    podium_reports(c, table, cells, count);
    return table;
}

/* Compilers spill what they compute to the stack, where no name reaches it. These overwrite the stack below their
   caller, as deep as the functions that it has called go. */
PODIUM_NOT_INLINED static void clear_stack_of_few(void) {
    unsigned char below[384];
    podium_wipe(below, sizeof below);
}

PODIUM_NOT_INLINED static void clear_stack_of_many(void) {
    unsigned char below[2][1536]; /* two halves, because glibc clears from 2 KiB on in a way that starts slowly */
    podium_wipe(below[0], sizeof below[0]);
    podium_wipe(below[1], sizeof below[1]);
}

/* Both functions write either cells or reports, and the other pointer is NULL. Each value takes `each` halves of
   words. */
PODIUM_NOT_INLINED static podium_status privatize_few(const podium_layout *c, const podium_random *random,
                                                      double *reports, uint32_t *cells, const double *values, size_t n,
                                                      size_t each) {
    uint32_t halves[FEW_HALVES], places[FEW_VALUES];
    const size_t drawing = each - (c->fraction_bits != 0);
    const podium_block block = {.values = values,
                                .halves = halves,
                                .rounding = halves + drawing * n,
                                .cells = cells,
                                .reports = reports,
                                .n = n};
    podium_stream stream;
    podium_status status = podium_stream_open(&stream, random, n * each * sizeof *halves);
    if (status == PODIUM_OK)
        status = podium_stream_fill(&stream, halves, n * each);
    if (status == PODIUM_OK)
        privatize_chunk(c, &block, 0, places);
    podium_wipe(halves, n * each * sizeof *halves);
    podium_wipe(places, n * sizeof *places);
    clear_stack_of_few();
    podium_stream_close(&stream);
    return status;
}

PODIUM_NOT_INLINED static podium_status privatize_many(const podium_layout *c, const podium_random *random,
                                                       double *reports, uint32_t *cells, const double *values, size_t n,
                                                       size_t each) {
    _Alignas(64) uint32_t halves[BLOCK_HALVES];
    double table[TABLE_CELLS];
    podium_stream stream;
    const size_t drawing = each - (c->fraction_bits != 0);
    size_t most = BLOCK_VALUES;
    while (most * each > BLOCK_HALVES) /* no division, because tests/ctime rejects any */
        most -= 8;
    const double *reports_of_cells = reports == NULL ? NULL : table_of(c, table, n);
    const size_t all = n > SIZE_MAX / (HALVES_MOST * sizeof *halves) ? SIZE_MAX : n * each * sizeof *halves;
    podium_status status = podium_stream_open(&stream, random, all);

    for (size_t done = 0; status == PODIUM_OK && done < n; done += most) {
        const size_t now = n - done < most ? n - done : most;
        const podium_block block = {.values = values + done,
                                    .halves = halves,
                                    .rounding = halves + drawing * now,
                                    .cells = cells == NULL ? NULL : cells + done,
                                    .reports = reports == NULL ? NULL : reports + done,
                                    .table = reports_of_cells,
                                    .n = now};
        status = podium_stream_fill(&stream, halves, now * each);
        if (status == PODIUM_OK)
            privatize_block(c, &block);
    }
    podium_wipe(halves, (n < most ? n : most) * each * sizeof *halves);
    clear_stack_of_many();
    podium_stream_close(&stream);
    return status;
}

static podium_status privatize(const podium_layout *c, const podium_random *random, double *reports, uint32_t *cells,
                               const double *values, size_t n) {
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    const size_t each = podium_draw_halves(c) + (c->fraction_bits != 0);
    return n <= FEW_VALUES && n * each <= FEW_HALVES ? privatize_few(c, random, reports, cells, values, n, each)
                                                     : privatize_many(c, random, reports, cells, values, n, each);
}

podium_status podium_privatize_from(const podium_collection *collection, const podium_random *random, double *reports,
                                    const double *values, size_t n) {
    podium_status status = privatize(podium_layout_of(collection), random, reports, NULL, values, n);
    for (size_t i = 0; status != PODIUM_OK && i < n; i++)
        reports[i] = NAN;
    return status;
}

podium_status podium_privatize(const podium_collection *collection, double *reports, const double *values, size_t n) {
    return podium_privatize_from(collection, NULL, reports, values, n);
}

podium_status podium_privatize_cells(const podium_collection *collection, const podium_random *random, uint32_t *cells,
                                     const double *values, size_t n) {
    podium_status status = privatize(podium_layout_of(collection), random, NULL, cells, values, n);
    for (size_t i = 0; status != PODIUM_OK && i < n; i++)
        cells[i] = 0;
    return status;
}
