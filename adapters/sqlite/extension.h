/*
 * The SQLite extension: what its files share. It converts SQL values into calls of podium.h and back, and contains no
 * statistics of its own.
 *
 * These rules hold in all files:
 *  1. Every row and call has a draw of its own, so podium_privatize is neither deterministic nor allowed in a schema.
 *  2. A value that is not a number is an error, because SQLite would read 'abc' as 0.
 *  3. NULL is neither privatised nor counted. The parameters are checked all the same, and may not be NULL.
 *  4. If the parameters of an aggregate function differ between its rows, that is an error.
 *  5. Without reports there is no aggregate, and with too few to estimate from, the estimates are NULL.
 *  6. Messages name the function and the argument, and never a value.
 *  7. What is kept belongs to the connection, because SQLite lets only one thread at a time use a connection.
 */
#ifndef PODIUM_SQLITE_EXTENSION_H
#define PODIUM_SQLITE_EXTENSION_H

#include "../common/spec.h"

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

/* ---- extension.c: the connection, and the functions defined in it ---- */

/* What a function returns of an aggregate */
typedef enum quantity {
    AGGREGATE = 0, /* the aggregate itself, as bytes */
    TEXT,          /* the aggregate as text */
    SPEC,
    ESTIMATE,
    N,
    REFUSED,
    MEAN,
    STANDARD_ERROR,
    LOWER,
    UPPER,
    VARIANCE,
    STANDARD_DEVIATION
} quantity;
#define QUANTITIES (STANDARD_DEVIATION + 1)

/* A cache of recently used collections. Initialising one takes up to some tens of milliseconds, and finding it here
   takes some nanoseconds. */
#define COLLECTIONS_KEPT 8

typedef struct connection {
    unsigned references; /* held by each function and table, and while these are being defined */
    unsigned kept, next;
    podium_spec specs[COLLECTIONS_KEPT];
    podium_collection collections[COLLECTIONS_KEPT];
    sql_memo memo; /* the arguments of the last call */
    const podium_collection *memo_collection;
    podium_channel *channel; /* the one used last, or NULL; a query may ask for the quantiles of many groups */
    uint64_t channel_fingerprint;
    podium_bounds bounds; /* those used last */
    uint64_t bounds_fingerprint;
} connection;

typedef struct function { /* what SQLite passes to each call */
    const char *name;
    quantity returns;
    connection *own;
} function;

void connection_release(void *own);

/* ---- arguments.c: converts SQL values; on failure the message says which value is wrong ---- */

bool number_from(double *number, char message[SQL_MESSAGE_MAX], sqlite3_value *value, const char *name);

/* One value is a spec; three are min, max and epsilon; four are these and the mechanism. The text of the arguments
   belongs to the SQL value. */
bool arguments_from(sql_arguments *arguments, char message[SQL_MESSAGE_MAX], int count, sqlite3_value **values);

/* Both return a collection that belongs to the connection and is valid until the next call; NULL on failure. */
const podium_collection *collection_from(connection *own, char message[SQL_MESSAGE_MAX], const podium_spec *spec);
const podium_collection *collection_from_arguments(connection *own, char message[SQL_MESSAGE_MAX],
                                                   const sql_arguments *arguments);

/* Sets channel to that of a collection. It belongs to the connection, and is valid
   until the next call. */
podium_status channel_from(connection *own, const podium_channel **channel, const podium_collection *collection);

/* Decodes an aggregate from bytes, or from the program's text. The text may also be a blob, because readfile()
   returns one. Returns the aggregate's collection, as collection_from does. */
const podium_collection *aggregate_from(podium_aggregate *aggregate, connection *own, char message[SQL_MESSAGE_MAX],
                                        sqlite3_value *value);

static inline bool is_number(sqlite3_value *value) {
    int type = sqlite3_value_type(value);
    return type == SQLITE_FLOAT || type == SQLITE_INTEGER;
}

static inline bool is_null(sqlite3_value *value) {
    return sqlite3_value_type(value) == SQLITE_NULL;
}

/* ---- functions.c: functions of one row ---- */

void privatize(sqlite3_context *context, int count, sqlite3_value **values);
void of_aggregate(sqlite3_context *context, int count,
                  sqlite3_value **values); /* aggregate [, confidence [, interval [, population]]] */
void difference(sqlite3_context *context, int count,
                sqlite3_value **values); /* two aggregates [, confidence [, interval [, population]]] */
void version(sqlite3_context *context, int count, sqlite3_value **values);

/* Fails the function with this message. */
void fail(sqlite3_context *context, const char *message);
/* Fails it because what, such as "the aggregates", belongs to two collections. */
void fail_specs(sqlite3_context *context, const podium_spec *a, const podium_spec *b, const char *what);

/* Returns the function's quantity of the aggregate to SQLite. question may be NULL, as in podium_summary_make. */
void return_quantity(sqlite3_context *context, const podium_collection *collection, const podium_aggregate *aggregate,
                     const podium_question *question);

/* ---- aggregates.c: functions of many rows, and of windows ---- */

void report_add(sqlite3_context *context, int count, sqlite3_value **values);
void report_remove(sqlite3_context *context, int count, sqlite3_value **values);
void aggregate_add(sqlite3_context *context, int count, sqlite3_value **values);
void aggregate_remove(sqlite3_context *context, int count, sqlite3_value **values);
void return_group(sqlite3_context *context);

/* ---- tables.c: functions that return rows ---- */

int define_tables(sqlite3 *db, connection *own);

#endif
