/*
 * guardian.h: the process that takes a snapshot (snapshot.h), and sees to it that nothing of it
 * stays.
 *
 * It is the one that traces: with its end, however that comes, the kernel kills the copy.
 */
#ifndef HF_MEMORY_GUARDIAN_H
#define HF_MEMORY_GUARDIAN_H

#include "memory/stopped_threads.h"

/* What it sends first: with it three descriptors (snapshot.h), behind it the threads. */
struct hf_guardian_reply {
    struct hf_error error; /* HF_OK: there is a copy */
    uint64_t stopped_ns;
    size_t thread_count;
    pid_t copy;
};

/* In a process that was forked for it: takes the snapshot, replies, and returns when `channel` has
 * been closed at the other end and all is as before. */
void hf_guardian_work(pid_t pid, int channel);

/*
 * Has process `pid` wait for its child `inner`, as it calls it, which has ended (0: none), and puts
 * back what stood at its entry. Tries for some seconds: another tool may have the process, or its
 * threads may get no processor.
 */
HF_MUST_CHECK enum hf_status hf_guardian_clean(pid_t pid, pid_t inner, struct hf_error *err);

#endif
