#include "base/spinlock.h"

#include "base/gate.h"
#include "base/mutant.h"

#include <time.h>

#define SPINS 200u
#define YIELDS 100u
/* A thread may be without a processor for a quarter of a second where hundreds want one. Naps get
 * longer: those who wait must not be what keeps the holder waiting. */
#define PATIENCE_NS INT64_C(500000000)
#define NAP_NS 50000
#define LONGEST_NAP_NS 3200000
#define SLACK_NS 50000 /* what the system adds to each */
#define PAUSES 2000    /* about as long as the shortest */

/* Nobody waits for it long any more, until it is released. */
static void abandon(struct hf_spinlock *lock)
{
    uintptr_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
    if (holder != HF_SPINLOCK_FREE)
        (void)atomic_compare_exchange_strong_explicit(&lock->holder, &holder,
            holder | HF_SPINLOCK_ABANDONED, memory_order_relaxed, memory_order_relaxed);
}

/* Where the gate is shut (base/gate.h) nobody can sleep: about as long is spent otherwise. */
static void spend_ns(long ns)
{
    for (long i = 0; i < ns / NAP_NS * PAUSES; i++) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        __asm__ volatile("" : : : "memory");
#endif
    }
}

static void nap_for(long ns)
{
    const struct timespec nap = {0, ns};
    if (HF_CALL(SYS_nanosleep, &nap, NULL) != 0 && hf_gate_is_shut())
        spend_ns(ns);
}

/* Nobody is there who could release it, or nobody waits for it any more. */
static bool is_hopeless(const struct hf_spinlock *lock)
{
    uintptr_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
    return hf_is_alone() || (holder & HF_SPINLOCK_ABANDONED) != 0;
}

bool hf_spinlock_wait(struct hf_spinlock *lock)
{
    if (hf_spinlock_is_mine(lock) && !HF_MUTANT(WAIT))
        return false;
    for (unsigned i = 0; i < SPINS; i++)
        if (hf_spinlock_try(lock))
            return true;
    int64_t waited_ns = 0;
    long nap_ns = NAP_NS;
    for (unsigned i = 0; waited_ns < PATIENCE_NS; i++) {
        if (hf_spinlock_try(lock))
            return true;
        if (is_hopeless(lock))
            return false;
        if (i < YIELDS || HF_MUTANT(WAIT)) {
            (void)HF_CALL(SYS_sched_yield);
            continue;
        }
        nap_for(nap_ns);
        waited_ns += nap_ns + SLACK_NS;
        nap_ns = nap_ns < LONGEST_NAP_NS ? nap_ns * 2 : nap_ns;
    }
    abandon(lock);
    return false;
}
