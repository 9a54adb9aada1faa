/* Clock: seconds that always go forward, for what takes how long. */
#ifndef PODIUM_COLLECTOR_CLOCK_H
#define PODIUM_COLLECTOR_CLOCK_H

#include <time.h>

static inline double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
