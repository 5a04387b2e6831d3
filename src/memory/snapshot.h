/*
 * snapshot.h: the memory of a running process as it was at one instant: a copy of the process,
 * made by the kernel page by page and only where the two differ, which never runs.
 *
 * All threads are stopped, one of them makes one clone(2) (remote_call.h), and all go on: the stop
 * is as long as the kernel needs for the page tables, some 60 to 80 ms for each GiB resident. While
 * the copy is there, the first write to each page costs the process a few microseconds. What is
 * shared with others (MAP_SHARED) is not frozen, and what the program keeps from its children
 * (MADV_DONTFORK) is missing.
 *
 * A *guardian*, a process of its own, does that and stays until the snapshot ends: then it kills
 * the copy and has the program wait for it, since no SIGCHLD tells it to. It does so, too, when
 * this process dies, of whatever. If the guardian dies, the kernel kills the copy, and if both do,
 * the program goes on all the same; what stays then is a zombie without memory, and at worst a page
 * of code that nobody comes to: leftovers.h removes them.
 *
 * Refused where it would harm: no room for a copy in memory, in its cgroup or among its processes;
 * and what remote_call.h refuses.
 *
 * Example:
 *
 *     #include "os/process/process_memory.h"
 *
 *     struct hf_snapshot snapshot;
 *     status = hf_snapshot_take(&snapshot, 4711, err);
 *     if (status != HF_OK)
 *         return status;
 *     struct hf_memory memory = hf_memory_of_file(&snapshot.memory);
 *     uint64_t word;
 *     if (hf_memory_copy(&memory, snapshot.threads[0].registers.rsp, &word, sizeof word))
 *         hf_out_hex(out, word);
 *     hf_snapshot_end(&snapshot);
 */
#ifndef HF_MEMORY_SNAPSHOT_H
#define HF_MEMORY_SNAPSHOT_H

#include "memory/stopped_threads.h"

struct hf_snapshot {
    struct hf_stopped_thread *threads; /* as they were */
    size_t thread_count;
    uint64_t stopped_ns; /* how long all threads stood still */
    pid_t copy;
    /* Of the copy: /proc/PID/mem, maps and pagemap, which need no right to be read. */
    int memory, maps, pages;
    /* Its own. */
    pid_t guardian;
    int channel;
};

HF_MUST_CHECK enum hf_status hf_snapshot_take(
    struct hf_snapshot *snapshot, pid_t pid, struct hf_error *err);

/* Returns when nothing of it is left in the process. */
void hf_snapshot_end(struct hf_snapshot *snapshot);

#endif
