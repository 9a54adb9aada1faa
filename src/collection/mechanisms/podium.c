/* Podium: the member of the step family with the least variance in the worst case (the paper's mechanism). The tuned
   variant has the least variance for values of a given spread, and the approximate one uses s = epsilon/3, which is
   simpler and nearly as good. */
#include "collection/mechanism.h"

static podium_two worst_case(const podium_spec *spec) {
    return podium_step_parameter_for(spec->epsilon, 0.25);
}

static podium_two tuned(const podium_spec *spec) {
    return podium_step_parameter_for(spec->epsilon, spec->spread);
}

/* Both differences are exact, because each is between numbers that are within a factor of 2. (An fma would do as well,
   but that of some C libraries rounds twice.) */
static podium_two approximate(const podium_spec *spec) {
    double s = spec->epsilon / 3, rest = spec->epsilon - 2 * s - s;
    return (podium_two){s, rest / 3};
}

const podium_row podium_row_podium = {
    .name = "podium",
    .summary = "small variance for every value, at every epsilon",
    .colour = "#0072b2",
    .layout = podium_step_layout,
    .law = &podium_step_law,
    .step_parameter = worst_case,
};

const podium_row podium_row_podium_approximate = {
    .name = "podium-approximate",
    .summary = "podium with s = epsilon/3",
    .colour = "#56b4e9",
    .layout = podium_step_layout,
    .law = &podium_step_law,
    .step_parameter = approximate,
};

const podium_row podium_row_podium_tuned = {
    .name = "podium-tuned",
    .summary = "podium for values of a known spread",
    .colour = "#6a3d9a",
    .parameter = PODIUM_PARAMETER_SPREAD,
    .layout = podium_step_layout,
    .law = &podium_step_law,
    .step_parameter = tuned,
};
