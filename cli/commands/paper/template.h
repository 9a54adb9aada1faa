/*
 * Templates are text files with places that the program fills. The build puts them into the program, so that it needs
 * no file when it runs.
 *
 *   {{name}}                                    is replaced by a text
 *   <!-- begin name --> ... <!-- end name -->   is a part: it is written once for each item that there is, perhaps
 * never any other comment                           is for whoever edits the template, and is left out
 *
 * A comment that ends its line, and begin and end likewise, takes the line's end with it. What the program fills in is
 * always text and never markup: in HTML its special characters are escaped, between tags and in quoted attributes.
 */
#ifndef PODIUM_CLI_TEMPLATE_H
#define PODIUM_CLI_TEMPLATE_H

#include "prints.h"

#include <stdbool.h>

typedef struct output output; /* output.c */

typedef enum { TEMPLATE_PLAIN, TEMPLATE_HTML } template_format;

typedef struct filler filler;

/* What a filler writes to; the functions below are all that it needs. */
typedef struct {
    output *out;
    template_format format;
    const filler *filler;
    const char *begin, *end; /* the template between begin and end, for a part */
} template_part;

/* Fillers come in arrays that end with one without a name. Each must be used in the text that it is meant for. */
struct filler {
    const char *name;
    /* Writes the text with template_text or template_print; or a part with template_item, once for each item. */
    void (*write)(template_part *to, const void *item);
    const filler *inner; /* what fills the places in the part; NULL means that this is a text */
};

/* Is every place in the template known, every filler used, and every part ended? If not, message says what is wrong. */
#define TEMPLATE_MESSAGE 160
bool template_check(const char *text, const filler *fillers, char message[TEMPLATE_MESSAGE]);

/* Fills the template, which must pass the check. The item is handed to the fillers as it is. */
void template_write(output *out, template_format format, const char *text, const filler *fillers, const void *item);

/* ---- For fillers ---- */

void template_text(template_part *to, const char *text);
void template_print(template_part *to, const char *format, ...) PRINTS(2, 3);
void template_item(template_part *part, const void *item);

#endif
