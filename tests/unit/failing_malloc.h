/*
 * failing_malloc.h: replaces the malloc family in a test, in front of glibc's own, so that the N-th
 * allocation fails. A sanitizer has replaced it already: then there is only
 * what skips a test.
 */
#ifndef HF_TESTS_UNIT_FAILING_MALLOC_H
#define HF_TESTS_UNIT_FAILING_MALLOC_H

#include "check.h"

#include "base/attr.h"

#include <errno.h>
#include <stdbool.h>

#if HF_SANITIZED

/* Stands for a test that cannot be made here. */
#define SKIPPED_FOR_SANITIZER(test)                                                                \
    static void test(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        print_message("skipped: a sanitizer owns malloc in this build\n");                         \
        skip();                                                                                    \
    }

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static volatile bool is_counting;  /* gcc knows malloc as one that looks at nothing */
static volatile size_t calls_left; /* this many allocations succeed, then one fails */
static volatile bool has_failed;
static volatile long live; /* blocks allocated while counting and not freed yet */

static bool fails_now(void)
{
    if (!is_counting || has_failed || calls_left-- != 0)
        return false;
    has_failed = true;
    errno = ENOMEM;
    return true;
}

static void *counted(void *memory)
{
    live += is_counting && memory != NULL;
    return memory;
}

void *malloc(size_t size)
{
    return fails_now() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (fails_now())
        return NULL;
    return memory == NULL ? counted(__libc_realloc(NULL, size)) : __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : realloc(memory, bytes);
}

void free(void *memory)
{
    live -= is_counting && memory != NULL;
    __libc_free(memory);
}

/* From here on, allocation `nth` (0: the first) fails. */
static inline void failing_begin(size_t nth)
{
    calls_left = nth;
    has_failed = false;
    live = 0;
    is_counting = true;
}

#endif

#endif
