/*
 * pages.h: the agent's own memory, straight from the system, never from the program's allocator.
 *
 * Zeroed; not touched, so not used, before it is written to. errno may change.
 */
#ifndef HF_AGENT_PAGES_H
#define HF_AGENT_PAGES_H

#include "base/attr.h"
#include "base/gate.h"

#include <stddef.h>
#include <sys/mman.h>

/* NULL if there is no memory. */
HF_MUST_CHECK static inline void *hf_pages_map(size_t bytes)
{
    long pages = HF_CALL(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages != -1 ? (void *)(uintptr_t)pages : NULL;
}

/* NULL is fine. */
static inline void hf_pages_unmap(void *pages, size_t bytes)
{
    if (pages != NULL)
        (void)HF_CALL(SYS_munmap, pages, bytes);
}

#endif
