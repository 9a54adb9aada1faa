/* See windows.h. */
#define BCRYPT_USE_SYSTEM_PREFERRED_RNG 2

LONG BCryptGenRandom(void *algorithm, PUCHAR buffer, ULONG n, ULONG flags);
