#include "table/crew.h"
#include "cli.h"

#include <pthread.h>
#include <stdatomic.h>

#if defined(__x86_64__)
#define PAUSE __builtin_ia32_pause()
#else
#define PAUSE (void)0
#endif

struct crew {
    const crew_steps *steps;
    pthread_mutex_t taking, turn;
    pthread_cond_t moved;      /* finished has changed */
    uint64_t taken;            /* guarded by taking */
    _Atomic uint64_t finished; /* changed under turn */
};

typedef struct {
    crew *crew;
    void *worker;
} place;

/* A turn often comes within microseconds, and sleeping takes longer. */
#define GLANCES 2000

static void await(crew *c, uint64_t finished) {
    for (int i = 0; i < GLANCES && atomic_load(&c->finished) != finished; i++)
        PAUSE;
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
