/* The labels of a collection, and the sets of them that batches carry. */
#include <check.h>

#include "labels.h"
#include "support.h"

/* Declares the labels of a list that ends in NULL. */
static labels declared(const char *const *declarations) {
    labels all = {.count = 0};
    for (; *declarations != NULL; declarations++)
        ck_assert_ptr_null(labels_declare(&all, *declarations));
    return all;
}

#define DECLARED(...) declared((const char *const[]){__VA_ARGS__, NULL})

static void check_text(const labels *all, const label_set *set, const char *expected) {
    text t = {.bytes = NULL};
    label_set again;
    label_set_print(&t, all, set);
    ck_assert_str_eq(t.bytes, expected);
    ck_assert(label_set_parse(all, &again, t.bytes));
    ck_assert_mem_eq(&again, set, sizeof again);
    text_free(&t);
}

START_TEST(declarations) {
    static const char *const wrong[] = {
        "",          "region",     "=north",     "region=", "region=a,",  "region=,a",  "region=a,a",  "reg ion=a",
        "region=a ", "region=a:b", "region=a=b", "re\"g=a", "region=a;b", "region=a&b", "region=a\\b", "region=a\x7f"};
    char long_word[80];
    memset(long_word, 'x', sizeof long_word);
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        labels all = {.count = 0};
        ck_assert_msg(labels_declare(&all, wrong[i]) != NULL, "accepted: %s", wrong[i]);
        labels_free(&all);
    }
    labels all = {.count = 0};
    memcpy(long_word, "r=", 2);
    long_word[2 + LABEL_TEXT_MAX] = '\0'; /* one character more than there may be */
    ck_assert_ptr_nonnull(labels_declare(&all, long_word));
    labels_free(&all);
    long_word[1 + LABEL_TEXT_MAX] = '\0';
    ck_assert_ptr_null(labels_declare(&all, long_word));
    labels_free(&all);
}
END_TEST

START_TEST(limits) {
    labels all = {.count = 0};
    char declaration[16];
    for (int i = 0; i < LABELS_MAX; i++) {
        snprintf(declaration, sizeof declaration, "l%d=a", i);
        ck_assert_ptr_null(labels_declare(&all, declaration)); /* 2^8 sets */
    }
    ck_assert_ptr_nonnull(labels_declare(&all, "l8=a"));
    labels_free(&all);
    ck_assert_ptr_null(labels_declare(&all, "a=1,2,3,4,5,6,7,8,9"));
    ck_assert_ptr_nonnull(labels_declare(&all, "a=1")); /* twice */
    ck_assert_ptr_null(labels_declare(&all, "b=1,2,3,4,5,6,7,8,9"));
    ck_assert_ptr_null(labels_declare(&all, "c=1,2,3,4,5,6,7,8,9")); /* 10^3 sets, where a label may be missing */
    ck_assert_ptr_nonnull(labels_declare(&all, "d=1"));
    labels_free(&all);
}
END_TEST

START_TEST(order_does_not_matter) {
    labels one = DECLARED("region=north,south", "age=old,young"),
           other = DECLARED("age=old,young", "region=north,south");
    label_set first = {{0}}, second = {{0}};
    ck_assert_ptr_null(label_set_add(&one, &first, "region", "south"));
    ck_assert_ptr_null(label_set_add(&one, &first, "age", "old"));
    ck_assert_ptr_null(label_set_add(&other, &second, "age", "old"));
    ck_assert_ptr_null(label_set_add(&other, &second, "region", "south"));
    check_text(&one, &first, "{\"age\": \"old\", \"region\": \"south\"}");
    check_text(&other, &second, "{\"age\": \"old\", \"region\": \"south\"}");
    labels_free(&one);
    labels_free(&other);
}
END_TEST

START_TEST(only_what_is_declared) {
    labels all = DECLARED("region=north,south");
    label_set set = {{0}};
    check_text(&all, &set, "{}");
    ck_assert_ptr_nonnull(label_set_add(&all, &set, "region", "west"));
    ck_assert_ptr_nonnull(label_set_add(&all, &set, "Region", "north"));
    ck_assert_ptr_nonnull(label_set_add(&all, &set, "region", ""));
    check_text(&all, &set, "{}");
    ck_assert_ptr_null(label_set_add(&all, &set, "region", "north"));
    ck_assert_ptr_nonnull(label_set_add(&all, &set, "region", "south")); /* twice */
    check_text(&all, &set, "{\"region\": \"north\"}");
    static const char *const wrong[] = {"", "[]", "{\"region\": 1}", "{\"region\": \"north\""};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        ck_assert_msg(!label_set_parse(&all, &set, wrong[i]), "accepted: %s", wrong[i]);
    /* What was declared once may be stored, and only that label is left out. */
    ck_assert(label_set_parse(&all, &set, "{\"land\": \"x\", \"region\": \"north\"}"));
    check_text(&all, &set, "{\"region\": \"north\"}");
    ck_assert(label_set_parse(&all, &set, "{\"region\": \"west\"}"));
    check_text(&all, &set, "{}");
    labels_free(&all);
}
END_TEST

START_TEST(sets_match) {
    labels all = DECLARED("region=north,south", "age=old,young");
    label_set none = {{0}}, north = {{0}}, old_north = {{0}}, south = {{0}};
    label_set_add(&all, &north, "region", "north");
    label_set_add(&all, &south, "region", "south");
    label_set_add(&all, &old_north, "region", "north");
    label_set_add(&all, &old_north, "age", "old");
    ck_assert(label_set_matches(&old_north, &north) && label_set_matches(&north, &none));
    ck_assert(!label_set_matches(&north, &old_north) && !label_set_matches(&south, &north));
    ck_assert(!label_set_matches(&none, &north) && label_set_matches(&none, &none));
    labels_free(&all);
}
END_TEST

START_TEST(printed) {
    labels all = DECLARED("region=north,s\xc3\xbc"
                          "d",
                          "age=old");
    text t = {.bytes = NULL};
    labels_print(&t, &all);
    ck_assert_str_eq(t.bytes, "{\"age\": [\"old\"], \"region\": [\"north\", \"s\xc3\xbc"
                              "d\"]}");
    text_free(&t);
    labels_free(&all);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("labels");
    tcase_add_test(tests, declarations);
    tcase_add_test(tests, limits);
    tcase_add_test(tests, order_does_not_matter);
    tcase_add_test(tests, only_what_is_declared);
    tcase_add_test(tests, sets_match);
    tcase_add_test(tests, printed);
    return run_tests("labels", tests);
}
