/* Slices of a text, which do not end in a 0 byte, and errors that say where a text is wrong. */
#ifndef PODIUM_SLICE_H
#define PODIUM_SLICE_H

#include "collection/mechanism.h"

typedef struct podium_slice {
    const char *text;
    size_t n;
} podium_slice;

static inline bool podium_slice_is(podium_slice s, const char *word) {
    return s.n == strlen(word) && memcmp(s.text, word, s.n) == 0;
}

static inline bool podium_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static inline podium_slice podium_slice_trim(podium_slice s) {
    while (s.n > 0 && podium_is_blank(s.text[0]))
        s.text++, s.n--;
    while (s.n > 0 && podium_is_blank(s.text[s.n - 1]))
        s.n--;
    return s;
}

/* Returns the part before the first such character. The rest begins with that character, and is empty if there is
   none. */
static inline podium_slice podium_slice_cut(podium_slice s, char at, podium_slice *rest) {
    const char *found = s.n == 0 ? NULL : memchr(s.text, at, s.n);
    const size_t n = found == NULL ? s.n : (size_t)(found - s.text);
    *rest = (podium_slice){s.text + n, s.n - n};
    return (podium_slice){s.text, n};
}

/* Fills in the error unless it is NULL, and returns its status. A field that is too long is cut. */
static inline podium_status podium_fail(podium_error *error, podium_status status, size_t line, size_t column,
                                        podium_slice field) {
    if (error == NULL)
        return status;
    *error = (podium_error){.status = status, .line = (uint32_t)line, .column = (uint32_t)column};
    memcpy(error->field, field.text, field.n < sizeof error->field ? field.n : sizeof error->field - 1);
    return status;
}

/* Returns the parameter with that key, or PODIUM_PARAMETER_NONE. */
podium_parameter_kind podium_parameter_from_key(podium_slice key);

/* Reads the value of a parameter into the spec. Fails with PODIUM_ERROR_TEXT_MALFORMED if it is not a number of the
   right kind. */
podium_status podium_parameter_parse(podium_spec *spec, podium_parameter_kind kind, podium_slice value);

/* Writes the mechanism's parameter by the format, such as " %s=%s" for its key and value; "" if it has none. */
#define PODIUM_PARAMETER_TEXT_MAX 96
void podium_parameter_format(char text[PODIUM_PARAMETER_TEXT_MAX], const char *format, const podium_spec *spec);

#endif
