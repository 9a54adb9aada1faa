#include "analysis/simplex.h"
#include "collection/linear.h"

#include <math.h>
#include <stdlib.h>

/* What is closer to 0 than this is rounding error. */
#define TINY 1e-9

/* ---- Memory ---- */

bool podium_simplex_make(podium_simplex *p, uint32_t rows, uint32_t columns) {
    *p = (podium_simplex){.rows = rows, .columns = columns};
    p->lower = calloc(rows, sizeof *p->lower);
    p->upper = calloc(rows, sizeof *p->upper);
    p->table = calloc((size_t)rows * columns, sizeof *p->table);
    p->value = calloc(rows, sizeof *p->value);
    p->gain = calloc(columns, sizeof *p->gain);
    p->pivot_row = calloc(columns, sizeof *p->pivot_row);
    p->basic = calloc(rows, sizeof *p->basic);
    p->other = calloc(columns, sizeof *p->other);
    p->at_upper = calloc(columns, sizeof *p->at_upper);
    if (!p->lower || !p->upper || !p->table || !p->value || !p->gain || !p->pivot_row || !p->basic || !p->other ||
        !p->at_upper)
        return false;
    for (uint32_t i = 0; i < rows; i++)
        p->basic[i] = i;
    for (uint32_t j = 0; j < columns; j++)
        p->other[j] = rows + j;
    return true;
}

void podium_simplex_clear(podium_simplex *p) {
    free(p->lower);
    free(p->upper);
    free(p->table);
    free(p->value);
    free(p->gain);
    free(p->pivot_row);
    free(p->basic);
    free(p->other);
    free(p->at_upper);
}

/* ---- One step ---- */

static double lower_of(const podium_simplex *p, uint32_t variable) {
    return variable < p->rows ? p->lower[variable] : 0;
}

static double upper_of(const podium_simplex *p, uint32_t variable) {
    return variable < p->rows ? p->upper[variable] : INFINITY;
}

static double *row_of(const podium_simplex *p, uint32_t i) {
    return p->table + (size_t)i * p->columns;
}

/* The variable that changes the objective most if it moves away from its limit; `columns` if none does */
static uint32_t choose_column(const podium_simplex *p) {
    uint32_t best = p->columns;
    double most = TINY;
    for (uint32_t j = 0; j < p->columns; j++) {
        const double gain = p->at_upper[j] ? -p->gain[j] : p->gain[j];
        if (gain > most && lower_of(p, p->other[j]) < upper_of(p, p->other[j])) {
            most = gain;
            best = j;
        }
    }
    return best;
}

/* How far basic variable i can move at this rate until it meets a limit. One that is beyond a limit stops at that limit
   if it comes back, and nowhere if it goes further away. */
static double room_of(const podium_simplex *p, uint32_t i, double rate) {
    const double value = p->value[i], lower = lower_of(p, p->basic[i]), upper = upper_of(p, p->basic[i]);
    if (value < lower - TINY)
        return rate > 0 ? (lower - value) / rate : INFINITY;
    if (value > upper + TINY)
        return rate < 0 ? (upper - value) / rate : INFINITY;
    return fmax(0, rate > 0 ? (upper - value) / rate : (lower - value) / rate);
}

/* The basic variable that meets a limit first if variable j moves in this direction; `rows` if variable j itself does.
   Of several that meet it at once, the one with the largest rate, because it loses the fewest digits. */
static uint32_t choose_row(const podium_simplex *p, uint32_t j, double direction, double *room) {
    uint32_t best = p->rows;
    double best_rate = 0;
    *room = upper_of(p, p->other[j]) - lower_of(p, p->other[j]);
    for (uint32_t i = 0; i < p->rows; i++) {
        const double rate = direction * row_of(p, i)[j];
        if (fabs(rate) < TINY)
            continue;
        const double own = room_of(p, i, rate);
        if (own < *room - TINY || (own <= *room && fabs(rate) > best_rate)) {
            *room = own;
            best = i;
            best_rate = fabs(rate);
        }
    }
    return best;
}

/* Lets basic variable i and variable j change places. */
static void exchange(podium_simplex *p, uint32_t i, uint32_t j) {
    double *row = row_of(p, i);
    const double pivot = row[j];
    const uint32_t variable = p->basic[i];
    for (uint32_t k = 0; k < p->columns; k++)
        row[k] = p->pivot_row[k] = k == j ? 1 / pivot : -row[k] / pivot;
    for (uint32_t k = 0; k <= p->rows; k++) {
        double *changed = k < p->rows ? row_of(p, k) : p->gain, factor = changed[j];
        if (k == i || factor == 0)
            continue;
        changed[j] = 0;
        podium_add_scaled(changed, factor, p->pivot_row, p->columns);
    }
    p->basic[i] = p->other[j];
    p->other[j] = variable;
}

/* Moves variable j away from its limit as far as the others allow. Returns false if nothing stops it. */
static bool step(podium_simplex *p, uint32_t j) {
    const double direction = p->at_upper[j] ? -1 : 1;
    double room;
    const uint32_t i = choose_row(p, j, direction, &room);
    if (isinf(room))
        return false;
    const double from = p->at_upper[j] ? upper_of(p, p->other[j]) : lower_of(p, p->other[j]);
    for (uint32_t k = 0; k < p->rows; k++)
        p->value[k] += direction * room * row_of(p, k)[j];
    if (i == p->rows) {
        p->at_upper[j] = !p->at_upper[j];
        return true;
    }
    const double reached = p->value[i], lower = lower_of(p, p->basic[i]), upper = upper_of(p, p->basic[i]);
    exchange(p, i, j);
    p->value[i] = from + direction * room;
    p->at_upper[j] = fabs(reached - upper) < fabs(reached - lower);
    return true;
}

/* ---- Searching and solving ---- */

/* Sets gain to how much the distance from the limits shrinks. Returns whether some variable is beyond its limits. */
static bool set_search_gain(podium_simplex *p) {
    bool beyond = false;
    for (uint32_t j = 0; j < p->columns; j++)
        p->gain[j] = 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        const bool low = p->value[i] < lower_of(p, p->basic[i]) - TINY;
        if (!low && p->value[i] <= upper_of(p, p->basic[i]) + TINY)
            continue;
        beyond = true;
        podium_add_scaled(p->gain, low ? 1 : -1, row_of(p, i), p->columns);
    }
    return beyond;
}

bool podium_simplex_start(podium_simplex *p, uint32_t pivots) {
    while (set_search_gain(p)) {
        const uint32_t j = choose_column(p);
        if (pivots-- == 0 || j == p->columns || !step(p, j))
            return false;
    }
    return true;
}

static void set_gain(podium_simplex *p, const double *objective) {
    for (uint32_t j = 0; j < p->columns; j++)
        p->gain[j] = p->other[j] < p->rows ? 0 : objective[p->other[j] - p->rows];
    for (uint32_t i = 0; i < p->rows; i++)
        if (p->basic[i] >= p->rows && objective[p->basic[i] - p->rows] != 0)
            podium_add_scaled(p->gain, objective[p->basic[i] - p->rows], row_of(p, i), p->columns);
}

void podium_simplex_solve(podium_simplex *p, double *weights, const double *objective, uint32_t pivots) {
    set_gain(p, objective);
    for (uint32_t j = choose_column(p); j < p->columns && pivots > 0 && step(p, j); pivots--)
        j = choose_column(p);
    for (uint32_t i = 0; i < p->rows; i++)
        weights[i] = 0;
    for (uint32_t j = 0; j < p->columns; j++)
        if (p->other[j] < p->rows)
            weights[p->other[j]] = p->gain[j];
}
