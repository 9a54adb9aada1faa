/* JSON (RFC 8259), one value at a time and without a tree, so that a body of a million numbers takes no more memory
   than its bytes. Nothing here knows what the values are for. jansson takes six times as long and as much memory for
   the same body, because it makes an object of every number; `make bench-collector` measures both. */
#ifndef PODIUM_COLLECTOR_JSON_H
#define PODIUM_COLLECTOR_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    JSON_OBJECT, /* `{` was read; read its members */
    JSON_ARRAY,  /* `[` was read; read its items */
    JSON_STRING,
    JSON_NUMBER,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
    JSON_WRONG, /* the text is not JSON; `at` is where it goes wrong */
} json_kind;

typedef struct {
    const char *text;
    size_t n, at;
} json;

/* What was read: for a string the bytes between its quotes, escapes and all; for a number its digits. */
typedef struct {
    json_kind kind;
    const char *bytes;
    size_t n;
} json_value;

json_value json_read(json *j);
/* Moves to the next item of the array, or to the next member of the object and its name, whose opening bracket or whose
   last item was read before. `first` is whether the bracket was. Returns false at the closing bracket, and if the text
   is wrong, in which case at is beyond n. */
bool json_next_item(json *j, bool first);
bool json_next_member(json *j, bool first, json_value *name);
/* Reads past the rest of a value of which json_read has read the start. */
bool json_skip(json *j, json_value value);
/* Is there nothing but white space up to the end? */
bool json_ended(json *j);
bool json_is_wrong(const json *j);

/* Writes a string without its escapes, with a 0 byte at the end. Returns false if that exceeds the capacity, or
   contains a 0 byte or half a surrogate pair. */
bool json_unescape(char *to, size_t capacity, json_value string);

#endif
