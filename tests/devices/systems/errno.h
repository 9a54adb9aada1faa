extern int errno;
enum { ENOENT = 2, EINTR = 4, EISDIR = 21, EPIPE = 32 };
