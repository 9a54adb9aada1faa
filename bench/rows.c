/*
 * Rows: the inputs of files.sh, made as fast as they can be written, the same each time.
 *
 *   rows short|long|wide N      N rows and a header to standard output
 *
 * short and long have one column, age, of numbers from 10 to 100 with 6 or 17 digits; wide has it, short, as the fifth
 * of ten columns.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_SHORT 6
#define DIGITS_LONG 17

static const char *const towns[] = {"Aachen", "Bruges", "Coimbra", "Delft", "Evora", "Freiburg", "Ghent", "Haarlem"};
static const char *const words[] = {"amber", "basalt", "cedar", "dune", "ember", "fjord", "grove", "harbour"};

/* Knuth's linear congruential generator (MMIX); its upper half is random enough for digits */
static uint32_t next(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static uint32_t below(uint32_t n) {
    return (uint32_t)((uint64_t)next() * n >> 32);
}

/* Two digits, of which the first is not 0, a point, and the others */
static char *put_age(char *to, int digits) {
    *to++ = (char)('1' + below(9));
    *to++ = (char)('0' + below(10));
    *to++ = '.';
    for (int i = 2; i < digits; i++)
        *to++ = (char)('0' + below(10));
    return to;
}

static char *put_number(char *to, uint64_t n, int digits) {
    for (int i = digits; i-- > 0; n /= 10)
        to[i] = (char)('0' + n % 10);
    return to + digits;
}

static char *put_text(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

static char *put_date(char *to) {
    to = put_text(to, "2024-");
    to = put_number(to, 1 + below(12), 2);
    *to++ = '-';
    return put_number(to, 1 + below(28), 2);
}

static char *put_wide(char *to, uint64_t row) {
    to = put_text(put_number(to, row, 9), ",");
    to = put_text(put_text(to, towns[below(8)]), ",");
    to = put_text(put_date(to), ",");
    to = put_text(put_number(to, below(1000000), 6), ",");
    to = put_text(put_age(to, DIGITS_SHORT), ",");
    to = put_text(put_text(to, words[below(8)]), " ");
    to = put_text(put_text(to, words[below(8)]), ",");
    to = put_text(to, below(2) == 0 ? "yes," : "no,");
    to = put_text(put_number(to, below(10000), 4), ".");
    to = put_text(put_number(to, below(100), 2), ",");
    to = put_text(put_date(to), ",");
    return put_text(to, words[below(8)]);
}

int main(int argc, char **argv) {
    char text[256];
    const char *kind = argc == 3 ? argv[1] : "";
    const bool wide = strcmp(kind, "wide") == 0, is_long = strcmp(kind, "long") == 0;
    if (!wide && !is_long && strcmp(kind, "short") != 0) {
        fputs("Usage: rows short|long|wide N\n", stderr);
        return 2;
    }
    const uint64_t n = strtoull(argv[2], NULL, 10);
    puts(wide ? "id,town,joined,postcode,age,motto,member,spent,seen,colour" : "age");
    for (uint64_t i = 0; i < n; i++) {
        char *end = wide ? put_wide(text, i) : put_age(text, is_long ? DIGITS_LONG : DIGITS_SHORT);
        *end++ = '\n';
        fwrite(text, 1, (size_t)(end - text), stdout);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
