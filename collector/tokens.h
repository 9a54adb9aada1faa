/* Tokens: who may write, read or manage which collection. The store has only their hashes; a token is random, so that
   a hash cannot be turned back into it. */
#ifndef PODIUM_COLLECTOR_TOKENS_H
#define PODIUM_COLLECTOR_TOKENS_H

#include "store.h"

typedef enum {
    SCOPE_NONE,  /* no token needed */
    SCOPE_WRITE, /* send reports: what devices hold */
    SCOPE_READ,  /* read estimates */
    SCOPE_MANAGE /* send the state of another collector, and delete */
} token_scope;
const char *scope_name(token_scope scope);
bool scope_from_name(token_scope *scope, const char *name);

typedef struct tokens tokens;
tokens *tokens_make(void); /* NULL if there is no memory */
void tokens_free(tokens *t);
/* Replaces what is known by what the store has. */
store_status tokens_load(tokens *t, store *s);
/* Is this the text of a token for the collection and the scope? Takes as long for a wrong token as for a right one. */
bool tokens_allow(tokens *t, const char *token, const char *collection, token_scope scope);
/* Does the token allow anything at all? It tells 403 from 401. */
bool tokens_know(tokens *t, const char *token);
bool tokens_any(tokens *t, const char *collection);

enum { TOKEN_TEXT_MAX = 64, TOKEN_ID_MAX = 2 * STORE_HASH_BYTES + 1 };
/* Makes a token and adds it to the store. */
store_status token_new(store *s, const char *collection, token_scope scope, char token[TOKEN_TEXT_MAX]);
void token_id(const store_hash *hash, char id[TOKEN_ID_MAX]);
bool token_id_parse(store_hash *hash, const char *id);

#endif
