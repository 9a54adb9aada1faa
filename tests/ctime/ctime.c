/*
 * Constant time: values and random words are marked as undefined memory, so that valgrind and MemorySanitizer report
 * any jump or address that depends on them. A cell is public once it is drawn.
 *
 * tests/ctime/run.sh builds and runs this for every compiler and optimisation level.
 */
#include "device/firmware.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SECRET(memory, n) __msan_allocated_memory(memory, n)
#define PUBLIC(memory, n) __msan_unpoison(memory, n)
#define WATCHED() 1
#endif
#endif
#ifndef SECRET
#include <valgrind/memcheck.h>
#define SECRET(memory, n) VALGRIND_MAKE_MEM_UNDEFINED(memory, n)
#define PUBLIC(memory, n) VALGRIND_MAKE_MEM_DEFINED(memory, n)
#define WATCHED() RUNNING_ON_VALGRIND
#endif

static size_t secret_words(void *context, void *buffer, size_t n) {
    unsigned char *seed = context;
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)buffer)[i] = *seed = (unsigned char)(*seed * 5 + 77);
    SECRET(buffer, n);
    return n;
}

/* With the identity map, a report is a linear function of the cell. Other maps look it up by the cell, and then an
   address or a jump depends on a public number. For those, only the path up to the cell is checked. */
static void privatize_secrets(const podium_collection *collection, size_t n) {
    static double values[700], reports[700];
    static uint32_t cells[700];
    const bool straight = podium_layout_of(collection)->map == PODIUM_MAP_IDENTITY;
    unsigned char seed = (unsigned char)(n + (size_t)podium_collection_spec(collection).mechanism);
    podium_random random = {.fill = secret_words, .context = &seed};
    memset(values, 0x41, sizeof values);
    SECRET(values, sizeof values);
    if (podium_privatize_cells(collection, &random, cells, values, n) != PODIUM_OK)
        exit(2);
    if (straight && podium_privatize_from(collection, &random, reports, values, n) != PODIUM_OK)
        exit(2);
    PUBLIC(cells, sizeof cells);
    if (podium_collection_reports(collection, reports, cells, n) != PODIUM_OK)
        exit(2);
}

/* The same from a collection in flash. There is no report, so that everything is checked. */
static void draw_secrets(const podium_collection *collection) {
    static int32_t values[4];
    uint32_t cells[4];
    unsigned char codes[16], seed = (unsigned char)podium_collection_spec(collection).mechanism;
    podium_firmware firmware;
    podium_firmware_tables tables;
    podium_random random = {.fill = secret_words, .context = &seed};
    if (podium_firmware_make(&firmware, &tables, collection, 0.25) != PODIUM_OK)
        exit(2);
    memset(values, 0x05, sizeof values);
    SECRET(values, sizeof values);
    if (podium_firmware_cells(&firmware, &random, cells, values, 4) != PODIUM_OK ||
        podium_firmware_codes(&firmware, &random, codes, sizeof codes, values, 4) != PODIUM_OK)
        exit(2);
}

int main(void) {
    static const double epsilons[] = {0.01, 1, 50};
    static const size_t sizes[] = {1, 3, 33, 700};
    if (!WATCHED()) {
        fprintf(stderr, "ctime: run me under valgrind, or build me with -fsanitize=memory\n");
        return 2;
    }
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        for (size_t e = 0; e < sizeof epsilons / sizeof *epsilons; e++) {
            podium_spec spec = {.mechanism = (podium_mechanism)m, .epsilon = epsilons[e], .min = -1, .max = 9};
            podium_collection collection;
            if (podium_collection_init(&collection, &spec) != PODIUM_OK)
                return 2;
            draw_secrets(&collection);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                privatize_secrets(&collection, sizes[s]);
        }
    puts("ctime: no jump and no address depends on a value or a random word");
    return 0;
}
