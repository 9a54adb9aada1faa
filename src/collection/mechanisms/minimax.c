/*
 * Minimax: the output map with the smallest worst-case variance.
 *
 * The step sampler has N cells and a step of W. Cell j is worth g_j, and g is odd about the middle. With k = q/W, the
 * mean at place T is mu_T = k (g_T + ... + g_{T+W-1}), and the variance V_T is a nonnegative quadratic form in g. So
 * the largest V_T is convex in g. It is minimised subject to mu_0 = -1/2, for a range of width 1. See
 * docs/mechanisms.md.
 *
 * Two restrictions keep the problem small for every N. First, g is linear on each of at most PODIUM_PIECES_MAX pieces,
 * and the step is a whole number of pieces. Second, mu is linear in T except at no more than PODIUM_KNOTS_MAX knots on
 * each side, so that privatize.c can compute the place of a value from a few ramps in constant time, without a search.
 * Together they mean that from one piece to the piece W further on, the slope stays the same and the value grows by a
 * lift, and that the lift changes only at knots. So the unknowns are the lifts, and the values and slopes of W
 * consecutive pieces, which come in pairs because g is odd.
 */
#include "collection/elementary.h"
#include "collection/mechanisms/minimax.h"
#include "collection/linear.h"

#include <float.h>
#include <math.h>

/* ---- Small epsilon: in closed form ---- */

/* Up to this epsilon the closed form is within 0.05% of the solution, and one ramp is enough to find a place. */
#define CLOSED_FORM_EPSILON 0.75

/* W = N/2, and g runs linearly from h - 1/2 to h + 1/2 on the upper half. */
static void closed_form(podium_piece_solution *m, double epsilon) {
    double h = 0.5 + 1 / podium_expm1(epsilon), half = m->pieces / 2.0;
    m->width = m->pieces / 2;
    m->knots = 0;
    for (uint32_t c = 0; c < m->pieces; c++) {
        m->value[c] = (c + 0.5) / half - 1 + (c < half ? 0.5 - h : h - 0.5);
        m->slope[c] = m->piece_bits > 0 ? 1 / half : 0;
    }
}

/* ---- The unknowns ---- */

/*
 * A part is half a piece, or a whole piece if a piece is one cell. Halves are used so that the places in the middle of
 * a piece are checked too. The mean of a part is row . x, and the variance inside it is inner times the square of
 * x[slope_of].
 */
typedef struct {
    uint32_t n;      /* unknowns */
    uint32_t parts;  /* in all */
    uint32_t window; /* parts in the step */
    uint32_t places; /* that are checked, from one end to the middle */
    double q, inner;
    double *row;        /* parts x n */
    double *mean;       /* places x n: mu_T = mean . x */
    double *gap;        /* places x n: half of the rise of mu from place T to the next place, a cell further on */
    uint32_t *slope_of; /* of each part */
} family;

/* The number of the lift from piece c to piece c + W. Lifts change at knots, and are symmetric about the middle. */
static uint32_t lift_of(const podium_piece_solution *m, uint32_t c) {
    uint32_t last = m->pieces - m->width - 1, from_end = c < last - c ? c : last - c, i = 0;
    while (i < m->knots && m->knot[i] <= from_end)
        i++;
    return i;
}

/* Adds sign times the lifts from piece c to the one `times` steps further on. */
static void add_lifts(const podium_piece_solution *m, double *row, uint32_t c, uint32_t times, double sign) {
    for (uint32_t i = 0; i < times; i++)
        row[lift_of(m, c + i * m->width)] += sign;
}

/* The unknowns are the lifts, and then for each pair of the first W pieces a value and a slope. If a piece is its
   own partner, it has no unknown value, because oddness determines it. */
static void piece_row(const podium_piece_solution *m, uint32_t c, double *row, uint32_t *slope_of, uint32_t *unknowns) {
    uint32_t own = c % m->width, partner = (m->pieces - 1 - own) % m->width;
    uint32_t low = own < partner ? own : partner, high = own < partner ? partner : own, next = m->knots + 1;
    uint32_t value = 0, slope = 0;
    for (uint32_t i = 0; i < m->width; i++) {
        uint32_t other = (m->pieces - 1 - i) % m->width;
        if (other < i)
            continue;
        if (i == low)
            value = next;
        next += other != i;
        if (i == low)
            slope = next;
        next += m->piece_bits > 0;
    }
    *unknowns = next;
    *slope_of = m->piece_bits > 0 ? slope : UINT32_MAX;
    if (row == NULL)
        return;
    add_lifts(m, row, own, c / m->width, 1);
    if (low == high)
        add_lifts(m, row, own, (m->pieces - 1 - own) / m->width, -0.5);
    else
        row[value] += own == low ? 1 : -1;
    if (own != low)
        add_lifts(m, row, own, (m->pieces - 1 - low) / m->width, -1);
}

/* Places beyond the middle mirror those before it. */
static double mean_beyond(const family *f, uint32_t t, uint32_t i) {
    uint32_t last = f->parts - f->window;
    return t + 1 < f->places ? f->mean[(size_t)(t + 1) * f->n + i] : -f->mean[(size_t)(last - t - 1) * f->n + i];
}

static bool family_make(family *f, const podium_piece_solution *m, double epsilon) {
    uint32_t split = m->piece_bits > 0 ? 2 : 1, slope, n;
    double cells = ldexp(1, (int)m->piece_bits);
    piece_row(m, 0, NULL, &slope, &n);
    *f = (family){.n = n, .parts = split * m->pieces, .window = split * m->width};
    f->places = (f->parts - f->window) / 2 + 1;
    f->q = 1 / (1 + m->pieces / (m->width * podium_expm1(epsilon)));
    f->inner = m->piece_bits > 0 ? (0.25 - 1 / (cells * cells)) / 12 : 0;
    f->row = podium_allocate((size_t)(f->parts + 2 * f->places) * n, sizeof *f->row);
    f->slope_of = podium_allocate(f->parts, sizeof *f->slope_of);
    if (f->row == NULL || f->slope_of == NULL)
        return false;
    f->mean = f->row + (size_t)f->parts * n;
    f->gap = f->mean + (size_t)f->places * n;
    for (uint32_t p = 0; p < f->parts; p++) {
        double *row = f->row + (size_t)p * n;
        piece_row(m, p / split, row, &f->slope_of[p], &n);
        if (m->piece_bits > 0)
            row[f->slope_of[p]] += p % 2 == 0 ? -0.25 : 0.25;
    }
    for (uint32_t t = 0; t < f->places; t++)
        for (uint32_t p = t; p < t + f->window; p++)
            for (uint32_t i = 0; i < n; i++)
                f->mean[(size_t)t * n + i] += f->q / f->window * f->row[(size_t)p * n + i];
    for (uint32_t t = 0; t < f->places; t++)
        for (uint32_t i = 0; i < n; i++)
            f->gap[(size_t)t * n + i] = (mean_beyond(f, t, i) - f->mean[(size_t)t * n + i]) * split / (2 * cells);
    return true;
}

static void family_free(family *f) {
    podium_release(f->row);
    podium_release(f->slope_of);
}

/* Adds factor * a a' to the lower triangle of sum, whose rows are `stride` apart. */
static void add_square(double *sum, uint32_t stride, double factor, const double *a, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != 0)
            podium_add_scaled(sum + (size_t)i * stride, factor * a[i], a, i + 1);
}

/* Sets V_T for all checked places, including the most that random rounding between T and the next place adds;
   returns the largest. */
static double variances(const family *f, const double *x, double *variance) {
    double most = 0, all = 0, inside = 0;
    double square[2 * PODIUM_PIECES_MAX];
    for (uint32_t p = 0; p < f->parts; p++) {
        double value = podium_dot(f->row + (size_t)p * f->n, x, f->n);
        double slope = f->inner > 0 ? x[f->slope_of[p]] : 0;
        square[p] = value * value + f->inner * slope * slope;
        all += square[p];
        inside += p < f->window ? square[p] : 0;
    }
    for (uint32_t t = 0; t < f->places; t++) {
        double mu = podium_dot(f->mean + (size_t)t * f->n, x, f->n),
               gap = podium_dot(f->gap + (size_t)t * f->n, x, f->n);
        variance[t] = (1 - f->q) / f->parts * all + f->q / f->window * inside - mu * mu + gap * gap;
        most = fmax(most, variance[t]);
        inside += t + f->window < f->parts ? square[t + f->window] - square[t] : 0;
    }
    return most;
}

/* ---- The solution: a barrier method ---- */

typedef struct {
    double *x;         /* n + 1: the unknowns, and a bound on all variances */
    double *next;      /* n + 1 */
    double *variance;  /* one for each place */
    double *gradient;  /* n + 1 */
    double *direction; /* n + 1 */
    double *normal;    /* n + 1: the inverse Hessian times the gradient of the constraint mu_0 = -1/2 */
    double *hessian;   /* (n + 1)^2 */
    double *before;    /* (parts + 1) x n: for each part, the sum over the parts before it of value times row */
    double *own;       /* n + 1: gradient of one variance */
} work;

static bool work_make(work *w, const family *f) {
    size_t n = f->n + 1, room = 6 * n + n * n + f->places + (size_t)(f->parts + 1) * f->n;
    double *at = podium_allocate(room, sizeof *at);
    if (at == NULL)
        return false;
    *w = (work){.x = at,
                .next = at + n,
                .gradient = at + 2 * n,
                .direction = at + 3 * n,
                .normal = at + 4 * n,
                .own = at + 5 * n,
                .hessian = at + 6 * n,
                .variance = at + 6 * n + n * n,
                .before = at + 6 * n + n * n + f->places};
    return true;
}

/* Adds factor * sum_T weight[T] Q_T, where V_T = x' Q_T x, to the lower triangle of an (n + 1)^2 matrix. */
static void add_forms(const family *f, const double *weight, double factor, double *matrix) {
    double total = 0, inside = 0;
    uint32_t n = f->n;
    for (uint32_t t = 0; t < f->places; t++)
        total += weight[t];
    for (uint32_t p = 0; p < f->parts; p++) {
        inside += p < f->places ? weight[p] : 0;
        inside -= p >= f->window && p - f->window < f->places ? weight[p - f->window] : 0;
        double of_part = factor * ((1 - f->q) / f->parts * total + f->q / f->window * inside);
        add_square(matrix, n + 1, of_part, f->row + (size_t)p * n, n);
        if (f->inner > 0)
            matrix[(size_t)f->slope_of[p] * (n + 2)] += of_part * f->inner;
    }
    for (uint32_t t = 0; t < f->places; t++) {
        add_square(matrix, n + 1, -factor * weight[t], f->mean + (size_t)t * n, n);
        add_square(matrix, n + 1, factor * weight[t], f->gap + (size_t)t * n, n);
    }
}

/* Solves with the Hessian, scaled so that its diagonal is 1, for the Newton step and for the constraint. */
static void solve_both(const family *f, work *w) {
    uint32_t n = f->n + 1;
    double *scale = w->own; /* not needed any more at this point */
    for (uint32_t i = 0; i < n; i++)
        scale[i] = 1 / sqrt(fmax(w->hessian[(size_t)i * (n + 1)], DBL_MIN));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            w->hessian[(size_t)i * n + j] *= scale[i] * scale[j];
    podium_cholesky(w->hessian, n);
    for (uint32_t i = 0; i < n; i++) {
        w->direction[i] = -w->gradient[i] * scale[i];
        w->normal[i] = i < f->n ? f->mean[i] * scale[i] : 0;
    }
    podium_cholesky_solve(w->hessian, w->direction, n);
    podium_cholesky_solve(w->hessian, w->normal, n);
    for (uint32_t i = 0; i < n; i++) {
        w->direction[i] *= scale[i];
        w->normal[i] *= scale[i];
    }
}

/* Sets x to the point with the least average variance subject to mu_0 = -1/2, and the bound to a number above all
   variances. */
static void start(const family *f, work *w) {
    uint32_t n = f->n;
    for (uint32_t t = 0; t < f->places; t++)
        w->variance[t] = 1.0 / f->places;
    add_forms(f, w->variance, 1, w->hessian);
    w->hessian[(size_t)n * (n + 2)] = 1;
    solve_both(f, w);
    double scale = -0.5 / podium_dot(f->mean, w->normal, n);
    for (uint32_t i = 0; i < n; i++)
        w->x[i] = scale * w->normal[i];
    w->x[n] = 1.05 * variances(f, w->x, w->variance);
}

/* Computes the gradient and the Hessian of the barrier function tau t - sum log(t - V_T), where t is the bound, and
   the Newton direction that keeps the constraint. Returns twice the decrease that the barrier function should have. */
static double newton(const family *f, work *w, double tau) {
    uint32_t n = f->n;
    double *sum = w->before, inverse[PODIUM_PIECES_MAX + 2];
    for (uint32_t i = 0; i < (n + 1) * (n + 1); i++)
        w->hessian[i] = 0;
    for (uint32_t p = 0; p < f->parts; p++) {
        const double *row = f->row + (size_t)p * n;
        double *next = sum + n;
        for (uint32_t i = 0; i < n; i++)
            next[i] = sum[i];
        podium_add_scaled(next, podium_dot(row, w->x, n), row, n);
        if (f->inner > 0)
            next[f->slope_of[p]] += f->inner * w->x[f->slope_of[p]];
        sum = next;
    }
    for (uint32_t i = 0; i <= n; i++)
        w->gradient[i] = 0;
    w->gradient[n] = tau;
    for (uint32_t t = 0; t < f->places; t++) {
        const double *mean = f->mean + (size_t)t * n, *gap = f->gap + (size_t)t * n;
        double mu = podium_dot(mean, w->x, n), half_gap = podium_dot(gap, w->x, n);
        inverse[t] = 1 / (w->x[n] - w->variance[t]);
        for (uint32_t i = 0; i < n; i++) {
            double inside = w->before[(size_t)(t + f->window) * n + i] - w->before[(size_t)t * n + i];
            w->own[i] =
                2 * ((1 - f->q) / f->parts * sum[i] + f->q / f->window * inside - mu * mean[i] + half_gap * gap[i]);
        }
        w->own[n] = -1;
        podium_add_scaled(w->gradient, inverse[t], w->own, n + 1);
        add_square(w->hessian, n + 1, inverse[t] * inverse[t], w->own, n + 1);
    }
    add_forms(f, inverse, 2, w->hessian);
    solve_both(f, w);
    podium_add_scaled(w->direction, -podium_dot(f->mean, w->direction, n) / podium_dot(f->mean, w->normal, n),
                      w->normal, n + 1);
    return -podium_dot(w->gradient, w->direction, n + 1);
}

static double barrier(const family *f, const double *x, const double *variance, double tau) {
    double sum = tau * x[f->n];
    for (uint32_t t = 0; t < f->places; t++)
        sum -= x[f->n] > variance[t] ? podium_log(x[f->n] - variance[t]) : -INFINITY;
    return sum;
}

/* Halves the step along the direction until the barrier function falls; returns false if it never does. */
static bool descend(const family *f, work *w, double tau, double expected) {
    double before = barrier(f, w->x, w->variance, tau);
    for (double far = 1; far > 1e-6; far /= 2) {
        for (uint32_t i = 0; i <= f->n; i++)
            w->next[i] = w->x[i] + far * w->direction[i];
        variances(f, w->next, w->variance);
        if (barrier(f, w->next, w->variance, tau) < before - 0.1 * far * expected) {
            double *swap = w->x;
            w->x = w->next;
            w->next = swap;
            return true;
        }
    }
    variances(f, w->x, w->variance);
    return false;
}

/* Takes Newton steps until one promises a decrease below `enough`. In the last call `enough` is so small that the
   result no longer depends on the starting point. */
static void centre(const family *f, work *w, double tau, double enough) {
    for (int i = 0; i < 40; i++) {
        double expected = newton(f, w, tau);
        if (!(expected > enough) || !descend(f, w, tau, expected))
            break;
    }
}

/* The bound exceeds the optimum by at most places/tau, so tau grows until that is `precision` of the bound. */
static double minimise(const family *f, work *w, double precision) {
    double tau;
    start(f, w);
    for (tau = f->places / w->x[f->n]; f->places / tau > precision * w->x[f->n]; tau *= 8)
        centre(f, w, tau, 1e-4);
    centre(f, w, tau, 1e-18);
    double scale = -0.5 / podium_dot(f->mean, w->x, f->n);
    for (uint32_t i = 0; i < f->n; i++)
        w->x[i] *= scale;
    return variances(f, w->x, w->variance);
}

/* Spreads as many knots as allowed evenly. If there are fewer pieces than that, every piece has a knot. */
static void set_knots(podium_piece_solution *m) {
    uint32_t half = (m->pieces - m->width + 1) / 2, most = half < PODIUM_KNOTS_MAX ? half : PODIUM_KNOTS_MAX;
    m->knots = most - 1;
    for (uint32_t i = 1; i < most; i++)
        m->knot[i - 1] = most == half ? i : (uint32_t)nearbyint((m->pieces - m->width) / 2.0 * i / most);
}

/* Returns whether the mean rises from place to place. If it does not, some values may have no place. */
static bool rises(const family *f, const double *x) {
    for (uint32_t t = 0; t < f->places; t++)
        if (!(podium_dot(f->gap + (size_t)t * f->n, x, f->n) > 0))
            return false;
    return true;
}

/* Finds the best map for m's number of pieces and width of the step, and sets worst to its largest variance, or to
   INFINITY if there is no such map. */
static podium_status try_width(podium_piece_solution *m, double epsilon, double precision, double *worst) {
    family f;
    work w = {.x = NULL};
    set_knots(m);
    bool enough = family_make(&f, m, epsilon) && work_make(&w, &f);
    double *room = w.x;
    if (enough) {
        uint32_t split = f.parts / m->pieces;
        *worst = minimise(&f, &w, precision);
        if (!rises(&f, w.x))
            *worst = INFINITY;
        for (uint32_t c = 0; c < m->pieces; c++) {
            m->slope[c] = split == 2 ? w.x[f.slope_of[2 * c]] : 0;
            m->value[c] = podium_dot(f.row + (size_t)c * split * f.n, w.x, f.n) + m->slope[c] / 4;
        }
    }
    podium_release(room);
    family_free(&f);
    return enough ? PODIUM_OK : PODIUM_ERROR_OUT_OF_MEMORY;
}

/* ---- How many pieces, how wide a step ---- */

#define COARSE_PIECES 32
#define ROUGH 1e-3 /* precise enough to compare widths */
#define FINE 2e-4
#define WORTH_IT 0.998 /* doubling the pieces must lower the worst variance by this factor */

/* Finds the best width of the step from `from` to `to` pieces. */
static podium_status best_width(podium_piece_solution *best, double *worst, uint32_t pieces, uint32_t piece_bits,
                                double epsilon, uint32_t from, uint32_t to) {
    podium_piece_solution m = {.pieces = pieces, .piece_bits = piece_bits};
    *worst = INFINITY;
    for (m.width = from; m.width <= to; m.width++) {
        double own;
        podium_status status = try_width(&m, epsilon, ROUGH, &own);
        if (status != PODIUM_OK)
            return status;
        if (own < *worst) {
            *worst = own;
            *best = m;
        }
    }
    return PODIUM_OK;
}

/* The coarsest division: as many cells as asked for, or a few less because the number of pieces must be even.
   Doubling the pieces and halving their cells keeps the number of cells. */
static podium_piece_solution coarse(uint32_t cells) {
    podium_piece_solution m = {.pieces = cells};
    while (m.pieces > COARSE_PIECES) {
        m.pieces /= 2;
        m.piece_bits++;
    }
    m.pieces -= m.pieces % 2;
    return m;
}

podium_status podium_minimax_solve(podium_piece_solution *m, double epsilon, uint32_t cells) {
    podium_piece_solution best = coarse(cells), finer;
    double worst = INFINITY, finer_worst;
    podium_status status = PODIUM_OK;
    if (epsilon > CLOSED_FORM_EPSILON && best.pieces > 2)
        status = best_width(&best, &worst, best.pieces, best.piece_bits, epsilon, 1, best.pieces / 2);
    if (status == PODIUM_OK && isinf(worst)) {
        closed_form(&best, epsilon); /* its mean rises at every epsilon */
        *m = best;
        return PODIUM_OK;
    }
    while (status == PODIUM_OK && best.piece_bits > 0 && 2 * best.pieces <= PODIUM_PIECES_MAX) {
        uint32_t width = 2 * best.width;
        status = best_width(&finer, &finer_worst, 2 * best.pieces, best.piece_bits - 1, epsilon, width - 1, width + 1);
        if (status != PODIUM_OK || !(finer_worst < WORTH_IT * worst))
            break;
        best = finer;
        worst = finer_worst;
    }
    finer = best;
    if (status == PODIUM_OK)
        status = try_width(&finer, epsilon, FINE, &finer_worst);
    if (status == PODIUM_OK)
        *m = isinf(finer_worst) ? best : finer; /* rounding in the finer solution can make a mean fall */
    return status;
}

/* ---- The mechanism ---- */

/* This is a function of its own so that the solution is on the stack only for this mechanism. */
static podium_status layout(podium_layout *c) {
    podium_piece_solution solution;
    podium_status status = podium_minimax_solve(&solution, c->spec.epsilon, c->spec.cells);
    if (status == PODIUM_OK)
        podium_pieces_layout(c, &solution);
    return status;
}

const podium_row podium_row_minimax = {
    .name = "minimax",
    .summary = "close to the least worst-case variance there is, in few cells",
    .colour = "#000000",
    .parameter = PODIUM_PARAMETER_CELLS,
    /* Increase this if the solver finds another map, because two versions would misread each other's cells. */
    .revision = 1,
    .layout = layout,
};
