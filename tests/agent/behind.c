/*
 * behind.c: another library that stands in for malloc, and passes each call on. It says how many
 * there were.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic unsigned long calls;

#define NEXT(name, result, parameters, arguments)                                                  \
    result name parameters                                                                         \
    {                                                                                              \
        static result(*next) parameters;                                                           \
        if (next == NULL)                                                                          \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        calls++;                                                                                   \
        return next arguments;                                                                     \
    }

NEXT(malloc, void *, (size_t size), (size))
NEXT(calloc, void *, (size_t count, size_t size), (count, size))
NEXT(realloc, void *, (void *block, size_t size), (block, size))
NEXT(aligned_alloc, void *, (size_t alignment, size_t size), (alignment, size))
NEXT(free, void, (void *block), (block))

__attribute__((destructor)) static void say(void)
{
    fprintf(stderr, "%lu calls\n", calls);
}
