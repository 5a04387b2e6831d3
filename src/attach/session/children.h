/*
 * children.h: what the processes do that a process started, and that are not followed with it: a
 * master that only starts workers allocates nothing itself.
 */
#ifndef HF_ATTACH_CHILDREN_H
#define HF_ATTACH_CHILDREN_H

#include "profile/notes.h"

#include <stddef.h>
#include <stdint.h>

/* Most that are looked at: what is beyond is not said. */
#define HF_CHILDREN_MOST 256

struct hf_child {
    uint32_t pid;
    uint64_t start_ticks, computed_ns;
};

/* All-zero is none. Itself comes first. */
struct hf_children {
    struct hf_child items[HF_CHILDREN_MOST];
    size_t count;
    size_t parallel_workers; /* of PostgreSQL: they are beside, not below */
};

/* The process and all below it, as far as the kernel says who they are (CONFIG_PROC_CHILDREN). */
void hf_children_look(struct hf_children *children, uint32_t pid);

/*
 * Notes who of them computed since `before`, if that is more than the process itself did, or no
 * call was seen at all, which is noted in any case.
 */
void hf_children_note(const struct hf_children *before, const struct hf_children *after,
    uint64_t calls, uint64_t passed_ns, struct hf_notes *notes);

#endif
