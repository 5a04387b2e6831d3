/*
 * heapflame/mallctl.h: jemalloc's control functions, for a program that has no jemalloc to include.
 *
 * Link -lheapflame-ctl (pkg-config heapflame-ctl). Under heapflame's agent, the names of jemalloc's
 * heap profiler work, on any allocator: docs/mallctl.md lists them. Without the agent, and without
 * a jemalloc, each call returns ENOENT. The declarations are those of <jemalloc/jemalloc.h>, which
 * may be included instead.
 */
#ifndef HEAPFLAME_MALLCTL_H
#define HEAPFLAME_MALLCTL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads the value called `name` to *oldp, whose size is *oldlenp, if oldp is not NULL; then sets it
 * from *newp, whose size is newlen, if newp is not NULL. Returns 0, or EINVAL (a wrong size, or a
 * value that cannot be), EPERM (it cannot be read, or not be set), ENOENT (nobody knows the name),
 * EFAULT (it did not work, as a dump without a writable file).
 */
int mallctl(const char *name, void *oldp, size_t *oldlenp, void *newp, size_t newlen)
    __attribute__((nothrow));

/* The name as numbers, of which *miblenp fit into `mibp`, one for each of its parts. */
int mallctlnametomib(const char *name, size_t *mibp, size_t *miblenp) __attribute__((nothrow));

/* mallctl by these numbers. */
int mallctlbymib(const size_t *mib, size_t miblen, void *oldp, size_t *oldlenp, void *newp,
    size_t newlen) __attribute__((nothrow));

#ifdef __cplusplus
}
#endif

#endif
