/* Collections: the options that describe a collection, and how one is made from them. */
#ifndef PODIUM_CLI_COLLECTION_H
#define PODIUM_CLI_COLLECTION_H

#include "options.h"

typedef struct {
    const char *command; /* for messages */
    bool exists;         /* the collection exists already, because the command reads its reports */
    text_list files;     /* --collection */
    podium_spec spec;    /* from the other options, except for the mechanism */
    unsigned mechanism;  /* a podium_mechanism; the number after the last mechanism is auto */
    podium_objective objective;
    struct {
        bool range, epsilon, mechanism, spread, cells, objective;
    } given;
} collection_options;

/* Options that several commands share, with a help text of their own */
#define ROW_RANGE(text)                                                                                                \
    {                                                                                                                  \
        .name = "range", .argument = "MIN:MAX", TO_OTHER(collection_options, spec, podium_spec, read_range),           \
        .takes = "takes two numbers, MIN:MAX", GIVEN(collection_options, given.range), .help = (text)                  \
    }
#define ROW_EPSILON(text)                                                                                              \
    {                                                                                                                  \
        .name = "epsilon", .argument = "E", TO_NUMBER(collection_options, spec.epsilon),                               \
        GIVEN(collection_options, given.epsilon), .help = (text)                                                       \
    }
#define ROW_SPREAD(text)                                                                                               \
    {                                                                                                                  \
        .name = "spread", .argument = "R", TO_NUMBER(collection_options, spec.spread), .allowed = is_spread,           \
        .takes = "must be from 0 to 0.25", GIVEN(collection_options, given.spread), .help = (text)                     \
    }
#define ROW_CELLS(text)                                                                                                \
    {                                                                                                                  \
        .name = "cells", .argument = "N", TO_COUNT(collection_options, spec.cells, 2, PODIUM_CELLS_MAX),               \
        GIVEN(collection_options, given.cells), .help = (text)                                                         \
    }
#define SPREAD_UNIFORM (1.0 / 12) /* the spread of values that are spread evenly over the range */

#define COLLECTION_HEADING "The collection (a file, or the options that describe it)"
bool read_range(void *spec, const char *text);
bool is_spread(double x);

extern const option spec_options[];       /* --range, --epsilon and so on */
extern const option collection_option[];  /* --collection */
extern const option collections_option[]; /* --collection, which may be repeated */

extern const char *const objective_words[];

/* Returns whether any option describes a collection. */
bool collection_given(const collection_options *options);
/* Returns whether --epsilon is the only such option. */
bool collection_is_epsilon(const collection_options *options);
/* Returns the collection that the options describe, the first one if there are several files, and sets its name, which
   is
   "" if it has none. This and the next two functions end the program if the collection is not valid. */
podium_collection collection_from(const collection_options *options, char name[PODIUM_NAME_MAX]);
/* The same without --collection. Says which mechanism auto has chosen. If the range is missing, the message continues
   with `instead`, unless the collection exists. */
podium_collection collection_described(const collection_options *options, const char *instead);
/* Reads a collection from a file, or from a spec on one line. */
podium_collection collection_read(const char *path, char name[PODIUM_NAME_MAX]);
/* Says in words what is wrong with the text of a collection, for which the parser returned this error; returns words.
   This is in mistake.c. */
#define MISTAKE_MAX 1024
const char *mistake_words(char words[MISTAKE_MAX], const char *text, const podium_error *error);
/* The same from the n bytes of a file that has been read, which a 0 byte follows; the path is for messages. */
podium_collection collection_parse(const char *path, char name[PODIUM_NAME_MAX], const char *text, size_t n);
/* Parses a spec on one line. Messages begin with `before`, such as "--collection ", or "" if it is an operand. */
podium_collection collection_parse_spec(const char *before, const char *text);
/* Returns whether an argument is a spec rather than the name of a file. */
bool collection_is_spec(const char *text);
/* Warns if the mechanism is a bad choice for this epsilon. */
void collection_warn(const podium_collection *collection);
/* Warns if epsilon is so large that reports nearly repeat the values. The message begins with the file, or with nothing
   if it is "". */
void collection_warn_of_epsilon(const podium_collection *collection, const char *file);
/* On a terminal, says which mechanism needs fewer people for the same accuracy, if the options leave it open. */
void collection_advise(const collection_options *options, const podium_collection *collection);
/* Ends the program if standard input would be read both as a collection and as data. */
void collection_check_input(const collection_options *options, char **files);

/* Returns the given spec for another mechanism, keeping only the parameters that this mechanism has. */
podium_spec spec_for(const podium_spec *given, podium_mechanism mechanism);

#endif
