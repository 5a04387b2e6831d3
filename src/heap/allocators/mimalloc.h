/*
 * mimalloc.h: the blocks of mimalloc 2.0, read from the memory of a process: also of a stripped
 * one, linked into the program or not.
 *
 *     segment   at a multiple of 32 MiB, of slices of 64 KiB: 512 of them, or as many as one huge
 *               block needs; its head lies in the first slice, with a record for each
 *     span      slices that belong together, one behind the other up to the segment's end: the
 *               head's, a page of equal blocks, or, with a block size of 0, a free one
 *     page      blocks from its start on, or from 384 bytes behind that (up to 1,024 bytes each);
 *               those behind `capacity` were never handed out
 *     free      what the page's three lists have, and its heap's one of what other threads freed:
 *               each block there has the address of the next
 *
 *     head      at 208: { spans in use, cookie, slices, slices of the head, 1: huge, records }
 *     record    80 bytes, from 264 on: { slices, distance from the first, bits, capacity and
 *               number of blocks (16 bits each), list, blocks in use and their bytes (32 each),
 *               local list, list of other threads | 2 bits, heap }
 *     heap      from 1,056 on each 24 bytes a block size; at 2,840 its list
 *
 * Nothing says where the segments are. Each is held against itself: its spans have to end where it
 * does, and those in use have to be as many as it says; of a page, the number of its blocks has to
 * be the one that has room. If this is true of no segment, the process has no mimalloc 2.0.
 *
 * Source: include/mimalloc-types.h and src/segment.c of mimalloc 2.0.9, x86-64, held against
 * Debian's 2.0.9.
 *
 * Regions: "blocks" and "huge blocks", a segment each. A page that contradicts itself is unknown,
 * and so is what is behind a span that a thread was changing when it was stopped.
 *
 * Limits: of 1.x, 2.1 and later, and builds with encoded lists (MI_SECURE), nothing is found. A
 * block that was asked for at an alignment above 16 may begin before the address that the program
 * has; one at an alignment of more than 16 MiB is not found.
 */
#ifndef HF_HEAP_MIMALLOC_H
#define HF_HEAP_MIMALLOC_H

#include "heap/heap.h"
#include "memory/process_image.h"

/* Adds all blocks and regions that it finds but those over regions of the (sorted) heap, and sorts
 * it; none: the process has no mimalloc that is known. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_heap_read_mimalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);

#endif
