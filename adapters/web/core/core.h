/*
 * Core: the C half of the npm package. JavaScript writes arguments into the areas below, calls a function with numbers,
 * and reads the results from the same areas. Collections and aggregates are bytes that JavaScript keeps and copies here
 * for a call, so nothing here has to be freed but channels.
 *
 * A function that can fail returns a podium_status.
 */
#ifndef PODIUM_WEB_CORE_H
#define PODIUM_WEB_CORE_H

#include <podium.h>

#define EXPORT(name) __attribute__((export_name(#name)))

#define PAGE_VALUES 4096 /* values, reports or cells in one call */

/* Values come in and reports go out here; and so do texts, encoded aggregates and lists of numbers. */
typedef union page {
    double numbers[PAGE_VALUES];
    char text[PAGE_VALUES * sizeof(double)];
    unsigned char bytes[PAGE_VALUES * sizeof(double)];
} page;

extern page shared;
extern uint32_t cells[PAGE_VALUES];
extern podium_collection collection; /* the one that calls are about */
extern const podium_random browser_random;

#endif
