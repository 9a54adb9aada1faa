/*
 * Privatises values and estimates their distribution from the reports, for measure.py, which knows the truth.
 *
 *   shape_estimate SEED SPEC...
 *
 * Standard input is a sequence of blocks. Each is a count and then that many values, all as doubles of this machine.
 * Standard output starts with a double for each spec: the width of its step in units of the value range. Then it has,
 * for each block and each spec, the PODIUM_SHARES shares of the estimate, and how many reports fell in each of
 * REPORT_BINS equal bins of the support.
 *
 * The estimate is that of podium_fit_make, and not of podium_distribution_make, which withholds an estimate that cannot
 * be distinguished from evenly spread values.
 */
#include "analysis/fit.h"
#include "support.h"

#include <math.h>

#define REPORT_BINS 256
#define SPECS_MAX 16

typedef struct setup {
    podium_collection collection;
    podium_channel *channel;
    podium_shape shape;
} setup;

static void require(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "shape_estimate: %s\n", what);
    exit(EXIT_FAILURE);
}

static void require_ok(podium_status status) {
    require(status == PODIUM_OK, podium_status_message(status));
}

static void set_up(setup *s, const char *text) {
    podium_spec spec;
    require_ok(podium_spec_parse(&spec, NULL, text, strlen(text)));
    require(is_step(spec.mechanism), "the mechanism must have a step, because that is what the peer knows");
    require_ok(podium_collection_init(&s->collection, &spec));
    require_ok(podium_channel_make(&s->collection, &s->channel));
    require_ok(podium_shape_init(&s->shape, &spec));
}

static void write_doubles(const double *numbers, size_t n) {
    require(fwrite(numbers, sizeof *numbers, n, stdout) == n, "cannot write");
}

/* Reads the next block into *values, which it makes larger if necessary. Returns false at the end of the input. */
static bool read_block(double **values, size_t *n) {
    double count;
    if (fread(&count, sizeof count, 1, stdin) != 1)
        return false;
    *n = (size_t)count;
    *values = realloc(*values, *n * sizeof **values);
    require(*values != NULL, "out of memory");
    require(fread(*values, sizeof **values, *n, stdin) == *n, "the input ends in the middle of a block");
    return true;
}

static void count_reports(double counts[REPORT_BINS], const podium_shape *shape, const double *reports, size_t n) {
    const double width = shape->delta * shape->m, from = shape->middle - width / 2;
    memset(counts, 0, REPORT_BINS * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        double bin = floor((reports[i] - from) / width * REPORT_BINS);
        counts[(int)fmin(fmax(bin, 0), REPORT_BINS - 1)]++;
    }
}

static void estimate(const setup *s, const podium_random *random, double *reports, const double *values, size_t n) {
    podium_aggregate aggregate;
    podium_fit fit;
    double counts[REPORT_BINS];
    podium_aggregate_init(&s->collection, &aggregate);
    require_ok(podium_privatize_from(&s->collection, random, reports, values, n));
    require_ok(podium_aggregate_add(&s->collection, &aggregate, reports, n));
    require_ok(podium_fit_make(&fit, s->channel, podium_sums_of(&aggregate)));
    count_reports(counts, &s->shape, reports, n);
    write_doubles(fit.share, PODIUM_SHARES);
    write_doubles(counts, REPORT_BINS);
    podium_fit_clear(&fit);
}

static void estimate_blocks(const setup *setups, size_t count, uint64_t seed) {
    podium_random random = seeded_random(&seed);
    double *values = NULL, *reports = NULL;
    size_t n;
    while (read_block(&values, &n)) {
        reports = realloc(reports, n * sizeof *reports);
        require(reports != NULL, "out of memory");
        for (size_t i = 0; i < count; i++)
            estimate(&setups[i], &random, reports, values, n);
        require(fflush(stdout) == 0, "cannot write");
    }
    free(values);
    free(reports);
}

int main(int argc, char **argv) {
    static setup setups[SPECS_MAX];
    require(argc > 2 && argc - 2 <= SPECS_MAX, "usage: shape_estimate SEED SPEC...");
    const size_t count = (size_t)argc - 2;
    for (size_t i = 0; i < count; i++) {
        const podium_shape *shape = &setups[i].shape;
        set_up(&setups[i], argv[2 + i]);
        write_doubles(&(double){shape->w / (shape->m - shape->w)}, 1);
    }
    require(fflush(stdout) == 0, "cannot write");
    estimate_blocks(setups, count, strtoull(argv[1], NULL, 10));
    for (size_t i = 0; i < count; i++)
        podium_channel_free(setups[i].channel);
    return EXIT_SUCCESS;
}
