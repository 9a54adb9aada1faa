/* Estimate: the question, the results for each group, and how they are printed. */
#ifndef PODIUM_CLI_ESTIMATE_H
#define PODIUM_CLI_ESTIMATE_H

#include "options.h"

#define QUANTILES_MAX 99
#define BELOW_MAX 99
#define TERMINAL_BINS 12 /* of the histogram that text shows without --histogram */

typedef struct {
    double confidence;
    podium_interval interval;
    bool population;
    uint32_t histogram; /* how many bins; 0 if not asked for, and then text shows TERMINAL_BINS */
    number_list quantiles;
    number_list below;
    uint64_t dishonest;
    output_options output;
} asked;

typedef struct {
    const char *group;
    podium_trimmed trimmed; /* what --trim did, and how far the suspect reports can have moved the mean */
    double suspect_influence;
    podium_summary summary;
} result;

/* How many bins a picture or a text shows */
static inline uint32_t bins_shown(const asked *a) {
    return a->histogram == 0 ? TERMINAL_BINS : a->histogram;
}

/* Whether the output has anything about the distribution that was asked for by an option */
static inline bool shape_asked(const asked *a) {
    return a->quantiles.count > 0 || a->below.count > 0 || a->histogram > 0;
}

extern const char *const interval_words[];

/* estimate_print.c: prints the results in the format asked for; `name` is the name of the collection */
void print_results(output *out, result **results, size_t count, const asked *a, const podium_collection *collection,
                   const char *name, bool grouped);

#endif
