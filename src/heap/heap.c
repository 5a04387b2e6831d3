#include "heap/heap.h"

#include "base/containers/sorted.h"
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

struct hf_heap_region *hf_heap_extend_region(
    struct hf_heap *heap, size_t others, const struct hf_heap_region *part)
{
    if (heap->region_count > others) {
        struct hf_heap_region *last = &heap->regions[heap->region_count - 1];
        if (last->end == part->start && last->part == part->part) {
            last->end = part->end;
            return last;
        }
    }
    struct hf_heap_region *region = hf_heap_add_region(heap);
    if (region != NULL)
        *region = *part;
    return region;
}

static int by_address(const void *a, const void *b)
{
    const struct hf_heap_block *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static int heap_by_start(const void *a, const void *b)
{
    const struct hf_heap_region *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* Readers go upwards, so most of it is in order. */
void hf_heap_sort(struct hf_heap *heap)
{
    bool is_sorted = true;
    for (size_t i = 1; i < heap->count && is_sorted; i++)
        is_sorted = heap->blocks[i - 1].address <= heap->blocks[i].address;
    if (!is_sorted)
        qsort(heap->blocks, heap->count, sizeof *heap->blocks, by_address);
    if (heap->region_count != 0)
        qsort(heap->regions, heap->region_count, sizeof *heap->regions, heap_by_start);
}

bool hf_heap_overlaps(const struct hf_heap *heap, size_t region_count, uint64_t start, uint64_t end)
{
    size_t i = HF_FIRST_ABOVE(heap->regions, region_count, end, start);
    return i < region_count && heap->regions[i].start < end;
}

const struct hf_heap_block *hf_heap_find(const struct hf_heap *heap, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(heap->blocks, heap->count, address, address);
    const struct hf_heap_block *block = i != 0 ? &heap->blocks[i - 1] : NULL;
    return block != NULL && address - block->address < block->bytes ? block : NULL;
}

struct hf_heap_region *hf_heap_region_at(const struct hf_heap *heap, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(heap->regions, heap->region_count, end, address);
    bool is_in = i < heap->region_count && heap->regions[i].start <= address;
    return is_in ? &heap->regions[i] : NULL;
}

void hf_heap_done(struct hf_heap *heap)
{
    free(heap->blocks);
    free(heap->regions);
    *heap = (struct hf_heap){0};
}
