#include "base/spinlock.h"

#include "base/gate.h"
#include "base/mutant.h"

#include <time.h>

#define SPINS 200u
#define YIELDS 100u
#define NAPS 1000u
#define NAP_NS 50000 /* and the system's 50 us of slack */
#define PAUSES 2000

/* Nobody waits for it long any more, until it is released. */
static void abandon(struct hf_spinlock *lock)
{
    uintptr_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
    if (holder != HF_SPINLOCK_FREE)
        (void)atomic_compare_exchange_strong_explicit(&lock->holder, &holder,
            holder | HF_SPINLOCK_ABANDONED, memory_order_relaxed, memory_order_relaxed);
}

/* Where the gate is shut (base/gate.h) nobody can sleep: about as long is spent otherwise. */
static void spend_a_nap(void)
{
    for (unsigned i = 0; i < PAUSES; i++) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        __asm__ volatile("" : : : "memory");
#endif
    }
}

bool hf_spinlock_wait(struct hf_spinlock *lock)
{
    static const struct timespec nap = {0, NAP_NS};
    if (hf_spinlock_is_mine(lock) && !HF_MUTANT(WAIT))
        return false;
    for (unsigned i = 0; i < SPINS + YIELDS + NAPS; i++) {
        if (hf_spinlock_try(lock))
            return true;
        if (i < SPINS)
            continue;
        uintptr_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
        if (hf_is_alone() || (holder & HF_SPINLOCK_ABANDONED) != 0)
            return false;
        if (i < SPINS + YIELDS)
            (void)HF_CALL(SYS_sched_yield);
        else if (HF_MUTANT(WAIT))
            i = SPINS;
        else if (HF_CALL(SYS_nanosleep, &nap, NULL) != 0 && hf_gate_is_shut())
            spend_a_nap();
    }
    abandon(lock);
    return false;
}
