/*
 * A device with its own random generator, which Podium calls through a callback. Here the generator is the file
 * /dev/urandom; it could just as well be a hardware token.
 */
#include <podium.h>
#include <stdio.h>

static size_t read_file(void *context, void *buffer, size_t n) {
    return fread(buffer, 1, n, context); /* Podium treats fewer than n bytes as a failure */
}

int main(void) {
    podium_spec spec = {.mechanism = PODIUM_MECHANISM_PODIUM, .epsilon = 2.0, .min = -40, .max = 60};
    podium_collection temperature;
    podium_status status = podium_collection_init(&temperature, &spec);
    FILE *generator = fopen("/dev/urandom", "rb");
    if (status != PODIUM_OK || generator == NULL) {
        fprintf(stderr, "own_random: cannot start\n");
        return 1;
    }

    /* Do not buffer, because a forked child would share the buffered bytes, and both would add the same noise. */
    setvbuf(generator, NULL, _IONBF, 0);
    podium_random random = {.fill = read_file, .context = generator};
    double value = 21.5, report;
    uint32_t cell; /* what the device sends */
    status = podium_privatize_cells(&temperature, &random, &cell, &value, 1);
    fclose(generator);
    if (status == PODIUM_OK)
        status = podium_collection_reports(&temperature, &report, &cell, 1); /* what the collector computes from it */
    if (status != PODIUM_OK) {
        fprintf(stderr, "own_random: %s\n", podium_status_message(status));
        return 1;
    }
    printf("cell %lu is the report %.2f\n", (unsigned long)cell, report);
    return 0;
}
