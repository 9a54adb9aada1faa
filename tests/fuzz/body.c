/* Fuzzing body.c: every form of a batch. The first byte says which form, and whether it is compressed. */
#include "body.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

enum { REPORTS_MAX = 1000, PLAIN_MAX = 1 << 16 };

/* What is read fits the limits, and every report of it is counted: as accepted or as refused. */
static void check_batch(const body_rules *rules, const batch *b, body_status status) {
    podium_aggregate sum;
    char labels_text[LABEL_SET_TEXT_MAX];
    REQUIRE(b->reports_n + b->cells_n <= REPORTS_MAX);
    REQUIRE(status == BODY_TAKEN || b->detail[0] != '\0');
    podium_aggregate_init(rules->collection, &sum);
    REQUIRE(batch_add_to(rules->collection, &sum, b) == PODIUM_OK);
    REQUIRE(podium_aggregate_count(&sum) + podium_aggregate_refused(&sum) == b->reports_n + b->cells_n);
    text t = {.bytes = NULL};
    label_set again;
    label_set_print(&t, rules->labels, &b->labels);
    REQUIRE(!t.failed && t.n < sizeof labels_text && label_set_parse(rules->labels, &again, t.bytes));
    REQUIRE(memcmp(&again, &b->labels, sizeof again) == 0);
    text_free(&t);
}

/* Reads a copy of exactly the right size, so that AddressSanitizer sees every byte beyond it. */
static void check_body(const body_rules *rules, body_format format, const char *bytes, size_t n) {
    char *copy = malloc(n == 0 ? 1 : n);
    batch b = {.reports = NULL}, second = {.reports = NULL};
    REQUIRE(copy != NULL);
    memcpy(copy, bytes, n);
    const body_status status = body_read(rules, format, &b, copy, n);
    check_batch(rules, &b, status);
    REQUIRE(body_read(rules, format, &second, copy, n) == status);
    REQUIRE(second.reports_n == b.reports_n && second.cells_n == b.cells_n && second.atomic == b.atomic);
    batch_free(&b);
    batch_free(&second);
    free(copy);
}

static void check_packed(const body_rules *rules, body_format format, const char *bytes, size_t n) {
    char *plain;
    size_t plain_n = 0;
    if (body_gunzip(&plain, &plain_n, bytes, n, PLAIN_MAX) != BODY_TAKEN) {
        REQUIRE(plain == NULL);
        return;
    }
    REQUIRE(plain_n <= PLAIN_MAX);
    check_body(rules, format, plain, plain_n);
    free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static podium_collection collection;
    static labels declared;
    static bool ready;
    if (!ready) {
        const char spec[] = "podium epsilon=1 range=0:10";
        REQUIRE(podium_collection_parse(&collection, NULL, 0, NULL, spec, sizeof spec - 1) == PODIUM_OK);
        REQUIRE(labels_declare(&declared, "region=north,south") == NULL);
        REQUIRE(labels_declare(&declared, "app=\xc3\xa4,b") == NULL);
        ready = true;
    }
    if (n == 0)
        return 0;
    const body_rules rules = {&collection, &declared, REPORTS_MAX};
    const body_format format = (body_format)(data[0] % BODY_FORMATS);
    const bool packed = data[0] / BODY_FORMATS % 2 == 1;
    (packed ? check_packed : check_body)(&rules, format, (const char *)data + 1, n - 1);
    return 0;
}
