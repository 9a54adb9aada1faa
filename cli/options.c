/* Options: parsing. Long options may be abbreviated if that is unambiguous; options and operands may come in any order.
 */
#include "options.h"
#include "table/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const format_words[] = {"text", "json", "csv", NULL};
const option output_option[] = {ROW_OUTPUT, {.name = NULL}};

bool is_positive(double x) {
    return x > 0;
}

bool is_share(double x) {
    return x > 0 && x <= 1;
}

bool is_confidence(double x) {
    return x > 0 && x < 1;
}

/* ---- The tables ---- */

const option *option_at(const command *c, size_t n, const option_group **group) {
    static const option help = {.name = "help", .letter = 'h', .kind = OPTION_HELP, .help = "print this help"};
    for (*group = c->groups; (*group)->options != NULL; ++*group)
        for (const option *o = (*group)->options; o->name != NULL; o++)
            if (n-- == 0)
                return o;
    return n == 0 ? &help : NULL;
}

bool option_has_argument(const option *o) {
    return o->kind != OPTION_FLAG && o->kind != OPTION_REFUSED && o->kind != OPTION_HELP;
}

const char *option_word(const option *o, size_t i) {
    return o->word != NULL ? o->word(i) : o->words != NULL ? o->words[i] : NULL;
}

const char *option_words(char text[WORDS_MAX], const option *o, const char *separator) {
    const char *word;
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; (word = option_word(o, i)) != NULL && n < WORDS_MAX; i++)
        n += (size_t)snprintf(text + n, WORDS_MAX - n, "%s%s", i == 0 ? "" : separator, word);
    return text;
}

const char *option_argument(char text[WORDS_MAX], const option *o) {
    if (o->argument == NULL)
        return option_words(text, o, "|");
    snprintf(text, WORDS_MAX, "%s", o->argument);
    return text;
}

/* ---- Values ---- */

#define OPTIONS_MAX 64 /* options per command */

typedef struct {
    const command *command;
    char *settings;
    char **next; /* the next argument */
    bool seen[OPTIONS_MAX];
} parsing;

static _Noreturn void refuse(const command *c, const option *o, const char *takes, const char *text) {
    fail_usage(c->name, "--%s %s, not '%s'", o->name, takes, text);
}

static bool is_allowed(const option *o, double x) {
    return o->allowed == NULL || o->allowed(x);
}

static void read_flag(const command *c, const option *o, void *value, const char *text) {
    (void)c, (void)o, (void)text;
    *(bool *)value = true;
}

static void read_number(const command *c, const option *o, void *value, const char *text) {
    double x;
    if (!number_read(&x, text, strlen(text)))
        refuse(c, o, "takes a number", text);
    if (!is_allowed(o, x))
        refuse(c, o, o->takes, text);
    *(double *)value = x;
}

static void read_count(const command *c, const option *o, void *value, const char *text) {
    double x;
    if (!number_read(&x, text, strlen(text)) || x != floor(x) || x < o->least || x > o->most) {
        char takes[128];
        snprintf(takes, sizeof takes, "takes a whole number from %.0f to %.0f", o->least, o->most);
        refuse(c, o, takes, text);
    }
    if (o->wide)
        *(uint64_t *)value = (uint64_t)x;
    else
        *(uint32_t *)value = (uint32_t)x;
}

static void read_choice(const command *c, const option *o, void *value, const char *text) {
    const char *word;
    for (unsigned i = 0; (word = option_word(o, i)) != NULL; i++)
        if (strcmp(word, text) == 0) {
            *(unsigned *)value = i;
            return;
        }
    char words[WORDS_MAX], takes[WORDS_MAX + 16];
    snprintf(takes, sizeof takes, "must be one of %s", option_words(words, o, ", "));
    refuse(c, o, takes, text);
}

static void read_text(const command *c, const option *o, void *value, const char *text) {
    (void)c, (void)o;
    *(const char **)value = text;
}

static void read_texts(const command *c, const option *o, void *value, const char *text) {
    text_list *list = value;
    if (list->count == COLUMNS_MAX)
        fail_usage(c->name, "--%s is given more than %d times", o->name, COLUMNS_MAX);
    list->of[list->count++] = text;
}

static void read_numbers(const command *c, const option *o, void *value, const char *text) {
    number_list *list = value;
    for (const char *at = text; list->count < o->items; at++) {
        size_t n = strcspn(at, ",");
        double *x = &list->of[list->count++];
        if (!number_read(x, at, n) || !is_allowed(o, *x))
            refuse(c, o, o->takes, text);
        at += n;
        if (*at == '\0')
            return;
    }
    fail_usage(c->name, "--%s takes at most %zu numbers", o->name, o->items);
}

static void read_other(const command *c, const option *o, void *value, const char *text) {
    if (!o->read(value, text))
        refuse(c, o, o->takes, text);
}

static void read_refused(const command *c, const option *o, void *value, const char *text) {
    (void)value, (void)text;
    fail_usage(c->name, "--%s %s", o->name, o->help);
}

static void read_help(const command *c, const option *o, void *value, const char *text) {
    (void)o, (void)value, (void)text;
    help_command(stdout, c);
    exit(close_stdout(DONE));
}

typedef void reader(const command *c, const option *o, void *value, const char *text);
static reader *const readers[] = {
    [OPTION_FLAG] = read_flag,       [OPTION_NUMBER] = read_number, [OPTION_COUNT] = read_count,
    [OPTION_CHOICE] = read_choice,   [OPTION_TEXT] = read_text,     [OPTION_TEXTS] = read_texts,
    [OPTION_NUMBERS] = read_numbers, [OPTION_OTHER] = read_other,   [OPTION_REFUSED] = read_refused,
    [OPTION_HELP] = read_help,
};

/* ---- Arguments ---- */

/* Sets the n-th option from its argument. */
static void set_option(parsing *p, size_t n, const char *text) {
    const option_group *group;
    const option *o = option_at(p->command, n, &group);
    char *record = p->settings + group->record;
    if (p->seen[n] && !o->repeatable)
        fail_usage(p->command->name, "--%s is given twice", o->name);
    p->seen[n] = true;
    readers[o->kind](p->command, o, record + o->at, text);
    if (o->given > 0)
        *(bool *)(record + o->given) = true;
}

static _Noreturn void fail_ambiguous(const command *c, const char *name, size_t n) {
    char possible[WORDS_MAX] = "";
    const option_group *group;
    const option *o;
    for (size_t i = 0; (o = option_at(c, i, &group)) != NULL; i++)
        if (strncmp(o->name, name, n) == 0)
            snprintf(possible + strlen(possible), sizeof possible - strlen(possible), " '--%s'", o->name);
    fail_usage(c->name, "option '--%.*s' is ambiguous; possibilities:%s", (int)n, name, possible);
}

/* Returns the number of the option whose name is the first n bytes of `name`, or else of the only one that begins so.
 */
static size_t find_long(const command *c, const char *name, size_t n) {
    const option_group *group;
    const option *o;
    size_t matches = 0, found = 0;
    for (size_t i = 0; i < OPTIONS_MAX && (o = option_at(c, i, &group)) != NULL; i++) {
        if (strncmp(o->name, name, n) != 0)
            continue;
        if (o->name[n] == '\0')
            return i;
        matches++;
        found = i;
    }
    if (matches == 0)
        fail_usage(c->name, "unrecognized option '--%.*s'", (int)n, name);
    if (matches > 1)
        fail_ambiguous(c, name, n);
    return found;
}

/* --name, --name=value or --name value */
static void parse_long(parsing *p, const char *name) {
    const size_t length = strcspn(name, "=");
    const size_t n = find_long(p->command, name, length);
    const option_group *group;
    const option *o = option_at(p->command, n, &group);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (value != NULL && !option_has_argument(o) && o->kind != OPTION_REFUSED)
        fail_usage(p->command->name, "option '--%s' doesn't allow an argument", o->name);
    if (value == NULL && option_has_argument(o) && (value = *p->next++) == NULL)
        fail_usage(p->command->name, "option '--%s' requires an argument", o->name);
    set_option(p, n, value);
}

static size_t find_letter(const command *c, char letter) {
    const option_group *group;
    const option *o;
    for (size_t i = 0; i < OPTIONS_MAX && (o = option_at(c, i, &group)) != NULL; i++)
        if (o->letter == letter)
            return i;
    fail_usage(c->name, "invalid option -- '%c'", letter);
}

/* -o value or -ovalue; after a letter without an argument another letter may follow */
static void parse_letters(parsing *p, const char *letters) {
    for (; *letters != '\0'; letters++) {
        const size_t n = find_letter(p->command, *letters);
        const option_group *group;
        if (!option_has_argument(option_at(p->command, n, &group))) {
            set_option(p, n, NULL);
            continue;
        }
        const char *value = letters[1] != '\0' ? letters + 1 : *p->next++;
        if (value == NULL)
            fail_usage(p->command->name, "option requires an argument -- '%c'", *letters);
        set_option(p, n, value);
        return;
    }
}

static void check_controls(const command *c, const char *word) {
    for (const char *at = word; *at != '\0'; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
            fail_usage(c->name, "this option contains a control character: '%s'", word);
}

char **options_parse(const command *c, void *settings, char **arguments) {
    parsing p = {.command = c, .settings = settings, .next = arguments};
    char **operands = arguments; /* operands are moved to the front */
    size_t count = 0;
    bool ended = false;
    while (*p.next != NULL) {
        char *word = *p.next++;
        if (ended || word[0] != '-' || word[1] == '\0') {
            operands[count++] = word;
            continue;
        }
        check_controls(c, word);
        ended = strcmp(word, "--") == 0;
        if (!ended && word[1] == '-')
            parse_long(&p, word + 2);
        else if (!ended)
            parse_letters(&p, word + 1);
    }
    operands[count] = NULL;
    if (count > 0 && !c->operands)
        fail_usage(c->name, "unexpected argument '%s'", operands[0]);
    return operands;
}
