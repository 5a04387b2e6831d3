/*
 * tcmalloc.h: the blocks of gperftools' tcmalloc, read from the memory of a process: also of a
 * stripped one, linked into the program or not, and of several in one process.
 *
 * Where its tables are and which versions they are of: tcmalloc_tables.h. A span in use has one
 * large block, or small ones of which its own list, the threads' caches and chains of the central
 * lists (tcmalloc_caches.h) have those that are free.
 *
 * Regions, by what they are:
 *
 *     "small blocks", "large blocks"    spans in use; their blocks in use, whose bytes are those of
 *                                       their class or their pages, are what tcmalloc reports as
 *                                       generic.current_allocated_bytes
 *     "pages for reuse"                 free spans
 *     "reserved addresses"              free spans, returned to the kernel: mostly without memory
 *     "spans being changed"             unknown: a thread was at them, or they contradict
 *                                       themselves; what they have counts as in other mappings
 *     "tables"                          tcmalloc's own: they have no blocks, and are no roots
 */
#ifndef HF_HEAP_TCMALLOC_H
#define HF_HEAP_TCMALLOC_H

#include "heap/heap.h"
#include "memory/process_image.h"

/* Adds all blocks and regions that it finds, but those that lie over regions of the (sorted) heap,
 * and sorts it. None: the process has no tcmalloc that is known. HF_ERR_LIMIT, HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_heap_read_tcmalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);

#endif
