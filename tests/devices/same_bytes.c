/*
 * Prints what the library makes of fixed values and fixed random bytes, for every mechanism: specs, fingerprints,
 * cells, codes, the bits of reports, and with -DWITH_ANALYSIS the bytes of aggregates and the bits of estimates. Two
 * builds of the library are the same if they print the same. It is C and C++, so that it is a caller in both.
 */
#include "podium.h"
#ifdef WITH_ANALYSIS
#include "podium_analysis.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 1500 /* enough for blocks, vectors, what is left over, and the table of the reports of all cells */

static double values[VALUES], reports[VALUES];
static uint32_t cells[VALUES];
static unsigned char codes[4 * VALUES];

/* SplitMix64, which anybody can predict: it is for comparisons only. */
static uint64_t next_word(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static size_t seeded_fill(void *state, void *buffer, size_t n) {
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)buffer)[i] = (unsigned char)next_word((uint64_t *)state);
    return n;
}

static void check(podium_status status, const char *what) {
    if (status == PODIUM_OK)
        return;
    fprintf(stderr, "same_bytes: %s: %s\n", what, podium_status_message(status));
    exit(1);
}

static void print_bytes(const char *what, const void *bytes, size_t n) {
    printf("%s ", what);
    for (size_t i = 0; i < n; i++)
        printf("%02x", ((const unsigned char *)bytes)[i]);
    printf("\n");
}

/* Values inside the range and beside it, then a few that are no ordinary numbers */
static void make_values(double min, double max) {
    uint64_t state = 1;
    for (int i = 0; i < VALUES; i++)
        values[i] = min + (max - min) * (1.2 * (double)(next_word(&state) >> 11) / 9007199254740992.0 - 0.1);
    values[3] = NAN, values[4] = INFINITY, values[5] = -INFINITY, values[6] = -0.0, values[7] = 1e-310;
}

#ifdef WITH_ANALYSIS
static podium_aggregate sums;
static podium_summary summary;
static unsigned char state_bytes[PODIUM_AGGREGATE_BYTES_MAX];

static void print_analysis(const podium_collection *collection) {
    podium_aggregate_init(collection, &sums);
    check(podium_aggregate_add(collection, &sums, reports, VALUES), "aggregate");
    print_bytes("aggregate", state_bytes, podium_aggregate_encode(&sums, state_bytes, sizeof state_bytes));
    check(podium_summary_make(collection, NULL, &summary, &sums, NULL), "summary");
    print_bytes("mean", &summary.mean, sizeof summary.mean);
    print_bytes("limits", &summary.lower, sizeof summary.lower);
    print_bytes("limits", &summary.upper, sizeof summary.upper);
}
#endif

/* The reports of n values, as doubles, cells and codes */
static void print_reports(const podium_collection *collection, size_t n) {
    uint64_t state = n;
    podium_random source;
    memset(&source, 0, sizeof source);
    source.fill = seeded_fill, source.context = &state;
    check(podium_privatize_from(collection, &source, reports, values, n), "privatize");
    check(podium_privatize_cells(collection, &source, cells, values, n), "cells");
    check(podium_codes_encode(collection, codes, sizeof codes, cells, n), "codes");
    print_bytes("reports", reports, n * sizeof *reports);
    print_bytes("cells", cells, n * sizeof *cells);
    print_bytes("codes", codes, n * podium_code_bytes(collection));
}

static void print_collection(const podium_spec *spec) {
    static const size_t counts[] = {1, 8, 100, VALUES};
    podium_collection collection, again;
    char text[PODIUM_COLLECTION_TEXT_MAX];
    check(podium_collection_init(&collection, spec), "init");
    size_t n = podium_collection_format(&collection, text, sizeof text, "same bytes");
    printf("%s", text);
    check(podium_collection_parse(&again, NULL, 0, NULL, text, n), "parse");
    print_bytes("collection", &again, sizeof again);
    make_values(spec->min, spec->max);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        print_reports(&collection, counts[i]);
#ifdef WITH_ANALYSIS
    print_analysis(&collection);
#endif
}

int main(void) {
    static const double epsilons[] = {0.3, 1, 7};
    for (size_t mechanism = 0; mechanism < podium_mechanism_count(); mechanism++)
        for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
            podium_spec spec;
            memset(&spec, 0, sizeof spec);
            spec.mechanism = (podium_mechanism)mechanism;
            const char *parameter = podium_mechanism_parameter(spec.mechanism);
            spec.epsilon = epsilons[i], spec.min = i == 0 ? -40 : 1, spec.max = 120;
            spec.spread = parameter != NULL && strcmp(parameter, "spread") == 0 ? 0.05 : 0;
            print_collection(&spec);
        }
    return 0;
}
