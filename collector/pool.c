#include "pool.h"

void pool_init(pool *p) {
    *p = (pool){.taken = {false}};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->returned, NULL);
}

void pool_destroy(pool *p) {
    pthread_cond_destroy(&p->returned);
    pthread_mutex_destroy(&p->lock);
}

static size_t first_free(const pool *p) {
    size_t i = 0;
    while (i < POOL_SIZE && p->taken[i])
        i++;
    return i;
}

size_t pool_take(pool *p) {
    size_t number;
    pthread_mutex_lock(&p->lock);
    while ((number = first_free(p)) == POOL_SIZE)
        pthread_cond_wait(&p->returned, &p->lock);
    p->taken[number] = true;
    pthread_mutex_unlock(&p->lock);
    return number;
}

void pool_return(pool *p, size_t number) {
    pthread_mutex_lock(&p->lock);
    p->taken[number] = false;
    pthread_cond_signal(&p->returned);
    pthread_mutex_unlock(&p->lock);
}
