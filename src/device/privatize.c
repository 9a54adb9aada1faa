/*
 * Privatize: value -> place -> cell -> report. The only code that sees a private value.
 *
 * Whatever happens to a value before it is a place is preprocessing, and whatever happens to a cell is
 * post-processing: floating point there can cost accuracy, never privacy (docs/proof.md). Time must not depend on
 * a value either, so there is no branch on one, and no arithmetic on numbers so small that some processors slow down.
 */
#include "collection/internal.h"
#include "device/mask.h"
#include "device/vector.h"

#include <math.h>
#include <string.h>

/* Halves of words are made, used and wiped so many at a time: 8 KiB on the stack, which stay in the first-level cache
   beside the values and the reports of a block. (Twice as many make arrays slower by a tenth.) */
#define BLOCK_HALVES 2048
#define BLOCK_VALUES (BLOCK_HALVES / 4) /* or fewer; a multiple of 8, so that vectors come out even */

_Static_assert(9 + 2 * PODIUM_COINS_MAX <= BLOCK_HALVES / 32, "a block of halves is too small");

/*
 * A value as a double that arithmetic handles like any other. Beyond 2^470, infinities included, it counts as 2^470,
 * more than any bound; below 2^-512 as 0, less than any bound can tell (PODIUM_BOUND_MAX and _MIN); NaN as 0 for now.
 * So no sum or product overflows, is subnormal or invalid: that would show in the floating-point status, and on some
 * processors in time.
 */
static inline double tame(uint64_t sign, uint64_t size, uint64_t is_nan) {
    uint64_t big_enough = mask_if(size >= podium_bits_of(0x1p-512));
    uint64_t tamed = mask_smaller(size, podium_bits_of(0x1p470)) & big_enough & ~is_nan;
    return podium_double_of(sign | tamed);
}

/* Values are put at their places so many at a time, in lanes that a compiler can keep in vector registers; lanes that
   are left over do what the first one does. */
#define CHUNK 64
#define LANES 8

static inline double size_of(double x) {
    return podium_double_of(podium_bits_of(x) & (UINT64_MAX >> 1));
}

/* The larger of two doubles that are not negative: those are in the order of their bits. No compiler makes a jump of a
   subtraction. */
static inline double larger(double a, double b) {
    uint64_t from = podium_bits_of(a), to = podium_bits_of(b), lead = from - to;
    return podium_double_of(to + (lead & ((lead >> 63) - 1)));
}

/* From distances to offsets from the middle place, in units of 2^-fraction_bits places. A ramp is slope max(x - knot,
   0), which is slope max(x, knot) but for a constant: the sum for a distance of 0. By rounding an offset may be below
   0, a hair. */
static void offsets(const podium_collection *collection, double *distances, size_t n) {
    const double none = podium_ramps_of_none(collection);
    for (size_t from = 0; from < n; from += LANES) {
        double sums[LANES] = {0};
        for (uint32_t k = 0; k < collection->knot_count; k++) {
            const double knot = collection->knots[k], slope = collection->slopes[k];
            for (size_t i = 0; i < LANES; i++)
                sums[i] += larger(distances[from + i], knot) * slope;
        }
        for (size_t i = 0; i < LANES; i++)
            distances[from + i] = sums[i] - none;
    }
}

/* How far the value is from the middle, by its bits; NaN has no distance from it. */
static inline uint64_t centred_bits(const podium_collection *collection, double value) {
    uint64_t bits = podium_bits_of(value), size = bits & (UINT64_MAX >> 1);
    uint64_t is_nan = mask_if(size > podium_bits_of(INFINITY));
    return podium_bits_of(tame(bits ^ size, size, is_nan) - collection->middle) & ~is_nan;
}

/* The place in units of 2^-fraction_bits, from 0 to 2 half (one more in some rounding modes). */
static inline uint64_t fixed_place(double distance, uint64_t sign, double half) {
    uint64_t offset = podium_bits_of(size_of(distance));
    offset = mask_select(mask_if(podium_double_of(offset) < half), offset, podium_bits_of(half));
    /* Adding 2^52 leaves the integer, rounded, in the low bits. */
    return podium_bits_of(half + podium_double_of(sign | offset) + 0x1p52) & (UINT64_MAX >> 12);
}

static void places_chunk(const podium_collection *collection, uint32_t *places, const double *values,
                         const uint32_t *rounding, size_t n) {
    const unsigned digits = collection->fraction_bits;
    const uint64_t fraction = ((uint64_t)1 << digits) - 1, last = collection->places;
    const double half = ldexp((double)last, (int)digits - 1);
    const size_t lanes = (n + LANES - 1) & ~(size_t)(LANES - 1);
    uint64_t signs[CHUNK];
    double distances[CHUNK];
    for (size_t i = 0; i < lanes; i++) {
        uint64_t centred = centred_bits(collection, values[i < n ? i : 0]);
        signs[i] = centred & ~(UINT64_MAX >> 1);
        distances[i] = podium_double_of(centred ^ signs[i]);
    }
    offsets(collection, distances, lanes);
    for (size_t i = 0; i < n; i++) {
        uint64_t coin = digits == 0 ? 0 : rounding[i] & fraction;
        uint64_t place = (fixed_place(distances[i], signs[i], half) + coin) >> digits;
        places[i] = (uint32_t)mask_smaller(place, last); /* whatever came before, 0 <= place <= last */
    }
    podium_wipe(signs, lanes * sizeof *signs);
    podium_wipe(distances, lanes * sizeof *distances);
}

void podium_places(const podium_collection *collection, uint32_t *places, const double *values,
                   const uint32_t *rounding, size_t n) {
    for (size_t done = 0; done < n; done += CHUNK)
        places_chunk(collection, places + done, values + done, collection->fraction_bits == 0 ? NULL : rounding + done,
                     n - done < CHUNK ? n - done : CHUNK);
}

/* Values from first on, CHUNK of them at the most */
static void privatize_chunk(const podium_collection *collection, const podium_block *block, size_t first) {
    uint32_t places[CHUNK], drawn[CHUNK], *cells = block->cells == NULL ? drawn : block->cells + first;
    const size_t n = block->n - first < CHUNK ? block->n - first : CHUNK;
    podium_places(collection, places, block->values + first, block->rounding + first, n);
    podium_draw(collection, cells, places, block->halves + first, block->n, n);
    podium_wipe(places, n * sizeof *places);
    if (block->reports != NULL)
        podium_collection_reports(collection, block->reports + first, cells, n);
}

static void privatize_block(const podium_collection *collection, const podium_block *block) {
    for (size_t done = podium_vector_privatize(collection, block); done < block->n; done += CHUNK)
        privatize_chunk(collection, block, done);
}

/* Minimax looks its reports up. A table of them all is faster than pieces, if there are few and it is used often. */
#define TABLE_CELLS 256

static const double *table_of(const podium_collection *collection, double table[TABLE_CELLS], size_t n) {
    uint32_t cells[TABLE_CELLS], count = 0;
    if (collection->piece_count == 0 || collection->cells > TABLE_CELLS || n < 4 * TABLE_CELLS)
        return NULL;
    for (; count < collection->cells; count++)
        cells[count] = count;
    podium_collection_reports(collection, table, cells, count);
    return table;
}

/* The cells go to cells, or as reports to reports: one of the two is NULL. */
static podium_status privatize(const podium_collection *collection, const podium_random *random, double *reports,
                               uint32_t *cells, const double *values, size_t n) {
    _Alignas(64) uint32_t halves[BLOCK_HALVES];
    double table[TABLE_CELLS];
    podium_stream stream;
    if (collection->cells == 0)
        return PODIUM_ERROR_NOT_INITIALISED;
    const size_t drawing = podium_draw_halves(collection), each = drawing + (collection->fraction_bits != 0);
    size_t most = BLOCK_VALUES;
    while (most * each > BLOCK_HALVES) /* no division, even of what is public: tests/ctime looks for any here */
        most -= 8;
    const double *reports_of_cells = reports == NULL ? NULL : table_of(collection, table, n);
    podium_status status = podium_stream_open(&stream, random, n * each * sizeof *halves);

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
            privatize_block(collection, &block);
    }
    podium_wipe(halves, (n < most ? n : most) * each * sizeof *halves);
    podium_stream_close(&stream);
    return status;
}

podium_status podium_privatize_from(const podium_collection *collection, const podium_random *random, double *reports,
                                    const double *values, size_t n) {
    podium_status status = privatize(collection, random, reports, NULL, values, n);
    for (size_t i = 0; status != PODIUM_OK && i < n; i++)
        reports[i] = NAN;
    return status;
}

podium_status podium_privatize(const podium_collection *collection, double *reports, const double *values, size_t n) {
    return podium_privatize_from(collection, NULL, reports, values, n);
}

podium_status podium_privatize_cells(const podium_collection *collection, const podium_random *random, uint32_t *cells,
                                     const double *values, size_t n) {
    podium_status status = privatize(collection, random, NULL, cells, values, n);
    for (size_t i = 0; status != PODIUM_OK && i < n; i++)
        cells[i] = 0;
    return status;
}
