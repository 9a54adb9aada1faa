/* Workers: threads for what takes longer than a request should hold up others, such as an estimate. */
#ifndef PODIUM_COLLECTOR_WORKERS_H
#define PODIUM_COLLECTOR_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct work {
    void (*run)(struct work *work);
    struct work *next;
} work;

typedef struct workers workers;
workers *workers_start(size_t threads, size_t queue_max); /* NULL on failure */
bool workers_submit(workers *w, work *job);               /* false if too many wait already */
void workers_stop(workers *w); /* after all jobs that wait have run; from then on workers_submit returns false */
void workers_free(workers *w); /* after workers_stop */

#endif
