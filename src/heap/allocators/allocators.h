/*
 * allocators.h: the blocks of all allocators of a process that can be read. A process may have
 * several: each walks what is its own, and what one has found no other takes.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_process_image image = {0};
 *     status = hf_heap_read(&heap, &image, err);
 *     hf_heap_done(&heap);
 */
#ifndef HF_HEAP_ALLOCATORS_H
#define HF_HEAP_ALLOCATORS_H

#include "heap/heap.h"
#include "memory/process_image.h"

/*
 * Blocks and regions, sorted: none, if the process has no allocator that can be read. A library of
 * another version is one of `unread`. HF_ERR_LIMIT, HF_ERR_MEMORY.
 */
HF_MUST_CHECK enum hf_status hf_heap_read(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);

#endif
