/*
 * How fast reports are made, beside the random bits they are made of. One core, one run: compare the ratios, not the
 * rates of different machines. Each figure is the best of several repetitions.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define VALUES 1000000
#define SINGLES 204800
#define REPETITIONS 7

static double values[VALUES], reports[VALUES];

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void require(podium_status status) {
    if (status != PODIUM_OK) {
        fprintf(stderr, "bench: %s\n", podium_status_message(status));
        exit(1);
    }
}

/* ---- The jobs: each makes n reports, or the random words for n Podium reports ---- */

static podium_collection collection;

static void keystream(size_t n) {
    uint32_t words[2048];
    podium_stream stream;
    require(podium_stream_open(&stream, NULL, n * 16));
    for (size_t done = 0; done < n; done += 512)
        require(podium_stream_fill(&stream, words, n - done < 512 ? 4 * (n - done) : 2048));
    podium_stream_close(&stream);
}

static void arrays(size_t n) {
    require(podium_privatize(&collection, reports, values, n));
}

static size_t per_call;

static void calls(size_t n) {
    for (size_t done = 0; done < n; done += per_call)
        require(podium_privatize(&collection, reports + done, values + done, per_call));
}

static void system_calls(size_t n) {
    uint64_t words[2];
    for (size_t i = 0; i < n; i++)
        if (podium_random_system.fill(NULL, words, sizeof words) != sizeof words)
            require(PODIUM_RANDOM_FAILED);
}

static double rate(void (*job)(size_t), size_t n) {
    double best = INFINITY;
    for (int i = 0; i < REPETITIONS; i++) {
        double start = seconds();
        job(n);
        best = fmin(best, seconds() - start);
    }
    return (double)n / best;
}

static void line(const char *job, double rate, double beside, const char *what) {
    printf("  %-34s %9.2f M/s   %5.2f of %s\n", job, rate / 1e6, rate / beside, what);
}

static void collect(podium_mechanism mechanism, double epsilon) {
    podium_spec spec = {.mechanism = mechanism, .epsilon = epsilon, .min = 1, .max = 120};
    require(podium_collection_init(&collection, &spec));
}

/* Minimax puts a value at its place by the more ramps, the larger epsilon is. */
static void against_podium(void) {
    static const double epsilons[] = {0.5, 1, 2, 4, 8};
    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++) {
        char job[64];
        collect(PODIUM_EXACT, epsilons[i]);
        double podium = rate(arrays, VALUES);
        collect(PODIUM_MINIMAX, epsilons[i]);
        snprintf(job, sizeof job, "minimax, epsilon %g, %u ramps", epsilons[i], collection.knot_count);
        line(job, rate(arrays, VALUES), podium, "podium");
    }
}

int main(void) {
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (double)(i % 120) + 1;

    double stream = rate(keystream, VALUES), call = rate(system_calls, SINGLES);
    printf("Podium %s, epsilon 1, %d values, best of %d\n\n", podium_version(), VALUES, REPETITIONS);
    printf("  %-34s %9.2f M/s   16 bytes a value\n", "random bits alone, in bulk", stream / 1e6);
    for (int m = 0; podium_mechanism_name((podium_mechanism)m) != NULL; m++) {
        char job[64];
        collect((podium_mechanism)m, 1);
        snprintf(job, sizeof job, "%s, an array", podium_mechanism_name((podium_mechanism)m));
        line(job, rate(arrays, VALUES), stream, "the random bits");
    }
    printf("\n");
    against_podium();
    collect(PODIUM_EXACT, 1);
    printf("\n  %-34s %9.2f M/s   16 bytes a value\n", "one getrandom(2) at a time", call / 1e6);
    for (per_call = 1; per_call <= 1024; per_call *= 4) {
        char job[64];
        snprintf(job, sizeof job, "podium, %d at a time", (int)per_call);
        line(job, rate(calls, SINGLES), call, "the system calls");
    }
    return 0;
}
