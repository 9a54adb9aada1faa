/*
 * Runs on an emulated microcontroller. It draws codes from collections of every mechanism and prints them, so that
 * firmware.sh can compare them with those of the library on this machine. Then it measures the stack of a draw by
 * painting it, and looks there for what a draw should have wiped.
 *
 * With TRACE it does nothing but draw, between calls of mark(), while the emulator writes down every instruction.
 */
#include "board.h"

#include <string.h>

#define COLLECTION(name) extern const podium_firmware name;
#include "collections.h"
#undef COLLECTION

static const struct {
    const char *name;
    const podium_firmware *of;
} collections[] = {
#define COLLECTION(name) {#name, &name},
#include "collections.h"
#undef COLLECTION
};
enum { COLLECTIONS = sizeof collections / sizeof *collections };

static const int32_t values[] = {-2147483647 - 1, -401, -400, -399, -127, -1, 0, 1, 99, 100, 101, 333, 599, 600, 601,
                                 2147483647};
enum { VALUES = sizeof values / sizeof *values };

static void fail(const char *name, const char *what) {
    board_print(name);
    board_print(what);
    board_exit(false);
}

#ifdef TRACE

/* Words that differ as much as words can, and that no draw may run differently for */
static size_t extreme_fill(void *context, void *buffer, size_t n) {
    const uint32_t *pattern = context;
    uint32_t word = pattern[0];
    for (size_t i = 0; i < n / 4; i++, word = word * pattern[1] + pattern[2])
        memcpy((char *)buffer + 4 * i, &word, 4);
    return n;
}

__attribute__((noinline)) void mark(void) {
    __asm__ volatile("");
}

static void draw_between_marks(const podium_firmware *f, int32_t value, const uint32_t *pattern) {
    const podium_random random = {.fill = extreme_fill, .context = (void *)(uintptr_t)pattern};
    unsigned char code[4];
    mark();
    const podium_status status = podium_firmware_codes(f, &random, code, sizeof code, &value, 1);
    mark();
    if (status != PODIUM_OK)
        fail("trace", ": no code\n");
}

int main(void) {
    static const uint32_t patterns[][3] = {
        {0, 1, 0}, {UINT32_MAX, 1, 0}, {12345, 1664525, 1013904223}, {0x80000000, 1, 0x7fffffff}};
    static const int32_t some[] = {-2147483647 - 1, -400, 99, 100, 101, 333, 2147483647};
    for (size_t k = 0; k < COLLECTIONS; k++)
        for (size_t p = 0; p < 4; p++)
            for (size_t i = p; i < 7; i += 2)
                draw_between_marks(collections[k].of, some[i], patterns[p]);
    board_exit(true);
}

#else

/* ---- Text ---- */

static void print_hex(uint32_t number, int digits) {
    char text[9];
    for (int i = 0; i < digits; i++)
        text[i] = "0123456789abcdef"[number >> 4 * (digits - 1 - i) & 15];
    text[digits] = '\0';
    board_print(text);
}

static void print_number(const char *before, uint32_t number) {
    char text[12];
    int at = 11;
    text[at] = '\0';
    do
        text[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    board_print(before);
    board_print(text + at);
    board_print("\n");
}

/* ---- Codes ---- */

static void print_codes(const podium_firmware *f, const char *name) {
    const size_t bytes = podium_firmware_code_bytes(f);
    board_print(name);
    for (size_t i = 0; i < VALUES; i++) {
        unsigned char code[4];
        if (podium_firmware_codes(f, &board_random, code, sizeof code, &values[i], 1) != PODIUM_OK)
            fail(name, ": no code\n");
        board_print(" ");
        for (size_t k = 0; k < bytes; k++)
            print_hex(code[k], 2);
    }
    board_print("\n");
}

/* ---- The stack ---- */

extern uint32_t bss_end[];
enum { PAINT = 0x5a5a5a5a, ROOM = 64 }; /* ROOM is for the function that paints */

static uint32_t *stack_pointer(void) {
    uint32_t *sp;
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return sp;
}

/* The halves that the source has handed out, with the last bits flipped, so that no copy of them is found here */
static uint32_t drawn[128];
static size_t drawn_count;
static uint32_t code_drawn; /* which is public, and may be equal to half a word */

static size_t kept_fill(void *context, void *buffer, size_t n) {
    const size_t filled = board_random.fill(context, buffer, n);
    for (size_t i = 0; i < n / 4; i++) {
        uint32_t half;
        memcpy(&half, (char *)buffer + 4 * i, 4);
        drawn[drawn_count++] = ~half;
    }
    return filled;
}

static uint32_t secret_value(void) {
    static volatile uint32_t flipped = ~(uint32_t)0x0123; /* within the range, and unlike any address or count */
    return ~flipped;
}

/* Returns the stack pointer at the call of a draw. */
__attribute__((noinline)) static uint32_t *draw_secret(const podium_firmware *f, const char *name) {
    const podium_random random = {.fill = kept_fill};
    int32_t value = (int32_t)secret_value();
    unsigned char code[4] = {0};
    drawn_count = 0;
    if (podium_firmware_codes(f, &random, code, sizeof code, &value, 1) != PODIUM_OK)
        fail(name, ": no code\n");
    memcpy(&code_drawn, code, sizeof code_drawn);
    *(volatile int32_t *)&value = 0; /* the caller wipes what it has */
    return stack_pointer();
}

static bool is_secret(uint32_t word) {
    bool found = word == secret_value();
    for (size_t i = 0; i < drawn_count; i++)
        found |= word == ~drawn[i];
    return found && word != code_drawn;
}

/* Returns how many bytes a draw took, and adds the secrets that are still there to traces. */
__attribute__((noinline)) static uint32_t stack_of(const podium_firmware *f, const char *name, uint32_t *traces) {
    const uint32_t *const end = stack_pointer() - ROOM / 4, *low = bss_end;
    for (uint32_t *word = bss_end; word < end; word++)
        *(volatile uint32_t *)word = PAINT;
    const uint32_t *const top = draw_secret(f, name);
    while (*low == PAINT)
        low++;
    for (const uint32_t *word = low; word < top; word++)
        *traces += is_secret(*word);
    return (uint32_t)((const char *)top - (const char *)low);
}

int main(void) {
    uint32_t traces = 0;
    for (size_t k = 0; k < COLLECTIONS; k++)
        print_codes(collections[k].of, collections[k].name);
    for (size_t k = 0; k < COLLECTIONS; k++) {
        board_print("stack ");
        board_print(collections[k].name);
        print_number(" ", stack_of(collections[k].of, collections[k].name, &traces));
    }
    print_number("traces ", traces);
    board_exit(true);
}

#endif
