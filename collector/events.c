#include "events.h"
#include "answers.h"
#include "clock.h"
#include "sums.h"
#include "table/siphash.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What there is ---- */

static const double PACE = 0.7;     /* seconds between two looks at a collection, at least */
static const double SHARE = 0.2;    /* of its time the thread works, at most */
static const double WHOLE = 10;     /* seconds after which all periods are read again, not only the latest */
static const double HEARTBEAT = 15; /* seconds of silence after which a comment keeps proxies from closing */
enum { GRACE_MILLISECONDS = 500 };  /* for listeners to read the end of their streams */

/* Bytes that several listeners may be sending */
typedef struct {
    size_t holders;
    size_t n;
    char bytes[];
} event;

typedef struct listener listener;

/* The listeners of one collection. Topics are added and never removed. */
typedef struct topic {
    char name[PODIUM_NAME_MAX];
    listener *first;
    event *latest;   /* NULL before the first one */
    uint64_t number; /* of the latest */
    bool gone;       /* the collection is no longer configured */
    bool again;      /* nobody listened for a while, so everything has to be looked at */

    /* The thread's own */
    double due, whole;
    uint64_t seen; /* a hash of what the latest event was made from */
    struct topic *next;
} topic;

struct listener {
    events *events;
    topic *topic;
    struct MHD_Connection *connection;
    char token[TOKEN_TEXT_MAX];
    event *sending; /* NULL between two events */
    size_t at;
    uint64_t number;   /* of the event that was sent last */
    double spoken;     /* when something was sent last */
    bool is_suspended; /* until there is something to send */
    listener *next, **link;
};

struct events {
    server *server;
    pthread_mutex_t lock; /* of the members below, of topics and listeners */
    pthread_cond_t wake;
    pthread_t thread;
    topic *topics;
    event *heartbeat;
    size_t listeners;
    bool stopping;
};

static event *event_make(const char *bytes, size_t n) {
    event *made = malloc(sizeof *made + n);
    if (made == NULL)
        return NULL;
    *made = (event){1, n};
    memcpy(made->bytes, bytes, n);
    return made;
}

static event *event_hold(event *e) {
    e->holders++;
    return e;
}

static void event_release(event *e) {
    if (e != NULL && --e->holders == 0)
        free(e);
}

/* ---- What an event says ---- */

/* The sums of all reports, and those by each label */
typedef struct {
    sums *of;
    size_t count;
} views;

static bool add_to_views(void *context, const store_row *row) {
    views *v = context;
    for (size_t i = 0; i < v->count; i++)
        if (!sums_add_row(&v->of[i], row))
            return false;
    return true;
}

static bool views_make(views *v, entry *e) {
    *v = (views){calloc(e->labels.count + 1, sizeof *v->of), e->labels.count + 1};
    if (v->of == NULL)
        return false;
    for (size_t i = 0; i < v->count; i++)
        v->of[i] = (sums){.entry = e, .to = INT64_MAX, .by = i == 0 ? LABELS_MAX : i - 1};
    return sums_group(&v->of[0], &(label_set){{0}}) != NULL; /* one group, even of no reports */
}

static void views_free(views *v) {
    for (size_t i = 0; v->of != NULL && i < v->count; i++)
        sums_clear(&v->of[i]);
    free(v->of);
}

/* Can all of these be reports? */
static bool views_check(const views *v) {
    const podium_aggregate **all = malloc(v->count * GROUPS_MAX * sizeof *all);
    size_t count = 0, which;
    for (size_t i = 0; all != NULL && i < v->count; i++)
        for (size_t k = 0; k < GROUPS_MAX; k++)
            if (v->of[i].groups[k] != NULL)
                all[count++] = v->of[i].groups[k];
    const bool good =
        all != NULL && podium_aggregates_check(&v->of[0].entry->collection, &which, all, count) == PODIUM_OK;
    free((void *)all);
    return good;
}

/* Writes the members of an estimate. */
static bool print_estimate(text *t, entry *e, const podium_aggregate *sum, uint32_t bins) {
    asked a = {.question = {.confidence = 0.95, .interval = PODIUM_INTERVAL_ANYTIME, .bounds = &e->bounds},
               .histogram = bins};
    a.question.shape = bins > 0;
    a.question.bins = bins;
    podium_summary *summary = malloc(sizeof *summary);
    const podium_channel *channel = bins > 0 ? entry_channel(e) : NULL;
    const bool made =
        summary != NULL && podium_summary_make(&e->collection, channel, summary, sum, &a.question) == PODIUM_OK;
    if (made)
        answer_estimate(t, summary, &a);
    free(summary);
    return made;
}

static bool print_groups(text *t, const sums *s) {
    const char *before = "";
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        if (s->groups[i] == NULL)
            continue;
        text_print(t, "%s{", before);
        sums_print_name(t, s, i);
        if (!print_estimate(t, s->entry, s->groups[i], 0))
            return false;
        text_add(t, "}", 1);
        before = ", ";
    }
    return true;
}

static bool print_labels(text *t, const views *v) {
    text_print(t, ", \"groups\": {");
    for (size_t i = 1; i < v->count; i++) {
        text_print(t, i == 1 ? "" : ", ");
        text_string(t, v->of[i].entry->labels.of[i - 1].name);
        text_print(t, ": [");
        if (!print_groups(t, &v->of[i]))
            return false;
        text_add(t, "]", 1);
    }
    text_add(t, "}", 1);
    return true;
}

/* Why reports and whole batches were refused, since the server started */
static void print_refusals(text *t, const metrics_collection *m) {
    const uint64_t not_numbers = m->not_numbers, refused = m->refused;
    const char *before = "";
    text_print(t, ", \"refusals\": {\"not_numbers\": %llu, \"not_reports\": %llu}, \"refused_batches\": {",
               (unsigned long long)not_numbers,
               (unsigned long long)(refused > not_numbers ? refused - not_numbers : 0));
    for (problem_kind k = 0; k < PROBLEMS; k++)
        if (m->problems[k] > 0) {
            text_print(t, "%s\"%s\": %llu", before, problem_name(k), (unsigned long long)m->problems[k]);
            before = ", ";
        }
    text_add(t, "}", 1);
}

/* What no honest people can have sent, if there is any */
static bool print_excess(text *t, entry *e, const podium_aggregate *all) {
    enum { SHOWN = 5 };
    podium_excess *excess = malloc(EXCESS_MAX * sizeof *excess);
    size_t found = 0;
    const bool good =
        excess != NULL && podium_aggregate_excess(&e->collection, excess, EXCESS_MAX, &found, all) == PODIUM_OK;
    if (good && found > 0) {
        text_print(t, ", \"excess\": {");
        answer_excess(t, excess, found, SHOWN);
        text_add(t, "}", 1);
    }
    free(excess);
    return good;
}

static bool print_views(text *t, const views *v) {
    entry *e = v->of[0].entry;
    const podium_aggregate *all = v->of[0].groups[0];
    const bool tells = podium_collection_tells_spread(&e->collection);
    text_print(t, "data: {");
    if (!views_check(v))
        answer_not_reports(t, all);
    else if (!print_estimate(t, e, all, tells ? PODIUM_BINS_DEFAULT : 0) || !print_labels(t, v))
        return false;
    if (!print_excess(t, e, all))
        return false;
    print_refusals(t, e->metrics);
    text_print(t, "}\n\n");
    return !t->failed;
}

/* Writes what all reports of the collection say. Returns NULL if the store cannot be read, or memory is short. */
static event *write_event(store *s, entry *e) {
    views v;
    text t = {.bytes = NULL};
    bool good = views_make(&v, e) && s->does->read(s, e->number, 0, INT64_MAX, add_to_views, &v) == STORE_OK;
    for (size_t i = 0; good && i < v.count; i++)
        good = v.of[i].failed == PODIUM_OK;
    good = good && print_views(&t, &v);
    event *made = good ? event_make(t.bytes, t.n) : NULL;
    views_free(&v);
    text_free(&t);
    return made;
}

/* ---- Has anything changed? ---- */

static bool hash_row(void *context, const store_row *row) {
    uint64_t *hash = context;
    *hash = siphash((uint64_t[2]){*hash, (uint64_t)row->start}, row->labels, strlen(row->labels));
    *hash = siphash((uint64_t[2]){*hash, 0}, row->state, row->n);
    return true;
}

/* A hash of the latest two periods, which are all that changes unless somebody deletes, and of what was refused. Other
   servers on the same database change them too. Returns 0 if the store cannot be read. */
static uint64_t hash_latest(server *s, const entry *e) {
    const int64_t period = config_period(&s->config);
    text refusals = {.bytes = NULL};
    uint64_t hash = 1;
    if (s->store->does->read(s->store, e->number, (int64_t)time(NULL) - 2 * period, INT64_MAX, hash_row, &hash) !=
        STORE_OK)
        return 0;
    print_refusals(&refusals, e->metrics);
    hash = siphash((uint64_t[2]){hash, 0}, refusals.bytes, refusals.n);
    text_free(&refusals);
    return hash == 0 ? 1 : hash;
}

/* Returns a new event if there may be one, or NULL. Only the thread calls it, and holds no lock. */
static event *look(events *e, topic *c, bool *gone) {
    catalogue *held = server_catalogue(e->server);
    entry *found = catalogue_find(held, c->name);
    event *made = NULL;
    *gone = found == NULL;
    const uint64_t hash = *gone ? 0 : hash_latest(e->server, found);
    const double now = seconds_now();
    if (hash != 0 && (hash != c->seen || now >= c->whole)) {
        made = write_event(e->server->store, found);
        c->seen = made == NULL ? 0 : hash;
        c->whole = now + WHOLE;
    }
    catalogue_release(held);
    return made;
}

/* ---- The thread ---- */

static void wake(listener *l) {
    if (!l->is_suspended)
        return;
    l->is_suspended = false;
    MHD_resume_connection(l->connection);
}

static void wake_all(topic *c) {
    for (listener *l = c->first; l != NULL; l = l->next)
        wake(l);
}

static bool is_news(const topic *c, const event *e) {
    return c->latest == NULL || c->latest->n != e->n || memcmp(c->latest->bytes, e->bytes, e->n) != 0;
}

/* Looks whether the collection has news, and tells it. Lets go of the lock meanwhile. */
static void tell(events *e, topic *c) {
    const double start = seconds_now();
    bool gone;
    if (start < c->due && !c->again)
        return;
    if (c->again)
        c->seen = 0;
    c->again = false;
    pthread_mutex_unlock(&e->lock);
    event *made = look(e, c, &gone);
    pthread_mutex_lock(&e->lock);
    const double worked = (seconds_now() - start) / SHARE;
    c->due = start + (worked > PACE ? worked : PACE);
    if (made != NULL && is_news(c, made)) {
        event_release(c->latest);
        c->latest = event_hold(made);
        c->number++;
        wake_all(c);
    }
    event_release(made);
    c->gone = gone;
    if (gone)
        wake_all(c);
}

static void beat(topic *c) {
    const double now = seconds_now();
    for (listener *l = c->first; l != NULL; l = l->next)
        if (now - l->spoken >= HEARTBEAT)
            wake(l);
}

static void wait_a_little(events *e) {
    const struct timespec until = moment_in(0.1);
    pthread_cond_timedwait(&e->wake, &e->lock, &until);
}

static void *tell_all(void *context) {
    events *e = context;
    pthread_mutex_lock(&e->lock);
    while (!e->stopping) {
        if (e->listeners == 0)
            pthread_cond_wait(&e->wake, &e->lock);
        for (topic *c = e->topics; c != NULL && !e->stopping; c = c->next) {
            if (c->first != NULL)
                tell(e, c);
            beat(c);
        }
        if (!e->stopping)
            wait_a_little(e);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* ---- Listeners ---- */

static topic *find_topic(events *e, const char *name) {
    topic *c = e->topics;
    while (c != NULL && strcmp(c->name, name) != 0)
        c = c->next;
    if (c == NULL && (c = calloc(1, sizeof *c)) != NULL) {
        memcpy(c->name, name, strlen(name) + 1);
        c->next = e->topics;
        e->topics = c;
    }
    return c;
}

/* Nobody has looked at the collection while nobody listened, so the latest event may be an old one. */
static void start_again(topic *c) {
    event_release(c->latest);
    c->latest = NULL;
    c->gone = false;
    c->again = true;
}

static bool may_listen(const listener *l) {
    const events *e = l->events;
    return !e->stopping && !l->topic->gone &&
           (e->server->config.open || tokens_allow(e->server->tokens, l->token, l->topic->name, SCOPE_READ));
}

/* Chooses what to send next. Returns false if there is nothing at the moment. */
static bool choose(listener *l) {
    topic *c = l->topic;
    const double now = seconds_now();
    if (c->latest != NULL && l->number != c->number) {
        l->sending = event_hold(c->latest);
        l->number = c->number;
    } else if (now - l->spoken >= HEARTBEAT) {
        l->sending = event_hold(l->events->heartbeat);
    } else {
        return false;
    }
    l->at = 0;
    l->spoken = now;
    return true;
}

static size_t copy(listener *l, char *to, size_t most) {
    const size_t left = l->sending->n - l->at, n = left < most ? left : most;
    memcpy(to, l->sending->bytes + l->at, n);
    l->at += n;
    if (n == left) {
        event_release(l->sending);
        l->sending = NULL;
    }
    return n;
}

/* libmicrohttpd asks for more bytes when the socket has room. A token that was revoked ends the stream. */
static ssize_t read_stream(void *context, uint64_t position, char *to, size_t most) {
    listener *l = context;
    ssize_t n = 0;
    (void)position;
    pthread_mutex_lock(&l->events->lock);
    if (l->sending == NULL && !may_listen(l)) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (l->sending != NULL || choose(l)) {
        n = (ssize_t)copy(l, to, most);
    } else {
        l->is_suspended = true;
        MHD_suspend_connection(l->connection);
    }
    pthread_mutex_unlock(&l->events->lock);
    return n;
}

static void leave(void *context) {
    listener *l = context;
    events *e = l->events;
    pthread_mutex_lock(&e->lock);
    *l->link = l->next;
    if (l->next != NULL)
        l->next->link = l->link;
    event_release(l->sending);
    e->listeners--;
    metrics_set(e->server->metrics, METRIC_LISTENERS, (int64_t)e->listeners);
    pthread_mutex_unlock(&e->lock);
    free(l);
}

static bool join(events *e, listener *l, const char *name) {
    if (e->stopping || e->listeners >= e->server->config.listeners_max || (l->topic = find_topic(e, name)) == NULL)
        return false;
    if (l->topic->first == NULL)
        start_again(l->topic);
    l->link = &l->topic->first;
    l->next = l->topic->first;
    if (l->next != NULL)
        l->next->link = &l->next;
    l->topic->first = l;
    e->listeners++;
    metrics_set(e->server->metrics, METRIC_LISTENERS, (int64_t)e->listeners);
    pthread_cond_signal(&e->wake);
    return true;
}

/* Has the system buffer little for the listener, and close the connection if nothing is read for as long as a
   connection may be idle. If the system cannot do that, the listener keeps what it had. */
static void bound_buffers(const listener *l) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(l->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const int bytes = 65536;
    const unsigned milliseconds = l->events->server->config.timeout * 1000;
    if (info == NULL)
        return;
    setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    setsockopt(info->connect_fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

struct MHD_Response *events_listen(events *e, request *r) {
    enum { BLOCK = 4096 };
    listener *l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    const char *token = request_token(r);
    *l = (listener){.events = e, .connection = r->connection, .spoken = seconds_now()};
    snprintf(l->token, sizeof l->token, "%s", token == NULL ? "" : token);
    bound_buffers(l);
    pthread_mutex_lock(&e->lock);
    const bool joined = join(e, l, r->entry->name);
    pthread_mutex_unlock(&e->lock);
    if (!joined) {
        free(l);
        return NULL;
    }
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, l, leave);
    if (response == NULL)
        leave(l);
    return response;
}

/* ---- Starting and stopping ---- */

events *events_start(server *s) {
    events *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->server = s;
    e->heartbeat = event_make(":\n\n", 3);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->wake, NULL);
    if (e->heartbeat != NULL && pthread_create(&e->thread, NULL, tell_all, e) == 0)
        return e;
    e->stopping = true;
    events_free(e);
    return NULL;
}

static bool has_listeners(events *e) {
    pthread_mutex_lock(&e->lock);
    const bool any = e->listeners > 0;
    pthread_mutex_unlock(&e->lock);
    return any;
}

/* Only shuts the socket down; the daemon notices, and closes it. */
static void cut_off(events *e) {
    pthread_mutex_lock(&e->lock);
    for (topic *c = e->topics; c != NULL; c = c->next)
        for (listener *l = c->first; l != NULL; l = l->next) {
            const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(l->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
            if (info != NULL)
                shutdown(info->connect_fd, SHUT_RDWR);
        }
    pthread_mutex_unlock(&e->lock);
}

void events_stop(events *e) {
    pthread_mutex_lock(&e->lock);
    e->stopping = true;
    for (topic *c = e->topics; c != NULL; c = c->next)
        wake_all(c);
    pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
    pthread_join(e->thread, NULL);
    for (int i = 0; i < GRACE_MILLISECONDS && has_listeners(e); i++)
        usleep(1000);
    cut_off(e);
}

void events_free(events *e) {
    if (e == NULL)
        return;
    while (e->topics != NULL) {
        topic *next = e->topics->next;
        event_release(e->topics->latest);
        free(e->topics);
        e->topics = next;
    }
    event_release(e->heartbeat);
    pthread_cond_destroy(&e->wake);
    pthread_mutex_destroy(&e->lock);
    free(e);
}
