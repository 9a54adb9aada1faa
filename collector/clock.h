/* Clock: seconds that always go forward, for what takes how long, and sleep; moments of the calendar, to wait for and
   to write; and the periods, in seconds. */
#ifndef PODIUM_COLLECTOR_CLOCK_H
#define PODIUM_COLLECTOR_CLOCK_H

#include <stdint.h>
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

/* The moment so many seconds from now, as pthread_cond_timedwait takes it */
static inline struct timespec moment_in(double seconds) {
    enum { NANOSECONDS = 1000000000 };
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    const long long end = t.tv_nsec + (long long)(seconds * NANOSECONDS);
    return (struct timespec){.tv_sec = t.tv_sec + (time_t)(end / NANOSECONDS), .tv_nsec = (long)(end % NANOSECONDS)};
}

/* Writes a moment, in seconds since 1970, as 2026-01-31T13:00:00Z. */
enum { UTC_TEXT_MAX = 32 };
static inline void utc_print(char to[UTC_TEXT_MAX], int64_t moment) {
    const time_t seconds = (time_t)moment;
    struct tm utc;
    strftime(to, UTC_TEXT_MAX, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
}

#endif
