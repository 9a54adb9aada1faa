/* 512-bit arithmetic compared with GMP. */
#include <check.h>
#include <gmp.h>

#include "support.h"
#include "collection/wide.h"

static wide random_wide(uint64_t *seed, unsigned bits) {
    wide r = {{0}};
    for (unsigned i = 0; i < bits / 32; i++) /* long runs of zeros and ones show lost carries */
        r.limb[i] = seeded_word(seed) % 3 == 0   ? 0
                    : seeded_word(seed) % 2 == 0 ? UINT32_MAX
                                                 : (uint32_t)seeded_word(seed);
    return r;
}

static void to_gmp(mpz_t z, wide a) {
    mpz_import(z, WIDE_LIMBS, -1, sizeof *a.limb, 0, 0, a.limb);
}

static void check_equal(wide got, const mpz_t want) {
    mpz_t z;
    mpz_init(z);
    to_gmp(z, got);
    ck_assert_int_eq(mpz_cmp(z, want), 0);
    mpz_clear(z);
}

START_TEST(all_operations) {
    uint64_t seed = 3;
    mpz_t a, b, r;
    mpz_inits(a, b, r, NULL);
    for (int i = 0; i < 20000; i++) {
        wide x = random_wide(&seed, 32 * (unsigned)(seeded_word(&seed) % 9));
        wide y = random_wide(&seed, 32 * (unsigned)(seeded_word(&seed) % 9));
        /* For operations that cannot overflow. */
        wide large = random_wide(&seed, 32 * (unsigned)(seeded_word(&seed) % 16));
        unsigned shift = (unsigned)(seeded_word(&seed) % 256);
        uint32_t small = (uint32_t)seeded_word(&seed) | 1;
        to_gmp(a, x);
        to_gmp(b, y);
        mpz_add(r, a, b);
        check_equal(wide_add(x, y), r);
        mpz_mul(r, a, b);
        check_equal(wide_multiply(x, y), r);
        mpz_mul_2exp(r, a, shift);
        check_equal(wide_shift_left(x, shift), r);
        mpz_fdiv_q_2exp(r, a, shift);
        check_equal(wide_shift_right(x, shift), r);
        mpz_fdiv_q_ui(r, a, small);
        check_equal(wide_divide_small(x, small), r);
        for (int twice = 0; twice < 2; twice++, y = large, to_gmp(b, y), x = wide_add(x, large), to_gmp(a, x)) {
            ck_assert(wide_at_most(x, y) == (mpz_cmp(a, b) <= 0));
            if (wide_at_most(y, x)) {
                mpz_sub(r, a, b);
                check_equal(wide_subtract(x, y), r);
            }
            if (mpz_sgn(b) > 0 && i % 10 == 0) {
                mpz_fdiv_q(r, a, b);
                check_equal(wide_divide(x, y), r);
                mpz_cdiv_q(r, a, b);
                check_equal(wide_divide_up(x, y), r);
            }
        }
        wide other = large; /* differs in any one limb */
        other.limb[seeded_word(&seed) % 15] ^= 1;
        to_gmp(a, large);
        to_gmp(b, other);
        ck_assert(wide_at_most(large, other) == (mpz_cmp(a, b) <= 0));
        ck_assert(wide_at_most(other, large) == (mpz_cmp(b, a) <= 0));
        to_gmp(a, x);
        if (mpz_sizeinbase(a, 2) > 64)
            ck_assert(wide_to_uint64(x) == UINT64_MAX);
        else
            check_equal(wide_from(wide_to_uint64(x)), a);
        ck_assert(wide_to_uint64(wide_from(seed)) == seed);
    }
    mpz_clears(a, b, r, NULL);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("wide");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, all_operations);
    return run_tests("wide", tests);
}
