#include "labels.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ---- Declaring ---- */

/* Copies a name, which has no blanks, or a value, which may have some within it, as "New York" has. */
static bool put_word(char to[LABEL_TEXT_MAX], const char *s, size_t n, bool may_have_blanks) {
    if (n == 0 || n >= LABEL_TEXT_MAX || s[0] == ' ' || s[n - 1] == ' ')
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < ' ' || s[i] == 0x7f || strchr("\"\\:=,;&", s[i]) != NULL ||
            (s[i] == ' ' && !may_have_blanks))
            return false;
    memcpy(to, s, n);
    to[n] = '\0';
    return true;
}

static size_t value_number(const label *l, const char *value) {
    size_t i = 0;
    while (i < l->count && strcmp(l->values[i], value) != 0)
        i++;
    return i;
}

static const char *add_values(label *l, const char *list) {
    l->values = calloc(LABEL_SETS_MAX, sizeof *l->values);
    if (l->values == NULL)
        return "there is no memory for it";
    for (size_t n;; list += n + 1) {
        char value[LABEL_TEXT_MAX];
        n = strcspn(list, ",");
        if (!put_word(value, list, n, true))
            return "a value has from 1 to 63 bytes, none of them \" \\ : = , ; or &, and no blank at its ends";
        if (value_number(l, value) < l->count)
            return "a value occurs twice";
        if (l->count + 2 > LABEL_SETS_MAX)
            return "there would be more than 1000 sets of labels";
        memcpy(l->values[l->count++], value, sizeof value);
        if (list[n] == '\0')
            return NULL;
    }
}

/* A label may be missing from a batch, which counts as a value too. */
static size_t count_sets(const labels *all) {
    size_t sets = 1;
    for (size_t i = 0; i < all->count; i++)
        sets *= all->of[i].count + 1;
    return sets;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const label *)a)->name, ((const label *)b)->name);
}

const char *labels_declare(labels *all, const char *declaration) {
    const size_t n = strcspn(declaration, "=");
    label l = {.count = 0};
    if (declaration[n] == '\0' || !put_word(l.name, declaration, n, false))
        return "a label is declared as NAME=VALUE,VALUE,...";
    if (labels_find(all, l.name) < LABELS_MAX)
        return "the label is declared twice";
    if (all->count == LABELS_MAX)
        return "a collection has at most 8 labels";
    const char *wrong = add_values(&l, declaration + n + 1);
    all->of[all->count++] = l;
    if (wrong == NULL && count_sets(all) > LABEL_SETS_MAX)
        wrong = "there would be more than 1000 sets of labels";
    qsort(all->of, all->count, sizeof *all->of, by_name);
    return wrong;
}

void labels_free(labels *all) {
    for (size_t i = 0; i < all->count; i++)
        free(all->of[i].values);
    all->count = 0;
}

/* ---- Sets ---- */

size_t labels_find(const labels *all, const char *name) {
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->of[i].name, name) == 0)
            return i;
    return LABELS_MAX;
}

const char *label_set_add(const labels *all, label_set *set, const char *name, const char *value) {
    const size_t i = labels_find(all, name);
    if (i == LABELS_MAX)
        return "the collection declares no label of that name";
    const size_t number = value_number(&all->of[i], value);
    if (number == all->of[i].count)
        return "the collection does not declare that value of the label";
    if (set->value[i] != 0)
        return "the label is given twice";
    set->value[i] = (uint16_t)(number + 1);
    return NULL;
}

void label_set_print(text *t, const labels *all, const label_set *set) {
    const char *before = "";
    text_add(t, "{", 1);
    for (size_t i = 0; i < all->count; i++) {
        if (set->value[i] == 0)
            continue;
        text_print(t, "%s", before);
        text_string(t, all->of[i].name);
        text_add(t, ": ", 2);
        text_string(t, all->of[i].values[set->value[i] - 1]);
        before = ", ";
    }
    text_add(t, "}", 1);
}

bool label_set_parse(const labels *all, label_set *set, const char *object) {
    json j = {object, strlen(object), 0};
    json_value name;
    *set = (label_set){{0}};
    if (json_read(&j).kind != JSON_OBJECT)
        return false;
    for (bool first = true; json_next_member(&j, first, &name); first = false) {
        char label_name[LABEL_TEXT_MAX], value[LABEL_TEXT_MAX];
        const json_value string = json_read(&j);
        if (string.kind != JSON_STRING || !json_unescape(label_name, sizeof label_name, name) ||
            !json_unescape(value, sizeof value, string))
            return false;
        label_set_add(all, set, label_name, value);
    }
    return !json_is_wrong(&j);
}

bool label_set_matches(const label_set *set, const label_set *wanted) {
    for (size_t i = 0; i < LABELS_MAX; i++)
        if (wanted->value[i] != 0 && wanted->value[i] != set->value[i])
            return false;
    return true;
}

void labels_print(text *t, const labels *all) {
    text_add(t, "{", 1);
    for (size_t i = 0; i < all->count; i++) {
        text_print(t, "%s", i == 0 ? "" : ", ");
        text_string(t, all->of[i].name);
        for (size_t k = 0; k < all->of[i].count; k++) {
            text_print(t, "%s", k == 0 ? ": [" : ", ");
            text_string(t, all->of[i].values[k]);
        }
        text_add(t, "]", 1);
    }
    text_add(t, "}", 1);
}
