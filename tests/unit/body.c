/* Bodies in every format: what becomes a report, what is refused and counted, and what is no body at all. */
#include <check.h>
#include <zlib.h>

#include "body.h"
#include "support.h"

static podium_collection one_byte, four_bytes; /* by the size of their codes */
static labels regions;
static body_rules rules;

static void set_up(void) {
    static const char minimax[] = "minimax epsilon=1 range=1:120 cells=200", podium[] = "podium epsilon=1 range=1:120";
    ck_assert_int_eq(podium_collection_parse(&one_byte, NULL, 0, NULL, minimax, strlen(minimax)), PODIUM_OK);
    ck_assert_int_eq(podium_collection_parse(&four_bytes, NULL, 0, NULL, podium, strlen(podium)), PODIUM_OK);
    ck_assert(podium_code_bytes(&one_byte) == 1 && podium_code_bytes(&four_bytes) == 4);
    regions = (labels){.count = 0};
    ck_assert_ptr_null(labels_declare(&regions, "region=north,south"));
    rules = (body_rules){&one_byte, &regions, 5};
}

static void tear_down(void) {
    labels_free(&regions);
}

/* Reads the body, and adds it to an aggregate. */
static body_status take(body_format format, const char *bytes, size_t n, batch *b, podium_aggregate *sum) {
    *b = (batch){.reports = NULL};
    podium_aggregate_init(rules.collection, sum);
    const body_status status = body_read(&rules, format, b, bytes, n);
    if (status == BODY_TAKEN)
        ck_assert_int_eq(batch_add_to(rules.collection, sum, b), PODIUM_OK);
    else
        ck_assert_msg(b->detail[0] != '\0', "nothing says what is wrong");
    return status;
}

static void expect_counts(body_format format, const char *bytes, size_t n, uint64_t accepted, uint64_t refused) {
    batch b;
    podium_aggregate sum;
    ck_assert_msg(take(format, bytes, n, &b, &sum) == BODY_TAKEN, "%s: %s", bytes, b.detail);
    ck_assert_msg(podium_aggregate_count(&sum) == accepted && podium_aggregate_refused(&sum) == refused,
                  "%s: %llu accepted, %llu refused", bytes, (unsigned long long)podium_aggregate_count(&sum),
                  (unsigned long long)podium_aggregate_refused(&sum));
    batch_free(&b);
}

static void expect_status(body_format format, const char *bytes, body_status expected) {
    batch b;
    podium_aggregate sum;
    const body_status status = take(format, bytes, strlen(bytes), &b, &sum);
    ck_assert_msg(status == expected, "%s: status %d", bytes, (int)status);
    batch_free(&b);
}

/* Writes a body with reports that the collection can have produced; %s stands for each of them. */
static const char *with_reports(char body[512], const char *format) {
    char least[PODIUM_NUMBER_TEXT_MAX], most[PODIUM_NUMBER_TEXT_MAX];
    podium_number_format(least, sizeof least, podium_collection_least(rules.collection));
    podium_number_format(most, sizeof most, podium_collection_most(rules.collection));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(body, 512, format, least, most);
#pragma GCC diagnostic pop
    return body;
}

START_TEST(json_reports) {
    static const struct {
        const char *body;
        uint64_t accepted, refused;
    } cases[] = {
        {"{}", 0, 0},
        {"{\"reports\": []}", 0, 0},
        {"{\"reports\": [%s, %s]}", 2, 0},
        {"{\"reports\": [%s, 1e308, null, \"1\", [1, [2]]]}", 1, 4},
        {"{\"codes\": [0, 1, 2]}", 3, 0},
        {"{\"codes\": [0, -1, 0.5, 1e9, true]}", 1, 4},
        {"{\"codes\": [1], \"reports\": [%s]}", 2, 0}, /* both add up */
        {"{\"atomic\": true, \"labels\": {\"region\": \"north\"}, \"reports\": [%s]}", 1, 0},
        {"{\"rep\\u006frts\": [%s]}", 1, 0}, /* a name is what it reads as */
    };
    char body[512];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        with_reports(body, cases[i].body);
        expect_counts(BODY_JSON, body, strlen(body), cases[i].accepted, cases[i].refused);
    }
}
END_TEST

START_TEST(json_refused) {
    static const struct {
        const char *body;
        body_status status;
    } cases[] = {
        {"", BODY_MALFORMED},
        {"[]", BODY_MALFORMED},
        {"7", BODY_MALFORMED},
        {"{\"reports\": [1", BODY_MALFORMED},
        {"{\"reports\": [1]} x", BODY_MALFORMED},
        {"{\"reports\": 1}", BODY_MALFORMED},
        {"{\"report\": [1]}", BODY_MALFORMED},
        {"{\"reports\": [], \"reports\": []}", BODY_MALFORMED},
        {"{\"atomic\": 1}", BODY_MALFORMED},
        {"{\"labels\": []}", BODY_MALFORMED},
        {"{\"labels\": {\"region\": 1}}", BODY_LABEL_WRONG},
        {"{\"labels\": {\"region\": \"west\"}}", BODY_LABEL_WRONG},
        {"{\"labels\": {\"land\": \"north\"}}", BODY_LABEL_WRONG},
        {"{\"labels\": {\"region\": \"north\", \"region\": \"north\"}}", BODY_LABEL_WRONG},
        {"{\"fingerprint\": \"1\"}", BODY_MALFORMED},
        {"{\"fingerprint\": 1}", BODY_MALFORMED},
        {"{\"fingerprint\": \"0000000000000000\"}", BODY_FINGERPRINT_WRONG},
        {"{\"codes\": [0, 0, 0, 0, 0, 0]}", BODY_TOO_MANY},
        {"{\"codes\": [0, 0, 0], \"reports\": [1, 1, 1]}", BODY_TOO_MANY},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect_status(BODY_JSON, cases[i].body, cases[i].status);
}
END_TEST

START_TEST(lines) {
    static const struct {
        const char *body;
        uint64_t accepted, refused;
    } cases[] = {
        {"", 0, 0},
        {"\n\r\n \n", 0, 0}, /* empty lines */
        {"%s\n%s\n", 2, 0},
        {"%s\r\n%s", 2, 0}, /* the last line need not end */
        {"{\"report\": %s}\n{\"code\": 1}\n", 2, 0},
        {"nonsense\n%s\n{\"code\": \"1\"}\n{\"report\": 1, \"code\": 1}\n[1]\n", 1, 4},
    };
    char body[512];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        with_reports(body, cases[i].body);
        expect_counts(BODY_NDJSON, body, strlen(body), cases[i].accepted, cases[i].refused);
    }
    expect_status(BODY_NDJSON, "1\n1\n1\n1\n1\n1\n", BODY_TOO_MANY);
}
END_TEST

START_TEST(codes) {
    char bytes[32] = {0, 1, 2, (char)0xff};
    ck_assert_uint_le(podium_collection_cells(&one_byte), 0xff);
    expect_counts(BODY_CODES, bytes, 4, 3, 1); /* the last is not a cell, so it is refused and counted */
    expect_counts(BODY_CODES, bytes, 0, 0, 0);
    batch b;
    podium_aggregate sum;
    ck_assert_int_eq(take(BODY_CODES, bytes, 6, &b, &sum), BODY_TOO_MANY);
    batch_free(&b);
    rules.collection = &four_bytes; /* the least significant byte comes first */
    ck_assert_int_eq(take(BODY_CODES, "\1\2\3\0", 4, &b, &sum), BODY_TAKEN);
    ck_assert_uint_eq(b.cells[0], 0x030201);
    batch_free(&b);
    for (size_t n = 1; n < 4; n++) {
        ck_assert_int_eq(take(BODY_CODES, bytes, n, &b, &sum), BODY_MALFORMED);
        batch_free(&b);
    }
    const bool all = podium_collection_cells(&four_bytes) > UINT32_MAX; /* every code is a cell */
    expect_counts(BODY_CODES, "\xff\xff\xff\xff", 4, all ? 1 : 0, all ? 0 : 1);
}
END_TEST

START_TEST(fingerprints) {
    char own[FINGERPRINT_TEXT_MAX], body[64];
    snprintf(own, sizeof own, "%016llx", (unsigned long long)podium_collection_fingerprint(&one_byte));
    snprintf(body, sizeof body, "{\"fingerprint\": \"%s\"}", own);
    expect_status(BODY_JSON, body, BODY_TAKEN);
    batch b = {.reports = NULL};
    ck_assert_int_eq(batch_set_fingerprint(&rules, &b, "ffffffffffffffff"), BODY_FINGERPRINT_WRONG);
    ck_assert_str_eq(b.given_fingerprint, "ffffffffffffffff");
    ck_assert(strstr(b.detail, own) != NULL && strstr(b.detail, "ffffffffffffffff") != NULL);
    ck_assert_int_eq(batch_set_fingerprint(&rules, &b, "FFFFFFFFFFFFFFFF"), BODY_MALFORMED);
    ck_assert_int_eq(batch_set_fingerprint(&rules, &b, own), BODY_TAKEN);
}
END_TEST

/* Compresses with gzip. Returns how many bytes there are. */
static size_t gzipped(char *to, size_t capacity, const char *bytes, size_t n) {
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes,
                  .avail_in = (uInt)n,
                  .next_out = (unsigned char *)to,
                  .avail_out = (uInt)capacity};
    ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

START_TEST(gzip) {
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 8192, 100000};
    static char bytes[100000], packed[200000];
    uint64_t state = 1;
    seeded_fill(&state, bytes, sizeof bytes);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        char *plain;
        size_t n = 0, size = sizes[i], packed_n = gzipped(packed, sizeof packed, bytes, size);
        ck_assert_int_eq(body_gunzip(&plain, &n, packed, packed_n, size), BODY_TAKEN);
        ck_assert(n == size && memcmp(plain, bytes, n) == 0);
        free(plain);
        if (size > 0)
            ck_assert_int_eq(body_gunzip(&plain, &n, packed, packed_n, size - 1), BODY_TOO_LARGE);
        ck_assert_int_eq(body_gunzip(&plain, &n, packed, packed_n - 1, size), BODY_MALFORMED);
        packed[packed_n] = 'x';
        ck_assert_int_eq(body_gunzip(&plain, &n, packed, packed_n + 1, size), BODY_MALFORMED);
        packed[packed_n / 2] ^= 0x10;
        ck_assert_int_ne(body_gunzip(&plain, &n, packed, packed_n, size), BODY_TAKEN);
        ck_assert_ptr_null(plain);
    }
}
END_TEST

/* A small body must not become a large one in memory. */
START_TEST(gzip_bomb) {
    static char zeros[1 << 22], packed[1 << 16];
    char *plain;
    size_t n = 0;
    const size_t packed_n = gzipped(packed, sizeof packed, zeros, sizeof zeros);
    ck_assert(packed_n < 5000);
    ck_assert_int_eq(body_gunzip(&plain, &n, packed, packed_n, 10000), BODY_TOO_LARGE);
    ck_assert_ptr_null(plain);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("body");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, json_reports);
    tcase_add_test(tests, json_refused);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, codes);
    tcase_add_test(tests, fingerprints);
    tcase_add_test(tests, gzip);
    tcase_add_test(tests, gzip_bomb);
    return run_tests("body", tests);
}
