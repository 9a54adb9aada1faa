/* Plot: pictures drawn by gnuplot, which runs as a separate process and reads its script from a pipe. */
#include "cli.h"
#include "platform.h"

#include <math.h>
#include <string.h>

static bool ends_in(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcmp(path + n - m, suffix) == 0;
}

void plot_check(const char *command, const char *path) {
    if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
        fail_usage(command, "--plot takes a file that ends in .svg or .png, not '%s'", path);
    if (!program_installed("gnuplot"))
        fail(BAD_IO, "pictures need gnuplot, which is not installed (apt install gnuplot-nox)");
}

/* In single quotes gnuplot takes all characters as they are, except that a quote is doubled. The text looks as in
   print_name, because control characters and bytes that are not UTF-8 are escaped. */
static void write_text(FILE *to, const char *text, bool label) {
    char shown[ESCAPED_MAX];
    fputc('\'', to);
    while (*text != '\0') {
        text = escape(shown, text, ESCAPE_TEXT);
        if (*shown == '\'' || (label && *shown == '%'))
            fputc(*shown, to);
        fputs(shown, to);
    }
    fputc('\'', to);
}

void plot_text(FILE *to, const char *text) {
    write_text(to, text, false);
}

void plot_label(FILE *to, const char *text) {
    write_text(to, text, true);
}

/* The title of the user, if there is one, stands above what the picture is of. No text of the picture is enhanced,
   where characters such as _ have a meaning. */
void plot_title(FILE *to, const plot_head *head) {
    char what[256];
    snprintf(what, sizeof what, "%llu reports, %s, epsilon %g", (unsigned long long)head->reports,
             podium_mechanism_name(head->spec->mechanism), head->spec->epsilon);
    fputs("set termoption noenhanced\n", to);
    if (head->title != NULL) {
        fputs("set label 1000 ", to);
        plot_text(to, head->title);
        fputs(" at graph 0.5, graph 1 offset 0, character 2.9 center front font ',18'\nset tmargin 4.5\n", to);
    }
    fputs("set title ", to);
    plot_text(to, what);
    fputc('\n', to);
}

void plot_file(FILE *to, const char *path) {
    if (strchr(path, '\n') != NULL)
        fail(BAD_IO, "%s: gnuplot cannot read a file name that contains a line end", path);
    fputc('\'', to);
    for (; *path != '\0'; path++)
        fputs(*path == '\'' ? "''" : (char[]){*path, '\0'}, to);
    fputc('\'', to);
}

/* The staged file. Gnuplot gets the open file instead of its name, so that it cannot create the file again after this
   program has ended early and removed it. */
static int picture;
static const char *picture_path;

FILE *plot_open(const char *path, int width, int height) {
    picture_path = output_stage(path);
    picture = file_open_to_write(picture_path);
    FILE *to = picture < 0 ? NULL : program_start("gnuplot", picture);
    if (to == NULL)
        fail(BAD_IO, "cannot start gnuplot");
    if (ends_in(path, ".svg"))
        fprintf(to, "set terminal svg size %d,%d dynamic font 'sans,14' background '#ffffff'\n", width, height);
    else
        fprintf(to, "set terminal pngcairo size %d,%d font 'sans,18'\n", width * 3 / 2, height * 3 / 2);
    fputs("set encoding utf8\nset border 3\nset tics nomirror out\nset grid y lc '#dddddd' lt 1\n", to);
    return to;
}

/* Gnuplot does not report a full disk, so check whether the picture has its end. */
static bool whole(const char *path) {
    const char *end = ends_in(path, ".svg") ? "</svg>" : "IEND";
    size_t n = strlen(end);
    char last[12];
    FILE *drawn = file_stream(picture_path, "rb");
    const bool read = drawn != NULL && fseek(drawn, -12, SEEK_END) == 0 && fread(last, 1, 12, drawn) == 12;
    if (drawn != NULL)
        fclose(drawn);
    if (!read)
        return false;
    for (size_t i = 0; i + n <= 12; i++)
        if (memcmp(last + i, end, n) == 0)
            return true;
    return false;
}

void plot_close(FILE *script, const char *path) {
    if (!program_end(script) || !whole(path) || !file_sync(picture))
        fail(BAD_IO, "%s: gnuplot could not draw this picture", path);
    file_close(picture);
}

enum { ERROR_BARS_MOST = 40 }; /* With more bins, a band replaces the error bars, which would touch. */

static double top_of(const podium_distribution *d) {
    double top = 0;
    for (uint32_t j = 0; j < d->bins; j++)
        top = fmax(top, 100 * podium_distribution_bin(d, j).upper);
    return top;
}

/* Writes the data: the middle of each bin, its share and the limits of the share, in percent. */
static void write_shares(FILE *to, const podium_distribution *d) {
    fputs("$shares << END\n", to);
    for (uint32_t j = 0; j < d->bins; j++) {
        const podium_bin bin = podium_distribution_bin(d, j);
        fprintf(to, "%.17g %.17g %.17g %.17g\n", (bin.from + bin.to) / 2, 100 * bin.share, 100 * bin.lower,
                100 * bin.upper);
    }
    fputs("END\n", to);
}

static void write_axes(FILE *to, const plot_head *head, const podium_distribution *d, bool known) {
    fputs("set xlabel ", to);
    plot_text(to, *head->name == '\0' ? "value" : head->name);
    fputc('\n', to);
    fprintf(to, "set xrange [%.17g:%.17g]\nset yrange [0:%.17g]\nset key top right samplen 2\n", d->min, d->max,
            known ? 1.25 * top_of(d) : 1);
    if (known)
        fputs("set ylabel 'share of people'\nset format y '%g%%'\n", to);
    else
        fputs("unset ytics\nset label 1 '" SHAPE_WITHHELD "' at graph 0.5, graph 0.5 center front boxed\n"
              "set style textbox opaque noborder margins 1, 1\n",
              to);
}

static void write_mean(FILE *to, const podium_summary *s, bool known) {
    const char *layer = known ? "front" : "back"; /* of bars, or of the label */
    fprintf(to,
            "set object 1 rectangle from %.17g, graph 0 to %.17g, graph 1 %s fc '#d55e00' "
            "fs transparent solid 0.5 noborder\n",
            s->lower, s->upper, layer);
    fprintf(to, "set arrow 1 from %.17g, graph 0 to %.17g, graph 1 nohead %s lc '#a63603' lw 2\n", s->mean, s->mean,
            layer);
}

static void write_script(FILE *to, const plot *p) {
    const podium_summary *s = p->summary;
    const podium_distribution *d = &s->distribution;
    const bool known = s->shape_known == PODIUM_KNOWN_ESTIMATED;
    const double percent = 100 * s->confidence;
    plot_title(to, &p->head);
    write_axes(to, &p->head, d, known);
    write_mean(to, s, known);
    if (known) {
        write_shares(to, d);
        fprintf(to, "set style fill solid 0.55 noborder\nset boxwidth %.17g\n", 0.92 * (d->max - d->min) / d->bins);
    }
    fputs("plot ", to);
    if (known)
        fprintf(to,
                "$shares using 1:2 with boxes lc '#0072b2' title 'estimated shares', "
                "$shares using %s title 'their %g%% intervals', ",
                d->bins > ERROR_BARS_MOST
                    ? "1:3:4 with filledcurves fs transparent solid 0.4 lc '#666666'"
                    : "1:3:(0):($4-$3) with vectors heads size graph 0.006,90 lw 1.5 lc '#444444'",
                percent);
    fprintf(to, "NaN with lines lc '#d55e00' lw 6 title 'mean, with its %g%% interval'\n", percent);
}

void plot_write(const char *path, const plot *p) {
    progress_show("drawing", 0, 0, 0);
    FILE *script = plot_open(path, 800, 480);
    write_script(script, p);
    plot_close(script, path);
    progress_clear();
}
