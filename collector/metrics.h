/* Metrics: what an operator watches, in the text format of Prometheus. */
#ifndef PODIUM_COLLECTOR_METRICS_H
#define PODIUM_COLLECTOR_METRICS_H

#include "problem.h"

#include <stdatomic.h>

typedef struct metrics metrics;

/* Counts of one collection; they live as long as the process. */
typedef struct metrics_collection {
    const char *name;
    _Atomic uint64_t accepted, refused, batches, duplicates;
    _Atomic uint64_t not_numbers;        /* of those refused */
    _Atomic uint64_t problems[PROBLEMS]; /* for which whole batches were refused */
    struct metrics_collection *next;
} metrics_collection;

/* One number each */
typedef enum {
    METRIC_CONNECTIONS,    /* open now */
    METRIC_BODY_BYTES,     /* of bodies in memory now */
    METRIC_QUEUE,          /* batches that wait for the store now */
    METRIC_GROUPS,         /* transactions that were committed */
    METRIC_GROUPED,        /* batches in them */
    METRIC_STORE_FAILURES, /* transactions that failed */
    METRIC_STORE_AWAY,     /* 1 while the last transaction failed */
    METRIC_UNAUTHORIZED,   /* requests without a token that allows them */
    METRIC_RATE_LIMITED,   /* requests that were too many from one address */
    METRIC_SLOW_CLIENTS,   /* connections closed because a request took too long to arrive */
    METRIC_RELOADS,        /* of the configuration */
    METRIC_LISTENERS,      /* of events, now */
    METRICS
} metric;

metrics *metrics_make(void); /* NULL if there is no memory */
void metrics_free(metrics *m);
void metrics_add(metrics *m, metric which, int64_t amount);
void metrics_set(metrics *m, metric which, int64_t value);
int64_t metrics_get(metrics *m, metric which);
void metrics_request(metrics *m, const char *route, unsigned status); /* route must be a constant text */
void metrics_commit(metrics *m, double seconds);
metrics_collection *metrics_of(metrics *m, const char *collection); /* NULL if there is no memory */
void metrics_print(metrics *m, text *t, uint64_t keys);

#endif
