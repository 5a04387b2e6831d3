/*
 * hooks_map.c: mmap, munmap, mremap, brk and sbrk, as the program sees them.
 *
 * Calls that libc makes for itself do not come here: the memory of its malloc, stacks of threads,
 * libraries. Nor do those that a program makes with instructions of its own, or by syscall(2).
 *
 * Memory of no file is recorded. What takes the place of something else ends that, also a file. An
 * address range is taken out of the records before it is unmapped, for it may be another thread's
 * the moment it is, and put back if that fails.
 */
#include "event.h"
#include "real.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

/* <sys/mman.h> may have mmap be mmap64; libc has both, and they are the same. */
#define MAP_HOOK(name, symbol)                                                                     \
    HF_HOOK void *name(                                                                            \
        void *at, size_t bytes, int protection, int flags, int file, long offset) __asm__(symbol); \
    void *name(void *at, size_t bytes, int protection, int flags, int file, long offset)           \
    {                                                                                              \
        void *start = hf_real.mmap(at, bytes, protection, flags, file, offset);                    \
        if (start != MAP_FAILED && (flags & (MAP_ANONYMOUS | MAP_FIXED)) != 0)                     \
            hf_event_map(start, bytes, (flags & MAP_ANONYMOUS) != 0, HF_HOOK_CALLER());            \
        return start;                                                                              \
    }
MAP_HOOK(hook_mmap, "mmap")
MAP_HOOK(hook_mmap64, "mmap64")

HF_HOOK int munmap(void *start, size_t bytes);
int munmap(void *start, size_t bytes)
{
    struct hf_mappings_taken taken;
    hf_event_unmap(start, bytes, &taken, HF_HOOK_CALLER());
    int failed = hf_real.munmap(start, bytes);
    if (failed != 0)
        hf_event_put_back(&taken, HF_HOOK_CALLER());
    return failed;
}

/* The hook, whatever the name leads to. */
static int hook_munmap(void *start, size_t bytes) __attribute__((alias("munmap"), nothrow));

bool hf_hooks_map_are(int (*unmap)(void *, size_t))
{
    return unmap == hook_munmap;
}

/* What is moved is mapped anew, as a block by realloc, if it was recorded before. */
HF_HOOK void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...);
void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *to = va_arg(arguments, void *);
    va_end(arguments);
    struct hf_mappings_taken taken;
    hf_event_unmap(old, old_bytes, &taken, HF_HOOK_CALLER());
    void *start = hf_real.mremap(old, old_bytes, bytes, flags, to);
    bool is_moved = start != MAP_FAILED && (flags & MREMAP_DONTUNMAP) == 0;
    if (!is_moved)
        hf_event_put_back(&taken, HF_HOOK_CALLER());
    if (start != MAP_FAILED)
        hf_event_map(start, bytes, taken.count != 0, HF_HOOK_CALLER());
    return start;
}

/* The end of the heap that brk moves was `old`, and is `new`. */
static void move_end(char *old, char *new, const struct hf_caller *caller)
{
    if (new > old)
        hf_event_map(old, (size_t)(new - old), true, caller);
    else if (new < old)
        hf_event_map(new, (size_t)(old - new), false, caller);
}

HF_HOOK int brk(void *end);
int brk(void *end)
{
    char *old = hf_real.sbrk(0);
    int failed = hf_real.brk(end);
    if (failed == 0)
        move_end(old, end, HF_HOOK_CALLER());
    return failed;
}

HF_HOOK void *sbrk(intptr_t increment);
void *sbrk(intptr_t increment)
{
    char *old = hf_real.sbrk(increment);
    if (increment != 0 && (intptr_t)old != -1)
        move_end(old, old + increment, HF_HOOK_CALLER());
    return old;
}
