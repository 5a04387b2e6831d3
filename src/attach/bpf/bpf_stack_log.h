/*
 * bpf_stack_log.h: which stacks were walked, and the hash that the kernel knows each by, in memory
 * that is shared: if whoever walks them dies, another can read the blocks that are in the kernel.
 *
 * It only grows, up to its room; a stack that finds none is not in it. Whoever wrote it may have
 * been taken over, so it is read as any input. What its frames mean is said by the live table that
 * they are for.
 */
#ifndef HF_ATTACH_BPF_STACK_LOG_H
#define HF_ATTACH_BPF_STACK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of address space; memory is used as it fills. As many stacks as the kernel has room for
 * (bpf/blocks.bpf.c: totals), with 120 frames each. */
#define HF_BPF_STACK_LOG_BYTES (UINT64_C(64) << 20)

struct hf_bpf_stack_log {
    _Atomic uint64_t count;                                        /* of the words that are whole */
    uint64_t words[HF_BPF_STACK_LOG_BYTES / sizeof(uint64_t) - 1]; /* of each: hash, flags << 32 |
                                                                      frames, frames */
};
_Static_assert(sizeof(struct hf_bpf_stack_log) == HF_BPF_STACK_LOG_BYTES, "it fills its room");

/* Flags of one whose call was made by another of the spec: HF_BPF_INNER_STACK. */
#define HF_BPF_LOGGED_INNER UINT32_MAX

struct hf_bpf_logged_stack {
    uint64_t hash;
    const uint64_t *frames; /* leaf first; in the log */
    uint32_t count, flags;
};

/* All-zero is empty. Both of NULL, too, which nothing is in. */
void hf_bpf_stack_log_add(struct hf_bpf_stack_log *log, const struct hf_bpf_logged_stack *stack);

/* One after the other, from *position 0 on. False: that was all. */
bool hf_bpf_stack_log_next(
    const struct hf_bpf_stack_log *log, uint64_t *position, struct hf_bpf_logged_stack *out_stack);

#endif
