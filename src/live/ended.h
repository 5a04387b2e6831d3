/*
 * ended.h: what becomes of the blocks of a stack: how old and how large they are when they are
 * freed, when they were allocated, which are temporary. For the writer of a live table.
 *
 * All of it is counted when a block is freed, and nothing when it is allocated: of those that are
 * in use, the table has each. The counts of a stack take sizeof(struct hf_live_frees) bytes,
 * however many blocks it has; a stack that finds no room for them has none.
 *
 * To count a block takes as long as half of what else there is to do for it, most of it to wait for
 * memory. So where all are recorded, and a stack has many of them, who calls counts one of several,
 * as so many (hf_ended_is_frequent).
 *
 * Any thread; a lock only to make the record, or to make its epochs half as many.
 */
#ifndef HF_LIVE_ENDED_H
#define HF_LIVE_ENDED_H

#include "live/usage.h"

/* A block that is freed. */
struct hf_live_ended {
    uint64_t size_bytes;
    uint64_t objects, bytes; /* what it counts for */
    uint64_t birth_ns, now_ns;
};

/* Counts a block of `stack` that is freed, all but whether it is temporary. */
void hf_live_count_ended(
    struct hf_live_table *table, uint32_t stack, const struct hf_live_ended *block);

/* Counts that such a block was temporary: its thread allocated and freed nothing else meanwhile. */
void hf_live_count_temporary(struct hf_live_table *table, uint32_t stack, uint64_t objects);

/* True if one of HF_ENDED_SHARE of the blocks of this stack will do, chosen at random. */
#define HF_ENDED_ALL 1024
#define HF_ENDED_SHARE 8
static HF_ALWAYS_INLINE bool hf_ended_is_frequent(struct hf_live_table *table, uint32_t stack)
{
    return hf_usage_of(&hf_live_stack(table, stack)->freed_objects) >
           (uint64_t)HF_ENDED_ALL * HF_LIVE_OBJECT;
}

#endif
