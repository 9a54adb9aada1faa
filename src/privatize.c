/*
 * Privatize: value -> place -> cell -> report. The only code that sees a private value.
 *
 * Whatever happens to a value before it is a place is preprocessing, and whatever happens to a cell is
 * post-processing: floating point there can cost accuracy, never privacy (docs/proof.md). Time must not depend on
 * a value either, so there is no branch on one, and no arithmetic on numbers so small that some processors slow down.
 */
#include "internal.h"
#include "mask.h"
#include "vector.h"

#include <math.h>
#include <string.h>

/* Words are made, used and wiped this many at a time: 8 KiB on the stack, which stays in the first-level cache. */
#define BLOCK_WORDS 1024
#define BLOCK_VALUES (BLOCK_WORDS / 2) /* at two words a value, the fewest */

_Static_assert(4 + PODIUM_COINS_MAX <= BLOCK_WORDS, "a block of words is too small");

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

/* From distances to twice their offsets from the middle place, in units of 2^-fraction_bits places: twice a ramp is
   x + |x|, which no compiler makes a jump of. By rounding a sum may be below 0, a hair. */
static void double_offsets(const podium_collection *collection, double *distances, size_t n) {
    for (size_t from = 0; from < n; from += LANES) {
        double twice[LANES] = {0};
        for (uint32_t k = 0; k < collection->knot_count; k++) {
            const double knot = collection->knots[k], slope = collection->slopes[k];
            for (size_t i = 0; i < LANES; i++) {
                double beyond = distances[from + i] - knot;
                twice[i] += (beyond + size_of(beyond)) * slope;
            }
        }
        memcpy(distances + from, twice, sizeof twice);
    }
}

/* How far the value is from the middle, by its bits; NaN has no distance from it. */
static inline uint64_t centred_bits(const podium_collection *collection, double value) {
    uint64_t bits = podium_bits_of(value), size = bits & (UINT64_MAX >> 1);
    uint64_t is_nan = mask_if(size > podium_bits_of(INFINITY));
    return podium_bits_of(tame(bits ^ size, size, is_nan) - collection->middle) & ~is_nan;
}

/* The place in units of 2^-fraction_bits, from 0 to 2 half (one more in some rounding modes), given twice the offset.
 */
static inline uint64_t fixed_place(double twice, uint64_t sign, double half) {
    uint64_t offset = podium_bits_of(size_of(twice) * 0.5);
    offset = mask_select(mask_if(podium_double_of(offset) < half), offset, podium_bits_of(half));
    /* Adding 2^52 leaves the integer, rounded, in the low bits. */
    return podium_bits_of(half + podium_double_of(sign | offset) + 0x1p52) & (UINT64_MAX >> 12);
}

static void places_chunk(const podium_collection *collection, uint32_t *places, const double *values,
                         const uint64_t *rounding, size_t n) {
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
    double_offsets(collection, distances, lanes);
    for (size_t i = 0; i < n; i++) {
        uint64_t coin = digits == 0 ? 0 : rounding[i] & fraction;
        uint64_t place = (fixed_place(distances[i], signs[i], half) + coin) >> digits;
        places[i] = (uint32_t)mask_smaller(place, last); /* whatever came before, 0 <= place <= last */
    }
    podium_wipe(signs, lanes * sizeof *signs);
    podium_wipe(distances, lanes * sizeof *distances);
}

void podium_places(const podium_collection *collection, uint32_t *places, const double *values,
                   const uint64_t *rounding, size_t n) {
    const size_t vectors = podium_vector_count(n);
    podium_vector_places(collection, places, values, rounding, vectors);
    for (size_t done = vectors; done < n; done += CHUNK)
        places_chunk(collection, places + done, values + done, collection->fraction_bits == 0 ? NULL : rounding + done,
                     n - done < CHUNK ? n - done : CHUNK);
}

/* The words of a draw, and one to round the place by where that has none to share */
static size_t words_each(const podium_collection *collection) {
    bool own = collection->fraction_bits != 0 && !podium_select_rounds(collection);
    return podium_draw_words(collection) + own;
}

/* One block: n values, their words and, on success, their cells. */
static podium_status privatize_block(const podium_collection *collection, podium_stream *stream, uint64_t *words,
                                     uint32_t *cells, const double *values, size_t n) {
    uint32_t places[BLOCK_VALUES];
    const uint64_t *rounding = podium_select_rounds(collection) ? words : words + n * podium_draw_words(collection);
    podium_status status = podium_stream_fill(stream, words, n * words_each(collection));
    if (status != PODIUM_OK)
        return status;
    podium_places(collection, places, values, rounding, n);
    podium_draw(collection, cells, places, words, n);
    podium_wipe(places, n * sizeof *places);
    return PODIUM_OK;
}

/* The cells go to cells, or as reports to reports: one of the two is NULL. */
static podium_status privatize(const podium_collection *collection, const podium_random *random, double *reports,
                               uint32_t *cells, const double *values, size_t n) {
    uint64_t words[BLOCK_WORDS];
    uint32_t drawn[BLOCK_VALUES];
    podium_stream stream;
    if (collection->cells == 0)
        return PODIUM_NOT_INITIALISED;
    const size_t each = words_each(collection);
    size_t block = BLOCK_VALUES;
    while (block * each > BLOCK_WORDS) /* no division, even of what is public: tests/ctime looks for any here */
        block >>= 1;
    podium_status status = podium_stream_open(&stream, random, n * each * sizeof *words);

    for (size_t done = 0; status == PODIUM_OK && done < n; done += block) {
        size_t now = n - done < block ? n - done : block;
        uint32_t *out = cells == NULL ? drawn : cells + done;
        status = privatize_block(collection, &stream, words, out, values + done, now);
        if (status == PODIUM_OK && reports != NULL)
            podium_collection_reports(collection, reports + done, out, now);
    }
    podium_wipe(words, (n < block ? n : block) * each * sizeof *words);
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
    if (status != PODIUM_OK)
        memset(cells, 0, n * sizeof *cells);
    return status;
}
