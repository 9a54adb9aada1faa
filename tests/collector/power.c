/* The loss of power: a file system in which only what was synchronised is sure to survive. Of the writes since then
   each may be kept, lost or torn, in any combination. Whatever the store acknowledged before must be there afterwards,
   once.

     power DIRECTORY LOSSES

   The test also runs on a disk that ignores synchronisation, where it must find that batches are lost. All choices
   follow a seed. */
#include "store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static uint64_t seed;
static uint64_t below(uint64_t n) {
    seed += 0x9e3779b97f4a7c15;
    uint64_t x = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (x ^ x >> 31) % n;
}

/* ---- Disks ---- */

enum { FILES = 4, PATH_MAX_HERE = 512, SECTOR = 512 };

typedef struct {
    sqlite3_int64 at;
    int n; /* -1 if the file was cut off there */
    unsigned char *bytes;
} change;

/* What of a file survives for sure, and what may */
typedef struct {
    char path[PATH_MAX_HERE];
    unsigned char *durable;
    sqlite3_int64 size, capacity;
    change *pending;
    size_t pending_n;
} image;

static image images[FILES];
static sqlite3_vfs *system_vfs;
static bool lies;        /* does the disk ignore synchronisation? */
static bool dead;        /* has it lost power? */
static long until_death; /* how many more operations there will be */

static image *image_of(const char *path) {
    for (size_t i = 0; i < FILES; i++) {
        if (images[i].path[0] == '\0')
            snprintf(images[i].path, sizeof images[i].path, "%s", path);
        if (strcmp(images[i].path, path) == 0)
            return &images[i];
    }
    fputs("more files than expected\n", stderr);
    exit(1);
}

static void put(image *f, sqlite3_int64 at, const unsigned char *bytes, sqlite3_int64 n) {
    if (at + n > f->capacity) {
        f->capacity = 2 * (at + n);
        f->durable = realloc(f->durable, (size_t)f->capacity);
        REQUIRE(f->durable != NULL);
    }
    if (at > f->size)
        memset(f->durable + f->size, 0, (size_t)(at - f->size));
    memcpy(f->durable + at, bytes, (size_t)n);
    f->size = at + n > f->size ? at + n : f->size;
}

static void apply(image *f, const change *c, int n) {
    if (c->n >= 0)
        put(f, c->at, c->bytes, n);
    else if (c->at < f->size)
        f->size = c->at;
}

static void forget(image *f) {
    for (size_t i = 0; i < f->pending_n; i++)
        free(f->pending[i].bytes);
    free(f->pending);
    f->pending = NULL;
    f->pending_n = 0;
}

static void remember(image *f, sqlite3_int64 at, const void *bytes, int n) {
    f->pending = realloc(f->pending, (f->pending_n + 1) * sizeof *f->pending);
    change *c = &f->pending[f->pending_n++];
    *c = (change){at, n, malloc(n > 0 ? (size_t)n : 1)};
    REQUIRE(c->bytes != NULL);
    if (n > 0)
        memcpy(c->bytes, bytes, (size_t)n);
}

static bool works(void) {
    dead = dead || until_death-- <= 0;
    return !dead;
}

/* Keeps, loses or tears each change that was not synchronised, and writes what is left to the real file. */
static void lose_power(image *f) {
    for (size_t i = 0; i < f->pending_n; i++) {
        const change *c = &f->pending[i];
        const uint64_t fate = below(4);
        if (fate == 1)
            apply(f, c, c->n);
        else if (fate == 2 && c->n > SECTOR)
            apply(f, c, (int)below((uint64_t)(c->n / SECTOR)) * SECTOR);
    }
    forget(f);
    FILE *real = fopen(f->path, "wb");
    REQUIRE(real != NULL);
    REQUIRE(f->size == 0 || fwrite(f->durable, 1, (size_t)f->size, real) == (size_t)f->size);
    REQUIRE(fclose(real) == 0);
}

/* ---- The file system ---- */

typedef struct {
    sqlite3_file base;
    image *image;
    sqlite3_file *real;
} file;

static sqlite3_file *real_of(sqlite3_file *f) {
    return ((file *)f)->real;
}
#define REAL(f) real_of(f)->pMethods

static int shim_close(sqlite3_file *f) {
    const int code = REAL(f)->xClose(real_of(f));
    sqlite3_free(real_of(f));
    return code;
}
static int shim_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at) {
    return dead ? SQLITE_IOERR_READ : REAL(f)->xRead(real_of(f), to, n, at);
}
static int shim_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at) {
    if (!works())
        return SQLITE_IOERR_WRITE;
    remember(((file *)f)->image, at, from, n);
    return REAL(f)->xWrite(real_of(f), from, n, at);
}
static int shim_truncate(sqlite3_file *f, sqlite3_int64 size) {
    if (!works())
        return SQLITE_IOERR_TRUNCATE;
    remember(((file *)f)->image, size, NULL, -1);
    return REAL(f)->xTruncate(real_of(f), size);
}
static int shim_sync(sqlite3_file *f, int flags) {
    image *i = ((file *)f)->image;
    (void)flags;
    if (!works())
        return SQLITE_IOERR_FSYNC;
    for (size_t k = 0; k < i->pending_n && !lies; k++)
        apply(i, &i->pending[k], i->pending[k].n);
    if (!lies)
        forget(i);
    return SQLITE_OK;
}
static int shim_size(sqlite3_file *f, sqlite3_int64 *size) {
    return REAL(f)->xFileSize(real_of(f), size);
}
static int shim_lock(sqlite3_file *f, int kind) {
    return REAL(f)->xLock(real_of(f), kind);
}
static int shim_unlock(sqlite3_file *f, int kind) {
    return REAL(f)->xUnlock(real_of(f), kind);
}
static int shim_reserved(sqlite3_file *f, int *reserved) {
    return REAL(f)->xCheckReservedLock(real_of(f), reserved);
}
static int shim_control(sqlite3_file *f, int what, void *argument) {
    return REAL(f)->xFileControl(real_of(f), what, argument);
}
static int shim_sector(sqlite3_file *f) {
    (void)f;
    return SECTOR;
}
static int shim_traits(sqlite3_file *f) {
    (void)f;
    return 0; /* nothing is atomic, and nothing happens in order */
}
static int shim_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **memory) {
    return REAL(f)->xShmMap(real_of(f), page, size, extend, memory);
}
static int shim_shm_lock(sqlite3_file *f, int offset, int n, int flags) {
    return REAL(f)->xShmLock(real_of(f), offset, n, flags);
}
static void shim_shm_barrier(sqlite3_file *f) {
    REAL(f)->xShmBarrier(real_of(f));
}
static int shim_shm_unmap(sqlite3_file *f, int remove) {
    return REAL(f)->xShmUnmap(real_of(f), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *out) {
    file *opened = (file *)f;
    (void)vfs;
    f->pMethods = NULL;
    opened->real = sqlite3_malloc(system_vfs->szOsFile);
    REQUIRE(opened->real != NULL && path != NULL);
    memset(opened->real, 0, (size_t)system_vfs->szOsFile);
    const int code = system_vfs->xOpen(system_vfs, path, opened->real, flags, out);
    if (code != SQLITE_OK) {
        sqlite3_free(opened->real);
        return code;
    }
    opened->image = image_of(path);
    f->pMethods = &methods;
    return SQLITE_OK;
}

/* SQLite removes a log that is complete when the last connection is closed. A dead disk removes nothing. */
static int shim_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    if (!works())
        return SQLITE_IOERR_DELETE;
    image *f = image_of(path);
    forget(f);
    f->size = 0;
    return system_vfs->xDelete(system_vfs, path, sync);
}

static void register_shim(void) {
    static sqlite3_vfs shim;
    system_vfs = sqlite3_vfs_find(NULL);
    shim = *system_vfs;
    shim.zName = "power";
    shim.szOsFile = sizeof(file);
    shim.xOpen = shim_open;
    shim.xDelete = shim_delete;
    REQUIRE(sqlite3_vfs_register(&shim, 0) == SQLITE_OK);
}

/* ---- The trial ---- */

enum { BATCHES = 40000, GROUP = 5, REGIONS = 3 };

typedef struct {
    podium_collection collection;
    const char *directory;
    store *store;
    int64_t number;
    bool acknowledged[BATCHES];
    size_t next, sure; /* how many batches there are, and how many were acknowledged */
    uint64_t forgotten;
} trial;

static const char *const regions[REGIONS] = {"{}", "{\"region\": \"north\"}", "{\"region\": \"south\"}"};
static const store_policy policy = {.now = 1000000, .period = 3600, .key_seconds = 86400, .keys_max = BATCHES};

static void open_again(trial *t) {
    char message[STORE_MESSAGE_MAX];
    t->store = store_sqlite_open(t->directory, STORE_MAKE, "power", message);
    if (t->store != NULL && t->store->does->collection(t->store, "age", "a spec", &t->number) != STORE_OK) {
        t->store->does->close(t->store);
        t->store = NULL;
    }
}

/* Appends some batches with their numbers as keys. Sets the outcomes, and returns whether they were stored. */
static bool append(trial *t, const size_t *which, size_t count, store_outcome *outcomes) {
    static const uint32_t cells[1] = {1};
    const batch one = {.cells = (uint32_t *)(uintptr_t)cells, .cells_n = 1};
    store_entry entries[GROUP], *pointers[GROUP] = {NULL};
    for (size_t i = 0; i < count; i++) {
        entries[i] = (store_entry){.collection = t->number,
                                   .ready = &t->collection,
                                   .labels = regions[which[i] % REGIONS],
                                   .batch = &one,
                                   .keyed = true};
        memcpy(entries[i].key.bytes, &which[i], sizeof which[i]);
        pointers[i] = &entries[i];
    }
    if (t->store->does->append(t->store, pointers, count, &policy) != STORE_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        outcomes[i] = entries[i].outcome;
    t->store->does->tidy(t->store);
    return true;
}

/* Rolls the hour up into its day now and then, which must neither lose a report nor count one twice. */
static void roll_up_sometimes(trial *t) {
    enum { RARELY = 8, DAY = 86400 };
    uint64_t rows;
    if (below(RARELY) == 0)
        (void)t->store->does->roll_up(t->store, t->number, &t->collection, policy.now + DAY, &rows);
}

/* Appends new batches until the power is lost. */
static void append_until_death(trial *t) {
    while (t->store != NULL && !dead && t->next + GROUP < BATCHES) {
        roll_up_sometimes(t);
        size_t which[GROUP];
        store_outcome outcomes[GROUP];
        const size_t count = 1 + below(GROUP);
        for (size_t i = 0; i < count; i++)
            which[i] = t->next++;
        if (!append(t, which, count, outcomes))
            continue;
        for (size_t i = 0; i < count; i++) {
            REQUIRE(outcomes[i] == STORE_COUNTED);
            t->acknowledged[which[i]] = true;
        }
    }
}

/* Sends every batch again, as clients do that had no answer. Those that had one must have been counted. */
static void repeat_all(trial *t) {
    for (size_t i = 0; i < t->next; i++) {
        store_outcome outcome;
        REQUIRE(append(t, &i, 1, &outcome) && (outcome == STORE_DUPLICATE || outcome == STORE_COUNTED));
        t->forgotten += t->acknowledged[i] && outcome == STORE_COUNTED ? 1 : 0;
    }
}

static bool add_count(void *context, const store_row *row) {
    trial *t = context;
    podium_aggregate sum;
    REQUIRE(podium_aggregate_decode(&t->collection, &sum, row->state, row->n) == PODIUM_OK);
    t->sure += podium_aggregate_count(&sum);
    return true;
}

static void remove_files(const char *directory) {
    static const char *const names[] = {"podium.db", "podium.db-wal", "podium.db-shm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX_HERE];
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    for (size_t i = 0; i < FILES; i++) {
        forget(&images[i]);
        free(images[i].durable);
    }
    memset(images, 0, sizeof images);
}

static void restart(trial *t) {
    char path[PATH_MAX_HERE];
    if (t->store != NULL)
        t->store->does->close(t->store);
    for (size_t i = 0; i < FILES; i++)
        if (images[i].path[0] != '\0')
            lose_power(&images[i]);
    snprintf(path, sizeof path, "%s/podium.db-shm", t->directory);
    unlink(path);
    dead = false;
}

/* Returns how many acknowledged batches were lost. */
static uint64_t run(const char *directory, long losses) {
    static trial t;
    t = (trial){.directory = directory};
    const char spec[] = "duchi epsilon=1 range=0:1";
    REQUIRE(podium_collection_parse(&t.collection, NULL, 0, NULL, spec, sizeof spec - 1) == PODIUM_OK);
    remove_files(directory);
    for (long i = 0; i < losses; i++) {
        until_death = (long)below(i == 0 ? 2000 : 400);
        open_again(&t);
        append_until_death(&t);
        restart(&t);
    }
    until_death = 1L << 40;
    open_again(&t);
    if (t.store == NULL) { /* a disk that lies can destroy the file */
        REQUIRE(lies);
        return t.next;
    }
    repeat_all(&t);
    t.sure = 0;
    REQUIRE(t.store->does->read(t.store, t.number, 0, 1LL << 40, add_count, &t) == STORE_OK);
    REQUIRE(lies || t.sure == t.next);
    t.store->does->close(t.store);
    printf("%ld losses of power, %zu batches, %llu acknowledged ones lost%s\n", losses, t.next,
           (unsigned long long)t.forgotten, lies ? ", on a disk that lies" : "");
    return t.forgotten;
}

int main(int count, char **arguments) {
    REQUIRE(count == 3);
    register_shim();
    seed = 18;
    REQUIRE(run(arguments[1], strtol(arguments[2], NULL, 10)) == 0);
    lies = true;
    REQUIRE(run(arguments[1], 3) > 0);
    remove_files(arguments[1]);
    return 0;
}
