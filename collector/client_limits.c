#include "client_limits.h"
#include "clock.h"
#include "table/siphash.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rates ---- */

enum { SLOTS = 1 << 16, WAYS = 8, FORGET_SECONDS = 3000 };

/* An address is allowed a request whenever `next` is no more than a second ahead; each request moves it on. */
typedef struct {
    uint64_t address; /* its hash */
    double next;
} slot;

struct rates {
    pthread_mutex_t lock;
    uint64_t key[2];
    double forgotten;
    slot slots[SLOTS];
};

/* Forgets everything, and hashes with another key from now on. */
static bool forget_all(rates *r) {
    memset(r->slots, 0, sizeof r->slots);
    r->forgotten = seconds_now();
    return RAND_bytes((unsigned char *)r->key, sizeof r->key) == 1;
}

rates *rates_make(void) {
    rates *r = calloc(1, sizeof *r);
    if (r == NULL || !forget_all(r)) {
        free(r);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void rates_free(rates *r) {
    if (r == NULL)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* One customer has many addresses of IPv6, which share their first 64 bits. */
static uint64_t hash_address(const rates *r, const struct sockaddr *address) {
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        return IN6_IS_ADDR_V4MAPPED(v6) ? siphash(r->key, &v6->s6_addr[12], 4) : siphash(r->key, v6, 8);
    }
    return siphash(r->key, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
}

/* Returns the slot of the address: its own, or else the one that has been unused for longest among a few. */
static slot *find_slot(rates *r, uint64_t hash) {
    slot *ways = &r->slots[hash % (SLOTS / WAYS) * WAYS], *oldest = ways;
    for (size_t i = 0; i < WAYS; i++) {
        if (ways[i].address == hash)
            return &ways[i];
        if (ways[i].next < oldest->next)
            oldest = &ways[i];
    }
    *oldest = (slot){hash, 0};
    return oldest;
}

/* Forgets all addresses if it is nearly an hour since that happened. */
static void rates_forget(rates *r) {
    pthread_mutex_lock(&r->lock);
    if (seconds_now() - r->forgotten > FORGET_SECONDS)
        forget_all(r);
    pthread_mutex_unlock(&r->lock);
}

bool rates_exceed(rates *r, const struct sockaddr *address, uint32_t rate) {
    if (rate == 0)
        return false;
    pthread_mutex_lock(&r->lock);
    const double now = seconds_now();
    slot *s = find_slot(r, hash_address(r, address));
    if (s->next < now)
        s->next = now;
    const bool exceeded = s->next + 1.0 / rate > now + 1;
    if (!exceeded)
        s->next += 1.0 / rate;
    pthread_mutex_unlock(&r->lock);
    return exceeded;
}

bool address_parse(struct sockaddr_storage *address, const char *list) {
    char word[INET6_ADDRSTRLEN];
    const char *comma = strrchr(list, ','), *from = comma == NULL ? list : comma + 1;
    from += strspn(from, " \t");
    const size_t n = strcspn(from, " \t");
    if (n >= sizeof word)
        return false;
    memcpy(word, from, n);
    word[n] = '\0';
    *address = (struct sockaddr_storage){.ss_family = strchr(word, ':') == NULL ? AF_INET : AF_INET6};
    void *to = address->ss_family == AF_INET ? (void *)&((struct sockaddr_in *)(void *)address)->sin_addr
                                             : (void *)&((struct sockaddr_in6 *)(void *)address)->sin6_addr;
    return inet_pton(address->ss_family, word, to) == 1;
}

/* ---- Slow clients ---- */

struct watch {
    rates *rates;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    metrics *metrics;
    watched *first;
    uint32_t seconds;
    bool stopping;
};

/* The socket is only shut down here. Whoever owns it closes it, and until then the number is not used again. */
static void cut_off(watch *w, double now) {
    for (watched *c = w->first; c != NULL; c = c->next)
        if (c->since > 0 && now - c->since > w->seconds) {
            shutdown(c->socket, SHUT_RDWR);
            c->since = 0;
            metrics_add(w->metrics, METRIC_SLOW_CLIENTS, 1);
        }
}

static void *watch_all(void *context) {
    watch *w = context;
    pthread_mutex_lock(&w->lock);
    while (!w->stopping) {
        const struct timespec until = moment_in(1);
        while (!w->stopping && pthread_cond_timedwait(&w->wake, &w->lock, &until) == 0)
            ;
        cut_off(w, seconds_now());
        rates_forget(w->rates);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

watch *watch_start(metrics *m, rates *r, uint32_t seconds) {
    watch *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->metrics = m;
    w->rates = r;
    w->seconds = seconds;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    if (pthread_create(&w->thread, NULL, watch_all, w) == 0)
        return w;
    free(w);
    return NULL;
}

void watch_stop(watch *w) {
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

watched *watch_add(watch *w, int socket) {
    watched *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    pthread_mutex_lock(&w->lock);
    *c = (watched){socket, seconds_now(), w->first, &w->first};
    if (c->next != NULL)
        c->next->link = &c->next;
    w->first = c;
    pthread_mutex_unlock(&w->lock);
    return c;
}

void watch_remove(watch *w, watched *c) {
    if (c == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    *c->link = c->next;
    if (c->next != NULL)
        c->next->link = c->link;
    pthread_mutex_unlock(&w->lock);
    free(c);
}

static void set_since(watch *w, watched *c, double since) {
    if (c == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    c->since = since;
    pthread_mutex_unlock(&w->lock);
}

void watch_begin(watch *w, watched *c) {
    set_since(w, c, seconds_now());
}

void watch_pause(watch *w, watched *c) {
    set_since(w, c, 0);
}
