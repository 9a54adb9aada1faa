/* Limits for clients: how many requests an address may send, and how long it may take to send one. Addresses are in
   memory only, under a hash whose key is random, and everything about them is forgotten within the hour. */
#ifndef PODIUM_COLLECTOR_CLIENT_LIMITS_H
#define PODIUM_COLLECTOR_CLIENT_LIMITS_H

#include "metrics.h"

#include <sys/socket.h>

/* ---- Rates ---- */

typedef struct rates rates;
rates *rates_make(void); /* NULL on failure */
void rates_free(rates *r);
/* Counts a request from the address, and returns whether it is one too many at this rate a second. A rate of 0 is no
   limit. A second's worth of requests may come at once. */
bool rates_exceed(rates *r, const struct sockaddr *address, uint32_t rate);

/* Parses the last of the addresses in a header such as "192.0.2.1, 2001:db8::2". Returns false if it is none. */
bool address_parse(struct sockaddr_storage *address, const char *list);

/* ---- Slow clients ---- */

/* A connection that is watched */
typedef struct watched {
    int socket;
    double since; /* when the request, or the wait for it, began; 0 while a request is being answered */
    struct watched *next, **link;
} watched;

typedef struct watch watch;
/* Cuts off what takes longer, and lets the rates forget, also while nobody sends anything. NULL on failure. */
watch *watch_start(metrics *m, rates *r, uint32_t seconds);
void watch_stop(watch *w);
watched *watch_add(watch *w, int socket); /* NULL if there is no memory */
void watch_remove(watch *w, watched *c);
void watch_begin(watch *w, watched *c); /* from now on a request is awaited */
void watch_pause(watch *w, watched *c); /* the request is there */

#endif
