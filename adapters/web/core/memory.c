/*
 * The heap, and the functions of string.h and stdlib.h that the library uses. The C library's are made for speed or for
 * every case, and would be a twentieth of the module.
 *
 * Free blocks are in a list, in the order of their addresses, so that neighbours can be joined. The library allocates a
 * few large blocks a call, so the first block that is large enough is as good as any.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WASM_PAGE 65536

typedef struct block {
    size_t size; /* with this header */
    struct block *next;
} block;

_Static_assert(sizeof(block) == 8, "what follows a header must be aligned for doubles");

extern unsigned char __heap_base;
static block *free_blocks;
static uintptr_t end; /* of what the heap has ever had; 0 before the first call */

/* Puts a block into the list, and joins it with its neighbours. */
static void insert(block *b) {
    block *before = NULL, *after = free_blocks;
    for (; after != NULL && after < b; after = after->next)
        before = after;
    b->next = after;
    if (after != NULL && (uintptr_t)b + b->size == (uintptr_t)after)
        *b = (block){b->size + after->size, after->next};
    if (before == NULL) {
        free_blocks = b;
    } else if ((uintptr_t)before + before->size == (uintptr_t)b) {
        *before = (block){before->size + b->size, b->next};
    } else {
        before->next = b;
    }
}

/* Adds pages to the memory, so that a block of this size is free. */
static int grow(size_t size) {
    if (end == 0)
        end = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    const size_t has = __builtin_wasm_memory_size(0) * WASM_PAGE;
    const size_t missing = end + size > has ? end + size - has : 0, pages = (missing + WASM_PAGE - 1) / WASM_PAGE;
    if (end + size < size || __builtin_wasm_memory_grow(0, pages) == SIZE_MAX)
        return 0;
    block *b = (block *)end;
    b->size = has + pages * WASM_PAGE - end;
    end += b->size;
    insert(b);
    return 1;
}

static block *take(size_t size) {
    for (block **at = &free_blocks; *at != NULL; at = &(*at)->next) {
        block *b = *at;
        if (b->size < size)
            continue;
        if (b->size - size < 2 * sizeof(block)) {
            *at = b->next;
        } else {
            block *rest = (block *)((uintptr_t)b + size);
            *rest = (block){b->size - size, b->next};
            *at = rest;
            b->size = size;
        }
        return b;
    }
    return NULL;
}

void *malloc(size_t n) {
    const size_t size = (n + sizeof(block) + 7) & ~(size_t)7;
    block *b = size < n ? NULL : take(size);
    if (b == NULL && size >= n && grow(size))
        b = take(size);
    return b == NULL ? NULL : b + 1;
}

void *calloc(size_t count, size_t each) {
    void *memory = each != 0 && count > SIZE_MAX / each ? NULL : malloc(count * each);
    return memory == NULL ? NULL : memset(memory, 0, count * each);
}

void free(void *memory) {
    if (memory != NULL)
        insert((block *)memory - 1);
}

/* ---- string.h ---- */

size_t strlen(const char *text) {
    size_t n = 0;
    while (text[n] != '\0')
        n++;
    return n;
}

void *memchr(const void *memory, int byte, size_t n) {
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] == (unsigned char)byte)
            return (void *)(uintptr_t)(bytes + i);
    return NULL;
}

char *strchr(const char *text, int letter) {
    return memchr(text, letter, strlen(text) + 1);
}

int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] - y[i];
    return 0;
}

int strcmp(const char *a, const char *b) {
    return memcmp(a, b, strlen(a) + 1);
}

char *strstr(const char *text, const char *part) {
    const size_t n = strlen(part);
    for (size_t length = strlen(text); length >= n; length--, text++)
        if (memcmp(text, part, n) == 0)
            return (char *)(uintptr_t)text;
    return NULL;
}

/* ---- stdlib.h ---- */

static void swap(unsigned char *a, unsigned char *b, size_t each) {
    for (size_t i = 0; i < each; i++) {
        const unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Lets the item at `root` of a heap of n items sink to its place. */
static void sink(unsigned char *items, size_t root, size_t n, size_t each, int (*order)(const void *, const void *)) {
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && order(items + child * each, items + (child + 1) * each) < 0)
            child++;
        if (order(items + root * each, items + child * each) >= 0)
            return;
        swap(items + root * each, items + child * each, each);
    }
}

void qsort(void *array, size_t n, size_t each, int (*order)(const void *, const void *)) {
    for (size_t i = n / 2; i-- > 0;)
        sink(array, i, n, each, order);
    for (size_t last = n; last-- > 1;) {
        swap(array, (unsigned char *)array + last * each, each);
        sink(array, 0, last, each, order);
    }
}
