/*
 * Output: writes to standard output, or to files that are replaced only when they are complete. A new file has a
 * temporary name beside the final one and is renamed at the end. If the program ends early, the file is removed.
 */
#include "cli.h"
#include "platform.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- Incomplete files, in static memory because a signal handler removes them ---- */

#define STAGES 2 /* one for the picture and one for the printed output */
#define PATH_ROOM 4096

typedef struct {
    char temporary[PATH_ROOM], final[PATH_ROOM];
    volatile sig_atomic_t there; /* the temporary file exists; changed only while signals are blocked */
} stage;
static stage stages[STAGES];

/* A directory, and the paths of its files. Memory for a path is there before its file is. */
static struct {
    char temporary[PATH_ROOM], final[PATH_ROOM];
    volatile sig_atomic_t there;
    char **path;
    size_t capacity;
    volatile sig_atomic_t count;
} tree;

static void abandon_directory(void) {
    for (sig_atomic_t i = 0; i < tree.count; i++)
        file_remove(tree.path[i]);
    if (tree.there)
        directory_remove(tree.temporary);
    tree.there = tree.count = 0;
}

void output_abandon(void) {
    abandon_directory();
    for (stage *s = stages; s < stages + STAGES; s++) {
        if (s->there)
            file_remove(s->temporary);
        s->there = 0;
    }
}

/* ---- Staging ---- */

static stage *free_stage(const char *path, const char *target) {
    stage *s = NULL;
    for (int i = 0; i < STAGES; i++) {
        if (!stages[i].there)
            s = &stages[i];
        else if (path_same(stages[i].final, target))
            fail(BAD_USAGE, "%s: two outputs cannot be the same file", path);
    }
    if (s == NULL)
        fail(BAD_IO, "%s: too many files at once", path);
    return s;
}

static bool make_temporary(stage *s, size_t suffix_length) {
    signals_block();
    s->there = file_create_for(s->temporary, suffix_length, s->final);
    signals_restore();
    return s->there;
}

const char *output_stage(const char *path) {
    char *target = file_target(path);
    if (target == NULL)
        fail(BAD_IO, "out of memory");
    const char *dot = strrchr(path_name(target), '.'), *suffix = dot == NULL ? "" : dot; /* gnuplot needs it */
    if (strlen(target) + strlen(suffix) + 8 > PATH_ROOM)
        fail(BAD_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    stage *s = free_stage(path, target);
    snprintf(s->final, sizeof s->final, "%s", target);
    snprintf(s->temporary, sizeof s->temporary, "%s.XXXXXX%s", target, suffix);
    if (!make_temporary(s, strlen(suffix)))
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    free(target);
    return s->temporary;
}

/* Signals are blocked, so that none comes between two renames. Only if a rename fails although the temporary file could
   be created, as in a sticky directory, is one of two files replaced without the other. */
void output_commit(void) {
    signals_block();
    for (stage *s = stages; s < stages + STAGES; s++) {
        if (s->there && !file_replace(s->temporary, s->final))
            fail(BAD_IO, "%s: %s", s->final, strerror(errno));
        s->there = 0;
    }
    signals_restore();
}

/* ---- Printing ---- */

struct output {
    FILE *file;
    const char *name;
    bool in_stage, inside; /* a file that is staged, or inside a directory that is */
    bool holds;            /* everything is held in memory until the end */
    char *held;
    size_t held_size, held_capacity;
};

/* Only regular files are replaced. Devices and pipes are written directly, and so is /dev/stdout, wherever it leads. */
static bool replaceable(const char *path) {
    if (path_is_device(path))
        return false;
    const file_kind kind = file_look(path).kind;
    return kind == FILE_MISSING || kind == FILE_REGULAR;
}

output *output_open(const char *path) {
    output *out = allocate(sizeof *out);
    *out = (output){.file = stdout, .name = "standard output"};
    if (path != NULL && strcmp(path, "-") != 0) {
        out->name = path;
        out->in_stage = replaceable(path);
        out->file = file_stream(out->in_stage ? output_stage(path) : path, "wb");
    }
    if (out->file == NULL)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    setvbuf(out->file, NULL, _IOFBF, 1 << 16);
    return out;
}

output *output_open_whole(const char *path) {
    output *out = output_open(path);
    out->holds = !out->in_stage;
    return out;
}

static _Noreturn void fail_write(const output *out) {
    if (is_broken_pipe(errno))
        leave_quietly();
    fail(BAD_IO, "%s: %s", out->name, strerror(errno));
}

static void hold(output *out, const void *bytes, size_t n) {
    if (n > out->held_capacity - out->held_size) {
        out->held_capacity = 2 * out->held_capacity + n;
        out->held = reallocate(out->held, out->held_capacity);
    }
    if (n > 0)
        memcpy(out->held + out->held_size, bytes, n);
    out->held_size += n;
}

void output_write(output *out, const void *bytes, size_t n) {
    if (out->holds)
        hold(out, bytes, n);
    else if (fwrite(bytes, 1, n, out->file) != n)
        fail_write(out);
}

/* Not by vfprintf, because that of mingw-w64 does not tell whether it could write. */
void output_print(output *out, const char *format, ...) {
    char few[512], *text = few;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int n = vsnprintf(few, sizeof few, format, arguments);
    if (n < 0)
        fail_write(out);
    if ((size_t)n >= sizeof few)
        vsnprintf(text = allocate((size_t)n + 1), (size_t)n + 1, format, again);
    va_end(again);
    va_end(arguments);
    output_write(out, text, (size_t)n);
    if (text != few)
        free(text);
}

void output_flush(output *out) {
    if (fflush(out->file) != 0)
        fail_write(out);
}

static void release(output *out) {
    out->holds = false;
    output_write(out, out->held, out->held_size);
    free(out->held);
}

void output_close(output *out) {
    if (out->holds)
        release(out);
    output_flush(out);
    if ((out->in_stage || out->inside) && !file_sync(file_of(out->file)))
        fail_write(out);
    if (out->file != stdout && fclose(out->file) != 0)
        fail_write(out);
    if (!out->inside)
        output_commit();
    free(out);
}

/* ---- Directories ---- */

void output_directory_begin(const char *path) {
    const size_t n = path_length(path);
    if (n + 8 > PATH_ROOM)
        fail(BAD_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    snprintf(tree.final, sizeof tree.final, "%.*s", (int)n, path);
    snprintf(tree.temporary, sizeof tree.temporary, "%.*s.XXXXXX", (int)n, path);
    signals_block();
    tree.there = directory_create_temporary(tree.temporary);
    signals_restore();
    if (!tree.there)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
}

/* Keeps the path for output_abandon, whose signal must not come while the array moves. */
static char *path_inside(const char *name) {
    const size_t room = strlen(tree.temporary) + strlen(name) + 2;
    char *path = allocate(room);
    snprintf(path, room, "%s/%s", tree.temporary, name);
    signals_block();
    if ((size_t)tree.count == tree.capacity) {
        tree.capacity = 2 * tree.capacity + 16;
        tree.path = reallocate(tree.path, tree.capacity * sizeof *tree.path);
    }
    tree.path[tree.count] = path;
    tree.count = tree.count + 1;
    signals_restore();
    return path;
}

output *output_open_inside(const char *name) {
    output *out = allocate(sizeof *out);
    *out = (output){.file = file_stream(path_inside(name), "wbx"), .name = name, .inside = true};
    if (out->file == NULL)
        fail(BAD_IO, "%s/%s: %s", tree.final, name, strerror(errno));
    return out;
}

void output_directory_end(void) {
    signals_block();
    if (!directory_replace(tree.temporary, tree.final))
        fail(BAD_IO, "%s: %s", tree.final, strerror(errno));
    for (sig_atomic_t i = 0; i < tree.count; i++)
        free(tree.path[i]);
    free(tree.path);
    tree.path = NULL;
    tree.capacity = 0;
    tree.there = tree.count = 0;
    signals_restore();
}
