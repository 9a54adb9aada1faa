/*
 * Theorem 1 by trying everything: the library's own draw.c and threshold.c, built for 8-bit words, run with every
 * place, every select word and every position word. Every mass must equal the closed form, no ratio may exceed the
 * theorem's bound, and the bound must be reached. The same code runs with R = 2^64 in the library.
 */
#include "support.h"

#include <math.h>

#define R ((uint64_t)1 << PODIUM_WORD_BITS)
#define CELLS_MAX 256

static uint64_t draws, masses, grids, attained;

static void fail(const podium_layout *c, const char *what) {
    fprintf(stderr, "N %d, W %d, c %d: %s\n", (int)c->cells, (int)c->draw.step.width, (int)c->draw.step.threshold,
            what);
    exit(EXIT_FAILURE);
}

/* How many words are scaled to j among n cells. These are B and G of the theorem, from the definition of floor(word
   n / R). */
static uint64_t words_to(uint64_t j, uint64_t n) {
    return ((j + 1) * R + n - 1) / n - (j * R + n - 1) / n;
}

static void count(const podium_layout *c, uint32_t place, uint64_t *mass) {
    uint64_t words[2 * R];
    uint32_t places[R], cells[R];
    memset(mass, 0, CELLS_MAX * sizeof *mass);
    for (uint64_t i = 0; i < R; i++) {
        places[i] = place;
        words[R + i] = i;
    }
    for (uint64_t select = 0; select < R; select++) {
        for (uint64_t i = 0; i < R; i++)
            words[i] = select;
        draw_from_words(c, cells, places, words, R);
        for (uint64_t i = 0; i < R; i++) {
            if (cells[i] >= c->cells)
                fail(c, "a cell outside the grid");
            mass[cells[i]]++;
        }
    }
    draws += R * R;
}

/* The bound is reached by a cell with the fewest base words that is on the step at one place, with the most words of
   the step, and beside the step at another place. Almost every grid has such a cell. */
static bool reachable(const podium_layout *c) {
    const podium_step_draw *d = &c->draw.step;
    for (uint64_t y = 0; y < c->cells; y++)
        for (uint64_t place = 0; place <= c->places && place <= y; place++)
            if (words_to(y, c->cells) == R / c->cells && y < place + d->width &&
                words_to(y - place, d->width) == (R + d->width - 1) / d->width && (y >= d->width || y < c->places))
                return true;
    return d->threshold == 0;
}

static void try_grid(const podium_layout *c) {
    const podium_step_draw *d = &c->draw.step;
    uint64_t most[CELLS_MAX] = {0}, least[CELLS_MAX], mass[CELLS_MAX];
    memset(least, 0xff, sizeof least);
    for (uint64_t place = 0; place <= c->places; place++) {
        count(c, (uint32_t)place, mass);
        for (uint64_t y = 0; y < c->cells; y++, masses++) {
            bool on_step = place <= y && y < place + d->width;
            uint64_t want = (R - d->threshold) * words_to(y, c->cells);
            if (on_step)
                want += d->threshold * words_to(y - place, d->width);
            if (mass[y] != want)
                fail(c, "a mass is not the closed form's");
            most[y] = mass[y] > most[y] ? mass[y] : most[y];
            least[y] = mass[y] < least[y] ? mass[y] : least[y];
        }
    }
    /* The bound is (base + c ceil(R/W)) / base. */
    uint64_t base = (R - d->threshold) * (R / c->cells), top = base + d->threshold * ((R + d->width - 1) / d->width);
    bool reached = false;
    for (uint64_t y = 0; y < c->cells; y++) {
        if (most[y] * base > least[y] * top)
            fail(c, "a ratio above the theorem's bound");
        if (c->spec.epsilon > 0 && (long double)most[y] > expl((long double)c->spec.epsilon) * (long double)least[y])
            fail(c, "a ratio above e^epsilon");
        reached |= most[y] * base == least[y] * top;
    }
    if (reached != reachable(c))
        fail(c, "the bound is not reached, or reached where it cannot be");
    grids++;
    attained += reached;
}

static void try_thresholds(uint64_t n, uint64_t w) {
    static const double epsilons[] = {0.02, 0.1, 0.35, 1, 2, 4};
    static const uint64_t thresholds[] = {0, 1, 100, R - 1};
    podium_layout c = {.sampler = PODIUM_SAMPLER_STEP, .cells = n, .places = n - w, .draw.step.width = w};
    for (size_t i = 0; i < LENGTH(thresholds); i++) {
        c.draw.step.threshold = thresholds[i];
        try_grid(&c);
    }
    for (size_t i = 0; i < LENGTH(epsilons); i++) {
        c.spec.epsilon = epsilons[i];
        podium_thresholds_set(&c);
        if (!podium_thresholds_check(&c))
            fail(&c, "the threshold fails its own check");
        try_grid(&c);
        c.draw.step.threshold++;
        if (podium_thresholds_check(&c))
            fail(&c, "a threshold one too large passes the check");
    }
}

int main(void) {
    static const uint64_t wider[][2] = {{23, 5},    {64, 64 / 3}, {100, 7}, {200, 150},
                                        {255, 254}, {256, 200},   {256, 1}, {256, 128}};
    for (uint64_t n = 2; n <= 16; n++)
        for (uint64_t w = 1; w < n; w++)
            try_thresholds(n, w);
    for (size_t i = 0; i < LENGTH(wider); i++)
        try_thresholds(wider[i][0], wider[i][1]);
    printf("step: %llu grids, %llu draws, %llu masses exact; the bound is reached in %llu\n", (unsigned long long)grids,
           (unsigned long long)draws, (unsigned long long)masses, (unsigned long long)attained);
    return attained > grids * 9 / 10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
