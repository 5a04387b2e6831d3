/*
 * residency.h: what the resident memory of a recorded process is: which stack mapped it, or which
 * cause it has. Every resident page is in one part, so the parts add up to what the kernel says.
 *
 * The live table says who got which addresses (agent/mappings.h); how much of them is resident says
 * the kernel, in smaps, and where a mapping of the kernel's has several owners, in pagemap. What no
 * mapping of the program's explains:
 *
 * - files, data, the main thread's stack, shared memory: by what is mapped there; right behind a
 * file lie data of it that begin as zeroes;
 * - stacks of threads: behind a small mapping that nobody may touch;
 * - the allocator's: the heap of brk, the arenas of glibc, which begin at multiples of 64 MiB, what
 *   the recorded allocator mapped itself, and what holds large blocks that it gave out;
 * - the rest is not known.
 */
#ifndef HF_LIVE_RESIDENCY_H
#define HF_LIVE_RESIDENCY_H

#include "live/reader.h"

/*
 * Looks at process `pid`, which writes the table that is open as `fd`. HF_ERR_SYSTEM: it may not be
 * looked at, or it has become another program. Call hf_live_resident_memory_done in either case.
 */
HF_MUST_CHECK enum hf_status hf_residency_take(int fd, const char *name, uint32_t pid,
    struct hf_live_resident_memory *out_memory, struct hf_error *err);

/* All of it together. */
uint64_t hf_residency_total(const struct hf_live_resident_memory *memory);

#endif
