#ifndef SYSTEMS_STDLIB_H
#define SYSTEMS_STDLIB_H
#include <stddef.h>

void *malloc(size_t n);
void *realloc(void *memory, size_t n);
void free(void *memory);
char *getenv(const char *name);
char *realpath(const char *restrict path, char *restrict to);
int mkstemps(char *path, int suffix);
char *mkdtemp(char *path);
void arc4random_buf(void *memory, size_t n);

#endif
