/*
 * Output: writes to standard output, or to files that are replaced only when they are complete. A new file has a
 * temporary name beside the final one and is renamed at the end. If the program ends early, the file is removed.
 */
#include "cli.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

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
        unlink(tree.path[i]);
    if (tree.there)
        rmdir(tree.temporary);
    tree.there = tree.count = 0;
}

void output_abandon(void) {
    abandon_directory();
    for (stage *s = stages; s < stages + STAGES; s++) {
        if (s->there)
            unlink(s->temporary);
        s->there = 0;
    }
}

static void block_signals(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static void restore_signals(const sigset_t *before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- Permissions ---- */

#define ACCESS_LIST "system.posix_acl_access"

/*
 * Returns a mode under which nobody can read the new file who could not read the old one. If the new file cannot have
 * the group of the old one, members of that group now count as others, and another group is its group. So both get only
 * the permissions that both had. If the old file has an access control list, its mode does not say what the group may
 * do, so only the owner gets permissions.
 */
static mode_t mode_like(int file, const char *path, const struct stat *old) {
    mode_t mode = old->st_mode & 0777, both = mode & (mode >> 3) & 7;
    fremovexattr(file, ACCESS_LIST); /* it may have inherited one from its directory */
    if (getxattr(path, ACCESS_LIST, NULL, 0) > 0)
        return mode & 0700;
    if (fchown(file, old->st_uid, old->st_gid) == 0 || fchown(file, (uid_t)-1, old->st_gid) == 0)
        return mode;
    return (mode & 0700) | both << 3 | both;
}

static void set_permissions(int file, const char *path) {
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(file, stat(path, &old) == 0 ? mode_like(file, path, &old) : 0666 & ~mask);
}

/* ---- Staging ---- */

static stage *free_stage(const char *path, const char *target) {
    stage *s = NULL;
    for (int i = 0; i < STAGES; i++) {
        if (!stages[i].there)
            s = &stages[i];
        else if (strcmp(stages[i].final, target) == 0)
            fail(BAD_USAGE, "%s: two outputs cannot be the same file", path);
    }
    if (s == NULL)
        fail(BAD_IO, "%s: too many files at once", path);
    return s;
}

/* Returns the path of a file that does not exist yet, with the real path of its directory, so that two spellings of one
   path compare equal. If the directory does not exist, returns the path itself, and creating the file will fail.
   Returns NULL if memory is short. */
static char *in_directory(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    char *parent = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    char *directory = parent == NULL ? NULL : realpath(parent, NULL), *whole = NULL;
    free(parent);
    if (directory == NULL)
        return strdup(path);
    size_t n = strlen(directory) + strlen(name) + 2;
    if ((whole = malloc(n)) != NULL)
        snprintf(whole, n, "%s/%s", directory, name);
    free(directory);
    return whole;
}

/* Returns a copy of the path of the file to replace, which for a symbolic link is its target. Returns NULL if memory is
   short; ends the program if the link points nowhere. */
static char *target_of(const char *path) {
    struct stat status;
    char *target = realpath(path, NULL);
    if (target == NULL && lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        fail(BAD_IO, "%s: this symbolic link points nowhere (%s)", path, strerror(errno));
    return target == NULL ? in_directory(path) : target;
}

static int make_temporary(stage *s, int suffix_length) {
    sigset_t before;
    block_signals(&before);
    int file = mkstemps(s->temporary, suffix_length);
    s->there = file >= 0;
    restore_signals(&before);
    return file;
}

const char *output_stage(const char *path) {
    char *target = target_of(path);
    if (target == NULL)
        fail(BAD_IO, "out of memory");
    const char *dot = strrchr(target, '.'), *slash = strrchr(target, '/');
    const char *suffix = dot != NULL && (slash == NULL || dot > slash) ? dot : ""; /* gnuplot needs it */
    if (strlen(target) + strlen(suffix) + 8 > PATH_ROOM)
        fail(BAD_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    stage *s = free_stage(path, target);
    snprintf(s->final, sizeof s->final, "%s", target);
    snprintf(s->temporary, sizeof s->temporary, "%s.XXXXXX%s", target, suffix);
    int file = make_temporary(s, (int)strlen(suffix));
    if (file < 0)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    set_permissions(file, target);
    close(file);
    free(target);
    return s->temporary;
}

/* Signals are blocked, so that none comes between two renames. Only if a rename fails although the temporary file could
   be created, as in a sticky directory, is one of two files replaced without the other. */
void output_commit(void) {
    sigset_t before;
    block_signals(&before);
    for (stage *s = stages; s < stages + STAGES; s++) {
        if (s->there && rename(s->temporary, s->final) != 0)
            fail(BAD_IO, "%s: %s", s->final, strerror(errno));
        s->there = 0;
    }
    restore_signals(&before);
}

/* ---- Printing ---- */

struct output {
    FILE *file;
    const char *name;
    bool in_stage, inside; /* a file that is staged, or inside a directory that is */
    FILE *later;           /* where what is held in memory goes in the end; NULL if nothing is held */
    char *held;
    size_t held_size;
};

/* Only regular files are replaced. Devices and pipes are written directly, and so is /dev/stdout, wherever it leads. */
static bool replaceable(const char *path) {
    struct stat status;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        return false;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

output *output_open(const char *path) {
    output *out = allocate(sizeof *out);
    *out = (output){.file = stdout, .name = "standard output"};
    if (path != NULL && strcmp(path, "-") != 0) {
        out->name = path;
        out->in_stage = replaceable(path);
        out->file = fopen(out->in_stage ? output_stage(path) : path, "wb");
    }
    if (out->file == NULL)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    setvbuf(out->file, NULL, _IOFBF, 1 << 16);
    return out;
}

output *output_open_whole(const char *path) {
    output *out = output_open(path);
    if (out->in_stage)
        return out;
    out->later = out->file;
    out->file = open_memstream(&out->held, &out->held_size);
    if (out->file == NULL)
        fail(BAD_IO, "%s", podium_status_message(PODIUM_ERROR_OUT_OF_MEMORY));
    return out;
}

static _Noreturn void fail_write(const output *out) {
    if (errno == EPIPE)
        leave_quietly();
    fail(BAD_IO, "%s: %s", out->name, strerror(errno));
}

void output_write(output *out, const void *bytes, size_t n) {
    if (fwrite(bytes, 1, n, out->file) != n)
        fail_write(out);
}

void output_print(output *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vfprintf(out->file, format, arguments);
    va_end(arguments);
    if (written < 0)
        fail_write(out);
}

void output_flush(output *out) {
    if (fflush(out->file) != 0)
        fail_write(out);
}

static void release(output *out) {
    if (fclose(out->file) != 0)
        fail_write(out);
    out->file = out->later;
    output_write(out, out->held, out->held_size);
    free(out->held);
}

void output_close(output *out) {
    if (out->later != NULL)
        release(out);
    output_flush(out);
    if ((out->in_stage || out->inside) && fsync(fileno(out->file)) != 0)
        fail_write(out);
    if (out->file != stdout && fclose(out->file) != 0)
        fail_write(out);
    if (!out->inside)
        output_commit();
    free(out);
}

/* ---- Directories ---- */

void output_directory_begin(const char *path) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n + 8 > PATH_ROOM)
        fail(BAD_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    snprintf(tree.final, sizeof tree.final, "%.*s", (int)n, path);
    snprintf(tree.temporary, sizeof tree.temporary, "%.*s.XXXXXX", (int)n, path);
    sigset_t before;
    block_signals(&before);
    tree.there = mkdtemp(tree.temporary) != NULL;
    restore_signals(&before);
    if (!tree.there)
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    chmod(tree.temporary, 0777 & ~mask);
}

/* Keeps the path for output_abandon, whose signal must not come while the array moves. */
static char *path_inside(const char *name) {
    const size_t room = strlen(tree.temporary) + strlen(name) + 2;
    char *path = allocate(room);
    snprintf(path, room, "%s/%s", tree.temporary, name);
    sigset_t before;
    block_signals(&before);
    if ((size_t)tree.count == tree.capacity) {
        tree.capacity = 2 * tree.capacity + 16;
        tree.path = reallocate(tree.path, tree.capacity * sizeof *tree.path);
    }
    tree.path[tree.count] = path;
    tree.count = tree.count + 1;
    restore_signals(&before);
    return path;
}

output *output_open_inside(const char *name) {
    output *out = allocate(sizeof *out);
    *out = (output){.file = fopen(path_inside(name), "wbx"), .name = name, .inside = true};
    if (out->file == NULL)
        fail(BAD_IO, "%s/%s: %s", tree.final, name, strerror(errno));
    return out;
}

void output_directory_end(void) {
    sigset_t before;
    block_signals(&before);
    if (rename(tree.temporary, tree.final) != 0)
        fail(BAD_IO, "%s: %s", tree.final, strerror(errno));
    for (sig_atomic_t i = 0; i < tree.count; i++)
        free(tree.path[i]);
    free(tree.path);
    tree.path = NULL;
    tree.capacity = 0;
    tree.there = tree.count = 0;
    restore_signals(&before);
}
