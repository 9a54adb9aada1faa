/*
 * Collection: a spec checked once and laid out on a grid of cells.
 *
 * How the grid is chosen decides accuracy only. Privacy is decided by threshold.c, which takes the grid as it finds
 * it and has the last word.
 */
#include "collection/internal.h"
#include "collection/minimax.h"
#include "device/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Laplace and Staircase are clamped where the density has fallen by e^30 or more, at least 30 delta/epsilon beyond the
   range. One report in 10^13 is, which moves the mean by less than 10^-12 delta/epsilon. A thinner tail would need
   coins with thresholds too small to be set finely enough for (2) of threshold.c. */
#define CLAMP_DECAY 30

/* Laplace's smooth density is made of 2^10 stairs or more: none is higher than e^(80/1024), and the variance falls
   short of the closed form by less than (80/1024)^2/24. */
#define LAPLACE_COINS 10

/* Podium and Piecewise: the step's share of the support is 1/(1 + u). */
static void step_grid(podium_collection *collection, const podium_shape *shape, uint64_t cells) {
    collection->cells = cells;
    collection->width = (uint64_t)fmax(1, nearbyint((double)cells * (shape->w / (shape->delta * shape->m))));
    collection->places = cells - collection->width;
}

/* Two cells, and the step is one of them. */
static void duchi_grid(podium_collection *collection) {
    collection->cells = 2;
    collection->width = 1;
    collection->places = 1;
}

/* Where Wang et al. (2019) start to mix: below, Duchi's two outputs alone have the smaller worst variance. */
#define HYBRID_EPSILON 0.61

/* Piecewise's cells, as many for Duchi's, and the coin that decides between them; 1 - alpha is e^(-epsilon/2). */
static void hybrid_grid(podium_collection *collection, const podium_shape *piecewise) {
    if (collection->spec.epsilon <= HYBRID_EPSILON) {
        duchi_grid(collection);
        return;
    }
    step_grid(collection, piecewise, PODIUM_CELLS_MAX / 2);
    collection->cells = PODIUM_CELLS_MAX;
    collection->pair_coin = (uint64_t)ldexp(exp(-collection->spec.epsilon / 2), 64);
}

static void minimax_grid(podium_collection *collection, const podium_minimax *minimax) {
    collection->piece_count = minimax->pieces;
    collection->piece_bits = minimax->piece_bits;
    collection->cells = (uint64_t)minimax->pieces << minimax->piece_bits;
    collection->width = (uint64_t)minimax->width << minimax->piece_bits;
    collection->places = collection->cells - collection->width;
}

static uint32_t log2_floor(uint64_t most) {
    uint32_t bits = 0;
    while ((uint64_t)2 << bits <= most)
        bits++;
    return bits;
}

/* Of 2^coins stairs at each side, those in the width of the range: one of a Staircase's, all that epsilon claims of a
   Laplace's. The others are the margin, in which the density must fall by e^CLAMP_DECAY. */
static uint32_t stairs_in_range(const podium_spec *spec, uint32_t coins) {
    double claimed = spec->epsilon / (CLAMP_DECAY + spec->epsilon);
    return spec->mechanism == PODIUM_MECHANISM_LAPLACE ? (uint32_t)ldexp(claimed, (int)coins) : 1;
}

static bool stairs_suffice(const podium_spec *spec, uint32_t coins) {
    double stairs = stairs_in_range(spec, coins);
    return stairs >= 1 && (ldexp(1, (int)coins) - stairs) * spec->epsilon >= CLAMP_DECAY * stairs;
}

static void stairs_grid(podium_collection *collection, const podium_shape *shape) {
    uint32_t coins = collection->spec.mechanism == PODIUM_MECHANISM_LAPLACE ? LAPLACE_COINS : 1;
    while (coins < PODIUM_COINS_MAX && !stairs_suffice(&collection->spec, coins))
        coins++;
    collection->coin_count = coins;
    collection->stairs = stairs_in_range(&collection->spec, coins);
    uint64_t margin = ((uint64_t)1 << collection->coin_count) - collection->stairs; /* in stairs */
    uint32_t bits = log2_floor(PODIUM_CELLS_MAX / (2 * margin + collection->stairs + 1));
    collection->stair_bits = bits;
    collection->margin = margin << bits;
    collection->places = (uint64_t)collection->stairs << bits;
    collection->width = (uint64_t)1 << bits;
    if (collection->spec.mechanism == PODIUM_MECHANISM_STAIRCASE)
        collection->width = 2 * (uint64_t)fmax(1, nearbyint(shape->gamma * (double)collection->places));
    collection->cells = 2 * collection->margin + collection->places + collection->width;
}

/* ---- What a cell is worth ---- */

/* Pieces are worth integers like all else, so that reports still add up exactly. Either half is rounded as the
   lower one is, so that they mirror each other; then the least is made 0. */
static void set_pieces(podium_collection *collection, const podium_minimax *minimax) {
    const double target = 0x1p32 - 0x1p18, cells = ldexp(1, (int)minimax->piece_bits);
    int64_t worth[PODIUM_PIECES_MAX], least = INT64_MAX;
    double most = 0;
    for (uint32_t c = 0; c < minimax->pieces; c++)
        most = fmax(most, fabs(minimax->value[c]) + fabs(minimax->slope[c]) / 2);
    for (uint32_t c = 0; c < minimax->pieces; c++) {
        bool lower = c < minimax->pieces / 2;
        double per_cell = nearbyint(minimax->slope[c] / cells * (target / (2 * most)));
        double start = (lower ? minimax->value[c] : -minimax->value[c]) * (target / (2 * most)) + target / 2;
        collection->piece_slope[c] = (int32_t)per_cell;
        worth[c] = llrint(start - (lower ? 1 : -1) * per_cell * (cells - 1) / 2);
        if (!lower) /* of the last cell, mirrored; now the first one */
            worth[c] = (int64_t)target - worth[c];
        int64_t last = worth[c] + collection->piece_slope[c] * (int64_t)(cells - 1);
        least = worth[c] < least ? worth[c] : least;
        least = last < least ? last : least;
    }
    collection->worth_most = (uint64_t)((int64_t)target - 2 * least);
    for (uint32_t c = 0; c < minimax->pieces; c++)
        collection->piece_worth[c] = (uint32_t)(worth[c] - least);
}

/* Which slots of the index are taken, and the worths of one bucket */
typedef struct {
    bool taken[PODIUM_INDEX_SLOTS];
    uint32_t cells[PODIUM_INDEX_CELLS];
    uint32_t count;
} index_bucket;

static void bucket_fill(index_bucket *b, const podium_collection *collection, uint32_t bucket) {
    b->count = 0;
    for (uint32_t cell = 0; cell < collection->cells; cell++)
        if (podium_index_bucket(podium_worth_of_piece(collection, cell)) == bucket)
            b->cells[b->count++] = cell;
}

/* Puts the cells of a bucket into slots that are free, if with this shift all of them are. */
static bool bucket_place(index_bucket *b, podium_collection *collection, uint32_t shift) {
    uint32_t placed = 0;
    for (; placed < b->count; placed++) {
        uint32_t slot = podium_index_slot(podium_worth_of_piece(collection, b->cells[placed]), shift);
        if (b->taken[slot])
            break;
        b->taken[slot] = true;
        collection->index_cell[slot] = (uint8_t)b->cells[placed];
    }
    for (uint32_t i = 0; placed < b->count && i < placed; i++)
        b->taken[podium_index_slot(podium_worth_of_piece(collection, b->cells[i]), shift)] = false;
    return placed == b->count;
}

/* Large buckets first, while there is much room. A bucket for which no shift is found (two of its worths are the same)
   stays out of the index, and its reports take the longer way. */
static void set_index(podium_collection *collection) {
    index_bucket b = {.count = 0};
    uint32_t sizes[PODIUM_INDEX_BUCKETS] = {0}, largest = 0;
    if (collection->cells > PODIUM_INDEX_CELLS)
        return;
    for (uint32_t cell = 0; cell < collection->cells; cell++) {
        uint32_t *size = &sizes[podium_index_bucket(podium_worth_of_piece(collection, cell))];
        largest = ++*size > largest ? *size : largest;
    }
    for (uint32_t size = largest; size > 0; size--)
        for (uint32_t bucket = 0; bucket < PODIUM_INDEX_BUCKETS; bucket++) {
            uint32_t shift = 0;
            if (sizes[bucket] != size)
                continue;
            bucket_fill(&b, collection, bucket);
            while (shift < UINT8_MAX && !bucket_place(&b, collection, shift))
                shift++;
            collection->index_shift[bucket] = (uint8_t)shift;
        }
}

uint32_t podium_worth(const podium_collection *collection, uint32_t cell) {
    if (collection->piece_count > 0)
        return podium_worth_of_piece(collection, cell);
    if (collection->pair_coin == 0 || cell < podium_step_cells(collection))
        return cell;
    bool upper = cell - podium_step_cells(collection) >= podium_step_cells(collection) / 2;
    return upper ? (uint32_t)collection->worth_most - collection->pair_worth : collection->pair_worth;
}

podium_cell_range podium_bin_cells(const podium_collection *collection, uint32_t bin, uint32_t bin_bits) {
    const uint64_t first = (uint64_t)bin << bin_bits, end = ((uint64_t)bin + 1) << bin_bits;
    const uint64_t half = podium_step_cells(collection), output = half / 2;
    if (collection->piece_count > 0 && podium_is_flat(collection, (uint32_t)first)) {
        const uint64_t piece = (uint64_t)1 << collection->piece_bits;
        return (podium_cell_range){first, first % piece == 0 ? first + piece : first};
    }
    if (collection->pair_coin == 0 || first < half) /* or else Hybrid's upper half, which has two outputs */
        return (podium_cell_range){first, end < collection->cells ? end : collection->cells};
    return (podium_cell_range){first, first == half || first == half + output ? first + output : first};
}

bool podium_bin_worths(const podium_collection *collection, uint32_t bin, uint32_t bin_bits, uint64_t *least,
                       uint64_t *most) {
    const podium_cell_range cells = podium_bin_cells(collection, bin, bin_bits);
    if (cells.first == cells.end)
        return false;
    const uint32_t first = podium_worth(collection, (uint32_t)cells.first);
    const uint32_t last = podium_worth(collection, (uint32_t)(cells.end - 1));
    *least = first < last ? first : last; /* a piece may fall */
    *most = first < last ? last : first;
    return true;
}

/* Outputs that are few and far between are known again, and anything else is refused: a report is off by less than this
   share of the support, whatever wrote and read it. */
#define STRAY 1e-6

/* Has the piece a cell that is worth so much, or 1 more or less? Perhaps; or surely not. */
static bool may_hold(const podium_collection *collection, uint32_t piece, int64_t worth) {
    int64_t first = collection->piece_worth[piece], last = collection->piece_slope[piece];
    last = first + last * (((int64_t)1 << collection->piece_bits) - 1);
    return first < last ? worth >= first - 1 && worth <= last + 1 : worth >= last - 1 && worth <= first + 1;
}

/* How far the nearest cell of the piece is worth from it */
static double distance_to_piece(const podium_collection *collection, uint32_t piece, double worth, uint32_t *cell) {
    double slope = collection->piece_slope[piece], from = worth - collection->piece_worth[piece];
    double last = (double)(((int64_t)1 << collection->piece_bits) - 1);
    double number = slope == 0 ? 0 : fmin(fmax(nearbyint(from / slope), 0), last);
    *cell = (piece << collection->piece_bits) + (uint32_t)number;
    return fabs(from - slope * number);
}

/* Pieces overlap. Worths written with enough digits are met exactly, by the first piece that has them; for others each
   piece is asked for its nearest cell. */
static bool cell_of_pieces(const podium_collection *collection, uint32_t *cell, double worth) {
    const double stray = STRAY * (double)collection->worth_most;
    double best = INFINITY;
    uint32_t own;
    if (!(worth >= -stray && worth <= (double)collection->worth_most + stray))
        return false;
    worth = fmin(fmax(worth, 0), (double)collection->worth_most); /* the ends may have been rounded outwards */
    const int64_t whole = (int64_t)(worth + 0.5);
    if (podium_index_find(collection, cell, (uint32_t)whole))
        return true;
    for (uint32_t c = 0; c < collection->piece_count; c++)
        if (may_hold(collection, c, whole) && distance_to_piece(collection, c, worth, cell) <= 0.5)
            return true;
    for (uint32_t c = 0; c < collection->piece_count; c++) {
        double distance = distance_to_piece(collection, c, worth, &own);
        if (distance < best) {
            best = distance;
            *cell = own;
        }
    }
    return best <= stray;
}

bool podium_cell_worth(const podium_collection *collection, uint32_t *cell, double worth) {
    if (collection->piece_count > 0)
        return cell_of_pieces(collection, cell, worth);
    if (!podium_worth_exists(collection, worth))
        return false;
    if (collection->cells == 2 && fabs(worth - floor(worth + 0.5)) > STRAY)
        return false;
    uint32_t nearest = (uint32_t)(worth + 0.5), half = (uint32_t)podium_step_cells(collection);
    *cell = nearest;
    if (collection->pair_coin != 0 && nearest == collection->pair_worth)
        *cell = half; /* one of Piecewise's cells is worth the same, and 2^31 times as rare */
    if (collection->pair_coin != 0 && nearest == (uint32_t)collection->worth_most - collection->pair_worth)
        *cell = half + half / 2;
    return true;
}

/* ---- Units: of places, and of reports ---- */

/* A place is kept to as many binary digits as a double's 52 and half a word allow, and rounded at random, so that
   coarse grids are unbiased too. Podium's 2^31 places need no such help: the nearest one is within 2^-32 delta. */
static uint32_t fraction_bits(const podium_collection *collection) {
    if (collection->coin_count == 0 && collection->pair_coin == 0 && collection->cells == PODIUM_CELLS_MAX)
        return 0;
    uint32_t most = 51 - log2_floor(collection->places);
    return most > 32 ? 32 : most;
}

/* The mean of the worth at a place that is a whole number of pieces, about the middle, as realised. */
static double piece_mean(const podium_collection *collection, uint64_t place) {
    double last = ldexp(1, (int)collection->piece_bits) - 1, sum = 0;
    uint64_t width = collection->width >> collection->piece_bits;
    for (uint64_t c = place; c < place + width; c++)
        sum += (double)collection->piece_worth[c] + collection->piece_slope[c] * (last / 2) -
               (double)collection->worth_most / 2;
    return ldexp((double)collection->threshold, -64) * sum / (double)width;
}

/* One straight line from the middle to the end. */
static void one_knot(podium_collection *collection, double delta) {
    collection->knot_count = 1;
    collection->slopes[0] = ldexp((double)collection->places, (int)collection->fraction_bits) / delta;
}

/* Straight lines from knot to knot, from the middle out: the mean at each is known. */
static void set_knots(podium_collection *collection, const podium_minimax *minimax) {
    double distance = 0, offset = 0, slope = 0;
    collection->knot_count = minimax->knots + 1;
    for (uint32_t i = 0; i <= minimax->knots; i++) {
        uint32_t piece = i < minimax->knots ? minimax->knot[minimax->knots - 1 - i] : 0;
        double next_distance = -collection->spacing * piece_mean(collection, piece);
        double next_offset = (double)collection->places / 2 - ldexp(piece, (int)collection->piece_bits);
        double next_slope = ldexp((next_offset - offset) / (next_distance - distance), (int)collection->fraction_bits);
        collection->knots[i] = distance;
        collection->slopes[i] = next_slope - slope;
        distance = next_distance;
        offset = next_offset;
        slope = next_slope;
    }
}

/* The step is chosen with probability q as realised, so the mean report moves by q spacing from place to place;
   noise moves with the place itself. The grid is laid so that the ends of the places have the means min and max. */
static void set_units(podium_collection *collection, const podium_minimax *minimax) {
    double delta = collection->spec.max - collection->spec.min;
    double follow = collection->coin_count == 0 ? ldexp((double)collection->threshold, -64) : 1;
    collection->middle = collection->spec.min + delta / 2;
    collection->fraction_bits = fraction_bits(collection);
    if (collection->piece_count > 0) {
        set_pieces(collection, minimax);
        set_index(collection);
        collection->spacing = delta / 2 / -piece_mean(collection, 0);
        set_knots(collection, minimax);
    } else {
        collection->worth_most = podium_step_cells(collection) - 1;
        collection->spacing = delta / (double)collection->places / follow;
        one_knot(collection, delta);
    }
    if (collection->pair_coin != 0) {
        double output = delta / 2 / ldexp((double)collection->pair_threshold, -64);
        collection->pair_worth = (uint32_t)nearbyint((double)collection->worth_most / 2 - output / collection->spacing);
    }
    collection->first = collection->middle - collection->spacing * ((double)collection->worth_most / 2);
}

double podium_place(const podium_collection *collection, double value) {
    double top = ldexp((double)collection->places, (int)collection->fraction_bits) / 2, offset = 0;
    for (uint32_t i = 0; i < collection->knot_count; i++)
        offset += collection->slopes[i] * fmax(fabs(value - collection->middle) - collection->knots[i], 0);
    return ldexp(top + copysign(fmin(offset, top), value - collection->middle), -(int)collection->fraction_bits);
}

/* ---- The whole ---- */

/* Minimax has an output map that nobody but its solver knows: a solver that finds another must count on from here, lest
   two versions of the library misread each other's cells. */
#define MINIMAX_MAP 1

static uint64_t hash_number(uint64_t hash, uint64_t number) {
    unsigned char bytes[8];
    for (unsigned k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(number >> 8 * k);
    return podium_hash(hash, bytes, sizeof bytes);
}

/* Of the spec, by its bits; 0 and -0 are the same bound. */
uint64_t podium_fingerprint(const podium_spec *spec) {
    const char *mechanism = podium_mechanism_name(spec->mechanism);
    uint64_t hash = podium_hash(PODIUM_HASH_START, mechanism, strlen(mechanism));
    hash = hash_number(hash, podium_bits_of(spec->epsilon));
    hash = hash_number(hash, podium_bits_of(spec->min + 0.0));
    hash = hash_number(hash, podium_bits_of(spec->max + 0.0));
    if (spec->mechanism == PODIUM_MECHANISM_PODIUM_TUNED)
        hash = hash_number(hash, podium_bits_of(spec->spread + 0.0));
    if (spec->mechanism == PODIUM_MECHANISM_MINIMAX)
        hash = hash_number(hash_number(hash, spec->cells), MINIMAX_MAP);
    return hash;
}

/* Neighbouring reports must be different doubles, with room for the rounding of whoever reads them; and where they are
   few, that must not make strays of them. */
static bool reports_fit_doubles(const podium_collection *collection) {
    double support = collection->spacing * (double)collection->worth_most, last = collection->first + support;
    double room = fmin(collection->spacing, STRAY * support);
    return room >= 4 * DBL_EPSILON * fmax(fabs(collection->first), fabs(last));
}

static podium_status set_grid(podium_collection *collection, podium_minimax *minimax) {
    podium_spec with_density = collection->spec;
    podium_shape shape;
    if (collection->spec.mechanism == PODIUM_MECHANISM_HYBRID)
        with_density.mechanism = PODIUM_MECHANISM_PIECEWISE;
    podium_status status = podium_shape_init(&shape, &with_density);
    if (status != PODIUM_OK && status != PODIUM_ERROR_NO_DENSITY)
        return status;
    switch (collection->spec.mechanism) {
    case PODIUM_MECHANISM_LAPLACE:
    case PODIUM_MECHANISM_STAIRCASE:
        stairs_grid(collection, &shape);
        return PODIUM_OK;
    case PODIUM_MECHANISM_DUCHI:
        duchi_grid(collection);
        return PODIUM_OK;
    case PODIUM_MECHANISM_HYBRID:
        hybrid_grid(collection, &shape);
        return PODIUM_OK;
    case PODIUM_MECHANISM_MINIMAX:
        status = podium_minimax_solve(minimax, collection->spec.epsilon, collection->spec.cells);
        if (status == PODIUM_OK)
            minimax_grid(collection, minimax);
        return status;
    default:
        step_grid(collection, &shape, PODIUM_CELLS_MAX);
        return PODIUM_OK;
    }
}

podium_status podium_collection_init(podium_collection *collection, const podium_spec *spec) {
    podium_collection made;
    podium_minimax minimax;
    podium_status status = podium_spec_check(spec, PODIUM_EPSILON_MAX);
    if (status != PODIUM_OK)
        return status;
    memset(&made, 0, sizeof made);
    made.spec = *spec;
    if (spec->mechanism == PODIUM_MECHANISM_MINIMAX && spec->cells == 0)
        made.spec.cells = PODIUM_MINIMAX_CELLS_DEFAULT;
    status = set_grid(&made, &minimax);
    if (status != PODIUM_OK)
        return status;
    podium_thresholds_set(&made);
    set_units(&made, &minimax);
    made.fingerprint = podium_fingerprint(&made.spec);
    if (!reports_fit_doubles(&made))
        return PODIUM_ERROR_RANGE_TOO_NARROW;
    if (!podium_thresholds_check(&made))
        return PODIUM_ERROR_NOT_PRIVATE;
    status = podium_mass_variance(&made);
    if (status == PODIUM_OK)
        *collection = made;
    return status;
}

/* ---- Reports and codes ---- */

void podium_collection_reports(const podium_collection *collection, double *reports, const uint32_t *cells, size_t n) {
    const double first = collection->first, spacing = collection->spacing;
    const bool straight = podium_is_straight(collection); /* or looked up: a cell is public */
    size_t i = podium_vector_reports(collection, reports, cells, n);
    for (; i < n; i++) {
        uint32_t worth = straight ? cells[i] : podium_worth(collection, cells[i]);
        reports[i] = first + spacing * (double)(int64_t)worth; /* by way of a signed number: no jump */
    }
}

size_t podium_code_bytes(const podium_collection *collection) {
    size_t bytes = 1;
    while (bytes < 4 && (collection->cells - 1) >> 8 * bytes != 0)
        bytes++;
    return bytes;
}

void podium_codes_encode(const podium_collection *collection, unsigned char *codes, const uint32_t *cells, size_t n) {
    size_t bytes = podium_code_bytes(collection);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < bytes; k++)
            codes[i * bytes + k] = (unsigned char)(cells[i] >> 8 * k);
}

podium_status podium_codes_decode(const podium_collection *collection, uint32_t *cells, const unsigned char *codes,
                                  size_t n) {
    size_t bytes = podium_code_bytes(collection);
    for (size_t i = 0; i < n; i++) {
        uint32_t cell = 0;
        for (size_t k = 0; k < bytes; k++)
            cell |= (uint32_t)codes[i * bytes + k] << 8 * k;
        if (cell >= collection->cells)
            return PODIUM_ERROR_TEXT_MALFORMED;
        cells[i] = cell;
    }
    return PODIUM_OK;
}

double podium_collection_influence(const podium_collection *collection, uint64_t k, uint64_t n) {
    double support = collection->spacing * (double)collection->worth_most;
    return n == 0 ? INFINITY : support * ((double)(k < n ? k : n) / (double)n);
}
