/* Wiping clears the given memory, and the compiler does not optimise it away. The test is built once for each
   implementation, whose file is included here so that the compiler sees everything. */
#include WIPE_FILE

#include <check.h>

#include "painted_stack.h"
#include "support.h"

#define KEEP(memory) __asm__ volatile("" : : "r"(memory) : "memory") /* as if the memory were read */

void *SecureZeroMemory(void *memory, size_t n);
void *SecureZeroMemory(void *memory, size_t n) { /* a stand-in for the function of Windows */
    memset(memory, 0, n);
    KEEP(memory);
    return memory;
}

int memset_s(void *memory, size_t size, int byte, size_t n);
int memset_s(void *memory, size_t size, int byte, size_t n) { /* a stand-in for the function of macOS */
    memset(memory, byte, n < size ? n : size);
    KEEP(memory);
    return 0;
}

START_TEST(clears_what_it_is_told_to) {
    unsigned char bytes[100];
    for (size_t from = 0; from < 20; from++)
        for (size_t n = 0; from + n <= sizeof bytes; n++) {
            memset(bytes, 7, sizeof bytes);
            podium_wipe(bytes + from, n);
            for (size_t i = 0; i < sizeof bytes; i++)
                ck_assert_uint_eq(bytes[i], i < from || i >= from + n ? 7 : 0);
        }
}
END_TEST

/* Fills memory with a secret that is read as far as the compiler knows, and wipes it if the flag is true. */
#define SECRET 0x5ec2e7
static void keep_secrets(void *wiped) {
    uint32_t secrets[500];
    for (uint32_t i = 0; i < LENGTH(secrets); i++)
        secrets[i] = SECRET;
    KEEP(secrets);
    if (*(bool *)wiped)
        podium_wipe(secrets, sizeof secrets);
}

static size_t secrets_left(bool wiped) {
    painted_stack stack = {.memory = malloc(STACK_BYTES)};
    size_t left = 0;
    painted_stack_run(&stack, keep_secrets, &wiped);
    for (size_t i = 0; i < STACK_BYTES; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, stack.memory + i, sizeof word);
        left += word == SECRET;
    }
    free(stack.memory);
    return left;
}

START_TEST(is_not_left_out) {
    ck_assert_uint_ge(secrets_left(false), 500);
    ck_assert_uint_lt(secrets_left(true), 10); /* a few remain in spilled registers */
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("wipe");
    tcase_add_test(tests, clears_what_it_is_told_to);
    tcase_add_test(tests, is_not_left_out);
    return run_tests("wipe", tests);
}
