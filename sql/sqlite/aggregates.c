/* Functions of many rows: reports and states come in, leave a window, and the group is asked. */
#include "extension.h"

#include <string.h>

#define MECHANISM_TEXT 64 /* longer than any that sql_spec accepts */

typedef struct group {
    bool begun;
    uint64_t rows; /* that are in and not NULL */
    size_t mechanism_n;
    char mechanism[MECHANISM_TEXT];
    podium_collection collection; /* of reports; a copy, since the connection's may be replaced between two rows */
    podium_aggregate aggregate;
} group;

/* SQLite owns it, hands it out with zeros at first, and frees it after the last call, however that ends. */
static group *group_of(sqlite3_context *context) {
    group *g = sqlite3_aggregate_context(context, sizeof *g);
    if (g == NULL)
        sqlite3_result_error_nomem(context);
    return g;
}

/* ---- Reports ---- */

static bool same_number(sqlite3_value *value, double number) {
    return is_number(value) && sqlite3_value_double(value) == number;
}

static bool same_text(sqlite3_value *value, const char *text, size_t n) {
    return sqlite3_value_type(value) == SQLITE_TEXT && (size_t)sqlite3_value_bytes(value) == n &&
           memcmp(sqlite3_value_text(value), text, n) == 0;
}

/* The quick look at each row. A mechanism that is NULL takes the longer way. */
static bool same_parameters(const group *g, int count, sqlite3_value **values) {
    const podium_spec *spec = &g->collection.spec;
    return g->begun && same_number(values[0], spec->min) && same_number(values[1], spec->max) &&
           same_number(values[2], spec->epsilon) && (count == 3 || same_text(values[3], g->mechanism, g->mechanism_n));
}

static void group_begin(group *g, const podium_collection *collection, sqlite3_value *mechanism) {
    g->begun = true;
    g->collection = *collection;
    podium_aggregate_init(&g->aggregate, collection);
    if (mechanism != NULL && !is_null(mechanism)) {
        g->mechanism_n = (size_t)sqlite3_value_bytes(mechanism);
        memcpy(g->mechanism, sqlite3_value_text(mechanism), g->mechanism_n);
    }
}

/* The first row's parameters, or others than before: 'minimax' and 'minimax:256' are the same. */
static bool take_parameters(sqlite3_context *context, group *g, int count, sqlite3_value **values) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    podium_spec spec;
    const podium_collection *collection = NULL;
    if (spec_from(&spec, message, count, values))
        collection = collection_from(f->own, message, &spec);
    if (collection == NULL) {
        fail(context, message);
        return false;
    }
    if (!g->begun)
        group_begin(g, collection, count == 3 ? NULL : values[3]);
    if (g->collection.fingerprint == collection->fingerprint)
        return true;
    fail(context, "min, max, epsilon and mechanism must be the same in all rows that are aggregated");
    return false;
}

/* The report, or false where there is none: then the row is NULL, or the error is said. */
static bool report_from(double *report, sqlite3_context *context, sqlite3_value *value) {
    char message[SQL_MESSAGE_MAX];
    if (is_null(value))
        return false;
    if (number_from(report, message, value, "report"))
        return true;
    fail(context, message);
    return false;
}

/* A row that is in, or out again: or not, with the reason */
static void count_row(sqlite3_context *context, group *g, bool in, podium_status status) {
    if (status == PODIUM_OK)
        g->rows = in ? g->rows + 1 : g->rows - 1;
    else if (status == PODIUM_FINGERPRINT_WRONG)
        fail(context, "a state of another collection than those before it");
    else
        fail(context, podium_status_message(status));
}

void report_in(sqlite3_context *context, int count, sqlite3_value **values) {
    double report;
    group *g = group_of(context);
    if (g != NULL &&
        (same_parameters(g, count - 1, values + 1) || take_parameters(context, g, count - 1, values + 1)) &&
        report_from(&report, context, values[0]))
        count_row(context, g, true, podium_aggregate_add(&g->aggregate, &g->collection, &report, 1));
}

void report_out(sqlite3_context *context, int count, sqlite3_value **values) {
    double report;
    podium_aggregate gone;
    group *g = group_of(context);
    (void)count;
    if (g == NULL || !report_from(&report, context, values[0]))
        return;
    podium_aggregate_init(&gone, &g->collection);
    podium_status status = podium_aggregate_add(&gone, &g->collection, &report, 1);
    if (status == PODIUM_OK)
        status = podium_aggregate_subtract(&g->aggregate, &gone);
    count_row(context, g, false, status);
}

/* ---- States ---- */

static void state_row(sqlite3_context *context, sqlite3_value *value, bool in) {
    char message[SQL_MESSAGE_MAX];
    podium_aggregate state;
    group *g = group_of(context);
    if (g == NULL || is_null(value))
        return;
    if (!state_from(&state, message, value)) {
        fail(context, message);
        return;
    }
    podium_status status = PODIUM_OK;
    if (!g->begun)
        g->aggregate = state;
    else
        status = in ? podium_aggregate_merge(&g->aggregate, &state) : podium_aggregate_subtract(&g->aggregate, &state);
    g->begun = true;
    count_row(context, g, in, status);
}

void state_in(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    state_row(context, values[0], true);
}

void state_out(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    state_row(context, values[0], false);
}

/* ---- The result, now or at the end ---- */

void give_group(sqlite3_context *context) {
    const group *g = sqlite3_aggregate_context(context, 0);
    if (g != NULL && g->rows > 0)
        give(context, &g->collection, &g->aggregate, CONFIDENCE);
}
