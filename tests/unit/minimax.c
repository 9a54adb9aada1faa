/*
 * What the mechanisms beyond the paper must satisfy, computed from the integers of the finished collection: privacy,
 * bias and worst variance. Every mass is an exact fraction of R^2 = 2^128 pairs of words.
 */
#include <check.h>
#include <gmp.h>
#include <math.h>
#include <mpfr.h>

#include "gmp_words.h"
#include "support.h"

/* How many of the R = 2^64 words are scaled to j among n; all of them if n is 1 */
static void set_words_to(mpz_t words, uint64_t j, uint64_t n) {
    mpz_set_u64(words, first_word(j + 1, n) - first_word(j, n));
    if (n == 1)
        mpz_ui_pow_ui(words, 2, 64);
}

/* R - c, for c > 0 */
static uint64_t words_from(uint64_t c) {
    return UINT64_MAX - c + 1;
}

/* For a range of width 1 about 0 */
static podium_layout minimax_layout(double epsilon, uint32_t cells) {
    podium_collection collection = minimax_of(epsilon, cells);
    return *podium_layout_of(&collection);
}

/* ---- All places of a grid with few cells ---- */

typedef struct {
    uint64_t places;
    long double *mean, *square; /* of the report at each place, counted from the middle of the range */
    long double *correction;    /* the mean correction of its square at each place */
} table;

static long double fraction(const mpz_t numerator, int bits) { /* numerator / 2^bits */
    mpfr_t x;
    mpfr_init2(x, 64);
    mpfr_set_z_2exp(x, numerator, -bits, MPFR_RNDN);
    long double result = mpfr_get_ld(x, MPFR_RNDN);
    mpfr_clear(x);
    return result;
}

/* Adds words times the worth of the cell and times its square to sums. The worth is counted from the middle, and
   doubled to make it an integer. */
static void add_cell(const podium_layout *c, mpz_t sums[2], uint64_t cell, const mpz_t words) {
    mpz_t worth, most;
    mpz_inits(worth, most, NULL);
    mpz_set_u64(worth, 2 * (uint64_t)podium_map_of(c)->worth(c, (uint32_t)cell));
    mpz_set_u64(most, c->worth_most);
    mpz_sub(worth, worth, most);
    mpz_addmul(sums[0], worth, words);
    mpz_mul(worth, worth, worth);
    mpz_addmul(sums[1], worth, words);
    mpz_clears(worth, most, NULL);
}

static void take_cell(const podium_layout *c, mpz_t sums[2], uint64_t cell, const mpz_t words) {
    mpz_neg(sums[0], sums[0]), mpz_neg(sums[1], sums[1]);
    add_cell(c, sums, cell, words);
    mpz_neg(sums[0], sums[0]), mpz_neg(sums[1], sums[1]);
}

/* Sets the sums over the step at the place. If all its cells have the same number of words, only the two ends are
   updated from the last place. With more than EXACT_CELLS, each cell is given the fewest words, which is off by
   2^-48 of them. */
#define EXACT_CELLS 1024

static void set_step(const podium_layout *c, mpz_t step[2], uint64_t place) {
    const uint64_t width = c->draw.step.width;
    mpz_t words;
    mpz_init(words);
    set_words_to(words, width - 1, width); /* the last has floor(R/width), the fewest */
    if (place > 0 && ((width & (width - 1)) == 0 || c->cells > EXACT_CELLS)) {
        take_cell(c, step, place - 1, words);
        add_cell(c, step, place + width - 1, words);
    } else {
        mpz_set_ui(step[0], 0), mpz_set_ui(step[1], 0);
        for (uint64_t j = 0; j < width; j++) {
            if (c->cells <= EXACT_CELLS)
                set_words_to(words, j, width);
            add_cell(c, step, place + j, words);
        }
    }
    mpz_clear(words);
}

/* ((R - c) base + c step) / R^2 */
static long double mixed(const podium_layout *c, const mpz_t base, const mpz_t step) {
    mpz_t sum;
    mpz_init(sum);
    mpz_addmul_u64(sum, base, words_from(c->draw.step.threshold));
    mpz_addmul_u64(sum, step, c->draw.step.threshold);
    long double result = fraction(sum, 128);
    mpz_clear(sum);
    return result;
}

static long double correction_at(const podium_layout *c, uint64_t place) {
    const podium_step_draw *d = &c->draw.step;
    long double q = ldexpl((long double)d->threshold, -64), base = 0, step = 0;
    for (uint64_t j = 0; c->cells <= EXACT_CELLS && j < c->cells; j++) {
        long double square = (long double)podium_map_of(c)->square_correction(c, (uint32_t)j);
        base += square / (long double)c->cells;
        step += j >= place && j < place + d->width ? square / (long double)d->width : 0;
    }
    return (1 - q) * base + q * step;
}

static table table_of(const podium_layout *c) {
    size_t n = (size_t)c->places + 1;
    table t = {c->places, calloc(3 * n, sizeof *t.mean), NULL, NULL};
    mpz_t base[2], step[2], words;
    ck_assert(c->sampler == PODIUM_SAMPLER_STEP && c->cells <= PODIUM_CELLS_MAX && t.mean != NULL);
    t.square = t.mean + n, t.correction = t.square + n;
    mpz_inits(base[0], base[1], step[0], step[1], words, NULL);
    for (uint64_t j = 0; j < c->cells; j++) {
        set_words_to(words, j, c->cells);
        add_cell(c, base, j, words);
    }
    long double half = (long double)c->spacing / 2;
    for (uint64_t place = 0; place < n; place++) {
        set_step(c, step, place);
        t.mean[place] = half * mixed(c, base[0], step[0]);
        t.square[place] = half * half * mixed(c, base[1], step[1]);
        t.correction[place] = correction_at(c, place);
    }
    mpz_clears(base[0], base[1], step[0], step[1], words, NULL);
    return t;
}

static void table_free(table *t) {
    free(t->mean);
}

/* The largest variance. Between two places the mean is x and the mean square is linear, so the variance is a
   parabola. */
static long double worst_of(const table *t) {
    long double worst = t->square[0] - t->mean[0] * t->mean[0];
    for (uint64_t place = 0; place < t->places; place++) {
        long double a = t->mean[place], b = t->mean[place + 1];
        long double slope = (t->square[place + 1] - t->square[place]) / (b - a), x = fminl(fmaxl(slope / 2, a), b);
        ck_assert(a < b);
        worst = fmaxl(worst, t->square[place] + slope * (x - a) - x * x);
    }
    return fmaxl(worst, t->square[t->places] - t->mean[t->places] * t->mean[t->places]);
}

/* ---- Worst variance ---- */

#define REFERENCES 15

typedef struct {
    double epsilon, bound;
} reference;

static void read_references(reference *references) {
    FILE *file = fopen(TEST_DATA "/minimax.csv", "r");
    char line[256];
    size_t n = 0;
    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        double epsilon, bound;
        if (sscanf(line, "%lf,%*u,%*f,%lf", &epsilon, &bound) != 2) /* a comment, or the header */
            continue;
        ck_assert_uint_lt(n, REFERENCES);
        references[n++] = (reference){epsilon, bound};
    }
    fclose(file);
    ck_assert_uint_eq(n, REFERENCES);
}

/* By the linear program, no unbiased private mechanism has a smaller worst variance, except for the discretisation. */
START_TEST(near_the_bound) {
    reference references[REFERENCES];
    double largest = 0;
    read_references(references);
    for (size_t i = 0; i < REFERENCES; i++) {
        podium_layout c = minimax_layout(references[i].epsilon, 0);
        table t = table_of(&c);
        double worst = (double)worst_of(&t), ratio = worst / references[i].bound;
        ck_assert_double_eq_tol(worst / c.variance_most, 1, 1e-9);
        if (c.spec.epsilon <= 8) {
            ck_assert(ratio > 0.995 && ratio < 1.025);
            largest = fmax(largest, ratio);
        }
        table_free(&t);
    }
    printf("minimax: at most %.4f of the bound for epsilon up to 8\n", largest);
}
END_TEST

static double worst_case(podium_mechanism mechanism, double epsilon) {
    return layout_of(mechanism, epsilon, -0.5, 0.5).variance_most;
}

static double beside_the_best(double epsilon) {
    double own = worst_case(PODIUM_MECHANISM_MINIMAX, epsilon), best = INFINITY;
    FOR_EACH_MECHANISM (m)
        if (m != PODIUM_MECHANISM_MINIMAX)
            best = fmin(best, worst_case(m, epsilon));
    ck_assert_msg(own <= best, "epsilon %.6g: worst variance %.6g, and another has %.6g", epsilon, own, best);
    return own / best;
}

START_TEST(never_worse_than_others) {
    reference references[REFERENCES];
    double largest = 0;
    read_references(references);
    for (size_t i = 0; i < REFERENCES; i++)
        largest = fmax(largest, beside_the_best(references[i].epsilon));
    for (int i = 0; i <= 200; i += TEST_STRIDE)
        largest = fmax(largest, beside_the_best(fmin(10, 0.05 * pow(200, i / 200.0))));
    printf("minimax: worst variance at most %.4f of the best other mechanism's\n", largest);
}
END_TEST

START_TEST(closed_form) { /* For small epsilon the variance is the same at every place. */
    static const double epsilons[] = {1e-3, 0.05, 0.25, 0.5, 0.75};
    for (size_t i = 0; i < LENGTH(epsilons); i++) {
        podium_layout c = minimax_layout(epsilons[i], PODIUM_CELLS_MAX);
        long double h = 0.5L / tanhl((long double)epsilons[i] / 2), least = INFINITY;
        table t = table_of(&c);
        double worst = (double)worst_of(&t);
        ck_assert_double_eq_tol(worst / (double)(h * h - 1 / 6.0L), 1, 1e-4);
        for (uint64_t place = 0; place <= t.places; place++)
            least = fminl(least, t.square[place] - t.mean[place] * t.mean[place]);
        ck_assert_double_eq_tol((double)least / worst, 1, 1e-6);
        table_free(&t);
    }
}
END_TEST

/* ---- Bias ---- */

/* The sum of floor(word n / R) over all R words is ((n - 1)(R - 1) + gcd(n, R) - 1) / 2; here divided by R. */
static long double mean_scaled(uint64_t n) {
    long double power = (long double)(n & (~n + 1)); /* gcd(n, R): the power of two in n */
    return ((long double)(n - 1) * (1 - 0x1p-64L) + (power - 1) * 0x1p-64L) / 2;
}

static long double step_mean(uint64_t cells, uint64_t width, uint64_t threshold, uint64_t place) {
    long double q = ldexpl((long double)threshold, -64);
    return q * ((long double)place + mean_scaled(width)) + (1 - q) * mean_scaled(cells);
}

static long double step_mean_of(const podium_layout *c, uint64_t place) {
    return step_mean(c->cells, c->draw.step.width, c->draw.step.threshold, place);
}

/* The mean of a pair. The upper output's place is chosen by ceil(place R / places) of the side words. */
static long double pair_mean(const podium_layout *c, uint64_t place) {
    const podium_pair_draw *d = &c->draw.pair;
    uint64_t half = c->cells / 2;
    long double pair = ldexpl((long double)d->coin, -64), q = ldexpl((long double)d->pair_threshold, -64);
    long double upper = place == c->places ? 1 : (long double)first_word(place, c->places) * 0x1p-64L;
    long double low = c->worth.pair.low, high = c->worth.pair.high;
    long double output = q * ((1 - upper) * low + upper * high) + (1 - q) * (low + high) / 2;
    return (1 - pair) * step_mean(half, d->step.width, d->step.threshold, place) + pair * output;
}

/* The mean of the distance beyond the middle stair, with distances above `room` counted as `room` */
static long double mean_distance(const podium_stairs_draw *d, uint64_t room) {
    uint64_t stairs = (uint64_t)1 << d->coin_count, width = (uint64_t)1 << d->stair_bits;
    long double sum = 0;
    for (uint64_t g = 0; g < stairs; g++) {
        uint64_t first = g * width, free = room <= first ? 0 : room - first < width ? room - first : width;
        long double p = 1, all = (long double)free * (long double)first + (long double)free * (free - 1.0L) / 2;
        for (uint32_t k = 0; k < d->coin_count; k++) {
            long double one = ldexpl((long double)d->coins[k], -64);
            p *= g >> k & 1 ? one : 1 - one;
        }
        sum += p * (all + (long double)(width - free) * (long double)room) / (long double)width;
    }
    return sum;
}

static long double stairs_mean(const podium_layout *c, uint64_t place) {
    const podium_stairs_draw *d = &c->draw.stairs;
    uint64_t middle = d->margin + place, after = middle + d->width, last = c->cells - 1;
    long double in = ldexpl((long double)d->threshold, -64), tail = ldexpl((long double)d->tail_threshold, -64);
    long double left = (1 - tail) * ((long double)(middle - 1) - mean_distance(d, middle - 1));
    long double right = (1 - tail) * ((long double)after + mean_distance(d, last - after)) + tail * (long double)last;
    return in * ((long double)middle + mean_scaled(d->width)) + (1 - in) * (left + right) / 2;
}

/* The mean of the report at a place, counted from the middle of the range */
static long double mean_at(const podium_layout *c, const table *t, uint64_t place) {
    static long double (*const mean_of[PODIUM_SAMPLERS])(const podium_layout *, uint64_t) = {
        [PODIUM_SAMPLER_STEP] = step_mean_of,
        [PODIUM_SAMPLER_PAIR] = pair_mean,
        [PODIUM_SAMPLER_STAIRS] = stairs_mean,
    };
    if (c->map == PODIUM_MAP_PIECES)
        return t->mean[place];
    return (long double)c->spacing * (mean_of[c->sampler](c, place) - (long double)c->worth_most / 2);
}

static double bias_at(const podium_layout *c, const table *t, double value) {
    uint32_t low;
    long double up = (long double)upper_share(c, value, &low), mean = mean_at(c, t, low);
    if (up > 0)
        mean += up * (mean_at(c, t, low + 1) - mean);
    return (double)fabsl((long double)c->middle + mean - (long double)value) / (c->spec.max - c->spec.min);
}

static double largest_bias(const podium_layout *c, uint64_t *seed) {
    double delta = c->spec.max - c->spec.min, largest = 0;
    const bool many_stairs = c->sampler == PODIUM_SAMPLER_STAIRS && c->draw.stairs.coin_count > 12;
    int trials = many_stairs ? 8 : 200; /* with many stairs each place takes long, because all 2^coins are summed */
    table t = c->map == PODIUM_MAP_PIECES ? table_of(c) : (table){0};
    for (int i = 0; i <= trials; i++) {
        largest = fmax(largest, bias_at(c, &t, fmin(c->spec.max, c->spec.min + delta * i / trials)));
        largest = fmax(largest, bias_at(c, &t, c->spec.min + delta * seeded_uniform(seed)));
    }
    for (uint32_t k = 0; k < c->knot_count; k++) {
        largest = fmax(largest, bias_at(c, &t, c->middle - c->knots[k]));
        largest = fmax(largest, bias_at(c, &t, c->middle + c->knots[k]));
    }
    table_free(&t);
    return largest;
}

/* The bias is computed from the masses and not from reports. A report is also rounded to the nearest double. */
START_TEST(unbiased) {
    static const double epsilons[] = {0.05, 0.3, 0.7, 1, 2, 4, 8, 20};
    uint64_t seed = 501;
    FOR_EACH_MECHANISM (m) {
        double largest = 0;
        for (size_t i = (size_t)m % TEST_STRIDE; i < LENGTH(epsilons); i += TEST_STRIDE) {
            podium_layout c = layout_of(m, epsilons[i], -3, 7);
            largest = fmax(largest, largest_bias(&c, &seed));
        }
        printf("%s: bias at most %.2g of the range\n", podium_mechanism_name(m), largest);
        ck_assert_double_lt(largest, 1e-9);
    }
}
END_TEST

START_TEST(unbiased_at_all_levels) {
    static const uint32_t cells[] = {2, 3, 4, 5, 10, 33, 100, 255, 1000, 10000, 65536};
    static const double epsilons[] = {0.5, 1.1, 3, 9};
    uint64_t seed = 502;
    double largest = 0;
    for (size_t i = 0; i < LENGTH(cells); i++)
        for (size_t k = 0; k < LENGTH(epsilons); k++) {
            podium_layout c = minimax_layout(epsilons[k], cells[i]);
            largest = fmax(largest, largest_bias(&c, &seed));
        }
    printf("minimax, 2 to 65536 cells: bias at most %.2g of the range\n", largest);
    ck_assert_double_lt(largest, 1e-9);
}
END_TEST

/* ---- The second moment ---- */

/* The error of the estimated mean square of a population whose values are all x, which is E[y^2 + correction -
   alpha] - x^2. Its average over each stretch from knot to knot is 0. Within a stretch it is not, because the
   variance is not linear and the correction can only be linear. */
static double square_error(const podium_layout *c) {
    table t = table_of(c);
    long double largest = 0;
    for (int i = 0; i <= 4000; i++) {
        double value = fmin(0.5, -0.5 + i / 4000.0);
        uint32_t low;
        long double up = (long double)upper_share(c, value, &low), x = (long double)value;
        long double square = t.square[low] + t.correction[low];
        if (up > 0)
            square += up * (t.square[low + 1] + t.correction[low + 1] - square);
        largest = fmaxl(largest, fabsl(square - (long double)c->alpha - x * x));
    }
    table_free(&t);
    return (double)largest;
}

START_TEST(squares_are_corrected) {
    double largest = 0;
    for (double epsilon = 0.05; epsilon < 20; epsilon *= 1.1) {
        podium_layout c = minimax_layout(epsilon, 0);
        largest = fmax(largest, square_error(&c));
    }
    printf("minimax: second moment off by at most %.2g of the squared range\n", largest);
    fflush(stdout);
    ck_assert_double_lt(largest, 2e-3);
}
END_TEST

/* ---- Privacy of the finished maps ---- */

/* Returns whether most/least is at most e^epsilon, in exact numbers, with e^epsilon rounded down. */
static bool within_ratio(double epsilon, const mpz_t most, const mpz_t least) {
    mpfr_t bound, ratio;
    mpfr_init2(bound, 800), mpfr_init2(ratio, 800);
    mpfr_set_d(bound, epsilon, MPFR_RNDN);
    mpfr_exp(bound, bound, MPFR_RNDD);
    mpfr_mul_z(ratio, bound, least, MPFR_RNDD);
    bool within = mpfr_cmp_z(ratio, most) >= 0;
    mpfr_clear(bound), mpfr_clear(ratio);
    return within;
}

/* The number of words of the step that lead to cell y, at the place where they are most or fewest */
static void set_step_words(mpz_t chosen, const podium_layout *c, uint64_t y, bool most) {
    mpz_t words;
    mpz_init(words);
    for (uint64_t place = 0; place <= c->places; place++) {
        mpz_set_ui(words, 0);
        if (y >= place && y < place + c->draw.step.width)
            set_words_to(words, y - place, c->draw.step.width);
        if (place == 0 || (mpz_cmp(words, chosen) > 0) == most)
            mpz_set(chosen, words);
    }
    mpz_clear(words);
}

static void check_ratios(const podium_layout *c) {
    mpz_t most, least, base, step, words;
    mpz_inits(most, least, base, step, words, NULL);
    mpz_set_u64(base, words_from(c->draw.step.threshold));
    mpz_set_u64(step, c->draw.step.threshold);
    for (uint64_t y = 0; y < c->cells; y++) {
        set_words_to(words, y, c->cells);
        mpz_mul(most, base, words);
        mpz_set(least, most);
        set_step_words(words, c, y, true);
        mpz_addmul(most, step, words);
        set_step_words(words, c, y, false);
        mpz_addmul(least, step, words);
        ck_assert(mpz_sgn(least) > 0 && within_ratio(c->spec.epsilon, most, least));
    }
    mpz_clears(most, least, base, step, words, NULL);
}

START_TEST(tables_are_private) {
    static const uint32_t cells[] = {2, 3, 10, 256, 1000};
    static const double epsilons[] = {1e-6, 0.1, 0.75, 0.76, 1, 2.5, 5, 10, 20, 50};
    for (size_t i = 0; i < LENGTH(epsilons); i++) {
        for (size_t k = 0; k < LENGTH(cells); k++) {
            podium_layout c = minimax_layout(epsilons[i], cells[k]);
            check_ratios(&c);
        }
        podium_layout duchi = layout_of(PODIUM_MECHANISM_DUCHI, epsilons[i], 0, 1);
        check_ratios(&duchi);
    }
}
END_TEST

/* One half of a pair. Every cell has R/n base words, so the ratio is largest where the step has the most words. */
static void check_half(double epsilon, uint64_t n, uint64_t width, uint64_t threshold) {
    mpz_t most, least, words;
    mpz_inits(most, least, words, NULL);
    ck_assert((n & (n - 1)) == 0);
    set_words_to(words, 0, n);
    mpz_addmul_u64(least, words, words_from(threshold));
    set_words_to(words, 0, width); /* the first has ceil(R/width), the most */
    mpz_set(most, least);
    mpz_addmul_u64(most, words, threshold);
    ck_assert(within_ratio(epsilon, most, least));
    mpz_clears(most, least, words, NULL);
}

/* Given the public coin, each half is private for every way of rounding between places. */
START_TEST(pairs_are_private) {
    int checked = 0;
    FOR_EACH_MECHANISM (m)
        for (double epsilon = 0.62; epsilon < 50; epsilon *= 1.2) {
            podium_layout c = layout_of(m, epsilon, 0, 1);
            const podium_pair_draw *d = &c.draw.pair;
            if (c.sampler != PODIUM_SAMPLER_PAIR)
                continue;
            ck_assert(d->coin != 0 && c.cells == (uint64_t)1 << 32 && c.places + d->step.width == c.cells / 2);
            check_half(epsilon, c.cells / 2, d->step.width, d->step.threshold);
            check_half(epsilon, c.cells / 2, c.cells / 4, d->pair_threshold);
            checked++;
        }
    ck_assert_int_ge(checked, 25);
}
END_TEST

/* ---- The solver succeeds everywhere, and always finds the same map ---- */

static void check_solved(double epsilon, uint32_t cells) {
    static podium_collection first, second;
    podium_spec spec = {
        .mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = epsilon, .min = -0.5, .max = 0.5, .cells = cells};
    memset(&first, 0x5a, sizeof first);
    memset(&second, 0xa5, sizeof second);
    ck_assert_msg(podium_collection_init(&first, &spec) == PODIUM_OK, "epsilon %.17g, %u cells", epsilon, cells);
    ck_assert_int_eq(podium_collection_init(&second, &spec), PODIUM_OK);
    ck_assert(memcmp(&first, &second, sizeof first) == 0);
    const podium_layout one = *podium_layout_of(&first);
    ck_assert(one.cells <= cells && one.cells >= 2 && one.places + one.draw.step.width == one.cells);
    ck_assert(one.variance_most > 0 && one.variance_least >= 0 && isfinite(one.variance_most));
    table t = table_of(&one);
    ck_assert_double_eq_tol((double)t.mean[0], -0.5, 1e-9);
    ck_assert_double_eq_tol((double)t.mean[t.places], 0.5, 1e-9);
    /* Also fails if the means do not rise. */
    ck_assert_double_eq_tol((double)worst_of(&t) / one.variance_most, 1, 1e-9);
    table_free(&t);
}

START_TEST(solved_for_few_levels) {
    for (uint32_t cells = 2; cells <= 64; cells++) {
        check_solved(0.3, cells);
        check_solved(1.2, cells);
        check_solved(4, cells);
    }
}
END_TEST

START_TEST(solved_for_all_epsilons) {
    for (int i = 0; i <= 100; i++)
        check_solved(fmin(50, 1e-6 * pow(5e7, i / 100.0)), i % 2 == 0 ? 256 : 100);
    for (double epsilon = 0.7; epsilon <= 50; epsilon += 1.17)
        check_solved(epsilon, 64);
}
END_TEST

/* Solved to more digits, these maps would have means that fall somewhere. The map that is used must have a place for
   every value. */
START_TEST(means_rise) {
    static const struct {
        double epsilon;
        uint32_t cells;
    } hard[] = {{11.306352, 188}, {13.0456, 2810}, {14.410313, 1049}, {8, 256}, {20, 65536}, {50, 7}};
    for (size_t i = 0; i < LENGTH(hard); i++) {
        podium_layout c = minimax_layout(hard[i].epsilon, hard[i].cells);
        double slope = 0;
        for (uint32_t k = 0; k < c.knot_count; k++) {
            slope += c.slopes[k];
            ck_assert(slope > 0 && (k == 0 ? c.knots[0] == 0 : c.knots[k] > c.knots[k - 1]));
        }
        ck_assert(c.variance_least <= c.variance_uniform && c.variance_uniform <= c.variance_most);
    }
}
END_TEST

/* A map is not transmitted, so the device and the analyst must find the same one with every compiler. If this fails
   because the solver was changed on purpose, increase the revision in its row. */
START_TEST(golden_maps) {
    static const struct {
        double epsilon;
        uint32_t cells;
        uint64_t hash;
    } maps[] = {{0.5, 256, 0x449d272326a423af}, {1, 256, 0xe7476af72f28bb1f},   {2, 10, 0x928a493b6c6ef573},
                {2, 256, 0xe15d25bbe20c4d6a},   {3, 64, 0x0be2f60700c65ffe},    {4, 256, 0x10a242fb13323a5d},
                {4, 1000, 0x057560f308f54a48},  {10, 65536, 0x9c6edbb32113ce89}};
    for (size_t i = 0; i < LENGTH(maps); i++) {
        podium_layout c = minimax_layout(maps[i].epsilon, maps[i].cells);
        uint64_t hash = 0xcbf29ce484222325 ^ c.draw.step.width;
        for (uint32_t cell = 0; cell < c.cells; cell++)
            hash =
                /* The last digits may differ by rounding. */
                (hash ^ podium_map_of(&c)->worth(&c, cell) >> 8) * 0x100000001b3;
        ck_assert_msg(hash == maps[i].hash, "epsilon %g, %u cells: another map, %016llx", maps[i].epsilon,
                      maps[i].cells, (unsigned long long)hash);
    }
}
END_TEST

/* More cells have a smaller variance, except for the last percent, which depends on the number of pieces. */
START_TEST(more_levels_are_better) {
    for (double epsilon = 0.5; epsilon < 9; epsilon *= 2) {
        double few = minimax_layout(epsilon, 8).variance_most, usual = minimax_layout(epsilon, 256).variance_most;
        double most = minimax_layout(epsilon, PODIUM_CELLS_MAX).variance_most;
        ck_assert(most <= 1.01 * usual && usual < few);
    }
}
END_TEST

START_TEST(no_variance_below_zero) { /* At a large epsilon the variance is a difference of nearly equal numbers. */
    FOR_EACH_MECHANISM (m)
        for (double epsilon = 30; epsilon <= 50; epsilon += 1.7) {
            podium_collection c = collection_of(m, epsilon, 0.1, 0.7);
            const double least = podium_collection_variance_least(&c), most = podium_collection_variance_most(&c);
            ck_assert(least >= 0 && most >= least && podium_collection_noise(&c, PODIUM_OBJECTIVE_UNIFORM) >= 0);
            for (double x = 0.1; x < 0.71; x += 0.05)
                ck_assert_double_ge(podium_collection_variance(&c, x), 0);
        }
}
END_TEST

/* ---- Tuned ---- */

/* The expected variance for values of spread rho and a range of width 1, from the density alone, with u = e^s and E
   = e^epsilon */
static long double expected_variance(long double epsilon, long double s, long double rho) {
    long double u = expl(s), e = expl(epsilon);
    return (u + e) * (powl(1 + u, 3) + e - 1) / (12 * u * u * (e - 1) * (e - 1)) + rho * (1 + u) / (e - 1);
}

/* The s with the least expected variance, by golden section. The minimum is flat, so only half of the digits can be
   found. */
static long double best_s(long double epsilon, long double rho) {
    const long double golden = (sqrtl(5) - 1) / 2;
    long double low = 0, high = epsilon;
    for (int i = 0; i < 90; i++) {
        long double a = high - golden * (high - low), b = low + golden * (high - low);
        if (expected_variance(epsilon, a, rho) < expected_variance(epsilon, b, rho))
            high = b;
        else
            low = a;
    }
    return (low + high) / 2;
}

static void check_tuned(double epsilon, double spread) {
    podium_spec spec = {
        .mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = epsilon, .min = 0, .max = 1, .spread = spread};
    podium_shape shape;
    ck_assert_int_eq(podium_shape_init(&shape, &spec), PODIUM_OK);
    long double e = (long double)epsilon, rho = (long double)spread, s = (long double)shape.s;
    long double least = expected_variance(e, s, rho);
    ck_assert_double_eq_tol((shape.alpha + shape.beta * spread) / (double)least, 1, 1e-12);
    ck_assert(expected_variance(e, s * 1.001L, rho) > least && expected_variance(e, s * 0.999L, rho) > least);
    ck_assert_double_eq_tol(shape.s / (double)best_s(e, rho), 1, 1e-6);
}

START_TEST(tuned_is_a_minimum) {
    static const double epsilons[] = {0.01, 0.1, 0.34657359027997264, 1, 2, 4, 8, 20, 50};
    static const double spreads[] = {0, 0.01, 1 / 36.0, 1 / 12.0, 0.2, 0.25};
    for (size_t i = 0; i < LENGTH(epsilons); i++)
        for (size_t k = 0; k < LENGTH(spreads); k++)
            check_tuned(epsilons[i], spreads[k]);
}
END_TEST

START_TEST(tuned_to_the_ends_is_podium) {
    for (double epsilon = 1e-6; epsilon < 50; epsilon *= 1.5) {
        podium_spec spec = {
            .mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = epsilon, .min = 0, .max = 1, .spread = 0.25};
        podium_collection collection = collection_from(&spec);
        podium_layout tuned = *podium_layout_of(&collection), exact = layout_of(PODIUM_MECHANISM_PODIUM, epsilon, 0, 1);
        podium_shape shape;
        ck_assert_int_eq(podium_shape_init(&shape, &spec), PODIUM_OK);
        ck_assert_double_eq(shape.s, shape_of(PODIUM_MECHANISM_PODIUM, epsilon, 0, 1).s);
        ck_assert_uint_eq(tuned.draw.step.width, exact.draw.step.width);
        ck_assert_uint_eq(tuned.draw.step.threshold, exact.draw.step.threshold);
        ck_assert_uint_ne(tuned.fingerprint, exact.fingerprint);
    }
}
END_TEST

/* ---- Duchi, Piecewise and Hybrid by the formulas of Wang et al. (2019), for values from -1 to 1 ---- */

static void same_variance(const podium_collection *c, double x, double formula) {
    const podium_spec spec = podium_collection_spec(c);
    double ratio = podium_collection_variance(c, x) / formula;
    ck_assert_msg(fabs(ratio - 1) < 1e-6, "%s, epsilon %g, x %g: variance %.9f of the formula",
                  podium_mechanism_name(spec.mechanism), spec.epsilon, x, ratio);
}

START_TEST(published_variances) {
    for (double epsilon = 0.05; epsilon < 12; epsilon *= 1.3) {
        double e = exp(epsilon), h = exp(epsilon / 2), output = (e + 1) / (e - 1);
        podium_collection duchi = collection_of(PODIUM_MECHANISM_DUCHI, epsilon, -1, 1);
        podium_collection piecewise = collection_of(PODIUM_MECHANISM_PIECEWISE, epsilon, -1, 1);
        podium_collection hybrid = collection_of(PODIUM_MECHANISM_HYBRID, epsilon, -1, 1);
        double mixed_worst = (h + 3) / (3 * h * (h - 1)) + (e + 1) * (e + 1) / (h * (e - 1) * (e - 1));
        double hybrid_worst = epsilon > 0.61 ? mixed_worst : output * output;
        for (double x = -1; x <= 1; x += 0.25) {
            same_variance(&duchi, x, output * output - x * x);
            same_variance(&piecewise, x, x * x / (h - 1) + (h + 3) / (3 * (h - 1) * (h - 1)));
            if (epsilon <= 0.61)
                same_variance(&hybrid, x, output * output - x * x);
        }
        ck_assert_double_eq_tol(podium_collection_variance_most(&duchi) / (output * output), 1, 1e-6);
        ck_assert_double_eq_tol(podium_collection_variance_most(&hybrid) / hybrid_worst, 1, 1e-6);
    }
}
END_TEST

/* ---- Specs ---- */

static podium_status init(podium_mechanism mechanism, double spread, uint32_t cells) {
    podium_spec spec = {.mechanism = mechanism, .epsilon = 1, .min = 0, .max = 1, .spread = spread, .cells = cells};
    podium_collection c, cleared;
    memset(&c, 0x5a, sizeof c);
    memset(&cleared, 0, sizeof cleared);
    podium_status status = podium_collection_init(&c, &spec);
    ck_assert(status == PODIUM_OK || memcmp(&c, &cleared, sizeof c) == 0);
    return status;
}

START_TEST(wrong_parameters) {
    static const double wrong[] = {-1e-9, 0.2500001, 1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert_int_eq(init(PODIUM_MECHANISM_PODIUM_TUNED, wrong[i], 0), PODIUM_ERROR_SPREAD_WRONG);
    ck_assert_int_eq(init(PODIUM_MECHANISM_PODIUM_TUNED, 0, 0), PODIUM_OK);
    ck_assert_int_eq(init(PODIUM_MECHANISM_PODIUM_TUNED, 0.25, 0), PODIUM_OK);
    ck_assert_int_eq(init(PODIUM_MECHANISM_MINIMAX, 0, 1), PODIUM_ERROR_CELLS_WRONG);
    ck_assert_int_eq(init(PODIUM_MECHANISM_MINIMAX, 0, PODIUM_CELLS_MAX + 1), PODIUM_ERROR_CELLS_WRONG);
    ck_assert_int_eq(init(PODIUM_MECHANISM_MINIMAX, 0, UINT32_MAX), PODIUM_ERROR_CELLS_WRONG);
    ck_assert_int_eq(init(PODIUM_MECHANISM_MINIMAX, 0, 2), PODIUM_OK);
    ck_assert_int_eq(init(PODIUM_MECHANISM_MINIMAX, 0, PODIUM_CELLS_MAX), PODIUM_OK);
    FOR_EACH_MECHANISM (m) { /* A parameter of another mechanism is rejected. */
        const podium_parameter_kind own = podium_row_of(m)->parameter;
        if (own != PODIUM_PARAMETER_SPREAD) {
            ck_assert_int_eq(init(m, 0.1, 0), PODIUM_ERROR_SPREAD_WRONG);
            ck_assert_int_eq(init(m, NAN, 0), PODIUM_ERROR_SPREAD_WRONG);
        }
        if (own != PODIUM_PARAMETER_CELLS)
            ck_assert_int_eq(init(m, 0, 256), PODIUM_ERROR_CELLS_WRONG);
    }
}
END_TEST

START_TEST(no_density) {
    int without = 0;
    FOR_EACH_MECHANISM (m) {
        podium_spec spec = spec_of(m, 1, 0, 1);
        podium_shape shape, before;
        if (has_density(m))
            continue;
        memset(&shape, 0x5a, sizeof shape);
        before = shape;
        ck_assert_int_eq(podium_shape_init(&shape, &spec), PODIUM_ERROR_NO_DENSITY);
        ck_assert(memcmp(&shape, &before, sizeof shape) == 0);
        without++;
    }
    ck_assert_int_ge(without, 3);
    ck_assert(!has_density(PODIUM_MECHANISM_DUCHI) && !has_density(PODIUM_MECHANISM_HYBRID));
    ck_assert(!has_density(PODIUM_MECHANISM_MINIMAX) && has_density(PODIUM_MECHANISM_PODIUM));
}
END_TEST

START_TEST(usual_levels) {
    podium_collection c = minimax_of(1, 0), same = minimax_of(1, 256), other = minimax_of(1, 255);
    ck_assert_uint_eq(podium_collection_spec(&c).cells, PODIUM_CELLS_DEFAULT);
    ck_assert_uint_eq(podium_collection_fingerprint(&c), podium_collection_fingerprint(&same));
    ck_assert_uint_ne(podium_collection_fingerprint(&c), podium_collection_fingerprint(&other));
}
END_TEST

/* ---- Codes ---- */

/* A buffer that is one byte too small is not touched. */
static void check_capacity(const podium_collection *c, const uint32_t *cells, size_t n) {
    unsigned char codes[4 * 5], before[4 * 5];
    const size_t bytes = n * podium_code_bytes(c);
    memset(codes, 0x5a, sizeof codes);
    memcpy(before, codes, sizeof codes);
    ck_assert_int_eq(podium_codes_encode(c, codes, bytes - 1, cells, n), PODIUM_ERROR_BUFFER_TOO_SMALL);
    ck_assert_int_eq(podium_codes_encode(c, NULL, 0, cells, n), PODIUM_ERROR_BUFFER_TOO_SMALL);
    ck_assert_int_eq(podium_codes_encode(c, codes, SIZE_MAX / 2, cells, SIZE_MAX), PODIUM_ERROR_BUFFER_TOO_SMALL);
    ck_assert_int_eq(podium_codes_encode(c, NULL, 0, NULL, 0), PODIUM_OK);
    ck_assert(memcmp(codes, before, sizeof codes) == 0);
}

/* n codes fit n cells and no fewer, and part of a code is malformed. */
static void check_decoding(const podium_collection *c, const unsigned char *codes, size_t n, size_t bytes) {
    uint32_t back[6], before[6];
    memset(before, 0x77, sizeof before);
    memcpy(back, before, sizeof before);
    for (size_t capacity = 0; capacity < n; capacity++)
        ck_assert_int_eq(podium_codes_decode(c, back, capacity, codes, n * bytes), PODIUM_ERROR_BUFFER_TOO_SMALL);
    for (size_t part = 1; part < bytes; part++)
        ck_assert_int_eq(podium_codes_decode(c, back, n, codes, n * bytes - part), PODIUM_ERROR_TEXT_MALFORMED);
    ck_assert_int_eq(podium_codes_decode(c, NULL, 0, NULL, 0), PODIUM_OK);
    ck_assert(memcmp(back, before, sizeof before) == 0);
    ck_assert_int_eq(podium_codes_decode(c, back, SIZE_MAX, codes, n * bytes), PODIUM_OK);
    ck_assert(memcmp(back + n, before + n, sizeof *back) == 0);
}

static void check_codes(const podium_collection *c, size_t bytes) {
    const uint64_t n = podium_collection_cells(c);
    unsigned char codes[4 * 5 + 1];
    uint32_t cells[] = {0, 1, (uint32_t)(n / 2), (uint32_t)(n - 1), 0}, back[5];
    ck_assert_uint_eq(podium_code_bytes(c), bytes);
    memset(codes, 0x5a, sizeof codes);
    ck_assert_int_eq(podium_codes_encode(c, codes, 5 * bytes, cells, 5), PODIUM_OK);
    ck_assert(codes[5 * bytes] == 0x5a);
    ck_assert(codes[bytes] == 1 && codes[0] == 0); /* the least significant first */
    ck_assert_int_eq(podium_codes_decode(c, back, 5, codes, 5 * bytes), PODIUM_OK);
    ck_assert(memcmp(cells, back, sizeof cells) == 0);
    check_capacity(c, cells, 5);
    check_decoding(c, codes, 5, bytes);
    if (n == (uint64_t)1 << 8 * bytes)
        return;                        /* every code is a cell */
    for (size_t k = 0; k < bytes; k++) /* the number of cells is the first number that is not a cell */
        codes[2 * bytes + k] = (unsigned char)(n >> 8 * k);
    memset(back, 0x77, sizeof back);
    ck_assert_int_eq(podium_codes_decode(c, back, 5, codes, 5 * bytes), PODIUM_ERROR_TEXT_MALFORMED);
    for (size_t i = 0; i < LENGTH(back); i++)
        ck_assert_uint_eq(back[i], 0x77777777);
}

START_TEST(codes) {
    static const struct {
        uint32_t cells;
        size_t bytes;
    } minimax[] = {{2, 1}, {10, 1}, {256, 1}, {1000, 2}, {4096, 2}, {65536, 2}};
    for (size_t i = 0; i < LENGTH(minimax); i++) {
        podium_collection c = minimax_of(1.5, minimax[i].cells);
        check_codes(&c, minimax[i].bytes);
    }
    FOR_EACH_MECHANISM (m) {
        podium_collection c = collection_of(m, 1, 0, 1);
        const uint64_t n = podium_collection_cells(&c);
        check_codes(&c, n <= 256 ? 1 : n <= 65536 ? 2 : n <= (uint64_t)1 << 24 ? 3 : 4);
        if (m == PODIUM_MECHANISM_DUCHI || m == PODIUM_MECHANISM_MINIMAX)
            ck_assert_uint_eq(podium_code_bytes(&c), 1);
    }
    const podium_layout layout = {.cells = 65537};
    const podium_collection three = collection_with(&layout);
    check_codes(&three, 3);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("minimax");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, near_the_bound);
    tcase_add_test(tests, never_worse_than_others);
    tcase_add_test(tests, closed_form);
    tcase_add_test(tests, unbiased);
    tcase_add_test(tests, unbiased_at_all_levels);
    tcase_add_test(tests, squares_are_corrected);
    tcase_add_test(tests, tables_are_private);
    tcase_add_test(tests, pairs_are_private);
    tcase_add_test(tests, solved_for_few_levels);
    tcase_add_test(tests, solved_for_all_epsilons);
    tcase_add_test(tests, means_rise);
    tcase_add_test(tests, golden_maps);
    tcase_add_test(tests, more_levels_are_better);
    tcase_add_test(tests, no_variance_below_zero);
    tcase_add_test(tests, tuned_is_a_minimum);
    tcase_add_test(tests, tuned_to_the_ends_is_podium);
    tcase_add_test(tests, published_variances);
    tcase_add_test(tests, wrong_parameters);
    tcase_add_test(tests, no_density);
    tcase_add_test(tests, usual_levels);
    tcase_add_test(tests, codes);
    return run_tests("minimax", tests);
}
