/*
 * Random: filling a buffer with random bytes, or failing.
 *
 * Nothing is kept between calls, so a fork cannot hand two processes the same bytes. Nothing weaker is ever used in
 * place of a source that fails.
 */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* getrandom, explicit_bzero */
#endif
#include "collection/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#ifdef PODIUM_WITH_OPENSSL
#include <openssl/evp.h>
#endif

void podium_wipe(void *memory, size_t n) {
    explicit_bzero(memory, n);
}

/* ---- The operating system ---- */

static size_t system_fill(void *context, void *buffer, size_t n) {
    (void)context;
    size_t done = 0;
    while (done < n) {
        ssize_t got = getrandom((unsigned char *)buffer + done, n - done, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return done;
        done += (size_t)got;
    }
    return done;
}

const podium_random podium_random_system = {.fill = system_fill};

/* ---- AES-256-CTR under a fresh key for each call; small calls go to the operating system ---- */

#ifdef PODIUM_WITH_OPENSSL

/* Setting up a cipher costs about as much as this many bytes of getrandom(2): see the step in `make bench` between 16
   and 64 values at a time. */
#define SMALL_CALL 256

/* A small call has no cipher: this stands for it. */
static const char small_call;

/* Not inlined, because the stack protector that guards the secret would cost small calls too, which have none. */
__attribute__((noinline)) static EVP_CIPHER_CTX *cipher_new(void) {
    unsigned char secret[32 + 16]; /* key and first counter */
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    bool keyed = cipher != NULL && system_fill(NULL, secret, sizeof secret) == sizeof secret &&
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
    static const unsigned char zeros[8192]; /* a block's worth: see privatize.c */
    if (context == &small_call)
        return system_fill(NULL, buffer, n);
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

const podium_random podium_random_default = {.fill = default_fill, .open = default_open, .close = default_close};

#else

const podium_random podium_random_default = {.fill = system_fill};

#endif

/* ---- One call's worth ---- */

podium_status podium_stream_open(podium_stream *stream, const podium_random *random, size_t bytes) {
    stream->random = random == NULL ? &podium_random_default : random;
    stream->context = stream->random->context;
    if (stream->random->fill == NULL)
        return PODIUM_ERROR_RANDOM_FAILED;
    if (stream->random->open == NULL)
        return PODIUM_OK;
    stream->context = stream->random->open(stream->context, bytes);
    return stream->context == NULL ? PODIUM_ERROR_RANDOM_FAILED : PODIUM_OK;
}

podium_status podium_stream_fill(podium_stream *stream, uint32_t *halves, size_t n) {
    size_t bytes = n * sizeof *halves;
    return stream->random->fill(stream->context, halves, bytes) == bytes ? PODIUM_OK : PODIUM_ERROR_RANDOM_FAILED;
}

void podium_stream_close(podium_stream *stream) {
    if (stream->context != NULL && stream->random->close != NULL)
        stream->random->close(stream->context);
}
