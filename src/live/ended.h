/*
 * ended.h: counts, for each stack, what became of its blocks: how old and how large they were when
 * they were freed, when they were allocated, and how many were temporary. For the writer of a live
 * table.
 *
 * All of this is counted when a block is freed, and nothing when it is allocated, because the table
 * has each block that is in use. The counts of a stack take sizeof(struct hf_live_frees) bytes,
 * however many blocks it has. If there is no room for them, the stack has no counts.
 *
 * To count a block takes half as long as everything else that is done for it; most of the time is
 * spent waiting for memory. So if every allocation is recorded and a stack has many blocks, the
 * caller counts only one block of several, and counts it for all of these (hf_ended_is_frequent).
 *
 * Any thread may count. A lock is taken only to make a record, or to halve the number of its
 * epochs.
 */
#ifndef HF_LIVE_ENDED_H
#define HF_LIVE_ENDED_H

#include "live/usage.h"

/* A block that is freed. */
struct hf_live_ended {
    uint64_t size_bytes;
    uint64_t objects, bytes; /* what it counts as */
    uint64_t birth_ns, now_ns;
};

/* Counts a block of `stack` that is freed: everything except whether it was temporary. */
void hf_live_count_ended(
    struct hf_live_table *table, uint32_t stack, const struct hf_live_ended *block);

/* Counts that such a block was temporary, i.e. that its thread allocated and freed nothing else in
 * its lifetime. */
void hf_live_count_temporary(struct hf_live_table *table, uint32_t stack, uint64_t objects);

/* True if it is enough to count one in HF_ENDED_SHARE blocks of this stack, chosen at random. */
#define HF_ENDED_ALL 1024
#define HF_ENDED_SHARE 8
static HF_ALWAYS_INLINE bool hf_ended_is_frequent(struct hf_live_table *table, uint32_t stack)
{
    return hf_usage_of(&hf_live_stack(table, stack)->freed_objects) >
           (uint64_t)HF_ENDED_ALL * HF_LIVE_OBJECT;
}

#endif
