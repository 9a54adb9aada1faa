/* All of math.h that the device's half may use: functions that are exact, or rounded as IEEE 754 says. Exponentials and
   logarithms differ between C libraries, and src/collection/elementary.h has those that do not. */
#ifndef FREESTANDING_MATH_H
#define FREESTANDING_MATH_H

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)

double copysign(double x, double y);
double fabs(double x);
double floor(double x);
double fmax(double x, double y);
double fmin(double x, double y);
double ldexp(double x, int exponent);
long long llrint(double x);
double nearbyint(double x);
double sqrt(double x);

#endif
