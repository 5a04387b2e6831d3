/*
 * root_ranges.h: where the *roots* of a process lie, the words outside of all heaps: the data of
 * modules, thread-local storage, stacks from the stack pointer on, registers, and other private
 * mappings; and whose they are.
 *
 * Memory of the recorder is no root: it knows all blocks that it sampled. That of its file is known
 * by name (agent_path.h), the other from its table (table_blocks.h).
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
    HF_ROOT_THREAD_LOCAL, /* and what the C library has for a thread */
    HF_ROOT_STACK,
    HF_ROOT_REGISTER,
    HF_ROOT_MAPPING, /* anonymous memory that is no heap's */
    HF_ROOT_KINDS
};

/* Who has the words: a module, a thread, or another mapping. */
struct hf_holder {
    enum hf_root_kind kind;
    const char *path; /* of the image: of the module, or of the mapping; "" for a thread's */
    pid_t thread;     /* 0: none */
};

struct hf_root_range {
    uint32_t holder;
    uint64_t start, end;
    const struct hf_stopped_thread *thread; /* its registers, and no bytes; NULL: bytes */
};

struct hf_root_ranges {
    struct hf_holder *holders;
    size_t holder_count, holder_capacity;
    struct hf_root_range *items;
    size_t count, capacity;
};

/* Borrows paths and threads of the image. Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_root_ranges_find(struct hf_root_ranges *ranges,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
void hf_root_ranges_done(struct hf_root_ranges *ranges);

#endif
