/* The default source in a build with OpenSSL: AES-256-CTR under a new key for each call. Small calls use the
   operating system instead. */
#include "device/backend.h"

#ifdef PODIUM_WITH_OPENSSL

#if PODIUM_RANDOM == PODIUM_RANDOM_NONE
#error "AES-256-CTR needs a key from the system: choose another PODIUM_RANDOM, or build without OpenSSL"
#endif

#include <openssl/evp.h>

/* Setting up a cipher takes about as long as getting this many bytes from getrandom(2). `make bench` shows it as a
   step between 16 and 64 values at a time. */
#define SMALL_CALL 256

/* The context of a small call, which has no cipher. */
static const char small_call;

/* Not inlined, because the stack protector that guards the secret would then slow down small calls too, which have
   no secret. */
PODIUM_NOT_INLINED static EVP_CIPHER_CTX *cipher_new(void) {
    unsigned char secret[32 + 16]; /* key and first counter */
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    bool keyed = cipher != NULL && podium_system_fill(NULL, secret, sizeof secret) == sizeof secret &&
                 EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), NULL, secret, secret + 32) == 1;
    podium_wipe(secret, sizeof secret);
    if (!keyed) {
        EVP_CIPHER_CTX_free(cipher);
        return NULL;
    }
    return cipher;
}

static void *default_open(void *context, size_t bytes) {
    (void)context;
    return bytes <= SMALL_CALL ? (void *)(uintptr_t)&small_call : cipher_new();
}

static size_t default_fill(void *context, void *buffer, size_t n) {
    static const unsigned char zeros[8192]; /* as many as a block in privatize.c needs */
    if (context == &small_call)
        return podium_system_fill(NULL, buffer, n);
    size_t done = 0;
    while (done < n) {
        int part = (int)(n - done < sizeof zeros ? n - done : sizeof zeros), written = 0;
        if (EVP_EncryptUpdate(context, (unsigned char *)buffer + done, &written, zeros, part) != 1 || written != part)
            return done;
        done += (size_t)part;
    }
    return done;
}

static void default_close(void *context) {
    if (context != &small_call)
        EVP_CIPHER_CTX_free(context); /* clears the key */
}

const podium_random podium_default_source = {.fill = default_fill, .open = default_open, .close = default_close};

#endif
