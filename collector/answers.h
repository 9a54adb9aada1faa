/* Answers: what the library says about sums, written as JSON as `podium estimate --format json` writes it. Nothing is
   computed here. */
#ifndef PODIUM_COLLECTOR_ANSWERS_H
#define PODIUM_COLLECTOR_ANSWERS_H

#include "query.h"
#include "text.h"

#include <podium_analysis.h>

typedef struct {
    podium_question question;
    uint64_t histogram; /* how many bins; 0 if not asked for */
    numbers quantiles, below;
} asked;

/* Whether anything about the distribution is asked for */
bool asked_shape(const asked *a);

/* Writes the members of an estimate, without the braces around them. */
void answer_estimate(text *t, const podium_summary *s, const asked *a);
void answer_distribution(text *t, const podium_summary *s, const asked *a);

/* The same in place of an estimate that would be wrong, because no values could have led to these reports */
void answer_not_reports(text *t, const podium_aggregate *sum);

enum { EXCESS_MAX = 1024 }; /* parts of the support; podium_aggregate_excess finds no more */
/* Writes how many reports are dishonest at least, and up to `shown` of the parts of the support that have too many. */
void answer_excess(text *t, const podium_excess *excess, size_t found, size_t shown);

/* Two groups that were compared */
typedef struct {
    const char *a, *b; /* names */
    uint64_t refused_a, refused_b;
    podium_difference difference;
    double p_adjusted;
} comparison;
void answer_comparison(text *t, const comparison *c, size_t comparisons);

#endif
