#include "heap/table_blocks.h"

#include "base/containers/vec.h"
#include "profile/unbias.h"

#include <stdlib.h>

struct table_reading {
    struct hf_table_blocks *blocks;
    const struct hf_live_snapshot *table; /* its head is read before the blocks */
    uint64_t asked_ns;
};

static bool is_younger(const struct table_reading *reading, uint64_t birth)
{
    bool is_coarse = reading->table->head.period_bytes <= 1;
    return birth >= reading->asked_ns ||
           (is_coarse && reading->asked_ns - birth < HF_TABLE_CLOCK_NS);
}

static enum hf_status take_block(
    void *context, const struct hf_live_seen_block *seen, struct hf_error *err)
{
    struct table_reading *reading = context;
    struct hf_table_blocks *blocks = reading->blocks;
    if (seen->address == HF_LIVE_MOVABLE)
        return HF_OK; /* it lies in none of the heaps */
    if (is_younger(reading, seen->birth)) {
        blocks->younger++;
        return HF_OK;
    }
    if (!hf_vec_reserve(
            &blocks->items, &blocks->capacity, blocks->count + 1, sizeof *blocks->items))
        return hf_error_memory(err);
    blocks->items[blocks->count++] = (struct hf_table_block){
        .address = seen->address,
        .block = HF_BLOCK_NONE,
        .stack = seen->stack,
        .bytes = seen->size,
        .weight = hf_unbias_weight(reading->table->head.period_bytes, seen->size),
    };
    return HF_OK;
}

enum hf_status hf_table_blocks_read(struct hf_table_blocks *blocks,
    struct hf_live_snapshot *out_table, struct hf_live_source source, uint64_t asked_ns,
    struct hf_error *err)
{
    struct table_reading reading = {.blocks = blocks, .table = out_table, .asked_ns = asked_ns};
    *blocks = (struct hf_table_blocks){0};
    return hf_live_read(out_table, source, (struct hf_live_visitor){take_block, &reading}, err);
}

enum hf_status hf_table_blocks_join(
    struct hf_table_blocks *blocks, const struct hf_heap *heap, struct hf_error *err)
{
    struct hf_block_index index;
    enum hf_status status = hf_block_index_init(&index, heap, err);
    for (size_t i = 0; i < blocks->count && status == HF_OK; i++) {
        struct hf_table_block *item = &blocks->items[i];
        uint32_t block = hf_block_index_find(&index, item->address);
        bool is_there = block != HF_BLOCK_NONE;
        bool is_exact = is_there && heap->blocks[block].address == item->address;
        blocks->exact += is_exact;
        blocks->inside += is_there && !is_exact;
        item->block = is_exact ? block : HF_BLOCK_NONE;
    }
    hf_block_index_done(&index);
    return status;
}

void hf_table_blocks_done(struct hf_table_blocks *blocks)
{
    free(blocks->items);
    *blocks = (struct hf_table_blocks){0};
}

static enum hf_status take_mapping(
    void *context, const struct hf_live_seen_block *seen, struct hf_error *err)
{
    struct hf_table_memory *memory = context;
    uint64_t end;
    if (seen->stack != HF_LIVE_BY_AGENT ||
        __builtin_add_overflow(seen->address, seen->size, &end) || end == seen->address)
        return HF_OK;
    if (!hf_vec_reserve(
            &memory->items, &memory->capacity, memory->count + 1, sizeof *memory->items))
        return hf_error_memory(err);
    memory->items[memory->count++] = (struct hf_process_range){seen->address, end};
    return HF_OK;
}

static int by_range_start(const void *a, const void *b)
{
    const struct hf_process_range *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* They change while they are read: ranges that overlap become one. */
static void join_ranges(struct hf_table_memory *memory)
{
    size_t kept = 0;
    qsort(memory->items, memory->count, sizeof *memory->items, by_range_start);
    for (size_t i = 1; i < memory->count; i++) {
        struct hf_process_range *last = &memory->items[kept];
        if (memory->items[i].start > last->end)
            memory->items[++kept] = memory->items[i];
        else if (memory->items[i].end > last->end)
            last->end = memory->items[i].end;
    }
    memory->count = kept + 1;
}

enum hf_status hf_table_memory_read(
    struct hf_table_memory *memory, struct hf_live_source source, struct hf_error *err)
{
    *memory = (struct hf_table_memory){0};
    enum hf_status status = hf_live_read_slots(
        source, HF_LIVE_MAPPINGS, (struct hf_live_visitor){take_mapping, memory}, err);
    if (status == HF_OK && memory->count != 0)
        join_ranges(memory);
    return status;
}

void hf_table_memory_done(struct hf_table_memory *memory)
{
    free(memory->items);
    *memory = (struct hf_table_memory){0};
}
