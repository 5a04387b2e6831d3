/*
 * race.h: the memory of a process that nobody stops, as one reads it while it goes on: no copy, no
 * system call in the process, no ptrace(2), no instant either. What changes while it is read may be
 * seen twice, or not at all; so whoever looks for what is missing looks again (block_graph.h).
 *
 * Of a thread that waits in a system call the kernel tells the call's arguments, the stack pointer
 * and the program counter; of one that runs, no register. Its stack counts as a whole, from the
 * lowest address of its mapping: nothing that it has there is missed, but words of calls that have
 * returned still hold something. Where a thread's own data lie the C library notes in them, beside
 * the thread's number (struct pthread of glibc): fs_base points there, so it is found by that
 * shape.
 *
 * Example:
 *
 *     struct hf_snapshot look;
 *     struct hf_process_image image = {0};
 *     status = hf_race_open(&look, 4711, err);
 *     if (status == HF_OK)
 *         status = hf_process_image_of_snapshot(&image, &look, err);
 *     if (status == HF_OK)
 *         status = hf_race_find_threads(&image, look.threads, err);
 *     if (status == HF_OK)
 *         hf_out_hex(out, look.threads[0].registers.fs_base);
 *     hf_process_image_done(&image);
 *     hf_snapshot_end(&look);
 */
#ifndef HF_MEMORY_RACE_H
#define HF_MEMORY_RACE_H

#include "memory/process_image.h"

/*
 * As hf_snapshot_take, of the process itself; `stopped_ns` is 0. Of its threads those
 * registers are known that the kernel tells. HF_ERR_SYSTEM: there is none, or no right to read it.
 */
HF_MUST_CHECK enum hf_status hf_race_open(
    struct hf_snapshot *look, pid_t pid, struct hf_error *err);

/* How many general registers of these threads nobody knows. A thread that waits in a system call
 * still has those that a call keeps. */
size_t hf_race_unread_registers(const struct hf_stopped_thread *threads, size_t count);

/* `threads` are those of the image: sets fs_base, and rsp where it is 0, of all that it finds.
 * Reads anonymous memory once, until it has them all. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_race_find_threads(
    const struct hf_process_image *image, struct hf_stopped_thread *threads, struct hf_error *err);

#endif
