/*
 * bpf_blocks.h: what the program in the kernel (bpf/blocks.bpf.c) knows to be in use in the end,
 * and what it recorded and lost, told to the tracker.
 */
#ifndef HF_ATTACH_BPF_BLOCKS_H
#define HF_ATTACH_BPF_BLOCKS_H

#include "attach/bpf/bpf_maps.h"
#include "attach/tracker/tracker.h"
#include "base/containers/map.h"
#include "os/process/process_memory.h"

/* A stack whose call was made by another one of the spec: it does not count. */
#define HF_BPF_INNER_STACK (HF_TRACKER_NO_STACK - 1)

/* All borrowed. */
struct hf_bpf_blocks {
    struct hf_bpf_maps *maps;       /* of the program */
    const struct hf_memory *memory; /* of the process */
    uint64_t period_bytes;
    const struct hf_map *stacks; /* hash -> number in the tracker, or HF_BPF_INNER_STACK */
    struct hf_tracker *tracker;
};

HF_MUST_CHECK enum hf_status hf_bpf_blocks_put(
    const struct hf_bpf_blocks *blocks, struct hf_error *err);

#endif
