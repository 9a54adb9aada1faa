/* Add: reports and cells, added to the sums of an aggregate. */
#include "analysis/analysis.h"
#include "analysis/sum.h"

#include <math.h>

static podium_status may_add(const podium_sums *a, const podium_layout *c, size_t n) {
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    if (!podium_sums_fit(a, c))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (UINT64_MAX - a->count < n)
        return PODIUM_ERROR_AGGREGATE_FULL;
    return PODIUM_OK;
}

/* The sums of at most this many reports, which fit into 64 bits and stay in registers */
#define BLOCK 512

typedef struct {
    uint64_t count, sum;
    podium_sum squares;
} tally;

static inline void tally_add(tally *t, uint64_t worth) {
    uint64_t square = worth * worth;
    t->count++;
    t->sum += worth;
    t->squares.low += square;
    t->squares.high += t->squares.low < square;
}

static void add_tally(podium_sums *a, const tally *t, size_t n) {
    a->count += t->count;
    podium_sums_refuse(a, n - t->count);
    podium_sum_add(&a->sum, (podium_sum){t->sum, 0});
    podium_sum_add(&a->squares, t->squares);
}

/* Adds reports of cells that are worth their numbers. The cell is the integer nearest to (report - first)/spacing. */
static void add_numbered(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const double first = c->first, spacing = c->spacing;
    const uint32_t bits = a->bin_bits;
    double worths[BLOCK];
    tally t = {0};
    for (size_t i = 0; i < n; i++)
        worths[i] = (reports[i] - first) / spacing;
    for (size_t i = 0; i < n; i++)
        if (podium_worth_exists(c, worths[i])) {
            uint64_t cell = (uint64_t)(int64_t)(worths[i] + 0.5);
            tally_add(&t, cell);
            a->bins[cell >> bits]++;
        }
    add_tally(a, &t, n);
}

/* Adds reports of a map of pieces. Most of their worths are in the index. The divisions and the rounding are in a
   loop of their own, which compilers vectorise; adding 2^52 puts the nearest integer into the low bits of a double. */
static void add_pieces(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const podium_pieces_map *m = &c->worth.pieces;
    const double first = c->first, spacing = c->spacing;
    const uint32_t bits = a->bin_bits;
    double worths[BLOCK], nearest[BLOCK];
    tally t = {0};
    for (size_t i = 0; i < n; i++) {
        worths[i] = (reports[i] - first) / spacing;
        nearest[i] = worths[i] + 0x1p52;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t worth = (uint32_t)podium_bits_of(nearest[i]), cell;
        if (!podium_index_find(m, &cell, worth) || !(fabs(worths[i] - worth) <= 0.5)) {
            if (!podium_map_of(c)->cell(c, &cell, worths[i]))
                continue;
            worth = podium_piece_worth(m, cell);
        }
        tally_add(&t, worth);
        a->bins[cell >> bits]++;
    }
    add_tally(a, &t, n);
}

static void add_looked_up(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const podium_map *map = podium_map_of(c);
    tally t = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t cell;
        if (!map->cell(c, &cell, (reports[i] - c->first) / c->spacing))
            continue;
        tally_add(&t, map->worth(c, cell));
        a->bins[cell >> a->bin_bits]++;
    }
    add_tally(a, &t, n);
}

typedef void adder(podium_sums *a, const podium_layout *c, const double *reports, size_t n);

/* With two cells, a report between the two outputs must be refused, so each report is looked up. */
static void add_identity(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    if (c->tells_spread)
        add_numbered(a, c, reports, n);
    else
        add_looked_up(a, c, reports, n);
}

static adder *const adders[PODIUM_MAPS] = {
    [PODIUM_MAP_IDENTITY] = add_identity,
    [PODIUM_MAP_PAIR] = add_looked_up,
    [PODIUM_MAP_PIECES] = add_pieces,
};

podium_status podium_aggregate_add(const podium_collection *collection, podium_aggregate *aggregate,
                                   const double *reports, size_t n) {
    const podium_layout *c = podium_layout_of(collection);
    podium_sums *a = podium_sums_in(aggregate);
    const podium_status status = may_add(a, c, n);
    for (size_t done = 0; status == PODIUM_OK && done < n; done += BLOCK)
        adders[c->map](a, c, reports + done, n - done < BLOCK ? n - done : BLOCK);
    return status;
}

static void add_cells(podium_sums *a, const podium_layout *c, const uint32_t *cells, size_t n) {
    const podium_map *map = podium_map_of(c);
    tally t = {0};
    for (size_t i = 0; i < n; i++)
        if (cells[i] < c->cells) {
            tally_add(&t, map->worth(c, cells[i]));
            a->bins[map->first_alike(c, cells[i]) >> a->bin_bits]++;
        }
    add_tally(a, &t, n);
}

podium_status podium_aggregate_add_cells(const podium_collection *collection, podium_aggregate *aggregate,
                                         const uint32_t *cells, size_t n) {
    const podium_layout *c = podium_layout_of(collection);
    podium_sums *a = podium_sums_in(aggregate);
    const podium_status status = may_add(a, c, n);
    for (size_t done = 0; status == PODIUM_OK && done < n; done += BLOCK)
        add_cells(a, c, cells + done, n - done < BLOCK ? n - done : BLOCK);
    return status;
}
