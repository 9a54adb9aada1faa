/* Piecewise (Wang et al., 2019): the member of the step family with s = epsilon/2. */
#include "collection/mechanism.h"

static podium_two half_of_epsilon(const podium_spec *spec) {
    return (podium_two){spec->epsilon / 2, 0};
}

const podium_row podium_row_piecewise = {
    .name = "piecewise",
    .summary = "podium's family with s = epsilon/2",
    .colour = "#cc79a7",
    .layout = podium_step_layout,
    .law = &podium_step_law,
    .step_parameter = half_of_epsilon,
};
