/* Crew: threads that fetch pieces of work in order, work on them in parallel, and finish them in the order fetched. */
#ifndef PODIUM_CLI_CREW_H
#define PODIUM_CLI_CREW_H

#include <stdbool.h>
#include <stddef.h>

#define CREW_MAX 64

typedef struct crew crew;

/* Each thread passes a worker of its own to these functions. */
typedef struct {
    bool (*fetch)(crew *crew, void *worker); /* by one thread at a time; returns false if there is no more work */
    void (*work)(void *worker);              /* in parallel with other threads */
    void (*finish)(void *worker);            /* by one thread at a time, in the order of fetch */
} crew_steps;

/* Runs the steps until there is no more work. `workers` is an array of `count` workers of `size` bytes each. */
void crew_run(const crew_steps *steps, void *workers, size_t size, unsigned count);

/* For use inside fetch: waits until everything fetched before is finished, so that a message comes after theirs. */
void crew_await(crew *crew);

#endif
