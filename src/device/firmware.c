/*
 * Firmware: value -> place -> cell -> code, in integers alone, for a collection in flash. It sees private values.
 *
 * The draw is that of sample.h, with thresholds that were verified when the collection was designed. So privacy does
 * not depend on how a value becomes a place, except that the place must exist (docs/proof.md). No branch, address or
 * division depends on a value, a place or a random word.
 */
#include "device/firmware.h"
#include "device/sample.h"

/* ---- A collection that is damaged draws nothing ---- */

/* For a given word each line is a bijection of the hash, and for a given hash of the half word. So a change within one
   half of one word changes every hash from there on. */
static uint32_t mix(uint32_t hash, uint64_t word) {
    hash = (hash ^ (uint32_t)word) * 0x9e3779b1;
    hash = (hash ^ hash >> 15 ^ (uint32_t)(word >> 32)) * 0x85ebca77;
    return hash ^ hash >> 13;
}

static uint32_t mix_all(uint32_t hash, const void *numbers, size_t n) {
    const uint64_t *words = numbers;
    for (size_t i = 0; i < n; i++)
        hash = mix(hash, words[i]);
    return hash;
}

uint32_t podium_firmware_checksum(const podium_firmware *f) {
    uint32_t hash = mix_all(0, (const unsigned char *)f + offsetof(podium_firmware, version), PODIUM_FIRMWARE_NUMBERS);
    hash = mix_all(hash, f->ramps, 2 * (size_t)f->ramp_count);
    return mix_all(hash, f->coins, (size_t)f->coin_count);
}

static podium_status check(const podium_firmware *f) {
    if (f->version != PODIUM_FIRMWARE_VERSION)
        return f->version == 0 ? PODIUM_ERROR_NOT_INITIALISED : PODIUM_ERROR_VERSION_UNKNOWN;
    const uint64_t coins_most = f->coins == NULL ? 0 : PODIUM_COINS_MAX; /* nothing is read where there is no table */
    if (f->ramps == NULL || f->ramp_count > PODIUM_KNOTS_MAX || f->coin_count > coins_most)
        return PODIUM_ERROR_CHECKSUM_WRONG;
    return f->checksum == podium_firmware_checksum(f) ? PODIUM_OK : PODIUM_ERROR_CHECKSUM_WRONG;
}

/* ---- Value to place ---- */

/* All ones if the number is negative, read as two's complement */
static inline uint64_t mask_negative(uint64_t number) {
    return mask_barrier(0 - (number >> 63));
}

/* The distance from the middle of the range, at most f->end; is_below becomes a mask. No step overflows, because span
   is below 2^32 and scale at most 2^32. */
static uint64_t distance_of(const podium_firmware *f, int32_t value, uint64_t *is_below) {
    uint64_t units = (uint64_t)((int64_t)value - f->least);
    units = mask_smaller(units & ~mask_negative(units), f->span);
    uint64_t centred = multiply(units, f->scale) - f->middle;
    *is_below = mask_negative(centred);
    return mask_smaller((centred ^ *is_below) - *is_below, f->end);
}

/* floor(slope distance / 2^32) for a distance of at most 2^32, from two half products as in sample.h */
static inline uint64_t rise(uint64_t slope, uint64_t distance) {
    return multiply(slope >> 32, distance) + (multiply(slope & UINT32_MAX, distance) >> 32);
}

uint64_t podium_firmware_place(const podium_firmware *f, int32_t value) {
    const uint64_t half = f->places << 31;
    uint64_t is_below, distance = distance_of(f, value, &is_below), offset = 0;
    for (uint32_t k = 0; k < f->ramp_count; k++) {
        const podium_firmware_ramp *ramp = &f->ramps[k];
        uint64_t risen = rise(ramp->slope, distance);
        risen = (risen - ramp->lift) & ~mask_less(risen, ramp->lift);
        offset += k < f->rising ? risen : 0 - risen;
    }
    offset = mask_smaller(offset, half);
    return half + ((offset ^ is_below) - is_below);
}

/* The place is first rounded to the nearest multiple of 2^-fraction_bits, and to the even one if there are two, as
   doubles are. Then random digits are added after the point, and what is after the point is dropped. */
uint64_t podium_firmware_round(const podium_firmware *f, uint64_t place, uint32_t rounding) {
    const uint32_t dropped = 32 - (uint32_t)f->fraction_bits;
    if (dropped > 0) {
        const uint32_t is_odd = (dropped == 32 ? (uint32_t)(place >> 32) : (uint32_t)place >> dropped) & 1;
        place += ((uint32_t)1 << (dropped - 1)) - 1 + is_odd;
    }
    if (dropped < 32)
        place += rounding << dropped;
    return mask_smaller(place >> 32, f->places); /* makes place <= places true for any ramps */
}

/* ---- Place to cell ---- */

enum { KIND_STEP = PODIUM_SAMPLER_STEP, KIND_PAIR = PODIUM_SAMPLER_PAIR, KIND_STAIRS = PODIUM_SAMPLER_STAIRS };

/* The most halves of words that are on the stack at once. Those of stairs are drawn piece by piece, because a small
   epsilon takes 57 of them. */
enum { STEP_HALVES = 5, PAIR_HALVES = 9, STAIRS_HALVES = 6 };
enum { HALVES_MOST = 7 + 2 * PODIUM_COINS_MAX }; /* that a value takes */

/* Draws the first n halves of a value, unless this sampler was not meant. */
static podium_status first_halves(const podium_firmware *f, podium_stream *stream, uint32_t *halves, size_t n,
                                  size_t capacity, uint64_t kind) {
    if (f->kind != kind || n > capacity)
        return PODIUM_ERROR_CHECKSUM_WRONG;
    return podium_stream_fill(stream, halves, n);
}

/* Returns the next word, and advances halves past its one half or two. */
static inline uint64_t next_word(const uint32_t **halves, bool has_lower) {
    const uint64_t upper = (uint64_t) * (*halves)++ << PODIUM_HALF_BITS;
    return has_lower ? upper | *(*halves)++ : upper;
}

static uint64_t whole_place(const podium_firmware *f, int32_t value, uint32_t rounding) {
    return podium_firmware_round(f, podium_firmware_place(f, value), rounding);
}

podium_status podium_firmware_step(const podium_firmware *f, podium_stream *stream, uint32_t *cell, int32_t value) {
    uint32_t halves[STEP_HALVES];
    const uint32_t *next = halves;
    const podium_status status = first_halves(f, stream, halves, (size_t)f->halves, STEP_HALVES, KIND_STEP);
    if (status == PODIUM_OK) {
        const uint64_t position = next_word(&next, true), select = next_word(&next, podium_has_lower(f->threshold));
        const uint64_t place = whole_place(f, value, halves[f->halves - 1]);
        *cell = (uint32_t)step_cell(place, f->width, f->cells, f->threshold, select, position);
    }
    podium_wipe(halves, sizeof halves);
    return status;
}

PODIUM_NOT_INLINED static uint32_t pair_of(const podium_firmware *f, uint64_t place, const uint32_t *next) {
    const podium_pair_draw draw = {{f->width, f->threshold}, f->coin, f->pair_threshold};
    pair_words words;
    words.position = next_word(&next, true);
    words.select = next_word(&next, podium_has_lower(f->threshold | f->pair_threshold));
    words.coin = next_word(&next, podium_has_lower(f->coin));
    words.side = next_word(&next, true);
    return (uint32_t)pair_cell(&draw, f->cells, f->places, place, &words);
}

podium_status podium_firmware_pair(const podium_firmware *f, podium_stream *stream, uint32_t *cell, int32_t value) {
    uint32_t halves[PAIR_HALVES];
    const podium_status status = first_halves(f, stream, halves, (size_t)f->halves, PAIR_HALVES, KIND_PAIR);
    if (status == PODIUM_OK)
        *cell = pair_of(f, whole_place(f, value, halves[f->halves - 1]), halves);
    podium_wipe(halves, sizeof halves);
    return status;
}

static size_t halves_of(uint64_t threshold) {
    return podium_has_lower(threshold) ? 2 : 1;
}

/* What the words before the coins decide, which are in halves */
static void decide(const podium_firmware *f, stairs_decided *decided, const uint32_t *next) {
    decided->position = next_word(&next, true);
    decided->on_middle = mask_less(next_word(&next, podium_has_lower(f->threshold)), f->threshold);
    decided->in_tail = mask_less(next_word(&next, podium_has_lower(f->tail_threshold)), f->tail_threshold);
    decided->stair = 0;
}

/* Draws the words of the coins, one after the other, and then the half that rounds the place. */
static podium_status toss_coins(const podium_firmware *f, podium_stream *stream, stairs_decided *decided,
                                uint32_t *halves) {
    podium_status status = PODIUM_OK;
    for (uint32_t k = 0; status == PODIUM_OK && k < f->coin_count; k++) {
        status = podium_stream_fill(stream, halves, halves_of(f->coins[k]));
        decided->stair |= stair_number(&f->coins[k], 1, halves, 1) << k;
    }
    return status == PODIUM_OK && f->fraction_bits != 0 ? podium_stream_fill(stream, halves, 1) : status;
}

podium_status podium_firmware_stairs(const podium_firmware *f, podium_stream *stream, uint32_t *cell, int32_t value) {
    uint32_t halves[STAIRS_HALVES] = {0};
    stairs_decided decided;
    podium_status status = first_halves(f, stream, halves, 2 + halves_of(f->threshold) + halves_of(f->tail_threshold),
                                        STAIRS_HALVES, KIND_STAIRS);
    if (status == PODIUM_OK) {
        decide(f, &decided, halves);
        status = toss_coins(f, stream, &decided, halves);
    }
    if (status == PODIUM_OK) {
        const uint64_t middle = f->margin + whole_place(f, value, halves[0]);
        *cell = (uint32_t)stairs_cell(middle, f->width, f->cells - 1, (unsigned)f->stair_bits, &decided);
    }
    podium_wipe(halves, sizeof halves);
    podium_wipe(&decided, sizeof decided);
    return status;
}

/* ---- Many values ---- */

/* Compilers spill what they compute to the stack, where no name reaches it. This overwrites the stack below its caller,
   as deep as the samplers go. */
PODIUM_NOT_INLINED static void clear_stack(void) {
    unsigned char below[320];
    podium_wipe(below, sizeof below);
}

size_t podium_firmware_code_bytes(const podium_firmware *f) {
    return podium_bytes_for(f->cells);
}

/* Writes either cells or codes, and the other pointer is NULL. */
static podium_status draw(const podium_firmware *f, podium_stream *stream, uint32_t *cells, unsigned char *codes,
                          const int32_t *values, size_t n) {
    const size_t bytes = podium_firmware_code_bytes(f);
    podium_status status = PODIUM_OK;
    for (size_t i = 0; status == PODIUM_OK && i < n; i++) {
        uint32_t cell = 0;
        status = f->sampler(f, stream, &cell, values[i]);
        if (cells != NULL)
            cells[i] = cell;
        else
            podium_code_write(codes + i * bytes, bytes, cell);
    }
    clear_stack();
    return status;
}

static podium_status draw_all(const podium_firmware *f, const podium_random *random, uint32_t *cells,
                              unsigned char *codes, const int32_t *values, size_t n) {
    podium_stream stream;
    podium_status status = check(f);
    if (status != PODIUM_OK)
        return status;
    const size_t each = (size_t)f->halves * sizeof(uint32_t);
    status = podium_stream_open(&stream, random, n > SIZE_MAX / (4 * HALVES_MOST) ? SIZE_MAX : n * each);
    if (status == PODIUM_OK)
        status = draw(f, &stream, cells, codes, values, n);
    podium_stream_close(&stream);
    return status;
}

podium_status podium_firmware_cells(const podium_firmware *f, const podium_random *random, uint32_t *cells,
                                    const int32_t *values, size_t n) {
    const podium_status status = draw_all(f, random, cells, NULL, values, n);
    for (size_t i = 0; status != PODIUM_OK && i < n; i++)
        cells[i] = 0;
    return status;
}

podium_status podium_firmware_codes(const podium_firmware *f, const podium_random *random, unsigned char *codes,
                                    size_t capacity, const int32_t *values, size_t n) {
    const size_t bytes = podium_firmware_code_bytes(f);
    if (n > SIZE_MAX / 4 || n * bytes > capacity)
        return PODIUM_ERROR_BUFFER_TOO_SMALL;
    const podium_status status = draw_all(f, random, NULL, codes, values, n);
    for (size_t i = 0; status != PODIUM_OK && i < n * bytes; i++)
        codes[i] = 0;
    return status;
}
