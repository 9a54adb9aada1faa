/* TLS: the certificate of the server and its key, which can be exchanged while it runs. */
#ifndef PODIUM_COLLECTOR_TLS_H
#define PODIUM_COLLECTOR_TLS_H

#include "config.h"

#include <gnutls/abstract.h>

/* TLS 1.2 and later */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

typedef struct tls tls;

/* Reads the two files of the configuration, and checks that they belong together. Returns NULL, and says why, if
   something is wrong. */
tls *tls_read(const config *c, char message[CONFIG_MESSAGE_MAX]);
/* From now on handshakes use this one. Those that have begun keep theirs, so it stays in memory until tls_end. */
void tls_use(tls *t);
void tls_free(tls *t); /* one that was never used */
void tls_end(void);    /* frees all that were, after the server has stopped */

/* What GnuTLS asks at every handshake */
gnutls_certificate_retrieve_function3 tls_retrieve;

#endif
