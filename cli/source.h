/* Source: a file in pieces of whole records, in constant memory. */
#ifndef PODIUM_CLI_SOURCE_H
#define PODIUM_CLI_SOURCE_H

#include "csv.h"

/* Read at once where there is as much. The larger, the less the system takes for reading and writing (by measurement, a
   sixth of the whole from 64 to 256 KiB); the smaller, the less memory many threads take. */
#define PIECE_SIZE ((size_t)1 << 18)
#define PIECE_SIZE_SMALL ((size_t)1 << 16)

typedef struct {
    char *text;
    size_t n, capacity; /* and CSV_PADDING bytes more, which are 0 after the text */
    bool has_quotes;    /* or what was read with it has */
    size_t first;       /* where the first field begins: after a byte order mark, at the start of a file */
} piece;

typedef struct {
    const char *name; /* for messages */
    int descriptor;
    char separator;
    size_t piece_size;
    bool begun, ended;
    char *rest; /* what has been read and not been given, being no whole record yet */
    size_t rest_n, rest_capacity;
} source;

void source_open(source *s, const char *path, char separator, size_t piece_size); /* "-": standard input; or fail */
void source_close(source *s);

/*
 * The next whole records, as many as a read brings; a last line without an end gets one. Waits for input only while it
 * has nothing whole to give. What it cannot give is told by the result: then errno is set, or 0 where a record is
 * longer than CSV_RECORD_MAX.
 */
typedef enum { SOURCE_GAVE, SOURCE_ENDED, SOURCE_FAILED } source_result;
source_result source_next(source *s, piece *p);

/* Takes the first piece back, to be cut by another separator. */
void source_again(source *s, const piece *p, char separator);

#endif
