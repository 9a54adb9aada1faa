/*
 * Thresholds: computes, from epsilon and a grid, the integers that make every draw exactly epsilon-private.
 *
 * No floating point is involved, because epsilon is split into its bits. A threshold is computed by one division.
 * podium_thresholds_check then evaluates the inequalities of the theorems on the finished collection, and uses nothing
 * else. (Both rely on the same bounds of e^epsilon and of the products of coins, which the tests compare with MPFR and
 * GMP.) The proofs are in docs/proof.md. R = 2^PODIUM_WORD_BITS.
 */
#include "collection/layout.h"
#include "collection/wide.h"

/* ---- e^epsilon from below ---- */

/* Fixed-point numbers are counted in units of 2^-F. */
#define F 128

/* Returns whether epsilon is between the limits, and therefore finite and positive. Doubles of the same sign are in
   the order of their bits. */
static bool epsilon_check(double epsilon) {
    uint64_t bits = podium_bits_of(epsilon);
    return bits >= podium_bits_of(PODIUM_EPSILON_MIN) && bits <= podium_bits_of(PODIUM_EPSILON_MAX);
}

/* epsilon in units of 2^-F, rounded down, which is below 2^(F+6). epsilon is 1.fraction times 2^(exponent - 1023). */
static wide fixed_below(double epsilon) {
    uint64_t bits = podium_bits_of(epsilon), digits = (bits & (UINT64_MAX >> 12)) | (uint64_t)1 << 52;
    int shift = (int)(bits >> 52) - 1023 - 52 + F;
    return shift >= 0 ? wide_shift_left(wide_from(digits), (unsigned)shift)
                      : wide_shift_right(wide_from(digits), (unsigned)-shift);
}

/*
 * Returns P with P/2^F <= e^(epsilon/parts) - 1. It is the Taylor series with every operation rounded down. All terms
 * are positive, so the sum cannot exceed the true value, and it ends when a term becomes 0. For epsilon <= 50 every
 * term and the sum stay below 2^(F+73), and every product below 2^(2F+80).
 */
static wide expm1_below(double epsilon, uint32_t parts) {
    wide x = wide_divide_small(fixed_below(epsilon), parts);
    wide term = x, sum = x;
    for (uint32_t n = 2; !wide_at_most(term, wide_from(0)); n++) {
        term = wide_divide_small(wide_shift_right(wide_multiply(term, x), F), n);
        sum = wide_add(sum, term);
    }
    return sum;
}

/* 2^F + P: a lower bound of e^(epsilon/parts) in units of 2^-F */
static wide exp_below(double epsilon, uint32_t parts) {
    return wide_add(wide_shift_left(wide_from(1), F), expm1_below(epsilon, parts));
}

/* ---- Numbers of words ---- */

static wide words_all(void) {
    return wide_shift_left(wide_from(1), PODIUM_WORD_BITS);
}

/* R - c: the words not below c */
static wide words_from(uint64_t c) {
    return wide_subtract(words_all(), wide_from(c));
}

/* ceil(R/n) and floor(R/n), which are the most and the fewest words that are scaled to the same one of n cells */
static wide words_most(uint64_t n) {
    return wide_add(wide_from(PODIUM_WORD_MAX / n), wide_from(1));
}

static wide words_fewest(uint64_t n) {
    return wide_add(wide_from((PODIUM_WORD_MAX - (n - 1)) / n), wide_from(1));
}

/* ---- Lower halves ---- */

/* If a word is compared with a multiple of 2^32, its lower half need not be drawn. So thresholds are rounded to such
   multiples, in the direction that keeps the draw private, unless that changes c or R - c by more than 2^-20 of
   itself. */
static bool may_round(uint64_t c) {
    const uint64_t least = (uint64_t)1 << 52;
    return c >= least && c <= UINT64_MAX - least;
}

static uint64_t rounded_down(uint64_t c) {
    return may_round(c) ? c & ~(uint64_t)UINT32_MAX : c;
}

static uint64_t rounded_up(uint64_t c) {
    return may_round(c) ? (c + UINT32_MAX) & ~(uint64_t)UINT32_MAX : c;
}

/* ---- Step ---- */

/*
 * Theorem 1. If the step has W cells of N, and c of R words choose the step, then for any two places and every cell
 *     Pr[cell | T] / Pr[cell | T'] <= 1 + c ceil(R/W) / ((R - c) floor(R/N)).
 * This is at most 1 + P/2^F, and therefore at most e^epsilon, if
 *     (1)  c ceil(R/W) 2^F <= (R - c) floor(R/N) P.
 * The left side is below 2^(F+128), and the right side below 2^(F+73+128).
 */
static bool step_check(double epsilon, uint64_t cells, uint64_t width, uint64_t c) {
    wide p = expm1_below(epsilon, 1);
    wide left = wide_multiply(wide_from(c), words_most(width));
    wide right = wide_multiply(words_from(c), words_fewest(cells));
    return wide_at_most(wide_shift_left(left, F), wide_multiply(right, p));
}

/* The largest c that satisfies (1), which is c (ceil(R/W) 2^F + floor(R/N) P) <= R floor(R/N) P. */
static uint64_t step_threshold(double epsilon, uint64_t cells, uint64_t width) {
    wide base = wide_multiply(words_fewest(cells), expm1_below(epsilon, 1));
    wide step = wide_shift_left(words_most(width), F);
    return wide_to_uint64(wide_divide(wide_multiply(words_all(), base), wide_add(step, base)));
}

static bool step_is_private(const podium_layout *c) {
    const podium_step_draw *d = &c->draw.step;
    return d->width != 0 && d->width < c->cells && c->places == c->cells - d->width &&
           step_check(c->spec.epsilon, c->cells, d->width, d->threshold);
}

/* Rounding down is safe, because any smaller threshold satisfies (1) too. */
static void step_set(podium_layout *c) {
    podium_step_draw *d = &c->draw.step;
    d->threshold = rounded_down(step_threshold(c->spec.epsilon, c->cells, d->width));
}

/* ---- Pair: a step on either half of the cells ---- */

/* The upper half is drawn in the same way, with a step that covers half of it. Theorem 1 holds for each half, and
   the coin that chooses between them is public (corollary to Theorem 1). */
static bool pair_is_private(const podium_layout *c) {
    const podium_pair_draw *d = &c->draw.pair;
    const uint64_t half = c->cells / 2;
    return d->step.width != 0 && d->step.width < half && c->places == half - d->step.width && half % 2 == 0 &&
           c->cells == 2 * half && step_check(c->spec.epsilon, half, d->step.width, d->step.threshold) &&
           step_check(c->spec.epsilon, half, half / 2, d->pair_threshold);
}

/* The coin may have any threshold, because the corollary holds for all of them. */
static void pair_set(podium_layout *c) {
    podium_pair_draw *d = &c->draw.pair;
    const uint64_t half = c->cells / 2;
    d->step.threshold = rounded_down(step_threshold(c->spec.epsilon, half, d->step.width));
    d->pair_threshold = rounded_down(step_threshold(c->spec.epsilon, half, half / 2));
    d->coin = rounded_down(d->coin);
}

/* ---- Stairs ---- */

/*
 * A draw lies on the middle stair (C cells, chosen by c of R words), or on one of X = 2^k stairs of B = 2^b cells to
 * the left or to the right, or, for t of R words, beyond all of them. The binary digits of a stair's number g are k
 * coins, and digit i is 1 for c_i of R words. Write rho_i = c_i/(R - c_i), p(g) = Pr[g], M for the number of stairs in
 * the width of the range, and eta = epsilon/M. By Theorem 2 (docs/proof.md) the draw is epsilon-private if
 *     (2) rho_i <= 1, and prod_{l<i} rho_l lies within a factor e^eta of rho_i, for every i;
 *         then p changes by at most a factor e^eta from one stair to the next, including carries in g;
 *     (3) t/(R - t) >= M p(X-1) e^epsilon/(e^epsilon - 1);
 *         then the end cells, which collect everything beyond the grid, keep to e^epsilon too;
 *     (4) c ceil(R/C)/R <= e^eta (R - c)(1 - t/R) p(0)/(2B),
 *         (R - c)(1 - t/R) p(0)/(2B) <= e^epsilon c floor(R/C)/R, and ceil(R/C) <= e^epsilon floor(R/C);
 *         then so do the cells of the middle stair;
 *     (5) N = 2A + M B + C with A >= 1, and X stairs reach from every place to both ends of the grid.
 * Products of coins are kept in units of 2^-F, rounded in the direction that makes each condition harder to satisfy.
 */
typedef struct {
    wide product; /* of the rho_i so far */
    wide all;     /* of the c_i/R so far, which is the probability that all digits are 1; in the end p(X-1) */
    wide none;    /* of the (R - c_i)/R so far, which is the probability that all digits are 0; in the end p(0) */
} coin_products;

static coin_products coin_products_start(void) {
    wide one = wide_shift_left(wide_from(1), F);
    return (coin_products){one, one, one};
}

/* Multiplies one more coin in, with a division that rounds up or down. The products are below 2^(F+64). */
static coin_products coin_products_next(coin_products p, uint64_t c, wide (*divide)(wide, wide)) {
    return (coin_products){divide(wide_multiply(p.product, wide_from(c)), words_from(c)),
                           divide(wide_multiply(p.all, wide_from(c)), words_all()),
                           divide(wide_multiply(p.none, words_from(c)), words_all())};
}

/* Condition (2) for a coin c, where e_eta is a lower bound of e^eta and product_above and product_below bound the
   product of the earlier rho_l:
       product_above (R - c) <= e_eta c   and   c 2^2F <= e_eta product_below (R - c).
   All numbers are below 2^(2F+73+64). */
PODIUM_NOT_INLINED static bool coin_check(uint64_t c, wide e_eta, wide product_above, wide product_below) {
    return wide_at_most(wide_from(c), words_from(c)) &&
           wide_at_most(wide_multiply(product_above, words_from(c)), wide_multiply(e_eta, wide_from(c))) &&
           wide_at_most(wide_shift_left(wide_from(c), 2 * F),
                        wide_multiply(wide_multiply(e_eta, product_below), words_from(c)));
}

/* The smallest c with product (R - c) <= e_eta c, so that the stairs fall as fast as they may. */
PODIUM_NOT_INLINED static uint64_t coin_threshold(wide e_eta, wide product) {
    return wide_to_uint64(wide_divide_up(wide_multiply(product, words_all()), wide_add(e_eta, product)));
}

/* Condition (3) with its denominators multiplied out is t 2^F P >= (R - t) z, where z = M p(X-1) (2^F + P) <
   2^(2F+84). This is z. */
static wide tail_need(const podium_layout *c, wide all_above) {
    wide e = exp_below(c->spec.epsilon, 1);
    return wide_multiply(wide_multiply(wide_from(c->draw.stairs.stairs), all_above), e);
}

PODIUM_NOT_INLINED static bool tail_check(const podium_layout *c, wide all_above) {
    wide p = expm1_below(c->spec.epsilon, 1);
    wide have = wide_shift_left(wide_multiply(wide_from(c->draw.stairs.tail_threshold), p), F);
    wide need = wide_multiply(words_from(c->draw.stairs.tail_threshold), tail_need(c, all_above));
    return wide_at_most(need, have);
}

PODIUM_NOT_INLINED static uint64_t tail_threshold(const podium_layout *c, wide all_above) {
    wide need = tail_need(c, all_above);
    wide per_word = wide_shift_left(expm1_below(c->spec.epsilon, 1), F);
    return wide_to_uint64(wide_divide_up(wide_multiply(words_all(), need), wide_add(per_word, need)));
}

/* A lower bound of (1 - t/R) p(0) in units of 2^-F, given one of p(0) */
static wide nearest_below(const podium_layout *c, wide none_below) {
    return wide_divide(wide_multiply(none_below, words_from(c->draw.stairs.tail_threshold)), words_all());
}

/* 2B ceil(R/C) and 2B floor(R/C), the factors of c in condition (4) after multiplying by 2B */
static wide middle_most(const podium_layout *c) {
    return wide_shift_left(words_most(c->draw.stairs.width), c->draw.stairs.stair_bits + 1);
}

static wide middle_fewest(const podium_layout *c) {
    return wide_shift_left(words_fewest(c->draw.stairs.width), c->draw.stairs.stair_bits + 1);
}

/* Condition (4), multiplied out, in which `nearest` is (1 - t/R) p(0) in units of 2^-F:
       c 2B ceil(R/C) 2^2F <= e_eta nearest (R - c) R, with a lower bound of nearest;
       nearest (R - c) R <= e_epsilon c 2B floor(R/C), with an upper bound of nearest;
       2B ceil(R/C) 2^F <= e_epsilon 2B floor(R/C).
   The largest number is below 2^(2F+73+128) = 2^457. */
static wide middle_others(const podium_layout *c) {
    return wide_multiply(words_from(c->draw.stairs.threshold), words_all());
}

/* The first inequality, apart from the others because both together would take too much stack */
PODIUM_NOT_INLINED static bool middle_is_low_enough(const podium_layout *c, wide none_below) {
    wide e_eta = exp_below(c->spec.epsilon, c->draw.stairs.stairs);
    wide beside_least = wide_multiply(middle_others(c), nearest_below(c, none_below));
    wide on_middle = wide_multiply(wide_from(c->draw.stairs.threshold), middle_most(c));
    return wide_at_most(wide_shift_left(on_middle, 2 * F), wide_multiply(e_eta, beside_least));
}

PODIUM_NOT_INLINED static bool middle_is_high_enough(const podium_layout *c, wide none_above) {
    wide e_epsilon = exp_below(c->spec.epsilon, 1), fewest = middle_fewest(c);
    wide on_middle = wide_multiply(wide_from(c->draw.stairs.threshold), fewest);
    return wide_at_most(wide_multiply(middle_others(c), none_above), wide_multiply(e_epsilon, on_middle)) &&
           wide_at_most(wide_shift_left(middle_most(c), F), wide_multiply(e_epsilon, fewest));
}

/* The largest c that satisfies the first inequality of (4). */
PODIUM_NOT_INLINED static uint64_t middle_threshold(const podium_layout *c, wide e_eta, wide none_below) {
    wide y = wide_multiply(wide_multiply(e_eta, nearest_below(c, none_below)), words_all());
    wide per_word = wide_shift_left(middle_most(c), 2 * F);
    return wide_to_uint64(wide_divide(wide_multiply(y, words_all()), wide_add(per_word, y)));
}

static bool grid_check(const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    if (d->coin_count > PODIUM_COINS_MAX || d->stairs < 1 || d->stair_bits < 1 || d->stair_bits > 32 ||
        d->stair_bits >= PODIUM_WORD_BITS) /* one bit of a word is left for the side */
        return false;
    const uint64_t reach = (uint64_t)1 << (d->coin_count + d->stair_bits);
    return d->margin >= 1 && d->width >= 1 && d->margin + c->places <= reach &&
           c->places == (uint64_t)d->stairs << d->stair_bits && c->cells == 2 * d->margin + c->places + d->width;
}

static bool stairs_are_private(const podium_layout *c) {
    if (!grid_check(c))
        return false;
    wide e_eta = exp_below(c->spec.epsilon, c->draw.stairs.stairs);
    coin_products above = coin_products_start(), below = above;
    for (uint32_t i = 0; i < c->draw.stairs.coin_count; i++) {
        const uint64_t coin = c->draw.stairs.coins[i];
        if (!coin_check(coin, e_eta, above.product, below.product))
            return false;
        above = coin_products_next(above, coin, wide_divide_up);
        below = coin_products_next(below, coin, wide_divide);
    }
    return tail_check(c, above.all) && middle_is_low_enough(c, below.none) && middle_is_high_enough(c, above.none);
}

/* Whether eta is at least about 2^-9. Only then are coins rounded up and the middle stair's threshold rounded down.
   That is allowed as long as (2) and (4) hold, which the check makes sure of, but the stairs then fall by less than
   e^eta. For eta from 2^-9 on, the logarithm of the fall changes by about 2^-20 of itself; for a smaller eta it
   would change too much. */
static bool is_steep(const podium_layout *c) {
    return wide_at_most(wide_shift_left(wide_from(1), F - 9), expm1_below(c->spec.epsilon, c->draw.stairs.stairs));
}

static void stairs_set(podium_layout *c) {
    const bool steep = is_steep(c);
    wide e_eta = exp_below(c->spec.epsilon, c->draw.stairs.stairs);
    coin_products above = coin_products_start(), below = above;
    for (uint32_t i = 0; i < c->draw.stairs.coin_count; i++) {
        uint64_t least = coin_threshold(e_eta, above.product);
        c->draw.stairs.coins[i] = steep ? rounded_up(least) : least;
        above = coin_products_next(above, c->draw.stairs.coins[i], wide_divide_up);
        below = coin_products_next(below, c->draw.stairs.coins[i], wide_divide);
    }
    c->draw.stairs.tail_threshold = tail_threshold(c, above.all);
    uint64_t most = middle_threshold(c, e_eta, below.none);
    c->draw.stairs.threshold = steep ? rounded_down(most) : most;
}

/* ---- All samplers ---- */

typedef struct {
    void (*set)(podium_layout *c);
    bool (*is_private)(const podium_layout *c);
} sampler;

static const sampler samplers[PODIUM_SAMPLERS] = {
    [PODIUM_SAMPLER_STEP] = {step_set, step_is_private},
    [PODIUM_SAMPLER_PAIR] = {pair_set, pair_is_private},
    [PODIUM_SAMPLER_STAIRS] = {stairs_set, stairs_are_private},
};

void podium_thresholds_set(podium_layout *c) {
    samplers[c->sampler].set(c);
}

bool podium_thresholds_check(const podium_layout *c) {
    return epsilon_check(c->spec.epsilon) && c->cells <= PODIUM_GRID_MAX && c->sampler < PODIUM_SAMPLERS &&
           samplers[c->sampler].is_private(c);
}
