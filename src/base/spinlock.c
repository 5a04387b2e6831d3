#include "base/spinlock.h"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPINS 200u
#define YIELDS 100u
#define NAPS 1000u
#define NAP_NS 50000 /* and the system's 50 us of slack */

bool hf_spinlock_wait(struct hf_spinlock *lock)
{
    static const struct timespec nap = {0, NAP_NS};
    for (unsigned i = 0; i < SPINS + YIELDS + NAPS; i++) {
        if (hf_spinlock_try(lock))
            return true;
        if (i < SPINS)
            continue;
        if (hf_is_alone() ||
            atomic_load_explicit(&lock->state, memory_order_relaxed) == HF_SPINLOCK_ABANDONED)
            return false;
        if (i < SPINS + YIELDS)
            (void)sched_yield();
        else
            (void)syscall(SYS_nanosleep, &nap, NULL); /* nanosleep() is a cancellation point */
    }
    uint32_t held = HF_SPINLOCK_HELD;
    (void)atomic_compare_exchange_strong_explicit(
        &lock->state, &held, HF_SPINLOCK_ABANDONED, memory_order_relaxed, memory_order_relaxed);
    return false;
}
