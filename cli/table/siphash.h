/* SipHash-1-3 (Aumasson and Bernstein, 2012): without the key, nobody can find texts that collide in a table. */
#ifndef PODIUM_CLI_SIPHASH_H
#define PODIUM_CLI_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint64_t key[2], const void *text, size_t n);

#endif
