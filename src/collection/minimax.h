/* Minimax: what the solver finds, for collection.c to put on the grid. */
#ifndef PODIUM_MINIMAX_H
#define PODIUM_MINIMAX_H

#include "collection/internal.h"

/* The range is 1 wide, about 0. There are pieces << piece_bits cells, and width << piece_bits in the step. */
typedef struct podium_minimax {
    uint32_t pieces, piece_bits, width;
    uint32_t knots;
    uint32_t
        knot[PODIUM_KNOTS_MAX]; /* places, counted in pieces from the end to the middle, where mu changes its slope */
    double value[PODIUM_PIECES_MAX]; /* the mean of a piece */
    double slope[PODIUM_PIECES_MAX]; /* what it rises from one end to the other */
} podium_minimax;

podium_status podium_minimax_solve(podium_minimax *minimax, double epsilon, uint32_t cells);

/* Symmetric positive definite equations, n small; a has its lower triangle, row after row. */
void podium_cholesky(double *a, uint32_t n);
void podium_cholesky_solve(const double *factor, double *b, uint32_t n);

#endif
