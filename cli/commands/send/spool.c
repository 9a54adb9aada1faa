#include "commands/send/spool.h"
#include "platform.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a file. A spool becomes complete when one of these replaces the other. */
#define INCOMPLETE "podium spool 1 incomplete"
#define COMPLETE "podium spool 1 complete  "
/* The last line, without which some of the batches are missing */
#define END "end"

const char *const made_names[MADE_COUNT] = {"column", "label", "label-column", "separator", "header", "invalid"};

/* ---- Words ---- */

char *percent_encode(const char *text) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    char *encoded = allocate(3 * strlen(text) + 1), *to = encoded;
    for (; *text != '\0'; text++)
        if (strchr(plain, *text) != NULL)
            *to++ = *text;
        else
            to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*text);
    *to = '\0';
    return encoded;
}

static void add(char **text, const char *more) {
    *text = reallocate(*text, strlen(*text) + strlen(more) + 1);
    strcat(*text, more);
}

void add_option(char **text, const char *name, const char *value) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,+%@";
    const char *quote = *value != '\0' && value[strspn(value, plain)] == '\0' ? "" : "'";
    add(text, **text == '\0' ? "--" : " --");
    add(text, name);
    add(text, " ");
    add(text, quote);
    for (char character[ESCAPED_MAX]; *value != '\0';)
        if (*value == '\'') {
            add(text, "'\\''");
            value++;
        } else {
            value = escape(character, value, ESCAPE_TEXT);
            add(text, character);
        }
    add(text, quote);
}

char *spool_input(char **files) {
    size_t n = 1;
    char *all = allocate(n);
    all[0] = '\0';
    for (; *files != NULL; files++) {
        const file_status status = file_look(*files);
        if (status.kind != FILE_REGULAR) {
            all[0] = '\0';
            return all;
        }
        char *name = percent_encode(*files);
        const size_t more = strlen(name) + 64;
        all = reallocate(all, n + more);
        n += (size_t)snprintf(all + n - 1, more, "%s,%" PRIu64 ",%" PRId64 ";", name, status.size,
                              (int64_t)status.changed);
        free(name);
    }
    return all;
}

void spool_head_free(spool_head *head) {
    free(head->to);
    free(head->name);
    free(head->input);
    for (size_t i = 0; i < MADE_COUNT; i++)
        free(head->made[i]);
}

struct spool {
    FILE *file;
    const char *path;
    int64_t first;      /* where the first batch begins */
    int64_t note, next; /* where the note of the current batch is, and where the next batch begins */
    unsigned char *codes;
};

static _Noreturn void fail_write(const spool *s) {
    fail(BAD_IO, "%s: %s", s->path, strerror(errno));
}

static void seek(spool *s, int64_t at) {
    if (fseeko(s->file, (off_t)at, SEEK_SET) != 0)
        fail_write(s);
}

static void write_out(spool *s) {
    if (fflush(s->file) != 0 || !file_sync(file_of(s->file)))
        fail_write(s);
}

static spool *open_locked(const char *path, const char *mode) {
    FILE *file = file_stream(path, mode);
    if (file == NULL && errno == EEXIST)
        return NULL;
    if (file == NULL)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    if (!file_lock(file_of(file)) || file_look(path).kind == FILE_MISSING)
        fail(BAD_IO, "%s: another podium send is at work on this file", path);
    spool *s = allocate(sizeof *s);
    *s = (spool){.file = file, .path = path};
    return s;
}

/* ---- Writing ---- */

/* The state and the time of a batch have a fixed place and width, so that they can be changed. */
#define NOTE_FORMAT "%c %020" PRId64

spool *spool_create(const char *path, const spool_head *head) {
    spool *s = open_locked(path, "w+bx");
    if (s == NULL)
        return NULL;
    setvbuf(s->file, NULL, _IOFBF, 1 << 16);
    if (fprintf(s->file, INCOMPLETE "\nto %s\nname %s\nfingerprint %016" PRIx64 "\ninput %s\n", head->to, head->name,
                head->fingerprint, head->input) < 0)
        fail_write(s);
    for (size_t i = 0; i < MADE_COUNT; i++)
        if (fprintf(s->file, "%s %s\n", made_names[i], head->made[i]) < 0)
            fail_write(s);
    s->first = (int64_t)ftello(s->file);
    return s;
}

static void new_key(char key[SPOOL_KEY_MAX]) {
    const podium_random *random = podium_random_system();
    uint64_t bits[2];
    if (random->fill(random->context, bits, sizeof bits) != sizeof bits)
        fail(BAD_IO, "%s", podium_status_message(PODIUM_ERROR_RANDOM_FAILED));
    snprintf(key, SPOOL_KEY_MAX, "%016" PRIx64 "%016" PRIx64, bits[0], bits[1]);
}

void spool_add(spool *s, const char *labels, const unsigned char *codes, size_t n, size_t reports) {
    char key[SPOOL_KEY_MAX];
    new_key(key);
    if (fprintf(s->file, NOTE_FORMAT " %s %zu %zu %s\n", BATCH_WAITS, (int64_t)0, key, reports, n, labels) < 0 ||
        fwrite(codes, 1, n, s->file) != n || putc('\n', s->file) == EOF)
        fail_write(s);
}

/* First all batches and the name of the file have to be on the disk, and then the word that says so. */
void spool_complete(spool *s) {
    if (fputs(END "\n", s->file) == EOF)
        fail_write(s);
    write_out(s);
    if (!file_sync_name(s->path))
        fail_write(s);
    seek(s, 0);
    if (fputs(COMPLETE, s->file) == EOF)
        fail_write(s);
    write_out(s);
}

/* ---- Reading ---- */

static _Noreturn void fail_spool(const spool *s) {
    if (ferror(s->file))
        fail(BAD_IO, "%s: %s", s->path, strerror(errno));
    fail(BAD_DATA, "%s: this is not a file that podium send has written", s->path);
}

/* Reads a line that begins with this word, and returns what follows. */
static char *read_line(spool *s, const char *word) {
    size_t n = 0, capacity = 256, length = strlen(word);
    char *line = allocate(capacity);
    for (int c; (c = getc(s->file)) != '\n'; line[n++] = (char)c) {
        if (c == EOF && !ferror(s->file))
            fail(BAD_DATA, "%s: the end of this file is missing, and with it some of the reports", s->path);
        if (c == EOF || c == '\0')
            fail_spool(s);
        if (n + 1 == capacity)
            line = reallocate(line, capacity *= 2);
    }
    line[n] = '\0';
    if (strncmp(line, word, length) != 0)
        fail_spool(s);
    memmove(line, line + length, n - length + 1);
    return line;
}

/* A file without a complete first line is incomplete too. */
static bool is_complete(spool *s) {
    char magic[sizeof COMPLETE];
    const size_t n = fread(magic, 1, sizeof magic, s->file);
    const bool complete = n == sizeof magic && memcmp(magic, COMPLETE "\n", n) == 0;
    if (!complete && memcmp(magic, INCOMPLETE "\n", n) != 0)
        fail_spool(s);
    return complete;
}

spool *spool_open(const char *path, spool_head *head) {
    spool *s = open_locked(path, "r+b");
    if (!is_complete(s)) {
        spool_close(s, true);
        return NULL;
    }
    head->to = read_line(s, "to ");
    head->name = read_line(s, "name ");
    char *fingerprint = read_line(s, "fingerprint "), *end;
    head->fingerprint = strtoull(fingerprint, &end, 16);
    if (*end != '\0' || end == fingerprint)
        fail_spool(s);
    free(fingerprint);
    head->input = read_line(s, "input ");
    for (size_t i = 0; i < MADE_COUNT; i++) {
        char word[32];
        snprintf(word, sizeof word, "%s ", made_names[i]);
        head->made[i] = read_line(s, word);
    }
    s->first = (int64_t)ftello(s->file);
    return s;
}

/* Reads a number and moves past it and the blank that follows. */
static uint64_t read_count(spool *s, char **at, uint64_t most) {
    char *end;
    const uint64_t x = strtoull(*at, &end, 10);
    if (end == *at || *end != ' ' || x > most)
        fail_spool(s);
    *at = end + 1;
    return x;
}

/* Parses a line that spool_add has written, whose state and time may have changed since. */
static void parse(spool *s, spool_batch *batch, char *line) {
    enum { BATCH_MOST = 1 << 30 };
    char *at = line + 2;
    if (line[0] == '\0' || strchr("-+x", line[0]) == NULL || line[1] != ' ')
        fail_spool(s);
    batch->state = (batch_state)line[0];
    batch->sent = (int64_t)read_count(s, &at, INT64_MAX);
    const size_t key = strcspn(at, " ");
    if (key != SPOOL_KEY_MAX - 1 || at[key] == '\0')
        fail_spool(s);
    memcpy(batch->key, at, key);
    batch->key[key] = '\0';
    at += key + 1;
    batch->reports = (size_t)read_count(s, &at, BATCH_MOST);
    batch->n = (size_t)read_count(s, &at, BATCH_MOST);
    if (strlen(at) >= sizeof batch->labels)
        fail_spool(s);
    strcpy(batch->labels, at);
}

bool spool_next(spool *s, spool_batch *batch) {
    seek(s, s->note = s->next);
    char *line = read_line(s, "");
    const bool more = strcmp(line, END) != 0;
    if (more) {
        parse(s, batch, line);
        s->next = s->note + (int64_t)(strlen(line) + 1 + batch->n + 1);
    }
    free(line);
    return more;
}

spool_totals spool_count(spool *s) {
    spool_totals totals = {0};
    spool_batch batch;
    for (s->next = s->first; spool_next(s, &batch);) {
        totals.reports += batch.reports;
        totals.done += batch.state == BATCH_DONE ? batch.reports : 0;
        totals.skipped += batch.state == BATCH_SKIPPED ? batch.reports : 0;
        totals.bytes += batch.state == BATCH_WAITS ? batch.n : 0;
    }
    s->next = s->first;
    return totals;
}

const unsigned char *spool_codes(spool *s, const spool_batch *batch) {
    seek(s, s->next - 1 - (int64_t)batch->n);
    s->codes = reallocate(s->codes, batch->n);
    if (fread(s->codes, 1, batch->n, s->file) != batch->n || getc(s->file) != '\n')
        fail_spool(s);
    return s->codes;
}

/* If the power fails in the middle of this, a part of the time may be missing. It is then too early, which means that
   the server may have forgotten the key, and that is asked. */
static void note(spool *s, const spool_batch *batch) {
    seek(s, s->note);
    if (fprintf(s->file, NOTE_FORMAT, batch->state, batch->sent) < 0)
        fail_write(s);
    write_out(s);
}

void spool_note_sent(spool *s, spool_batch *batch) {
    batch->sent = (int64_t)time(NULL);
    note(s, batch);
}

void spool_note_unsent(spool *s, spool_batch *batch) {
    batch->sent = 0;
    note(s, batch);
}

void spool_note_end(spool *s, spool_batch *batch, batch_state state) {
    batch->state = state;
    note(s, batch);
}

void spool_close(spool *s, bool remove) {
    if (remove)
        file_remove(s->path);
    fclose(s->file);
    free(s->codes);
    free(s);
}
