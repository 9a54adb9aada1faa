/* Aggregates are the same to the bit for every order of additions, refuse what no device can have sent, and survive
   encoding. */
#include <check.h>
#include <math.h>
#include <pthread.h>

#include "support.h"
#include "collection/wide.h"

#define REPORTS 3000

static wide whole(podium_sum sum) {
    return wide_from_two(sum.low, sum.high);
}

static podium_sum sum_of(wide a) {
    return (podium_sum){(uint64_t)a.limb[1] << 32 | a.limb[0], (uint64_t)a.limb[3] << 32 | a.limb[2]};
}

static wide plus_product(wide sum, uint64_t a, uint64_t b) {
    return wide_add(sum, wide_multiply(wide_from(a), wide_from(b)));
}

static bool equal(wide a, wide b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same(const podium_aggregate *a, const podium_aggregate *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static podium_aggregate empty_of(const podium_collection *c) {
    podium_aggregate a;
    memset(&a, 0x5a, sizeof a); /* any earlier contents */
    podium_aggregate_init(c, &a);
    return a;
}

static void some_cells(const podium_collection *c, uint64_t *seed, uint32_t *cells, size_t n) {
    const podium_spec spec = podium_collection_spec(c);
    double values[REPORTS];
    podium_random random = seeded_random(seed);
    for (size_t i = 0; i < n; i++)
        values[i] = spec.min + (spec.max - spec.min) * seeded_uniform(seed);
    ck_assert_int_eq(podium_privatize_cells(c, &random, cells, values, n), PODIUM_OK);
    if (n >= 2)
        cells[0] = 0, cells[n - 1] = (uint32_t)(podium_collection_cells(c) - 1);
}

static podium_aggregate of_cells(const podium_collection *c, const uint32_t *cells, size_t n) {
    podium_aggregate a = empty_of(c);
    ck_assert_int_eq(podium_aggregate_add_cells(c, &a, cells, n), PODIUM_OK);
    return a;
}

/* Every mechanism, with a range that has 0 for a bound and with one that is nearly as narrow as allowed */
#define MECHANISMS ((int)podium_mechanism_count())
#define COLLECTIONS (2 * MECHANISMS)

static podium_collection some_collection(int i) {
    podium_mechanism mechanism = (podium_mechanism)(i % MECHANISMS);
    return i < MECHANISMS ? collection_of(mechanism, 1, 0, 10) : collection_of(mechanism, 1e-6, 1e9, 1e9 * (1 + 1e-5));
}

static uint32_t worth_of(const podium_layout *c, uint32_t cell) {
    return podium_map_of(c)->worth(c, cell);
}

/* ---- Adding ---- */

START_TEST(sums_are_exact) {
    uint64_t seed = 301;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection collection = some_collection(k);
        const podium_layout *c = podium_layout_of(&collection);
        uint32_t cells[REPORTS];
        uint64_t bins[PODIUM_BINS_MAX] = {0};
        wide sum = wide_from(0), squares = sum;
        some_cells(&collection, &seed, cells, REPORTS);
        podium_aggregate aggregate = of_cells(&collection, cells, REPORTS);
        const podium_sums *a = podium_sums_of(&aggregate);
        for (size_t i = 0; i < REPORTS; i++) {
            uint64_t worth = worth_of(c, cells[i]);
            sum = wide_add(sum, wide_from(worth)), squares = plus_product(squares, worth, worth);
            /* All cells of one output of a pair have the same report, and are counted in one bin. */
            uint32_t half = (uint32_t)1 << 31;
            bool output = c->map == PODIUM_MAP_PAIR && cells[i] >= half;
            bins[(output ? cells[i] & ~(half / 2 - 1) : cells[i]) >> a->bin_bits]++;
        }
        ck_assert(equal(whole(a->sum), sum) && equal(whole(a->squares), squares));
        ck_assert(memcmp(bins, a->bins, sizeof bins) == 0);
        ck_assert_uint_eq(a->count, REPORTS);
        ck_assert_uint_eq(a->refused, 0);
        ck_assert_uint_le(a->bin_count, PODIUM_BINS_MAX);
        ck_assert_uint_eq((c->cells - 1) >> a->bin_bits, a->bin_count - 1); /* the last cell is in the last bin */
        ck_assert(a->bin_bits == 0 ||
                  (c->cells - 1) >> (a->bin_bits - 1) >= PODIUM_BINS_MAX); /* no coarser than needed */
    }
}
END_TEST

START_TEST(sums_carry) { /* The low words overflow when reports are added, and when aggregates are merged. */
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    uint32_t cells[] = {UINT32_MAX, UINT32_MAX, 7};
    podium_aggregate aggregate = of_cells(&c, cells, 3), other = empty_of(&c);
    podium_sums *a = podium_sums_in(&aggregate);
    wide squares = plus_product(wide_from(49), UINT32_MAX, UINT32_MAX);
    ck_assert(equal(whole(a->squares), plus_product(squares, UINT32_MAX, UINT32_MAX)) && a->squares.high == 1);
    const podium_sum added = {UINT64_MAX - 5, 3};
    podium_sums_in(&other)->sum = added;
    ck_assert_int_eq(podium_aggregate_merge(&aggregate, &other), PODIUM_OK);
    ck_assert(equal(whole(a->sum), wide_add(whole(added), wide_from(2 * (uint64_t)UINT32_MAX + 7))));
    ck_assert_uint_eq(a->sum.high, 4);
    a->sum = (podium_sum){UINT64_MAX - 3, 8};
    ck_assert_int_eq(podium_aggregate_add_cells(&c, &aggregate, cells, 1), PODIUM_OK);
    ck_assert(a->sum.high == 9 && a->sum.low == UINT32_MAX - 4);
}
END_TEST

START_TEST(in_any_chunks) {
    uint64_t seed = 302;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        uint32_t cells[REPORTS];
        double reports[REPORTS];
        some_cells(&c, &seed, cells, REPORTS);
        ck_assert_int_eq(podium_collection_reports(&c, reports, cells, REPORTS), PODIUM_OK);
        podium_aggregate all = of_cells(&c, cells, REPORTS), one = empty_of(&c), chunks = empty_of(&c),
                         from_reports = empty_of(&c);
        size_t failed = 0;
        for (size_t i = 0; i < REPORTS; i++)
            failed += podium_aggregate_add(&c, &one, reports + i, 1) != PODIUM_OK;
        for (size_t i = 0, n; i < REPORTS; i += n) {
            n = (size_t)(seeded_word(&seed) % 200);
            n = n < REPORTS - i ? n : REPORTS - i;
            failed += podium_aggregate_add_cells(&c, &chunks, cells + i, n) != PODIUM_OK;
        }
        failed += podium_aggregate_add(&c, &from_reports, reports, REPORTS) != PODIUM_OK;
        ck_assert_uint_eq(failed, 0);
        ck_assert(same(&all, &one) && same(&all, &chunks) && same(&all, &from_reports));
    }
}
END_TEST

/* An array that contains impossible reports is added as if its elements were added one by one. */
START_TEST(strangers_in_arrays) {
    static const double strange[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300};
    uint64_t seed = 313;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        podium_aggregate all = empty_of(&c), one = empty_of(&c);
        uint32_t cells[REPORTS];
        double reports[REPORTS];
        size_t failed = 0, strangers = 0;
        some_cells(&c, &seed, cells, REPORTS);
        ck_assert_int_eq(podium_collection_reports(&c, reports, cells, REPORTS), PODIUM_OK);
        for (size_t i = 0; i < REPORTS; i++)
            if (seeded_word(&seed) % 5 == 0) {
                reports[i] = strange[seeded_word(&seed) % LENGTH(strange)];
                strangers++;
            }
        for (size_t i = 0; i < REPORTS; i++)
            failed += podium_aggregate_add(&c, &one, reports + i, 1) != PODIUM_OK;
        failed += podium_aggregate_add(&c, &all, reports, REPORTS) != PODIUM_OK;
        ck_assert_uint_eq(failed, 0);
        ck_assert_uint_eq(podium_aggregate_refused(&all), strangers);
        ck_assert_uint_eq(podium_aggregate_count(&all), REPORTS - strangers);
        ck_assert(same(&all, &one));
    }
}
END_TEST

/* Reports on both sides of every edge: between two neighbouring cells, and where the grid ends. Added one at a time
   they go through the portable code, and all at once through the vectors that the processor has. */
START_TEST(edges_in_arrays) {
    uint64_t seed = 330;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection collection = some_collection(k);
        const podium_layout *c = podium_layout_of(&collection);
        podium_aggregate all = empty_of(&collection), one = empty_of(&collection);
        double reports[REPORTS];
        size_t failed = 0;
        for (size_t i = 0; i < REPORTS; i++) {
            const double ends[] = {0, (double)c->worth_most, (double)(uint32_t)seeded_word(&seed)};
            const double worth = ends[i % 3] + (i % 2 ? 0.5 : -0.5);
            reports[i] = c->first + c->spacing * worth;
            for (uint64_t steps = seeded_word(&seed) % 4; steps > 0; steps--)
                reports[i] = nextafter(reports[i], i % 5 < 2 ? INFINITY : -INFINITY);
            failed += podium_aggregate_add(&collection, &one, reports + i, 1) != PODIUM_OK;
        }
        failed += podium_aggregate_add(&collection, &all, reports, REPORTS) != PODIUM_OK;
        ck_assert_uint_eq(failed, 0);
        ck_assert_uint_gt(podium_aggregate_refused(&all), 0);
        ck_assert(same(&all, &one));
    }
}
END_TEST

START_TEST(in_any_order) { /* Two random aggregates are merged until one is left, so every tree of merges can occur. */
    enum { PARTS = 60 };
    static podium_aggregate parts[PARTS];
    uint64_t seed = 303;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        uint32_t cells[REPORTS];
        some_cells(&c, &seed, cells, REPORTS);
        podium_aggregate all = of_cells(&c, cells, REPORTS);
        for (size_t i = 0; i < PARTS; i++)
            parts[i] = of_cells(&c, cells + i * REPORTS / PARTS, REPORTS / PARTS);
        for (size_t left = PARTS; left > 1; left--) {
            size_t a = (size_t)(seeded_word(&seed) % left),
                   b = (a + 1 + (size_t)seeded_word(&seed) % (left - 1)) % left;
            ck_assert_int_eq(podium_aggregate_merge(&parts[a], &parts[b]), PODIUM_OK);
            parts[b] = parts[left - 1];
        }
        ck_assert(same(&all, &parts[0]));
    }
}
END_TEST

typedef struct {
    const podium_collection *collection;
    const uint32_t *cells;
    size_t n;
    podium_aggregate aggregate;
    podium_status status;
} part;

static void *add_part(void *argument) {
    part *own = argument;
    podium_aggregate_init(own->collection, &own->aggregate);
    own->status = podium_aggregate_add_cells(own->collection, &own->aggregate, own->cells, own->n);
    return NULL;
}

START_TEST(in_any_number_of_threads) {
    uint64_t seed = 331;
    podium_collection c = some_collection(0);
    uint32_t cells[REPORTS];
    some_cells(&c, &seed, cells, REPORTS);
    podium_aggregate alone = of_cells(&c, cells, REPORTS);
    for (size_t threads = 1; threads <= 16; threads *= 2) {
        static part parts[16];
        pthread_t ids[16];
        podium_aggregate together = empty_of(&c);
        for (size_t i = 0; i < threads; i++) {
            size_t from = REPORTS * i / threads, to = REPORTS * (i + 1) / threads;
            parts[i] = (part){.collection = &c, .cells = cells + from, .n = to - from};
            ck_assert_int_eq(pthread_create(&ids[i], NULL, add_part, &parts[i]), 0);
        }
        for (size_t i = 0; i < threads; i++) {
            pthread_join(ids[i], NULL);
            ck_assert_int_eq(parts[i].status, PODIUM_OK);
            ck_assert_int_eq(podium_aggregate_merge(&together, &parts[i].aggregate), PODIUM_OK);
        }
        ck_assert(same(&together, &alone));
    }
}
END_TEST

START_TEST(with_oneself) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    uint32_t cells[] = {UINT32_MAX, 5, UINT32_MAX, 5};
    podium_aggregate twice = of_cells(&c, cells, 2), all = of_cells(&c, cells, 4);
    ck_assert_int_eq(podium_aggregate_merge(&twice, &twice), PODIUM_OK);
    ck_assert(same(&twice, &all));
}
END_TEST

/* Equal specs with different padding lead to the same collection and aggregate, which padding must not reach. */
START_TEST(what_lies_between_the_fields) {
    podium_collection a, b;
    podium_spec one, two;
    memset(&one, 0, sizeof one);
    memset(&two, 0xff, sizeof two); /* sets the padding */
    one.mechanism = two.mechanism = PODIUM_MECHANISM_LAPLACE;
    one.epsilon = two.epsilon = 1;
    one.min = 0, two.min = -0.0;
    one.max = two.max = 1;
    two.spread = -0.0, two.cells = 0;
    memset(two.reserved, 0, sizeof two.reserved);
    ck_assert_int_eq(podium_collection_init(&a, &one), PODIUM_OK);
    ck_assert_int_eq(podium_collection_init(&b, &two), PODIUM_OK);
    ck_assert(memcmp(&a, &b, sizeof a) == 0);
    podium_aggregate of_a = empty_of(&a), of_b = empty_of(&b);
    ck_assert(same(&of_a, &of_b));
}
END_TEST

START_TEST(what_it_says_of_itself) {
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        const double least = podium_collection_least(&c), reports[] = {NAN, least, least, INFINITY, least};
        const podium_spec spec = podium_collection_spec(&c);
        podium_aggregate a = empty_of(&c);
        ck_assert(podium_aggregate_count(&a) == 0 && podium_aggregate_refused(&a) == 0);
        ck_assert_int_eq(podium_aggregate_add(&c, &a, reports, LENGTH(reports)), PODIUM_OK);
        ck_assert(podium_aggregate_count(&a) == 3 && podium_aggregate_refused(&a) == 2);
        const podium_spec own = podium_aggregate_spec(&a);
        ck_assert(podium_spec_equal(&spec, &own));
        ck_assert_uint_eq(podium_aggregate_fingerprint(&a), podium_collection_fingerprint(&c));
    }
}
END_TEST

/* ---- A report is read as its cell, in every notation ---- */

/* The number of digits that `podium privatize` prints, which is enough to tell neighbours apart: the error is at
   most half a spacing */
static int few_digits(const podium_layout *c) {
    double last = c->first + c->spacing * (double)c->worth_most, largest = fmax(fabs(c->first), fabs(last));
    int digits = (int)ceil(log10(largest / c->spacing)) + 1;
    return digits < 17 ? digits : 17;
}

static uint32_t cell_of(const podium_layout *c, double report) {
    uint32_t cell = UINT32_MAX;
    ck_assert(podium_map_of(c)->cell(c, &cell, (report - c->first) / c->spacing));
    return cell;
}

typedef struct {
    size_t strays; /* reports that were read as another cell */
    size_t wrong;  /* those of them whose cell has another worth */
} homecoming;

/* Checks for every stride-th cell that its report is read as the cell that `home` returns: as a double, with 17
   digits, and with few digits. */
static homecoming sent_home(const podium_layout *c, uint32_t from, uint32_t to, uint32_t stride, uint32_t home) {
    const int digits[] = {17, few_digits(c)};
    homecoming h = {0, 0};
    for (uint64_t cell = from; cell < to; cell += stride) {
        uint32_t own = (uint32_t)cell, want = home == UINT32_MAX ? own : home, got[3];
        double report;
        podium_reports(c, &report, &own, 1);
        got[0] = cell_of(c, report);
        for (size_t i = 0; i < LENGTH(digits); i++) {
            char text[64];
            snprintf(text, sizeof text, "%.*g", digits[i], report);
            got[i + 1] = cell_of(c, strtod(text, NULL));
        }
        h.strays += got[0] != want || got[1] != want || got[2] != want;
        for (size_t i = 0; i < LENGTH(got); i++)
            h.wrong += worth_of(c, got[i]) != worth_of(c, own);
    }
    return h;
}

/* Tries all cells of all maps. With very many cells, a few have the same worth and so the same report. */
START_TEST(minimax_reports_go_home) {
    static const uint32_t cells[] = {2, 10, 256, 1000, 65536};
    static const double epsilons[] = {0.2, 0.75, 1, 1.7, 3, 6, 12, 40};
    for (size_t i = 0; i < LENGTH(cells); i++)
        for (size_t k = 0; k<LENGTH(epsilons); k += cells[i]> 1000 ? 3 : 1) { /* 65,536 cells take long */
            podium_spec spec = {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = epsilons[k], .cells = cells[i]};
            spec.min = k % 2 == 0 ? 0 : 1e6, spec.max = spec.min + 120;
            podium_collection collection = collection_from(&spec);
            const podium_layout *c = podium_layout_of(&collection);
            homecoming h = sent_home(c, 0, (uint32_t)c->cells, 1, UINT32_MAX);
            ck_assert_uint_eq(h.wrong, 0);
            ck_assert_uint_le(h.strays, cells[i] <= 1000 ? 0 : c->cells / 1000);
        }
}
END_TEST

/* The index contains every cell of up to 256, so that none of their reports needs the search, and nothing else. */
START_TEST(minimax_reports_are_indexed) {
    static const uint32_t cells[] = {2, 3, 10, 100, 256};
    static const double epsilons[] = {1e-6, 0.2, 0.75, 1, 1.7, 2, 3, 4, 6, 8, 12, 40};
    uint64_t seed = 316;
    for (size_t i = 0; i < LENGTH(cells); i++)
        for (size_t k = 0; k < LENGTH(epsilons); k++) {
            podium_collection collection = minimax_of(epsilons[k], cells[i]);
            const podium_layout *c = podium_layout_of(&collection);
            const podium_pieces_map *map = &c->worth.pieces;
            size_t lost = 0, wrong = 0;
            ck_assert_uint_eq(c->map, PODIUM_MAP_PIECES);
            for (uint32_t cell = 0, found; cell < c->cells; cell++)
                lost += !podium_index_find(map, &found, worth_of(c, cell)) || found != cell;
            for (int t = 0; t < 10000; t++) {
                uint32_t worth = (uint32_t)seeded_word(&seed), found;
                wrong += podium_index_find(map, &found, worth) && worth_of(c, found) != worth;
            }
            ck_assert_uint_eq(lost, 0);
            ck_assert_uint_eq(wrong, 0);
        }
}
END_TEST

START_TEST(hybrid_reports_go_home) { /* The cells of each of Duchi's two outputs are read as the first of them. */
    static const double epsilons[] = {0.62, 1, 2, 5, 20};
    uint32_t quarter = (uint32_t)1 << 30;
    for (size_t i = 0; i < LENGTH(epsilons); i++) {
        podium_layout c = layout_of(PODIUM_MECHANISM_HYBRID, epsilons[i], -5, 120);
        ck_assert_uint_eq(sent_home(&c, 0, 2 * quarter, 100003, UINT32_MAX).strays, 0);
        ck_assert_uint_eq(sent_home(&c, 2 * quarter, 3 * quarter, 10000019, 2 * quarter).strays, 0);
        ck_assert_uint_eq(sent_home(&c, 3 * quarter, UINT32_MAX, 10000019, 3 * quarter).strays, 0);
        ck_assert_uint_eq(sent_home(&c, 3 * quarter - 1, 3 * quarter, 1, 2 * quarter).strays, 0);
        ck_assert_uint_eq(cell_of(&c, c.first + c.spacing * c.worth.pair.low),
                          2 * quarter); /* one cell of Piecewise is read as an output */
    }
}
END_TEST

/* ---- Refused ---- */

START_TEST(refused_reports) {
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection collection = some_collection(k);
        const podium_layout *c = podium_layout_of(&collection);
        double h = c->spacing, last = c->first + h * (double)c->worth_most;
        double far =
            (c->map == PODIUM_MAP_PIECES ? 2e-6 * (double)c->worth_most : 1) * h; /* ends of pieces are rounded */
        double bad[] = {NAN,
                        -NAN,
                        INFINITY,
                        -INFINITY,
                        1e300,
                        -1e300,
                        c->first - far,
                        last + far,
                        c->first - 0.75 * far,
                        last + 0.75 * far};
        double off = (c->cells == 2 ? 1e-7 : 0.25) * h; /* must not confuse two outputs */
        double good[] = {c->first, last, c->first + off, last - off, c->first - off, last + off};
        uint32_t least = cell_worth(c, 0), most = cell_worth(c, c->worth_most);
        uint32_t ends[] = {least, least, least, most, most, most};
        podium_aggregate a = empty_of(&collection), expected = of_cells(&collection, ends, 6);
        ck_assert_int_eq(podium_aggregate_add(&collection, &a, bad, LENGTH(bad)), PODIUM_OK);
        ck_assert_int_eq(podium_aggregate_add(&collection, &a, good, LENGTH(good)), PODIUM_OK);
        podium_sums_in(&expected)->refused = LENGTH(bad);
        ck_assert(same(&a, &expected));
    }
}
END_TEST

/* Numbers between the few outputs of Duchi and Minimax are refused, such as values that are given instead of
   reports. */
START_TEST(refused_between_outputs) {
    podium_collection few[] = {
        collection_of(PODIUM_MECHANISM_DUCHI, 1, 1, 120), collection_of(PODIUM_MECHANISM_HYBRID, 0.5, 1, 120),
        collection_of(PODIUM_MECHANISM_MINIMAX, 0.5, 1, 120), collection_of(PODIUM_MECHANISM_MINIMAX, 3, 1, 120)};
    for (size_t i = 0; i < LENGTH(few); i++) {
        podium_aggregate a = empty_of(&few[i]);
        for (int age = 1; age <= 120; age++) {
            double value = age;
            ck_assert_int_eq(podium_aggregate_add(&few[i], &a, &value, 1), PODIUM_OK);
        }
        ck_assert_uint_eq(podium_aggregate_count(&a), 0);
        ck_assert_uint_eq(podium_aggregate_refused(&a), 120);
    }
}
END_TEST

START_TEST(refused_cells) {
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        const uint64_t count = podium_collection_cells(&c);
        uint32_t cells[] = {0, (uint32_t)(count - 1), UINT32_MAX, (uint32_t)count};
        bool fewer = count <= UINT32_MAX; /* for Podium every 32-bit number is a cell */
        podium_aggregate a = of_cells(&c, cells, fewer ? 4 : 2), expected = of_cells(&c, cells, 2);
        podium_sums_in(&expected)->refused = fewer ? 2 : 0;
        ck_assert(same(&a, &expected));
    }
}
END_TEST

START_TEST(other_collections) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_collection others[] = {
        collection_of(PODIUM_MECHANISM_PODIUM_APPROXIMATE, 1, 0, 1), collection_of(PODIUM_MECHANISM_PODIUM, 1.1, 0, 1),
        collection_of(PODIUM_MECHANISM_PODIUM, 1, -1, 1), collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 2),
        collection_of(PODIUM_MECHANISM_LAPLACE, 1, 0, 1)};
    uint32_t cells[] = {1, 2, 3};
    double reports[] = {0.5};
    podium_aggregate a = of_cells(&c, cells, 3), before = a;
    for (size_t i = 0; i < LENGTH(others); i++) {
        podium_aggregate other = empty_of(&others[i]);
        ck_assert_int_eq(podium_aggregate_add_cells(&others[i], &a, cells, 3), PODIUM_ERROR_FINGERPRINT_WRONG);
        ck_assert_int_eq(podium_aggregate_add(&others[i], &a, reports, 1), PODIUM_ERROR_FINGERPRINT_WRONG);
        ck_assert_int_eq(podium_aggregate_merge(&a, &other), PODIUM_ERROR_FINGERPRINT_WRONG);
        ck_assert(same(&a, &before));
    }
    podium_aggregate bent = a; /* the fingerprint is right, but the bins belong to another collection */
    podium_sums_in(&bent)->bin_count--;
    ck_assert_int_eq(podium_aggregate_merge(&a, &bent), PODIUM_ERROR_FINGERPRINT_WRONG);
    bent = a;
    podium_sums_in(&bent)->bin_bits--;
    ck_assert_int_eq(podium_aggregate_merge(&a, &bent), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_aggregate_add_cells(&c, &bent, cells, 3), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert(same(&a, &before));
}
END_TEST

static void expect_full(podium_aggregate a, const podium_collection *c) {
    uint32_t cells[] = {1, 2, 3};
    const double first = podium_collection_least(c), reports[] = {NAN, first, first};
    podium_aggregate before = a, three = of_cells(c, cells, 3);
    podium_sums_in(&three)->refused = 3;
    ck_assert_int_eq(podium_aggregate_add_cells(c, &a, cells, 3), PODIUM_ERROR_AGGREGATE_FULL);
    ck_assert_int_eq(podium_aggregate_add(c, &a, reports, 3), PODIUM_ERROR_AGGREGATE_FULL);
    ck_assert_int_eq(podium_aggregate_merge(&a, &three), PODIUM_ERROR_AGGREGATE_FULL);
    ck_assert(same(&a, &before));
    ck_assert_int_eq(podium_aggregate_add_cells(c, &a, cells, 2), PODIUM_OK); /* room for exactly two more */
}

START_TEST(full) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_aggregate a = empty_of(&c);
    podium_sums *sums = podium_sums_in(&a);
    sums->count = UINT64_MAX - 2;
    expect_full(a, &c);
}
END_TEST

/* The number of refused reports stops at its largest value, because a forged one must not block a total. */
START_TEST(refused_without_end) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_aggregate a = empty_of(&c), other = empty_of(&c);
    const double reports[] = {NAN, 0.5, NAN};
    podium_sums_in(&a)->refused = podium_sums_in(&other)->refused = UINT64_MAX - 1;
    ck_assert_int_eq(podium_aggregate_add(&c, &a, reports, 3), PODIUM_OK);
    ck_assert_int_eq(podium_aggregate_merge(&a, &other), PODIUM_OK);
    ck_assert(podium_aggregate_count(&a) == 1 && podium_aggregate_refused(&a) == UINT64_MAX);
}
END_TEST

START_TEST(not_initialised) {
    static const podium_collection zero;
    podium_aggregate a;
    const double report = 0.5;
    const uint32_t cell = 0;
    podium_aggregate_init(&zero, &a);
    ck_assert_int_eq(podium_aggregate_add(&zero, &a, &report, 1), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_int_eq(podium_aggregate_add_cells(&zero, &a, &cell, 1), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert_int_eq(podium_aggregate_check(&zero, &a), PODIUM_ERROR_NOT_INITIALISED);
}
END_TEST

/* ---- Subtracting ---- */

/* A window slides over reports, some of which are refused, and is compared with one that is counted from scratch
   each time. */
START_TEST(as_if_never_added) {
    enum { WINDOW = 50, STEPS = 300 };
    uint64_t seed = 305;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        uint32_t cells[REPORTS];
        double reports[REPORTS];
        some_cells(&c, &seed, cells, STEPS);
        ck_assert_int_eq(podium_collection_reports(&c, reports, cells, STEPS), PODIUM_OK);
        for (size_t i = 0; i < STEPS; i += 7)
            reports[i] = NAN;
        podium_aggregate slid = empty_of(&c);
        size_t failed = 0, different = 0;
        for (size_t i = 0; i < STEPS; i++) {
            podium_aggregate anew = empty_of(&c), gone = empty_of(&c);
            size_t from = i < WINDOW ? 0 : i - WINDOW + 1;
            failed += podium_aggregate_add(&c, &slid, reports + i, 1) != PODIUM_OK;
            if (i >= WINDOW) {
                failed += podium_aggregate_add(&c, &gone, reports + from - 1, 1) != PODIUM_OK;
                failed += podium_aggregate_subtract(&c, &slid, &gone) != PODIUM_OK;
            }
            failed += podium_aggregate_add(&c, &anew, reports + from, i + 1 - from) != PODIUM_OK;
            podium_sums_in(&anew)->subtracted = from > 1; /* the first report was refused, so it is not in the sums */
            different += !same(&slid, &anew);
        }
        ck_assert_uint_eq(failed, 0);
        ck_assert_uint_eq(different, 0);
    }
}
END_TEST

START_TEST(sums_borrow) { /* The low words borrow from the high words. */
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    uint32_t cells[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 7};
    podium_aggregate all = of_cells(&c, cells, 4), two = of_cells(&c, cells, 2), rest = of_cells(&c, cells + 2, 2);
    ck_assert_uint_gt(podium_sums_of(&two)->squares.low, podium_sums_of(&all)->squares.low);
    ck_assert_int_eq(podium_aggregate_subtract(&c, &all, &two), PODIUM_OK);
    podium_sums_in(&rest)->subtracted = 1;
    ck_assert(same(&all, &rest));
    /* An aggregate can be subtracted from itself. */
    ck_assert_int_eq(podium_aggregate_subtract(&c, &all, &all), PODIUM_OK);
    podium_aggregate none = empty_of(&c);
    ck_assert(same(&all, &none));
}
END_TEST

static void expect_never_added(podium_aggregate from, podium_aggregate other) {
    podium_aggregate before = from;
    podium_spec spec = podium_aggregate_spec(&from);
    podium_collection c = collection_from(&spec);
    ck_assert_int_eq(podium_aggregate_subtract(&c, &from, &other), PODIUM_ERROR_NEVER_ADDED);
    ck_assert(same(&from, &before));
}

START_TEST(never_added) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1),
                      another = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 1);
    uint32_t bin = (uint32_t)1 << 22, cells[] = {5 * bin, 5 * bin, 9 * bin, 9 * bin + 8};
    podium_aggregate a = of_cells(&c, cells, 4), none = empty_of(&c), other = none, before = a;
    podium_sums *wrong = podium_sums_in(&other);
    expect_never_added(a, of_cells(&c, (uint32_t[]){4 * bin}, 1));                   /* a bin without reports */
    expect_never_added(a, of_cells(&c, (uint32_t[]){5 * bin, 5 * bin, 5 * bin}, 3)); /* a bin with too few reports */
    expect_never_added(none, of_cells(&c, cells, 1));
    wrong->refused = 1;
    expect_never_added(a, other);
    other = none, wrong->sum.high = 1;
    expect_never_added(a, other);
    other = none, wrong->squares.high = 1;
    expect_never_added(a, other);
    other = none, wrong->count = 5;
    expect_never_added(a, other);
    /* Each bin has enough reports, but the squares that remain would be too small for the remaining sum. */
    other = of_cells(&c, (uint32_t[]){9 * bin + 8, 9 * bin + 8}, 2);
    wrong->sum.low -= bin;
    expect_never_added(a, other);
    /* Reports that are worth 0 do not change the sums. */
    for (int k = 0; k < MECHANISMS; k++) {
        podium_collection own = some_collection(k);
        const uint32_t least = cell_worth(podium_layout_of(&own), 0), zeros[] = {least, least, least};
        expect_never_added(of_cells(&own, zeros, 2), of_cells(&own, zeros, 3));
        expect_never_added(empty_of(&own), of_cells(&own, zeros, 1));
    }
    /* There is a report in the same bin, but without it the sum of the other report would not fit its bin. */
    expect_never_added(of_cells(&c, (uint32_t[]){5, bin}, 2), of_cells(&c, (uint32_t[]){100}, 1));
    other = empty_of(&another);
    ck_assert_int_eq(podium_aggregate_subtract(&c, &a, &other), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_aggregate_subtract(&another, &a, &a), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert(same(&a, &before));
}
END_TEST

/* ---- Bytes and text ---- */

/* Encodes and decodes as bytes and as text; both must lead to the same bytes again. */
static bool round_trip(const podium_aggregate *a) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    podium_aggregate decoded, read;
    size_t n = podium_aggregate_encode(a, bytes, sizeof bytes), length = podium_aggregate_format(a, text, sizeof text);
    memset(&decoded, 0x5a, sizeof decoded);
    memset(&read, 0x5a, sizeof read);
    return n <= sizeof bytes && length < sizeof text && strlen(text) == length &&
           length == strlen(PODIUM_AGGREGATE_PREFIX) + 2 * n &&
           podium_aggregate_decode(NULL, &decoded, bytes, n) == PODIUM_OK && same(a, &decoded) &&
           podium_aggregate_parse(collection_of_aggregate(text, length), &read, text, length) == PODIUM_OK &&
           same(a, &read);
}

START_TEST(subtraction_is_remembered) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    uint32_t cells[] = {1, 2, 3};
    podium_aggregate a = of_cells(&c, cells, 3), one = of_cells(&c, cells, 1), none = empty_of(&c);
    ck_assert_int_eq(podium_aggregate_subtract(&c, &a, &none), PODIUM_OK);
    ck_assert_uint_eq(podium_sums_of(&a)->subtracted, 0);
    ck_assert_int_eq(podium_aggregate_subtract(&c, &a, &one), PODIUM_OK);
    ck_assert_uint_eq(podium_sums_of(&a)->subtracted, 1);
    ck_assert(round_trip(&a));
    podium_aggregate total = of_cells(&c, cells, 3);
    ck_assert_int_eq(podium_aggregate_merge(&total, &a), PODIUM_OK);
    ck_assert_uint_eq(podium_sums_of(&total)->subtracted, 1);
    ck_assert_int_eq(podium_aggregate_add_cells(&c, &total, cells, 1), PODIUM_OK);
    ck_assert_uint_eq(podium_sums_of(&total)->subtracted, 1);
    podium_sums_in(&none)->subtracted = 1; /* nothing is left to be marked */
    ck_assert(!round_trip(&none));
}
END_TEST

/* Returns why these bytes are rejected. If they are accepted, they must be the encoding of what they decode to. They
   are copied into a block of their own, so that a sanitizer detects a read beyond the end. */
static podium_status decode(const unsigned char *bytes, size_t n) {
    static unsigned char again[PODIUM_AGGREGATE_BYTES_MAX];
    unsigned char *copy = malloc(n == 0 ? 1 : n);
    podium_aggregate a, before;
    memcpy(copy, bytes, n);
    memset(&a, 0x5a, sizeof a);
    before = a;
    podium_status status = podium_aggregate_decode(collection_of_aggregate(copy, n), &a, copy, n);
    free(copy);
    if (status != PODIUM_OK && !same(&a, &before))
        ck_abort_msg("a failed decoding wrote to its output");
    if (status == PODIUM_OK && (podium_aggregate_encode(&a, again, sizeof again) != n || memcmp(again, bytes, n) != 0))
        ck_abort_msg("bytes that no aggregate is encoded as were accepted");
    return status;
}

static podium_status parse(const char *text, size_t n) {
    char *copy = malloc(n == 0 ? 1 : n);
    podium_aggregate a, before;
    memcpy(copy, text, n);
    memset(&a, 0x5a, sizeof a);
    before = a;
    podium_status status = podium_aggregate_parse(collection_of_aggregate(copy, n), &a, copy, n);
    free(copy);
    if (status != PODIUM_OK && !same(&a, &before))
        ck_abort_msg("a failed parsing wrote to its output");
    return status;
}

/* An aggregate with `each` reports in every bin, except for Hybrid's bins in which none are ever counted */
static podium_aggregate with_bins(const podium_collection *c, uint64_t each, uint32_t bins) {
    const podium_layout *layout = podium_layout_of(c);
    podium_aggregate aggregate = empty_of(c);
    podium_sums *a = podium_sums_in(&aggregate);
    wide sum = wide_from(0), squares = sum;
    for (uint32_t i = 0; i < bins; i++) {
        uint64_t worth = worth_of(layout, i << a->bin_bits), least, most;
        if (!podium_bin_worths(layout, i, a->bin_bits, &least, &most))
            continue;
        a->bins[i] = each;
        a->count += each;
        sum = plus_product(sum, each, worth);
        squares = plus_product(squares, each, worth * worth);
    }
    a->sum = sum_of(sum);
    a->squares = sum_of(squares);
    return aggregate;
}

START_TEST(there_and_back) {
    uint64_t seed = 304;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        uint32_t cells[REPORTS];
        some_cells(&c, &seed, cells, REPORTS);
        podium_aggregate none = empty_of(&c), some = of_cells(&c, cells, REPORTS);
        const uint32_t bins = podium_sums_of(&none)->bin_count;
        podium_aggregate many = with_bins(&c, (uint64_t)1 << 53, bins), most = with_bins(&c, UINT64_MAX, 1);
        ck_assert(round_trip(&none) && round_trip(&some) && round_trip(&many) && round_trip(&most));
        podium_sums_in(&some)->refused = podium_sums_in(&none)->refused = UINT64_MAX;
        ck_assert(round_trip(&none) && round_trip(&some));
        many = with_bins(&c, UINT64_MAX / bins, bins);
        ck_assert(round_trip(&many));
    }
}
END_TEST

START_TEST(longest_bytes) { /* Bins of 10 bytes each still fit, although no count allows that many reports. */
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_aggregate a = empty_of(&c);
    podium_sums *sums = podium_sums_in(&a);
    ck_assert_uint_eq(sums->bin_count, PODIUM_BINS_MAX);
    memset(sums->bins, 0xff, sizeof sums->bins);
    ck_assert_uint_le(podium_aggregate_encode(&a, bytes, sizeof bytes), PODIUM_AGGREGATE_BYTES_MAX);
    a = with_bins(&c, (uint64_t)1 << 53, PODIUM_BINS_MAX);
    ck_assert_uint_le(podium_aggregate_encode(&a, bytes, sizeof bytes), PODIUM_AGGREGATE_BYTES_MAX);
}
END_TEST

/* If the encoding does not fit, nothing is written, not even a part. If it fits exactly, it is written. */
START_TEST(too_small_a_buffer) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX], untouched[PODIUM_AGGREGATE_BYTES_MAX];
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    for (int k = 0; k < MECHANISMS; k++) {
        podium_collection c = some_collection(k);
        podium_aggregate a = with_bins(&c, 1000, 2);
        const size_t n = podium_aggregate_encode(&a, NULL, 0), length = podium_aggregate_format(&a, text, 0);
        ck_assert_uint_eq(length, strlen(PODIUM_AGGREGATE_PREFIX) + 2 * n);
        memset(bytes, 0x5a, sizeof bytes);
        memset(text, 0x5a, sizeof text);
        memset(untouched, 0x5a, sizeof untouched);
        ck_assert_uint_eq(podium_aggregate_encode(&a, bytes, n - 1), n);
        ck_assert_uint_eq(podium_aggregate_format(&a, text, length), length); /* no room for the final 0 */
        ck_assert(memcmp(bytes, untouched, sizeof bytes) == 0 && memcmp(text, untouched, sizeof untouched) == 0);
        ck_assert_uint_eq(podium_aggregate_encode(&a, bytes, n), n);
        ck_assert_uint_eq(podium_aggregate_format(&a, text, length + 1), length);
        ck_assert(memcmp(bytes + n, untouched, sizeof bytes - n) == 0 && text[length + 1] == 0x5a);
        ck_assert_int_eq(decode(bytes, n), PODIUM_OK);
        ck_assert_int_eq(parse(text, length), PODIUM_OK);
    }
}
END_TEST

START_TEST(golden) { /* These bytes must stay readable by every later version. */
    static const unsigned char start[] = {'P',  'O',  'D', 'A', 1, 2, 22,   0,    0, 0, 0, /* Laplace; no flags */
                                          0x00, 0x00, 0,   0,                              /* bins: see below */
                                          0,    0,    0,   0,   0, 0, 0xf0, 0x3f, 0, 0, 0,
                                          0,    0,    0,   0,   0,                 /* epsilon 1, min 0 */
                                          0,    0,    0,   0,   0, 0, 0x24, 0x40}; /* max 10 */
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX], expected[sizeof start];
    podium_collection c = some_collection(PODIUM_MECHANISM_LAPLACE);
    podium_aggregate a = empty_of(&c);
    const uint32_t bins = podium_sums_of(&a)->bin_count;
    memcpy(expected, start, sizeof start);
    expected[6] = (unsigned char)podium_sums_of(&a)->bin_bits;
    expected[11] = (unsigned char)bins, expected[12] = (unsigned char)(bins >> 8);
    size_t n = podium_aggregate_encode(&a, bytes, sizeof bytes);
    ck_assert_uint_eq(n, 95 + bins); /* one byte for each empty bin */
    ck_assert(memcmp(bytes, expected, sizeof expected) == 0);
    for (unsigned i = 0; i < 8; i++)
        ck_assert_uint_eq(bytes[sizeof expected + i], podium_collection_fingerprint(&c) >> 8 * i & 255);
}
END_TEST

/* If the mechanism has a parameter, a flag is set, and the parameter is before the bins. */
START_TEST(golden_parameters) {
    static const unsigned char cells[] = {0, 1, 0, 0, 0, 0, 0, 0}, spread[] = {0, 0, 0, 0, 0, 0, 0xb0, 0x3f};
    static const unsigned char flags[] = {1, 0, 0, 0};
    podium_spec tuned = {
        .mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 1, .min = 0, .max = 1, .spread = 1 / 16.0};
    podium_collection all[] = {collection_from(&tuned), minimax_of(2, 0)};
    for (size_t i = 0; i < LENGTH(all); i++) {
        unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
        podium_aggregate a = empty_of(&all[i]);
        ck_assert_uint_eq(podium_aggregate_encode(&a, bytes, sizeof bytes), 95 + 8 + podium_sums_of(&a)->bin_count);
        ck_assert_uint_eq(bytes[5], i == 0 ? 7 : 8);
        ck_assert(memcmp(bytes + 7, flags, sizeof flags) == 0);
        ck_assert(memcmp(bytes + 95, i == 0 ? spread : cells, 8) == 0);
        ck_assert(round_trip(&a));
    }
}
END_TEST

static size_t some_bytes(int k, unsigned char *bytes) {
    uint64_t seed = 305;
    podium_collection c = some_collection(k);
    uint32_t cells[REPORTS];
    some_cells(&c, &seed, cells, REPORTS);
    podium_aggregate a = of_cells(&c, cells, REPORTS);
    return podium_aggregate_encode(&a, bytes, PODIUM_AGGREGATE_BYTES_MAX);
}

START_TEST(truncated_or_longer) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX + 1];
    size_t accepted = 0;
    for (int k = 0; k < COLLECTIONS; k++) {
        size_t n = some_bytes(k, bytes);
        ck_assert_int_eq(decode(bytes, n), PODIUM_OK);
        for (size_t shorter = 0; shorter < n; shorter++)
            accepted += decode(bytes, shorter) != PODIUM_ERROR_TEXT_MALFORMED;
        for (unsigned byte = 0; byte < 256; byte++) {
            bytes[n] = (unsigned char)byte;
            accepted += decode(bytes, n + 1) != PODIUM_ERROR_TEXT_MALFORMED;
        }
    }
    ck_assert_uint_eq(accepted, 0);
}
END_TEST

/* Without reports, the bins must still be those of the collection. */
START_TEST(nothing_counted) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        podium_aggregate a = empty_of(&c);
        podium_sums *sums = podium_sums_in(&a);
        ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&a, bytes, sizeof bytes)), PODIUM_OK);
        sums->bin_bits ^= 1;
        ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&a, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
        sums->bin_bits ^= 1, sums->bin_count--;
        ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&a, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
    }
}
END_TEST

START_TEST(every_bit) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    for (int k = 0; k < COLLECTIONS; k++) {
        /* The parameter, like the bins after it. */
        size_t n = some_bytes(k, bytes), head_accepted = 0, bins_accepted = 0;
        for (size_t bit = 0; bit < 8 * n; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            podium_status status = decode(bytes, n);
            const bool mark = bit == 7 * 8 + 1;               /* the flag for a subtraction, which may be set */
            if (status == PODIUM_OK && bit / 8 < 47 && !mark) /* the spec, the number of bins and the fingerprint */
                head_accepted += bit / 8 < 11 || bit / 8 >= 15;
            bins_accepted += status == PODIUM_OK && bit / 8 >= 95; /* they no longer add up to the count */
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        ck_assert_uint_eq(head_accepted, 0);
        ck_assert_uint_eq(bins_accepted, 0);
    }
}
END_TEST

static podium_status decode_changed(size_t at, unsigned char byte) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    size_t n = some_bytes(PODIUM_MECHANISM_LAPLACE, bytes);
    bytes[at] = byte;
    return decode(bytes, n);
}

START_TEST(wrong_heads) {
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(decode_changed(i, 'x'), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(decode_changed(4, 0), PODIUM_ERROR_VERSION_UNKNOWN);
    ck_assert_int_eq(decode_changed(4, 2), PODIUM_ERROR_VERSION_UNKNOWN);
    ck_assert_int_eq(decode_changed(5, (unsigned char)podium_mechanism_count()), PODIUM_ERROR_MECHANISM_UNKNOWN);
    ck_assert_int_eq(decode_changed(5, 255), PODIUM_ERROR_MECHANISM_UNKNOWN);
    ck_assert_int_eq(decode_changed(5, PODIUM_MECHANISM_DUCHI), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(decode_changed(5, PODIUM_MECHANISM_PODIUM_TUNED),
                     PODIUM_ERROR_TEXT_MALFORMED); /* without its parameter */
    ck_assert_int_eq(decode_changed(5, PODIUM_MECHANISM_MINIMAX), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(decode_changed(7, 1), PODIUM_ERROR_TEXT_MALFORMED); /* a parameter, which Laplace does not have */
    ck_assert_int_eq(decode_changed(5, PODIUM_MECHANISM_STAIRCASE), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(decode_changed(6, 23), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(decode_changed(6, 255), PODIUM_ERROR_TEXT_MALFORMED);
    for (size_t i = 7; i < 11; i++)
        ck_assert_int_eq(decode_changed(i, i == 7 ? 4 : 1), PODIUM_ERROR_VERSION_UNKNOWN); /* flags */
    ck_assert_int_eq(decode_changed(7, 3), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(decode_changed(14, 1), PODIUM_ERROR_TEXT_MALFORMED); /* 2^24 bins */
    ck_assert_int_eq(decode_changed(22, 0x41), PODIUM_ERROR_EPSILON_TOO_LARGE);
    ck_assert_int_eq(decode_changed(30, 0x80), PODIUM_ERROR_TEXT_MALFORMED); /* -0, which is written as 0 */
    ck_assert_int_eq(decode_changed(39, 0), PODIUM_ERROR_FINGERPRINT_WRONG);
}
END_TEST

/* The parameter: values that no spec can have, the value of another spec, and none where one is needed */
static podium_status with_parameter(podium_mechanism mechanism, uint64_t parameter, bool flag) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    size_t n = some_bytes((int)mechanism, bytes);
    for (unsigned i = 0; i < 8; i++)
        bytes[95 + i] = (unsigned char)(parameter >> 8 * i);
    bytes[7] = flag;
    return decode(bytes, n);
}

START_TEST(wrong_parameters) {
    ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_MINIMAX, 256, true), PODIUM_OK);
    ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_MINIMAX, 256, false), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_MINIMAX, 255, true), PODIUM_ERROR_FINGERPRINT_WRONG);
    static const uint64_t cells[] = {0, 1, 65537, (uint64_t)1 << 32, ((uint64_t)1 << 32) + 256, UINT64_MAX};
    for (size_t i = 0; i < LENGTH(cells); i++) /* 0 is never written: it stands for 256 in a spec only */
        ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_MINIMAX, cells[i], true), PODIUM_ERROR_CELLS_WRONG);
    ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_PODIUM_TUNED, podium_bits_of(1 / 12.0), true), PODIUM_OK);
    ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_PODIUM_TUNED, podium_bits_of(1 / 12.0), false),
                     PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_PODIUM_TUNED, podium_bits_of(1 / 16.0), true),
                     PODIUM_ERROR_FINGERPRINT_WRONG);
    const double spreads[] = {nextafter(0.25, 1), -0.01, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < LENGTH(spreads); i++)
        ck_assert_int_eq(with_parameter(PODIUM_MECHANISM_PODIUM_TUNED, podium_bits_of(spreads[i]), true),
                         PODIUM_ERROR_SPREAD_WRONG);
}
END_TEST

START_TEST(minus_zero_spread) { /* -0 is written as 0, and rejected when it is read. */
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 1, .min = 0, .max = 1, .spread = -0.0};
    podium_collection c = collection_from(&spec);
    podium_aggregate a = empty_of(&c);
    size_t n = podium_aggregate_encode(&a, bytes, sizeof bytes);
    ck_assert_int_eq(decode(bytes, n), PODIUM_OK);
    bytes[95 + 7] = 0x80;
    ck_assert_int_eq(decode(bytes, n), PODIUM_ERROR_TEXT_MALFORMED);
}
END_TEST

/* Sums that no cells in these bins can have, from which estimates would be nonsense */
START_TEST(impossible_sums) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    uint64_t bin = (uint64_t)1 << 22, first = 3 * bin, last = 4 * bin - 1;
    uint32_t cells[] = {(uint32_t)first, (uint32_t)last};
    podium_aggregate good = of_cells(&c, cells, 2), bad = good;
    podium_sums *wrong = podium_sums_in(&bad);
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&good, bytes, sizeof bytes)), PODIUM_OK);
    wrong->sum.low = 2 * first - 1;
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&bad, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
    wrong->sum.low = 2 * last + 1;
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&bad, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
    bad = good;
    wrong->squares.low = 2 * first * first - 1;
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&bad, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
    wrong->squares.low = 2 * last * last + 1;
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&bad, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
    wrong->squares.low = 2 * first * first; /* possible by itself, but two reports with this sum have larger squares */
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&bad, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
    bad = good;
    wrong->count = 3;
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&bad, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
    bad = good;
    wrong->bins[0] = UINT64_MAX, wrong->bins[1] = 1; /* their sum is 0 modulo 2^64 */
    ck_assert_int_eq(decode(bytes, podium_aggregate_encode(&bad, bytes, sizeof bytes)), PODIUM_ERROR_TEXT_MALFORMED);
}
END_TEST

/* ---- Forged ---- */

/* An aggregate of one report that is worth at most 2^32 */
static podium_aggregate forged(const podium_collection *c, uint32_t bin, uint64_t worth) {
    podium_aggregate aggregate = empty_of(c);
    podium_sums *a = podium_sums_in(&aggregate);
    a->count = a->bins[bin] = 1;
    a->sum = (podium_sum){worth, 0};
    a->squares = (podium_sum){worth * worth, worth >> 32};
    return aggregate;
}

static bool decodes(const podium_collection *c, const podium_aggregate *a) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    podium_aggregate decoded;
    return podium_aggregate_decode(c, &decoded, bytes, podium_aggregate_encode(a, bytes, sizeof bytes)) == PODIUM_OK;
}

static double mean_of(const podium_collection *c, const podium_aggregate *a) {
    static podium_summary summary;
    ck_assert_int_eq(podium_summary_make(c, NULL, &summary, a, NULL), PODIUM_OK);
    return summary.mean;
}

/* Forges one report of any worth in any bin among honest ones. If the aggregate decodes, it must move the mean by no
   more than one report can. Returns how many were decoded. */
static size_t forge_reports(const podium_collection *c, uint64_t *seed) {
    enum { HONEST = 1000 };
    uint32_t cells[HONEST];
    some_cells(c, seed, cells, HONEST);
    podium_aggregate honest = of_cells(c, cells, HONEST);
    const podium_layout *layout = podium_layout_of(c);
    const uint32_t bins = podium_sums_of(&honest)->bin_count, bin_bits = podium_sums_of(&honest)->bin_bits;
    const double before = mean_of(c, &honest), most = podium_collection_influence(c, 1, HONEST + 1);
    size_t accepted = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        const uint64_t first = (uint64_t)bin << bin_bits, last = first + ((uint64_t)1 << bin_bits) - 1;
        const uint64_t worths[] = {0,     1,    layout->worth_most, layout->worth_most + 1,           UINT32_MAX,
                                   first, last, last + 1,           worth_of(layout, (uint32_t)first)};
        for (size_t i = 0; i < LENGTH(worths); i++) {
            podium_aggregate evil = forged(c, bin, worths[i]), all = honest;
            if (!decodes(c, &evil))
                continue;
            accepted++;
            ck_assert_int_eq(podium_aggregate_merge(&all, &evil), PODIUM_OK);
            ck_assert_double_le(fabs(mean_of(c, &all) - before), most * (1 + 1e-9));
        }
    }
    return accepted;
}

START_TEST(forged_reports) {
    static const double epsilons[] = {0.3, 1, 5};
    uint64_t seed = 314;
    FOR_EACH_MECHANISM (m)
        for (size_t e = (size_t)m % TEST_STRIDE; e < LENGTH(epsilons); e += TEST_STRIDE) {
            podium_collection c = collection_of(m, epsilons[e], 1, 120);
            ck_assert_uint_ge(forge_reports(&c, &seed),
                              podium_collection_cells(&c) == 2 ? 2 : 200); /* honest reports are among them */
        }
    podium_collection fine = minimax_of(1, 4096);
    ck_assert_uint_ge(forge_reports(&fine, &seed), 1000);
}
END_TEST

/* In Hybrid's upper half, which has two outputs, reports are counted in only two bins; the others must be rejected. */
START_TEST(forged_bins) {
    podium_collection c = collection_of(PODIUM_MECHANISM_HYBRID, 2, 0, 1);
    size_t accepted = 0;
    for (uint32_t bin = 512; bin < 1024; bin++) {
        podium_aggregate a = forged(&c, bin, podium_layout_of(&c)->worth.pair.low);
        accepted += decodes(&c, &a);
    }
    ck_assert_uint_eq(accepted, 1);
}
END_TEST

static podium_aggregate shifted(podium_aggregate a, int sum, int squares) {
    podium_sums_in(&a)->sum.low += (uint64_t)(int64_t)sum;
    podium_sums_in(&a)->squares.low += (uint64_t)(int64_t)squares;
    return a;
}

/* Reports with a given sum have the least squares if they are equal, and the greatest if they are at the ends of
   their bins. Squares slightly beyond either limit are rejected. If each bin is one cell, only one sum of squares is
   possible. */
START_TEST(forged_squares) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1),
                      coarse = collection_of(PODIUM_MECHANISM_MINIMAX, 1, 0, 1);
    const uint32_t bin = (uint32_t)1 << 22, low = 7 * bin, high = 8 * bin - 1, other = 900 * bin;
    const uint32_t alike[] = {low + 10, low + 10, low + 11, other},
                   apart[] = {low, low, low + 777, high, high, other + bin - 1};
    podium_aggregate least = of_cells(&c, alike, 4), most = of_cells(&c, apart, 6), one = of_cells(&c, alike, 1);
    ck_assert(decodes(&c, &least) && decodes(&c, &most) && decodes(&c, &one));
    const podium_aggregate wrong[] = {shifted(least, 0, -2), shifted(most, 0, 2),  shifted(one, 0, 2),
                                      shifted(one, 0, -2),   shifted(least, 0, 1), shifted(most, 1, 0)};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert(!decodes(&c, &wrong[i]));
    podium_aggregate few = of_cells(&coarse, (uint32_t[]){3, 200, 200}, 3);
    ck_assert(decodes(&coarse, &few));
    const podium_aggregate bent[] = {shifted(few, 0, 2), shifted(few, 2, 0), shifted(few, -2, -2)};
    for (size_t i = 0; i < LENGTH(bent); i++)
        ck_assert(!decodes(&coarse, &bent[i]));
}
END_TEST

/* The sums of real reports are always possible, whether they are few or many, all equal, or at the ends of bins. */
START_TEST(honest_sums) {
    uint64_t seed = 315;
    for (int k = 0; k < COLLECTIONS; k++) {
        podium_collection c = some_collection(k);
        const podium_aggregate none = empty_of(&c);
        const uint32_t mask = ((uint32_t)1 << podium_sums_of(&none)->bin_bits) - 1;
        const uint64_t count = podium_collection_cells(&c);
        size_t refused = 0;
        for (size_t n = 1; n <= 300; n++) {
            uint32_t cells[300];
            some_cells(&c, &seed, cells, n);
            for (size_t i = 0; i < n; i++) {
                /* As drawn, the same as the last one, or at an end of its bin. */
                const uint64_t kind = seeded_word(&seed) % 4;
                const uint32_t end = kind == 2 ? cells[i] & ~mask : cells[i] | mask;
                cells[i] = kind == 0 ? cells[i] : kind == 1 ? cells[i / 2] : end < count ? end : cells[i];
            }
            podium_aggregate a = of_cells(&c, cells, n);
            refused += !decodes(&c, &a);
        }
        ck_assert_uint_eq(refused, 0);
    }
}
END_TEST

START_TEST(decoded_for_another) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1),
                      another = collection_of(PODIUM_MECHANISM_PODIUM, 2, 0, 1);
    podium_aggregate a = of_cells(&c, (uint32_t[]){1, 2}, 2), decoded;
    podium_spec spec;
    memset(&spec, 0, sizeof spec);
    size_t n = podium_aggregate_encode(&a, bytes, sizeof bytes);
    ck_assert_int_eq(podium_aggregate_decode(&another, &decoded, bytes, n), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_aggregate_peek(&spec, bytes, n), PODIUM_OK);
    ck_assert(memcmp(&spec, &podium_sums_of(&a)->spec, sizeof spec) == 0);
    ck_assert_int_eq(podium_aggregate_peek(&spec, bytes, 50), PODIUM_ERROR_TEXT_MALFORMED);
    n = podium_aggregate_format(&a, text, sizeof text);
    memset(&spec, 0, sizeof spec);
    ck_assert_int_eq(podium_aggregate_peek(&spec, text, n), PODIUM_OK);
    ck_assert(memcmp(&spec, &podium_sums_of(&a)->spec, sizeof spec) == 0);
    ck_assert_int_eq(podium_aggregate_parse(&another, &decoded, text, n), PODIUM_ERROR_FINGERPRINT_WRONG);
    ck_assert_int_eq(podium_aggregate_peek(&spec, text, n - 1), PODIUM_ERROR_TEXT_MALFORMED);
}
END_TEST

START_TEST(needless_bytes) { /* A number in more bytes than it needs, or with more than 64 bits, is rejected. */
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_aggregate none = empty_of(&c), most = with_bins(&c, UINT64_MAX, 1);
    size_t n = podium_aggregate_encode(&none, bytes, sizeof bytes);
    bytes[n - 1] = 0x80, bytes[n] = 0;
    ck_assert_int_eq(decode(bytes, n + 1), PODIUM_ERROR_TEXT_MALFORMED);
    bytes[n - 1] = 0x80;
    ck_assert_int_eq(decode(bytes, n), PODIUM_ERROR_TEXT_MALFORMED); /* the last byte says that more follow */
    n = podium_aggregate_encode(&most, bytes, sizeof bytes);
    ck_assert_int_eq(decode(bytes, n), PODIUM_OK);
    ck_assert_uint_eq(bytes[95 + 9], 1); /* the 64th bit */
    bytes[95 + 9] = 3;
    ck_assert_int_eq(decode(bytes, n), PODIUM_ERROR_TEXT_MALFORMED);
    bytes[95 + 9] = 0x81;
    ck_assert_int_eq(decode(bytes, n), PODIUM_ERROR_TEXT_MALFORMED);
}
END_TEST

START_TEST(wrong_text) {
    static char text[PODIUM_AGGREGATE_TEXT_MAX + 2];
    static const char bad[] = "gGxA \n\t-.\x80";
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    podium_aggregate a = empty_of(&c);
    size_t n = podium_aggregate_format(&a, text, sizeof text), accepted = 0;
    ck_assert_int_eq(parse(text, n), PODIUM_OK);
    for (size_t shorter = 0; shorter < n; shorter++)
        accepted += parse(text, shorter) != PODIUM_ERROR_TEXT_MALFORMED;
    accepted += parse(text, n + 1) != PODIUM_ERROR_TEXT_MALFORMED; /* its final 0 */
    text[n + 1] = '\0';
    accepted += parse(text, n + 2) != PODIUM_ERROR_TEXT_MALFORMED;
    for (size_t i = 0; i < n; i++) {
        char byte = text[i];
        for (size_t k = 0; k < sizeof bad; k++) { /* including a 0 byte */
            text[i] = bad[k];
            accepted += bad[k] != byte && parse(text, n) != PODIUM_ERROR_TEXT_MALFORMED;
        }
        text[i] = byte;
    }
    ck_assert_uint_eq(accepted, 0);
    memset(text + n, '0', sizeof text - n);
    ck_assert_int_eq(parse(text, sizeof text - 1), PODIUM_ERROR_TEXT_MALFORMED); /* too long by far */
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("aggregate");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, sums_are_exact);
    tcase_add_test(tests, sums_carry);
    tcase_add_test(tests, in_any_chunks);
    tcase_add_test(tests, strangers_in_arrays);
    tcase_add_test(tests, edges_in_arrays);
    tcase_add_test(tests, in_any_order);
    tcase_add_test(tests, in_any_number_of_threads);
    tcase_add_test(tests, with_oneself);
    tcase_add_test(tests, what_lies_between_the_fields);
    tcase_add_test(tests, what_it_says_of_itself);
    tcase_add_test(tests, minimax_reports_go_home);
    tcase_add_test(tests, minimax_reports_are_indexed);
    tcase_add_test(tests, hybrid_reports_go_home);
    tcase_add_test(tests, refused_reports);
    tcase_add_test(tests, refused_between_outputs);
    tcase_add_test(tests, refused_cells);
    tcase_add_test(tests, other_collections);
    tcase_add_test(tests, full);
    tcase_add_test(tests, refused_without_end);
    tcase_add_test(tests, not_initialised);
    tcase_add_test(tests, as_if_never_added);
    tcase_add_test(tests, sums_borrow);
    tcase_add_test(tests, never_added);
    tcase_add_test(tests, subtraction_is_remembered);
    tcase_add_test(tests, there_and_back);
    tcase_add_test(tests, longest_bytes);
    tcase_add_test(tests, too_small_a_buffer);
    tcase_add_test(tests, golden);
    tcase_add_test(tests, golden_parameters);
    tcase_add_test(tests, truncated_or_longer);
    tcase_add_test(tests, nothing_counted);
    tcase_add_test(tests, every_bit);
    tcase_add_test(tests, wrong_heads);
    tcase_add_test(tests, wrong_parameters);
    tcase_add_test(tests, minus_zero_spread);
    tcase_add_test(tests, impossible_sums);
    tcase_add_test(tests, forged_reports);
    tcase_add_test(tests, forged_bins);
    tcase_add_test(tests, forged_squares);
    tcase_add_test(tests, honest_sums);
    tcase_add_test(tests, decoded_for_another);
    tcase_add_test(tests, needless_bytes);
    tcase_add_test(tests, wrong_text);
    return run_tests("aggregate", tests);
}
