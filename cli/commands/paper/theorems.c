/* The paper's theorems, and the example in its introduction, in numbers. */
#include "paper.h"

#include <math.h>

/* ---- Privacy: at any report, the ratio of two densities is e^-epsilon, 1 or e^epsilon ---- */

#define VALUES 41
#define REPORTS 401
#define ROUNDING 1e-12 /* relative, of a ratio; and how far a report stays away from the ends of the support */
enum { LEVELS = 3 };

typedef struct {
    unsigned long seen[LEVELS + 1]; /* how often the ratio was which level; the last counts all other ratios */
    double least, most;
} ratios;

static void count_ratio(ratios *r, double ratio, double epsilon) {
    const double levels[LEVELS] = {exp(-epsilon), 1, exp(epsilon)};
    int level = 0;
    while (level < LEVELS && fabs(ratio / levels[level] - 1) > ROUNDING)
        level++;
    r->seen[level]++;
    r->least = fmin(r->least, ratio);
    r->most = fmax(r->most, ratio);
}

/* Number i of n, evenly from -0.5 to 0.5 */
static double grid(int i, int n) {
    return (double)i / (n - 1) - 0.5;
}

static void count_at(ratios *r, const podium_shape *shape, double report) {
    double densities[VALUES];
    for (int i = 0; i < VALUES; i++)
        densities[i] = podium_shape_density(shape, grid(i, VALUES), report);
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++)
            count_ratio(r, densities[i] / densities[j], shape->spec.epsilon);
}

void write_privacy(const char *path) {
    static const double epsilons[] = {0.5, 1, LOG9, 5};
    output *out = output_open(path);
    output_print(out, "epsilon,e^-epsilon,1,e^epsilon,other,least,most\n");
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
        podium_shape shape = shape_for(PODIUM_MECHANISM_PODIUM, epsilons[e], -0.5, 0.5);
        ratios r = {.least = INFINITY};
        for (int k = 0; k < REPORTS; k++)
            count_at(&r, &shape, shape.m * grid(k, REPORTS) * (1 - ROUNDING));
        output_print(out, "%.10g,%lu,%lu,%lu,%lu,%.10g,%.10g\n", epsilons[e], r.seen[0], r.seen[1], r.seen[2],
                     r.seen[3], r.least, r.most);
    }
    output_close(out);
}

/* ---- Small and large epsilon ---- */

void write_high_privacy(const char *path) {
    output *out = output_open(path);
    output_print(out, "epsilon,edge/laplace,middle/laplace,edge/staircase,variance*epsilon^2,m*epsilon,w/(delta*m)\n");
    for (int i = 0; i <= 6; i++) {
        double epsilon = pow(10, -i);
        podium_shape p = shape_for(PODIUM_MECHANISM_PODIUM, epsilon, -0.5, 0.5),
                     l = shape_for(PODIUM_MECHANISM_LAPLACE, epsilon, -0.5, 0.5);
        podium_shape s = shape_for(PODIUM_MECHANISM_STAIRCASE, epsilon, -0.5, 0.5);
        output_print(out, "%.10g,%.10f,%.10f,%.10f,%.10f,%.10f,%.10f\n", epsilon, podium_shape_efficiency(&p, &l, 0.5),
                     podium_shape_efficiency(&p, &l, 0), podium_shape_efficiency(&p, &s, 0.5),
                     podium_shape_variance(&p, 0.5) * epsilon * epsilon, p.m * epsilon, p.w / p.m);
    }
    output_close(out);
}

void write_low_privacy(const char *path) {
    static const double epsilons[] = {1, 2, 5, 10, 20, 50, 100, 200, 700};
    output *out = output_open(path);
    output_print(out, "epsilon,edge/staircase,middle/staircase,approximate/exact,middle/edge,variance*e^(2epsilon/3),"
                      "edge/laplace*e^(2epsilon/3),edge/laplace*e^(2epsilon/3)/epsilon^2\n");
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        double epsilon = epsilons[i], grow = exp(2 * epsilon / 3);
        podium_shape p = shape_for(PODIUM_MECHANISM_PODIUM, epsilon, -0.5, 0.5),
                     l = shape_for(PODIUM_MECHANISM_LAPLACE, epsilon, -0.5, 0.5);
        podium_shape s = shape_for(PODIUM_MECHANISM_STAIRCASE, epsilon, -0.5, 0.5);
        podium_shape a = shape_for(PODIUM_MECHANISM_PODIUM_APPROXIMATE, epsilon, -0.5, 0.5);
        double to_laplace = podium_shape_efficiency(&p, &l, 0.5) * grow;
        output_print(out, "%.10g,%.10f,%.10f,%.10f,%.10f,%.10f,%.10g,%.10f\n", epsilon,
                     podium_shape_efficiency(&p, &s, 0.5), podium_shape_efficiency(&p, &s, 0),
                     podium_shape_efficiency(&a, &p, 0.5),
                     podium_shape_variance(&p, 0) / podium_shape_variance(&p, 0.5),
                     podium_shape_variance(&p, 0.5) * grow, to_laplace, to_laplace / (epsilon * epsilon));
    }
    output_close(out);
}

/* ---- The introduction: ages from 1 to 120 ---- */

/* Clamping takes away, on average, what a report exceeds the range by. With the rate r of the exponential tails, what
   it exceeds a distance z by is e^(-rz)/(2r) on average, on either side. */
double laplace_clamped_mean(double epsilon, double x) {
    double rate = epsilon / (AGE_MAX - AGE_MIN);
    return x + (exp(-rate * (x - AGE_MIN)) - exp(-rate * (AGE_MAX - x))) / (2 * rate);
}

void write_ages(const char *path) {
    static const double epsilons[] = {0.5, 1, 2, 5}, ages[] = {1, 30, 60.5, 90, 120};
    output *out = output_open(path);
    output_print(out, "epsilon,age,laplace_below_0,laplace_above_120,podium_below_0,podium_above_120,podium_lowest,"
                      "podium_highest,clamped_laplace_mean,clamped_laplace_bias\n");
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++)
        for (size_t a = 0; a < sizeof ages / sizeof *ages; a++) {
            podium_shape l = shape_for(PODIUM_MECHANISM_LAPLACE, epsilons[e], AGE_MIN, AGE_MAX);
            podium_shape p = shape_for(PODIUM_MECHANISM_PODIUM, epsilons[e], AGE_MIN, AGE_MAX);
            double x = ages[a], mean = laplace_clamped_mean(epsilons[e], x);
            output_print(out, "%.10g,%.10g,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", epsilons[e], x,
                         podium_shape_cdf(&l, x, 0), 1 - podium_shape_cdf(&l, x, AGE_MAX), podium_shape_cdf(&p, x, 0),
                         1 - podium_shape_cdf(&p, x, AGE_MAX), podium_shape_quantile(&p, x, 0),
                         podium_shape_quantile(&p, x, 1), mean, mean - x);
        }
    output_close(out);
}

/* If Laplace noise is cut off at a distance c, then a report further than c from one end of the range cannot come from
   there. A value at the other end has such a report if its noise is between c - delta and c, where delta is the width
   of the range. Such a report tells the two ends apart for certain. Here delta is 1. */
static double certain_share(double epsilon, double c) {
    double kept = 1 - exp(-epsilon * c);
    return (exp(-epsilon * (c - 1)) - exp(-epsilon * c)) / (2 * kept);
}

void write_truncation(const char *path) {
    static const double epsilons[] = {1, 5}, cuts[] = {1, 2, 3, 5, 10};
    output *out = output_open(path);
    output_print(out, "epsilon,cut,certain_share\n");
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++)
        for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
            output_print(out, "%.10g,%.10g,%.10g\n", epsilons[e], cuts[i], certain_share(epsilons[e], cuts[i]));
    output_close(out);
}
