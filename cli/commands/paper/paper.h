/* What the parts of podium paper share: the tables as the paper prints them, and the data, pictures and texts that the
   program writes about them. */
#ifndef PODIUM_CLI_PAPER_H
#define PODIUM_CLI_PAPER_H

#include "cli.h"

#define LOG9 2.1972245773362196 /* the paper's epsilon for figures 2 and 3 */

/* ---- printed.c ---- */

#define TABLE1_ROWS 55
#define TABLE2_ROWS 19
extern const char *const table1[TABLE1_ROWS][6];
extern const char *const table2[TABLE2_ROWS][7];
double printed_epsilon(const char *label); /* of a row that begins with "0.10" or "log 3" */

/* ---- tables.c: each printed number beside the computed one ---- */

typedef struct {
    const char *printed;
    double computed;
    bool wrong;        /* printed is not computed, rounded */
    const char *cause; /* why it is wrong, if it is; otherwise empty */
} entry;

/* Columns are numbered as in table1 and table2; column 0 is epsilon, which is given and not computed. */
entry table1_entry(int row, int column);
entry table2_entry(int row, int column);
double relative_difference(entry e); /* (printed - computed) / computed */
void write_table1(const char *path);
void write_table2(const char *path);

/* ---- figures.c: data and pictures ---- */

#define FIGURES 6
typedef struct {
    const char *name;               /* of its files, without a suffix */
    void (*data)(const char *path); /* writes the CSV file */
    void (*draw)(FILE *to);         /* writes the gnuplot script, in which the variable data is the CSV file's name */
    int width, height;
} figure;
extern const figure figures[FIGURES];
void draw_figure(const figure *f, const char *directory); /* as SVG and as PNG, from the CSV file */

/* ---- theorems.c: the paper's theorems, and the example in its introduction, in numbers ---- */

#define AGE_MIN 1.0 /* the range in the introduction's example */
#define AGE_MAX 120.0

void write_privacy(const char *path);
void write_high_privacy(const char *path);
void write_low_privacy(const char *path);
void write_ages(const char *path);
void write_truncation(const char *path);
/* The mean of a Laplace report of the age x, clamped to the range */
double laplace_clamped_mean(double epsilon, double x);

/* ---- simulation.c: the simulation in section 7, with its sampling error ---- */

#define SIMULATED 10000 /* values in each draw */
#define SIMULATIONS 400 /* draws for each panel */
#define PANELS 6        /* of figure 6: three mechanisms at two epsilons */

typedef struct {
    podium_mechanism mechanism;
    double epsilon;
    double first;           /* the variance of the reports in the first draw */
    double mean, deviation; /* of the variances of all draws */
    double expected;        /* the variance in closed form */
} panel;
/* Stores the first draw in values and reports, which have room for SIMULATED each. */
void simulate(panel panels[PANELS], double *values, double *reports[PANELS]);
void write_simulation(const char *path, const panel panels[PANELS]);
const panel *simulation(void); /* figures.c: simulates once and keeps the result */

/* ---- errata.c ---- */

void write_errata(const char *path); /* as Markdown, which the page reads back */

/* ---- page.c ---- */

void write_page(const char *directory);

/* The path of a file in the directory. It lasts for seven more calls. */
const char *in_directory(const char *directory, const char *name, const char *suffix);

#endif
