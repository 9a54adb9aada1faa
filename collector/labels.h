/* Labels: public facts that a batch of reports may carry, such as a region. A collection declares their names and
   values beforehand, and nothing else is accepted, so that a label cannot become a way to say who somebody is. */
#ifndef PODIUM_COLLECTOR_LABELS_H
#define PODIUM_COLLECTOR_LABELS_H

#include "text.h"

enum { LABELS_MAX = 8, LABEL_TEXT_MAX = 64, LABEL_SETS_MAX = 1000, LABEL_SET_TEXT_MAX = 2048 };

typedef struct {
    char name[LABEL_TEXT_MAX];
    char (*values)[LABEL_TEXT_MAX];
    size_t count;
} label;

/* In the order of their names, so that a set of labels has one text, however it was declared */
typedef struct {
    label of[LABELS_MAX];
    size_t count;
} labels;

/* Which value each label has: 0 if none, otherwise the number of the value, from 1 */
typedef struct {
    uint16_t value[LABELS_MAX];
} label_set;

/* Declares a label by a text such as "region=north,south". Returns NULL, or what is wrong with it. */
const char *labels_declare(labels *all, const char *declaration);
void labels_free(labels *all);

/* Sets the value of one label in the set. Returns NULL, or what is wrong. */
const char *label_set_add(const labels *all, label_set *set, const char *name, const char *value);
/* Returns the number of the label with that name, or LABELS_MAX if there is none. */
size_t labels_find(const labels *all, const char *name);

/* Writes the set as a JSON object, such as {"region": "north"}; it is what the store knows the set by. */
void label_set_print(text *t, const labels *all, const label_set *set);
/* Reads such a text, without what is no longer declared. Returns false if it is no such text. */
bool label_set_parse(const labels *all, label_set *set, const char *object);
/* Does the set have all values that the other one has? */
bool label_set_matches(const label_set *set, const label_set *wanted);

/* Writes all labels as a JSON object of arrays. */
void labels_print(text *t, const labels *all);

#endif
