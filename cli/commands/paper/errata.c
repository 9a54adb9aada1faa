/* Fills errata.md: where the paper slips, with the numbers that show it. */
#include "paper.h"
#include "template.h"

#include <math.h>
#include <string.h>

extern const unsigned char errata_md[]; /* made from errata.md by the build */

/* ---- Numbers by name ---- */

#define NUMBERS_MAX 32
#define TEXT_MAX 1000

typedef struct {
    const char *name;
    char text[TEXT_MAX];
} number;

typedef struct {
    number list[NUMBERS_MAX];
    filler fillers[NUMBERS_MAX + 1]; /* one for each number, and the last without a name */
    size_t count;
} numbers;

static void fill_number(template_part *to, const void *item) {
    const numbers *n = item;
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->list[i].name, to->filler->name) == 0)
            template_text(to, n->list[i].text);
}

PRINTS(3, 4) static void add(numbers *n, const char *name, const char *format, ...) {
    va_list arguments;
    if (n->count == NUMBERS_MAX)
        fail(BAD_DATA, "errata.c: too many numbers");
    va_start(arguments, format);
    n->list[n->count].name = name;
    vsnprintf(n->list[n->count].text, TEXT_MAX, format, arguments);
    n->fillers[n->count++] = (filler){name, fill_number, NULL};
    va_end(arguments);
}

/* ---- What the paper claims ---- */

#define MIDDLE 0.0
#define END 0.5

static podium_shape unit(podium_mechanism mechanism, double epsilon) {
    return shape_for(mechanism, epsilon, -0.5, 0.5);
}

/* Podium's variance beside the other mechanism's */
static double ratio_to(podium_mechanism other, double epsilon, double x) {
    podium_shape podium = unit(PODIUM_MECHANISM_PODIUM, epsilon), shape = unit(other, epsilon);
    return podium_shape_efficiency(&podium, &shape, x);
}

static double percent_saved(double epsilon, double x) {
    return 100 * (1 - ratio_to(PODIUM_MECHANISM_LAPLACE, epsilon, x));
}

static void add_claims(numbers *n) {
    add(n, "ends-saving-0.1", "%.1f", percent_saved(0.1, END));
    add(n, "ends-saving-1", "%.1f", percent_saved(1, END));
    add(n, "middle-saving-0.1", "%.1f", percent_saved(0.1, MIDDLE));
    add(n, "middle-saving-1", "%.1f", percent_saved(1, MIDDLE));
    add(n, "ends-to-staircase", "%.5f", ratio_to(PODIUM_MECHANISM_STAIRCASE, 700, END));
    add(n, "middle-to-staircase", "%.5f", ratio_to(PODIUM_MECHANISM_STAIRCASE, 700, MIDDLE));
    add(n, "ends-to-laplace", "%.4f", ratio_to(PODIUM_MECHANISM_LAPLACE, log(3), END));
    add(n, "middle-to-laplace", "%.4f", ratio_to(PODIUM_MECHANISM_LAPLACE, log(3), MIDDLE));
    add(n, "m", "%.4f", unit(PODIUM_MECHANISM_PODIUM, 1).m);
    add(n, "least-m", "%.4f", unit(PODIUM_MECHANISM_PIECEWISE, 1).m);
}

/* ---- Its formulas, as they are printed and as they should be ---- */

/* The formula for s, in floating point */
static double printed_s(double epsilon) {
    double e = exp(epsilon), a = cbrt(4 * (exp(2 * epsilon) - exp(4 * epsilon))), root = sqrt(a + e * e);
    double b = 2 * (2 * e - e * e * e) / root;
    return epsilon >= log(sqrt(2)) ? log((-root - e + sqrt(-b + 2 * e * e - a)) / 2)
                                   : log((root - e + sqrt(b + 2 * e * e - a)) / 2);
}

/* The second and third line of V in the middle of the range, at epsilon 1 */
static double printed_variance(const podium_shape *p) {
    double u = exp(p->s), sum = 1 + u + exp(1) + exp(1) / u;
    return p->m * p->m / 12 * (1 + 1 / u) * (1 + u) / sum;
}

/* dV/ds at epsilon 1 */
static double printed_derivative(double s) {
    return -2 * exp(1 - s) + 2 * exp(s + 1) - exp(2 - 2 * s) + exp(2 * s);
}

static double derivative(double s) {
    return (2 * sinh(2 * s - 1) + 4 * sinh(s)) / (12 * (cosh(1) - 1));
}

/* The ratio to Laplace without the factor that the paper gives it */
static double scaled_ratio(double epsilon) {
    return ratio_to(PODIUM_MECHANISM_LAPLACE, epsilon, END) * exp(2 * epsilon / 3);
}

static void add_formulas(numbers *n) {
    podium_shape p = unit(PODIUM_MECHANISM_PODIUM, 1), wide = unit(PODIUM_MECHANISM_PODIUM, 1e-6);
    add(n, "variance", "%.6f", podium_shape_variance(&p, MIDDLE));
    add(n, "variance-printed", "%.6f", printed_variance(&p));
    add(n, "w-to-m", "%.6f", wide.w / wide.m);
    add(n, "scaled-10", "%.2f", scaled_ratio(10));
    add(n, "scaled-20", "%.2f", scaled_ratio(20));
    add(n, "settled-10", "%.4f", scaled_ratio(10) / (10 * 10));
    add(n, "settled-20", "%.4f", scaled_ratio(20) / (20 * 20));
    add(n, "s-printed", "%.6f", printed_s(50));
    add(n, "s", "%.6f", unit(PODIUM_MECHANISM_PODIUM, 50).s);
    add(n, "derivative-printed", "%.4f", printed_derivative(0.5));
    add(n, "derivative", "%.4f", derivative(0.5));
}

/* ---- Its tables ---- */

static void add_worst_of_table1(numbers *n) {
    double worst = 0;
    int worst_row = 0;
    for (int row = 0; row < TABLE1_ROWS; row++)
        for (int column = 2; column < 6; column++) {
            double off = fabs(relative_difference(table1_entry(row, column)));
            if (off > worst) {
                worst = off;
                worst_row = row;
            }
        }
    add(n, "table1-worst", "%.1e", worst);
    add(n, "table1-worst-epsilon", "%s", table1[worst_row][0]);
}

/* What is wrong in Table 2, as "0.30 (column 4): 0.6635 should be 0.6636; ..." */
static void add_table2(numbers *n) {
    char text[TEXT_MAX] = "";
    for (int row = 0; row < TABLE2_ROWS; row++)
        for (int column = 1; column < 7; column++) {
            entry e = table2_entry(row, column);
            size_t length = strlen(text);
            if (e.wrong)
                snprintf(text + length, sizeof text - length, "%s%s (column %d): %s should be %.4f",
                         length == 0 ? "" : "; ", table2[row][0], column + 1, e.printed, e.computed);
        }
    add(n, "table2-list", "%s", text);
}

void write_errata(const char *path) {
    numbers n = {.count = 0};
    const char *text = (const char *)errata_md;
    add_claims(&n);
    add_formulas(&n);
    add_worst_of_table1(&n);
    add_table2(&n);
    char message[TEMPLATE_MESSAGE];
    if (!template_check(text, n.fillers, message))
        fail(BAD_DATA, "errata.md: %s", message);
    output *out = output_open(path);
    template_write(out, TEMPLATE_PLAIN, text, n.fillers, &n);
    output_close(out);
}
