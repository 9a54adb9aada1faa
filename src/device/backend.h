/*
 * Backend: chooses the file that gets random bytes from the system (random_*.c), and the file that clears memory
 * (wipe_*.c).
 *
 * A build can choose by defining PODIUM_RANDOM and PODIUM_WIPE as one of the constants below. Otherwise the platform
 * decides. All of these files may be compiled and linked, because those that were not chosen are empty.
 */
#ifndef PODIUM_BACKEND_H
#define PODIUM_BACKEND_H

#include "device/device.h"

#define PODIUM_RANDOM_NONE 0       /* no source, so every caller must bring one */
#define PODIUM_RANDOM_GETRANDOM 1  /* getrandom(2) of Linux */
#define PODIUM_RANDOM_GETENTROPY 2 /* getentropy of the BSDs, glibc, musl and Emscripten */
#define PODIUM_RANDOM_ARC4RANDOM 3 /* arc4random_buf of macOS, iOS, Android and the BSDs */
#define PODIUM_RANDOM_BCRYPT 4     /* BCryptGenRandom of Windows */
#define PODIUM_RANDOM_WASI 5       /* random_get of WASI */

#define PODIUM_WIPE_VOLATILE 0 /* memset through a volatile pointer, which works everywhere */
#define PODIUM_WIPE_EXPLICIT_BZERO 1
#define PODIUM_WIPE_MEMSET_S 2    /* C11's Annex K, as macOS has it */
#define PODIUM_WIPE_SECURE_ZERO 3 /* SecureZeroMemory of Windows */

/* Apple's App Store rejects programs that call getentropy, and NetBSD before version 10 does not have it. Android has
   getrandom from API level 28 on, and arc4random_buf at all levels. */
#if !defined(PODIUM_RANDOM)
#if defined(__ANDROID__) && __ANDROID_API__ < 28
#define PODIUM_RANDOM PODIUM_RANDOM_ARC4RANDOM
#elif defined(__linux__)
#define PODIUM_RANDOM PODIUM_RANDOM_GETRANDOM
#elif defined(__APPLE__) || defined(__NetBSD__)
#define PODIUM_RANDOM PODIUM_RANDOM_ARC4RANDOM
#elif defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__) || defined(__EMSCRIPTEN__)
#define PODIUM_RANDOM PODIUM_RANDOM_GETENTROPY
#elif defined(_WIN32)
#define PODIUM_RANDOM PODIUM_RANDOM_BCRYPT
#elif defined(__wasi__)
#define PODIUM_RANDOM PODIUM_RANDOM_WASI
#else
#define PODIUM_RANDOM PODIUM_RANDOM_NONE
#endif
#endif

/* Android has no explicit_bzero. */
#if !defined(PODIUM_WIPE)
#if defined(__ANDROID__)
#define PODIUM_WIPE PODIUM_WIPE_VOLATILE
#elif defined(__linux__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__) || defined(__wasi__)
#define PODIUM_WIPE PODIUM_WIPE_EXPLICIT_BZERO
#elif defined(__APPLE__)
#define PODIUM_WIPE PODIUM_WIPE_MEMSET_S
#elif defined(_WIN32)
#define PODIUM_WIPE PODIUM_WIPE_SECURE_ZERO
#else
#define PODIUM_WIPE PODIUM_WIPE_VOLATILE
#endif
#endif

/* What podium_random_system and podium_random_default return. random_*.c has the first, and random_openssl.c the second
   in a build with OpenSSL. */
extern const podium_random podium_system_source, podium_default_source;

#if PODIUM_RANDOM != PODIUM_RANDOM_NONE
/* The fill of podium_system_source. It returns how many bytes it has written, which is less than n if the system
   failed. */
size_t podium_system_fill(void *context, void *buffer, size_t n);
#endif

#endif
