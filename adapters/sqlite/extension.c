/* The extension's entry point: defines functions and tables in a connection. */
#include "extension.h"

SQLITE_EXTENSION_INIT1

#define OLDEST 3031000 /* the first to have SQLITE_INNOCUOUS and SQLITE_DIRECTONLY */

#define EVERYWHERE (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
/* A view, trigger, index or constraint that draws would do so when whoever wrote the schema wants, and as often. */
#define BY_HAND_ONLY (SQLITE_UTF8 | SQLITE_DIRECTONLY)

static const struct {
    const char *name;
    bool has_confidence;
} quantities[QUANTITIES] = {[ESTIMATE] = {"podium_estimate", true},
                            [N] = {"podium_n", false},
                            [REFUSED] = {"podium_refused", false},
                            [MEAN] = {"podium_mean", false},
                            [STANDARD_ERROR] = {"podium_standard_error", false},
                            [LOWER] = {"podium_lower", true},
                            [UPPER] = {"podium_upper", true},
                            [VARIANCE] = {"podium_variance", false},
                            [STANDARD_DEVIATION] = {"podium_standard_deviation", false}};

typedef void (*on_row)(sqlite3_context *context, int count, sqlite3_value **values);

void connection_release(void *argument) {
    connection *own = argument;
    if (--own->references > 0)
        return;
    podium_channel_free(own->channel);
    sqlite3_free(own);
}

static function *function_new(connection *own, const char *name, quantity gives) {
    function *f = sqlite3_malloc(sizeof *f);
    if (f == NULL)
        return NULL;
    *f = (function){name, gives, own};
    own->references++;
    return f;
}

static void function_free(void *argument) {
    function *f = argument;
    connection_release(f->own);
    sqlite3_free(f);
}

/* SQLite frees the function, also where it fails to define it. */
static int define_scalar(sqlite3 *db, function *f, int arguments, int flags, on_row call) {
    return f == NULL ? SQLITE_NOMEM
                     : sqlite3_create_function_v2(db, f->name, arguments, flags, f, call, NULL, NULL, function_free);
}

static int define_aggregate(sqlite3 *db, function *f, int arguments, on_row in, on_row out) {
    return f == NULL ? SQLITE_NOMEM
                     : sqlite3_create_window_function(db, f->name, arguments, EVERYWHERE, f, in, give_group, give_group,
                                                      out, function_free);
}

/* Of reports with their parameters: the mechanism may be left out. */
static int define_of_reports(sqlite3 *db, connection *own, const char *name, quantity gives) {
    int status = define_aggregate(db, function_new(own, name, gives), 4, report_in, report_out);
    return status != SQLITE_OK ? status
                               : define_aggregate(db, function_new(own, name, gives), 5, report_in, report_out);
}

/* The same name has another meaning for every number of arguments: a state, a state and a confidence, reports. */
static int define_quantity(sqlite3 *db, connection *own, quantity q) {
    const char *name = quantities[q].name;
    int status = define_scalar(db, function_new(own, name, q), 1, EVERYWHERE, of_state);
    if (status == SQLITE_OK && quantities[q].has_confidence)
        status = define_scalar(db, function_new(own, name, q), 2, EVERYWHERE, of_state);
    return status != SQLITE_OK ? status : define_of_reports(db, own, name, q);
}

static int define_functions(sqlite3 *db, connection *own) {
    int status = SQLITE_OK;
    for (int arguments = 4; arguments <= 5 && status == SQLITE_OK; arguments++)
        status = define_scalar(db, function_new(own, "podium_privatize", STATE), arguments, BY_HAND_ONLY, privatize);
    if (status == SQLITE_OK)
        status = define_of_reports(db, own, "podium_aggregate", STATE);
    if (status == SQLITE_OK)
        status = define_aggregate(db, function_new(own, "podium_merge", STATE), 1, state_in, state_out);
    if (status == SQLITE_OK)
        status = define_scalar(db, function_new(own, "podium_state_text", STATE), 1, EVERYWHERE, state_text);
    if (status == SQLITE_OK)
        status = define_scalar(db, function_new(own, "podium_version", STATE), 0, EVERYWHERE, version);
    for (quantity q = ESTIMATE; q < QUANTITIES && status == SQLITE_OK; q++)
        status = define_quantity(db, own, q);
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
    own->references = 1;
    own->kept = own->next = 0;
    int status = define_functions(db, own);
    if (status == SQLITE_OK)
        status = define_tables(db, own);
    connection_release(own);
    return status;
}
