/*
 * The board that the tests use: an emulator, which prints and exits by semihosting.
 *
 * ITS RANDOM SOURCE IS FOR TESTS. It is a fixed sequence, so that the tests know what must come out, and reports made
 * with it protect nobody. On a device replace this file by one that reads the chip's generator of true random numbers:
 *
 *     static size_t fill(void *context, void *buffer, size_t n) {
 *         (void)context;
 *         for (size_t i = 0; i < n; i += 4) {
 *             uint32_t word;
 *             if (!read_generator(&word))    with the vendor's checks for errors; better no report than a weak one
 *                 return i;
 *             memcpy((char *)buffer + i, &word, n - i < 4 ? n - i : 4);
 *         }
 *         return n;
 *     }
 *     const podium_random board_random = {.fill = fill};
 */
#include "board.h"

#include <string.h>

/* ---- Semihosting: a breakpoint by which a program asks the emulator, or the debugger, for something ---- */

enum { WRITE = 0x04, EXIT = 0x18, SUCCESS = 0x20026, FAILURE = 0x20023 };

static void ask(uintptr_t operation, uintptr_t argument) {
    register uintptr_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_print(const char *text) {
    ask(WRITE, (uintptr_t)text);
}

void board_exit(bool success) {
    ask(EXIT, success ? SUCCESS : FAILURE);
    for (;;)
        ;
}

/* ---- The fixed sequence: each byte from the one before, with a period of 2^32 ---- */

static uint32_t state = 1;

static size_t fixed_fill(void *context, void *buffer, size_t n) {
    (void)context;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        ((unsigned char *)buffer)[i] = (unsigned char)(state >> 24);
    }
    return n;
}

const podium_random board_random = {.fill = fixed_fill};
