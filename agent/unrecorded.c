/*
 * unrecorded.c: in the place of record.c, which is not there yet (issue 7): the agent makes its
 * table, and records nothing in it.
 */
#include "record.h"
#include "thread.h"

void hf_record_alloc(struct hf_thread *thread, uintptr_t address, size_t size_bytes,
    struct hf_unwind_registers caller)
{
    (void)thread;
    (void)address;
    (void)size_bytes;
    (void)caller;
}

void hf_record_free(struct hf_thread *thread, uintptr_t address, struct hf_unwind_registers caller)
{
    hf_record_alloc(thread, address, 0, caller);
}

uint32_t hf_record_take(struct hf_thread *thread, uintptr_t address)
{
    (void)thread;
    (void)address;
    return HF_LIVE_NONE;
}

void hf_record_put_back(struct hf_thread *thread, uintptr_t address, uint32_t slot)
{
    (void)thread;
    (void)address;
    (void)slot;
}

void hf_record_drop(struct hf_thread *thread, uint32_t slot, struct hf_unwind_registers caller)
{
    hf_record_alloc(thread, slot, 0, caller);
}
