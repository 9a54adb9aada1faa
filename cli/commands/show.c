/* podium show: say what a file contains. */
#include "collection.h"
#include "commands/commands.h"
#include "platform.h"
#include "table/aggregate_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- What a file contains ---- */

typedef enum { KIND_SPEC, KIND_COLLECTION, KIND_AGGREGATE, KIND_AGGREGATES, KIND_GROUPS, KIND_TABLE } kind;

static const struct {
    const char *name, *text;
} kinds[] = {
    [KIND_SPEC] = {"spec", "a spec on one line"},       [KIND_COLLECTION] = {"collection", "a collection"},
    [KIND_AGGREGATE] = {"aggregate", "an aggregate"},   [KIND_AGGREGATES] = {"aggregates", "several aggregates"},
    [KIND_GROUPS] = {"groups", "aggregates of groups"}, [KIND_TABLE] = {"table", "a table"},
};

enum { TIME_ROOM = 32, BEGINNING = 64 * 1024 };

typedef struct {
    const char *file; /* "standard input", or as given */
    kind kind;
    char written[TIME_ROOM];    /* when the file was last changed; "" if that is unknown */
    char name[PODIUM_NAME_MAX]; /* of the collection; may be empty */
    podium_collection collection;
    groups groups; /* KIND_AGGREGATE and after; without any if this is a table */
    char **column; /* KIND_TABLE: the names of the columns; NULL if the first line may contain values */
    size_t columns;
} content;

static void set_time(content *c, const char *path) {
    const file_status status = file_look(path);
    const struct tm *utc = status.kind == FILE_MISSING ? NULL : gmtime(&status.changed);
    if (utc != NULL)
        strftime(c->written, sizeof c->written, "%Y-%m-%dT%H:%M:%SZ", utc);
}

static size_t read_beginning(char *text, size_t capacity, const char *path) {
    int file = strcmp(path, "-") == 0 ? STANDARD_INPUT : file_open(path);
    ptrdiff_t got = file < 0 ? -1 : 1;
    size_t n = 0;
    while (got > 0 && n < capacity && (got = input_read(file, text + n, capacity - n)) > 0)
        n += (size_t)got;
    if (got < 0)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    if (file != STANDARD_INPUT)
        file_close(file);
    return n;
}

/* Takes the names of the columns if the first line is surely a header, because it is printed. */
static void set_table(content *c, const char *text, size_t n) {
    size_t end;
    csv_record line = csv_first(text, n, 0, ',', &end);
    const char separator = csv_count(&line, '\t') > csv_count(&line, ',') ? '\t' : ',';
    line = csv_first(text, n, 0, separator, &end);
    if (n == 0 || memchr(text, '\0', n) != NULL)
        fail(BAD_DATA, "%s: neither a file of Podium nor a table", c->file);
    c->kind = KIND_TABLE;
    c->columns = csv_count(&line, separator);
    if (!columns_read_as_header(&line, separator))
        return;
    c->column = allocate(c->columns * sizeof *c->column);
    csv_field field = csv_begin(&line);
    for (size_t i = 0; csv_next(&field, &line, separator); i++) {
        const size_t length = field.to - field.from;
        c->column[i] = allocate(length + 1);
        c->column[i][csv_unquote(c->column[i], length, text + field.from, length)] = '\0';
    }
}

static bool begins(const char *text, size_t n, const char *prefix) {
    return n >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

static void set_text(content *c, const char *path) {
    char *text = allocate(BEGINNING + CSV_PADDING);
    const size_t n = read_beginning(text, BEGINNING, path);
    memset(text + n, 0, CSV_PADDING);
    podium_error error;
    const bool parses = podium_collection_parse(&c->collection, c->name, PODIUM_NAME_MAX, &error, text, n) == PODIUM_OK;
    if (parses || begins(text, n, "# A Podium collection") || begins(text, n, "podium =")) {
        c->collection = collection_parse(c->file, c->name, text, n);
        c->kind = strstr(text, "fingerprint") == NULL ? KIND_SPEC : KIND_COLLECTION; /* which a spec does not have */
    } else {
        set_table(c, text, n);
    }
    free(text);
}

static void set_aggregates(content *c, const char *path) {
    char *files[] = {(char *)path, NULL};
    c->groups = aggregates_apart(&c->collection, files);
    c->kind = c->groups.count == 1 ? KIND_AGGREGATE : KIND_AGGREGATES;
    if (c->groups.named)
        c->kind = KIND_GROUPS;
}

static content content_of(const char *path) {
    const bool standard = strcmp(path, "-") == 0;
    content c = {.file = standard ? "standard input" : path};
    if (collection_is_spec(path)) {
        c.collection = collection_parse_spec("", path);
        return c;
    }
    if (!standard)
        set_time(&c, path);
    if (aggregates_in(path))
        set_aggregates(&c, path);
    else
        set_text(&c, path);
    return c;
}

static void content_free(content *c) {
    groups_free(&c->groups);
    for (size_t i = 0; c->column != NULL && i < c->columns; i++)
        free(c->column[i]);
    free(c->column);
}

/* ---- Printing ---- */

typedef struct {
    uint64_t reports, refused;
} counts;

static counts counts_of(const groups *all) {
    counts sum = {0, 0};
    for (size_t i = 0; i < all->count; i++) {
        sum.reports += podium_aggregate_count(&all->group[i]->aggregate);
        sum.refused += podium_aggregate_refused(&all->group[i]->aggregate);
    }
    return sum;
}

static const char *spec_of(char text[PODIUM_SPEC_TEXT_MAX], const content *c) {
    const podium_spec spec = podium_collection_spec(&c->collection);
    podium_spec_format(&spec, text, PODIUM_SPEC_TEXT_MAX);
    return text;
}

static void print_text_groups(output *out, const groups *all) {
    output_print(out, "  groups       %zu\n", all->count);
    int width = 0;
    for (size_t i = 0; i < all->count; i++)
        width = print_width(all->group[i]->name) > width ? print_width(all->group[i]->name) : width;
    for (size_t i = 0; i < all->count; i++) {
        const podium_aggregate *a = &all->group[i]->aggregate;
        output_print(out, "    ");
        print_name(out, all->group[i]->name, width < 40 ? width : 40);
        output_print(out, " %10llu", (unsigned long long)podium_aggregate_count(a));
        if (podium_aggregate_refused(a) > 0)
            output_print(out, "  (%llu refused)", (unsigned long long)podium_aggregate_refused(a));
        output_print(out, "\n");
    }
}

static void print_text_table(output *out, const content *c) {
    output_print(out, "  columns      %zu", c->columns);
    for (size_t i = 0; c->column != NULL && i < c->columns; i++) {
        output_print(out, i == 0 ? " (" : ", ");
        print_name(out, c->column[i], 0);
    }
    output_print(out, c->column != NULL ? ")\n" : "\n");
}

static void print_text(output *out, const content *c) {
    char spec[PODIUM_SPEC_TEXT_MAX];
    const counts sum = counts_of(&c->groups);
    print_name(out, c->file, 0);
    output_print(out, ": %s\n", kinds[c->kind].text);
    if (c->name[0] != '\0') {
        output_print(out, "  name         ");
        print_name(out, c->name, 0);
        output_print(out, "\n");
    }
    if (c->kind == KIND_TABLE)
        print_text_table(out, c);
    else
        output_print(out, "  collection   %s\n  fingerprint  %016llx\n", spec_of(spec, c),
                     (unsigned long long)podium_collection_fingerprint(&c->collection));
    if (c->groups.count > 0)
        output_print(out, "  reports      %llu\n  refused      %llu\n", (unsigned long long)sum.reports,
                     (unsigned long long)sum.refused);
    if (c->written[0] != '\0')
        output_print(out, "  written      %s\n", c->written);
    if (c->groups.grouped)
        print_text_groups(out, &c->groups);
}

static void print_member_name(output *out, const char *key, const char *name) {
    output_print(out, ", \"%s\": ", key);
    print_name_json(out, name);
}

static void print_json_counts(output *out, counts n) {
    output_print(out, ", \"reports\": %llu, \"refused\": %llu", (unsigned long long)n.reports,
                 (unsigned long long)n.refused);
}

static void print_json_groups(output *out, const groups *all) {
    output_print(out, ", \"groups\": [");
    for (size_t i = 0; i < all->count; i++) {
        const podium_aggregate *a = &all->group[i]->aggregate;
        output_print(out, i == 0 ? "{\"group\": " : ", {\"group\": ");
        print_name_json(out, all->group[i]->name);
        print_json_counts(out, (counts){podium_aggregate_count(a), podium_aggregate_refused(a)});
        output_print(out, "}");
    }
    output_print(out, "]");
}

static void print_json_table(output *out, const content *c) {
    output_print(out, ", \"columns\": %zu", c->columns);
    for (size_t i = 0; c->column != NULL && i < c->columns; i++) {
        output_print(out, i == 0 ? ", \"header\": [" : ", ");
        print_name_json(out, c->column[i]);
    }
    output_print(out, c->column != NULL ? "]" : "");
}

static void print_json(output *out, const content *c) {
    char spec[PODIUM_SPEC_TEXT_MAX];
    output_print(out, "{\"file\": ");
    print_name_json(out, c->file);
    output_print(out, ", \"kind\": \"%s\"", kinds[c->kind].name);
    if (c->name[0] != '\0')
        print_member_name(out, "name", c->name);
    if (c->kind == KIND_TABLE)
        print_json_table(out, c);
    else
        output_print(out, ", \"collection\": \"%s\", \"fingerprint\": \"%016llx\"", spec_of(spec, c),
                     (unsigned long long)podium_collection_fingerprint(&c->collection));
    if (c->groups.count > 0)
        print_json_counts(out, counts_of(&c->groups));
    if (c->written[0] != '\0')
        output_print(out, ", \"written\": \"%s\"", c->written);
    if (c->groups.grouped)
        print_json_groups(out, &c->groups);
    output_print(out, "}");
}

/* ---- The command ---- */

static const char *const words[] = {"text", "json", NULL};
static const option own_options[] = {
    {.name = "format",
     TO_CHOICE(output_options, format),
     .words = words,
     .help = "the format of the output; text if not given"},
    ROW_OUTPUT,
    {.name = NULL},
};

static int run(char **arguments) {
    output_options to = {.format = FORMAT_TEXT};
    char **files = input_files(options_parse(&command_show, &to, arguments));
    const bool json = to.format == FORMAT_JSON;
    output *out = output_open_whole(to.path);
    output_print(out, json ? "[" : "");
    for (char **file = files; *file != NULL; file++) {
        content c = content_of(*file);
        output_print(out, file == files ? "" : json ? ",\n " : "\n");
        (json ? print_json : print_text)(out, &c);
        content_free(&c);
    }
    output_print(out, json ? "]\n" : "");
    output_close(out);
    return DONE;
}

const command command_show = {
    .name = "show",
    .summary = "say what a file contains",
    .usage = "[OPTIONS] [FILE...]",
    .operands = true,
    .note = "A file contains a collection, a spec, aggregates, or a table.",
    .groups = {{.options = own_options}},
    .run = run,
};
