/* Crew: threads that take pieces of work in order, do them at the same time, and finish them in the order taken. */
#ifndef PODIUM_CLI_CREW_H
#define PODIUM_CLI_CREW_H

#include <stdbool.h>
#include <stddef.h>

#define CREW_MAX 64

typedef struct crew crew;

/* Each gets its own worker: `count` of them, of `size` bytes each, stand at `workers`. */
typedef struct {
    bool (*take)(crew *crew, void *worker); /* one at a time; false: there is no more */
    void (*work)(void *worker);             /* at the same time as others */
    void (*finish)(void *worker);           /* one at a time, in the order of take */
} crew_steps;

void crew_run(const crew_steps *steps, void *workers, size_t size, unsigned count);

/* For take: waits until all that was taken before is finished, so that what is said now comes after it. */
void crew_await(crew *crew);

#endif
