/* Points in a terminal: a row for each group, or a line over time with its band. */
#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 60, HEIGHT = 16, NAME_WIDTH = 40 };

/* What is drawn in a cell, in UTF-8 and for terminals without it */
typedef enum { EMPTY, LEFT, RIGHT, DASH, DOT, BAND, MARKS } mark;
static const char *const marks[MARKS][2] = {
    [EMPTY] = {" ", " "}, [LEFT] = {"├", "|"}, [RIGHT] = {"┤", "|"},
    [DASH] = {"─", "-"},  [DOT] = {"●", "o"},  [BAND] = {"░", "."},
};

static void print_cells(output *out, const mark *cells, size_t n) {
    const bool ascii = !blocks_readable();
    while (n > 0 && cells[n - 1] == EMPTY)
        n--;
    for (size_t i = 0; i < n; i++)
        output_print(out, "%s", marks[cells[i]][ascii]);
    output_print(out, "\n");
}

/* Returns which of n cells from a to b has x. */
static size_t cell_of(double x, double a, double b, size_t n) {
    return b > a ? (size_t)nearbyint((x - a) / (b - a) * (double)(n - 1)) : (n - 1) / 2;
}

/* The mean may be outside the range, while its interval is not. */
static double within(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

/* ---- Groups ---- */

static void print_group(output *out, const point *p, int width, double least, double greatest) {
    mark cells[WIDTH] = {EMPTY};
    print_name(out, p->name, width);
    if (!p->known) {
        output_print(out, "  too few reports\n");
        return;
    }
    const size_t from = cell_of(p->lower, least, greatest, WIDTH), to = cell_of(p->upper, least, greatest, WIDTH);
    for (size_t i = from; i <= to; i++)
        cells[i] = DASH;
    cells[from] = LEFT;
    cells[to] = RIGHT;
    cells[cell_of(within(p->mean, least, greatest), least, greatest, WIDTH)] = DOT;
    output_print(out, "  ");
    print_cells(out, cells, WIDTH);
}

static void print_groups(output *out, const points *all, double least, double greatest) {
    char x[ROUNDED_MAX], y[ROUNDED_MAX];
    const double error = (greatest - least) / WIDTH;
    int width = 1;
    for (size_t i = 0; i < all->count; i++)
        width = (int)fmax(width, fmin(NAME_WIDTH, print_width(all->point[i].name)));
    rounded(x, least, error);
    output_print(out, "%*s  %s%*s\n", width, "", x, WIDTH - (int)strlen(x), rounded(y, greatest, error));
    for (size_t i = 0; i < all->count; i++)
        print_group(out, &all->point[i], width, least, greatest);
}

/* ---- Dates ---- */

typedef struct {
    mark cell[HEIGHT][WIDTH]; /* from the top */
    double least, greatest;
} canvas;

static void draw(canvas *c, size_t column, double mean, double lower, double upper) {
    const size_t bottom = HEIGHT - 1 - cell_of(lower, c->least, c->greatest, HEIGHT);
    const size_t top = HEIGHT - 1 - cell_of(upper, c->least, c->greatest, HEIGHT);
    for (size_t row = top; row <= bottom; row++)
        c->cell[row][column] = BAND;
    const double shown = within(mean, c->least, c->greatest);
    c->cell[HEIGHT - 1 - cell_of(shown, c->least, c->greatest, HEIGHT)][column] = DOT;
}

static double between(double a, double b, double share) {
    return a + (b - a) * share;
}

/* Draws from one date up to the next. If one of them is unknown, there is a gap. */
static void draw_step(canvas *c, const points *all, const point *a, const point *b) {
    const double first = all->point[0].day, last = all->point[all->count - 1].day;
    const size_t from = cell_of(a->day, first, last, WIDTH), to = cell_of(b->day, first, last, WIDTH);
    if (a->known)
        draw(c, from, a->mean, a->lower, a->upper);
    for (size_t x = from + 1; x < to && a->known && b->known; x++) {
        const double share = (double)(x - from) / (double)(to - from);
        draw(c, x, between(a->mean, b->mean, share), between(a->lower, b->lower, share),
             between(a->upper, b->upper, share));
    }
    if (b->known)
        draw(c, to, b->mean, b->lower, b->upper);
}

static void print_dates(output *out, const points *all, double least, double greatest) {
    enum { LABEL = 12 };
    canvas *c = allocate(sizeof *c);
    char text[ROUNDED_MAX];
    const bool ascii = !blocks_readable();
    memset(c, 0, sizeof *c); /* EMPTY */
    c->least = least;
    c->greatest = greatest;
    for (size_t i = 1; i < all->count; i++)
        draw_step(c, all, &all->point[i - 1], &all->point[i]);
    for (size_t row = 0; row < HEIGHT; row++) {
        const bool labelled = row == 0 || row == HEIGHT - 1;
        rounded(text, row == 0 ? greatest : least, (greatest - least) / HEIGHT);
        output_print(out, "%*s %s", LABEL, labelled ? text : "", ascii ? "|" : labelled ? "┤" : "│");
        print_cells(out, c->cell[row], WIDTH);
    }
    output_print(out, "%*s  %s%*s\n", LABEL, "", all->point[0].name, WIDTH - (int)strlen(all->point[0].name),
                 all->point[all->count - 1].name);
    free(c);
}

void points_chart(output *out, const points *all) {
    double least, greatest;
    if (!points_span(all, &least, &greatest))
        return;
    output_print(out, "\nmeans and their %g%% intervals\n", 100 * all->confidence);
    (all->dates ? print_dates : print_groups)(out, all, least, greatest);
}
