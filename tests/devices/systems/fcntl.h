enum { O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, O_DIRECTORY = 1 << 20, O_CLOEXEC = 1 << 24, F_GETFD = 1 };
int open(const char *path, int flags, ...);
int fcntl(int file, int command, ...);
