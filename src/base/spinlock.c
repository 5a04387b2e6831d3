#include "base/spinlock.h"

#include "base/mutant.h"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPINS 200u
#define YIELDS 100u
#define NAPS 1000u
#define NAP_NS 50000 /* and the system's 50 us of slack */

/* Nobody waits for it long any more, until it is released. */
static void abandon(struct hf_spinlock *lock)
{
    uintptr_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
    if (holder != HF_SPINLOCK_FREE)
        (void)atomic_compare_exchange_strong_explicit(&lock->holder, &holder,
            holder | HF_SPINLOCK_ABANDONED, memory_order_relaxed, memory_order_relaxed);
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
            (void)sched_yield();
        else if (HF_MUTANT(WAIT))
            i = SPINS;
        else
            (void)syscall(SYS_nanosleep, &nap, NULL); /* nanosleep() is a cancellation point */
    }
    abandon(lock);
    return false;
}
