/* Fuzzing collections and specs: any text is either rejected, with a cleared collection and an error that lies
   within the text, or its collection is the same after formatting and parsing. */
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

static bool same_bits(double a, double b) {
    return podium_bits_of(a) == podium_bits_of(b);
}

static void require_same(const podium_spec *a, const podium_spec *b) {
    require(a->mechanism == b->mechanism && same_bits(a->epsilon, b->epsilon));
    require(same_bits(a->min, b->min) && same_bits(a->max, b->max));
    require(a->spread == b->spread && a->cells == b->cells && podium_spec_equal(a, b));
}

/* Parsing ignores blanks and comments, but formatting is always the same. */
static void try_again(const podium_collection *collection, const char *name) {
    char text[PODIUM_COLLECTION_TEXT_MAX], again[PODIUM_COLLECTION_TEXT_MAX], name_again[PODIUM_NAME_MAX];
    podium_collection back;
    size_t n = podium_collection_format(collection, text, sizeof text, name);
    require(n < sizeof text && strlen(text) == n && strlen(name) < PODIUM_NAME_MAX);
    require(podium_collection_parse(&back, name_again, sizeof name_again, NULL, text, n) == PODIUM_OK);
    podium_spec spec = podium_collection_spec(collection), spec_back = podium_collection_spec(&back);
    require_same(&spec, &spec_back);
    require(podium_collection_fingerprint(&back) == podium_collection_fingerprint(collection));
    require(strcmp(name, name_again) == 0);
    require(podium_collection_format(&back, again, sizeof again, name_again) == n && memcmp(again, text, n) == 0);
}

static void require_error(const podium_error *error, podium_status status, const uint8_t *data, size_t n) {
    require(error->status == status && error->line <= lines_in(data, n) && error->column <= n + 1);
    require(memchr(error->field, '\0', sizeof error->field) != NULL);
}

static void try_collection(const uint8_t *data, size_t n) {
    static const podium_collection cleared;
    podium_collection collection;
    podium_error error, no_error;
    char name[PODIUM_NAME_MAX], name_before[PODIUM_NAME_MAX];
    memset(&collection, 0x5a, sizeof collection);
    memset(&no_error, 0x5a, sizeof no_error);
    memset(name_before, 0x5a, sizeof name_before);
    error = no_error;
    memcpy(name, name_before, sizeof name);
    podium_status status = podium_collection_parse(&collection, name, sizeof name, &error, (const char *)data, n);
    if (status == PODIUM_OK) {
        require(memcmp(&error, &no_error, sizeof error) == 0);
        try_again(&collection, name);
    } else {
        require_error(&error, status, data, n);
        require(memcmp(&collection, &cleared, sizeof cleared) == 0 && memcmp(name, name_before, sizeof name) == 0);
    }
}

static void try_spec(const uint8_t *data, size_t n) {
    char text[PODIUM_SPEC_TEXT_MAX], again[PODIUM_SPEC_TEXT_MAX];
    podium_spec spec, before, back;
    podium_error error;
    memset(&spec, 0x5a, sizeof spec);
    before = spec;
    podium_status status = podium_spec_parse(&spec, &error, (const char *)data, n);
    if (status != PODIUM_OK) {
        require(error.status == status && error.line == 1 && error.column <= n + 1);
        require(memcmp(&spec, &before, sizeof spec) == 0);
        return;
    }
    size_t length = podium_spec_format(&spec, text, sizeof text);
    require(length > 0 && length < sizeof text && strlen(text) == length);
    require(podium_spec_parse(&back, NULL, text, length) == PODIUM_OK);
    require_same(&spec, &back);
    require(podium_spec_format(&back, again, sizeof again) == length && memcmp(again, text, length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    try_collection(data, n);
    try_spec(data, n);
    return 0;
}
