/* Pool: a few connections that read, so that nobody who reads for long keeps the others waiting. It only says who has
   which of them; the connections are the store's. */
#ifndef PODIUM_COLLECTOR_POOL_H
#define PODIUM_COLLECTOR_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { POOL_SIZE = 4 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    bool taken[POOL_SIZE];
} pool;

void pool_init(pool *p);
void pool_destroy(pool *p);
/* Returns the number of a connection that nobody else has, for which it may wait. */
size_t pool_take(pool *p);
void pool_return(pool *p, size_t number);

#endif
