/*
 * table_blocks.h: finds the blocks of a process's live table in its heaps as a snapshot has them:
 * which block of the heaps each one is, and which stack allocated it.
 *
 * The table lies in a shared mapping, so it is not in the snapshot. It is read right after the
 * snapshot, before anything else, and changes while it is read. A block that is still in the table,
 * and was allocated before the snapshot was requested, was in use at the instant of the snapshot,
 * because a block is taken out of the table before it is freed. So its address must be the start of
 * a block in the snapshot, unless it comes from an allocator whose heaps cannot be read. Blocks
 * that were allocated later are left out; blocks that were freed since the snapshot are missed. The
 * less time passes between the two, the fewer are missed.
 *
 * Exact tables have the times of allocations by a coarse clock, which may be HF_TABLE_CLOCK_NS
 * behind.
 *
 * Example:
 *
 *     int fd = 3; // the table, open
 *     struct hf_heap heap = {0};
 *     struct hf_table_blocks blocks;
 *     struct hf_live_snapshot table;
 *     status = hf_table_blocks_read(
 *         &blocks, &table, hf_live_source_of(&fd, "a.live"), UINT64_MAX, err);
 *     if (status == HF_OK)
 *         status = hf_table_blocks_join(&blocks, &heap, err);
 *     if (status == HF_OK)
 *         hf_out_u64(out, blocks.exact);
 *     hf_table_blocks_done(&blocks);
 *     hf_live_snapshot_done(&table);
 */
#ifndef HF_HEAP_TABLE_BLOCKS_H
#define HF_HEAP_TABLE_BLOCKS_H

#include "heap/block_index.h"
#include "live/reader.h"
#include "memory/process_image.h"

#define HF_TABLE_CLOCK_NS 20000000u /* more than a tick of any kernel: 100 Hz are 10 ms */

struct hf_table_block {
    uint64_t address;
    uint32_t block; /* its number in the heap; HF_BLOCK_NONE: it is not in the heaps, or not joined
                       yet */
    uint32_t stack; /* its number in the table, which may have fewer stacks */
    uint64_t bytes; /* that were requested */
    double weight;  /* how many such blocks it stands for */
};

struct hf_table_blocks {
    struct hf_table_block *items;
    size_t count, capacity;
    uint64_t exact;   /* how many are the start of a block; all others are not in the heaps */
    uint64_t inside;  /* of the others: how many lie in a block, behind its start */
    uint64_t younger; /* left out */
};

/*
 * Reads the table; *out_table has its stacks. `asked_ns`: when the snapshot was requested, on the
 * monotonic clock. Errors are those of hf_live_read. Call done for both in any case.
 */
HF_MUST_CHECK enum hf_status hf_table_blocks_read(struct hf_table_blocks *blocks,
    struct hf_live_snapshot *out_table, struct hf_live_source source, uint64_t asked_ns,
    struct hf_error *err);

/* Finds each block in the heaps. */
HF_MUST_CHECK enum hf_status hf_table_blocks_join(
    struct hf_table_blocks *blocks, const struct hf_heap *heap, struct hf_error *err);
void hf_table_blocks_done(struct hf_table_blocks *blocks);

/* The recorder's own memory in the process, as its table says. The image's `recorder` points to
 * it. */
struct hf_table_memory {
    struct hf_process_range *items;
    size_t count, capacity;
};

/* Errors are those of hf_live_read. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_table_memory_read(
    struct hf_table_memory *memory, struct hf_live_source source, struct hf_error *err);
void hf_table_memory_done(struct hf_table_memory *memory);

#endif
