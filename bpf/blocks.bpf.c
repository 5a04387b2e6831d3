/*
 * blocks.bpf.c: the allocator's calls of one process, followed in the kernel: which blocks are in
 * use, and the hash of the stack that allocated each. User space is told of each stack once, and
 * reads the blocks in the end; so a full ring loses stacks' names, but never a free.
 *
 * The same rules as src/attach/tracker/tracker.h, which explains them, for who has no ranges to
 * follow. Every call comes here once, with the number of its probe as cookie: as a *session*
 * (Linux 6.13) the return is trapped only if the entry asked for it, which makes sampling pay; else
 * as entry and return apart, which needs nothing that a kernel without types of its own (BTF)
 * lacks. BY_SESSIONS or BY_PAIRS says which of the two is compiled.
 *
 * Probes go in and out one after another, which takes a while, so what they see counts only while
 * the gate is open: options.is_open. An exec(3) closes it for good.
 */
#include "contexts.bpf.h"
#include "maps.bpf.h"
#include "stacks.bpf.h"
#include "values.bpf.h"

#include "../src/spec/role.h"

const char license_name[] SEC("license") = "Dual BSD/GPL";

/* True if a block of `size` bytes is sampled: the gaps are exponential, so P = 1 -
 * exp(-size/period). */
INLINE bool is_sampled(struct hf_bpf_processor *cpu, const struct hf_bpf_options *o, __u64 size)
{
    if (o->period_bytes <= 1)
        return true;
    cpu->left -= (__s64)size;
    if (cpu->left > 0)
        return false;
    __u32 gap = cpu->gap++ & (HF_BPF_GAPS - 1);
    __u64 *drawn = bpf_map_lookup_elem(&gaps, &gap);
    cpu->left = drawn != 0 ? (__s64)*drawn : (__s64)o->period_bytes;
    return true;
}

INLINE void end_block(struct hf_bpf_processor *cpu, __u64 address)
{
    if (address == 0)
        return;
    bool was_known = bpf_map_delete_elem(&blocks, &address) == 0;
    count(cpu, was_known ? HF_BPF_COUNT_FREES : HF_BPF_COUNT_UNKNOWN_FREES);
}

/* The old block of a realloc that failed, or never returned, is what it was. */
INLINE void put_back(const struct hf_bpf_open_call *call)
{
    __u64 address = call->pointer;
    if (call->has_old)
        bpf_map_update_elem(&blocks, &address, &call->old, BPF_NOEXIST);
}

/*
 * True if the function with its return address at `sp` was reached by a jump from another whose
 * return is trapped: the address there is that of the trap, which is in no file.
 */
INLINE bool is_trapped(const struct hf_bpf_options *o, __u64 sp)
{
    __u64 address = 0;
    bpf_probe_read_user(&address, sizeof address, (const void *)sp);
    return address != 0 && !is_code(o, address);
}

/* True if a call of the thread is open that this one was made by: then it is that one's affair. */
INLINE bool is_inner(
    struct hf_bpf_processor *cpu, const struct hf_bpf_options *o, __u32 thread, __u64 sp)
{
    const struct hf_bpf_open_call *outer = bpf_map_lookup_elem(&open_calls, &thread);
    if (outer == 0)
        return false;
    if (outer->pointer == 0 && outer->turn != o->turn) {
        bpf_map_delete_elem(&open_calls, &thread); /* births were not followed since */
        return false;
    }
    if (outer->sp > sp || (outer->sp == sp && is_trapped(o, sp)))
        return true;
    put_back(outer); /* it never returned */
    bpf_map_delete_elem(&open_calls, &thread);
    count(cpu, HF_BPF_COUNT_UNPAIRED_ENTRIES);
    return false;
}

/* Most frees are of blocks that were not sampled: they cost one look. */
INLINE void enter_free(struct hf_bpf_processor *cpu, const struct hf_bpf_options *o, __u64 address,
    struct hf_bpf_open_call *call)
{
    if (o->period_bytes > 1 && bpf_map_lookup_elem(&blocks, &address) == 0)
        return;
    if (!is_inner(cpu, o, call->thread, call->sp))
        end_block(cpu, address);
}

/*
 * An alloc, realloc or ctxnew was entered. True if it shall be seen to return. Whether it is
 * sampled is asked first, because that sends most away.
 */
INLINE bool open(struct hf_bpf_processor *cpu, const struct hf_bpf_options *o,
    const struct hf_bpf_probe *probe, struct hf_bpf_open_call *call, struct pt_regs *regs)
{
    if (probe->role != HF_ROLE_REALLOC)
        count(cpu, HF_BPF_COUNT_BIRTH_STOPS);
    if (probe->role != HF_ROLE_REALLOC && o->turn % 2 != 0)
        return false; /* its probe is going out */
    call->turn = o->turn;
    call->size = value_of(&probe->size, call->arguments, 0);
    call->context = value_of(&probe->context, call->arguments, 0);
    call->pointer = value_of(&probe->pointer, call->arguments, 0);
    bool is_wanted = (!o->is_part_of_time || o->turn % 2 == 0) && is_sampled(cpu, o, call->size);
    if (probe->role == HF_ROLE_REALLOC && call->pointer != 0) {
        const struct hf_bpf_block *old = bpf_map_lookup_elem(&blocks, &call->pointer);
        if (old != 0) {
            call->has_old = 1;
            call->old = *old;
            if (probe->context.kind == HF_BPF_NOTHING)
                call->context = old->context;
        }
    }
    if (probe->role == HF_ROLE_REALLOC && probe->is_in_context && call->context == 0)
        is_wanted = false; /* in which, nobody knows: its reset would not be seen */
    if ((!is_wanted && !call->has_old) || is_inner(cpu, o, call->thread, call->sp))
        return false;
    if (is_wanted && o->has_contexts && probe->role != HF_ROLE_CTXNEW)
        is_wanted = wants_context(cpu, o, call->context, &call->generation);
    if (is_wanted) {
        call->stack = hash_stack(cpu, o, call->sp, mix(mix(regs->rip, call->probe), o->code_turn));
        tell_stack(cpu, regs, call->stack, thread_number(o));
    }
    if (!is_wanted && !call->has_old)
        return false;
    if (bpf_map_update_elem(&open_calls, &call->thread, call, BPF_ANY) != 0) {
        count(cpu, HF_BPF_COUNT_LOST_CALLS);
        return false;
    }
    if (call->has_old)
        bpf_map_delete_elem(&blocks, &call->pointer);
    return true;
}

/* True if the return of the call matters. */
INLINE bool enter(struct pt_regs *regs, struct hf_bpf_processor *cpu,
    const struct hf_bpf_options *o, const struct hf_bpf_probe *probe, __u32 number, __u32 thread)
{
    struct hf_bpf_open_call call = {
        .arguments = {regs->rdi, regs->rsi, regs->rdx, regs->rcx, regs->r8, regs->r9},
        .sp = regs->rsp,
        .probe = number,
        .thread = thread,
    };
    switch (probe->role) {
    case HF_ROLE_FREE:
        enter_free(cpu, o, value_of(&probe->pointer, call.arguments, 0), &call);
        return false;
    case HF_ROLE_RESET:
    case HF_ROLE_DELETE:
        end_blocks_of(
            cpu, o, value_of(&probe->context, call.arguments, 0), probe->role == HF_ROLE_DELETE);
        return false;
    default: return open(cpu, o, probe, &call, regs);
    }
}

INLINE void add_total(struct hf_bpf_processor *cpu, const struct hf_bpf_block *block)
{
    struct hf_bpf_total_key key = {.stack = block->stack, .context = block->context};
    struct hf_bpf_total *total = bpf_map_lookup_elem(&totals, &key);
    if (total == 0) {
        struct hf_bpf_total fresh = {0};
        const struct hf_bpf_context *context =
            block->context != 0 ? bpf_map_lookup_elem(&contexts, &block->context) : 0;
        if (context != 0)
            fresh.name = context->name;
        bpf_map_update_elem(&totals, &key, &fresh, BPF_NOEXIST);
        total = bpf_map_lookup_elem(&totals, &key);
    }
    if (total == 0) {
        count(cpu, HF_BPF_COUNT_LOST_STACKS);
        return;
    }
    __sync_fetch_and_add(&total->count, 1);
    __sync_fetch_and_add(&total->bytes, block->size);
}

/* Puts the block of a call that succeeded into the place of its old one. */
INLINE void put_block(struct hf_bpf_processor *cpu, const struct hf_bpf_options *o,
    const struct hf_bpf_open_call *call, __u32 role, __u64 address)
{
    struct hf_bpf_block block = {
        .size = call->size,
        .context = call->context,
        .stack = call->stack,
        .birth_ns = bpf_ktime_get_ns(),
        .generation = call->generation,
        .tid = thread_number(o),
        .role = role,
    };
    const struct hf_bpf_block *there = bpf_map_lookup_elem(&blocks, &address);
    if (call->has_old && call->pointer == address)
        block.birth_ns = call->old.birth_ns; /* a realloc in place */
    if (there != 0 && is_alive(there))
        count(cpu, HF_BPF_COUNT_OVERWRITTEN); /* its free was not seen */
    if (bpf_map_update_elem(&blocks, &address, &block, BPF_ANY) != 0)
        count(cpu, HF_BPF_COUNT_LOST_BLOCKS);
    count(cpu, HF_BPF_COUNT_ALLOCS);
    add_total(cpu, &block);
}

/*
 * A context was born, at an address that another may have had. It is a block whatever its class:
 * one that stays weighs what is in it (attach/tracker/in_use.h), also where blocks are skipped.
 */
INLINE void put_context(struct hf_bpf_processor *cpu, const struct hf_bpf_options *o,
    struct hf_bpf_open_call *call, __u64 address)
{
    struct hf_bpf_context *known = bpf_map_lookup_elem(&contexts, &address);
    if (known != 0) {
        known->is_dead = 1;
        known->generation++;
    }
    if (context_at(cpu, o, address) == 0)
        return;        /* which is counted */
    call->context = 0; /* a reset does not free it */
    put_block(cpu, o, call, HF_ROLE_CTXNEW, address);
}

INLINE void leave(struct pt_regs *regs, struct hf_bpf_processor *cpu,
    const struct hf_bpf_options *o, const struct hf_bpf_probe *probe, __u32 number, __u32 thread)
{
    const struct hf_bpf_open_call *there = bpf_map_lookup_elem(&open_calls, &thread);
    if (there == 0 || there->probe != number || there->sp + 8 != regs->rsp)
        return; /* of a call within another, or that was open at the start */
    struct hf_bpf_open_call call = *there;
    bpf_map_delete_elem(&open_calls, &thread);
    __u64 address = value_of(&probe->new_block, call.arguments, regs->rax);
    if (probe->role == HF_ROLE_CTXNEW) {
        put_context(cpu, o, &call, address != 0 ? address : call.context);
        return;
    }
    bool is_done = address != 0 && has_succeeded(probe, &call, regs->rax);
    if (!is_done && !(probe->role == HF_ROLE_REALLOC && call.size == 0)) {
        put_back(&call); /* it failed; but realloc(p, 0) is a free */
        return;
    }
    if (call.has_old)
        count(cpu, HF_BPF_COUNT_FREES);
    else if (call.pointer != 0 && probe->role == HF_ROLE_REALLOC && o->period_bytes <= 1)
        count(cpu, HF_BPF_COUNT_UNKNOWN_FREES);
    if (is_done && call.stack != 0)
        put_block(cpu, o, &call, probe->role, address);
}

/* The probes are those of one process alone, so nothing is asked of who comes here. */
INLINE bool handle(struct pt_regs *regs, bool is_return)
{
    __u32 zero = 0;
    __u32 number = (__u32)bpf_get_attach_cookie(regs);
    __u64 ids = bpf_get_current_pid_tgid();
    __u32 thread = (__u32)ids;
    const struct hf_bpf_options *o = bpf_map_lookup_elem(&options, &zero);
    struct hf_bpf_followed *process = bpf_map_lookup_elem(&followed, &zero);
    const struct hf_bpf_probe *probe = bpf_map_lookup_elem(&probes, &number);
    struct hf_bpf_processor *cpu = bpf_map_lookup_elem(&processors, &zero);
    if (o == 0 || process == 0 || probe == 0 || cpu == 0)
        return false;
    if (!o->is_open || process->has_ended)
        return false;
    if (process->number == 0)
        process->number = ids >> 32;
    if (is_return) {
        leave(regs, cpu, o, probe, number, thread);
        return true;
    }
    count(cpu, HF_BPF_COUNT_STOPS);
    return enter(regs, cpu, o, probe, number, thread);
}

/* A process becomes another program: if it is the one that is followed, nothing counts any more. */
SEC("raw_tp/sched_process_exec")
int execed(void *unused)
{
    __u32 zero = 0;
    struct bpf_pidns_info ids = {0};
    const struct hf_bpf_options *o = bpf_map_lookup_elem(&options, &zero);
    struct hf_bpf_followed *process = bpf_map_lookup_elem(&followed, &zero);
    (void)unused;
    if (o == 0 || process == 0)
        return 0;
    bpf_get_ns_current_pid_tgid(o->pid_namespace_device, o->pid_namespace_inode, &ids, sizeof ids);
    if (ids.tgid == o->process || bpf_get_current_pid_tgid() >> 32 == process->number)
        process->has_ended = 1;
    return 0;
}

#ifdef BY_SESSIONS
extern bool bpf_session_is_return(void) __ksym __weak;

SEC("uprobe")
int session(struct pt_regs *regs)
{
    return handle(regs, bpf_session_is_return()) ? 0 : 1; /* 1: no return */
}
#endif

#ifdef BY_PAIRS
SEC("uprobe")
int entered(struct pt_regs *regs)
{
    handle(regs, false);
    return 0;
}

SEC("uprobe")
int returned(struct pt_regs *regs)
{
    handle(regs, true);
    return 0;
}
#endif
