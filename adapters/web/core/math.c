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

#define FROM_MATH_OF_TWO(name)                                                                                         \
    __attribute__((import_module("Math"), import_name(#name))) double host_##name(double x, double y);                 \
    double name(double x, double y) {                                                                                  \
        return host_##name(x, y);                                                                                      \
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
FROM_MATH_OF_TWO(hypot)
FROM_MATH_OF_TWO(pow)

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
