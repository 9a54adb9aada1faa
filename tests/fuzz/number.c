/* Fuzzing number.c: any bytes are read as strtod reads them, and any double is written as printf writes it. */
#include "number_oracle.h"

#include <stdio.h>

static void write_one(const uint8_t *data) {
    char right[NUMBER_TEXT_MAX], to[NUMBER_TEXT_MAX];
    int decimals = data[8] % (NUMBER_DECIMALS_MAX + 1);
    double x;
    memcpy(&x, data, sizeof x);
    size_t n = (size_t)snprintf(right, sizeof right, "%.*f", decimals, x);
    if (number_write(to, x, decimals) != n || memcmp(to, right, n) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    string s = {.n = n < 160 ? n : 160};
    memcpy(s.text, data, s.n);
    if (!reads_alike(&s))
        abort();
    if (n >= 9)
        write_one(data);
    return 0;
}
