/* The paper's six figures: the data for each, and the gnuplot script that draws it from the data. */
#include "paper.h"

#include <math.h>
#include <stdlib.h>

/* ---- 1: Laplace and Staircase noise ---- */

static void data1(const char *path) {
    podium_shape laplace = shape_for(PODIUM_MECHANISM_LAPLACE, 0.5, -0.5, 0.5),
                 stairs = shape_for(PODIUM_MECHANISM_STAIRCASE, 0.5, -0.5, 0.5);
    output *out = output_open(path);
    output_print(out, "z,laplace,staircase\n");
    for (int i = -800; i <= 800; i++)
        output_print(out, "%.2f,%.10g,%.10g\n", i / 100.0, podium_shape_density(&laplace, 0, i / 100.0),
                     podium_shape_density(&stairs, 0, i / 100.0));
    output_close(out);
}

static void draw1(FILE *to) {
    fprintf(to,
            "set xlabel 'noise, in units of the range'\nset ylabel 'density'\nset yrange [0:0.3]\nset xrange [-8:8]\n"
            "plot data skip 1 using 1:3 with steps lw 2 lc '%s' title 'Staircase', '' skip 1 using 1:2 with lines lw 2 "
            "lc '%s' title 'Laplace'\n",
            podium_mechanism_colour(PODIUM_MECHANISM_STAIRCASE), podium_mechanism_colour(PODIUM_MECHANISM_LAPLACE));
}

/* ---- 2: Podium at four values ---- */

static const struct {
    double x;
    const char *title;
} shown[] = {{-0.5, "−1/2"}, {-1.0 / 6, "−1/6"}, {1.0 / 6, "1/6"}, {0.5, "1/2"}};
#define SHOWN (sizeof shown / sizeof *shown)
#define POINTS2 8 /* corners of the outline of a density */

static void data2(const char *path) {
    podium_shape shape = shape_for(PODIUM_MECHANISM_PODIUM, LOG9, -0.5, 0.5);
    output *out = output_open(path);
    output_print(out, "x,y,density\n");
    for (size_t i = 0; i < SHOWN; i++) {
        double x = shown[i].x, step = podium_shape_step(&shape, x);
        double ends[] = {-shape.m / 2, step, step + shape.w, shape.m / 2}, heights[] = {shape.d, shape.d_step, shape.d};
        output_print(out, "%.10g,%.10g,0\n", x, ends[0]);
        for (int k = 0; k < 3; k++)
            output_print(out, "%.10g,%.10g,%.10g\n%.10g,%.10g,%.10g\n", x, ends[k], heights[k], x, ends[k + 1],
                         heights[k]);
        output_print(out, "%.10g,%.10g,0\n", x, ends[3]);
    }
    output_close(out);
}

static void draw2(FILE *to) {
    fputs("set multiplot layout 2,2\nunset key\nset xrange [-1.2:1.2]\nset yrange [0:1.3]\n"
          "set object 1 rectangle from -0.5, graph 0 to 0.5, graph 1 fc '#888888' fs solid 0.18 noborder behind\n",
          to);
    const char *colour = podium_mechanism_colour(PODIUM_MECHANISM_PODIUM);
    for (size_t i = 0; i < SHOWN; i++)
        fprintf(
            to,
            "set title 'x = %s'\nplot data skip 1 every ::%zu::%zu using 2:3 with filledcurves y1=0 fs solid 0.35 lc "
            "'%s', '' skip 1 every ::%zu::%zu using 2:3 with lines lw 2 lc '%s'\n",
            shown[i].title, POINTS2 * i, POINTS2 * i + POINTS2 - 1, colour, POINTS2 * i, POINTS2 * i + POINTS2 - 1,
            colour);
    fputs("unset multiplot\n", to);
}

/* ---- 3: the extreme right shape, with its letters ---- */

static void data3(const char *path) {
    podium_shape shape = shape_for(PODIUM_MECHANISM_PODIUM, LOG9, -0.5, 0.5);
    double t = podium_shape_step(&shape, 0.5);
    output *out = output_open(path);
    output_print(out, "y,density\n%.10g,0\n%.10g,%.10g\n%.10g,%.10g\n%.10g,%.10g\n%.10g,%.10g\n%.10g,0\n", -shape.m / 2,
                 -shape.m / 2, shape.d, t, shape.d, t, shape.d_step, shape.m / 2, shape.d_step, shape.m / 2);
    output_close(out);
}

static void draw3(FILE *to) {
    podium_shape shape = shape_for(PODIUM_MECHANISM_PODIUM, LOG9, -0.5, 0.5);
    double half = shape.m / 2, t = podium_shape_step(&shape, 0.5), d = shape.d, top = shape.d_step;
    fprintf(to,
            "unset key\nunset ytics\nset border 1\nunset grid\nset xrange [%g:%g]\nset yrange [0:%g]\n"
            "set xtics ('−Δm/2' %g, '−Δ/2' -0.5, 't' %g, 'μ = Δ/2' 0.5, 'Δm/2' %g)\n",
            -half - 0.15, half + 0.15, 1.35 * top, -half, t, half);
    fprintf(to,
            "set arrow 1 from %g,%g to %g,%g heads filled front\nset label 1 'w' at %g,%g center front\n"
            "set arrow 2 from %g,0 to %g,%g heads filled front\nset label 2 'd' at %g,%g front\n"
            "set arrow 3 from %g,0 to %g,%g heads filled front\nset label 3 'd e^{/:Italic ε}' at %g,%g right front\n"
            "set arrow 4 from %g,%g to %g,%g heads filled front\nset label 4 'Δm' at %g,%g center front\n"
            "set arrow 5 from 0.5, graph 0 to 0.5, first %g nohead dt 2 lc '#555555' front\n",
            t, 1.08 * top, half, 1.08 * top, (t + half) / 2, 1.14 * top, -half / 2, -half / 2, d, -half / 2 + 0.03,
            d / 2, t + 0.12, t + 0.12, top, t - 0.02, top / 2, -half, 1.24 * top, half, 1.24 * top, 0.0, 1.3 * top,
            top);
    fprintf(to,
            "plot data skip 1 using 1:2 with filledcurves y1=0 fs solid 0.35 lc '%s', '' skip 1 using 1:2 with lines "
            "lw 2 lc '%s'\n",
            podium_mechanism_colour(PODIUM_MECHANISM_PODIUM), podium_mechanism_colour(PODIUM_MECHANISM_PODIUM));
}

/* ---- 4: s, and epsilon/3 ---- */

static void data4(const char *path) {
    output *out = output_open(path);
    output_print(out, "epsilon,exact,approximate\n");
    for (int i = 1; i <= 200; i++)
        output_print(out, "%.2f,%.10g,%.10g\n", i / 20.0, shape_for(PODIUM_MECHANISM_PODIUM, i / 20.0, -0.5, 0.5).s,
                     shape_for(PODIUM_MECHANISM_PODIUM_APPROXIMATE, i / 20.0, -0.5, 0.5).s);
    output_close(out);
}

static void draw4(FILE *to) {
    fprintf(to,
            "set xlabel 'ε'\nset ylabel 's'\nset xrange [0:10]\nset yrange [0:3.5]\nset key top left\n"
            "plot data skip 1 using 1:2 with lines lw 2 lc '%s' title 'exact', '' skip 1 using 1:3 with lines lw 2 dt "
            "(8, 6) "
            "lc '%s' title 'ε/3'\n",
            podium_mechanism_colour(PODIUM_MECHANISM_PODIUM),
            podium_mechanism_colour(PODIUM_MECHANISM_PODIUM_APPROXIMATE));
}

/* ---- 5: variance against the value ---- */

static const double epsilons5[] = {0.5, 1.0986122886681098, 5, 10};
static const podium_mechanism mechanisms5[] = {PODIUM_MECHANISM_LAPLACE, PODIUM_MECHANISM_STAIRCASE,
                                               PODIUM_MECHANISM_PODIUM, PODIUM_MECHANISM_PODIUM_APPROXIMATE};
#define POINTS5 101

static void data5(const char *path) {
    output *out = output_open(path);
    output_print(out, "epsilon,x,laplace,staircase,podium,podium_approximate\n");
    for (size_t e = 0; e < 4; e++)
        for (int i = 0; i < POINTS5; i++) {
            double x = (double)i / (POINTS5 - 1) - 0.5;
            output_print(out, "%.10g,%.2f", epsilons5[e], x);
            for (size_t m = 0; m < 4; m++) {
                podium_shape shape = shape_for(mechanisms5[m], epsilons5[e], -0.5, 0.5);
                output_print(out, ",%.10g", podium_shape_variance(&shape, x));
            }
            output_print(out, "\n");
        }
    output_close(out);
}

static void draw5(FILE *to) {
    static const char *const titles[] = {"0.5", "log 3", "5", "10"};
    static const char *const names[] = {"Laplace", "Staircase", "Podium, exact", "Podium, approximate"};
    fputs("set multiplot\nunset key\nset yrange [0:*]\nset xrange [-0.5:0.5]\nset size 0.5,0.46\nset xlabel "
          "'value'\nset ylabel 'variance'\n",
          to);
    for (size_t e = 0; e < 4; e++) {
        fprintf(to, "set origin %g,%g\nset title 'ε = %s'\nset format y '%%g'\nplot ", (double)(e % 2) * 0.5,
                e < 2 ? 0.54 : 0.08, titles[e]);
        for (size_t m = 0; m < 4; m++)
            fprintf(to, "%sdata skip 1 every ::%zu::%zu using 2:%zu with lines lw 2 %s lc '%s'", m == 0 ? "" : ", ",
                    e * POINTS5, e * POINTS5 + POINTS5 - 1, m + 3, m == 3 ? "dt (8, 6)" : "",
                    podium_mechanism_colour(mechanisms5[m]));
        fputc('\n', to);
    }
    fputs("set size 1,0.08\nset origin 0,0\nunset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset "
          "grid\nset margins 0,0,0,0\n"
          "set key center center horizontal samplen 2\nset yrange [0:1]\nplot ",
          to);
    for (size_t m = 0; m < 4; m++)
        fprintf(to, "%s2 with lines lw 2 %s lc '%s' title '%s'", m == 0 ? "" : ", ", m == 3 ? "dt (8, 6)" : "",
                podium_mechanism_colour(mechanisms5[m]), names[m]);
    fputs("\nunset multiplot\n", to);
}

/* ---- 6: the simulation ---- */

static double *simulated_values, *simulated_reports[PANELS];
static panel simulated[PANELS];

const panel *simulation(void) {
    if (simulated_values == NULL) {
        simulated_values = allocate(SIMULATED * sizeof *simulated_values);
        for (int i = 0; i < PANELS; i++)
            simulated_reports[i] = allocate(SIMULATED * sizeof **simulated_reports);
        simulate(simulated, simulated_values, simulated_reports);
    }
    return simulated;
}

static void data6(const char *path) {
    const panel *panels = simulation();
    output *out = output_open(path);
    output_print(out, "mechanism,epsilon,x,report\n");
    for (int p = 0; p < PANELS; p++)
        for (int i = 0; i < SIMULATED; i++)
            output_print(out, "%s,%g,%.5f,%.5f\n", podium_mechanism_name(panels[p].mechanism), panels[p].epsilon,
                         simulated_values[i], simulated_reports[p][i]);
    output_close(out);
}

static void draw6(FILE *to) {
    static const char *const names[] = {"Laplace", "Staircase", "Podium"};
    const panel *panels = simulation();
    fputs("set multiplot layout 2,3\nunset key\nset xrange [-0.5:0.5]\nset xtics 0.5\nset xlabel 'value'\nset ylabel "
          "'report' offset 1\n",
          to);
    for (int p = 0; p < PANELS; p++)
        fprintf(to,
                "set yrange [%s]\nset title '%s, ε = %g'\nset label 1 'variance %.3f' at graph 0.03,0.93 front\n"
                "plot data skip 1 every ::%d::%d using 3:4 with dots lc '%s'\n",
                p < 3 ? "-6:6" : "-1.6:1.6", names[p % 3], panels[p].epsilon, panels[p].first, p * SIMULATED,
                (p + 1) * SIMULATED - 1, podium_mechanism_colour(panels[p].mechanism));
    fputs("unset multiplot\n", to);
}

/* ---- All ---- */

const figure figures[FIGURES] = {
    {"figure1", data1, draw1, 640, 400}, {"figure2", data2, draw2, 720, 520}, {"figure3", data3, draw3, 640, 400},
    {"figure4", data4, draw4, 640, 400}, {"figure5", data5, draw5, 720, 600}, {"figure6", data6, draw6, 900, 600},
};

void draw_figure(const figure *f, const char *directory) {
    const char *data = in_directory(directory, f->name, ".csv"), *suffixes[] = {".svg", ".png"};
    for (int i = 0; i < 2; i++) {
        const char *path = in_directory(directory, f->name, suffixes[i]);
        FILE *script = plot_open(path, f->width, f->height);
        fputs("set datafile separator ','\nset key noautotitle\ndata = ",
              script); /* an automatic title would show the path */
        plot_file(script, data);
        fputc('\n', script);
        f->draw(script);
        plot_close(script, path);
        output_commit();
    }
}
