/* Channel: computes the masses from the collection, and tests whether there are enough reports to tell a shape. */
#include "analysis/channel.h"

#include <math.h>
#include <stdlib.h>

/* ---- Masses ---- */

/* The values of a bin are represented by this many evenly spread places, and the mass given the bin is the average
   over them. */
#define PLACES_PER_BIN 4

static void places_of_bin(double places[PLACES_PER_BIN], const podium_layout *layout, uint32_t bin) {
    for (int i = 0; i < PLACES_PER_BIN; i++) {
        double along = (bin + (i + 0.5) / PLACES_PER_BIN) / PODIUM_SHARES;
        double value = layout->spec.min + along * (layout->spec.max - layout->spec.min);
        places[i] = podium_place(layout, value);
    }
}

static double mass_between(const podium_layout *layout, const double places[PLACES_PER_BIN], podium_cell_range cells) {
    double sum = 0;
    for (int i = 0; i < PLACES_PER_BIN; i++)
        sum += podium_mass_between(layout, places[i], (double)cells.first, (double)cells.end);
    return sum / PLACES_PER_BIN;
}

/* Adds the masses given value bin j to the rows of all levels. */
static void fill_bin(podium_channel *c, const podium_layout *layout, uint32_t j) {
    double places[PLACES_PER_BIN];
    places_of_bin(places, layout, j);
    for (uint32_t b = 0; b < c->reports; b++) {
        double mass = mass_between(layout, places, podium_map_of(layout)->bin(layout, b, c->report_bits));
        for (int i = 0; i < PODIUM_LEVELS; i++) {
            const podium_level *level = &c->level[i];
            level->mass[(size_t)(b / level->merged) * PODIUM_SHARES + j] += mass;
        }
    }
}

/* ---- Splines ---- */

/*
 * The splines are narrower towards the ends of the range, because values often pile up there, for example those that
 * were clamped. Their knots have the density of the arcsine distribution on a range that is longer by END at each end.
 */
#define END 0.01

static double warp(double along) {
    const double most = 1 / (1 + 2 * END);
    return 0.5 + asin((2 * along - 1) * most) / (2 * asin(most));
}

static void set_splines(podium_level *level) {
    for (uint32_t j = 0; j < PODIUM_SHARES; j++) {
        double at = warp((j + 0.5) / PODIUM_SHARES) * (level->splines - 3), t = at - floor(at), u = 1 - t;
        double *w = level->weight[j];
        level->first[j] = (uint32_t)at;
        w[0] = u * u * u / 6;
        w[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
        w[2] = (3 * u * u * u - 6 * u * u + 4) / 6;
        w[3] = t * t * t / 6;
    }
}

/* ---- Enough reports? ---- */

/*
 * This is a test of the hypothesis that the values are spread evenly, against densities 1 + theta_1 cos(pi x) +
 * theta_2 cos(2 pi x) + ... with PODIUM_SCORES terms. Rao's score test measures how fast the log-likelihood changes
 * with each theta at 0. For a report in row b that is the mean of the cosine given b, score[k][b]. The scores are made
 * orthogonal, each with a variance of 1. So the squares of their sums, divided by n, add up to a chi-squared variable
 * with as many degrees of freedom as there are scores. (With few cells there are fewer scores.)
 * tests/statistical/telling measures the rate of false alarms, which stays below 5% for few reports too.
 */

/* What a chi-squared variable with that many degrees of freedom exceeds with a probability of 2.5% */
static const double chi_squared[PODIUM_SCORES + 1] = {0, 5.0239, 7.3778, 9.3484, 11.1433, 12.8325, 14.4494};

/* Subtracts from score its component along `other`, which is their covariance under evenly spread values. Returns
   the remaining variance of the score. */
static double make_orthogonal(double *score, const double *other, const double *evenly, uint32_t rows) {
    double along = 0, left = 0;
    for (uint32_t b = 0; b < rows; b++)
        along += evenly[b] * score[b] * other[b];
    for (uint32_t b = 0; b < rows; b++) {
        score[b] -= along * other[b];
        left += evenly[b] * score[b] * score[b];
    }
    return left;
}

/* Sets score to the mean of cos(k pi x) given each row, where x goes from 0 to 1 along the range. Returns its
   variance. */
static double set_score(double *score, const podium_level *level, const double *evenly, unsigned k) {
    double variance = 0, cosine[PODIUM_SHARES];
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        cosine[j] = cos(acos(-1) * k * (j + 0.5) / PODIUM_SHARES);
    for (uint32_t b = 0; b < level->rows; b++) {
        double sum = 0;
        for (uint32_t j = 0; j < PODIUM_SHARES; j++)
            sum += level->mass[(size_t)b * PODIUM_SHARES + j] * cosine[j] / PODIUM_SHARES;
        score[b] = evenly[b] > 0 ? sum / evenly[b] : 0;
        variance += evenly[b] * score[b] * score[b];
    }
    return variance;
}

static void set_scores(podium_channel *c) {
    const podium_level *level = &c->level[PODIUM_LEVEL_FINE];
    double evenly[PODIUM_ROWS_MAX] = {0}; /* the mass of each row if the values are spread evenly */
    for (uint32_t b = 0; b < level->rows; b++)
        for (uint32_t j = 0; j < PODIUM_SHARES; j++)
            evenly[b] += level->mass[(size_t)b * PODIUM_SHARES + j] / PODIUM_SHARES;
    for (unsigned k = 1; k <= PODIUM_SCORES; k++) {
        double *score = c->score[c->scores], variance = set_score(score, level, evenly, k), left = variance;
        for (uint32_t other = 0; other < c->scores; other++)
            left = make_orthogonal(score, c->score[other], evenly, level->rows);
        for (uint32_t b = 0; b < level->rows; b++)
            score[b] /= sqrt(left);
        c->scores += left > 1e-6 * variance && left > 1e-20; /* else it is redundant or rounding error */
    }
}

/* With fewer reports than this the test always says no, because the statistic is not yet close to chi-squared. */
#define REPORTS_LEAST 50

bool podium_channel_is_telling(const podium_channel *c, const podium_sums *a) {
    double statistic = 0, counts[PODIUM_ROWS_MAX];
    const podium_level *level = &c->level[PODIUM_LEVEL_FINE];
    podium_level_count(level, counts, a);
    for (uint32_t k = 0; k < c->scores; k++) {
        double sum = 0;
        for (uint32_t b = 0; b < level->rows; b++)
            sum += counts[b] * c->score[k][b];
        statistic += sum * sum / (double)a->count;
    }
    return a->count >= REPORTS_LEAST && statistic > chi_squared[c->scores];
}

void podium_level_count(const podium_level *level, double *counts, const podium_sums *sums) {
    for (uint32_t b = 0; b < level->rows; b++)
        counts[b] = 0;
    for (uint32_t b = 0; b < sums->bin_count; b++)
        counts[b / level->merged] += (double)sums->bins[b];
}

/* ---- Making a channel ---- */

static const struct {
    uint32_t splines, rows;
} levels[PODIUM_LEVELS] = {{24, 64}, {48, 256}, {PODIUM_SPLINES_MAX, PODIUM_ROWS_MAX}};

/* Sets the rows and splines of a level. Returns false if there is no memory. */
static bool level_make(podium_level *level, int number, uint32_t reports) {
    level->splines = levels[number].splines;
    level->merged = (reports + levels[number].rows - 1) / levels[number].rows;
    level->rows = (reports + level->merged - 1) / level->merged;
    level->mass = calloc((size_t)level->rows * PODIUM_SHARES, sizeof *level->mass);
    set_splines(level);
    return level->mass != NULL;
}

podium_status podium_channel_make(const podium_collection *collection, podium_channel **channel) {
    const podium_layout *layout = podium_layout_of(collection);
    podium_sums empty;
    if (!podium_is_ready(layout))
        return PODIUM_ERROR_NOT_INITIALISED;
    podium_channel *c = calloc(1, sizeof *c);
    if (c == NULL)
        return PODIUM_ERROR_OUT_OF_MEMORY;
    podium_sums_init(&empty, layout);
    c->fingerprint = layout->fingerprint;
    c->layout = *layout;
    c->min = layout->spec.min;
    c->max = layout->spec.max;
    c->reports = empty.bin_count;
    c->report_bits = empty.bin_bits;
    for (int i = 0; i < PODIUM_LEVELS; i++)
        if (!level_make(&c->level[i], i, c->reports)) {
            podium_channel_free(c);
            return PODIUM_ERROR_OUT_OF_MEMORY;
        }
    for (uint32_t j = 0; j < PODIUM_SHARES; j++)
        fill_bin(c, layout, j);
    if (layout->tells_spread) /* otherwise there are no scores, because the reports show only the mean */
        set_scores(c);
    *channel = c;
    return PODIUM_OK;
}

bool podium_channel_fits(const podium_channel *channel, const podium_layout *c) {
    return channel->fingerprint == c->fingerprint;
}

void podium_channel_free(podium_channel *channel) {
    if (channel != NULL)
        for (int i = 0; i < PODIUM_LEVELS; i++)
            free(channel->level[i].mass);
    free(channel);
}
