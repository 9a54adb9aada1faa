enum { O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, F_GETFD = 1 };
int open(const char *path, int flags, ...);
int fcntl(int file, int command, ...);
