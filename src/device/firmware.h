/* What firmware.c shares with the code that makes a podium_firmware, and with the tests. */
#ifndef PODIUM_DEVICE_FIRMWARE_H
#define PODIUM_DEVICE_FIRMWARE_H

#include "podium_firmware.h"

#include "device/device.h"

/* Most members, from version on; a podium_firmware ends with the last of them. */
#define PODIUM_FIRMWARE_NUMBERS                                                                                        \
    ((offsetof(podium_firmware, rising) + sizeof(uint64_t) - offsetof(podium_firmware, version)) / sizeof(uint64_t))

/* The checksum that the collection should have. It must have at most PODIUM_KNOTS_MAX ramps and PODIUM_COINS_MAX
   coins. */
uint32_t podium_firmware_checksum(const podium_firmware *f);

/* The place of a value in units of 2^-32 places, before it is rounded; from 0 to places * 2^32 */
uint64_t podium_firmware_place(const podium_firmware *f, int32_t value);

/* The whole place, given half a random word, which is not used if there are no fraction_bits */
uint64_t podium_firmware_round(const podium_firmware *f, uint64_t place, uint32_t rounding);

/* ---- firmware_make.c, which is not for devices ---- */

/* What a podium_firmware points to */
typedef struct podium_firmware_tables {
    podium_firmware_ramp ramps[PODIUM_KNOTS_MAX];
    uint64_t coins[PODIUM_COINS_MAX];
} podium_firmware_tables;

/* Makes the collection that podium_firmware_format writes. The tables must live as long as it does. */
podium_status podium_firmware_make(podium_firmware *f, podium_firmware_tables *tables,
                                   const podium_collection *collection, double unit);

#endif
