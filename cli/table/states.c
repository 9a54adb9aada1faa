#include "table/states.h"
#include "table/siphash.h"
#include "table/source.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX 10000 /* 8 KiB each */
#define NAME_MAX_BYTES 4096

/* ---- States in files ---- */

/* What has been merged so far, and its collection, which the first state brings */
typedef struct {
    bool begun;
    podium_collection collection;
    podium_aggregate sum;
} merged;

/* The collection of the first state, and an empty sum */
static podium_status begin(merged *m, const char *text, size_t n) {
    podium_spec spec;
    podium_status status = podium_aggregate_spec(&spec, text, n);
    if (status == PODIUM_OK)
        status = podium_collection_init(&m->collection, &spec);
    if (status == PODIUM_OK)
        podium_aggregate_init(&m->sum, &m->collection);
    m->begun = status == PODIUM_OK;
    return status;
}

static podium_status merge_state(merged *m, const char *text, size_t n) {
    podium_aggregate one;
    podium_status status = m->begun ? PODIUM_OK : begin(m, text, n);
    if (status == PODIUM_OK)
        status = podium_aggregate_read(&one, &m->collection, text, n);
    return status == PODIUM_OK ? podium_aggregate_merge(&m->sum, &one) : status;
}

static void merge_line(merged *m, const char *name, size_t line, const char *text, size_t n) {
    const bool begun = m->begun;
    podium_status status = merge_state(m, text, n);
    if (status == PODIUM_ERROR_TEXT_MALFORMED)
        fail(BAD_DATA, "%s, line %zu: not a state as podium aggregate writes it", name, line);
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG && begun)
        fail(BAD_DATA, "%s, line %zu: a state of another collection than those before it", name, line);
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s, line %zu: %s", name, line, podium_status_message(status));
}

/* A state has neither separators nor quotes: a record is a line. */
static void merge_file(merged *m, const char *path) {
    source lines = {.name = NULL};
    piece p = {.text = NULL};
    size_t line = 1;
    source_result result;
    source_open(&lines, path, ',', PIECE_SIZE);
    while ((result = source_next(&lines, &p)) == SOURCE_GAVE)
        for (size_t at = 0, end; at < p.n; at = end + 1, line++) {
            end = (size_t)((char *)memchr(p.text + at, '\n', p.n - at) - p.text);
            size_t n = end - at - (end > at && p.text[end - 1] == '\r');
            if (n > 0)
                merge_line(m, lines.name, line, p.text + at, n);
        }
    if (result == SOURCE_FAILED && errno != 0)
        fail(BAD_IO, "%s: %s", lines.name, strerror(errno));
    if (result == SOURCE_FAILED)
        fail(BAD_DATA, "%s, line %zu: not a state as podium aggregate writes it", lines.name, line);
    free(p.own);
    source_close(&lines);
    source_free(&lines);
}

podium_aggregate states_merged(podium_collection *collection, char **files) {
    merged m = {.begun = false};
    for (char **file = input_files(files); *file != NULL; file++)
        merge_file(&m, *file);
    if (!m.begun)
        fail(BAD_DATA, "%s: no state in it", files[0] == NULL ? "standard input" : files[0]);
    *collection = m.collection;
    return m.sum;
}

/* ---- Groups of reports ---- */

/* Open addressing over the groups' names; the table of 2^15 places is never more than a third full. Where a name is
   looked for depends on a key that is new in each run, so that nobody can choose names that are all in one place. */
#define PLACE_BITS 15
#define PLACES (1 << PLACE_BITS)

/* What all threads share */
typedef struct {
    table *table;
    const podium_collection *collection;
    bool codes;
    groups *all;
    group *places[PLACES];
    uint64_t key[2];
} job;

static group *group_new(groups *all, const podium_collection *collection, const char *name, size_t n) {
    if (all->count == GROUPS_MAX)
        fail(BAD_DATA, "more than %d groups: is --by the right column?", GROUPS_MAX);
    group *g = allocate(sizeof *g);
    g->name = allocate(n + 1);
    memcpy(g->name, name, n);
    g->name[n] = '\0';
    podium_aggregate_init(&g->aggregate, collection);
    all->group[all->count++] = g;
    return g;
}

static group *group_find(job *j, const char *name, size_t n) {
    group **places = j->places;
    size_t at = (size_t)(siphash(j->key, name, n) >> (64 - PLACE_BITS));
    while (places[at] != NULL && (strlen(places[at]->name) != n || memcmp(places[at]->name, name, n) != 0))
        at = (at + 1) % PLACES;
    if (places[at] == NULL)
        places[at] = group_new(j->all, j->collection, name, n);
    return places[at];
}

static void set_key(job *j) {
    const podium_random *random = &podium_random_system;
    if (random->fill(random->context, j->key, sizeof j->key) != sizeof j->key)
        fail(BAD_IO, "%s", podium_status_message(PODIUM_ERROR_RANDOM_FAILED));
}

/* A code beyond all cells is refused, as a report beyond the support is. */
static podium_status add_codes(podium_aggregate *aggregate, const podium_collection *collection, const double *codes,
                               size_t n) {
    static const double none = NAN;
    podium_status status = PODIUM_OK;
    for (size_t i = 0; status == PODIUM_OK && i < n; i++) {
        uint32_t cell = (uint32_t)fmin(codes[i], UINT32_MAX);
        status = codes[i] < (double)collection->cells ? podium_aggregate_add_cells(aggregate, collection, &cell, 1)
                                                      : podium_aggregate_add(aggregate, collection, &none, 1);
    }
    return status;
}

static void add(podium_aggregate *aggregate, const podium_collection *collection, const double *reports, size_t n,
                bool codes) {
    podium_status status =
        codes ? add_codes(aggregate, collection, reports, n) : podium_aggregate_add(aggregate, collection, reports, n);
    require(status, BAD_DATA);
}

/* What each thread has of its own */
typedef struct {
    job *job;
    podium_aggregate aggregate;
} own;

static void add_all(void *argument, const rows *r) {
    own *o = argument;
    add(&o->aggregate, o->job->collection, r->value, r->count, o->job->codes);
}

static void nothing(void *argument, const rows *r) {
    (void)argument, (void)r;
}

/* In the order of the rows, which is that of the groups */
static void add_by_group(void *argument, const rows *r) {
    static char name[NAME_MAX_BYTES];
    job *j = ((own *)argument)->job;
    for (size_t i = 0; i < r->count; i++) {
        const row *line = &r->row[i];
        size_t n = csv_unquote(name, sizeof name, r->text + line->by_from, line->by_to - line->by_from);
        if (n == sizeof name || memchr(name, '\0', n) != NULL)
            table_fail(j->table, r, line, "a group's name is too long, or has a zero byte in it");
        group *g = group_find(j, name, n);
        add(&g->aggregate, j->collection, &r->value[i], 1, j->codes);
    }
}

groups groups_from(table *t, const podium_collection *collection, const table_options *options) {
    groups all = {.group = allocate(GROUPS_MAX * sizeof *all.group)};
    job *j = allocate(sizeof *j);
    *j = (job){.table = t, .collection = collection, .codes = options->codes, .all = &all};
    unsigned threads = table_threads(t);
    own *each = allocate(threads * sizeof *each);
    for (unsigned i = 0; i < threads; i++) {
        each[i].job = j;
        podium_aggregate_init(&each[i].aggregate, collection);
    }
    if (options->by != NULL) {
        set_key(j);
        table_run(t, each, sizeof *each, nothing, add_by_group);
    } else {
        table_run(t, each, sizeof *each, add_all, nothing);
        group *whole = group_new(&all, collection, "", 0);
        for (unsigned i = 0; i < threads; i++)
            require(podium_aggregate_merge(&whole->aggregate, &each[i].aggregate), BAD_DATA);
    }
    free(each);
    free(j);
    return all;
}

void warn_of_refused(uint64_t refused, uint64_t taken, bool codes) {
    bool many = (double)refused > 0.01 * (double)(refused + taken);
    if (refused > 0)
        say("%llu of %llu rows cannot be %s of this collection%s", (unsigned long long)refused,
            (unsigned long long)(refused + taken), codes ? "codes" : "reports",
            many && !codes ? " (are they codes? then say --codes)" : "");
}

static _Noreturn void fail_reports(const group *g, bool codes) {
    const bool named = g->name[0] != '\0';
    warn_of_refused(g->aggregate.refused, g->aggregate.count, codes);
    fail(BAD_DATA,
         "%s%sthese cannot be %s of this collection; the odds against it are more than a billion to one.\n"
         "podium: Are they raw values, rounded, or from another collection? --force takes them all the same",
         named ? g->name : "", named ? ": " : "", codes ? "codes" : "reports");
}

/* Each of them, because one may hide among others; then all together, where the evidence is strongest. */
void require_reports(const groups *all, const podium_collection *collection, const table_options *options) {
    group whole = {.name = ""};
    const podium_aggregate **each = allocate((all->count + 1) * sizeof *each);
    size_t which = 0;
    podium_aggregate_init(&whole.aggregate, collection);
    for (size_t i = 0; i < all->count; i++) {
        each[i] = &all->group[i]->aggregate;
        require(podium_aggregate_merge(&whole.aggregate, each[i]), BAD_DATA);
    }
    if (!options->force && podium_aggregates_check(&which, each, all->count, collection) == PODIUM_ERROR_NOT_REPORTS)
        fail_reports(all->group[which], options->codes);
    if (!options->force && all->count > 1 &&
        podium_aggregate_check(&whole.aggregate, collection) == PODIUM_ERROR_NOT_REPORTS)
        fail_reports(&whole, options->codes);
    free(each);
}

groups groups_of_one(const podium_aggregate *aggregate) {
    groups all = {.group = allocate(sizeof *all.group), .count = 1};
    all.group[0] = allocate(sizeof **all.group);
    *all.group[0] = (group){.name = allocate(1), .aggregate = *aggregate};
    all.group[0]->name[0] = '\0';
    return all;
}

void groups_free(groups *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->group[i]->name);
        free(all->group[i]);
    }
    free(all->group);
}
