/* Arithmetic with natural numbers of 128 bits. */
#ifndef PODIUM_SUM_H
#define PODIUM_SUM_H

#include "analysis/analysis.h"

/* Adds other to sum, modulo 2^128. Nothing here comes near that: see aggregate.c. */
static inline void podium_sum_add(podium_sum *sum, podium_sum other) {
    uint64_t low = sum->low + other.low, carry = low < other.low;
    sum->low = low;
    sum->high += other.high + carry;
}

static inline podium_sum podium_product(uint64_t a, uint64_t b) {
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);
    return (podium_sum){other << 32 | (low & UINT32_MAX), (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32)};
}

static inline bool podium_sum_at_most(podium_sum a, podium_sum b) {
    return a.high != b.high ? a.high < b.high : a.low <= b.low;
}

/* a - b for b <= a */
static inline podium_sum podium_sum_less(podium_sum a, podium_sum b) {
    return (podium_sum){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

#endif
