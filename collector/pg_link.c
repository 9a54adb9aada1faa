#include "pg_link.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* ---- Arguments and columns: all in binary, numbers with the most significant byte first ---- */

static void add_argument(pg_arguments *a, const void *value, size_t n) {
    a->values[a->count] = value;
    a->lengths[a->count] = (int)n;
    a->formats[a->count++] = 1;
}

static void put(unsigned char *bytes, uint64_t x, int n) {
    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)(x >> (8 * (n - 1 - i)));
}

void pg_number(pg_arguments *a, int64_t x) {
    put(a->numbers[a->count], (uint64_t)x, 8);
    add_argument(a, a->numbers[a->count], 8);
}

void pg_bytes(pg_arguments *a, const void *bytes, size_t n) {
    add_argument(a, bytes, n);
}

void pg_text(pg_arguments *a, const char *s) {
    add_argument(a, s, strlen(s));
}

static void add_word(text *array, uint32_t x) {
    unsigned char bytes[4];
    put(bytes, x, 4);
    text_add(array, (const char *)bytes, 4);
}

void pg_array_begin(text *array, uint32_t type, size_t count) {
    const uint32_t head[] = {1, 0, type, (uint32_t)count, 1}; /* dimensions, NULLs, type, length, first index */
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        add_word(array, head[i]);
}

void pg_array_bytes(text *array, const void *bytes, size_t n) {
    add_word(array, (uint32_t)n);
    text_add(array, bytes, n);
}

void pg_array_number(text *array, int64_t x) {
    unsigned char bytes[8];
    put(bytes, (uint64_t)x, 8);
    pg_array_bytes(array, bytes, 8);
}

void pg_array(pg_arguments *a, const text *array) {
    add_argument(a, array->bytes, array->n);
}

const unsigned char *pg_get_bytes(const PGresult *r, int row, int column, size_t *n) {
    *n = (size_t)PQgetlength(r, row, column);
    return (const unsigned char *)PQgetvalue(r, row, column);
}

int64_t pg_get_number(const PGresult *r, int row, int column) {
    size_t n;
    const unsigned char *bytes = pg_get_bytes(r, row, column, &n);
    uint64_t x = n > 0 && bytes[0] >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < n; i++)
        x = x << 8 | bytes[i];
    return (int64_t)x;
}

const char *pg_get_text(const PGresult *r, int row, int column) {
    return PQgetvalue(r, row, column);
}

/* ---- Failures ---- */

/* Keeps the first line: the others may quote data. */
static void keep_message(pg_link *l, const char *message) {
    const size_t n = strcspn(message, "\n");
    snprintf(l->message, sizeof l->message, "%.*s", n > 400 ? 400 : (int)n, message);
}

static void lose(pg_link *l, const char *message) {
    keep_message(l, message);
    pg_close(l);
    l->status = PG_LOST;
}

void pg_close(pg_link *l) {
    PQfinish(l->connection);
    l->connection = NULL;
}

/* What a failure means, by the first characters of PostgreSQL's code for it */
static pg_status meaning(const char *code) {
    static const struct {
        const char *code;
        pg_status status;
    } meanings[] = {
        {"40001", PG_AGAIN}, {"40P01", PG_AGAIN}, {"23505", PG_AGAIN}, /* conflicts, deadlocks, a row that is there */
        {"08", PG_LOST},     {"57P", PG_LOST},    {"25P03", PG_LOST},  /* the connection or the server ends */
        {"25006", PG_LOST}, /* this server has become one for reading: look for the other */
        {"42", PG_WRONG},    {"XX001", PG_WRONG}, {"22", PG_WRONG}, /* missing tables or rights, damage */
    };
    for (size_t i = 0; code != NULL && i < sizeof meanings / sizeof *meanings; i++)
        if (strncmp(code, meanings[i].code, strlen(meanings[i].code)) == 0)
            return meanings[i].status;
    return PG_AWAY;
}

/* Notes the failure that a result is about, if it is the first. */
static void note(pg_link *l, const PGresult *r) {
    const char *message = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    const pg_status status = meaning(PQresultErrorField(r, PG_DIAG_SQLSTATE));
    if (l->status != PG_DONE || PQresultStatus(r) == PGRES_PIPELINE_ABORTED)
        return;
    if (status == PG_LOST || PQstatus(l->connection) != CONNECTION_OK) {
        lose(l, message == NULL ? PQerrorMessage(l->connection) : message);
        return;
    }
    keep_message(l, message == NULL ? PQerrorMessage(l->connection) : message);
    l->status = status;
}

/* ---- Waiting ---- */

/* Waits until the socket can be read, or written if that is wanted. Returns false, without a connection, if the
   deadline has passed. */
static bool wait_for_socket(pg_link *l, bool writing) {
    struct pollfd p = {.fd = PQsocket(l->connection), .events = (short)(POLLIN | (writing ? POLLOUT : 0))};
    const double left = l->deadline - seconds_now();
    const int found = left > 0 ? poll(&p, 1, (int)(1000 * left) + 1) : 0;
    if (found == 0) {
        lose(l, "the database does not answer in time");
        return false;
    }
    if (found < 0 && errno != EINTR) {
        lose(l, strerror(errno));
        return false;
    }
    if (found > 0 && (p.revents & ~POLLOUT) != 0 && PQconsumeInput(l->connection) == 0) {
        lose(l, PQerrorMessage(l->connection));
        return false;
    }
    return true;
}

/* The next result of the connection, NULL after the last one of a statement, or without a connection. */
static PGresult *next(pg_link *l) {
    while (l->connection != NULL && PQisBusy(l->connection))
        if (!wait_for_socket(l, false))
            return NULL;
    return l->connection == NULL ? NULL : PQgetResult(l->connection);
}

static void send_all(pg_link *l) {
    int left = 0;
    while (l->connection != NULL && (left = PQflush(l->connection)) > 0)
        if (!wait_for_socket(l, true))
            return;
    if (left < 0)
        lose(l, PQerrorMessage(l->connection));
}

/* ---- Opening ---- */

enum { CONNECT_SECONDS = 5 };

/* What is given in the URL counts for more than what comes before it here. */
static PGconn *connect_to(const char *url) {
    static const char *const names[] = {"connect_timeout",
                                        "fallback_application_name",
                                        "client_encoding",
                                        "target_session_attrs",
                                        "tcp_user_timeout",
                                        "dbname",
                                        NULL};
    const char *const values[] = {"5", "podiumd", "UTF8", "read-write", "10000", url, NULL};
    return PQconnectdbParams(names, values, 1);
}

static void try_later(pg_link *l) {
    const double shortest = 0.1, longest = 1;
    l->pause = l->pause < shortest ? shortest : l->pause * 2 > longest ? longest : l->pause * 2;
    l->retry_at = seconds_now() + l->pause;
}

static void ignore_notice(void *context, const PGresult *r) {
    (void)context, (void)r;
}

bool pg_open(pg_link *l) {
    if (l->connection != NULL)
        return true;
    if (seconds_now() < l->retry_at)
        return false;
    l->connection = connect_to(l->url);
    if (PQstatus(l->connection) != CONNECTION_OK) {
        lose(l, PQerrorMessage(l->connection));
    } else {
        PQsetNoticeReceiver(l->connection, ignore_notice, NULL);
        PQsetnonblocking(l->connection, 1);
        l->status = PG_DONE;
        l->deadline = seconds_now() + CONNECT_SECONDS;
        if (l->prepare(l)) {
            l->pause = 0;
            return true;
        }
        pg_close(l);
    }
    try_later(l);
    return false;
}

/* ---- Pipelines ---- */

void pg_begin(pg_link *l) {
    l->status = l->connection == NULL ? PG_LOST : PG_DONE;
    if (l->connection != NULL && PQenterPipelineMode(l->connection) == 0)
        lose(l, "the connection is in use");
}

void pg_send(pg_link *l, const char *statement, const pg_arguments *a) {
    static const pg_arguments none;
    if (a == NULL)
        a = &none;
    if (l->status == PG_DONE &&
        PQsendQueryPrepared(l->connection, statement, a->count, a->values, a->lengths, a->formats, 1) == 0)
        lose(l, PQerrorMessage(l->connection));
}

/* What failed before all was sent leaves half a transaction, which ends with the connection. */
void pg_flush(pg_link *l) {
    if (l->status != PG_DONE)
        pg_close(l);
    else if (PQpipelineSync(l->connection) == 0)
        lose(l, PQerrorMessage(l->connection));
    send_all(l);
}

PGresult *pg_take(pg_link *l) {
    if (l->status != PG_DONE)
        return NULL;
    PGresult *r = next(l);
    PQclear(next(l)); /* the end of the statement, which is NULL */
    if (PQresultStatus(r) == PGRES_TUPLES_OK || PQresultStatus(r) == PGRES_COMMAND_OK)
        return r;
    if (l->connection != NULL)
        note(l, r);
    PQclear(r);
    return NULL;
}

pg_status pg_end(pg_link *l) {
    for (bool synchronised = false; l->connection != NULL && !synchronised;) {
        PGresult *r = next(l);
        synchronised = PQresultStatus(r) == PGRES_PIPELINE_SYNC;
        if (r != NULL && PQresultStatus(r) == PGRES_FATAL_ERROR)
            note(l, r);
        else if (r == NULL && l->connection != NULL && PQstatus(l->connection) != CONNECTION_OK)
            lose(l, PQerrorMessage(l->connection));
        PQclear(r);
    }
    if (l->connection != NULL && PQexitPipelineMode(l->connection) == 0)
        lose(l, PQerrorMessage(l->connection));
    return l->status;
}

/* ---- Without a pipeline ---- */

/* Reads all results of what was sent, and returns the last one if it is good. */
static PGresult *last_result(pg_link *l) {
    PGresult *last = NULL;
    send_all(l);
    for (PGresult *r; (r = next(l)) != NULL;) {
        PQclear(last);
        last = r;
        if (PQresultStatus(r) == PGRES_FATAL_ERROR)
            note(l, r);
    }
    if (l->status == PG_DONE)
        return last;
    PQclear(last);
    return NULL;
}

PGresult *pg_run(pg_link *l, const char *statements) {
    l->status = l->connection == NULL ? PG_LOST : PG_DONE;
    if (l->connection != NULL && PQsendQuery(l->connection, statements) == 0)
        lose(l, PQerrorMessage(l->connection));
    return last_result(l);
}

bool pg_done(pg_link *l, const char *statements) {
    PQclear(pg_run(l, statements));
    return l->status == PG_DONE;
}

bool pg_name(pg_link *l, const char *name, const char *statement) {
    l->status = l->connection == NULL ? PG_LOST : PG_DONE;
    if (l->connection != NULL && PQsendPrepare(l->connection, name, statement, 0, NULL) == 0)
        lose(l, PQerrorMessage(l->connection));
    PQclear(last_result(l));
    return l->status == PG_DONE;
}

pg_status pg_read(pg_link *l, const char *statement, const pg_arguments *a, pg_reader *read, void *context) {
    bool wanted = true;
    l->status = l->connection == NULL ? PG_LOST : PG_DONE;
    pg_send(l, statement, a);
    if (l->connection != NULL)
        PQsetSingleRowMode(l->connection);
    send_all(l);
    for (PGresult *r; (r = next(l)) != NULL; PQclear(r)) {
        if (PQresultStatus(r) == PGRES_FATAL_ERROR)
            note(l, r);
        if (wanted && PQresultStatus(r) == PGRES_SINGLE_TUPLE)
            wanted = read(context, r);
    }
    return l->status;
}
