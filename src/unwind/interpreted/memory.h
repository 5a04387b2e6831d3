/*
 * memory.h: memory of a process in which an interpreter runs.
 *
 * Nothing there can be relied on: it is read by a function that fails where there is nothing, or as
 * it is, by a thread that knows that nobody frees it meanwhile (agent/interpreter.h). Also then
 * only addresses that can be ones are read.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     struct hf_interpreted_memory memory = {0}; // the caller's own
 *     uint64_t words[2] = {5, 6};
 *     uint8_t record[sizeof words];
 *     if (hf_interpreted_copy(&memory, (uintptr_t)words, record, sizeof record) &&
 *         hf_interpreted_u64(record, 8) == 6)
 *         status = HF_OK;
 */
#ifndef HF_UNWIND_INTERPRETED_MEMORY_H
#define HF_UNWIND_INTERPRETED_MEMORY_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hf_interpreted_memory {
    /* NULL: it is that of the caller, and can be read as it is. */
    bool (*copy)(void *context, uint64_t address, void *out, size_t size);
    void *context;
};

#define HF_INTERPRETED_ADDRESS_MIN UINT64_C(0x1000)
#define HF_INTERPRETED_ADDRESS_END (UINT64_C(1) << 47)

/* False if the bytes are not there; `out` may have changed. */
HF_MUST_CHECK static inline bool hf_interpreted_copy(
    const struct hf_interpreted_memory *memory, uint64_t address, void *out, size_t size)
{
    if (address < HF_INTERPRETED_ADDRESS_MIN || address >= HF_INTERPRETED_ADDRESS_END)
        return false;
    if (HF_UNLIKELY(memory->copy != NULL))
        return memory->copy(memory->context, address, out, size);
    memcpy(out, (const void *)(uintptr_t)address, size);
    return true;
}

/* Fields of a record that was copied. */
static inline uint64_t hf_interpreted_u64(const uint8_t *record, uint32_t offset)
{
    uint64_t value;
    memcpy(&value, record + offset, sizeof value);
    return value;
}

static inline uint32_t hf_interpreted_u32(const uint8_t *record, uint32_t offset)
{
    uint32_t value;
    memcpy(&value, record + offset, sizeof value);
    return value;
}

#endif
