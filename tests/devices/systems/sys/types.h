#ifndef SYSTEMS_TYPES_H
#define SYSTEMS_TYPES_H
#include <stddef.h>

typedef ptrdiff_t ssize_t;
typedef unsigned uid_t, gid_t;
typedef unsigned short mode_t;
typedef long long off_t;

#endif
