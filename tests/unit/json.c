/* The server's reader of JSON: what RFC 8259 allows and what it does not, and strings without their escapes. */
#include <check.h>

#include "json.h"
#include "support.h"

/* Is the text one value of JSON and nothing else? */
static bool is_json(const char *text, size_t n) {
    json j = {text, n, 0};
    return json_skip(&j, json_read(&j)) && json_ended(&j);
}

START_TEST(values) {
    static const char *const right[] = {
        "0",
        "-0",
        "1",
        "12.5e3",
        "1E+2",
        "0.5e-300",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a b\"",
        "[]",
        "{}",
        " [ 1 ] ",
        "\t{\"a\":1}\r\n",
        "[1,2,[3,{\"x\":[]}]]",
        "{\"a\": {\"b\": [true, null]}, \"a\": 2}",
        "\"\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\xc3\xa9\"",
        "\"\\ud83d\\ude00\"",
    };
    static const char *const wrong[] = {
        "",       " ",     "01",        "-",     "+1",   ".5",     "1.",      "1e",        "1e+",
        "0x1",    "NaN",   "Infinity",  "tru",   "True", "nul",    "[",       "]",         "[1",
        "[1,",    "[1,]",  "[,1]",      "[1 2]", "{",    "}",      "{\"a\"}", "{\"a\":}",  "{\"a\":1,}",
        "{a:1}",  "{1:1}", "{\"a\" 1}", "\"",    "\"a",  "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
        "\"\n\"", "'a'",   "1 2",       "[] []", "[1]x", "\"a\"b", "//",      "[1,/**/2]",
    };
    for (size_t i = 0; i < LENGTH(right); i++)
        ck_assert_msg(is_json(right[i], strlen(right[i])), "refused: %s", right[i]);
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert_msg(!is_json(wrong[i], strlen(wrong[i])), "accepted: %s", wrong[i]);
    ck_assert(!is_json("1\0", 2) && !is_json("\"a\0b\"", 5));
}
END_TEST

/* A reader that never looks beyond n: every beginning of a right text is read from memory of exactly that size, which
   AddressSanitizer watches. */
START_TEST(truncated) {
    static const char text[] = "{\"reports\": [1.5, -2e3, true], \"labels\": {\"a\": \"\\u00e9\\n\"}, \"x\": null}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *part = malloc(n + 1);
        memcpy(part, text, n);
        char *exact = realloc(part, n == 0 ? 1 : n);
        ck_assert_msg(!is_json(exact, n), "%zu bytes are accepted", n);
        free(exact);
    }
    ck_assert(is_json(text, sizeof text - 1));
}
END_TEST

START_TEST(depth_is_bounded) {
    char text[201];
    for (size_t depth = 1; depth <= 100; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        ck_assert_int_eq(is_json(text, 2 * depth), depth <= 32);
    }
}
END_TEST

START_TEST(members_and_items) {
    static const char text[] = "{\"a\": [1, \"two\"], \"b\": {}}";
    json j = {text, sizeof text - 1, 0};
    json_value name, item;
    ck_assert_int_eq(json_read(&j).kind, JSON_OBJECT);
    ck_assert(json_next_member(&j, true, &name) && name.n == 1 && name.bytes[0] == 'a');
    ck_assert_int_eq(json_read(&j).kind, JSON_ARRAY);
    ck_assert(json_next_item(&j, true));
    item = json_read(&j);
    ck_assert(item.kind == JSON_NUMBER && item.n == 1 && item.bytes[0] == '1');
    ck_assert(json_next_item(&j, false));
    item = json_read(&j);
    ck_assert(item.kind == JSON_STRING && item.n == 3 && memcmp(item.bytes, "two", 3) == 0);
    ck_assert(!json_next_item(&j, false) && !json_is_wrong(&j));
    ck_assert(json_next_member(&j, false, &name) && name.bytes[0] == 'b');
    item = json_read(&j);
    ck_assert(item.kind == JSON_OBJECT && json_skip(&j, item));
    ck_assert(!json_next_member(&j, false, &name) && !json_is_wrong(&j) && json_ended(&j));
}
END_TEST

START_TEST(strings_without_escapes) {
    static const struct {
        const char *text, *plain; /* plain is NULL if there is none */
    } cases[] = {
        {"\"\"", ""},
        {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "a\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20ac\"", "A\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
        {"\"\\u0000\"", NULL}, /* a 0 byte would end the string */
        {"\"\\ud83d\"", NULL}, /* half of a pair */
        {"\"\\ud83dx\\ude00\"", NULL},
        {"\"\\ud83d\\u0041\"", NULL},
        {"\"\\ude00\\ud83d\"", NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char plain[32];
        json j = {cases[i].text, strlen(cases[i].text), 0};
        const json_value string = json_read(&j);
        ck_assert_int_eq(string.kind, JSON_STRING);
        const bool known = json_unescape(plain, sizeof plain, string);
        ck_assert_msg(known == (cases[i].plain != NULL), "%s", cases[i].text);
        if (known)
            ck_assert_str_eq(plain, cases[i].plain);
        const size_t room = cases[i].plain == NULL ? 0 : strlen(cases[i].plain);
        ck_assert(!json_unescape(plain, room, string)); /* there is no room for the 0 byte */
        ck_assert(!known || json_unescape(plain, room + 1, string));
    }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("json");
    tcase_add_test(tests, values);
    tcase_add_test(tests, truncated);
    tcase_add_test(tests, depth_is_bounded);
    tcase_add_test(tests, members_and_items);
    tcase_add_test(tests, strings_without_escapes);
    return run_tests("json", tests);
}
