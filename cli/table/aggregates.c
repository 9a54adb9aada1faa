#include "table/aggregates.h"
#include "table/siphash.h"
#include "table/source.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX 10000 /* 8 KiB each */
#define NAME_MAX_BYTES 4096

/* ---- Aggregates in files ---- */

/* What has been merged so far, and its collection, which is that of the first aggregate */
typedef struct {
    bool begun;
    podium_collection collection;
    podium_aggregate sum;
} merged;

/* Initialises the collection from the first aggregate, and the sum as empty */
static podium_status begin(merged *m, const char *text, size_t n) {
    podium_spec spec;
    podium_status status = podium_aggregate_peek(&spec, text, n);
    if (status == PODIUM_OK)
        status = podium_collection_init(&m->collection, &spec);
    if (status == PODIUM_OK)
        podium_aggregate_init(&m->collection, &m->sum);
    m->begun = status == PODIUM_OK;
    return status;
}

static podium_status merge_one(merged *m, const char *text, size_t n) {
    podium_aggregate one;
    podium_status status = m->begun ? PODIUM_OK : begin(m, text, n);
    if (status == PODIUM_OK)
        status = podium_aggregate_parse(&m->collection, &one, text, n);
    return status == PODIUM_OK ? podium_aggregate_merge(&m->sum, &one) : status;
}

static void merge_line(merged *m, const char *name, size_t line, const char *text, size_t n) {
    const bool begun = m->begun;
    podium_status status = merge_one(m, text, n);
    if (status == PODIUM_ERROR_TEXT_MALFORMED)
        fail(BAD_DATA, "%s, line %zu: not an aggregate written by podium aggregate", name, line);
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG && begun)
        fail(BAD_DATA, "%s, line %zu: this aggregate belongs to another collection than those before it", name, line);
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s, line %zu: %s", name, line, podium_status_message(status));
}

/* An aggregate contains neither separators nor quotes, so a record is a line. */
static void merge_file(merged *m, const char *path) {
    source lines = {.name = NULL};
    piece p = {.text = NULL};
    size_t line = 1;
    source_result result;
    source_open(&lines, path, ',', PIECE_SIZE);
    while ((result = source_next(&lines, &p)) == SOURCE_READ)
        for (size_t at = 0, end; at < p.n; at = end + 1, line++) {
            end = (size_t)((char *)memchr(p.text + at, '\n', p.n - at) - p.text);
            size_t n = end - at - (end > at && p.text[end - 1] == '\r');
            if (n > 0)
                merge_line(m, lines.name, line, p.text + at, n);
        }
    if (result == SOURCE_FAILED && errno != 0)
        fail(BAD_IO, "%s: %s", lines.name, strerror(errno));
    if (result == SOURCE_FAILED)
        fail(BAD_DATA, "%s, line %zu: not an aggregate written by podium aggregate", lines.name, line);
    free(p.own);
    source_close(&lines);
    source_free(&lines);
}

podium_aggregate aggregates_merged(podium_collection *collection, char **files) {
    merged m = {.begun = false};
    for (char **file = input_files(files); *file != NULL; file++)
        merge_file(&m, *file);
    if (!m.begun)
        fail(BAD_DATA, "%s contains no aggregate", files[0] == NULL ? "standard input" : files[0]);
    *collection = m.collection;
    return m.sum;
}

/* ---- Groups of reports ---- */

/* Groups are found in a hash table with open addressing. Its 2^15 slots are never more than a third full. The key of
   the hash is drawn anew in each run, so that nobody can choose names that all collide. */
#define SLOT_BITS 15
#define SLOTS (1 << SLOT_BITS)

/* What all threads share */
typedef struct {
    table *table;
    const podium_collection *collection;
    bool codes;
    groups *all;
    group *slots[SLOTS];
    uint64_t key[2];
} job;

static group *group_new(groups *all, const podium_collection *collection, const char *name, size_t n) {
    if (all->count == GROUPS_MAX)
        fail(BAD_DATA, "more than %d groups: is --by the right column?", GROUPS_MAX);
    group *g = allocate(sizeof *g);
    g->name = allocate(n + 1);
    memcpy(g->name, name, n);
    g->name[n] = '\0';
    podium_aggregate_init(collection, &g->aggregate);
    all->group[all->count++] = g;
    return g;
}

/* Returns the group with this name, which is new if there was none. */
static group *group_find(job *j, const char *name, size_t n) {
    group **slots = j->slots;
    size_t at = (size_t)(siphash(j->key, name, n) >> (64 - SLOT_BITS));
    while (slots[at] != NULL && (strlen(slots[at]->name) != n || memcmp(slots[at]->name, name, n) != 0))
        at = (at + 1) % SLOTS;
    if (slots[at] == NULL)
        slots[at] = group_new(j->all, j->collection, name, n);
    return slots[at];
}

static void draw_key(job *j) {
    const podium_random *random = podium_random_system();
    if (random->fill(random->context, j->key, sizeof j->key) != sizeof j->key)
        fail(BAD_IO, "%s", podium_status_message(PODIUM_ERROR_RANDOM_FAILED));
}

/* A code that is not a cell of the collection is refused, like a report outside the support. */
static podium_status add_codes(podium_aggregate *aggregate, const podium_collection *collection, const double *codes,
                               size_t n) {
    static const double none = NAN;
    const double cells = (double)podium_collection_cells(collection);
    podium_status status = PODIUM_OK;
    for (size_t i = 0; status == PODIUM_OK && i < n; i++) {
        uint32_t cell = (uint32_t)fmin(codes[i], UINT32_MAX);
        status = codes[i] < cells ? podium_aggregate_add_cells(collection, aggregate, &cell, 1)
                                  : podium_aggregate_add(collection, aggregate, &none, 1);
    }
    return status;
}

static void add(podium_aggregate *aggregate, const podium_collection *collection, const double *reports, size_t n,
                bool codes) {
    podium_status status =
        codes ? add_codes(aggregate, collection, reports, n) : podium_aggregate_add(collection, aggregate, reports, n);
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

/* Appends a field to the name of a group, quoted as in CSV if a comma, a quote or a line end in it would make two
   different groups look alike. Returns the new length, at most NAME_MAX_BYTES. */
static size_t append_field(char *name, size_t length, const char *field, size_t n) {
    bool quoted = false;
    for (size_t i = 0; i < n; i++)
        quoted |= memchr(",\"\r\n", field[i], 4) != NULL;
    if (length + 2 * n + 2 >= NAME_MAX_BYTES)
        return NAME_MAX_BYTES;
    if (quoted)
        name[length++] = '"';
    for (size_t i = 0; i < n; i++) {
        if (field[i] == '"')
            name[length++] = '"';
        name[length++] = field[i];
    }
    if (quoted)
        name[length++] = '"';
    return length;
}

/* Writes the name of the group that a row belongs to, and returns its length, which is NAME_MAX_BYTES if it is too
   long. One column names a group by the bytes of its field, several by a record of CSV. */
static size_t group_name(char name[NAME_MAX_BYTES], const rows *r, const span *by) {
    static char field[NAME_MAX_BYTES];
    size_t length = 0;
    if (r->by_count == 1)
        return csv_unquote(name, NAME_MAX_BYTES, r->text + by->from, by->to - by->from);
    for (size_t b = 0; b < r->by_count && length < NAME_MAX_BYTES; b++) {
        if (b > 0)
            name[length++] = ',';
        length = append_field(name, length, field,
                              csv_unquote(field, sizeof field, r->text + by[b].from, by[b].to - by[b].from));
    }
    return length;
}

/* Called by finish, so that groups are numbered in the order of the rows */
static void add_by_group(void *argument, const rows *r) {
    static char name[NAME_MAX_BYTES];
    job *j = ((own *)argument)->job;
    for (size_t i = 0; i < r->count; i++) {
        size_t n = group_name(name, r, &r->by[i * r->by_count]);
        if (n == sizeof name || memchr(name, '\0', n) != NULL)
            table_fail(j->table, r, &r->row[i], "the name of a group is too long or contains a zero byte");
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
        podium_aggregate_init(collection, &each[i].aggregate);
    }
    if (options->by.count > 0) {
        draw_key(j);
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

void warn_of_refused(uint64_t refused, uint64_t accepted, bool codes) {
    bool many = (double)refused > 0.01 * (double)(refused + accepted);
    if (refused > 0)
        say("%llu of %llu rows cannot be %s of this collection%s", (unsigned long long)refused,
            (unsigned long long)(refused + accepted), codes ? "codes" : "reports",
            many && !codes ? " (if they are codes, use --codes)" : "");
}

static _Noreturn void fail_reports(const group *g, bool codes) {
    const bool named = g->name[0] != '\0';
    warn_of_refused(podium_aggregate_refused(&g->aggregate), podium_aggregate_count(&g->aggregate), codes);
    fail(BAD_DATA,
         "%s%sthese cannot be %s of this collection; the odds against it are more than a billion to one.\n"
         "podium: They may be raw values, rounded, or from another collection. Use --force to accept them anyway.",
         named ? g->name : "", named ? ": " : "", codes ? "codes" : "reports");
}

/* Checks each group, because one may hide among the others, and then all together, where the evidence is strongest. */
void require_reports(const groups *all, const podium_collection *collection, const table_options *options) {
    group whole = {.name = ""};
    const podium_aggregate **each = allocate((all->count + 1) * sizeof *each);
    size_t which = 0;
    podium_aggregate_init(collection, &whole.aggregate);
    for (size_t i = 0; i < all->count; i++) {
        each[i] = &all->group[i]->aggregate;
        require(podium_aggregate_merge(&whole.aggregate, each[i]), BAD_DATA);
    }
    if (!options->force && podium_aggregates_check(collection, &which, each, all->count) == PODIUM_ERROR_NOT_REPORTS)
        fail_reports(all->group[which], options->codes);
    if (!options->force && all->count > 1 &&
        podium_aggregate_check(collection, &whole.aggregate) == PODIUM_ERROR_NOT_REPORTS)
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
