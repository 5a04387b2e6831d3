/*
 * heaps.h: what must be true of the blocks of any process, whatever is in its memory: they lie in
 * mappings and not over one another, regions add up, each block is held by one kind of root, or
 * lost, and a class has no more than all of them.
 */
#ifndef HF_FUZZ_HEAPS_H
#define HF_FUZZ_HEAPS_H

#include "heap/graph/census.h"
#include "heap/graph/class_census.h"
#include "heap/graph/holders.h"
#include "tell.h"

#include <stdlib.h>

static inline void fuzz_check_blocks(
    const struct hf_heap *heap, const struct hf_process_image *image)
{
    for (size_t i = 0; i < heap->count; i++) {
        const struct hf_heap_block *block = &heap->blocks[i];
        if (block->bytes == 0 || hf_process_image_find(image, block->address) == NULL ||
            hf_process_image_find(image, block->address + block->bytes - 1) == NULL)
            abort();
        if (i != 0 && heap->blocks[i - 1].address + heap->blocks[i - 1].bytes > block->address)
            abort();
        fuzz_tell("block %#llx: %llu\n", (unsigned long long)block->address,
            (unsigned long long)block->bytes);
    }
    for (size_t i = 0; i < heap->region_count; i++) {
        const struct hf_heap_region *r = &heap->regions[i];
        if (r->in_use_bytes + r->free_bytes + r->unknown_bytes > r->end - r->start ||
            r->cached_bytes > r->free_bytes)
            abort();
        if (i != 0 && heap->regions[i - 1].end > r->start)
            abort();
        fuzz_tell("%s, %s: %llu in %llu in use, %llu in %llu free, %llu not known\n", r->allocator,
            r->part, (unsigned long long)r->in_use_bytes, (unsigned long long)r->in_use_count,
            (unsigned long long)r->free_bytes, (unsigned long long)r->free_count,
            (unsigned long long)r->unknown_bytes);
    }
}

static inline void fuzz_check_classes(const struct hf_class_census_of *of)
{
    struct hf_error err;
    struct hf_class_census census;
    const struct hf_block_graph *graph = of->graph;
    uint64_t left = of->heap->count, lost = graph->lost.count + graph->lost_with.count;
    if (hf_class_census_make(&census, of, &err) == HF_OK) {
        for (size_t i = 0; i < census.count; i++) {
            const struct hf_class_row *row = &census.rows[i];
            if (row->all.count == 0 || row->all.count > left || row->lost.count > lost ||
                row->retained_bytes > graph->held.bytes)
                abort();
            left -= row->all.count;
            lost -= row->lost.count;
            struct hf_text name = hf_object_class_name(&census.classes, row->class);
            fuzz_tell("class %.*s: %llu\n", (int)name.size, name.data,
                (unsigned long long)row->all.count);
        }
    }
    hf_class_census_done(&census);
}

/* What holders have is what is held. */
static inline void fuzz_check_holders(const struct hf_heap *heap,
    const struct hf_process_image *image, const struct hf_block_graph *graph)
{
    struct hf_error err;
    struct hf_dominators tree = {0};
    struct hf_holders holders = {0};
    const struct hf_class_census_of of = {heap, image, graph, &tree};
    uint64_t held = graph->held.bytes;
    if (hf_dominators_make(&tree, heap, graph, &err) == HF_OK &&
        hf_holders_make(&holders, heap, graph, &tree, &err) == HF_OK) {
        for (size_t i = 0; i < holders.count; i++)
            held -= holders.rows[i].bytes;
        if (held != 0)
            abort();
        fuzz_check_classes(&of);
    }
    hf_holders_done(&holders);
    hf_dominators_done(&tree);
}

static inline void fuzz_check_graph(
    const struct hf_heap *heap, const struct hf_process_image *image)
{
    struct hf_error err;
    struct hf_block_graph graph;
    struct hf_heap_census census = {0};
    enum hf_status status = hf_block_graph_make(&graph, heap, image, &err);
    uint64_t count = graph.held.count + graph.lost.count + graph.lost_with.count, in_rows = 0;
    if (status == HF_OK)
        status = hf_heap_census_make(&census, heap, &graph, &err);
    for (size_t i = 0; i < census.count; i++)
        in_rows += census.rows[i].all.count;
    if (status == HF_OK && (count != heap->count || in_rows != heap->count))
        abort();
    if (status == HF_OK)
        fuzz_check_holders(heap, image, &graph);
    hf_heap_census_keep_lost(&census);
    fuzz_tell("lost %llu, with them %llu, in %zu sizes\n", (unsigned long long)graph.lost.count,
        (unsigned long long)graph.lost_with.count, census.count);
    hf_heap_census_done(&census);
    hf_block_graph_done(&graph);
}

#endif
