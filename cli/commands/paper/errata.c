/* Where the paper slips, with the numbers: computed here, or by the command or test that is named. */
#include "paper.h"

#include <math.h>
#include <string.h>

/* The paper's formula for s, as it stands, in floating point */
static double quartic_s(double epsilon) {
    double e = exp(epsilon), a = cbrt(4 * (exp(2 * epsilon) - exp(4 * epsilon))), root = sqrt(a + e * e);
    double b = 2 * (2 * e - e * e * e) / root;
    return epsilon >= log(sqrt(2)) ? log((-root - e + sqrt(-b + 2 * e * e - a)) / 2)
                                   : log((root - e + sqrt(b + 2 * e * e - a)) / 2);
}

static podium_shape unit(podium_mechanism mechanism, double epsilon) {
    return shape_for(mechanism, epsilon, -0.5, 0.5);
}

static double saving(podium_mechanism than, double epsilon, double x) {
    podium_shape podium = unit(PODIUM_MECHANISM_PODIUM, epsilon), other = unit(than, epsilon);
    return 100 * (1 - podium_shape_efficiency(&podium, &other, x));
}

/* The wrong cells of Table 2, as "0.30: 0.6635 is 0.6636" */
static void list_table2(char *text, size_t size) {
    *text = '\0';
    for (int row = 0; row < TABLE2_ROWS; row++)
        for (int column = 1; column < 7; column++) {
            cell c = table2_cell(row, column);
            size_t n = strlen(text);
            if (c.wrong)
                snprintf(text + n, size - n, "%s%s (column %d): %s is %.4f", n == 0 ? "" : "; ", table2[row][0],
                         column + 1, c.printed, c.computed);
        }
}

static void worst_of_table1(double *worst, const char **where) {
    *worst = 0;
    for (int row = 0; row < TABLE1_ROWS; row++)
        for (int column = 2; column < 6; column++) {
            cell c = table1_cell(row, column);
            double off = fabs(relative_difference(c));
            if (off > *worst) {
                *worst = off;
                *where = table1[row][0];
            }
        }
}

static erratum *begin(erratum *list, size_t *n, const char *where, const char *says) {
    erratum *e = &list[(*n)++];
    e->where = where;
    e->says = says;
    return e;
}

#define IS(...) snprintf(e->is, sizeof e->is, __VA_ARGS__)

static void claims(erratum *list, size_t *n) {
    erratum *e = begin(list, n, "Abstract", "For ε < 1 the variance is 50–70% below that of Laplace and Staircase.");
    IS("In the worst case it is %.1f%% (ε = 0.1) to %.1f%% (ε = 1) below Laplace's, and in the middle of the range "
       "%.1f%% "
       "to %.1f%%.",
       saving(PODIUM_MECHANISM_LAPLACE, 0.1, 0.5), saving(PODIUM_MECHANISM_LAPLACE, 1, 0.5),
       saving(PODIUM_MECHANISM_LAPLACE, 0.1, 0), saving(PODIUM_MECHANISM_LAPLACE, 1, 0));
    podium_shape p = unit(PODIUM_MECHANISM_PODIUM, 700), s = unit(PODIUM_MECHANISM_STAIRCASE, 700);
    e = begin(list, n, "Abstract; section 6",
              "For ε → ∞ Podium approaches, or is asymptotically equivalent to, Staircase.");
    IS("Both fall as e^(−2ε/3), but the ratio does not tend to 1: it tends to %.5f = 2^(−2/3) at the ends of the "
       "range, "
       "and to half of that, %.5f, in the middle (at ε = 700).",
       podium_shape_efficiency(&p, &s, 0.5), podium_shape_efficiency(&p, &s, 0));
    p = unit(PODIUM_MECHANISM_PODIUM, log(3));
    s = unit(PODIUM_MECHANISM_LAPLACE, log(3));
    e = begin(list, n, "Section 6", "At ε = log 3 the variance is essentially halved.");
    IS("It is %.4f of Laplace's at the ends of the range, and %.4f in the middle.",
       podium_shape_efficiency(&p, &s, 0.5), podium_shape_efficiency(&p, &s, 0));
    p = unit(PODIUM_MECHANISM_PODIUM, 1);
    e = begin(list, n, "Introduction", "The support matches the range as closely as possible.");
    IS("m is chosen for the least variance, not the least support. At ε = 1 it is %.4f, and could be %.4f (s = ε/2).",
       p.m, unit(PODIUM_MECHANISM_PIECEWISE, 1).m);
    e = begin(list, n, "Introduction; discussion", "Podium is strictly better in all cases.");
    IS("Than Laplace and Staircase it is. Others that the paper does not mention have less variance in the worst case: "
       "the "
       "two-point mechanism of Duchi, Jordan and Wainwright below ε = 1.18 (podium compare --epsilon 1.18,1.19), and "
       "Minimax here, at every ε from 0.05 to 10 (unit/minimax). The Piecewise mechanism of Wang et al., published the "
       "same year, is of the same "
       "family.");
    e = begin(list, n, "Figure 1 and section 2; figure 6",
              "ε = 0.5 is called low privacy; ε = 5 medium in the caption and low in the text.");
    IS("ε = 0.5 is high privacy, as the paper says elsewhere of ε < 1; the bottom row of figure 6 is low privacy.");
}

static void formulas(erratum *list, size_t *n) {
    podium_shape p = unit(PODIUM_MECHANISM_PODIUM, 1);
    double u = exp(p.s), sum = 1 + u + exp(1) + exp(1) / u;
    erratum *e = begin(list, n, "Section 6, V at μ = 0", "The second and third lines are equal to the first.");
    IS("They lose the step's own term, w³(e^ε − 1). At ε = 1 the first line is %.6f, which is right, and the others "
       "are %.6f.",
       podium_shape_variance(&p, 0), p.m * p.m / 12 * (1 + 1 / u) * (1 + u) / sum);
    p = unit(PODIUM_MECHANISM_PODIUM, 1e-6);
    e = begin(list, n, "Section 6", "As ε → 0 the width w of the step is Δm.");
    IS("It is Δm/2: w/(Δm) = 1/(1 + e^s) is %.6f at ε = 1e-6. The density becomes flat because e^ε becomes 1.",
       p.w / p.m);
    podium_shape l = unit(PODIUM_MECHANISM_LAPLACE, 10), p10 = unit(PODIUM_MECHANISM_PODIUM, 10),
                 p20 = unit(PODIUM_MECHANISM_PODIUM, 20);
    podium_shape l20 = unit(PODIUM_MECHANISM_LAPLACE, 20);
    e = begin(list, n, "Section 6", "The ratio to Laplace is Θ(e^(−2ε/3)) as ε → ∞.");
    IS("It is Θ(ε² e^(−2ε/3)). Times e^(2ε/3) it is %.2f at ε = 10 and %.2f at ε = 20; divided by ε² that is %.4f and "
       "%.4f.",
       podium_shape_efficiency(&p10, &l, 0.5) * exp(20.0 / 3), podium_shape_efficiency(&p20, &l20, 0.5) * exp(40.0 / 3),
       podium_shape_efficiency(&p10, &l, 0.5) * exp(20.0 / 3) / 100,
       podium_shape_efficiency(&p20, &l20, 0.5) * exp(40.0 / 3) / 400);
    e = begin(list, n, "Section 3, the formula for s", "It gives s for every ε.");
    IS("It is 0/0 at ε = log √2 and loses digits around it and for large ε: in double precision s comes out as %.6f at "
       "ε = "
       "50, where it is %.6f, and overflows above ε = 177. The root of sinh(2s − ε) + 2 sinh(s) is the same number.",
       quartic_s(50), unit(PODIUM_MECHANISM_PODIUM, 50).s);
    double at = 0.5, printed = -2 * exp(1 - at) + 2 * exp(at + 1) - exp(2 - 2 * at) + exp(2 * at);
    double truth = (2 * sinh(2 * at - 1) + 4 * sinh(at)) / (12 * (cosh(1) - 1));
    e = begin(list, n, "Section 3, dV/ds", "The derivative of V, a quartic in s.");
    IS("It is 12e^ε(cosh ε − 1)/Δ² times the derivative (at ε = 1, s = 0.5: %.4f, not %.4f), with the same root; and a "
       "quartic in e^s. Further on it is the range of cosh, not its domain, that is ≥ 1.",
       printed, truth);
}

static void tables(erratum *list, size_t *n) {
    double worst;
    const char *where = "";
    worst_of_table1(&worst, &where);
    erratum *e = begin(list, n, "Table 1", "Great precision of up to 20 digits.");
    IS("It is the precision of doubles: of 220 numbers none is right to the last digit, most are right to 15 or 16. "
       "The s "
       "near ε = log √2 are right to 13: the worst is off by %.1e, at ε = %s.",
       worst, where);
    e = begin(list, n, "Table 2", "Relative efficiencies, to four decimals.");
    list_table2(e->is, sizeof e->is);
    snprintf(
        e->is + strlen(e->is), sizeof e->is - strlen(e->is),
        ". The rows ε = 40 and 50 suffer from cancellation; the other wrong cells are off by one in the last digit. SV "
        "and MP in the headings are SM and PM.");
}

size_t errata(erratum list[ERRATA_MAX]) {
    size_t n = 0;
    claims(list, &n);
    formulas(list, &n);
    tables(list, &n);
    return n;
}

void write_errata(const char *path) {
    erratum list[ERRATA_MAX];
    size_t n = errata(list);
    output *out = output_open(path);
    output_print(out,
                 "# Where the paper slips\n\n"
                 "V. Pihur, *The Podium Mechanism: Improving on the Laplace and Staircase Mechanisms*. None of this "
                 "touches its theorem:\nthe mechanism is ε-private, and better than Laplace and Staircase at every ε. "
                 "`podium paper -o DIR` computes the numbers and\nwrites this file; `tests/paper` keeps it current.\n");
    for (size_t i = 0; i < n; i++) {
        output_print(out, "\n**%s.** *%s* %s\n", list[i].where, list[i].says, list[i].is);
    }
    output_close(out);
}
