/*
 * Output: to standard output, or to a file that appears whole or not at all. A file is written beside its final place
 * and moved there at the end; whatever ends the program before that removes it.
 */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The one file that is being staged, for whoever has to clean up: a signal handler too, hence no pointers to chase. */
static char staged[4096], final_path[4096];

void output_abandon(void) {
    if (staged[0] != '\0')
        unlink(staged);
    staged[0] = '\0';
}

const char *output_stage(const char *path) {
    char *target = realpath(path, NULL); /* a link stays; what it leads to is replaced */
    if (target != NULL)
        path = target;
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const char *suffix = dot != NULL && (slash == NULL || dot > slash) ? dot : ""; /* gnuplot goes by it */
    if (strlen(path) + 32 > sizeof staged)
        fail(BAD_IO, "%s: name too long", path);
    strcpy(final_path, path);
    snprintf(staged, sizeof staged, "%s.XXXXXX%s", path, suffix);
    int file = mkstemps(staged, (int)strlen(suffix));
    if (file < 0) {
        staged[0] = '\0';
        fail(BAD_IO, "%s: %s", path, strerror(errno));
    }
    mode_t mask = umask(0);
    struct stat old;
    umask(mask);
    fchmod(file, stat(path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask); /* nobody new can read it */
    close(file);
    free(target);
    return staged;
}

void output_commit(void) {
    if (rename(staged, final_path) != 0)
        fail(BAD_IO, "%s: %s", final_path, strerror(errno));
    staged[0] = '\0';
}

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
    if (out->in_stage)
        output_commit();
    free(out);
}
