/*
 * control.h: what the program itself may switch and ask for while it runs (mallctl.c, api.c), and
 * what the configuration asks for in its place: dumps after so many bytes, of a new maximum of
 * memory, at the end.
 *
 * *Files* are named as jemalloc's, PREFIX.PID.SEQ.KIND, with a count of all dumps and one of each
 * kind: m0, m1 (asked for), i0 (interval), u0 (maximum), f (final). A file that is there is
 * replaced, as jemalloc does. In a program that runs with more rights than who started it the agent
 * is off, so the name of a file is never the business of somebody else.
 *
 * What nobody asked for is not written while a watcher is beside the process (live/layout.h), which
 * writes dumps by its own rules, without the program's waiting for them.
 *
 * A dump is written on the thread that asks or passes the mark. One at a time: others wait, for
 * some seconds at most. A dump that a signal handler asks for on the thread that writes one is
 * refused.
 *
 * Functions return 0 or an errno value, as mallctl does. Only in a process that owns its table.
 */
#ifndef HF_AGENT_CONTROL_H
#define HF_AGENT_CONTROL_H

#include "agent.h"
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The switches and marks of this process; begun for each table. */
struct hf_control {
    _Atomic bool is_thread_active_init; /* of threads that were not asked yet */
    _Atomic bool dumps_at_maximum;      /* of virtual memory */
    uint64_t interval_bytes;            /* 0: none */
    char opt_prefix[1024], prefix[1024];
};
extern HF_HIDDEN struct hf_control hf_control;

/* A new table: all as hf_agent.conf says. */
void hf_control_begin(void);

/*
 * The switch of the whole process: that of the table, which a reader's side may turn as well.
 */
static inline bool hf_control_is_active(void)
{
    return atomic_load_explicit(&hf_agent.table.control->is_paused, memory_order_relaxed) == 0;
}
static inline void hf_control_set_active(bool is_active)
{
    atomic_store_explicit(&hf_agent.table.control->is_paused, !is_active, memory_order_relaxed);
}

/* The switch of the calling thread. */
bool hf_control_thread_is_active(void);

/* True if what the calling thread allocates is to be recorded. */
static HF_FAST bool hf_control_records(void)
{
    return hf_control_is_active() &&
           (hf_agent_tls.activity == HF_ACTIVITY_ON || hf_control_thread_is_active());
}

void hf_control_set_thread_active(bool is_active);

/* ENAMETOOLONG if it has no room. */
HF_MUST_CHECK int hf_control_set_prefix(const char *prefix);

/* To the file at `path`; NULL: to the next m-file. EFAULT: it did not work. */
HF_MUST_CHECK int hf_control_dump(const char *path);

/* Dumps from here on leave out what was allocated before. EAGAIN: no memory for it. */
HF_MUST_CHECK int hf_control_reset(void);

/* An allocation was recorded, and may have passed a mark. No lock is held. */
void hf_control_pass_mark(size_t size_bytes);
static inline void hf_control_pass(size_t size_bytes)
{
    if (HF_UNLIKELY(hf_control.interval_bytes != 0 ||
                    atomic_load_explicit(&hf_control.dumps_at_maximum, memory_order_relaxed)))
        hf_control_pass_mark(size_bytes);
}

#endif
