/* What the parts of podium paper share: the paper's tables as printed, and each exhibit's data, picture and words. */
#ifndef PODIUM_CLI_PAPER_H
#define PODIUM_CLI_PAPER_H

#include "cli.h"

/* ---- printed.c ---- */

#define TABLE1_ROWS 55
#define TABLE2_ROWS 19
extern const char *const table1[TABLE1_ROWS][6];
extern const char *const table2[TABLE2_ROWS][7];
double printed_epsilon(const char *label); /* "0.10", "log 3" */

/* ---- tables.c: what is printed beside what is so ---- */

typedef struct {
    const char *printed;
    double computed;
    bool wrong;        /* not what the computed number rounds to */
    const char *cause; /* of what is wrong; "" */
} cell;

cell table1_cell(int row, int column); /* column 1 to 5, as in table1 */
cell table2_cell(int row, int column); /* column 1 to 6 */
double relative_difference(cell c);    /* of what is printed from what is computed */
void write_table1(const char *path);
void write_table2(const char *path);

/* ---- figures.c: data and pictures ---- */

#define FIGURES 6
typedef struct {
    const char *name, *title;       /* of its files, and for people */
    void (*data)(const char *path); /* the CSV file */
    void (*draw)(FILE *to);         /* the gnuplot script, to which data is the CSV file */
    int width, height;
} figure;
extern const figure figures[FIGURES];
void draw_figure(const figure *f, const char *directory); /* as SVG and PNG, from its data */

/* ---- theorems.c: what the paper proves, and what its introduction says, in numbers ---- */

#define AGE_MIN 1.0 /* the range in the introduction's example */
#define AGE_MAX 120.0

void write_privacy(const char *path);
void write_high_privacy(const char *path);
void write_low_privacy(const char *path);
void write_ages(const char *path);
void write_truncation(const char *path);
double laplace_clamped_mean(double epsilon, double x); /* of a Laplace report clamped to the range */

/* ---- simulation.c: section 7, with its sampling error ---- */

#define SIMULATED 10000
#define SIMULATIONS 400
#define PANELS 6
typedef struct {
    podium_mechanism mechanism;
    double epsilon;
    double first;           /* variance of the first draw's reports */
    double mean, deviation; /* of all draws' variances */
    double expected;        /* in closed form */
} panel;
void simulate(panel panels[PANELS], double *values, double *reports[PANELS]); /* the first draw's, SIMULATED each */
void write_simulation(const char *path, const panel panels[PANELS]);
const panel *simulation(void); /* figures.c: done once, and kept */

/* ---- errata.c ---- */

void write_errata(const char *path); /* Markdown: the page reads it back */

/* ---- page.c ---- */

void write_page(const char *directory);

/* A path in the directory, in a buffer that the next call but seven overwrites */
const char *in_directory(const char *directory, const char *name, const char *suffix);

#endif
