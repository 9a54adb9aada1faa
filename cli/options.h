/*
 * Options: what a command takes, in tables. Parsing, help, completion and the check of the manual all read these
 * tables, so that they cannot disagree.
 */
#ifndef PODIUM_CLI_OPTIONS_H
#define PODIUM_CLI_OPTIONS_H

#include "cli.h"

typedef enum {
    OPTION_FLAG,    /* a bool, which becomes true; the only kind that takes no argument, besides the last two */
    OPTION_NUMBER,  /* a double */
    OPTION_COUNT,   /* a uint32_t or uint64_t: a whole number from least to most */
    OPTION_CHOICE,  /* an enum, or an unsigned: the number of the word, from 0 */
    OPTION_TEXT,    /* a const char * */
    OPTION_TEXTS,   /* a text_list, to which one text is added each time */
    OPTION_NUMBERS, /* a number_list, given with commas between the numbers */
    OPTION_OTHER,   /* whatever the option's own function reads */
    OPTION_REFUSED, /* other commands have this option; its help says why this one does not */
    OPTION_HELP     /* prints the help and ends the program */
} option_kind;

#define COLUMNS_MAX 1024 /* in one command */
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
    char letter;      /* the short form; 0: none */
    option_kind kind;
    bool repeatable;
    bool file;            /* the argument is the name of a file */
    bool wide;            /* OPTION_COUNT: of 64 bits */
    const char *argument; /* its name in help and manual; NULL: the words of a choice, with | between them */
    const char *help;     /* followed by the words of a choice whose argument has a name */
    size_t at;            /* where the value goes in the record of the group */
    size_t given;         /* where a bool becomes true if the option is given; 0: nobody asks */

    double least, most;                          /* OPTION_COUNT */
    size_t items;                                /* OPTION_NUMBERS: at most so many */
    const char *const *words;                    /* OPTION_CHOICE: NULL at the end; for other kinds, suggestions */
    const char *(*word)(size_t i);               /* the same as a function, which returns NULL after the last */
    bool (*allowed)(double x);                   /* OPTION_NUMBER and OPTION_NUMBERS; NULL: all numbers are */
    bool (*read)(void *value, const char *text); /* OPTION_OTHER */
    const char *takes; /* what the message says if `allowed` or `read` returns false: "--name TAKES, not 'text'" */
} option;

/* Where a value goes, for the rows of a table. A member of the wrong type does not compile. */
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
    const char *heading;   /* NULL: these options continue the group before */
    const option *options; /* NULL ends the groups of a command */
    size_t record;         /* where in the command's settings the record lies that the options fill in */
    const char *note;      /* printed after the options; may be NULL */
} option_group;

#define GROUPS_OF_OPTIONS 10
typedef struct {
    const char *name, *summary;
    const char *usage; /* what follows the name; with operands if and only if `operands` is set */
    bool operands;     /* the command takes the names of files */
    const char *note;  /* printed before the options; may be NULL */
    option_group groups[GROUPS_OF_OPTIONS];
    int (*run)(char **arguments); /* those after the command's name, NULL at the end; returns the exit status */
} command;

/* ---- options.c ---- */

/* Reads the arguments into the command's settings, and returns the operands, NULL at the end. Ends the program if help
   is asked for or if there is a usage error. */
char **options_parse(const command *c, void *settings, char **arguments);

/* The n-th option of a command, from 0, and its group; --help comes last, and then NULL. */
const option *option_at(const command *c, size_t n, const option_group **group);
bool option_has_argument(const option *o);
const char *option_word(const option *o, size_t i); /* NULL after the last */
/* The words, or as many as fit; returns text. */
#define WORDS_MAX 512
const char *option_words(char text[WORDS_MAX], const option *o, const char *separator);
/* What help and manual call the argument; "" if there is none. */
const char *option_argument(char text[WORDS_MAX], const option *o);

#define COUNT_MOST ((uint64_t)1 << 53) /* above it not every whole number is a double */
bool is_positive(double x);            /* for `allowed`, as the next two */
bool is_share(double x);               /* above 0, at most 1 */
bool is_confidence(double x);

/* ---- help.c ---- */

void help_all(FILE *to, const command *const *commands); /* which end in NULL, as in the next functions */
void help_command(FILE *to, const command *c);
/* One option a line, for programs: command, option, argument and words, with tabs between them. */
void help_list(FILE *to, const command *const *commands);
/* What may stand in place of the last of these words, one a line; COMPLETE_FILES stands for the names of files. */
#define COMPLETE_FILES "<files>"
void help_complete(FILE *to, const command *const *commands, char **words);

/* ---- Rows that several commands have ---- */

typedef enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV } output_format;
extern const char *const format_words[];

typedef struct {
    const char *path; /* NULL: standard output */
    const char *plot; /* NULL: no picture */
    output_format format;
} output_options;

#define ROW_OUTPUT                                                                                                     \
    {                                                                                                                  \
        .name = "output", .letter = 'o', .argument = "FILE", .file = true, TO_TEXT(output_options, path),              \
        .help = "replaced only when complete; standard output if not given"                                            \
    }
#define ROW_FORMAT                                                                                                     \
    { .name = "format", TO_CHOICE(output_options, format), .words = format_words, .help = "text if not given" }
#define ROW_PLOT(text)                                                                                                 \
    { .name = "plot", .argument = "FILE", .file = true, TO_TEXT(output_options, plot), .help = (text) }
extern const option output_option[]; /* ROW_OUTPUT alone */
#define OUTPUT_HEADING "Output"

#define ROW_CONFIDENCE(record, member)                                                                                 \
    {                                                                                                                  \
        .name = "confidence", .argument = "C", TO_NUMBER(record, member), .allowed = is_confidence,                    \
        .takes = "is between 0 and 1, such as 0.95", .help = "of the interval; 0.95 if not given"                      \
    }

#endif
