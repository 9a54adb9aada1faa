#include "crew.h"
#include "cli.h"

#include <pthread.h>
#include <string.h>

struct crew {
    const crew_steps *steps;
    pthread_mutex_t taking, turn;
    pthread_cond_t moved; /* finished has changed */
    uint64_t taken;       /* guarded by taking */
    uint64_t finished;    /* guarded by turn */
};

typedef struct {
    crew *crew;
    void *worker;
} place;

static void await(crew *c, uint64_t finished) {
    pthread_mutex_lock(&c->turn);
    while (c->finished != finished)
        pthread_cond_wait(&c->moved, &c->turn);
    pthread_mutex_unlock(&c->turn);
}

void crew_await(crew *c) {
    await(c, c->taken);
}

static void *run(void *argument) {
    crew *c = ((place *)argument)->crew;
    void *worker = ((place *)argument)->worker;
    for (;;) {
        pthread_mutex_lock(&c->taking);
        bool more = c->steps->take(c, worker);
        uint64_t mine = c->taken;
        c->taken += more;
        pthread_mutex_unlock(&c->taking);
        if (!more)
            return NULL;
        c->steps->work(worker);
        await(c, mine);
        c->steps->finish(worker); /* nobody else's turn: finished is still mine */
        pthread_mutex_lock(&c->turn);
        c->finished++;
        pthread_cond_broadcast(&c->moved);
        pthread_mutex_unlock(&c->turn);
    }
}

void crew_run(const crew_steps *steps, void *workers, size_t size, unsigned count) {
    crew c = {.steps = steps,
              .taking = PTHREAD_MUTEX_INITIALIZER,
              .turn = PTHREAD_MUTEX_INITIALIZER,
              .moved = PTHREAD_COND_INITIALIZER};
    pthread_t threads[CREW_MAX];
    place places[CREW_MAX];
    for (unsigned i = 0; i < count; i++)
        places[i] = (place){&c, (char *)workers + i * size};
    unsigned started = 1; /* this thread works too; where no more can be had, fewer do it */
    while (started < count && pthread_create(&threads[started], NULL, run, &places[started]) == 0)
        started++;
    run(&places[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
}
