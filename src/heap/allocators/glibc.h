/*
 * glibc.h: the blocks of glibc's malloc, read from the memory of a process.
 *
 *     main arena   in "[heap]", which brk(2) gave: chunks one behind the other up to the top chunk
 *     an arena     in heaps at multiples of 64 MiB, each with a heap_info at its start
 *     a large one  a mapping of its own: one chunk with IS_MMAPPED
 *
 *     chunk = { prev_size, size | NON_MAIN_ARENA 4 | IS_MMAPPED 2 | PREV_INUSE 1 }, then the block,
 *             which has the first word of the next chunk, too
 *
 * Free is what the next chunk says of it, and what the lists of the threads' caches and of the
 * arenas' fast bins have, whose chunks look as if they were in use. Lists are followed only as far
 * as each link is a chunk of their size, so that bytes which are no list cost nothing.
 *
 * Source: malloc/malloc.c and malloc/arena.c of glibc 2.26 to 2.41, x86-64. Later ones have other
 * caches of threads: what lies in these counts as in use.
 *
 * Limits: a main arena that goes on in mappings because brk(2) failed is not found; large ones of
 * less than 128 KiB (M_MMAP_THRESHOLD set lower) are not either. A mapping of more than 1 GiB that
 * does not begin with a block is somebody's reservation (a JVM's heap, the shadow of a sanitizer)
 * and has none; behind a block, the next one is looked for in 1 GiB.
 */
#ifndef HF_HEAP_GLIBC_H
#define HF_HEAP_GLIBC_H

#include "heap/heap.h"
#include "memory/process_image.h"

/* Adds all blocks and regions that it finds but those over regions of the (sorted) heap, and sorts
 * it; none: the process has no heap of glibc's. */
HF_MUST_CHECK enum hf_status hf_heap_read_glibc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);

#endif
