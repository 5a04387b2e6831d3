/*
 * contexts.bpf.h: contexts of memory (PostgreSQL's, say), which free their blocks at once: which
 * are alive, and which are followed. A reset makes a new generation of the context; a block of an
 * older one is dead, and stays in its map until user space reads it.
 */
#ifndef HF_BPF_CONTEXTS_H
#define HF_BPF_CONTEXTS_H

#include "maps.bpf.h"

#include <stdbool.h>

/* What is known of the context; a new one is remembered. NULL: no room, or no contexts at all. */
INLINE struct hf_bpf_context *context_at(
    struct hf_bpf_processor *cpu, const struct hf_bpf_options *o, __u64 address)
{
    struct hf_bpf_context *known = bpf_map_lookup_elem(&contexts, &address);
    if (known != 0 && !known->is_dead)
        return known;
    __u64 name = 0;
    if (o->has_names)
        bpf_probe_read_user(&name, sizeof name, (const void *)(address + o->name_offset));
    if (known != 0) {
        known->name = name;
        known->is_dead = 0;
        return known;
    }
    struct hf_bpf_context fresh = {.name = name};
    if (bpf_map_update_elem(&contexts, &address, &fresh, BPF_ANY) != 0) {
        count(cpu, HF_BPF_COUNT_LOST_CONTEXTS);
        return 0;
    }
    return bpf_map_lookup_elem(&contexts, &address);
}

INLINE bool is_skipped(const struct hf_bpf_options *o, const struct hf_bpf_context *context)
{
    __u64 name = context->name;
    return o->skips_short_lived && !context->is_kept &&
           bpf_map_lookup_elem(&short_lived, &name) != 0;
}

INLINE void end_blocks_of(
    struct hf_bpf_processor *cpu, const struct hf_bpf_options *o, __u64 address, bool is_deleted)
{
    struct hf_bpf_context *context = context_at(cpu, o, address);
    if (context == 0)
        return;
    __u64 name = context->name;
    __u8 yes = 1;
    bpf_map_update_elem(&short_lived, &name, &yes, BPF_ANY);
    context->generation++;
    context->is_kept = 0;
    if (is_deleted) {
        context->is_dead = 1;
        bpf_map_delete_elem(&blocks, &address); /* its own birth */
    }
}

/* Of contexts, only what is in one that is followed; *out_generation is its. */
INLINE bool wants_context(struct hf_bpf_processor *cpu, const struct hf_bpf_options *o,
    __u64 address, __u32 *out_generation)
{
    if (address == 0)
        return true; /* in none, though others are */
    struct hf_bpf_context *context = context_at(cpu, o, address);
    if (context == 0)
        return false;
    if (is_skipped(o, context)) {
        count(cpu, HF_BPF_COUNT_SKIPPED);
        return false;
    }
    *out_generation = context->generation;
    return true;
}

/* False: its context was reset or deleted since. */
INLINE bool is_alive(const struct hf_bpf_block *block)
{
    __u64 address = block->context;
    const struct hf_bpf_context *context =
        address != 0 ? bpf_map_lookup_elem(&contexts, &address) : 0;
    return context == 0 || context->generation == block->generation;
}

#endif
