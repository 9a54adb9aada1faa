extern int errno;
enum { ENOENT = 2, EINTR = 4, EISDIR = 21, EINVAL = 22, EPIPE = 32 };
