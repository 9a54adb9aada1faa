/*
 * Interval: half the widths of intervals for a mean that hold without any approximation. docs/estimation.md has the
 * theorems and their proofs.
 *
 * The range has the width 1 here. S is the sum of the n reports minus the sum of their values. For a population, the
 * values are drawn as well, and S is measured from n times the mean of the population. By Hoeffding's lemma that adds
 * at most t^2/8 to psi(t), and it adds at most 1/4 to the variance.
 */
#include "analysis/interval.h"

/* ---- What is known of one report ---- */

/* log E[e^(t(y - x))] at most. For a small t, e^u <= 1 + u + u^2/2 + |u|^3/6 e^|u|, and the third absolute moment is at
   most the square root of the second times the fourth. */
static double psi(const podium_noise_bounds *b, int tilt_number, bool population) {
    const double t = podium_tilt(b, tilt_number), v = b->variance_most;
    const double drawn = population ? t * t / 8 : 0;
    if (tilt_number < PODIUM_TILTS_EXACT)
        return b->psi[tilt_number] + drawn;
    return t * t * (v / 2 + t * sqrt(v * b->fourth) / 6 * exp(t * b->reach)) + drawn;
}

static double variance_most(const podium_noise_bounds *b, bool population) {
    return b->variance_most + (population ? 0.25 : 0);
}

/* The fourth moment of a value about its mean is at most 1/12, and by Minkowski's inequality its fourth root adds
   to that of the noise. */
static double tailedness(const podium_noise_bounds *b, bool population) {
    if (!population)
        return b->tailedness;
    const double root = sqrt(sqrt(b->fourth)) + 1 / sqrt(sqrt(12.0)), square = root * root;
    return square * square / b->variance_least;
}

/* ---- Intervals for one n ---- */

/* Pr[|S| >= n w] <= 2 e^(n psi(t) - t n w) for every t */
double podium_width_chernoff(const podium_noise_bounds *b, double n, double alpha, bool population) {
    double least = INFINITY;
    for (int k = 0; k < PODIUM_TILTS; k++)
        least = fmin(least, (psi(b, k, population) + log(2 / alpha) / n) / podium_tilt(b, k));
    return least + b->bias;
}

/* Shevtsova (2010): the distribution function of S, divided by its standard deviation, differs from the normal one by
   at most this constant times the sum of E|y - x|^3, divided by the standard deviation cubed. */
#define BERRY_ESSEEN 0.56

double podium_width_berry_esseen(const podium_noise_bounds *b, double n, double alpha, bool population) {
    const double error = BERRY_ESSEEN * sqrt(tailedness(b, population) / b->variance_least / n);
    if (!(error < alpha / 2))
        return INFINITY;
    return podium_normal_quantile(alpha - 2 * error) * sqrt(variance_most(b, population) / n) + b->bias;
}

/* ---- The interval for all n at once ---- */

/* Every second tilt is used. Their weights fall slowly with the distance, in octaves, from the tilt that is best for
   some thousands of reports. */
enum { MIXED_STEP = 2, MIXED = PODIUM_TILTS / MIXED_STEP };
#define BEST_TILT (1 / 16.0) /* times the standard deviation */
#define WEIGHT_OFFSET 5
#define WEIGHT_POWER (-1.5)

typedef struct {
    double tilt[MIXED], log_weight[MIXED]; /* log_weight includes -n psi */
} mixture;

static void mix(mixture *m, const podium_noise_bounds *b, double n, bool population) {
    const double deviation = sqrt(variance_most(b, population));
    double weight[MIXED], sum = 0;
    for (int k = 0; k < MIXED; k++) {
        m->tilt[k] = podium_tilt(b, MIXED_STEP * k);
        weight[k] = pow(WEIGHT_OFFSET + fabs(log2(m->tilt[k] * deviation / BEST_TILT)), WEIGHT_POWER);
        sum += weight[k];
    }
    for (int k = 0; k < MIXED; k++)
        m->log_weight[k] = log(weight[k] / sum) - n * psi(b, MIXED_STEP * k, population);
}

/* The logarithm of the sum of weight cosh(tilt s), and its derivative */
typedef struct {
    double value, slope;
} log_mixture;

static log_mixture mixture_at(const mixture *m, double s) {
    double most = -INFINITY, sum = 0, slope = 0;
    for (int k = 0; k < MIXED; k++)
        most = fmax(most, m->log_weight[k] + m->tilt[k] * s);
    for (int k = 0; k < MIXED; k++) {
        const double up = exp(m->log_weight[k] + m->tilt[k] * s - most) / 2;
        const double down = exp(m->log_weight[k] - m->tilt[k] * s - most) / 2;
        sum += up + down;
        slope += m->tilt[k] * (up - down);
    }
    return (log_mixture){most + log(sum), slope / sum};
}

/*
 * The mixture of cosh(t S) e^(-n psi(t)) is a supermartingale that starts at 1, so it ever reaches 1/alpha with
 * probability alpha at most (Ville). Newton's method finds the S where it is 1/alpha. The logarithm is convex in S, so
 * from a larger S it comes down step by step and never goes below the solution.
 */
double podium_width_anytime(const podium_noise_bounds *b, double n, double alpha, bool population) {
    mixture m;
    mix(&m, b, n, population);
    double s = INFINITY; /* where one term alone is 1/alpha */
    for (int k = 0; k < MIXED; k++)
        s = fmin(s, (log(2 / alpha) - m.log_weight[k]) / m.tilt[k]);
    for (int i = 0; i < 100; i++) {
        const log_mixture at = mixture_at(&m, s);
        const double step = (at.value - log(1 / alpha)) / at.slope;
        if (!(step > 1e-12 * s))
            break;
        s -= step;
    }
    return s / n + b->bias;
}

/* ---- Two outputs: the limits of a probability ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int i = 1; i < 1000000; i++) {
        const double m = i, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        fraction *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        fraction *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return fraction;
}

/* The probability that a beta variable is at most x */
static double beta_below(double a, double b, double x) {
    if (x <= 0 || x >= 1)
        return x >= 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The x below which a beta variable lies with probability p, rounded down. It is found by halving an interval. */
static double beta_quantile(double a, double b, double p) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (beta_below(a, b, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Room for the rounding errors of lgamma */
#define BETA_SLACK (1 - 1e-4)

/* The probability of success with which a binomial number reaches `hits` with probability alpha/2, but at most
   (hits - 1)/n */
static double least_probability(uint64_t hits, uint64_t n, double alpha) {
    if (hits <= 1)
        return 0;
    const double exact = beta_quantile((double)hits, (double)(n - hits + 1), BETA_SLACK * alpha / 2);
    return fmin(exact, (double)(hits - 1) / (double)n);
}

podium_limits podium_clopper_pearson(uint64_t hits, uint64_t n, double alpha) {
    return (podium_limits){least_probability(hits, n, alpha), 1 - least_probability(n - hits, n, alpha)};
}
