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
    pthread_mutex_t fetching, turn;
    pthread_cond_t moved;      /* finished has changed */
    uint64_t fetched;          /* guarded by fetching */
    _Atomic uint64_t finished; /* changed only under turn */
};

typedef struct {
    crew *crew;
    void *worker;
} member;

/* A turn often comes within microseconds, so a thread polls this often before it sleeps, which takes longer. */
#define POLLS 2000

static void await(crew *c, uint64_t finished) {
    for (int i = 0; i < POLLS && atomic_load(&c->finished) != finished; i++)
        PAUSE;
    pthread_mutex_lock(&c->turn);
    while (c->finished != finished)
        pthread_cond_wait(&c->moved, &c->turn);
    pthread_mutex_unlock(&c->turn);
}

void crew_await(crew *c) {
    await(c, c->fetched);
}

static void *run(void *argument) {
    crew *c = ((member *)argument)->crew;
    void *worker = ((member *)argument)->worker;
    for (;;) {
        pthread_mutex_lock(&c->fetching);
        bool more = c->steps->fetch(c, worker);
        uint64_t mine = c->fetched;
        c->fetched += more;
        pthread_mutex_unlock(&c->fetching);
        if (!more)
            return NULL;
        c->steps->work(worker);
        await(c, mine);
        c->steps->finish(worker); /* no other thread can be here until finished changes */
        pthread_mutex_lock(&c->turn);
        c->finished++;
        pthread_cond_broadcast(&c->moved);
        pthread_mutex_unlock(&c->turn);
    }
}

void crew_run(const crew_steps *steps, void *workers, size_t size, unsigned count) {
    crew c = {.steps = steps,
              .fetching = PTHREAD_MUTEX_INITIALIZER,
              .turn = PTHREAD_MUTEX_INITIALIZER,
              .moved = PTHREAD_COND_INITIALIZER};
    pthread_t threads[CREW_MAX];
    member members[CREW_MAX];
    for (unsigned i = 0; i < count; i++)
        members[i] = (member){&c, (char *)workers + i * size};
    unsigned started = 1; /* this thread works too; if the system has no more threads, fewer do the work */
    while (started < count && pthread_create(&threads[started], NULL, run, &members[started]) == 0)
        started++;
    run(&members[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
}
