/* Points: the means of groups, with their intervals, as a picture or as characters in a terminal. */
#ifndef PODIUM_CLI_POINTS_H
#define PODIUM_CLI_POINTS_H

#include "cli.h"

typedef struct {
    const char *name; /* of the group */
    bool known;       /* the group has enough reports; the numbers are NaN otherwise */
    double mean, lower, upper;
    double day; /* the date that the name is, in days since 1970; set by points_order */
} point;

typedef struct {
    plot_head head;
    double confidence;
    point *point;
    size_t count;
    bool dates; /* all names are dates, so the points are a line over time */
} points;

/* Finds out whether all names are dates such as 2026-11-16 or 2026-11, and if so sorts the points by them. */
void points_order(points *all);
/* Sets the least lower and the greatest upper end of the intervals. Returns false if no group has one. */
bool points_span(const points *all, double *least, double *greatest);

#define POINTS_IN_PICTURE 200                          /* at most, unless they are dates */
void points_plot(const char *path, const points *all); /* points_plot.c: by gnuplot */
void points_chart(output *out, const points *all);     /* points_chart.c: in a terminal */

#endif
