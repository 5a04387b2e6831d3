/*
 * heapflame/heapflame.h: what a program may ask of the heap profiler, and tell it.
 *
 * Include this and call; there is nothing to link, and no profiler needs to be there:
 *
 *     heapflame_dump(NULL);                  a heap profile now, under the next automatic name
 *
 * When the program is started under heapflame's agent (`heapflame run`, or by the environment, as
 * `heapflame env` prints it), the agent answers. Otherwise a call is a test of a pointer that is
 * NULL: it returns "no" or ENOENT and does nothing. The pointers are weak references, which the
 * loader fills in programs and libraries that are position-independent, as compilers build them
 * today; a program linked with -no-pie links -lheapflame-ctl as well.
 *
 * Five functions control the profiler. They may be called from any thread, at any time; not from a
 * signal handler. Those that can fail return 0 or an errno value.
 *
 * Four more are for a program with an allocator of its own, which takes big pieces from malloc (or
 * mmap) and hands out small ones. The profiler sees the big pieces alone, and blames who happened
 * to ask when one was needed. Told of the small ones, it forgets the big ones and shows who uses
 * the memory:
 *
 *     char *piece = malloc(65536);
 *     heapflame_pool_add(piece);             a big piece: what is in it is counted, it is not
 *     void *item = piece + used;
 *     heapflame_pool_alloc(item, 48);        a small one was handed out
 *     heapflame_pool_free(item);             it was given back
 *     heapflame_pool_reset(piece, 65536);    all that lies in these bytes was given back at once
 *     free(piece);
 *
 * Small pieces are sampled as malloc's are, each byte with the same chance. The whole program is
 * examples/pool/pool.c.
 */
#ifndef HEAPFLAME_HEAPFLAME_H
#define HEAPFLAME_HEAPFLAME_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The agent's side of what is below. Call what is below. */
#define HEAPFLAME_WEAK __attribute__((weak, visibility("default")))
HEAPFLAME_WEAK bool heapflame_agent_is_active(void);
HEAPFLAME_WEAK int heapflame_agent_set_active(bool is_active);
HEAPFLAME_WEAK int heapflame_agent_set_thread_active(bool is_active);
HEAPFLAME_WEAK int heapflame_agent_dump(const char *path);
HEAPFLAME_WEAK int heapflame_agent_reset(void);
HEAPFLAME_WEAK void heapflame_agent_pool_add(void *piece);
HEAPFLAME_WEAK void heapflame_agent_pool_alloc(void *block, size_t size_bytes);
HEAPFLAME_WEAK void heapflame_agent_pool_free(void *block);
HEAPFLAME_WEAK void heapflame_agent_pool_reset(void *start, size_t size_bytes);
#undef HEAPFLAME_WEAK

/* True if allocations are recorded now; false, too, where there is no agent. */
static inline bool heapflame_is_active(void)
{
    return heapflame_agent_is_active != NULL && heapflame_agent_is_active();
}

/* Switches recording on or off, for all threads. What is recorded stays, and is seen to be freed.
 */
static inline int heapflame_set_active(bool is_active)
{
    return heapflame_agent_set_active != NULL ? heapflame_agent_set_active(is_active) : ENOENT;
}

/* The same for the calling thread alone. It records while both switches are on. */
static inline int heapflame_set_thread_active(bool is_active)
{
    return heapflame_agent_set_thread_active != NULL ? heapflame_agent_set_thread_active(is_active)
                                                     : ENOENT;
}

/*
 * Writes what is in use now to the file at `path` (jemalloc's format heap_v2), which is replaced if
 * it is there. NULL: to PREFIX.PID.N.mM.heap, with `prof_prefix` of the configuration. EFAULT: the
 * file could not be written.
 */
static inline int heapflame_dump(const char *path)
{
    return heapflame_agent_dump != NULL ? heapflame_agent_dump(path) : ENOENT;
}

/* Dumps from here on leave out what was allocated before. */
static inline int heapflame_reset(void)
{
    return heapflame_agent_reset != NULL ? heapflame_agent_reset() : ENOENT;
}

/* The block that malloc returned as `piece` becomes room of a pool: it is not counted any more. */
static inline void heapflame_pool_add(void *piece)
{
    if (heapflame_agent_pool_add != NULL)
        heapflame_agent_pool_add(piece);
}

/* The caller's stack got `size_bytes` at `block`, which no other block has in use. */
static inline void heapflame_pool_alloc(void *block, size_t size_bytes)
{
    if (heapflame_agent_pool_alloc != NULL)
        heapflame_agent_pool_alloc(block, size_bytes);
}

/* Call it before the memory can be handed out again. */
static inline void heapflame_pool_free(void *block)
{
    if (heapflame_agent_pool_free != NULL)
        heapflame_agent_pool_free(block);
}

/* Frees every block that starts in these bytes. It looks through all recorded blocks if one may be
 * there. */
static inline void heapflame_pool_reset(void *start, size_t size_bytes)
{
    if (heapflame_agent_pool_reset != NULL)
        heapflame_agent_pool_reset(start, size_bytes);
}

#ifdef __cplusplus
}
#endif

#endif
