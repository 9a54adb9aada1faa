/*
 * Fit: estimates the density of the values by penalised maximum likelihood.
 *
 * The logarithm of the density is a sum of cubic splines with coefficients a, up to the constant that makes the shares
 * add up to 1. Write f for the shares of the value bins and g = mass f for the probabilities of the rows. The fit
 * maximises the log-likelihood of the reports minus a penalty,
 *     sum_b counts[b] log g[b] - n/2 (rough[0] |first differences of a|^2 + rough[1] |second differences of a|^2),
 * by Newton's method with the expected information in place of the second derivatives. Without the penalty it would fit
 * the noise of the reports.
 *
 * The two weights come from the data. Read the penalty as the logarithm of a prior density of a. Then the weights that
 * make the reports most likely satisfy
 *     weight = (rank of the penalty that the weight explains - what the reports explain) / roughness of the fit,
 * and iterating this equation leads to them (Fellner and Schall; Wood and Fasiolo, 2017). One Newton step and one step
 * of the weights take turns. docs/estimation.md has the derivation, the sources and what was measured.
 */
#include "analysis/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDERS 2 /* of differences that are penalised */

/* Keeps the weights positive and finite. */
#define WEIGHT_LEAST 1e-9
#define WEIGHT_MOST 100.0

/* An exponential prior of each weight, so that few reports do not lead to the belief that the values are spread evenly.
   They are roughnesses of log-densities with a slope of 1 and a curvature of 3, multiplied by 3,000 reports. */
static const double prior_roughness[ORDERS] = {3e3, 3e4};

#define STEPS_MAX 40
#define GAIN_SMALL 0.3 /* twice the log-likelihood that a further step would gain */
#define WEIGHT_CHANGE_SMALL 0.1
#define STEP_SHORTEST 1e-4
#define RIDGE                                                                                                          \
    1e-7 /* makes the information invertible, because adding a constant to all coefficients changes nothing            \
          */

/* With more degrees of freedom than this share of its splines, a level may have too few. */
#define FREEDOM_MOST 0.25

/* The intervals come from a fit whose weights are divided by this. It has less bias and more variance. */
#define LOOSER 4.0
#define LOOSE_STEPS_MAX 12

typedef double matrix[PODIUM_SPLINES_MAX][PODIUM_SPLINES_MAX];

typedef struct workspace {
    const podium_level *level;
    double n;
    double counts[PODIUM_ROWS_MAX];
    double a[PODIUM_SPLINES_MAX];
    double rough[ORDERS]; /* the weights of the penalty, for one report */
    double share[PODIUM_SHARES];
    double expected[PODIUM_ROWS_MAX];                  /* g */
    double slope[PODIUM_ROWS_MAX][PODIUM_SPLINES_MAX]; /* of g in a, divided by sqrt g */
    double mean_spline[PODIUM_SPLINES_MAX];            /* of each spline under the shares */
    matrix information;                                /* of the reports alone */
    matrix factor;                                     /* lower Cholesky factor of information plus penalty */
    matrix inverse;                                    /* of the factor */
    double gradient[PODIUM_SPLINES_MAX], step[PODIUM_SPLINES_MAX];
} workspace;

/* ---- The density and the likelihood at a ---- */

static double dot(const double *x, const double *y, uint32_t n) {
    double sum[4] = {0}; /* because a compiler may not reorder the additions of a single one */
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        sum[0] += x[i] * y[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static void set_shares(double *share, const podium_level *level, const double *a) {
    double most = -INFINITY, total = 0;
    for (uint32_t j = 0; j < PODIUM_SHARES; j++) {
        const double *w = level->weight[j], *own = a + level->first[j];
        share[j] = w[0] * own[0] + w[1] * own[1] + w[2] * own[2] + w[3] * own[3];
        most = fmax(most, share[j]);
    }
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        total += share[j] = exp(share[j] - most);
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        share[j] /= total;
}

/* Sets out to the differences of the given order of x. Returns how many there are. */
static uint32_t differences(double *out, const double *x, uint32_t n, int order) {
    memcpy(out, x, n * sizeof *x);
    for (int k = 0; k < order; k++, n--)
        for (uint32_t i = 0; i + 1 < n; i++)
            out[i] = out[i + 1] - out[i];
    return n;
}

static double roughness(const double *a, uint32_t splines, int order) {
    double d[PODIUM_SPLINES_MAX];
    uint32_t n = differences(d, a, splines, order);
    return dot(d, d, n);
}

/* The penalised log-likelihood of a. Sets share and expected. */
static double objective(const workspace *w, const double *a, double *share, double *expected) {
    const podium_level *level = w->level;
    double sum = 0;
    set_shares(share, level, a);
    for (uint32_t b = 0; b < level->rows; b++) {
        expected[b] = dot(level->mass + (size_t)b * PODIUM_SHARES, share, PODIUM_SHARES);
        if (w->counts[b] > 0)
            sum += w->counts[b] * log(expected[b]);
    }
    for (int k = 0; k < ORDERS; k++)
        sum -= w->n / 2 * w->rough[k] * roughness(a, level->splines, k + 1);
    return sum;
}

/* ---- Slope, information, gradient ---- */

static void set_mean_spline(workspace *w) {
    const podium_level *level = w->level;
    memset(w->mean_spline, 0, sizeof w->mean_spline);
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        for (uint32_t k = 0; k < 4; k++)
            w->mean_spline[level->first[j] + k] += w->share[j] * level->weight[j][k];
}

/* The slope of g[b] in a[k] is the sum over j of mass[b][j] f[j] (spline k at j - mean of spline k). */
static void set_slope(workspace *w) {
    const podium_level *level = w->level;
    set_mean_spline(w);
    for (uint32_t b = 0; b < level->rows; b++) {
        const double *mass = level->mass + (size_t)b * PODIUM_SHARES;
        const double scale = w->expected[b] > 0 ? 1 / sqrt(w->expected[b]) : 0;
        double *slope = w->slope[b];
        memset(slope, 0, sizeof w->slope[b]);
        for (uint32_t j = 0; j < PODIUM_SHARES; j++) {
            const double part = mass[j] * w->share[j], *weight = level->weight[j];
            double *own = slope + level->first[j];
            for (uint32_t k = 0; k < 4; k++)
                own[k] += part * weight[k];
        }
        for (uint32_t k = 0; k < level->splines; k++)
            slope[k] = scale * (slope[k] - w->expected[b] * w->mean_spline[k]);
    }
}

/* n times the sum over rows of slope slope'. Four rows at a time, because that saves memory traffic; the rows after the
   last one are zero. Only the lower half is set. */
static void set_information(workspace *w) {
    const uint32_t splines = w->level->splines, rows = w->level->rows;
    memset(w->information, 0, sizeof w->information);
    for (uint32_t b = rows; b % 4 != 0; b++)
        memset(w->slope[b], 0, sizeof w->slope[b]);
    for (uint32_t b = 0; b < rows; b += 4)
        for (uint32_t i = 0; i < splines; i++) {
            const double *restrict s0 = w->slope[b], *restrict s1 = w->slope[b + 1], *restrict s2 = w->slope[b + 2],
                                   *restrict s3 = w->slope[b + 3];
            const double x0 = w->n * s0[i], x1 = w->n * s1[i], x2 = w->n * s2[i], x3 = w->n * s3[i];
            double *restrict out = w->information[i];
            for (uint32_t k = 0; k <= i; k++)
                out[k] += x0 * s0[k] + x1 * s1[k] + (x2 * s2[k] + x3 * s3[k]);
        }
}

/* Adds to out the product of the penalty matrix (D'D for differences D of this order) and a, times weight. */
static void add_penalty_slope(double *out, const double *a, uint32_t splines, int order, double weight) {
    double d[PODIUM_SPLINES_MAX + 2 * ORDERS] = {0}, *inner = d + order;
    uint32_t n = differences(inner, a, splines, order);
    memset(inner + n, 0, (size_t)(2 * order) * sizeof *d);
    /* D' is, up to its sign, a difference of the zero-padded vector. */
    for (int k = 0; k < order; k++)
        for (uint32_t i = 0; i + 1 < splines + 2 * (uint32_t)order - (uint32_t)k; i++)
            d[i] = d[i + 1] - d[i];
    for (uint32_t i = 0; i < splines; i++)
        out[i] += weight * (order % 2 == 0 ? d[i] : -d[i]);
}

static void set_gradient(workspace *w) {
    const uint32_t splines = w->level->splines;
    memset(w->gradient, 0, sizeof w->gradient);
    for (uint32_t b = 0; b < w->level->rows; b++)
        if (w->counts[b] > 0)
            for (uint32_t k = 0; k < splines; k++)
                w->gradient[k] += w->counts[b] / sqrt(w->expected[b]) * w->slope[b][k];
    for (int k = 0; k < ORDERS; k++)
        add_penalty_slope(w->gradient, w->a, splines, k + 1, -w->n * w->rough[k]);
    for (uint32_t k = 0; k < splines; k++)
        w->gradient[k] -= RIDGE * w->n * w->a[k];
}

/* ---- Linear algebra ---- */

/* Sets factor to the lower Cholesky factor of the information plus the penalty. */
static void set_factor(workspace *w) {
    const uint32_t n = w->level->splines;
    double unit[PODIUM_SPLINES_MAX], column[PODIUM_SPLINES_MAX];
    for (uint32_t k = 0; k < n; k++) {
        memset(unit, 0, sizeof unit);
        memset(column, 0, sizeof column);
        unit[k] = 1;
        for (int order = 0; order < ORDERS; order++)
            add_penalty_slope(column, unit, n, order + 1, w->n * w->rough[order]);
        column[k] += RIDGE * w->n;
        for (uint32_t i = k; i < n; i++)
            w->factor[i][k] = w->information[i][k] + column[i];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= i; k++) {
            double rest = w->factor[i][k] - dot(w->factor[i], w->factor[k], k);
            w->factor[i][k] = k == i ? sqrt(rest) : rest / w->factor[k][k];
        }
}

/* Sets row i of inverse to column i of the inverse of the factor, so that each is contiguous. */
static void set_inverse(workspace *w) {
    const uint32_t n = w->level->splines;
    for (uint32_t i = 0; i < n; i++) {
        double *own = w->inverse[i];
        memset(own, 0, sizeof w->inverse[i]);
        own[i] = 1 / w->factor[i][i];
        for (uint32_t k = i + 1; k < n; k++)
            own[k] = -dot(w->factor[k] + i, own + i, k - i) / w->factor[k][k];
    }
}

/* The element (i, k) of the inverse of information plus penalty */
static double covariance(const workspace *w, uint32_t i, uint32_t k) {
    const uint32_t first = i > k ? i : k;
    return dot(w->inverse[i] + first, w->inverse[k] + first, w->level->splines - first);
}

/* Solves for the Newton step, and returns twice what it gains if the objective is quadratic. */
static double set_step(workspace *w) {
    const uint32_t n = w->level->splines;
    double half[PODIUM_SPLINES_MAX] = {0}, gain = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k < n; k++)
            half[k] += w->inverse[i][k] * w->gradient[i];
    for (uint32_t i = 0; i < n; i++)
        w->step[i] = dot(w->inverse[i] + i, half + i, n - i);
    for (uint32_t i = 0; i < n; i++)
        gain += half[i] * half[i];
    return gain;
}

/* ---- Newton steps ---- */

/* Moves along the step, by less than the whole of it if that does not improve the objective. */
static void move(workspace *w, double before) {
    const uint32_t n = w->level->splines;
    double a[PODIUM_SPLINES_MAX], mean = 0;
    for (double part = 1; part > STEP_SHORTEST; part /= 2) {
        for (uint32_t k = 0; k < n; k++)
            a[k] = w->a[k] + part * w->step[k];
        if (objective(w, a, w->share, w->expected) >= before - 1e-9 * fabs(before))
            break;
    }
    for (uint32_t k = 0; k < n; k++)
        mean += a[k] / n;
    for (uint32_t k = 0; k < n; k++)
        w->a[k] = a[k] - mean;
}

/* Takes one step, and returns its gain. The information and its inverse are those before the step. */
static double newton(workspace *w) {
    const double before = objective(w, w->a, w->share, w->expected);
    set_slope(w);
    set_information(w);
    set_gradient(w);
    set_factor(w);
    set_inverse(w);
    const double gain = set_step(w);
    move(w, before);
    return gain;
}

/* ---- The weights of the penalty ---- */

/* The trace of the covariance times the penalty matrix of this order, from the diagonals that it needs */
static double explained_by_reports(const workspace *w, int order) {
    static const double binomial[ORDERS + 1][ORDERS + 1] = {{1}, {1, -1}, {1, -2, 1}};
    const uint32_t n = w->level->splines;
    double sum = 0;
    for (uint32_t i = 0; i + (uint32_t)order < n; i++)
        for (uint32_t j = 0; j <= (uint32_t)order; j++)
            for (uint32_t k = 0; k <= (uint32_t)order; k++)
                sum += binomial[order][j] * binomial[order][k] * covariance(w, i + j, i + k);
    return sum;
}

/* The trace of the pseudo-inverse of the whole penalty times the penalty of this order, for one report. In first
   differences, the second differences have the eigenvalues of a path, 2 - 2 cos(pi k/m). */
static double explained_by_penalty(const workspace *w, int order) {
    const uint32_t m = w->level->splines - 1;
    double sum = 0;
    for (uint32_t k = 0; k < m; k++) {
        double eigenvalue = 2 - 2 * cos(acos(-1) * k / m);
        sum += (order == 1 ? 1 : eigenvalue) / (w->rough[0] + w->rough[1] * eigenvalue);
    }
    return sum;
}

static double between(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
}

/* Takes one step of the weights. Returns the largest change of a logarithm. */
static double reweigh(workspace *w) {
    double rough[ORDERS], change = 0;
    for (int k = 0; k < ORDERS; k++) {
        const int order = k + 1;
        double explained = explained_by_penalty(w, order) - w->n * explained_by_reports(w, order);
        double prior = prior_roughness[k] / pow(w->level->splines, 2 * order - 1);
        double found = w->n * roughness(w->a, w->level->splines, order) + prior;
        double factor = between(explained / found, 0.01, 100);
        rough[k] = between(w->rough[k] * factor, WEIGHT_LEAST, WEIGHT_MOST);
        change = fmax(change, fabs(log(rough[k] / w->rough[k])));
    }
    memcpy(w->rough, rough, sizeof rough);
    return change;
}

/* How many parameters the fit effectively has: the trace of the covariance times the information, which is the number
   of splines minus what the penalty holds */
static double freedom(const workspace *w) {
    double held = RIDGE * w->n;
    double trace = 0;
    for (uint32_t i = 0; i < w->level->splines; i++)
        trace += held * covariance(w, i, i);
    for (int k = 0; k < ORDERS; k++)
        trace += w->n * w->rough[k] * explained_by_reports(w, k + 1);
    return w->level->splines - trace;
}

/* Whether the fit wants more splines than its level has */
static bool is_cramped(const workspace *w) {
    return w->level->splines < PODIUM_SPLINES_MAX && freedom(w) > FREEDOM_MOST * w->level->splines;
}

static uint32_t fit_level(workspace *w) {
    uint32_t step = 0;
    while (step < STEPS_MAX) {
        double gain = newton(w), change = reweigh(w);
        step++;
        if ((gain < GAIN_SMALL && change < WEIGHT_CHANGE_SMALL) || is_cramped(w))
            break;
    }
    return step;
}

/* ---- The fit ---- */

static void begin(workspace *w, const podium_level *level, const podium_sums *sums) {
    w->level = level;
    podium_level_count(level, w->counts, sums);
}

/* Goes on to the next level with the coefficients and weights of this one. */
static void refine(workspace *w, const podium_sums *sums) {
    const uint32_t coarse = w->level->splines, fine = w->level[1].splines;
    double a[PODIUM_SPLINES_MAX];
    begin(w, w->level + 1, sums);
    for (uint32_t k = 0; k < fine; k++) {
        double at = (double)k * (coarse - 1) / (fine - 1);
        uint32_t i = at >= coarse - 2 ? coarse - 2 : (uint32_t)at;
        a[k] = w->a[i] + (at - i) * (w->a[i + 1] - w->a[i]);
    }
    memcpy(w->a, a, sizeof w->a);
    for (int k = 0; k < ORDERS; k++)
        w->rough[k] = between(w->rough[k] * pow((double)fine / coarse, 2 * k + 1), WEIGHT_LEAST, WEIGHT_MOST);
}

/* Sets root[i] to the inverse of the factor times the slope of the share below edge i. */
static void set_root(podium_fit *fit, const workspace *w) {
    const podium_level *level = w->level;
    const uint32_t n = level->splines;
    double mean[PODIUM_SPLINES_MAX] = {0};
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k; i < n; i++)
            mean[i] += w->inverse[k][i] * w->mean_spline[k];
    memset(fit->root[0], 0, sizeof fit->root[0]);
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        for (uint32_t i = 0; i < n; i++) {
            double sum = -mean[i];
            for (uint32_t k = 0; k < 4; k++)
                sum += level->weight[j][k] * w->inverse[level->first[j] + k][i];
            fit->root[j + 1][i] = fit->root[j][i] + fit->loose[j] * sum;
        }
}

static void fit_both(podium_fit *fit, workspace *w, const podium_channel *c, const podium_sums *sums) {
    begin(w, c->level, sums);
    w->n = (double)sums->count;
    w->rough[0] = 0.01;
    w->rough[1] = 0.1;
    fit->steps = fit_level(w);
    while (is_cramped(w)) {
        refine(w, sums);
        fit->steps += fit_level(w);
    }
    fit->splines = w->level->splines;
    memcpy(fit->share, w->share, sizeof fit->share);
    for (int k = 0; k < ORDERS; k++)
        w->rough[k] /= LOOSER;
    for (int step = 0; step < LOOSE_STEPS_MAX; step++)
        if (newton(w) < GAIN_SMALL)
            break;
    set_mean_spline(w); /* of the shares after the last step */
    memcpy(fit->loose, w->share, sizeof fit->loose);
    set_root(fit, w);
}

podium_status podium_fit_make(podium_fit *fit, const podium_channel *channel, const podium_sums *sums) {
    workspace *w = calloc(1, sizeof *w);
    fit->root = calloc(PODIUM_SHARES + 1, sizeof *fit->root);
    if (w == NULL || fit->root == NULL) {
        free(w);
        podium_fit_clear(fit);
        return PODIUM_ERROR_OUT_OF_MEMORY;
    }
    fit_both(fit, w, channel, sums);
    free(w);
    return PODIUM_OK;
}

void podium_fit_clear(podium_fit *fit) {
    free(fit->root);
    fit->root = NULL;
}
