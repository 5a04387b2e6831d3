#include "heap/graph/census.h"

#include "base/containers/map.h"
#include "base/containers/vec.h"

#include <stdlib.h>

static enum hf_status census_row(struct hf_heap_census *census, struct hf_map *rows, uint64_t size,
    struct hf_heap_size **out_row, struct hf_error *err)
{
    bool is_new;
    uint32_t *number = hf_map_put(rows, size, (uint32_t)census->count, &is_new);
    if (number == NULL || (is_new && !hf_vec_reserve(&census->rows, &census->capacity,
                                         census->count + 1, sizeof *census->rows)))
        return hf_error_memory(err);
    if (is_new)
        census->rows[census->count++] = (struct hf_heap_size){.size = size};
    *out_row = &census->rows[*number];
    return HF_OK;
}

static int compare_sums(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int census_by_bytes(const void *a, const void *b)
{
    const struct hf_heap_size *left = a, *right = b;
    int order = compare_sums(left->all.bytes, right->all.bytes);
    return order != 0 ? order : compare_sums(left->size, right->size);
}

static int census_by_lost_bytes(const void *a, const void *b)
{
    const struct hf_heap_size *left = a, *right = b;
    int order = compare_sums(left->lost.bytes, right->lost.bytes);
    return order != 0 ? order : compare_sums(left->size, right->size);
}

enum hf_status hf_heap_census_make(struct hf_heap_census *census, const struct hf_heap *heap,
    const struct hf_block_graph *graph, struct hf_error *err)
{
    struct hf_map rows = {0};
    enum hf_status status = HF_OK;
    *census = (struct hf_heap_census){0};
    for (size_t i = 0; i < heap->count && status == HF_OK; i++) {
        struct hf_heap_size *row = NULL;
        uint64_t size = heap->blocks[i].bytes;
        status = census_row(census, &rows, size, &row, err);
        if (status != HF_OK)
            break;
        row->all.bytes += size;
        row->all.count++;
        if (graph->states[i] >= HF_BLOCK_HELD)
            continue;
        row->lost.bytes += size;
        row->lost.count++;
    }
    hf_map_done(&rows);
    if (status == HF_OK && census->count != 0)
        qsort(census->rows, census->count, sizeof *census->rows, census_by_bytes);
    return status;
}

void hf_heap_census_keep_lost(struct hf_heap_census *census)
{
    size_t kept = 0;
    for (size_t i = 0; i < census->count; i++) {
        if (census->rows[i].lost.count != 0)
            census->rows[kept++] = census->rows[i];
    }
    census->count = kept;
    if (kept != 0)
        qsort(census->rows, kept, sizeof *census->rows, census_by_lost_bytes);
}

void hf_heap_census_done(struct hf_heap_census *census)
{
    free(census->rows);
    *census = (struct hf_heap_census){0};
}
