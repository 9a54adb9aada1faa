/* The thresholds compared with MPFR and exact rationals: never too large by a single word, and never too small by
   more than one. */
#include <check.h>
#include <gmp.h>
#include <math.h>
#include <mpfr.h>

#include "gmp_words.h"
#include "support.h"
#include "../../src/collection/threshold.c" /* for its static functions */

#define PRECISION 800

static double random_epsilon(uint64_t *seed) { /* 1e-6 to 50, uniform in the logarithm */
    return exp(log(1e-6) + seeded_uniform(seed) * log(50 / 1e-6));
}

/* e^(epsilon/parts) - 1, or without the - 1 */
static void mpfr_power(mpfr_t r, double epsilon, uint32_t parts, bool minus_one) {
    mpfr_set_d(r, epsilon, MPFR_RNDN);
    mpfr_div_ui(r, r, parts, MPFR_RNDN);
    minus_one ? mpfr_expm1(r, r, MPFR_RNDN) : mpfr_exp(r, r, MPFR_RNDN);
}

/* R - c */
static void mpz_set_rest(mpz_t z, uint64_t c) {
    mpz_t r;
    mpz_init(r);
    mpz_set_u64(r, c);
    mpz_set_ui(z, 1);
    mpz_mul_2exp(z, z, 64);
    mpz_sub(z, z, r);
    mpz_clear(r);
}

START_TEST(exponential_from_below) {
    uint64_t seed = 4;
    mpfr_t truth, ours;
    mpz_t z;
    mpfr_inits2(PRECISION, truth, ours, (mpfr_ptr)NULL);
    mpz_init(z);
    for (int i = 0; i < 3000; i++) {
        double epsilon = i == 0 ? 50 : i == 1 ? 1e-6 : random_epsilon(&seed);
        uint32_t parts = i % 3 == 0 ? 1 + (uint32_t)(seeded_word(&seed) % 1000) : 1;
        wide p = expm1_below(epsilon, parts);
        mpz_import(z, WIDE_LIMBS, -1, sizeof *p.limb, 0, 0, p.limb);
        mpfr_set_z(ours, z, MPFR_RNDN);
        mpfr_div_2ui(ours, ours, F, MPFR_RNDN);
        mpfr_power(truth, epsilon, parts, true);
        ck_assert_msg(mpfr_cmp(ours, truth) <= 0, "P/2^F above e^%.17g/%u - 1", epsilon, parts);
        mpfr_sub(ours, truth, ours, MPFR_RNDN);
        mpfr_div(ours, ours, truth, MPFR_RNDN);
        ck_assert_msg(mpfr_cmp_d(ours, 0x1p-88) < 0, "P/2^F far below e^%.17g/%u - 1", epsilon, parts);
    }
    mpz_clear(z);
    mpfr_clears(truth, ours, (mpfr_ptr)NULL);
}
END_TEST

/* Returns whether c ceil(R/W) / ((R - c) floor(R/N)) is at most e^epsilon - 1, computed without threshold.c. */
static bool step_keeps_to(double epsilon, uint64_t n, uint64_t w, uint64_t c) {
    mpq_t ratio;
    mpz_t r, part;
    mpfr_t truth;
    mpq_init(ratio);
    mpz_inits(r, part, NULL);
    mpfr_init2(truth, PRECISION);
    mpz_set_ui(r, 1);
    mpz_mul_2exp(r, r, 64);
    mpz_set_u64(part, w);
    mpz_cdiv_q(part, r, part);
    mpz_set_u64(mpq_numref(ratio), c);
    mpz_mul(mpq_numref(ratio), mpq_numref(ratio), part);
    mpz_set_u64(part, n);
    mpz_fdiv_q(part, r, part);
    mpz_set_rest(mpq_denref(ratio), c);
    mpz_mul(mpq_denref(ratio), mpq_denref(ratio), part);
    mpfr_power(truth, epsilon, 1, true);
    bool private = mpfr_cmp_q(truth, ratio) >= 0;
    mpq_clear(ratio);
    mpz_clears(r, part, NULL);
    mpfr_clear(truth);
    return private;
}

/* The next possible threshold: one more, or, if neither the threshold nor R minus it is below 2^52, the next
   multiple of 2^32 */
static uint64_t next_threshold(uint64_t threshold) {
    uint64_t least = (uint64_t)1 << 52;
    if (threshold < least || threshold > UINT64_MAX - least)
        return threshold + 1;
    ck_assert(!podium_has_lower(threshold));
    return threshold + ((uint64_t)1 << 32);
}

START_TEST(step_thresholds) {
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        unsigned bits = 1 + (unsigned)(seeded_word(&seed) % 32);
        uint64_t n = i % 4 == 0 ? (uint64_t)1 << 32 : 2 + (seeded_word(&seed) >> (64 - bits));
        uint64_t w = 1 + seeded_word(&seed) % (n - 1);
        podium_layout c = {.spec.epsilon = random_epsilon(&seed),
                           .sampler = PODIUM_SAMPLER_STEP,
                           .cells = n,
                           .places = n - w,
                           .draw.step.width = w};
        uint64_t *threshold = &c.draw.step.threshold;
        double epsilon = c.spec.epsilon;
        podium_thresholds_set(&c);
        ck_assert(podium_thresholds_check(&c));
        ck_assert_msg(step_keeps_to(epsilon, n, w, *threshold), "epsilon %.17g, N %llu, W %llu: not private", epsilon,
                      (unsigned long long)n, (unsigned long long)w);
        if (*threshold == UINT64_MAX)
            continue;
        *threshold = next_threshold(*threshold);
        ck_assert(!podium_thresholds_check(&c));
        ck_assert_msg(!step_keeps_to(epsilon, n, w, *threshold), "epsilon %.17g, N %llu, W %llu: not largest", epsilon,
                      (unsigned long long)n, (unsigned long long)w);
    }
}
END_TEST

/* Checks that the step is private with this threshold of c, and no longer private with the next one. */
static void check_largest(podium_layout *c, uint64_t *threshold, uint64_t cells, uint64_t width) {
    const double epsilon = c->spec.epsilon;
    const uint64_t before = *threshold;
    ck_assert(podium_thresholds_check(c));
    ck_assert(step_keeps_to(epsilon, cells, width, before));
    *threshold = next_threshold(before);
    ck_assert(*threshold == 0 || (!podium_thresholds_check(c) && !step_keeps_to(epsilon, cells, width, *threshold)));
    *threshold = before;
}

static void check_step_of(podium_layout *c) {
    check_largest(c, &c->draw.step.threshold, c->cells, c->draw.step.width);
}

/* Checks the two halves of the cells separately. */
static void check_pair_of(podium_layout *c) {
    podium_pair_draw *d = &c->draw.pair;
    const uint64_t half = c->cells / 2;
    check_largest(c, &d->step.threshold, half, d->step.width);
    ck_assert_uint_ne(next_threshold(d->pair_threshold), 0);
    check_largest(c, &d->pair_threshold, half, half / 2);
    c->cells++; /* the halves must be equal, and the upper one even */
    ck_assert(!podium_thresholds_check(c));
    c->cells = 2 * (half - 1), c->places = half - 1 - d->step.width, d->step.threshold = d->pair_threshold = 0;
    ck_assert(!podium_thresholds_check(c));
}

START_TEST(steps_of_all) {
    static void (*const check_of[PODIUM_SAMPLERS])(podium_layout *) = {
        [PODIUM_SAMPLER_STEP] = check_step_of, [PODIUM_SAMPLER_PAIR] = check_pair_of};
    static const double chosen[] = {1e-6, 1e-3, 0.1, 0.61, 0.62, 1, 2, 5, 10, 20, 43};
    int checked[PODIUM_SAMPLERS] = {0};
    FOR_EACH_MECHANISM (m)
        for (size_t i = 0; i < LENGTH(chosen); i++) {
            podium_layout c = layout_of(m, chosen[i], 0, 1);
            if (check_of[c.sampler] != NULL)
                check_of[c.sampler](&c);
            checked[c.sampler]++;
        }
    ck_assert(checked[PODIUM_SAMPLER_STEP] > 0 && checked[PODIUM_SAMPLER_PAIR] > 0);
}
END_TEST

/* ---- Stairs: the conditions of Theorem 2, in rationals, from the finished thresholds alone ---- */

typedef struct {
    const podium_stairs_draw *draw;
    mpz_t rest, word;
    mpq_t value, other;
    mpfr_t e_eta, e_epsilon;
} exact;

/* value = p(g), which is a product over the digits */
static void set_stair(exact *x, mpq_t value, uint64_t g) {
    mpq_set_ui(value, 1, 1);
    for (uint32_t i = 0; i < x->draw->coin_count; i++) {
        mpz_set_rest(x->rest, x->draw->coins[i]);
        mpz_set_u64(x->word, x->draw->coins[i]);
        mpz_mul(mpq_numref(value), mpq_numref(value), g >> i & 1 ? x->word : x->rest);
    }
    mpz_mul_2exp(mpq_denref(value), mpq_denref(value), 64 * x->draw->coin_count);
    mpq_canonicalize(value);
}

/* value = c / 2^64, or (R - c) / 2^64 */
static void set_share(mpq_t value, uint64_t c, bool rest) {
    rest ? mpz_set_rest(mpq_numref(value), c) : mpz_set_u64(mpq_numref(value), c);
    mpz_set_ui(mpq_denref(value), 1);
    mpz_mul_2exp(mpq_denref(value), mpq_denref(value), 64);
    mpq_canonicalize(value);
}

/* The ratio of p(g + 1) to p(g) depends only on how many digits carry, so g = 2^i - 1 represents all. */
static void check_steps(exact *x) {
    for (uint32_t i = 0; i < x->draw->coin_count; i++) {
        uint64_t g = ((uint64_t)1 << i) - 1;
        set_stair(x, x->value, g);
        set_stair(x, x->other, g + 1);
        mpq_div(x->value, x->value, x->other);
        ck_assert_int_ge(mpfr_cmp_q(x->e_eta, x->value), 0);
        mpq_inv(x->value, x->value);
        ck_assert_int_ge(mpfr_cmp_q(x->e_eta, x->value), 0);
    }
}

/* Checks (1 - t) sum of p over the last M stairs <= (e^epsilon - 1) t, which the end cells need. */
static void check_tail(exact *x) {
    uint64_t stairs = (uint64_t)1 << x->draw->coin_count;
    mpq_set_ui(x->value, 0, 1);
    for (uint64_t g = stairs - x->draw->stairs; g < stairs; g++) {
        set_stair(x, x->other, g);
        mpq_add(x->value, x->value, x->other);
    }
    set_share(x->other, x->draw->tail_threshold, true);
    mpq_mul(x->value, x->value, x->other);
    set_share(x->other, x->draw->tail_threshold, false);
    mpq_div(x->value, x->value, x->other);
    mpfr_t room;
    mpfr_init2(room, PRECISION);
    mpfr_sub_ui(room, x->e_epsilon, 1, MPFR_RNDD);
    ck_assert_int_ge(mpfr_cmp_q(room, x->value), 0);
    mpfr_clear(room);
}

/* value = the mass of a cell of the first stair beside the middle one */
static void set_beside(exact *x, mpq_t value) {
    set_stair(x, value, 0);
    set_share(x->other, x->draw->tail_threshold, true);
    mpq_mul(value, value, x->other);
    set_share(x->other, x->draw->threshold, true);
    mpq_mul(value, value, x->other);
    mpq_div_2exp(value, value, x->draw->stair_bits + 1);
}

/* value = the largest or the smallest mass of a cell of the middle stair */
static void set_middle(exact *x, mpq_t value, bool largest) {
    mpz_set_u64(x->word, x->draw->width);
    mpz_set_ui(x->rest, 1);
    mpz_mul_2exp(x->rest, x->rest, 64);
    largest ? mpz_cdiv_q(x->rest, x->rest, x->word) : mpz_fdiv_q(x->rest, x->rest, x->word);
    set_share(value, x->draw->threshold, false);
    mpz_mul(mpq_numref(value), mpq_numref(value), x->rest);
    mpq_canonicalize(value);
    mpq_div_2exp(value, value, 64);
}

static void check_middle(exact *x) {
    mpq_t most, least;
    mpq_inits(most, least, NULL);
    set_beside(x, x->value);
    set_middle(x, most, true);
    set_middle(x, least, false);
    mpq_div(x->other, most, x->value);
    ck_assert_int_ge(mpfr_cmp_q(x->e_eta, x->other), 0);
    mpq_div(x->other, x->value, least);
    ck_assert_int_ge(mpfr_cmp_q(x->e_epsilon, x->other), 0);
    mpq_div(x->other, most, least);
    ck_assert_int_ge(mpfr_cmp_q(x->e_epsilon, x->other), 0);
    mpq_clears(most, least, NULL);
}

static void check_stairs(const podium_layout *c) {
    exact x = {.draw = &c->draw.stairs};
    mpz_inits(x.rest, x.word, NULL);
    mpq_inits(x.value, x.other, NULL);
    mpfr_inits2(PRECISION, x.e_eta, x.e_epsilon, (mpfr_ptr)NULL);
    mpfr_power(x.e_eta, c->spec.epsilon, c->draw.stairs.stairs, false);
    mpfr_power(x.e_epsilon, c->spec.epsilon, 1, false);
    check_steps(&x);
    check_tail(&x);
    check_middle(&x);
    mpz_clears(x.rest, x.word, NULL);
    mpq_clears(x.value, x.other, NULL);
    mpfr_clears(x.e_eta, x.e_epsilon, (mpfr_ptr)NULL);
}

#define REFUSED(layout, field, change)                                                                                 \
    do {                                                                                                               \
        podium_layout other = layout;                                                                                  \
        other.field += (__typeof__(other.field))(change);                                                              \
        ck_assert(!podium_thresholds_check(&other));                                                                   \
    } while (0)

/* The unit of which a threshold is a multiple */
static uint64_t unit_of(uint64_t threshold) {
    return podium_has_lower(threshold) ? 1 : (uint64_t)1 << 32;
}

static void check_layout(const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    ck_assert(podium_thresholds_check(c));
    check_stairs(c);
    /* The check rejects any threshold that is off by one unit in the wrong direction, and any grid that is not that
       of the theorem. */
    REFUSED(*c, draw.stairs.threshold, unit_of(d->threshold));
    REFUSED(*c, draw.stairs.tail_threshold, -1);
    for (uint32_t i = 0; i < d->coin_count; i++)
        REFUSED(*c, draw.stairs.coins[i], -unit_of(d->coins[i]));
    REFUSED(*c, cells, 1);
    REFUSED(*c, places, 1);
    REFUSED(*c, draw.stairs.stairs, 1);
    REFUSED(*c, spec.epsilon, -c->spec.epsilon);
    REFUSED(*c, draw.stairs.coin_count, PODIUM_COINS_MAX + 1);
    REFUSED(*c, sampler, PODIUM_SAMPLERS);
}

/* Each condition of the check is violated alone, while all others hold. */
START_TEST(every_condition_counts) {
    podium_layout good = layout_of(PODIUM_MECHANISM_LAPLACE, 1, 0, 1), bad = good;
    podium_stairs_draw *d = &bad.draw.stairs;
    d->margin = 0; /* A >= 1 */
    bad.cells = bad.places + d->width;
    ck_assert(!podium_thresholds_check(&bad));

    bad = good; /* X stairs must reach both ends from every place, and one stair more is too far */
    d->margin += (uint64_t)1 << d->stair_bits;
    bad.cells += (uint64_t)2 << d->stair_bits;
    d->tail_threshold = UINT64_MAX / 4;
    ck_assert(!podium_thresholds_check(&bad));

    bad = good; /* rho <= 1, so that the stairs fall; with a large eta no other condition fails */
    bad.spec.epsilon = 50;
    d->stairs = 1, bad.places = (uint64_t)1 << d->stair_bits, d->coin_count = 1;
    d->margin = (uint64_t)1 << d->stair_bits;
    bad.cells = 2 * d->margin + bad.places + d->width;
    podium_thresholds_set(&bad);
    ck_assert(podium_thresholds_check(&bad));
    d->coins[0] = UINT64_MAX / 2 + 2;
    d->tail_threshold = UINT64_MAX / 2, d->threshold /= 4;
    ck_assert(!podium_thresholds_check(&bad));
    d->coins[0] = UINT64_MAX / 2; /* just below, it is accepted */
    ck_assert(podium_thresholds_check(&bad));

    d->threshold = 0; /* the middle stair must not have too little mass either */
    ck_assert(!podium_thresholds_check(&bad));

    /* Second inequality of (2): the second digit must be at most e^eta times as likely as the first allows. */
    bad = good;
    d->coins[1] = d->coins[0] + d->coins[0] / 16;
    d->tail_threshold = UINT64_MAX / 4;
    d->threshold = d->threshold / 10 * 7;
    ck_assert(!podium_thresholds_check(&bad));
    d->coins[1] = good.draw.stairs.coins[1];
    ck_assert(podium_thresholds_check(&bad)); /* only that coin was wrong */

    podium_layout step = layout_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    step.places++;
    ck_assert(!podium_thresholds_check(&step));
    step = layout_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    step.draw.step.width = 0, step.places = step.cells;
    ck_assert(!podium_thresholds_check(&step));
    step = layout_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
    step.cells *= 2, step.places = step.cells - step.draw.step.width, step.draw.step.threshold /= 4;
    ck_assert(!podium_thresholds_check(&step));
    static const double wrong[] = {NAN, INFINITY, -1, 0, -NAN, 1e-7, 51};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        step = layout_of(PODIUM_MECHANISM_PODIUM, 1, 0, 1);
        step.spec.epsilon = wrong[i];
        ck_assert(!podium_thresholds_check(&step));
    }
}
END_TEST

/* The rounded products of coins compared with the exact ones: they are never on the wrong side. */
START_TEST(products_are_bounds) {
    podium_layout c = layout_of(PODIUM_MECHANISM_LAPLACE, 1e-4, 0, 1); /* not rounded to halves of words */
    const podium_stairs_draw *d = &c.draw.stairs;
    coin_products above = coin_products_start(), below = above;
    mpq_t all, none, share, kept;
    mpq_inits(all, none, share, kept, NULL);
    mpq_set_ui(all, 1, 1);
    mpq_set_ui(none, 1, 1);
    for (uint32_t i = 0; i < d->coin_count; i++) {
        above = coin_products_next(above, d->coins[i], wide_divide_up);
        below = coin_products_next(below, d->coins[i], wide_divide);
        set_share(share, d->coins[i], false);
        mpq_mul(all, all, share);
        set_share(share, d->coins[i], true);
        mpq_mul(none, none, share);
        mpq_div(share, all, none); /* the product of the rho */
        mpq_t *exact_values[] = {&all, &none, &share};
        wide up[] = {above.all, above.none, above.product}, down[] = {below.all, below.none, below.product};
        for (size_t k = 0; k < LENGTH(up); k++)
            for (int side = 0; side < 2; side++) {
                mpz_import(mpq_numref(kept), WIDE_LIMBS, -1, 4, 0, 0, side ? up[k].limb : down[k].limb);
                mpz_set_ui(mpq_denref(kept), 1);
                mpq_div_2exp(kept, kept, F);
                int order = mpq_cmp(kept, *exact_values[k]);
                ck_assert(side ? order >= 0 : order <= 0);
            }
        if (i >= 2)
            ck_assert(!wide_at_most(above.all, below.all)); /* they differ, so something was rounded */
    }
    mpq_clears(all, none, share, kept, NULL);
}
END_TEST

START_TEST(stairs_thresholds) {
    static const double chosen[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 40, 50};
    uint64_t seed = 6;
    size_t checked = 0;
    for (size_t i = 0; i < LENGTH(chosen) + 60; i++) {
        double epsilon = i < LENGTH(chosen) ? chosen[i] : random_epsilon(&seed);
        FOR_EACH_MECHANISM (m) {
            podium_layout c = layout_of(m, epsilon, 0, 1);
            if (c.sampler == PODIUM_SAMPLER_STAIRS) {
                check_layout(&c);
                checked++;
            }
        }
    }
    ck_assert_uint_ge(checked, 2 * (LENGTH(chosen) + 60));
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("threshold");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, exponential_from_below);
    tcase_add_test(tests, step_thresholds);
    tcase_add_test(tests, steps_of_all);
    tcase_add_test(tests, stairs_thresholds);
    tcase_add_test(tests, every_condition_counts);
    tcase_add_test(tests, products_are_bounds);
    return run_tests("threshold", tests);
}
