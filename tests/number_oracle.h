/* The C library's numbers, with which unit/number and its fuzzer compare those of the program. */
#ifndef PODIUM_TESTS_NUMBER_ORACLE_H
#define PODIUM_TESTS_NUMBER_ORACLE_H

#include "table/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline bool in_numbers(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/* The expected result of number_read: strtod's number, if the text is a decimal number between blanks and nothing
   else */
static inline bool expected(double *x, const char *text, size_t n) {
    char copy[128], *end;
    while (n > 0 && (*text == ' ' || *text == '\t'))
        text++, n--;
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (n == 0 || n >= sizeof copy)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!in_numbers(text[i]))
            return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    *x = strtod(copy, &end);
    return *end == '\0' && end != copy && isfinite(*x);
}

typedef struct {
    size_t n;
    char text[256];
} string;

/* Whether number_scan must read the text by itself: a sign, a point, and digits, of which at most 19 count and at
   most 27 are decimals */
static inline bool plain(const char *text, size_t n) {
    size_t digits = 0, significant = 0, decimals = 0, points = 0;
    for (size_t i = n > 0 && (text[0] == '+' || text[0] == '-'); i < n; i++) {
        if (text[i] == '.')
            points++;
        else if (text[i] < '0' || text[i] > '9')
            return false;
        else {
            digits++;
            decimals += points;
            significant += significant > 0 || text[i] != '0';
        }
    }
    return n < 32 && digits > 0 && points < 2 && significant <= 19 && decimals <= 27;
}

static inline bool same_number(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Returns whether number.c reads the text as strtod does, both by itself and within a longer text, in which a byte
   that is in no number and then more bytes follow. */
static inline bool reads_alike(string *s) {
    static const char after[] = ",\n;\t\r \"x/:";
    double x = 7, right = 7, scanned = 7;
    bool is_number = expected(&right, s->text, s->n), read = number_read(&x, s->text, s->n);
    if (read != is_number || !same_number(x, read ? right : 7))
        return false;
    s->text[s->n] = after[(s->n + (unsigned char)s->text[0]) % (sizeof after - 1)];
    memset(s->text + s->n + 1, s->n % 3 == 0 ? '7' : '/', 64);
    size_t n = 0;
    while (n < s->n && in_numbers(s->text[n]))
        n++;
    const char *end = number_scan(&scanned, s->text, s->text + s->n + 65);
    if (end == NULL)
        return !plain(s->text, n) && same_number(scanned, 7);
    return end == s->text + n && (n == s->n ? is_number : expected(&right, s->text, n)) && same_number(scanned, right);
}

#endif
