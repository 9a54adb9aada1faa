/*
 * Masks: choosing without branching. A mask is all ones or all zeros.
 *
 * Compilers recognise `0 - (a < b)` and turn the code after it into a jump if they consider that faster (clang 14 does,
 * from -O1). So a mask passes a barrier, which is an empty piece of assembly that may have changed it as far as the
 * compiler knows. tests/ctime checks the result for every compiler and optimisation level.
 */
#ifndef PODIUM_MASK_H
#define PODIUM_MASK_H

#include <stdbool.h>
#include <stdint.h>

/* MemorySanitizer cannot follow assembly, so it gets the volatile variable instead. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define PODIUM_MASK_WITHOUT_ASSEMBLY
#endif
#endif

static inline uint64_t mask_barrier(uint64_t mask) {
#if defined(__GNUC__) && !defined(PODIUM_MASK_WITHOUT_ASSEMBLY)
    __asm__("" : "+r"(mask));
    return mask;
#else
    volatile uint64_t opaque = mask;
    return opaque;
#endif
}

static inline uint64_t mask_if(bool condition) {
    return mask_barrier(0 - (uint64_t)condition);
}

/* Whether a < b. A machine of 32 bits compares 64 bits in two steps, between which compilers jump (gcc 12 does for
   Cortex-M0), so there the borrow of a - b is computed from bits: it is set if b has the highest bit and a has not, or
   if both or neither have it and the difference is negative. */
static inline uint64_t mask_less(uint64_t a, uint64_t b) {
#if UINTPTR_MAX > UINT32_MAX
    return mask_if(a < b);
#else
    return mask_barrier(0 - (((~a & b) | (~(a ^ b) & (a - b))) >> 63));
#endif
}

static inline uint64_t mask_select(uint64_t mask, uint64_t yes, uint64_t no) {
    return no ^ (mask & (yes ^ no));
}

static inline uint64_t mask_smaller(uint64_t a, uint64_t b) {
    return mask_select(mask_less(a, b), a, b);
}

#endif
