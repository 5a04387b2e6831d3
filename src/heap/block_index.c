#include "heap/block_index.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <stdlib.h>

static uint64_t block_end(const struct hf_heap_block *block)
{
    return block->address + block->bytes;
}

static size_t steps_of(const struct hf_block_range *range)
{
    return (size_t)((range->end - range->start) / HF_BLOCK_INDEX_STEP) + 1;
}

static void mark_windows(struct hf_block_index *index, const struct hf_block_range *range)
{
    uint64_t count = ((range->end - 1) >> 32) - (range->start >> 32) + 1;
    for (uint64_t i = 0; i < count && i < HF_BLOCK_INDEX_WINDOWS; i++) {
        size_t window = hf_block_index_window(range->start + (i << 32));
        index->windows[window / 64] |= UINT64_C(1) << window % 64;
    }
}

static enum hf_status add_ranges(
    struct hf_block_index *index, size_t *out_steps, struct hf_error *err)
{
    struct hf_block_range *last = NULL;
    *out_steps = 0;
    for (size_t i = 0; i < index->heap->count; i++) {
        const struct hf_heap_block *block = &index->heap->blocks[i];
        if (last == NULL || block->address - last->end >= HF_BLOCK_INDEX_HOLE) {
            *out_steps += last != NULL ? steps_of(last) : 0;
            if (!hf_vec_reserve(
                    &index->ranges, &index->capacity, index->count + 1, sizeof *index->ranges))
                return hf_error_memory(err);
            last = &index->ranges[index->count++];
            *last = (struct hf_block_range){.start = block->address, .at = *out_steps};
        }
        last->end = block_end(block);
    }
    *out_steps += last != NULL ? steps_of(last) : 0;
    return HF_OK;
}

static void fill_range(struct hf_block_index *index, const struct hf_block_range *range, size_t *at)
{
    const struct hf_heap *heap = index->heap;
    for (size_t step = 0; step < steps_of(range); step++) {
        uint64_t address = range->start + step * HF_BLOCK_INDEX_STEP;
        while (*at < heap->count && block_end(&heap->blocks[*at]) <= address &&
               heap->blocks[*at].address < range->end)
            (*at)++;
        index->table[range->at + step] = (uint32_t)*at;
    }
    while (*at < heap->count && heap->blocks[*at].address < range->end)
        (*at)++;
}

enum hf_status hf_block_index_init(
    struct hf_block_index *index, const struct hf_heap *heap, struct hf_error *err)
{
    size_t steps, at = 0;
    *index = (struct hf_block_index){.heap = heap};
    if (heap->count >= HF_BLOCK_NONE)
        return hf_error_set(err, HF_ERR_LIMIT, "the heaps have 2^32 blocks or more");
    enum hf_status status = add_ranges(index, &steps, err);
    if (status != HF_OK)
        return status;
    index->table = malloc((steps + 1) * sizeof *index->table);
    if (index->table == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < index->count; i++) {
        fill_range(index, &index->ranges[i], &at);
        mark_windows(index, &index->ranges[i]);
    }
    return HF_OK;
}

void hf_block_index_done(struct hf_block_index *index)
{
    free(index->ranges);
    free(index->table);
    *index = (struct hf_block_index){0};
}

/* The entry of the table for an address; NULL: no block has the address. */
static const uint32_t *find_step(const struct hf_block_index *index, uint64_t address)
{
    size_t r = HF_FIRST_ABOVE(index->ranges, index->count, end, address);
    const struct hf_block_range *range = &index->ranges[r];
    if (r == index->count || address < range->start)
        return NULL;
    return &index->table[range->at + (address - range->start) / HF_BLOCK_INDEX_STEP];
}

uint32_t hf_block_index_find(const struct hf_block_index *index, uint64_t address)
{
    const struct hf_heap *heap = index->heap;
    const uint32_t *step =
        hf_block_index_may_have(index, address) ? find_step(index, address) : NULL;
    if (step == NULL)
        return HF_BLOCK_NONE;
    size_t i = *step;
    while (i < heap->count && block_end(&heap->blocks[i]) <= address)
        i++;
    bool is_in = i < heap->count && heap->blocks[i].address <= address;
    return is_in ? (uint32_t)i : HF_BLOCK_NONE;
}

void hf_block_index_fetch_step(const struct hf_block_index *index, uint64_t address)
{
    const uint32_t *step = find_step(index, address);
    if (step != NULL)
        __builtin_prefetch(step);
}

void hf_block_index_fetch_block(const struct hf_block_index *index, uint64_t address)
{
    const uint32_t *step = find_step(index, address);
    if (step != NULL && *step < index->heap->count)
        __builtin_prefetch(&index->heap->blocks[*step]);
}
