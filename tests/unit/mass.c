/* The masses that the library computes are those of the draws: by the theorems, by counting, and by drawing. */
#include <check.h>
#include <math.h>

#include "support.h"

static const double epsilons[] = {1e-6, 0.01, 0.5, 1, 2, 6, 20, 50};

static long double share(uint64_t threshold) {
    return ldexpl((long double)threshold, -64);
}

/* ---- Theorem 1, in integers ---- */

/* The number of words that are scaled to one of the cells first ... last-1 among n */
static long double words(uint64_t n, uint64_t first, uint64_t last) {
    return last - first == n ? 0x1p64L : (long double)(first_word(last, n) - first_word(first, n));
}

static uint64_t clamped(uint64_t cell, uint64_t low, uint64_t high) {
    return cell < low ? low : cell > high ? high : cell;
}

/* The mass under a step: n cells in all, of which width are in the step at the place */
static long double step_mass(uint64_t n, uint64_t width, uint64_t threshold, uint64_t place, uint64_t first,
                             uint64_t last) {
    uint64_t from = clamped(first, place, place + width) - place, to = clamped(last, place, place + width) - place;
    long double q = share(threshold);
    return ldexpl((1 - q) * words(n, first, last) + q * words(width, from, to), -64);
}

static long double step_of(const podium_layout *c, uint64_t place, uint64_t first, uint64_t last) {
    return step_mass(c->cells, c->draw.step.width, c->draw.step.threshold, place, first, last);
}

/* The masses of the two halves, mixed by the coin, with the upper half's place chosen by the side word */
static long double pair_of(const podium_layout *c, uint64_t place, uint64_t first, uint64_t last) {
    const podium_pair_draw *d = &c->draw.pair;
    uint64_t half = c->cells / 2, from = clamped(first, half, 2 * half) - half,
             to = clamped(last, half, 2 * half) - half;
    long double pair = share(d->coin), upper = ldexpl(words(c->places, 0, place), -64);
    long double own =
        step_mass(half, d->step.width, d->step.threshold, place, clamped(first, 0, half), clamped(last, 0, half));
    return (1 - pair) * own + pair * ((1 - upper) * step_mass(half, half / 2, d->pair_threshold, 0, from, to) +
                                      upper * step_mass(half, half / 2, d->pair_threshold, half / 2, from, to));
}

/* NULL for samplers that Theorem 1 is not about */
static long double (*const theorem_1[PODIUM_SAMPLERS])(const podium_layout *, uint64_t, uint64_t, uint64_t) = {
    [PODIUM_SAMPLER_STEP] = step_of, [PODIUM_SAMPLER_PAIR] = pair_of};

/* A whole number of words is scaled to each cell, so a range has at most one word more or less than its share, which
   is 2^-64 of all. The rest is rounding. */
static bool near_enough(double mass, long double truth) {
    return fabsl(mass - truth) <= 1e-12L * truth + 0x1p-64L;
}

/* The first cell of the step or of the middle stair at a place, and the number of its cells */
static uint64_t start_of(const podium_layout *c, uint64_t place, uint64_t *width) {
    switch ((podium_sampler_kind)c->sampler) {
    case PODIUM_SAMPLER_STAIRS:
        *width = c->draw.stairs.width;
        return c->draw.stairs.margin + place;
    case PODIUM_SAMPLER_PAIR:
        *width = c->draw.pair.step.width;
        return place;
    default:
        *width = c->draw.step.width;
        return place;
    }
}

/* The ends of the grid and of the step, and other cells */
static uint64_t some_cell(const podium_layout *c, uint64_t *seed, uint64_t place) {
    uint64_t width, start = start_of(c, place, &width);
    uint64_t chosen[] = {0, 1, start - (start > 0), start, start + 1, start + width, start + width + 1, c->cells};
    uint64_t word = seeded_word(seed), which = word >> 60;
    return which < LENGTH(chosen) ? clamped(chosen[which], 0, c->cells) : word % (c->cells + 1);
}

static uint64_t some_place(const podium_layout *c, uint64_t *seed, int trial) {
    return trial == 0 ? 0 : trial == 1 ? c->places : seeded_word(seed) % (c->places + 1);
}

static size_t check_theorem_1(const podium_collection *collection, uint64_t *seed) {
    const podium_layout *c = podium_layout_of(collection);
    size_t wrong = 0;
    for (int trial = 0; trial < 1000; trial++) {
        uint64_t place = some_place(c, seed, trial), a = some_cell(c, seed, place);
        uint64_t b = trial % 2 == 0 ? some_cell(c, seed, place) : a + (a < c->cells); /* one cell */
        uint64_t first = a < b ? a : b, last = a < b ? b : a;
        double mass = podium_collection_mass(collection, place, first, last);
        wrong += !near_enough(mass, theorem_1[c->sampler](c, place, first, last));
    }
    return wrong;
}

START_TEST(step_is_theorem_1) {
    uint64_t seed = 101;
    size_t wrong = 0, checked[PODIUM_SAMPLERS] = {0};
    for (size_t e = 0; e < LENGTH(epsilons); e++)
        FOR_EACH_MECHANISM (m) {
            podium_collection c = collection_of(m, epsilons[e], -3, 5);
            const uint32_t sampler = podium_layout_of(&c)->sampler;
            if (theorem_1[sampler] != NULL)
                wrong += check_theorem_1(&c, &seed);
            checked[sampler]++;
        }
    ck_assert_uint_eq(wrong, 0);
    ck_assert(checked[PODIUM_SAMPLER_STEP] > 0 && checked[PODIUM_SAMPLER_PAIR] > 0);
}
END_TEST

START_TEST(single_cells_of_the_step) { /* If R/W is an integer, all cells of the step have the same mass. */
    const uint64_t width = (uint64_t)1 << 30, threshold = 0x7654321012345678;
    const podium_layout layout = {.sampler = PODIUM_SAMPLER_STEP,
                                  .cells = (uint64_t)1 << 32,
                                  .places = (uint64_t)3 << 30,
                                  .draw.step = {width, threshold}};
    const podium_collection c = collection_with(&layout);
    long double q = share(threshold), base = ldexpl(1 - q, -32), step = base + ldexpl(q, -30);
    uint64_t cells[] = {0, 4, 5, width + 4, width + 5, layout.cells - 1};
    for (size_t i = 0; i < LENGTH(cells); i++) {
        long double truth = cells[i] >= 5 && cells[i] < width + 5 ? step : base;
        double mass = podium_collection_mass(&c, 5, cells[i], cells[i] + 1);
        ck_assert(fabsl(mass - truth) <= 4e-16L * truth);
    }
}
END_TEST

/* ---- Theorem 2 ---- */

/* The mass of one cell at distance v, beside the middle stair and inside the grid, which is f(v) in the proof */
static long double beside(const podium_stairs_draw *d, uint64_t distance) {
    uint64_t number = distance >> d->stair_bits;
    long double p = 1;
    for (uint32_t i = 0; i < d->coin_count; i++)
        p *= number >> i & 1 ? share(d->coins[i]) : 1 - share(d->coins[i]);
    p *= (1 - share(d->threshold)) * (1 - share(d->tail_threshold));
    return number >> d->coin_count != 0 ? 0 : ldexpl(p / 2, -(int)d->stair_bits);
}

/* Adds up, cell by cell, the probabilities of all choices that draw.c can make on a small grid. */
static void count_all(const podium_layout *c, uint64_t place, long double *mass) {
    const podium_stairs_draw *d = &c->draw.stairs;
    uint64_t middle = d->margin + place, last = c->cells - 1, reach = (uint64_t)1 << (d->coin_count + d->stair_bits);
    long double tail = (1 - share(d->threshold)) * share(d->tail_threshold) / 2;
    for (uint64_t y = 0; y <= last; y++)
        mass[y] = y >= middle && y < middle + d->width ? share(d->threshold) / (long double)d->width : 0;
    for (uint64_t v = 0; v < reach; v++) {
        mass[v >= middle ? 0 : middle - 1 - v] += beside(d, v);
        mass[clamped(middle + d->width + v, 0, last)] += beside(d, v);
    }
    mass[0] += tail, mass[last] += tail;
}

#define SMALL_MAX 200

static size_t wrong_ranges(const podium_collection *collection, uint64_t place) {
    const podium_layout *c = podium_layout_of(collection);
    long double mass[SMALL_MAX];
    size_t wrong = 0;
    count_all(c, place, mass);
    for (uint64_t first = 0; first <= c->cells; first++) {
        long double sum = 0;
        for (uint64_t last = first; last <= c->cells; last++) {
            wrong += fabsl(podium_collection_mass(collection, place, first, last) - sum) > 1e-13L * sum;
            sum += last < c->cells ? mass[last] : 0;
        }
    }
    return wrong;
}

/* Stairs that fall, whether they are private or not */
static podium_collection some_stairs(uint64_t *seed, int trial) {
    double fall = 0.02 + 1.5 * seeded_uniform(seed); /* the fall from stair to stair, as a logarithm */
    podium_layout c = {.sampler = PODIUM_SAMPLER_STAIRS};
    podium_stairs_draw *d = &c.draw.stairs;
    d->coin_count = 1 + (uint32_t)(trial % 4);
    d->stair_bits = (uint32_t)(trial % 3);
    d->stairs = 1 + (uint32_t)(seeded_word(seed) % ((uint64_t)1 << (d->coin_count - 1)));
    d->margin = (((uint64_t)1 << d->coin_count) - d->stairs) << d->stair_bits;
    d->width = 1 + seeded_word(seed) % 7;
    d->threshold = seeded_word(seed);
    d->tail_threshold = seeded_word(seed) >> (trial % 5 * 10);
    for (uint32_t i = 0; i < d->coin_count; i++)
        d->coins[i] = (uint64_t)ldexp(1 / (1 + exp(ldexp(fall, (int)i))), 64);
    c.places = (uint64_t)d->stairs << d->stair_bits;
    c.cells = 2 * d->margin + c.places + d->width;
    return collection_with(&c);
}

START_TEST(stairs_by_counting) {
    uint64_t seed = 102;
    size_t wrong = 0;
    for (int trial = 0; trial < 60; trial++) {
        podium_collection c = some_stairs(&seed, trial);
        ck_assert_uint_le(podium_collection_cells(&c), SMALL_MAX);
        for (uint64_t place = 0; place <= podium_collection_places(&c); place++)
            wrong += wrong_ranges(&c, place);
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* The mass of a cell beside the middle stair, at an end of the grid or anywhere, must be right to 12 digits, however
   small it is. */
static bool single_cell_is_right(const podium_collection *collection, uint64_t place, uint64_t y) {
    const podium_stairs_draw *d = &podium_layout_of(collection)->draw.stairs;
    uint64_t middle = d->margin + place, end = middle + d->width;
    long double truth = y < middle ? beside(d, middle - 1 - y) : y >= end ? beside(d, y - end) : 0;
    if (truth == 0)
        truth = share(d->threshold) / (long double)d->width;
    return fabsl(podium_collection_mass(collection, place, y, y + 1) - truth) <= 1e-12L * truth;
}

static size_t check_theorem_2(const podium_collection *collection, uint64_t *seed) {
    const podium_layout *c = podium_layout_of(collection);
    size_t wrong = 0;
    for (int trial = 0; trial < 1000; trial++) {
        uint64_t place = some_place(c, seed, trial);
        uint64_t y = clamped(some_cell(c, seed, place), 1, c->cells - 2);
        wrong += !single_cell_is_right(collection, place, y);
    }
    return wrong + !single_cell_is_right(collection, 0, c->cells - 2) + !single_cell_is_right(collection, c->places, 1);
}

START_TEST(stairs_are_theorem_2) {
    uint64_t seed = 103;
    size_t wrong = 0, checked = 0;
    for (size_t e = 0; e < LENGTH(epsilons); e++)
        FOR_EACH_MECHANISM (m) {
            podium_collection c = collection_of(m, epsilons[e], -3, 5);
            if (podium_layout_of(&c)->sampler != PODIUM_SAMPLER_STAIRS)
                continue;
            wrong += check_theorem_2(&c, &seed);
            checked++;
        }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_ge(checked, 2 * LENGTH(epsilons));
}
END_TEST

/* ---- What every mass obeys ---- */

static bool same(double a, double b) {
    return fabs(a - b) <= 1e-12 * (a + b);
}

/* The mass of the mirror image of first ... last - 1; in pairs, each half is mirrored separately. */
static double mirrored_mass(const podium_collection *c, uint64_t place, uint64_t first, uint64_t last) {
    const bool is_pair = podium_layout_of(c)->sampler == PODIUM_SAMPLER_PAIR;
    const uint64_t n = podium_collection_cells(c), half = is_pair ? n / 2 : n;
    const uint64_t mirrored = podium_collection_places(c) - place;
    double lower = podium_collection_mass(c, mirrored, half - clamped(last, 0, half), half - clamped(first, 0, half));
    if (!is_pair)
        return lower;
    return lower +
           podium_collection_mass(c, mirrored, n + half - clamped(last, half, n), n + half - clamped(first, half, n));
}

/* All masses add up to 1, none is negative, a longer range has more, parts add up, and mirror images have the same
   mass. */
static size_t wrong_laws(const podium_collection *c, uint64_t place, uint64_t a, uint64_t b) {
    uint64_t first = a < b ? a : b, last = a < b ? b : a, n = podium_collection_cells(c);
    double mass = podium_collection_mass(c, place, first, last), before = podium_collection_mass(c, place, 0, first),
           after = podium_collection_mass(c, place, last, n);
    double mirrored = mirrored_mass(c, place, first, last);
    size_t wrong = podium_collection_mass(c, place, first, first) != 0;
    wrong += !(fabs(podium_collection_mass(c, place, 0, n) - 1) <= 4e-16);
    wrong += !(fabs(before + mass + after - 1) <= 1e-14);
    wrong += !(mass >= 0 && (first == last || mass > 0));
    wrong += !(podium_collection_mass(c, place, 0, last) >= before);
    wrong += !same(mass, mirrored);
    return wrong;
}

START_TEST(laws) {
    uint64_t seed = 104;
    size_t wrong = 0;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_collection collection = collection_of(m, epsilons[e], 0, 1);
            const podium_layout *c = podium_layout_of(&collection);
            for (int trial = 0; trial < 500; trial++) {
                uint64_t place = some_place(c, &seed, trial);
                wrong += wrong_laws(&collection, place, some_cell(c, &seed, place), some_cell(c, &seed, place));
            }
        }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* ---- Drawn ---- */

#define DRAWS 200000
#define BLOCK 500
#define BINS 50

/* 50 bins of about equal mass, whose ends are quantiles of the masses, found by bisection. With few cells there are
   fewer bins, each of at least half its share. */
static uint64_t cell_at(const podium_collection *c, uint64_t place, double p) {
    uint64_t low = 0, high = podium_collection_cells(c);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (podium_collection_mass(c, place, 0, middle) < p)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void draw_into(const podium_layout *c, uint64_t *seed, uint32_t place, uint32_t *cells) {
    static uint32_t own[BLOCK * 2 * (3 + PODIUM_COINS_MAX)];
    uint32_t places[BLOCK];
    for (size_t i = 0; i < BLOCK; i++)
        places[i] = place;
    seeded_fill(seed, own, BLOCK * podium_draw_halves(c) * sizeof *own);
    podium_draw(c, cells, places, own, BLOCK, BLOCK);
}

/* Pearson's statistic */
static double chi_square(const podium_collection *c, uint64_t *seed, uint32_t place) {
    const uint64_t n = podium_collection_cells(c);
    uint64_t ends[BINS + 1] = {0}, counts[BINS] = {0};
    uint32_t cells[BLOCK];
    double statistic = 0;
    for (int b = 1; b <= BINS; b++) {
        double least = podium_collection_mass(c, place, 0, ends[b - 1]) + 0.5 / BINS;
        ends[b] = cell_at(c, place, fmax(least, (double)b / BINS));
        if (b == BINS || podium_collection_mass(c, place, ends[b], n) < 0.5 / BINS)
            ends[b] = n;
    }
    for (int done = 0; done < DRAWS; done += BLOCK) {
        draw_into(podium_layout_of(c), seed, place, cells);
        for (size_t i = 0; i < BLOCK; i++) {
            int b = 0;
            while (cells[i] >= ends[b + 1])
                b++;
            counts[b]++;
        }
    }
    for (int b = 0; b < BINS && ends[b] < n; b++) {
        double expected = DRAWS * podium_collection_mass(c, place, ends[b], ends[b + 1]);
        statistic += ((double)counts[b] - expected) * ((double)counts[b] - expected) / expected;
    }
    return statistic;
}

/* Nine comparisons for each mechanism, each with a chi-square of at most 49 degrees of freedom. By the bound of
   Laurent and Massart it exceeds 49 + 2 sqrt(49 t) + 2t with a probability of at most e^-t, which for 151 (t = 19.7)
   is 2.8e-9. For a dozen mechanisms, false alarms are below 4e-7 in all. */
START_TEST(draws_follow) {
    static const double chosen[] = {0.5, 2, 6};
    uint64_t seed = 105;
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(chosen); e++) {
            podium_collection c = collection_of(m, chosen[e], 0, 1);
            uint64_t last = podium_collection_places(&c), places[] = {0, last / 3, last};
            for (size_t i = 0; i < LENGTH(places); i++)
                ck_assert_double_lt(chi_square(&c, &seed, (uint32_t)places[i]), 151);
        }
}
END_TEST

/* ---- Variance and influence ---- */

static double from_formula(double ours, double formula) {
    return fabs(ours - formula) / formula;
}

/* How far alpha and beta are from those of the closed form. Piecewise has the narrowest step, so rounding it to
   whole cells matters most. */
static double from_shape(podium_mechanism m, double epsilon) {
    podium_layout c = layout_of(m, epsilon, -2, 6);
    podium_shape shape = shape_of(m, epsilon, -2, 6);
    if (c.sampler == PODIUM_SAMPLER_STAIRS) {
        ck_assert_double_eq(c.beta, 0);
        return from_formula(c.alpha, shape.alpha);
    }
    /* The width is rounded to whole cells; of a step that would be narrower than one, the grid has one all the same. */
    double cells = (double)c.cells * shape.w / (shape.delta * shape.m), whole_cells = 0.5 / cells;
    double alpha = from_formula(c.alpha, shape.alpha) - whole_cells;
    return cells < 1 ? 0 : fmax(alpha, from_formula(c.beta, shape.beta) - whole_cells);
}

START_TEST(variance_beside_the_shape) {
    FOR_EACH_MECHANISM (m) {
        double worst = 0;
        if (!has_density(m))
            continue;
        for (double epsilon = 1e-6; epsilon < 50; epsilon *= 1.7)
            worst = fmax(worst, from_shape(m, epsilon));
        printf("%s: variance within %.1e of the closed form\n", podium_mechanism_name(m), worst);
        /* Laplace's stairs are below by at most (80/1024)^2/24 = 2.6e-4; the others only round their widths to cells */
        ck_assert_double_lt(worst, m == PODIUM_MECHANISM_LAPLACE     ? 3e-4
                                   : m == PODIUM_MECHANISM_STAIRCASE ? 1e-6
                                                                     : 1e-4);
    }
}
END_TEST

/* The variance from the masses of 65536 ranges of cells (or of all cells if there are fewer), each with its middle
   and a uniform spread within */
static double variance_from_masses(const podium_layout *c, double x) {
    const podium_map *map = podium_map_of(c);
    double mean = 0, square = 0, place = podium_place(c, x);
    uint64_t ranges = c->cells < 65536 ? c->cells : 65536;
    for (uint64_t i = 0; i < ranges; i++) {
        uint64_t first = c->cells / ranges * i, last = i == ranges - 1 ? c->cells : c->cells / ranges * (i + 1);
        double mass = podium_mass_between(c, place, (double)first, (double)last), width = (double)(last - first);
        double low = map->worth(c, (uint32_t)first), high = map->worth(c, (uint32_t)(last - 1));
        double at = (low + high) / 2 - (double)c->worth_most / 2, step = width > 1 ? (high - low) / (width - 1) : 0;
        mean += mass * at;
        square += mass * (at * at + step * step * (width * width - 1) / 12);
    }
    return c->spacing * c->spacing * (square - mean * mean);
}

static void check_variance(const podium_collection *collection, double x) {
    const podium_layout *c = podium_layout_of(collection);
    const double variance = podium_collection_variance(collection, x), middle = c->middle;
    ck_assert_double_lt(from_formula(variance_from_masses(c, x), variance), 1e-3);
    if (c->map != PODIUM_MAP_PIECES)
        ck_assert_double_eq_tol(variance, c->alpha + c->beta * (x - middle) * (x - middle), 1e-12 * c->variance_most);
    ck_assert(variance >= podium_collection_variance_least(collection) * (1 - 1e-12));
    ck_assert(variance <= podium_collection_variance_most(collection) * (1 + 1e-12));
}

START_TEST(variance_from_the_masses) {
    FOR_EACH_MECHANISM (m)
        for (double epsilon = 0.1; epsilon < 10; epsilon *= 3) {
            podium_collection c = collection_of(m, epsilon, -2, 6);
            ck_assert_double_eq(podium_layout_of(&c)->middle, 2);
            for (double x = -2; x <= 6; x += 0.8)
                check_variance(&c, x);
        }
}
END_TEST

START_TEST(influence) {
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, -2, 6);
        const uint64_t n = podium_collection_cells(&c);
        double least = INFINITY, most = -INFINITY, support;
        /* All cells if there are few, otherwise some, including those about the middle, where the lower half of a
           pair ends. */
        for (uint64_t i = 0; i <= 65536; i++) {
            uint32_t cell = (uint32_t)(i == 65536 ? n / 2 - 1 : (n - 1) * i / 65535);
            double report;
            ck_assert_int_eq(podium_collection_reports(&c, &report, &cell, 1), PODIUM_OK);
            least = fmin(least, report), most = fmax(most, report);
        }
        support = most - least;
        ck_assert_double_eq(podium_collection_influence(&c, 0, 10), 0);
        ck_assert_double_eq_tol(podium_collection_influence(&c, 1, 1), support, 1e-12 * support);
        ck_assert_double_eq_tol(podium_collection_influence(&c, 3, 1000), support * 3 / 1000, 1e-12 * support);
        /* At most all of them. */
        ck_assert_double_eq_tol(podium_collection_influence(&c, 7, 5), support, 1e-12 * support);
        ck_assert(isinf(podium_collection_influence(&c, 0, 0)));
    }
}
END_TEST

/* ---- What an observer learns ---- */

/* The least and the greatest probability of a cell over many values */
static podium_limits likelihoods(const podium_collection *c, uint64_t cell) {
    podium_limits found = {INFINITY, 0};
    for (int i = 0; i <= 500; i++) {
        const double likelihood = podium_collection_likelihood(c, 1 + 119 * i / 500.0, cell);
        found.lower = fmin(found.lower, likelihood);
        found.upper = fmax(found.upper, likelihood);
    }
    return found;
}

START_TEST(likelihood_keeps_the_promise) {
    uint64_t seed = 5;
    FOR_EACH_MECHANISM (m) {
        const podium_collection c = collection_of(m, 1, 1, 120);
        const uint64_t n = podium_collection_cells(&c), places = podium_collection_places(&c);
        double greatest = 0;
        for (int i = 0; i < 100; i++) {
            const uint64_t cell = i == 0 ? 0 : i == 1 ? n - 1 : seeded_word(&seed) % n;
            const podium_limits l = likelihoods(&c, cell);
            greatest = fmax(greatest, l.upper / l.lower);
            const double at_min = podium_collection_mass(&c, 0, cell, cell + 1);
            const double at_max = podium_collection_mass(&c, places, cell, cell + 1);
            ck_assert_double_eq_tol(podium_collection_likelihood(&c, 1, cell), at_min, 1e-9 * at_min);
            ck_assert_double_eq_tol(podium_collection_likelihood(&c, 1e300, cell), at_max, 1e-9 * at_max);
        }
        ck_assert_msg(greatest > 1.5 && greatest < exp(1) * (1 + 1e-9), "%s: %g", podium_mechanism_name(m), greatest);
        ck_assert(isnan(podium_collection_likelihood(&c, NAN, 0)) && isnan(podium_collection_likelihood(&c, 60, n)));
    }
}
END_TEST

START_TEST(likelihoods_add_up) {
    const podium_collection c = collection_of(PODIUM_MECHANISM_MINIMAX, 1, 1, 120);
    for (double x = 1; x <= 120; x += 0.37) {
        long double sum = 0;
        for (uint64_t cell = 0; cell < podium_collection_cells(&c); cell++)
            sum += podium_collection_likelihood(&c, x, cell);
        ck_assert_double_eq_tol((double)sum, 1, 1e-12);
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("mass");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, step_is_theorem_1);
    tcase_add_test(tests, single_cells_of_the_step);
    tcase_add_test(tests, stairs_by_counting);
    tcase_add_test(tests, stairs_are_theorem_2);
    tcase_add_test(tests, laws);
    tcase_add_test(tests, draws_follow);
    tcase_add_test(tests, variance_beside_the_shape);
    tcase_add_test(tests, variance_from_the_masses);
    tcase_add_test(tests, influence);
    tcase_add_test(tests, likelihood_keeps_the_promise);
    tcase_add_test(tests, likelihoods_add_up);
    return run_tests("mass", tests);
}
