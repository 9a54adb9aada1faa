/*
 * The SQLite extension: what its files share. It turns SQL values into calls of podium.h and back, and knows no
 * statistics of its own.
 *
 * What holds for all of it:
 *  1. A draw is made for each row and call: podium_privatize is neither deterministic nor allowed in a schema.
 *  2. A value that is not a number is an error. SQLite would read 'abc' as 0.
 *  3. NULL is neither privatised nor counted. Parameters are checked all the same, and may not be NULL.
 *  4. The parameters of an aggregate are the same in all of its rows, or it is an error.
 *  5. No reports, no state; too few to estimate from, NULL.
 *  6. Messages name the function and the argument, never a value.
 *  7. Whatever is kept is the connection's: SQLite lets one thread at a time into that.
 */
#ifndef PODIUM_SQLITE_EXTENSION_H
#define PODIUM_SQLITE_EXTENSION_H

#include "../common/spec.h"

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

/* ---- extension.c: the connection, and the functions defined in it ---- */

/* What a function gives of an aggregate */
typedef enum quantity {
    STATE = 0,
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

/* Collections of late: initialising one takes up to some tens of milliseconds, finding it here some nanoseconds. */
#define COLLECTIONS_KEPT 8

typedef struct connection {
    unsigned references; /* by the functions and tables defined, and whoever defines them */
    unsigned kept, next;
    podium_collection collections[COLLECTIONS_KEPT];
    podium_channel *channel; /* the one used last, or NULL: a query may ask for the quantiles of many groups */
    uint64_t channel_fingerprint;
} connection;

typedef struct function { /* what SQLite hands to each call */
    const char *name;
    quantity gives;
    connection *own;
} function;

void connection_release(void *own);

/* ---- arguments.c: SQL values as what they stand for; on failure the message says which is wrong ---- */

bool number_from(double *number, char message[SQL_MESSAGE_MAX], sqlite3_value *value, const char *name);

/* min, max, epsilon and, where count is 4, mechanism */
bool spec_from(podium_spec *spec, char message[SQL_MESSAGE_MAX], int count, sqlite3_value **values);

/* The connection's own, until it is asked for the next; NULL on failure. */
const podium_collection *collection_from(connection *own, char message[SQL_MESSAGE_MAX], const podium_spec *spec);

/* A collection's channel, with PODIUM_SHARES_FINE bins; the connection's own, until it is asked for the next. */
podium_status channel_from(connection *own, const podium_channel **channel, const podium_collection *collection);

/* Bytes, or the program's text, be that as a blob too: this is how readfile() reads a file. Returns the state's
   collection, as collection_from does. */
const podium_collection *state_from(podium_aggregate *state, connection *own, char message[SQL_MESSAGE_MAX],
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
void of_state(sqlite3_context *context, int count, sqlite3_value **values); /* state [, confidence] */
void state_text(sqlite3_context *context, int count, sqlite3_value **values);
void version(sqlite3_context *context, int count, sqlite3_value **values);

/* Makes the message the function's error. */
void fail(sqlite3_context *context, const char *message);

/* Makes what the function gives of the aggregate its result. The collection may be NULL for a STATE. */
void give(sqlite3_context *context, const podium_collection *collection, const podium_aggregate *aggregate,
          double confidence);
#define CONFIDENCE 0.95

/* ---- aggregates.c: functions of many rows, and of windows ---- */

void report_in(sqlite3_context *context, int count, sqlite3_value **values);
void report_out(sqlite3_context *context, int count, sqlite3_value **values);
void state_in(sqlite3_context *context, int count, sqlite3_value **values);
void state_out(sqlite3_context *context, int count, sqlite3_value **values);
void give_group(sqlite3_context *context);

/* ---- tables.c: functions that give rows ---- */

int define_tables(sqlite3 *db, connection *own);

#endif
