/*
 * Theorem 1 from a collection in flash, by trying everything: firmware.c built for 8-bit words, run with every value,
 * every select word and every position word. Every mass must equal the closed form, and no ratio may exceed e^epsilon.
 * The ramps put the value T at the place T, and values beyond the ends at the ends.
 */
#include "device/firmware.h"
#include "support.h"

#include <math.h>

#define R ((uint64_t)1 << PODIUM_WORD_BITS)
#define CELLS_MAX 64

static uint64_t draws, masses, grids;

static void fail(const podium_firmware *f, const char *what) {
    fprintf(stderr, "N %d, W %d, c %d: %s\n", (int)f->cells, (int)f->width, (int)f->threshold, what);
    exit(EXIT_FAILURE);
}

/* Hands out the halves of two chosen words, as the sampler asks for them. */
typedef struct {
    uint64_t position, select;
} chosen_words;

static size_t chosen_fill(void *context, void *buffer, size_t n) {
    const chosen_words *words = context;
    const uint32_t lowest = ((uint32_t)1 << PODIUM_HALF_BITS) - 1;
    const uint32_t halves[4] = {(uint32_t)(words->position >> PODIUM_HALF_BITS), (uint32_t)words->position & lowest,
                                (uint32_t)(words->select >> PODIUM_HALF_BITS), (uint32_t)words->select & lowest};
    if (n != 12 && n != 16)
        return 0;
    memcpy(buffer, halves, n);
    return n;
}

static uint64_t words_to(uint64_t j, uint64_t n) {
    return ((j + 1) * R + n - 1) / n - (j * R + n - 1) / n;
}

static void count(const podium_firmware *f, int32_t value, uint64_t *mass) {
    chosen_words words;
    const podium_random random = {.fill = chosen_fill, .context = &words};
    memset(mass, 0, CELLS_MAX * sizeof *mass);
    for (words.select = 0; words.select < R; words.select++)
        for (words.position = 0; words.position < R; words.position++, draws++) {
            uint32_t cell;
            if (podium_firmware_cells(f, &random, &cell, &value, 1) != PODIUM_OK)
                fail(f, "no cell");
            if (cell >= f->cells)
                fail(f, "a cell outside the grid");
            mass[cell]++;
        }
}

static void try_grid(const podium_firmware *f, double epsilon) {
    uint64_t most[CELLS_MAX] = {0}, least[CELLS_MAX], mass[CELLS_MAX];
    const int32_t last = (int32_t)f->places;
    memset(least, 0xff, sizeof least);
    for (int32_t value = -1; value <= last + 1; value++) {
        const uint64_t place = value < 0 ? 0 : value > last ? (uint64_t)last : (uint64_t)value;
        count(f, value, mass);
        for (uint64_t y = 0; y < f->cells; y++, masses++) {
            const bool on_step = place <= y && y < place + f->width;
            uint64_t want = (R - f->threshold) * words_to(y, f->cells);
            want += on_step ? f->threshold * words_to(y - place, f->width) : 0;
            if (mass[y] != want)
                fail(f, "a mass is not the closed form's");
            most[y] = mass[y] > most[y] ? mass[y] : most[y];
            least[y] = mass[y] < least[y] ? mass[y] : least[y];
        }
    }
    for (uint64_t y = 0; y < f->cells; y++)
        if ((long double)most[y] > expl((long double)epsilon) * (long double)least[y])
            fail(f, "a ratio above e^epsilon");
    grids++;
}

/* z = |2 value - places|, and each adds half a place: 2^31 of 2^32. */
static void try_epsilon(uint64_t n, uint64_t w, double epsilon) {
    static const podium_firmware_ramp half_a_place[] = {{(uint64_t)1 << 63, 0}};
    podium_layout c = {.sampler = PODIUM_SAMPLER_STEP, .cells = n, .places = n - w, .draw.step.width = w};
    c.spec.epsilon = epsilon;
    podium_thresholds_set(&c);
    podium_firmware f = {.sampler = podium_firmware_step,
                         .ramps = half_a_place,
                         .version = PODIUM_FIRMWARE_VERSION,
                         .cells = n,
                         .places = n - w,
                         .halves = podium_draw_halves(&c),
                         .width = w,
                         .threshold = c.draw.step.threshold,
                         .span = n - w,
                         .scale = 2,
                         .middle = n - w,
                         .end = n - w,
                         .ramp_count = 1,
                         .rising = 1};
    f.checksum = podium_firmware_checksum(&f);
    try_grid(&f, epsilon);
}

int main(void) {
    static const double epsilons[] = {0.1, 1, 4};
    static const uint64_t grid[][2] = {{2, 1}, {3, 1}, {3, 2}, {5, 2}, {8, 3}, {12, 5}, {16, 8}, {23, 20}, {64, 60}};
    for (size_t i = 0; i < LENGTH(grid); i++)
        for (size_t e = 0; e < LENGTH(epsilons); e++)
            try_epsilon(grid[i][0], grid[i][1], epsilons[e]);
    printf("firmware: %llu grids, %llu draws, %llu masses exact\n", (unsigned long long)grids,
           (unsigned long long)draws, (unsigned long long)masses);
    return EXIT_SUCCESS;
}
