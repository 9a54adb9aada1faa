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
    podium_aggregate_init(collection, &aggregate);
    for (size_t i = 0; i < n; i++) {
        uint32_t cell = (uint32_t)(seeded_word(&seed) % podium_collection_cells(collection));
        if (podium_aggregate_add_cells(collection, &aggregate, &cell, 1) != PODIUM_OK)
            exit(EXIT_FAILURE);
    }
    save(directory, 2 * number, bytes, podium_aggregate_encode(&aggregate, bytes, sizeof bytes));
    save(directory, 2 * number + 1, text, podium_aggregate_format(&aggregate, text, sizeof text));
}

static void save_all(char **directories, size_t number, const podium_spec *spec) {
    char text[PODIUM_COLLECTION_TEXT_MAX], line[PODIUM_SPEC_TEXT_MAX];
    podium_collection collection = collection_from(spec);
    save_aggregate(directories[0], 2 * number, &collection, 0);
    save_aggregate(directories[0], 2 * number + 1, &collection, 300);
    save(directories[1], 3 * number, text, podium_collection_format(&collection, text, sizeof text, NULL));
    save(directories[1], 3 * number + 1, text, podium_collection_format(&collection, text, sizeof text, "a name"));
    save(directories[1], 3 * number + 2, line, podium_spec_format(spec, line, sizeof line));
}

int main(int argc, char **argv) {
    /* Parameters at their limits. For Minimax only those that are solved at once are used, so that the fuzzers do
       not wait. */
    static const podium_spec more[] = {
        {.mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 2, .min = -1, .max = 1},
        {.mechanism = PODIUM_MECHANISM_PODIUM_TUNED, .epsilon = 2, .min = -1, .max = 1, .spread = 0.25},
        {.mechanism = PODIUM_MECHANISM_HYBRID, .epsilon = 0.5, .min = -1, .max = 1},
        {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 2, .min = -1, .max = 1, .cells = 2},
        {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 2, .min = -1, .max = 1, .cells = 10},
        {.mechanism = PODIUM_MECHANISM_MINIMAX, .epsilon = 0.5, .min = -1, .max = 1, .cells = PODIUM_CELLS_MAX}};
    if (argc != 3)
        return EXIT_FAILURE;
    FOR_EACH_MECHANISM (m) {
        podium_spec spec = spec_of(m, 0.5 + (double)m, 0, 10.25);
        save_all(argv + 1, (size_t)m, &spec);
    }
    for (size_t i = 0; i < LENGTH(more); i++)
        save_all(argv + 1, podium_mechanism_count() + i, &more[i]);
    return EXIT_SUCCESS;
}
