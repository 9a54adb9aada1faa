/* The hash of group names: compared with another implementation, and tried on names that are made to collide. */
#include <check.h>

#include "table/siphash.h"
#include "support.h"

static const uint64_t reference_key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

/* Values from OpenSSL's implementation (c-rounds 1, d-rounds 3) for the texts of the bytes 0, 1 ... n - 1. */
static const struct {
    size_t n;
    uint64_t hash;
} reference[] = {
    {0, 0xabac0158050fc4dc}, {1, 0xc9f49bf37d57ca93},  {7, 0xd3927d989bb11140},  {8, 0x369095118d299a8e},
    {9, 0x25a48eb36c063de4}, {15, 0xd320d86d2a519956}, {16, 0xcc4fdd1a7d908b66}, {63, 0x9d199062b7bbb3a8},
};

START_TEST(reference_values) {
    unsigned char text[64];
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)i;
    for (size_t i = 0; i < LENGTH(reference); i++)
        ck_assert_uint_eq(siphash(reference_key, text, reference[i].n), reference[i].hash);
}
END_TEST

/* Name number i of 2^12. Each bit is a pair of letters, Aa or BB, which have the same hash by 31 x + y. */
#define BITS 12
static void collide(char name[2 * BITS + 1], unsigned i) {
    for (unsigned bit = 0; bit < BITS; bit++)
        memcpy(name + 2 * bit, i >> bit & 1 ? "Aa" : "BB", 2);
    name[2 * BITS] = '\0';
}

static uint64_t by_multiplication(const char *name) {
    uint64_t hash = 0;
    for (; *name != '\0'; name++)
        hash = hash * 31 + (unsigned char)*name;
    return hash;
}

/* How many of the names have the most common one of 2^15 hashes */
static unsigned most_common(uint64_t (*hash)(const char *name)) {
    static unsigned count[1 << 15];
    unsigned most = 0;
    char name[2 * BITS + 1];
    memset(count, 0, sizeof count);
    for (unsigned i = 0; i < 1U << BITS; i++) {
        collide(name, i);
        unsigned here = ++count[hash(name) >> 49];
        most = here > most ? here : most;
    }
    return most;
}

static uint64_t by_siphash(const char *name) {
    return siphash(reference_key, name, strlen(name));
}

/* If 4,096 names are spread evenly, more than 6 have the same one of 2^15 hashes for one in 300,000 keys; this key
   is fixed. */
START_TEST(made_to_collide) {
    ck_assert_uint_eq(most_common(by_multiplication), 1U << BITS); /* these names do collide by multiplication */
    ck_assert_uint_le(most_common(by_siphash), 6);
}
END_TEST

/* Another key leads to other hashes, so nobody can prepare names for all runs. */
START_TEST(keys_matter) {
    for (int word = 0; word < 2; word++)
        for (int bit = 0; bit < 64; bit++) {
            uint64_t key[2] = {reference_key[0], reference_key[1]};
            key[word] ^= (uint64_t)1 << bit;
            ck_assert_uint_ne(siphash(key, "name", 4), siphash(reference_key, "name", 4));
        }
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("siphash");
    tcase_add_test(tests, reference_values);
    tcase_add_test(tests, made_to_collide);
    tcase_add_test(tests, keys_matter);
    return run_tests("siphash", tests);
}
