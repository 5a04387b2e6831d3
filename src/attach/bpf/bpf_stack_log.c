#include "attach/bpf/bpf_stack_log.h"

#include <stdatomic.h>
#include <string.h>

#define HEAD_WORDS 2u
#define WORDS (HF_BPF_STACK_LOG_BYTES / sizeof(uint64_t) - 1)

void hf_bpf_stack_log_add(struct hf_bpf_stack_log *log, const struct hf_bpf_logged_stack *stack)
{
    uint64_t at = log != NULL ? atomic_load(&log->count) : WORDS;
    if (at > WORDS || HEAD_WORDS + (uint64_t)stack->count > WORDS - at)
        return;
    log->words[at] = stack->hash;
    log->words[at + 1] = (uint64_t)stack->flags << 32 | stack->count;
    if (stack->count != 0)
        memcpy(&log->words[at + HEAD_WORDS], stack->frames, stack->count * sizeof *stack->frames);
    atomic_store(&log->count, at + HEAD_WORDS + stack->count); /* whole now */
}

bool hf_bpf_stack_log_next(
    const struct hf_bpf_stack_log *log, uint64_t *position, struct hf_bpf_logged_stack *out_stack)
{
    uint64_t at = *position, end = log != NULL ? atomic_load(&log->count) : 0;
    if (end > WORDS)
        end = WORDS;
    if (at > end || end - at < HEAD_WORDS)
        return false;
    uint64_t head = log->words[at + 1];
    uint32_t count = (uint32_t)head;
    if (count > end - at - HEAD_WORDS)
        return false;
    *out_stack = (struct hf_bpf_logged_stack){
        .hash = log->words[at],
        .frames = &log->words[at + HEAD_WORDS],
        .count = count,
        .flags = (uint32_t)(head >> 32),
    };
    *position = at + HEAD_WORDS + count;
    return true;
}
