/* Input: looks at the beginning of standard input without losing it for the reader. */
#include "cli.h"
#include "platform.h"

#include <string.h>

char **input_files(char **files) {
    static char *standard_input[] = {"-", NULL};
    return files[0] == NULL ? standard_input : files;
}

static char peeked[64]; /* the beginning of standard input */
static size_t peeked_from, peeked_to;

ptrdiff_t input_read(int file, void *buffer, size_t n) {
    if (file != STANDARD_INPUT || peeked_from == peeked_to)
        return file_read(file, buffer, n);
    if (n > peeked_to - peeked_from)
        n = peeked_to - peeked_from;
    memcpy(buffer, peeked + peeked_from, n);
    peeked_from += n;
    return (ptrdiff_t)n;
}

/* Reads up to n bytes, fewer only at the end of the file or on errors. Returns how many. */
static size_t read_beginning(int file, char *to, size_t n) {
    size_t done = 0;
    for (ptrdiff_t got; done < n && (got = file_read(file, to + done, n - done)) > 0;)
        done += (size_t)got;
    return done;
}

bool input_begins(const char *path, const char *prefix) {
    char beginning[sizeof peeked];
    size_t n = strlen(prefix);
    if (strcmp(path, "-") == 0) {
        if (peeked_to < n)
            peeked_to += read_beginning(STANDARD_INPUT, peeked + peeked_to, n - peeked_to);
        return peeked_to >= n && memcmp(peeked, prefix, n) == 0;
    }
    if (file_look(path).kind != FILE_REGULAR)
        return false; /* what is read from a pipe cannot be read again */
    int file = file_open(path);
    if (file < 0)
        return false;
    size_t got = read_beginning(file, beginning, n);
    file_close(file);
    return got == n && memcmp(beginning, prefix, n) == 0;
}
