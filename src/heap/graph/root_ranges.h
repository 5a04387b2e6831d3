/*
 * root_ranges.h: where the *roots* of a process lie, i.e. the words outside of all heaps: the data
 * of modules, thread-local storage, stacks from the stack pointer on, registers, and other private
 * mappings; and which module, thread or mapping they belong to.
 *
 * Memory of the recorder (the agent) is not a root, because it contains the addresses of all blocks
 * that it sampled. The data of its file are known by the file's name (agent_path.h), its other
 * memory from its table (table_blocks.h).
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_process_image image = {0};
 *     struct hf_root_ranges ranges;
 *     status = hf_root_ranges_find(&ranges, &heap, &image, err);
 *     for (size_t i = 0; status == HF_OK && i < ranges.count; i++)
 *         hf_out_u64(out, ranges.items[i].end - ranges.items[i].start);
 *     hf_root_ranges_done(&ranges);
 */
#ifndef HF_HEAP_ROOT_RANGES_H
#define HF_HEAP_ROOT_RANGES_H

#include "heap/heap.h"
#include "memory/process_image.h"

enum hf_root_kind {
    HF_ROOT_DATA,         /* of a module */
    HF_ROOT_THREAD_LOCAL, /* with what the C library keeps for a thread */
    HF_ROOT_STACK,
    HF_ROOT_REGISTER,
    HF_ROOT_MAPPING, /* anonymous memory that is not part of a heap */
    HF_ROOT_KINDS
};

/* What the words belong to: a module, a thread, or another mapping. */
struct hf_holder {
    enum hf_root_kind kind;
    const char *path; /* of the module or the mapping, borrowed from the image; "" for a thread */
    pid_t thread;     /* 0: none */
};

struct hf_root_range {
    uint32_t holder;
    uint64_t start, end;
    /* The range is this thread's registers; NULL: it is memory. */
    const struct hf_stopped_thread *thread;
};

struct hf_root_ranges {
    struct hf_holder *holders;
    size_t holder_count, holder_capacity;
    struct hf_root_range *items;
    size_t count, capacity;
};

/* Borrows paths and threads from the image. Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_root_ranges_find(struct hf_root_ranges *ranges,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
void hf_root_ranges_done(struct hf_root_ranges *ranges);

#endif
