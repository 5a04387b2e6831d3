#include "thread.h"

#include "agent.h"
#include "base/gate.h"
#include "base/mutant.h"
#include "base/spinlock.h"
#include "clock.h"
#include "pages.h"
#include "record.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>

#define PAGE UINT64_C(4096)
#define PAGES_ASKED 256        /* at once */
#define LENT_MAX 8             /* a thread that frees more has one of its own */
#define FOREIGN_PAGES_ASKED 16 /* above sp, of a stack that is not the thread's */

/* glibc's thread control block, struct pthread of its nptl/descr.h, of 2,304 bytes. */
#define TID_AT 720
#define TID_FIRST 64
#define TID_LAST 1024
#define BLOCK_WORDS (2048 / 8)
#define BLOCK_ROOM (UINT64_C(1) << 16) /* at most, from its start to the end of the stack */

/* Weak, so that the loader is no needed library: it defines this in every process. */
extern void *__libc_stack_end __attribute__((weak));

/* Those that wait for a thread. */
static struct {
    struct hf_spinlock lock;
    struct hf_recorded_thread *first;
    _Atomic uint64_t made; /* threads that ever were, for their seeds */
    bool has_key;
    pthread_key_t key;
    uint64_t main_stack_max; /* bytes */
    uint64_t main_block;     /* the main thread's control block, which is nowhere near its stack */
    _Atomic uint32_t
        tid_at;    /* where in a control block libc keeps the thread's number; 0: unknown */
    char name[16]; /* of whom a filter came to: threads are born with their maker's name */
    struct hf_recorded_thread
        *_Atomic reserve; /* made before it came, HF_THREADS_RESERVED of them */
    _Atomic uint32_t reserve_used;
} threads;

static void put_aside(struct hf_recorded_thread *thread)
{
    hf_live_slots_return(&hf_agent.table, &thread->slots);
    if (!hf_spinlock_take(&threads.lock))
        return; /* its memory is lost */
    thread->next = threads.first;
    threads.first = thread;
    hf_spinlock_release(&threads.lock);
}

static bool is_on_signal_stack(void)
{
    stack_t stack;
    return HF_CALL(SYS_sigaltstack, NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK) != 0;
}

/*
 * True if the slow path that made the thread busy cannot be returned to. While it can, its return
 * address is where it was, and a handler that interrupted it has its frames below, or a stack of
 * its own.
 */
static bool thread_is_left(const struct hf_agent_tls *tls, uint64_t sp)
{
    const struct hf_recorded_thread *thread = tls->thread;
    uint64_t left_sp = tls->busy & ~(uint64_t)HF_BUSY_MASK;
    if (thread == NULL || left_sp <= thread->low || left_sp > thread->high)
        return false;
    uint64_t return_address = *(const uint64_t *)(uintptr_t)(left_sp - 8);
    return (tls->busy_pc != 0 && tls->busy_pc != return_address) ||
           (sp >= left_sp && sp <= thread->high && !is_on_signal_stack());
}

/* The slow path that this thread was in is left for good. */
static void mend(struct hf_agent_tls *tls)
{
    hf_record_mend();
    if (hf_spinlock_is_mine(&threads.lock))
        hf_spinlock_release(&threads.lock);
    if (tls->thread != NULL) {
        tls->thread->slots = (struct hf_live_slots){0}; /* which of them are in use is not known */
        tls->thread->memo.count = 0;
    }
    hf_thread_rest();
    tls->busy_pc = 0;
    atomic_store(&tls->busy, HF_BUSY_NOT);
}

bool hf_thread_mend(uint64_t sp)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    if (HF_MUTANT(MEND) || !thread_is_left(tls, sp))
        return false;
    mend(tls);
    return true;
}

/*
 * Runs once for each round of destructors, until no other key's is left to run. Whatever slow path
 * the thread was in it has left, even before it had an hf_thread.
 */
static void end_thread(void *argument)
{
    struct hf_agent_tls *tls = argument;
    if (tls->busy != HF_BUSY_NOT && !HF_MUTANT(END))
        mend(tls);
    struct hf_recorded_thread *thread = hf_thread_known();
    if (thread == NULL || tls->busy != HF_BUSY_NOT)
        return;
    if (++thread->rounds < PTHREAD_DESTRUCTOR_ITERATIONS &&
        pthread_setspecific(threads.key, tls) == 0)
        return;
    atomic_store(&tls->busy, HF_BUSY_RECORDING);
    tls->thread = NULL;
    tls->is_ending = true;
    if (!HF_MUTANT(ASIDE))
        put_aside(thread);
    atomic_store(&tls->busy, HF_BUSY_NOT);
}

/* True if libc keeps it there, at `at` in the control block of the calling thread. */
static bool is_tid_at(uint32_t at, uint32_t tid)
{
    return *(const volatile uint32_t *)((uintptr_t)pthread_self() + at) == tid;
}

/*
 * Where in its control block libc has the number of a thread: what equals it in every thread that
 * was looked at. Of glibc from 2.11 on it is 720, which is tried first.
 */
static void find_tid(uint32_t tid)
{
    uint32_t known = atomic_load_explicit(&threads.tid_at, memory_order_relaxed);
    if (known != 0 && is_tid_at(known, tid))
        return;
    uint32_t found = is_tid_at(TID_AT, tid) && known == 0 ? TID_AT : 0;
    for (uint32_t at = TID_FIRST; found == 0 && at < TID_LAST; at += 4)
        found = is_tid_at(at, tid) ? at : 0;
    atomic_store_explicit(&threads.tid_at, found, memory_order_relaxed);
}

/* The number of the calling thread, without asking the system; 0: nobody knows. */
static uint32_t known_tid(void)
{
    uint32_t at = atomic_load_explicit(&threads.tid_at, memory_order_relaxed);
    return at != 0 ? *(const volatile uint32_t *)((uintptr_t)pthread_self() + at) : 0;
}

void hf_threads_begin(void)
{
    threads.lock = (struct hf_spinlock){0};
    threads.first = NULL;
    threads.reserve = NULL;
    threads.reserve_used = 0;
    if (!threads.has_key) {
        long tid = HF_CALL(SYS_gettid);
        threads.main_block = HF_CALL(SYS_getpid) == tid ? (uint64_t)pthread_self() : 0;
        find_tid((uint32_t)tid);
        threads.has_key = pthread_key_create(&threads.key, end_thread) == 0;
    }
    /* Nothing else is mapped so near below the main stack. */
    struct rlimit limit = {0};
    (void)HF_CALL(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
    threads.main_stack_max = UINT64_C(128) << 20;
    if (limit.rlim_cur > threads.main_stack_max)
        threads.main_stack_max =
            limit.rlim_cur < UINT64_C(1) << 40 ? limit.rlim_cur : UINT64_C(1) << 40;
}

static struct hf_recorded_thread *from_aside(void)
{
    if (!hf_spinlock_take(&threads.lock))
        return NULL;
    struct hf_recorded_thread *thread = threads.first;
    if (thread != NULL)
        threads.first = thread->next;
    hf_spinlock_release(&threads.lock);
    return thread;
}

static uint64_t seed(void)
{
    uint64_t number = atomic_fetch_add(&threads.made, 1);
    if (hf_agent.conf.seed != 0)
        return hf_agent.conf.seed + number;
    uint64_t now = hf_clock_now(CLOCK_MONOTONIC);
    return now * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)&now ^ number;
}

void hf_threads_reserve(void)
{
    (void)HF_CALL(SYS_prctl, PR_GET_NAME, threads.name);
    if (threads.reserve == NULL)
        threads.reserve = hf_pages_map(sizeof *threads.reserve * HF_THREADS_RESERVED);
}

static struct hf_recorded_thread *from_reserve(void)
{
    struct hf_recorded_thread *reserve = atomic_load(&threads.reserve);
    uint32_t used = atomic_load(&threads.reserve_used);
    while (reserve != NULL && used < HF_THREADS_RESERVED) {
        if (atomic_compare_exchange_weak(&threads.reserve_used, &used, used + 1))
            return &reserve[used];
    }
    return NULL;
}

struct hf_recorded_thread *hf_thread_take(bool for_free, uint64_t sp)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    if (hf_thread_known() != NULL)
        return tls->thread;
    if (HF_MUTANT(LENT) && tls->is_ending)
        return NULL;
    tls->is_lent = tls->is_ending || (for_free && tls->lent_count < LENT_MAX);
    /* Before a lock is taken: who ends with one is mended. */
    if (!tls->is_lent && threads.has_key)
        (void)pthread_setspecific(threads.key, tls);
    struct hf_recorded_thread *thread = from_aside();
    if (thread == NULL) {
        thread = hf_pages_map(sizeof *thread);
        if (thread == NULL)
            thread = from_reserve();
        if (thread == NULL)
            return NULL;
        hf_sampler_seed(&thread->sampler, seed());
    }
    if (tls->incarnation != hf_agent.incarnation)
        tls->number = HF_LIVE_NONE;
    thread->number = tls->number;
    thread->rounds = 0;
    thread->low = thread->high = thread->floor = 0;
    tls->thread = thread;
    tls->incarnation = hf_agent.incarnation;
    if (tls->is_lent)
        tls->lent_count += tls->lent_count < LENT_MAX;
    else if (!HF_MUTANT(END))
        (void)hf_thread_find_stack(thread, sp); /* is_left needs it, before there is a walk */
    return thread;
}

void hf_thread_give_back(void)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    struct hf_recorded_thread *thread = tls->thread;
    if (thread == NULL)
        return;
    tls->thread = NULL;
    tls->is_lent = false;
    put_aside(thread);
}

void hf_thread_enrol(struct hf_recorded_thread *thread)
{
    if (thread->number != HF_LIVE_NONE || !hf_live_lock(&hf_agent.table))
        return;
    struct hf_live_thread record = {0};
    long tid = HF_CALL(SYS_gettid);
    if (tid > 0)
        find_tid((uint32_t)tid);
    record.tid = tid > 0 ? (uint64_t)tid : known_tid();
    if (HF_CALL(SYS_prctl, PR_GET_NAME, record.name) != 0)
        memcpy(record.name, threads.name, sizeof record.name);
    thread->number = hf_live_add_thread(&hf_agent.table, &record);
    hf_live_unlock(&hf_agent.table);
    hf_agent_tls.number = thread->number;
}

/* True if a byte of each page of [low, high) could be read, by a call that fails where it is not.
 */
static bool is_readable_by_copy(uint64_t low, uint64_t high)
{
    for (uint64_t page = low & ~(PAGE - 1); page < high; page += PAGE) {
        char byte;
        struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)page, 1};
        if (HF_CALL(SYS_process_vm_readv, HF_CALL(SYS_getpid), &here, 1, &there, 1, 0) != 1)
            return false;
    }
    return true;
}

static bool thread_is_readable(uint64_t low, uint64_t high)
{
    low &= ~(PAGE - 1);
    if (HF_MUTANT(READABLE) || HF_CALL(SYS_madvise, low, high - low, MADV_POPULATE_READ) == 0)
        return true;
    return errno == EINVAL && is_readable_by_copy(low, high); /* Linux before 5.14 */
}

/* Where the stack of this thread ends, if sp is in it; 0: it is on another. */
static uint64_t end_of_stack(const struct hf_recorded_thread *thread, uint64_t sp)
{
    uint64_t main_end = &__libc_stack_end != NULL ? (uint64_t)(uintptr_t)__libc_stack_end : 0;
    if (sp < main_end && main_end - sp < threads.main_stack_max)
        return main_end;
    uint64_t block = (uint64_t)pthread_self();
    return block != threads.main_block && sp < block && sp >= thread->floor ? block : 0;
}

/*
 * Where the stack of the calling thread begins, as libc noted it in the control block: the four
 * words stackblock, stackblock_size, guardsize and reported_guardsize. They are told from others by
 * what they say: a piece of memory in which both sp and the block lie, the block near its end. 0:
 * not found.
 */
static uint64_t noted_start(uint64_t block, uint64_t sp)
{
    const uint64_t *words = (const uint64_t *)(uintptr_t)block;
    for (unsigned i = 0; i + 2 < BLOCK_WORDS; i++) {
        uint64_t start = words[i], bytes = words[i + 1], guard = words[i + 2];
        if (start % 16 == 0 && start < sp && bytes < UINT64_C(1) << 40 && block - start < bytes &&
            start + bytes - block < BLOCK_ROOM && guard < bytes && start + guard <= sp)
            return start + guard;
    }
    return 0;
}

/* What can be read is known without asking: of the thread's own stack all from sp on. */
static struct hf_unwind_stack find_unasked(
    struct hf_recorded_thread *thread, uint64_t sp, uint64_t end)
{
    uint64_t block = (uint64_t)pthread_self();
    if (end == block && noted_start(block, sp) == 0)
        end = 0;
    if (end == 0)
        return (struct hf_unwind_stack){sp, (sp & ~(PAGE - 1)) + PAGE, 0};
    thread->high = end;
    thread->low = sp & ~(PAGE - 1);
    return (struct hf_unwind_stack){sp, end, 0};
}

/* Asks from the end downwards, so that a guard page is met before anything beyond it. */
static bool thread_grow(struct hf_recorded_thread *thread, uint64_t sp, uint64_t end)
{
    if (thread->high != end)
        thread->low = thread->high = end;
    while (thread->low > sp) {
        uint64_t low = (thread->low - 1) & ~(PAGE - 1);
        uint64_t reach = (PAGES_ASKED - 1) * PAGE;
        low = low > (sp & ~(PAGE - 1)) + reach ? low - reach : sp & ~(PAGE - 1);
        if (!thread_is_readable(low, thread->low)) {
            thread->floor = low;
            return false;
        }
        thread->low = low;
    }
    return true;
}

struct hf_unwind_stack hf_thread_find_stack(struct hf_recorded_thread *thread, uint64_t sp)
{
    uint64_t end = end_of_stack(thread, sp);
    if (HF_UNLIKELY(hf_gate_is_shut()))
        return find_unasked(thread, sp, end);
    if (end != 0 && thread_grow(thread, sp, end))
        return (struct hf_unwind_stack){sp, end, 0};
    uint64_t first = (sp & ~(PAGE - 1)) + PAGE;
    for (uint64_t pages = FOREIGN_PAGES_ASKED; pages != 0; pages /= 2) {
        if (thread_is_readable(first, first + pages * PAGE))
            return (struct hf_unwind_stack){sp, first + pages * PAGE, 0};
    }
    return (struct hf_unwind_stack){sp, first, 0};
}
