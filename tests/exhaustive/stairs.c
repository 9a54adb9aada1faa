/*
 * Theorem 2 by trying everything: the library's own draw.c and threshold.c, built for words of a few bits, run on small
 * grids of stairs with every place and every combination of the words of a draw. Every mass must equal the closed form,
 * and the probabilities of a cell at any two places must be within a factor of e^epsilon.
 */
#include "support.h"

#include <math.h>

#define R ((uint64_t)1 << PODIUM_WORD_BITS)
#define CELLS_MAX 256
#define COINS_MAX 3
#define STAIRS_MAX 3

static uint64_t draws, masses, grids, by_formula, refused;
static uint64_t tried[STAIRS_MAX + 1][COINS_MAX + 1]; /* number of grids for each M and k, drawn or by the formula */
static long double closest;                           /* the largest log ratio divided by epsilon */

static void fail(const podium_layout *c, const char *what) {
    fprintf(stderr, "epsilon %g, %u stairs of %u cells, %u coins, middle of %d, margin %d: %s\n", c->spec.epsilon,
            c->draw.stairs.stairs, 1u << c->draw.stairs.stair_bits, c->draw.stairs.coin_count,
            (int)c->draw.stairs.width, (int)c->draw.stairs.margin, what);
    exit(EXIT_FAILURE);
}

/* Draws all select and position words in one call. The words of the tail and of the coins are the digits of a
   counter. */
static void count(const podium_layout *c, uint32_t place, uint64_t *mass) {
    static uint64_t words[(3 + COINS_MAX) * R * R];
    static uint32_t places[R * R], cells[R * R];
    const uint64_t n = R * R, rest = (uint64_t)1 << (PODIUM_WORD_BITS * (1 + c->draw.stairs.coin_count));
    memset(mass, 0, CELLS_MAX * sizeof *mass);
    for (uint64_t i = 0; i < n; i++) {
        places[i] = place;
        words[i] = i / R;
        words[n + i] = i % R;
    }
    for (uint64_t others = 0; others < rest; others++) {
        for (uint32_t k = 0; k <= c->draw.stairs.coin_count; k++)
            for (uint64_t i = 0; i < n; i++)
                words[(2 + k) * n + i] = others >> (PODIUM_WORD_BITS * k) & PODIUM_WORD_MAX;
        draw_from_words(c, cells, places, words, n);
        for (uint64_t i = 0; i < n; i++) {
            if (cells[i] >= c->cells)
                fail(c, "a cell outside the grid");
            mass[cells[i]]++;
        }
    }
    draws += n * rest;
}

static uint64_t power(uint64_t base, uint32_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* The number of combinations of coin words that lead to stair g */
static uint64_t stair_words(const podium_layout *c, uint64_t g) {
    const podium_stairs_draw *d = &c->draw.stairs;
    uint64_t product = 1;
    for (uint32_t i = 0; i < d->coin_count; i++)
        product *= g >> i & 1 ? d->coins[i] : R - d->coins[i];
    return product;
}

/* The masses of the theorem: the middle stair, both sides cell by cell, and everything beyond the grid in its end
   cells */
static void expect(const podium_layout *c, uint64_t place, uint64_t *mass) {
    const podium_stairs_draw *d = &c->draw.stairs;
    const uint64_t stair = (uint64_t)1 << d->stair_bits, last = c->cells - 1, middle = d->margin + place;
    memset(mass, 0, CELLS_MAX * sizeof *mass);
    for (uint64_t j = 0; j < d->width; j++) {
        uint64_t words = ((j + 1) * R + d->width - 1) / d->width - (j * R + d->width - 1) / d->width;
        mass[middle + j] += d->threshold * words * power(R, 1 + d->coin_count);
    }
    for (uint64_t distance = 0; distance < stair << d->coin_count; distance++) {
        uint64_t words =
            (R - d->threshold) * (R / stair / 2) * (R - d->tail_threshold) * stair_words(c, distance / stair);
        uint64_t right = middle + d->width + distance;
        mass[distance < middle ? middle - 1 - distance : 0] += words;
        mass[right < last ? right : last] += words;
    }
    uint64_t beyond = (R - d->threshold) * (R / 2) * d->tail_threshold * power(R, d->coin_count);
    mass[0] += beyond;
    mass[last] += beyond;
}

/* Tries every word at every place if there are not too many. Otherwise it uses the closed form, which the other
   grids have confirmed. */
static void try_grid(const podium_layout *c, bool draw) {
    uint64_t most[CELLS_MAX] = {0}, least[CELLS_MAX], mass[CELLS_MAX], want[CELLS_MAX];
    memset(least, 0xff, sizeof least);
    for (uint64_t place = 0; place <= c->places; place++) {
        expect(c, place, want);
        if (draw)
            count(c, (uint32_t)place, mass);
        else
            memcpy(mass, want, sizeof mass);
        for (uint64_t y = 0; y < c->cells; y++) {
            if (mass[y] != want[y])
                fail(c, "a mass is not the closed form's");
            masses += draw;
            most[y] = mass[y] > most[y] ? mass[y] : most[y];
            least[y] = mass[y] < least[y] ? mass[y] : least[y];
        }
    }
    for (uint64_t y = 0; y < c->cells; y++) {
        if (least[y] == 0)
            fail(c, "a cell that some place cannot reach");
        long double ratio = (long double)most[y] / (long double)least[y], bound = expl((long double)c->spec.epsilon);
        if (ratio > bound)
            fail(c, y == 0 || y == c->cells - 1 ? "a ratio above e^epsilon in an end cell" : "a ratio above e^epsilon");
        if (logl(ratio) / (long double)c->spec.epsilon > closest)
            closest = logl(ratio) / (long double)c->spec.epsilon;
    }
    draw ? grids++ : by_formula++;
    tried[c->draw.stairs.stairs][c->draw.stairs.coin_count]++;
}

/* The number of draws for all words at all places */
static uint64_t cost(const podium_layout *c) {
    return (c->places + 1) << (PODIUM_WORD_BITS * (3 + c->draw.stairs.coin_count));
}

static void try_spec(double epsilon, uint32_t stairs, uint32_t bits, uint32_t coins, uint64_t width) {
    uint64_t places = (uint64_t)stairs << bits, reach = (uint64_t)1 << (coins + bits);
    for (uint64_t margin = 1; margin + places <= reach; margin += margin < 3 ? 1 : (uint64_t)1 << bits) {
        podium_layout c = {
            .spec.epsilon = epsilon,
            .sampler = PODIUM_SAMPLER_STAIRS,
            .cells = 2 * margin + places + width,
            .places = places,
            .draw.stairs = {
                .width = width, .margin = margin, .coin_count = coins, .stair_bits = bits, .stairs = stairs}};
        podium_thresholds_set(&c);
        if (podium_thresholds_check(&c))
            try_grid(&c, cost(&c) <= (uint64_t)STAIRS_COST_MAX);
        else
            refused++; /* such short words cannot always represent a coin; with 64 bits nothing is rejected */
    }
}

int main(void) {
    static const double epsilons[] = {0.5, 1, 1.5, 2, 3, 4};
    for (size_t i = 0; i < LENGTH(epsilons); i++)
        for (uint32_t coins = 1; coins <= COINS_MAX; coins++)
            for (uint32_t bits = 1; bits <= 2; bits++)
                for (uint32_t stairs = 1; stairs <= STAIRS_MAX; stairs++)
                    for (uint64_t width = 2; width <= (uint64_t)1 << bits; width++)
                        try_spec(epsilons[i], stairs, bits, coins, width);
    for (uint32_t stairs = 1; stairs <= STAIRS_MAX; stairs++) /* one coin reaches no further than one stair */
        for (uint32_t coins = stairs == 1 ? 1 : 2; coins <= COINS_MAX; coins++)
            if (tried[stairs][coins] < 5) {
                fprintf(stderr, "only %d grids with %u stairs and %u coins\n", (int)tried[stairs][coins], stairs,
                        coins);
                return EXIT_FAILURE;
            }
    printf("stairs, %d-bit words: %llu grids, %llu draws, %llu masses exact; %llu grids more by the closed form; "
           "largest ratio e^(%.4Lf epsilon); %llu grids refused\n",
           PODIUM_WORD_BITS, (unsigned long long)grids, (unsigned long long)draws, (unsigned long long)masses,
           (unsigned long long)by_formula, closest, (unsigned long long)refused);
    return grids >= 20 && closest > 0.9L ? EXIT_SUCCESS : EXIT_FAILURE;
}
