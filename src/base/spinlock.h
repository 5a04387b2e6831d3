/*
 * spinlock.h: a lock that is never waited for without end.
 *
 * Whoever does not get it in time goes without: it may be held by a thread that was stopped, killed
 * or interrupted, and code that runs inside malloc must not wait for that. A holder does little: a
 * waiter spins for some microseconds, then gives its turn away some times, then sleeps in naps, for
 * a tenth of a second in all. A lock that was waited for in vain is taken for abandoned: until it
 * is released, nobody waits for it longer than the spinning takes.
 *
 * While the process has one thread (__libc_single_threaded, glibc 2.32) taking it is no atomic
 * read-modify-write: that costs what all other work of the fast paths does.
 *
 * Not for signal handlers that may have interrupted a holder: they wait in vain.
 */
#ifndef HF_BASE_SPINLOCK_H
#define HF_BASE_SPINLOCK_H

#include "base/attr.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

enum { HF_SPINLOCK_FREE, HF_SPINLOCK_HELD, HF_SPINLOCK_ABANDONED };

/* All-zero is free. */
struct hf_spinlock {
    _Atomic uint32_t state;
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
    uint32_t is_free = HF_SPINLOCK_FREE;
    if (atomic_load_explicit(&lock->state, memory_order_relaxed) != HF_SPINLOCK_FREE)
        return false;
    if (!hf_is_alone())
        return atomic_compare_exchange_strong_explicit(
            &lock->state, &is_free, HF_SPINLOCK_HELD, memory_order_acquire, memory_order_relaxed);
    atomic_store_explicit(&lock->state, HF_SPINLOCK_HELD, memory_order_relaxed);
    return true;
}

/* The rest of hf_spinlock_take: somebody holds the lock. */
bool hf_spinlock_wait(struct hf_spinlock *lock);

HF_MUST_CHECK static inline bool hf_spinlock_take(struct hf_spinlock *lock)
{
    return HF_LIKELY(hf_spinlock_try(lock)) || hf_spinlock_wait(lock);
}

static inline void hf_spinlock_release(struct hf_spinlock *lock)
{
    atomic_store_explicit(&lock->state, HF_SPINLOCK_FREE, memory_order_release);
}

#endif
