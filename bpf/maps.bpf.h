/*
 * maps.bpf.h: the maps of the program that follows blocks in the kernel, and its counters.
 *
 * Maps with one entry here get their room before they are made: src/attach/keeper/bpf_room.h.
 */
#ifndef HF_BPF_MAPS_H
#define HF_BPF_MAPS_H

#include "../src/attach/keeper/bpf_shared.h"

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define INLINE static __always_inline

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct hf_bpf_options);
} options SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct hf_bpf_followed);
} followed SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, HF_BPF_PROBES_MAX);
    __type(key, __u32);
    __type(value, struct hf_bpf_probe);
} probes SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} gaps SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct hf_bpf_processor);
} processors SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 16384); /* threads */
    __type(key, __u32);
    __type(value, struct hf_bpf_open_call);
} open_calls SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __type(key, __u64);
    __type(value, struct hf_bpf_block);
} blocks SEC(".maps");

/* Never an LRU: a generation that is lost brings dead blocks to life. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __type(key, __u64);
    __type(value, struct hf_bpf_context);
} contexts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, __u64);
    __type(value, __u8);
} short_lived SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 65536);
    __type(key, struct hf_bpf_total_key);
    __type(value, struct hf_bpf_total);
} totals SEC(".maps");

/* Of what falls out, the stack is sent again: no harm. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 1);
    __type(key, __u64);
    __type(value, __u8);
} seen_stacks SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096);
} stacks SEC(".maps");

INLINE void count(struct hf_bpf_processor *cpu, enum hf_bpf_count what)
{
    cpu->counts[what]++;
}

#endif
