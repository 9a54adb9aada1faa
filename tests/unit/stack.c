/*
 * How much stack the library takes, compared with what the header says. It is measured on a painted stack for every
 * mechanism. The source of the test takes almost none, because the header excludes a caller's own source. Run the
 * program by itself to see the table.
 */
#include <check.h>

#include "painted_stack.h"
#include "support.h"

#include <math.h>

#define MANY 5000
static double values[MANY], reports[MANY];
static uint32_t cells[MANY];

typedef struct {
    podium_collection collection;
    podium_spec spec;
    podium_status status;
} subject;

static size_t frugal_fill(void *context, void *buffer, size_t n) {
    (void)context;
    memset(buffer, 0x5a, n);
    return n;
}
static const podium_random frugal = {.fill = frugal_fill};

static void nothing(void *s) {
    ((subject *)s)->status = PODIUM_OK;
}

static void init(void *s) {
    subject *own = s;
    own->status = podium_collection_init(&own->collection, &own->spec);
}

static void one_report(void *s) {
    subject *own = s;
    own->status = podium_privatize_from(&own->collection, &frugal, reports, values, 1);
}

static void one_cell(void *s) {
    subject *own = s;
    own->status = podium_privatize_cells(&own->collection, &frugal, cells, values, 1);
}

static void one_by_default(void *s) {
    subject *own = s;
    own->status = podium_privatize(&own->collection, reports, values, 1);
}

static void many_reports(void *s) {
    subject *own = s;
    own->status = podium_privatize_from(&own->collection, &frugal, reports, values, MANY);
}

static void many_cells(void *s) {
    subject *own = s;
    own->status = podium_privatize_cells(&own->collection, &frugal, cells, values, MANY);
}

#define KIB 1024
static const struct {
    const char *name;
    void (*run)(void *subject);
    size_t most, solver_most; /* limits in bytes; the second is for mechanisms that solve for their map */
} tasks[] = {
    {"init", init, 4 * KIB, 16 * KIB},
    {"one report", one_report, 1 * KIB, 1 * KIB},
    {"one cell", one_cell, 1 * KIB, 1 * KIB},
    {"one by default", one_by_default, 1 * KIB, 1 * KIB},
    {"many reports", many_reports, 16 * KIB, 16 * KIB},
    {"many cells", many_cells, 16 * KIB, 16 * KIB},
};

static painted_stack stack;

/* The second run is measured, because in the first one the dynamic linker may look up functions. */
static size_t bytes_of(void (*run)(void *), subject *own) {
    for (int i = 0; i < 2; i++)
        painted_stack_run(&stack, run, own);
    ck_assert_int_eq(own->status, PODIUM_OK);
    return painted_stack_depth(&stack);
}

/* The maximum over epsilon, because a small one takes the most random words */
static size_t most_of(void (*run)(void *), podium_mechanism mechanism) {
    static const double epsilons[] = {1e-6, 0.01, 0.3, 1, 5, 50};
    size_t most = 0;
    for (size_t e = 0; e < LENGTH(epsilons); e++) {
        subject own = {.spec = spec_of(mechanism, epsilons[e], -1, 9)};
        own.collection = collection_from(&own.spec);
        size_t bytes = bytes_of(run, &own) - bytes_of(nothing, &own);
        most = bytes > most ? bytes : most;
    }
    return most;
}

START_TEST(takes_no_more_than_promised) {
    stack.memory = malloc(STACK_BYTES);
    ck_assert_ptr_nonnull(stack.memory);
    for (size_t t = 0; t < LENGTH(tasks); t++)
        FOR_EACH_MECHANISM (m) {
            const size_t bytes = most_of(tasks[t].run, m);
            const size_t most = podium_row_of(m)->revision != 0 ? tasks[t].solver_most : tasks[t].most;
            printf("%-15s %-18s %6zu bytes, at most %zu\n", tasks[t].name, podium_mechanism_name(m), bytes, most);
            ck_assert_msg(bytes > 0 && bytes <= most, "%s %s takes %zu bytes of stack, more than %zu", tasks[t].name,
                          podium_mechanism_name(m), bytes, most);
        }
    free(stack.memory);
}
END_TEST

/* ---- What is left on the stack ---- */

/* A value leaves no trace of itself, nor of its distance from the middle or its offset from the middle place, which are
   as good. They are looked for by their bits, without the sign. */
static size_t traces(double x) {
    const uint64_t wanted = podium_bits_of(fabs(x));
    size_t found = 0;
    for (size_t i = 0; i + sizeof wanted <= STACK_BYTES; i += 8) {
        uint64_t word;
        memcpy(&word, stack.memory + i, sizeof word);
        found += (word & (UINT64_MAX >> 1)) == wanted;
    }
    return found;
}

/* Volatile, so that no compiler keeps it in a register that the functions here would save on the painted stack */
static volatile double value = 2.7182818284590451;

static size_t traces_of_value(const podium_layout *c) {
    const double x = value, distance = x - c->middle, place = podium_place(c, x);
    return traces(x) + traces(distance) + traces(ldexp(place - (double)c->places / 2, (int)c->fraction_bits));
}

START_TEST(leaves_no_trace_of_a_value) {
    static void (*const runs[])(void *) = {one_report, one_cell, many_reports, many_cells};
    static const double epsilons[] = {0.3, 1, 5};
    stack.memory = malloc(STACK_BYTES);
    ck_assert_ptr_nonnull(stack.memory);
    FOR_EACH_MECHANISM (m)
        for (size_t e = 0; e < LENGTH(epsilons); e++)
            for (size_t r = 0; r < LENGTH(runs); r++) {
                subject own = {.spec = spec_of(m, epsilons[e], -1, 9)};
                own.collection = collection_from(&own.spec);
                for (size_t i = 0; i < MANY; i++)
                    values[i] = value;
                painted_stack_run(&stack, runs[r], &own);
                const size_t found = traces_of_value(podium_layout_of(&own.collection));
                ck_assert_msg(found == 0, "%s, epsilon %g, run %zu leaves %zu traces", podium_mechanism_name(m),
                              epsilons[e], r, found);
            }
    free(stack.memory);
}
END_TEST

int main(void) {
    TCase *tests = tcase_create("stack");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, takes_no_more_than_promised);
    tcase_add_test(tests, leaves_no_trace_of_a_value);
    return run_tests("stack", tests);
}
