/*
 * agent.h: what the parts of the agent share: one object for the process, one for each thread.
 *
 * The agent (libheapflame.so) is loaded into a program by LD_PRELOAD. It stands before the
 * program's allocator, and keeps a live table (live/layout.h) of what it sees there: a sample of
 * the allocations, or all. Nobody but the table's readers is told anything: no thread, socket or
 * file but the table, and the dumps that the program or its configuration asks for (control.h); in
 * a process of Java there is one thread, for a moment (java_objects.h).
 *
 * *Laws of the hooks.*  A call takes the slow path when `left` falls below zero or the filter says
 * that the block may be recorded; everything else is a subtraction or a look-up away from the next
 * allocator's function. On the slow path `busy` is set while anything of the agent's is in use; a
 * call that finds it set, from a signal handler or from libc on our behalf, goes straight on. A
 * free is recorded before the block is freed, an allocation after it succeeded, a realloc by its
 * outcome. No lock is held across a call of the program's allocator, no lock is waited for without
 * end, errno and results are the allocator's own.
 *
 * *Slow paths that are left.*  A signal handler may jump out of one (siglongjmp, pthread_exit), for
 * which POSIX promises nothing. The thread's next event finds it busy, and sees by the stack that
 * what made it so is gone: what was held is released, and half an event is lost. For this,
 * structures are changed in such an order that each half is sound.
 *
 * *Who owns the table.*  A forked child has the parent's table mapped, and must never write it. A
 * page that the kernel wipes in every child (MADV_WIPEONFORK) says who made the table; each slow
 * path looks at it before anything else. A vfork child shares all memory, and is recorded as its
 * parent.
 *
 * What each rule is for, which test holds it and which mutant shows that the test would fail:
 * docs/compat/agent.md.
 */
#ifndef HF_AGENT_AGENT_H
#define HF_AGENT_AGENT_H

#include "blocks.h"
#include "conf.h"
#include "interpreter.h"
#include "live/writer.h"
#include "mappings.h"
#include "modules.h"
#include "stacks.h"
#include "unwind/walk.h"

#include "base/attr.h"
#include "base/gate.h"
#include "base/mutant.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* Why a thread's calls go straight on. In one word with where the program was, so that a signal
 * handler finds both or none. */
enum hf_busy {
    HF_BUSY_NOT = 0,
    HF_BUSY_TRYING,     /* hf_event_reaches_malloc waits for a call */
    HF_BUSY_SETTING_UP, /* what libc allocates for us is no loss */
    HF_BUSY_RECORDING,  /* a signal handler's calls: what should have been recorded is lost */
    HF_BUSY_MASK = 7,
};

/* The switch of a thread; asked for the first time, it is that of new threads. */
enum hf_activity { HF_ACTIVITY_UNKNOWN = 0, HF_ACTIVITY_ON, HF_ACTIVITY_OFF };

struct hf_recorded_thread;

/* The one thread-local object: at most 64 bytes, for it is static TLS. */
struct hf_agent_tls {
    uint64_t left; /* bytes to the next sample, signed; the first allocation is slow */
    struct hf_recorded_thread *thread; /* NULL: none yet, or given back */
    _Atomic uint64_t busy; /* enum hf_busy, and in the other bits the program's stack pointer */
    uint64_t busy_pc;      /* the return address below that; 0: not known */
    uint64_t moved_from;   /* where the block was that realloc has moved right now; 0: nowhere */
    uint32_t incarnation;  /* of the process in which `thread` was taken */
    uint32_t number;       /* in the table, or HF_LIVE_NONE */
    uint32_t lent_count;   /* how often `thread` was lent, for the first times */
    bool is_lent;
    bool is_ending;          /* its last destructors run: hf_thread only for a moment each */
    bool is_resolving;       /* real.c looks for the next allocator */
    uint8_t activity;        /* enum hf_activity */
    bool maps_for_allocator; /* what it maps now holds blocks that are seen by themselves */
    bool is_of_object;       /* what is recorded now is an object that may move */
    uint32_t object;         /* its slot, or HF_LIVE_NONE */
};
extern HF_HIDDEN __thread struct hf_agent_tls hf_agent_tls;

#define HF_LEFT_NOTHING UINT64_MAX        /* -1: the next allocation takes the slow path */
#define HF_LEFT_FOR_EVER (UINT64_MAX / 2) /* no allocation does */

enum hf_agent_state {
    HF_AGENT_NEW = 0,
    HF_AGENT_STARTING,
    HF_AGENT_ON,
    HF_AGENT_OFF, /* for good: not asked for, or not possible */
};

struct hf_agent {
    _Atomic uint32_t state;  /* enum hf_agent_state; a forked child inherits HF_AGENT_ON */
    _Atomic uint32_t *owner; /* the incarnation; 0 in a child that inherited it */
    uint32_t incarnation;    /* counts the tables that this process and its parents made */
    struct hf_agent_conf conf;
    struct hf_live_table table;
    uint64_t period_bytes; /* 1: every allocation */
    bool is_exact;
    bool began_with_mapping; /* and so may never see a call of malloc */
    bool has_only_mappings;  /* it never will: another malloc gets the calls */
    struct hf_modules modules;
    struct hf_unwind_cache cache;
    struct hf_stacks stacks;
    struct hf_blocks blocks;
    struct hf_mappings mappings;
    struct hf_interpreter interpreter;
    _Atomic uint64_t objects_start, objects_end; /* Java's heap, once its objects are sampled */
};
extern HF_HIDDEN struct hf_agent hf_agent;

/* The incarnation that may write the table, if that is this process; 0: it is not. There is one. */
static inline uint32_t hf_agent_owner(void)
{
    if (HF_MUTANT(VFORK) && hf_agent.table.head->pid != (uint32_t)HF_CALL(SYS_getpid))
        return 0;
    return atomic_load_explicit(hf_agent.owner, memory_order_relaxed);
}

/* True if this process may write the table. */
static inline bool hf_agent_is_owner(void)
{
    return atomic_load_explicit(&hf_agent.state, memory_order_acquire) == HF_AGENT_ON &&
           hf_agent_owner() != 0;
}

/* True if it never will. */
static inline bool hf_agent_is_off(void)
{
    return atomic_load_explicit(&hf_agent.state, memory_order_acquire) == HF_AGENT_OFF;
}

/* Brings the agent to a decision, if there is none: true if this process writes a table from now
 * on. The caller is busy with setting up. */
bool hf_agent_start(void);

#endif
