/*
 * memory_notice.h: notices at once when a memory cgroup runs out of memory, without polling.
 *
 * Version 1: an eventfd(2) in cgroup.event_control, for memory.oom_control and for
 * memory.usage_in_bytes at 80, 90 and 95 % of the limit. Version 2: inotify(7) of memory.events,
 * and a trigger in memory.pressure (Documentation/accounting/psi.rst) for a tenth of two seconds,
 * which is what the kernel lets everybody ask for. What is not there or not allowed is left out:
 * who is told asks now and then all the same.
 */
#ifndef HF_CAPTURE_MEMORY_NOTICE_H
#define HF_CAPTURE_MEMORY_NOTICE_H

#include "capture/loop.h"
#include "capture/memory_group.h"

struct hf_memory_notice {
    struct hf_loop_source sources[2]; /* fd -1: none */
    void (*take)(void *context);
    void *context;
};

/* From here on the loop calls `take` for each notice. */
void hf_memory_notice_begin(struct hf_memory_notice *notice, const struct hf_memory_group *group,
    struct hf_loop *loop, void (*take)(void *context), void *context);

/* Also of one that was never begun, if it is all-zero. */
void hf_memory_notice_end(struct hf_memory_notice *notice, struct hf_loop *loop);

#endif
