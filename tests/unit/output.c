/* When the program replaces a file, nobody may read the new one who could not read the old one. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli.h"

/* ---- What output.c needs from the rest of the program, and from a system whose answers the test decides ---- */

void fail(int status, const char *format, ...) {
    (void)format;
    exit(status);
}

void say_before_leaving(void) {
}

void leave_quietly(void) {
    exit(BAD_IO);
}

void *allocate(size_t n) {
    return malloc(n);
}

void *reallocate(void *memory, size_t n) {
    return realloc(memory, n);
}

/* Whether the owner and the group may be changed, and whether there is an access list. */
static bool may_own, may_group, has_list;
static unsigned asked_for; /* the group that was asked for */

int __wrap_fchown(int file, uid_t owner, gid_t group) {
    (void)file;
    asked_for = group;
    if (owner == (uid_t)-1 ? may_group : may_own)
        return 0;
    errno = EPERM;
    return -1;
}

ssize_t __wrap_getxattr(const char *path, const char *name, void *value, size_t n) {
    (void)path, (void)name, (void)value, (void)n;
    return has_list ? 44 : -1;
}

/* ---- The permissions of a file after it replaced one that had others ---- */

static int wrong;

static void expect(const char *what, mode_t old, mode_t now, mode_t expected) {
    if (now != expected) {
        printf("%s: %04o became %04o, not %04o\n", what, old, now, expected);
        wrong++;
    }
}

static mode_t mode_of(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static void replace(const char *path) {
    output *out = output_open(path);
    output_print(out, "new");
    output_close(out);
}

static mode_t replaced(mode_t old) {
    close(open("output-old", O_WRONLY | O_CREAT, 0600));
    chmod("output-old", old);
    replace("output-old");
    mode_t now = mode_of("output-old");
    unlink("output-old");
    return now;
}

/* If the group cannot be kept, its members become others, and some others become members of the new group. Neither
   may get a permission that only the other had. */
static void every_group(void) {
    for (mode_t group = 0; group < 8; group++)
        for (mode_t others = 0; others < 8; others++) {
            mode_t old = 0600 | group << 3 | others, both = group & others;
            may_own = true, may_group = false, asked_for = 77777;
            expect("group kept with the owner", old, replaced(old), old);
            may_own = false, may_group = true;
            expect("group kept", old, replaced(old), old);
            wrong += asked_for != getgid();
            may_own = may_group = false;
            expect("group lost", old, replaced(old), 0600 | both << 3 | both);
        }
}

/* Fails with what if the path exists, or does not, unlike expected. */
static void expect_there(const char *what, const char *path, bool expected) {
    struct stat status;
    if ((stat(path, &status) == 0) != expected) {
        printf("%s: %s is %s\n", what, path, expected ? "missing" : "there");
        wrong++;
    }
}

static void write_inside(const char *name) {
    output *out = output_open_inside(name);
    output_print(out, "new");
    output_close(out);
}

/* A directory appears with all its files at the end, and leaves nothing behind if it is abandoned. (That comes last:
   the program ends then, so it frees nothing.) */
static void directory(void) {
    for (int complete = 1; complete >= 0; complete--) {
        output_directory_begin("output-directory/");
        for (int i = 0; i < 50; i++)
            write_inside((char[]){(char)('0' + i), '\0'});
        expect_there("before the end", "output-directory", false);
        if (complete)
            output_directory_end();
        else
            output_abandon();
        expect_there("at the end", "output-directory", complete);
        expect_there("at the end", "output-directory/0", complete);
        wrong += system("ls -d output-directory.* >/dev/null 2>&1") == 0; /* the temporary one */
        wrong += complete && system("rm -r output-directory") != 0;
    }
}

int main(void) {
    directory();
    every_group();
    may_own = may_group = true;
    expect("special bits", 06755, replaced(06755), 0755);
    has_list = true; /* with an access list, the bits of the group are its mask */
    expect("access control list", 0664, replaced(0664), 0600);
    umask(027);
    replace("output-new");
    expect("new file", 0, mode_of("output-new"), 0640);
    unlink("output-new");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
