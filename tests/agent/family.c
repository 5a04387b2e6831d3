/*
 * family.c: every function of malloc's family keeps a prime number of blocks of a prime size, and
 * frees others. What is printed must be what the table has: "function objects bytes" a line. With
 * the argument no-pvalloc without that one.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept;

static void print(const char *name, size_t count, size_t size)
{
    printf("%s %zu %zu\n", name, count, count * size);
}

/* Keeps `count` blocks that `expression` makes, and frees as many again. */
#define KEEPER(name, count, bytes, expression)                                                     \
    __attribute__((noinline)) static void keep_##name(void)                                        \
    {                                                                                              \
        for (size_t i = 0; i < 2 * (count); i++) {                                                 \
            size_t size = (bytes);                                                                 \
            void *block = (expression);                                                            \
            if (block == NULL)                                                                     \
                abort();                                                                           \
            memset(block, 1, size);                                                                \
            if (i % 2 == 0)                                                                        \
                kept = block;                                                                      \
            else                                                                                   \
                free(block);                                                                       \
        }                                                                                          \
        print("keep_" #name, count, bytes);                                                        \
    }

static void *aligned(size_t size)
{
    void *block = NULL;
    return posix_memalign(&block, 64, size) == 0 ? block : NULL;
}

KEEPER(malloc, 101, 37, malloc(size))
KEEPER(calloc, 103, 41 * 43, calloc(41, size / 41))
KEEPER(realloc, 107, 47, realloc(NULL, size))
KEEPER(reallocarray, 109, 5 * 53, reallocarray(NULL, 5, size / 5))
KEEPER(aligned_alloc, 113, 59, aligned_alloc(32, size))
KEEPER(memalign, 127, 61, memalign(128, size))
KEEPER(valloc, 7, 67, valloc(size))
KEEPER(pvalloc, 11, 71, pvalloc(size))
KEEPER(big, 3, 1000003, malloc(size))

__attribute__((noinline)) static void keep_posix_memalign(void)
{
    for (size_t i = 0; i < 131; i++) {
        kept = aligned(73);
        free(aligned(73));
    }
}

/* Grows and shrinks, in place and not; of size 0 it is a free. */
__attribute__((noinline)) static void keep_grown(void)
{
    for (size_t i = 0; i < 17; i++) {
        void *block = malloc(19);
        for (size_t size = 23; size < 300000; size = size * 3 + 1)
            block = realloc(block, size);
        kept = realloc(block, 79);
        block = realloc(malloc(83), 0);
        free(block);
    }
    print("keep_grown", 17, 79);
}

__attribute__((noinline)) static void keep_empty(void)
{
    for (size_t i = 0; i < 89; i++)
        kept = malloc(0);
    print("keep_empty", 89, 0);
}

/* What the allocator refuses leaves everything as it was, errno apart. */
__attribute__((noinline)) static void keep_refused(void)
{
    size_t huge = PTRDIFF_MAX;
    void *block = malloc(97);
    __asm__ volatile("" : "+r"(huge));
    errno = 0;
    if (malloc(huge) != NULL || errno != ENOMEM || calloc(huge, 3) != NULL ||
        realloc(block, huge) != NULL || reallocarray(block, huge, huge) != NULL)
        abort();
    kept = block;
    errno = 12345;
    free(malloc(1));
    if (errno != 12345 || malloc_usable_size(block) < 97)
        abort();
    print("keep_refused", 1, 97);
}

int main(int argc, char **argv)
{
    keep_malloc();
    keep_calloc();
    keep_realloc();
    keep_reallocarray();
    keep_aligned_alloc();
    keep_memalign();
    keep_valloc();
    if (argc < 2 || strcmp(argv[1], "no-pvalloc") != 0)
        keep_pvalloc();
    keep_big();
    keep_posix_memalign();
    print("aligned", 131, 73);
    keep_grown();
    keep_empty();
    keep_refused();
    return 0;
}
