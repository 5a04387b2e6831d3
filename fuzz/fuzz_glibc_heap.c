/*
 * The heaps of glibc in a process's memory. Input: where the data of the one thread end (u64), the
 * number of mappings (u8); each as its first page (u64), its pages (u8) and its kind (u8: 0
 * "[heap]", 1 of no file, 2 a file's); then their bytes, one after another.
 *
 * Blocks lie in their mappings and not over one another, and regions add up. Each block is held by
 * one kind of root, or lost.
 */
#include "base/strings/out.h"
#include "fuzz.h"
#include "heap/census.h"
#include "heap/glibc.h"
#include "heap/holders.h"
#include "input.h"
#include "tell.h"

#define MAPPINGS 6
#define PAGES 40
#define PAGE 4096u

struct model {
    struct hf_text bytes;
    size_t offsets[MAPPINGS];
    struct hf_process_image *image;
};

static size_t model_read(void *context, uint64_t address, void *out, size_t size)
{
    struct model *model = context;
    const struct hf_process_mapping *mapping = hf_process_image_find(model->image, address);
    if (mapping == NULL)
        return 0;
    size_t at = model->offsets[mapping - model->image->mappings] + (address - mapping->start);
    size_t left = mapping->end - address < size ? mapping->end - address : size;
    size_t there = at >= model->bytes.size ? 0 : model->bytes.size - at;
    memset(out, 0, left); /* what the input is too short for */
    memcpy(out, model->bytes.data + (there != 0 ? at : 0), there < left ? there : left);
    return left;
}

static void check_blocks(const struct hf_heap *heap, const struct hf_process_image *image)
{
    for (size_t i = 0; i < heap->count; i++) {
        const struct hf_heap_block *block = &heap->blocks[i];
        if (block->bytes == 0 || hf_process_image_find(image, block->address) == NULL ||
            hf_process_image_find(image, block->address + block->bytes - 1) == NULL)
            abort();
        fuzz_tell("block %#llx: %llu\n", (unsigned long long)block->address,
            (unsigned long long)block->bytes);
    }
    for (size_t i = 0; i < heap->region_count; i++) {
        const struct hf_heap_region *r = &heap->regions[i];
        if (r->in_use_bytes + r->free_bytes + r->unknown_bytes > r->end - r->start)
            abort();
        fuzz_tell("%s, %s: %llu in %llu in use, %llu in %llu free, %llu not known\n", r->allocator,
            r->part, (unsigned long long)r->in_use_bytes, (unsigned long long)r->in_use_count,
            (unsigned long long)r->free_bytes, (unsigned long long)r->free_count,
            (unsigned long long)r->unknown_bytes);
    }
}

/* What holders have is what is held. */
static void check_holders(const struct hf_heap *heap, const struct hf_block_graph *graph)
{
    struct hf_error err;
    struct hf_dominators tree = {0};
    struct hf_holders holders = {0};
    uint64_t held = graph->held.bytes;
    if (hf_dominators_make(&tree, heap, graph, &err) == HF_OK &&
        hf_holders_make(&holders, heap, graph, &tree, &err) == HF_OK) {
        for (size_t i = 0; i < holders.count; i++)
            held -= holders.rows[i].bytes;
        if (held != 0)
            abort();
    }
    hf_holders_done(&holders);
    hf_dominators_done(&tree);
}

static void check_graph(const struct hf_heap *heap, const struct hf_process_image *image)
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
        check_holders(heap, &graph);
    hf_heap_census_keep_lost(&census);
    fuzz_tell("lost %llu, with them %llu, in %zu sizes\n", (unsigned long long)graph.lost.count,
        (unsigned long long)graph.lost_with.count, census.count);
    hf_heap_census_done(&census);
    hf_block_graph_done(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"[heap]", "", "/libc"};
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_error err;
    struct hf_process_image image = {0};
    struct hf_heap heap = {0};
    struct hf_out maps = {0};
    struct model model = {.image = &image};
    struct hf_stopped_thread thread = {.registers.fs_base = hf_cursor_u64(&c)};
    size_t count = hf_cursor_u8(&c) % (MAPPINGS + 1), offset = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = hf_cursor_u64(&c) % (UINT64_C(1) << 35) * PAGE;
        size_t pages = 1 + hf_cursor_u8(&c) % PAGES, kind = hf_cursor_u8(&c) % 3;
        size_t before = image.count;
        hf_out_printf(&maps, "%llx-%llx rw-p 0 0:0 %d %s\n", (unsigned long long)start,
            (unsigned long long)(start + pages * PAGE), kind == 2, names[kind]);
        (void)!hf_process_image_add_maps(&image, hf_out_view(&maps), &err);
        maps.size = 0;
        if (image.count != before)
            model.offsets[before] = offset;
        offset += image.count != before ? pages * PAGE : 0;
    }
    model.bytes = fuzz_take_part(&c, hf_cursor_left(&c));
    image.memory = (struct hf_memory){model_read, &model};
    image.threads = &thread;
    image.thread_count = 1;
    (void)!hf_heap_read_glibc(&heap, &image, &err);
    check_blocks(&heap, &image);
    check_graph(&heap, &image);
    hf_heap_done(&heap);
    hf_process_image_done(&image);
    hf_out_done(&maps);
    fuzz_free_part(model.bytes);
    return 0;
}
