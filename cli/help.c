/* Help: prints the tables of options as text for people, as lines for programs, and as completions for a shell. */
#include "options.h"

#include <string.h>

enum { LINE_WIDTH = 100, HELP_COLUMN = 26 };

/* ---- For people ---- */

/* Prints the text and a line end, wrapped at LINE_WIDTH. The caller has already indented the first line. */
static void print_wrapped(FILE *to, const char *text, size_t indent) {
    size_t column = indent;
    for (size_t n; *text != '\0'; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        if (column > indent && column + 1 + n > LINE_WIDTH) {
            fprintf(to, "\n%*s", (int)indent, "");
            column = indent;
        }
        column += (size_t)fprintf(to, "%s%.*s", column > indent ? " " : "", (int)n, text);
    }
    fputc('\n', to);
}

/* Adds the limits that parsing enforces. COUNT_MOST is not worth mentioning. */
static void append_limits(char *help, size_t capacity, const option *o) {
    const size_t n = strlen(help);
    if (o->kind == OPTION_COUNT && o->most < (double)COUNT_MOST)
        snprintf(help + n, capacity - n, "; from %.0f to %.0f", o->least, o->most);
    else if (o->kind == OPTION_COUNT)
        snprintf(help + n, capacity - n, "; at least %.0f", o->least);
    else if (o->kind == OPTION_NUMBERS)
        snprintf(help + n, capacity - n, "; at most %zu numbers", o->items);
}

static void print_option(FILE *to, const option *o) {
    char letter[8] = "", argument[WORDS_MAX], words[WORDS_MAX], help[2 * WORDS_MAX];
    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    int column =
        fprintf(to, "  %s--%s%s%s", letter, o->name, option_has_argument(o) ? " " : "", option_argument(argument, o));
    if (column + 1 < HELP_COLUMN)
        fprintf(to, "%*s", HELP_COLUMN - column, "");
    else
        fprintf(to, "\n%*s", HELP_COLUMN, "");
    bool named = o->kind == OPTION_CHOICE && o->argument != NULL;
    snprintf(help, sizeof help, "%s%s", o->help, named ? option_words(words, o, ", ") : "");
    append_limits(help, sizeof help, o);
    print_wrapped(to, help, HELP_COLUMN);
}

/* Prints what separates two groups: the note of the one before, and the heading of the next. */
static void print_between(FILE *to, const option_group *before, const option_group *group) {
    if (before != NULL && before->note != NULL)
        print_wrapped(to, before->note, 0);
    if (before != NULL && (group->heading != NULL || before->note != NULL))
        fputc('\n', to);
    if (group->heading != NULL)
        fprintf(to, "%s:\n", group->heading);
}

void help_command(FILE *to, const command *c) {
    const option_group *group, *before = NULL;
    const option *o;
    fprintf(to, "podium %s: %s\n\nUsage: podium %s %s\n\n", c->name, c->summary, c->name, c->usage);
    if (c->note != NULL)
        print_wrapped(to, c->note, 0);
    if (c->note != NULL)
        fputc('\n', to);
    for (size_t i = 0; (o = option_at(c, i, &group)) != NULL; i++) {
        if (group != before)
            print_between(to, before, group);
        before = group;
        if (o->kind != OPTION_REFUSED)
            print_option(to, o);
    }
}

void help_all(FILE *to, const command *const *commands) {
    fputs("Learn from people's numbers without seeing one.\n\nUsage: podium COMMAND [OPTIONS]\n\n", to);
    for (; *commands != NULL; commands++)
        fprintf(to, "  %-10s  %s\n", (*commands)->name, (*commands)->summary);
    fputs("\nRun 'podium help COMMAND' for the options of a command, and 'man podium' for the manual.\n", to);
}

/* ---- For programs ---- */

void help_list(FILE *to, const command *const *commands) {
    const option_group *group;
    const option *o;
    char argument[WORDS_MAX], words[WORDS_MAX];
    for (; *commands != NULL; commands++)
        for (size_t i = 0; (o = option_at(*commands, i, &group)) != NULL; i++) {
            if (o->kind == OPTION_REFUSED)
                continue;
            option_argument(argument, o);
            option_words(words, o, "|");
            fprintf(to, "%s\t--%s\t%s\t%s\n", (*commands)->name, o->name, argument, words);
            if (o->letter != 0)
                fprintf(to, "%s\t-%c\t%s\t%s\n", (*commands)->name, o->letter, argument, words);
        }
}

static void complete_command(FILE *to, const command *const *commands) {
    for (; *commands != NULL; commands++)
        fprintf(to, "%s\n", (*commands)->name);
}

static void complete_options(FILE *to, const command *c) {
    const option_group *group;
    const option *o;
    for (size_t i = 0; (o = option_at(c, i, &group)) != NULL; i++) {
        if (o->kind == OPTION_REFUSED)
            continue;
        fprintf(to, "--%s\n", o->name);
        if (o->letter != 0)
            fprintf(to, "-%c\n", o->letter);
    }
}

/* Returns the option that a word names in full, if it needs an argument; otherwise NULL. */
static const option *option_before(const command *c, const char *word) {
    const option_group *group;
    const option *o;
    const char letter[] = {word[0] == '-' ? word[1] : '\0', '\0'};
    for (size_t i = 0; (o = option_at(c, i, &group)) != NULL; i++) {
        bool is_long = strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0;
        bool is_letter = letter[0] != '\0' && letter[0] == o->letter && word[2] == '\0';
        if ((is_long || is_letter) && option_has_argument(o))
            return o;
    }
    return NULL;
}

static void complete_argument(FILE *to, const option *o) {
    const char *word;
    for (size_t i = 0; (word = option_word(o, i)) != NULL; i++)
        fprintf(to, "%s\n", word);
    if (o->file)
        fputs(COMPLETE_FILES "\n", to);
}

static void complete_for(FILE *to, const command *c, const char *before, const char *current) {
    const option *o = option_before(c, before);
    if (o != NULL)
        complete_argument(to, o);
    else if (current[0] == '-')
        complete_options(to, c);
    else if (c->operands)
        fputs(COMPLETE_FILES "\n", to);
}

void help_complete(FILE *to, const command *const *commands, char **words) {
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    if (count <= 1) {
        complete_command(to, commands);
        fputs("help\nversion\n--help\n--version\n", to);
        return;
    }
    bool help = strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0;
    if (help && count == 2)
        complete_command(to, commands);
    for (; !help && *commands != NULL; commands++)
        if (strcmp((*commands)->name, words[0]) == 0)
            complete_for(to, *commands, words[count - 2], words[count - 1]);
}
