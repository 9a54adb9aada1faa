/*
 * Print: numbers in JSON and CSV, and names of groups, files and collections, which may come from strangers. Whatever
 * bytes a name contains, it cannot act on a terminal, break a line of a table, or make JSON invalid.
 */
#include "cli.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void print_number(output *out, const char *before, double x, const char *none) {
    char text[PODIUM_NUMBER_TEXT_MAX];
    podium_number_format(text, sizeof text, x);
    output_print(out, "%s%s", before, isfinite(x) ? text : none);
}

void print_members(output *out, const named_number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        output_print(out, ", \"%s\": ", numbers[i].name);
        print_number(out, "", numbers[i].x, "null");
    }
}

void print_fields(output *out, const named_number *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        print_number(out, ",", numbers[i].x, "");
}

const char *rounded(char text[ROUNDED_MAX], double x, double error) {
    if (isnan(x))
        snprintf(text, ROUNDED_MAX, "unknown");
    else if (error > 1e-12 && error < 1e15)
        snprintf(text, ROUNDED_MAX, "%.*f", (int)fmax(1 - floor(log10(error)), 0), x);
    else
        snprintf(text, ROUNDED_MAX, "%.6g", x);
    return text;
}

bool blocks_readable(void) {
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        const char *locale = getenv(names[i]);
        if (locale != NULL && *locale != '\0')
            return strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL;
    }
    return console_reads_utf8();
}

/* ---- One character at a time ---- */

size_t utf8_decode(uint32_t *character, const char *text) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*text;
    size_t n = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (n == 0)
        return 0;
    *character = n == 1 ? first : first & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) /* also at the final zero byte */
            return 0;
        *character = *character << 6 | ((unsigned char)text[i] & 0x3f);
    }
    bool wrong = *character < least[n] || *character > 0x10ffff || (*character >= 0xd800 && *character <= 0xdfff);
    return wrong ? 0 : n;
}

/* Control characters, some of which begin terminal commands; Unicode line ends; and characters that change the
   direction of text */
static bool is_control(uint32_t c) {
    return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void escape_control(char to[ESCAPED_MAX], uint32_t c, escaping how) {
    static const char letters[] = "\b\t\n\f\r", names[] = "btnfr";
    const char *letter = c == 0 || c > 0x7f ? NULL : strchr(letters, (int)c);
    if (letter != NULL)
        snprintf(to, ESCAPED_MAX, "\\%c", names[letter - letters]);
    else if (how == ESCAPE_TEXT && c < 0x80)
        snprintf(to, ESCAPED_MAX, "\\x%02x", c);
    else
        snprintf(to, ESCAPED_MAX, "\\u%04x", c & 0xffff);
}

const char *escape(char to[ESCAPED_MAX], const char *text, escaping how) {
    uint32_t c;
    size_t n = utf8_decode(&c, text);
    if (n == 0 && how == ESCAPE_TEXT)
        snprintf(to, ESCAPED_MAX, "\\x%02x", (unsigned char)*text);
    else if (n == 0)
        snprintf(to, ESCAPED_MAX, "\xef\xbf\xbd"); /* U+FFFD, the replacement character */
    else if (is_control(c))
        escape_control(to, c, how);
    else
        snprintf(to, ESCAPED_MAX, "%s%.*s", how == ESCAPE_JSON && (c == '"' || c == '\\') ? "\\" : "", (int)n, text);
    return text + (n == 0 ? 1 : n);
}

/* ---- Names ---- */

/* Counts characters, that is, all bytes except the continuation bytes of UTF-8. */
int print_width(const char *text) {
    char shown[ESCAPED_MAX];
    int width = 0;
    while (*text != '\0') {
        text = escape(shown, text, ESCAPE_TEXT);
        for (const char *c = shown; *c != '\0'; c++)
            width += ((unsigned char)*c & 0xc0) != 0x80;
    }
    return width;
}

static void print_escaped(output *out, const char *text, escaping how) {
    char shown[ESCAPED_MAX];
    while (*text != '\0') {
        text = escape(shown, text, how);
        output_write(out, shown, strlen(shown));
    }
}

void print_name(output *out, const char *text, int width) {
    print_escaped(out, text, ESCAPE_TEXT);
    for (int i = print_width(text); i < width; i++)
        output_write(out, " ", 1);
}

void print_name_json(output *out, const char *text) {
    output_write(out, "\"", 1);
    print_escaped(out, text, ESCAPE_JSON);
    output_write(out, "\"", 1);
}

void print_name_csv(output *out, const char *text) {
    output_write(out, "\"", 1);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            output_write(out, "\"", 1);
        output_write(out, text, 1);
    }
    output_write(out, "\"", 1);
}
