/*
 * Multiply: products of secret integers, on processors whose widest multiplication takes a variable time too.
 *
 * A product of 32 by 32 bits with all of its 64 bits is one instruction on most processors, and takes the same time for
 * all operands. It does not on Cortex-M3, whose UMULL ends early if an operand is small. Cortex-M0, M0+ and M23 have no
 * such instruction, and the function that a compiler calls instead may take a variable time as well. On all of these a
 * product of which only the lower 32 bits are kept (MUL, MULS) takes the same time for all operands, so that the
 * product is put together from four products of 16 by 16 bits. docs/threat-model.md lists the processors.
 *
 * A build can choose by defining PODIUM_MULTIPLY as one of the constants below. The products are the same.
 */
#ifndef PODIUM_MULTIPLY_H
#define PODIUM_MULTIPLY_H

#include <stdint.h>

#define PODIUM_MULTIPLY_WIDE 0   /* the compiler's multiplication of 64 bits */
#define PODIUM_MULTIPLY_NARROW 1 /* products of 16 by 16 bits alone */

#if !defined(PODIUM_MULTIPLY)
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_8M_BASE__)
#define PODIUM_MULTIPLY PODIUM_MULTIPLY_NARROW
#else
#define PODIUM_MULTIPLY PODIUM_MULTIPLY_WIDE
#endif
#endif

/* a n for a < 2^32 and n <= 2^32. No sum below exceeds 32 bits, because (2^16 - 1)^2 + 2 (2^16 - 1) = 2^32 - 1. */
static inline uint64_t multiply_narrow(uint64_t a, uint64_t n) {
    const uint32_t a_low = a & 0xffff, a_high = (uint32_t)a >> 16, n_low = n & 0xffff, n_high = (uint32_t)n >> 16;
    const uint32_t low = a_low * n_low;
    const uint32_t middle = a_high * n_low + (low >> 16);
    const uint32_t other = a_low * n_high + (middle & 0xffff);
    uint32_t high = a_high * n_high + (middle >> 16) + (other >> 16);
    high += (uint32_t)a & (0 - (uint32_t)(n >> 32)); /* n is 2^32, and all of the above is 0 */
    return (uint64_t)high << 32 | (other << 16 | (low & 0xffff));
}

static inline uint64_t multiply(uint64_t a, uint64_t n) {
#if PODIUM_MULTIPLY == PODIUM_MULTIPLY_NARROW
    return multiply_narrow(a, n);
#else
    return a * n;
#endif
}

#endif
