/*
 * Symmetric positive definite systems of about 60 linear equations. They are solved here because a device's build has
 * no library for it.
 */
#ifndef PODIUM_LINEAR_H
#define PODIUM_LINEAR_H

#include <stdint.h>

double podium_dot(const double *a, const double *b, uint32_t n);

/* sum += factor * a */
void podium_add_scaled(double *sum, double factor, const double *a, uint32_t n);

/* Replaces the lower triangle of the matrix a, stored row by row, by its Cholesky factor. */
void podium_cholesky(double *a, uint32_t n);

/* Replaces the right side b by the solution. */
void podium_cholesky_solve(const double *factor, double *b, uint32_t n);

#endif
