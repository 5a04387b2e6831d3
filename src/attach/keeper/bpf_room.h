/*
 * bpf_room.h: how many entries the maps of bpf/blocks.bpf.c have room for. The kernel takes memory
 * for that when they are made, whether they fill or not: 16 bytes for each entry of a hash, and 80
 * where it must not ask for memory later; the ring as it is. So room is made for what is asked.
 *
 *                    alone            one of many    sampled
 *     blocks         1 Mi             256 Ki         the machine's memory by the period
 *     contexts       1 Mi             256 Ki         as not sampled; none without contexts
 *     seen stacks    32 Ki            32 Ki          16 Ki
 *     ring           4 MiB each       2 MiB each     2 MiB each processor; 4 to 16 MiB in all,
 *                                                     8 with contexts
 *
 * What finds no room is counted and told as lost (bpf_shared.h).
 */
#ifndef HF_ATTACH_BPF_ROOM_H
#define HF_ATTACH_BPF_ROOM_H

#include <stdint.h>

/* What will be followed, as whoever follows it says: of any values. */
struct hf_bpf_wish {
    uint64_t period_bytes;  /* mean bytes between samples; 0, 1: everything */
    uint64_t context_count; /* of those that are there at the start */
    uint32_t is_session;    /* 0: entry and return apart, as kernels before 6.13 have it */
    uint32_t has_contexts;
    uint32_t is_one_of_many; /* processes that are followed at once */
    uint32_t reserved;
};

struct hf_bpf_machine {
    uint32_t processors;
    uint64_t memory_bytes;
};

/* Entries; all above 0. */
struct hf_bpf_room {
    uint32_t gaps, blocks, contexts, short_lived, seen_stacks;
    uint32_t ring_bytes; /* a power of two */
};

struct hf_bpf_room hf_bpf_room_of(
    const struct hf_bpf_wish *wish, const struct hf_bpf_machine *machine);

#endif
