/* Writer: the one thread that changes the store. It takes all batches that wait into one transaction with one
   synchronisation of the disk, and only then are they answered. */
#ifndef PODIUM_COLLECTOR_WRITER_H
#define PODIUM_COLLECTOR_WRITER_H

#include "metrics.h"
#include "store.h"

typedef struct write_job {
    store_entry entry; /* of a batch or a state */
    bool removes;      /* if true, the sums of entry.collection from ... to - 1 are removed instead */
    int64_t from, to;
    uint64_t removed;                    /* how many sums were */
    store_status status;                 /* of the transaction */
    void (*done)(struct write_job *job); /* is called by the writer when the job is on disk or has failed */
    struct write_job *next;
} write_job;

typedef struct writer writer;
/* Called about once a second by the thread that may change the store. changed is whether another process has changed
   the tokens. */
typedef void writer_tick(void *context, bool changed);

/* The policy's time is not used; the writer asks the clock. Returns NULL if there is no thread to be had. */
writer *writer_start(store *s, metrics *m, const store_policy *policy, size_t queue_max, writer_tick *tick,
                     void *context);
/* Returns false if too many jobs wait already; done is then never called. */
bool writer_submit(writer *w, write_job *job);
/* Runs a function on the writer's thread, between two transactions, and waits for it. */
void writer_between(writer *w, void (*run)(void *context), void *context);
/* Finishes the jobs that wait, and ends the thread. From then on writer_submit returns false. */
void writer_stop(writer *w);
void writer_free(writer *w); /* after writer_stop */

#endif
