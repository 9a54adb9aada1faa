/* The registry: one row for each mechanism, in the order of their numbers in encoded aggregates, which never change. */
#include "collection/mechanism.h"

extern const podium_row podium_row_podium, podium_row_podium_approximate, podium_row_laplace, podium_row_staircase,
    podium_row_duchi, podium_row_piecewise, podium_row_hybrid, podium_row_podium_tuned, podium_row_minimax,
    podium_row_square_wave;

static const podium_row *const rows[] = {
    [PODIUM_MECHANISM_PODIUM] = &podium_row_podium,
    [PODIUM_MECHANISM_PODIUM_APPROXIMATE] = &podium_row_podium_approximate,
    [PODIUM_MECHANISM_LAPLACE] = &podium_row_laplace,
    [PODIUM_MECHANISM_STAIRCASE] = &podium_row_staircase,
    [PODIUM_MECHANISM_DUCHI] = &podium_row_duchi,
    [PODIUM_MECHANISM_PIECEWISE] = &podium_row_piecewise,
    [PODIUM_MECHANISM_HYBRID] = &podium_row_hybrid,
    [PODIUM_MECHANISM_PODIUM_TUNED] = &podium_row_podium_tuned,
    [PODIUM_MECHANISM_MINIMAX] = &podium_row_minimax,
    [PODIUM_MECHANISM_SQUARE_WAVE] = &podium_row_square_wave,
};
#define ROWS (sizeof rows / sizeof *rows)

const podium_row *podium_row_of(podium_mechanism mechanism) {
    return (unsigned)mechanism < ROWS ? rows[mechanism] : NULL;
}

podium_mechanism podium_mechanism_yardstick(void) {
    return PODIUM_MECHANISM_LAPLACE;
}

size_t podium_mechanism_count(void) {
    return ROWS;
}

const char *podium_mechanism_name(podium_mechanism mechanism) {
    const podium_row *row = podium_row_of(mechanism);
    return row == NULL ? NULL : row->name;
}

const char *podium_mechanism_summary(podium_mechanism mechanism) {
    const podium_row *row = podium_row_of(mechanism);
    return row == NULL ? NULL : row->summary;
}

const char *podium_mechanism_colour(podium_mechanism mechanism) {
    const podium_row *row = podium_row_of(mechanism);
    return row == NULL ? NULL : row->colour;
}

const char *podium_mechanism_parameter(podium_mechanism mechanism) {
    const podium_row *row = podium_row_of(mechanism);
    return row == NULL ? NULL : podium_parameters[row->parameter].key;
}

podium_status podium_mechanism_from_name(podium_mechanism *mechanism, const char *name, size_t n) {
    for (size_t m = 0; m < ROWS; m++)
        if (strlen(rows[m]->name) == n && memcmp(rows[m]->name, name, n) == 0) {
            *mechanism = (podium_mechanism)m;
            return PODIUM_OK;
        }
    return PODIUM_ERROR_MECHANISM_UNKNOWN;
}
