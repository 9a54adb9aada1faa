/*
 * Information: how well reports can tell the shape of the values, as one number.
 *
 * Let the values be spread evenly over the range, but for the coefficients theta_k = E cos(k pi x), which are to be
 * estimated, where x goes from 0 to 1 along the range; the density is 1 + 2 sum of theta_k cos(k pi x). The Fisher
 * information of a report about them, at theta = 0, is the matrix 4 sum over b of c_k(b) c_l(b)/r(b), where r(b) is the
 * probability of a report in bin b of an aggregate, and c_k(b) is the same with weights cos(k pi x). Its inverse is the
 * least covariance of an unbiased estimate from one report; with n reports it is the n-th part of that (Cramer, Rao).
 */
#include "analysis/analysis.h"
#include "collection/linear.h"

#include <math.h>

enum { WAVES = 6, VALUES = 128 };

/* Less than this of a coefficient's information, after that of the others, is rounding error. */
#define LEFT_LEAST 1e-10

/* The mass of a range of cells, given a place that is not whole. A grid of few places rounds it at random. */
static double mass_at(const podium_layout *c, double place, const podium_cell_range *cells) {
    const double below = floor(place), along = place - below;
    const double first = (double)cells->first, end = (double)cells->end;
    if (c->fraction_bits == 0 || along == 0)
        return podium_mass_between(c, place, first, end);
    return (1 - along) * podium_mass_between(c, below, first, end) +
           along * podium_mass_between(c, below + 1, first, end);
}

/* Adds what the reports in a range of cells say about the coefficients. */
static void add_information(double matrix[WAVES * WAVES], const podium_layout *c, const podium_cell_range *cells) {
    const double pi = acos(-1), delta = c->spec.max - c->spec.min;
    double evenly = 0, wave[WAVES] = {0};
    for (int j = 0; j < VALUES; j++) {
        const double x = (j + 0.5) / VALUES, place = podium_place(c, c->spec.min + delta * x);
        const double mass = mass_at(c, place, cells) / VALUES;
        evenly += mass;
        for (int k = 0; k < WAVES; k++)
            wave[k] += mass * cos((k + 1) * pi * x);
    }
    for (int i = 0; i < WAVES * WAVES && evenly > 0; i++)
        matrix[i] += 4 * wave[i / WAVES] * wave[i % WAVES] / evenly;
}

/* Whether the bins tell all of the coefficients apart, by the pivots of the matrix and its diagonal before */
static bool tells_all(const double factor[WAVES * WAVES], const double diagonal[WAVES]) {
    for (int k = 0; k < WAVES; k++) {
        const double pivot = factor[k * WAVES + k];
        if (!(pivot * pivot > LEFT_LEAST * diagonal[k]))
            return false;
    }
    return true;
}

/* The cumulative distribution is x plus the sum of 2 theta_k sin(k pi x)/(k pi), so that the mean of the squared error
   over x is the sum of 2 (variance of theta_k)/(k pi)^2. */
double podium_distribution_noise(const podium_layout *c) {
    const double pi = acos(-1);
    double matrix[WAVES * WAVES] = {0}, diagonal[WAVES], sum = 0;
    podium_sums empty;
    podium_sums_init(&empty, c);
    for (uint32_t b = 0; b < empty.bin_count; b++) {
        const podium_cell_range cells = podium_map_of(c)->bin(c, b, empty.bin_bits);
        if (cells.first < cells.end)
            add_information(matrix, c, &cells);
    }
    for (int k = 0; k < WAVES; k++)
        diagonal[k] = matrix[k * WAVES + k];
    podium_cholesky(matrix, WAVES);
    if (!tells_all(matrix, diagonal))
        return INFINITY;
    for (int k = 0; k < WAVES; k++) {
        double column[WAVES] = {0}, wave = (k + 1) * pi;
        column[k] = 1;
        podium_cholesky_solve(matrix, column, WAVES);
        sum += 2 * column[k] / (wave * wave);
    }
    return sum;
}
