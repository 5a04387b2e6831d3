/*
 * snapshot.h: the memory of a running process as it was at one instant: a copy of the process that
 * never runs. The kernel makes it, and copies a page only when the process writes to it.
 *
 * All threads are stopped, one of them makes one clone(2) (remote_call.h), and all go on. The stop
 * is as long as the kernel needs to copy the page tables, some 60 to 80 ms for each GiB resident.
 * While the copy is there, the first write to each page costs the process a few microseconds.
 * Memory that is shared with other processes (MAP_SHARED) is not frozen, and memory that the
 * program keeps from its children (MADV_DONTFORK) is missing.
 *
 * A separate process, the *guardian*, does this, and stays until the snapshot ends. Then it kills
 * the copy and makes the program wait for it, since no SIGCHLD tells the program to. It does the
 * same if this process dies for any reason. If the guardian dies, the kernel kills the copy. If
 * both die, the program goes on all the same; a zombie without memory is left in it, and at worst a
 * page of code that is never executed. The next snapshot of the process removes them (leftovers.h).
 *
 * A process is refused if a snapshot would harm it, i.e. if there is no room for a copy in memory
 * or in its cgroup, or it may have no more processes; and for the reasons in remote_call.h.
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
    struct hf_stopped_thread *threads; /* as they were when they were stopped */
    size_t thread_count;
    uint64_t stopped_ns; /* how long all threads stood still */
    pid_t copy;
    /* Of the copy, open: /proc/PID/mem, what lists its mappings (process_image.h), and pagemap. To
     * read them needs no rights. */
    int memory, maps, pages;
    /* For snapshot.c only. */
    pid_t guardian;
    int channel;
};

HF_MUST_CHECK enum hf_status hf_snapshot_take(
    struct hf_snapshot *snapshot, pid_t pid, struct hf_error *err);

/* Returns when nothing of the snapshot is left in the process. */
void hf_snapshot_end(struct hf_snapshot *snapshot);

#endif
