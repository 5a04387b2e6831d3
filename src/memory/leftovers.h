/*
 * leftovers.h: what snapshots (snapshot.h) left in a process if their guardians were killed
 * together with heapflame: zombies without memory, i.e. children of the process that sent it no
 * signal when they ended; and our code at the program's entry, which is never executed again.
 *
 * Example:
 *
 *     struct hf_leftovers left = hf_leftovers_of(4711);
 *     if (left.zombie_count != 0 || left.has_code)
 *         status = hf_leftovers_remove(4711, err);
 */
#ifndef HF_MEMORY_LEFTOVERS_H
#define HF_MEMORY_LEFTOVERS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define HF_LEFTOVERS_MAX 64

struct hf_leftovers {
    size_t zombie_count; /* at most HF_LEFTOVERS_MAX */
    pid_t zombies[HF_LEFTOVERS_MAX];
    bool is_ending; /* a copy has yet to get a processor to end: it becomes a zombie soon */
    bool has_code;
};

/* Only asks the kernel, and stops nothing. */
struct hf_leftovers hf_leftovers_of(pid_t pid);

/* Also waits some seconds for copies that are ending. Does nothing if nothing is left. */
HF_MUST_CHECK enum hf_status hf_leftovers_remove(pid_t pid, struct hf_error *err);

#endif
