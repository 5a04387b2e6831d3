/*
 * pending_calls.h: calls that were entered and have not returned, the innermost of each thread
 * first.
 *
 * One thread at a time.
 */
#ifndef HF_ATTACH_PENDING_CALLS_H
#define HF_ATTACH_PENDING_CALLS_H

#include "attach/tracker/in_use.h"
#include "base/containers/map.h"

struct hf_pending_call {
    struct hf_traced_call call; /* without its name, which was borrowed */
    uint32_t name;              /* of the context, or HF_CONTEXT_NONE */
    bool is_recorded;          /* what it allocates; not what other calls allocate for themselves */
    bool is_left;              /* for another function, which has its place in the stack */
    struct hf_held_block held; /* what it reallocates */
    uint32_t outer;            /* number of the call around it, or HF_PENDING_NONE */
};
#define HF_PENDING_NONE UINT32_MAX

struct hf_pending_thread {
    uint32_t number;    /* in the table, or HF_LIVE_NONE */
    uint32_t innermost; /* number of a call, or HF_PENDING_NONE */
};

/* Begin with hf_pending_calls_init. */
struct hf_pending_calls {
    struct hf_map by_tid;
    struct hf_pending_thread *threads;
    size_t thread_count, threads_capacity;
    struct hf_pending_call *calls;
    size_t call_count, calls_capacity;
    uint32_t first_unused; /* of calls: a list through `outer` */
};

void hf_pending_calls_init(struct hf_pending_calls *pending);
void hf_pending_calls_done(struct hf_pending_calls *pending);

/* A thread, new ones with no number; NULL without memory. Borrowed until the next is asked for. */
struct hf_pending_thread *hf_pending_thread(
    struct hf_pending_calls *pending, uint32_t tid, bool *out_is_new);

/* False without memory: then the call is not pending. */
HF_MUST_CHECK bool hf_pending_calls_push(struct hf_pending_calls *pending,
    struct hf_pending_thread *thread, const struct hf_pending_call *call);

/* Takes out the innermost call; there is one. */
struct hf_pending_call hf_pending_calls_pop(
    struct hf_pending_calls *pending, struct hf_pending_thread *thread);

/* The innermost call of a thread, NULL: none. Borrowed until the next push. */
static inline struct hf_pending_call *hf_pending_calls_innermost(
    const struct hf_pending_calls *pending, const struct hf_pending_thread *thread)
{
    return thread->innermost != HF_PENDING_NONE ? &pending->calls[thread->innermost] : NULL;
}

/* The call around a pending one, NULL: none. */
static inline const struct hf_pending_call *hf_pending_calls_outer(
    const struct hf_pending_calls *pending, const struct hf_pending_call *call)
{
    return call->outer != HF_PENDING_NONE ? &pending->calls[call->outer] : NULL;
}

#endif
