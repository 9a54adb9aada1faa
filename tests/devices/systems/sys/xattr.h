#include <sys/types.h>

#if defined(__ANDROID__)
ssize_t getxattr(const char *path, const char *name, void *value, size_t n);
int fremovexattr(int file, const char *name);
#endif
