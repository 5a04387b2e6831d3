/*
 * spinlock.h: a lock on which no thread waits without end.
 *
 * Whoever does not get it in time goes without: it may be held by a thread that was stopped, killed
 * or interrupted, and code that runs inside malloc must not wait for that. A holder does little: a
 * waiter spins for some microseconds, then gives its turn away some times, then sleeps in naps that
 * get longer, for half a second in all: so long may a holder be without a processor where hundreds
 * of threads want one. A lock that was waited for in vain is taken for abandoned: until it
 * is released, nobody waits for it longer than the spinning takes.
 *
 * While the process has one thread (__libc_single_threaded, glibc 2.32) taking it is no atomic
 * read-modify-write: that costs what all other work of the fast paths does.
 *
 * The lock knows its holder. A signal handler that interrupted the holder does not get it, and is
 * told so at once; a holder that never came back to its work, because the handler jumped out of it,
 * can be told from others (hf_spinlock_is_mine), and its locks be released.
 *
 * Example:
 *
 *     static struct hf_spinlock lock;
 *     if (!hf_spinlock_take(&lock))
 *         return HF_ERR_SYSTEM;
 *     hf_spinlock_release(&lock);
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

/* All-zero is free. */
struct hf_spinlock {
    _Atomic uintptr_t holder; /* its thread pointer; one more: it was waited for in vain */
};
#define HF_SPINLOCK_FREE UINT64_C(0)
#define HF_SPINLOCK_ABANDONED UINT64_C(1)

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
    uintptr_t is_free = HF_SPINLOCK_FREE, self = (uintptr_t)__builtin_thread_pointer();
    if (atomic_load_explicit(&lock->holder, memory_order_relaxed) != HF_SPINLOCK_FREE)
        return false;
    if (!hf_is_alone())
        return atomic_compare_exchange_strong_explicit(
            &lock->holder, &is_free, self, memory_order_acquire, memory_order_relaxed);
    atomic_store_explicit(&lock->holder, self, memory_order_relaxed);
    return true;
}

/* True if the calling thread holds it. */
static inline bool hf_spinlock_is_mine(const struct hf_spinlock *lock)
{
    uintptr_t holder = atomic_load_explicit(&lock->holder, memory_order_relaxed);
    return (holder & ~HF_SPINLOCK_ABANDONED) == (uintptr_t)__builtin_thread_pointer();
}

/* The rest of hf_spinlock_take: somebody holds the lock. */
bool hf_spinlock_wait(struct hf_spinlock *lock);

HF_MUST_CHECK static inline bool hf_spinlock_take(struct hf_spinlock *lock)
{
    return HF_LIKELY(hf_spinlock_try(lock)) || hf_spinlock_wait(lock);
}

static inline void hf_spinlock_release(struct hf_spinlock *lock)
{
    atomic_store_explicit(&lock->holder, HF_SPINLOCK_FREE, memory_order_release);
}

#endif
