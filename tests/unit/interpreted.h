/*
 * interpreted.h: memory of an interpreter, and a native stack, as tests lay them out.
 */
#ifndef HF_TESTS_UNIT_INTERPRETED_H
#define HF_TESTS_UNIT_INTERPRETED_H

#include "check.h"

#include "unwind/interpreted/memory.h"
#include "unwind/walk.h"

/* Memory of an interpreter. Addresses are this process's own; `reading` fails beyond the bytes. */
static struct {
    uint8_t bytes[1 << 16];
    size_t used;
} heap;

static bool copy_of_heap(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    uint64_t start = (uintptr_t)heap.bytes;
    if (address < start || address > start + sizeof heap.bytes ||
        size > start + sizeof heap.bytes - address)
        return false;
    memcpy(out, (const void *)(uintptr_t)address, size);
    return true;
}

static const struct hf_interpreted_memory heap_memory = {copy_of_heap, NULL};

static uint64_t make(size_t size)
{
    uint64_t address = (uintptr_t)heap.bytes + heap.used;
    heap.used += (size + 15) / 16 * 16;
    assert_true(heap.used <= sizeof heap.bytes);
    memset((void *)(uintptr_t)address, 0, size);
    return address;
}

static void put_u64(uint64_t address, uint32_t offset, uint64_t value)
{
    memcpy((void *)(uintptr_t)(address + offset), &value, sizeof value);
}

/* Five native frames; the C stack is part of the heap, 256 bytes a frame. */
static struct hf_unwind_frame natives[5];
static uint64_t stack_at;

static void make_natives(void)
{
    stack_at = make(256 * HF_COUNT(natives));
    for (size_t i = 0; i < HF_COUNT(natives); i++)
        natives[i] = (struct hf_unwind_frame){
            .sp = stack_at + i * 256, .caller = i + 1 < HF_COUNT(natives) ? &natives[i + 1] : NULL};
}

#endif
