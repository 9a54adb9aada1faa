#include "hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

static bool update(EVP_MD_CTX *context, const hash_part *part) {
    unsigned char length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (unsigned char)((uint64_t)part->n >> 8 * i);
    return EVP_DigestUpdate(context, length, sizeof length) == 1 &&
           EVP_DigestUpdate(context, part->bytes, part->n) == 1;
}

bool hash_parts(store_hash *hash, const hash_part *parts, size_t count) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    for (size_t i = 0; i < count && good; i++)
        good = update(context, &parts[i]);
    good = good && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    EVP_MD_CTX_free(context);
    if (good)
        memcpy(hash->bytes, digest, sizeof hash->bytes);
    return good;
}

bool hash_equal(const store_hash *a, const store_hash *b) {
    return CRYPTO_memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}
