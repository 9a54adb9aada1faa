/*
 * Simplex: a linear program that is solved for one objective after another. Given a matrix a and limits of its rows, it
 * maximises c.f over all f >= 0 with lower <= a f <= upper. From one objective to a similar one it takes a few pivots.
 *
 * The solution is as good as doubles and a limited number of pivots allow, so whoever needs a bound must compute it
 * from the weights of the rows, which prove a bound whatever they are (band.c).
 */
#ifndef PODIUM_SIMPLEX_H
#define PODIUM_SIMPLEX_H

#include <stdbool.h>
#include <stdint.h>

typedef struct podium_simplex {
    uint32_t rows, columns;
    double *lower, *upper; /* of the rows, set by the caller */
    double *table; /* of each basic variable, how much it grows with each of the others; at first it is the matrix a */
    double *value; /* of each basic variable */
    double *gain;  /* how much the objective grows with each variable that is not basic */
    double *pivot_row;
    /* Variable i < rows is row i of a f, and variable rows + j is element j of f. One that is not basic is at its lower
       or its upper limit. */
    uint32_t *basic, *other;
    bool *at_upper;
} podium_simplex;

/* Allocates a program whose matrix and limits are 0. Returns false if there is no memory; either way,
   podium_simplex_clear frees what was allocated. */
bool podium_simplex_make(podium_simplex *program, uint32_t rows, uint32_t columns);
void podium_simplex_clear(podium_simplex *program);

/* Searches an f within the limits, with at most this many pivots. Returns false if it found none. */
bool podium_simplex_start(podium_simplex *program, uint32_t pivots);

/* Maximises an objective, which has `columns` elements, after podium_simplex_start returned true. Sets weights to how
   much the maximum grows with the limit of each row. */
void podium_simplex_solve(podium_simplex *program, double *weights, const double *objective, uint32_t pivots);

#endif
