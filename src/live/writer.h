/*
 * writer.h: writes a live table (layout.h), for the process that owns it.
 *
 * No function calls malloc, stdio or the system. `commit` is called before any memory is touched,
 * and may refuse: then what did not fit is lost, and counted as lost. All is safe inside malloc: no
 * function waits for the lock without a limit (base/spinlock.h).
 *
 * Text, modules, segments, threads and stacks may be added by one thread at a time, for which the
 * caller is responsible. Blocks, totals and frees: any thread.
 *
 * Example:
 *
 *     struct hf_live_table *table = NULL; // as hf_live_begin made it
 *     struct hf_live_slots *slots = NULL; // of this thread
 *     static const uint64_t frames[] = {0x401130, 0x401190};
 *     if (table != NULL && hf_live_lock(table)) {
 *         uint32_t stack = hf_live_add_stack(table, frames, HF_COUNT(frames), 0);
 *         hf_live_unlock(table);
 *         hf_live_count(table, stack, HF_LIVE_OBJECT, 48);
 *         (void)hf_live_put(table, slots, 0x7f0000001000, 48, stack, 0, 0);
 *     }
 */
#ifndef HF_LIVE_WRITER_H
#define HF_LIVE_WRITER_H

#include "base/attr.h"
#include "base/spinlock.h"
#include "live/layout.h"

#include <stdbool.h>
#include <stddef.h>

#define HF_LIVE_NONE UINT32_MAX

/* Makes [at, at + bytes) of the table ready to be written; false if there is no memory for it. */
typedef bool hf_live_commit(void *at, size_t bytes);

#define HF_LIVE_LISTS 8
struct hf_live_table {
    struct hf_live_head *head;
    struct hf_live_state *state;
    struct hf_live_control *control;
    uint8_t *regions[HF_LIVE_KINDS];
    uint64_t committed[HF_LIVE_KINDS]; /* bytes */
    uint64_t limits[HF_LIVE_KINDS];    /* bytes, whole pages; behind them nothing is mapped */
    hf_live_commit *commit;
    bool is_sampled;         /* only samples are recorded */
    struct hf_spinlock lock; /* for first_empty, `committed`, and hf_live_lock */
    /* Slots that were given back: lists, linked through the slots' sizes; HF_LIVE_NONE ends a list.
     * There are several lists so that the processor can read from all of them at once. */
    uint32_t first_empty[HF_LIVE_LISTS];
};

/* Slots of one thread, taken from the table and given back in lots of half the array. All-zero is
 * empty. */
#define HF_LIVE_SLOTS 64
struct hf_live_slots {
    uint32_t count;
    uint32_t items[HF_LIVE_SLOTS];
};

/* Divides table_bytes, HF_LIVE_TABLE_MIN to HF_LIVE_TABLE_MAX, among the regions. */
#define HF_LIVE_TABLE_MIN (UINT64_C(1) << 20)
#define HF_LIVE_TABLE_MAX (UINT64_C(1) << 40)
void hf_live_plan(struct hf_live_head *head, uint64_t table_bytes);

/*
 * Turns zeroed memory of head->table_bytes, which stays mapped, into a table with this head, and
 * prepares it for writing. False if `commit` has no memory for its first pages.
 */
HF_MUST_CHECK bool hf_live_begin(struct hf_live_table *table, void *memory,
    const struct hf_live_head *head, hf_live_commit *commit);

/*
 * Commits `bytes` of the table in advance, each region's share of them; less if there is not enough
 * memory.
 */
void hf_live_reserve(struct hf_live_table *table, uint64_t bytes);

/*
 * Gives up all memory that is not committed, except `bytes` of the table as a whole. Each piece is
 * passed to `release`, and no longer belongs to the table.
 */
typedef void hf_live_release(void *at, size_t bytes);
void hf_live_give_way(struct hf_live_table *table, uint64_t bytes, hf_live_release *release);

/* True if the lock was free in time. */
HF_MUST_CHECK bool hf_live_lock(struct hf_live_table *table);
void hf_live_unlock(struct hf_live_table *table);

/* Each returns the number of the new record, or HF_LIVE_NONE if there is no room for it. */
uint32_t hf_live_add_module(struct hf_live_table *table, const char *path, size_t path_bytes,
    const uint8_t *build_id, size_t build_id_bytes, uint64_t device, uint64_t inode);
uint32_t hf_live_add_text(struct hf_live_table *table, const void *bytes, size_t count);
/* Adds a function that an interpreter runs; the name of its file is in the text. For
 * hf_live_code_frame (interpreted.h). */
uint32_t hf_live_add_code(struct hf_live_table *table, const char *name, size_t name_bytes,
    uint32_t file, size_t file_bytes);
uint32_t hf_live_add_segment(struct hf_live_table *table, const struct hf_live_segment *segment);
uint32_t hf_live_add_thread(struct hf_live_table *table, const struct hf_live_thread *thread);
uint32_t hf_live_add_stack(
    struct hf_live_table *table, const uint64_t *frames_leaf_first, size_t count, unsigned flags);

/* Adds an allocation to the totals of its stack: objects in HF_LIVE_OBJECT-ths. */
void hf_live_count(struct hf_live_table *table, uint32_t stack, uint64_t objects, uint64_t bytes);

/* The record of what became of a stack's blocks; it is made if there is none. NULL: no room, or no
 * lock in time. */
struct hf_live_frees *hf_live_frees_begin(struct hf_live_table *table, struct hf_live_stack *of);

/* Counts that a block of `stack` was freed at the stack `at`. Lost if there is no room or lock. */
void hf_live_count_free(struct hf_live_table *table, uint32_t stack, uint32_t at);

void hf_live_lose(struct hf_live_table *table, enum hf_live_loss why, uint64_t bytes);

/*
 * Puts a block into an empty slot and returns the slot's number. HF_LIVE_NONE: there is none; the
 * block is counted as lost. `birth` as in struct hf_live_block.
 */
uint32_t hf_live_put(struct hf_live_table *table, struct hf_live_slots *slots, uint64_t address,
    uint64_t size, uint32_t stack, uint32_t thread, uint64_t birth);

/* Empties a slot, which belongs to `slots` from then on. */
void hf_live_remove(struct hf_live_table *table, struct hf_live_slots *slots, uint32_t slot);

/* A range [start, end) that one stack mapped. */
struct hf_live_mapped {
    uint64_t start, end, birth;
    uint32_t stack, thread; /* as in struct hf_live_block */
};

/* Adds an empty slot for a mapping; HF_LIVE_NONE: there is no room. The caller has the lock. */
uint32_t hf_live_add_mapping(struct hf_live_table *table);

void hf_live_lose_mapping(struct hf_live_table *table);

/* Fill an empty slot with a mapping, and empty it. One thread at a time. */
void hf_live_map(struct hf_live_table *table, uint32_t slot, const struct hf_live_mapped *mapped);
void hf_live_unmap(struct hf_live_table *table, uint32_t slot);

/* Gives all slots back to the table when the thread ends. If the lock is not free in time, the
 * table loses them. */
void hf_live_slots_return(struct hf_live_table *table, struct hf_live_slots *slots);

static inline struct hf_live_thread *hf_live_thread(struct hf_live_table *table, uint32_t number)
{
    return (struct hf_live_thread *)(void *)table->regions[HF_LIVE_THREADS] + number;
}

static inline struct hf_live_block *hf_live_block(const struct hf_live_table *table, uint64_t slot)
{
    return (struct hf_live_block *)(void *)table->regions[HF_LIVE_BLOCKS] + slot;
}

static inline struct hf_live_block *hf_live_mapping(
    const struct hf_live_table *table, uint64_t slot)
{
    return (struct hf_live_block *)(void *)table->regions[HF_LIVE_MAPPINGS] + slot;
}

static inline struct hf_live_stack *hf_live_stack(
    const struct hf_live_table *table, uint64_t number)
{
    return (struct hf_live_stack *)(void *)table->regions[HF_LIVE_STACKS] + number;
}

/* The frames of a stack, leaf first. */
static inline const uint64_t *hf_live_frames(
    const struct hf_live_table *table, const struct hf_live_stack *stack)
{
    return (const uint64_t *)(const void *)table->regions[HF_LIVE_FRAMES] + stack->first_frame;
}

/* Address of the block in a slot; 0 if it is empty. */
static inline uint64_t hf_live_address_of(struct hf_live_table *table, uint32_t slot)
{
    return hf_live_word_address(
        atomic_load_explicit(&hf_live_block(table, slot)->word, memory_order_relaxed));
}

#endif
