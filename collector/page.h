/* Page: the files of the pages and of the browser client. scripts/page.sh writes their table, which is a part of the
   program, so that a server needs no files beside it. */
#ifndef PODIUM_COLLECTOR_PAGE_H
#define PODIUM_COLLECTOR_PAGE_H

#include <stddef.h>

typedef struct {
    const char *path, *type;
    const char *tag;            /* a hash of the content */
    const unsigned char *bytes; /* compressed by gzip */
    size_t n, plain_n;
} page_file;
extern const page_file page_files[]; /* ends with a path that is NULL */

#endif
