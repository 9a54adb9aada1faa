/* Store: where sums are kept. A store is a table of functions; store_sqlite.c is the one in a directory of its own, and
   store_postgres.c the one that several servers share. What both do with a group of batches is in store_group.c. One
   thread at a time appends, deletes, and adds tokens; any number of threads may read meanwhile. */
#ifndef PODIUM_COLLECTOR_STORE_H
#define PODIUM_COLLECTOR_STORE_H

#include "body.h"

typedef enum {
    STORE_OK,
    STORE_AWAY,   /* nothing was changed, and it may work later: no space, no connection */
    STORE_WRONG,  /* it will not work by itself; `message` says why */
    STORE_UNKNOWN /* the connection broke in the middle: all of it was changed, or nothing */
} store_status;

enum { STORE_HASH_BYTES = 16, STORE_MESSAGE_MAX = 512, STORE_FORMAT = 1 };
typedef struct {
    unsigned char bytes[STORE_HASH_BYTES];
} store_hash;

/* What happened to an entry of a group that was stored */
typedef enum {
    STORE_COUNTED,
    STORE_DUPLICATE,     /* the key and the body came before; accepted and refused are what was answered then */
    STORE_KEY_REUSED,    /* the key came before, with another body */
    STORE_KEYS_FULL,     /* no more keys can be kept at the moment */
    STORE_AGGREGATE_FULL /* no aggregate can count so many reports */
} store_outcome;

/* One batch of reports, or the state of another collector, with what becomes of it */
typedef struct {
    int64_t collection; /* as the store numbers it */
    const podium_collection *ready;
    const char *labels; /* as label_set_print writes them */
    const batch *batch; /* NULL if it is a state */
    const podium_aggregate *state;
    bool keyed;
    store_hash key, body;

    store_outcome outcome;
    uint64_t accepted, refused;
} store_entry;

typedef struct {
    int64_t now;          /* seconds since 1970 */
    uint32_t period;      /* over how many seconds reports are added up: an hour or a day */
    uint32_t key_seconds; /* for how long a key is kept */
    uint64_t keys_max;
    bool keep_reports;
} store_policy;

/* Sums as they are stored: those of one period, which begins at start, and one set of labels */
typedef struct {
    const char *labels;
    int64_t start;
    uint32_t period;
    const unsigned char *state;
    size_t n;
} store_row;
/* Returns false to stop. */
typedef bool store_row_reader(void *context, const store_row *row);

typedef struct {
    store_hash hash;
    char collection[PODIUM_NAME_MAX];
    char scope[16];
    int64_t created;
} store_token;
typedef bool store_token_reader(void *context, const store_token *token);

typedef struct store store;
typedef struct {
    const char *name;
    /* Finds the collection with this name, or adds it, and sets its number. If the store has another collection under
       that name, the status is STORE_WRONG. */
    store_status (*collection)(store *s, const char *name, const char *spec, int64_t *number);
    /* Stores all entries in one transaction, and returns after they are on disk. The outcomes are set only if the
       status is STORE_OK; otherwise nothing has changed, unless it is STORE_UNKNOWN. A group of no entries shows
       whether the store can be written. */
    store_status (*append)(store *s, store_entry *const *entries, size_t count, const store_policy *policy);
    /* What has to be done from time to time, and takes too long while somebody waits for an answer */
    void (*tidy)(store *s);
    /* Reads the sums of all periods that begin in from ... to - 1, in the order of time, length and labels. */
    store_status (*read)(store *s, int64_t collection, int64_t from, int64_t to, store_row_reader *reader,
                         void *context);
    /* Finds the first day before the given time that has sums by hour, and adds these up into sums by day. Sets how
       many there were: 0 if there is no such day. All of it happens, once, or nothing. */
    store_status (*roll_up)(store *s, int64_t collection, const podium_collection *ready, int64_t before,
                            uint64_t *rows);
    store_status (*remove)(store *s, int64_t collection, int64_t from, int64_t to, uint64_t *rows);
    store_status (*tokens)(store *s, store_token_reader *reader, void *context);
    store_status (*token_add)(store *s, const store_token *token);
    store_status (*token_remove)(store *s, const store_hash *hash, uint64_t *removed);
    /* Does the store answer, and has another process changed the tokens since the last call? Called every second. */
    store_status (*check)(store *s, bool *changed);
    uint64_t (*keys)(store *s);
    store_status (*backup)(store *s, const char *path);
    /* The server has its collections and tokens. Until this is called, no other one goes on to start. */
    void (*started)(store *s);
    void (*close)(store *s);
} store_table;

struct store {
    const store_table *does;
    char message[STORE_MESSAGE_MAX]; /* why the last call failed */
};

/* What to do if there is no store: only who is going to use it may make one, because an empty one hides a mistake. */
typedef enum { STORE_MAKE, STORE_MUST_EXIST } store_missing;

/* Opens the store in a directory, and brings it to the current format. vfs is the name of SQLite's interface to the
   system, or NULL. Returns NULL on failure, and writes why. */
store *store_sqlite_open(const char *directory, store_missing missing, const char *vfs,
                         char message[STORE_MESSAGE_MAX]);
/* Opens the store in the schema podiumd of the PostgreSQL database with this URL. */
store *store_postgres_open(const char *url, store_missing missing, char message[STORE_MESSAGE_MAX]);

#endif
