/* The arguments that all SQL functions share, in every locale, and with a message that has no room for all names. */
#include <check.h>
#include <locale.h>

#include "spec.h"
#include "support.h"

static bool spec(podium_spec *to, char message[SQL_MESSAGE_MAX], const char *mechanism) {
    return sql_spec(to, message, 0, 1, 1, mechanism, strlen(mechanism));
}

START_TEST(parameters_in_other_locales) {
    char message[SQL_MESSAGE_MAX];
    podium_spec s = {.cells = 0};
    enter_locale(odd_locales[_i]);
    bool tuned = spec(&s, message, "podium-tuned:0.05") && s.spread == 0.05;
    bool minimax = spec(&s, message, "minimax:1024.0") && s.cells == 1024;
    bool comma = spec(&s, message, "podium-tuned:0,05"), own = spec(&s, message, "podium-tuned:0\xd9\xab");
    setlocale(LC_NUMERIC, "C");
    ck_assert(tuned && minimax && !comma && !own);
}
END_TEST

START_TEST(wrong_parameters) {
    static const char *const wrong[] = {"podium-tuned",   "podium-tuned:",     "podium-tuned:-0.1", "podium-tuned:0.26",
                                        "podium-tuned:.", "podium-tuned:1e-1", "minimax:1",         "minimax:2.5",
                                        "minimax:65537",  "minimax:+16",       "minimax:0x10",      "podium:1",
                                        "duchi:2"};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char message[SQL_MESSAGE_MAX];
        podium_spec s;
        ck_assert_msg(!spec(&s, message, wrong[i]), "%s", wrong[i]);
    }
}
END_TEST

START_TEST(a_message_that_is_too_long) { /* it is cut, and what lies behind it stays */
    char guarded[SQL_MESSAGE_MAX + 512];
    podium_spec s;
    memset(guarded, '#', sizeof guarded);
    ck_assert(!spec(&s, guarded, "a mechanism with a name that is longer than the message allows for"));
    ck_assert_uint_lt(strnlen(guarded, sizeof guarded), SQL_MESSAGE_MAX);
    ck_assert_int_eq(strncmp(guarded, "no mechanism is called \"a mechanism with", 39), 0);
    for (size_t i = SQL_MESSAGE_MAX; i < sizeof guarded; i++)
        ck_assert_int_eq(guarded[i], '#');
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("sql_spec");
    tcase_add_loop_test(tests, parameters_in_other_locales, 0, LENGTH(odd_locales));
    tcase_add_test(tests, wrong_parameters);
    tcase_add_test(tests, a_message_that_is_too_long);
    return run_tests("sql_spec", tests);
}
