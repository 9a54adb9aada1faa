/* The paper's two tables: each printed number beside the computed one. */
#include "paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Table 1: 20 digits, of which a double holds 16 ---- */

/* A printed number counts as right if its relative difference is at most this. The limit cannot be lower, because what
   is computed here is itself rounded, and up to 5e-16 off. */
#define FIFTEEN_DIGITS 1e-15

double relative_difference(entry e) {
    /* The difference is exact, because the two are so close. Their quotient would be rounded. */
    return (strtod(e.printed, NULL) - e.computed) / e.computed;
}

entry table1_entry(int row, int column) {
    double epsilon = printed_epsilon(table1[row][0]);
    podium_shape shape = shape_for(PODIUM_MECHANISM_PODIUM, epsilon, -0.5, 0.5);
    double all[] = {epsilon, exp(epsilon), shape.d, shape.w, shape.m, shape.s};
    entry e = {table1[row][column], all[column], false, ""};
    char two[32];
    snprintf(two, sizeof two, "%.2f", all[column]);
    if (column == 1) {
        e.wrong = strcmp(two, e.printed) != 0;
        return e;
    }
    e.wrong = fabs(relative_difference(e)) > FIFTEEN_DIGITS;
    if (e.wrong)
        e.cause = column == 5 && epsilon < 0.7 ? "the formula for s is 0/0 at ε = log √2, and loses digits near it"
                                               : "digits lost by rounding on the way";
    return e;
}

void write_table1(const char *path) {
    static const char *const names[] = {"epsilon", "exp", "d", "w", "m", "s"};
    output *out = output_open(path);
    output_print(out, "epsilon,column,printed,computed,relative_difference,wrong,cause\n");
    for (int row = 0; row < TABLE1_ROWS; row++)
        for (int column = 1; column < 6; column++) {
            entry e = table1_entry(row, column);
            output_print(out, "%s,%s,%s,%.17g,%.2g,%s,\"%s\"\n", table1[row][0], names[column], e.printed, e.computed,
                         relative_difference(e), e.wrong ? "yes" : "no", e.cause);
        }
    output_close(out);
}

/* ---- Table 2: four decimals ---- */

entry table2_entry(int row, int column) {
    double epsilon = printed_epsilon(table2[row][0]), end = 0.5;
    podium_shape exact = shape_for(PODIUM_MECHANISM_PODIUM, epsilon, -0.5, 0.5),
                 approximate = shape_for(PODIUM_MECHANISM_PODIUM_APPROXIMATE, epsilon, -0.5, 0.5);
    podium_shape laplace = shape_for(PODIUM_MECHANISM_LAPLACE, epsilon, -0.5, 0.5),
                 staircase = shape_for(PODIUM_MECHANISM_STAIRCASE, epsilon, -0.5, 0.5);
    double middle = podium_shape_variance(&exact, 0), edge = podium_shape_variance(&exact, end);
    double all[] = {epsilon,
                    podium_shape_efficiency(&approximate, &exact, end),
                    middle / edge,
                    podium_shape_efficiency(&exact, &laplace, end),
                    podium_shape_efficiency(&staircase, &laplace, end),
                    podium_shape_efficiency(&exact, &staircase, 0),
                    podium_shape_efficiency(&exact, &staircase, end)};
    entry e = {table2[row][column], all[column], false, ""};
    char four[32];
    snprintf(four, sizeof four, "%.4f", all[column]);
    e.wrong = strcmp(four, e.printed) != 0;
    if (e.wrong)
        e.cause = epsilon >= 40 ? "cancellation: nearly equal numbers were subtracted in floating point"
                                : "off by one in the last digit";
    return e;
}

void write_table2(const char *path) {
    static const char *const names[] = {"",
                                        "approximate/exact",
                                        "middle/edge",
                                        "podium/laplace",
                                        "staircase/laplace",
                                        "middle/staircase",
                                        "edge/staircase"};
    output *out = output_open(path);
    output_print(out, "epsilon,column,printed,computed,wrong,cause\n");
    for (int row = 0; row < TABLE2_ROWS; row++)
        for (int column = 1; column < 7; column++) {
            entry e = table2_entry(row, column);
            output_print(out, "%s,%s,%s,%.17g,%s,%s\n", table2[row][0], names[column], e.printed, e.computed,
                         e.wrong ? "yes" : "no", e.cause);
        }
    output_close(out);
}
