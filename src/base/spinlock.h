/*
 * spinlock.h: a lock that is never waited for without end.
 *
 * Whoever does not get it in time goes without: it may be held by a thread that was stopped, killed
 * or interrupted, and code that runs inside malloc must not wait for that. A holder does little: a
 * waiter spins for some microseconds, then gives its turn away (sched_yield) a bounded number of
 * times: some milliseconds if other threads have work, a tenth of one if none has.
 *
 * While the process has one thread (__libc_single_threaded, glibc 2.32) taking it is no atomic
 * read-modify-write: that costs what all other work of the fast paths does.
 *
 * Not for signal handlers that may have interrupted a holder: they wait in vain.
 */
#ifndef HF_BASE_SPINLOCK_H
#define HF_BASE_SPINLOCK_H

#include "base/attr.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#define HF_SPINLOCK_SPINS 200
#define HF_SPINLOCK_YIELDS 1000

/* All-zero is free. */
struct hf_spinlock {
    _Atomic uint32_t is_held;
};

/* True if no other thread can be running. */
static inline bool hf_is_alone(void)
{
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded;
#else
    return false;
#endif
}

static inline bool hf_spinlock_try(struct hf_spinlock *lock)
{
    if (atomic_load_explicit(&lock->is_held, memory_order_relaxed) != 0)
        return false;
    if (hf_is_alone()) {
        atomic_store_explicit(&lock->is_held, 1, memory_order_relaxed);
        return true;
    }
    return atomic_exchange_explicit(&lock->is_held, 1, memory_order_acquire) == 0;
}

HF_MUST_CHECK static inline bool hf_spinlock_take(struct hf_spinlock *lock)
{
    for (unsigned i = 0; i < HF_SPINLOCK_SPINS + HF_SPINLOCK_YIELDS; i++) {
        if (HF_LIKELY(hf_spinlock_try(lock)))
            return true;
        if (i >= HF_SPINLOCK_SPINS)
            (void)sched_yield();
    }
    return false;
}

static inline void hf_spinlock_release(struct hf_spinlock *lock)
{
    atomic_store_explicit(&lock->is_held, 0, memory_order_release);
}

#endif
