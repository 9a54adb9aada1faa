/* Progress: one line on standard error that overwrites itself; only if that is a terminal. */
#include "cli.h"
#include "platform.h"

#define PAUSE 0.2 /* seconds; work that takes less time shows no progress */

static double started, shown; /* when the work started and was last shown; 0 before that */
static bool visible;          /* the line is on the screen now */
static bool slow;             /* a line was shown before, so the next work is shown at once */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_show(const char *what, uint64_t done, uint64_t total, uint64_t rows) {
    if (!terminal())
        return;
    double now = seconds();
    if (started == 0) {
        started = now;
        shown = slow ? 0 : now;
    }
    if (now - shown < PAUSE)
        return;
    shown = now;
    visible = slow = true;
    fprintf(stderr, "\r\033[Kpodium: %s", what);
    if (rows > 0)
        fprintf(stderr, "  %.1f MB  %.2f M rows/s", (double)done / 1e6, (double)rows / (now - started) / 1e6);
    if (total > 0 && done > 0)
        fprintf(stderr, "  %.0f%%  %.0f s left", 100 * (double)done / (double)total,
                (now - started) * ((double)total / (double)done - 1));
    fflush(stderr);
}

void progress_clear(void) {
    if (visible) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    visible = false;
    started = shown = 0;
}
