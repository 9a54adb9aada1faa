/*
 * Elementary functions from additions, multiplications and divisions alone, whose results IEEE 754 defines to the bit.
 * What decides the last digit is computed as a sum of two doubles. The arithmetic must round to nearest, which is how
 * every program starts.
 */
#include "collection/elementary.h"
#include "collection/internal.h"

#include <float.h>
#include <math.h>

/* ---- Sums of two doubles ---- */

/* The value is high + low, and low is at most about half a unit in the last place of high. */
typedef struct {
    double high, low;
} two;

/* a + b exactly (Knuth) */
static two sum(double a, double b) {
    double high = a + b, of_b = high - a;
    return (two){high, (a - (high - of_b)) + (b - of_b)};
}

/* The same for |a| >= |b|, or a = 0 (Dekker) */
static two ordered_sum(double a, double b) {
    double high = a + b;
    return (two){high, b - (high - a)};
}

/* The upper 26 bits of a, and the rest (Veltkamp) */
static two halves_of(double a) {
    double large = a * 0x1.0000002p27, high = large - (large - a);
    return (two){high, a - high};
}

/* a b exactly, unless it is so small that its lower digits are lost (Dekker) */
static two product(double a, double b) {
    two x = halves_of(a), y = halves_of(b);
    double high = a * b;
    return (two){high, ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

static two add(two a, two b) {
    two high = sum(a.high, b.high);
    return ordered_sum(high.high, high.low + (a.low + b.low));
}

static two multiply(two a, two b) {
    two high = product(a.high, b.high);
    return ordered_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

static two divide(two a, two b) {
    double quotient = a.high / b.high;
    two back = product(quotient, b.high);
    double rest = (a.high - back.high) - back.low + (a.low - quotient * b.low);
    return ordered_sum(quotient, rest / b.high);
}

/* ---- Powers of two ---- */

static double power_of_two(int power) {
    return podium_double_of((uint64_t)(power + 1023) << 52);
}

/* x 2^power for |power| up to 2000. There is one rounding, in the last multiplication, if x is of ordinary size. */
static double scaled(double x, int power) {
    int half = power / 2;
    return x * power_of_two(half) * power_of_two(power - half);
}

/* ln 2 in three parts. The first two have 42 bits, so that they can be multiplied exactly by a power of up to 11. */
#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_MIDDLE 0x1.ef35793c76p-45
#define LN2_LOW 0x1.cc01f97b57a08p-87
#define LOG2_E 0x1.71547652b82fep+0

/* ---- Exponentials ---- */

/* e^x = 2^power (1 + rest), where rest is within (sqrt(1/2) - 1, sqrt(2) - 1). */
typedef struct {
    int power;
    two rest;
} exponential;

/*
 * e^t - 1 for |t| <= ln(2)/64. Beyond t + t^2/2 the series is at most 2e-5 of t, so that doubles are precise enough for
 * it: their errors are below 2^-67 of the result.
 */
static two series_of_expm1(two t) {
    double z = t.high, more = 1.0 / 362880;
    static const double inverse_factorials[] = {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6};
    for (size_t i = 0; i < sizeof inverse_factorials / sizeof *inverse_factorials; i++)
        more = inverse_factorials[i] + z * more;
    two square = multiply(t, t);
    two start = add(t, (two){square.high / 2, square.low / 2});
    return ordered_sum(start.high, start.low + z * z * z * more);
}

/* With e = e^t - 1, e^2t - 1 is e (2 + e), and neither factor cancels. */
#define DOUBLINGS 5
static exponential exponential_of(double x) {
    const double within = x < -800 ? -800 : x > 800 ? 800 : x; /* beyond, the result is 0 or infinite anyway */
    const double power = floor(within * LOG2_E + 0.5);
    two high = sum(within, -power * LN2_HIGH), middle = sum(high.high, -power * LN2_MIDDLE);
    two rest = ordered_sum(middle.high, middle.low + high.low - power * LN2_LOW);
    rest = series_of_expm1((two){rest.high * 0x1p-5, rest.low * 0x1p-5});
    for (int i = 0; i < DOUBLINGS; i++)
        rest = multiply(rest, add((two){2, 0}, rest));
    return (exponential){(int)power, rest};
}

/* e^x - 1 for |power| up to 100 */
static two minus_one(exponential e) {
    const double factor = power_of_two(e.power);
    return add(sum(factor, -1), (two){e.rest.high * factor, e.rest.low * factor});
}

double podium_exp(double x) {
    if (isnan(x))
        return x;
    exponential e = exponential_of(x);
    two all = add((two){1, 0}, e.rest);
    return scaled(all.high, e.power);
}

/* Above 100 the 1 is far below the last place, and below -50 the exponential is. */
double podium_expm1(double x) {
    if (isnan(x) || x > 100)
        return podium_exp(x);
    return x < -50 ? -1 : minus_one(exponential_of(x)).high;
}

/* With e = e^|x| - 1, sinh |x| is (e + e/(1 + e))/2. Far from 0 the other exponential does not count. */
#define ONE_SIDED 40

double podium_sinh(double x) {
    if (isnan(x) || fabs(x) > ONE_SIDED)
        return copysign(podium_exp(fabs(x)) / 2, x);
    two e = minus_one(exponential_of(fabs(x)));
    return copysign(add(e, divide(e, add((two){1, 0}, e))).high / 2, x);
}

double podium_cosh(double x) {
    if (isnan(x) || fabs(x) > ONE_SIDED)
        return podium_exp(fabs(x)) / 2;
    two e = add((two){1, 0}, minus_one(exponential_of(fabs(x))));
    return add(e, divide((two){1, 0}, e)).high / 2;
}

/* ---- Logarithms ---- */

/* A number as 2^power times one from sqrt(1/2) to sqrt(2) */
typedef struct {
    int power;
    double factor;
} split;

static split split_of(double x) {
    const uint64_t one = podium_bits_of(1), root_half = 0x3fe6a09e667f3bcd, bits = podium_bits_of(x);
    const int power = (int)((bits + (one - root_half)) >> 52) - 1023;
    return (split){power, podium_double_of(bits - ((uint64_t)(int64_t)power << 52))};
}

/*
 * ln(2^power (1 + f)). With s = f/(2 + f), ln(1 + f) is 2 (s + s^3/3 + s^5/5 + ...), where s^2 is below 0.0295. All but
 * the first term is below a hundredth of it, so that doubles are precise enough for it.
 */
static double log_of(int power, two f) {
    static const double inverses[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                      1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
    two s = divide(f, add((two){2, 0}, f));
    double z = s.high * s.high, series = 0;
    for (size_t i = 0; i < sizeof inverses / sizeof *inverses; i++)
        series = z * (inverses[i] + series);
    two high = sum(power * LN2_HIGH, 2 * s.high);
    return high.high + (high.low + (2 * s.low + 2 * s.high * series + power * LN2_MIDDLE));
}

double podium_log(double x) {
    if (!(x > 0 && x <= DBL_MAX))
        return x > 0 || isnan(x) ? x : x == 0 ? -INFINITY : NAN;
    const bool small = x < DBL_MIN;
    split s = split_of(small ? x * 0x1p54 : x);
    return log_of(small ? s.power - 54 : s.power, (two){s.factor - 1, 0});
}

double podium_log1p(double x) {
    if (!(x > -1 && x <= DBL_MAX))
        return x > 0 || isnan(x) ? x : x == -1 ? -INFINITY : NAN;
    two all = sum(1, x);
    split s = split_of(all.high);
    return log_of(s.power, sum(s.factor - 1, scaled(all.low, -s.power)));
}

/* ---- Cube root ---- */

/* One step of Newton's method from a root that has all but the last few digits. The residual y^3 - x is exact enough,
   because y^3 is computed as two doubles. */
double podium_cbrt(double x) {
    const int thirds = (split_of(x).power + 3000) / 3 - 1000; /* rounded down; C would round a negative one up */
    const double own = scaled(x, -3 * thirds), y = podium_exp(podium_log(own) / 3);
    two cube = multiply(product(y, y), (two){y, 0});
    return scaled(y - ((cube.high - own) + cube.low) / (3 * y * y), thirds);
}
