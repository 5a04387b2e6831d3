#include "heap/heap.h"

#include "base/containers/vec.h"

#include <stdlib.h>

enum hf_status hf_heap_add(
    struct hf_heap *heap, uint64_t address, uint64_t bytes, struct hf_error *err)
{
    if (!hf_vec_reserve(&heap->blocks, &heap->capacity, heap->count + 1, sizeof *heap->blocks))
        return hf_error_memory(err);
    heap->blocks[heap->count++] = (struct hf_heap_block){address, bytes};
    return HF_OK;
}

struct hf_heap_region *hf_heap_add_region(struct hf_heap *heap)
{
    if (!hf_vec_reserve(
            &heap->regions, &heap->region_capacity, heap->region_count + 1, sizeof *heap->regions))
        return NULL;
    heap->regions[heap->region_count] = (struct hf_heap_region){0};
    return &heap->regions[heap->region_count++];
}

static int by_address(const void *a, const void *b)
{
    const struct hf_heap_block *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Walkers go upwards, so that most of it is in order. */
void hf_heap_sort(struct hf_heap *heap)
{
    for (size_t i = 1; i < heap->count; i++) {
        if (heap->blocks[i - 1].address > heap->blocks[i].address) {
            qsort(heap->blocks, heap->count, sizeof *heap->blocks, by_address);
            return;
        }
    }
}

const struct hf_heap_block *hf_heap_find(const struct hf_heap *heap, uint64_t address)
{
    size_t low = 0, high = heap->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct hf_heap_block *block = &heap->blocks[middle];
        if (address < block->address)
            high = middle;
        else if (address - block->address >= block->bytes)
            low = middle + 1;
        else
            return block;
    }
    return NULL;
}

void hf_heap_done(struct hf_heap *heap)
{
    free(heap->blocks);
    free(heap->regions);
    *heap = (struct hf_heap){0};
}
