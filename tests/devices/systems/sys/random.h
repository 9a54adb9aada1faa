#include <sys/types.h>

#if defined(__ANDROID__) && __ANDROID_API__ >= 28
ssize_t getrandom(void *memory, size_t n, unsigned flags);
#endif
