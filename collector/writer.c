#include "writer.h"
#include "clock.h"
#include "log.h"

#include <pthread.h>
#include <stdlib.h>

enum { GROUP_MAX = 4096 };

struct writer {
    store *store;
    metrics *metrics;
    store_policy policy;
    size_t queue_max;
    writer_tick *tick;
    void *tick_context;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, ran;
    write_job *first, **last;
    size_t waiting;
    size_t wanted;      /* wakes the writer when so many wait; 1 if it waits for the first */
    size_t answered;    /* batches of the last group, whose clients may be about to send their next ones */
    double commit_time; /* of late, in seconds */
    bool stopping;
    void (*between)(void *context); /* what to run between two transactions; NULL if nothing */
    void *between_context;

    store_entry *group[GROUP_MAX];
    bool away;
    double forgot; /* when keys were last dropped while nobody sent anything */
};

/* ---- One group ---- */

static void note_failure(writer *w) {
    if (!w->away)
        log_line(LOG_ERROR, "the store cannot be written: %s", w->store->message);
    w->away = true;
    metrics_add(w->metrics, METRIC_STORE_FAILURES, 1);
    metrics_set(w->metrics, METRIC_STORE_AWAY, 1);
}

static void note_success(writer *w, size_t count, double seconds) {
    if (w->away)
        log_line(LOG_INFO, "the store can be written again");
    w->away = false;
    metrics_set(w->metrics, METRIC_STORE_AWAY, 0);
    if (count == 0)
        return;
    metrics_add(w->metrics, METRIC_GROUPS, 1);
    metrics_add(w->metrics, METRIC_GROUPED, (int64_t)count);
    metrics_commit(w->metrics, seconds);
}

static store_status append(writer *w, size_t count) {
    const double from = seconds_now();
    w->policy.now = (int64_t)time(NULL);
    const store_status status = w->store->does->append(w->store, w->group, count, &w->policy);
    const double took = seconds_now() - from;
    w->commit_time += (took - w->commit_time) / 8;
    if (status == STORE_OK)
        note_success(w, count, took);
    else
        note_failure(w);
    return status;
}

static void remove_sums(writer *w, write_job *job) {
    job->status = w->store->does->remove(w->store, job->entry.collection, job->from, job->to, &job->removed);
    if (job->status != STORE_OK)
        note_failure(w);
}

/* Every group drops some of the keys that are too old, and so does an empty one, while nobody sends anything. */
static void forget_keys(writer *w) {
    enum { SECONDS = 60, GROUPS_MOST = 100 };
    uint64_t before = w->store->does->keys(w->store);
    if (before == 0 || seconds_now() - w->forgot < SECONDS)
        return;
    w->forgot = seconds_now();
    for (int i = 0; i < GROUPS_MOST && append(w, 0) == STORE_OK; i++) {
        const uint64_t now = w->store->does->keys(w->store);
        if (now >= before)
            return;
        before = now;
    }
}

/* Looks at the store, also while nobody sends anything: whoever routes requests by /readyz sends nothing to a server
   that is not ready, which must find out by itself when it is. */
static void look(writer *w) {
    bool changed = false;
    forget_keys(w);
    if (w->away)
        append(w, 0);
    else if (w->store->does->check(w->store, &changed) != STORE_OK)
        note_failure(w);
    if (!w->away)
        w->tick(w->tick_context, changed);
}

/* Stores all jobs of the list, and then tells whoever waits for them. */
static void write_group(writer *w, write_job *jobs) {
    size_t count = 0;
    for (write_job *job = jobs; job != NULL; job = job->next)
        if (!job->removes)
            w->group[count++] = &job->entry;
    const store_status status = count > 0 ? append(w, count) : STORE_OK;
    for (write_job *job = jobs, *next; job != NULL; job = next) {
        next = job->next; /* done may free the job */
        job->status = status;
        if (job->removes)
            remove_sums(w, job);
        job->done(job);
    }
    w->store->does->tidy(w->store);
}

/* ---- The thread ---- */

/* Cuts at most GROUP_MAX jobs off the queue. */
static write_job *take_group(writer *w) {
    write_job *jobs = w->first, **end = &w->first;
    size_t count = 0;
    for (; *end != NULL && count < GROUP_MAX; count++)
        end = &(*end)->next;
    w->first = *end;
    *end = NULL;
    if (w->first == NULL)
        w->last = &w->first;
    w->waiting -= count;
    w->answered = count;
    metrics_set(w->metrics, METRIC_QUEUE, (int64_t)w->waiting);
    return jobs;
}

/* Waits until so many jobs wait, for at most so many seconds, unless there is something else to do. */
static void wait_for(writer *w, size_t wanted, double seconds) {
    const struct timespec until = moment_in(seconds);
    w->wanted = wanted;
    while (w->waiting < wanted && !w->stopping && w->between == NULL)
        if (pthread_cond_timedwait(&w->wake, &w->lock, &until) != 0)
            return;
}

/* If there are many clients, those that were just answered send their next batches at once. To wait for them for a
   fraction of a commit makes one large group instead of two that alternate, and so halves the number of commits. */
static void gather(writer *w) {
    enum { FEW = 4 };
    const double longest = 2e-3, fraction = w->commit_time / 4;
    if (w->first != NULL && w->answered >= FEW)
        wait_for(w, w->waiting + w->answered, fraction < longest ? fraction : longest);
}

static void run_between(writer *w) {
    if (w->between == NULL)
        return;
    pthread_mutex_unlock(&w->lock);
    w->between(w->between_context);
    pthread_mutex_lock(&w->lock);
    w->between = NULL;
    pthread_cond_broadcast(&w->ran);
}

static void *write_all(void *context) {
    writer *w = context;
    double ticked = seconds_now();
    pthread_mutex_lock(&w->lock);
    while (!w->stopping || w->first != NULL) {
        wait_for(w, 1, 1);
        gather(w);
        run_between(w);
        write_job *jobs = take_group(w);
        pthread_mutex_unlock(&w->lock);
        if (jobs != NULL)
            write_group(w, jobs);
        if (seconds_now() - ticked >= 1) {
            look(w);
            ticked = seconds_now();
        }
        pthread_mutex_lock(&w->lock);
    }
    run_between(w);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

writer *writer_start(store *s, metrics *m, const store_policy *policy, size_t queue_max, writer_tick *tick,
                     void *context) {
    writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->store = s;
    w->metrics = m;
    w->policy = *policy;
    w->queue_max = queue_max;
    w->tick = tick;
    w->tick_context = context;
    w->last = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    pthread_cond_init(&w->ran, NULL);
    if (pthread_create(&w->thread, NULL, write_all, w) != 0) {
        free(w);
        return NULL;
    }
    return w;
}

bool writer_submit(writer *w, write_job *job) {
    pthread_mutex_lock(&w->lock);
    const bool room = w->waiting < w->queue_max && !w->stopping;
    if (room) {
        job->next = NULL;
        *w->last = job;
        w->last = &job->next;
        w->waiting++;
        metrics_set(w->metrics, METRIC_QUEUE, (int64_t)w->waiting);
        if (w->waiting == w->wanted)
            pthread_cond_signal(&w->wake);
    }
    pthread_mutex_unlock(&w->lock);
    return room;
}

void writer_between(writer *w, void (*run)(void *context), void *context) {
    pthread_mutex_lock(&w->lock);
    while (w->between != NULL)
        pthread_cond_wait(&w->ran, &w->lock);
    w->between = run;
    w->between_context = context;
    pthread_cond_signal(&w->wake);
    while (w->between == run)
        pthread_cond_wait(&w->ran, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

void writer_stop(writer *w) {
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
}

void writer_free(writer *w) {
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->ran);
    pthread_mutex_destroy(&w->lock);
    free(w);
}
