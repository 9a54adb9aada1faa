/*
 * Stands in for valgrind's header where there is no valgrind. Memory that is marked as secret is filled with the
 * secrets of this run, which SECRETS in the environment chooses, and memory that is marked as public with zeros. So two
 * runs execute the same instructions at the same addresses, between these two functions, unless something depends on a
 * secret. qemu_trace.c records what they execute.
 */
#ifndef PODIUM_TESTS_STUB_MEMCHECK_H
#define PODIUM_TESTS_STUB_MEMCHECK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Which random bits are kept, and which bits are set in any case */
static uint64_t stub_keep, stub_set;

/* Zeros; ones, which are NaN as doubles and the largest words; any bits; and doubles of ordinary size. The choice is
   made before main, because it would be in the trace otherwise. */
__attribute__((constructor)) static void stub_choose_secrets(void) {
    static const uint64_t keep[] = {0, 0, UINT64_MAX, UINT64_MAX >> 10};
    static const uint64_t set[] = {0, UINT64_MAX, 0, (uint64_t)0x3ff << 52};
    const char *digit = getenv("SECRETS");
    const size_t kind = digit == NULL ? 0 : (size_t)(*digit - '0') % 4;
    stub_keep = keep[kind];
    stub_set = set[kind];
}

static inline uint64_t stub_mixed(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Not inlined, because the trace begins and ends where these functions are called. */
__attribute__((noinline)) static void stub_make_secret(void *memory, size_t n) {
    static uint64_t count;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t bits = (stub_mixed(++count) & stub_keep) | stub_set;
        memcpy((char *)memory + i, &bits, n - i < 8 ? n - i : 8);
    }
}

__attribute__((noinline)) static void stub_make_public(void *memory, size_t n) {
    memset(memory, 0, n);
}

#define VALGRIND_MAKE_MEM_UNDEFINED(memory, n) stub_make_secret(memory, n)
#define VALGRIND_MAKE_MEM_DEFINED(memory, n) stub_make_public(memory, n)
#define RUNNING_ON_VALGRIND 1

#endif
