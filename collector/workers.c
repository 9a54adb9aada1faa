#include "workers.h"

#include <pthread.h>
#include <stdlib.h>

struct workers {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    work *first, **last;
    size_t waiting, queue_max, threads;
    bool stopping;
    pthread_t thread[];
};

static void *work_all(void *context) {
    workers *w = context;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->first == NULL && !w->stopping)
            pthread_cond_wait(&w->wake, &w->lock);
        work *job = w->first;
        if (job == NULL)
            break;
        w->first = job->next;
        if (w->first == NULL)
            w->last = &w->first;
        w->waiting--;
        pthread_mutex_unlock(&w->lock);
        job->run(job);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

workers *workers_start(size_t threads, size_t queue_max) {
    workers *w = calloc(1, sizeof *w + threads * sizeof *w->thread);
    if (w == NULL)
        return NULL;
    w->last = &w->first;
    w->queue_max = queue_max;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    while (w->threads < threads && pthread_create(&w->thread[w->threads], NULL, work_all, w) == 0)
        w->threads++;
    if (w->threads == threads)
        return w;
    workers_stop(w);
    workers_free(w);
    return NULL;
}

bool workers_submit(workers *w, work *job) {
    pthread_mutex_lock(&w->lock);
    const bool room = w->waiting < w->queue_max && !w->stopping;
    if (room) {
        job->next = NULL;
        *w->last = job;
        w->last = &job->next;
        w->waiting++;
        pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return room;
}

void workers_stop(workers *w) {
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->threads; i++)
        pthread_join(w->thread[i], NULL);
}

void workers_free(workers *w) {
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
