/* Post: talks to a podiumd by libcurl. It tries again, under the same key, whatever may be only temporary. */
#ifndef PODIUM_CLI_POST_H
#define PODIUM_CLI_POST_H

#include "cli.h"
#include "labels.h"

typedef struct {
    const char *to;         /* http://HOST:PORT or https://HOST:PORT, perhaps with a path */
    const char *token_file; /* NULL if not given */
    const char *ca;         /* a file of certificates to trust instead of the system's; NULL if not given */
    uint32_t retry;         /* how many seconds a request is tried again */
} post_options;

/* What the server says about a collection */
typedef struct {
    uint64_t fingerprint, reports_max, body_max, key_hours;
    labels labels;
} description;

typedef struct {
    uint64_t accepted, refused;
} answer;

/* Opening and describing end the program if the server refuses, or does not answer for too long. */
typedef struct post post;
post *post_open(const post_options *options, const char *name); /* the name is that of the collection */
description post_describe(post *p);
/* Sends a batch. The server knows its key until then, in seconds since 1970; after that it is not sent again. The query
   is added to the address. Returns false if the batch was not acknowledged. Then post_in_doubt returns whether it may
   have arrived all the same, which the server has ruled out if it refused every attempt; and post_fail ends the program
   with what the server has said. */
bool post_batch(post *p, answer *counted, const char *key, int64_t until, const char *query, const unsigned char *codes,
                size_t n);
bool post_in_doubt(const post *p);
_Noreturn void post_fail(const post *p);
void post_close(post *p);

#endif
