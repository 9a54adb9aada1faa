/* podiumd: receives reports over HTTP, adds them up, and says what they tell. */
#include "log.h"
#include "server.h"
#include "service.h"
#include "tls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DONE = 0, BAD_DATA = 1, BAD_USAGE = 2, BAD_IO = 3 };

static int fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("podiumd: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return status;
}

/* ---- The directory ---- */

/* Takes the lock of the data directory for as long as the process lives. Returns false if another process has it. */
static bool lock_directory(const char *directory, char message[CONFIG_MESSAGE_MAX]) {
    char path[4096];
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
        snprintf(message, CONFIG_MESSAGE_MAX, "%s: %s", directory, strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/lock", directory);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        return true;
    const bool taken = file >= 0 && errno == EWOULDBLOCK;
    snprintf(message, CONFIG_MESSAGE_MAX, "%s: %s", directory,
             taken ? "another podiumd uses this directory; stop it, or give --data another one" : strerror(errno));
    return false;
}

static store *open_store(const config *c, store_missing missing, char message[CONFIG_MESSAGE_MAX]) {
    char why[STORE_MESSAGE_MAX];
    store *s = c->data != NULL ? store_sqlite_open(c->data, missing, NULL, why)
                               : store_postgres_open(c->database, missing, why);
    if (s == NULL) /* the URL may contain a password */
        snprintf(message, CONFIG_MESSAGE_MAX, "%.100s: %.380s", c->data != NULL ? c->data : "--database", why);
    return s;
}

/* ---- The server ---- */

/* Prints tokens of collections that have none yet. They cannot be printed again, because only hashes are stored. */
static bool make_tokens(store *s, tokens *known, const catalogue *c) {
    char token[TOKEN_TEXT_MAX];
    for (size_t i = 0; i < c->count; i++) {
        if (tokens_any(known, c->of[i].name))
            continue;
        for (token_scope scope = SCOPE_WRITE; scope <= SCOPE_MANAGE; scope++) {
            if (token_new(s, c->of[i].name, scope, token) != STORE_OK)
                return false;
            printf("token to %s %s, shown only now: %s\n", scope_name(scope), c->of[i].name, token);
        }
    }
    return tokens_load(known, s) == STORE_OK;
}

static void print_address(const server *s, const config *c) {
    const char *colon = strrchr(c->listen, ':');
    printf("podiumd listens at %s://%.*s:%u\n", c->tls_key == NULL ? "http" : "https", (int)(colon - c->listen),
           c->listen, server_port(s));
    fflush(stdout);
}

typedef struct {
    server *server;
    config *config; /* replaced by a reload */
    char **arguments;
} running;

/* Reads the certificate, if there is one. Whether there is one cannot change while the server runs. */
static bool read_tls(const config *c, bool expected, tls **certificate, char message[CONFIG_MESSAGE_MAX]) {
    const bool has = c->tls_certificate != NULL;
    if (has != (c->tls_key != NULL) || has != expected) {
        snprintf(message, CONFIG_MESSAGE_MAX, "%s",
                 has == expected ? "give --tls-certificate and --tls-key together"
                                 : "--tls-certificate and --tls-key cannot begin or end while the server runs");
        return false;
    }
    *certificate = expected ? tls_read(c, message) : NULL;
    return !expected || *certificate != NULL;
}

/* Makes what the new configuration needs. Returns false, with nothing made, if something is wrong with it. */
static bool prepare(const server *s, const config *next, catalogue **c, tls **certificate,
                    char message[CONFIG_MESSAGE_MAX]) {
    if (next->collections.count == 0) {
        snprintf(message, CONFIG_MESSAGE_MAX, "no collection is left");
        return false;
    }
    if (!read_tls(next, s->config.tls_key != NULL, certificate, message))
        return false;
    *c = catalogue_make(next, s->store, s->metrics, message);
    if (*c != NULL && tokens_load(s->tokens, s->store) == STORE_OK &&
        (next->open || make_tokens(s->store, s->tokens, *c)))
        return true;
    if (*c != NULL)
        snprintf(message, CONFIG_MESSAGE_MAX, "%.500s", s->store->message);
    catalogue_release(*c);
    if (*certificate != NULL)
        tls_free(*certificate);
    return false;
}

/* Reads the configuration again. If anything is wrong with it, everything stays as it was. Runs on the writer's thread,
   because it may add a collection to the store. */
static void reload(void *context) {
    running *r = context;
    server *s = r->server;
    char message[CONFIG_MESSAGE_MAX];
    char *operands[64];
    config next;
    catalogue *c = NULL;
    tls *certificate = NULL;
    const bool read = config_read(&next, r->arguments, operands, message);
    if (!read || !prepare(s, &next, &c, &certificate, message)) {
        log_line(LOG_ERROR, "reload: %s; nothing was changed", message);
        if (read)
            config_free(&next);
        return;
    }
    const char *name;
    for (size_t i = 0; (name = config_next_change(r->config, &next, &i)) != NULL;)
        log_line(LOG_WARNING, "reload: %s changes at the next start only", name);
    if (certificate != NULL)
        tls_use(certificate);
    fflush(stdout);
    log_format((log_kind)next.log_format);
    server_reload(s, c, &next);
    config_free(r->config);
    *r->config = next;
    metrics_add(s->metrics, METRIC_RELOADS, 1);
    log_line(LOG_INFO, "the configuration was read again: %zu collection%s", c->count, c->count == 1 ? "" : "s");
}

/* Waits for signals: SIGHUP reloads, SIGTERM and SIGINT end. */
static void wait_for_signals(const sigset_t *signals, running *r) {
    int signal_number = 0;
    while (sigwait(signals, &signal_number) != 0 || signal_number == SIGHUP)
        if (signal_number == SIGHUP)
            writer_between(r->server->writer, reload, r);
    service_notify("STOPPING=1");
    log_line(LOG_INFO, "ending, after the requests that are under way");
}

/* A wrong collection does not mend itself, but a store that is away may come back. */
static int status_of_failure(store *s, const catalogue *first) {
    bool changed;
    return first == NULL && s->does->check(s, &changed) == STORE_OK ? BAD_DATA : BAD_IO;
}

static int serve_from(store *s, config *c, char **arguments, const sigset_t *signals) {
    char message[CONFIG_MESSAGE_MAX] = "out of memory";
    metrics *m = metrics_make();
    tokens *t = tokens_make();
    int status = BAD_IO;
    catalogue *first = m == NULL || t == NULL ? NULL : catalogue_make(c, s, m, message);
    server *running_server = NULL;
    const bool ready = first != NULL && tokens_load(t, s) == STORE_OK && (c->open || make_tokens(s, t, first));
    if (first != NULL && !ready)
        snprintf(message, sizeof message, "%.500s", s->message);
    s->does->started(s); /* before there are other threads */
    if (ready)
        running_server = server_start(c, s, m, t, first, message);
    if (running_server == NULL) {
        status = fail(status_of_failure(s, first), "%s", message);
    } else {
        print_address(running_server, c);
        service_notify("READY=1");
        running r = {running_server, c, arguments};
        wait_for_signals(signals, &r);
        server_stop(running_server);
        status = DONE;
    }
    tokens_free(t);
    metrics_free(m);
    return status;
}

/* Each connection is a file, and there are others: the store, the log, and those by which threads wake each other.
   Where the limit is lower, connections would wait without a word when it is reached. */
static void raise_file_limit(const config *c) {
    enum { OTHERS = 64, OF_A_THREAD = 4 };
    const rlim_t needed = (rlim_t)c->connections_max + OTHERS + OF_A_THREAD * (rlim_t)c->threads;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = before;
    if (limit.rlim_cur < needed)
        log_line(LOG_WARNING,
                 "--connections-max %u needs %llu open files, and the system allows %llu, so that further connections "
                 "have to wait; raise the limit (ulimit -n, or LimitNOFILE= of systemd), or allow fewer connections",
                 (unsigned)c->connections_max, (unsigned long long)needed, (unsigned long long)limit.rlim_cur);
}

/* Signals are blocked before the first thread starts, so that only sigwait gets them. */
static int serve(config *c, char **arguments) {
    char message[CONFIG_MESSAGE_MAX];
    sigset_t signals;
    if (c->collections.count == 0)
        return fail(BAD_USAGE, "give --collection FILE; podium design makes one");
    if (!server_can_listen(c, message))
        return fail(BAD_DATA, "%s", message);
    if (c->data != NULL && !lock_directory(c->data, message))
        return fail(BAD_IO, "%s", message);
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error like a full disk, and no reason to die */
    log_format((log_kind)c->log_format);
    raise_file_limit(c);
    tls *certificate = NULL;
    if (!read_tls(c, c->tls_certificate != NULL, &certificate, message))
        return fail(BAD_DATA, "%s", message);
    if (certificate != NULL)
        tls_use(certificate);
    store *s = open_store(c, STORE_MAKE, message);
    if (s == NULL)
        return fail(BAD_IO, "%s", message);
    const int status = serve_from(s, c, arguments, &signals);
    s->does->close(s);
    tls_end();
    return status;
}

/* ---- The other commands: they work beside a server that runs, and without one ---- */

static int token_command_new(store *s, char **operands) {
    char token[TOKEN_TEXT_MAX];
    token_scope scope;
    if (operands[0] == NULL || operands[1] == NULL || operands[2] != NULL || !scope_from_name(&scope, operands[1]))
        return fail(BAD_USAGE, "podiumd token new COLLECTION write|read|manage --data DIR");
    if (strlen(operands[0]) >= PODIUM_NAME_MAX || token_new(s, operands[0], scope, token) != STORE_OK)
        return fail(BAD_IO, "%s", s->message);
    puts(token);
    return DONE;
}

static bool print_token(void *context, const store_token *t) {
    char id[TOKEN_ID_MAX], created[UTC_TEXT_MAX];
    (void)context;
    token_id(&t->hash, id);
    utc_print(created, t->created);
    printf("%s  %-6s  %s  %s\n", id, t->scope, t->collection, created);
    return true;
}

static int token_command_list(store *s, char **operands) {
    if (operands[0] != NULL)
        return fail(BAD_USAGE, "podiumd token list --data DIR");
    return s->does->tokens(s, print_token, NULL) == STORE_OK ? DONE : fail(BAD_IO, "%s", s->message);
}

static int token_command_revoke(store *s, char **operands) {
    store_hash hash;
    uint64_t removed;
    if (operands[0] == NULL || operands[1] != NULL || !token_id_parse(&hash, operands[0]))
        return fail(BAD_USAGE, "podiumd token revoke ID --data DIR, with an ID that podiumd token list prints");
    if (s->does->token_remove(s, &hash, &removed) != STORE_OK)
        return fail(BAD_IO, "%s", s->message);
    return removed == 1 ? DONE : fail(BAD_DATA, "no token has this ID");
}

static int backup_command(store *s, char **operands) {
    if (operands[0] == NULL || operands[1] != NULL)
        return fail(BAD_USAGE, "podiumd backup FILE --data DIR");
    return s->does->backup(s, operands[0]) == STORE_OK ? DONE : fail(BAD_IO, "%s: %s", operands[0], s->message);
}

typedef struct {
    const char *first, *second;
    store_missing missing;
    int (*run)(store *s, char **operands);
} command;
static const command commands[] = {
    {"token", "new", STORE_MAKE, token_command_new}, /* before the first start, so that this prints none */
    {"token", "list", STORE_MUST_EXIST, token_command_list},
    {"token", "revoke", STORE_MUST_EXIST, token_command_revoke},
    {"backup", NULL, STORE_MUST_EXIST, backup_command},
};

/* Returns the command that the operands name, or NULL. */
static const command *find_command(char **operands) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const command *c = &commands[i];
        if (strcmp(operands[0], c->first) == 0 &&
            (c->second == NULL || (operands[1] != NULL && strcmp(operands[1], c->second) == 0)))
            return c;
    }
    return NULL;
}

static int run_command(const config *c, const command *which, char **operands) {
    char message[CONFIG_MESSAGE_MAX];
    store *s = open_store(c, which->missing, message);
    if (s == NULL)
        return fail(BAD_IO, "%s", message);
    const int status = which->run(s, operands + (which->second != NULL ? 2 : 1));
    s->does->close(s);
    return status;
}

int main(int count, char **arguments) {
    char message[CONFIG_MESSAGE_MAX];
    config c;
    if (config_help(stdout, arguments + 1))
        return DONE;
    char **operands = calloc((size_t)count + 1, sizeof *operands);
    if (operands == NULL)
        return fail(BAD_IO, "out of memory");
    int status = BAD_USAGE;
    const bool read = config_read(&c, arguments + 1, operands, message);
    const command *which = read && operands[0] != NULL ? find_command(operands) : NULL;
    if (!read)
        fail(status, "%s", message);
    else if (operands[0] != NULL && which == NULL)
        fail(status, "there is no command '%s%s%s'; see podiumd --help", operands[0], operands[1] == NULL ? "" : " ",
             operands[1] == NULL ? "" : operands[1]);
    else if (c.data == NULL && c.database == NULL)
        fail(status, "give --data DIR or --database URL, where the sums are kept; see podiumd --help");
    else if (c.data != NULL && c.database != NULL)
        fail(status,
             "give either --data, which is SQLite in a directory, or --database, which is PostgreSQL, not both");
    else if (which != NULL)
        status = run_command(&c, which, operands);
    else
        status = serve(&c, arguments + 1);
    config_free(&c);
    free(operands);
    return status;
}
