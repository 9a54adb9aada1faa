#include "catalogue.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const config *config;
    store *store;
    metrics *metrics;
    char *message;
} making;

static bool refuse(making *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(making *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->message, CONFIG_MESSAGE_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- One collection ---- */

static bool read_text(making *m, const char *path, char text_of_file[PODIUM_COLLECTION_TEXT_MAX], size_t *n) {
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return refuse(m, "%s: %s", path, strerror(errno));
    *n = fread(text_of_file, 1, PODIUM_COLLECTION_TEXT_MAX, file);
    const bool good = !ferror(file) && fgetc(file) == EOF;
    fclose(file);
    return good || refuse(m, "%s: this is not a collection", path);
}

/* A name is part of addresses, so it has only characters that need no escape there. */
static bool is_name(const char *name) {
    for (const char *s = name; *s != '\0'; s++)
        if (!isalnum((unsigned char)*s) && strchr("-_.", *s) == NULL)
            return false;
    return isalnum((unsigned char)name[0]);
}

static bool read_collection(making *m, entry *e, const char *path) {
    char file[PODIUM_COLLECTION_TEXT_MAX];
    size_t n = 0;
    podium_error error;
    if (!read_text(m, path, file, &n))
        return false;
    const podium_status status = podium_collection_parse(&e->collection, e->name, sizeof e->name, &error, file, n);
    if (status != PODIUM_OK)
        return error.line == 0 ? refuse(m, "%s: this is not a collection that podium design has written", path)
                               : refuse(m, "%s: line %u: %s", path, error.line, podium_status_message(status));
    if (!is_name(e->name))
        return refuse(m,
                      "%s: the collection's name is part of its address, so it must have one, of letters, digits, "
                      "'-', '_' and '.'; podium design --name NAME gives it one",
                      path);
    return true;
}

static bool finish(making *m, entry *e, const char *path) {
    const podium_spec spec = podium_collection_spec(&e->collection);
    podium_spec_format(&spec, e->spec, sizeof e->spec);
    snprintf(e->fingerprint, sizeof e->fingerprint, "%016llx",
             (unsigned long long)podium_collection_fingerprint(&e->collection));
    const podium_status status = podium_bounds_init(&e->collection, &e->bounds);
    if (status != PODIUM_OK)
        return refuse(m, "%s: %s", path, podium_status_message(status));
    e->metrics = metrics_of(m->metrics, e->name);
    if (e->metrics == NULL)
        return refuse(m, "out of memory");
    if (m->store->does->collection(m->store, e->name, e->spec, &e->number) != STORE_OK)
        return refuse(m, "the collection %s cannot be stored: %s", path, m->store->message);
    return true;
}

/* ---- Labels and questions ---- */

/* Finds the collection that stands before the colon of what an option declares. Refuses if there is none. */
static entry *find_declared(making *m, catalogue *c, const char *option, const char *declaration) {
    char name[PODIUM_NAME_MAX];
    const size_t n = strcspn(declaration, ":");
    if (declaration[n] == '\0' || n >= sizeof name) {
        refuse(m, "--%s %s: the name of a collection and a colon come first", option, declaration);
        return NULL;
    }
    memcpy(name, declaration, n);
    name[n] = '\0';
    entry *e = catalogue_find(c, name);
    if (e == NULL)
        refuse(m, "--%s %s: no collection is called '%s'", option, declaration, name);
    return e;
}

static bool declare_label(making *m, catalogue *c, const char *declaration) {
    entry *e = find_declared(m, c, "label", declaration);
    if (e == NULL)
        return false;
    const char *wrong = labels_declare(&e->labels, strchr(declaration, ':') + 1);
    return wrong == NULL || refuse(m, "--label %.100s: %s", declaration, wrong);
}

static bool declare_question(making *m, catalogue *c, const char *declaration) {
    entry *e = find_declared(m, c, "question", declaration);
    if (e == NULL)
        return false;
    const char *question = strchr(declaration, ':') + 1;
    question += strspn(question, " ");
    if (question[0] == '\0' || strlen(question) >= sizeof e->question)
        return refuse(m, "--question %.100s: a question has from 1 to %d bytes", declaration, QUESTION_MAX - 1);
    memcpy(e->question, question, strlen(question) + 1);
    return true;
}

/* ---- All of them ---- */

static bool add_all(making *m, catalogue *c) {
    for (size_t i = 0; i < m->config->collections.count; i++) {
        const char *path = m->config->collections.of[i];
        entry e = {.number = 0};
        if (!read_collection(m, &e, path))
            return false;
        if (catalogue_find(c, e.name) != NULL)
            return refuse(m, "%s: another collection is called '%s' too", path, e.name);
        if (!finish(m, &e, path))
            return false;
        c->of[c->count] = e;
        pthread_mutex_init(&c->of[c->count++].channel_lock, NULL);
    }
    for (size_t i = 0; i < m->config->labels.count; i++)
        if (!declare_label(m, c, m->config->labels.of[i]))
            return false;
    for (size_t i = 0; i < m->config->questions.count; i++)
        if (!declare_question(m, c, m->config->questions.of[i]))
            return false;
    return true;
}

static void destroy(catalogue *c) {
    for (size_t i = 0; i < c->count; i++) {
        podium_channel_free(c->of[i].channel);
        pthread_mutex_destroy(&c->of[i].channel_lock);
        labels_free(&c->of[i].labels);
    }
    free(c->of);
    free(c);
}

catalogue *catalogue_make(const config *c, store *s, metrics *counters, char message[CONFIG_MESSAGE_MAX]) {
    making m = {c, s, counters, message};
    catalogue *made = calloc(1, sizeof *made);
    if (made == NULL) {
        refuse(&m, "out of memory");
        return NULL;
    }
    made->of = calloc(c->collections.count + 1, sizeof *made->of);
    made->holders = 1;
    if (made->of == NULL ? refuse(&m, "out of memory") : add_all(&m, made))
        return made;
    destroy(made);
    return NULL;
}

entry *catalogue_find(const catalogue *c, const char *name) {
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->of[i].name, name) == 0)
            return &c->of[i];
    return NULL;
}

const podium_channel *entry_channel(entry *e) {
    pthread_mutex_lock(&e->channel_lock);
    if (e->channel == NULL && podium_channel_make(&e->collection, &e->channel) != PODIUM_OK)
        e->channel = NULL;
    pthread_mutex_unlock(&e->channel_lock);
    return e->channel;
}

catalogue *catalogue_hold(catalogue *c) {
    c->holders++;
    return c;
}

void catalogue_release(catalogue *c) {
    if (c != NULL && --c->holders == 0)
        destroy(c);
}
