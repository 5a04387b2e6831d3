#include "attach/tracker/pending_calls.h"

#include "base/containers/vec.h"

#include <stdlib.h>

void hf_pending_calls_init(struct hf_pending_calls *pending)
{
    *pending = (struct hf_pending_calls){.first_unused = HF_PENDING_NONE};
}

void hf_pending_calls_done(struct hf_pending_calls *pending)
{
    hf_map_done(&pending->by_tid);
    free(pending->threads);
    free(pending->calls);
    hf_pending_calls_init(pending);
}

struct hf_pending_thread *hf_pending_thread(
    struct hf_pending_calls *pending, uint32_t tid, bool *out_is_new)
{
    if (!hf_vec_reserve(&pending->threads, &pending->threads_capacity, pending->thread_count + 1,
            sizeof *pending->threads))
        return NULL;
    uint32_t *number =
        hf_map_put(&pending->by_tid, tid, (uint32_t)pending->thread_count, out_is_new);
    if (number == NULL)
        return NULL;
    if (*out_is_new)
        pending->threads[pending->thread_count++] =
            (struct hf_pending_thread){HF_LIVE_NONE, HF_PENDING_NONE};
    return &pending->threads[*number];
}

bool hf_pending_calls_push(struct hf_pending_calls *pending, struct hf_pending_thread *thread,
    const struct hf_pending_call *call)
{
    uint32_t number = pending->first_unused;
    if (number != HF_PENDING_NONE) {
        pending->first_unused = pending->calls[number].outer;
    } else {
        if (!hf_vec_reserve(&pending->calls, &pending->calls_capacity, pending->call_count + 1,
                sizeof *pending->calls))
            return false;
        number = (uint32_t)pending->call_count++;
    }
    pending->calls[number] = *call;
    pending->calls[number].outer = thread->innermost;
    thread->innermost = number;
    return true;
}

struct hf_pending_call hf_pending_calls_pop(
    struct hf_pending_calls *pending, struct hf_pending_thread *thread)
{
    uint32_t number = thread->innermost;
    struct hf_pending_call call = pending->calls[number];
    thread->innermost = call.outer;
    pending->calls[number].outer = pending->first_unused;
    pending->first_unused = number;
    return call;
}
