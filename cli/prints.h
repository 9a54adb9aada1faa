#ifndef PODIUM_CLI_PRINTS_H
#define PODIUM_CLI_PRINTS_H

#include <stdio.h>

/* What gcc checks printf's arguments against. mingw-w64 has two printfs, and says which one it uses. */
#if defined(__MINGW_PRINTF_FORMAT)
#define PRINTS(format_at, first_at) __attribute__((format(__MINGW_PRINTF_FORMAT, format_at, first_at)))
#else
#define PRINTS(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#endif

#endif
