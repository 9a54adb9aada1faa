#include "table/aggregates.h"
#include "table/siphash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Groups ---- */

/* Groups are found in a hash table with open addressing. Its 2^15 slots are never more than a third full. The key of
   the hash is drawn anew in each run, so that nobody can choose names that all collide. */
#define SLOT_BITS 15
#define SLOTS (1 << SLOT_BITS)

struct group_index {
    groups *all;
    const podium_collection *collection;
    group *slots[SLOTS];
    uint64_t key[2];
};

groups groups_new(bool grouped) {
    return (groups){.group = allocate(GROUPS_MAX * sizeof(group *)), .grouped = grouped};
}

group *groups_add(groups *all, const podium_collection *collection, const char *name, size_t n) {
    if (all->count == GROUPS_MAX)
        fail(BAD_DATA, "more than %d groups: is --by the right column?", GROUPS_MAX);
    group *g = allocate(sizeof *g);
    g->name = allocate(n + 1);
    memcpy(g->name, name, n);
    g->name[n] = '\0';
    g->trimmed = (podium_trimmed){.removed = 0};
    podium_aggregate_init(collection, &g->aggregate);
    all->group[all->count++] = g;
    return g;
}

group_index *groups_index(groups *all, const podium_collection *collection) {
    const podium_random *random = podium_random_system();
    group_index *index = allocate(sizeof *index);
    *index = (group_index){.all = all, .collection = collection};
    if (random->fill(random->context, index->key, sizeof index->key) != sizeof index->key)
        fail(BAD_IO, "%s", podium_status_message(PODIUM_ERROR_RANDOM_FAILED));
    return index;
}

/* Returns the slot of the group, which is empty if there is none of this name. */
static group **slot_of(group_index *index, const char *name, size_t n) {
    group **slots = index->slots;
    size_t at = (size_t)(siphash(index->key, name, n) >> (64 - SLOT_BITS));
    while (slots[at] != NULL && (strlen(slots[at]->name) != n || memcmp(slots[at]->name, name, n) != 0))
        at = (at + 1) % SLOTS;
    return &slots[at];
}

group *groups_find(group_index *index, const char *name, size_t n) {
    group **slot = slot_of(index, name, n);
    if (*slot == NULL)
        *slot = groups_add(index->all, index->collection, name, n);
    return *slot;
}

static char *numbered(const char *name, unsigned number) {
    const size_t room = strlen(name) + 16;
    char *text = allocate(room);
    snprintf(text, room, "%s (%u)", name, number);
    return text;
}

void groups_number(groups *all, const podium_collection *collection) {
    group_index *index = groups_index(all, collection);
    for (size_t i = 0; i < all->count; i++) {
        group *g = all->group[i];
        group **slot = slot_of(index, g->name, strlen(g->name));
        char *name = NULL;
        for (unsigned number = 2; *slot != NULL; number++) {
            free(name);
            name = numbered(g->name, number);
            slot = slot_of(index, name, strlen(name));
        }
        if (name != NULL) {
            free(g->name);
            g->name = name;
        }
        *slot = g;
    }
    free(index);
}

/* ---- Groups of reports ---- */

/* What all threads share */
typedef struct {
    table *table;
    const podium_collection *collection;
    bool codes;
    group_index *index; /* NULL if there are no groups */
} job;

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
        group *g = groups_find(j->index, name, n);
        add(&g->aggregate, j->collection, &r->value[i], 1, j->codes);
    }
}

groups groups_from(table *t, const podium_collection *collection, const table_options *options) {
    groups all = groups_new(options->by.count > 0);
    job j = {.table = t, .collection = collection, .codes = options->codes};
    unsigned threads = table_threads(t);
    own *each = allocate(threads * sizeof *each);
    for (unsigned i = 0; i < threads; i++) {
        each[i].job = &j;
        podium_aggregate_init(collection, &each[i].aggregate);
    }
    if (all.grouped) {
        j.index = groups_index(&all, collection);
        table_run(t, each, sizeof *each, nothing, add_by_group);
    } else {
        table_run(t, each, sizeof *each, add_all, nothing);
        group *whole = groups_add(&all, collection, "", 0);
        for (unsigned i = 0; i < threads; i++)
            require(podium_aggregate_merge(&whole->aggregate, &each[i].aggregate), BAD_DATA);
    }
    free(each);
    free(j.index);
    return all;
}

void warn_of_refused(uint64_t refused, uint64_t accepted, bool codes) {
    bool many = (double)refused > 0.01 * (double)(refused + accepted);
    if (refused > 0)
        say("%llu of %llu rows cannot be %s of this collection%s", (unsigned long long)refused,
            (unsigned long long)(refused + accepted), codes ? "codes" : "reports",
            many && !codes ? " (if they are codes, use --codes)" : "");
}

void warn_of_refused_in(const groups *all, bool codes) {
    uint64_t refused = 0, accepted = 0;
    for (size_t i = 0; i < all->count; i++) {
        refused += podium_aggregate_refused(&all->group[i]->aggregate);
        accepted += podium_aggregate_count(&all->group[i]->aggregate);
    }
    warn_of_refused(refused, accepted, codes);
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

/* Says which parts of the support have too many reports; the first few are enough to see the pattern. */
static void say_excess(const group *g, const podium_collection *collection) {
    podium_excess excess[3];
    size_t found;
    require(podium_aggregate_excess(collection, excess, LENGTH(excess), &found, &g->aggregate), BAD_DATA);
    for (size_t i = 0; i < found && i < LENGTH(excess); i++)
        say("%s%sfrom %g to %g there are %llu reports, and honest people send at most %llu", g->name,
            *g->name == '\0' ? "" : ": ", excess[i].low, excess[i].high, (unsigned long long)excess[i].count,
            (unsigned long long)excess[i].most);
    if (found > LENGTH(excess))
        say("... and so in %zu more parts of the support", found - LENGTH(excess));
}

void groups_trim(groups *all, const podium_collection *collection) {
    for (size_t i = 0; i < all->count; i++) {
        group *g = all->group[i];
        say_excess(g, collection);
        const podium_status status = podium_aggregate_trim(collection, &g->aggregate, &g->trimmed);
        if (status == PODIUM_ERROR_NOT_REPORTS)
            fail(BAD_DATA, "%s%sso many reports are dishonest that the others cannot be told from them", g->name,
                 *g->name == '\0' ? "" : ": ");
        require(status, BAD_DATA);
    }
}

groups groups_of_one(const podium_collection *collection, const podium_aggregate *aggregate) {
    groups all = groups_new(false);
    groups_add(&all, collection, "", 0)->aggregate = *aggregate;
    return all;
}

void groups_free(groups *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->group[i]->name);
        free(all->group[i]);
    }
    free(all->group);
}
