/* What the noise can do at most, compared with the masses of the sampler, value by value. */
#include <check.h>
#include <math.h>

#include "analysis/interval.h"
#include "support.h"

static const double epsilons[] = {0.05, 1, 3, 8};

/* ---- The report of a value, as probabilities of blocks of cells ---- */

#define BLOCKS 4096

typedef struct {
    double mass[BLOCKS], worth[BLOCKS]; /* worth is counted from the middle of the range, in units of the range */
    uint32_t count;
    double mean;
} law;

/* The mean worth of a block is that of its first and its last cell, because the worth is linear in it. */
static void law_add(law *l, const podium_layout *c, uint32_t place, double share) {
    const podium_map *map = podium_map_of(c);
    l->count = c->cells < BLOCKS ? (uint32_t)c->cells : BLOCKS;
    for (uint32_t i = 0; i < l->count; i++) {
        const uint64_t first = c->cells * i / l->count, end = c->cells * (i + 1) / l->count;
        const double low = map->worth(c, (uint32_t)first), high = map->worth(c, (uint32_t)(end - 1));
        l->worth[i] = c->spacing * ((low + high) / 2 - (double)c->worth_most / 2) / (c->spec.max - c->spec.min);
        l->mass[i] += share * podium_mass_between(c, place, (double)first, (double)end);
    }
}

static const law *law_of(const podium_layout *c, double x) {
    static law l;
    uint32_t low;
    const double upper = c->fraction_bits == 0 ? 0 : upper_share(c, x, &low);
    const uint32_t no_rounding = 0;
    podium_places(c, &low, &x, &no_rounding, 1);
    memset(&l, 0, sizeof l);
    law_add(&l, c, low, 1 - upper);
    if (upper > 0)
        law_add(&l, c, low + 1, upper);
    for (uint32_t i = 0; i < l.count; i++)
        l.mean += l.mass[i] * l.worth[i];
    return &l;
}

static double log_growth(const law *l, double tilt) {
    double sum = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const double u = tilt * (l->worth[i] - l->mean);
        sum += l->mass[i] * (expm1(u) - u);
    }
    return log1p(sum);
}

static double central(const law *l, int power) {
    double sum = 0;
    for (uint32_t i = 0; i < l->count; i++)
        sum += l->mass[i] * pow(l->worth[i] - l->mean, power);
    return sum;
}

/* ---- The largest over many values is just below the bound ---- */

#define VALUES 64

static double value(const podium_layout *c, int i) {
    return c->spec.min + (c->spec.max - c->spec.min) * i / VALUES;
}

/* A block of many cells counts as if all of them were in its middle, which is wrong where a step ends inside it. The
   bounds may exceed the truth because stretches are bounded by their ends. */
static double tolerance(const podium_layout *c) {
    return c->cells <= BLOCKS ? 1e-9 : 1e-3;
}
#define BOUND_EXCEEDS 0.01

static void check_psi(const podium_layout *c, const podium_noise_bounds *b) {
    static const int numbers[] = {0, 9, 18, 27, 36, PODIUM_TILTS_EXACT - 1};
    double most[LENGTH(numbers)][2] = {{0}};
    for (int i = 0; i <= VALUES; i++) {
        const law *l = law_of(c, value(c, i));
        for (size_t k = 0; k < LENGTH(numbers); k++) {
            most[k][0] = fmax(most[k][0], log_growth(l, podium_tilt(b, numbers[k])));
            most[k][1] = fmax(most[k][1], log_growth(l, -podium_tilt(b, numbers[k])));
        }
    }
    for (size_t k = 0; k < LENGTH(numbers); k++)
        for (int sign = 0; sign < 2; sign++) {
            ck_assert_double_le(most[k][sign], b->psi[numbers[k]] * (1 + tolerance(c)));
            ck_assert_double_ge(most[k][sign], b->psi[numbers[k]] * (1 - BOUND_EXCEEDS));
        }
}

static void check_moments(const podium_layout *c, const podium_noise_bounds *b) {
    double fourth = 0, tailedness = 0, least = INFINITY, most = 0, reach = 0;
    for (int i = 0; i <= VALUES; i++) {
        const law *l = law_of(c, value(c, i));
        const double four = central(l, 4), two = central(l, 2);
        fourth = fmax(fourth, four);
        tailedness = fmax(tailedness, four / two);
        least = fmin(least, two);
        most = fmax(most, two);
        reach = fmax(reach, fmax(fabs(l->worth[0] - l->mean), fabs(l->worth[l->count - 1] - l->mean)));
    }
    const double above = 1 + tolerance(c);
    ck_assert(fourth <= b->fourth * above && tailedness <= b->tailedness * above);
    ck_assert(least >= b->variance_least / above && most <= b->variance_most * above);
    ck_assert_double_le(reach, b->reach * (1 + 1e-9));
}

static podium_noise_bounds bounds_of(const podium_layout *c) {
    podium_noise_bounds b;
    ck_assert_int_eq(podium_noise_bounds_set(&b, c), PODIUM_OK);
    return b;
}

START_TEST(worst_values) {
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_layout c = layout_of(m, epsilons[e], -3, 17);
            podium_noise_bounds b = bounds_of(&c);
            check_psi(&c, &b);
            check_moments(&c, &b);
        }
}
END_TEST

/* With few cells, the mean of the report of a value is computed to the last digit. */
START_TEST(bias) {
    static const uint32_t cells[] = {2, 3, 16, 256, 4096};
    for (size_t i = 0; i < LENGTH(cells); i++)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_collection collection = minimax_of(epsilons[e], cells[i]);
            const podium_layout *c = podium_layout_of(&collection);
            podium_noise_bounds b = bounds_of(c);
            for (int k = 0; k <= VALUES; k++)
                ck_assert_double_le(fabs(law_of(c, value(c, k))->mean - value(c, k)), b.bias);
        }
}
END_TEST

/* ---- Small tilts, and wide ranges ---- */

START_TEST(tilts_meet) { /* The table and the two moments give nearly the same psi where one follows the other. */
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++) {
            podium_layout c = layout_of(m, epsilons[e], 0, 1);
            podium_noise_bounds b = bounds_of(&c);
            const int last = PODIUM_TILTS_EXACT - 1;
            const double t = podium_tilt(&b, last);
            const double by_moments =
                t * t * (b.variance_most / 2 + t * sqrt(b.variance_most * b.fourth) / 6 * exp(t * b.reach));
            ck_assert_double_le(b.psi[last], by_moments * 1.01);
            ck_assert_double_ge(b.psi[last], by_moments * 0.95);
        }
}
END_TEST

START_TEST(any_range) { /* Bounds are in units of the range, so it does not matter. */
    FOR_EACH_MECHANISM (m) {
        podium_layout one = layout_of(m, 1, -0.5, 0.5), huge = layout_of(m, 1, -PODIUM_BOUND_MAX, PODIUM_BOUND_MAX);
        podium_noise_bounds a = bounds_of(&one), b = bounds_of(&huge);
        for (int k = 0; k < PODIUM_TILTS_EXACT; k++)
            ck_assert_double_eq_tol(a.psi[k] / b.psi[k], 1, 1e-6);
        ck_assert_double_eq_tol(a.fourth / b.fourth, 1, 1e-9);
        ck_assert_double_eq_tol(a.tailedness / b.tailedness, 1, 1e-9);
    }
}
END_TEST

START_TEST(not_initialised) {
    podium_collection empty = {.opaque = {{0}}};
    podium_bounds b, zeros;
    memset(&zeros, 0, sizeof zeros);
    memset(&b, 0x5a, sizeof b);
    ck_assert_int_eq(podium_bounds_init(&empty, &b), PODIUM_ERROR_NOT_INITIALISED);
    ck_assert(memcmp(&b, &zeros, sizeof b) == 0);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("bounds");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, worst_values);
    tcase_add_test(tests, bias);
    tcase_add_test(tests, tilts_meet);
    tcase_add_test(tests, any_range);
    tcase_add_test(tests, not_initialised);
    return run_tests("bounds", tests);
}
