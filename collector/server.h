/* Server: HTTP by libmicrohttpd. It finds the route of a request, checks who may use it, collects the body within its
   limits, and sends the answer; what a route does is in the files called routes_*.c. */
#ifndef PODIUM_COLLECTOR_SERVER_H
#define PODIUM_COLLECTOR_SERVER_H

#include "catalogue.h"
#include "client_limits.h"
#include "problem.h"
#include "tokens.h"
#include "workers.h"
#include "writer.h"

#include <microhttpd.h>

typedef struct events events; /* events.h */

typedef struct server {
    config config; /* as it was at the start; a reload replaces catalogue, origins and rate only */
    store *store;
    metrics *metrics;
    tokens *tokens;
    writer *writer;
    workers *workers;
    rates *rates;
    watch *watch;
    events *events;
    struct MHD_Daemon *daemon;
    int64_t roll_at; /* when to look for sums that can be rolled up; the writer's thread only */

    pthread_mutex_t lock; /* of the members below */
    catalogue *catalogue;
    strings origins;
    _Atomic uint32_t rate;
    _Atomic int64_t body_bytes;
    _Atomic int64_t requests; /* that are under way */
    _Atomic bool stopping;
    _Atomic bool hinted; /* that a proxy may be forgotten */
} server;

typedef struct request request;
typedef void route_handler(request *r);

typedef enum {
    RUN_AT_ONCE,    /* on the thread of the network; may end by handing the request to the writer */
    RUN_ON_A_WORKER /* because it reads the store or computes */
} route_place;

typedef struct {
    const char *method;
    const char *path; /* a * stands for a name: below /v1/collections that of a collection, otherwise of a file */
    const char *name; /* in metrics */
    token_scope scope;
    route_place place;
    route_handler *handle;
    const char *parameters; /* of the query, each followed by a blank */
} route;
extern const route routes[]; /* routes.c; ends with a path that is NULL */

struct request {
    server *server;
    struct MHD_Connection *connection;
    const route *route;
    catalogue *catalogue;       /* held until the request is complete */
    char name[PODIUM_NAME_MAX]; /* what the * in the path of the route stands for */
    entry *entry;               /* the collection that the path names; NULL if it names none */

    char *body;
    size_t body_n, body_capacity;
    size_t batch_bytes; /* of what was read from the body, as far as it counts against --memory-max */
    bool discards;      /* the request is refused already, and the rest of its body is read only to be polite */

    unsigned status; /* of the answer; 0 while there is none */
    unsigned retry_after;
    text out;
    struct MHD_Response *response;   /* instead of out, if it is not NULL */
    const char *type;                /* of the answer; JSON if NULL */
    const char *cache, *policy;      /* Cache-Control and Content-Security-Policy; the strictest if NULL */
    char extra_name[32], extra[128]; /* one more header; "" if none */

    work work;
    write_job write;
    batch batch;
    podium_aggregate *state;
    text labels;
};

/* Whether --listen is an address at which this server may listen; message says what is wrong with it otherwise. */
bool server_can_listen(const config *c, char message[CONFIG_MESSAGE_MAX]);
server *server_start(const config *c, store *s, metrics *m, tokens *t, catalogue *first,
                     char message[CONFIG_MESSAGE_MAX]);
unsigned server_port(const server *s);
/* Takes a new catalogue, and what else of the configuration can change while the server runs. */
void server_reload(server *s, catalogue *next, const config *c);
/* Answers what is under way, then ends. */
void server_stop(server *s);

/* Holds the catalogue as it is now; the caller releases it. */
catalogue *server_catalogue(server *s);

/* ---- For routes ---- */

/* Refuses the request. The detail says what to do, and contains nothing private. */
void request_refuse(request *r, problem_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with members for programs after the detail, such as `, "refused": 3`. */
void request_refuse_with(request *r, problem_kind kind, const char *more, const char *detail);
/* Counts bytes against --memory-max until the request is complete. Returns false, and refuses, if that is too much. */
bool request_reserve(request *r, size_t bytes);
/* The answer is in r->out. */
void request_answer(request *r, unsigned status);
/* The value of a parameter of the query, or of a header, or NULL if there is none. */
const char *request_parameter(request *r, const char *name);
const char *request_header(request *r, const char *name);
/* The token in the header, or NULL */
const char *request_token(request *r);
/* Hands the request to the writer, which calls done when it is on disk; done answers, and then calls request_resume. */
void request_write(request *r, void (*done)(write_job *job));
void request_resume(request *r);
request *request_of_job(write_job *job);

#endif
