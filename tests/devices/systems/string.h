#ifndef SYSTEMS_STRING_H
#define SYSTEMS_STRING_H
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *memory, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strstr(const char *text, const char *part);
size_t strcspn(const char *text, const char *bytes);
char *strdup(const char *text);
char *strndup(const char *text, size_t n);
char *strerror(int error);

#if defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
void explicit_bzero(void *memory, size_t n);
#endif
#if defined(__APPLE__) && __STDC_WANT_LIB_EXT1__
int memset_s(void *memory, size_t size, int byte, size_t n);
#endif

#endif
