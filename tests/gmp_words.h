/* GMP uses unsigned long, which has 32 bits on some machines. These functions use 64 bits everywhere. */
#ifndef PODIUM_TESTS_GMP_WORDS_H
#define PODIUM_TESTS_GMP_WORDS_H

#include <gmp.h>
#include <stdint.h>

static inline void mpz_set_u64(mpz_t z, uint64_t value) {
    mpz_import(z, 1, -1, sizeof value, 0, 0, &value);
}

/* z += a b */
static inline void mpz_addmul_u64(mpz_t z, const mpz_t a, uint64_t b) {
    mpz_t factor;
    mpz_init(factor);
    mpz_set_u64(factor, b);
    mpz_addmul(z, a, factor);
    mpz_clear(factor);
}

#endif
