/*
 * Podium for firmware: privatising on a microcontroller, in integers alone.
 *
 * `podium design --format c` writes a collection as C source, a constant that a linker puts into flash. Everything that
 * needs a solver, big integers or floating point was done and checked when the source was written, so the device needs
 * only this header and four files of src/device: firmware.c, random.c, random_none.c and wipe_volatile.c. They use no
 * heap, no floating point and no operating system.
 *
 *     extern const podium_firmware age;    in the source that podium design wrote
 *     unsigned char code[1];
 *     if (podium_firmware_codes(&age, &random, code, sizeof code, &value, 1) == PODIUM_OK)
 *         send(code, sizeof code);
 *
 * A value is an integer, which counts units: with --unit 0.1 the integer 215 stands for 21.5. What leaves the device is
 * a code. Collectors turn codes into reports with podium_codes_decode and podium_collection_reports.
 *
 * podium.h defines the words, the order of arguments, and what holds of every function.
 */
#ifndef PODIUM_FIRMWARE_H
#define PODIUM_FIRMWARE_H

#include "podium.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the struct below. A source that was written for another version does not compile. */
#define PODIUM_FIRMWARE_VERSION 1

struct podium_firmware;
struct podium_stream;

/* Draws a cell; see podium_firmware_step. */
typedef podium_status podium_firmware_sampler(const struct podium_firmware *firmware, struct podium_stream *stream,
                                              uint32_t *cell, int32_t value);

/* What a place adds from some distance on: the larger of floor(slope * distance / 2^32) - lift and 0 */
typedef struct podium_firmware_ramp {
    uint64_t slope, lift;
} podium_firmware_ramp;

/*
 * A collection in flash. All members from version on are 64 bits wide, so that there is no padding between them and the
 * checksum is the same for every byte order. The members that a sampler does not use are 0.
 *
 * A value is put at a place in these steps, all in integers:
 *   units    = value - least, but at least 0 and at most span
 *   distance = |units * scale - middle|, but at most end
 *   offset   = the sum of the first `rising` ramps minus the sum of the others, but at most places * 2^31
 *   place    = (places * 2^31 + or - offset) / 2^32, rounded to fraction_bits binary digits, and then at random to a
 *              whole number
 * That place is the exact place of some number that is at most 2^-30 (max - min) away from the value.
 */
typedef struct podium_firmware {
    podium_firmware_sampler *sampler;
    const podium_firmware_ramp *ramps;
    const uint64_t *coins; /* of the sampler of stairs; NULL for the others */
    uint64_t checksum;     /* of all numbers below, the ramps and the coins */
    uint64_t version;      /* PODIUM_FIRMWARE_VERSION */
    uint64_t kind;         /* of the sampler, which checks that it was meant: 0 for step, 1 for pair, 2 for stairs */
    uint64_t fingerprint;  /* podium_collection_fingerprint of the collection from which this was made */
    uint64_t cells, places;
    uint64_t halves; /* random halves of words, of 4 bytes each, that one value takes */
    /* The thresholds, as podium_collection_init has verified them (docs/proof.md) */
    uint64_t width, threshold;
    uint64_t pair_threshold, coin;                           /* pair */
    uint64_t margin, tail_threshold, stair_bits, coin_count; /* stairs */
    /* How a value becomes a place */
    int64_t least;
    uint64_t span, scale, middle, end;
    uint64_t fraction_bits, ramp_count, rising;
} podium_firmware;

/* The samplers. A collection points to the one that it needs, so that a linker that drops unused functions leaves out
   the others. Nobody calls them but the two functions below. */
PODIUM_API podium_status podium_firmware_step(const podium_firmware *firmware, struct podium_stream *stream,
                                              uint32_t *cell, int32_t value) PODIUM_MUST_USE;
PODIUM_API podium_status podium_firmware_pair(const podium_firmware *firmware, struct podium_stream *stream,
                                              uint32_t *cell, int32_t value) PODIUM_MUST_USE;
PODIUM_API podium_status podium_firmware_stairs(const podium_firmware *firmware, struct podium_stream *stream,
                                                uint32_t *cell, int32_t value) PODIUM_MUST_USE;

/*
 * Turns n values into n cells with the random source, which must not be NULL on a device. Each value takes the bytes of
 * the source that podium_privatize_cells would take for that value alone, in one or more pieces, and becomes the same
 * cell if it is put at the same place; docs/devices.md says when it is.
 *
 * Every integer is accepted. One that is below the range or above it counts as the nearer end. The status and the
 * running time depend on the collection, n and the random source, and never on a value.
 *
 * Fails with PODIUM_ERROR_RANDOM_FAILED if the source does; with PODIUM_ERROR_CHECKSUM_WRONG if the collection is
 * damaged; with PODIUM_ERROR_VERSION_UNKNOWN, or with PODIUM_ERROR_NOT_INITIALISED if the version is 0. All n cells are
 * then 0; since 0 is a valid cell, check the status, and send nothing on failure.
 *
 * One call takes at most 512 bytes of stack in an optimised build, plus the stack of the source.
 */
PODIUM_API podium_status podium_firmware_cells(const podium_firmware *firmware, const podium_random *random,
                                               uint32_t *cells, const int32_t *values, size_t n) PODIUM_MUST_USE;

/* The same, but the output is codes, as podium_codes_encode would write them. capacity is in bytes; fails with
   PODIUM_ERROR_BUFFER_TOO_SMALL, with no byte written, if n * podium_firmware_code_bytes(firmware) exceeds it. After
   any other failure the codes are zeros. */
PODIUM_API podium_status podium_firmware_codes(const podium_firmware *firmware, const podium_random *random,
                                               unsigned char *codes, size_t capacity, const int32_t *values,
                                               size_t n) PODIUM_MUST_USE;

/* Returns how many bytes a code has, from 1 to 4. */
PODIUM_API size_t podium_firmware_code_bytes(const podium_firmware *firmware);

/* ---- Where the collection is designed ---------------------------------------------------------------------------- */

/*
 * Writes a collection as C source that defines a constant podium_firmware of that name, for values that count units.
 * The ends of the range need not be whole numbers of units. podium_privatize with value * unit makes the same reports.
 *
 * Returns PODIUM_OK and sets text, which ends in a 0 byte. Fails, with nothing written, with
 * PODIUM_ERROR_TEXT_MALFORMED if the name is not an identifier of C and C++ of at most 63 bytes, with
 * PODIUM_ERROR_ARGUMENT_WRONG if unit is not above 0, if the range is less than one unit wide or its ends are not
 * within the integers of 32 bits, with PODIUM_ERROR_NOT_INITIALISED, or with PODIUM_ERROR_BUFFER_TOO_SMALL.
 * PODIUM_FIRMWARE_TEXT_MAX is always enough.
 */
#define PODIUM_FIRMWARE_TEXT_MAX 8192
PODIUM_API podium_status podium_firmware_format(const podium_collection *collection, char *text, size_t capacity,
                                                const char *name, double unit) PODIUM_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
