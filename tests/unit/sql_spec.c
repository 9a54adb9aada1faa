/* The arguments of an SQL call, in both forms, in every locale, and with a short message buffer. */
#include <check.h>
#include <locale.h>

#include "spec.h"
#include "support.h"

static bool spec_from_mechanism(podium_spec *to, char message[SQL_MESSAGE_MAX], const char *mechanism) {
    return sql_spec(to, message, &(sql_arguments){false, 2, 7, 0.5, mechanism, strlen(mechanism)});
}

static bool spec_from_line(podium_spec *to, char message[SQL_MESSAGE_MAX], const char *line) {
    return sql_spec(to, message, &(sql_arguments){.is_line = true, .text = line, .n = strlen(line)});
}

START_TEST(parameters_in_other_locales) {
    char message[SQL_MESSAGE_MAX];
    podium_spec s = {.cells = 0};
    enter_locale(odd_locales[_i]);
    bool tuned = spec_from_mechanism(&s, message, "podium-tuned:0.05") && s.spread == 0.05;
    bool minimax = spec_from_mechanism(&s, message, "minimax:1024.0") && s.cells == 1024;
    bool comma = spec_from_mechanism(&s, message, "podium-tuned:0,05");
    bool own = spec_from_mechanism(&s, message, "podium-tuned:0\xd9\xab");
    setlocale(LC_NUMERIC, "C");
    ck_assert(tuned && minimax && !comma && !own);
}
END_TEST

/* Every mechanism of the registry: its line, and its name with the parameter after a colon, make the same spec. */
START_TEST(both_forms_agree) {
    char message[SQL_MESSAGE_MAX], line[PODIUM_SPEC_TEXT_MAX], mechanism[PODIUM_SPEC_TEXT_MAX];
    for (size_t m = 0; m < podium_mechanism_count(); m++) {
        podium_spec wanted = spec_of((podium_mechanism)m, 0.5, 2, 7), a, b;
        const char *key = podium_mechanism_parameter((podium_mechanism)m);
        wanted.cells = key != NULL && strcmp(key, "cells") == 0 ? 64 : 0;
        ck_assert_uint_gt(podium_spec_format(&wanted, line, sizeof line), 0);
        ck_assert_msg(spec_from_line(&a, message, line) && podium_spec_equal(&a, &wanted), "%s", line);
        const char *name = podium_mechanism_name((podium_mechanism)m), *value = strrchr(line, '=');
        snprintf(mechanism, sizeof mechanism, "%s%s%s", name, key == NULL ? "" : ":", key == NULL ? "" : value + 1);
        ck_assert_msg(spec_from_mechanism(&b, message, mechanism) && podium_spec_equal(&b, &wanted), "%s", mechanism);
    }
}
END_TEST

START_TEST(no_mechanism_is_the_first) {
    char message[SQL_MESSAGE_MAX];
    podium_spec s = {.cells = 5};
    ck_assert(sql_spec(&s, message, &(sql_arguments){.min = 2, .max = 7, .epsilon = 0.5}));
    ck_assert(s.mechanism == 0 && s.min == 2 && s.max == 7 && s.epsilon == 0.5 && s.cells == 0);
}
END_TEST

START_TEST(wrong_parameters) {
    static const char *const wrong[] = {
        "podium-tuned",
        "podium-tuned:",
        "podium-tuned:-0.1",
        "podium-tuned:0.26",
        "podium-tuned:.",
        "minimax:1",
        "minimax:2.5",
        "minimax:65537",
        "minimax:0x10",
        "podium:1",
        "duchi:2",
        "minimax:inf",
        "minimax:16 cells=16",
        "minimax:16 x",
        "minimax:16 epsilon=2",
        "minimax spread=0.1",
        "minimax x:1024",
        " minimax",
        "minimax ",
        ":",
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char message[SQL_MESSAGE_MAX];
        podium_spec s;
        ck_assert_msg(!spec_from_mechanism(&s, message, wrong[i]), "%s", wrong[i]);
    }
}
END_TEST

/* The message begins with what is wrong, and names the key. */
START_TEST(wrong_lines) {
    static const char *const wrong[][2] = {
        {"", "no mechanism is called \"\"; it must be one of podium, "},
        {"gauss epsilon=1 range=0:1", "no mechanism is called \"gauss\"; it must be"},
        {"podium range=0:1", "spec lacks \"epsilon=\"; it should read like \"podium epsilon=1 range=0:1\""},
        {"podium epsilon=1", "spec lacks \"range=\"; it should read like"},
        {"podium epsilon=1 range=0:1 epsilon=1", "spec is wrong at \"epsilon\", column 28; it should"},
        {"podium epsilon=x range=0:1", "spec is wrong at \"epsilon\", column 8; it should"},
        {"podium epsilon=0 range=0:1", "spec is wrong at \"epsilon\", column 8; epsilon is not positive"},
        {"podium epsilon=1 range=1:0", "spec is wrong at \"range\", column 18; min is not below max"},
        {"podium epsilon=1 range=1", "spec is wrong at \"range\", column 18; it should"},
        {"podium epsilon=1 range=0:1 sigma=2", "spec is wrong at \"sigma\", column 28; it should"},
        {"podium epsilon=1 range=0:1 cells=2", "spec is wrong at \"cells\", column 28; cells must be"},
        {"minimax epsilon=1 range=0:1 cells=1", "spec is wrong at \"cells\", column 29; cells must be"},
        {"podium-tuned epsilon=1 range=0:1", "spec lacks \"spread=\""},
        {"podium 1 0 1", "spec is wrong at \"1\", column 8; it should"},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char message[SQL_MESSAGE_MAX];
        podium_spec s;
        ck_assert_msg(!spec_from_line(&s, message, wrong[i][0]), "%s", wrong[i][0]);
        ck_assert_msg(strncmp(message, wrong[i][1], strlen(wrong[i][1])) == 0, "%s: %s", wrong[i][0], message);
    }
}
END_TEST

START_TEST(a_message_that_is_too_long) { /* A long message is cut, and the bytes after the buffer are untouched. */
    char guarded[SQL_MESSAGE_MAX + 512];
    podium_spec s;
    memset(guarded, '#', sizeof guarded);
    ck_assert(!spec_from_mechanism(&s, guarded, "a mechanism with a name that is longer than the message allows for"));
    ck_assert_uint_lt(strnlen(guarded, sizeof guarded), SQL_MESSAGE_MAX);
    ck_assert_int_eq(strncmp(guarded, "no mechanism is called \"a mechanism with", 39), 0);
    for (size_t i = SQL_MESSAGE_MAX; i < sizeof guarded; i++)
        ck_assert_int_eq(guarded[i], '#');
}
END_TEST

/* Kept arguments are found only if the form, the numbers and the text are the same. */
START_TEST(memo) {
    static const char line[] = "podium epsilon=1 range=0:1";
    static char too_long[PODIUM_SPEC_TEXT_MAX + 1];
    const sql_arguments kept = {false, 0, 1, 1, "podium", 6};
    const sql_arguments others[] = {
        {true, 0, 1, 1, "podium", 6},  {false, 0.5, 1, 1, "podium", 6}, {false, 0, 2, 1, "podium", 6},
        {false, 0, 1, 2, "podium", 6}, {false, 0, 1, 1, "podiun", 6},   {false, 0, 1, 1, "podium-", 7},
        {false, 0, 1, 1, NULL, 0},     {false, 0, 1, 1, "", 0},         {true, 0, 0, 0, line, sizeof line - 1}};
    sql_memo m = {.is_kept = false};
    ck_assert(!sql_memo_has(&m, &kept));
    sql_memo_keep(&m, &kept);
    ck_assert(sql_memo_has(&m, &kept));
    for (size_t i = 0; i < LENGTH(others); i++)
        ck_assert_msg(!sql_memo_has(&m, &others[i]), "%zu", i);
    sql_memo_keep(&m, &(sql_arguments){false, 0, 1, 1, NULL, 0});
    ck_assert(!sql_memo_has(&m, &(sql_arguments){false, 0, 1, 1, "", 0}));
    sql_memo_keep(&m, &(sql_arguments){true, 0, 0, 0, too_long, sizeof too_long});
    ck_assert(!m.is_kept);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("sql_spec");
    tcase_add_loop_test(tests, parameters_in_other_locales, 0, LENGTH(odd_locales));
    tcase_add_test(tests, both_forms_agree);
    tcase_add_test(tests, no_mechanism_is_the_first);
    tcase_add_test(tests, wrong_parameters);
    tcase_add_test(tests, wrong_lines);
    tcase_add_test(tests, a_message_that_is_too_long);
    tcase_add_test(tests, memo);
    return run_tests("sql_spec", tests);
}
