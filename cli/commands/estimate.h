/* Estimate: what is asked of reports, what is known of a group of them, and its printing. */
#ifndef PODIUM_CLI_ESTIMATE_H
#define PODIUM_CLI_ESTIMATE_H

#include "options.h"

#define QUANTILES_MAX 99
#define TERMINAL_BINS 12 /* of the small histogram that text shows unasked */

typedef struct {
    double confidence;
    podium_interval interval;
    uint32_t histogram; /* bins; 0: not asked for */
    number_list quantiles;
    uint32_t bootstrap; /* repetitions; 0: none */
    uint64_t dishonest;
    output_options output;
} asked;

typedef struct {
    const char *group;
    uint64_t n, refused;
    bool enough; /* reports for an estimate */
    podium_estimate estimate;
    podium_distribution shape; /* in asked->histogram bins, or TERMINAL_BINS */
    double quantile[QUANTILES_MAX], lower[QUANTILES_MAX], upper[QUANTILES_MAX];
    double influence;
} result;

extern const char *const interval_words[];

/* estimate_print.c: in the format asked for; name is the collection's */
void print_results(output *out, result **results, size_t count, const asked *a, const podium_collection *collection,
                   const char *name, bool grouped);

#endif
