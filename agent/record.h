/*
 * record.h: an allocation or a free becomes part of the live table.
 *
 * For the hooks: with the thread's busy flag set, in a process that owns its table. `caller` is
 * where the program called the allocator.
 *
 * An allocation is recorded after it succeeded, a free before it happens, a realloc by its outcome:
 * the block is taken out of the index before the real realloc, for its address may be another
 * thread's the moment it is given back, and is then put back or dropped. What cannot be recorded is
 * counted as lost in the table. errno may change.
 */
#ifndef HF_AGENT_RECORD_H
#define HF_AGENT_RECORD_H

#include "base/attr.h"

#include <stddef.h>
#include <stdint.h>

struct hf_recorded_thread;

/*
 * The beginning of a hook's frame, which lies on the stack right below the program's: with it the
 * program's registers at its call are known.
 */
struct hf_caller {
    uint64_t fp, pc; /* rbp, and the return address */
};

/* What rsp is after the return. */
static inline uint64_t hf_caller_sp(const struct hf_caller *caller)
{
    return (uint64_t)(uintptr_t)(caller + 1);
}

void hf_record_alloc(struct hf_recorded_thread *thread, uintptr_t address, size_t size_bytes,
    const struct hf_caller *caller);

/* The object in that slot is freed: one that was recorded at HF_LIVE_MOVABLE, while
 * hf_agent_tls.is_of_object was set. The stack of such a one begins at the innermost function that
 * an interpreter runs, if there is one. */
void hf_record_object_end(struct hf_recorded_thread *thread, uint32_t slot);

/* The interpreter is looked at once more, for what it did not have at its start. */
void hf_record_look_again(void);

/* Nothing happens if the block at `address` was not recorded. */
void hf_record_free(
    struct hf_recorded_thread *thread, uintptr_t address, const struct hf_caller *caller);

/* The slot of the block that a realloc may move, or HF_LIVE_NONE. It stays live for readers. */
HF_MUST_CHECK uint32_t hf_record_take(uintptr_t address);

/* The realloc failed: the block is where it was. */
void hf_record_put_back(struct hf_recorded_thread *thread, uintptr_t address, uint32_t slot);

/* The realloc succeeded: the old block is gone. Its successor is recorded as any allocation. */
void hf_record_drop(struct hf_recorded_thread *thread, uintptr_t address, uint32_t slot,
    const struct hf_caller *caller);

/* The program has memory of no file at [start, end), and nothing else there. */
void hf_record_map(struct hf_recorded_thread *thread, uint64_t start, uint64_t end,
    const struct hf_caller *caller);

/* The calling thread will not come back to the event it was in: what it held of the modules,
 * stacks, blocks and the table is released. */
void hf_record_mend(void);

/* What is known of stacks has room for all that the table has memory for. */
void hf_record_reserve(void);

/* Of the parts that are this file's alone, nothing is known any more: a child after fork. */
void hf_record_forget(void);

#endif
