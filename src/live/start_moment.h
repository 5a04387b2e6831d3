/*
 * start_moment.h: what each stack of a live table held at the *start*, i.e. a second after the
 * recording began, or at the first look after that. The watcher of a process takes it, because the
 * table has no room for it, and passes it to the code that reads the table later.
 *
 * Stacks are identified by their numbers, which never change. It takes 16 bytes a stack, in memory
 * that two processes may share; so its contents are checked.
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

/* A process with more stacks by then has no start. */
#define HF_LIVE_START_STACKS (1u << 20)
#define HF_LIVE_START_AFTER_NS UINT64_C(1000000000)

/* All-zero: not taken yet. */
struct hf_live_start {
    uint64_t monotonic_ns, realtime_ns; /* from the head of its table */
    uint64_t after_ns;                  /* when it was taken; 0: not yet */
    uint64_t stack_count;               /* more than HF_LIVE_START_STACKS: it has no start */
    struct {
        uint64_t objects, bytes; /* as in struct hf_live_stack */
    } stacks[HF_LIVE_START_STACKS];
};

/* Takes the start, if it is due at this monotonic time and was not yet taken from this table. */
void hf_live_start_take(
    struct hf_live_start *start, const struct hf_live_snapshot *table, uint64_t now_ns);

/* True if it was taken from this table, with all stacks. */
bool hf_live_start_is_of(const struct hf_live_start *start, const struct hf_live_head *head);

#endif
