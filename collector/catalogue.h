/* Catalogue: the collections that this server collects for, ready to use. A catalogue never changes; a reload makes a
   new one, and requests that are under way keep theirs. */
#ifndef PODIUM_COLLECTOR_CATALOGUE_H
#define PODIUM_COLLECTOR_CATALOGUE_H

#include "config.h"
#include "metrics.h"
#include "store.h"

#include <pthread.h>

enum { QUESTION_MAX = 512 };

typedef struct {
    char name[PODIUM_NAME_MAX];
    podium_collection collection;
    podium_bounds bounds;
    char spec[PODIUM_SPEC_TEXT_MAX];
    char fingerprint[FINGERPRINT_TEXT_MAX];
    labels labels;
    char question[QUESTION_MAX]; /* "" if none is configured */
    int64_t number;              /* in the store */
    metrics_collection *metrics;
    pthread_mutex_t channel_lock;
    podium_channel *channel; /* made when the first distribution is asked for */
} entry;

typedef struct {
    entry *of;
    size_t count;
    _Atomic size_t holders;
} catalogue;

/* Reads the files and labels of the configuration, and registers the collections with the store. Returns NULL on
   failure, and writes why. */
catalogue *catalogue_make(const config *c, store *s, metrics *m, char message[CONFIG_MESSAGE_MAX]);
entry *catalogue_find(const catalogue *c, const char *name);
/* Returns the channel of the collection, or NULL if there is no memory for it. */
const podium_channel *entry_channel(entry *e);

/* Whoever holds a catalogue releases it; the last one frees it. */
catalogue *catalogue_hold(catalogue *c);
void catalogue_release(catalogue *c);

#endif
