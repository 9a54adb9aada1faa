/* Fuzzing csv.c: no byte is lost, nothing outside the input is read, and it does not matter where the input is
   split. */
#include "table/csv.h"

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

static void check_fields(const csv_record *record, char separator) {
    csv_field field = csv_begin(record);
    size_t count = 0, from = record->first;
    REQUIRE(record->first <= record->n);
    for (; csv_next(&field, record, separator); count++) {
        REQUIRE(field.from == from && field.from <= field.to && field.to <= record->n);
        REQUIRE(field.to == record->n || record->text[field.to] == separator);
        char *plain = malloc(field.to - field.from + 1);
        REQUIRE(plain != NULL);
        REQUIRE(csv_unquote(plain, field.to - field.from, record->text + field.from, field.to - field.from) <=
                field.to - field.from);
        free(plain);
        from = field.to + 1;
    }
    REQUIRE(csv_count(record, separator) == count);
}

/* How many bytes form complete records, found in one call or in steps */
static size_t whole(const char *text, size_t n, char separator, size_t step) {
    csv_scan scan = {.at = 0};
    for (size_t at = 0; at < n; at = n - at < step ? n : at + step)
        csv_whole(&scan, text, at, separator);
    csv_whole(&scan, text, n, separator);
    REQUIRE(scan.at == n && scan.whole <= n);
    return scan.whole;
}

/* If there is no quote, both searches find the same, and the line ends they find are those of the records. */
static void check_marks(const char *text, size_t n, char separator) {
    bool quotes = n > 0 && memchr(text, '"', n) != NULL;
    uint32_t *marks = malloc((n + 1) * sizeof *marks), *others = malloc((n + 1) * sizeof *others);
    REQUIRE(marks != NULL && others != NULL);
    size_t count = csv_marks(marks, text, 0, n, separator, quotes), at = 0, end;
    REQUIRE(csv_marks(others, text, 0, n, separator, true) == count);
    REQUIRE(memcmp(marks, others, count * sizeof *marks) == 0);
    for (size_t i = 0; i < count; i++) {
        REQUIRE(marks[i] < n && (i == 0 || marks[i - 1] < marks[i]));
        if (text[marks[i]] != '\n')
            continue;
        csv_record record = csv_first(text + at, n - at, 0, separator, &end);
        REQUIRE(at + end == (size_t)marks[i] + 1);
        check_fields(&record, separator);
        at += end;
    }
    REQUIRE(at == whole(text, n, separator, n + 1));
    free(marks);
    free(others);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n < 1 || data[0] == '"' || data[0] == '\n' || data[0] == '\r')
        return 0;
    char separator = (char)data[0];
    n--;
    char *text = calloc(n + CSV_PADDING, 1);
    REQUIRE(text != NULL);
    memcpy(text, data + 1, n);
    check_marks(text, n, separator);
    /* The result does not depend on where the input is split, or on the steps. */
    size_t all = whole(text, n, separator, n + 1), cut = whole(text, n / 2, separator, n + 1);
    REQUIRE(whole(text, n, separator, 1) == all && whole(text, n, separator, 7) == all);
    REQUIRE(cut <= all && cut + whole(text + cut, n - cut, separator, 3) == all);
    REQUIRE(cut == 0 || whole(text, cut, separator, 1) == cut);
    /* Count with another separator than the one used for splitting. */
    size_t end;
    csv_record record = csv_first(text, n, 0, separator, &end);
    size_t others = 1;
    for (size_t i = 0; i < record.n; i++)
        others += record.text[i] == '\t';
    REQUIRE(csv_count(&record, '\t') <= others);
    free(text);
    return 0;
}
