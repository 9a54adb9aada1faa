/* Check: whether a collection that was initialised elsewhere can be used. It needs no mechanism and no solver. */
#include "collection/layout.h"

/* Whether every cell has a piece */
static bool pieces_fit(const podium_layout *c) {
    const podium_pieces_map *m = &c->worth.pieces;
    return m->count <= PODIUM_PIECES_MAX && m->bits < 32 && (c->cells - 1) >> m->bits < m->count;
}

static bool layout_fits(const podium_layout *c) {
    return c->map < PODIUM_MAPS && (c->map != PODIUM_MAP_PIECES || pieces_fit(c)) &&
           c->knot_count <= PODIUM_KNOTS_MAX && c->fraction_bits <= 32;
}

podium_status podium_collection_check(const podium_collection *collection) {
    const podium_layout *c = podium_layout_of(collection);
    if (!podium_is_ready(c))
        return PODIUM_ERROR_NOT_INITIALISED;
    return layout_fits(c) && podium_thresholds_check(c) ? PODIUM_OK : PODIUM_ERROR_NOT_PRIVATE;
}
