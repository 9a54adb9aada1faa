#include "sums.h"

#include <stdlib.h>

void sums_clear(sums *s) {
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        free(s->groups[i]);
        s->groups[i] = NULL;
    }
}

podium_aggregate *sums_group(sums *s, const label_set *set) {
    podium_aggregate **group = &s->groups[s->by == LABELS_MAX ? 0 : set->value[s->by]];
    if (*group == NULL && (*group = malloc(sizeof **group)) != NULL)
        podium_aggregate_init(&s->entry->collection, *group);
    return *group;
}

/* Labels that are no longer declared cannot be asked for. Their reports count as if they did not have these. */
bool sums_add_row(void *context, const store_row *row) {
    sums *s = context;
    label_set set;
    podium_aggregate stored;
    s->failed = label_set_parse(&s->entry->labels, &set, row->labels) ? PODIUM_OK : PODIUM_ERROR_TEXT_MALFORMED;
    if (s->failed != PODIUM_OK)
        return false;
    if (!label_set_matches(&set, &s->wanted))
        return true;
    podium_aggregate *group = sums_group(s, &set);
    s->failed = group == NULL ? PODIUM_ERROR_OUT_OF_MEMORY
                              : podium_aggregate_decode(&s->entry->collection, &stored, row->state, row->n);
    if (s->failed == PODIUM_OK)
        s->failed = podium_aggregate_merge(group, &stored);
    return s->failed == PODIUM_OK;
}

const char *sums_name(const sums *s, size_t group) {
    return group == 0 ? "" : s->entry->labels.of[s->by].values[group - 1];
}

void sums_print_name(text *t, const sums *s, size_t group) {
    if (s->by == LABELS_MAX)
        return;
    text_print(t, "\"group\": ");
    text_string(t, sums_name(s, group));
    text_print(t, ", ");
}
