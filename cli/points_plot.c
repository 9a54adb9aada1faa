/* Points as a picture, drawn by gnuplot: a row for each group, or a line over time with its band. */
#include "points.h"

#include <math.h>
#include <string.h>

/* The colour-blind safe blue and its band */
#define LINE "lc '#0072b2' lw 2"
#define BAND "lc '#0072b2' fs transparent solid 0.25 noborder"

static void write_name(FILE *to, const char *name) {
    enum { CHARACTERS = 40 };
    char text[5 * CHARACTERS + 8] = "";
    size_t n = 0;
    for (int i = 0; i < CHARACTERS && *name != '\0'; i++) {
        uint32_t character;
        const size_t length = utf8_decode(&character, name), taken = length == 0 ? 1 : length;
        memcpy(text + n, name, taken);
        n += taken;
        name += taken;
    }
    strcpy(text + n, *name == '\0' ? "" : "...");
    plot_label(to, text);
}

static void write_axis(FILE *to, const points *all, char axis) {
    char what[PODIUM_NAME_MAX + 64];
    const char *name = all->head.name;
    snprintf(what, sizeof what, "%s%smean, with its %g%% interval", name, *name == '\0' ? "" : ": ",
             100 * all->confidence);
    fprintf(to, "unset key\nset %clabel ", axis);
    plot_text(to, what);
    fputc('\n', to);
}

/* ---- Groups ---- */

/* The first group is at the top. */
static void write_groups(FILE *to, const points *all) {
    write_axis(to, all, 'x');
    fprintf(to,
            "unset grid\nset grid x lc '#dddddd' lt 1\nset yrange [%zu.5:0.5]\nset offsets graph 0.03, graph 0.03\n",
            all->count);
    fputs("set ytics scale 0 (", to);
    for (size_t i = 0; i < all->count; i++) {
        fputs(i == 0 ? "" : ", ", to);
        write_name(to, all->point[i].name);
        fprintf(to, " %zu", i + 1);
    }
    fputs(")\n$points << EOD\n", to);
    for (size_t i = 0; i < all->count; i++)
        if (all->point[i].known)
            fprintf(to, "%.17g %zu %.17g %.17g\n", all->point[i].mean, i + 1, all->point[i].lower, all->point[i].upper);
    fputs("EOD\n", to);
    for (size_t i = 0; i < all->count; i++)
        if (!all->point[i].known)
            fprintf(to, "set label %zu 'too few reports' at graph 0.5, first %zu center tc '#666666'\n", i + 1, i + 1);
    fputs("set bars 0.6\nplot $points using 1:2:3:4 with xerrorbars " LINE " pt 7 ps 0.7\n", to);
}

/* ---- Dates ---- */

enum { TICS = 7, DAY = 86400 };

/* A blank line interrupts the line and its band. */
static void write_dates(FILE *to, const points *all) {
    write_axis(to, all, 'y');
    const double span = all->point[all->count - 1].day - all->point[0].day;
    fprintf(to,
            "set xdata time\nset timefmt '%%s'\nset format x \"%%d %%b\\n%%Y\"\nset xtics %.0f\nunset mxtics\n"
            "set offsets graph 0.02, graph 0.02\n$points << EOD\n",
            DAY * fmax(1, ceil(span / TICS)));
    for (size_t i = 0; i < all->count; i++) {
        const point *p = &all->point[i];
        if (p->known)
            fprintf(to, "%.0f %.17g %.17g %.17g\n", p->day * DAY, p->mean, p->lower, p->upper);
        else
            fputs("\n", to);
    }
    fputs("EOD\nplot $points using 1:3:4 with filledcurves " BAND ", $points using 1:2 with linespoints " LINE
          " pt 7 ps 0.6\n",
          to);
}

/* ---- Both ---- */

static void write_nothing(FILE *to) {
    fputs("unset border\nunset tics\nset label 1 'Too few reports in every group' at graph 0.5, graph 0.5 center\n"
          "set xrange [0:1]\nset yrange [0:1]\nplot NaN notitle\n",
          to);
}

void points_plot(const char *path, const points *all) {
    enum { PICTURE_WIDTH = 800, PICTURE_HEIGHT = 480, AROUND = 160, PER_GROUP = 24 };
    double least, greatest;
    const bool any = points_span(all, &least, &greatest);
    if (!all->dates && all->count > POINTS_IN_PICTURE)
        fail(BAD_DATA, "a picture has room for %d groups, not for %zu", POINTS_IN_PICTURE, all->count);
    progress_show("drawing", 0, 0, 0);
    FILE *to = plot_open(path, PICTURE_WIDTH, all->dates ? PICTURE_HEIGHT : AROUND + PER_GROUP * (int)all->count);
    plot_title(to, &all->head);
    if (!any)
        write_nothing(to);
    else
        (all->dates ? write_dates : write_groups)(to, all);
    plot_close(to, path);
    progress_clear();
}
