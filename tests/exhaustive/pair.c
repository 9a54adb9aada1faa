/*
 * The corollary by trying everything: the library's own draw.c and threshold.c, built for words of a few bits, run with
 * every place and every combination of the four words of a draw, which are select, position, coin and side. Every mass
 * must equal the closed form, and the probabilities of a cell at any two places must be within a factor of e^epsilon,
 * in both halves of the cells.
 */
#include "support.h"

#include <math.h>

#define R ((uint64_t)1 << PODIUM_WORD_BITS)
#define CELLS_MAX 32

static uint64_t draws, masses, grids;
static long double closest[2]; /* the largest log ratio divided by epsilon, in the lower half and in the upper half */

static void fail(const podium_layout *c, const char *what) {
    fprintf(stderr, "epsilon %g, N %d, W %d, c %d, coin %d, pair's c %d: %s\n", c->spec.epsilon, (int)c->cells,
            (int)c->draw.pair.step.width, (int)c->draw.pair.step.threshold, (int)c->draw.pair.coin,
            (int)c->draw.pair.pair_threshold, what);
    exit(EXIT_FAILURE);
}

/* Draws all select and position words in one call, for every coin and side. */
static void count(const podium_layout *c, uint32_t place, uint64_t *mass) {
    static uint64_t words[4 * R * R];
    static uint32_t places[R * R], cells[R * R];
    const uint64_t n = R * R;
    memset(mass, 0, CELLS_MAX * sizeof *mass);
    for (uint64_t others = 0; others < n; others++) {
        for (uint64_t i = 0; i < n; i++) {
            places[i] = place;
            words[i] = i / R, words[n + i] = i % R;
            words[2 * n + i] = others / R, words[3 * n + i] = others % R;
        }
        draw_from_words(c, cells, places, words, n);
        for (uint64_t i = 0; i < n; i++) {
            if (cells[i] >= c->cells)
                fail(c, "a cell outside the grid");
            mass[cells[i]]++;
        }
    }
    draws += n * n;
}

/* How many words are scaled to j among n cells; 0 if j is not one of them */
static uint64_t words_to(uint64_t j, uint64_t n) {
    return j >= n ? 0 : ((j + 1) * R + n - 1) / n - (j * R + n - 1) / n;
}

/* The masses of the corollary: those of Theorem 1 in each half, with the upper half's step at one of two places */
static void expect(const podium_layout *c, uint64_t place, uint64_t *mass) {
    const podium_pair_draw *d = &c->draw.pair;
    const uint64_t n = c->cells / 2,
                   upper = (place * R + c->places - 1) / c->places; /* side words for the upper place */
    for (uint64_t j = 0; j < n; j++) {
        uint64_t on_step = j < place ? 0 : words_to(j - place, d->step.width), base = words_to(j, n);
        uint64_t on_lower = words_to(j, n / 2), on_upper = j < n / 2 ? 0 : words_to(j - n / 2, n / 2);
        mass[j] = (R - d->coin) * R * ((R - d->step.threshold) * base + d->step.threshold * on_step);
        mass[n + j] = d->coin * (R * (R - d->pair_threshold) * base +
                                 d->pair_threshold * ((R - upper) * on_lower + upper * on_upper));
    }
}

static void check_ratios(const podium_layout *c, const uint64_t *most, const uint64_t *least) {
    for (uint64_t y = 0; y < c->cells; y++) {
        long double ratio = (long double)most[y] / (long double)least[y], *half = &closest[y >= c->cells / 2];
        if (least[y] == 0)
            fail(c, "a cell that some place cannot reach");
        if (ratio > expl((long double)c->spec.epsilon))
            fail(c, "a ratio above e^epsilon");
        *half = fmaxl(*half, logl(ratio) / (long double)c->spec.epsilon);
    }
}

static void try_grid(const podium_layout *c) {
    uint64_t most[CELLS_MAX] = {0}, least[CELLS_MAX], mass[CELLS_MAX], want[CELLS_MAX];
    memset(least, 0xff, sizeof least);
    for (uint64_t place = 0; place <= c->places; place++) {
        count(c, (uint32_t)place, mass);
        expect(c, place, want);
        for (uint64_t y = 0; y < c->cells; y++, masses++) {
            if (mass[y] != want[y])
                fail(c, "a mass is not the closed form's");
            most[y] = mass[y] > most[y] ? mass[y] : most[y];
            least[y] = mass[y] < least[y] ? mass[y] : least[y];
        }
    }
    check_ratios(c, most, least);
    grids++;
}

/* The check rejects one more word in either threshold. */
static void check_thresholds(const podium_layout *c) {
    podium_layout more = *c, pair_more = *c;
    more.draw.pair.step.threshold++, pair_more.draw.pair.pair_threshold++;
    if (!podium_thresholds_check(c))
        fail(c, "the thresholds fail their own check");
    if (podium_thresholds_check(&more) || podium_thresholds_check(&pair_more))
        fail(c, "a threshold one too large passes the check");
}

static void try_spec(double epsilon, uint64_t half, uint64_t width, uint64_t coin) {
    podium_layout c = {.spec.epsilon = epsilon,
                       .sampler = PODIUM_SAMPLER_PAIR,
                       .cells = 2 * half,
                       .places = half - width,
                       .draw.pair = {.step.width = width, .coin = coin}};
    podium_thresholds_set(&c);
    check_thresholds(&c);
    try_grid(&c);
}

int main(void) {
    static const double epsilons[] = {0.3, 0.7, 1.5, 3};
    static const uint64_t coins[] = {1, R / 2 + 1, R - 1};
    for (size_t e = 0; e < LENGTH(epsilons); e++)
        for (uint64_t half = 2; half <= PAIR_HALF_MAX; half += 2)
            for (uint64_t width = 1; width < half; width++)
                for (size_t k = 0; k < LENGTH(coins); k++)
                    try_spec(epsilons[e], half, width, coins[k]);
    printf("pair, %d-bit words: %llu grids, %llu draws, %llu masses exact; largest ratio e^(%.4Lf epsilon) below, "
           "e^(%.4Lf epsilon) above\n",
           PODIUM_WORD_BITS, (unsigned long long)grids, (unsigned long long)draws, (unsigned long long)masses,
           closest[0], closest[1]);
    return closest[0] > 0.9L && closest[1] > 0.9L ? EXIT_SUCCESS : EXIT_FAILURE;
}
