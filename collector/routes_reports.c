/* What comes in: reports, the states of other collectors, and requests to delete. */
#include "hash.h"
#include "query.h"
#include "routes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- The body ---- */

static const problem_kind problems_of_bodies[] = {
    [BODY_MALFORMED] = PROBLEM_BODY_WRONG,      [BODY_TOO_LARGE] = PROBLEM_BODY_TOO_LARGE,
    [BODY_TOO_MANY] = PROBLEM_TOO_MANY_REPORTS, [BODY_FINGERPRINT_WRONG] = PROBLEM_FINGERPRINT_WRONG,
    [BODY_LABEL_WRONG] = PROBLEM_LABEL_WRONG,   [BODY_OUT_OF_MEMORY] = PROBLEM_BUSY,
};

static bool refuse_body(request *r, body_status status) {
    char more[128] = "";
    if (status == BODY_FINGERPRINT_WRONG)
        snprintf(more, sizeof more, ", \"fingerprint\": \"%s\", \"given_fingerprint\": \"%s\"", r->entry->fingerprint,
                 r->batch.given_fingerprint);
    request_refuse_with(r, problems_of_bodies[status], more, r->batch.detail);
    return false;
}

/* Is the type of the body this one, whatever parameters follow it? */
static bool has_type(const char *type, const char *wanted) {
    const size_t n = strlen(wanted);
    return strncasecmp(type, wanted, n) == 0 && (type[n] == '\0' || type[n] == ';' || type[n] == ' ');
}

/* curl -d sends the type of a form; there are no forms here, so that it stands for JSON. */
static bool find_format(request *r, body_format *format) {
    static const struct {
        const char *type;
        body_format format;
    } types[] = {
        {"application/json", BODY_JSON},
        {"application/x-www-form-urlencoded", BODY_JSON},
        {"application/x-ndjson", BODY_NDJSON},
        {"application/vnd.podium.codes", BODY_CODES},
    };
    const char *type = request_header(r, "Content-Type");
    if (type == NULL)
        type = "application/json";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (has_type(type, types[i].type)) {
            *format = types[i].format;
            return true;
        }
    request_refuse(r, PROBLEM_FORMAT_UNKNOWN,
                   "Send application/json, application/x-ndjson or application/vnd.podium.codes.");
    return false;
}

static bool unpack(request *r) {
    const char *encoding = request_header(r, "Content-Encoding");
    char *plain;
    size_t n = 0;
    if (encoding == NULL || strcasecmp(encoding, "identity") == 0)
        return true;
    if (strcasecmp(encoding, "gzip") != 0) {
        request_refuse(r, PROBLEM_FORMAT_UNKNOWN, "Bodies may be compressed by gzip, and in no other way.");
        return false;
    }
    const body_status status = body_gunzip(&plain, &n, r->body, r->body_n, r->server->config.body_max);
    if (status == BODY_TOO_LARGE)
        request_refuse(r, problems_of_bodies[status], "The body unpacks to more than %llu bytes.",
                       (unsigned long long)r->server->config.body_max);
    else if (status != BODY_TAKEN)
        request_refuse(r, problems_of_bodies[status], "The body is not one complete file of gzip.");
    if (status != BODY_TAKEN)
        return false;
    free(r->body);
    r->body = plain;
    r->body_n = n;
    return request_reserve(r, n);
}

static bool read_batch(request *r, body_format *format) {
    const body_rules rules = {&r->entry->collection, &r->entry->labels, r->server->config.reports_max};
    const char *fingerprint = request_parameter(r, "fingerprint");
    if (!find_format(r, format) || !query_flag(r, "atomic", &r->batch.atomic) || !query_labels(r, &r->batch.labels) ||
        !unpack(r))
        return false;
    body_status status = fingerprint == NULL ? BODY_TAKEN : batch_set_fingerprint(&rules, &r->batch, fingerprint);
    if (status == BODY_TAKEN)
        status = body_read(&rules, *format, &r->batch, r->body, r->body_n);
    if (status != BODY_TAKEN)
        return refuse_body(r, status);
    /* Arrays grow to the next power of two. */
    return request_reserve(
        r, 2 * (r->batch.reports_n * sizeof *r->batch.reports + r->batch.cells_n * sizeof *r->batch.cells));
}

/* With atomic=true, a batch with a report that cannot be one is not stored at all. */
static bool check_atomic(request *r) {
    podium_aggregate tried;
    if (!r->batch.atomic)
        return true;
    podium_aggregate_init(&r->entry->collection, &tried);
    const podium_status status = batch_add_to(&r->entry->collection, &tried, &r->batch);
    const uint64_t refused = podium_aggregate_refused(&tried);
    if (status == PODIUM_OK && refused == 0)
        return true;
    char more[64];
    snprintf(more, sizeof more, ", \"accepted\": 0, \"refused\": %llu", (unsigned long long)refused);
    request_refuse_with(r, PROBLEM_REPORTS_REFUSED, more,
                        "Because of atomic=true none of the batch was taken. Send reports as podium_privatize returns "
                        "them: not rounded, not clamped, and of this collection.");
    return false;
}

/* ---- The key ---- */

static bool is_key(const char *key) {
    enum { KEY_MAX = 255 };
    const size_t n = strlen(key);
    for (size_t i = 0; i < n; i++)
        if (key[i] <= ' ' || key[i] == 0x7f)
            return false;
    return n > 0 && n <= KEY_MAX;
}

/* Only hashes of the key and of everything it stands for are stored. */
static bool find_key(request *r, const char *form) {
    const char *key = request_header(r, "Idempotency-Key");
    store_entry *e = &r->write.entry;
    if (key == NULL)
        return true;
    if (!is_key(key)) {
        request_refuse(r, PROBLEM_KEY_WRONG,
                       "A key has from 1 to 255 visible characters of ASCII, such as a random UUID.");
        return false;
    }
    const hash_part of_key[] = {{r->entry->name, strlen(r->entry->name)}, {key, strlen(key)}};
    const hash_part of_body[] = {
        {form, strlen(form)}, {r->labels.bytes, r->labels.n}, {r->batch.atomic ? "1" : "0", 1}, {r->body, r->body_n}};
    e->keyed = true;
    if (hash_parts(&e->key, of_key, 2) && hash_parts(&e->body, of_body, 4))
        return true;
    request_refuse(r, PROBLEM_BUSY, "There is no memory to look at the key. Send the batch again later.");
    return false;
}

/* ---- The answer ---- */

static void count(request *r) {
    const store_entry *e = &r->write.entry;
    metrics_collection *m = r->entry->metrics;
    if (e->outcome == STORE_DUPLICATE) {
        m->duplicates++;
        return;
    }
    m->batches++;
    m->accepted += e->accepted;
    m->refused += e->refused;
    m->not_numbers += r->batch.not_numbers;
}

static void answer_stored(request *r) {
    const store_entry *e = &r->write.entry;
    switch (e->outcome) {
    case STORE_COUNTED:
    case STORE_DUPLICATE:
        count(r);
        text_print(&r->out, "{\"accepted\":%llu,\"refused\":%llu,\"duplicate\":%s}\n", (unsigned long long)e->accepted,
                   (unsigned long long)e->refused, e->outcome == STORE_DUPLICATE ? "true" : "false");
        request_answer(r, 200);
        break;
    case STORE_KEY_REUSED:
        request_refuse(r, PROBLEM_KEY_REUSED, "Each batch needs a key of its own; only a repetition has the same one.");
        break;
    case STORE_KEYS_FULL:
        request_refuse(r, PROBLEM_KEYS_FULL, "Send the batch again later, when old keys have been forgotten.");
        break;
    case STORE_AGGREGATE_FULL:
        request_refuse(r, PROBLEM_AGGREGATE_FULL, "The sum of this period cannot take so many more reports.");
        break;
    }
}

/* A batch without a key, of which nobody knows whether it was stored, must not be sent again by a client that knows no
   better, so it is not answered with 503. */
static void refuse_store(request *r) {
    if (r->write.removes)
        request_refuse(r, PROBLEM_STORE_AWAY, "Delete again later; it does no harm if the sums are gone already.");
    else if (r->write.status != STORE_UNKNOWN)
        request_refuse(r, PROBLEM_STORE_AWAY, "Nothing was stored. Send the request again later, with the same key.");
    else if (r->write.entry.keyed)
        request_refuse(r, PROBLEM_STORE_AWAY,
                       "The connection to the database was lost. Send the request again later, with the same key; it "
                       "counts once.");
    else
        request_refuse(r, PROBLEM_OUTCOME_UNKNOWN,
                       "Either all of the batch was stored or none, and nobody knows which. Sent again, it may count "
                       "twice. Batches with an Idempotency-Key can always be sent again.");
}

static void done(write_job *job) {
    request *r = request_of_job(job);
    if (job->status == STORE_OK)
        answer_stored(r);
    else
        refuse_store(r);
    request_resume(r);
}

/* ---- The routes ---- */

static void store_batch(request *r, const char *form) {
    store_entry *e = &r->write.entry;
    label_set_print(&r->labels, &r->entry->labels, &r->batch.labels);
    if (r->labels.failed) {
        request_refuse(r, PROBLEM_BUSY, "There is no memory for this batch. Send it again later.");
        return;
    }
    e->collection = r->entry->number;
    e->ready = &r->entry->collection;
    e->labels = r->labels.bytes;
    e->batch = r->state == NULL ? &r->batch : NULL;
    e->state = r->state;
    if (find_key(r, form))
        request_write(r, done);
}

void handle_reports(request *r) {
    static const char *const forms[BODY_FORMATS] = {"json", "ndjson", "codes"};
    body_format format;
    if (read_batch(r, &format) && check_atomic(r))
        store_batch(r, forms[format]);
}

/* The state of another collector, as bytes or as the line of text that podium aggregate writes */
static bool read_state(request *r) {
    const bool is_text = r->body_n >= sizeof PODIUM_AGGREGATE_PREFIX &&
                         memcmp(r->body, PODIUM_AGGREGATE_PREFIX, sizeof PODIUM_AGGREGATE_PREFIX - 1) == 0;
    size_t n = r->body_n;
    while (is_text && n > 0 && (r->body[n - 1] == '\n' || r->body[n - 1] == '\r'))
        n--;
    r->state = malloc(sizeof *r->state);
    const podium_status status =
        r->state == NULL ? PODIUM_ERROR_OUT_OF_MEMORY
        : is_text        ? podium_aggregate_parse(&r->entry->collection, r->state, r->body, n)
                         : podium_aggregate_decode(&r->entry->collection, r->state, (unsigned char *)r->body, n);
    if (status == PODIUM_OK)
        return true;
    if (status == PODIUM_ERROR_FINGERPRINT_WRONG)
        request_refuse(r, PROBLEM_FINGERPRINT_WRONG, "The state is not of this collection, whose fingerprint is %s.",
                       r->entry->fingerprint);
    else
        request_refuse(r, PROBLEM_BODY_WRONG, "This is not a state: %s.", podium_status_message(status));
    return false;
}

void handle_state_upload(request *r) {
    if (query_labels(r, &r->batch.labels) && unpack(r) && read_state(r))
        store_batch(r, "state");
}

static void done_deleting(write_job *job) {
    request *r = request_of_job(job);
    if (job->status == STORE_OK) {
        text_print(&r->out, "{\"deleted_sums\": %llu}\n", (unsigned long long)job->removed);
        request_answer(r, 200);
    } else {
        refuse_store(r);
    }
    request_resume(r);
}

/* Both ends must be given, so that nobody deletes everything by forgetting one. */
void handle_delete(request *r) {
    write_job *job = &r->write;
    job->removes = true;
    job->entry.collection = r->entry->number;
    if (request_parameter(r, "from") == NULL || request_parameter(r, "to") == NULL) {
        request_refuse(r, PROBLEM_QUERY_WRONG, "Say from when to when with the parameters from and to.");
        return;
    }
    if (query_time(r, "from", &job->from) && query_time(r, "to", &job->to))
        request_write(r, done_deleting);
}
