/*
 * thread.h: what the agent keeps of a thread, and where the thread's stack can be read.
 *
 * An hf_thread is mapped for the first slow path of a thread and used again by another when it
 * ends. The destructor of a pthread key gives it back, in the last round of destructors, because
 * those of others still free what was recorded. libc itself frees something after that, and may be
 * the first in its thread that does: for what is freed after the last round, and for the first few
 * frees of a thread that has none, an hf_thread is lent.
 *
 * *The stack.* Of the main thread it ends at __libc_stack_end, of others where their thread control
 * block lies, above their stack in the same mapping. That every page up to there can be read is
 * asked of the kernel once (MADV_POPULATE_READ), and again for what the stack grows by. Where sp is
 * in neither, on a signal or coroutine stack, it is asked in every walk, for some pages above sp.
 * pthread_getattr_np is of no use here: it takes a lock, and calls malloc.
 */
#ifndef HF_AGENT_THREAD_H
#define HF_AGENT_THREAD_H

#include "agent.h"
#include "base/attr.h"
#include "live/writer.h"
#include "sampler.h"
#include "unwind/interpreted/frame_chain.h"
#include "unwind/walk.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_recorded_thread {
    struct hf_live_slots slots;
    struct hf_sampler sampler;
    uint32_t number;     /* in the table; HF_LIVE_NONE: no room there, or nothing recorded yet */
    uint32_t rounds;     /* of destructors that were seen */
    uint32_t free_count; /* of recorded blocks, for record.c */
    uint32_t uncounted;  /* freed blocks to pass over before one is counted, for record.c */
    uint64_t last;       /* the address of what it allocated last, if nothing was freed since */
    uint64_t last_left;  /* hf_agent_tls.left, then */
    uint64_t moved_to;   /* where a block is that hf_agent_tls.moved_from was; 0: it is not known */
    uint64_t low, high;  /* of the thread's own stack, what was found to be readable */
    uint64_t floor;      /* nothing below is of that stack; 0: unknown */
    struct hf_recorded_thread *next;          /* of those that wait for another thread */
    struct hf_interpreted_chain *interpreted; /* NULL: not needed yet (interpreter.h) */
    struct hf_unwind_memo memo;
};

/* Once for a table: forgets the threads of the process that this one was forked from. */
void hf_threads_begin(void);

/* Before a filter comes (seal.h): of so many more threads at a time, what is kept of each has its
 * place already. Further ones are not recorded, and that is counted. */
#define HF_THREADS_RESERVED 256
void hf_threads_reserve(void);

/* That of the calling thread, if it has one and is in the process that owns the table; or NULL. */
static HF_FAST struct hf_recorded_thread *hf_thread_known(void)
{
    struct hf_recorded_thread *thread = hf_agent_tls.thread;
    return thread != NULL && hf_agent_tls.incarnation == hf_agent_owner() ? thread : NULL;
}

/*
 * That of the calling thread, which is busy and in a process that owns its table; NULL without
 * memory. `for_free`: to record a free; `sp`: of the program. Each is followed by a rest, which
 * gives back what was lent.
 */
HF_MUST_CHECK struct hf_recorded_thread *hf_thread_take(bool for_free, uint64_t sp);
void hf_thread_give_back(void);
static HF_FAST void hf_thread_rest(void)
{
    if (HF_UNLIKELY(hf_agent_tls.is_lent))
        hf_thread_give_back();
}

/*
 * The calling thread is busy, in an event of a program whose stack pointer is `sp`. True if the
 * slow path that made it so was left for good: then it is mended, and not busy any more.
 */
HF_MUST_CHECK bool hf_thread_mend(uint64_t sp);

/* Makes sure that the thread is in the table, if there is room. */
void hf_thread_enrol(struct hf_recorded_thread *thread);

/* The bytes from sp on that a walk may read; at least those of the page of sp. */
struct hf_unwind_stack hf_thread_find_stack(struct hf_recorded_thread *thread, uint64_t sp);
static HF_FAST struct hf_unwind_stack hf_thread_stack(
    struct hf_recorded_thread *thread, uint64_t sp)
{
    if (HF_LIKELY(sp >= thread->low && sp < thread->high))
        return (struct hf_unwind_stack){sp, thread->high, 0};
    return hf_thread_find_stack(thread, sp);
}

#endif
