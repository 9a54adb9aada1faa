/*
 * Random: a podium_random that gets its bytes from crypto.getRandomValues.
 *
 * A call of that takes as long as some 10,000 random bytes, so an array's bytes are fetched in as large parts as it
 * allows and kept until they are used, at most until the end of the call. Each byte is wiped when it is handed out, and
 * close wipes the rest.
 */
#include "core.h"

#include <string.h>

#define PART_MAX 65536 /* bytes; getRandomValues refuses more */

__attribute__((import_module("podium"), import_name("random"))) bool host_random(void *buffer, size_t n);

static unsigned char part[PART_MAX];
static struct {
    size_t used, filled; /* of part */
    size_t left;         /* bytes that the call will need and that have not been fetched */
} state;

static void wipe(void *memory, size_t n) {
    memset(memory, 0, n);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static void *source_open(void *context, size_t bytes) {
    (void)context;
    state.used = state.filled = 0;
    state.left = bytes;
    return &state;
}

static bool next_part(void) {
    const size_t n = state.left < PART_MAX ? state.left : PART_MAX;
    if (!host_random(part, n))
        return false;
    state.used = 0;
    state.filled = n;
    state.left -= n;
    return true;
}

static size_t source_fill(void *context, void *buffer, size_t n) {
    (void)context;
    for (size_t done = 0; done < n;) {
        if (state.used == state.filled && !next_part())
            return 0;
        size_t now = state.filled - state.used < n - done ? state.filled - state.used : n - done;
        memcpy((unsigned char *)buffer + done, part + state.used, now);
        wipe(part + state.used, now);
        state.used += now;
        done += now;
    }
    return n;
}

static void source_close(void *context) {
    (void)context;
    wipe(part, state.filled);
}

const podium_random browser_random = {.fill = source_fill, .open = source_open, .close = source_close};
