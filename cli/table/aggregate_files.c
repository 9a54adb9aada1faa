#include "table/aggregate_files.h"
#include "table/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_VERSION "1"

bool aggregates_in(const char *path) {
    return input_begins(path, PODIUM_AGGREGATE_PREFIX) || input_begins(path, GROUP_PREFIX);
}

void aggregate_write(output *out, const char *name, const podium_aggregate *aggregate) {
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    size_t n = podium_aggregate_format(aggregate, text, sizeof text);
    if (name != NULL) {
        output_print(out, GROUP_PREFIX GROUP_VERSION ",");
        print_name_csv(out, name);
        output_print(out, ",");
    }
    output_write(out, text, n);
    output_write(out, "\n", 1);
}

/* ---- Reading ---- */

/* A line, and what has been read so far */
typedef struct {
    podium_collection *collection; /* that of the first aggregate */
    bool begun;
    stored_visit *visit;
    void *context;
    const char *file;
    size_t line;
    char name[NAME_MAX_BYTES];
} reading;

static _Noreturn void fail_line(const reading *r, const char *what) {
    fail(BAD_DATA, "%s, line %zu: %s", r->file, r->line, what);
}

static const char malformed[] = "not an aggregate written by podium aggregate";

static podium_status parse(reading *r, podium_aggregate *aggregate, const char *text, size_t n) {
    podium_spec spec;
    podium_status status = r->begun ? PODIUM_OK : podium_aggregate_peek(&spec, text, n);
    if (status == PODIUM_OK && !r->begun)
        status = podium_collection_init(r->collection, &spec);
    return status == PODIUM_OK ? podium_aggregate_parse(r->collection, aggregate, text, n) : status;
}

static void read_aggregate(reading *r, const char *name, const char *text, size_t n) {
    podium_aggregate aggregate;
    podium_status status = parse(r, &aggregate, text, n);
    if (status == PODIUM_ERROR_TEXT_MALFORMED)
        fail_line(r, malformed);
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG && r->begun)
        fail_line(r, "this aggregate belongs to another collection than those before it");
    if (status != PODIUM_OK)
        fail_line(r, podium_status_message(status));
    r->begun = true;
    r->visit(r->context, &(stored){r->file, r->line, name, &aggregate});
}

/* Ends the program unless the first field of a group's line has the version that this program reads. */
static void check_version(const reading *r, const char *version, size_t n) {
    if (n == strlen(GROUP_VERSION) && memcmp(version, GROUP_VERSION, n) == 0)
        return;
    const bool number = n > 0 && strspn(version, "0123456789") >= n;
    fail_line(r, number ? podium_status_message(PODIUM_ERROR_VERSION_UNKNOWN) : malformed);
}

static void read_group(reading *r, const csv_record *record) {
    enum { TAG, NAME, AGGREGATE, FIELDS };
    csv_field field[FIELDS + 1] = {csv_begin(record)};
    size_t count = 0, prefix = strlen(GROUP_PREFIX);
    while (count <= FIELDS && csv_next(&field[count], record, ',')) {
        count++;
        if (count <= FIELDS)
            field[count] = field[count - 1];
    }
    check_version(r, record->text + field[TAG].from + prefix, field[TAG].to - field[TAG].from - prefix);
    if (count != FIELDS)
        fail_line(r, malformed);
    const csv_field *name = &field[NAME], *text = &field[AGGREGATE];
    size_t n = csv_unquote(r->name, sizeof r->name, record->text + name->from, name->to - name->from);
    if (n == sizeof r->name || memchr(r->name, '\0', n) != NULL)
        fail_line(r, "the name of a group is too long or contains a zero byte");
    r->name[n] = '\0';
    read_aggregate(r, r->name, record->text + text->from, text->to - text->from);
}

static void read_record(reading *r, const csv_record *record) {
    const size_t prefix = strlen(GROUP_PREFIX);
    if (record->n == 0)
        return;
    if (record->n >= prefix && memcmp(record->text, GROUP_PREFIX, prefix) == 0)
        read_group(r, record);
    else
        read_aggregate(r, NULL, record->text, record->n);
}

static void read_piece(reading *r, const piece *p) {
    for (size_t at = 0, end; at < p->n; at += end) {
        const csv_record record = csv_first(p->text + at, p->n - at, 0, ',', &end);
        if (end == 0)
            fail_line(r, malformed); /* a quote is never closed */
        read_record(r, &record);
        for (size_t i = 0; i < end; i++)
            r->line += p->text[at + i] == '\n';
    }
}

static void read_file(reading *r, const char *path) {
    source lines = {.name = NULL};
    piece p = {.text = NULL};
    source_result result;
    source_open(&lines, path, ',', PIECE_SIZE);
    r->file = lines.name;
    r->line = 1;
    while ((result = source_next(&lines, &p)) == SOURCE_READ)
        read_piece(r, &p);
    if (result == SOURCE_FAILED && errno != 0)
        fail(BAD_IO, "%s: %s", lines.name, strerror(errno));
    if (result == SOURCE_FAILED)
        fail_line(r, malformed);
    free(p.own);
    source_close(&lines);
    source_free(&lines);
}

void aggregates_visit(podium_collection *collection, char **files, stored_visit *visit, void *context) {
    reading *r = allocate(sizeof *r);
    *r = (reading){.collection = collection, .visit = visit, .context = context};
    for (char **file = input_files(files); *file != NULL; file++)
        read_file(r, *file);
    if (!r->begun)
        fail(BAD_DATA, "%s contains no aggregate", files[0] == NULL ? "standard input" : files[0]);
    free(r);
}

/* ---- Merging ---- */

typedef struct {
    const podium_collection *collection;
    podium_aggregate *sum;
    bool begun;
} total;

static void add_to_total(void *context, const stored *one) {
    total *t = context;
    if (!t->begun)
        podium_aggregate_init(t->collection, t->sum);
    t->begun = true;
    podium_status status = podium_aggregate_merge(t->sum, one->aggregate);
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s, line %zu: %s", one->file, one->line, podium_status_message(status));
}

podium_aggregate aggregates_merged(podium_collection *collection, char **files) {
    podium_aggregate sum;
    total t = {.collection = collection, .sum = &sum};
    aggregates_visit(collection, files, add_to_total, &t);
    return sum;
}

typedef struct {
    const podium_collection *collection;
    groups all;
    group_index *index;
} by_name;

static void add_to_group(void *context, const stored *one) {
    by_name *b = context;
    if (one->name == NULL)
        fail(BAD_DATA, "%s, line %zu: this aggregate has no name, and only groups can be merged by their names",
             one->file, one->line);
    if (b->index == NULL)
        b->index = groups_index(&b->all, b->collection);
    group *g = groups_find(b->index, one->name, strlen(one->name));
    podium_status status = podium_aggregate_merge(&g->aggregate, one->aggregate);
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s, line %zu: %s", one->file, one->line, podium_status_message(status));
}

groups aggregates_by_name(podium_collection *collection, char **files) {
    by_name b = {.collection = collection, .all = groups_new(true)};
    aggregates_visit(collection, files, add_to_group, &b);
    free(b.index);
    return b.all;
}

/* ---- Keeping apart ---- */

/* Where a group comes from */
typedef struct {
    group *group;
    const char *file;
    size_t line;
    bool named;
} origin;

typedef struct {
    const podium_collection *collection;
    groups all;
    origin *origin;
} apart;

static void add_apart(void *context, const stored *one) {
    apart *a = context;
    const char *name = one->name == NULL ? one->file : one->name;
    if (a->all.count == GROUPS_MAX)
        fail(BAD_DATA, "more than %d aggregates; merge them first", GROUPS_MAX);
    origin *o = &a->origin[a->all.count];
    *o = (origin){groups_add(&a->all, a->collection, name, strlen(name)), one->file, one->line, one->name != NULL};
    o->group->aggregate = *one->aggregate;
}

static int by_name_and_place(const void *a, const void *b) {
    const origin *first = a, *second = b;
    int order = strcmp(first->group->name, second->group->name);
    order = order != 0 ? order : strcmp(first->file, second->file);
    return order != 0 ? order : (first->line > second->line) - (first->line < second->line);
}

/* The file and the group, or the file and the line */
static char *longer_name(const origin *o) {
    const size_t room = strlen(o->file) + strlen(o->group->name) + 32;
    char *name = allocate(room);
    if (o->named)
        snprintf(name, room, "%s: %s", o->file, o->group->name);
    else
        snprintf(name, room, "%s:%zu", o->file, o->line);
    return name;
}

static void lengthen(origin *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *longer = longer_name(&all[i]);
        free(all[i].group->name);
        all[i].group->name = longer;
    }
}

/* Groups of one name get longer names, unless they come from one place because a file is given twice. */
static void distinguish(origin *all, size_t count) {
    qsort(all, count, sizeof *all, by_name_and_place);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(all[i].group->name, all[end].group->name) == 0; end++)
            continue;
        if (by_name_and_place(&all[i], &all[end - 1]) != 0)
            lengthen(all + i, end - i);
    }
}

groups aggregates_apart(podium_collection *collection, char **files) {
    apart a = {collection, groups_new(true), allocate(GROUPS_MAX * sizeof *a.origin)};
    aggregates_visit(collection, files, add_apart, &a);
    a.all.named = a.origin[0].named;
    a.all.grouped = a.all.count > 1 || a.all.named;
    if (!a.all.grouped)
        a.all.group[0]->name[0] = '\0';
    distinguish(a.origin, a.all.count);
    groups_number(&a.all, collection);
    free(a.origin);
    return a.all;
}
