/* Mistakes: says in words what is wrong with the text of a collection, from the place where the parser stopped. */
#include "collection.h"

#include <string.h>

#define BLANKS " \t\r"

/* ---- Keys ---- */

enum { IN_SPEC = 1, IN_FILE = 2 };

typedef struct {
    const char *key, *takes;
    unsigned where; /* IN_SPEC, IN_FILE or both */
    bool parameter; /* only some mechanisms have it */
} key_row;

static const key_row keys[] = {
    {"podium", "a version number", IN_FILE, false},
    {"name", "at most 63 bytes without control characters", IN_FILE, false},
    {"mechanism", "the name of a mechanism", IN_FILE, false},
    {"epsilon", "a number", IN_SPEC | IN_FILE, false},
    {"range", "two numbers, MIN:MAX", IN_SPEC, false},
    {"min", "a number", IN_FILE, false},
    {"max", "a number", IN_FILE, false},
    {"spread", "a number from 0 to 0.25", IN_SPEC | IN_FILE, true},
    {"cells", "a whole number from 2 to 65536", IN_SPEC | IN_FILE, true},
    {"fingerprint", "16 hexadecimal digits", IN_FILE, false},
};

/* ---- The place of a mistake ---- */

typedef struct {
    const char *from;           /* where the keys begin: the line of a spec, or the whole file */
    const char *key;            /* within the text */
    unsigned where;             /* IN_SPEC or IN_FILE */
    podium_mechanism mechanism; /* of a spec */
} place;

static const char *line_at(const char *text, uint32_t line) {
    for (; line > 1 && *text != '\0'; line--)
        text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
    return text;
}

/* In a file the key is the first word of its line; in a spec the mechanism comes before all keys. */
static place place_of(const char *text, const podium_error *error) {
    const char *line = line_at(text, error->line), *first = line + strspn(line, BLANKS);
    const size_t length = strcspn(line, "\n"), column = error->column == 0 ? length : error->column - 1;
    place p = {.from = text, .key = line + (column < length ? column : length), .where = IN_FILE};
    if (p.key == first)
        return p;
    p.from = first;
    p.where =
        podium_mechanism_from_name(&p.mechanism, first, strcspn(first, BLANKS "\n")) == PODIUM_OK ? IN_SPEC : IN_FILE;
    return p;
}

static bool is_key(const char *at, const char *key) {
    const size_t n = strlen(key);
    return strncmp(at, key, n) == 0 && strchr("=\n" BLANKS, at[n]) != NULL;
}

static bool occurs_before(const place *p, const char *key) {
    const char *ends = p->where == IN_SPEC ? BLANKS "\n" : "\n";
    for (const char *at = p->from + strspn(p->from, BLANKS "\n"); at < p->key; at += strspn(at, BLANKS "\n")) {
        if (is_key(at, key))
            return true;
        at += strcspn(at, ends);
    }
    return false;
}

static bool is_known(const place *p, const key_row *row) {
    const char *own = p->where == IN_SPEC ? podium_mechanism_parameter(p->mechanism) : row->key;
    return (row->where & p->where) != 0 && (!row->parameter || (own != NULL && strcmp(own, row->key) == 0));
}

static const key_row *row_at(const place *p) {
    for (const key_row *row = keys; row < keys + LENGTH(keys); row++)
        if (is_key(p->key, row->key) && is_known(p, row))
            return row;
    return NULL;
}

/* Returns the value after the key and sets its length, which is 0 if there is none. */
static const char *value_at(const place *p, size_t *n) {
    const char *value = p->key + strcspn(p->key, "=\n");
    if (p->where == IN_SPEC)
        value = p->key + strcspn(p->key, "=\n" BLANKS);
    value += *value == '=';
    if (p->where == IN_FILE)
        value += strspn(value, BLANKS);
    for (*n = strcspn(value, p->where == IN_SPEC ? BLANKS "\n" : "\n"); *n > 0; --*n)
        if (strchr(BLANKS, value[*n - 1]) == NULL)
            break;
    return value;
}

/* ---- Words, which quote nothing from a file unless it has a known key, because it may be a file of values ---- */

static void append(char words[MISTAKE_MAX], const char *before, const char *word) {
    const size_t n = strlen(words);
    snprintf(words + n, MISTAKE_MAX - n, "%s%s", before, word);
}

static void append_mechanisms(char words[MISTAKE_MAX]) {
    for (size_t m = 0; m < podium_mechanism_count(); m++)
        append(words, m == 0 ? " " : ", ", podium_mechanism_name((podium_mechanism)m));
}

/* A file says "mechanism = NAME", and the error is about that key; a spec begins with the name. */
static void unknown_mechanism(char words[MISTAKE_MAX], const place *p) {
    const char *after = p->key + strcspn(p->key, "=\n" BLANKS);
    const bool in_file = is_key(p->key, "mechanism") && after[strspn(after, BLANKS)] == '=';
    size_t n;
    const char *value = value_at(p, &n);
    if (in_file)
        snprintf(words, MISTAKE_MAX, "'%.*s' is not a mechanism; the mechanisms are", (int)n, value);
    else
        snprintf(words, MISTAKE_MAX, "the first word is not a mechanism; the mechanisms are");
    append_mechanisms(words);
}

static void unknown_key(char words[MISTAKE_MAX], const place *p, const char *key) {
    if (p->where == IN_SPEC)
        snprintf(words, MISTAKE_MAX, "unknown key '%s'; %s takes", key, podium_mechanism_name(p->mechanism));
    else
        snprintf(words, MISTAKE_MAX, "unknown key; the keys of a collection file are");
    const char *before = " ";
    for (const key_row *row = keys; row < keys + LENGTH(keys); row++)
        if (is_known(p, row)) {
            append(words, before, row->key);
            before = ", ";
        }
}

/* Returns a parameter before this one, if it is another one; no mechanism has two. */
static const char *other_parameter(const place *p, const key_row *own) {
    for (const key_row *row = keys; own->parameter && row < keys + LENGTH(keys); row++)
        if (row != own && row->parameter && occurs_before(p, row->key))
            return row->key;
    return NULL;
}

static void wrong_key(char words[MISTAKE_MAX], const place *p, const char *key) {
    const key_row *row = row_at(p);
    size_t n;
    const char *value = value_at(p, &n), *other = row == NULL ? NULL : other_parameter(p, row);
    if (row == NULL)
        unknown_key(words, p, key);
    else if (occurs_before(p, key))
        snprintf(words, MISTAKE_MAX, "%s is given twice", key);
    else if (other != NULL)
        snprintf(words, MISTAKE_MAX, "no mechanism takes both %s and %s", other, key);
    else if (n == 0)
        snprintf(words, MISTAKE_MAX, "%s has no value; it must be %s", key, row->takes);
    else
        snprintf(words, MISTAKE_MAX, "%s must be %s, not '%.*s'", key, row->takes, (int)n, value);
}

static bool is_about_a_key(const podium_error *error) {
    return error->status == PODIUM_ERROR_TEXT_MALFORMED || error->status == PODIUM_ERROR_SPREAD_WRONG ||
           error->status == PODIUM_ERROR_CELLS_WRONG;
}

const char *mistake_words(char words[MISTAKE_MAX], const char *text, const podium_error *error) {
    const place p = place_of(text, error);
    if (error->status == PODIUM_ERROR_MECHANISM_UNKNOWN)
        unknown_mechanism(words, &p);
    else if (!is_about_a_key(error) || error->line == 0)
        snprintf(words, MISTAKE_MAX, "%s", podium_status_message(error->status));
    else if (error->column == 0)
        snprintf(words, MISTAKE_MAX, "%s is missing", error->field);
    else
        wrong_key(words, &p, error->field);
    return words;
}
