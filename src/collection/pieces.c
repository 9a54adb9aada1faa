/*
 * Pieces: a map that is linear on each of a few pieces of the grid, as a solver found it. The step is a whole number of
 * pieces. The worths of different pieces may overlap, so two cells of different pieces can have the same worth.
 */
#include "collection/layout.h"
#include "collection/linear.h"

#include <math.h>

/* ---- Laying out ---- */

/* The largest absolute value at an end of a piece */
static double largest_of(const podium_piece_solution *s) {
    double most = 0;
    for (uint32_t c = 0; c < s->pieces; c++)
        most = fmax(most, fabs(s->value[c]) + fabs(s->slope[c]) / 2);
    return most;
}

/* Rounds the solution to integer worths, so that reports add up exactly. The upper half is rounded as the mirror
   image of the lower half. Then all worths are shifted so that the least is 0. */
static void set_worths(podium_layout *c, const podium_piece_solution *s) {
    podium_pieces_map *m = &c->worth.pieces;
    const double target = 0x1p32 - 0x1p18, cells = ldexp(1, (int)s->piece_bits), most = largest_of(s);
    int64_t worth[PODIUM_PIECES_MAX], least = INT64_MAX;
    for (uint32_t i = 0; i < s->pieces; i++) {
        const bool lower = i < s->pieces / 2;
        const double per_cell = nearbyint(s->slope[i] / cells * (target / (2 * most)));
        const double start = (lower ? s->value[i] : -s->value[i]) * (target / (2 * most)) + target / 2;
        m->slope[i] = (int32_t)per_cell;
        worth[i] = llrint(start - (lower ? 1 : -1) * per_cell * (cells - 1) / 2);
        if (!lower) /* start was that of the mirrored last cell; this is the first cell */
            worth[i] = (int64_t)target - worth[i];
        const int64_t last = worth[i] + m->slope[i] * (int64_t)(cells - 1);
        least = worth[i] < least ? worth[i] : least;
        least = last < least ? last : least;
    }
    c->worth_most = (uint64_t)((int64_t)target - 2 * least);
    for (uint32_t i = 0; i < s->pieces; i++)
        m->worth[i] = (uint32_t)(worth[i] - least);
}

/* The slots of the index that are in use, and the cells of one bucket */
typedef struct {
    bool taken[PODIUM_INDEX_SLOTS];
    uint32_t cells[PODIUM_INDEX_CELLS];
    uint32_t count;
} index_bucket;

static void bucket_fill(index_bucket *b, const podium_layout *c, uint32_t bucket) {
    b->count = 0;
    for (uint32_t cell = 0; cell < c->cells; cell++)
        if (podium_index_bucket(podium_piece_worth(&c->worth.pieces, cell)) == bucket)
            b->cells[b->count++] = cell;
}

/* Puts the cells of a bucket into the slots for this shift if all of those are free. Otherwise it undoes what it has
   done and returns false. */
static bool bucket_place(index_bucket *b, podium_pieces_map *m, uint32_t shift) {
    uint32_t placed = 0;
    for (; placed < b->count; placed++) {
        uint32_t slot = podium_index_slot(podium_piece_worth(m, b->cells[placed]), shift);
        if (b->taken[slot])
            break;
        b->taken[slot] = true;
        m->index_cell[slot] = (uint8_t)b->cells[placed];
    }
    for (uint32_t i = 0; placed < b->count && i < placed; i++)
        b->taken[podium_index_slot(podium_piece_worth(m, b->cells[i]), shift)] = false;
    return placed == b->count;
}

/* Large buckets are placed first, while most slots are free. If no shift works for a bucket, because two of its
   worths are equal, the bucket stays out of the index, and its reports are found by the search in cell_of. */
static void set_index(podium_layout *c) {
    podium_pieces_map *m = &c->worth.pieces;
    index_bucket b = {.count = 0};
    uint32_t sizes[PODIUM_INDEX_BUCKETS] = {0}, largest = 0;
    if (c->cells > PODIUM_INDEX_CELLS)
        return;
    for (uint32_t cell = 0; cell < c->cells; cell++) {
        uint32_t *size = &sizes[podium_index_bucket(podium_piece_worth(m, cell))];
        largest = ++*size > largest ? *size : largest;
    }
    for (uint32_t size = largest; size > 0; size--)
        for (uint32_t bucket = 0; bucket < PODIUM_INDEX_BUCKETS; bucket++) {
            uint32_t shift = 0;
            if (sizes[bucket] != size)
                continue;
            bucket_fill(&b, c, bucket);
            while (shift < UINT8_MAX && !bucket_place(&b, m, shift))
                shift++;
            m->index_shift[bucket] = (uint8_t)shift;
        }
}

/* The knots are stored as places here, in pieces from the middle to the end; set_units replaces them by values. */
void podium_pieces_layout(podium_layout *c, const podium_piece_solution *s) {
    c->sampler = PODIUM_SAMPLER_STEP;
    c->map = PODIUM_MAP_PIECES;
    c->worth.pieces.count = s->pieces;
    c->worth.pieces.bits = s->piece_bits;
    c->cells = (uint64_t)s->pieces << s->piece_bits;
    c->tells_spread = c->cells > 2;
    c->draw.step.width = (uint64_t)s->width << s->piece_bits;
    c->places = c->cells - c->draw.step.width;
    c->knot_count = s->knots + 1;
    for (uint32_t i = 0; i <= s->knots; i++)
        c->knots[i] = i < s->knots ? s->knot[s->knots - 1 - i] : 0;
    set_worths(c, s);
    set_index(c);
}

/* ---- Units ---- */

/* The mean worth at the place where the given piece begins, counted from the middle of all worths */
static double mean_at(const podium_layout *c, uint64_t piece) {
    const podium_pieces_map *m = &c->worth.pieces;
    const double last = ldexp(1, (int)m->bits) - 1;
    const uint64_t width = c->draw.step.width >> m->bits;
    double sum = 0;
    for (uint64_t i = piece; i < piece + width; i++)
        sum += (double)m->worth[i] + m->slope[i] * (last / 2) - (double)c->worth_most / 2;
    return podium_share(c->draw.step.threshold) * sum / (double)width;
}

/* Since the mean at each knot is known, the place of a value is found by straight lines from knot to knot, from the
   middle outwards. */
static void set_knots(podium_layout *c) {
    double distance = 0, offset = 0, slope = 0;
    for (uint32_t i = 0; i < c->knot_count; i++) {
        const double piece = c->knots[i], next_distance = -c->spacing * mean_at(c, (uint64_t)piece);
        const double next_offset = (double)c->places / 2 - ldexp(piece, (int)c->worth.pieces.bits);
        const double next_slope = ldexp((next_offset - offset) / (next_distance - distance), (int)c->fraction_bits);
        c->knots[i] = distance;
        c->slopes[i] = next_slope - slope;
        distance = next_distance;
        offset = next_offset;
        slope = next_slope;
    }
}

static void set_units(podium_layout *c) {
    c->spacing = (c->spec.max - c->spec.min) / 2 / -mean_at(c, 0);
    c->stray = PODIUM_STRAY * (double)c->worth_most;
    set_knots(c);
}

/* ---- Worth of a cell, and back ---- */

static uint32_t worth_of(const podium_layout *c, uint32_t cell) {
    return podium_piece_worth(&c->worth.pieces, cell);
}

/* Quick test whether this piece can contain a cell with that worth, or 1 more or less. False positives are fine. */
static bool may_hold(const podium_pieces_map *m, uint32_t piece, int64_t worth) {
    int64_t first = m->worth[piece], last = first + m->slope[piece] * (((int64_t)1 << m->bits) - 1);
    return first < last ? worth >= first - 1 && worth <= last + 1 : worth >= last - 1 && worth <= first + 1;
}

/* Finds the piece's cell with the nearest worth, and returns how far away that is. */
static double distance_to_piece(const podium_pieces_map *m, uint32_t piece, double worth, uint32_t *cell) {
    double slope = m->slope[piece], from = worth - m->worth[piece];
    double last = (double)(((int64_t)1 << m->bits) - 1);
    double number = slope == 0 ? 0 : fmin(fmax(nearbyint(from / slope), 0), last);
    *cell = (piece << m->bits) + (uint32_t)number;
    return fabs(from - slope * number);
}

/* A report that was written with enough digits has the exact worth of a cell, and the first piece that has it is the
   answer. For any other report, the nearest cell of all pieces is the answer if it is within c->stray. */
static bool cell_of(const podium_layout *c, uint32_t *cell, double worth) {
    const podium_pieces_map *m = &c->worth.pieces;
    double best = INFINITY;
    uint32_t own;
    if (!(worth >= -c->stray && worth <= (double)c->worth_most + c->stray))
        return false;
    worth = fmin(fmax(worth, 0), (double)c->worth_most); /* rounding may have moved an end outwards */
    const int64_t whole = (int64_t)(worth + 0.5);
    if (podium_index_find(m, cell, (uint32_t)whole))
        return true;
    for (uint32_t i = 0; i < m->count; i++)
        if (may_hold(m, i, whole) && distance_to_piece(m, i, worth, cell) <= 0.5)
            return true;
    for (uint32_t i = 0; i < m->count; i++) {
        double distance = distance_to_piece(m, i, worth, &own);
        if (distance < best) {
            best = distance;
            *cell = own;
        }
    }
    return best <= c->stray;
}

/* With very many cells at a tiny epsilon, a piece can be so flat that all of its cells have the same worth. */
static bool is_flat(const podium_pieces_map *m, uint32_t cell) {
    return m->slope[cell >> m->bits] == 0;
}

static uint32_t first_alike(const podium_layout *c, uint32_t cell) {
    uint32_t first;
    return cell_of(c, &first, worth_of(c, cell)) ? first : cell;
}

/* A bin never has cells of two pieces. A flat piece is counted in its first bin. */
static podium_cell_range bin_of(const podium_layout *c, uint32_t bin, uint32_t bin_bits) {
    const podium_pieces_map *m = &c->worth.pieces;
    const uint64_t first = (uint64_t)bin << bin_bits, piece = (uint64_t)1 << m->bits;
    const uint64_t end = ((uint64_t)bin + 1) << bin_bits;
    if (is_flat(m, (uint32_t)first))
        return (podium_cell_range){first, first % piece == 0 ? first + piece : first};
    return (podium_cell_range){first, end < c->cells ? end : c->cells};
}

static double square_correction(const podium_layout *c, uint32_t cell) {
    return c->worth.pieces.square[cell >> c->worth.pieces.bits];
}

/* ---- Variance, place by place ---- */

static double centred(const podium_layout *c, uint64_t cell) {
    return (double)worth_of(c, (uint32_t)cell) - (double)c->worth_most / 2;
}

/* A walk from place to place that keeps the mean and the mean square of the report. From one place to the next, the
   step loses a cell and gains one. */
typedef struct {
    const podium_layout *layout;
    uint64_t place;
    double all, sum, squares; /* sum of squares of all cells; sum, and sum of squares, of the cells in the step */
    double mean, square;
} walk;

static void walk_measure(walk *w) {
    const podium_layout *c = w->layout;
    double q = podium_share(c->draw.step.threshold), width = (double)c->draw.step.width;
    w->mean = c->spacing * q * w->sum / width;
    w->square = c->spacing * c->spacing *
                (podium_rest_of(c->draw.step.threshold) * w->all / (double)c->cells + q * w->squares / width);
}

static walk walk_from(const podium_layout *c, uint64_t place) {
    walk w = {.layout = c, .place = place};
    for (uint64_t j = 0; j < c->cells; j++) {
        double worth = centred(c, j);
        bool on_step = j >= place && j < place + c->draw.step.width;
        w.all += worth * worth;
        w.sum += on_step ? worth : 0;
        w.squares += on_step ? worth * worth : 0;
    }
    walk_measure(&w);
    return w;
}

static void walk_next(walk *w) {
    double lost = centred(w->layout, w->place), gained = centred(w->layout, w->place + w->layout->draw.step.width);
    w->sum += gained - lost;
    w->squares += gained * gained - lost * lost;
    w->place++;
    walk_measure(w);
}

/* The variance for the values between two neighbouring places a and b. Random rounding mixes the two, so the mean of
   the report is x, and its mean square is linear from a to b. */
typedef struct {
    double most, integral; /* maximum and integral of the variance over those values */
} stretch;

static stretch stretch_of(const walk *a, const walk *b) {
    double gap = b->mean - a->mean, slope = (b->square - a->square) / gap;
    double x = fmin(fmax(slope / 2, a->mean), b->mean);
    double cubes = (b->mean * b->mean + b->mean * a->mean + a->mean * a->mean) / 3;
    return (stretch){a->square + slope * (x - a->mean) - x * x, gap * ((a->square + b->square) / 2 - cubes)};
}

/*
 * The correction e of the squares. Without it, the squares of the reports would be biased, because the variance V(x) is
 * not constant. e has one number for each piece, the same for its mirror image, such that E[e | x] = alpha - V(x) on
 * average over each stretch of values between the places of two neighbouring pieces. Many e satisfy this. The smallest
 * is A' z with A A' z = b, where b has the averages of alpha - V, and a row of A has, for one stretch, the
 * probabilities of the pieces, averaged over its two ends.
 */
static void correction_row(const podium_layout *c, uint32_t stretch_number, double *row) {
    uint32_t pieces = c->worth.pieces.count, width = (uint32_t)(c->draw.step.width >> c->worth.pieces.bits);
    for (uint32_t i = 0; i < pieces; i++) {
        double own = i >= stretch_number && i < stretch_number + width;
        double next = i >= stretch_number + 1 && i < stretch_number + 1 + width;
        row[i < pieces - 1 - i ? i : pieces - 1 - i] += podium_rest_of(c->draw.step.threshold) / pieces +
                                                        podium_share(c->draw.step.threshold) / width * (own + next) / 2;
    }
}

static podium_status set_correction(podium_layout *c, const double *variance, uint32_t stretches) {
    uint32_t half = c->worth.pieces.count / 2, n = (stretches + 1) / 2;
    double *a = podium_allocate((size_t)n * half + (size_t)n * n + n, sizeof *a), *matrix = a + (size_t)n * half;
    if (a == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    double *z = matrix + (size_t)n * n;
    for (uint32_t s = 0; s < n; s++) {
        correction_row(c, s, a + (size_t)s * half);
        z[s] = c->alpha - variance[s];
        for (uint32_t t = 0; t <= s; t++)
            for (uint32_t i = 0; i < half; i++)
                matrix[(size_t)s * n + t] += a[(size_t)s * half + i] * a[(size_t)t * half + i];
    }
    podium_cholesky(matrix, n);
    podium_cholesky_solve(matrix, z, n);
    for (uint32_t i = 0; i < half; i++) {
        double sum = 0;
        for (uint32_t s = 0; s < n; s++)
            sum += a[(size_t)s * half + i] * z[s];
        c->worth.pieces.square[i] = c->worth.pieces.square[c->worth.pieces.count - 1 - i] = sum;
    }
    podium_release(a);
    return PODIUM_OK;
}

static podium_status set_variance(podium_layout *c) {
    if (!c->tells_spread) {
        podium_variance_set(c);
        return PODIUM_OK;
    }
    double delta = c->spec.max - c->spec.min, variance[PODIUM_PIECES_MAX] = {0};
    double begin = -delta / 2, integral = 0;
    uint32_t piece_cells = (uint32_t)1 << c->worth.pieces.bits, stretches = 0;
    walk w = walk_from(c, 0);
    c->variance_least = c->variance_most = fmax(0, w.square - w.mean * w.mean);
    while (w.place < c->places) {
        walk before = w;
        walk_next(&w);
        stretch s = stretch_of(&before, &w);
        integral += s.integral;
        variance[stretches] += s.integral;
        c->variance_most = fmax(c->variance_most, s.most);
        c->variance_least = fmin(c->variance_least, fmax(0, w.square - w.mean * w.mean));
        if (w.place % piece_cells == 0) {
            variance[stretches++] /= w.mean - begin;
            begin = w.mean;
        }
    }
    c->alpha = c->variance_uniform = integral / delta;
    return set_correction(c, variance, stretches);
}

static double variance_at(const podium_layout *c, double x) {
    const double distance = x - c->middle, place = podium_place(c, x), along = place - floor(place);
    if (!c->tells_spread)
        return podium_quadratic_variance(c, x);
    walk w = walk_from(c, (uint64_t)place);
    double square = w.square;
    if (along > 0) {
        walk_next(&w);
        square += along * (w.square - square);
    }
    return fmax(0, square - distance * distance);
}

const podium_map podium_pieces = {
    .set_units = set_units,
    .set_variance = set_variance,
    .variance = variance_at,
    .worth = worth_of,
    .cell = cell_of,
    .first_alike = first_alike,
    .bin = bin_of,
    .square_correction = square_correction,
    .in_order = false,
    .has_middle = true,
};
