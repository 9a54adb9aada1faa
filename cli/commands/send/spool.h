/*
 * Spool: a file of batches that are to be sent, each with its key and with what became of it. All values are privatized
 * before the first batch is sent, and the file holds reports only. So a program that was killed goes on with the same
 * reports under the same keys: no value is privatized twice, and no batch counts twice.
 */
#ifndef PODIUM_CLI_SPOOL_H
#define PODIUM_CLI_SPOOL_H

#include "cli.h"

/* The options that say what reports are made, apart from the collection */
enum { MADE_COLUMN, MADE_LABEL, MADE_LABEL_COLUMN, MADE_SEPARATOR, MADE_HEADER, MADE_INVALID, MADE_COUNT };
extern const char *const made_names[MADE_COUNT]; /* without the dashes */

/* What all batches of a spool have in common */
typedef struct {
    char *to, *name; /* the server, and the collection there */
    uint64_t fingerprint;
    char *input;            /* what the values were read from, as spool_input describes it */
    char *made[MADE_COUNT]; /* each option as add_option writes it, or "" if it was not given */
} spool_head;

/* Describes the files: names, sizes and times, so that another file of the same name is not taken for the same one.
   Standard input and pipes are never the same again, so the result is then "". */
char *spool_input(char **files);
void spool_head_free(spool_head *head);

typedef enum { BATCH_WAITS = '-', BATCH_DONE = '+', BATCH_SKIPPED = 'x' } batch_state;
enum { SPOOL_KEY_MAX = 33, SPOOL_LABELS_MAX = 4096 };

typedef struct {
    batch_state state;
    int64_t sent; /* when it was sent first, in seconds since 1970; 0 if never */
    char key[SPOOL_KEY_MAX], labels[SPOOL_LABELS_MAX];
    size_t n, reports;
} spool_batch;

/* How many reports there are: all, those acknowledged or given up, and bytes to send */
typedef struct {
    uint64_t reports, done, skipped, bytes;
} spool_totals;

/* Failures end the program. Only one process at a time can have a spool open. */
typedef struct spool spool;

/* Creates a spool to fill. Returns NULL if the file exists. */
spool *spool_create(const char *path, const spool_head *head);
/* Adds a batch with a new key. `labels` is a part of an address, such as "&label=region%3Anorth". */
void spool_add(spool *s, const char *labels, const unsigned char *codes, size_t n, size_t reports);
void spool_complete(spool *s); /* everything is on the disk, and may be sent */

/* Opens a spool that is complete. If the process that filled it was killed before that, nothing of it was sent; then
   the file is removed, and NULL returned. */
spool *spool_open(const char *path, spool_head *head);
spool_totals spool_count(spool *s);            /* and goes back to the first batch */
bool spool_next(spool *s, spool_batch *batch); /* returns false after the last */
/* For the batch that spool_next found: its codes, which are valid until the next call; and notes that are on the disk
   when these return. */
const unsigned char *spool_codes(spool *s, const spool_batch *batch);
void spool_note_sent(spool *s, spool_batch *batch);
void spool_note_unsent(spool *s, spool_batch *batch); /* the server has proved that it did not arrive */
void spool_note_end(spool *s, spool_batch *batch, batch_state state);
void spool_close(spool *s, bool remove);

/* Writes the text with everything but letters, digits and -_.~ as %XX. Returns what can be freed. */
char *percent_encode(const char *text);
/* Adds "--name value" to a text that can be freed, after a blank if it is not empty. The value is in quotes for a shell
   if it needs them. The text stays one line. */
void add_option(char **text, const char *name, const char *value);

#endif
