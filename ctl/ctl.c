/*
 * ctl.c: libheapflame-ctl: the control functions, for programs to be linked with.
 *
 * A program that calls mallctl needs a library that holds it. This one does, and has no allocator
 * in it: linked with -lheapflame-ctl instead of -ljemalloc, the program starts anywhere. The agent,
 * when it is preloaded, stands before this library and answers in its place. Without it, a call is
 * passed on to who holds the function behind this library, as a jemalloc does, or else is
 * answered with ENOENT.
 *
 * The functions of heapflame/heapflame.h are here for programs whose weak references nobody fills.
 */
#include <dlfcn.h>
#include <heapflame/heapflame.h>
#include <heapflame/mallctl.h>

int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
    int (*next)(const char *, void *, size_t *, void *, size_t) = dlsym(RTLD_NEXT, "mallctl");
    return next != NULL ? next(name, oldp, oldlenp, newp, newlen) : ENOENT;
}

int mallctlnametomib(const char *name, size_t *mibp, size_t *miblenp)
{
    int (*next)(const char *, size_t *, size_t *) = dlsym(RTLD_NEXT, "mallctlnametomib");
    return next != NULL ? next(name, mibp, miblenp) : ENOENT;
}

int mallctlbymib(
    const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
{
    int (*next)(const size_t *, size_t, void *, size_t *, void *, size_t) =
        dlsym(RTLD_NEXT, "mallctlbymib");
    return next != NULL ? next(mib, miblen, oldp, oldlenp, newp, newlen) : ENOENT;
}

bool heapflame_agent_is_active(void)
{
    return false;
}

int heapflame_agent_set_active(bool is_active)
{
    (void)is_active;
    return ENOENT;
}

int heapflame_agent_set_thread_active(bool is_active)
{
    (void)is_active;
    return ENOENT;
}

int heapflame_agent_dump(const char *path)
{
    (void)path;
    return ENOENT;
}

int heapflame_agent_reset(void)
{
    return ENOENT;
}

void heapflame_agent_pool_add(void *piece)
{
    (void)piece;
}

void heapflame_agent_pool_alloc(void *block, size_t size_bytes)
{
    (void)block;
    (void)size_bytes;
}

void heapflame_agent_pool_free(void *block)
{
    (void)block;
}

void heapflame_agent_pool_reset(void *start, size_t size_bytes)
{
    (void)start;
    (void)size_bytes;
}
