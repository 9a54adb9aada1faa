/* Text that grows: what an answer, a log line or a page of metrics is written into. */
#ifndef PODIUM_COLLECTOR_TEXT_H
#define PODIUM_COLLECTOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is the empty text. If memory runs out, `failed` is set and nothing more is added; whoever sends the text
   checks that once, at the end. */
typedef struct {
    char *bytes; /* ends with a 0 byte, which n does not count; NULL while n is 0 */
    size_t n, capacity;
    bool failed;
} text;

void text_add(text *t, const char *bytes, size_t n);
void text_print(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(text *t);

/* JSON: a string in quotes, with everything escaped that has to be; and a number, or null if it is not finite. The
   string may hold any bytes. What is not UTF-8 becomes U+FFFD. */
void text_string(text *t, const char *string);
void text_number(text *t, double x);
/* `, "name": x` */
void text_member(text *t, const char *name, double x);

#endif
