/*
 * touched_pages.h: pages that a process touched, and which of them are gone.
 *
 * The kernel tells of the first touch of a page (a fault), not of its end: madvise(2), munmap(2)
 * and the end of a thread's stack give pages back without a word. So they are looked up in the end,
 * in /proc/PID/pagemap: a page that is neither in memory nor swapped out is gone.
 */
#ifndef HF_ATTACH_TOUCHED_PAGES_H
#define HF_ATTACH_TOUCHED_PAGES_H

#include "base/containers/map.h"
#include "base/error.h"

#define HF_TOUCHED_PAGE_BYTES UINT64_C(4096)

/* All-zero: none. */
struct hf_touched_pages {
    struct hf_map pages; /* number of the page */
};

void hf_touched_pages_done(struct hf_touched_pages *touched);

/* Remembers the page at `address`; false without memory. */
HF_MUST_CHECK bool hf_touched_pages_add(struct hf_touched_pages *touched, uint64_t address);

/* Tells of each page that is gone; of none if the process is. */
void hf_touched_pages_gone(const struct hf_touched_pages *touched, uint32_t pid,
    void (*tell)(void *context, uint64_t address), void *context);

#endif
