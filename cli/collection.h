/* Collections: the options that describe one, and what they describe. */
#ifndef PODIUM_CLI_COLLECTION_H
#define PODIUM_CLI_COLLECTION_H

#include "options.h"

typedef struct {
    const char *command; /* for messages */
    text_list files;     /* --collection */
    podium_spec spec;    /* as far as it is given, except for the mechanism */
    unsigned mechanism;  /* a podium_mechanism; the number after the last one is auto */
    podium_objective objective;
    struct {
        bool range, epsilon, mechanism, spread, cells, objective;
    } given;
} collection_options;

/* Rows that commands with a text of their own share */
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
        .takes = "is from 0 to 0.25", GIVEN(collection_options, given.spread), .help = (text)                          \
    }
#define ROW_CELLS(text)                                                                                                \
    {                                                                                                                  \
        .name = "cells", .argument = "N", TO_COUNT(collection_options, spec.cells, 2, PODIUM_MINIMAX_CELLS_MAX),       \
        GIVEN(collection_options, given.cells), .help = (text)                                                         \
    }
#define SPREAD_UNIFORM (1.0 / 12) /* of values spread evenly over the range */

#define COLLECTION_HEADING "Which collection (a file, or the options that describe it)"
bool read_range(void *spec, const char *text);
bool is_spread(double x);

extern const option spec_options[];       /* what describes a collection */
extern const option collection_option[];  /* --collection */
extern const option collections_option[]; /* --collection, which may be given more than once */

extern const char *const objective_words[];

bool collection_given(const collection_options *options);
/* The collection that the options describe, and its name ("" if it has none); the first if several files are given. */
podium_collection collection_from(const collection_options *options, char name[PODIUM_NAME_MAX]);
/* The collection that all options but --collection describe. Says what auto has chosen. If the range is missing,
   the message goes on with `instead`. */
podium_collection collection_described(const collection_options *options, const char *instead);
/* The collection in a file, or fail. */
podium_collection collection_read(const char *path, char name[PODIUM_NAME_MAX]);
/* Warns of a mechanism that does badly at this epsilon. */
void collection_warn(const podium_collection *collection);
/* A usage error if both a collection and one of the files are standard input. */
void collection_apart(const collection_options *options, char **files);

/* The given spec for another mechanism, with those of its parameters that this mechanism takes */
podium_spec spec_for(const podium_spec *given, podium_mechanism mechanism);

#endif
