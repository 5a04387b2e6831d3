/*
 * pymalloc.h: the small objects of CPython, which has an allocator of its own for blocks of up to
 * 512 bytes, read from the memory of a process: also of a stripped one, linked into the program or
 * not.
 *
 *     arena   1 MiB from mmap(2), of pools of 16 KiB at multiples of that; before CPython 3.10, 256
 *             KiB of pools of 4 KiB
 *     pool    a head of 48 bytes, then equal blocks; those behind `next` were never handed out
 *     free    a pool's list: each block there has the address of the next
 *
 *     head    { blocks in use (32 bits), list, 2 pools, arena's number, size / 16 - 1, next, last }
 *     table   an entry of 48 bytes for each arena: { start, or 0: there is none; its first pool
 *             that was never used, free pools, all pools, list of free pools, 2 entries }
 *
 * The table is a block of malloc's, so of a heap that was read before; a word in the data of a
 * module leads to it. It is held against the arenas: each of their pools has the number of its
 * entry. If this is true of no block, the process has no pymalloc that is known.
 *
 * Source: Objects/obmalloc.c of CPython 3.7 to 3.13, x86-64, held against Debian's 3.11.2; 3.7.16,
 * 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1 and 3.13.0 were run once, and tell the same bytes of
 * themselves.
 *
 * Regions: "arena". A pool whose list does not have as many blocks as its head says are free is
 * unknown: one was written to after it was freed.
 *
 * Limits: of CPython 3.6 and before, whose blocks are multiples of 8, and of a build without a lock
 * (3.13t, which has mimalloc within), nothing is found. With PYTHONMALLOC=debug, a block begins 16
 * bytes before its object.
 */
#ifndef HF_HEAP_PYMALLOC_H
#define HF_HEAP_PYMALLOC_H

#include "heap/heap.h"
#include "memory/process_image.h"

/* Adds all blocks and regions that it finds but those over regions of the (sorted) heap, which has
 * those of malloc, and sorts it; none: the process has no pymalloc that is known. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_heap_read_pymalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);

#endif
