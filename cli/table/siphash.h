/* SipHash-1-3 (Aumasson and Bernstein, 2012). Nobody who lacks the key can find texts that collide in a hash table. */
#ifndef PODIUM_CLI_SIPHASH_H
#define PODIUM_CLI_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint64_t key[2], const void *text, size_t n);

#endif
