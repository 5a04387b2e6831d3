#include "heap/allocators/jemalloc.h"

#include "heap/allocators/jemalloc_caches.h"
#include "heap/allocators/jemalloc_tree.h"

static const char name[] = "jemalloc";
static const char small_blocks[] = "small blocks";
static const char large_blocks[] = "large blocks";
static const char thread_caches[] = "thread caches";
static const char pages_for_reuse[] = "pages for reuse";
static const char reserved[] = "reserved addresses";
static const char tables[] = HF_HEAP_TABLES;

struct jemalloc {
    struct hf_heap *heap;
    const struct hf_jemalloc_tree *tree;
    const struct hf_jemalloc_caches *caches;
    size_t others; /* regions that were there before: sorted */
};

static const char *part_of(const struct jemalloc *j, const struct hf_jemalloc_extent *extent)
{
    switch (extent->state) {
    case HF_JEMALLOC_DIRTY:
    case HF_JEMALLOC_MUZZY: return pages_for_reuse;
    case HF_JEMALLOC_RETAINED: return reserved;
    default: break;
    }
    if (extent->is_slab)
        return small_blocks;
    return hf_jemalloc_caches_begin_in(j->caches, extent->start, extent->end) ? thread_caches
                                                                              : large_blocks;
}

/* NULL: no memory. */
static struct hf_heap_region *region_for(
    struct jemalloc *j, uint64_t start, uint64_t end, const char *part)
{
    return hf_heap_extend_region(j->heap, j->others,
        &(struct hf_heap_region){.start = start, .end = end, .allocator = name, .part = part});
}

static bool is_cached(const struct jemalloc *j, uint64_t address, unsigned size_class)
{
    const uint32_t *bin = hf_map_find(&j->caches->blocks, address);
    return bin != NULL && *bin == size_class;
}

/* A block that is in use, or cached, with the bytes of the extent that are its. */
static bool add_block(struct jemalloc *j, struct hf_heap_region *region, uint64_t address,
    unsigned size_class, uint64_t of_extent)
{
    uint64_t bytes = hf_jemalloc_class_bytes(size_class);
    if (is_cached(j, address, size_class)) {
        region->free_bytes += of_extent;
        region->free_count++;
        region->cached_bytes += bytes;
        region->cached_count++;
        return true;
    }
    region->in_use_bytes += of_extent;
    region->in_use_count++;
    return hf_heap_add(j->heap, address, bytes, NULL) == HF_OK;
}

static bool add_slab(
    struct jemalloc *j, struct hf_heap_region *region, const struct hf_jemalloc_extent *extent)
{
    uint64_t size = extent->end - extent->start;
    uint64_t bytes = hf_jemalloc_class_bytes(extent->size_class), count = size / bytes;
    if (extent->size_class >= HF_JEMALLOC_SMALL_CLASSES || count > HF_JEMALLOC_REGIONS_MAX) {
        region->unknown_bytes += size;
        return true;
    }
    for (uint64_t i = 0; i < count; i++) {
        if ((extent->free_regions[i / 64] >> i % 64 & 1) != 0) {
            region->free_bytes += bytes;
            region->free_count++;
        } else if (!add_block(j, region, extent->start + i * bytes, extent->size_class, bytes)) {
            return false;
        }
    }
    region->free_bytes += size - count * bytes; /* room for none */
    return true;
}

static bool add_large(
    struct jemalloc *j, struct hf_heap_region *region, const struct hf_jemalloc_extent *extent)
{
    uint64_t size = extent->end - extent->start;
    if (hf_jemalloc_class_bytes(extent->size_class) > extent->end - extent->address) {
        region->unknown_bytes += size;
        return true;
    }
    if (region->part == thread_caches) {
        region->in_use_bytes += size;
        return true;
    }
    return add_block(j, region, extent->address, extent->size_class, size);
}

/* False: no memory. */
static bool read_extent(struct jemalloc *j, const struct hf_jemalloc_extent *extent)
{
    if (hf_heap_overlaps(j->heap, j->others, extent->start, extent->end))
        return true;
    struct hf_heap_region *region = region_for(j, extent->start, extent->end, part_of(j, extent));
    if (region == NULL)
        return false;
    switch (extent->state) {
    case HF_JEMALLOC_IN_USE:
        return extent->is_slab ? add_slab(j, region, extent) : add_large(j, region, extent);
    case HF_JEMALLOC_CHANGING: region->unknown_bytes += extent->end - extent->start; return true;
    default:
        region->free_bytes += extent->end - extent->start;
        region->free_count++;
        return true;
    }
}

static bool read_base(struct jemalloc *j, const struct hf_jemalloc_base *base)
{
    if (hf_heap_overlaps(j->heap, j->others, base->start, base->end))
        return true;
    struct hf_heap_region *region = region_for(j, base->start, base->end, tables);
    if (region != NULL)
        region->in_use_bytes += base->end - base->start;
    return region != NULL;
}

static bool jemalloc_add_tree(struct jemalloc *j)
{
    bool has_memory = true;
    for (size_t i = 0; i < j->tree->count && has_memory; i++)
        has_memory = read_extent(j, &j->tree->extents[i]);
    for (size_t i = 0; i < j->tree->base_count && has_memory; i++)
        has_memory = read_base(j, &j->tree->bases[i]);
    return has_memory;
}

enum hf_status hf_heap_read_jemalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    struct hf_jemalloc_roots roots;
    struct hf_jemalloc_caches caches = {0};
    enum hf_status status = hf_jemalloc_find_roots(image, &roots, err);
    if (status == HF_OK && roots.count != 0)
        status = hf_jemalloc_caches_read(&caches, image, err);
    for (size_t i = 0; i < roots.count && status == HF_OK; i++) {
        struct hf_jemalloc_tree tree;
        struct jemalloc j = {heap, &tree, &caches, heap->region_count};
        status = hf_jemalloc_tree_read(&tree, image, roots.addresses[i], err);
        if (status == HF_OK && !jemalloc_add_tree(&j))
            status = hf_error_memory(err);
        hf_jemalloc_tree_done(&tree);
        hf_heap_sort(heap);
    }
    hf_jemalloc_caches_done(&caches);
    return status;
}
