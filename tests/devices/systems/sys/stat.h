#ifndef SYSTEMS_STAT_H
#define SYSTEMS_STAT_H
#include <sys/types.h>
#include <time.h>

struct stat {
    mode_t st_mode;
    uid_t st_uid;
    gid_t st_gid;
    off_t st_size;
    time_t st_mtime;
};
#define S_ISREG(mode) (((mode)&0170000) == 0100000)
#define S_ISDIR(mode) (((mode)&0170000) == 0040000)
#define S_ISLNK(mode) (((mode)&0170000) == 0120000)
int stat(const char *restrict path, struct stat *restrict status);
int lstat(const char *restrict path, struct stat *restrict status);
int fstat(int file, struct stat *status);
int fchmod(int file, mode_t mode);
int chmod(const char *path, mode_t mode);
int mkdir(const char *path, mode_t mode);
mode_t umask(mode_t mask);

#endif
