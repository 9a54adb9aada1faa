/*
 * podium send: privatize a column of values here, and send the reports to a podiumd. First all values are privatized
 * into the spool, then its batches are sent. So a bad row means that nothing was sent, and whatever happens later, the
 * spool has what is left.
 */
#include "collection.h"
#include "commands/commands.h"
#include "platform.h"
#include "table/table.h"

#if defined(PODIUM_WITH_CURL)
#include "commands/send/post.h"
#include "commands/send/spool.h"
#else
typedef struct { /* the options alone */
    const char *to, *token_file, *ca;
    uint32_t retry;
} post_options;
#endif

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_DEFAULT 10000
#define RETRY_DEFAULT 300

typedef enum { UNANSWERED_STOP, UNANSWERED_SEND, UNANSWERED_SKIP } unanswered;

typedef struct {
    const char *name, *spool;
    text_list labels, label_columns;
    uint32_t batch; /* 0 if not given */
    bool resume;
    unanswered unanswered;
    char *again; /* the command that sends what is left in the spool */
} send_options;

typedef struct {
    collection_options which;
    table_options table;
    post_options post;
    send_options send;
} settings;

static const char *const invalid_words[] = {"error", "drop", "clamp", NULL};
static const char *const unanswered_words[] = {"stop", "send", "skip", NULL};

static const option value_options[] = {
    {.name = "invalid",
     TO_CHOICE(table_options, invalid),
     .words = invalid_words,
     .help =
         "fields that are empty, not numbers, or out of range: stop (default); drop the row; or clamp numbers to the "
         "range (anything else is an error)"},
    ROW_THREADS,
    {.name = NULL},
};

static const option server_options[] = {
    {.name = "to", .argument = "URL", TO_TEXT(post_options, to), .help = "the address of the podiumd"},
    {.name = "token-file",
     .argument = "FILE",
     .file = true,
     TO_TEXT(post_options, token_file),
     .help = "a file with the token to write; if not given, the variable PODIUM_TOKEN has it"},
    {.name = "ca",
     .argument = "FILE",
     .file = true,
     TO_TEXT(post_options, ca),
     .help = "trust the certificates in FILE instead of the system's"},
    {.name = "retry",
     .argument = "SECONDS",
     TO_COUNT(post_options, retry, 0, 86400),
     .help = "how long to try a request again that was not answered; 300 if not given"},
    {.name = NULL},
};

static const option send_rows[] = {
    {.name = "name",
     .argument = "NAME",
     TO_TEXT(send_options, name),
     .help = "the name of the collection at the server; the one in its file if not given"},
    {.name = "label",
     .argument = "LABEL=VALUE",
     .repeatable = true,
     TO_TEXTS(send_options, labels),
     .help = "a public fact about all rows, which the collection declares"},
    {.name = "label-column",
     .argument = "LABEL[=COLUMN]",
     .repeatable = true,
     TO_TEXTS(send_options, label_columns),
     .help = "a column with the value of this label in each row; the column of that name if not given"},
    {.name = "batch",
     .argument = "N",
     TO_COUNT(send_options, batch, 1, 1000000),
     .help = "how many reports to send at once; 10000 if not given, or fewer if the server says so"},
    {.name = NULL},
};

static const option spool_rows[] = {
    {.name = "spool",
     .argument = "FILE",
     .file = true,
     TO_TEXT(send_options, spool),
     .help = "keep the reports in FILE until they are acknowledged; NAME.spool if not given"},
    {.name = "resume",
     TO_FLAG(send_options, resume),
     .help = "send what is left in the spool, and read no values; takes no files, and no options about labels and "
             "input. The same command does so by default if the files have not changed"},
    {.name = "unanswered",
     TO_CHOICE(send_options, unanswered),
     .words = unanswered_words,
     .help = "a batch that was sent so long ago that the server may have forgotten its key, so that it may count "
             "twice: stop (default), send it again, or skip it"},
    {.name = NULL},
};

#if defined(PODIUM_WITH_CURL)

/* ---- Last words: what was sent, if the program ends early ---- */

#define WORDS_ROOM 8192
static char last_words[2][WORDS_ROOM];
static const char *volatile said_last = ""; /* one of these, while the other is written */
static const char *volatile unfinished;     /* the spool while it is being filled, when nothing has been sent */

static void say_last_words(void) {
    if (unfinished != NULL)
        file_remove(unfinished);
    write_message(said_last);
}

/* Prepares the words, because a signal handler cannot print numbers. */
static void prepare_last_words(const spool_totals *now, uint64_t unsure, const send_options *options) {
    char *next = said_last == last_words[0] ? last_words[1] : last_words[0];
    char under_way[128] = "";
    if (unsure > 0)
        snprintf(under_way, sizeof under_way, " (%" PRIu64 " of them may have arrived, and count once all the same)",
                 unsure);
    snprintf(next, WORDS_ROOM,
             "podium: %" PRIu64 " of %" PRIu64 " reports were acknowledged; the other %" PRIu64 " are in %s%s\n"
             "podium: to send them without privatizing any value again, run: %s\n",
             now->done, now->reports, now->reports - now->done - now->skipped, options->spool, under_way,
             options->again);
    said_last = next;
}

/* ---- Batches, one under way for each set of labels ---- */

typedef struct {
    unsigned char *codes;
    size_t n; /* bytes */
} pile;

/* What all threads share */
typedef struct {
    const podium_collection *collection;
    const description *about;
    table *table;
    spool *out;
    label_set constant;
    const char *by_name[BY_MAX]; /* the label of each column that has labels */
    size_t code_bytes, batch_bytes;
    pile pile[LABEL_SETS_MAX];
    uint64_t reports;
    uint64_t unlabelled[BY_MAX]; /* how many rows lack the label of each column */
} job;

/* What each thread has of its own */
typedef struct {
    job *job;
    unsigned char *codes;
    size_t n, capacity;
    uint32_t *cells;
    size_t cells_capacity;
} own;

/* The number of the set among all that there can be, which are at most LABEL_SETS_MAX */
static size_t set_number(const labels *all, const label_set *set) {
    size_t number = 0;
    for (size_t i = 0; i < all->count; i++)
        number = number * (all->of[i].count + 1) + set->value[i];
    return number;
}

/* Returns the set as a part of an address. */
static void set_query(const labels *all, size_t number, char query[SPOOL_LABELS_MAX]) {
    query[0] = '\0';
    for (size_t i = all->count; i-- > 0; number /= all->of[i].count + 1) {
        const size_t value = number % (all->of[i].count + 1);
        if (value == 0)
            continue;
        char *label_name = percent_encode(all->of[i].name), *word = percent_encode(all->of[i].values[value - 1]);
        const size_t n = strlen(query);
        snprintf(query + n, SPOOL_LABELS_MAX - n, "&label=%s:%s", label_name, word);
        free(label_name);
        free(word);
    }
}

static void flush_pile(job *j, size_t number) {
    char query[SPOOL_LABELS_MAX];
    pile *p = &j->pile[number];
    if (p->n == 0)
        return;
    set_query(&j->about->labels, number, query);
    spool_add(j->out, query, p->codes, p->n, p->n / j->code_bytes);
    p->n = 0;
}

static void pile_up(job *j, size_t number, const unsigned char *codes, size_t n) {
    pile *p = &j->pile[number];
    if (p->codes == NULL)
        p->codes = allocate(j->batch_bytes);
    while (n > 0) {
        const size_t room = j->batch_bytes - p->n, part = n < room ? n : room;
        memcpy(p->codes + p->n, codes, part);
        p->n += part;
        codes += part;
        n -= part;
        if (p->n == j->batch_bytes)
            flush_pile(j, number);
    }
}

static void work(void *argument, const rows *r) {
    own *o = argument;
    const job *j = o->job;
    const size_t bytes = r->count * j->code_bytes;
    if (r->count > o->cells_capacity)
        o->cells = reallocate(o->cells, (o->cells_capacity = r->count) * sizeof *o->cells);
    if (o->n + bytes > o->capacity)
        o->codes = reallocate(o->codes, o->capacity = o->n + bytes);
    podium_status status = podium_privatize_cells(j->collection, NULL, o->cells, r->value, r->count);
    if (status == PODIUM_OK)
        status = podium_codes_encode(j->collection, o->codes + o->n, bytes, o->cells, r->count);
    if (status != PODIUM_OK)
        fail(BAD_IO, "%s", podium_status_message(status));
    o->n += bytes;
}

/* Returns the number of the set of labels of the i-th row. A label whose field is empty is missing. The field is not
   printed, because nobody knows what it is if it is not a label. */
static size_t set_of_row(job *j, const rows *r, size_t i) {
    label_set set = j->constant;
    for (size_t b = 0; b < r->by_count; b++) {
        const span field = r->by[i * r->by_count + b];
        char value[LABEL_TEXT_MAX + 1], what[256];
        const size_t n = csv_unquote(value, LABEL_TEXT_MAX, r->text + field.from, field.to - field.from);
        value[n] = '\0';
        if (field.from == r->field[i].from)
            fail(BAD_USAGE, "--label-column %s is the column of values, which must not be sent", j->by_name[b]);
        const char *wrong = n == 0 ? NULL : label_set_add(&j->about->labels, &set, j->by_name[b], value);
        j->unlabelled[b] += n == 0;
        snprintf(what, sizeof what, "label %s: %s", j->by_name[b], wrong == NULL ? "" : wrong);
        if (wrong != NULL)
            table_fail(j->table, r, &r->row[i], what);
    }
    return set_number(&j->about->labels, &set);
}

static void finish(void *argument, const rows *r) {
    own *o = argument;
    job *j = o->job;
    j->reports += o->n / j->code_bytes;
    if (r->by_count == 0)
        pile_up(j, set_number(&j->about->labels, &j->constant), o->codes, o->n);
    for (size_t i = 0; r->by_count > 0 && i < r->count; i++)
        pile_up(j, set_of_row(j, r, i), o->codes + i * j->code_bytes, j->code_bytes);
    o->n = 0;
}

static void privatize_all(job *j) {
    const unsigned threads = table_threads(j->table);
    own *all = allocate(threads * sizeof *all);
    for (unsigned i = 0; i < threads; i++)
        all[i] = (own){.job = j};
    table_run(j->table, all, sizeof *all, work, finish);
    for (size_t i = 0; i < LABEL_SETS_MAX; i++) {
        flush_pile(j, i);
        free(j->pile[i].codes);
    }
    for (unsigned i = 0; i < threads; i++) {
        free(all[i].codes);
        free(all[i].cells);
    }
    free(all);
}

/* ---- Labels ---- */

static char *copy(const char *string) {
    return strcpy(allocate(strlen(string) + 1), string);
}

/* Splits "region=north". Returns what follows the sign, or NULL if there is none; the name is copied. */
static const char *split(char name[LABEL_TEXT_MAX], const char *option_name, const char *given) {
    const size_t n = strcspn(given, "=");
    if (n == 0 || n >= LABEL_TEXT_MAX)
        fail_usage("send", "--%s begins with the name of a label, not '%s'", option_name, given);
    memcpy(name, given, n);
    name[n] = '\0';
    return given[n] == '=' ? given + n + 1 : NULL;
}

typedef struct {
    char of[LABELS_MAX + 1][LABEL_TEXT_MAX];
    size_t count;
} name_list;

static void add_names(name_list *names, const char *option_name, const text_list *given) {
    for (size_t i = 0; i < given->count && names->count <= LABELS_MAX; i++) {
        char *name = names->of[names->count++];
        split(name, option_name, given->of[i]);
        for (size_t k = 0; k + 1 < names->count; k++)
            if (strcmp(names->of[k], name) == 0)
                fail_usage("send", "the label %s is given twice, by --label or --label-column", name);
    }
}

/* Ends the program if a label is given twice. More than LABELS_MAX cannot all be declared, which is noticed later. */
static void check_labels(const send_options *options) {
    name_list names = {.count = 0};
    add_names(&names, "label", &options->labels);
    add_names(&names, "label-column", &options->label_columns);
}

static void read_constants(job *j, const text_list *given) {
    char name[LABEL_TEXT_MAX];
    for (size_t i = 0; i < given->count; i++) {
        const char *value = split(name, "label", given->of[i]);
        if (value == NULL)
            fail_usage("send", "--label takes LABEL=VALUE, not '%s'", given->of[i]);
        const char *wrong = label_set_add(&j->about->labels, &j->constant, name, value);
        if (wrong != NULL)
            fail(BAD_DATA, "--label %s: %s", given->of[i], wrong);
    }
}

/* The columns of labels are read like those that name groups. */
static void read_label_columns(job *j, const text_list *given, table_options *options) {
    if (given->count > BY_MAX)
        fail_usage("send", "--label-column can be given at most %d times", BY_MAX);
    for (size_t i = 0; i < given->count; i++) {
        char name[LABEL_TEXT_MAX];
        const char *other = split(name, "label-column", given->of[i]);
        const size_t at = labels_find(&j->about->labels, name);
        if (at == LABELS_MAX)
            fail(BAD_DATA, "--label-column %s: the collection declares no label of that name", given->of[i]);
        j->by_name[i] = j->about->labels.of[at].name;
        options->by.of[options->by.count++] = copy(other == NULL ? name : other);
    }
}

/* ---- Filling the spool ---- */

static size_t batch_size(const send_options *options, const description *about, size_t code_bytes) {
    const uint64_t fit = about->body_max / code_bytes, most = fit < about->reports_max ? fit : about->reports_max;
    if (most == 0)
        fail(BAD_DATA, "the server says that it takes no report at all in a batch");
    if (options->batch > most)
        fail_usage("send", "--batch %" PRIu32 ": the server takes batches of up to %" PRIu64 " reports", options->batch,
                   most);
    if (options->batch > 0)
        return options->batch;
    return most < BATCH_DEFAULT ? (size_t)most : BATCH_DEFAULT;
}

static void say_what_is_missing(const job *j, size_t label_columns) {
    if (j->reports == 0)
        say("warning: there are no values in the input, so there is nothing to send");
    for (size_t b = 0; b < label_columns; b++)
        if (j->unlabelled[b] > 0)
            say("%" PRIu64 " of %" PRIu64 " rows have no %s, so their reports are sent without this label",
                j->unlabelled[b], j->reports, j->by_name[b]);
}

static void fill_spool(spool *out, settings *s, const podium_collection *collection, const description *about) {
    const podium_spec spec = podium_collection_spec(collection), *range[] = {&spec};
    job *j = allocate(sizeof *j);
    *j = (job){.collection = collection, .about = about, .out = out, .code_bytes = podium_code_bytes(collection)};
    j->batch_bytes = batch_size(&s->send, about, j->code_bytes) * j->code_bytes;
    read_constants(j, &s->send.labels);
    read_label_columns(j, &s->send.label_columns, &s->table);
    s->table.range = range;
    j->table = table_open(&s->table);
    privatize_all(j);
    table_close(j->table);
    say_what_is_missing(j, s->send.label_columns.count);
    spool_complete(out);
    free(j);
}

/* ---- Sending ---- */

enum { HOUR = 3600 }; /* seconds */

/* Returns for how many seconds the server surely knows a key, if the clocks differ by less than the margin. */
static int64_t key_seconds(const description *about) {
    enum { MARGIN = 600 };
    return about->key_hours < INT32_MAX ? (int64_t)about->key_hours * HOUR - MARGIN : INT64_MAX / 2;
}

/* The server forgets keys after some time. A batch that may have arrived before that must not be sent again unless the
   user says so. Returns until when it may be sent, in seconds since 1970, or 0 if it may not. */
static int64_t may_send_until(const spool_batch *batch, const description *about, unanswered choice, const char *path) {
    const int64_t now = (int64_t)time(NULL), known = key_seconds(about);
    const int64_t first = batch->sent == 0 || batch->sent > now ? now : batch->sent;
    if (batch->sent == 0 || now - first < known)
        return first + known;
    if (choice == UNANSWERED_STOP)
        fail(BAD_DATA,
             "%s: a batch of %zu reports was sent %" PRId64 " hours ago without an answer, and the server knows "
             "keys for %" PRIu64 " hours, so that it may count twice if it is sent again.\n"
             "podium: add --unanswered send to send it all the same, or --unanswered skip to give it up",
             path, batch->reports, (now - first) / HOUR, about->key_hours);
    return choice == UNANSWERED_SEND ? now + known : 0;
}

/* Returns false if the batch was not acknowledged. A batch whose every attempt was refused counts as never sent. */
static bool post_spooled(spool *spooled, spool_batch *batch, post *p, answer *counted, const char *query,
                         int64_t until) {
    const unsigned char *codes = spool_codes(spooled, batch);
    const bool first = batch->sent == 0;
    if (first)
        spool_note_sent(spooled, batch);
    if (post_batch(p, counted, batch->key, until, query, codes, batch->n))
        return true;
    if (first && !post_in_doubt(p))
        spool_note_unsent(spooled, batch);
    return false;
}

static uint64_t send_batch(spool *spooled, spool_batch *batch, post *p, uint64_t fingerprint, int64_t until,
                           const spool_totals *now, const send_options *options) {
    char query[SPOOL_LABELS_MAX + 64];
    answer a;
    snprintf(query, sizeof query, "fingerprint=%016" PRIx64 "%s", fingerprint, batch->labels);
    prepare_last_words(now, batch->reports, options);
    if (!post_spooled(spooled, batch, p, &a, query, until)) {
        prepare_last_words(now, batch->sent == 0 ? 0 : batch->reports, options);
        post_fail(p);
    }
    if (a.accepted + a.refused != batch->reports)
        fail(BAD_IO, "the server says of a batch of %zu reports that it accepted %" PRIu64 " and refused %" PRIu64,
             batch->reports, a.accepted, a.refused);
    spool_note_end(spooled, batch, BATCH_DONE);
    return a.refused;
}

/* Sends all batches that wait, and returns what became of all of them. */
static spool_totals send_all(spool *spooled, const settings *s, post *p, const description *about) {
    spool_totals now = spool_count(spooled);
    const uint64_t bytes = now.bytes, before = now.done;
    uint64_t refused = 0, sent = 0;
    spool_batch *batch = allocate(sizeof *batch);
    while (spool_next(spooled, batch)) {
        if (batch->state != BATCH_WAITS)
            continue;
        prepare_last_words(&now, batch->sent == 0 ? 0 : batch->reports, &s->send);
        const int64_t until = may_send_until(batch, about, s->send.unanswered, s->send.spool);
        if (until != 0) {
            refused += send_batch(spooled, batch, p, about->fingerprint, until, &now, &s->send);
            now.done += batch->reports;
        } else {
            spool_note_end(spooled, batch, BATCH_SKIPPED);
            now.skipped += batch->reports;
        }
        sent += batch->n;
        progress_show("sending", sent, bytes, now.done - before);
    }
    progress_clear();
    free(batch);
    if (refused > 0)
        say("warning: the server refused %" PRIu64 " reports, which cannot happen to reports of this collection",
            refused);
    return now;
}

/* ---- The command ---- */

/* Reports that were made in another way than the command says are neither sent nor made again. */
static void check_made(const settings *s, const char *name, const char *wanted, const char *found) {
    const bool with = *wanted != '\0', had = *found != '\0';
    if (strcmp(wanted, found) == 0)
        return;
    fail(BAD_DATA,
         "%s: an earlier run has left reports in this file which were made %s%s, not %s%s.\n"
         "podium: to send them as they are, run: %s\n"
         "podium: otherwise give another --spool to make other reports of the same values, which costs epsilon again, "
         "or remove the file to give them up",
         s->send.spool, had ? "with " : "without --", had ? found : name, with ? "with " : "without --",
         with ? wanted : name, s->send.again);
}

/* A spool that is there already has reports that must not be made again, so it is never overwritten. */
static void check_spool(const settings *s, const spool_head *wanted, const spool_head *found) {
    const char *path = s->send.spool;
    if (strcmp(wanted->to, found->to) != 0)
        fail(BAD_DATA,
             "%s: its reports are for %s, not for %s.\npodium: if the server has moved, change the second line of that "
             "file",
             path, found->to, wanted->to);
    if (wanted->fingerprint != found->fingerprint || strcmp(wanted->name, found->name) != 0)
        fail(BAD_DATA,
             "%s: its reports are of the collection %s with the fingerprint %016" PRIx64 ", not of %s with %016" PRIx64,
             path, found->name, found->fingerprint, wanted->name, wanted->fingerprint);
    if (!s->send.resume && (*found->input == '\0' || strcmp(wanted->input, found->input) != 0))
        fail(BAD_DATA,
             "%s: there are reports in this file which an earlier run has left.\n"
             "podium: to send them without reading values, run: %s\n"
             "podium: otherwise give another --spool for other values, or remove the file to give them up",
             path, s->send.again);
    for (size_t i = 0; !s->send.resume && i < MADE_COUNT; i++)
        check_made(s, made_names[i], wanted->made[i], found->made[i]);
}

/* Opens the spool that an earlier run has left. Returns NULL if there is none that is complete. */
static spool *open_left(const settings *s, const spool_head *head) {
    spool_head found;
    spool *left = spool_open(s->send.spool, &found);
    if (left == NULL)
        return NULL;
    check_spool(s, head, &found);
    spool_head_free(&found);
    say("going on with %s; no values are read%s", s->send.spool,
        s->send.batch > 0 ? ", and batches stay as they are" : "");
    return left;
}

/* Opens what an earlier run has left, or fills a new spool. */
static spool *open_spool(settings *s, const podium_collection *collection, const description *about,
                         const spool_head *head) {
    const char *path = s->send.spool;
    spool *fresh = s->send.resume ? NULL : spool_create(path, head);
    if (fresh == NULL) {
        spool *left = open_left(s, head);
        if (left != NULL)
            return left;
        if (s->send.resume)
            fail(BAD_DATA, "%s: the earlier run ended before all values were privatized, so there is nothing to send",
                 path);
        fresh = spool_create(path, head);
    }
    if (fresh == NULL)
        fail(BAD_IO, "%s: another podium send is at work on this file", path);
    unfinished = path;
    fill_spool(fresh, s, collection, about);
    unfinished = NULL;
    return fresh;
}

static void check_fingerprint(const post_options *to, const podium_collection *collection, const description *about) {
    const uint64_t mine = podium_collection_fingerprint(collection);
    if (mine != about->fingerprint)
        fail(BAD_DATA,
             "the collection here has the fingerprint %016" PRIx64 ", and the one of this name at %s has %016" PRIx64
             ".\npodium: they differ in range, epsilon or mechanism; nothing was sent",
             mine, to->to, about->fingerprint);
}

static void say_result(const spool_totals *now) {
    if (now->skipped > 0)
        say("%" PRIu64 " reports were acknowledged, and %" PRIu64 " were given up", now->done, now->skipped);
    else
        say("%" PRIu64 " report%s acknowledged", now->done, now->done == 1 ? " was" : "s were");
}

/* Writes the options that say what reports are made. */
static void describe_made(char *made[MADE_COUNT], const settings *s) {
    const table_options *t = &s->table;
    char separator[] = {t->separator, '\0'};
    const char *const once[MADE_COUNT] = {
        [MADE_SEPARATOR] = t->separator == '\0'   ? NULL
                           : t->separator == '\t' ? "tab"
                                                  : separator,
        [MADE_HEADER] = t->header == HEADER_AUTO  ? NULL
                        : t->header == HEADER_YES ? "yes"
                                                  : "no",
        [MADE_INVALID] = t->invalid == INVALID_ERROR ? NULL : invalid_words[t->invalid],
    };
    const text_list *const lists[MADE_COUNT] = {
        [MADE_COLUMN] = &t->columns, [MADE_LABEL] = &s->send.labels, [MADE_LABEL_COLUMN] = &s->send.label_columns};
    for (size_t i = 0; i < MADE_COUNT; i++) {
        made[i] = copy("");
        for (size_t k = 0; lists[i] != NULL && k < lists[i]->count; k++)
            add_option(&made[i], made_names[i], lists[i]->of[k]);
        if (once[i] != NULL)
            add_option(&made[i], made_names[i], once[i]);
    }
}

static void check_resume(const settings *s, char *const made[MADE_COUNT]) {
    const char *other = s->send.batch > 0 ? "batch" : NULL;
    for (size_t i = 0; i < MADE_COUNT; i++)
        if (made[i][0] != '\0')
            other = made_names[i];
    if (other != NULL)
        fail_usage("send", "--resume sends reports that have been made already, so it takes no --%s", other);
}

/* Returns the command that sends what is left in the spool, whatever the values were read from. */
static char *resume_command(const settings *s, const podium_collection *collection, const char *name) {
    const podium_spec spec = podium_collection_spec(collection);
    const bool file = s->which.files.count > 0 && strcmp(s->which.files.of[0], "-") != 0;
    char line[PODIUM_SPEC_TEXT_MAX], *again = copy("podium send");
    podium_spec_format(&spec, line, sizeof line);
    add_option(&again, "to", s->post.to);
    add_option(&again, "collection", file ? s->which.files.of[0] : line);
    if (!file || s->send.name != NULL)
        add_option(&again, "name", name);
    if (s->post.token_file != NULL)
        add_option(&again, "token-file", s->post.token_file);
    if (s->post.ca != NULL)
        add_option(&again, "ca", s->post.ca);
    if (s->send.spool != NULL)
        add_option(&again, "spool", s->send.spool);
    return strcat(reallocate(again, strlen(again) + sizeof " --resume"), " --resume");
}

static void send_from(settings *s, const podium_collection *collection, const char *name) {
    spool_head head = {.to = copy(s->post.to),
                       .name = copy(name),
                       .fingerprint = podium_collection_fingerprint(collection),
                       .input = spool_input(input_files(s->table.files))};
    describe_made(head.made, s);
    if (s->send.resume)
        check_resume(s, head.made);
    check_labels(&s->send);
    post *p = post_open(&s->post, name);
    description about = post_describe(p);
    check_fingerprint(&s->post, collection, &about);
    said_last = "podium: nothing was sent\n";
    before_leaving(say_last_words);
    spool *spooled = open_spool(s, collection, &about, &head);
    const spool_totals now = send_all(spooled, s, p, &about);
    before_leaving(NULL);
    spool_close(spooled, true);
    say_result(&now);
    spool_head_free(&head);
    labels_free(&about.labels);
    post_close(p);
}

static void send_column(settings *s) {
    static char path[PODIUM_NAME_MAX + 8];
    char own_name[PODIUM_NAME_MAX];
    podium_collection collection = collection_from(&s->which, own_name);
    collection_warn_of_epsilon(&collection, "");
    const char *name = s->send.name == NULL ? own_name : s->send.name;
    if (name[0] == '\0')
        fail_usage("send", "the collection has no name; give the one it has at the server with --name");
    snprintf(path, sizeof path, "%s.spool", name);
    if (s->send.spool == NULL && strpbrk(name, "/\\") != NULL)
        fail_usage("send", "the name of this collection cannot be that of a file; give --spool FILE");
    s->send.again = resume_command(s, &collection, name);
    if (s->send.spool == NULL)
        s->send.spool = path;
    send_from(s, &collection, name);
    free(s->send.again);
}
#else
static void send_column(settings *s) {
    (void)s;
    fail(BAD_USAGE, "this podium was built without libcurl, so it cannot send.\n"
                    "podium: install libcurl's header (Debian: libcurl4-openssl-dev) and build it again, or send what "
                    "podium privatize prints with another program");
}
#endif

static int run(char **arguments) {
    settings s = {.which = {.command = "send"},
                  .table = {.header = HEADER_AUTO, .private = true, .doing = "privatizing"},
                  .post = {.retry = RETRY_DEFAULT}};
    s.table.files = options_parse(&command_send, &s, arguments);
    if (s.post.to == NULL)
        fail_usage("send", "--to URL is missing: the address of a podiumd, such as http://127.0.0.1:8470");
    if (s.send.resume && s.table.files[0] != NULL)
        fail_usage("send", "--resume reads no values, so it takes no files");
    collection_check_input(&s.which, s.table.files);
    send_column(&s);
    return DONE;
}

const command command_send = {
    .name = "send",
    .summary = "privatize a column of values here, and send the reports to a podiumd",
    .usage = "--to URL --collection FILE|SPEC [OPTIONS] [FILE...]",
    .operands = true,
    .groups = {{.heading = "The server", .options = server_options, .record = offsetof(settings, post)},
               {.heading = COLLECTION_HEADING, .options = collection_option, .record = offsetof(settings, which)},
               {.options = spec_options, .record = offsetof(settings, which)},
               {.options = send_rows, .record = offsetof(settings, send)},
               {.heading = INPUT_HEADING, .options = column_option, .record = offsetof(settings, table)},
               {.options = table_form, .record = offsetof(settings, table)},
               {.options = value_options, .record = offsetof(settings, table)},
               {.heading = "If it is interrupted", .options = spool_rows, .record = offsetof(settings, send)}},
    .run = run,
};
