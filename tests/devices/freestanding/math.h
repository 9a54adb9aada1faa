/* All of math.h that the device's half may use. */
#ifndef FREESTANDING_MATH_H
#define FREESTANDING_MATH_H

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)

double cbrt(double x);
double copysign(double x, double y);
double cosh(double x);
double exp(double x);
double expm1(double x);
double fabs(double x);
double floor(double x);
double fma(double x, double y, double z);
double fmax(double x, double y);
double fmin(double x, double y);
double ldexp(double x, int exponent);
long long llrint(double x);
double log(double x);
double log1p(double x);
double nearbyint(double x);
double sinh(double x);
double sqrt(double x);
double tanh(double x);

#endif
