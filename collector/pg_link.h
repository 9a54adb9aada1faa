/* Link: a connection to PostgreSQL that opens itself again. Statements are sent in pipelines, so that a whole group
   costs one round trip for reading and one for writing, and nothing waits beyond its deadline, whatever the server or
   the network does. */
#ifndef PODIUM_COLLECTOR_PG_LINK_H
#define PODIUM_COLLECTOR_PG_LINK_H

#include "store.h"
#include "text.h"

#include <libpq-fe.h>

typedef enum {
    PG_DONE,
    PG_AGAIN, /* another server was quicker: begin the transaction again */
    PG_LOST,  /* there is no connection any more */
    PG_AWAY,  /* the server refuses at the moment */
    PG_WRONG  /* it will not work by itself */
} pg_status;

typedef struct pg_link pg_link;
/* What has to be done with every new connection before it is used. */
typedef bool pg_prepare(pg_link *l);

struct pg_link {
    const char *url;
    pg_prepare *prepare;
    void *owner;        /* for prepare */
    PGconn *connection; /* NULL while there is none */
    double deadline;    /* of what is under way */
    double pause, retry_at;
    pg_status status; /* of the pipeline at hand: the first thing that went wrong */
    char message[STORE_MESSAGE_MAX];
};

/* The arguments of a statement. Numbers are kept here, bytes and texts must outlive the sending. */
enum { PG_ARGUMENTS_MAX = 8 };
typedef struct {
    const char *values[PG_ARGUMENTS_MAX];
    int lengths[PG_ARGUMENTS_MAX], formats[PG_ARGUMENTS_MAX];
    unsigned char numbers[PG_ARGUMENTS_MAX][8];
    int count;
} pg_arguments;
void pg_number(pg_arguments *a, int64_t x);
void pg_bytes(pg_arguments *a, const void *bytes, size_t n); /* NULL stands for SQL's */
void pg_text(pg_arguments *a, const char *s);

/* An array as one argument, so that one statement finds or adds many rows. All zeros is not begun; the caller frees it.
 */
enum { PG_BYTES = 17, PG_NUMBERS = 20 }; /* PostgreSQL's numbers of the types bytea and bigint */
void pg_array_begin(text *array, uint32_t type, size_t count);
void pg_array_bytes(text *array, const void *bytes, size_t n);
void pg_array_number(text *array, int64_t x);
void pg_array(pg_arguments *a, const text *array);

/* Makes sure that there is a connection. Returns false if there is none, at once if it is too early to try again. */
bool pg_open(pg_link *l);
void pg_close(pg_link *l);

/* From pg_begin to pg_end nothing needs to be checked: after the first failure the rest does nothing. */
void pg_begin(pg_link *l);
void pg_send(pg_link *l, const char *statement, const pg_arguments *a);
void pg_flush(pg_link *l); /* all is sent: now results can be taken, in the order of the statements */
/* The result of the next statement, which the caller clears; NULL after a failure. */
PGresult *pg_take(pg_link *l);
/* Ignores what was not taken. */
pg_status pg_end(pg_link *l);

/* Runs a text of statements without arguments. Returns the last result, or NULL. */
PGresult *pg_run(pg_link *l, const char *statements);
bool pg_done(pg_link *l, const char *statements);
/* Prepares a statement under a name. */
bool pg_name(pg_link *l, const char *name, const char *statement);

/* Runs one statement that was prepared, and calls read for each row as it arrives. */
typedef bool pg_reader(void *context, const PGresult *row);
pg_status pg_read(pg_link *l, const char *statement, const pg_arguments *a, pg_reader *read, void *context);

/* Columns of a result, whose numbers are bigint or integer */
int64_t pg_get_number(const PGresult *r, int row, int column);
const unsigned char *pg_get_bytes(const PGresult *r, int row, int column, size_t *n);
const char *pg_get_text(const PGresult *r, int row, int column);

#endif
