/*
 * record.h: an allocation or a free becomes part of the live table.
 *
 * For the hooks: with the thread's busy flag set, in a process that owns its table. `caller` are
 * the registers of the program where it called the allocator.
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

struct hf_thread;
struct hf_unwind_registers;

void hf_record_alloc(struct hf_thread *thread, uintptr_t address, size_t size_bytes,
    struct hf_unwind_registers caller);

/* Nothing happens if the block at `address` was not recorded. */
void hf_record_free(struct hf_thread *thread, uintptr_t address, struct hf_unwind_registers caller);

/* The slot of the block that a realloc may move, or HF_LIVE_NONE. It stays live for readers. */
HF_MUST_CHECK uint32_t hf_record_take(struct hf_thread *thread, uintptr_t address);

/* The realloc failed: the block is where it was. */
void hf_record_put_back(struct hf_thread *thread, uintptr_t address, uint32_t slot);

/* The realloc succeeded: the old block is gone. Its successor is recorded as any allocation. */
void hf_record_drop(struct hf_thread *thread, uint32_t slot, struct hf_unwind_registers caller);

/* The calling thread will not come back to the event it was in: what it held of the modules,
 * stacks, blocks and the table is released. */
void hf_record_mend(void);

/* Of the parts that are this file's alone, nothing is known any more: a child after fork. */
void hf_record_forget(void);

#endif
