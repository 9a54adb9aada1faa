/*
 * Thresholds: from epsilon and a grid to the integers that make every draw exactly epsilon-private.
 *
 * No floating point takes part; epsilon is taken apart by its bits. A threshold is computed by one division;
 * podium_thresholds_check then looks at the finished collection alone and evaluates the theorems' own inequalities.
 * (Both stand on the same bounds of e^epsilon and of the coins' products, which the tests compare with MPFR and GMP.)
 * docs/proof.md has the proofs. R = 2^PODIUM_WORD_BITS.
 */
#include "collection/internal.h"
#include "collection/wide.h"

/* ---- e^epsilon from below ---- */

/* Fixed-point numbers are counted in units of 2^-F. */
#define F 128

/* Between the limits, and so finite and positive: doubles of one sign are in the order of their bits. */
static bool epsilon_check(double epsilon) {
    uint64_t bits = podium_bits_of(epsilon);
    return bits >= podium_bits_of(PODIUM_EPSILON_MIN) && bits <= podium_bits_of(PODIUM_EPSILON_MAX);
}

/* epsilon in units of 2^-F, rounded down: below 2^(F+6). It is 1.fraction times 2^(exponent - 1023). */
static wide fixed_below(double epsilon) {
    uint64_t bits = podium_bits_of(epsilon), digits = (bits & (UINT64_MAX >> 12)) | (uint64_t)1 << 52;
    int shift = (int)(bits >> 52) - 1023 - 52 + F;
    return shift >= 0 ? wide_shift_left(wide_from(digits), (unsigned)shift)
                      : wide_shift_right(wide_from(digits), (unsigned)-shift);
}

/*
 * P with P/2^F <= e^(epsilon/parts) - 1: the Taylor series, every operation rounded down. All its terms are positive,
 * so the sum cannot exceed the truth; it ends when a term vanishes. For epsilon <= 50 a term, and the sum, stay below
 * 2^(F+73), a product below 2^(2F+80).
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

/* ceil(R/n) and floor(R/n): the most and the fewest words that a scaled word of n cells sends to one of them */
static wide words_most(uint64_t n) {
    return wide_add(wide_from(PODIUM_WORD_MAX / n), wide_from(1));
}

static wide words_fewest(uint64_t n) {
    return wide_add(wide_from((PODIUM_WORD_MAX - (n - 1)) / n), wide_from(1));
}

/* ---- Lower halves ---- */

/* Of a word that is compared with a multiple of 2^32 the lower half is not drawn. So thresholds are rounded to one,
   whichever way is private, unless that changes them, or what they leave of R, by more than 2^-20 of themselves. */
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

/* ---- Step: Podium and all but the stairs ---- */

/*
 * Theorem 1. With W cells in the step, N in all and c of R words choosing the step, for any two places and every cell
 *     Pr[cell | T] / Pr[cell | T'] <= 1 + c ceil(R/W) / ((R - c) floor(R/N)).
 * This is at most 1 + P/2^F, and so at most e^epsilon, where
 *     (1)  c ceil(R/W) 2^F <= (R - c) floor(R/N) P.
 * Sizes: the left side is below 2^(F+128), the right one below 2^(F+73+128).
 */
static bool step_check(double epsilon, uint64_t cells, uint64_t width, uint64_t c) {
    wide p = expm1_below(epsilon, 1);
    wide left = wide_multiply(wide_from(c), words_most(width));
    wide right = wide_multiply(words_from(c), words_fewest(cells));
    return wide_at_most(wide_shift_left(left, F), wide_multiply(right, p));
}

/* The largest c with (1): c (ceil(R/W) 2^F + floor(R/N) P) <= R floor(R/N) P. */
static uint64_t step_threshold(double epsilon, uint64_t cells, uint64_t width) {
    wide base = wide_multiply(words_fewest(cells), expm1_below(epsilon, 1));
    wide step = wide_shift_left(words_most(width), F);
    return wide_to_uint64(wide_divide(wide_multiply(words_all(), base), wide_add(step, base)));
}

/* Hybrid's upper half is drawn in the same way, its step being half of it: Theorem 1 holds for either half, and the
   coin that chooses between them is public (corollary to Theorem 1). */
static bool steps_check(const podium_collection *collection) {
    uint64_t cells = podium_step_cells(collection);
    double epsilon = collection->spec.epsilon;
    return step_check(epsilon, cells, collection->width, collection->threshold) && collection->width < cells &&
           collection->places == cells - collection->width &&
           (collection->pair_coin == 0 || (cells % 2 == 0 && collection->cells == 2 * cells &&
                                           step_check(epsilon, cells, cells / 2, collection->pair_threshold)));
}

/* Any smaller threshold satisfies (1) too, and the coin may be anything. */
static void steps_set(podium_collection *collection) {
    uint64_t cells = podium_step_cells(collection);
    collection->threshold = rounded_down(step_threshold(collection->spec.epsilon, cells, collection->width));
    if (collection->pair_coin != 0)
        collection->pair_threshold = rounded_down(step_threshold(collection->spec.epsilon, cells, cells / 2));
    collection->pair_coin = rounded_down(collection->pair_coin);
}

/* ---- Stairs: Laplace and Staircase ---- */

/*
 * A draw lies on the middle stair (C cells, chosen by c of R words), or on one of X = 2^k stairs of B = 2^b cells to
 * the left or right, or, by t of R words, beyond all of them. The digits of a stair's number g are k coins, digit i
 * being 1 for c_i of R words. Write rho_i = c_i/(R - c_i), p(g) = Pr[g], M for the stairs in the width of the range
 * and eta = epsilon/M. Theorem 2 (docs/proof.md): the draw is epsilon-private if
 *   (2) rho_i <= 1, and prod_{l<i} rho_l lies within a factor e^eta of rho_i, for every i:
 *       then p falls, and by at most e^eta from one stair to the next, carries in g included;
 *   (3) t/(R - t) >= M p(X-1) e^epsilon/(e^epsilon - 1):
 *       then the end cells, where all that lies beyond is gathered, also keep to e^epsilon;
 *   (4) c ceil(R/C)/R <= e^eta (R - c)(1 - t/R) p(0)/(2B); with e^epsilon, the other way round with floor(R/C);
 *       and ceil(R/C) <= e^epsilon floor(R/C): then so do the cells of the middle stair;
 *   (5) the grid is as described: N = 2A + M B + C with A >= 1, and X stairs reach from any place to either end.
 * Products of coins are kept in units of 2^-F, rounded up or down, whichever is against us.
 */
typedef struct {
    wide product; /* of the rho_i so far */
    wide all;     /* of the c_i/R so far: Pr[digits all 1], p(X-1) in the end */
    wide none;    /* of the (R - c_i)/R so far: Pr[digits all 0], p(0) in the end */
} coin_products;

static coin_products coin_products_start(void) {
    wide one = wide_shift_left(wide_from(1), F);
    return (coin_products){one, one, one};
}

/* One coin more, by a division that rounds up or down; products below 2^(F+64) */
static coin_products coin_products_next(coin_products p, uint64_t c, wide (*divide)(wide, wide)) {
    return (coin_products){divide(wide_multiply(p.product, wide_from(c)), words_from(c)),
                           divide(wide_multiply(p.all, wide_from(c)), words_all()),
                           divide(wide_multiply(p.none, words_from(c)), words_all())};
}

/* Condition (2) for coin c, e_eta being a lower bound of e^eta and the products ours on either side.
   product_above (R - c) <= e_eta c   and   c 2^2F <= e_eta product_below (R - c); all below 2^(2F+73+64) */
static bool coin_check(uint64_t c, wide e_eta, wide product_above, wide product_below) {
    return wide_at_most(wide_from(c), words_from(c)) &&
           wide_at_most(wide_multiply(product_above, words_from(c)), wide_multiply(e_eta, wide_from(c))) &&
           wide_at_most(wide_shift_left(wide_from(c), 2 * F),
                        wide_multiply(wide_multiply(e_eta, product_below), words_from(c)));
}

/* The smallest c with product (R - c) <= e_eta c: the stairs fall as fast as they may. */
static uint64_t coin_threshold(wide e_eta, wide product) {
    return wide_to_uint64(wide_divide_up(wide_multiply(product, words_all()), wide_add(e_eta, product)));
}

/* (3) with all its denominators multiplied out is t 2^F P >= (R - t) z, where z = M p(X-1) (2^F + P) < 2^(2F+84). */
static wide tail_need(const podium_collection *collection, wide all_above) {
    wide e = exp_below(collection->spec.epsilon, 1);
    return wide_multiply(wide_multiply(wide_from(collection->stairs), all_above), e);
}

static bool tail_check(const podium_collection *collection, wide all_above) {
    wide p = expm1_below(collection->spec.epsilon, 1);
    wide have = wide_shift_left(wide_multiply(wide_from(collection->tail_threshold), p), F);
    wide need = wide_multiply(words_from(collection->tail_threshold), tail_need(collection, all_above));
    return wide_at_most(need, have);
}

static uint64_t tail_threshold(const podium_collection *collection, wide all_above) {
    wide need = tail_need(collection, all_above);
    wide per_word = wide_shift_left(expm1_below(collection->spec.epsilon, 1), F);
    return wide_to_uint64(wide_divide_up(wide_multiply(words_all(), need), wide_add(per_word, need)));
}

/* (1 - t/R) p(0), still in units of 2^-F, given p(0) */
static wide nearest_below(const podium_collection *collection, wide none_below) {
    return wide_divide(wide_multiply(none_below, words_from(collection->tail_threshold)), words_all());
}

/* 2B ceil(R/C), and floor: what one word of c adds to a cell of the middle stair, beside (4)'s right side */
static wide middle_most(const podium_collection *collection) {
    return wide_shift_left(words_most(collection->width), collection->stair_bits + 1);
}

static wide middle_fewest(const podium_collection *collection) {
    return wide_shift_left(words_fewest(collection->width), collection->stair_bits + 1);
}

/* (4), multiplied out: c 2B ceil(R/C) 2^2F <= e_eta nearest (R - c) R, then with the other bound of nearest
   nearest (R - c) R <= e_epsilon c 2B floor(R/C), then 2B ceil(R/C) 2^F <= e_epsilon 2B floor(R/C).
   The largest number is below 2^(2F+73+128) = 2^457. */
static bool middle_check(const podium_collection *collection, wide none_above, wide none_below) {
    wide e_eta = exp_below(collection->spec.epsilon, collection->stairs);
    wide e_epsilon = exp_below(collection->spec.epsilon, 1);
    wide c = wide_from(collection->threshold), most = middle_most(collection), fewest = middle_fewest(collection);
    wide others = wide_multiply(words_from(collection->threshold), words_all());
    wide beside_least = wide_multiply(others, nearest_below(collection, none_below));
    wide beside_most = wide_multiply(others, none_above);
    return wide_at_most(wide_shift_left(wide_multiply(c, most), 2 * F), wide_multiply(e_eta, beside_least)) &&
           wide_at_most(beside_most, wide_multiply(e_epsilon, wide_multiply(c, fewest))) &&
           wide_at_most(wide_shift_left(most, F), wide_multiply(e_epsilon, fewest));
}

/* The largest c with the first half of (4). */
static uint64_t middle_threshold(const podium_collection *collection, wide e_eta, wide none_below) {
    wide y = wide_multiply(wide_multiply(e_eta, nearest_below(collection, none_below)), words_all());
    wide per_word = wide_shift_left(middle_most(collection), 2 * F);
    return wide_to_uint64(wide_divide(wide_multiply(y, words_all()), wide_add(per_word, y)));
}

static bool grid_check(const podium_collection *collection) {
    uint64_t reach = (uint64_t)1 << (collection->coin_count + collection->stair_bits);
    return collection->margin >= 1 && collection->margin + collection->places <= reach &&
           collection->places == (uint64_t)collection->stairs << collection->stair_bits &&
           collection->cells == 2 * collection->margin + collection->places + collection->width &&
           collection->stair_bits >= 1 && collection->stair_bits < PODIUM_WORD_BITS; /* a bit is left for the side */
}

static bool stairs_check(const podium_collection *collection) {
    if (collection->coin_count > PODIUM_COINS_MAX || !grid_check(collection))
        return false;
    wide e_eta = exp_below(collection->spec.epsilon, collection->stairs);
    coin_products above = coin_products_start(), below = above;
    for (uint32_t i = 0; i < collection->coin_count; i++) {
        uint64_t c = collection->coins[i];
        if (!coin_check(c, e_eta, above.product, below.product))
            return false;
        above = coin_products_next(above, c, wide_divide_up);
        below = coin_products_next(below, c, wide_divide);
    }
    return tail_check(collection, above.all) && middle_check(collection, above.none, below.none);
}

/* A coin may be larger than it must, and the middle stair thinner, where they have room between the bounds of (2) and
   (4), which the check sees to. Then the stairs fall by less than e^eta. For eta from 2^-9 on, the fall, in its
   logarithm, is less by 2^-20 of itself or so; for smaller ones it would be too much. */
static bool is_steep(const podium_collection *collection) {
    return wide_at_most(wide_shift_left(wide_from(1), F - 9),
                        expm1_below(collection->spec.epsilon, collection->stairs));
}

static void stairs_set(podium_collection *collection) {
    const bool steep = is_steep(collection);
    wide e_eta = exp_below(collection->spec.epsilon, collection->stairs);
    coin_products above = coin_products_start(), below = above;
    for (uint32_t i = 0; i < collection->coin_count; i++) {
        uint64_t least = coin_threshold(e_eta, above.product);
        collection->coins[i] = steep ? rounded_up(least) : least;
        above = coin_products_next(above, collection->coins[i], wide_divide_up);
        below = coin_products_next(below, collection->coins[i], wide_divide);
    }
    collection->tail_threshold = tail_threshold(collection, above.all);
    uint64_t most = middle_threshold(collection, e_eta, below.none);
    collection->threshold = steep ? rounded_down(most) : most;
}

/* ---- Either ---- */

void podium_thresholds_set(podium_collection *collection) {
    if (collection->coin_count == 0)
        steps_set(collection);
    else
        stairs_set(collection);
}

bool podium_thresholds_check(const podium_collection *collection) {
    if (!epsilon_check(collection->spec.epsilon) || collection->width == 0 || collection->cells > PODIUM_CELLS_MAX)
        return false;
    return collection->coin_count == 0 ? steps_check(collection) : stairs_check(collection);
}
