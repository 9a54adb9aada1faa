/*
 * The random sources: what they ask of the system, and what happens if it fails.
 *
 * The test is built once for the source with which the library was built, and once for each other source. Those of
 * Windows and WASI call the functions in tests/unit/stub.
 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/backend.h"
#include "support.h"

/* ---- The system's function, which can be made to misbehave; the linker prefers it to the real one ---- */

/* Each kind of function has interruptions, which must not show, and failures. Both tables end with HONEST. */
static enum mood { HONEST, INTERRUPTED, SHORT, SILENT, BROKEN } mood;
static int calls, calls_until_failure = -1; /* -1 if it never fails */
static size_t bytes;

static bool fails(void) {
    calls++;
    return mood == BROKEN || (calls_until_failure >= 0 && calls > calls_until_failure);
}

#if PODIUM_RANDOM == PODIUM_RANDOM_GETRANDOM
static const enum mood hiccups[] = {INTERRUPTED, SHORT, HONEST}, failures[] = {BROKEN, SILENT, HONEST};

ssize_t __real_getrandom(void *buffer, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *buffer, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *buffer, size_t n, unsigned flags) {
    bool failed = fails();
    if (failed || (mood == INTERRUPTED && calls % 2 == 1)) {
        errno = failed ? ENOSYS : EINTR;
        return -1;
    }
    if (mood == SILENT)
        return 0;
    ssize_t got = __real_getrandom(buffer, mood == SHORT && n > 3 ? 3 : n, flags);
    bytes += got > 0 ? (size_t)got : 0;
    return got;
}

#elif PODIUM_RANDOM == PODIUM_RANDOM_GETENTROPY
static const enum mood hiccups[] = {HONEST}, failures[] = {BROKEN, HONEST};

int __real_getentropy(void *buffer, size_t n);
int __wrap_getentropy(void *buffer, size_t n);
int __wrap_getentropy(void *buffer, size_t n) {
    if (fails())
        return -1;
    bytes += n;
    return __real_getentropy(buffer, n);
}

#elif PODIUM_RANDOM == PODIUM_RANDOM_ARC4RANDOM
static const enum mood hiccups[] = {HONEST}, failures[] = {HONEST};

void __real_arc4random_buf(void *buffer, size_t n);
void __wrap_arc4random_buf(void *buffer, size_t n);
void __wrap_arc4random_buf(void *buffer, size_t n) {
    ck_assert(!fails());
    bytes += n;
    __real_arc4random_buf(buffer, n);
}

#elif PODIUM_RANDOM == PODIUM_RANDOM_BCRYPT
static const enum mood hiccups[] = {HONEST}, failures[] = {BROKEN, HONEST};
#include <windows.h>
#include <bcrypt.h>

LONG BCryptGenRandom(void *algorithm, PUCHAR buffer, ULONG n, ULONG flags) {
    if (fails() || algorithm != NULL || flags != BCRYPT_USE_SYSTEM_PREFERRED_RNG)
        return -1;
    bytes += n;
    return getrandom(buffer, n, 0) == (ssize_t)n ? 0 : -1;
}

#elif PODIUM_RANDOM == PODIUM_RANDOM_WASI
static const enum mood hiccups[] = {HONEST}, failures[] = {BROKEN, HONEST};
#include <wasi/api.h>

uint16_t __wasi_random_get(uint8_t *buffer, size_t n) {
    if (fails())
        return 1;
    bytes += n;
    return getrandom(buffer, n, 0) == (ssize_t)n ? __WASI_ERRNO_SUCCESS : 1;
}
#endif

#ifdef PODIUM_WITH_OPENSSL
#include <openssl/evp.h>
int __real_EVP_EncryptUpdate(EVP_CIPHER_CTX *cipher, unsigned char *out, int *written, const unsigned char *in, int n);
int __wrap_EVP_EncryptUpdate(EVP_CIPHER_CTX *cipher, unsigned char *out, int *written, const unsigned char *in, int n);
int __real_EVP_EncryptInit_ex(EVP_CIPHER_CTX *cipher, const EVP_CIPHER *type, ENGINE *engine, const unsigned char *key,
                              const unsigned char *iv);
int __wrap_EVP_EncryptInit_ex(EVP_CIPHER_CTX *cipher, const EVP_CIPHER *type, ENGINE *engine, const unsigned char *key,
                              const unsigned char *iv);
EVP_CIPHER_CTX *__real_EVP_CIPHER_CTX_new(void);
EVP_CIPHER_CTX *__wrap_EVP_CIPHER_CTX_new(void);

static int updates_until_failure = -1, short_update;
static bool refuse_init, refuse_new;

int __wrap_EVP_EncryptUpdate(EVP_CIPHER_CTX *cipher, unsigned char *out, int *written, const unsigned char *in, int n) {
    if (updates_until_failure >= 0 && updates_until_failure-- == 0)
        return 0;
    int result = __real_EVP_EncryptUpdate(cipher, out, written, in, n);
    *written -= short_update;
    return result;
}

int __wrap_EVP_EncryptInit_ex(EVP_CIPHER_CTX *cipher, const EVP_CIPHER *type, ENGINE *engine, const unsigned char *key,
                              const unsigned char *iv) {
    return refuse_init ? 0 : __real_EVP_EncryptInit_ex(cipher, type, engine, key, iv);
}

EVP_CIPHER_CTX *__wrap_EVP_CIPHER_CTX_new(void) {
    return refuse_new ? NULL : __real_EVP_CIPHER_CTX_new();
}
#endif

#define MANY 5000
static double values[MANY], reports[MANY];
static uint32_t cells[MANY];

static podium_status privatize(size_t n) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    for (size_t i = 0; i < n; i++)
        values[i] = 0.25, reports[i] = 0.25, cells[i] = 77;
    calls = 0, bytes = 0;
    return podium_privatize(&c, reports, values, n);
}

static void check_closed(size_t n) { /* The call must fail, and leave nothing that looks like a report. */
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    ck_assert_int_eq(privatize(n), PODIUM_ERROR_RANDOM_FAILED);
    for (size_t i = 0; i < n; i++)
        ck_assert(isnan(reports[i]));
    ck_assert_int_eq(podium_privatize_cells(&c, NULL, cells, values, n), PODIUM_ERROR_RANDOM_FAILED);
    for (size_t i = 0; i < n; i++)
        ck_assert(cells[i] == 0);
}

static void check_works(size_t n) {
    ck_assert_int_eq(privatize(n), PODIUM_OK);
    for (size_t i = 0; i < n; i++)
        ck_assert(!isnan(reports[i]) && reports[i] != 0.25);
}

static const size_t sizes[] = {1, 2, 21, 22, 32, 33, 512, 513, MANY};

START_TEST(works) {
    for (size_t i = 0; i < LENGTH(sizes); i++)
        check_works(sizes[i]);
}
END_TEST

START_TEST(carries_on_after_interruptions_and_short_reads) {
    for (size_t h = 0; (mood = hiccups[h]) != HONEST; h++)
        for (size_t i = 0; i < LENGTH(sizes); i++)
            check_works(sizes[i]);
}
END_TEST

START_TEST(fails_closed) {
    for (size_t f = 0; (mood = failures[f]) != HONEST; f++)
        for (size_t i = 0; i < LENGTH(sizes); i++)
            check_closed(sizes[i]);
}
END_TEST

START_TEST(fails_closed_at_any_call) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    calls = 0;
    ck_assert_int_eq(podium_privatize_from(&c, podium_random_system(), reports, values, MANY), PODIUM_OK);
    const int needed = calls;
    for (int good = 0; good < needed; good++) {
        calls = 0, calls_until_failure = good;
        ck_assert_int_eq(podium_privatize_from(&c, podium_random_system(), reports, values, MANY),
                         PODIUM_ERROR_RANDOM_FAILED);
        ck_assert(isnan(reports[0]) && isnan(reports[MANY - 1]));
    }
    calls_until_failure = -1;
}
END_TEST

#ifdef PODIUM_WITH_OPENSSL
START_TEST(cipher_fails_closed) {
    for (int blocks = 0; blocks < 10; blocks++) { /* the cipher fails in each block in turn */
        updates_until_failure = blocks;
        ck_assert_int_eq(privatize(MANY), PODIUM_ERROR_RANDOM_FAILED);
        for (size_t i = 0; i < MANY; i++)
            ck_assert(isnan(reports[i]));
    }
    updates_until_failure = -1;
    short_update = 1;
    check_closed(MANY);
    short_update = 0;
    refuse_init = true;
    check_closed(MANY);
    refuse_init = false;
    refuse_new = true;
    check_closed(MANY);
    refuse_new = false;
    check_works(MANY);
}
END_TEST
#endif

/* Each call asks the system again, for no more bytes than it uses, so nothing is left for the next call. */
START_TEST(nothing_is_kept) {
    for (int repeat = 0; repeat < 3; repeat++) {
        check_works(1);
        ck_assert_uint_eq(bytes, 12);
        check_works(21);
        ck_assert_uint_eq(bytes, 252);
        check_works(MANY);
#ifdef PODIUM_WITH_OPENSSL
        ck_assert_uint_eq(bytes, 48); /* a key and a counter */
#else
        ck_assert_uint_eq(bytes, 12 * MANY);
#endif
    }
}
END_TEST

/* ---- Words of different calls, processes and threads ---- */

#define WORDS 128

static void take_words(uint64_t *words, size_t n) {
    podium_stream stream;
    ck_assert_int_eq(podium_stream_open(&stream, NULL, n * sizeof *words), PODIUM_OK);
    ck_assert_int_eq(podium_stream_fill(&stream, (void *)words, 2 * n), PODIUM_OK);
    podium_stream_close(&stream);
}

static int compare_words(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Two of n random 64-bit words are equal by chance with a probability below n^2/2^65, which is less than 1e-12 here. */
static void check_distinct(uint64_t *words, size_t n) {
    qsort(words, n, sizeof *words, compare_words);
    for (size_t i = 1; i < n; i++)
        ck_assert(words[i] != words[i - 1]);
}

START_TEST(fork_shares_nothing) {
    for (size_t n = 2; n <= WORDS; n = n == 2 ? WORDS : n + 1) { /* small calls and a large one */
        uint64_t words[5 * WORDS];
        int pipes[2];
        take_words(words, n); /* so that anything a call keeps exists before the fork */
        for (int child = 0; child < 2; child++) {
            ck_assert_int_eq(pipe(pipes), 0);
            pid_t pid = fork();
            ck_assert(pid >= 0);
            if (pid == 0) {
                uint64_t own[WORDS];
                take_words(own, n);
                _exit(write(pipes[1], own, n * sizeof *own) == (ssize_t)(n * sizeof *own) ? 0 : 1);
            }
            take_words(words + (1 + (size_t)child) * n, n);
            ck_assert_int_eq(read(pipes[0], words + (3 + (size_t)child) * n, n * sizeof *words),
                             (ssize_t)(n * sizeof *words));
            close(pipes[0]);
            close(pipes[1]);
            int status;
            ck_assert(waitpid(pid, &status, 0) == pid && status == 0);
        }
        check_distinct(words, 5 * n);
    }
}
END_TEST

#define THREADS 8

typedef struct {
    const podium_collection *collection;
    uint64_t words[WORDS];
    double sum;
    podium_status status;
} worker;

static void *work(void *argument) {
    worker *own = argument;
    double own_values[1000], own_reports[1000];
    for (int i = 0; i < 1000; i++)
        own_values[i] = 0.25;
    for (int round = 0; round < 20 && own->status == PODIUM_OK; round++) {
        own->status = podium_privatize(own->collection, own_reports, own_values, 1000);
        for (int i = 0; i < 1000; i++)
            own->sum += own_reports[i];
    }
    take_words(own->words, WORDS);
    return NULL;
}

START_TEST(threads_share_a_collection) {
    podium_collection c = collection_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    pthread_t threads[THREADS];
    static worker workers[THREADS];
    uint64_t words[THREADS * WORDS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].collection = &c;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(workers[i].status, PODIUM_OK);
        /* the mean of 20,000 reports of deviation 1.08: 7 standard errors, false alarm 3e-12 */
        ck_assert_double_eq_tol(workers[i].sum / 20000, 0.25, 7 * 1.08 / sqrt(20000));
        memcpy(words + i * WORDS, workers[i].words, sizeof workers[i].words);
    }
    check_distinct(words, THREADS * WORDS);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("random");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, works);
    if (hiccups[0] != HONEST)
        tcase_add_test(tests, carries_on_after_interruptions_and_short_reads);
    if (failures[0] != HONEST) {
        tcase_add_test(tests, fails_closed);
        tcase_add_test(tests, fails_closed_at_any_call);
    }
#ifdef PODIUM_WITH_OPENSSL
    tcase_add_test(tests, cipher_fails_closed);
#endif
    tcase_add_test(tests, nothing_is_kept);
    tcase_add_test(tests, fork_shares_nothing);
    tcase_add_test(tests, threads_share_a_collection);
    return run_tests("random", tests);
}
