/* Runs a function on a stack of its own that was filled with a pattern before, to see afterwards what the function
   has left there. */
#ifndef PODIUM_TESTS_PAINTED_STACK_H
#define PODIUM_TESTS_PAINTED_STACK_H

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK_BYTES ((size_t)256 << 10)
#define STACK_PAINT 0xa5

typedef struct painted_stack {
    unsigned char *memory; /* STACK_BYTES bytes, in which the stack grows downwards */
    void (*function)(void *argument);
    void *argument;
    ucontext_t here, there;
} painted_stack;

/* makecontext passes only integers, so the stack is passed here. */
static painted_stack *painted_stack_in_use;

static void painted_stack_enter(void) {
    painted_stack_in_use->function(painted_stack_in_use->argument);
}

static inline void painted_stack_run(painted_stack *stack, void (*function)(void *argument), void *argument) {
    memset(stack->memory, STACK_PAINT, STACK_BYTES);
    stack->function = function, stack->argument = argument;
    painted_stack_in_use = stack;
    if (getcontext(&stack->there) != 0)
        abort();
    stack->there.uc_stack.ss_sp = stack->memory;
    stack->there.uc_stack.ss_size = STACK_BYTES;
    stack->there.uc_link = &stack->here;
    makecontext(&stack->there, painted_stack_enter, 0);
    if (swapcontext(&stack->here, &stack->there) != 0)
        abort();
}

/* How many bytes from the top down to the lowest one that was changed */
static inline size_t painted_stack_depth(const painted_stack *stack) {
    size_t clean = 0;
    while (clean < STACK_BYTES && stack->memory[clean] == STACK_PAINT)
        clean++;
    return STACK_BYTES - clean;
}

#endif
