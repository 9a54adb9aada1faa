/*
 * Band: limits of the distribution of the values that are guaranteed, whatever the values are.
 *
 * A set is a run of report bins. Let G be the mean, over all values, of the probability that a report is in the set.
 * The share of the reports that are in it says that G is within limits (limits_of), and for all of some hundred sets at
 * once, because each may err with an equal part of alpha. The distribution of the values must lead to a G within those
 * limits for every set, and the share of the values below x has a greatest value under those conditions. That is a
 * linear program.
 *
 * The solution of the program is not trusted. Any weights w of the sets prove a bound: let H(v) be the sum of w_k times
 * the probability of set k given the value v. Then for every v
 *
 *     1[v <= x] <= H(v) + s,    s = max over v of 1[v <= x] - H(v),
 *
 * and the mean over all values is: share below x <= sum of w_k G_k + s. Each G_k is replaced by its upper limit if w_k
 * is positive, and by its lower limit otherwise. So if the weights are poor, the bound is wide but still true. prove()
 * computes it, and takes the maximum over all v, not only over those that the program knows (docs/estimation.md).
 */
#include "analysis/channel.h"
#include "analysis/interval.h"
#include "analysis/simplex.h"
#include "collection/linear.h"

#include <math.h>
#include <stdlib.h>

enum {
    PARTS = PODIUM_BAND_PARTS,
    BLOCKS = 128,                                       /* report bins are merged into at most this many blocks */
    SETS = 2 * BLOCKS,                                  /* at most */
    STEPS = 256,                                        /* evenly spaced places at which stairs are looked at */
    PLACES = STEPS + 2 * (BLOCKS + 1) + 2 * (PARTS + 1) /* at most */
};

#define PIVOTS_START 4000 /* at most, to find a distribution that fits */
#define PIVOTS_EDGE 400   /* at most, for each limit of the band */

#define ALPHA_LEAST 1e-15 /* if no values fit the reports even then, they are not reports */

/* Room for rounding errors, as a share of the largest numbers that are added */
#define ROUNDING 1e-9

typedef struct set {
    uint32_t from, to; /* blocks from ... to-1 */
} set;

typedef struct problem {
    const podium_layout *layout;
    uint32_t blocks, sets, places;
    uint32_t first_bin[BLOCKS + 1]; /* of each block */
    double edge[BLOCKS + 1];        /* the cell where each block starts */
    set set[SETS];
    double place[PLACES];
    double mass[BLOCKS][PLACES];  /* of a block given a place */
    double curve[BLOCKS][PLACES]; /* how far the mass of the cells before a block may be, between a place and the next,
                                     from a straight line */
    uint32_t before[PARTS + 1], after[PARTS + 1]; /* the places just before and after each edge of the band */
    podium_simplex program;                       /* a row for each set, and one for the sum of all shares */
} problem;

/* ---- Blocks and sets, which depend on the collection alone ---- */

static double edge_value(double min, double max, uint32_t i) {
    return i == PARTS ? max : min + (max - min) * i / PARTS;
}

static double edge_place(const podium_layout *c, uint32_t i) {
    return podium_place(c, edge_value(c->spec.min, c->spec.max, i));
}

/* The mass of a bin if the values are spread evenly, approximately */
static double even_mass(const podium_layout *c, podium_cell_range cells) {
    double sum = 0;
    for (uint32_t i = 0; i <= PARTS; i++)
        sum += podium_mass_between(c, edge_place(c, i), (double)cells.first, (double)cells.end);
    return sum / (PARTS + 1);
}

/* Merges bins into blocks that would have about the same number of reports if the values were spread evenly. */
static void set_blocks(problem *p, uint32_t bins, uint32_t bin_bits) {
    double mass = 1, end = 0;
    for (uint32_t b = 0; b < bins; b++) {
        const podium_cell_range cells = podium_map_of(p->layout)->bin(p->layout, b, bin_bits);
        if (cells.first == cells.end)
            continue;
        if (mass >= 1.0 / BLOCKS && p->blocks < BLOCKS) {
            p->first_bin[p->blocks] = p->blocks == 0 ? 0 : b;
            p->edge[p->blocks++] = (double)cells.first;
            mass = 0;
        }
        mass += even_mass(p->layout, cells);
        end = (double)cells.end;
    }
    p->first_bin[p->blocks] = bins;
    p->edge[p->blocks] = end;
}

/* The sets are the blocks, pairs of them, pairs of pairs and so on. Small sets say where values are, and large sets
   keep the errors of many small ones from adding up. */
static void set_sets(problem *p) {
    for (uint32_t size = 1; size < p->blocks; size *= 2)
        for (uint32_t from = 0; from < p->blocks; from += size)
            p->set[p->sets++] = (set){from, from + size < p->blocks ? from + size : p->blocks};
}

/* ---- Places ---- */

static void add_place(problem *p, double place) {
    p->place[p->places++] = fmin(fmax(place, 0), (double)p->layout->places);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_places(problem *p) {
    uint32_t kept = 0;
    qsort(p->place, p->places, sizeof *p->place, compare);
    for (uint32_t i = 0; i < p->places; i++)
        if (i == 0 || p->place[i] > p->place[kept - 1])
            p->place[kept++] = p->place[i];
    p->places = kept;
}

/* The mass of a block is a linear function of the place, except where an end of the step passes an end of the block.
   (The other half of a pair is linear everywhere.) */
static void add_step_bends(problem *p, double width) {
    for (uint32_t b = 0; b <= p->blocks; b++) {
        add_place(p, p->edge[b]);
        add_place(p, p->edge[b] - width);
    }
}

/* Stairs bend where an end of any stair passes an end of a block. If a stair is as wide as the range, that happens
   twice for each block. If it is narrower, they bend everywhere, and are looked at in small steps. */
static void add_stairs_bends(problem *p) {
    const podium_stairs_draw *d = &p->layout->draw.stairs;
    const double places = (double)p->layout->places, width = (double)d->width, margin = (double)d->margin;
    for (uint32_t i = 0; i < STEPS && d->stairs > 1; i++)
        add_place(p, places * i / STEPS);
    for (uint32_t b = 0; b <= p->blocks && d->stairs == 1; b++) {
        const double start = p->edge[b] - margin, end = start - width;
        add_place(p, start - places * floor(start / places));
        add_place(p, end - places * floor(end / places));
    }
}

static void add_bends(problem *p) {
    const podium_layout *c = p->layout;
    switch ((podium_sampler_kind)c->sampler) {
    case PODIUM_SAMPLER_STEP:
        add_step_bends(p, (double)c->draw.step.width);
        return;
    case PODIUM_SAMPLER_PAIR:
        add_step_bends(p, (double)c->draw.pair.step.width);
        return;
    default:
        add_stairs_bends(p);
    }
}

static uint32_t find_place(const problem *p, double place) {
    uint32_t i = 0;
    while (i + 1 < p->places && p->place[i] < place)
        i++;
    return i;
}

/* Devices round the place of a value to a multiple of 2^-fraction_bits, and compute it with rounding errors of at most
   a few such units. So a value up to an edge is put at most this much beyond the place of the edge. */
#define UNITS 4.0

static void set_places(problem *p) {
    const podium_layout *c = p->layout;
    const double unit = ldexp(UNITS, -(int)c->fraction_bits);
    add_bends(p);
    for (uint32_t i = 0; i <= PARTS; i++) {
        add_place(p, edge_place(c, i) - unit);
        add_place(p, edge_place(c, i) + unit);
    }
    sort_places(p);
    for (uint32_t i = 0; i <= PARTS; i++) {
        p->before[i] = find_place(p, fmax(0, edge_place(c, i) - unit));
        p->after[i] = find_place(p, fmin((double)c->places, edge_place(c, i) + unit));
    }
}

/* How far a curve with slopes from least to most can be from the straight line between its ends */
static double bend(double width, double least, double most) {
    return width * (most - least) / 4;
}

/*
 * If the place moves from one whole number to the next, the mass of all cells before an edge falls by the mass of the
 * last of them. That mass, as a function of the place, rises until the middle stair covers the cell, and falls
 * afterwards. So from one place to another it is least at one of the two. It is greatest at one of them as well, unless
 * the middle stair covers the cell in between. In steps and pairs nothing bends between two places.
 */
static void set_curve(problem *p, uint32_t b, uint32_t i) {
    const podium_layout *c = p->layout;
    const double cell = p->edge[b] - 1, from = floor(p->place[i]), to = ceil(p->place[i + 1]) - 1;
    const double left = podium_mass_between(c, from, cell, cell + 1),
                 right = podium_mass_between(c, to, cell, cell + 1);
    const double covered = fmin(fmax(cell - (double)c->draw.stairs.margin, from), to);
    const double most = podium_mass_between(c, covered, cell, cell + 1);
    p->curve[b][i] = bend(p->place[i + 1] - p->place[i], fmin(left, right), fmax(most, fmax(left, right)));
}

static void set_masses(problem *p) {
    for (uint32_t b = 0; b < p->blocks; b++)
        for (uint32_t i = 0; i < p->places; i++) {
            p->mass[b][i] = podium_mass_between(p->layout, p->place[i], p->edge[b], p->edge[b + 1]);
            if (p->layout->sampler == PODIUM_SAMPLER_STAIRS && b > 0 && i + 1 < p->places)
                set_curve(p, b, i);
        }
}

/* ---- The limits of the reports ---- */

/* KL(a, p) = a ln(a/p) + (1 - a) ln((1 - a)/(1 - p)) */
static double divergence(double a, double p) {
    return (a > 0 ? a * log(a / p) : 0) + (a < 1 ? (1 - a) * log((1 - a) / (1 - p)) : 0);
}

/* The greatest p with KL(share, p) <= most, rounded up. It is found by halving an interval. */
static double greatest(double share, double most) {
    double low = share, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (middle < 1 && divergence(share, middle) <= most)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Limits of the mean probability p with which n independent reports are in a set that has `hits` of them. They err with
   a probability of at most alpha. For more reports than Clopper and Pearson's limits are computed for, there are
   Chernoff's: the share of the reports that are in the set exceeds a > p with a probability of at most e^(-n KL(a, p)),
   and falls below an a < p likewise (Hoeffding, 1963, theorem 1). */
static podium_limits limits_of(uint64_t hits, uint64_t n, double alpha) {
    const double most = log(2 / alpha) / (double)n;
    if (n <= PODIUM_TRIALS_MAX)
        return podium_clopper_pearson(hits, n, alpha);
    return (podium_limits){1 - greatest((double)(n - hits) / (double)n, most),
                           greatest((double)hits / (double)n, most)};
}

static void set_limits(problem *p, const podium_sums *a, double alpha) {
    for (uint32_t k = 0; k < p->sets; k++) {
        uint64_t hits = 0;
        for (uint32_t b = p->first_bin[p->set[k].from]; b < p->first_bin[p->set[k].to]; b++)
            hits += a->bins[b];
        const podium_limits limits = limits_of(hits, a->count, alpha / p->sets);
        p->program.lower[k] = limits.lower;
        p->program.upper[k] = limits.upper;
    }
    p->program.lower[p->sets] = p->program.upper[p->sets] = 1;
}

static void set_program(problem *p) {
    for (uint32_t k = 0; k < p->sets; k++)
        for (uint32_t b = p->set[k].from; b < p->set[k].to; b++)
            podium_add_scaled(p->program.table + (size_t)k * p->places, 1, p->mass[b], p->places);
    for (uint32_t i = 0; i < p->places; i++)
        p->program.table[(size_t)p->sets * p->places + i] = 1;
}

/* ---- Proving a bound ---- */

/* The sum over all sets of the weight times the limit, and the sum of the sizes of the weights */
typedef struct total {
    double most, size;
} total;

static total weigh(const problem *p, const double *weights, double height[BLOCKS]) {
    total sum = {0, 0};
    for (uint32_t k = 0; k < p->sets; k++) {
        sum.most += weights[k] * (weights[k] > 0 ? p->program.upper[k] : p->program.lower[k]);
        sum.size += fabs(weights[k]);
        for (uint32_t b = p->set[k].from; b < p->set[k].to; b++)
            height[b] += weights[k];
    }
    return sum;
}

/* Two cells of the lower half of a pair have the worths of the outputs, and their reports are counted as outputs. */
static double misread(const problem *p) {
    return p->layout->sampler == PODIUM_SAMPLER_PAIR ? 2 / (double)p->layout->draw.pair.step.width : 0;
}

/* The greatest share of values whose places are place[from] ... place[to], by these weights */
static double prove(const problem *p, const double *weights, uint32_t from, uint32_t to) {
    double height[BLOCKS] = {0}, sum[PLACES] = {0}, curve[PLACES] = {0}, most = -INFINITY;
    const total all = weigh(p, weights, height);
    for (uint32_t b = 0; b < p->blocks; b++) {
        podium_add_scaled(sum, height[b], p->mass[b], p->places);
        if (b > 0)
            podium_add_scaled(curve, fabs(height[b] - height[b - 1]), p->curve[b], p->places);
    }
    for (uint32_t i = 0; i + 1 < p->places; i++) {
        const bool inside = i >= from && i + 1 <= to;
        most = podium_larger(most, (inside ? 1 : 0) - fmin(sum[i], sum[i + 1]) + curve[i]);
    }
    return all.most + most + ROUNDING + (ROUNDING + misread(p)) * all.size;
}

/* ---- The band ---- */

static double greatest_share(problem *p, uint32_t from, uint32_t to) {
    double objective[PLACES], weights[SETS + 1];
    for (uint32_t i = 0; i < p->places; i++)
        objective[i] = i >= from && i <= to;
    podium_simplex_solve(&p->program, weights, objective, PIVOTS_EDGE);
    return fmin(1, prove(p, weights, from, to));
}

/* The share below an edge is never above the share below the next one, so neither are the limits. */
static void set_band(podium_band *band, problem *p) {
    const uint32_t last = p->places - 1;
    for (uint32_t i = 0; i < PARTS; i++)
        band->upper[i] = greatest_share(p, 0, p->after[i]);
    for (uint32_t i = PARTS; i > 0; i--)
        band->lower[i] = fmax(0, 1 - greatest_share(p, p->before[i], last));
    for (uint32_t i = PARTS; i-- > 0;)
        band->upper[i] = fmax(0, fmin(band->upper[i], band->upper[i + 1]));
    for (uint32_t i = 1; i <= PARTS; i++)
        band->lower[i] = fmax(band->lower[i], band->lower[i - 1]);
}

/* Solves the problem at this alpha. Sets found to whether any values fit the reports; if none do, the band is
 * untouched. */
static podium_status solve_at(podium_band *band, bool *found, problem *p, const podium_sums *a, double alpha) {
    const bool made = podium_simplex_make(&p->program, p->sets + 1, p->places);
    if (made) {
        set_program(p);
        set_limits(p, a, alpha);
        *found = podium_simplex_start(&p->program, PIVOTS_START);
        if (*found)
            set_band(band, p);
    }
    podium_simplex_clear(&p->program);
    return made ? PODIUM_OK : PODIUM_ERROR_OUT_OF_MEMORY;
}

/* If the limits of the reports are right, which they are with the confidence that was asked for, the true values fit.
   If no values fit, the limits are widened until some do, which takes nothing away from that confidence. */
static podium_status solve(podium_band *band, problem *p, const podium_sums *a) {
    podium_status status = PODIUM_OK;
    bool found = false;
    set_blocks(p, a->bin_count, a->bin_bits);
    set_sets(p);
    set_places(p);
    set_masses(p);
    for (double alpha = 1 - band->confidence; status == PODIUM_OK && !found && alpha > ALPHA_LEAST; alpha /= 16)
        status = solve_at(band, &found, p, a, alpha);
    return status;
}

podium_status podium_band_make(const podium_channel *channel, podium_band *band, const podium_aggregate *aggregate,
                               double confidence) {
    const podium_sums *a = podium_sums_of(aggregate);
    podium_band made = {.min = channel->min, .max = channel->max, .confidence = confidence};
    if (!podium_sums_fit(a, &channel->layout))
        return PODIUM_ERROR_FINGERPRINT_WRONG;
    if (a->count == 0)
        return PODIUM_ERROR_TOO_FEW_REPORTS;
    if (!(confidence > 0 && confidence < 1))
        return PODIUM_ERROR_ARGUMENT_WRONG;
    problem *p = calloc(1, sizeof *p);
    if (p == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    p->layout = &channel->layout;
    for (uint32_t i = 0; i <= PARTS; i++)
        made.upper[i] = 1;
    const podium_status status = solve(&made, p, a);
    free(p);
    if (status == PODIUM_OK)
        *band = made;
    return status;
}

/* ---- Reading the band ---- */

podium_limits podium_band_below(const podium_band *band, double x) {
    uint32_t left = PARTS, right = 0;
    if (isnan(x))
        return (podium_limits){NAN, NAN};
    if (x < band->min || x > band->max) /* nobody is below the range, everybody below what is above it */
        return (podium_limits){x > band->max, x > band->max};
    while (edge_value(band->min, band->max, left) > x)
        left--;
    while (edge_value(band->min, band->max, right) < x)
        right++;
    return (podium_limits){band->lower[left], band->upper[right]};
}

podium_limits podium_band_quantile(const podium_band *band, double p) {
    uint32_t left = PARTS, right = 0;
    if (!(p >= 0 && p <= 1))
        return (podium_limits){NAN, NAN};
    while (left > 0 && band->upper[left] >= p)
        left--;
    while (right < PARTS && band->lower[right] <= p)
        right++;
    return (podium_limits){edge_value(band->min, band->max, left), edge_value(band->min, band->max, right)};
}
