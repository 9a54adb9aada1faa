/*
 * Elementary: exponentials, logarithms and roots that are the same to the bit on every machine. Those of C libraries
 * differ in their last digit, and a collection must have the same cells on the device and at the collector.
 */
#ifndef PODIUM_ELEMENTARY_H
#define PODIUM_ELEMENTARY_H

/* All of them are within 0.53 of a unit in the last place, for results that are not subnormal; tests/unit/elementary
   compares them with MPFR. A NaN stays one. */
double podium_exp(double x);
double podium_expm1(double x);
double podium_sinh(double x); /* for |x| up to 700 */
double podium_cosh(double x); /* for |x| up to 700 */
double podium_log(double x);
double podium_log1p(double x);
double podium_cbrt(double x); /* for x > 0 that is not subnormal */

#endif
