/*
 * guardian.h: the process that takes a snapshot (snapshot.h), and removes it afterwards.
 *
 * The guardian traces the copy, so the kernel kills the copy when the guardian ends, for whatever
 * reason.
 */
#ifndef HF_MEMORY_GUARDIAN_H
#define HF_MEMORY_GUARDIAN_H

#include "memory/stopped_threads.h"

/* The guardian's first message. Three descriptors come with it (snapshot.h), the threads behind
 * it. */
struct hf_guardian_reply {
    struct hf_error error; /* HF_OK: there is a copy */
    uint64_t stopped_ns;
    size_t thread_count;
    pid_t copy;
};

/* Runs in a process that was forked for it: takes the snapshot, replies, and returns when the other
 * end of `channel` was closed and the snapshot is removed. */
void hf_guardian_work(pid_t pid, int channel);

/*
 * Makes process `pid` wait for its child that has ended (`inner` is the child's number in the
 * process's own namespace; 0: there is none), and restores the code at its entry. Tries for some
 * seconds: another tool may trace the process, or its threads may get no processor.
 */
HF_MUST_CHECK enum hf_status hf_guardian_clean(pid_t pid, pid_t inner, struct hf_error *err);

#endif
