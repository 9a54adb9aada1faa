/* Checks and fills templates. */
#include "template.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tags ---- */

typedef enum { TAG_TEXT, TAG_BEGIN, TAG_END, TAG_COMMENT, TAG_NONE } tag_kind;

typedef struct {
    tag_kind kind;
    const char *begin, *end; /* the whole of it */
    const char *name;        /* NULL where nothing closes the tag, which then reaches to the end of the template */
    size_t length;           /* of the name */
} tag;

/* The first that fits counts: begin and end are comments too. */
static const struct {
    const char *open, *close;
} forms[] = {
    [TAG_TEXT] = {"{{", "}}"},
    [TAG_BEGIN] = {"<!-- begin ", " -->"},
    [TAG_END] = {"<!-- end ", " -->"},
    [TAG_COMMENT] = {"<!--", "-->"},
};

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static tag tag_read(const char *at, tag_kind kind) {
    const char *name = at + strlen(forms[kind].open), *close = strstr(name, forms[kind].close);
    if (close == NULL)
        return (tag){kind, at, strchr(name, '\0'), NULL, 0};
    const char *end = close + strlen(forms[kind].close);
    return (tag){kind, at, end + (kind != TAG_TEXT && *end == '\n'), name, (size_t)(close - name)};
}

static tag tag_next(const char *at, const char *end) {
    for (; at < end; at++)
        for (tag_kind kind = TAG_TEXT; kind < TAG_NONE; kind++)
            if (starts_with(at, forms[kind].open))
                return tag_read(at, kind);
    return (tag){TAG_NONE, end, end, end, 0};
}

/* The tag that ends the part; its name has yet to be compared. */
static tag tag_ending(tag part, const char *end) {
    tag t = part;
    for (int depth = 1; depth > 0 && t.kind != TAG_NONE;) {
        t = tag_next(t.end, end);
        depth += (t.kind == TAG_BEGIN) - (t.kind == TAG_END);
    }
    return t;
}

static bool same_name(tag a, tag b) {
    return a.length == b.length && memcmp(a.name, b.name, a.length) == 0;
}

static bool fills(const filler *f, tag t) {
    return t.kind == (f->inner == NULL ? TAG_TEXT : TAG_BEGIN) && strlen(f->name) == t.length &&
           memcmp(f->name, t.name, t.length) == 0;
}

static const filler *filler_of(tag t, const filler *fillers) {
    while (fillers->name != NULL && !fills(fillers, t))
        fillers++;
    return fillers->name == NULL ? NULL : fillers;
}

/* Where the text goes on after the tag, or after the part that it begins */
static const char *after(tag t, const char *end) {
    return t.kind == TAG_BEGIN ? tag_ending(t, end).end : t.end;
}

/* ---- Checking ---- */

static bool check_slice(const char *at, const char *end, const filler *fillers, char message[TEMPLATE_MESSAGE]);

#define SHOWN_MAX 40 /* characters of a tag in a message */

static bool complain(char message[TEMPLATE_MESSAGE], tag t, const char *problem) {
    size_t length = (size_t)(t.end - t.begin) - (t.end > t.begin && t.end[-1] == '\n');
    snprintf(message, TEMPLATE_MESSAGE, "%.*s %s", (int)(length < SHOWN_MAX ? length : SHOWN_MAX), t.begin, problem);
    return false;
}

static bool check_tag(tag t, const char *end, const filler *fillers, char message[TEMPLATE_MESSAGE]) {
    if (t.name == NULL)
        return complain(message, t, "is not closed");
    if (t.kind == TAG_COMMENT)
        return true;
    if (t.kind == TAG_END)
        return complain(message, t, "ends a part that has not begun");
    const filler *f = filler_of(t, fillers);
    if (f == NULL)
        return complain(message, t, "is unknown here");
    if (t.kind == TAG_TEXT)
        return true;
    tag ending = tag_ending(t, end);
    if (ending.kind == TAG_NONE || !same_name(t, ending))
        return complain(message, t, "begins a part that does not end");
    return check_slice(t.end, ending.begin, f->inner, message);
}

static bool used(const filler *f, const char *at, const char *end) {
    for (tag t; (t = tag_next(at, end)).kind != TAG_NONE; at = after(t, end))
        if (fills(f, t))
            return true;
    return false;
}

static bool check_slice(const char *at, const char *end, const filler *fillers, char message[TEMPLATE_MESSAGE]) {
    const char *begin = at;
    for (tag t; (t = tag_next(at, end)).kind != TAG_NONE; at = after(t, end))
        if (!check_tag(t, end, fillers, message))
            return false;
    for (const filler *f = fillers; f->name != NULL; f++)
        if (!used(f, begin, end)) {
            snprintf(message, TEMPLATE_MESSAGE, "nothing uses the filler \"%s\"", f->name);
            return false;
        }
    return true;
}

bool template_check(const char *text, const filler *fillers, char message[TEMPLATE_MESSAGE]) {
    return check_slice(text, strchr(text, '\0'), fillers, message);
}

/* ---- Filling ---- */

static void write_tag(const template_part *part, tag t, const filler *fillers, const void *item) {
    const filler *f = filler_of(t, fillers);
    if (f == NULL) /* the check has left only comments without one */
        return;
    template_part to = {part->out, part->format, f, t.end, t.end};
    if (t.kind == TAG_BEGIN)
        to.end = tag_ending(t, part->end).begin;
    f->write(&to, item);
}

static void write_slice(const template_part *part, const filler *fillers, const void *item) {
    const char *at = part->begin;
    for (tag t; (t = tag_next(at, part->end)).kind != TAG_NONE; at = after(t, part->end)) {
        output_write(part->out, at, (size_t)(t.begin - at));
        write_tag(part, t, fillers, item);
    }
    output_write(part->out, at, (size_t)(part->end - at));
}

void template_write(output *out, template_format format, const char *text, const filler *fillers, const void *item) {
    write_slice(&(template_part){out, format, NULL, text, strchr(text, '\0')}, fillers, item);
}

void template_item(template_part *part, const void *item) {
    write_slice(part, part->filler->inner, item);
}

void template_text(template_part *to, const char *text) {
    const char *specials = to->format == TEMPLATE_HTML ? "&<>\"'" : "";
    for (;; text++) {
        size_t plain = strcspn(text, specials);
        output_write(to->out, text, plain);
        text += plain;
        if (*text == '\0')
            return;
        output_print(to->out, "&#%d;", *text);
    }
}

void template_print(template_part *to, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = allocate(size);
    vsnprintf(text, size, format, again);
    va_end(again);
    va_end(arguments);
    template_text(to, text);
    free(text);
}
