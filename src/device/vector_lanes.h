/*
 * Lanes: the vector code of all instruction sets, eight values at a time. It does for eight values what privatize.c,
 * draw.c and report.c do for one, with the same arithmetic.
 *
 * The file of an instruction set defines the types and operations that are used here, each of them on whole registers,
 * and then includes this header, which therefore has no guard. No operation jumps, so no jump, no address and no
 * division depends on a value, a place or a word. The bits of values are compared as integers, so that no NaN raises an
 * exception. Products and sums of doubles are separate instructions, so they round as in the portable code.
 *
 * The operations have the number of their lanes in their names: words8 are eight of 32 bits, words4 four of 64 bits and
 * doubles4 four doubles. A mask is all ones or all zeros in each lane. VECTOR is what a function that uses registers
 * needs, and INLINE what one needs that is compiled into its callers.
 */

/* ---- Places ---- */

typedef struct {
    doubles4 middle, half, slope, none;
    fraction4 fraction;
    words8 last;
    shift4 digits;
} place_constants;

VECTOR static place_constants place_constants_of(const podium_layout *c) {
    return (place_constants){.middle = all_doubles4(c->middle),
                             .half = all_doubles4(ldexp((double)c->places, (int)c->fraction_bits - 1)),
                             .slope = all_doubles4(c->slopes[0]),
                             .none = all_doubles4(podium_ramps_of_none(c)),
                             .fraction = fraction4_of((uint32_t)(((uint64_t)1 << c->fraction_bits) - 1)),
                             .last = all8(c->places),
                             .digits = shift4_of(c->fraction_bits)};
}

/* x, or the nearer of -most and most */
INLINE doubles4 within4(doubles4 x, doubles4 most) {
    return larger4(smaller4(x, most), negative4(most));
}

/* tame of privatize.c, minus the middle; NaN counts as the middle. */
INLINE doubles4 centred4(const double *values, doubles4 middle) {
    words4 bits = load4(values), size = and4(bits, all4(UINT64_MAX >> 1));
    words4 is_nan = above4(size, all4(podium_bits_of(INFINITY)));
    words4 big_enough = above4(size, all4(podium_bits_of(0x1p-512) - 1));
    doubles4 value = select4(is_nan, middle, as_doubles(and4(bits, big_enough)));
    return subtract4(within4(value, all_doubles4(0x1p470)), middle);
}

/* The place in units of 2^-fraction_bits, given the offset from the middle place. The exponent of a double is still
   in the bits above it. */
INLINE words4 fixed4(const place_constants *c, doubles4 offset) {
    return as_words(add4(add4(c->half, within4(offset, c->half)), all_doubles4(0x1p52)));
}

/* A single ramp is a product. */
INLINE words4 on_a_line4(const place_constants *c, const double *values) {
    return fixed4(c, multiply4(centred4(values, c->middle), c->slope));
}

/* offsets of privatize.c for sixteen distances at once. With fewer sums, each addition would have to wait for the
   one before it. */
INLINE void offsets16(const podium_layout *layout, const place_constants *c, doubles4 sums[4],
                      const doubles4 distances[4]) {
    for (int i = 0; i < 4; i++)
        sums[i] = multiply4(distances[i], c->slope); /* the first knot is 0 */
    for (uint32_t k = 1; k < layout->knot_count; k++) {
        const doubles4 knot = all_doubles4(layout->knots[k]), slope = all_doubles4(layout->slopes[k]);
        for (int i = 0; i < 4; i++)
            sums[i] = add4(sums[i], multiply4(larger4(distances[i], knot), slope));
    }
    for (int i = 0; i < 4; i++)
        sums[i] = subtract4(sums[i], c->none);
}

/* The place rounded at random by half a word */
INLINE words4 rounded4(const place_constants *c, words4 fixed, const uint32_t *rounding) {
    return shift_right4(add_fraction4(and4(fixed, all4(UINT64_MAX >> 12)), rounding, c->fraction), c->digits);
}

/* As in privatize.c, the last operation is a minimum of integers, so that 0 <= place <= last for any input. */
INLINE words8 place8(const place_constants *c, words4 a, words4 b) {
    return smaller8(narrow8(a, b), c->last);
}

INLINE words8 nearest_place8(const place_constants *c, const double *values) {
    return place8(c, on_a_line4(c, values), on_a_line4(c, values + 4));
}

INLINE words8 rounded_place8(const place_constants *c, const double *values, const uint32_t *rounding) {
    return place8(c, rounded4(c, on_a_line4(c, values), rounding),
                  rounded4(c, on_a_line4(c, values + 4), rounding + 4));
}

/* Sixteen places, for the eight values from at[0] on and the eight from at[1] on, which may be the same eight. Rounding
   can make a sum of ramps that is nearly 0 slightly negative, so signed4 clears its sign first. */
INLINE void places16(const podium_layout *layout, const place_constants *c, words8 places[2], const podium_block *block,
                     const size_t at[2]) {
    doubles4 centred[4], distances[4], sums[4];
    words4 rounded[4];
    for (int i = 0; i < 4; i++) {
        centred[i] = centred4(block->values + at[i / 2] + i % 2 * 4, c->middle);
        distances[i] = size4(centred[i]);
    }
    offsets16(layout, c, sums, distances);
    for (int i = 0; i < 4; i++)
        rounded[i] = rounded4(c, fixed4(c, signed4(sums[i], centred[i])), block->rounding + at[i / 2] + i % 2 * 4);
    places[0] = place8(c, rounded[0], rounded[1]);
    places[1] = place8(c, rounded[2], rounded[3]);
}

/* ---- Draw ---- */

/* Both halves of a threshold, in the order in which below8 compares */
typedef struct {
    words8 upper, lower;
    bool has_lower;
} threshold8;

INLINE threshold8 threshold8_of(uint64_t threshold, bool has_lower) {
    return (threshold8){all8(ordered_word(threshold) >> 32), all8(ordered_word(threshold)), has_lower};
}

static size_t halves_of(const threshold8 *threshold) {
    return threshold->has_lower ? 2 : 1;
}

/* word < threshold. The lower half of the word, if it was drawn, is stride after the upper half. */
INLINE words8 chosen8(const threshold8 *threshold, const uint32_t *halves, size_t stride) {
    words8 upper = ordered8(load8(halves)), below = below8(upper, threshold->upper);
    if (!threshold->has_lower)
        return below;
    words8 lower_below = below8(ordered8(load8(halves + stride)), threshold->lower);
    return or8(below, and8(equal8(upper, threshold->upper), lower_below));
}

typedef struct {
    factor8 width, cells;
    threshold8 threshold;
    bool full; /* there are 2^32 cells, so a word is scaled to its upper half */
} step_constants;

VECTOR static step_constants step_constants_of(const podium_layout *c) {
    const podium_step_draw *d = &c->draw.step;
    return (step_constants){.width = factor8_of(d->width),
                            .cells = factor8_of(c->cells),
                            .threshold = threshold8_of(d->threshold, podium_has_lower(d->threshold)),
                            .full = c->cells == PODIUM_GRID_MAX};
}

/* draw_step of draw.c */
INLINE words8 step8(const step_constants *c, words8 place, const uint32_t *halves, size_t stride) {
    words8 upper = load8(halves), lower = load8(halves + stride);
    words8 on_step = add8(place, scale8(upper, lower, c->width));
    words8 anywhere = c->full ? upper : scale8(upper, lower, c->cells);
    return select8(chosen8(&c->threshold, halves + 2 * stride, stride), on_step, anywhere);
}

/* draw_pair of draw.c for 2^32 cells. A word is scaled to half or a quarter of them by a shift. */
typedef struct {
    factor8 width, places;
    words8 half, quarter;
    threshold8 threshold, pair_threshold, coin;
} pair_constants;

VECTOR static pair_constants pair_constants_of(const podium_layout *c) {
    const podium_pair_draw *d = &c->draw.pair;
    const bool has_lower = podium_has_lower(d->step.threshold | d->pair_threshold);
    return (pair_constants){.width = factor8_of(d->step.width),
                            .places = factor8_of(c->places),
                            .half = all8(PODIUM_GRID_MAX / 2),
                            .quarter = all8(PODIUM_GRID_MAX / 4),
                            .threshold = threshold8_of(d->step.threshold, has_lower),
                            .pair_threshold = threshold8_of(d->pair_threshold, has_lower),
                            .coin = threshold8_of(d->coin, podium_has_lower(d->coin))};
}

INLINE words8 pair8(const pair_constants *c, words8 place, const uint32_t *halves, size_t stride) {
    const uint32_t *select = halves + 2 * stride, *coin = select + halves_of(&c->threshold) * stride;
    const uint32_t *side = coin + halves_of(&c->coin) * stride;
    words8 upper = load8(halves), lower = load8(halves + stride), anywhere = halved8(upper);
    words8 along = scale8(load8(side), load8(side + stride), c->places);
    words8 far = below8(ordered8(along), ordered8(place));
    words8 on_step = add8(place, scale8(upper, lower, c->width));
    words8 on_pair = add8(and8(far, c->quarter), halved8(anywhere));
    words8 own = select8(chosen8(&c->threshold, select, stride), on_step, anywhere);
    words8 pair = select8(chosen8(&c->pair_threshold, select, stride), on_pair, anywhere);
    return select8(chosen8(&c->coin, coin, stride), add8(c->half, pair), own);
}

/* draw_stairs of draw.c */
typedef struct {
    factor8 width;
    words8 margin, middle_width, last;
    shift8 number_bits, other_bits;
    threshold8 threshold, tail;
    struct {
        uint32_t upper, lower; /* of the threshold, in the order in which below8 compares */
        uint32_t digit;        /* of the stair's number */
        bool has_lower;
    } coins[PODIUM_COINS_MAX];
    uint32_t coin_count;
} stairs_constants;

VECTOR static stairs_constants stairs_constants_of(const podium_layout *c) {
    const podium_stairs_draw *d = &c->draw.stairs;
    stairs_constants made = {.width = factor8_of(d->width),
                             .margin = all8(d->margin),
                             .middle_width = all8(d->width),
                             .last = all8(c->cells - 1),
                             .number_bits = digits8_shift(d->coin_count, d->stair_bits),
                             .other_bits = shift8_of(32 - d->stair_bits),
                             .threshold = threshold8_of(d->threshold, podium_has_lower(d->threshold)),
                             .tail = threshold8_of(d->tail_threshold, podium_has_lower(d->tail_threshold)),
                             .coin_count = d->coin_count};
    for (uint32_t k = 0; k < d->coin_count; k++) {
        made.coins[k].upper = (uint32_t)(ordered_word(d->coins[k]) >> 32);
        made.coins[k].lower = (uint32_t)ordered_word(d->coins[k]);
        made.coins[k].digit = (uint32_t)1 << k;
        made.coins[k].has_lower = podium_has_lower(d->coins[k]);
    }
    return made;
}

/* The digits of the stair's number, which number_bits shifts to where a distance has them */
INLINE words8 stair_digits8(const stairs_constants *c, const uint32_t *halves, size_t stride) {
    words8 digits = all8(0);
    for (uint32_t k = 0; k < c->coin_count; k++) {
        const threshold8 coin = {all8(c->coins[k].upper), all8(c->coins[k].lower), c->coins[k].has_lower};
        digits = next_digit8(digits, chosen8(&coin, halves, stride), c->coins[k].digit);
        halves += halves_of(&coin) * stride;
    }
    return digits;
}

/* A distance is below 2^32. In the tail it is 2^32 - 1, which is at least as far as any cell. The lowest bit of
   position decides the side. */
INLINE words8 stairs8(const stairs_constants *c, words8 place, const uint32_t *halves, size_t stride) {
    const uint32_t *select = halves + 2 * stride, *tail = select + halves_of(&c->threshold) * stride;
    const uint32_t *coins = tail + halves_of(&c->tail) * stride;
    words8 upper = load8(halves), lower = load8(halves + stride);
    words8 middle = add8(c->margin, place), end = add8(middle, c->middle_width);
    words8 distance = shift_left8(stair_digits8(c, coins, stride), c->number_bits);
    distance = add8(distance, shift_right8(upper, c->other_bits));
    distance = or8(distance, chosen8(&c->tail, tail, stride));
    words8 before = subtract8(middle, all8(1)), after = subtract8(c->last, end);
    words8 left = subtract8(before, smaller8(distance, before));
    words8 right = add8(end, smaller8(distance, after));
    words8 on_middle = add8(middle, scale8(upper, lower, c->width));
    return select8(chosen8(&c->threshold, select, stride), on_middle, select8(is_odd8(lower), right, left));
}

/* ---- Reports ---- */

/* The three maps of map.c. A cell is public, so it may be used as an index. */
INLINE words8 identity8(const podium_layout *c, words8 cell) {
    (void)c;
    return cell;
}

INLINE words8 piece8(const podium_layout *c, words8 cell) {
    const podium_pieces_map *m = &c->worth.pieces;
    words8 piece = shift_right8(cell, shift8_of(m->bits)), number = and8(cell, all8(((uint32_t)1 << m->bits) - 1));
    return add8(look_up8(m->worth, piece), multiply8(look_up8(m->slope, piece), number));
}

/* For 2^32 cells, the top bit says which half a cell is in, and the bit below it which output it is. */
INLINE words8 output8(const podium_layout *c, words8 cell) {
    const words8 low = all8(c->worth.pair.low), high = all8(c->worth.pair.high);
    return select8(is_upper8(cell), select8(is_upper8(add8(cell, cell)), high, low), cell);
}

typedef struct {
    doubles4 first, spacing;
} report_constants;

VECTOR static report_constants report_constants_of(const podium_layout *c) {
    return (report_constants){all_doubles4(c->first), all_doubles4(c->spacing)};
}

INLINE void report8(const report_constants *c, double *reports, words8 worth) {
    doubles4 low, high;
    widen8(worth, &low, &high);
    store4(reports, add4(c->first, multiply4(c->spacing, low)));
    store4(reports + 4, add4(c->first, multiply4(c->spacing, high)));
}

/* ---- Loops: each works on a copy of the block, which a store to reports cannot change ---- */

/* Steps on 2^32 cells. has_lower and to_cells are constants at each call, so that the compiler makes a separate loop
   for each case. */
INLINE void fine_steps(const podium_layout *layout, const podium_block *to, size_t n, bool has_lower, bool to_cells) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    step_constants step = step_constants_of(layout);
    step.full = true, step.threshold.has_lower = has_lower;
    for (size_t i = 0; i < n; i += 8) {
        words8 cell = step8(&step, nearest_place8(&place, block.values + i), block.halves + i, block.n);
        if (to_cells)
            store8(block.cells + i, cell);
        else
            report8(&report, block.reports + i, cell);
    }
}

VECTOR static void fine_steps_any(const podium_layout *layout, const podium_block *block, size_t n) {
    const bool has_lower = podium_has_lower(layout->draw.step.threshold), to_cells = block->cells != NULL;
    if (has_lower && to_cells)
        fine_steps(layout, block, n, true, true);
    else if (has_lower)
        fine_steps(layout, block, n, true, false);
    else if (to_cells)
        fine_steps(layout, block, n, false, true);
    else
        fine_steps(layout, block, n, false, false);
}

/* Steps on coarser grids, whose places are rounded at random */
VECTOR static void coarse_steps(const podium_layout *layout, const podium_block *to, size_t n) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    const step_constants step = step_constants_of(layout);
    const bool is_identity = podium_map_of(layout)->is_identity;
    for (size_t i = 0; i < n; i += 16) {
        const size_t at[2] = {i, i + 8 < n ? i + 8 : i};
        words8 places[2];
        places16(layout, &place, places, &block, at);
        for (int k = 0; k < 2; k++) {
            words8 cell = step8(&step, places[k], block.halves + at[k], block.n);
            if (block.cells != NULL)
                store8(block.cells + at[k], cell);
            else if (block.table != NULL)
                look_up_reports8(block.table, block.reports + at[k], cell);
            else
                report8(&report, block.reports + at[k], is_identity ? cell : piece8(layout, cell));
        }
    }
}

VECTOR static void pairs(const podium_layout *layout, const podium_block *to, size_t n) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    const pair_constants pair = pair_constants_of(layout);
    for (size_t i = 0; i < n; i += 8) {
        words8 at = rounded_place8(&place, block.values + i, block.rounding + i);
        words8 cell = pair8(&pair, at, block.halves + i, block.n);
        if (block.cells != NULL)
            store8(block.cells + i, cell);
        else
            report8(&report, block.reports + i, output8(layout, cell));
    }
}

VECTOR static void stairs(const podium_layout *layout, const podium_block *to, size_t n) {
    const podium_block block = *to;
    const place_constants place = place_constants_of(layout);
    const report_constants report = report_constants_of(layout);
    const stairs_constants constants = stairs_constants_of(layout);
    for (size_t i = 0; i < n; i += 8) {
        words8 at = rounded_place8(&place, block.values + i, block.rounding + i);
        words8 cell = stairs8(&constants, at, block.halves + i, block.n);
        if (block.cells != NULL)
            store8(block.cells + i, cell);
        else
            report8(&report, block.reports + i, cell);
    }
}

/* ---- All samplers, all maps ---- */

VECTOR static void steps(const podium_layout *layout, const podium_block *block, size_t n) {
    if (layout->fraction_bits == 0)
        fine_steps_any(layout, block, n);
    else
        coarse_steps(layout, block, n);
}

/* These functions say whether the loops can handle a layout. The loops rely on what podium_collection_init makes
   today: either one ramp and 2^32 cells, or places that are rounded at random, and certain maps. Everything else
   that a new mechanism may bring is left to the portable code. */
static bool steps_are_known(const podium_layout *layout) {
    return layout->fraction_bits != 0 ||
           (layout->cells == PODIUM_GRID_MAX && layout->knot_count == 1 && podium_map_of(layout)->is_identity);
}

static bool pairs_are_known(const podium_layout *layout) {
    return layout->fraction_bits != 0 && layout->cells == PODIUM_GRID_MAX && layout->knot_count == 1;
}

static bool stairs_are_known(const podium_layout *layout) {
    return layout->fraction_bits != 0 && layout->knot_count == 1;
}

typedef struct {
    bool (*is_known)(const podium_layout *layout);
    void (*privatize)(const podium_layout *layout, const podium_block *block, size_t n);
    bool maps[PODIUM_MAPS]; /* which of them the loop can compute */
} sampler;

static const sampler samplers[PODIUM_SAMPLERS] = {
    [PODIUM_SAMPLER_STEP] = {steps_are_known, steps, {[PODIUM_MAP_IDENTITY] = true, [PODIUM_MAP_PIECES] = true}},
    [PODIUM_SAMPLER_PAIR] = {pairs_are_known, pairs, {[PODIUM_MAP_PAIR] = true}},
    [PODIUM_SAMPLER_STAIRS] = {stairs_are_known, stairs, {[PODIUM_MAP_IDENTITY] = true}},
};

/* podium_vector_privatize and podium_vector_reports of vector.h. They are no VECTOR functions, because even the
   prologue of one may contain an instruction that the processor does not have. */
static size_t privatize_lanes(const podium_layout *c, const podium_block *block) {
    const sampler *s = &samplers[c->sampler];
    const size_t n = s->maps[c->map] && s->is_known(c) ? block->n & ~(size_t)7 : 0;
    if (n > 0)
        s->privatize(c, block, n);
    return n;
}

#define REPORTER(name, worth8)                                                                                         \
    VECTOR static void name(const podium_layout *layout, double *reports, const uint32_t *cells, size_t n) {           \
        const report_constants report = report_constants_of(layout);                                                   \
        for (size_t i = 0; i < n; i += 8)                                                                              \
            report8(&report, reports + i, worth8(layout, load8(cells + i)));                                           \
    }

REPORTER(report_identity, identity8)
REPORTER(report_pair, output8)
REPORTER(report_pieces, piece8)

static size_t report_lanes(const podium_layout *c, double *reports, const uint32_t *cells, size_t n) {
    static void (*const reporters[PODIUM_MAPS])(const podium_layout *, double *, const uint32_t *, size_t) = {
        [PODIUM_MAP_IDENTITY] = report_identity,
        [PODIUM_MAP_PAIR] = report_pair,
        [PODIUM_MAP_PIECES] = report_pieces,
    };
    const size_t done = n & ~(size_t)7;
    if (done > 0)
        reporters[c->map](c, reports, cells, done);
    return done;
}
