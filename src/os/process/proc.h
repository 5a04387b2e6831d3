/*
 * proc.h: what the system says of a process that may be another's: proc(5).
 *
 * A process may end at any time, and its number may then be given to another one: number and start
 * together name it for as long as the machine runs.
 *
 * Example:
 *
 *     uint64_t ticks;
 *     if (!hf_proc_start_ticks(4711, &ticks))
 *         return hf_error_set(err, HF_ERR_SYSTEM, "there is no process 4711");
 */
#ifndef HF_OS_PROC_H
#define HF_OS_PROC_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * When it started, in clock ticks since the machine did. False if there is no such process, or it
 * has ended and its parent has yet to ask how.
 */
HF_MUST_CHECK bool hf_proc_start_ticks(uint32_t pid, uint64_t *out_ticks);

/*
 * It has ended, or is about to: an end gives back the memory first, so that nothing of it can be
 * read, and is told as one by /proc only some time later.
 */
HF_MUST_CHECK bool hf_proc_is_ending(uint32_t pid);

/* A process that sends its parent no signal when it ends; *out_has_ended: it has, and its parent
 * did not wait for it yet. */
HF_MUST_CHECK bool hf_proc_has_no_signal(uint32_t pid, bool *out_has_ended);

/* Whether a thread computes, or waits for a processor, i.e. not for anything else. */
HF_MUST_CHECK bool hf_proc_is_running(uint32_t tid);

/*
 * A number for the program that it runs now: of what the kernel told that when it began (auxv),
 * which exec(3) makes anew, and nothing else. False also for who may not trace the process, and of
 * one that has ended.
 */
HF_MUST_CHECK bool hf_proc_program(uint32_t pid, uint64_t *out_program);

/* The number that the process itself has for itself, in a container another one. 0: not known. */
uint32_t hf_proc_inner_id(uint32_t pid);

/* Who started it, or took it over; 0: not known. */
uint32_t hf_proc_parent(uint32_t pid);

/* Who traces it, as a debugger does; 0: nobody. */
uint32_t hf_proc_tracer(uint32_t pid);

/*
 * What it has computed so far, itself and in the kernel, of all its threads: in all, exactly; the
 * two parts, in ticks of the clock.
 */
struct hf_proc_times {
    uint64_t computed_ns, user_ns, system_ns;
};
HF_MUST_CHECK bool hf_proc_times(uint32_t pid, struct hf_proc_times *out_times);

/*
 * The first of these by the clock of the process, clock_getcpuclockid(3), which everybody may read:
 * also of one that has ended and for which nobody has waited yet.
 */
HF_MUST_CHECK bool hf_proc_computed_ns(uint32_t pid, uint64_t *out_ns);

/* What a thread is called, put into `name`; empty if there is none. */
#define HF_PROC_NAME_MAX 64
struct hf_text hf_proc_thread_name(uint32_t pid, uint32_t tid, char name[HF_PROC_NAME_MAX]);

/* The first word of its command line, which some processes put a title into: as the name. */
#define HF_PROC_TITLE_MAX 256
struct hf_text hf_proc_title(uint32_t pid, char title[HF_PROC_TITLE_MAX]);

/*
 * Calls `take` with each process that a thread of it started and that has not ended, as far as the
 * kernel says who they are (CONFIG_PROC_CHILDREN).
 */
void hf_proc_children(
    uint32_t pid, uint32_t tid, void (*take)(void *context, uint32_t child), void *context);

/* Bytes of memory that it has resident, and those of them that are of no file and not shared. */
struct hf_proc_memory {
    uint64_t resident_bytes, anonymous_bytes;
};
HF_MUST_CHECK bool hf_proc_memory(uint32_t pid, struct hf_proc_memory *out_memory);

/*
 * Itself; or one of its threads, if the first has ended before the others. What the kernel tells of
 * the memory of a process (maps, auxv, exe, statm) it tells by the number of a thread that lives.
 */
uint32_t hf_proc_living_thread(uint32_t pid);

/* What the machine has for new allocations without swapping: MemAvailable of proc(5). */
HF_MUST_CHECK bool hf_proc_available(uint64_t *out_bytes);

#endif
