/*
 * api.c: the agent's side of heapflame/heapflame.h.
 *
 * What a pool hands out is an event as malloc's and free's are; the block that a pool cuts up is
 * one that was freed.
 */
#include <heapflame/heapflame.h>

#include "control.h"
#include "event.h"
#include "filter.h"

HF_EXPORT bool heapflame_agent_is_active(void)
{
    return hf_event_owns() && hf_control_records();
}

HF_EXPORT int heapflame_agent_set_active(bool is_active)
{
    if (!hf_event_owns())
        return ENOENT;
    hf_control_set_active(is_active);
    return 0;
}

HF_EXPORT int heapflame_agent_set_thread_active(bool is_active)
{
    if (!hf_event_owns())
        return ENOENT;
    hf_control_set_thread_active(is_active);
    return 0;
}

HF_EXPORT int heapflame_agent_dump(const char *path)
{
    return hf_event_owns() ? hf_control_dump(path) : ENOENT;
}

HF_EXPORT int heapflame_agent_reset(void)
{
    return hf_event_owns() ? hf_control_reset() : ENOENT;
}

static HF_HOOK_SLOW void slow_pool_alloc(void *block, size_t size_bytes)
{
    if (hf_event_is_due(size_bytes, HF_HOOK_CALLER()))
        hf_event_alloc(block, size_bytes, HF_HOOK_CALLER());
}

HF_HOOK void heapflame_agent_pool_alloc(void *block, size_t size_bytes)
{
    if (hf_event_charge(size_bytes))
        slow_pool_alloc(block, size_bytes);
}

static HF_HOOK_SLOW void slow_pool_free(void *block)
{
    hf_event_free(block, HF_HOOK_CALLER());
}

HF_HOOK void heapflame_agent_pool_free(void *block)
{
    if (HF_UNLIKELY(hf_filter_may_hold((uintptr_t)block)))
        slow_pool_free(block);
}

HF_HOOK void heapflame_agent_pool_add(void *piece)
{
    if (HF_UNLIKELY(hf_filter_may_hold((uintptr_t)piece)))
        slow_pool_free(piece);
}

static bool may_hold_any(uintptr_t start, size_t size_bytes)
{
    for (uintptr_t page = start & ~(uintptr_t)0xfff; page < start + size_bytes; page += 0x1000) {
        if (hf_filter_may_hold(page))
            return true;
    }
    return false;
}

/* Blocks are found by the slots: the index knows exact addresses only. */
static HF_HOOK_SLOW void slow_pool_reset(void *start, size_t size_bytes)
{
    const struct hf_caller *caller = HF_HOOK_CALLER();
    if (!hf_event_owns() || !may_hold_any((uintptr_t)start, size_bytes))
        return;
    struct hf_live_table *table = &hf_agent.table;
    uint64_t count =
        atomic_load_explicit(&table->state->counts[HF_LIVE_BLOCKS], memory_order_acquire);
    for (uint64_t i = 0; i < count; i++) {
        const struct hf_live_block *block = hf_live_block(table, (uint32_t)i);
        uintptr_t address =
            hf_live_word_address(atomic_load_explicit(&block->word, memory_order_relaxed));
        if (address - (uintptr_t)start < size_bytes)
            hf_event_free((const void *)address, caller);
    }
}

HF_HOOK void heapflame_agent_pool_reset(void *start, size_t size_bytes)
{
    slow_pool_reset(start, size_bytes);
}
