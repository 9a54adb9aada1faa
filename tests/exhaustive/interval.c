/*
 * The promises of the intervals by trying everything: every sequence of reports of a collection with a few cells, with
 * its exact probability, for every choice of values from a grid. No choice may make an interval miss more often than it
 * says.
 *
 * Small numbers of reports rarely miss at 95%, so lower confidences are tried as well; there the intervals are so
 * narrow that they do miss, and Berry and Esseen's bound is used from a few reports on.
 */
#include "analysis/interval.h"
#include "support.h"

#define CELLS_MAX 8
#define GRID 5 /* values tried, from min to max */
#define SEQUENCES_MAX 2048
#define REPORTS_MAX 12
#define ROUNDING 1e-9

static const double alphas[] = {0.9, 0.7, 0.4, 0.1, 0.05};

/* A collection, with the probability of each cell for each value of the grid */
typedef struct {
    podium_collection collection;
    const podium_layout *layout;
    uint32_t cells;
    double value[GRID], worth[CELLS_MAX], mass[GRID][CELLS_MAX];
} small;

static void small_init(small *s, const podium_spec *spec) {
    s->collection = collection_from(spec);
    s->layout = podium_layout_of(&s->collection);
    s->cells = (uint32_t)s->layout->cells;
    for (uint32_t j = 0; j < s->cells; j++)
        s->worth[j] = s->layout->first + s->layout->spacing * podium_map_of(s->layout)->worth(s->layout, j);
    for (int g = 0; g < GRID; g++) {
        uint32_t low;
        s->value[g] = spec->min + (spec->max - spec->min) * g / (GRID - 1);
        const double upper = upper_share(s->layout, s->value[g], &low);
        for (uint32_t j = 0; j < s->cells; j++) {
            const double next = upper > 0 ? podium_mass_between(s->layout, low + 1.0, j, j + 1.0) : 0;
            s->mass[g][j] = (1 - upper) * podium_mass_between(s->layout, low, j, j + 1.0) + upper * next;
        }
    }
}

static bool check(const small *s, const char *what, uint64_t n, double alpha, double missed) {
    const podium_spec spec = podium_collection_spec(&s->collection);
    if (missed <= alpha + ROUNDING)
        return true;
    printf("%s, epsilon %g, %u cells, %llu reports: the %s interval for %g%% misses with probability %g\n",
           podium_mechanism_name(spec.mechanism), spec.epsilon, s->cells, (unsigned long long)n, what,
           100 * (1 - alpha), missed);
    return false;
}

/* ---- Guaranteed: all vectors of values, all sequences of reports ---- */

typedef struct {
    double lower, upper;
} interval;

static interval interval_of(const small *s, const podium_bounds *bounds, const uint32_t *cells, size_t n,
                            double alpha) {
    static podium_summary summary;
    podium_aggregate a;
    const podium_question q = {.confidence = 1 - alpha, .interval = PODIUM_INTERVAL_GUARANTEED, .bounds = bounds};
    podium_aggregate_init(&s->collection, &a);
    if (podium_aggregate_add_cells(&s->collection, &a, cells, n) != PODIUM_OK ||
        podium_summary_make(&s->collection, NULL, &summary, &a, &q) != PODIUM_OK)
        abort();
    return (interval){summary.lower, summary.upper};
}

static void cells_of(uint32_t sequence, uint32_t base, uint32_t *cells, size_t n) {
    for (size_t i = 0; i < n; i++, sequence /= base)
        cells[i] = sequence % base;
}

/* The probability that the interval misses the mean of the values */
static double missed_by(const small *s, const interval *intervals, uint32_t sequences, const int *grid, size_t n) {
    double mean = 0, missed = 0;
    for (size_t i = 0; i < n; i++)
        mean += s->value[grid[i]] / (double)n;
    for (uint32_t k = 0; k < sequences; k++) {
        uint32_t cells[REPORTS_MAX];
        double probability = 1;
        if (intervals[k].lower <= mean + ROUNDING && mean - ROUNDING <= intervals[k].upper)
            continue;
        cells_of(k, s->cells, cells, n);
        for (size_t i = 0; i < n; i++)
            probability *= s->mass[grid[i]][cells[i]];
        missed += probability;
    }
    return missed;
}

/* The next vector of values in ascending order; the order of people does not matter. */
static bool next_values(int *grid, size_t n) {
    size_t i = 0;
    while (i < n && grid[i] == GRID - 1)
        i++;
    if (i == n)
        return false;
    const int next = grid[i] + 1;
    for (size_t j = 0; j <= i; j++)
        grid[j] = next;
    return true;
}

static double worst, worst_alpha; /* the largest share of its alpha that an interval missed */
static uint64_t vectors;

static bool check_guaranteed(const small *s, const podium_bounds *bounds, size_t n, double alpha) {
    static interval intervals[SEQUENCES_MAX];
    int grid[REPORTS_MAX] = {0};
    uint32_t sequences = 1, cells[REPORTS_MAX];
    bool good = true;
    for (size_t i = 0; i < n; i++)
        sequences *= s->cells;
    for (uint32_t k = 0; k < sequences; k++) {
        cells_of(k, s->cells, cells, n);
        intervals[k] = interval_of(s, bounds, cells, n, alpha);
    }
    do {
        const double missed = missed_by(s, intervals, sequences, grid, n);
        if (missed / alpha > worst) {
            worst = missed / alpha;
            worst_alpha = alpha;
        }
        vectors++;
        good &= check(s, "guaranteed", n, alpha, missed);
    } while (good && next_values(grid, n));
    return good;
}

static bool guaranteed(const small *s) {
    podium_bounds bounds;
    bool good = podium_bounds_init(&s->collection, &bounds) == PODIUM_OK;
    for (size_t a = 0; a < LENGTH(alphas); a++) {
        double sequences = s->cells;
        for (size_t n = 2; n < REPORTS_MAX && sequences * s->cells <= SEQUENCES_MAX; n++, sequences *= s->cells)
            good = good && check_guaranteed(s, &bounds, n, alphas[a]);
    }
    return good;
}

/* ---- Anytime: the worst that values can do which are chosen after seeing all earlier reports ---- */

typedef struct {
    const small *small;
    double width[REPORTS_MAX];
    uint64_t last; /* how many reports there will be */
} play;

/* The largest probability of ever missing from here on, after n reports whose sum is `off` from that of the values */
static double ever_missed(const play *p, uint64_t n, double off) {
    double most = 0;
    if (n > 0 && fabs(off) > p->width[n] * (double)n + ROUNDING)
        return 1;
    if (n == p->last)
        return 0;
    for (int g = 0; g < GRID; g += 2) {
        double sum = 0;
        for (uint32_t j = 0; j < p->small->cells; j++)
            sum += p->small->mass[g][j] * ever_missed(p, n + 1, off + p->small->worth[j] - p->small->value[g]);
        most = fmax(most, sum);
    }
    return most;
}

static double worst_ever;

static bool anytime(const small *s) {
    podium_noise_bounds b;
    bool good = podium_noise_bounds_set(&b, s->layout) == PODIUM_OK;
    for (size_t a = 0; good && a < LENGTH(alphas); a++) {
        play p = {.small = s, .last = s->cells == 2 ? 7 : s->cells <= 4 ? 5 : 4};
        for (uint64_t n = 1; n <= p.last; n++)
            p.width[n] = podium_width_anytime(&b, (double)n, alphas[a], false);
        const double missed = ever_missed(&p, 0, 0);
        worst_ever = fmax(worst_ever, missed / alphas[a]);
        good = check(s, "anytime", p.last, alphas[a], missed);
    }
    return good;
}

/* ---- Clopper and Pearson, for a population ---- */

static bool binomial(uint64_t n, double p, double alpha) {
    double missed = 0, mass = pow(1 - p, (double)n);
    for (uint64_t k = 0; k <= n; k++) {
        const podium_limits limits = podium_clopper_pearson(k, n, alpha);
        if (limits.lower > p || limits.upper < p)
            missed += mass;
        mass *= (double)(n - k) / (double)(k + 1) * p / (1 - p);
    }
    if (missed > alpha)
        printf("%llu of a share of %g: the limits miss with probability %g\n", (unsigned long long)n, p, missed);
    return missed <= alpha;
}

static bool binomials(void) {
    bool good = true;
    for (uint64_t n = 1; n <= 30; n += 1 + n / 5)
        for (int p = 1; p < 100; p++)
            for (size_t a = 0; a < LENGTH(alphas); a++)
                good &= binomial(n, p / 100.0, alphas[a]);
    return good;
}

int main(void) {
    static const double epsilons[] = {0.5, 1, 2, 8};
    static const uint32_t sizes[] = {2, 3, 4, 6};
    bool good = binomials();
    for (size_t e = 0; e < LENGTH(epsilons); e++)
        for (size_t i = 0; i < LENGTH(sizes); i++) {
            const podium_spec spec = {.mechanism = PODIUM_MECHANISM_MINIMAX,
                                      .epsilon = epsilons[e],
                                      .min = -0.5,
                                      .max = 0.5,
                                      .cells = sizes[i]};
            small s;
            small_init(&s, &spec);
            good = guaranteed(&s) && anytime(&s) && good;
        }
    printf("%llu vectors of values; guaranteed intervals miss at most %.0f%% as often as they may (at %g%%), anytime "
           "intervals at most %.0f%%\n",
           (unsigned long long)vectors, 100 * worst, 100 * (1 - worst_alpha), 100 * worst_ever);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
