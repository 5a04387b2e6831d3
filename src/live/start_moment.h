/*
 * start_moment.h: what each stack of a live table held at the *start*: a second after the recording
 * began, or as soon after as somebody looked. Who watches a process takes it, since the table has
 * no room for it, and gives it to whoever reads the table later.
 *
 * Stacks are known by their numbers, which never change. Memory: 16 bytes a stack, in memory that
 * two processes may share, so what is in it is checked.
 *
 * Example:
 *
 *     struct hf_live_start *start = NULL; // all-zero memory
 *     struct hf_live_snapshot table = {0}; // as hf_live_read made it
 *     if (start != NULL)
 *         hf_live_start_take(start, &table, 7000000000);
 *     if (start != NULL && hf_live_start_is_of(start, &table.head))
 *         status = HF_OK;
 */
#ifndef HF_LIVE_START_MOMENT_H
#define HF_LIVE_START_MOMENT_H

#include "live/reader.h"

/* Who has more by then has no start. */
#define HF_LIVE_START_STACKS (1u << 20)
#define HF_LIVE_START_AFTER_NS UINT64_C(1000000000)

/* All-zero: it was not taken. */
struct hf_live_start {
    uint64_t monotonic_ns, realtime_ns; /* of the head of the table that it is of */
    uint64_t after_ns;                  /* when it was taken; 0: not yet */
    uint64_t stack_count;               /* more than HF_LIVE_START_STACKS: it has no start */
    struct {
        uint64_t objects, bytes; /* as in struct hf_live_stack */
    } stacks[HF_LIVE_START_STACKS];
};

/* Takes it, if it is due at this monotonic time and was not taken of this table yet. */
void hf_live_start_take(
    struct hf_live_start *start, const struct hf_live_snapshot *table, uint64_t now_ns);

/* True if it was taken of this table, whole. */
bool hf_live_start_is_of(const struct hf_live_start *start, const struct hf_live_head *head);

#endif
