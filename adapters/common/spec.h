/*
 * Spec: turns the arguments of an SQL function into a podium_spec. A call has either one text, which is a line as
 * podium_spec_format writes it, or min, max, epsilon and optionally a mechanism.
 */
#ifndef PODIUM_SQL_SPEC_H
#define PODIUM_SQL_SPEC_H

#include <podium_analysis.h>

#include <string.h>

#ifndef SQL_MESSAGE_MAX /* the tests use a smaller one */
#define SQL_MESSAGE_MAX 768
#endif

typedef struct sql_arguments {
    bool is_line;             /* whether the text is the whole spec, so that there are no numbers */
    double min, max, epsilon; /* 0 if the text is a line */
    const char *text;         /* the line, or the mechanism; NULL if no mechanism is given */
    size_t n;                 /* length of the text */
} sql_arguments;

/*
 * Sets the spec that the arguments describe. A mechanism is a name, optionally followed by a colon and its parameter;
 * NULL stands for the mechanism with number 0. Returns false if the text is wrong, and the message then says which
 * argument or which key is wrong, and what it must be. Numbers that are given beside a mechanism are not checked here,
 * because podium_collection_init does that.
 */
bool sql_spec(podium_spec *spec, char message[SQL_MESSAGE_MAX], const sql_arguments *arguments);

/* Writes both specs into the message, for arguments that should belong to one collection but belong to two. */
void sql_specs_differ(char message[SQL_MESSAGE_MAX], const podium_spec *a, const podium_spec *b);

/* ---- The arguments of an earlier call, so that the next call with the same text need not parse it ---- */

typedef struct sql_memo {
    bool is_kept;
    sql_arguments arguments; /* their text points to the copy below, or is NULL */
    char text[PODIUM_SPEC_TEXT_MAX];
} sql_memo;

/* Keeps the arguments, unless their text is too long. */
void sql_memo_keep(sql_memo *memo, const sql_arguments *arguments);

/* Returns whether these are the kept arguments. It is called for each row of a query. */
static inline bool sql_memo_has(const sql_memo *memo, const sql_arguments *arguments) {
    const sql_arguments *a = &memo->arguments, *b = arguments;
    return memo->is_kept && a->is_line == b->is_line && a->min == b->min && a->max == b->max &&
           a->epsilon == b->epsilon && a->n == b->n && (a->text == NULL) == (b->text == NULL) &&
           (a->n == 0 || memcmp(memo->text, b->text, a->n) == 0);
}

#endif
