/*
 * Aggregate: counts and exact integer sums of reports. Adding and merging are integer additions, so no order, thread or
 * machine changes a bit of the outcome.
 *
 * Nothing can overflow while count stays below 2^64: a cell is worth less than 2^32, so n of them are worth less than
 * 2^32 n, and their squares less than 2^64 n.
 */
#include "collection/internal.h"
#include "collection/wide.h"

#include <math.h>

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

/* ---- Adding ---- */

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
    aggregate->spec.cells = collection->spec.cells;
    aggregate->fingerprint = collection->fingerprint;
    aggregate->bin_bits = bin_bits(collection->cells);
    aggregate->bin_count = bin_count(collection->cells);
}

bool podium_aggregate_fits(const podium_aggregate *aggregate, const podium_collection *collection) {
    return aggregate->fingerprint == collection->fingerprint && bins_are(aggregate, collection->cells);
}

static podium_status may_add(const podium_aggregate *aggregate, const podium_collection *collection, size_t n) {
    if (!podium_aggregate_fits(aggregate, collection))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (UINT64_MAX - aggregate->count < n || UINT64_MAX - aggregate->refused < n)
        return PODIUM_ERROR_AGGREGATE_FULL;
    return PODIUM_OK;
}

/* Cells that are worth the same are counted as the first of them, which is what their report is read as. See
   podium_bin_cells. */
static uint32_t as_reported(const podium_collection *collection, uint32_t cell) {
    uint32_t half = (uint32_t)podium_step_cells(collection), output = half / 2;
    if (collection->piece_count > 0 && podium_is_flat(collection, cell))
        return cell >> collection->piece_bits << collection->piece_bits;
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

/* Minimax's reports, from their worths: most are in the index. Divisions, and the nearest whole numbers, come first,
   where they are made in parallel: what is added to 2^52 is a double's last digits. */
static void add_indexed(podium_aggregate *aggregate, const podium_collection *collection, const double *reports,
                        size_t n) {
    const double first = collection->first, spacing = collection->spacing;
    const uint32_t bits = aggregate->bin_bits;
    double worths[BLOCK], nearest[BLOCK];
    tally t = {0};
    for (size_t i = 0; i < n; i++) {
        worths[i] = (reports[i] - first) / spacing;
        nearest[i] = worths[i] + 0x1p52;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t worth = (uint32_t)podium_bits_of(nearest[i]), cell;
        if (!podium_index_find(collection, &cell, worth) || !(fabs(worths[i] - worth) <= 0.5)) {
            if (!podium_cell_worth(collection, &cell, worths[i]))
                continue;
            worth = podium_worth_of_piece(collection, cell);
            cell = as_reported(collection, cell);
        }
        tally_add(&t, worth);
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

typedef void adder(podium_aggregate *aggregate, const podium_collection *collection, const double *reports, size_t n);

/* Of two outputs, some reports are refused. */
static adder *adder_for(const podium_collection *collection) {
    if (podium_is_straight(collection) && collection->cells > 2)
        return add_straight;
    return collection->piece_count > 0 ? add_indexed : add_looked_up;
}

podium_status podium_aggregate_add(podium_aggregate *aggregate, const podium_collection *collection,
                                   const double *reports, size_t n) {
    const podium_status status = may_add(aggregate, collection, n);
    adder *add = adder_for(collection);
    for (size_t done = 0; status == PODIUM_OK && done < n; done += BLOCK)
        add(aggregate, collection, reports + done, n - done < BLOCK ? n - done : BLOCK);
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

/* ---- Which sums are possible ---- */

/*
 * An aggregate that comes from elsewhere, or from a subtraction, must be one that reports of its collection could have
 * given: else one forged report could move the mean by more than podium_collection_influence says. What is known of
 * the reports in a bin is that each is worth from least to most. Where a bin is one cell, as it is for up to
 * PODIUM_BINS_MAX cells, the bins therefore determine both sums. Elsewhere the sums have a range.
 */
typedef struct {
    uint64_t least, most;
} bin_worths;

/* The sums over all bins, if every report were worth the least, or the most, that its bin allows */
typedef struct {
    podium_sum least, most, least_squares, most_squares;
} sum_limits;

/* False: a bin counts what no report can be, or the bins do not add up to the count. */
static bool limits_set(sum_limits *limits, bin_worths *worths, const podium_aggregate *a,
                       const podium_collection *collection) {
    podium_sum count = {0, 0};
    *limits = (sum_limits){.least = {0, 0}};
    for (uint32_t i = 0; i < a->bin_count; i++) {
        bin_worths *w = &worths[i];
        const uint64_t n = a->bins[i];
        *w = (bin_worths){0, 0};
        if (!podium_bin_worths(collection, i, a->bin_bits, &w->least, &w->most) && n > 0)
            return false;
        sum_add(&count, (podium_sum){n, 0});
        if (count.high > 0)
            return false;
        sum_add(&limits->least, product(n, w->least));
        sum_add(&limits->most, product(n, w->most));
        sum_add(&limits->least_squares, product(n, w->least * w->least));
        sum_add(&limits->most_squares, product(n, w->most * w->most));
    }
    return count.low == a->count;
}

static bool is_between(podium_sum x, podium_sum least, podium_sum most) {
    return sum_at_most(least, x) && sum_at_most(x, most);
}

/* n times the sum of squares is at least the square of the sum: Cauchy and Schwarz, and estimate.c relies on it. */
static bool squares_suffice(uint64_t n, podium_sum sum, podium_sum squares) {
    wide s = wide_from_two(sum.low, sum.high);
    return wide_at_most(wide_multiply(s, s), wide_multiply(wide_from(n), wide_from_two(squares.low, squares.high)));
}

/* floor(a/n) for a < 2^32 n, digit by digit */
static uint64_t quotient(podium_sum a, uint64_t n) {
    uint64_t q = 0;
    for (uint64_t digit = (uint64_t)1 << 31; digit > 0; digit >>= 1)
        if (sum_at_most(product(n, q | digit), a))
            q |= digit;
    return q;
}

/*
 * The least sum of squares that reports with this sum can have, if bins follow one another in the order of their
 * worths. All reports start at the least that their bins allow, and have `excess` to gain together. Squares stay
 * smallest if the smallest reports gain first, those of one bin together.
 */
static podium_sum squares_least(const podium_aggregate *a, const bin_worths *worths, podium_sum squares,
                                podium_sum excess) {
    for (uint32_t i = 0; i < a->bin_count; i++) {
        const uint64_t n = a->bins[i], least = worths[i].least, most = worths[i].most;
        const podium_sum room = product(n, most - least);
        if (sum_at_most(room, excess)) {
            sum_add(&squares, product(n, most * most - least * least));
            excess = sum_less(excess, room);
            continue;
        }
        const uint64_t level = least + quotient(excess, n);
        const podium_sum rest = sum_less(excess, product(n, level - least)); /* so many of the n gain 1 more */
        sum_add(&squares, product(n, level * level - least * least));
        sum_add(&squares, product(rest.low, 2 * level + 1));
        break;
    }
    return squares;
}

/* The greatest: the largest reports gain first, one after the other. This relies on bins of one width, so the last one
   counts as if it were whole. */
static podium_sum squares_most(const podium_aggregate *a, const bin_worths *worths, podium_sum squares,
                               podium_sum excess) {
    const uint64_t width = ((uint64_t)1 << a->bin_bits) - 1;
    for (uint32_t i = a->bin_count; i-- > 0 && (excess.low | excess.high) != 0;) {
        const uint64_t n = a->bins[i], least = worths[i].least, most = least + width;
        const podium_sum room = product(n, width);
        if (worths[i].most == least)
            continue;
        if (sum_at_most(room, excess)) {
            sum_add(&squares, product(n, most * most - least * least));
            excess = sum_less(excess, room);
            continue;
        }
        const wide whole = wide_divide_small(wide_from_two(excess.low, excess.high), (uint32_t)width);
        const uint64_t full = wide_to_uint64(whole), last = least + sum_less(excess, product(full, width)).low;
        sum_add(&squares, product(full, most * most - least * least));
        sum_add(&squares, (podium_sum){last * last - least * least, 0});
        break;
    }
    return squares;
}

static bool is_possible(const podium_aggregate *a, const podium_collection *collection) {
    bin_worths worths[PODIUM_BINS_MAX];
    sum_limits limits;
    if (!limits_set(&limits, worths, a, collection) || !is_between(a->sum, limits.least, limits.most) ||
        !is_between(a->squares, limits.least_squares, limits.most_squares) ||
        !squares_suffice(a->count, a->sum, a->squares))
        return false;
    if ((a->sum.low ^ a->squares.low) & 1) /* a number is odd if its square is */
        return false;
    if (collection->piece_count > 0) /* Minimax: bins are one cell, or overlap */
        return true;
    const podium_sum excess = sum_less(a->sum, limits.least);
    return is_between(a->squares, squares_least(a, worths, limits.least_squares, excess),
                      squares_most(a, worths, limits.least_squares, excess));
}

/* ---- Merging, subtracting ---- */

static bool of_one_collection(const podium_aggregate *a, const podium_aggregate *b) {
    return a->fingerprint == b->fingerprint && a->bin_bits == b->bin_bits && a->bin_count == b->bin_count;
}

podium_status podium_aggregate_merge(podium_aggregate *aggregate, const podium_aggregate *other) {
    if (!of_one_collection(aggregate, other))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (UINT64_MAX - aggregate->count < other->count || UINT64_MAX - aggregate->refused < other->refused)
        return PODIUM_ERROR_AGGREGATE_FULL;
    aggregate->count += other->count;
    aggregate->refused += other->refused;
    sum_add(&aggregate->sum, other->sum);
    sum_add(&aggregate->squares, other->squares);
    for (uint32_t i = 0; i < aggregate->bin_count; i++)
        aggregate->bins[i] += other->bins[i];
    return PODIUM_OK;
}

/* Nothing may fall below zero: a count and a bin of reports worth 0 that both wrap around would agree with each other.
 */
static bool holds(const podium_aggregate *a, const podium_aggregate *other) {
    bool all = other->count <= a->count && other->refused <= a->refused;
    for (uint32_t i = 0; i < a->bin_count; i++)
        all &= other->bins[i] <= a->bins[i];
    return all;
}

podium_status podium_aggregate_subtract(podium_aggregate *aggregate, const podium_collection *collection,
                                        const podium_aggregate *other) {
    if (!podium_aggregate_fits(aggregate, collection) || !of_one_collection(aggregate, other))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (!holds(aggregate, other))
        return PODIUM_ERROR_NEVER_ADDED;
    podium_aggregate left = *aggregate;
    left.count -= other->count;
    left.refused -= other->refused;
    left.sum = sum_less(left.sum, other->sum);
    left.squares = sum_less(left.squares, other->squares);
    for (uint32_t i = 0; i < left.bin_count; i++)
        left.bins[i] -= other->bins[i];
    if (!is_possible(&left, collection)) /* a sum that wrapped around is larger than any */
        return PODIUM_ERROR_NEVER_ADDED;
    *aggregate = left;
    return PODIUM_OK;
}

/* ---- Bytes ---- */

/*
 * "PODA", version, mechanism, bin_bits: a byte each but the first; flags, bin_count: 4; then 8 each, least significant
 * first: epsilon, min, max by their bits, fingerprint, count, refused, sum, squares (low, high); with the flag
 * HAS_PARAMETER the mechanism's own parameter, spread by its bits or cells; then the bins, each in as few bytes of 7
 * bits as it needs, the top bit saying that more follow.
 */
#define HAS_PARAMETER 1
#define MAGIC "PODA"
#define VERSION 1
#define HEAD (4 + 3 + 2 * 4 + 10 * 8)

static bool has_parameter(podium_mechanism mechanism) {
    return mechanism == PODIUM_MECHANISM_PODIUM_TUNED || mechanism == PODIUM_MECHANISM_MINIMAX;
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
    if (aggregate->spec.mechanism == PODIUM_MECHANISM_PODIUM_TUNED)
        put(&w, podium_bits_of(aggregate->spec.spread + 0.0), 8);
    if (aggregate->spec.mechanism == PODIUM_MECHANISM_MINIMAX)
        put(&w, aggregate->spec.cells, 8);
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

static bool minus_zero(double x) {
    return podium_bits_of(x) != podium_bits_of(x + 0.0);
}

/* All that stands before the bins; the spec and its fingerprint are checked, the numbers are not yet. */
static podium_status get_head(reader *r, podium_aggregate *made) {
    const size_t n = (size_t)(r->end - r->at);
    if (n < HEAD || memcmp(r->at, MAGIC, 4) != 0)
        return PODIUM_ERROR_TEXT_MALFORMED;
    memset(made, 0, sizeof *made);
    r->at += 4;
    if (get(r, 1) != VERSION)
        return PODIUM_ERROR_VERSION_UNKNOWN;
    made->spec.mechanism = (podium_mechanism)get(r, 1);
    made->bin_bits = (uint32_t)get(r, 1);
    uint64_t flags = get(r, 4);
    if (flags > HAS_PARAMETER) /* flags of the future */
        return PODIUM_ERROR_VERSION_UNKNOWN;
    if ((flags == HAS_PARAMETER) != has_parameter(made->spec.mechanism) || n < HEAD + 8 * flags)
        return PODIUM_ERROR_TEXT_MALFORMED;
    made->bin_count = (uint32_t)get(r, 4);
    made->spec.epsilon = podium_double_of(get(r, 8));
    made->spec.min = podium_double_of(get(r, 8));
    made->spec.max = podium_double_of(get(r, 8));
    made->fingerprint = get(r, 8);
    made->count = get(r, 8);
    made->refused = get(r, 8);
    made->sum.low = get(r, 8);
    made->sum.high = get(r, 8);
    made->squares.low = get(r, 8);
    made->squares.high = get(r, 8);
    uint64_t parameter = flags == HAS_PARAMETER ? get(r, 8) : 0;
    if (made->spec.mechanism == PODIUM_MECHANISM_PODIUM_TUNED)
        made->spec.spread = podium_double_of(parameter);
    if (made->spec.mechanism == PODIUM_MECHANISM_MINIMAX)
        made->spec.cells = parameter > PODIUM_MINIMAX_CELLS_MAX || parameter == 0 ? UINT32_MAX : (uint32_t)parameter;
    podium_status status = podium_spec_check(&made->spec, PODIUM_EPSILON_MAX);
    if (status != PODIUM_OK)
        return status;
    if (made->fingerprint != podium_fingerprint(&made->spec))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (minus_zero(made->spec.min) || minus_zero(made->spec.max) || minus_zero(made->spec.spread)) /* encode writes 0 */
        return PODIUM_ERROR_TEXT_MALFORMED;
    return PODIUM_OK;
}

podium_status podium_aggregate_decode(podium_aggregate *aggregate, const podium_collection *collection,
                                      const unsigned char *bytes, size_t n) {
    podium_aggregate made;
    podium_collection own;
    reader r = {bytes, bytes + n, false};
    podium_status status = get_head(&r, &made);
    if (status == PODIUM_OK && collection == NULL)
        status = podium_collection_init(&own, &made.spec);
    if (status != PODIUM_OK)
        return status;
    if (collection == NULL)
        collection = &own;
    if (made.fingerprint != collection->fingerprint)
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (!bins_are(&made, collection->cells))
        return PODIUM_ERROR_TEXT_MALFORMED;
    for (uint32_t i = 0; i < made.bin_count; i++)
        made.bins[i] = get_bin(&r);
    if (r.bad || r.at != r.end || !is_possible(&made, collection))
        return PODIUM_ERROR_TEXT_MALFORMED;
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

/* The bytes of a text; how many, or 0 where it is none. */
static size_t bytes_of_text(unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX], const char *text, size_t n) {
    const size_t prefix = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    if (n < prefix || (n - prefix) % 2 != 0 || (n - prefix) / 2 > PODIUM_AGGREGATE_BYTES_MAX ||
        memcmp(text, PODIUM_AGGREGATE_PREFIX, prefix) != 0)
        return 0;
    for (size_t i = 0; i < n - prefix; i++) {
        const char *digit = memchr(digits, text[prefix + i], 16);
        if (digit == NULL)
            return 0;
        bytes[i / 2] = (unsigned char)((i % 2 == 0 ? 0 : bytes[i / 2] << 4) | (digit - digits));
    }
    return (n - prefix) / 2;
}

podium_status podium_aggregate_read(podium_aggregate *aggregate, const podium_collection *collection, const char *text,
                                    size_t n) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    return podium_aggregate_decode(aggregate, collection, bytes, bytes_of_text(bytes, text, n));
}

podium_status podium_aggregate_spec(podium_spec *spec, const void *state, size_t n) {
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    podium_aggregate made;
    size_t of_text = bytes_of_text(bytes, state, n);
    reader r = {of_text > 0 ? bytes : state, of_text > 0 ? bytes + of_text : (const unsigned char *)state + n, false};
    podium_status status = get_head(&r, &made);
    if (status == PODIUM_OK)
        *spec = made.spec;
    return status;
}
