/*
 * A thermometer that reports. It reads degrees in tenths, draws a code of one byte for each reading, and prints the
 * codes where a device would send them. `make` in this directory builds it, and `make run` runs it in an emulator.
 */
#include "board.h"

extern const podium_firmware temperature; /* in temperature.c, which podium design wrote: see the Makefile */

/* What the sensor would say, in tenths of a degree. One reading of one person is reported once: a second report of the
   same thing would reveal more. */
static int32_t read_sensor(int32_t i) {
    static const int16_t tenths[] = {215, 198, 224, -31, 305, 187, 212, 651, -400, 0};
    return tenths[i];
}

static void print_byte(unsigned char byte) {
    static const char digits[] = "0123456789abcdef";
    const char text[] = {digits[byte >> 4], digits[byte & 15], '\n', '\0'};
    board_print(text);
}

int main(void) {
    for (int32_t i = 0; i < 10; i++) {
        const int32_t value = read_sensor(i);
        unsigned char code;
        if (podium_firmware_codes(&temperature, &board_random, &code, sizeof code, &value, 1) != PODIUM_OK)
            board_exit(false); /* no random bytes, or damaged flash: send nothing */
        print_byte(code);
    }
    board_exit(true);
}
