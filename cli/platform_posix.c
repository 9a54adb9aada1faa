/* Linux, macOS and the BSDs. */
#include "platform.h"
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/xattr.h>
#elif defined(__APPLE__) || defined(__FreeBSD__)
#include <sys/types.h>
#include <sys/acl.h>
#endif

/* ---- The program ---- */

static void interrupted(int signal_number) {
    output_abandon();
    say_before_leaving();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A signal that ends the program must first remove incomplete output files. Signals that are ignored, as under nohup or
   in a background job, stay ignored, and handlers of a sanitizer or a profiler stay installed. */
static void catch_if_default(int signal_number) {
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART}, now;
    sigfillset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(signal_number, &action, NULL);
}

static void set_signals(void) {
    static const int harmless[] = {SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL};
    signal(SIGPIPE, SIG_IGN); /* so that the write fails, like any other */
    signal(SIGXFSZ, SIG_IGN);
    for (int n = 1; n < NSIG; n++) {
        bool ends = true;
#ifdef SIGINFO
        ends = n != SIGINFO; /* the BSDs' request for a status line */
#endif
        for (size_t i = 0; i < LENGTH(harmless); i++)
            ends = ends && n != harmless[i];
        if (ends)
            catch_if_default(n);
    }
}

/* If a standard stream is closed, the next file that is opened would get its descriptor, and messages would land in
   that file. So closed streams are opened on /dev/null, in the wrong direction, so that using them is still an error.
 */
static void open_closed(void) {
    static const int flags[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", flags[i]) != i)
            _exit(BAD_IO);
}

void platform_begin(int *count, char ***arguments) {
    (void)count, (void)arguments;
    open_closed();
    set_signals();
}

static sigset_t before;

void signals_block(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
}

void signals_restore(void) {
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool is_broken_pipe(int error) {
    return error == EPIPE;
}

void end_for_broken_pipe(void) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    _exit(128 + SIGPIPE); /* in case the signal is blocked */
}

unsigned processor_count(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (unsigned)count;
}

bool terminal(void) {
    return isatty(STDERR_FILENO) == 1;
}

bool console_reads_utf8(void) {
    return false;
}

/* ---- Files ---- */

file_status file_look(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return (file_status){.kind = FILE_MISSING};
    return (file_status){.kind = S_ISREG(status.st_mode)   ? FILE_REGULAR
                                 : S_ISDIR(status.st_mode) ? FILE_DIRECTORY
                                                           : FILE_OTHER,
                         .size = (uint64_t)status.st_size,
                         .changed = status.st_mtime};
}

int file_open(const char *path) {
    struct stat status;
    const int file = open(path, O_RDONLY);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(file);
        errno = EISDIR;
        return -1;
    }
    return file;
}

int file_open_to_write(const char *path) {
    return open(path, O_RDWR);
}

ptrdiff_t file_read(int file, void *buffer, size_t n) {
    return read(file, buffer, n);
}

void file_close(int file) {
    close(file);
}

bool file_sync(int file) {
    return fsync(file) == 0;
}

/* Some file systems cannot synchronise a directory, and say EINVAL. */
bool file_sync_name(const char *path) {
    char *copy = strdup(path);
    const int directory = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = directory >= 0 && (fsync(directory) == 0 || errno == EINVAL);
    const int error = errno;
    if (directory >= 0)
        close(directory);
    free(copy);
    errno = error;
    return synced;
}

bool file_lock(int file) {
    return flock(file, LOCK_EX | LOCK_NB) == 0;
}

void write_message(const char *text) {
    for (size_t n = strlen(text); n > 0;) {
        const ssize_t written = write(STDERR_FILENO, text, n);
        if (written <= 0)
            return;
        text += written;
        n -= (size_t)written;
    }
}

int file_of(FILE *stream) {
    return fileno(stream);
}

FILE *file_stream(const char *path, const char *mode) {
    return fopen(path, mode);
}

/* ---- Permissions ---- */

/* Access control lists: removes what the open file inherited from its directory, and returns whether the file of that
   path has one. OpenBSD has none, and NetBSD none by default. */
#if defined(__linux__)
#define ACCESS_LIST "system.posix_acl_access"
static void access_list_remove(int file) {
    fremovexattr(file, ACCESS_LIST);
}

static bool access_list_exists(const char *path) {
    return getxattr(path, ACCESS_LIST, NULL, 0) > 0;
}
#elif defined(__APPLE__)
static void access_list_remove(int file) {
    acl_t none = acl_init(0);
    if (none == NULL)
        return;
    acl_set_fd(file, none);
    acl_free(none);
}

static bool access_list_exists(const char *path) {
    acl_t list = acl_get_file(path, ACL_TYPE_EXTENDED);
    if (list == NULL)
        return false;
    acl_free(list);
    return true;
}
#elif defined(__FreeBSD__)
/* A file has a list of one of two types, depending on its file system; both types can be trivial, like the mode. */
static bool is_listed(acl_t list) {
    int trivial = 0;
    if (list == NULL)
        return false;
    const bool known = acl_is_trivial_np(list, &trivial) == 0;
    acl_free(list);
    return !known || !trivial;
}

static void access_list_remove(int file) {
    acl_t list = acl_get_fd_np(file, ACL_TYPE_NFS4), plain = list == NULL ? NULL : acl_strip_np(list, 0);
    if (plain != NULL)
        acl_set_fd_np(file, plain, ACL_TYPE_NFS4);
    if (plain != NULL)
        acl_free(plain);
    if (list != NULL)
        acl_free(list);
}

static bool access_list_exists(const char *path) {
    return is_listed(acl_get_file(path, ACL_TYPE_NFS4)) || is_listed(acl_get_file(path, ACL_TYPE_ACCESS));
}
#else
static void access_list_remove(int file) {
    (void)file;
}

static bool access_list_exists(const char *path) {
    (void)path;
    return false;
}
#endif

/*
 * Returns a mode under which nobody can read the new file who could not read the old one. If the new file cannot have
 * the group of the old one, members of that group now count as others, and another group is its group. So both get only
 * the permissions that both had. If the old file has an access control list, its mode does not say what the group may
 * do, so only the owner gets permissions.
 */
static mode_t mode_like(int file, const char *path, const struct stat *old) {
    const mode_t mode = old->st_mode & 0777, both = mode & (mode >> 3) & 7;
    access_list_remove(file); /* it may have inherited one from its directory */
    if (access_list_exists(path))
        return mode & 0700;
    if (fchown(file, old->st_uid, old->st_gid) == 0 || fchown(file, (uid_t)-1, old->st_gid) == 0)
        return mode;
    return (mode & 0700) | both << 3 | both;
}

static mode_t file_mask(void) {
    const mode_t mask = umask(0);
    umask(mask);
    return mask;
}

static void set_permissions(int file, const char *path) {
    struct stat old;
    fchmod(file, stat(path, &old) == 0 ? mode_like(file, path, &old) : 0666 & ~file_mask());
}

/* ---- Replacing files ---- */

const char *path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

size_t path_length(const char *path) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

bool path_same(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

/* The target of a path that does not exist yet, so that two spellings of one path compare equal. */
static char *in_directory(const char *path) {
    const char *name = path_name(path);
    char *parent = name == path ? strdup(".") : strndup(path, (size_t)(name - path));
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

char *file_target(const char *path) {
    struct stat status;
    char *target = realpath(path, NULL);
    if (target == NULL && lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        fail(BAD_IO, "%s: this symbolic link points nowhere (%s)", path, strerror(errno));
    return target == NULL ? in_directory(path) : target;
}

bool path_is_device(const char *path) {
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

bool file_create_for(char *path, size_t suffix_length, const char *target) {
    const int file = mkstemps(path, (int)suffix_length);
    if (file < 0)
        return false;
    set_permissions(file, target);
    close(file);
    return true;
}

bool directory_create_temporary(char *path) {
    if (mkdtemp(path) == NULL)
        return false;
    chmod(path, 0777 & ~file_mask());
    return true;
}

bool directory_create(const char *path) {
    return mkdir(path, 0777) == 0;
}

bool file_replace(const char *from, const char *to) {
    return rename(from, to) == 0;
}

bool directory_replace(const char *from, const char *to) {
    return rename(from, to) == 0;
}

void file_remove(const char *path) {
    unlink(path);
}

void directory_remove(const char *path) {
    rmdir(path);
}

/* ---- Other programs ---- */

bool program_installed(const char *name) {
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char candidate[4096];
        size_t n = strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)n, path, name);
        if (access(candidate, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

FILE *program_start(const char *name, int result) {
    char command[256];
    snprintf(command, sizeof command, "LC_ALL=C.UTF-8 %s", name);
    const int mine = dup(STDOUT_FILENO);
    dup2(result, STDOUT_FILENO);
    FILE *input = popen(command, "w");
    dup2(mine, STDOUT_FILENO);
    close(mine);
    return input;
}

bool program_end(FILE *input) {
    return pclose(input) == 0;
}
