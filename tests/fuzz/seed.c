/* Writes a few aggregates and collections for the fuzzers to start from:  seed AGGREGATES COLLECTIONS  (directories) */
#include "support.h"

static void save(const char *directory, size_t number, const void *bytes, size_t n) {
    char path[4096];
    snprintf(path, sizeof path, "%s/seed-%zu", directory, number);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static void save_aggregate(const char *directory, size_t number, const podium_collection *collection, size_t n) {
    static unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    static char text[PODIUM_AGGREGATE_TEXT_MAX];
    podium_aggregate aggregate;
    uint64_t seed = number;
    podium_aggregate_init(&aggregate, collection);
    for (size_t i = 0; i < n; i++) {
        uint32_t cell = (uint32_t)(seeded_word(&seed) % collection->cells);
        if (podium_aggregate_add_cells(&aggregate, collection, &cell, 1) != PODIUM_OK)
            exit(EXIT_FAILURE);
    }
    save(directory, 2 * number, bytes, podium_aggregate_encode(&aggregate, bytes));
    save(directory, 2 * number + 1, text, podium_aggregate_write(&aggregate, text));
}

int main(int argc, char **argv) {
    if (argc != 3)
        return EXIT_FAILURE;
    for (size_t m = 0; m < LENGTH(all_mechanisms); m++) {
        char text[PODIUM_COLLECTION_TEXT_MAX];
        podium_collection collection = collection_of(all_mechanisms[m], 0.5 + (double)m, 0, 10.25);
        save_aggregate(argv[1], 2 * m, &collection, 0);
        save_aggregate(argv[1], 2 * m + 1, &collection, 300);
        save(argv[2], 2 * m, text, podium_collection_write(&collection, text, NULL));
        save(argv[2], 2 * m + 1, text, podium_collection_write(&collection, text, "a name"));
    }
    return EXIT_SUCCESS;
}
