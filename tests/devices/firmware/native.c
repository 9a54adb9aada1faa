/*
 * The codes that firmware must draw, from the library on this machine and the random bytes of the emulator.
 *
 *   native UNIT VALUES NAME SPEC [NAME SPEC]...
 *
 * VALUES are integers with commas between them. Prints NAME and a code for each value, or with the name "-" each code
 * on a line of its own.
 */
#include <podium.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in examples/firmware/emulator.c */
static size_t fixed_fill(void *context, void *buffer, size_t n) {
    uint32_t *state = context;
    for (size_t i = 0; i < n; i++) {
        *state = *state * 1664525 + 1013904223;
        ((unsigned char *)buffer)[i] = (unsigned char)(*state >> 24);
    }
    return n;
}

static void print_code(const podium_collection *collection, const podium_random *random, double value) {
    uint32_t cell;
    unsigned char code[4];
    if (podium_privatize_cells(collection, random, &cell, &value, 1) != PODIUM_OK ||
        podium_codes_encode(collection, code, sizeof code, &cell, 1) != PODIUM_OK)
        exit(EXIT_FAILURE);
    for (size_t k = 0; k < podium_code_bytes(collection); k++)
        printf("%02x", code[k]);
}

static void print_codes(const char *name, const podium_collection *collection, const podium_random *random,
                        const char *values, double unit) {
    const char *before = strcmp(name, "-") == 0 ? "" : " ", *after = *before == '\0' ? "\n" : "";
    printf("%s", *before == '\0' ? "" : name);
    for (const char *at = values; *at != '\0';) {
        char *end;
        const long long value = strtoll(at, &end, 10);
        printf("%s", before);
        print_code(collection, random, (double)value * unit);
        printf("%s", after);
        at = *end == ',' ? end + 1 : end;
    }
    printf("%s", *before == '\0' ? "" : "\n");
}

int main(int count, char **arguments) {
    uint32_t state = 1;
    const podium_random random = {.fill = fixed_fill, .context = &state};
    for (int i = 3; i + 1 < count; i += 2) {
        podium_collection collection;
        const char *spec = arguments[i + 1];
        if (podium_collection_parse(&collection, NULL, 0, NULL, spec, strlen(spec)) != PODIUM_OK)
            return EXIT_FAILURE;
        print_codes(arguments[i], &collection, &random, arguments[2], strtod(arguments[1], NULL));
    }
    return EXIT_SUCCESS;
}
