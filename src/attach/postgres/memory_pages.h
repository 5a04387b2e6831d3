/*
 * memory_pages.h: memory of a process by whole pages, each copied once and kept for a moment: what
 * lies together in a tree of contexts (a context, its block, its texts) is one read, not six.
 *
 * A kept page is of the time it was copied. Whoever finds things that do not fit together forgets
 * all pages and looks again.
 */
#ifndef HF_ATTACH_MEMORY_PAGES_H
#define HF_ATTACH_MEMORY_PAGES_H

#include "os/process/process_memory.h"

struct hf_memory_pages;

/* Of `memory`, which is borrowed. NULL: no memory for it. */
struct hf_memory_pages *hf_memory_pages_new(const struct hf_memory *memory);
void hf_memory_pages_free(struct hf_memory_pages *pages);   /* also of NULL */
void hf_memory_pages_forget(struct hf_memory_pages *pages); /* also of NULL */

/* Valid while the pages are. */
struct hf_memory hf_memory_of_pages(struct hf_memory_pages *pages);

#endif
