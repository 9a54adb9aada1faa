/* Clock: seconds that always go forward, for what takes how long, and sleep; and the periods, in seconds. */
#ifndef PODIUM_COLLECTOR_CLOCK_H
#define PODIUM_COLLECTOR_CLOCK_H

#include <time.h>

enum { HOUR = 3600, DAY = 24 * HOUR };

static inline double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void sleep_for(double seconds) {
    const struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

#endif
