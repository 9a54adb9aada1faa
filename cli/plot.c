/* Plot: pictures by gnuplot, which runs as a program of its own and gets its script by a pipe. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_in(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcmp(path + n - m, suffix) == 0;
}

static bool installed(const char *program) {
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char candidate[4096];
        size_t n = strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)n, path, program);
        if (access(candidate, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

void plot_check(const char *command, const char *path) {
    if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        fail_usage(command, "--plot takes a file that ends in .svg or .png, not '%s'", path);
    if (!installed("gnuplot"))
        fail(BAD_IO, "--plot needs gnuplot, which is not installed: apt install gnuplot-nox");
}

/* A name in a gnuplot string: nothing in it may end the string or start a command */
static void print_plain(FILE *to, const char *text) {
    for (; *text != '\0'; text++)
        if (strchr("'\"\\`{}^_@&~\n", *text) == NULL)
            fputc(*text, to);
}

/* A file's name in a gnuplot string, where a quote is written twice */
static void print_name(FILE *to, const char *path) {
    fputc('\'', to);
    for (; *path != '\0'; path++)
        fputs(*path == '\'' ? "''" : (char[]){*path, '\0'}, to);
    fputs("'\n", to);
}

static void write_script(FILE *to, const char *path, const plot *p) {
    const podium_distribution *d = p->distribution;
    const podium_estimate *e = p->estimate;
    double width = (d->max - d->min) / d->bins, top = 0;
    for (uint32_t j = 0; j < d->bins; j++)
        top = fmax(top, 100 * d->share[j]);
    fprintf(to, "set terminal %s\nset output ",
            ends_in(path, ".svg") ? "svg size 800,480 dynamic font 'sans,14' background '#ffffff'"
                                  : "pngcairo size 1200,720 font 'sans,18'");
    print_name(to, path);
    fprintf(to, "set title '%llu reports, %s, epsilon %g'\nset xlabel '", (unsigned long long)e->n,
            podium_mechanism_name(p->spec->mechanism), p->spec->epsilon);
    print_plain(to, *p->name == '\0' ? "value" : p->name);
    fputs("'\n", to);
    fprintf(to,
            "set style fill solid 0.8 noborder\nset border 3\nset tics nomirror out\nset grid y lc '#dddddd' lt 1\n"
            "set xrange [%.17g:%.17g]\nset yrange [0:%.17g]\nset ylabel 'share of people'\nset format y '%%g%%%%'\n"
            "set key top right samplen 2\nset boxwidth %.17g\n",
            d->min, d->max, 1.25 * top, 0.92 * width);
    fprintf(to, "set object 1 rectangle from %.17g, graph 0 to %.17g, graph 1 fc '#d55e00' fs solid 0.25 noborder\n",
            e->lower, e->upper);
    fprintf(to, "set arrow 1 from %.17g, graph 0 to %.17g, graph 1 nohead front lc '#d55e00' lw 2\n", e->mean, e->mean);
    fprintf(to,
            "plot '-' using 1:2 with boxes lc '#0072b2' title 'estimated shares', "
            "NaN with lines lc '#d55e00' lw 2 title 'mean, with its %g%% interval'\n",
            100 * e->confidence);
    for (uint32_t j = 0; j < d->bins; j++)
        fprintf(to, "%.17g %.17g\n", d->min + width * (j + 0.5), 100 * d->share[j]);
    fputs("e\n", to);
}

void plot_write(const char *path, const plot *p) {
    const char *staged = output_stage(path);
    if (strchr(staged, '\n') != NULL)
        fail(BAD_IO, "%s: gnuplot cannot write a name with a line end in it", path);
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL)
        fail(BAD_IO, "gnuplot does not start");
    write_script(gnuplot, staged, p);
    if (pclose(gnuplot) != 0)
        fail(BAD_IO, "%s: gnuplot could not draw it", path);
    output_commit();
}
