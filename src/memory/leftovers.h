/*
 * leftovers.h: what snapshots (snapshot.h) left in a process whose guardians were killed together
 * with the tool: zombies without memory, children of the process that no signal told it of, and
 * code of ours at its entry, where nothing ever comes.
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
    bool has_code;
};

/* Asks the kernel only; nothing is stopped. */
struct hf_leftovers hf_leftovers_of(pid_t pid);

HF_MUST_CHECK enum hf_status hf_leftovers_remove(pid_t pid, struct hf_error *err);

#endif
