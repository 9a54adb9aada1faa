/*
 * The functions of math.h that JavaScript has too. The C library's come with tables that would be a third of the
 * collector's half.
 *
 * They are used after the privacy boundary only. src/collection computes its logarithms itself, so that a collection is
 * the same everywhere to the bit.
 */
#include <math.h>

#define FROM_MATH(name)                                                                                                \
    __attribute__((import_module("Math"), import_name(#name))) double host_##name(double x);                           \
    double name(double x) {                                                                                            \
        return host_##name(x);                                                                                         \
    }

FROM_MATH(asin)
FROM_MATH(cos)
FROM_MATH(cosh)
FROM_MATH(exp)
FROM_MATH(expm1)
FROM_MATH(log)
FROM_MATH(log10)
FROM_MATH(log1p)
FROM_MATH(log2)
FROM_MATH(sin)
FROM_MATH(sinh)
FROM_MATH(tanh)

__attribute__((import_module("Math"), import_name("pow"))) double host_pow(double x, double y);
double pow(double x, double y) {
    return host_pow(x, y);
}

double exp2(double x) {
    return host_pow(2, x);
}

/* Stirling's series, for x > 0. The C library's function is eight times as large. */
double lgamma(double x) {
    double product = 1;
    for (; x < 10; x++)
        product *= x;
    const double z = 1 / (x * x);
    const double series = 1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))));
    return (x - 0.5) * host_log(x) - x + 0.91893853320467274 + series / x - host_log(product);
}

/* For x >= 0: a series whose terms are all positive, and further out a continued fraction. Both are exact to some
   2e-14, and an eighth of the C library's function, which is mostly constants. */
double erfc(double x) {
    const double of_pi = 1.1283791670955126; /* 2 / sqrt(pi) */
    if (x < 2) {
        double term = x, sum = x;
        for (int n = 1; term > 1e-17 * sum; n++)
            sum += term *= 2 * x * x / (2 * n + 1);
        return 1 - of_pi * host_exp(-x * x) * sum;
    }
    double fraction = x;
    for (int k = 80; k > 0; k--)
        fraction = x + k / (2 * fraction);
    return of_pi / 2 * host_exp(-x * x) / fraction;
}
