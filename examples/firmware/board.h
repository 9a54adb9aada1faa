/* What a board must bring: a place to send bytes, and a source of random bytes. */
#ifndef BOARD_H
#define BOARD_H

#include "podium_firmware.h"

/* Sends text to whoever listens. */
void board_print(const char *text);

/* Ends the program. An emulator exits with success or failure, a board stops. */
_Noreturn void board_exit(bool success);

/* The random source of the board */
extern const podium_random board_random;

#endif
