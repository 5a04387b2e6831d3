/*
 * event.h: what hooks do with an allocation or a free, beside calling the real function.
 *
 * A hook is a fast path and a slow one. The fast one charges the allocation to the thread, or asks
 * the filter about the block, and jumps to the real function or to the slow path. That is a
 * function of its own which was jumped to, so that the frame above it is the program's.
 */
#ifndef HF_AGENT_EVENT_H
#define HF_AGENT_EVENT_H

#include "agent.h"
#include "base/attr.h"
#include "base/text.h"
#include "filter.h"
#include "record.h"

#include <stddef.h>

#define HF_HOOK HF_UNCHECKED __attribute__((visibility("default")))
#define HF_EXPORT __attribute__((visibility("default")))
#define HF_HOOK_SLOW __attribute__((noinline))

/* In a slow path: where the program called the hook. */
#define HF_HOOK_CALLER() ((const struct hf_caller *)__builtin_frame_address(0))

/* The slow path of a hook that returns a block, as slow_NAME; `call` is the real function's. */
#define HF_HOOK_SLOW_PATH(name, parameters, size, call)                                            \
    static HF_HOOK_SLOW void *slow_##name parameters                                               \
    {                                                                                              \
        bool is_due = hf_event_is_due(size, HF_HOOK_CALLER());                                     \
        void *block = call;                                                                        \
        if (is_due && block != NULL)                                                               \
            hf_event_alloc(block, size, HF_HOOK_CALLER());                                         \
        return block;                                                                              \
    }

/* Charges an allocation to the thread: true if it takes the slow path. */
static HF_FAST bool hf_event_charge(size_t size)
{
    return HF_UNLIKELY((int64_t)(hf_agent_tls.left -= size) < 0);
}

/* In a slow path that was perhaps taken for another reason. */
static HF_FAST bool hf_event_is_overdrawn(void)
{
    return (int64_t)hf_agent_tls.left < 0;
}

/* In a slow path, before the real function: is this allocation recorded? Charges anew. */
bool hf_event_is_due(size_t size, const struct hf_caller *caller);

/* It was due, and it succeeded. */
void hf_event_alloc(const void *block, size_t size, const struct hf_caller *caller);

/* Before the real free, where the filter said "maybe". */
void hf_event_free(const void *block, const struct hf_caller *caller);

/* Before a realloc, where the filter said "maybe", and after: see record.h. */
uint32_t hf_event_take(const void *block, const struct hf_caller *caller);
void hf_event_settle(
    const void *block, uint32_t slot, bool is_gone, const struct hf_caller *caller);

/* An object of an interpreter's own heap was sampled, which its collector may move: it is known by
 * its slot, until it is freed. HF_LIVE_NONE: it is not recorded. */
HF_MUST_CHECK uint32_t hf_event_object(size_t size, const struct hf_caller *caller);
void hf_event_object_end(uint32_t slot, const struct hf_caller *caller);

/* The program got addresses. `has_memory`: of no file, which is recorded; else there is no record
 * of them from now on. */
void hf_event_map(const void *start, size_t bytes, bool has_memory, const struct hf_caller *caller);

/* Before addresses are given back, and if they were not. */
void hf_event_unmap(const void *start, size_t bytes, struct hf_mappings_taken *out_taken,
    const struct hf_caller *caller);
void hf_event_put_back(const struct hf_mappings_taken *taken, const struct hf_caller *caller);

/* What the thread allocates is passed over, until it is let go. False: it is busy already. */
HF_MUST_CHECK bool hf_event_hold(void);
void hf_event_let_go(void);

/* True if this process writes a table; one that has not decided yet does so now. */
bool hf_event_owns(void);

/* The calling thread's name in the table, at most 15 bytes; EAGAIN: it has no room there. */
const char *hf_event_thread_name(void);
int hf_event_name_thread(struct hf_text name);

/* Whether this way to allocate comes to the hook of malloc: it is tried. */
bool hf_event_reaches_malloc(void *(*allocate)(size_t), void (*release)(void *));

/* Puts hooks before CPython's allocator, if it is there; it has not begun (hooks_python.c). */
void hf_hooks_python_begin(void);

/* Whether this is the hook of munmap: an agent that was opened late stands before nothing. */
bool hf_hooks_map_are(int (*unmap)(void *, size_t));

#endif
