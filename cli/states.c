#include "states.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH 4096
#define GROUPS_MAX 10000 /* 8 KiB each */
#define NAME_MAX_BYTES 4096

/* ---- States in files ---- */

static void merge_line(podium_aggregate *sum, bool *begun, const char *name, size_t line, const char *text, size_t n) {
    podium_aggregate one;
    podium_status status = podium_aggregate_read(&one, text, n);
    if (status == PODIUM_OK && *begun)
        status = podium_aggregate_merge(sum, &one);
    else if (status == PODIUM_OK)
        *sum = one;
    if (status == PODIUM_TEXT_MALFORMED)
        fail(BAD_DATA, "%s, line %zu: not a state as podium aggregate writes it", name, line);
    if (status == PODIUM_FINGERPRINT_WRONG)
        fail(BAD_DATA, "%s, line %zu: a state of another collection than those before it", name, line);
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s, line %zu: %s", name, line, podium_status_message(status));
    *begun = true;
}

static void merge_file(podium_aggregate *sum, bool *begun, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    int file = standard ? STDIN_FILENO : open(path, O_RDONLY);
    csv_reader lines; /* a state has neither separators nor quotes: a record is a line */
    csv_record line;
    if (file < 0)
        fail(BAD_IO, "%s: %s", name, strerror(errno));
    if (!csv_init(&lines, ','))
        fail(BAD_IO, "out of memory");
    while (!lines.finished) {
        size_t room;
        char *to = csv_room(&lines, &room);
        ptrdiff_t got = to == NULL ? 0 : input_read(file, to, room);
        if (to == NULL)
            fail(BAD_DATA, "%s, line %llu: not a state as podium aggregate writes it", name,
                 (unsigned long long)lines.line);
        if (got < 0 && errno != EINTR)
            fail(BAD_IO, "%s: %s", name, strerror(errno));
        if (got >= 0)
            csv_feed(&lines, (size_t)got);
        while (csv_next(&lines, &line))
            if (line.content > 0)
                merge_line(sum, begun, name, (size_t)line.line, line.text, line.content);
    }
    csv_free(&lines);
    if (!standard)
        close(file);
}

podium_aggregate states_merged(char **files) {
    static char *standard_input[] = {"-", NULL};
    podium_aggregate sum;
    bool begun = false;
    for (char **file = files[0] == NULL ? standard_input : files; *file != NULL; file++)
        merge_file(&sum, &begun, *file);
    if (!begun)
        fail(BAD_DATA, "%s: no state in it", files[0] == NULL ? "standard input" : files[0]);
    return sum;
}

/* ---- Groups of reports ---- */

/* Open addressing over the groups' names; the table of 2^15 places is never more than a third full. */
#define PLACES 32768

static size_t place_of(const char *name, size_t n) {
    uint64_t hash = 0;
    for (size_t i = 0; i < n; i++)
        hash = hash * 31 + (unsigned char)name[i];
    return (size_t)(hash * 0x9e3779b97f4a7c15 >> 49);
}

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

static group *group_find(groups *all, group **places, const podium_collection *collection, const char *name, size_t n) {
    size_t at = place_of(name, n);
    while (places[at] != NULL && (strlen(places[at]->name) != n || memcmp(places[at]->name, name, n) != 0))
        at = (at + 1) % PLACES;
    if (places[at] == NULL)
        places[at] = group_new(all, collection, name, n);
    return places[at];
}

/* A code beyond all cells is refused, as a report beyond the support is. */
static podium_status add_codes(podium_aggregate *aggregate, const podium_collection *collection, const double *codes,
                               size_t n) {
    static uint32_t cells[BATCH];
    static const double none = NAN;
    podium_status status = PODIUM_OK;
    size_t count = 0;
    for (size_t i = 0; status == PODIUM_OK && i < n; i++) {
        if (codes[i] < (double)collection->cells)
            cells[count++] = (uint32_t)codes[i];
        else
            status = podium_aggregate_add(aggregate, collection, &none, 1);
    }
    return status == PODIUM_OK ? podium_aggregate_add_cells(aggregate, collection, cells, count) : status;
}

static void add(group *g, const podium_collection *collection, const double *reports, size_t n, bool codes) {
    podium_status status = codes ? add_codes(&g->aggregate, collection, reports, n)
                                 : podium_aggregate_add(&g->aggregate, collection, reports, n);
    if (status != PODIUM_OK)
        fail(BAD_DATA, "%s", podium_status_message(status));
}

groups groups_from(table *t, const podium_collection *collection, const table_options *options) {
    bool by = options->by != NULL;
    static group *places[PLACES];
    static row rows[BATCH];
    static double reports[BATCH];
    groups all = {.group = allocate(GROUPS_MAX * sizeof *all.group)};
    group *whole = by ? NULL : group_new(&all, collection, "", 0);
    for (size_t n; (n = table_rows(t, rows, BATCH)) > 0;) {
        for (size_t i = 0; i < n; i++)
            reports[i] = rows[i].value;
        if (!by)
            add(whole, collection, reports, n, options->codes);
        for (size_t i = 0; by && i < n; i++) {
            static char name[NAME_MAX_BYTES];
            size_t length =
                csv_unquote(name, sizeof name, rows[i].record.text + rows[i].by.from, rows[i].by.to - rows[i].by.from);
            if (length == sizeof name || memchr(name, '\0', length) != NULL)
                fail(BAD_DATA, "line %llu: a group's name is too long, or has a zero byte in it",
                     (unsigned long long)rows[i].record.line);
            add(group_find(&all, places, collection, name, length), collection, &reports[i], 1, options->codes);
        }
    }
    return all;
}

void warn_of_refused(uint64_t refused, uint64_t taken, bool codes) {
    bool many = (double)refused > 0.01 * (double)(refused + taken);
    if (refused > 0)
        fprintf(stderr, "podium: refused, being no %s of this collection: %llu of %llu%s\n",
                codes ? "codes" : "reports", (unsigned long long)refused, (unsigned long long)(refused + taken),
                many && !codes ? " (are they codes? then say --codes)" : "");
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
