#include "tokens.h"
#include "hash.h"

#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const names[] = {
    [SCOPE_NONE] = "none",
    [SCOPE_WRITE] = "write",
    [SCOPE_READ] = "read",
    [SCOPE_MANAGE] = "manage",
};

const char *scope_name(token_scope scope) {
    return names[scope];
}

bool scope_from_name(token_scope *scope, const char *name) {
    for (token_scope s = SCOPE_WRITE; s <= SCOPE_MANAGE; s++)
        if (strcmp(names[s], name) == 0) {
            *scope = s;
            return true;
        }
    return false;
}

struct tokens {
    pthread_rwlock_t lock;
    store_token *of;
    size_t count;
};

tokens *tokens_make(void) {
    tokens *t = calloc(1, sizeof *t);
    if (t != NULL)
        pthread_rwlock_init(&t->lock, NULL);
    return t;
}

void tokens_free(tokens *t) {
    if (t == NULL)
        return;
    pthread_rwlock_destroy(&t->lock);
    free(t->of);
    free(t);
}

typedef struct {
    store_token *of;
    size_t count;
    bool failed;
} list;

static bool add_token(void *context, const store_token *token) {
    list *l = context;
    store_token *grown = realloc(l->of, (l->count + 1) * sizeof *grown);
    l->failed = grown == NULL;
    if (l->failed)
        return false;
    l->of = grown;
    l->of[l->count++] = *token;
    return true;
}

store_status tokens_load(tokens *t, store *s) {
    list l = {NULL, 0, false};
    const store_status status = s->does->tokens(s, add_token, &l);
    if (status != STORE_OK || l.failed) {
        free(l.of);
        return status == STORE_OK ? STORE_AWAY : status;
    }
    pthread_rwlock_wrlock(&t->lock);
    store_token *before = t->of;
    t->of = l.of;
    t->count = l.count;
    pthread_rwlock_unlock(&t->lock);
    free(before);
    return STORE_OK;
}

static bool hash_token(store_hash *hash, const char *token) {
    return hash_parts(hash, &(hash_part){token, strlen(token)}, 1);
}

/* Looks at all tokens, whichever is the right one. A collection or a scope that is NULL stands for any. */
static bool find(tokens *t, const char *token, const char *collection, const char *scope) {
    store_hash hash;
    bool found = false;
    if (!hash_token(&hash, token))
        return false;
    pthread_rwlock_rdlock(&t->lock);
    for (size_t i = 0; i < t->count; i++) {
        const bool fits = (collection == NULL || strcmp(t->of[i].collection, collection) == 0) &&
                          (scope == NULL || strcmp(t->of[i].scope, scope) == 0);
        found |= hash_equal(&hash, &t->of[i].hash) & fits;
    }
    pthread_rwlock_unlock(&t->lock);
    return found;
}

bool tokens_allow(tokens *t, const char *token, const char *collection, token_scope scope) {
    return find(t, token, collection, names[scope]);
}

bool tokens_know(tokens *t, const char *token) {
    return find(t, token, NULL, NULL);
}

bool tokens_any(tokens *t, const char *collection) {
    bool any = false;
    pthread_rwlock_rdlock(&t->lock);
    for (size_t i = 0; i < t->count; i++)
        any |= strcmp(t->of[i].collection, collection) == 0;
    pthread_rwlock_unlock(&t->lock);
    return any;
}

/* ---- New ones ---- */

/* Six bits a character, of those that need no escape in an address or a shell */
static void write_token(char token[TOKEN_TEXT_MAX], const unsigned char *random, size_t n, token_scope scope) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t at = (size_t)snprintf(token, TOKEN_TEXT_MAX, "podium_%s_", names[scope]);
    for (size_t i = 0; i < n && at + 1 < TOKEN_TEXT_MAX; i++)
        token[at++] = digits[random[i] & 63];
    token[at] = '\0';
}

store_status token_new(store *s, const char *collection, token_scope scope, char token[TOKEN_TEXT_MAX]) {
    enum { CHARACTERS = 43 }; /* 258 bits */
    unsigned char random[CHARACTERS];
    store_token t = {.created = (int64_t)time(NULL)};
    snprintf(t.collection, sizeof t.collection, "%s", collection);
    snprintf(t.scope, sizeof t.scope, "%s", names[scope]);
    if (RAND_bytes(random, sizeof random) != 1) {
        snprintf(s->message, sizeof s->message, "there are no random bytes");
        return STORE_AWAY;
    }
    write_token(token, random, sizeof random, scope);
    return hash_token(&t.hash, token) ? s->does->token_add(s, &t) : STORE_AWAY;
}

void token_id(const store_hash *hash, char id[TOKEN_ID_MAX]) {
    for (size_t i = 0; i < STORE_HASH_BYTES; i++)
        snprintf(id + 2 * i, 3, "%02x", hash->bytes[i]);
}

bool token_id_parse(store_hash *hash, const char *id) {
    if (strlen(id) != 2 * STORE_HASH_BYTES || strspn(id, "0123456789abcdef") != 2 * STORE_HASH_BYTES)
        return false;
    for (size_t i = 0; i < STORE_HASH_BYTES; i++) {
        const char pair[] = {id[2 * i], id[2 * i + 1], '\0'};
        hash->bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return true;
}
