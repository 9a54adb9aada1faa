/*
 * Options: tables that describe the options of each command. Parsing, help, completion and the test of the manuals all
 * use these tables, so they cannot disagree.
 */
#ifndef PODIUM_CLI_OPTIONS_H
#define PODIUM_CLI_OPTIONS_H

#include "cli.h"

typedef enum {
    OPTION_FLAG,    /* sets a bool to true; takes no argument, like the last two kinds */
    OPTION_NUMBER,  /* a double */
    OPTION_COUNT,   /* a whole number from least to most, as a uint32_t or uint64_t */
    OPTION_CHOICE,  /* one of some words, as its number from 0 in an enum or unsigned */
    OPTION_TEXT,    /* a const char * */
    OPTION_TEXTS,   /* adds a text to a text_list */
    OPTION_NUMBERS, /* a number_list, written with commas between the numbers */
    OPTION_OTHER,   /* whatever the function `read` of the option reads */
    OPTION_REFUSED, /* an option of other commands; its help says why this command has none */
    OPTION_HELP     /* prints the help and ends the program */
} option_kind;

#define COLUMNS_MAX 1024 /* columns in one run of the program */
typedef struct {
    const char *of[COLUMNS_MAX];
    size_t count;
} text_list;

#define NUMBERS_MAX 128
typedef struct {
    double of[NUMBERS_MAX];
    size_t count;
} number_list;

typedef struct {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* the short form; 0 if there is none */
    option_kind kind;
    bool repeatable;
    bool file;            /* the argument is the name of a file */
    bool wide;            /* OPTION_COUNT: the number has 64 bits */
    const char *argument; /* its name in help and manual; NULL stands for the words of a choice with | between them */
    const char *help;     /* the words of a choice follow if its argument has a name, and so do limits */
    size_t at;            /* the offset of the value in the record of the group */
    size_t given;         /* the offset of a bool that becomes true if the option is given; 0 if there is none */

    double least, most;            /* OPTION_COUNT */
    size_t items;                  /* OPTION_NUMBERS: how many are allowed at most */
    const char *const *words;      /* OPTION_CHOICE: ends in NULL; for other kinds these are suggestions */
    const char *(*word)(size_t i); /* instead of words; returns NULL after the last */
    bool (*allowed)(double x);     /* OPTION_NUMBER and OPTION_NUMBERS; NULL allows all numbers */
    bool (*read)(void *value, const char *text); /* OPTION_OTHER */
    const char *takes; /* the message if `allowed` or `read` returns false is "--name TAKES, not 'text'" */
} option;

/* Where a value is stored, for the rows of a table. A member of the wrong type does not compile. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a type in a _Generic cannot have any */
#define FIELD(type, record, member) _Generic(((record *)0)->member, type : offsetof(record, member))
#define TO_FLAG(record, member) .kind = OPTION_FLAG, .at = FIELD(bool, record, member)
#define TO_NUMBER(record, member) .kind = OPTION_NUMBER, .at = FIELD(double, record, member)
#define TO_COUNT(record, member, from, to)                                                                             \
    .kind = OPTION_COUNT, .at = offsetof(record, member), .least = (double)(from), .most = (double)(to),               \
    .wide = _Generic(((record *)0)->member, uint32_t                                                                   \
                     : false, uint64_t                                                                                 \
                     : true)
#define TO_CHOICE(record, member) .kind = OPTION_CHOICE, .at = FIELD(unsigned, record, member)
#define TO_TEXT(record, member) .kind = OPTION_TEXT, .at = FIELD(const char *, record, member)
#define TO_TEXTS(record, member) .kind = OPTION_TEXTS, .at = FIELD(text_list, record, member)
#define TO_NUMBERS(record, member) .kind = OPTION_NUMBERS, .at = FIELD(number_list, record, member)
#define TO_OTHER(record, member, type, function)                                                                       \
    .kind = OPTION_OTHER, .at = FIELD(type, record, member), .read = (function)
#define GIVEN(record, member) .given = FIELD(bool, record, member)

/* Options that belong together. The same table may be part of several commands. */
typedef struct {
    const char *heading;   /* NULL continues the group before */
    const option *options; /* NULL ends the groups of a command */
    size_t record;         /* the offset of the record that the options fill in, in the command's settings */
    const char *note;      /* printed after the options; may be NULL */
} option_group;

#define GROUPS_OF_OPTIONS 12 /* and one of them ends the list */
typedef struct {
    const char *name, *summary;
    const char *usage; /* what follows the name; it shows operands exactly if `operands` is set */
    bool operands;     /* the arguments may include names of files */
    const char *note;  /* printed before the options; may be NULL */
    option_group groups[GROUPS_OF_OPTIONS];
    int (*run)(char **arguments); /* the arguments after the name end in NULL; returns the exit status */
} command;

/* ---- options.c ---- */

/* Parses the arguments into the settings and returns the operands, which end in NULL. Ends the program after --help and
   after usage errors. */
char **options_parse(const command *c, void *settings, char **arguments);

/* Returns the n-th option of a command, from 0, and sets its group. --help comes last; after it NULL is returned. */
const option *option_at(const command *c, size_t n, const option_group **group);
bool option_has_argument(const option *o);
const char *option_word(const option *o, size_t i); /* NULL after the last */
/* Writes the words, or as many as fit, and returns text. */
#define WORDS_MAX 512
const char *option_words(char text[WORDS_MAX], const option *o, const char *separator);
/* Writes the name of the argument in help and manual, "" if there is none, and returns text. */
const char *option_argument(char text[WORDS_MAX], const option *o);

#define COUNT_MOST ((uint64_t)1 << 53) /* above this not every whole number is a double */
/* For `allowed` */
bool is_positive(double x);
bool is_share(double x);      /* above 0 and at most 1 */
bool is_confidence(double x); /* above 0 and below 1 */

/* ---- help.c ---- */

/* In all of these, the commands end in NULL. */
void help_all(FILE *to, const command *const *commands);
void help_command(FILE *to, const command *c);
/* Prints one option per line, for programs: command, option, argument and words, separated by tabs. */
void help_list(FILE *to, const command *const *commands);
/* Prints what the last of these words can be completed to, one candidate per line; COMPLETE_FILES stands for files. */
#define COMPLETE_FILES "<files>"
void help_complete(FILE *to, const command *const *commands, char **words);

/* ---- Options that several commands share ---- */

typedef enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV } output_format;
extern const char *const format_words[];

typedef struct {
    const char *path;  /* NULL is standard output */
    const char *plot;  /* NULL if no picture is wanted */
    const char *title; /* of the picture; NULL if not given */
    output_format format;
} output_options;

#define ROW_OUTPUT                                                                                                     \
    {                                                                                                                  \
        .name = "output", .letter = 'o', .argument = "FILE", .file = true, TO_TEXT(output_options, path),              \
        .help = "write to FILE, which is replaced only when complete; standard output if not given"                    \
    }
#define ROW_FORMAT                                                                                                     \
    {                                                                                                                  \
        .name = "format", TO_CHOICE(output_options, format), .words = format_words,                                    \
        .help = "the format of the output; text if not given"                                                          \
    }
#define ROW_PLOT(text)                                                                                                 \
    { .name = "plot", .argument = "FILE", .file = true, TO_TEXT(output_options, plot), .help = (text) }
#define ROW_TITLE                                                                                                      \
    { .name = "title", .argument = "TEXT", TO_TEXT(output_options, title), .help = "the title of the picture" }
extern const option output_option[]; /* ROW_OUTPUT alone */
#define OUTPUT_HEADING "Output"

#define ROW_CONFIDENCE(record, member)                                                                                 \
    {                                                                                                                  \
        .name = "confidence", .argument = "C", TO_NUMBER(record, member), .allowed = is_confidence,                    \
        .takes = "must be between 0 and 1, such as 0.95",                                                              \
        .help = "the confidence of the interval, between 0 and 1; 0.95 if not given"                                   \
    }

#endif
