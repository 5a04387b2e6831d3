/*
 * tracker.h: the calls of an allocator, as somebody sees them who traces it, become the blocks that
 * are in use: a live table (live/layout.h). The one place that knows what those calls mean.
 *
 * A tracer sees *half* calls: that one was entered, that one returned. They are told in the order
 * of time; which half counts is decided here:
 *
 *     free, reset, delete, unmap   when entered: later, another thread may own the address
 *     alloc, realloc, ctxnew, map  when they return: before, there is no address
 *
 * - A return belongs to the entry of its probe and thread whose stack pointer was 8 less. What was
 *   entered deeper in the stack and never returned (longjmp) is given up.
 * - What a pending alloc or realloc calls itself is its own affair: of calloc that calls malloc, of
 *   a realloc that allocates, copies and frees, the outer one counts, and once. Of calls at the
 *   same depth the later one counts: the other left by a tail call, or by longjmp.
 * - A realloc's old block is known by nobody while it runs, and put back if it fails. In place, the
 *   block keeps its birth; its size and stack become the realloc's. Which context it is in may be
 *   known of the old block alone: if that is not known, nothing is recorded, for its reset would
 *   not be seen.
 * - A block at the address of another *replaces* it: a free was not seen. Sums are never kept: what
 *   is in use is what is in the table.
 * - A *context* (memory pool) has a list of its blocks, so a reset costs what it frees; and it is
 *   an allocation itself, if its birth was seen, freed by its delete. In the end it weighs what the
 *   allocator gave it and no block that is known accounts for.
 * - Contexts with the name of one that was reset or deleted are *short-lived* as a class, and no
 *   more of their blocks is recorded; except of those that were there at the start, as long as they
 *   were not reset. It is the frees of long-lived contexts that are forgotten.
 * - Ranges (map, unmap) live apart from blocks, because blocks lie in them. A new range takes the
 *   place of what it overlaps, and unmapping a part of one leaves one or two smaller ones.
 *
 * After a loss of events, what was pending is given up, for its return may have been among them;
 * and a block that was born before may have been freed unseen: such *suspects* are counted in the
 * end. Names of contexts are the outermost frames of stacks: "[CacheMemory]".
 *
 * Which halves belong together is found here (with pending_calls.h); what the calls do to blocks,
 * ranges and contexts is in_use.h's.
 *
 * One thread at a time. Without memory, events are lost, and counted as such.
 */
#ifndef HF_ATTACH_TRACKER_H
#define HF_ATTACH_TRACKER_H

#include "base/error.h"
#include "base/text.h"
#include "live/writer.h"
#include "spec/role.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_notes;
struct hf_tracker;

/* What the tracker asks for when it needs it. Each may be NULL: it is not known. */
struct hf_tracker_questions {
    /*
     * Names of a living context, outermost first: its own is the last, before it those of its
     * parents that shall be shown. `name` is what the call said it is, or empty. Asked once in the
     * life of each context. Returns how many names there are, at most HF_TRACKER_NAMES, 0: unknown.
     * They are copied.
     */
    size_t (*names)(void *asked, uint64_t context, struct hf_text name, struct hf_text *out_names);
    /* Bytes that the allocator has given to a living context in all; 0: not known. */
    uint64_t (*context_bytes)(void *asked, uint64_t context);
    /* The name of a thread. Borrowed until the next call. */
    struct hf_text (*thread)(void *asked, uint32_t tid);
    void *asked;
};
#define HF_TRACKER_NAMES 16

struct hf_tracker_options {
    uint32_t pid;
    uint64_t start_ticks;  /* of the process: field 22 of its stat */
    uint64_t period_bytes; /* mean bytes between samples; 1: all are told */
    uint64_t table_bytes;  /* of address space; memory is used as it fills */
    void *table;           /* so much shared memory, borrowed; NULL: its own is mapped */
    bool goes_on;  /* the table is that of one that died: its modules stay, for frames that mean
                      them, and whose it is; nothing else does */
    bool is_dated; /* the table says when it began, so that births have dates */
    struct hf_text command;    /* of the process */
    bool skips_short_lived;    /* classes of contexts that are reset or deleted */
    uint32_t chunk_head_bytes; /* of a block in a context: live/chunk.h */
    struct hf_tracker_questions questions;
};

HF_MUST_CHECK enum hf_status hf_tracker_new(const struct hf_tracker_options *options,
    struct hf_tracker **out_tracker, struct hf_error *err);
void hf_tracker_free(struct hf_tracker *tracker);

/* The table that is written, for adding modules and segments, and for reading it. Borrowed. */
struct hf_live_table *hf_tracker_table(struct hf_tracker *tracker);

/*
 * The number of a stack: hf_live_frame()s, leaf first; flags of enum hf_live_stack_flag. The same
 * frames have the same number. False without memory.
 */
#define HF_TRACKER_NO_STACK UINT32_MAX
HF_MUST_CHECK bool hf_tracker_stack(struct hf_tracker *tracker, const uint64_t *frames_leaf_first,
    size_t count, unsigned flags, uint32_t *out_stack);

/* A context that is there at the start; `name` may be empty. Its names are asked for at once. */
void hf_tracker_add_context(struct hf_tracker *tracker, uint64_t context, struct hf_text name);

/* A call was entered. What its role has no use for is 0. */
struct hf_traced_call {
    enum hf_role role;
    uint32_t probe; /* number of the probe: tells apart what returns to one place */
    uint32_t tid;
    uint32_t stack;      /* of an allocation: hf_tracker_stack(), or HF_TRACKER_NO_STACK */
    uint64_t sp;         /* at the first instruction of the function: the return address is there */
    uint64_t time_ns;    /* CLOCK_MONOTONIC */
    uint64_t context;    /* 0: none, or that of the block */
    bool is_in_context;  /* it is never none */
    uint64_t address;    /* of the block that is freed or reallocated, or of the range */
    uint64_t size;       /* bytes that are asked for, or of the range */
    struct hf_text name; /* of the context, if the tracer read it; borrowed */
};

/* False if nothing would come of the call: then its stack need not be found. */
bool hf_tracker_wants(struct hf_tracker *tracker, const struct hf_traced_call *call);

void hf_tracker_enter(struct hf_tracker *tracker, const struct hf_traced_call *call);

/*
 * A call returned: `sp` is what it was at entry, and 8 more. `result` is the address that an alloc,
 * a realloc or a map gave, 0 if it failed; of a ctxnew the context, or 0: that of the entry.
 */
void hf_tracker_return(struct hf_tracker *tracker, uint32_t probe, uint32_t tid, uint64_t sp,
    uint64_t time_ns, uint64_t result);

/*
 * A block that is known to be in use, as a tracer in the kernel knows it in the end, or a page that
 * was touched: a call of a role that allocates, whose address is what it gave, and time its birth.
 * It counts among what was ever allocated. In any order: a context may come after its blocks.
 */
void hf_tracker_put(struct hf_tracker *tracker, const struct hf_traced_call *call);

/* Adds to what was ever allocated at the stack of the call, beside the blocks that were put. */
void hf_tracker_count(struct hf_tracker *tracker, const struct hf_traced_call *call,
    uint64_t objects, uint64_t bytes);

/*
 * The end: each context whose birth was seen gets as its size the bytes that it has now beyond
 * those of its blocks that are known: its header, what is free, and what was not followed. Once.
 */
void hf_tracker_weigh_contexts(struct hf_tracker *tracker);

/* Takes out what is in use and what was counted, before who knows all of it puts it anew. */
void hf_tracker_clear(struct hf_tracker *tracker);

/*
 * Takes out the suspects (below): who asks how long blocks live must not take a free that was lost
 * for a long life. They count as `forgotten`, and are no suspects any more.
 */
void hf_tracker_forget_suspects(struct hf_tracker *tracker);

/* What did not reach the tracker. */
enum hf_tracker_loss {
    HF_TRACKER_LOST_EVENTS, /* calls of any role: frees too */
    HF_TRACKER_LOST_ALLOCS, /* calls that allocate, and no frees: the rest is true */
    HF_TRACKER_LOST_STACKS, /* the call is there, its stack is not */
    HF_TRACKER_LOST_MEMORY, /* the tracker's own: no memory for what it had to remember */
    HF_TRACKER_LOSSES
};

/* `count` were lost until `time_ns`. */
void hf_tracker_lose(
    struct hf_tracker *tracker, enum hf_tracker_loss why, uint64_t count, uint64_t time_ns);

/* Calls, but for `suspect`s: blocks in use that were born before events were lost. */
struct hf_tracker_counts {
    uint64_t allocs, frees;    /* that took effect; a realloc is both */
    uint64_t unknown_frees;    /* of blocks from before the start, or that were not recorded */
    uint64_t overwritten;      /* blocks that others replaced */
    uint64_t unpaired_entries; /* that never returned, or were given up */
    uint64_t unpaired_returns; /* that were never entered, as at the start */
    uint64_t skipped;          /* allocations in short-lived contexts */
    uint64_t suspects, suspect_bytes;
    uint64_t forgotten; /* blocks that were suspects */
    uint64_t lost[HF_TRACKER_LOSSES];
};
struct hf_tracker_counts hf_tracker_counts(struct hf_tracker *tracker);

/* Adds what a tracer in the kernel counted, who tells no calls; its losses and suspects are 0. */
void hf_tracker_add_counts(struct hf_tracker *tracker, const struct hf_tracker_counts *counts);

/* Says it in sentences: losses, and what is worth knowing. */
void hf_tracker_note(struct hf_tracker *tracker, struct hf_notes *notes);
void hf_tracker_counts_note(const struct hf_tracker_counts *counts, struct hf_notes *notes);

#endif
