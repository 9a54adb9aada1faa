/* Functions of many rows: they add reports or aggregates to a group, remove those that leave a window, and return a
   quantity of the group. */
#include "extension.h"

#include <string.h>

#define BATCH 128 /* reports are added in batches, because adding them one at a time takes four times as long */

typedef struct group {
    bool begun;
    uint64_t rows; /* rows that were added, without NULLs and those that are waiting */
    size_t waiting;
    double reports[BATCH];        /* the first `waiting` of them are not yet added */
    sql_memo memo;                /* the parameters of the earlier rows of reports */
    podium_collection collection; /* a copy, because the connection may replace its own */
    podium_aggregate aggregate;
} group;

/* Returns the group, which belongs to SQLite. It is zeros at first, and SQLite frees it after the last call, even
   after an error. */
static group *group_of(sqlite3_context *context) {
    group *g = sqlite3_aggregate_context(context, sizeof *g);
    if (g == NULL)
        sqlite3_result_error_nomem(context);
    return g;
}

static bool succeeded(sqlite3_context *context, podium_status status) {
    if (status != PODIUM_OK)
        fail(context, podium_status_message(status));
    return status == PODIUM_OK;
}

static bool add_waiting(sqlite3_context *context, group *g) {
    size_t n = g->waiting;
    g->waiting = 0;
    g->rows += n;
    return n == 0 || succeeded(context, podium_aggregate_add(&g->collection, &g->aggregate, g->reports, n));
}

/* ---- The parameters of reports ---- */

/* Compares the text as sql_memo_has does, without checking the type of the value. */
static bool same_text(const sql_memo *memo, sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    return text != NULL && memo->arguments.text != NULL && (size_t)sqlite3_value_bytes(value) == memo->arguments.n &&
           memcmp(text, memo->text, memo->arguments.n) == 0;
}

/*
 * Quick test for each row: are these the parameters of the row before, which were checked completely? Checking the
 * types each time would take a tenth of the whole query. So a text that reads as the same number passes this test. NULL
 * and words, which SQLite reads as 0, do not.
 */
static bool same_parameters(const group *g, int count, sqlite3_value **values) {
    const sql_arguments *before = &g->memo.arguments;
    if (!g->begun || !g->memo.is_kept || before->is_line != (count == 1))
        return false;
    if (count == 1)
        return same_text(&g->memo, values[0]);
    double min = sqlite3_value_double(values[0]), max = sqlite3_value_double(values[1]);
    double epsilon = sqlite3_value_double(values[2]);
    return min == before->min && max == before->max && epsilon == before->epsilon &&
           (min != 0 || is_number(values[0])) && (max != 0 || is_number(values[1])) &&
           (count == 3 || same_text(&g->memo, values[3]));
}

static void group_begin(group *g, const podium_collection *collection) {
    g->begun = true;
    g->collection = *collection;
    podium_aggregate_init(collection, &g->aggregate);
}

/* Reads the parameters of the first row, or of a row whose parameters look different. They may still be the same
   ones, written in another way. */
static bool read_parameters(sqlite3_context *context, group *g, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    sql_arguments arguments;
    const podium_collection *collection = NULL;
    if (arguments_from(&arguments, message, count, values))
        collection = collection_from_arguments(f->own, message, &arguments);
    if (collection == NULL) {
        fail(context, message);
        return false;
    }
    if (!g->begun)
        group_begin(g, collection);
    if (podium_collection_fingerprint(&g->collection) == podium_collection_fingerprint(collection)) {
        sql_memo_keep(&g->memo, &arguments);
        return true;
    }
    const podium_spec before = podium_collection_spec(&g->collection), now = podium_collection_spec(collection);
    fail_specs(context, &before, &now, "the aggregated rows");
    return false;
}

/* ---- Reports ---- */

/* Reads the report. Returns false if there is none, because the row is NULL or because the function has failed. */
static bool report_from(double *report, sqlite3_context *context, sqlite3_value *value) {
    char message[SQL_MESSAGE_MAX];
    if (is_null(value))
        return false;
    if (number_from(report, message, value, "report"))
        return true;
    fail(context, message);
    return false;
}

/* Adds the first row, or a row that failed the quick test, to the waiting reports. It is apart from report_add to
   keep the usual path short. */
static bool add_unusual(sqlite3_context *context, group *g, int count, sqlite3_value **values) {
    if (!read_parameters(context, g, count - 1, values + 1) ||
        !report_from(&g->reports[g->waiting], context, values[0]))
        return false;
    g->waiting++;
    return true;
}

void report_add(sqlite3_context *context, int count, sqlite3_value **values) {
    group *g = group_of(context);
    if (g == NULL)
        return;
    if (same_parameters(g, count - 1, values + 1) && is_number(values[0]))
        g->reports[g->waiting++] = sqlite3_value_double(values[0]);
    else if (!add_unusual(context, g, count, values))
        return;
    if (g->waiting == BATCH)
        add_waiting(context, g);
}

/* An empty frame may start again with other parameters. */
static void count_removed(group *g) {
    g->rows--;
    g->begun = g->rows > 0;
}

void report_remove(sqlite3_context *context, int count, sqlite3_value **values) {
    double report;
    podium_aggregate gone;
    group *g = group_of(context);
    (void)count;
    if (g == NULL || !report_from(&report, context, values[0]) || !add_waiting(context, g))
        return;
    podium_aggregate_init(&g->collection, &gone);
    if (succeeded(context, podium_aggregate_add(&g->collection, &gone, &report, 1)) &&
        succeeded(context, podium_aggregate_subtract(&g->collection, &g->aggregate, &gone)))
        count_removed(g);
}

/* ---- Aggregates ---- */

/* Decodes the row's aggregate and returns its collection. Returns NULL if there is none, because the row is NULL or
   because the function has failed. */
static const podium_collection *aggregate_of_row(podium_aggregate *other, sqlite3_context *context,
                                                 sqlite3_value *value) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    if (is_null(value))
        return NULL;
    const podium_collection *collection = aggregate_from(other, f->own, message, value);
    if (collection == NULL)
        fail(context, message);
    return collection;
}

static bool merged(sqlite3_context *context, group *g, const podium_aggregate *other) {
    podium_status status = podium_aggregate_merge(&g->aggregate, other);
    if (status != PODIUM_ERROR_FINGERPRINT_WRONG)
        return succeeded(context, status);
    const podium_spec before = podium_aggregate_spec(&g->aggregate), now = podium_aggregate_spec(other);
    fail_specs(context, &before, &now, "the aggregated rows");
    return false;
}

void aggregate_add(sqlite3_context *context, int count, sqlite3_value **values) {
    podium_aggregate other;
    group *g = group_of(context);
    (void)count;
    if (g == NULL || aggregate_of_row(&other, context, values[0]) == NULL)
        return;
    if (!g->begun)
        g->aggregate = other;
    else if (!merged(context, g, &other))
        return;
    g->begun = true;
    g->rows++;
}

void aggregate_remove(sqlite3_context *context, int count, sqlite3_value **values) {
    podium_aggregate other;
    group *g = group_of(context);
    (void)count;
    const podium_collection *collection = g == NULL ? NULL : aggregate_of_row(&other, context, values[0]);
    if (collection != NULL && succeeded(context, podium_aggregate_subtract(collection, &g->aggregate, &other)))
        count_removed(g);
}

/* ---- The result, of a window's frame or of the whole group ---- */

void return_group(sqlite3_context *context) {
    group *g = sqlite3_aggregate_context(context, 0);
    if (g != NULL && add_waiting(context, g) && g->rows > 0)
        return_quantity(context, &g->collection, &g->aggregate, NULL);
}
