#include "live/start_moment.h"

static bool start_is_taken(const struct hf_live_start *start, const struct hf_live_head *head)
{
    return start->after_ns != 0 && start->monotonic_ns == head->monotonic_ns &&
           start->realtime_ns == head->realtime_ns;
}

void hf_live_start_take(
    struct hf_live_start *start, const struct hf_live_snapshot *table, uint64_t now_ns)
{
    const struct hf_live_head *head = &table->head;
    size_t count = table->counts[HF_LIVE_STACKS];
    if (start_is_taken(start, head) || head->minor < HF_LIVE_PEAKS_SINCE ||
        now_ns < head->monotonic_ns || now_ns - head->monotonic_ns < HF_LIVE_START_AFTER_NS)
        return;
    start->monotonic_ns = head->monotonic_ns;
    start->realtime_ns = head->realtime_ns;
    start->after_ns = now_ns - head->monotonic_ns;
    start->stack_count = count;
    for (size_t i = 0; i < count && i < HF_LIVE_START_STACKS; i++) {
        const struct hf_live_stack *stack = &hf_live_stacks(table)[i];
        start->stacks[i].objects =
            atomic_load_explicit(&stack->objects, memory_order_relaxed) -
            atomic_load_explicit(&stack->freed_objects, memory_order_relaxed);
        start->stacks[i].bytes = atomic_load_explicit(&stack->bytes, memory_order_relaxed) -
                                 atomic_load_explicit(&stack->freed_bytes, memory_order_relaxed);
    }
}

bool hf_live_start_is_of(const struct hf_live_start *start, const struct hf_live_head *head)
{
    return start_is_taken(start, head) && start->stack_count <= HF_LIVE_START_STACKS;
}
