#include "metrics.h"

#include <podium.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REQUEST_KINDS_MAX = 256, BUCKETS = 12 };
static const double bucket_limits[BUCKETS] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5};

/* How often a route gave a status; found by looking at all, of which there are few */
typedef struct {
    const char *route;
    unsigned status;
    _Atomic uint64_t count;
} request_kind;

struct metrics {
    _Atomic int64_t number[METRICS];
    request_kind requests[REQUEST_KINDS_MAX];
    _Atomic size_t requests_n;
    _Atomic uint64_t commits[BUCKETS + 1], commit_microseconds;
    metrics_collection *collections;
    pthread_mutex_t lock; /* for adding to requests and collections */
    time_t started;
};

static const struct {
    const char *name, *type, *help;
} numbers[METRICS] = {
    [METRIC_CONNECTIONS] = {"podiumd_connections", "gauge", "Open connections."},
    [METRIC_BODY_BYTES] = {"podiumd_body_bytes", "gauge", "Bytes of requests and of large answers in memory."},
    [METRIC_QUEUE] = {"podiumd_queue_batches", "gauge", "Batches that wait for the store."},
    [METRIC_GROUPS] = {"podiumd_commits_total", "counter", "Transactions that were committed."},
    [METRIC_GROUPED] = {"podiumd_committed_batches_total", "counter", "Batches in those transactions."},
    [METRIC_STORE_FAILURES] = {"podiumd_store_failures_total", "counter", "Transactions that failed."},
    [METRIC_STORE_AWAY] = {"podiumd_store_away", "gauge", "1 while the store cannot be written."},
    [METRIC_UNAUTHORIZED] = {"podiumd_unauthorized_total", "counter", "Requests without a token that allows them."},
    [METRIC_RATE_LIMITED] = {"podiumd_rate_limited_total", "counter", "Requests that were too many from one address."},
    [METRIC_SLOW_CLIENTS] = {"podiumd_slow_clients_total", "counter", "Connections closed because a request was slow."},
    [METRIC_RELOADS] = {"podiumd_reloads_total", "counter", "Reloads of the configuration."},
    [METRIC_LISTENERS] = {"podiumd_listeners", "gauge", "Readers that listen to events."},
};

metrics *metrics_make(void) {
    metrics *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->started = time(NULL);
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void metrics_free(metrics *m) {
    if (m == NULL)
        return;
    while (m->collections != NULL) {
        metrics_collection *next = m->collections->next;
        free(m->collections);
        m->collections = next;
    }
    pthread_mutex_destroy(&m->lock);
    free(m);
}

void metrics_add(metrics *m, metric which, int64_t amount) {
    m->number[which] += amount;
}

void metrics_set(metrics *m, metric which, int64_t value) {
    m->number[which] = value;
}

int64_t metrics_get(metrics *m, metric which) {
    return m->number[which];
}

/* Returns where the kind is counted, or NULL if it has not occurred yet. */
static request_kind *find_request(metrics *m, const char *route, unsigned status) {
    for (size_t i = 0; i < m->requests_n; i++)
        if (m->requests[i].route == route && m->requests[i].status == status)
            return &m->requests[i];
    return NULL;
}

void metrics_request(metrics *m, const char *route, unsigned status) {
    request_kind *kind = find_request(m, route, status);
    if (kind == NULL) {
        pthread_mutex_lock(&m->lock);
        kind = find_request(m, route, status);
        if (kind == NULL && m->requests_n < REQUEST_KINDS_MAX) {
            kind = &m->requests[m->requests_n];
            kind->route = route;
            kind->status = status;
            m->requests_n++;
        }
        pthread_mutex_unlock(&m->lock);
    }
    if (kind != NULL)
        kind->count++;
}

void metrics_commit(metrics *m, double seconds) {
    size_t i = 0;
    while (i < BUCKETS && seconds > bucket_limits[i])
        i++;
    m->commits[i]++;
    m->commit_microseconds += (uint64_t)(seconds * 1e6);
}

metrics_collection *metrics_of(metrics *m, const char *collection) {
    pthread_mutex_lock(&m->lock);
    metrics_collection *c = m->collections;
    while (c != NULL && strcmp(c->name, collection) != 0)
        c = c->next;
    const size_t n = strlen(collection) + 1;
    if (c == NULL && (c = calloc(1, sizeof *c + n)) != NULL) {
        c->name = memcpy(c + 1, collection, n);
        c->next = m->collections;
        m->collections = c;
    }
    pthread_mutex_unlock(&m->lock);
    return c;
}

/* ---- Printing ---- */

static void print_head(text *t, const char *name, const char *type, const char *help) {
    text_print(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_collections(metrics *m, text *t) {
    static const struct {
        const char *name, *help;
        size_t at;
    } counters[] = {
        {"podiumd_reports_accepted_total", "Reports that were counted.", offsetof(metrics_collection, accepted)},
        {"podiumd_reports_refused_total", "Reports refused because the collection cannot have produced them.",
         offsetof(metrics_collection, refused)},
        {"podiumd_reports_not_numbers_total", "Refused reports that are no numbers.",
         offsetof(metrics_collection, not_numbers)},
        {"podiumd_batches_total", "Batches that were counted.", offsetof(metrics_collection, batches)},
        {"podiumd_duplicates_total", "Batches that had been counted before.", offsetof(metrics_collection, duplicates)},
    };
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        print_head(t, counters[i].name, "counter", counters[i].help);
        for (const metrics_collection *c = m->collections; c != NULL; c = c->next)
            text_print(t, "%s{collection=\"%s\"} %llu\n", counters[i].name, c->name,
                       (unsigned long long)*(const _Atomic uint64_t *)((const char *)c + counters[i].at));
    }
}

static void print_requests(metrics *m, text *t) {
    print_head(t, "podiumd_http_requests_total", "counter", "Requests by route and status.");
    for (size_t i = 0; i < m->requests_n; i++)
        text_print(t, "podiumd_http_requests_total{route=\"%s\",code=\"%u\"} %llu\n", m->requests[i].route,
                   m->requests[i].status, (unsigned long long)m->requests[i].count);
}

static void print_commits(metrics *m, text *t) {
    uint64_t count = 0;
    print_head(t, "podiumd_commit_seconds", "histogram", "How long a transaction takes until it is on disk.");
    for (size_t i = 0; i < BUCKETS; i++) {
        count += m->commits[i];
        text_print(t, "podiumd_commit_seconds_bucket{le=\"%g\"} %llu\n", bucket_limits[i], (unsigned long long)count);
    }
    count += m->commits[BUCKETS];
    text_print(t, "podiumd_commit_seconds_bucket{le=\"+Inf\"} %llu\n", (unsigned long long)count);
    text_print(t, "podiumd_commit_seconds_sum %.6f\npodiumd_commit_seconds_count %llu\n",
               (double)m->commit_microseconds * 1e-6, (unsigned long long)count);
}

void metrics_print(metrics *m, text *t, uint64_t keys) {
    pthread_mutex_lock(&m->lock);
    print_collections(m, t);
    print_requests(m, t);
    print_commits(m, t);
    pthread_mutex_unlock(&m->lock);
    for (size_t i = 0; i < METRICS; i++) {
        print_head(t, numbers[i].name, numbers[i].type, numbers[i].help);
        text_print(t, "%s %lld\n", numbers[i].name, (long long)m->number[i]);
    }
    print_head(t, "podiumd_idempotency_keys", "gauge", "Keys that are kept.");
    text_print(t, "podiumd_idempotency_keys %llu\n", (unsigned long long)keys);
    print_head(t, "podiumd_start_time_seconds", "gauge", "When the server started, in seconds since 1970.");
    text_print(t, "podiumd_start_time_seconds %lld\n", (long long)m->started);
    print_head(t, "podiumd_build_info", "gauge", "The version, as a label.");
    text_print(t, "podiumd_build_info{version=\"%s\"} 1\n", podium_version());
}
