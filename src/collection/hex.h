/* Hexadecimal digits, which are lower case in every text of the library. */
#ifndef PODIUM_HEX_H
#define PODIUM_HEX_H

#include <string.h>

static const char podium_hex_digits[] = "0123456789abcdef";

/* Returns the value of a digit, or -1 if it is none. */
static inline int podium_hex_value(char digit) {
    const char *found = memchr(podium_hex_digits, digit, 16);
    return found == NULL ? -1 : (int)(found - podium_hex_digits);
}

#endif
