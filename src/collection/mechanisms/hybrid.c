/* Hybrid (Wang et al., 2019): Piecewise or Duchi's two outputs, by a public coin. */
#include "collection/elementary.h"
#include "collection/mechanism.h"
#include "podium_analysis.h"

#include <math.h>

/* Up to this epsilon Wang et al. do not mix, because two outputs alone have the smaller worst-case variance. */
#define MIXED_FROM 0.61

/* The lower half of the cells belongs to Piecewise, the upper half to Duchi. The coin chooses the upper half with
   probability e^(-epsilon/2), which is 1 - alpha in their letters. */
static podium_status layout(podium_layout *c) {
    if (c->spec.epsilon <= MIXED_FROM) {
        podium_two_cells(c);
        return PODIUM_OK;
    }
    podium_shape shape = {.spec = c->spec, .delta = c->spec.max - c->spec.min};
    podium_step_fill(&shape, (podium_two){c->spec.epsilon / 2, 0});
    const uint64_t half = PODIUM_GRID_MAX / 2;
    c->sampler = PODIUM_SAMPLER_PAIR;
    c->map = PODIUM_MAP_PAIR;
    c->tells_spread = true;
    c->cells = PODIUM_GRID_MAX;
    c->draw.pair.step.width = podium_step_width(&shape, half);
    c->places = half - c->draw.pair.step.width;
    c->draw.pair.coin = (uint64_t)ldexp(podium_exp(-c->spec.epsilon / 2), 64);
    return PODIUM_OK;
}

const podium_row podium_row_hybrid = {
    .name = "hybrid",
    .summary = "piecewise or duchi, by a public coin",
    .colour = "#7f7f7f",
    .layout = layout,
};
