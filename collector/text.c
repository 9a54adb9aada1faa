#include "text.h"

#include <podium.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for n more bytes and the 0 byte that ends the text. */
static bool grow(text *t, size_t n) {
    if (t->failed || n >= SIZE_MAX / 4 - t->n)
        return !(t->failed = true);
    if (t->n + n < t->capacity)
        return true;
    const size_t capacity = 2 * (t->n + n) + 64;
    char *bytes = realloc(t->bytes, capacity);
    if (bytes == NULL)
        return !(t->failed = true);
    t->bytes = bytes;
    t->capacity = capacity;
    return true;
}

void text_add(text *t, const char *bytes, size_t n) {
    if (!grow(t, n))
        return;
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    t->bytes[t->n] = '\0';
}

void text_print(text *t, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int n = vsnprintf(NULL, 0, format, arguments);
    if (n >= 0 && grow(t, (size_t)n)) {
        vsnprintf(t->bytes + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
    va_end(arguments);
}

void text_free(text *t) {
    free(t->bytes);
    *t = (text){.bytes = NULL};
}

/* ---- JSON ---- */

/* Returns the length of the UTF-8 character at s, or 0 if it is none: a stray byte, an overlong form, a surrogate, or
   beyond U+10FFFF. */
static size_t character(const unsigned char *s) {
    static const struct {
        unsigned char from, to, least, most; /* the first byte, and the limits of the second */
        size_t n;
    } forms[] = {{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (s[0] < forms[i].from || s[0] > forms[i].to)
            continue;
        if (forms[i].n > 1 && (s[1] < forms[i].least || s[1] > forms[i].most))
            return 0;
        for (size_t j = 2; j < forms[i].n; j++)
            if ((s[j] & 0xc0) != 0x80)
                return 0;
        return forms[i].n;
    }
    return 0;
}

void text_string(text *t, const char *string) {
    const unsigned char *s = (const unsigned char *)string;
    text_add(t, "\"", 1);
    for (size_t n; *s != '\0'; s += n == 0 ? 1 : n) {
        n = character(s);
        if (n == 0)
            text_add(t, "\\ufffd", 6);
        else if (*s < ' ' || *s == 0x7f)
            text_print(t, "\\u%04x", *s);
        else {
            if (*s == '"' || *s == '\\')
                text_add(t, "\\", 1);
            text_add(t, (const char *)s, n);
        }
    }
    text_add(t, "\"", 1);
}

void text_number(text *t, double x) {
    char number[PODIUM_NUMBER_TEXT_MAX];
    if (isfinite(x))
        text_add(t, number, podium_number_format(number, sizeof number, x));
    else
        text_add(t, "null", 4);
}

void text_member(text *t, const char *name, double x) {
    text_print(t, ", \"%s\": ", name);
    text_number(t, x);
}
