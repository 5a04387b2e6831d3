/*
 * jemalloc.h: the blocks of jemalloc, read from the memory of a process: also of a stripped one,
 * linked into the program or not, and of several in one process.
 *
 *     slab      an extent of equal regions, one bit each; what is in no bit's set is in use
 *     large     an extent of one block, which begins somewhere in its first page
 *     cached    of both: what a thread freed, and a bin of its cache has (jemalloc_caches.h): free
 *
 * How the extents are found, where the format is from and which versions it is of: jemalloc_tree.h.
 *
 * Regions, by what they are:
 *
 *     "small blocks", "large blocks"    stats.active; their blocks and what is cached, with the
 *                                       stacks of the caches, are stats.allocated
 *     "thread caches"                   large extents with the stacks of the caches' bins
 *     "pages for reuse"                 dirty and muzzy extents; free
 *     "reserved addresses"              retained extents; free, and mostly without memory
 *     "tables"                          jemalloc's own: they have no blocks, and are no roots
 *
 * An extent that a thread was changing when it was stopped is unknown.
 */
#ifndef HF_HEAP_JEMALLOC_H
#define HF_HEAP_JEMALLOC_H

#include "heap/heap.h"
#include "memory/process_image.h"

/* Adds all blocks and regions that it finds, but those that lie over regions of the (sorted) heap,
 * and sorts it. None: the process has no jemalloc that is known. */
HF_MUST_CHECK enum hf_status hf_heap_read_jemalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);

#endif
