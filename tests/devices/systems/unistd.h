#ifndef SYSTEMS_UNISTD_H
#define SYSTEMS_UNISTD_H
#include <stddef.h>
#include <sys/types.h>

#if defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
int getentropy(void *memory, size_t n);
#endif

enum { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
#define X_OK 1
#define _SC_NPROCESSORS_ONLN 58
ssize_t read(int file, void *memory, size_t n);
ssize_t write(int file, const void *bytes, size_t n);
int close(int file);
int fsync(int file);
int dup(int file);
int dup2(int from, int to);
int access(const char *path, int mode);
int isatty(int file);
int unlink(const char *path);
int rmdir(const char *path);
int fchown(int file, uid_t owner, gid_t group);
long sysconf(int name);
_Noreturn void _exit(int status);

#endif
