/* Source: a file in pieces of whole records, in constant memory. */
#ifndef PODIUM_CLI_SOURCE_H
#define PODIUM_CLI_SOURCE_H

#include "table/csv.h"

/* Read at once where there is as much. The larger, the less the system takes for reading and writing (by measurement, a
   sixth of the whole from 64 to 256 KiB); the smaller, the less memory many threads take. */
#define PIECE_SIZE ((size_t)1 << 18)

typedef struct {
    char *text; /* and CSV_PADDING bytes more, which are 0 after the text */
    size_t n;
    char *own;       /* the memory that most pieces are in; free it in the end */
    bool has_quotes; /* or what was read with it has */
    size_t first;    /* where the first field begins: after a byte order mark, at the start of a file */
} piece;

/*
 * A record that is longer than some reads is collected in memory that the source has once, so that many threads do not
 * need it many times: source_next may not be called before whatever is done with a long piece is done.
 */
bool piece_is_long(const piece *p);

typedef struct {
    const char *name; /* for messages */
    int descriptor;
    char separator;
    size_t piece_size;
    bool begun, ended;
    bool again; /* the piece that was taken back comes next */
    char *rest; /* what has been read and not been given, being no whole record yet */
    size_t rest_n, rest_capacity;
    char *long_text;
} source;

/* "-" is standard input; or fail. The source is zeros at first; after source_close it can be opened again, with its
   memory, until source_free. */
void source_open(source *s, const char *path, char separator, size_t piece_size);
void source_close(source *s);
void source_free(source *s);

/*
 * The next whole records, as many as a read brings; a last line without an end gets one. Waits for input only while it
 * has nothing whole to give. What it cannot give is told by the result: then errno is set, or 0 where a record is
 * longer than CSV_RECORD_MAX.
 */
typedef enum { SOURCE_GAVE, SOURCE_ENDED, SOURCE_FAILED } source_result;
source_result source_next(source *s, piece *p);

/* Takes the first piece back, to be cut by another separator: source_next must get it with what it holds. */
void source_again(source *s, piece *p, char separator);

#endif
