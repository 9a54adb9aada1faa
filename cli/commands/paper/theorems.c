/* What the paper proves, and what its introduction says, in numbers. */
#include "paper.h"

#include <math.h>

/* ---- Privacy: the ratio of two densities takes three values ---- */

#define INPUTS 41
#define REPORTS 401

void write_privacy(const char *path) {
    static const double epsilons[] = {0.5, 1, 2.1972245773362196, 5};
    output *out = output_open(path);
    output_print(out, "epsilon,e^-epsilon,1,e^epsilon,other,least,most\n");
    for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
        podium_shape shape = shape_for(PODIUM_MECHANISM_PODIUM, epsilons[e], -0.5, 0.5);
        unsigned long seen[4] = {0};
        double least = INFINITY, most = 0, levels[] = {exp(-epsilons[e]), 1, exp(epsilons[e])};
        for (int i = 0; i < INPUTS; i++)
            for (int j = 0; j < INPUTS; j++)
                for (int k = 0; k < REPORTS; k++) {
                    double y = shape.m * ((double)k / (REPORTS - 1) - 0.5) * (1 - 1e-12);
                    double ratio = podium_shape_density(&shape, (double)i / (INPUTS - 1) - 0.5, y) /
                                   podium_shape_density(&shape, (double)j / (INPUTS - 1) - 0.5, y);
                    int which = 0;
                    while (which < 3 && fabs(ratio / levels[which] - 1) > 1e-12)
                        which++;
                    seen[which]++;
                    least = fmin(least, ratio);
                    most = fmax(most, ratio);
                }
        output_print(out, "%.10g,%lu,%lu,%lu,%lu,%.10g,%.10g\n", epsilons[e], seen[0], seen[1], seen[2], seen[3], least,
                     most);
    }
    output_close(out);
}

/* ---- The two regimes ---- */

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

/* The mean of a Laplace report of x clamped to the range. With rate r the mean beyond a distance z is e^(-rz)/(2r). */
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

/* Laplace noise cut off at a distance c, at least delta: a report more than c from one end of the range cannot come
   from there. From the other end it comes with the mass of the noise between c - delta and c; then it tells the two
   apart for certain. */
void write_truncation(const char *path) {
    static const double cuts[] = {1, 2, 3, 5, 10};
    output *out = output_open(path);
    output_print(out, "epsilon,cut,certain_share\n");
    for (int e = 0; e < 2; e++)
        for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
            double epsilon = e == 0 ? 1 : 5, c = cuts[i], inside = 1 - exp(-epsilon * c); /* delta is 1 */
            double beyond = (exp(-epsilon * (c - 1)) - exp(-epsilon * c)) / (2 * inside);
            output_print(out, "%.10g,%.10g,%.10g\n", epsilon, c, beyond);
        }
    output_close(out);
}
