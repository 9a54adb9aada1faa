/* Duchi et al. (2018): two outputs. The probability of the upper one is a linear function of the value. */
#include "collection/mechanism.h"

static podium_status layout(podium_layout *c) {
    podium_two_cells(c);
    return PODIUM_OK;
}

const podium_row podium_row_duchi = {
    .name = "duchi",
    .summary = "two outputs: the mean alone, in one bit",
    .colour = "#009e73",
    .layout = layout,
};
