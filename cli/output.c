/*
 * Output: to standard output, or to files that are replaced only when they are complete. A file is written beside its
 * final place and moved there at the end; whatever ends the program before that removes it.
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

/* ---- Files that are being written: a signal handler has to remove them, hence no pointers to chase ---- */

#define STAGES 2 /* the picture, and what is printed */
#define PATH_ROOM 4096

typedef struct {
    char temporary[PATH_ROOM], final[PATH_ROOM];
    volatile sig_atomic_t there; /* the temporary file: changed only while no signal can come */
} stage;
static stage stages[STAGES];

void output_abandon(void) {
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

/* ---- Who may read ---- */

#define ACCESS_LIST "system.posix_acl_access"

/*
 * Who could not read the old file cannot read the new one. Where the new one cannot have the old one's group, that
 * group's people are among the others now, and other people are its group: both get what both had. Where the old file
 * has an access control list, the mode does not say what its group has, and only the owner gets anything.
 */
static mode_t mode_like(int file, const char *path, const struct stat *old) {
    mode_t mode = old->st_mode & 0777, both = mode & (mode >> 3) & 7;
    fremovexattr(file, ACCESS_LIST); /* one that it has from its directory */
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

/* The path of a file that is not there yet, spelled as its directory is really called: two ways to write one path must
   be seen to be the same. NULL where memory is short; what is wrong with the directory will show. */
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

/* What a link leads to, since the link stays; a copy. */
static char *target_of(const char *path) {
    struct stat status;
    char *target = realpath(path, NULL);
    if (target == NULL && lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        fail(BAD_IO, "%s: a symbolic link that leads nowhere (%s)", path, strerror(errno));
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
    const char *suffix = dot != NULL && (slash == NULL || dot > slash) ? dot : ""; /* gnuplot goes by it */
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

/* No signal comes between two files. Only a rename that fails where the temporary file could be made, as in a sticky
   directory, leaves one of two. */
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
    bool in_stage;
};

/* A device or a pipe is written as it is, and so is /dev/stdout, wherever it leads; only a file can be replaced. */
static bool replaceable(const char *path) {
    struct stat status;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        return false;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

output *output_open(const char *path) {
    output *out = allocate(sizeof *out);
    *out = (output){stdout, "standard output", false};
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

void output_close(output *out) {
    output_flush(out);
    if (out->in_stage && fsync(fileno(out->file)) != 0)
        fail_write(out);
    if (out->file != stdout && fclose(out->file) != 0)
        fail_write(out);
    output_commit();
    free(out);
}
