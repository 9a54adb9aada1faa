#include "server.h"
#include "events.h"
#include "log.h"
#include "tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* ---- Answers ---- */

void request_answer(request *r, unsigned status) {
    r->status = status;
}

void request_refuse_with(request *r, problem_kind kind, const char *more, const char *detail) {
    r->out.n = 0;
    problem_print(&r->out, kind, detail, more);
    r->type = "application/problem+json";
    r->retry_after = problem_retry_after(kind);
    r->status = problem_status(kind);
    if (r->entry != NULL && r->route->scope == SCOPE_WRITE)
        r->entry->metrics->problems[kind]++;
}

void request_refuse(request *r, problem_kind kind, const char *format, ...) {
    char detail[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    request_refuse_with(r, kind, "", detail);
}

const char *request_parameter(request *r, const char *name) {
    return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

const char *request_header(request *r, const char *name) {
    return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

/* May a page of this origin call the server? Its own pages may. */
static bool origin_is_allowed(request *r, const char *origin) {
    const char *host = request_header(r, "Host");
    const char *after = strstr(origin, "://");
    if (host != NULL && after != NULL && strcmp(after + 3, host) == 0)
        return true;
    bool allowed = false;
    pthread_mutex_lock(&r->server->lock);
    for (size_t i = 0; i < r->server->origins.count; i++)
        allowed |= strcmp(r->server->origins.of[i], origin) == 0;
    pthread_mutex_unlock(&r->server->lock);
    return allowed;
}

/* What a browser asks before it lets a page of another origin call */
static void add_preflight(request *r, struct MHD_Response *response) {
    MHD_add_response_header(response, "Access-Control-Allow-Methods", r->extra);
    MHD_add_response_header(response, "Access-Control-Allow-Headers",
                            "Authorization, Content-Type, Content-Encoding, Idempotency-Key");
    MHD_add_response_header(response, "Access-Control-Max-Age", "600");
}

static void add_headers(request *r, struct MHD_Response *response) {
    const char *origin = request_header(r, "Origin");
    MHD_add_response_header(response, "Content-Type", r->type == NULL ? "application/json" : r->type);
    MHD_add_response_header(response, "Cache-Control", r->cache == NULL ? "no-store" : r->cache);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Content-Security-Policy",
                            r->policy == NULL ? "default-src 'none'; frame-ancestors 'none'" : r->policy);
    if (r->extra_name[0] != '\0')
        MHD_add_response_header(response, r->extra_name, r->extra);
    if (r->retry_after > 0) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%u", r->retry_after);
        MHD_add_response_header(response, "Retry-After", seconds);
    }
    if (r->server->stopping)
        MHD_add_response_header(response, "Connection", "close");
    if (r->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer realm=\"podiumd\"");
    if (origin != NULL && origin_is_allowed(r, origin)) {
        MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
        MHD_add_response_header(response, "Access-Control-Expose-Headers", "Retry-After");
        MHD_add_response_header(response, "Vary", "Origin");
        if (r->status == 204)
            add_preflight(r, response);
    }
}

/* An answer is in memory until the client has read it, which may take long. So large ones count against --memory-max.
 */
static void reserve_answer(request *r) {
    enum { LARGE = 65536 };
    if (r->out.capacity >= LARGE && r->status < 400)
        request_reserve(r, r->out.capacity);
}

static enum MHD_Result send_answer(request *r) {
    reserve_answer(r);
    if (r->out.failed)
        return MHD_NO; /* there was no memory for the answer, so the connection is closed */
    struct MHD_Response *response = r->response;
    if (response == NULL) {
        response = MHD_create_response_from_buffer(r->out.n, r->out.bytes, MHD_RESPMEM_MUST_FREE);
        if (response == NULL)
            return MHD_NO;
        r->out = (text){.bytes = NULL}; /* it is the response's now */
    }
    add_headers(r, response);
    const enum MHD_Result sent = MHD_queue_response(r->connection, r->status, response);
    MHD_destroy_response(response);
    metrics_request(r->server->metrics, r->route == NULL ? "none" : r->route->name, r->status);
    return sent;
}

/* ---- Handing a request to another thread, and getting it back ---- */

void request_resume(request *r) {
    MHD_resume_connection(r->connection);
}

request *request_of_job(write_job *job) {
    return (request *)(void *)((char *)job - offsetof(request, write));
}

void request_write(request *r, void (*done)(write_job *job)) {
    r->write.done = done;
    MHD_suspend_connection(r->connection);
    if (writer_submit(r->server->writer, &r->write))
        return;
    request_refuse(r, PROBLEM_BUSY, "Too many batches wait for the store. Send this one again later.");
    request_resume(r);
}

static void run_work(work *job) {
    request *r = (request *)(void *)((char *)job - offsetof(request, work));
    r->route->handle(r);
    request_resume(r);
}

static void run_on_a_worker(request *r) {
    r->work.run = run_work;
    MHD_suspend_connection(r->connection);
    if (workers_submit(r->server->workers, &r->work))
        return;
    request_refuse(r, PROBLEM_BUSY, "Too many estimates are being computed. Ask again later.");
    request_resume(r);
}

/* ---- Routes ---- */

/* Does the path match? A * matches a name, which is copied. */
static bool path_matches(const char *pattern, const char *path, char name[PODIUM_NAME_MAX]) {
    for (; *pattern != '\0' && *pattern != '*'; pattern++, path++)
        if (*pattern != *path)
            return false;
    if (*pattern == '\0')
        return *path == '\0';
    const size_t n = strcspn(path, "/");
    if (n == 0 || n >= PODIUM_NAME_MAX || strcmp(pattern + 1, path + n) != 0)
        return false;
    memcpy(name, path, n);
    name[n] = '\0';
    return true;
}

static bool method_matches(const char *method, const char *given) {
    return strcmp(method, given) == 0 || (strcmp(method, "GET") == 0 && strcmp(given, "HEAD") == 0);
}

/* Sets the route. If none has that method, *allowed lists the methods that the path has. */
static bool find_route(request *r, const char *path, const char *method, char name[PODIUM_NAME_MAX], char allowed[64]) {
    allowed[0] = '\0';
    for (const route *i = routes; i->path != NULL; i++) {
        if (!path_matches(i->path, path, name))
            continue;
        if (method_matches(i->method, method)) {
            r->route = i;
            return true;
        }
        snprintf(allowed + strlen(allowed), 64 - strlen(allowed), "%s%s", allowed[0] == '\0' ? "" : ", ", i->method);
    }
    return false;
}

static void refuse_path(request *r, const char *method, const char *allowed) {
    if (allowed[0] == '\0') {
        request_refuse(r, PROBLEM_NOT_FOUND,
                       "GET /v1/collections lists the collections, and docs/openapi.yaml of Podium has all addresses.");
        return;
    }
    snprintf(r->extra_name, sizeof r->extra_name, "Allow");
    snprintf(r->extra, sizeof r->extra, "%s, OPTIONS", allowed);
    if (strcmp(method, "OPTIONS") != 0) {
        request_refuse(r, PROBLEM_METHOD_WRONG, "Use one of: %s.", allowed);
        return;
    }
    request_answer(r, 204);
}

/* ---- Who may ---- */

static bool is_loopback_v4(struct in_addr address) {
    return ntohl(address.s_addr) >> 24 == 127;
}

/* Is the Host header localhost, [::1] or an address 127.x.y.z, with or without a port? */
static bool is_loopback_name(const char *host) {
    struct in_addr v4;
    char name[16] = "";
    const size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (n >= sizeof name)
        return false;
    memcpy(name, host, n);
    return strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0 ||
           (inet_pton(AF_INET, name, &v4) == 1 && is_loopback_v4(v4));
}

/* Without tokens, a web page could make the visitor's browser call a server on the visitor's own machine. So the name
   in the request must be that of this machine, and the page one of its own. */
static bool check_origin(request *r) {
    const char *host = request_header(r, "Host"), *origin = request_header(r, "Origin");
    if (r->server->config.open && host != NULL && !is_loopback_name(host)) {
        request_refuse(r, PROBLEM_HOST_WRONG, "With --open, call the server by localhost or a loopback address.");
        return false;
    }
    if (origin != NULL && strcmp(r->route->method, "GET") != 0 && !origin_is_allowed(r, origin)) {
        request_refuse(r, PROBLEM_ORIGIN_WRONG, "Whoever runs the server can allow the origin with --origin.");
        return false;
    }
    return true;
}

static bool is_loopback(const struct sockaddr *address) {
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
    return is_loopback_v4(((const struct sockaddr_in *)(const void *)address)->sin_addr);
}

static enum MHD_Result take_forwarded(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind;
    if (strcasecmp(name, "X-Forwarded-For") == 0)
        *(const char **)context = value;
    return MHD_YES;
}

/* The header may come several times, and only the last one is the proxy's own. */
static const char *forwarded_for(request *r) {
    const char *last = NULL;
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, take_forwarded, (void *)&last);
    return last;
}

/* Returns the address of the client: of the connection, or the one that the proxy names. It is nowhere kept. */
static const struct sockaddr *client_address(request *r, struct sockaddr_storage *named) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const char *forwarded = r->server->config.behind_proxy ? forwarded_for(r) : NULL;
    if (forwarded != NULL && address_parse(named, forwarded))
        return (const struct sockaddr *)(void *)named;
    return info == NULL ? NULL : info->client_addr;
}

/* Without --behind-proxy, a proxy looks like one client that sends too much. */
static void hint_at_proxy(server *s) {
    if (!s->config.behind_proxy && !atomic_exchange(&s->hinted, true))
        log_line(LOG_WARNING,
                 "requests from an address of this machine exceed --rate; if they come through a proxy, give "
                 "--behind-proxy");
}

static bool is_below(const route *r, const char *directory) {
    return strncmp(r->path, directory, strlen(directory)) == 0;
}

/* The files of a page cost little, and it has many of them, so they do not count. */
static bool check_rate(request *r) {
    struct sockaddr_storage named;
    if (r->route != NULL && (is_below(r->route, "/page/") || is_below(r->route, "/client/")))
        return true;
    const struct sockaddr *address = client_address(r, &named);
    if (address == NULL || !rates_exceed(r->server->rates, address, r->server->rate))
        return true;
    if (is_loopback(address))
        hint_at_proxy(r->server);
    metrics_add(r->server->metrics, METRIC_RATE_LIMITED, 1);
    request_refuse(r, PROBLEM_TOO_MANY_REQUESTS, "Send fewer requests, with more reports in each.");
    return false;
}

const char *request_token(request *r) {
    const char *header = request_header(r, "Authorization");
    return header != NULL && strncasecmp(header, "Bearer ", 7) == 0 ? header + 7 : NULL;
}

static bool check_token(request *r, const char *collection) {
    const token_scope scope = r->route->scope;
    if (scope == SCOPE_NONE || r->server->config.open)
        return true;
    const char *token = request_token(r);
    if (token != NULL && tokens_allow(r->server->tokens, token, collection, scope))
        return true;
    metrics_add(r->server->metrics, METRIC_UNAUTHORIZED, 1);
    if (token != NULL && tokens_know(r->server->tokens, token))
        request_refuse(r, PROBLEM_TOKEN_WRONG, "This needs a token to %s this collection.", scope_name(scope));
    else if (token != NULL)
        request_refuse(r, PROBLEM_TOKEN_UNKNOWN,
                       "It is misspelt, or was revoked. podiumd token new makes one to %s this collection.",
                       scope_name(scope));
    else
        request_refuse(r, PROBLEM_TOKEN_MISSING,
                       "Send the header 'Authorization: Bearer TOKEN' with a token to %s this "
                       "collection; podiumd token new makes one.",
                       scope_name(scope));
    return false;
}

/* ---- The query ---- */

static bool is_listed(const char *list, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = list; *at != '\0'; at += strcspn(at, " ") + 1)
        if (strncmp(at, word, n) == 0 && at[n] == ' ')
            return n > 0;
    return false;
}

static enum MHD_Result check_parameter(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    request *r = context;
    (void)kind;
    const char *names = r->route->parameters;
    if (value == NULL || !is_listed(names, name))
        request_refuse(r, PROBLEM_QUERY_WRONG, "There is no parameter '%.40s' with a value here, but %s", name,
                       names[0] == '\0' ? "none at all." : names);
    else if (value != request_parameter(r, name) && strcmp(name, "label") != 0)
        request_refuse(r, PROBLEM_QUERY_WRONG, "The parameter %s is given twice.", name);
    return r->status == 0 ? MHD_YES : MHD_NO;
}

static bool check_query(request *r) {
    MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, check_parameter, r);
    return r->status == 0;
}

/* ---- From the first byte to the last ---- */

catalogue *server_catalogue(server *s) {
    pthread_mutex_lock(&s->lock);
    catalogue *c = catalogue_hold(s->catalogue);
    pthread_mutex_unlock(&s->lock);
    return c;
}

static bool find_entry(request *r, const char *name) {
    if (!is_below(r->route, "/v1/") || strchr(r->route->path, '*') == NULL)
        return true;
    r->entry = catalogue_find(r->catalogue, name);
    if (r->entry == NULL)
        request_refuse(r, PROBLEM_NOT_FOUND, "No collection has this name; GET /v1/collections lists them.");
    return r->entry != NULL;
}

static bool check_length(request *r, uint64_t bytes) {
    const uint64_t most = r->server->config.body_max;
    if (bytes > most)
        request_refuse(r, PROBLEM_BODY_TOO_LARGE, "A body has at most %llu bytes; send several batches.",
                       (unsigned long long)most);
    return bytes <= most;
}

static bool length_is_allowed(request *r) {
    const char *length = request_header(r, "Content-Length");
    return length == NULL || check_length(r, strtoull(length, NULL, 10));
}

/* Checks everything that can be known before the body. */
static void check_head(request *r, const char *path, const char *method) {
    char allowed[64];
    const bool found = find_route(r, path, method, r->name, allowed);
    if (!check_rate(r))
        return;
    if (!found)
        refuse_path(r, method, allowed);
    else if (check_origin(r) && find_entry(r, r->name) && check_token(r, r->name))
        check_query(r);
}

static request *begin(server *s, struct MHD_Connection *connection) {
    request *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->server = s;
    r->connection = connection;
    r->catalogue = server_catalogue(s);
    s->requests++;
    return r;
}

static void forget_body(request *r) {
    r->server->body_bytes -= (int64_t)(r->body_capacity + r->batch_bytes);
    metrics_set(r->server->metrics, METRIC_BODY_BYTES, r->server->body_bytes);
    free(r->body);
    r->body = NULL;
    r->body_n = r->body_capacity = r->batch_bytes = 0;
}

static bool has_memory_for(const server *s, size_t more) {
    return s->body_bytes + (int64_t)more <= (int64_t)s->config.memory_max;
}

static void count_memory(server *s, size_t more) {
    s->body_bytes += (int64_t)more;
    metrics_set(s->metrics, METRIC_BODY_BYTES, s->body_bytes);
}

static bool refuse_busy(request *r) {
    request_refuse(r, PROBLEM_BUSY, "Too many requests are under way. Send this one again later.");
    return false;
}

bool request_reserve(request *r, size_t bytes) {
    if (!has_memory_for(r->server, bytes)) {
        forget_body(r);
        batch_free(&r->batch);
        return refuse_busy(r);
    }
    r->batch_bytes += bytes;
    count_memory(r->server, bytes);
    return true;
}

/* Makes room for n more bytes, if this body and all of them together stay within their limits. */
static bool grow_body(request *r, size_t n) {
    server *s = r->server;
    size_t capacity = r->body_capacity == 0 ? 1024 : r->body_capacity;
    if (!check_length(r, r->body_n + n))
        return false;
    while (capacity < r->body_n + n)
        capacity *= 2;
    if (capacity == r->body_capacity)
        return true;
    const size_t more = capacity - r->body_capacity;
    char *body = has_memory_for(s, more) ? realloc(r->body, capacity) : NULL;
    if (body == NULL)
        return refuse_busy(r);
    count_memory(s, more);
    r->body = body;
    r->body_capacity = capacity;
    return true;
}

static void receive(request *r, const char *bytes, size_t n) {
    if (r->discards)
        return;
    if (r->status == 0 && grow_body(r, n)) {
        memcpy(r->body + r->body_n, bytes, n);
        r->body_n += n;
        return;
    }
    r->discards = true;
    forget_body(r);
}

static watched *watched_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *bytes, size_t *n, void **state) {
    (void)version;
    request *r = *state;
    if (r == NULL) {
        *state = r = begin(context, connection);
        if (r == NULL)
            return MHD_NO;
        check_head(r, path, method);
        return length_is_allowed(r) ? MHD_YES : send_answer(r);
    }
    if (*n > 0) {
        receive(r, bytes, *n);
        *n = 0;
        return MHD_YES;
    }
    if (r->status > 0)
        return send_answer(r);
    watch_pause(r->server->watch, watched_of(connection));
    if (r->route->place == RUN_ON_A_WORKER)
        run_on_a_worker(r);
    else
        r->route->handle(r);
    /* If another thread has the request now, it is not ours to look at until that thread resumes it. */
    const bool elsewhere = r->route->place == RUN_ON_A_WORKER || r->write.done != NULL;
    return elsewhere ? MHD_YES : send_answer(r);
}

static void complete(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode how) {
    (void)how;
    server *s = context;
    request *r = *state;
    watch_begin(s->watch, watched_of(connection));
    if (r == NULL)
        return;
    forget_body(r);
    batch_free(&r->batch);
    free(r->state);
    text_free(&r->labels);
    text_free(&r->out);
    catalogue_release(r->catalogue);
    free(r);
    *state = NULL;
    s->requests--;
}

static void note_connection(void *context, struct MHD_Connection *connection, void **state,
                            enum MHD_ConnectionNotificationCode what) {
    server *s = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *state = info == NULL ? NULL : watch_add(s->watch, info->connect_fd);
        metrics_add(s->metrics, METRIC_CONNECTIONS, 1);
    } else {
        watch_remove(s->watch, *state);
        metrics_add(s->metrics, METRIC_CONNECTIONS, -1);
    }
}

/* ---- Starting and stopping ---- */

static bool is_port(const char *s) {
    const size_t n = strlen(s);
    return n > 0 && n <= 5 && strspn(s, "0123456789") == n && strtoul(s, NULL, 10) <= UINT16_MAX;
}

/* Splits "127.0.0.1:8470" or "[::1]:8470". */
static bool split_address(const char *listen, char host[256], char port[16]) {
    const char *colon = strrchr(listen, ':');
    size_t n = colon == NULL ? 0 : (size_t)(colon - listen);
    if (n == 0 || n >= 256 || !is_port(colon + 1))
        return false;
    const bool bracketed = listen[0] == '[' && listen[n - 1] == ']';
    memcpy(host, listen + (bracketed ? 1 : 0), n - (bracketed ? 2 : 0));
    host[n - (bracketed ? 2 : 0)] = '\0';
    memcpy(port, colon + 1, strlen(colon + 1) + 1);
    return true;
}

static struct addrinfo *find_address(const config *c, char message[CONFIG_MESSAGE_MAX]) {
    char host[256], port[16];
    struct addrinfo *found = NULL;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    if (!split_address(c->listen, host, port) || getaddrinfo(host, port, &hints, &found) != 0) {
        snprintf(message, CONFIG_MESSAGE_MAX, "--listen takes ADDRESS:PORT, not '%.100s'", c->listen);
        return NULL;
    }
    if (!c->open || is_loopback(found->ai_addr))
        return found;
    freeaddrinfo(found);
    snprintf(message, CONFIG_MESSAGE_MAX, "--open is allowed only on a loopback address, and '%.100s' is none",
             c->listen);
    return NULL;
}

bool server_can_listen(const config *c, char message[CONFIG_MESSAGE_MAX]) {
    struct addrinfo *found = find_address(c, message);
    if (found != NULL)
        freeaddrinfo(found);
    return found != NULL;
}

static struct MHD_Daemon *start_daemon(server *s, const struct addrinfo *address) {
    const config *c = &s->config;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    flags |= address->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0;
    flags |= c->tls_key != NULL ? MHD_USE_TLS : 0;
    const struct MHD_OptionItem options[] = {
        {MHD_OPTION_SOCK_ADDR, 0, address->ai_addr},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)c->connections_max, NULL},
        {MHD_OPTION_PER_IP_CONNECTION_LIMIT, (intptr_t)c->address_connections_max, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)c->header_max, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)c->timeout, NULL},
        {MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)complete, s},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)note_connection, s},
        {c->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)c->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    /* The options of TLS are the last, so that without it the list ends before them. */
    return MHD_start_daemon(flags, 0, NULL, NULL, handle, s, MHD_OPTION_ARRAY, options,
                            c->tls_key == NULL ? MHD_OPTION_END : MHD_OPTION_HTTPS_CERT_CALLBACK2, tls_retrieve,
                            MHD_OPTION_HTTPS_PRIORITIES, TLS_PRIORITIES, MHD_OPTION_END);
}

/* Rolls up one day of one collection at most, so that no batch waits for long. When none is left, an hour passes. */
static void roll_up(server *s) {
    const int64_t now = (int64_t)time(NULL), before = now - now % DAY - (int64_t)s->config.roll_up_days * DAY;
    uint64_t rows = 0;
    if (s->config.roll_up_days == 0 || now < s->roll_at)
        return;
    catalogue *c = server_catalogue(s);
    for (size_t i = 0; i < c->count && rows == 0; i++)
        if (s->store->does->roll_up(s->store, c->of[i].number, &c->of[i].collection, before, &rows) != STORE_OK)
            log_line(LOG_ERROR, "the sums of %s cannot be rolled up: %s", c->of[i].name, s->store->message);
    catalogue_release(c);
    if (rows == 0)
        s->roll_at = now + HOUR;
}

static void tick(void *context, bool changed) {
    server *s = context;
    roll_up(s);
    if (changed && tokens_load(s->tokens, s->store) == STORE_OK)
        log_line(LOG_INFO, "the tokens were read again, because another process changed the store");
}

static bool start_threads(server *s) {
    enum { ESTIMATES_MAX = 256 };
    const config *c = &s->config;
    const store_policy policy = {.period = config_period(c),
                                 .key_seconds = c->key_hours * HOUR,
                                 .keys_max = c->keys_max,
                                 .keep_reports = c->keep_reports};
    s->rates = rates_make();
    s->watch = s->rates == NULL ? NULL : watch_start(s->metrics, s->rates, c->request_timeout);
    s->writer = writer_start(s->store, s->metrics, &policy, c->queue_max, tick, s);
    s->workers = workers_start(c->readers, ESTIMATES_MAX);
    s->events = events_start(s);
    return s->rates != NULL && s->watch != NULL && s->writer != NULL && s->workers != NULL && s->events != NULL;
}

server *server_start(const config *c, store *st, metrics *m, tokens *t, catalogue *first,
                     char message[CONFIG_MESSAGE_MAX]) {
    struct addrinfo *address = find_address(c, message);
    if (address == NULL)
        return NULL;
    server *s = calloc(1, sizeof *s);
    snprintf(message, CONFIG_MESSAGE_MAX, "the threads of the server cannot be started");
    if (s != NULL) {
        s->config = *c;
        s->store = st;
        s->metrics = m;
        s->tokens = t;
        pthread_mutex_init(&s->lock, NULL);
        server_reload(s, first, c);
        if (start_threads(s)) {
            errno = 0;
            s->daemon = start_daemon(s, address);
            snprintf(message, CONFIG_MESSAGE_MAX, "cannot listen at %.100s: %s", c->listen,
                     errno == 0 || errno == EADDRINUSE ? "is the port in use?" : strerror(errno));
        }
        if (s->daemon == NULL) {
            server_stop(s);
            s = NULL;
        }
    }
    freeaddrinfo(address);
    return s;
}

unsigned server_port(const server *s) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info == NULL ? 0 : info->port;
}

void server_reload(server *s, catalogue *next, const config *c) {
    pthread_mutex_lock(&s->lock);
    catalogue *before = s->catalogue;
    s->catalogue = next;
    s->origins = c->origins;
    s->rate = c->rate;
    pthread_mutex_unlock(&s->lock);
    catalogue_release(before);
}

/* Waits until no request is under way, for at most so many seconds. */
static void drain(server *s, int seconds) {
    for (int i = 0; i < seconds * 100 && s->requests > 0; i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
}

/* Ends the threads first, while the daemon still answers: what they have not done by then is refused. What they share
   with the daemon is freed after it. */
void server_stop(server *s) {
    enum { DRAIN_SECONDS = 10 };
    s->stopping = true;
    const MHD_socket listening = s->daemon == NULL ? MHD_INVALID_SOCKET : MHD_quiesce_daemon(s->daemon);
    if (s->events != NULL)
        events_stop(s->events);
    drain(s, DRAIN_SECONDS);
    if (s->writer != NULL)
        writer_stop(s->writer);
    if (s->workers != NULL)
        workers_stop(s->workers);
    if (s->daemon != NULL)
        MHD_stop_daemon(s->daemon);
    if (listening != MHD_INVALID_SOCKET)
        close(listening);
    if (s->watch != NULL)
        watch_stop(s->watch);
    if (s->writer != NULL)
        writer_free(s->writer);
    if (s->workers != NULL)
        workers_free(s->workers);
    events_free(s->events);
    rates_free(s->rates);
    catalogue_release(s->catalogue);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
