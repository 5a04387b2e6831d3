/*
 * pages.h: the agent's own memory, straight from the system, never from the program's allocator.
 *
 * Zeroed; not touched, so not used, before it is written to. errno may change.
 */
#ifndef HF_AGENT_PAGES_H
#define HF_AGENT_PAGES_H

#include "base/attr.h"
#include "base/gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/* Told of each change, if it is not NULL: which memory is the agent's own (start.c). */
typedef void hf_pages_told(void *pages, size_t bytes, bool is_mapped);
extern HF_HIDDEN hf_pages_told *hf_pages_tell;

/* NULL if there is no memory. */
HF_MUST_CHECK static inline void *hf_pages_map(size_t bytes)
{
    long pages = HF_CALL(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == -1)
        return NULL;
    if (hf_pages_tell != NULL)
        hf_pages_tell((void *)(uintptr_t)pages, bytes, true);
    return (void *)(uintptr_t)pages;
}

/* NULL is fine. */
static inline void hf_pages_unmap(void *pages, size_t bytes)
{
    if (pages != NULL && hf_pages_tell != NULL)
        hf_pages_tell(pages, bytes, false);
    if (pages != NULL)
        (void)HF_CALL(SYS_munmap, pages, bytes);
}

#endif
