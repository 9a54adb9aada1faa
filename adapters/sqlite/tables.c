/*
 * Functions that return rows: podium_quantiles(aggregate, probabilities) and podium_histogram(aggregate, bins). To
 * SQLite each is a virtual table whose hidden columns are the arguments. Their names are chosen so that they do not
 * clash with the columns of a user's tables.
 */
#include "extension.h"

#include <stdio.h>
#include <string.h>

/* The two functions differ only in what is read from the distribution, quantiles or shares. */
typedef struct kind {
    const char *name, *columns;
    int hidden_column; /* the first hidden column is the aggregate; the second argument and `telling` follow */
    const char *missing;
} kind;

static const kind quantiles = {
    "podium_quantiles",
    "CREATE TABLE x(p, value, lower, upper, argument_aggregate HIDDEN, argument_probabilities HIDDEN, telling HIDDEN)",
    4, "takes an aggregate and probabilities, as in podium_quantiles(aggregate, '[0.25, 0.5]')"};
static const kind histogram = {
    "podium_histogram",
    "CREATE TABLE x(bin, start, stop, share, lower, upper, argument_aggregate HIDDEN, argument_bins HIDDEN, telling HIDDEN)",
    6, "takes an aggregate and a number of bins, as in podium_histogram(aggregate, 20)"};

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
    double *p; /* of quantiles, one for each row */
    sqlite3_value *aggregate, *asked;
    podium_summary summary;
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

/* Both arguments must be given, and known before the first row. */
static int table_plan(sqlite3_vtab *base, sqlite3_index_info *plan) {
    const int first = ((const table *)base)->module->kind->hidden_column;
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
        return SQLITE_CONSTRAINT; /* impossible in this order of the joined tables */
    plan->estimatedCost = 1e6;    /* each time takes tens of milliseconds, far longer than the rest of a query */
    plan->estimatedRows = 20;
    return SQLITE_OK;
}

/* ---- The arguments ---- */

static const char probabilities_wrong[] =
    "probabilities must be numbers from 0 to 1 in a JSON array, such as '[0.25, 0.5]'";

/* Adds one element of the array, of which the statement returns the value, the key, and whether the value is a
   number. If the key is text, the JSON is an object and not an array. */
static int add_probability(cursor *c, sqlite3_stmt *elements) {
    double p = sqlite3_column_double(elements, 0);
    bool keyed = sqlite3_column_type(elements, 1) == SQLITE_TEXT, numeric = sqlite3_column_int(elements, 2) != 0;
    if (keyed || !numeric || !(p >= 0 && p <= 1))
        return fail_table(c->base.pVtab, probabilities_wrong);
    if ((c->rows & (c->rows - 1)) == 0) { /* the room is doubled at 1, 2, 4 ... */
        double *more = sqlite3_realloc64(c->p, (sqlite3_uint64)(c->rows == 0 ? 1 : 2 * c->rows) * sizeof *more);
        if (more == NULL)
            return SQLITE_NOMEM;
        c->p = more;
    }
    c->p[c->rows++] = p;
    return SQLITE_OK;
}

/* Reads the JSON array by a query, because SQLite has a parser for it. */
static int read_probabilities(cursor *c, sqlite3_value *value) {
    static const char sql[] = "SELECT value, key, type IN ('integer', 'real') FROM json_each(?1)";
    sqlite3 *db = ((const table *)c->base.pVtab)->db;
    sqlite3_stmt *elements = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &elements, NULL), step = SQLITE_ROW;
    if (status == SQLITE_ERROR)
        return fail_table(c->base.pVtab, sqlite3_errmsg(db)); /* SQLite was built without JSON */
    if (status == SQLITE_OK)
        status = sqlite3_bind_value(elements, 1, value);
    while (status == SQLITE_OK && (step = sqlite3_step(elements)) == SQLITE_ROW)
        status = add_probability(c, elements);
    sqlite3_finalize(elements);
    if (status != SQLITE_OK || step == SQLITE_DONE)
        return status;
    /* SQLITE_ERROR means that the text is not JSON; any other status is an interruption or a lack of memory. */
    return step == SQLITE_ERROR ? fail_table(c->base.pVtab, probabilities_wrong) : step;
}

static int read_bins(cursor *c, sqlite3_value *value) {
    c->rows = sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0;
    if (c->rows >= 1 && c->rows <= PODIUM_SHARES)
        return SQLITE_OK;
    c->rows = 0;
    char message[SQL_MESSAGE_MAX];
    snprintf(message, sizeof message, "bins must be a whole number from 1 to %d", PODIUM_SHARES);
    return fail_table(c->base.pVtab, message);
}

/* If the distribution is not known, the numbers of the summary are NaN, which SQLite shows as NULL. */
static int summarise(cursor *c, sqlite3_value *value) {
    const module *m = ((const table *)c->base.pVtab)->module;
    const podium_question question = {.shape = true, .bins = m->kind == &histogram ? (uint32_t)c->rows : 0};
    char message[SQL_MESSAGE_MAX];
    podium_aggregate aggregate;
    const podium_collection *collection = aggregate_from(&aggregate, m->own, message, value);
    if (collection == NULL)
        return fail_table(c->base.pVtab, message);
    const podium_channel *channel;
    podium_status status = channel_from(m->own, &channel, collection);
    if (status == PODIUM_OK)
        status = podium_summary_make(collection, channel, &c->summary, &aggregate, &question);
    if (status == PODIUM_ERROR_OUT_OF_MEMORY)
        return SQLITE_NOMEM;
    return status == PODIUM_OK ? SQLITE_OK : fail_table(c->base.pVtab, podium_status_message(status));
}

/* ---- The rows ---- */

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
    sqlite3_value_free(c->aggregate);
    sqlite3_value_free(c->asked);
    c->p = NULL;
    c->aggregate = c->asked = NULL;
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
    c->aggregate = sqlite3_value_dup(values[0]);
    c->asked = sqlite3_value_dup(values[1]);
    if (c->aggregate == NULL || c->asked == NULL)
        return SQLITE_NOMEM;
    return summarise(c, values[0]);
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

static void return_quantile(const cursor *c, sqlite3_context *context, int column) {
    const podium_distribution *d = &c->summary.distribution;
    const double p = c->p[c->row];
    const podium_limits limits = podium_distribution_quantile_limits(d, p);
    const double numbers[] = {p, podium_distribution_quantile(d, p), limits.lower, limits.upper};
    sqlite3_result_double(context, numbers[column]);
}

static void return_bin(const cursor *c, sqlite3_context *context, int column) {
    const podium_bin bin = podium_distribution_bin(&c->summary.distribution, (uint32_t)c->row);
    const double numbers[] = {bin.from, bin.to, bin.share, bin.lower, bin.upper};
    if (column == 0)
        sqlite3_result_int64(context, c->row + 1);
    else
        sqlite3_result_double(context, numbers[column - 1]);
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const cursor *c = (const cursor *)base;
    const kind *k = ((const table *)base->pVtab)->module->kind;
    if (column == k->hidden_column)
        sqlite3_result_value(context, c->aggregate);
    else if (column == k->hidden_column + 1)
        sqlite3_result_value(context, c->asked);
    else if (column == k->hidden_column + 2)
        sqlite3_result_int(context, c->summary.shape_known == PODIUM_KNOWN_ESTIMATED);
    else if (k == &histogram)
        return_bin(c, context, column);
    else
        return_quantile(c, context, column);
    return SQLITE_OK;
}

/* ---- Both modules ---- */

/* There is no xCreate, so that the tables exist without being created. */
static const sqlite3_module methods = {.xConnect = table_connect,
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
    return sqlite3_create_module_v2(db, k->name, &methods, m, module_free); /* frees m even if it fails */
}

int define_tables(sqlite3 *db, connection *own) {
    int status = define_table(db, own, &quantiles);
    return status == SQLITE_OK ? define_table(db, own, &histogram) : status;
}
