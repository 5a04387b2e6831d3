/*
 * real.h: the allocator behind the hooks: the next definition of each function after ours.
 *
 * Each member is looked up (dlsym, RTLD_NEXT) when one of its group is first called; until then it
 * is a function that does this, so that a call needs no test. Looking up may itself allocate: what
 * a thread asks for meanwhile comes from the *bootstrap arena*, some KiB of bss that are only ever
 * handed out. The free filter says "maybe" for its pages for ever, so that the slow paths recognise
 * its blocks.
 */
#ifndef HF_AGENT_REAL_H
#define HF_AGENT_REAL_H

#include "base/attr.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rlimit;

struct hf_real {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*malloc_usable_size)(void *);
    int (*dlclose)(void *);
    void *(*mmap)(void *, size_t, int, int, int, long);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    int (*brk)(void *);
    void *(*sbrk)(intptr_t);
    int (*prctl)(int, ...);
    int (*execve)(const char *, char *const *, char *const *);
    int (*execvpe)(const char *, char *const *, char *const *);
    int (*fexecve)(int, char *const *, char *const *);
    int (*execveat)(int, const char *, char *const *, char *const *, int);
    int (*setrlimit)(int, const struct rlimit *);
    int (*prlimit)(int, int, const struct rlimit *, struct rlimit *);
};
extern HF_HIDDEN struct hf_real hf_real;

/* What is behind the option in a call of prctl. */
static inline void hf_prctl_values(va_list arguments, unsigned long out_values[4])
{
    for (unsigned i = 0; i < 4; i++)
        out_values[i] = va_arg(arguments, unsigned long);
}

/* The next definition of a function after the agent's own; NULL if there is none. */
typedef void hf_function(void);
hf_function *hf_real_next(const char *name);

extern HF_HIDDEN _Alignas(16) uint8_t hf_bootstrap[];
#define HF_BOOTSTRAP_BYTES (UINT64_C(64) << 10)

static inline bool hf_bootstrap_holds(const void *block)
{
    return (uintptr_t)block - (uintptr_t)hf_bootstrap < HF_BOOTSTRAP_BYTES;
}

/* Zeroed; NULL when the arena is used up. `alignment` is a power of two. */
void *hf_bootstrap_alloc(size_t size, size_t alignment);
size_t hf_bootstrap_size(const void *block);

#endif
