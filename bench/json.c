/*
 * JSON: how long podiumd's reader takes for a body, and how much memory it holds, beside jansson, which is the library
 * that Debian has for this. Both turn the same text into the same numbers.
 *
 *   json
 */
#define _DEFAULT_SOURCE /* clock_gettime, mallinfo2 */
#include "body.h"

#include <jansson.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READ_IN_ALL = 4000000, REPORTS_MAX = 1000000 };

typedef struct {
    double nanoseconds; /* for a report */
    double kilobytes;   /* held when the body has been read, beside the body itself */
    double sum;         /* of the reports, so that both can be compared */
} measured;

static void fail(const char *what) {
    fprintf(stderr, "json: %s\n", what);
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double held(void) {
    const struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd) / 1e3;
}

/* These read the body once, and return the sum of its reports. *kept becomes the memory held then, unless kept is NULL.
 */
static double read_ours(const body_rules *rules, const char *body, size_t n, double *kept) {
    batch b = {.reports = NULL};
    double sum = 0;
    if (body_read(rules, BODY_JSON, &b, body, n) != BODY_TAKEN)
        fail(b.detail);
    for (size_t i = 0; i < b.reports_n; i++)
        sum += b.reports[i];
    if (kept != NULL)
        *kept = held();
    batch_free(&b);
    return sum;
}

static double read_jansson(const body_rules *rules, const char *body, size_t n, double *kept) {
    json_error_t error;
    double sum = 0;
    (void)rules;
    json_t *root = json_loadb(body, n, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error), *item;
    json_t *array = json_object_get(root, "reports");
    size_t i;
    if (!json_is_array(array))
        fail(error.text);
    double *reports = malloc(json_array_size(array) * sizeof *reports); /* what the aggregate takes */
    if (reports == NULL)
        fail("no memory");
    json_array_foreach(array, i, item) reports[i] = json_number_value(item);
    for (i = 0; i < json_array_size(array); i++)
        sum += reports[i];
    if (kept != NULL)
        *kept = held();
    free(reports);
    json_decref(root);
    return sum;
}

static measured measure(double (*read)(const body_rules *, const char *, size_t, double *), const body_rules *rules,
                        const char *body, size_t count) {
    measured m = {.sum = 0};
    const size_t n = strlen(body), times = READ_IN_ALL / count;
    const double before = held();
    m.sum = read(rules, body, n, &m.kilobytes);
    m.kilobytes -= before;
    const double start = now();
    for (size_t i = 0; i < times; i++)
        read(rules, body, n, NULL);
    m.nanoseconds = (now() - start) / (double)(times * count);
    return m;
}

static char *body_of(const podium_collection *collection, size_t count) {
    char *body = malloc(32 * count + 32);
    if (body == NULL)
        fail("no memory");
    char *to = body + sprintf(body, "{\"reports\": [");
    for (size_t i = 0; i < count; i++) {
        const double value = 1 + (double)(i % 120);
        double report;
        if (podium_privatize(collection, &report, &value, 1) != PODIUM_OK)
            fail("no random bits");
        to += sprintf(to, "%s%.17g", i == 0 ? "" : ",", report);
    }
    strcpy(to, "]}");
    return body;
}

int main(void) {
    static const size_t counts[] = {1, 100, 10000, REPORTS_MAX};
    const podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 1, .min = 1, .max = 120};
    podium_collection collection;
    labels none = {0};
    if (podium_collection_init(&collection, &spec) != PODIUM_OK)
        fail("no collection");
    const body_rules rules = {.collection = &collection, .labels = &none, .reports_max = REPORTS_MAX};
    puts("reports in a body   podiumd ns each   jansson ns each   podiumd KB held   jansson KB held");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char *body = body_of(&collection, counts[i]);
        const measured ours = measure(read_ours, &rules, body, counts[i]);
        const measured theirs = measure(read_jansson, &rules, body, counts[i]);
        if (ours.sum != theirs.sum)
            fail("the two readers differ");
        printf("%17zu   %15.1f   %15.1f   %15.1f   %15.1f\n", counts[i], ours.nanoseconds, theirs.nanoseconds,
               ours.kilobytes, theirs.kilobytes);
        free(body);
    }
    return 0;
}
