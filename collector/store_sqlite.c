/* The store in SQLite: one file in a directory, with a log that is written first (WAL) and synchronised at every
   commit. One connection writes and a few read, so that no estimate waits for a commit, and no commit for an estimate.
 */
#include "pool.h"
#include "store_group.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION = 0x506f6469 }; /* "Podi", in the header of the file */
enum { WAL_PAGES_MAX = 2000 };

/* From one format to the next; the store has the format of how many of these have run. */
static const char *const migrations[STORE_FORMAT] = {
    "CREATE TABLE collections (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL);"
    "CREATE TABLE sums (number INTEGER PRIMARY KEY, collection INTEGER NOT NULL REFERENCES collections,"
    "  start INTEGER NOT NULL, period INTEGER NOT NULL, labels TEXT NOT NULL, state BLOB NOT NULL,"
    "  UNIQUE (collection, start, period, labels));"
    "CREATE TABLE keys (hash BLOB PRIMARY KEY, body BLOB NOT NULL, at INTEGER NOT NULL, accepted INTEGER NOT NULL,"
    "  refused INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX keys_at ON keys (at);"
    "CREATE TABLE tokens (hash BLOB PRIMARY KEY, collection TEXT NOT NULL, scope TEXT NOT NULL,"
    "  created INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE reports (collection INTEGER NOT NULL, start INTEGER NOT NULL, labels TEXT NOT NULL,"
    "  reports BLOB, codes BLOB);"
    "CREATE INDEX reports_start ON reports (collection, start);",
};

typedef enum {
    BEGIN,
    COMMIT,
    ROLLBACK,
    FIND_COLLECTION,
    ADD_COLLECTION,
    FIND_SUM,
    ADD_SUM,
    SET_SUM,
    ADD_KEY,
    FIND_KEY,
    DROP_OLD_KEYS,
    COUNT_KEYS,
    ADD_REPORTS,
    DELETE_SUMS,
    DELETE_REPORTS,
    FIRST_HOUR,
    DAY_SUMS,
    DROP_SUM,
    ADD_TOKEN,
    DROP_TOKEN,
    CHANGED,
    PROBE,
    READ_SUMS, /* from here on, of the connections that read */
    READ_TOKENS,
    STATEMENTS
} sql_kind;

static const char *const sql[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [FIND_COLLECTION] = "SELECT number, spec FROM collections WHERE name = ?1",
    [ADD_COLLECTION] = "INSERT INTO collections (name, spec) VALUES (?1, ?2)",
    [FIND_SUM] = "SELECT number, state FROM sums WHERE collection = ?1 AND start = ?2 AND period = ?3 AND labels = ?4",
    [ADD_SUM] = "INSERT INTO sums (collection, start, period, labels, state) VALUES (?1, ?2, ?3, ?4, ?5)",
    [SET_SUM] = "UPDATE sums SET state = ?2 WHERE number = ?1",
    [ADD_KEY] = "INSERT INTO keys (hash, body, at, accepted, refused) VALUES (?1, ?2, ?3, ?4, ?5)",
    [FIND_KEY] = "SELECT body, accepted, refused FROM keys WHERE hash = ?1",
    [DROP_OLD_KEYS] = "DELETE FROM keys WHERE hash IN (SELECT hash FROM keys WHERE at < ?1 LIMIT 1000)",
    [COUNT_KEYS] = "SELECT count(*) FROM keys",
    [ADD_REPORTS] = "INSERT INTO reports (collection, start, labels, reports, codes) VALUES (?1, ?2, ?3, ?4, ?5)",
    [DELETE_SUMS] = "DELETE FROM sums WHERE collection = ?1 AND start >= ?2 AND start < ?3",
    [DELETE_REPORTS] = "DELETE FROM reports WHERE collection = ?1 AND start >= ?2 AND start < ?3",
    [FIRST_HOUR] =
        "SELECT start FROM sums WHERE collection = ?1 AND start < ?2 AND period = 3600 ORDER BY start LIMIT 1",
    [DAY_SUMS] =
        "SELECT labels, start, period, state, number FROM sums WHERE collection = ?1 AND start BETWEEN ?2 AND ?2 + 86399 ORDER BY 1, 2",
    [DROP_SUM] = "DELETE FROM sums WHERE number = ?1",
    [ADD_TOKEN] = "INSERT INTO tokens (hash, collection, scope, created) VALUES (?1, ?2, ?3, ?4)",
    [DROP_TOKEN] = "DELETE FROM tokens WHERE hash = ?1",
    [CHANGED] = "PRAGMA data_version",
    [PROBE] = "UPDATE collections SET name = name WHERE number = (SELECT min(number) FROM collections)",
    [READ_SUMS] =
        "SELECT labels, start, period, state FROM sums WHERE collection = ?1 AND start >= ?2 AND start < ?3 ORDER BY 2, 3, 1",
    [READ_TOKENS] = "SELECT hash, collection, scope, created FROM tokens ORDER BY collection, scope, created",
};

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS - READ_SUMS];
} reading;

typedef struct {
    store base;
    sqlite3 *writing;
    sqlite3_stmt *statements[READ_SUMS];
    pool pool; /* of the connections that read */
    reading readings[POOL_SIZE];
    store_group group; /* at hand */
    _Atomic uint64_t keys_n;
    int wal_pages;
    int64_t version; /* SQLite's number for the last change by another process */
} sqlite_store;

static sqlite_store *of(store *s) {
    return (sqlite_store *)s;
}

/* ---- Statements ---- */

static store_status status_of(sqlite3 *db) {
    const int code = sqlite3_errcode(db);
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? STORE_WRONG : STORE_AWAY;
}

static store_status failed(sqlite_store *s, sqlite3 *db) {
    const int error = status_of(db) == STORE_AWAY ? sqlite3_system_errno(db) : 0;
    snprintf(s->base.message, sizeof s->base.message, "%s%s%s", sqlite3_errmsg(db), error == 0 ? "" : ": ",
             error == 0 ? "" : strerror(error));
    return status_of(db);
}

static store_status out_of_memory(sqlite_store *s) {
    snprintf(s->base.message, sizeof s->base.message, "out of memory");
    return STORE_AWAY;
}

/* Runs a statement that returns no row, with the arguments that are bound to it. */
static store_status run(sqlite_store *s, sql_kind which) {
    sqlite3_stmt *statement = s->statements[which];
    const int code = sqlite3_step(statement);
    const store_status status = code == SQLITE_DONE || code == SQLITE_ROW ? STORE_OK : failed(s, s->writing);
    sqlite3_reset(statement);
    return status;
}

static void bind_hash(sqlite3_stmt *statement, int at, const store_hash *hash) {
    sqlite3_bind_blob(statement, at, hash->bytes, STORE_HASH_BYTES, SQLITE_STATIC);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *string) {
    sqlite3_bind_text(statement, at, string, -1, SQLITE_STATIC);
}

static const char *column_text(sqlite3_stmt *statement, int at) {
    const unsigned char *string = sqlite3_column_text(statement, at);
    return string == NULL ? "" : (const char *)string;
}

/* Steps to the only row. found is whether there is one; if so, the caller resets the statement. */
static store_status find(sqlite_store *s, sql_kind which, bool *found) {
    const int code = sqlite3_step(s->statements[which]);
    *found = code == SQLITE_ROW;
    if (*found)
        return STORE_OK;
    const store_status status = code == SQLITE_DONE ? STORE_OK : failed(s, s->writing);
    sqlite3_reset(s->statements[which]);
    return status;
}

static store_status count_keys(sqlite_store *s) {
    bool found;
    const store_status status = find(s, COUNT_KEYS, &found);
    if (!found)
        return status;
    s->keys_n = (uint64_t)sqlite3_column_int64(s->statements[COUNT_KEYS], 0);
    sqlite3_reset(s->statements[COUNT_KEYS]);
    return STORE_OK;
}

/* ---- Collections ---- */

static store_status collection(store *base, const char *name, const char *spec, int64_t *number) {
    sqlite_store *s = of(base);
    bool found;
    bind_text(s->statements[FIND_COLLECTION], 1, name);
    store_status status = find(s, FIND_COLLECTION, &found);
    if (found) {
        *number = sqlite3_column_int64(s->statements[FIND_COLLECTION], 0);
        if (!store_same_spec(base, name, column_text(s->statements[FIND_COLLECTION], 1), spec))
            status = STORE_WRONG;
        sqlite3_reset(s->statements[FIND_COLLECTION]);
        return status;
    }
    if (status != STORE_OK)
        return status;
    bind_text(s->statements[ADD_COLLECTION], 1, name);
    bind_text(s->statements[ADD_COLLECTION], 2, spec);
    status = run(s, ADD_COLLECTION);
    *number = sqlite3_last_insert_rowid(s->writing);
    return status;
}

/* ---- Appending ---- */

static void bind_place(sqlite3_stmt *statement, const group_sum *u) {
    sqlite3_bind_int64(statement, 1, u->collection);
    sqlite3_bind_int64(statement, 2, u->start);
    sqlite3_bind_int64(statement, 3, u->period);
    bind_text(statement, 4, u->labels);
}

static store_status load_sum(sqlite_store *s, group_sum *u) {
    sqlite3_stmt *statement = s->statements[FIND_SUM];
    bool found;
    bind_place(statement, u);
    store_status status = find(s, FIND_SUM, &found);
    if (!found)
        return status;
    if (!group_load(u, sqlite3_column_int64(statement, 0), sqlite3_column_blob(statement, 1),
                    (size_t)sqlite3_column_bytes(statement, 1))) {
        snprintf(s->base.message, sizeof s->base.message, "the sum with the number %lld is damaged",
                 (long long)u->number);
        status = STORE_WRONG;
    }
    sqlite3_reset(statement);
    return status;
}

static store_status load_key(sqlite_store *s, group_key *k) {
    sqlite3_stmt *statement = s->statements[FIND_KEY];
    bool found;
    bind_hash(statement, 1, &k->hash);
    const store_status status = find(s, FIND_KEY, &found);
    if (!found)
        return status;
    group_know(k, sqlite3_column_blob(statement, 0), (size_t)sqlite3_column_bytes(statement, 0),
               sqlite3_column_int64(statement, 1), sqlite3_column_int64(statement, 2));
    sqlite3_reset(statement);
    return STORE_OK;
}

static store_status load_all(sqlite_store *s) {
    store_group *g = &s->group;
    store_status status = STORE_OK;
    for (size_t i = 0; i < g->keys_n && status == STORE_OK; i++)
        status = load_key(s, &g->keys[i]);
    for (size_t i = 0; i < g->sums_n && status == STORE_OK; i++)
        status = load_sum(s, &g->sums[i]);
    return status;
}

static store_status write_sum(sqlite_store *s, const group_sum *u) {
    unsigned char state[PODIUM_AGGREGATE_BYTES_MAX];
    const size_t n = podium_aggregate_encode(&u->aggregate, state, sizeof state);
    const sql_kind which = u->number == 0 ? ADD_SUM : SET_SUM;
    sqlite3_stmt *statement = s->statements[which];
    if (which == ADD_SUM)
        bind_place(statement, u);
    else
        sqlite3_bind_int64(statement, 1, u->number);
    sqlite3_bind_blob64(statement, which == ADD_SUM ? 5 : 2, state, n, SQLITE_STATIC);
    return run(s, which);
}

static store_status write_key(sqlite_store *s, const group_key *k, int64_t now) {
    sqlite3_stmt *statement = s->statements[ADD_KEY];
    bind_hash(statement, 1, &k->hash);
    bind_hash(statement, 2, &k->body);
    sqlite3_bind_int64(statement, 3, now);
    sqlite3_bind_int64(statement, 4, (int64_t)k->accepted);
    sqlite3_bind_int64(statement, 5, (int64_t)k->refused);
    return run(s, ADD_KEY);
}

static void bind_array(sqlite3_stmt *statement, int at, const unsigned char *array, size_t bytes) {
    if (bytes == 0)
        sqlite3_bind_null(statement, at);
    else
        sqlite3_bind_blob64(statement, at, array, bytes, SQLITE_STATIC);
}

static store_status write_reports(sqlite_store *s, const store_entry *e, int64_t start) {
    sqlite3_stmt *statement = s->statements[ADD_REPORTS];
    size_t reports_n, codes_n;
    unsigned char *bytes = batch_encode(e->batch, &reports_n, &codes_n);
    if (bytes == NULL)
        return out_of_memory(s);
    sqlite3_bind_int64(statement, 1, e->collection);
    sqlite3_bind_int64(statement, 2, start);
    bind_text(statement, 3, e->labels);
    bind_array(statement, 4, bytes, reports_n);
    bind_array(statement, 5, bytes + reports_n, codes_n);
    const store_status status = run(s, ADD_REPORTS);
    free(bytes);
    return status;
}

static store_status write_all(sqlite_store *s) {
    const store_group *g = &s->group;
    store_status status = STORE_OK;
    for (size_t i = 0; i < g->sums_n && status == STORE_OK; i++)
        if (g->sums[i].changed)
            status = write_sum(s, &g->sums[i]);
    for (size_t i = 0; i < g->keys_n && status == STORE_OK; i++)
        if (g->keys[i].added)
            status = write_key(s, &g->keys[i], g->policy->now);
    for (size_t i = 0; i < g->members_n && status == STORE_OK; i++)
        if (group_keeps(g, g->members[i].entry))
            status = write_reports(s, g->members[i].entry, g->sums[g->members[i].sum].start);
    return status;
}

static store_status drop_old_keys(sqlite_store *s, const store_policy *policy) {
    sqlite3_bind_int64(s->statements[DROP_OLD_KEYS], 1, policy->now - policy->key_seconds);
    const store_status status = run(s, DROP_OLD_KEYS);
    if (status == STORE_OK)
        s->keys_n -= (uint64_t)sqlite3_changes(s->writing);
    return status;
}

static store_status append_all(sqlite_store *s, store_entry *const *entries, size_t count, const store_policy *policy) {
    if (!group_begin(&s->group, entries, count, policy))
        return out_of_memory(s);
    store_status status = drop_old_keys(s, policy);
    if (status == STORE_OK)
        status = load_all(s);
    if (status != STORE_OK)
        return status;
    s->keys_n += group_add(&s->group, s->keys_n);
    return count > 0 ? write_all(s) : run(s, PROBE);
}

/* After a failure nothing of the group is left, neither in the file nor here. SQLite may have rolled back already, in
   which case ROLLBACK fails, and that does not matter. */
static void undo(sqlite_store *s) {
    char message[STORE_MESSAGE_MAX];
    memcpy(message, s->base.message, sizeof message);
    run(s, ROLLBACK);
    count_keys(s);
    s->wal_pages = WAL_PAGES_MAX; /* a log that can grow no more can still be copied, and then begun again */
    memcpy(s->base.message, message, sizeof message);
}

static store_status append(store *base, store_entry *const *entries, size_t count, const store_policy *policy) {
    sqlite_store *s = of(base);
    store_status status = run(s, BEGIN);
    if (status != STORE_OK)
        return status;
    status = append_all(s, entries, count, policy);
    if (status == STORE_OK)
        status = run(s, COMMIT);
    if (status != STORE_OK)
        undo(s);
    return status;
}

/* ---- Tidying ---- */

static int count_pages(void *context, sqlite3 *db, const char *name, int pages) {
    (void)db, (void)name;
    ((sqlite_store *)context)->wal_pages = pages;
    return SQLITE_OK;
}

/* Copies the log into the file when it has grown, after those who waited for the commit have their answers. */
static void tidy(store *base) {
    sqlite_store *s = of(base);
    if (s->wal_pages < WAL_PAGES_MAX)
        return;
    s->wal_pages = 0;
    sqlite3_wal_checkpoint_v2(s->writing, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* ---- Reading ---- */

static store_row row_of(sqlite3_stmt *statement) {
    return (store_row){.labels = column_text(statement, 0),
                       .start = sqlite3_column_int64(statement, 1),
                       .period = (uint32_t)sqlite3_column_int64(statement, 2),
                       .state = sqlite3_column_blob(statement, 3),
                       .n = (size_t)sqlite3_column_bytes(statement, 3)};
}

static store_status read_sums(store *base, int64_t number, int64_t from, int64_t to, store_row_reader *reader,
                              void *context) {
    sqlite_store *s = of(base);
    const size_t taken = pool_take(&s->pool);
    sqlite3_stmt *statement = s->readings[taken].statements[0];
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_int64(statement, 2, from);
    sqlite3_bind_int64(statement, 3, to);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const store_row row = row_of(statement);
        if (!reader(context, &row))
            break;
    }
    /* The message is the writer's, who may write one at this moment. */
    const bool good = code == SQLITE_DONE || code == SQLITE_ROW;
    const store_status status = good ? STORE_OK : status_of(s->readings[taken].db);
    sqlite3_reset(statement);
    pool_return(&s->pool, taken);
    return status;
}

/* ---- Rolling up ---- */

static store_status find_day(sqlite_store *s, roll_place *place, int64_t before, bool *found) {
    sqlite3_stmt *statement = s->statements[FIRST_HOUR];
    sqlite3_bind_int64(statement, 1, place->collection);
    sqlite3_bind_int64(statement, 2, before);
    const store_status status = find(s, FIRST_HOUR, found);
    if (!*found)
        return status;
    place->day = sqlite3_column_int64(statement, 0);
    place->day -= place->day % DAY;
    sqlite3_reset(statement);
    return STORE_OK;
}

static store_status load_day(sqlite_store *s, const roll_place *place) {
    sqlite3_stmt *statement = s->statements[DAY_SUMS];
    int code;
    bool good = true;
    sqlite3_bind_int64(statement, 1, place->collection);
    sqlite3_bind_int64(statement, 2, place->day);
    while (good && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const store_row row = row_of(statement);
        good = group_roll(&s->group, place, &row, sqlite3_column_int64(statement, 4));
    }
    const store_status status = !good ? STORE_WRONG : code == SQLITE_DONE ? STORE_OK : failed(s, s->writing);
    sqlite3_reset(statement);
    if (!good)
        snprintf(s->base.message, sizeof s->base.message, "a sum is damaged, or a day has too many reports");
    return status;
}

static store_status write_day(sqlite_store *s) {
    store_group *g = &s->group;
    store_status status = STORE_OK;
    for (size_t i = 0; i < g->sums_n && status == STORE_OK; i++)
        if (g->sums[i].changed)
            status = write_sum(s, &g->sums[i]);
    for (size_t i = 0; i < g->rolled_n && status == STORE_OK; i++) {
        sqlite3_bind_int64(s->statements[DROP_SUM], 1, g->rolled[i]);
        status = run(s, DROP_SUM);
    }
    return status;
}

static store_status roll_up(store *base, int64_t number, const podium_collection *ready, int64_t before,
                            uint64_t *rows) {
    sqlite_store *s = of(base);
    roll_place place = {.collection = number, .ready = ready};
    bool found = false;
    *rows = 0;
    store_status status = find_day(s, &place, before, &found);
    if (!found)
        return status;
    status = run(s, BEGIN);
    if (status != STORE_OK)
        return status;
    group_roll_begin(&s->group);
    status = load_day(s, &place);
    if (status == STORE_OK)
        status = write_day(s);
    if (status == STORE_OK)
        status = run(s, COMMIT);
    if (status == STORE_OK)
        *rows = s->group.rolled_n;
    else
        undo(s);
    group_roll_end(&s->group);
    return status;
}

/* ---- Deleting ---- */

static void bind_span(sqlite3_stmt *statement, int64_t number, int64_t from, int64_t to) {
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_int64(statement, 2, from);
    sqlite3_bind_int64(statement, 3, to);
}

static store_status remove_sums(store *base, int64_t number, int64_t from, int64_t to, uint64_t *rows) {
    sqlite_store *s = of(base);
    store_status status = run(s, BEGIN);
    if (status != STORE_OK)
        return status;
    bind_span(s->statements[DELETE_REPORTS], number, from, to);
    bind_span(s->statements[DELETE_SUMS], number, from, to);
    status = run(s, DELETE_REPORTS);
    if (status == STORE_OK)
        status = run(s, DELETE_SUMS);
    const uint64_t removed = (uint64_t)sqlite3_changes(s->writing);
    if (status == STORE_OK)
        status = run(s, COMMIT);
    if (status == STORE_OK)
        *rows = removed;
    else
        undo(s);
    return status;
}

/* ---- Tokens ---- */

static bool token_of(store_token *t, sqlite3_stmt *statement) {
    *t = (store_token){.created = sqlite3_column_int64(statement, 3)};
    if (sqlite3_column_bytes(statement, 0) != STORE_HASH_BYTES)
        return false;
    memcpy(t->hash.bytes, sqlite3_column_blob(statement, 0), STORE_HASH_BYTES);
    snprintf(t->collection, sizeof t->collection, "%s", column_text(statement, 1));
    snprintf(t->scope, sizeof t->scope, "%s", column_text(statement, 2));
    return true;
}

static store_status read_tokens(store *base, store_token_reader *reader, void *context) {
    sqlite_store *s = of(base);
    const size_t taken = pool_take(&s->pool);
    sqlite3_stmt *statement = s->readings[taken].statements[READ_TOKENS - READ_SUMS];
    int code;
    store_token t;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        if (token_of(&t, statement) && !reader(context, &t))
            break;
    const bool good = code == SQLITE_DONE || code == SQLITE_ROW;
    const store_status status = good ? STORE_OK : failed(s, s->readings[taken].db);
    sqlite3_reset(statement);
    pool_return(&s->pool, taken);
    return status;
}

static store_status token_add(store *base, const store_token *t) {
    sqlite_store *s = of(base);
    sqlite3_stmt *statement = s->statements[ADD_TOKEN];
    bind_hash(statement, 1, &t->hash);
    bind_text(statement, 2, t->collection);
    bind_text(statement, 3, t->scope);
    sqlite3_bind_int64(statement, 4, t->created);
    return run(s, ADD_TOKEN);
}

static store_status token_remove(store *base, const store_hash *hash, uint64_t *removed) {
    sqlite_store *s = of(base);
    bind_hash(s->statements[DROP_TOKEN], 1, hash);
    const store_status status = run(s, DROP_TOKEN);
    *removed = (uint64_t)sqlite3_changes(s->writing);
    return status;
}

static store_status check(store *base, bool *changed) {
    sqlite_store *s = of(base);
    bool found;
    const store_status status = find(s, CHANGED, &found);
    *changed = false;
    if (status != STORE_OK || !found)
        return status;
    const int64_t version = sqlite3_column_int64(s->statements[CHANGED], 0);
    sqlite3_reset(s->statements[CHANGED]);
    *changed = version != s->version;
    s->version = version;
    return STORE_OK;
}

/* The directory has a lock, so there are no others that could start. */
static void started(store *base) {
    (void)base;
}

static uint64_t keys(store *base) {
    return of(base)->keys_n;
}

/* ---- Backup ---- */

static store_status failed_file(sqlite_store *s, int error) {
    snprintf(s->base.message, sizeof s->base.message, "%s", strerror(error));
    return STORE_AWAY;
}

/* VACUUM INTO reads one consistent state while others write. The file must be empty. */
static store_status copy_into(sqlite_store *s, const char *path) {
    sqlite3_stmt *statement = NULL;
    store_status status = STORE_OK;
    const size_t taken = pool_take(&s->pool);
    sqlite3 *db = s->readings[taken].db;
    if (sqlite3_prepare_v2(db, "VACUUM INTO ?1", -1, &statement, NULL) == SQLITE_OK) {
        bind_text(statement, 1, path);
        sqlite3_step(statement);
    }
    if (sqlite3_finalize(statement) != SQLITE_OK || sqlite3_errcode(db) != SQLITE_OK)
        status = failed(s, db);
    pool_return(&s->pool, taken);
    return status;
}

static bool is_open_at(int file, const char *path) {
    struct stat mine, there;
    return fstat(file, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino;
}

/* Gives a file that is open its final name in the same directory. Both are on the disk when this returns true. */
static bool publish(int file, const char *part, const char *path) {
    char directory[4096];
    snprintf(directory, sizeof directory, "%s", path);
    const int parent = open(dirname(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = parent >= 0 && fsync(file) == 0;
    if (done && (!is_open_at(file, part) || access(path, F_OK) == 0)) { /* another backup to the same file */
        errno = EEXIST;
        done = false;
    }
    done =
        done && rename(part, path) == 0 && (fsync(parent) == 0 || errno == EINVAL); /* if it cannot be synchronised */
    const int error = errno;
    if (parent >= 0)
        close(parent);
    errno = error;
    return done;
}

/* The copy has its name only when it is complete. What a backup that was killed has left is removed. */
static store_status backup(store *base, const char *path) {
    sqlite_store *s = of(base);
    char part[4096];
    if (access(path, F_OK) == 0)
        return failed_file(s, EEXIST);
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return failed_file(s, ENAMETOOLONG);
    unlink(part);
    const int file = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return failed_file(s, errno);
    store_status status = copy_into(s, part);
    if (status == STORE_OK && !publish(file, part, path))
        status = failed_file(s, errno);
    if (status != STORE_OK)
        unlink(part);
    close(file);
    return status;
}

/* ---- Opening and closing ---- */

static void close_reading(reading *r) {
    for (size_t i = 0; i < STATEMENTS - READ_SUMS; i++)
        sqlite3_finalize(r->statements[i]);
    sqlite3_close(r->db);
}

static void close_store(store *base) {
    sqlite_store *s = of(base);
    for (size_t i = 0; i < READ_SUMS; i++)
        sqlite3_finalize(s->statements[i]);
    for (size_t i = 0; i < POOL_SIZE; i++)
        close_reading(&s->readings[i]);
    sqlite3_close(s->writing);
    pool_destroy(&s->pool);
    group_free(&s->group);
    free(s);
}

static const store_table table = {
    .name = "sqlite",
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

static bool execute(sqlite_store *s, sqlite3 *db, const char *text_of_sql) {
    if (sqlite3_exec(db, text_of_sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    failed(s, db);
    return false;
}

static bool pragma(sqlite_store *s, const char *question, int64_t *answer) {
    sqlite3_stmt *statement = NULL;
    const bool good = sqlite3_prepare_v2(s->writing, question, -1, &statement, NULL) == SQLITE_OK &&
                      sqlite3_step(statement) == SQLITE_ROW;
    if (good)
        *answer = sqlite3_column_int64(statement, 0);
    else
        failed(s, s->writing);
    sqlite3_finalize(statement);
    return good;
}

static bool no_store(sqlite_store *s) {
    snprintf(s->base.message, sizeof s->base.message, "there is no store of podiumd in this directory");
    return false;
}

/* Brings the file to the current format, one migration after the other, each in a transaction of its own. */
static bool migrate(sqlite_store *s, store_missing missing) {
    int64_t application, format;
    if (!pragma(s, "PRAGMA application_id", &application) || !pragma(s, "PRAGMA user_version", &format))
        return false;
    if ((application != APPLICATION && (application != 0 || format != 0)) || format < 0) {
        snprintf(s->base.message, sizeof s->base.message, "this is not a store of podiumd");
        return false;
    }
    if (format == 0 && missing == STORE_MUST_EXIST)
        return no_store(s);
    if (format > STORE_FORMAT) {
        snprintf(s->base.message, sizeof s->base.message,
                 "the store has format %lld, and this podiumd knows formats up to %d; use a newer podiumd",
                 (long long)format, STORE_FORMAT);
        return false;
    }
    for (; format < STORE_FORMAT; format++) {
        char number[128];
        snprintf(number, sizeof number, "PRAGMA application_id = %d; PRAGMA user_version = %lld; COMMIT", APPLICATION,
                 (long long)format + 1);
        if (!execute(s, s->writing, "BEGIN IMMEDIATE") || !execute(s, s->writing, migrations[format]) ||
            !execute(s, s->writing, number))
            return false;
    }
    return true;
}

static bool open_connection(sqlite_store *s, sqlite3 **db, const char *path, int how, const char *vfs) {
    enum { BUSY_MS = 5000 };
    if (sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | how, vfs) != SQLITE_OK) {
        failed(s, *db);
        return false;
    }
    sqlite3_busy_timeout(*db, BUSY_MS);
    return true;
}

static bool open_connections(sqlite_store *s, const char *path, store_missing missing, const char *vfs) {
    const bool make = missing == STORE_MAKE;
    if (!make && access(path, F_OK) != 0 && errno == ENOENT)
        return no_store(s);
    if (!open_connection(s, &s->writing, path, make ? SQLITE_OPEN_CREATE : 0, vfs))
        return false;
    if (!execute(s, s->writing, "PRAGMA journal_mode = WAL") || !execute(s, s->writing, "PRAGMA synchronous = FULL") ||
        !execute(s, s->writing, "PRAGMA foreign_keys = ON") || !migrate(s, missing))
        return false;
    sqlite3_wal_hook(s->writing, count_pages, s); /* replaces the automatic checkpoint */
    for (size_t i = 0; i < POOL_SIZE; i++)
        if (!open_connection(s, &s->readings[i].db, path, 0, vfs))
            return false;
    return true;
}

static bool prepare_from_to(sqlite_store *s, sqlite3 *db, sqlite3_stmt **statements, sql_kind from, sql_kind to) {
    for (sql_kind i = from; i < to; i++)
        if (sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &statements[i - from], NULL) != SQLITE_OK) {
            failed(s, db);
            return false;
        }
    return true;
}

static bool prepare(sqlite_store *s) {
    if (!prepare_from_to(s, s->writing, s->statements, BEGIN, READ_SUMS))
        return false;
    for (size_t i = 0; i < POOL_SIZE; i++)
        if (!prepare_from_to(s, s->readings[i].db, s->readings[i].statements, READ_SUMS, STATEMENTS))
            return false;
    return count_keys(s) == STORE_OK;
}

store *store_sqlite_open(const char *directory, store_missing missing, const char *vfs,
                         char message[STORE_MESSAGE_MAX]) {
    char path[4096];
    bool changed;
    sqlite_store *s = calloc(1, sizeof *s);
    if (s == NULL || (missing == STORE_MAKE && mkdir(directory, 0700) != 0 && errno != EEXIST)) {
        snprintf(message, STORE_MESSAGE_MAX, "%s", strerror(errno));
        free(s);
        return NULL;
    }
    s->base.does = &table;
    pool_init(&s->pool);
    snprintf(path, sizeof path, "%s/podium.db", directory);
    if (!open_connections(s, path, missing, vfs) || !prepare(s)) {
        memcpy(message, s->base.message, STORE_MESSAGE_MAX);
        close_store(&s->base);
        return NULL;
    }
    check(&s->base, &changed);
    return &s->base;
}
