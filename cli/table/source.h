/* Source: reads a file in pieces of complete records, in constant memory. */
#ifndef PODIUM_CLI_SOURCE_H
#define PODIUM_CLI_SOURCE_H

#include "table/csv.h"

/* How many bytes one read asks for. Larger reads cost less system time (measured: 256 KiB instead of 64 KiB saves a
   sixth of the running time); smaller ones save memory when there are many threads. */
#define PIECE_SIZE ((size_t)1 << 18)

typedef struct {
    char *text; /* followed by CSV_PADDING zero bytes */
    size_t n;
    char *own;       /* the memory that most pieces use; the caller frees it in the end */
    bool has_quotes; /* this piece, or the rest that was read with it, has quotes */
    size_t first;    /* where the first field begins: after the byte order mark of a file, otherwise 0 */
} piece;

/*
 * A piece is long if its record did not fit a few reads. It then lies in memory that the source has only once, so that
 * many threads do not need it many times. Do not call source_next until all work on a long piece is done.
 */
bool piece_is_long(const piece *p);

typedef struct {
    const char *name; /* for messages */
    int descriptor;
    char separator;
    size_t piece_size;
    bool begun, ended;
    bool again; /* source_next continues with the piece that source_again put back */
    char *rest; /* what has been read, but is not a complete record yet */
    size_t rest_n, rest_capacity;
    char *long_text;
} source;

/* Opens a file, or standard input for "-", or ends the program. The source must be all zeros at first. After
   source_close it can be opened again; it keeps its memory until source_free. */
void source_open(source *s, const char *path, char separator, size_t piece_size);
void source_close(source *s);
void source_free(source *s);

/*
 * Reads the next complete records, as many as one read contains. A last line without a line end gets one. Waits for
 * input only while there is no complete record. After SOURCE_FAILED errno says why; it is 0 if a record is longer than
 * CSV_RECORD_MAX.
 */
typedef enum { SOURCE_READ, SOURCE_ENDED, SOURCE_FAILED } source_result;
source_result source_next(source *s, piece *p);

/* Puts the first piece of a file back, so that it is read again with another separator. The next call of source_next
   must get the same piece, unchanged. */
void source_again(source *s, piece *p, char separator);

#endif
