/*
 * residency.h: divides the resident memory of a recorded process: which stack mapped it, or what
 * else it is for. Every resident page is in one part, so the parts add up to the kernel's number.
 *
 * The live table says which stack mapped which addresses (agent/mappings.h). The kernel says how
 * much of them is resident: in smaps, and, if several stacks share what the kernel lists as one
 * mapping, in pagemap. Memory that no stack mapped is divided like this:
 *
 * - files, data, the main thread's stack, shared memory: by what is mapped there. Right behind a
 *   file lie those of its data that begin as zeroes;
 * - stacks of threads: they lie behind a small mapping without any access;
 * - the allocator's: the heap of brk, glibc's arenas, which begin at multiples of 64 MiB, mappings
 *   that the recorded allocator made itself, and mappings that contain large blocks of it;
 * - the rest is unknown.
 */
#ifndef HF_LIVE_RESIDENCY_H
#define HF_LIVE_RESIDENCY_H

#include "live/reader.h"

/*
 * Looks at process `pid`, which writes the table that is open as `fd`. HF_ERR_SYSTEM: heapflame may
 * not look at it, or it has ended, or become another program, before the look was over. Call
 * hf_live_resident_memory_done in either case.
 */
HF_MUST_CHECK enum hf_status hf_residency_take(int fd, const char *name, uint32_t pid,
    struct hf_live_resident_memory *out_memory, struct hf_error *err);

/* The sum of all parts. */
uint64_t hf_residency_total(const struct hf_live_resident_memory *memory);

#endif
