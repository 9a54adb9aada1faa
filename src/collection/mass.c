/*
 * Mass: the probabilities that draw.c realises, as doubles, from the finished collection. For analysts: estimating a
 * distribution, planning, checking. No privacy decision is made here.
 */
#include "collection/internal.h"
#include "collection/minimax.h"

#include <math.h>
#include <stdlib.h>

static double share(uint64_t threshold) {
    return (double)threshold * 0x1p-64;
}

/* 1 - share, to its own last digit where the share is nearly 1 */
static double rest_of(uint64_t threshold) {
    return threshold == 0 ? 1 : (double)(UINT64_MAX - threshold + 1) * 0x1p-64;
}

/* Every mass is a sum of positive parts, so that small ones keep their digits: a difference of cumulative masses would
   leave nothing of a tail's. */
static double overlap(double first, double last, double from, double to) {
    return fmax(0, fmin(last, to) - fmax(first, from));
}

/* Of `cells` cells, the step at `place` being `width` of them */
static double step_between(double cells, double width, uint64_t threshold, double place, double first, double last) {
    double on_step = overlap(first, last, place, place + width) / width;
    return rest_of(threshold) * (overlap(first, last, 0, cells) / cells) + share(threshold) * on_step;
}

/* Hybrid: the upper half is Duchi's, whose step is at one of two places. */
static double steps_between(const podium_collection *collection, double place, double first, double last) {
    double cells = (double)podium_step_cells(collection), width = (double)collection->width;
    double own = step_between(cells, width, collection->threshold, place, first, last);
    if (collection->pair_coin == 0)
        return own;
    uint64_t c = collection->pair_threshold;
    double along = place / (double)collection->places;
    double lower = step_between(cells, cells / 2, c, 0, first - cells, last - cells);
    double upper = step_between(cells, cells / 2, c, cells / 2, first - cells, last - cells);
    return rest_of(collection->pair_coin) * own + share(collection->pair_coin) * ((1 - along) * lower + along * upper);
}

/* Pr[stair number = g], and in beyond Pr[stair number > g]: from the top digit down, a 1 where g has a 0 */
static double stair(const podium_collection *collection, uint64_t g, double *beyond) {
    double more = 0, same = g >> collection->coin_count == 0;
    for (uint32_t i = collection->coin_count; i-- > 0;) {
        double one = share(collection->coins[i]);
        if ((g >> i & 1) == 0)
            more += same * one;
        same *= g >> i & 1 ? one : rest_of(collection->coins[i]);
    }
    *beyond = more;
    return same;
}

/* Pr[low <= distance < high], in cells, 0 <= low <= high: linear within a stair. An infinite high includes the tail. */
static double distance_between(const podium_collection *collection, double low, double high) {
    double tail = share(collection->tail_threshold), beyond_low, beyond_high;
    double width = (double)((uint64_t)1 << collection->stair_bits), x = low / width, y = high / width;
    uint64_t g = (uint64_t)x;
    double first = stair(collection, g, &beyond_low), rest = (double)(g + 1) - x;
    if (isinf(high))
        return tail + (1 - tail) * (first * rest + beyond_low);
    uint64_t h = (uint64_t)y;
    if (g == h)
        return (1 - tail) * first * (y - x);
    double last = stair(collection, h, &beyond_high), whole = h == g + 1 ? 0 : beyond_low - beyond_high - last;
    return (1 - tail) * (first * rest + whole + last * (y - (double)h));
}

/* The left of the middle stair, the stair, and the right; an end cell has all that lies beyond it. */
static double stairs_between(const podium_collection *collection, double place, double first, double last) {
    double in = share(collection->threshold), width = (double)collection->width, beside = 0;
    double start = (double)collection->margin + place, end = start + width;
    if (first < start)
        beside += distance_between(collection, start - fmin(last, start), first <= 0 ? INFINITY : start - first);
    if (last > end)
        beside += distance_between(collection, fmax(first, end) - end,
                                   last >= (double)collection->cells ? INFINITY : last - end);
    return rest_of(collection->threshold) / 2 * beside + in * overlap(first, last, start, end) / width;
}

double podium_mass_between(const podium_collection *collection, double place, double first, double last) {
    if (!(first < last))
        return 0;
    return collection->coin_count == 0 ? steps_between(collection, place, first, last)
                                       : stairs_between(collection, place, first, last);
}

double podium_collection_mass(const podium_collection *collection, uint64_t place, uint64_t first, uint64_t last) {
    return podium_mass_between(collection, (double)place, (double)first, (double)last);
}

/* ---- Variance of a report, alpha + beta x^2 about the middle of the range ---- */

/* Mean and mean square of the distance beyond the middle stair: independent digits, and a uniform cell of the stair */
static double distance_square(const podium_collection *collection, double start) {
    double stair = ldexp(1, (int)collection->stair_bits), mean = (stair - 1) / 2, variance = (stair * stair - 1) / 12;
    for (uint32_t i = 0; i < collection->coin_count; i++) {
        double one = share(collection->coins[i]), worth = ldexp(stair, (int)i);
        mean += worth * one;
        variance += worth * worth * one * rest_of(collection->coins[i]);
    }
    return variance + (mean + start) * (mean + start);
}

static void noise_variance(podium_collection *collection) {
    double beside = rest_of(collection->threshold), width = (double)collection->width;
    double inside = share(collection->threshold) * (width * width - 1) / 12;
    collection->alpha =
        collection->spacing * collection->spacing * (inside + beside * distance_square(collection, (width + 1) / 2));
}

static void step_variance(podium_collection *collection) {
    double q = share(collection->threshold), beside = rest_of(collection->threshold);
    double width = (double)collection->width, cells = (double)podium_step_cells(collection);
    double square = collection->spacing * collection->spacing;
    collection->alpha = square * (q * (width * width - 1) + beside * (cells * cells - 1)) / 12;
    collection->beta = beside / q;
}

/* Two outputs: the square of a report tells nothing. */
static void pair_variance(podium_collection *collection) {
    double output = collection->spacing * (double)collection->worth_most / 2;
    collection->alpha = output * output;
    collection->beta = -1;
}

/* Piecewise, step_variance has found; E[y^2] = alpha + (1 + beta) x^2 of either kind, by the coin */
static void hybrid_variance(podium_collection *collection) {
    double output = collection->spacing * ((double)collection->worth_most / 2 - collection->pair_worth);
    double pair = share(collection->pair_coin), rest = rest_of(collection->pair_coin);
    collection->alpha = rest * collection->alpha + pair * output * output;
    collection->beta = rest * (1 + collection->beta) - 1;
}

/* A difference of squares, and none where epsilon is so large that nothing but rounding is left of it */
static double difference(double square, double of_mean) {
    return fmax(0, square - of_mean);
}

/* Least, most and average of alpha + beta x^2 */
static void set_extremes(podium_collection *collection) {
    double half = (collection->spec.max - collection->spec.min) / 2, at_end = collection->beta * half * half;
    collection->variance_least = difference(collection->alpha, fmax(0, -at_end));
    collection->variance_most = collection->alpha + fmax(0, at_end);
    collection->variance_uniform = collection->alpha + at_end / 3;
}

/* ---- Minimax: place by place ---- */

static double centred(const podium_collection *collection, uint64_t cell) {
    return (double)podium_worth(collection, (uint32_t)cell) - (double)collection->worth_most / 2;
}

/* Mean and mean square of the report at a place, from place to place: the step loses a cell and gains one. */
typedef struct {
    const podium_collection *collection;
    uint64_t place;
    double all, sum, squares; /* squares of all cells; of the cells of the step */
    double mean, square;
} walk;

static void walk_tell(walk *w) {
    const podium_collection *c = w->collection;
    double q = share(c->threshold), width = (double)c->width;
    w->mean = c->spacing * q * w->sum / width;
    w->square = c->spacing * c->spacing * (rest_of(c->threshold) * w->all / (double)c->cells + q * w->squares / width);
}

static walk walk_from(const podium_collection *collection, uint64_t place) {
    walk w = {.collection = collection, .place = place};
    for (uint64_t j = 0; j < collection->cells; j++) {
        double worth = centred(collection, j);
        bool on_step = j >= place && j < place + collection->width;
        w.all += worth * worth;
        w.sum += on_step ? worth : 0;
        w.squares += on_step ? worth * worth : 0;
    }
    walk_tell(&w);
    return w;
}

static void walk_on(walk *w) {
    double lost = centred(w->collection, w->place), gained = centred(w->collection, w->place + w->collection->width);
    w->sum += gained - lost;
    w->squares += gained * gained - lost * lost;
    w->place++;
    walk_tell(w);
}

/* Between two places, from rounding at random: x is the mean, and the mean square runs straight from a to b. */
typedef struct {
    double most, integral; /* of the variance, over the values between */
} stretch;

static stretch stretch_of(const walk *a, const walk *b) {
    double gap = b->mean - a->mean, slope = (b->square - a->square) / gap;
    double x = fmin(fmax(slope / 2, a->mean), b->mean);
    double cubes = (b->mean * b->mean + b->mean * a->mean + a->mean * a->mean) / 3;
    return (stretch){a->square + slope * (x - a->mean) - x * x, gap * ((a->square + b->square) / 2 - cubes)};
}

/*
 * The reports' squares estimate those of the values if each is corrected by what its piece says: e, the same for a
 * piece and its mirror image, such that E[e | x] is alpha - V(x), on average over the values between two whole pieces'
 * places. Of the many such e the smallest, which is A' z where A A' z = b; a row of A has the shares of the pieces,
 * both places' averaged.
 */
static void correction_row(const podium_collection *collection, uint32_t stretch_number, double *row) {
    uint32_t pieces = collection->piece_count, width = (uint32_t)(collection->width >> collection->piece_bits);
    for (uint32_t c = 0; c < pieces; c++) {
        double own = c >= stretch_number && c < stretch_number + width;
        double next = c >= stretch_number + 1 && c < stretch_number + 1 + width;
        row[c < pieces - 1 - c ? c : pieces - 1 - c] +=
            rest_of(collection->threshold) / pieces + share(collection->threshold) / width * (own + next) / 2;
    }
}

static podium_status set_correction(podium_collection *collection, const double *variance, uint32_t stretches) {
    uint32_t half = collection->piece_count / 2, n = (stretches + 1) / 2;
    double *a = calloc((size_t)n * half + (size_t)n * n + n, sizeof *a), *matrix = a + (size_t)n * half;
    if (a == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    double *z = matrix + (size_t)n * n;
    for (uint32_t s = 0; s < n; s++) {
        correction_row(collection, s, a + (size_t)s * half);
        z[s] = collection->alpha - variance[s];
        for (uint32_t t = 0; t <= s; t++)
            for (uint32_t c = 0; c < half; c++)
                matrix[(size_t)s * n + t] += a[(size_t)s * half + c] * a[(size_t)t * half + c];
    }
    podium_cholesky(matrix, n);
    podium_cholesky_solve(matrix, z, n);
    for (uint32_t c = 0; c < half; c++) {
        double sum = 0;
        for (uint32_t s = 0; s < n; s++)
            sum += a[(size_t)s * half + c] * z[s];
        collection->piece_square[c] = collection->piece_square[collection->piece_count - 1 - c] = sum;
    }
    free(a);
    return PODIUM_OK;
}

static podium_status pieces_variance(podium_collection *collection) {
    double delta = collection->spec.max - collection->spec.min, variance[PODIUM_PIECES_MAX] = {0};
    double begin = -delta / 2, integral = 0;
    uint32_t piece_cells = (uint32_t)1 << collection->piece_bits, stretches = 0;
    walk w = walk_from(collection, 0);
    collection->variance_least = collection->variance_most = difference(w.square, w.mean * w.mean);
    while (w.place < collection->places) {
        walk before = w;
        walk_on(&w);
        stretch s = stretch_of(&before, &w);
        integral += s.integral;
        variance[stretches] += s.integral;
        collection->variance_most = fmax(collection->variance_most, s.most);
        collection->variance_least = fmin(collection->variance_least, difference(w.square, w.mean * w.mean));
        if (w.place % piece_cells == 0) {
            variance[stretches++] /= w.mean - begin;
            begin = w.mean;
        }
    }
    collection->alpha = collection->variance_uniform = integral / delta;
    return set_correction(collection, variance, stretches);
}

podium_status podium_mass_variance(podium_collection *collection) {
    if (collection->piece_count > 0 && collection->cells > 2)
        return pieces_variance(collection);
    if (collection->cells == 2)
        pair_variance(collection);
    else if (collection->coin_count > 0)
        noise_variance(collection);
    else
        step_variance(collection);
    if (collection->pair_coin != 0)
        hybrid_variance(collection);
    set_extremes(collection);
    return PODIUM_OK;
}

double podium_collection_variance(const podium_collection *collection, double x) {
    if (isnan(x))
        return NAN;
    x = fmin(fmax(x, collection->spec.min), collection->spec.max);
    double distance = x - collection->middle;
    if (collection->piece_count == 0 || collection->cells == 2)
        return difference(collection->alpha, -collection->beta * distance * distance);
    double place = podium_place(collection, x), along = place - floor(place);
    walk w = walk_from(collection, (uint64_t)place);
    double square = w.square;
    if (along > 0) {
        walk_on(&w);
        square += along * (w.square - square);
    }
    return difference(square, distance * distance);
}
