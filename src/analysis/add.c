/* Add: reports and cells, added to the sums of an aggregate. */
#include "analysis/add.h"
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

/* Reports are added in blocks of at most this many, which fit into the first-level cache. */
#define BLOCK 512

/* ---- Worths of reports, and their sums ---- */

static podium_ruler ruler_of(const podium_layout *c) {
    return (podium_ruler){c->first, 1 / c->spacing, (double)(int64_t)c->worth_most + 1};
}

static inline double measured(const podium_ruler *r, double report) {
    return (report - r->first) * r->per_spacing;
}

static inline uint64_t worth_of(const podium_ruler *r, double report) {
    const double t = measured(r, report) + 0.5;
    return t > 0 && t < r->end ? (uint64_t)(int64_t)t : PODIUM_NO_WORTH;
}

static inline void tally_add(podium_tally *t, uint64_t worth) {
    const uint64_t square = worth * worth;
    t->count++;
    t->sum += worth;
    t->squares_low += square & UINT32_MAX;
    t->squares_high += square >> 32;
}

static void add_tally(podium_sums *a, const podium_tally *t, size_t n) {
    a->count += t->count;
    podium_sums_refuse(a, n - t->count);
    podium_sum_add(&a->sum, (podium_sum){t->sum, 0});
    podium_sum_add(&a->squares, (podium_sum){t->squares_low, 0});
    podium_sum_add(&a->squares, (podium_sum){t->squares_high << 32, t->squares_high >> 32});
}

/* Adds `count` reports of one worth to the sums, and to a bin. */
static void add_times(podium_sums *a, uint64_t worth, uint64_t bin, uint64_t count) {
    const podium_sum low = podium_product(worth * worth & UINT32_MAX, count);
    const podium_sum high = podium_product(worth * worth >> 32, count);
    a->count += count;
    a->bins[bin] += count;
    podium_sum_add(&a->sum, podium_product(worth, count));
    podium_sum_add(&a->squares, low);
    podium_sum_add(&a->squares, (podium_sum){high.low << 32, high.high << 32 | high.low >> 32});
}

/* ---- Reports ---- */

typedef void adder(podium_sums *a, const podium_layout *c, const double *reports, size_t n);

static void in_blocks(adder *add, podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    for (size_t done = 0; done < n; done += BLOCK)
        add(a, c, reports + done, n - done < BLOCK ? n - done : BLOCK);
}

/* Cells that are worth their numbers */
static void add_numbered(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const podium_ruler ruler = ruler_of(c);
    const uint32_t bits = a->bin_bits;
    uint64_t bins[BLOCK];
    podium_tally t = {0};
    const size_t vectors = podium_vector_tally(&ruler, &t, bins, bits, reports, n);
    for (size_t i = 0; i < vectors; i++)
        a->bins[bins[i]]++;
    a->bins[0] -= vectors - t.count; /* those that have no worth */
    for (size_t i = vectors; i < n; i++) {
        const uint64_t worth = worth_of(&ruler, reports[i]);
        if (worth == PODIUM_NO_WORTH)
            continue;
        tally_add(&t, worth);
        a->bins[worth >> bits]++;
    }
    add_tally(a, &t, n);
}

static void add_looked_up(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const podium_ruler ruler = ruler_of(c);
    const podium_map *map = podium_map_of(c);
    podium_tally t = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t cell;
        if (!map->cell(c, &cell, measured(&ruler, reports[i])))
            continue;
        tally_add(&t, map->worth(c, cell));
        a->bins[cell >> a->bin_bits]++;
    }
    add_tally(a, &t, n);
}

/* With two cells, a report between the two outputs must be refused, so each report is looked up. */
static void add_identity(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    in_blocks(c->tells_spread ? add_numbered : add_looked_up, a, c, reports, n);
}

static void add_pair(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    in_blocks(add_looked_up, a, c, reports, n);
}

/* A map of pieces, most of whose worths are in the index */
static void add_indexed(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const podium_ruler ruler = ruler_of(c);
    const podium_pieces_map *m = &c->worth.pieces;
    podium_tally t = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t worth = worth_of(&ruler, reports[i]);
        uint32_t cell;
        if (worth == PODIUM_NO_WORTH || !podium_index_find(m, &cell, (uint32_t)worth)) {
            if (!podium_map_of(c)->cell(c, &cell, measured(&ruler, reports[i])))
                continue;
            worth = podium_piece_worth(m, cell);
        }
        tally_add(&t, worth);
        a->bins[cell >> a->bin_bits]++;
    }
    add_tally(a, &t, n);
}

/* The worth that a report must have to be in a slot of the index, and how many reports were. The sums follow from
   that. */
typedef struct {
    uint32_t worths[PODIUM_INDEX_SLOTS];
    uint64_t counts[PODIUM_INDEX_SLOTS];
} slots;

static void slots_init(slots *s, const podium_pieces_map *m) {
    for (size_t i = 0; i < PODIUM_INDEX_SLOTS; i++) {
        s->worths[i] = podium_piece_worth(m, m->index_cell[i]);
        s->counts[i] = 0;
    }
}

static void count_slots(slots *s, podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const podium_ruler ruler = ruler_of(c);
    const podium_pieces_map *m = &c->worth.pieces;
    uint64_t worths[BLOCK];
    const size_t vectors = podium_vector_worths(&ruler, worths, reports, n);
    for (size_t i = vectors; i < n; i++)
        worths[i] = worth_of(&ruler, reports[i]);
    for (size_t i = 0; i < n; i++) {
        const uint32_t worth = (uint32_t)worths[i];
        const uint32_t slot = podium_index_slot(worth, m->index_shift[podium_index_bucket(worth)]);
        if (s->worths[slot] == worths[i])
            s->counts[slot]++;
        else
            add_looked_up(a, c, reports + i, 1);
    }
}

/* With so many reports, counting slots saves more than it takes to prepare them. */
#define MANY_REPORTS (4 * PODIUM_INDEX_SLOTS)

static void add_pieces(podium_sums *a, const podium_layout *c, const double *reports, size_t n) {
    const podium_pieces_map *m = &c->worth.pieces;
    slots s;
    if (n < MANY_REPORTS) {
        in_blocks(add_indexed, a, c, reports, n);
        return;
    }
    slots_init(&s, m);
    for (size_t done = 0; done < n; done += BLOCK)
        count_slots(&s, a, c, reports + done, n - done < BLOCK ? n - done : BLOCK);
    for (size_t i = 0; i < PODIUM_INDEX_SLOTS; i++)
        add_times(a, s.worths[i], m->index_cell[i] >> a->bin_bits, s.counts[i]);
}

podium_status podium_aggregate_add(const podium_collection *collection, podium_aggregate *aggregate,
                                   const double *reports, size_t n) {
    static adder *const adders[PODIUM_MAPS] = {
        [PODIUM_MAP_IDENTITY] = add_identity,
        [PODIUM_MAP_PAIR] = add_pair,
        [PODIUM_MAP_PIECES] = add_pieces,
    };
    const podium_layout *c = podium_layout_of(collection);
    podium_sums *a = podium_sums_in(aggregate);
    const podium_status status = may_add(a, c, n);
    if (status == PODIUM_OK)
        adders[c->map](a, c, reports, n);
    return status;
}

/* ---- Cells ---- */

static void add_any_cells(podium_sums *a, const podium_layout *c, const uint32_t *cells, size_t n) {
    const podium_map *map = podium_map_of(c);
    podium_tally t = {0};
    for (size_t i = 0; i < n; i++)
        if (cells[i] < c->cells) {
            tally_add(&t, map->worth(c, cells[i]));
            a->bins[map->first_alike(c, cells[i]) >> a->bin_bits]++;
        }
    add_tally(a, &t, n);
}

/* Few cells of many reports are counted first. The last count is that of what is no cell. */
static void add_counted_cells(podium_sums *a, const podium_layout *c, const uint32_t *cells, size_t n) {
    const podium_map *map = podium_map_of(c);
    const uint32_t most = (uint32_t)c->cells;
    uint64_t counts[PODIUM_BINS_MAX + 1] = {0};
    for (size_t i = 0; i < n; i++)
        counts[cells[i] < most ? cells[i] : most]++;
    podium_sums_refuse(a, counts[most]);
    for (uint32_t cell = 0; cell < most; cell++)
        add_times(a, map->worth(c, cell), map->first_alike(c, cell), counts[cell]);
}

podium_status podium_aggregate_add_cells(const podium_collection *collection, podium_aggregate *aggregate,
                                         const uint32_t *cells, size_t n) {
    const podium_layout *c = podium_layout_of(collection);
    podium_sums *a = podium_sums_in(aggregate);
    const podium_status status = may_add(a, c, n);
    if (status == PODIUM_OK && a->bin_bits == 0 && n / 4 >= c->cells)
        add_counted_cells(a, c, cells, n);
    else
        for (size_t done = 0; status == PODIUM_OK && done < n; done += BLOCK)
            add_any_cells(a, c, cells + done, n - done < BLOCK ? n - done : BLOCK);
    return status;
}
