#include "table/siphash.h"

typedef struct {
    uint64_t a, b, c, d;
} state;

static inline uint64_t rotated(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static inline void mix(state *s) {
    s->a += s->b, s->b = rotated(s->b, 13) ^ s->a, s->a = rotated(s->a, 32);
    s->c += s->d, s->d = rotated(s->d, 16) ^ s->c;
    s->a += s->d, s->d = rotated(s->d, 21) ^ s->a;
    s->c += s->b, s->b = rotated(s->b, 17) ^ s->c, s->c = rotated(s->c, 32);
}

static inline void add_word(state *s, uint64_t word) {
    s->d ^= word;
    mix(s);
    s->a ^= word;
}

/* Returns n bytes, at most eight, as a word with the first byte lowest, whatever the machine's byte order. */
static inline uint64_t word_of(const unsigned char *bytes, size_t n) {
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

uint64_t siphash(const uint64_t key[2], const void *text, size_t n) {
    const unsigned char *bytes = text;
    state s = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
               key[1] ^ 0x7465646279746573};
    size_t at = 0;
    for (; n - at >= 8; at += 8)
        add_word(&s, word_of(bytes + at, 8));
    add_word(&s, word_of(bytes + at, n - at) | (uint64_t)n << 56);
    s.c ^= 0xff;
    for (int i = 0; i < 3; i++)
        mix(&s);
    return s.a ^ s.b ^ s.c ^ s.d;
}
