#ifndef SYSTEMS_STDIO_H
#define SYSTEMS_STDIO_H
#include <stdarg.h>
#include <stddef.h>

typedef struct file FILE;
FILE *fopen(const char *path, const char *mode);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *file);
int fileno(FILE *file);
int rename(const char *from, const char *to);
int snprintf(char *text, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
