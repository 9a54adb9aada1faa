/* The store in PostgreSQL, which any number of podiumd share. A group is one transaction of two round trips: one locks
   the sums and looks for the keys, the other writes. One connection writes and one reads.

   Several servers lock sums and insert keys in the same order, so that they wait for each other but never in a circle.
   A sum or key that another server has just added makes the insertion fail, and the group begins again and finds it.

   If the connection breaks while the transaction is being committed, nobody has said whether it was. So every server
   has a row in the table `writers`, with the number of the last group that it has stored. The row is locked before
   anything is written, so that whoever reads it on a new connection waits until the broken transaction has ended either
   way. */
#include "clock.h"
#include "log.h"
#include "pg_link.h"
#include "pool.h"
#include "store_group.h"

#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* From one format to the next; the store has the format of how many of these have run. */
static const char *const migrations[STORE_FORMAT] = {
    "CREATE TABLE store (format integer NOT NULL, tokens bigint NOT NULL);"
    "INSERT INTO store VALUES (0, 0);"
    "CREATE TABLE collections (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,"
    "  spec text NOT NULL);"
    "CREATE TABLE sums (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    "  collection bigint NOT NULL REFERENCES collections, start bigint NOT NULL, period bigint NOT NULL,"
    "  labels text COLLATE \"C\" NOT NULL, state bytea NOT NULL, UNIQUE (collection, start, period, labels))"
    "  WITH (fillfactor = 50);"
    "CREATE TABLE keys (hash bytea PRIMARY KEY, body bytea NOT NULL, at bigint NOT NULL, accepted bigint NOT NULL,"
    "  refused bigint NOT NULL);"
    "CREATE INDEX keys_at ON keys (at);"
    "CREATE TABLE writers (id bytea PRIMARY KEY, last bigint NOT NULL, keys bigint NOT NULL, at bigint NOT NULL)"
    "  WITH (fillfactor = 50);"
    "CREATE TABLE tokens (hash bytea PRIMARY KEY, collection text COLLATE \"C\" NOT NULL,"
    "  scope text COLLATE \"C\" NOT NULL, created bigint NOT NULL);"
    "CREATE TABLE reports (collection bigint NOT NULL, start bigint NOT NULL, labels text NOT NULL, reports bytea,"
    "  codes bytea);"
    "CREATE INDEX reports_start ON reports (collection, start);",
};

typedef enum {
    BEGIN,
    COMMIT,
    ADD_WRITER,
    LOCK_WRITER,
    MARK,
    FIND_COLLECTION,
    ADD_COLLECTION,
    FIND_SUM,
    ADD_SUM,
    SET_SUM,
    FIND_KEYS,
    ADD_KEYS,
    COUNT_KEYS,
    ADD_REPORTS,
    LOCK_SUMS,
    LOCK_TABLES,
    DELETE_SUMS,
    DELETE_REPORTS,
    FIRST_HOUR,
    DAY_SUMS,
    DROP_SUM,
    ADD_TOKEN,
    DROP_TOKEN,
    CHECK,
    READ_SUMS, /* from here on, of the connections that read */
    READ_TOKENS,
    STATEMENTS
} sql_kind;

/* As many as can be deleted within the time of a group, in the order of the index */
#define SUMS_TO_DELETE                                                                                                 \
    "SELECT number FROM sums WHERE collection = $1 AND start >= $2 AND start < $3 ORDER BY start, period, labels "     \
    "LIMIT 5000"

static const struct {
    const char *name, *text;
} sql[STATEMENTS] = {
    [BEGIN] = {"begin", "BEGIN"},
    [COMMIT] = {"commit", "COMMIT"},
    [ADD_WRITER] = {"add_writer", "INSERT INTO writers VALUES ($1, 0, 0, $2) ON CONFLICT (id) DO NOTHING"},
    [LOCK_WRITER] = {"lock_writer", "SELECT last FROM writers WHERE id = $1 FOR UPDATE"},
    /* Forgets old keys, and servers that have not written for long, whose keys this one counts from then on. */
    [MARK] =
        {"mark",
         "WITH gone AS (DELETE FROM writers WHERE ctid = ANY (ARRAY (SELECT ctid FROM writers WHERE at < $5 AND id <> $1 "
         "FOR UPDATE SKIP LOCKED)) RETURNING keys), dropped AS (DELETE FROM keys WHERE ctid = ANY (ARRAY (SELECT ctid "
         "FROM keys WHERE at < $6 ORDER BY at LIMIT 1000 FOR UPDATE SKIP LOCKED)) RETURNING hash) UPDATE writers SET "
         "last = $2, at = $3, keys = keys + $4 + (SELECT coalesce(sum(keys), 0)::bigint FROM gone) - (SELECT count(*) "
         "FROM dropped) WHERE id = $1"},
    [FIND_COLLECTION] = {"find_collection", "SELECT number, spec FROM collections WHERE name = $1"},
    [ADD_COLLECTION] = {"add_collection",
                        "INSERT INTO collections (name, spec) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"},
    [FIND_SUM] = {"find_sum", "SELECT number, state FROM sums WHERE collection = $1 AND start = $2 AND period = $3 AND "
                              "labels = $4 FOR UPDATE"},
    [ADD_SUM] = {"add_sum", "INSERT INTO sums (collection, start, period, labels, state) VALUES ($1, $2, $3, $4, $5)"},
    [SET_SUM] = {"set_sum", "UPDATE sums SET state = $2 WHERE number = $1"},
    [FIND_KEYS] = {"find_keys", "SELECT hash, body, accepted, refused FROM keys WHERE hash = ANY ($1)"},
    [ADD_KEYS] = {"add_keys", "INSERT INTO keys (hash, body, at, accepted, refused) SELECT hash, body, $1, accepted, "
                              "refused FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[]) AS t (hash, "
                              "body, accepted, refused)"},
    [COUNT_KEYS] = {"count_keys", "SELECT coalesce(sum(keys), 0)::bigint FROM writers"},
    [ADD_REPORTS] = {"add_reports",
                     "INSERT INTO reports (collection, start, labels, reports, codes) VALUES ($1, $2, $3, $4, $5)"},
    [LOCK_SUMS] = {"lock_sums", SUMS_TO_DELETE " FOR UPDATE"},
    [LOCK_TABLES] = {"lock_tables", "LOCK sums, keys IN ROW EXCLUSIVE MODE"},
    [DELETE_SUMS] = {"delete_sums", "DELETE FROM sums WHERE number IN (" SUMS_TO_DELETE ")"},
    [DELETE_REPORTS] = {"delete_reports",
                        "DELETE FROM reports WHERE ctid IN (SELECT ctid FROM reports WHERE collection = "
                        "$1 AND start >= $2 AND start < $3 LIMIT 5000)"},
    [FIRST_HOUR] = {"first_hour", "SELECT start FROM sums WHERE collection = $1 AND start < $2 AND period = 3600 "
                                  "ORDER BY start LIMIT 1"},
    [DAY_SUMS] = {"day_sums",
                  "SELECT labels, start, period, state, number FROM sums WHERE collection = $1 AND start >= "
                  "$2 AND start < $3 ORDER BY labels, start FOR UPDATE"},
    [DROP_SUM] = {"drop_sum", "DELETE FROM sums WHERE number = $1"},
    [ADD_TOKEN] = {"add_token", "WITH added AS (INSERT INTO tokens (hash, collection, scope, created) VALUES ($1, $2, "
                                "$3, $4)) UPDATE store SET tokens = tokens + 1"},
    [DROP_TOKEN] = {"drop_token", "WITH gone AS (DELETE FROM tokens WHERE hash = $1 RETURNING hash) UPDATE store SET "
                                  "tokens = tokens + 1 WHERE EXISTS (SELECT FROM gone)"},
    [CHECK] = {"check", "SELECT tokens FROM store"},
    [READ_SUMS] = {"read_sums", "SELECT labels, start, period, state FROM sums WHERE collection = $1 AND start >= "
                                "$2 AND start < $3 ORDER BY 2, 3, 1"},
    [READ_TOKENS] = {"read_tokens",
                     "SELECT hash, collection, scope, created FROM tokens ORDER BY collection, scope, created"},
};

/* In seconds. A lock or a statement that takes too long fails on the server, and a server that does not even say so is
   given up at the end of the group's time. */
enum {
    GROUP_SECONDS = 6,
    SETTLE_SECONDS = 8,
    READ_SECONDS = 6, /* from one row to the next */
    START_SECONDS = 60,
    TRIES_MAX = 20,
    WRITER_SECONDS = 86400
};

/* What is acknowledged must be on disk, so a session may wait for more than the local disk, but not for less. Every
   statement has an index, and must use it also if it was planned while the tables were empty. */
#define SESSION                                                                                                        \
    "SELECT set_config('synchronous_commit', 'on', false)"                                                             \
    "  WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');"                                     \
    "SET search_path = podiumd; SET default_transaction_isolation = 'read committed'; SET jit = off;"                  \
    "SET enable_seqscan = off;"                                                                                        \
    "SET idle_in_transaction_session_timeout = '10s';"
/* No statement may take longer than a group. It must not be less either: a commit that waits for a standby would be cut
   short, and called done without the standby, before the group has given it up. */
#define PATIENCE "SET lock_timeout = '4s'; SET statement_timeout = '6s'"
/* A server that starts waits for others that do. The number of the lock is the letters of "podiumd". */
#define START_LOCK "31647674448309604"

typedef struct {
    store base;
    char *url;
    store_hash id; /* of this process, in the table of writers */
    pg_link writing;
    pool pool; /* of the connections that read */
    pg_link readings[POOL_SIZE];
    store_group group; /* at hand */
    int64_t last;      /* the number of the last group that was stored */
    _Atomic uint64_t keys_n;
    int64_t version; /* of the tokens */
    store_missing missing;
} pg_store;

static pg_store *of(store *s) {
    return (pg_store *)s;
}

/* ---- Statements ---- */

static void queue(pg_link *l, sql_kind which, const pg_arguments *a) {
    pg_send(l, sql[which].name, a);
}

static store_status finish(pg_store *s, pg_status status) {
    memcpy(s->base.message, s->writing.message, sizeof s->base.message);
    return status == PG_DONE ? STORE_OK : status == PG_WRONG ? STORE_WRONG : STORE_AWAY;
}

static pg_status fail(pg_link *l, pg_status status, const char *message) {
    if (l->status != PG_DONE)
        return l->status;
    snprintf(l->message, sizeof l->message, "%s", message);
    return l->status = status;
}

/* Runs one statement on the connection that writes. A connection that has died since it was used last is replaced,
   which must not matter to the statement. The caller clears the result. */
static pg_status run(pg_store *s, sql_kind which, const pg_arguments *a, PGresult **result) {
    pg_link *l = &s->writing;
    pg_status status = PG_LOST;
    *result = NULL;
    for (int tries = 0; tries < 2 && status == PG_LOST && pg_open(l); tries++) {
        l->deadline = seconds_now() + GROUP_SECONDS;
        pg_begin(l);
        queue(l, which, a);
        pg_flush(l);
        *result = pg_take(l);
        status = pg_end(l);
    }
    if (status != PG_DONE) {
        PQclear(*result);
        *result = NULL;
    }
    return status;
}

static void rollback(pg_link *l) {
    const pg_status status = l->status;
    char message[STORE_MESSAGE_MAX];
    memcpy(message, l->message, sizeof message);
    if (l->connection != NULL && !pg_done(l, "ROLLBACK"))
        pg_close(l);
    memcpy(l->message, message, sizeof message);
    l->status = status;
}

/* ---- Collections ---- */

static store_status collection(store *base, const char *name, const char *spec, int64_t *number) {
    pg_store *s = of(base);
    pg_arguments a = {.count = 0};
    PGresult *r;
    pg_text(&a, name);
    pg_text(&a, spec);
    pg_status status = run(s, ADD_COLLECTION, &a, &r);
    PQclear(r);
    a.count = 1;
    if (status == PG_DONE)
        status = run(s, FIND_COLLECTION, &a, &r);
    if (status != PG_DONE || PQntuples(r) != 1) {
        if (status == PG_DONE)
            PQclear(r);
        return finish(s, status == PG_DONE ? PG_AWAY : status);
    }
    *number = pg_get_number(r, 0, 0);
    const bool same = store_same_spec(base, name, pg_get_text(r, 0, 1), spec);
    PQclear(r);
    return same ? STORE_OK : STORE_WRONG;
}

/* ---- Appending: what is stored ---- */

static void name_place(pg_arguments *a, const group_sum *u) {
    pg_number(a, u->collection);
    pg_number(a, u->start);
    pg_number(a, u->period);
    pg_text(a, u->labels);
}

static void ask_keys(pg_link *l, const store_group *g) {
    text hashes = {.bytes = NULL};
    pg_arguments a = {.count = 0};
    pg_array_begin(&hashes, PG_BYTES, g->keys_n);
    for (size_t i = 0; i < g->keys_n; i++)
        pg_array_bytes(&hashes, g->keys[i].hash.bytes, STORE_HASH_BYTES);
    if (hashes.failed)
        fail(l, PG_AWAY, "out of memory");
    pg_array(&a, &hashes);
    queue(l, FIND_KEYS, &a);
    text_free(&hashes);
}

static void ask_all(pg_store *s) {
    pg_link *l = &s->writing;
    const store_group *g = &s->group;
    pg_arguments writer = {.count = 0};
    pg_bytes(&writer, s->id.bytes, STORE_HASH_BYTES);
    queue(l, BEGIN, NULL);
    queue(l, LOCK_WRITER, &writer);
    for (size_t i = 0; i < g->sums_n; i++) {
        pg_arguments a = {.count = 0};
        name_place(&a, &g->sums[i]);
        queue(l, FIND_SUM, &a);
    }
    ask_keys(l, g); /* after the sums are locked, so that the keys of those who held the locks are seen */
    queue(l, COUNT_KEYS, NULL);
    if (g->members_n == 0) /* the group only shows whether the store can be written */
        queue(l, LOCK_TABLES, NULL);
    pg_flush(l);
}

static void take_sum(pg_link *l, group_sum *u) {
    PGresult *r = pg_take(l);
    size_t n;
    if (r != NULL && PQntuples(r) == 1) {
        const unsigned char *state = pg_get_bytes(r, 0, 1, &n);
        if (!group_load(u, pg_get_number(r, 0, 0), state, n))
            fail(l, PG_WRONG, "a stored sum is damaged");
    }
    PQclear(r);
}

static void take_keys(pg_link *l, store_group *g) {
    PGresult *r = pg_take(l);
    for (int i = 0; r != NULL && i < PQntuples(r); i++) {
        size_t hash_n, body_n;
        const unsigned char *hash = pg_get_bytes(r, i, 0, &hash_n), *body = pg_get_bytes(r, i, 1, &body_n);
        group_key *k = hash_n == STORE_HASH_BYTES ? group_find_key(g, hash) : NULL;
        if (k != NULL)
            group_know(k, body, body_n, pg_get_number(r, i, 2), pg_get_number(r, i, 3));
    }
    PQclear(r);
}

/* Takes the number of a result that has one. Returns false if there is none. */
static bool take_number(pg_link *l, int64_t *x) {
    PGresult *r = pg_take(l);
    const bool found = r != NULL && PQntuples(r) == 1;
    if (found)
        *x = pg_get_number(r, 0, 0);
    PQclear(r);
    return found;
}

/* Locks what the group will change, and reads it. */
static pg_status load_group(pg_store *s) {
    pg_link *l = &s->writing;
    store_group *g = &s->group;
    int64_t keys = 0;
    pg_begin(l);
    ask_all(s);
    PQclear(pg_take(l)); /* of BEGIN */
    const bool known = take_number(l, &s->last);
    for (size_t i = 0; i < g->sums_n; i++)
        take_sum(l, &g->sums[i]);
    take_keys(l, g);
    if (take_number(l, &keys))
        s->keys_n = keys < 0 ? 0 : (uint64_t)keys;
    if (pg_end(l) == PG_DONE && !known) { /* another server took this one for dead; a new connection begins again */
        rollback(l);
        pg_close(l);
        l->status = PG_LOST;
    }
    return l->status;
}

/* ---- Appending: what is new ---- */

static void write_sum(pg_link *l, const group_sum *u) {
    unsigned char state[PODIUM_AGGREGATE_BYTES_MAX];
    const size_t n = podium_aggregate_encode(&u->aggregate, state, sizeof state);
    pg_arguments a = {.count = 0};
    if (u->number == 0)
        name_place(&a, u);
    else
        pg_number(&a, u->number);
    pg_bytes(&a, state, n);
    queue(l, u->number == 0 ? ADD_SUM : SET_SUM, &a);
}

static void write_keys(pg_link *l, const store_group *g, size_t added) {
    text columns[4] = {{.bytes = NULL}};
    pg_arguments a = {.count = 0};
    for (size_t i = 0; i < 4; i++)
        pg_array_begin(&columns[i], i < 2 ? PG_BYTES : PG_NUMBERS, added);
    for (size_t i = 0; i < g->keys_n; i++) {
        const group_key *k = &g->keys[i];
        if (!k->added)
            continue;
        pg_array_bytes(&columns[0], k->hash.bytes, STORE_HASH_BYTES);
        pg_array_bytes(&columns[1], k->body.bytes, STORE_HASH_BYTES);
        pg_array_number(&columns[2], (int64_t)k->accepted);
        pg_array_number(&columns[3], (int64_t)k->refused);
    }
    pg_number(&a, g->policy->now);
    for (size_t i = 0; i < 4; i++) {
        pg_array(&a, &columns[i]);
        if (columns[i].failed)
            fail(l, PG_AWAY, "out of memory");
    }
    queue(l, ADD_KEYS, &a);
    for (size_t i = 0; i < 4; i++)
        text_free(&columns[i]);
}

static void write_reports(pg_link *l, const store_entry *e, int64_t start) {
    size_t reports_n, codes_n;
    unsigned char *bytes = batch_encode(e->batch, &reports_n, &codes_n);
    pg_arguments a = {.count = 0};
    if (bytes == NULL) {
        fail(l, PG_AWAY, "out of memory");
        return;
    }
    pg_number(&a, e->collection);
    pg_number(&a, start);
    pg_text(&a, e->labels);
    pg_bytes(&a, reports_n == 0 ? NULL : bytes, reports_n);
    pg_bytes(&a, codes_n == 0 ? NULL : bytes + reports_n, codes_n);
    queue(l, ADD_REPORTS, &a);
    free(bytes);
}

static void write_mark(pg_store *s, uint64_t keys_added) {
    const store_policy *policy = s->group.policy;
    pg_arguments a = {.count = 0};
    pg_bytes(&a, s->id.bytes, STORE_HASH_BYTES);
    pg_number(&a, s->last + 1);
    pg_number(&a, policy->now);
    pg_number(&a, (int64_t)keys_added);
    pg_number(&a, policy->now - WRITER_SECONDS);
    pg_number(&a, policy->now - policy->key_seconds);
    queue(&s->writing, MARK, &a);
}

static void send_group(pg_store *s, uint64_t keys_added) {
    pg_link *l = &s->writing;
    const store_group *g = &s->group;
    for (size_t i = 0; i < g->sums_n; i++)
        if (g->sums[i].changed)
            write_sum(l, &g->sums[i]);
    if (keys_added > 0)
        write_keys(l, g, keys_added);
    for (size_t i = 0; i < g->members_n; i++)
        if (group_keeps(g, g->members[i].entry))
            write_reports(l, g->members[i].entry, g->sums[g->members[i].sum].start);
    write_mark(s, keys_added);
}

/* Writes and commits. Sets *unknown if the commit may have been sent and was not answered. */
static pg_status write_group(pg_store *s, bool *unknown) {
    pg_link *l = &s->writing;
    const uint64_t added = group_add(&s->group, s->keys_n);
    pg_begin(l);
    send_group(s, added);
    queue(l, COMMIT, NULL);
    pg_flush(l);
    const pg_status status = pg_end(l);
    *unknown = status == PG_LOST;
    s->keys_n += status == PG_DONE ? added : 0;
    return status;
}

/* Finds out what became of a commit that was not answered: PG_DONE if it is stored, PG_AGAIN if it never will be, and
   PG_LOST if that cannot be learnt in time. */
static pg_status settle(pg_store *s) {
    const double end = seconds_now() + SETTLE_SECONDS;
    pg_arguments a = {.count = 0};
    pg_bytes(&a, s->id.bytes, STORE_HASH_BYTES);
    while (seconds_now() < end) {
        PGresult *r;
        const pg_status status = run(s, LOCK_WRITER, &a, &r);
        const bool stored = status == PG_DONE && PQntuples(r) == 1 && pg_get_number(r, 0, 0) > s->last;
        PQclear(r);
        if (status == PG_DONE)
            return stored ? PG_DONE : PG_AGAIN;
        sleep_for(0.05);
    }
    return PG_LOST;
}

static pg_status try_group(pg_store *s, store_entry *const *entries, size_t count, const store_policy *policy,
                           bool *unknown) {
    pg_link *l = &s->writing;
    if (!group_begin(&s->group, entries, count, policy)) {
        l->status = PG_DONE;
        return fail(l, PG_AWAY, "out of memory");
    }
    pg_status status = load_group(s);
    if (status == PG_DONE)
        status = write_group(s, unknown);
    if (status != PG_DONE)
        rollback(l);
    return status;
}

static store_status append(store *base, store_entry *const *entries, size_t count, const store_policy *policy) {
    pg_store *s = of(base);
    const double end = seconds_now() + GROUP_SECONDS;
    pg_status status = PG_LOST;
    for (int tries = 0; tries < TRIES_MAX && seconds_now() < end && pg_open(&s->writing); tries++) {
        bool unknown = false;
        sleep_for(1e-3 * tries);
        s->writing.deadline = end;
        status = try_group(s, entries, count, policy, &unknown);
        if (unknown && count > 0 && (status = settle(s)) == PG_LOST) {
            finish(s, status);
            return STORE_UNKNOWN;
        }
        if (status != PG_AGAIN && status != PG_LOST)
            break;
    }
    return finish(s, status);
}

/* The server tidies up after itself, by autovacuum. */
static void tidy(store *base) {
    (void)base;
}

/* ---- Reading ---- */

/* Rows of a statement, on their way to whoever reads them */
typedef struct {
    pg_link *link;
    pg_reader *reader;
    void *context;
    bool begun;
} row_reading;

static bool pass_row(void *context, const PGresult *r) {
    row_reading *reading = context;
    reading->begun = true;
    reading->link->deadline = seconds_now() + READ_SECONDS;
    return reading->reader(reading->context, r);
}

/* Reads, and once more with a new connection if the old one had died before the first row came. */
static pg_status read_all(pg_link *l, sql_kind which, const pg_arguments *a, pg_reader *reader, void *context) {
    row_reading reading = {l, reader, context, false};
    pg_status status = PG_LOST;
    for (int tries = 0; tries < 2 && status == PG_LOST && !reading.begun && pg_open(l); tries++) {
        l->deadline = seconds_now() + READ_SECONDS;
        status = pg_read(l, sql[which].name, a, pass_row, &reading);
    }
    return status;
}

typedef struct {
    store_row_reader *reader;
    void *context;
} sum_reading;

static store_row row_of(const PGresult *r, int i) {
    store_row row = {
        .labels = pg_get_text(r, i, 0), .start = pg_get_number(r, i, 1), .period = (uint32_t)pg_get_number(r, i, 2)};
    row.state = pg_get_bytes(r, i, 3, &row.n);
    return row;
}

static bool read_sum(void *context, const PGresult *r) {
    const sum_reading *reading = context;
    const store_row row = row_of(r, 0);
    return reading->reader(reading->context, &row);
}

static store_status read_sums(store *base, int64_t number, int64_t from, int64_t to, store_row_reader *reader,
                              void *context) {
    pg_store *s = of(base);
    sum_reading reading = {reader, context};
    pg_arguments a = {.count = 0};
    pg_number(&a, number);
    pg_number(&a, from);
    pg_number(&a, to);
    const size_t taken = pool_take(&s->pool);
    const pg_status status = read_all(&s->readings[taken], READ_SUMS, &a, read_sum, &reading);
    pool_return(&s->pool, taken);
    return status == PG_DONE ? STORE_OK : status == PG_WRONG ? STORE_WRONG : STORE_AWAY;
}

/* ---- Rolling up ---- */

static pg_status find_day(pg_store *s, roll_place *place, int64_t before, bool *found) {
    pg_arguments a = {.count = 0};
    PGresult *r;
    pg_number(&a, place->collection);
    pg_number(&a, before);
    const pg_status status = run(s, FIRST_HOUR, &a, &r);
    *found = status == PG_DONE && PQntuples(r) == 1;
    if (*found)
        place->day = pg_get_number(r, 0, 0);
    place->day -= place->day % DAY;
    PQclear(r);
    return status;
}

/* If another server rolls up the same day, this one waits until it has, and then finds no hours. */
static pg_status load_day(pg_store *s, const roll_place *place) {
    pg_link *l = &s->writing;
    pg_arguments a = {.count = 0};
    pg_number(&a, place->collection);
    pg_number(&a, place->day);
    pg_number(&a, place->day + DAY);
    pg_begin(l);
    queue(l, BEGIN, NULL);
    queue(l, LOCK_SUMS, &a);
    queue(l, DAY_SUMS, &a);
    pg_flush(l);
    PQclear(pg_take(l));
    PQclear(pg_take(l));
    PGresult *r = pg_take(l);
    for (int i = 0; r != NULL && l->status == PG_DONE && i < PQntuples(r); i++) {
        const store_row row = row_of(r, i);
        if (!group_roll(&s->group, place, &row, pg_get_number(r, i, 4)))
            fail(l, PG_WRONG, "a sum is damaged, or a day has too many reports");
    }
    PQclear(r);
    return pg_end(l);
}

/* Deletes the very sums that were read, and no other that may have come meanwhile. */
static pg_status write_day(pg_store *s) {
    pg_link *l = &s->writing;
    const store_group *g = &s->group;
    pg_begin(l);
    for (size_t i = 0; i < g->sums_n; i++)
        if (g->sums[i].changed)
            write_sum(l, &g->sums[i]);
    for (size_t i = 0; i < g->rolled_n; i++) {
        pg_arguments a = {.count = 0};
        pg_number(&a, g->rolled[i]);
        queue(l, DROP_SUM, &a);
    }
    queue(l, COMMIT, NULL);
    pg_flush(l);
    return pg_end(l);
}

/* A commit that was not answered does no harm: the next call finds the day as it is then. */
static store_status roll_up(store *base, int64_t number, const podium_collection *ready, int64_t before,
                            uint64_t *rows) {
    pg_store *s = of(base);
    roll_place place = {.collection = number, .ready = ready};
    bool found = false;
    *rows = 0;
    pg_status status = find_day(s, &place, before, &found);
    if (!found)
        return finish(s, status);
    s->writing.deadline = seconds_now() + GROUP_SECONDS;
    group_roll_begin(&s->group);
    status = load_day(s, &place);
    if (status == PG_DONE)
        status = write_day(s);
    if (status != PG_DONE)
        rollback(&s->writing);
    *rows = status == PG_DONE ? s->group.rolled_n : 0;
    group_roll_end(&s->group);
    return finish(s, status);
}

/* ---- Deleting ---- */

static uint64_t take_count(pg_link *l) {
    PGresult *r = pg_take(l);
    const uint64_t count = r == NULL ? 0 : strtoull(PQcmdTuples(r), NULL, 10);
    PQclear(r);
    return count;
}

/* Deletes some thousand sums and kept reports in one transaction, so that it is done in time, and sets how many. */
static pg_status remove_some(pg_store *s, const pg_arguments *span, uint64_t *sums, uint64_t *reports) {
    static const sql_kind steps[] = {LOCK_SUMS, DELETE_REPORTS, DELETE_SUMS, COMMIT};
    pg_link *l = &s->writing;
    pg_begin(l);
    queue(l, BEGIN, NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        queue(l, steps[i], steps[i] == COMMIT ? NULL : span);
    pg_flush(l);
    take_count(l); /* of BEGIN and LOCK_SUMS */
    take_count(l);
    *reports = take_count(l);
    *sums = take_count(l);
    const pg_status status = pg_end(l);
    if (status != PG_DONE)
        rollback(l);
    return status;
}

/* Whoever deletes may well do so again, so nobody finds out what became of a commit that was not answered. */
static store_status remove_sums(store *base, int64_t number, int64_t from, int64_t to, uint64_t *rows) {
    pg_store *s = of(base);
    pg_status status;
    uint64_t sums, reports;
    int tries = 0;
    pg_arguments a = {.count = 0};
    pg_number(&a, number);
    pg_number(&a, from);
    pg_number(&a, to);
    *rows = 0;
    do {
        if (!pg_open(&s->writing))
            return finish(s, PG_LOST);
        s->writing.deadline = seconds_now() + GROUP_SECONDS;
        status = remove_some(s, &a, &sums, &reports);
        *rows += status == PG_DONE ? sums : 0;
        tries = status == PG_AGAIN ? tries + 1 : 0;
    } while ((status == PG_AGAIN && tries < TRIES_MAX) || (status == PG_DONE && sums + reports > 0));
    const store_status result = finish(s, status);
    return status == PG_LOST ? STORE_UNKNOWN : result;
}

/* ---- Tokens ---- */

typedef struct {
    store_token_reader *reader;
    void *context;
} token_reading;

static bool read_token(void *context, const PGresult *r) {
    const token_reading *reading = context;
    store_token t = {.created = pg_get_number(r, 0, 3)};
    size_t n;
    const unsigned char *hash = pg_get_bytes(r, 0, 0, &n);
    if (n != STORE_HASH_BYTES)
        return true;
    memcpy(t.hash.bytes, hash, n);
    snprintf(t.collection, sizeof t.collection, "%s", pg_get_text(r, 0, 1));
    snprintf(t.scope, sizeof t.scope, "%s", pg_get_text(r, 0, 2));
    return reading->reader(reading->context, &t);
}

static store_status read_tokens(store *base, store_token_reader *reader, void *context) {
    pg_store *s = of(base);
    token_reading reading = {reader, context};
    const size_t taken = pool_take(&s->pool);
    const pg_status status = read_all(&s->readings[taken], READ_TOKENS, NULL, read_token, &reading);
    memcpy(s->writing.message, s->readings[taken].message, sizeof s->writing.message);
    pool_return(&s->pool, taken);
    return finish(s, status);
}

static store_status token_add(store *base, const store_token *t) {
    pg_store *s = of(base);
    pg_arguments a = {.count = 0};
    PGresult *r;
    pg_bytes(&a, t->hash.bytes, STORE_HASH_BYTES);
    pg_text(&a, t->collection);
    pg_text(&a, t->scope);
    pg_number(&a, t->created);
    const pg_status status = run(s, ADD_TOKEN, &a, &r);
    PQclear(r);
    return finish(s, status);
}

static store_status token_remove(store *base, const store_hash *hash, uint64_t *removed) {
    pg_store *s = of(base);
    pg_arguments a = {.count = 0};
    PGresult *r;
    pg_bytes(&a, hash->bytes, STORE_HASH_BYTES);
    const pg_status status = run(s, DROP_TOKEN, &a, &r);
    *removed = status == PG_DONE ? strtoull(PQcmdTuples(r), NULL, 10) : 0;
    PQclear(r);
    return finish(s, status);
}

static store_status check(store *base, bool *changed) {
    pg_store *s = of(base);
    PGresult *r;
    const pg_status status = run(s, CHECK, NULL, &r);
    *changed = status == PG_DONE && PQntuples(r) == 1 && pg_get_number(r, 0, 0) != s->version;
    if (*changed)
        s->version = pg_get_number(r, 0, 0);
    PQclear(r);
    return finish(s, status);
}

static uint64_t keys(store *base) {
    return of(base)->keys_n;
}

static store_status backup(store *base, const char *path) {
    (void)path;
    snprintf(base->message, sizeof base->message,
             "PostgreSQL makes its own backups, also while servers run: pg_dump --schema=podiumd --format=custom "
             "--file=FILE URL, and pg_restore --dbname=URL FILE into an empty database");
    return STORE_WRONG;
}

/* ---- Opening and closing ---- */

/* The format of the store, -1 if the server does not say, and 0 if there is none */
static int64_t read_format(pg_link *l) {
    PGresult *r = pg_run(l, "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('podiumd.store')");
    const bool known = r != NULL && strcmp(PQgetvalue(r, 0, 0), "1") == 0;
    int64_t format = r == NULL ? -1 : 0;
    PQclear(r);
    if (!known)
        return format;
    r = pg_run(l, "SELECT format FROM store");
    format = r == NULL || PQntuples(r) != 1 ? -1 : strtoll(PQgetvalue(r, 0, 0), NULL, 10);
    PQclear(r);
    return format;
}

/* Also after a reconnection, because another server may have brought the store to a newer format meanwhile */
static bool check_format(pg_link *l) {
    const int64_t format = read_format(l);
    if (format == STORE_FORMAT)
        return true;
    if (format >= 0 && l->connection != NULL)
        snprintf(l->message, sizeof l->message,
                 "the store has format %lld, and this podiumd needs format %d; use %s podiumd", (long long)format,
                 STORE_FORMAT, format > STORE_FORMAT ? "a newer" : "the current");
    return false;
}

static bool prepare_from_to(pg_link *l, sql_kind from, sql_kind to) {
    for (sql_kind i = from; i < to; i++)
        if (!pg_name(l, sql[i].name, sql[i].text))
            return false;
    return true;
}

/* The row exists before the first transaction that locks it, so that nobody can overlook that one. */
static bool add_writer(pg_link *l) {
    const pg_store *s = l->owner;
    pg_arguments a = {.count = 0};
    pg_bytes(&a, s->id.bytes, STORE_HASH_BYTES);
    pg_number(&a, (int64_t)time(NULL));
    pg_begin(l);
    queue(l, ADD_WRITER, &a);
    pg_flush(l);
    return pg_end(l) == PG_DONE;
}

static bool prepare_writing(pg_link *l) {
    return pg_done(l, SESSION PATIENCE) && check_format(l) && prepare_from_to(l, BEGIN, READ_SUMS) && add_writer(l);
}

static bool prepare_reading(pg_link *l) {
    return pg_done(l, SESSION "SET statement_timeout = '30s'; SET default_transaction_read_only = on") &&
           check_format(l) && prepare_from_to(l, READ_SUMS, STATEMENTS);
}

/* Brings the store to the current format. Two servers that start at once do so one after the other. */
static bool migrate(pg_link *l) {
    const pg_store *s = l->owner;
    int64_t format = read_format(l);
    if (format == 0 && s->missing == STORE_MUST_EXIST) {
        snprintf(l->message, sizeof l->message, "there is no store of podiumd in this database");
        return false;
    }
    if (format == 0 &&
        !pg_done(l, "DO $$ BEGIN IF to_regnamespace('podiumd') IS NULL THEN CREATE SCHEMA podiumd; END IF; END $$"))
        return false;
    for (; format >= 0 && format < STORE_FORMAT; format++) {
        char statements[8192];
        snprintf(statements, sizeof statements, "BEGIN; %s UPDATE store SET format = %lld; COMMIT", migrations[format],
                 (long long)format + 1);
        if (!pg_done(l, statements))
            return false;
    }
    return format >= 0;
}

static void warn_of_fsync(pg_link *l) {
    PGresult *r = pg_run(l, "SHOW fsync");
    if (r != NULL && strcmp(PQgetvalue(r, 0, 0), "on") != 0)
        log_line(LOG_ERROR, "the database runs with fsync = off, so what is acknowledged can be lost with the power");
    PQclear(r);
}

static bool prepare_first(pg_link *l) {
    l->deadline = seconds_now() + START_SECONDS;
    if (!pg_done(l, SESSION "SELECT pg_advisory_lock(" START_LOCK ")") || !migrate(l))
        return false;
    warn_of_fsync(l);
    return prepare_writing(l);
}

static void started(store *base) {
    pg_done(&of(base)->writing, "SELECT pg_advisory_unlock(" START_LOCK ")");
}

static void close_store(store *base) {
    pg_store *s = of(base);
    pg_close(&s->writing);
    for (size_t i = 0; i < POOL_SIZE; i++)
        pg_close(&s->readings[i]);
    pool_destroy(&s->pool);
    group_free(&s->group);
    free(s->url);
    free(s);
}

static const store_table table = {
    .name = "postgresql",
    .collection = collection,
    .append = append,
    .tidy = tidy,
    .read = read_sums,
    .roll_up = roll_up,
    .remove = remove_sums,
    .tokens = read_tokens,
    .token_add = token_add,
    .token_remove = token_remove,
    .check = check,
    .keys = keys,
    .backup = backup,
    .started = started,
    .close = close_store,
};

/* libpq's own message would quote the URL with its password. */
static bool check_url(const char *url, char message[STORE_MESSAGE_MAX]) {
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    snprintf(message, STORE_MESSAGE_MAX, "this is not a URL such as postgresql://USER@HOST:PORT/NAME");
    PQconninfoFree(options);
    return options != NULL;
}

static bool open_first(pg_store *s, char message[STORE_MESSAGE_MAX]) {
    bool changed;
    const bool open = pg_open(&s->writing) && check(&s->base, &changed) == STORE_OK;
    memcpy(message, s->writing.message, STORE_MESSAGE_MAX);
    s->writing.prepare = prepare_writing;
    return open;
}

store *store_postgres_open(const char *url, store_missing missing, char message[STORE_MESSAGE_MAX]) {
    pg_store *s = calloc(1, sizeof *s);
    snprintf(message, STORE_MESSAGE_MAX, "out of memory");
    if (s == NULL)
        return NULL;
    s->base.does = &table;
    s->version = -1;
    s->missing = missing;
    s->url = strdup(url); /* a reload replaces the configuration */
    s->writing = (pg_link){.url = s->url, .prepare = prepare_first, .owner = s};
    for (size_t i = 0; i < POOL_SIZE; i++)
        s->readings[i] = (pg_link){.url = s->url, .prepare = prepare_reading, .owner = s};
    pool_init(&s->pool);
    if (s->url != NULL && RAND_bytes(s->id.bytes, STORE_HASH_BYTES) == 1 && check_url(url, message) &&
        open_first(s, message))
        return &s->base;
    close_store(&s->base);
    return NULL;
}
