/*
 * seal.h: under a seccomp filter the agent asks the system for nothing.
 *
 * A filter is the program's own, and lists what the program calls; the default for the rest is
 * often to kill. So when one is about to come (guard.h sees it), all is made ready that recording
 * will need, and the gate (base/gate.h) is shut for good. From then on the recording path makes do:
 *
 *  - of the table HF_SEAL_SAMPLED_BYTES, or HF_SEAL_EXACT_BYTES, are there beside what it has used;
 *    so are entries of the index for the blocks that fit, and places for HF_THREADS_RESERVED more
 *    threads. Of all that only the table takes memory before it is used. When it is used up, the
 *    table is full, and what does not fit is counted as lost.
 *  - a thread's number is read where libc keeps it, its name is that of the thread that was sealed.
 *  - of a stack that is not the thread's own one page is walked; code that is loaded later has no
 *    names and no unwind information; births are as coarse as the clock's tick.
 *  - no dump is written, a forked child is inert.
 *
 * *A filter that is there from the start* came with the program's image, by its launcher or its
 * container. Whether it lets the agent's calls pass is tried in a child, which may die of it
 * (trial.h); if not, the agent does nothing at all.
 */
#ifndef HF_AGENT_SEAL_H
#define HF_AGENT_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#define HF_SEAL_SAMPLED_BYTES (UINT64_C(4) << 20)
#define HF_SEAL_EXACT_BYTES (UINT64_C(64) << 20)
#define HF_SEAL_SHADOW_PIECES 16u /* mapped, not used: of 64 MiB each */

/* Before a filter. False: it was shut already, or this process is not the one to be filtered. */
bool hf_seal(void);

/* The filter was refused, and hf_seal returned true: as before. */
void hf_seal_undo(void);

#endif
