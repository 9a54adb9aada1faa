/* Numbers as text, the same in every locale. */
#include "collection/internal.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

/* printf writes and strtod reads the locale's decimal point, of one byte or more, where a file has a dot. It is what
   stands between the digits of 0.5, because localeconv need not be safe in threads. */
#define POINT_MAX 33
static void decimal_point(char point[POINT_MAX]) {
    char half[POINT_MAX + 2];
    snprintf(half, sizeof half, "%.1f", 0.5);
    const size_t n = strlen(half) - 2;
    memcpy(point, half + 1, n);
    point[n] = '\0';
}

/* A decimal of up to 15 digits survives in a normal double, so %.15g finds it again, whatever its length. A smaller
   double holds fewer digits, so all lengths are tried. */
static void write_shortest(char text[PODIUM_NUMBER_TEXT_MAX], double x) {
    bool normal = !(x > -DBL_MIN && x < DBL_MIN);
    for (int digits = normal ? DBL_DIG : 1; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, PODIUM_NUMBER_TEXT_MAX, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    char point[POINT_MAX];
    decimal_point(point);
    char *at = strstr(text, point);
    if (at != NULL) {
        const char *rest = at + strlen(point);
        *at = '.';
        memmove(at + 1, rest, strlen(rest) + 1);
    }
}

size_t podium_number_format(char *text, size_t capacity, double x) {
    char shortest[PODIUM_NUMBER_TEXT_MAX];
    write_shortest(shortest, x);
    const size_t length = strlen(shortest);
    if (length < capacity)
        memcpy(text, shortest, length + 1);
    return length;
}

/* Decimal digits, a dot, a sign, an exponent: no hexadecimal, no infinity, no NaN, no blanks */
podium_status podium_number_parse(double *x, const char *text, size_t n) {
    char copy[PODIUM_NUMBER_PARSE_MAX + POINT_MAX], point[POINT_MAX], *end,
        *to = copy; /* a point may be longer than a dot */
    decimal_point(point);
    if (n > PODIUM_NUMBER_PARSE_MAX)
        return PODIUM_ERROR_TEXT_MALFORMED;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\0' || strchr("+-.0123456789eE", text[i]) == NULL)
            return PODIUM_ERROR_TEXT_MALFORMED;
        const char *from = text[i] == '.' ? point : text + i;
        size_t length = text[i] == '.' ? strlen(point) : 1;
        if (length >= sizeof copy - (size_t)(to - copy))
            return PODIUM_ERROR_TEXT_MALFORMED;
        memcpy(to, from, length);
        to += length;
    }
    *to = '\0';
    double read = strtod(copy, &end);
    if (end == copy || *end != '\0')
        return PODIUM_ERROR_TEXT_MALFORMED;
    *x = read;
    return PODIUM_OK;
}
