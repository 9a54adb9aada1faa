#include "tls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHAIN_MAX = 16 };

struct tls {
    gnutls_pcert_st chain[CHAIN_MAX];
    unsigned count;
    gnutls_privkey_t key;
    tls *before; /* that was used before this one */
};

/* GnuTLS passes nothing of ours to tls_retrieve, so this is a variable of the process. */
static _Atomic(tls *) current;

static bool read_file(const char *path, gnutls_datum_t *content, char message[CONFIG_MESSAGE_MAX]) {
    const int error = gnutls_load_file(path, content);
    if (error != GNUTLS_E_SUCCESS)
        snprintf(message, CONFIG_MESSAGE_MAX, "%.300s: %s", path,
                 access(path, R_OK) != 0 ? strerror(errno) : gnutls_strerror(error));
    return error == GNUTLS_E_SUCCESS;
}

static bool read_chain(tls *t, const char *path, char message[CONFIG_MESSAGE_MAX]) {
    gnutls_datum_t content;
    unsigned count = CHAIN_MAX;
    if (!read_file(path, &content, message))
        return false;
    const int error = gnutls_pcert_list_import_x509_raw(t->chain, &count, &content, GNUTLS_X509_FMT_PEM, 0);
    gnutls_free(content.data);
    if (error != GNUTLS_E_SUCCESS)
        snprintf(message, CONFIG_MESSAGE_MAX, "%.300s: this is not a certificate in PEM: %s", path,
                 gnutls_strerror(error));
    else
        t->count = count;
    return error == GNUTLS_E_SUCCESS;
}

static bool read_key(tls *t, const char *path, char message[CONFIG_MESSAGE_MAX]) {
    gnutls_datum_t content;
    if (!read_file(path, &content, message))
        return false;
    const int error = gnutls_privkey_import_x509_raw(t->key, &content, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_memset(content.data, 0, content.size);
    gnutls_free(content.data);
    if (error != GNUTLS_E_SUCCESS)
        snprintf(message, CONFIG_MESSAGE_MAX, "%.300s: this is not a key in PEM: %s", path, gnutls_strerror(error));
    return error == GNUTLS_E_SUCCESS;
}

/* Two public keys are the same if their IDs are. */
static bool belong_together(const tls *t) {
    unsigned char id[2][64];
    size_t n[2] = {sizeof id[0], sizeof id[1]};
    gnutls_pubkey_t key;
    if (gnutls_pubkey_init(&key) != GNUTLS_E_SUCCESS)
        return false;
    const bool known = gnutls_pubkey_import_privkey(key, t->key, 0, 0) == GNUTLS_E_SUCCESS &&
                       gnutls_pubkey_get_key_id(key, 0, id[0], &n[0]) == GNUTLS_E_SUCCESS &&
                       gnutls_pubkey_get_key_id(t->chain[0].pubkey, 0, id[1], &n[1]) == GNUTLS_E_SUCCESS;
    gnutls_pubkey_deinit(key);
    return known && n[0] == n[1] && gnutls_memcmp(id[0], id[1], n[0]) == 0;
}

tls *tls_read(const config *c, char message[CONFIG_MESSAGE_MAX]) {
    tls *t = calloc(1, sizeof *t);
    snprintf(message, CONFIG_MESSAGE_MAX, "out of memory");
    if (t == NULL || gnutls_privkey_init(&t->key) != GNUTLS_E_SUCCESS) {
        free(t);
        return NULL;
    }
    if (read_chain(t, c->tls_certificate, message) && read_key(t, c->tls_key, message)) {
        if (belong_together(t))
            return t;
        snprintf(message, CONFIG_MESSAGE_MAX, "%.200s is not the key of the first certificate in %.200s", c->tls_key,
                 c->tls_certificate);
    }
    tls_free(t);
    return NULL;
}

void tls_use(tls *t) {
    t->before = current;
    current = t;
}

void tls_free(tls *t) {
    for (unsigned i = 0; i < t->count; i++)
        gnutls_pcert_deinit(&t->chain[i]);
    gnutls_privkey_deinit(t->key);
    free(t);
}

void tls_end(void) {
    for (tls *t = current, *before; t != NULL; t = before) {
        before = t->before;
        tls_free(t);
    }
    current = NULL;
}

int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info, gnutls_pcert_st **chain,
                 unsigned *count, gnutls_ocsp_data_st **ocsp, unsigned *ocsp_count, gnutls_privkey_t *key,
                 unsigned *flags) {
    tls *t = current;
    (void)session, (void)info, (void)flags;
    *chain = t->chain;
    *count = t->count;
    *ocsp = NULL;
    *ocsp_count = 0;
    *key = t->key;
    return 0;
}
