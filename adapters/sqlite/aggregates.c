/* Functions of many rows: reports and states come in, leave a window, and the group is asked. */
#include "extension.h"

#include <string.h>

#define MECHANISM_TEXT 64 /* a longer one is compared the longer way */
#define BATCH 128         /* reports are added many at a time: one at a time takes four times as long */

typedef struct group {
    bool begun;
    uint64_t rows; /* that are in, not NULL, and not waiting */
    size_t waiting;
    double reports[BATCH];          /* of which so many wait to be added */
    char mechanism[MECHANISM_TEXT]; /* as the first row has it; empty where that is NULL */
    podium_collection collection;   /* of reports; a copy, since the connection's may be replaced between two rows */
    podium_aggregate aggregate;
} group;

/* SQLite owns it, hands it out with zeros at first, and frees it after the last call, however that ends. */
static group *group_of(sqlite3_context *context) {
    group *g = sqlite3_aggregate_context(context, sizeof *g);
    if (g == NULL)
        sqlite3_result_error_nomem(context);
    return g;
}

static bool succeeded(sqlite3_context *context, podium_status status) {
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG)
        fail(context, "a state of another collection than those before it");
    else if (status != PODIUM_OK)
        fail(context, podium_status_message(status));
    return status == PODIUM_OK;
}

static bool add_waiting(sqlite3_context *context, group *g) {
    size_t n = g->waiting;
    g->waiting = 0;
    g->rows += n;
    return n == 0 || succeeded(context, podium_aggregate_add(&g->aggregate, &g->collection, g->reports, n));
}

/* ---- The parameters of reports ---- */

/* A mechanism that is NULL takes the longer way. */
static bool same_text(sqlite3_value *value, const char *text) {
    const char *own = (const char *)sqlite3_value_text(value);
    return *text != '\0' && own != NULL && strcmp(own, text) == 0;
}

/*
 * The quick look at each row: are these the numbers that the first row had? That one was looked at thoroughly. Asking
 * for the types each time would cost a tenth of the whole query. So a text that reads as the same number passes here;
 * NULL and words, which SQLite makes 0 of, do not.
 */
static bool same_parameters(const group *g, int count, sqlite3_value **values) {
    const podium_spec *spec = &g->collection.spec;
    double min = sqlite3_value_double(values[0]), max = sqlite3_value_double(values[1]);
    double epsilon = sqlite3_value_double(values[2]);
    return g->begun && min == spec->min && max == spec->max && epsilon == spec->epsilon &&
           (min != 0 || is_number(values[0])) && (max != 0 || is_number(values[1])) &&
           (count == 3 || same_text(values[3], g->mechanism));
}

static void group_begin(group *g, const podium_collection *collection, sqlite3_value *mechanism) {
    g->begun = true;
    g->collection = *collection;
    podium_aggregate_init(&g->aggregate, collection);
    memset(g->mechanism, 0, sizeof g->mechanism);
    if (mechanism != NULL && !is_null(mechanism) && sqlite3_value_bytes(mechanism) < MECHANISM_TEXT)
        memcpy(g->mechanism, sqlite3_value_text(mechanism), (size_t)sqlite3_value_bytes(mechanism));
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

/* ---- Reports ---- */

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

/* The first row, and the rare one: what report_in is spared */
static bool report_waits(sqlite3_context *context, group *g, int count, sqlite3_value **values) {
    if (!take_parameters(context, g, count - 1, values + 1) ||
        !report_from(&g->reports[g->waiting], context, values[0]))
        return false;
    g->waiting++;
    return true;
}

void report_in(sqlite3_context *context, int count, sqlite3_value **values) {
    group *g = group_of(context);
    if (g == NULL)
        return;
    if (same_parameters(g, count - 1, values + 1) && is_number(values[0]))
        g->reports[g->waiting++] = sqlite3_value_double(values[0]);
    else if (!report_waits(context, g, count, values))
        return;
    if (g->waiting == BATCH)
        add_waiting(context, g);
}

/* A frame that is empty may begin anew, with other parameters. */
static void row_out(group *g) {
    g->rows--;
    g->begun = g->rows > 0;
}

void report_out(sqlite3_context *context, int count, sqlite3_value **values) {
    double report;
    podium_aggregate gone;
    group *g = group_of(context);
    (void)count;
    if (g == NULL || !report_from(&report, context, values[0]) || !add_waiting(context, g))
        return;
    podium_aggregate_init(&gone, &g->collection);
    if (succeeded(context, podium_aggregate_add(&gone, &g->collection, &report, 1)) &&
        succeeded(context, podium_aggregate_subtract(&g->aggregate, &g->collection, &gone)))
        row_out(g);
}

/* ---- States ---- */

/* The state, and its collection; NULL where there is none: then the row is NULL, or the error is said. */
static const podium_collection *state_of_row(podium_aggregate *state, sqlite3_context *context, sqlite3_value *value) {
    const function *f = sqlite3_user_data(context);
    char message[SQL_MESSAGE_MAX];
    if (is_null(value))
        return NULL;
    const podium_collection *collection = state_from(state, f->own, message, value);
    if (collection == NULL)
        fail(context, message);
    return collection;
}

void state_in(sqlite3_context *context, int count, sqlite3_value **values) {
    podium_aggregate state;
    group *g = group_of(context);
    (void)count;
    if (g == NULL || state_of_row(&state, context, values[0]) == NULL)
        return;
    if (!g->begun)
        g->aggregate = state;
    else if (!succeeded(context, podium_aggregate_merge(&g->aggregate, &state)))
        return;
    g->begun = true;
    g->rows++;
}

void state_out(sqlite3_context *context, int count, sqlite3_value **values) {
    podium_aggregate state;
    group *g = group_of(context);
    (void)count;
    const podium_collection *collection = g == NULL ? NULL : state_of_row(&state, context, values[0]);
    if (collection != NULL && succeeded(context, podium_aggregate_subtract(&g->aggregate, collection, &state)))
        row_out(g);
}

/* ---- The result, now or at the end ---- */

void give_group(sqlite3_context *context) {
    group *g = sqlite3_aggregate_context(context, 0);
    if (g != NULL && add_waiting(context, g) && g->rows > 0)
        give(context, &g->collection, &g->aggregate, CONFIDENCE);
}
