/* Any text as a collection: refused with the outputs untouched, or one that is written and read back the same. */
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool condition) {
    if (!condition)
        abort();
}

static size_t lines_in(const uint8_t *data, size_t n) {
    size_t lines = n > 0;
    for (size_t i = 0; i + 1 < n; i++)
        lines += data[i] == '\n';
    return lines;
}

/* Reading may forgive blanks and comments; writing does not vary. */
static void try_again(const podium_collection *collection, const char *name) {
    char text[PODIUM_COLLECTION_TEXT_MAX], again[PODIUM_COLLECTION_TEXT_MAX], name_again[PODIUM_NAME_MAX];
    podium_collection back;
    size_t n = podium_collection_write(collection, text, name);
    require(n < sizeof text && strlen(text) == n && strlen(name) < PODIUM_NAME_MAX);
    require(podium_collection_read(&back, name_again, NULL, text, n) == PODIUM_OK);
    require(memcmp(&back.spec.epsilon, &collection->spec.epsilon, sizeof(double)) == 0 &&
            memcmp(&back.spec.min, &collection->spec.min, sizeof(double)) == 0 &&
            memcmp(&back.spec.max, &collection->spec.max, sizeof(double)) == 0);
    require(back.spec.spread == collection->spec.spread && back.spec.cells == collection->spec.cells);
    require(back.fingerprint == collection->fingerprint && strcmp(name, name_again) == 0);
    require(podium_collection_write(&back, again, name_again) == n && memcmp(again, text, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    podium_collection collection, before;
    char name[PODIUM_NAME_MAX], name_before[PODIUM_NAME_MAX];
    size_t line = SIZE_MAX;
    memset(&collection, 0x5a, sizeof collection);
    memset(name, 0x5a, sizeof name);
    before = collection;
    memcpy(name_before, name, sizeof name);
    podium_status status = podium_collection_read(&collection, name, &line, (const char *)data, n);
    require(line <= lines_in(data, n));
    if (status == PODIUM_OK)
        try_again(&collection, name);
    else
        require(memcmp(&collection, &before, sizeof before) == 0 && memcmp(name, name_before, sizeof name) == 0);
    return 0;
}
