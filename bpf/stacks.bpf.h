/*
 * stacks.bpf.h: the stack of a call: its hash, and its copy, which user space is sent once for each
 * hash.
 *
 * A stack is known by a hash of those of its first HF_BPF_HASHED_WORDS words that could be return
 * addresses, which the first is, also of code in no file. The same call path has few hashes; two
 * paths with one hash were only seen where a JIT's code was in between. Code may come to lie where
 * other code was (dlclose(3), dlopen(3)), so the hash is one of options.code_turn, too.
 */
#ifndef HF_BPF_STACKS_H
#define HF_BPF_STACKS_H

#include "maps.bpf.h"

#include <asm/ptrace.h>
#include <stdbool.h>

/* The thread's number as the tool numbers threads. */
INLINE __u32 thread_number(const struct hf_bpf_options *o)
{
    struct bpf_pidns_info ids = {0};
    bpf_get_ns_current_pid_tgid(o->pid_namespace_device, o->pid_namespace_inode, &ids, sizeof ids);
    return ids.pid;
}

INLINE bool is_code(const struct hf_bpf_options *o, __u64 word)
{
    for (int i = 0; i < HF_BPF_CODE_RANGES; i++) {
        if (word - o->code_start[i] < o->code_end[i] - o->code_start[i])
            return true;
    }
    return false;
}

INLINE __u64 mix(__u64 hash, __u64 word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

/* Never 0. Where the stack ends before HF_BPF_HASHED_WORDS, the rest counts as no code. */
INLINE __u64 hash_stack(
    struct hf_bpf_processor *cpu, const struct hf_bpf_options *o, __u64 sp, __u64 seed)
{
    if (bpf_probe_read_user(cpu->words, sizeof cpu->words, (const void *)sp) != 0) {
        __u32 to_page_end =
            (HF_BPF_PAGE_BYTES - (sp & (HF_BPF_PAGE_BYTES - 1))) & (sizeof cpu->words - 1);
        bpf_probe_read_user(cpu->words, to_page_end, (const void *)sp);
    }
    __u64 hash = seed;
    for (int i = 0; i < HF_BPF_HASHED_WORDS; i++) {
        __u64 word = cpu->words[i];
        if (i == 0 || is_code(o, word))
            hash = mix(hash, word);
    }
    return hash | 1;
}

/* How much of the stack can be copied: a word of each page tells, and that of most ends soon. */
INLINE __u32 readable_pages(__u64 from)
{
    __u32 pages = 0;
    __u64 word;
    for (; pages < HF_BPF_STACK_PAGES; pages++) {
        if (bpf_probe_read_user(
                &word, sizeof word, (const void *)(from + pages * HF_BPF_PAGE_BYTES)) != 0)
            break;
    }
    return pages;
}

/* Sends the registers and a copy of the stack, unless that was done. */
INLINE void tell_stack(struct hf_bpf_processor *cpu, struct pt_regs *regs, __u64 hash, __u32 tid)
{
    __u8 seen = 1;
    if (bpf_map_lookup_elem(&seen_stacks, &hash) != 0)
        return;
    __u64 from = regs->rsp & ~(__u64)(HF_BPF_PAGE_BYTES - 1);
    __u32 pages = readable_pages(from);
    struct hf_bpf_stack *stack = bpf_ringbuf_reserve(&stacks, HF_BPF_STACK_BYTES(pages), 0);
    if (stack == 0) {
        count(cpu, HF_BPF_COUNT_LOST_STACKS);
        return;
    }
    stack->hash = hash;
    stack->ip = regs->rip;
    stack->sp = regs->rsp;
    stack->bp = regs->rbp;
    stack->tid = tid;
    stack->pages = 0;
    for (__u32 i = 0; i < HF_BPF_STACK_PAGES && i < pages; i++) {
        if (bpf_probe_read_user(stack->bytes + i * HF_BPF_PAGE_BYTES, HF_BPF_PAGE_BYTES,
                (const void *)(from + i * HF_BPF_PAGE_BYTES)) != 0)
            break;
        stack->pages = i + 1;
    }
    bpf_ringbuf_submit(stack, 0);
    bpf_map_update_elem(&seen_stacks, &hash, &seen, BPF_ANY);
}

#endif
