/* What runs before main: the table of vectors, and the variables. Your chip's vendor has such a file too. */
#include <stdint.h>

extern uint32_t data_start[], data_end[], data_in_flash[], bss_start[], bss_end[], stack_end[];
int main(void);

_Noreturn void reset(void);
_Noreturn void halt(void);

void reset(void) {
    const uint32_t *from = data_in_flash;
    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    main();
    halt();
}

void halt(void) {
    for (;;)
        ;
}

typedef union {
    void (*run)(void);
    const uint32_t *stack;
} vector;

__attribute__((section(".vectors"), used)) static const vector vectors[7] = {
    {.stack = stack_end}, {.run = reset}, {.run = halt}, /* a fault; the others come after it */
    {.run = halt},        {.run = halt},  {.run = halt}, {.run = halt},
};
