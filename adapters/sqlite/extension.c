/* The extension's entry point: defines functions and tables in a connection. */
#include "extension.h"

#include <string.h>

SQLITE_EXTENSION_INIT1

#define OLDEST 3031000 /* the first version with SQLITE_INNOCUOUS and SQLITE_DIRECTONLY */

#define EVERYWHERE (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
/* For privatising. In a view, trigger, index or constraint, the author of the schema would decide when and how often
   reports are drawn. */
#define BY_HAND_ONLY (SQLITE_UTF8 | SQLITE_DIRECTONLY)

typedef void (*on_row)(sqlite3_context *context, int count, sqlite3_value **values);

/* SQLite treats the same name with another number of arguments as another function. */
typedef struct definition {
    const char *name;
    const int *arguments; /* the allowed numbers of arguments, ended by NO_MORE */
    int flags;
    quantity returns;
    on_row call;        /* for functions of one row */
    on_row add, remove; /* for functions of many rows */
} definition;

#define NO_MORE (-1)
static const int none[] = {0, NO_MORE}, one[] = {1, NO_MORE}, two[] = {2, NO_MORE};
/* and a confidence; an interval; whether it is for a population */
static const int one_at[] = {2, 3, 4, NO_MORE}, two_at[] = {3, 4, 5, NO_MORE};
static const int with_parameters[] = {2, 4, 5, NO_MORE}; /* and a spec, or 3 numbers, or 3 and a mechanism */

#define OF_REPORTS(name, returns)                                                                                      \
    { name, with_parameters, EVERYWHERE, returns, NULL, report_add, report_remove }
#define OF_AGGREGATE(name, arguments, returns)                                                                         \
    { name, arguments, EVERYWHERE, returns, of_aggregate, NULL, NULL }

static const definition definitions[] = {
    {"podium_privatize", with_parameters, BY_HAND_ONLY, AGGREGATE, privatize, NULL, NULL},
    OF_REPORTS("podium_aggregate", AGGREGATE),
    {"podium_merge", one, EVERYWHERE, AGGREGATE, NULL, aggregate_add, aggregate_remove},
    OF_AGGREGATE("podium_aggregate_text", one, TEXT),
    OF_AGGREGATE("podium_spec", one, SPEC),
    OF_AGGREGATE("podium_estimate", one, ESTIMATE),
    OF_REPORTS("podium_estimate", ESTIMATE),
    OF_AGGREGATE("podium_estimate_at", one_at, ESTIMATE),
    OF_AGGREGATE("podium_n", one, N),
    OF_REPORTS("podium_n", N),
    OF_AGGREGATE("podium_refused", one, REFUSED),
    OF_REPORTS("podium_refused", REFUSED),
    OF_AGGREGATE("podium_mean", one, MEAN),
    OF_REPORTS("podium_mean", MEAN),
    OF_AGGREGATE("podium_standard_error", one, STANDARD_ERROR),
    OF_REPORTS("podium_standard_error", STANDARD_ERROR),
    OF_AGGREGATE("podium_lower", one, LOWER),
    OF_REPORTS("podium_lower", LOWER),
    OF_AGGREGATE("podium_lower_at", one_at, LOWER),
    OF_AGGREGATE("podium_upper", one, UPPER),
    OF_REPORTS("podium_upper", UPPER),
    OF_AGGREGATE("podium_upper_at", one_at, UPPER),
    OF_AGGREGATE("podium_variance", one, VARIANCE),
    OF_REPORTS("podium_variance", VARIANCE),
    OF_AGGREGATE("podium_standard_deviation", one, STANDARD_DEVIATION),
    OF_REPORTS("podium_standard_deviation", STANDARD_DEVIATION),
    {"podium_difference", two, EVERYWHERE, AGGREGATE, difference, NULL, NULL},
    {"podium_difference_at", two_at, EVERYWHERE, AGGREGATE, difference, NULL, NULL},
    {"podium_version", none, EVERYWHERE, AGGREGATE, version, NULL, NULL},
};

void connection_release(void *argument) {
    connection *own = argument;
    if (--own->references > 0)
        return;
    podium_channel_free(own->channel);
    sqlite3_free(own);
}

static function *function_new(connection *own, const char *name, quantity returns) {
    function *f = sqlite3_malloc(sizeof *f);
    if (f == NULL)
        return NULL;
    *f = (function){name, returns, own};
    own->references++;
    return f;
}

static void function_free(void *argument) {
    function *f = argument;
    connection_release(f->own);
    sqlite3_free(f);
}

/* SQLite frees the function even if it fails to define it. */
static int define_one(sqlite3 *db, connection *own, const definition *d, int arguments) {
    function *f = function_new(own, d->name, d->returns);
    if (f == NULL)
        return SQLITE_NOMEM;
    if (d->call != NULL)
        return sqlite3_create_function_v2(db, d->name, arguments, d->flags, f, d->call, NULL, NULL, function_free);
    return sqlite3_create_window_function(db, d->name, arguments, d->flags, f, d->add, return_group, return_group,
                                          d->remove, function_free);
}

static int define_functions(sqlite3 *db, connection *own) {
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        for (const int *n = definitions[i].arguments; *n != NO_MORE && status == SQLITE_OK; n++)
            status = define_one(db, own, &definitions[i], *n);
    return status;
}

PODIUM_API int sqlite3_podium_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);
int sqlite3_podium_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
    SQLITE_EXTENSION_INIT2(api)
    if (sqlite3_libversion_number() < OLDEST) {
        *error = sqlite3_mprintf("podium needs SQLite 3.31 or later, and this is %s", sqlite3_libversion());
        return SQLITE_ERROR;
    }
    connection *own = sqlite3_malloc(sizeof *own);
    if (own == NULL)
        return SQLITE_NOMEM;
    memset(own, 0, sizeof *own);
    own->references = 1;
    int status = define_functions(db, own);
    if (status == SQLITE_OK)
        status = define_tables(db, own);
    connection_release(own);
    return status;
}
