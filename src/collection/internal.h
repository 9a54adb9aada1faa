/* What all parts of the library and the tests share: the bits of doubles, the size of random words, and limits. */
#ifndef PODIUM_INTERNAL_H
#define PODIUM_INTERNAL_H

#include "collection/doubles.h"
#include "podium.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error                                                                                                                 \
    "Podium's formulas and its treatment of NaN need IEEE arithmetic: build without -ffast-math and -ffinite-math-only"
#endif

/* For types through which the bytes of a public struct are read and written. Without it, a compiler may assume that
   they are in other memory than the struct, and move a read before the copy that it should follow. */
#if defined(__GNUC__)
#define PODIUM_MAY_ALIAS __attribute__((may_alias))
#else
#define PODIUM_MAY_ALIAS
#endif

/* Random words have this many bits. The library uses 64. The exhaustive tests build the same sampler for words so
   short that all of them can be tried. R is 2^PODIUM_WORD_BITS throughout. */
#ifndef PODIUM_WORD_BITS
#define PODIUM_WORD_BITS 64
#endif
#define PODIUM_WORD_MAX (UINT64_MAX >> (64 - PODIUM_WORD_BITS))

/* Words are drawn in halves, upper and lower. If the lower half of a threshold is 0, a comparison with it depends
   only on the upper half of the word, so the lower half is not drawn (docs/proof.md). */
#define PODIUM_HALF_BITS (PODIUM_WORD_BITS / 2)
static inline bool podium_has_lower(uint64_t threshold) {
    return (threshold & (((uint64_t)1 << PODIUM_HALF_BITS) - 1)) != 0;
}

/* AVX2 needs an operating system that saves its registers, and gcc's header for it needs a hosted environment. */
#if defined(__x86_64__) && defined(__GNUC__) && PODIUM_WORD_BITS == 64 && __STDC_HOSTED__ &&                           \
    !defined(PODIUM_WITHOUT_VECTORS)
#define PODIUM_HAS_AVX2 1
#else
#define PODIUM_HAS_AVX2 0
#endif

/* 64-bit ARM always has NEON with doubles, unless the compiler was told not to use it. 32-bit ARM has no doubles in it.
   Lanes are in another order on a big-endian machine. */
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__) && defined(__GNUC__) &&                     \
    PODIUM_WORD_BITS == 64 && !defined(PODIUM_WITHOUT_VECTORS)
#define PODIUM_HAS_NEON 1
#else
#define PODIUM_HAS_NEON 0
#endif

/* The most cells of a grid, because a cell is a 32-bit number, and the products in draw.c must fit into 64 bits. */
#define PODIUM_GRID_MAX ((uint64_t)1 << 32)

/* Functions that need much stack are not inlined, so that their stack does not add up in the caller. */
#if defined(__GNUC__)
#define PODIUM_NOT_INLINED __attribute__((noinline))
#define PODIUM_INLINED inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define PODIUM_NOT_INLINED __declspec(noinline)
#define PODIUM_INLINED __forceinline
#else
#define PODIUM_NOT_INLINED
#define PODIUM_INLINED inline
#endif

static inline uint64_t podium_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double podium_double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
