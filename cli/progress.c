/* Progress: one line that overwrites itself, on standard error, only where that is a terminal. */
#include "cli.h"

#include <time.h>
#include <unistd.h>

static double started, shown; /* seconds; 0: not yet */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_show(const char *what, uint64_t done, uint64_t total, uint64_t rows) {
    if (!isatty(STDERR_FILENO))
        return;
    double now = seconds();
    if (started == 0)
        started = shown = now;
    if (now - shown < 0.2)
        return;
    shown = now;
    double each = (now - started) / (done == 0 ? 1 : (double)done);
    fprintf(stderr, "\r\033[Kpodium: %s", what);
    if (rows > 0)
        fprintf(stderr, "  %.1f MB  %.2f M rows/s", (double)done / 1e6, (double)rows / (now - started) / 1e6);
    if (total > 0)
        fprintf(stderr, "  %.0f%%  %.0f s left", 100 * (double)done / (double)total,
                each * ((double)total - (double)done));
    fflush(stderr);
}

void progress_clear(void) {
    if (started != 0 && shown != started)
        fputs("\r\033[K", stderr);
    started = shown = 0;
}
