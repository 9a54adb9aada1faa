/*
 * Natural numbers below 2^512, for the inequalities that decide privacy.
 *
 * GMP is not used because the on-device library must build with a C compiler alone. The 128-bit integers of compilers
 * are not used because they are too short and not available everywhere. Speed does not matter here, because a
 * collection is initialised once, so every operation is the schoolbook one. Callers keep results below 2^512, and each
 * says how large its numbers get.
 */
#ifndef PODIUM_WIDE_H
#define PODIUM_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define WIDE_LIMBS 16

typedef struct {
    uint32_t limb[WIDE_LIMBS]; /* least significant first */
} wide;

static inline wide wide_from(uint64_t value) {
    return (wide){{(uint32_t)value, (uint32_t)(value >> 32)}};
}

static inline wide wide_from_two(uint64_t low, uint64_t high) {
    return (wide){{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
}

static inline wide wide_shift_left(wide a, unsigned bits) {
    wide r = {{0}};
    for (unsigned i = bits / 32; i < WIDE_LIMBS; i++) {
        uint64_t two = (uint64_t)a.limb[i - bits / 32] << 32;
        if (i > bits / 32)
            two |= a.limb[i - bits / 32 - 1];
        r.limb[i] = (uint32_t)((two << bits % 32) >> 32);
    }
    return r;
}

static inline wide wide_shift_right(wide a, unsigned bits) {
    wide r = {{0}};
    for (unsigned i = 0; i + bits / 32 < WIDE_LIMBS; i++) {
        uint64_t two = a.limb[i + bits / 32];
        if (i + bits / 32 + 1 < WIDE_LIMBS)
            two |= (uint64_t)a.limb[i + bits / 32 + 1] << 32;
        r.limb[i] = (uint32_t)(two >> bits % 32);
    }
    return r;
}

static inline wide wide_add(wide a, wide b) {
    uint64_t carry = 0;
    for (int i = 0; i < WIDE_LIMBS; i++) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

/* a - b for b <= a */
static inline wide wide_subtract(wide a, wide b) {
    uint64_t borrow = 0;
    for (int i = 0; i < WIDE_LIMBS; i++) {
        uint64_t difference = (uint64_t)a.limb[i] - b.limb[i] - borrow;
        a.limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    return a;
}

static inline wide wide_multiply(wide a, wide b) {
    wide r = {{0}};
    for (int i = 0; i < WIDE_LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; a.limb[i] != 0 && i + j < WIDE_LIMBS; j++) {
            carry += (uint64_t)a.limb[i] * b.limb[j] + r.limb[i + j];
            r.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return r;
}

static inline bool wide_at_most(wide a, wide b) {
    for (int i = WIDE_LIMBS; i-- > 0;)
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i];
    return true;
}

/* floor(a/b) for b > 0 */
static inline wide wide_divide_small(wide a, uint32_t b) {
    uint64_t rest = 0;
    for (int i = WIDE_LIMBS; i-- > 0;) {
        rest = rest << 32 | a.limb[i];
        a.limb[i] = (uint32_t)(rest / b);
        rest %= b;
    }
    return a;
}

/* floor(a/b) for 0 < b < 2^511, bit by bit */
static inline wide wide_divide(wide a, wide b) {
    wide quotient = {{0}}, rest = {{0}};
    for (int bit = WIDE_LIMBS * 32; bit-- > 0;) {
        rest = wide_shift_left(rest, 1);
        rest.limb[0] |= a.limb[bit / 32] >> bit % 32 & 1;
        if (wide_at_most(b, rest)) {
            rest = wide_subtract(rest, b);
            quotient.limb[bit / 32] |= (uint32_t)1 << bit % 32;
        }
    }
    return quotient;
}

/* ceil(a/b) */
static inline wide wide_divide_up(wide a, wide b) {
    return wide_divide(wide_add(a, wide_subtract(b, wide_from(1))), b);
}

/* The number if it is below 2^64, otherwise 2^64 - 1 */
static inline uint64_t wide_to_uint64(wide a) {
    for (int i = 2; i < WIDE_LIMBS; i++)
        if (a.limb[i] != 0)
            return UINT64_MAX;
    return (uint64_t)a.limb[1] << 32 | a.limb[0];
}

#endif
