/*
 * in_use.h: what a traced process has in use: blocks, ranges and contexts, in a live table.
 *
 * Calls are whole here: they happened, and what came of them is known. tracker.h makes them of half
 * calls and says what each means; all that is counted here is counted in its counts.
 *
 * One thread at a time. Without memory or room in the table, a block is lost, and counted as such.
 */
#ifndef HF_ATTACH_IN_USE_H
#define HF_ATTACH_IN_USE_H

#include "attach/tracker/context_set.h"
#include "attach/tracker/labelled_stacks.h"
#include "attach/tracker/tracker.h"

/* Begin with hf_in_use_begin. */
struct hf_in_use {
    struct hf_live_table table;
    void *own_table; /* NULL: it is borrowed */
    uint64_t table_bytes;
    struct hf_live_slots slots;
    struct hf_ordered blocks, ranges; /* address -> slot */
    struct hf_context_set contexts;
    struct hf_labelled_stacks stacks;
    bool skips_short_lived;
    uint32_t chunk_head_bytes;
    struct hf_tracker_questions questions;
    struct hf_tracker_counts counts;
};

/* It stays where it is until hf_in_use_done, which is due after a failure, too. */
HF_MUST_CHECK enum hf_status hf_in_use_begin(
    struct hf_in_use *in_use, const struct hf_tracker_options *options, struct hf_error *err);
void hf_in_use_done(struct hf_in_use *in_use);

void hf_in_use_lose_memory(struct hf_in_use *in_use);

/* ---- Contexts. A name is a number of context_set.h. */

/*
 * The context at an address, new ones too; HF_CONTEXT_NONE if the address is 0, or without memory.
 * If one of another name is known there, its delete was not seen: what it had is freed.
 */
uint32_t hf_in_use_context(struct hf_in_use *in_use, uint64_t address, uint32_t name);

/* The same for who saw all calls: that another context is there now is no free unseen. */
uint32_t hf_in_use_present_context(struct hf_in_use *in_use, uint64_t address, uint32_t name);

/* A reset or delete. The class of a context that nothing is known of is learned, too. */
void hf_in_use_end_context(struct hf_in_use *in_use, const struct hf_traced_call *call);

/* As hf_tracker_weigh_contexts. */
void hf_in_use_weigh_contexts(struct hf_in_use *in_use);

/* If nothing is recorded of it, because contexts of its name are short-lived. */
bool hf_in_use_is_skipped(const struct hf_in_use *in_use, uint32_t context);

/* ---- Allocations. `thread` is the table's number. */

/*
 * What is known of `call`, which allocated, becomes a block or a range, and counts among what was
 * ever allocated; of a ctxnew, the context is the one that was made. `was_seen`: the call itself
 * was, and counts among the calls.
 */
void hf_in_use_add(struct hf_in_use *in_use, const struct hf_traced_call *call, uint32_t context,
    uint32_t thread, bool was_seen);

/* A context was made at call->address: what was there before is gone. */
void hf_in_use_add_context(
    struct hf_in_use *in_use, const struct hf_traced_call *call, uint32_t name, uint32_t thread);

/* Adds to what was ever allocated at the stack of the call, in a context that may be gone. */
void hf_in_use_count(struct hf_in_use *in_use, const struct hf_traced_call *call, uint32_t name,
    uint64_t objects, uint64_t bytes);

/* Of a block that is not known, a free is counted as unknown, unless that `is_expected`. */
void hf_in_use_free_block(struct hf_in_use *in_use, uint64_t address, bool is_expected);
void hf_in_use_free_range(struct hf_in_use *in_use, uint64_t start, uint64_t size);

/* Takes out all that is in use, and all that was counted: contexts and stacks stay known. */
void hf_in_use_clear(struct hf_in_use *in_use);

/* Takes out the blocks that were born until then; returns how many. Contexts of their own stay. */
uint64_t hf_in_use_forget(struct hf_in_use *in_use, uint64_t born_until_ns);

/* ---- A block that is being reallocated: nobody knows it, but a reset of its context frees it. */

struct hf_held_block {
    uint32_t slot; /* HF_LIVE_NONE: none */
    uint64_t word; /* what was in the slot: tells if it is still that block */
};

/* Takes out the block at an address, if one is known there. */
struct hf_held_block hf_in_use_hold(struct hf_in_use *in_use, uint64_t address);

/* False if there was none, or a reset has freed it meanwhile. */
bool hf_in_use_is_held(struct hf_in_use *in_use, struct hf_held_block held);

/* The realloc did nothing, or nobody knows what it did: the block is at its address again. */
void hf_in_use_put_back(struct hf_in_use *in_use, uint64_t address, struct hf_held_block held);

/* The realloc freed the block, which is held. */
void hf_in_use_free_held(struct hf_in_use *in_use, struct hf_held_block held);

/* ---- */

/* How many blocks in use were born until then, and their bytes. */
void hf_in_use_born_until(
    struct hf_in_use *in_use, uint64_t time_ns, uint64_t *out_blocks, uint64_t *out_bytes);

#endif
