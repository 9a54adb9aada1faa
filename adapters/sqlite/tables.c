/*
 * Functions that give rows: podium_quantiles(state, probabilities) and podium_histogram(state, bins). To SQLite each is
 * a virtual table whose hidden columns are the arguments, and have names that nobody else's columns have.
 */
#include "extension.h"

#include <stdio.h>
#include <string.h>

/* A distribution is asked for quantiles or for shares: this is all the difference. */
typedef struct kind {
    const char *name, *columns;
    int state_column; /* the first hidden one; what is asked for follows, then whether the reports tell */
    const char *missing;
} kind;

static const kind quantiles = {
    "podium_quantiles",
    "CREATE TABLE x(p, value, argument_state HIDDEN, argument_probabilities HIDDEN, telling HIDDEN)", 2,
    "takes a state and probabilities, as in podium_quantiles(state, '[0.25, 0.5]')"};
static const kind histogram = {
    "podium_histogram",
    "CREATE TABLE x(bin, lower, upper, share, argument_state HIDDEN, argument_bins HIDDEN, telling HIDDEN)", 4,
    "takes a state and a number of bins, as in podium_histogram(state, 20)"};

typedef struct module {
    const kind *kind;
    connection *own;
} module;

typedef struct table {
    sqlite3_vtab base;
    const module *module;
    sqlite3 *db;
} table;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    sqlite3_int64 row, rows;
    double *p; /* of quantiles, one a row */
    sqlite3_value *state, *asked;
    podium_distribution distribution;
} cursor;

static int fail_table(sqlite3_vtab *base, const char *message) {
    const table *t = (const table *)base;
    sqlite3_free(base->zErrMsg);
    base->zErrMsg = sqlite3_mprintf("%s: %s", t->module->kind->name, message);
    return base->zErrMsg == NULL ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* ---- The table ---- */

static int table_connect(sqlite3 *db, void *own, int count, const char *const *arguments, sqlite3_vtab **made,
                         char **error) {
    const module *m = own;
    (void)count, (void)arguments, (void)error;
    int status = sqlite3_declare_vtab(db, m->kind->columns);
    if (status == SQLITE_OK)
        status = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    if (status != SQLITE_OK)
        return status;
    table *t = sqlite3_malloc(sizeof *t);
    if (t == NULL)
        return SQLITE_NOMEM;
    *t = (table){.module = m, .db = db};
    *made = &t->base;
    return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *base) {
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Both arguments must be there, and known before the first row. */
static int table_plan(sqlite3_vtab *base, sqlite3_index_info *plan) {
    const int first = ((const table *)base)->module->kind->state_column;
    bool given[2] = {false, false}, found[2] = {false, false};
    for (int i = 0; i < plan->nConstraint; i++) {
        int argument = plan->aConstraint[i].iColumn - first;
        if (argument < 0 || argument > 1 || plan->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        given[argument] = true;
        if (!plan->aConstraint[i].usable || found[argument])
            continue;
        found[argument] = true;
        plan->aConstraintUsage[i].argvIndex = argument + 1;
        plan->aConstraintUsage[i].omit = 1;
    }
    if (!given[0] || !given[1])
        return fail_table(base, ((const table *)base)->module->kind->missing);
    if (!found[0] || !found[1])
        return SQLITE_CONSTRAINT; /* not in this order of the joined tables */
    plan->estimatedCost = 1e6;    /* tens of milliseconds each time: the rest of a query is cheap beside it */
    plan->estimatedRows = 20;
    return SQLITE_OK;
}

/* ---- The arguments ---- */

static const char probabilities_wrong[] =
    "probabilities must be numbers from 0 to 1 in a JSON array, such as '[0.25, 0.5]'";

/* Takes one more of the array's elements: value, key, and whether the value is a number. A key that is text is an
   object's. */
static int add_probability(cursor *c, sqlite3_stmt *elements) {
    double p = sqlite3_column_double(elements, 0);
    bool keyed = sqlite3_column_type(elements, 1) == SQLITE_TEXT, numeric = sqlite3_column_int(elements, 2) != 0;
    if (keyed || !numeric || !(p >= 0 && p <= 1))
        return fail_table(c->base.pVtab, probabilities_wrong);
    if ((c->rows & (c->rows - 1)) == 0) { /* doubled at 1, 2, 4 ... */
        double *more = sqlite3_realloc64(c->p, (sqlite3_uint64)(c->rows == 0 ? 1 : 2 * c->rows) * sizeof *more);
        if (more == NULL)
            return SQLITE_NOMEM;
        c->p = more;
    }
    c->p[c->rows++] = p;
    return SQLITE_OK;
}

/* SQLite reads its own JSON. */
static int read_probabilities(cursor *c, sqlite3_value *value) {
    static const char sql[] = "SELECT value, key, type IN ('integer', 'real') FROM json_each(?1)";
    sqlite3 *db = ((const table *)c->base.pVtab)->db;
    sqlite3_stmt *elements = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &elements, NULL), step = SQLITE_ROW;
    if (status == SQLITE_ERROR)
        return fail_table(c->base.pVtab, sqlite3_errmsg(db)); /* an SQLite that was built without JSON */
    if (status == SQLITE_OK)
        status = sqlite3_bind_value(elements, 1, value);
    while (status == SQLITE_OK && (step = sqlite3_step(elements)) == SQLITE_ROW)
        status = add_probability(c, elements);
    sqlite3_finalize(elements);
    if (status != SQLITE_OK || step == SQLITE_DONE)
        return status;
    return step == SQLITE_ERROR ? fail_table(c->base.pVtab, probabilities_wrong) : step; /* not JSON; or interrupted */
}

static int read_bins(cursor *c, sqlite3_value *value) {
    c->rows = sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0;
    if (c->rows >= 1 && c->rows <= PODIUM_SHARES_MAX)
        return SQLITE_OK;
    c->rows = 0;
    char message[SQL_MESSAGE_MAX];
    snprintf(message, sizeof message, "bins must be a whole number from 1 to %d", PODIUM_SHARES_MAX);
    return fail_table(c->base.pVtab, message);
}

/* What is asked of a distribution that is not telling is NaN, and so NULL. */
static int estimate(cursor *c, sqlite3_value *value) {
    const module *m = ((const table *)c->base.pVtab)->module;
    char message[SQL_MESSAGE_MAX];
    podium_aggregate aggregate;
    const podium_collection *collection = state_from(&aggregate, m->own, message, value);
    if (collection == NULL)
        return fail_table(c->base.pVtab, message);
    c->distribution = (podium_distribution){.min = aggregate.spec.min, .max = aggregate.spec.max};
    const podium_channel *channel;
    podium_status status = channel_from(m->own, &channel, collection);
    if (status == PODIUM_OK)
        status = podium_distribution_from(&c->distribution, channel, &aggregate);
    if (status == PODIUM_ERROR_OUT_OF_MEMORY)
        return SQLITE_NOMEM;
    if (status == PODIUM_OK || status == PODIUM_ERROR_TOO_FEW_REPORTS)
        return SQLITE_OK;
    return fail_table(c->base.pVtab, podium_status_message(status));
}

/* ---- Its rows ---- */

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **opened) {
    (void)base;
    cursor *c = sqlite3_malloc(sizeof *c);
    if (c == NULL)
        return SQLITE_NOMEM;
    memset(c, 0, sizeof *c);
    *opened = &c->base;
    return SQLITE_OK;
}

static void cursor_clear(cursor *c) {
    sqlite3_free(c->p);
    sqlite3_value_free(c->state);
    sqlite3_value_free(c->asked);
    c->p = NULL;
    c->state = c->asked = NULL;
    c->row = c->rows = 0;
}

static int cursor_close(sqlite3_vtab_cursor *base) {
    cursor_clear((cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int cursor_start(sqlite3_vtab_cursor *base, int number, const char *text, int count, sqlite3_value **values) {
    cursor *c = (cursor *)base;
    bool shares = ((const table *)base->pVtab)->module->kind == &histogram;
    (void)number, (void)text, (void)count;
    cursor_clear(c);
    int status = shares ? read_bins(c, values[1]) : read_probabilities(c, values[1]);
    if (status != SQLITE_OK)
        return status;
    if (is_null(values[0])) {
        c->rows = 0;
        return SQLITE_OK;
    }
    c->state = sqlite3_value_dup(values[0]);
    c->asked = sqlite3_value_dup(values[1]);
    if (c->state == NULL || c->asked == NULL)
        return SQLITE_NOMEM;
    return estimate(c, values[0]);
}

static int cursor_next(sqlite3_vtab_cursor *base) {
    ((cursor *)base)->row++;
    return SQLITE_OK;
}

static int cursor_ended(sqlite3_vtab_cursor *base) {
    const cursor *c = (const cursor *)base;
    return c->row >= c->rows;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = ((const cursor *)base)->row + 1;
    return SQLITE_OK;
}

static void give_quantile(const cursor *c, sqlite3_context *context, int column) {
    double p = c->p[c->row];
    if (column == 0)
        sqlite3_result_double(context, p);
    else
        sqlite3_result_double(context, podium_distribution_quantile(&c->distribution, p));
}

static void give_bin(const cursor *c, sqlite3_context *context, int column) {
    const podium_distribution *d = &c->distribution;
    double width = (d->max - d->min) / (double)c->rows, lower = d->min + width * (double)c->row;
    double upper = c->row + 1 == c->rows ? d->max : d->min + width * (double)(c->row + 1);
    if (column == 0)
        sqlite3_result_int64(context, c->row + 1);
    else if (column < 3)
        sqlite3_result_double(context, column == 1 ? lower : upper);
    else
        sqlite3_result_double(context, podium_distribution_below(d, upper) - podium_distribution_below(d, lower));
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const cursor *c = (const cursor *)base;
    const kind *k = ((const table *)base->pVtab)->module->kind;
    if (column == k->state_column)
        sqlite3_result_value(context, c->state);
    else if (column == k->state_column + 1)
        sqlite3_result_value(context, c->asked);
    else if (column == k->state_column + 2)
        sqlite3_result_int(context, c->distribution.telling);
    else if (k == &histogram)
        give_bin(c, context, column);
    else
        give_quantile(c, context, column);
    return SQLITE_OK;
}

/* ---- Both ---- */

static const sqlite3_module methods = {.xConnect = table_connect, /* no xCreate: it is there without being created */
                                       .xBestIndex = table_plan,
                                       .xDisconnect = table_disconnect,
                                       .xOpen = cursor_open,
                                       .xClose = cursor_close,
                                       .xFilter = cursor_start,
                                       .xNext = cursor_next,
                                       .xEof = cursor_ended,
                                       .xColumn = cursor_column,
                                       .xRowid = cursor_rowid};

static void module_free(void *argument) {
    module *m = argument;
    connection_release(m->own);
    sqlite3_free(m);
}

static int define_table(sqlite3 *db, connection *own, const kind *k) {
    module *m = sqlite3_malloc(sizeof *m);
    if (m == NULL)
        return SQLITE_NOMEM;
    *m = (module){k, own};
    own->references++;
    return sqlite3_create_module_v2(db, k->name, &methods, m, module_free); /* frees it also where it fails */
}

int define_tables(sqlite3 *db, connection *own) {
    int status = define_table(db, own, &quantiles);
    return status == SQLITE_OK ? define_table(db, own, &histogram) : status;
}
