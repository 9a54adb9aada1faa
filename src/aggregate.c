/*
 * Aggregate: counts and exact integer sums of reports. Adding and merging are integer additions, so no order, thread or
 * machine changes a bit of the outcome.
 *
 * Nothing can overflow while count stays below 2^64: a cell is worth less than 2^32, so n of them are worth less than
 * 2^32 n, and their squares less than 2^64 n.
 */
#include "internal.h"
#include "wide.h"

/* ---- 128-bit sums ---- */

static bool sum_add(podium_sum *sum, podium_sum other) {
    uint64_t low = sum->low + other.low, carry = low < other.low;
    uint64_t high = sum->high + other.high, over = high < other.high;
    sum->low = low;
    sum->high = high + carry;
    return !over && sum->high >= carry;
}

static podium_sum product(uint64_t a, uint64_t b) {
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);
    return (podium_sum){other << 32 | (low & UINT32_MAX), (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32)};
}

static bool sum_at_most(podium_sum a, podium_sum b) {
    return a.high != b.high ? a.high < b.high : a.low <= b.low;
}

/* a - b for b <= a */
static podium_sum sum_less(podium_sum a, podium_sum b) {
    return (podium_sum){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

/* n times the sum of squares is at least the square of the sum: Cauchy and Schwarz, and estimate.c relies on it. */
static bool squares_suffice(uint64_t n, podium_sum sum, podium_sum squares) {
    wide s = wide_from_two(sum.low, sum.high);
    return wide_at_most(wide_multiply(s, s), wide_multiply(wide_from(n), wide_from_two(squares.low, squares.high)));
}

/* ---- Adding, merging, subtracting ---- */

static uint32_t bin_bits(uint64_t cells) {
    uint32_t bits = 0;
    while ((cells - 1) >> bits >= PODIUM_BINS_MAX)
        bits++;
    return bits;
}

static uint32_t bin_count(uint64_t cells) {
    return (uint32_t)((cells - 1) >> bin_bits(cells)) + 1;
}

/* The same without counting up to them: each report of a row may ask. */
static bool bins_are(const podium_aggregate *aggregate, uint64_t cells) {
    const uint32_t bits = aggregate->bin_bits, last = aggregate->bin_count - 1;
    return bits < 64 && last < PODIUM_BINS_MAX && (cells - 1) >> bits == last &&
           (bits == 0 || (cells - 1) >> (bits - 1) >= PODIUM_BINS_MAX);
}

void podium_aggregate_init(podium_aggregate *aggregate, const podium_collection *collection) {
    memset(aggregate, 0, sizeof *aggregate); /* field by field: memcmp sees what lies between them, and the sign of 0 */
    aggregate->spec.mechanism = collection->spec.mechanism;
    aggregate->spec.epsilon = collection->spec.epsilon;
    aggregate->spec.min = collection->spec.min + 0.0;
    aggregate->spec.max = collection->spec.max + 0.0;
    aggregate->spec.spread = collection->spec.spread + 0.0;
    aggregate->spec.levels = collection->spec.levels;
    aggregate->fingerprint = collection->fingerprint;
    aggregate->bin_bits = bin_bits(collection->cells);
    aggregate->bin_count = bin_count(collection->cells);
}

bool podium_aggregate_fits(const podium_aggregate *aggregate, const podium_collection *collection) {
    return aggregate->fingerprint == collection->fingerprint && bins_are(aggregate, collection->cells);
}

static podium_status may_add(const podium_aggregate *aggregate, const podium_collection *collection, size_t n) {
    if (!podium_aggregate_fits(aggregate, collection))
        return PODIUM_FINGERPRINT_WRONG;
    if (UINT64_MAX - aggregate->count < n || UINT64_MAX - aggregate->refused < n)
        return PODIUM_AGGREGATE_FULL;
    return PODIUM_OK;
}

/* Hybrid's upper half has two outputs: each is counted as its first cell, which is what its report is read as. */
static uint32_t as_reported(const podium_collection *collection, uint32_t cell) {
    uint32_t half = (uint32_t)podium_step_cells(collection), output = half / 2;
    if (collection->pair_coin == 0 || cell < half)
        return cell;
    return cell - half < output ? half : half + output;
}

/* What some reports add up to, so few that 64 bits hold their sum: kept in registers */
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

static void add_tally(podium_aggregate *aggregate, const tally *t, size_t n) {
    aggregate->count += t->count;
    aggregate->refused += n - t->count;
    sum_add(&aggregate->sum, (podium_sum){t->sum, 0});
    sum_add(&aggregate->squares, t->squares);
}

/* Cells that are worth their numbers, from their reports: (report - first)/spacing is nearest to it. */
static void add_straight(podium_aggregate *aggregate, const podium_collection *collection, const double *reports,
                         size_t n) {
    const double first = collection->first, spacing = collection->spacing;
    const uint32_t bits = aggregate->bin_bits;
    double worths[BLOCK];
    tally t = {0};
    for (size_t i = 0; i < n; i++)
        worths[i] = (reports[i] - first) / spacing;
    for (size_t i = 0; i < n; i++)
        if (podium_worth_exists(collection, worths[i])) {
            uint64_t cell = (uint64_t)(int64_t)(worths[i] + 0.5);
            tally_add(&t, cell);
            aggregate->bins[cell >> bits]++;
        }
    add_tally(aggregate, &t, n);
}

static void add_looked_up(podium_aggregate *aggregate, const podium_collection *collection, const double *reports,
                          size_t n) {
    tally t = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t cell;
        if (!podium_cell_worth(collection, &cell, (reports[i] - collection->first) / collection->spacing))
            continue;
        tally_add(&t, podium_worth(collection, cell));
        aggregate->bins[as_reported(collection, cell) >> aggregate->bin_bits]++;
    }
    add_tally(aggregate, &t, n);
}

podium_status podium_aggregate_add(podium_aggregate *aggregate, const podium_collection *collection,
                                   const double *reports, size_t n) {
    const podium_status status = may_add(aggregate, collection, n);
    const bool straight = podium_is_straight(collection) && collection->cells > 2; /* of two, some are refused */
    for (size_t done = 0; status == PODIUM_OK && done < n; done += BLOCK)
        (straight ? add_straight : add_looked_up)(aggregate, collection, reports + done,
                                                  n - done < BLOCK ? n - done : BLOCK);
    return status;
}

static void add_cells(podium_aggregate *aggregate, const podium_collection *collection, const uint32_t *cells,
                      size_t n) {
    const bool straight = podium_is_straight(collection);
    tally t = {0};
    for (size_t i = 0; i < n; i++)
        if (cells[i] < collection->cells) {
            tally_add(&t, straight ? cells[i] : podium_worth(collection, cells[i]));
            aggregate->bins[as_reported(collection, cells[i]) >> aggregate->bin_bits]++;
        }
    add_tally(aggregate, &t, n);
}

podium_status podium_aggregate_add_cells(podium_aggregate *aggregate, const podium_collection *collection,
                                         const uint32_t *cells, size_t n) {
    const podium_status status = may_add(aggregate, collection, n);
    for (size_t done = 0; status == PODIUM_OK && done < n; done += BLOCK)
        add_cells(aggregate, collection, cells + done, n - done < BLOCK ? n - done : BLOCK);
    return status;
}

static bool of_one_collection(const podium_aggregate *a, const podium_aggregate *b) {
    return a->fingerprint == b->fingerprint && a->bin_bits == b->bin_bits && a->bin_count == b->bin_count;
}

podium_status podium_aggregate_merge(podium_aggregate *aggregate, const podium_aggregate *other) {
    if (!of_one_collection(aggregate, other))
        return PODIUM_FINGERPRINT_WRONG;
    if (UINT64_MAX - aggregate->count < other->count || UINT64_MAX - aggregate->refused < other->refused)
        return PODIUM_AGGREGATE_FULL;
    aggregate->count += other->count;
    aggregate->refused += other->refused;
    sum_add(&aggregate->sum, other->sum);
    sum_add(&aggregate->squares, other->squares);
    for (uint32_t i = 0; i < aggregate->bin_count; i++)
        aggregate->bins[i] += other->bins[i];
    return PODIUM_OK;
}

/* Nothing may fall below zero, and what is left must have moments that estimate.c can work with. */
static bool holds(const podium_aggregate *a, const podium_aggregate *other) {
    bool all = other->count <= a->count && other->refused <= a->refused && sum_at_most(other->sum, a->sum) &&
               sum_at_most(other->squares, a->squares);
    for (uint32_t i = 0; i < a->bin_count; i++)
        all &= other->bins[i] <= a->bins[i];
    return all &&
           squares_suffice(a->count - other->count, sum_less(a->sum, other->sum), sum_less(a->squares, other->squares));
}

podium_status podium_aggregate_subtract(podium_aggregate *aggregate, const podium_aggregate *other) {
    if (!of_one_collection(aggregate, other))
        return PODIUM_FINGERPRINT_WRONG;
    if (!holds(aggregate, other))
        return PODIUM_NEVER_ADDED;
    aggregate->count -= other->count;
    aggregate->refused -= other->refused;
    aggregate->sum = sum_less(aggregate->sum, other->sum);
    aggregate->squares = sum_less(aggregate->squares, other->squares);
    for (uint32_t i = 0; i < aggregate->bin_count; i++)
        aggregate->bins[i] -= other->bins[i];
    return PODIUM_OK;
}

/* ---- Bytes ---- */

/*
 * "PODA", version, mechanism, bin_bits: a byte each but the first; flags, bin_count: 4; then 8 each, least significant
 * first: epsilon, min, max by their bits, fingerprint, count, refused, sum, squares (low, high); with the flag
 * HAS_PARAMETER the mechanism's own parameter, spread by its bits or levels; then the bins, each in as few bytes of 7
 * bits as it needs, the top bit saying that more follow.
 */
#define HAS_PARAMETER 1
#define MAGIC "PODA"
#define VERSION 1
#define HEAD (4 + 3 + 2 * 4 + 10 * 8)

static bool has_parameter(podium_mechanism mechanism) {
    return mechanism == PODIUM_TUNED || mechanism == PODIUM_MINIMAX;
}

typedef struct {
    unsigned char *at;
} writer;

static void put(writer *w, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        *w->at++ = (unsigned char)(value >> 8 * i);
}

static void put_bin(writer *w, uint64_t value) {
    for (; value >= 128; value >>= 7)
        *w->at++ = (unsigned char)(value | 128);
    *w->at++ = (unsigned char)value;
}

size_t podium_aggregate_encode(const podium_aggregate *aggregate, unsigned char *bytes) {
    writer w = {bytes};
    memcpy(w.at, MAGIC, 4);
    w.at += 4;
    put(&w, VERSION, 1);
    put(&w, (uint64_t)aggregate->spec.mechanism, 1);
    put(&w, aggregate->bin_bits, 1);
    put(&w, has_parameter(aggregate->spec.mechanism) ? HAS_PARAMETER : 0, 4);
    put(&w, aggregate->bin_count, 4);
    const uint64_t words[] = {podium_bits_of(aggregate->spec.epsilon),
                              podium_bits_of(aggregate->spec.min + 0.0),
                              podium_bits_of(aggregate->spec.max + 0.0),
                              aggregate->fingerprint,
                              aggregate->count,
                              aggregate->refused,
                              aggregate->sum.low,
                              aggregate->sum.high,
                              aggregate->squares.low,
                              aggregate->squares.high};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put(&w, words[i], 8);
    if (aggregate->spec.mechanism == PODIUM_TUNED)
        put(&w, podium_bits_of(aggregate->spec.spread + 0.0), 8);
    if (aggregate->spec.mechanism == PODIUM_MINIMAX)
        put(&w, aggregate->spec.levels, 8);
    for (uint32_t i = 0; i < aggregate->bin_count; i++)
        put_bin(&w, aggregate->bins[i]);
    return (size_t)(w.at - bytes);
}

typedef struct {
    const unsigned char *at, *end;
    bool bad;
} reader;

static uint64_t get(reader *r, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)*r->at++ << 8 * i;
    return value;
}

/* Refuses what put_bin would not have written: more than 64 bits, or a needless last byte. */
static uint64_t get_bin(reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        uint64_t byte = *r->at++, part = byte & 127;
        if (shift > 63 || part << shift >> shift != part)
            break;
        value |= part << shift;
        if (byte < 128) {
            r->bad |= byte == 0 && shift > 0;
            return value;
        }
    }
    r->bad = true;
    return 0;
}

/* What a cell of these bins is worth is told by its number, or by an output map. */
static bool worth_is_cell(podium_mechanism mechanism) {
    return mechanism != PODIUM_MINIMAX && mechanism != PODIUM_HYBRID;
}

/* Are the bins those of the collection? Sums betray wrong ones, but not where there is a map, nor where there is
   nothing to add up. */
static bool bins_fit(const podium_aggregate *a) {
    podium_collection collection;
    if (!worth_is_cell(a->spec.mechanism))
        return bins_are(a, podium_mapped_cells(&a->spec));
    return a->count > 0 ||
           (podium_collection_init(&collection, &a->spec) == PODIUM_OK && bins_are(a, collection.cells));
}

/* The bins must add up to the count, and leave room for the sums. */
static bool consistent(const podium_aggregate *a) {
    bool told = worth_is_cell(a->spec.mechanism);
    podium_sum count = {0, 0}, least = {0, 0}, most = {0, 0}, least_square = {0, 0}, most_square = {0, 0};
    bool fits = true;
    for (uint32_t i = 0; i < a->bin_count; i++) {
        uint64_t first = told ? (uint64_t)i << a->bin_bits : 0;
        uint64_t last = told ? (((uint64_t)i + 1) << a->bin_bits) - 1 : UINT32_MAX;
        fits = fits && sum_add(&count, (podium_sum){a->bins[i], 0}) && sum_add(&least, product(a->bins[i], first)) &&
               sum_add(&most, product(a->bins[i], last)) &&
               sum_add(&least_square, product(a->bins[i], first * first)) &&
               sum_add(&most_square, product(a->bins[i], last * last));
    }
    return fits && count.high == 0 && count.low == a->count && sum_at_most(least, a->sum) &&
           sum_at_most(a->sum, most) && sum_at_most(least_square, a->squares) && sum_at_most(a->squares, most_square) &&
           squares_suffice(a->count, a->sum, a->squares);
}

static bool minus_zero(double x) {
    return podium_bits_of(x) != podium_bits_of(x + 0.0);
}

podium_status podium_aggregate_decode(podium_aggregate *aggregate, const unsigned char *bytes, size_t n) {
    podium_aggregate made;
    reader r = {bytes, bytes + n, false};
    if (n < HEAD || memcmp(bytes, MAGIC, 4) != 0)
        return PODIUM_TEXT_MALFORMED;
    memset(&made, 0, sizeof made);
    r.at += 4;
    if (get(&r, 1) != VERSION)
        return PODIUM_VERSION_UNKNOWN;
    made.spec.mechanism = (podium_mechanism)get(&r, 1);
    made.bin_bits = (uint32_t)get(&r, 1);
    uint64_t flags = get(&r, 4);
    if (flags > HAS_PARAMETER) /* flags of the future */
        return PODIUM_VERSION_UNKNOWN;
    if ((flags == HAS_PARAMETER) != has_parameter(made.spec.mechanism) || n < HEAD + 8 * flags)
        return PODIUM_TEXT_MALFORMED;
    made.bin_count = (uint32_t)get(&r, 4);
    made.spec.epsilon = podium_double_of(get(&r, 8));
    made.spec.min = podium_double_of(get(&r, 8));
    made.spec.max = podium_double_of(get(&r, 8));
    made.fingerprint = get(&r, 8);
    made.count = get(&r, 8);
    made.refused = get(&r, 8);
    made.sum.low = get(&r, 8);
    made.sum.high = get(&r, 8);
    made.squares.low = get(&r, 8);
    made.squares.high = get(&r, 8);
    uint64_t parameter = flags == HAS_PARAMETER ? get(&r, 8) : 0;
    if (made.spec.mechanism == PODIUM_TUNED)
        made.spec.spread = podium_double_of(parameter);
    if (made.spec.mechanism == PODIUM_MINIMAX)
        made.spec.levels = parameter > PODIUM_LEVELS_MAX || parameter == 0 ? UINT32_MAX : (uint32_t)parameter;
    podium_status status = podium_spec_check(&made.spec, PODIUM_EPSILON_MAX);
    if (status != PODIUM_OK)
        return status;
    if (made.fingerprint != podium_fingerprint(&made.spec))
        return PODIUM_FINGERPRINT_WRONG;
    if (minus_zero(made.spec.min) || minus_zero(made.spec.max) || minus_zero(made.spec.spread)) /* encode writes 0 */
        return PODIUM_TEXT_MALFORMED;
    if (made.bin_count == 0 || made.bin_count > PODIUM_BINS_MAX || made.bin_bits > 22)
        return PODIUM_TEXT_MALFORMED;
    if (!bins_fit(&made))
        return PODIUM_TEXT_MALFORMED;
    for (uint32_t i = 0; i < made.bin_count; i++)
        made.bins[i] = get_bin(&r);
    if (r.bad || r.at != r.end || !consistent(&made))
        return PODIUM_TEXT_MALFORMED;
    *aggregate = made;
    return PODIUM_OK;
}

/* ---- Text: the bytes in hexadecimal ---- */

static const char digits[] = "0123456789abcdef";

size_t podium_aggregate_write(const podium_aggregate *aggregate, char *text) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    size_t n = podium_aggregate_encode(aggregate, bytes), at = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    memcpy(text, PODIUM_AGGREGATE_PREFIX, at);
    for (size_t i = 0; i < n; i++) {
        text[at++] = digits[bytes[i] >> 4];
        text[at++] = digits[bytes[i] & 15];
    }
    text[at] = '\0';
    return at;
}

podium_status podium_aggregate_read(podium_aggregate *aggregate, const char *text, size_t n) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    const size_t prefix = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    if (n < prefix || (n - prefix) % 2 != 0 || (n - prefix) / 2 > sizeof bytes ||
        memcmp(text, PODIUM_AGGREGATE_PREFIX, prefix) != 0)
        return PODIUM_TEXT_MALFORMED;
    for (size_t i = 0; i < n - prefix; i++) {
        const char *digit = memchr(digits, text[prefix + i], 16);
        if (digit == NULL)
            return PODIUM_TEXT_MALFORMED;
        bytes[i / 2] = (unsigned char)((i % 2 == 0 ? 0 : bytes[i / 2] << 4) | (digit - digits));
    }
    return podium_aggregate_decode(aggregate, bytes, (n - prefix) / 2);
}
