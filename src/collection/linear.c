#include "collection/linear.h"
#include "collection/doubles.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

double podium_dot(const double *a, const double *b, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void podium_add_scaled(double *sum, double factor, const double *a, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        sum[i] += factor * a[i];
}

/* Each pivot is kept above 0 by at least 1e-13 of its diagonal element, because rounding could make it 0 or
   negative. */
void podium_cholesky(double *a, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        double *row = a + (size_t)i * n, diagonal = row[i];
        for (uint32_t j = 0; j <= i; j++) {
            const double *other = a + (size_t)j * n;
            double rest = row[j] - podium_dot(row, other, j);
            row[j] = j < i ? rest / other[j] : sqrt(fmax(rest, 1e-13 * diagonal + DBL_MIN));
        }
    }
}

void podium_cholesky_solve(const double *factor, double *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        b[i] = (b[i] - podium_dot(factor + (size_t)i * n, b, i)) / factor[(size_t)i * n + i];
    for (uint32_t i = n; i-- > 0;) {
        b[i] /= factor[(size_t)i * n + i];
        podium_add_scaled(b, -b[i], factor + (size_t)i * n, i);
    }
}
