/* Hash: SHA-256 of several parts, cut to the 16 bytes that the store keeps of keys, bodies and tokens. */
#ifndef PODIUM_COLLECTOR_HASH_H
#define PODIUM_COLLECTOR_HASH_H

#include "store.h"

typedef struct {
    const void *bytes;
    size_t n;
} hash_part;

/* Each part counts with its length, so that different lists never hash the same bytes. Returns false if OpenSSL
   fails. */
bool hash_parts(store_hash *hash, const hash_part *parts, size_t count);
bool hash_equal(const store_hash *a, const store_hash *b); /* in constant time */

#endif
