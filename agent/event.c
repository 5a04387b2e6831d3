#include "event.h"

#include "control.h"
#include "record.h"
#include "thread.h"

#include <errno.h>

__thread struct hf_agent_tls hf_agent_tls = {.left = HF_LEFT_NOTHING, .number = HF_LIVE_NONE};

/* A signal handler sees the flag before anything of ours is in use, and until nothing is. */
static void set_busy(uint64_t busy)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&hf_agent_tls.busy, busy, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

static enum hf_busy busy(void)
{
    uint64_t word = atomic_load_explicit(&hf_agent_tls.busy, memory_order_relaxed);
    return HF_MUTANT(BUSY) ? HF_BUSY_NOT : (enum hf_busy)(word & HF_BUSY_MASK);
}

/* `sp`: the program's, below which lies its return address. */
static void enter(enum hf_busy why, uint64_t sp)
{
    set_busy((sp & ~(uint64_t)HF_BUSY_MASK) | why);
    hf_agent_tls.busy_pc = *(const uint64_t *)(uintptr_t)(sp - 8);
}

static void leave(void)
{
    hf_agent_tls.busy_pc = 0;
    set_busy(HF_BUSY_NOT);
}

/* A slow path that is gone does not count. */
static bool is_busy(uint64_t sp)
{
    return HF_UNLIKELY(busy() != HF_BUSY_NOT) && !hf_thread_mend(sp);
}

/* The first of an hf_thread draws a gap and is charged to it; each later one was due already. */
static bool draw(size_t size)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    bool is_first = !hf_thread_is_taken();
    struct hf_thread *thread = hf_thread_take(false);
    if (thread == NULL) {
        tls->left = hf_agent.period_bytes;
        return false;
    }
    if (is_first)
        tls->left = hf_sampler_gap(&thread->sampler, hf_agent.period_bytes) - size;
    bool is_due = (int64_t)tls->left < 0;
    if (is_due)
        tls->left = hf_sampler_gap(&thread->sampler, hf_agent.period_bytes);
    hf_thread_rest();
    return is_due;
}

/* Another slow path of this thread is under way: a signal handler allocates, or libc for us. */
static bool lose(size_t size)
{
    if (busy() == HF_BUSY_RECORDING)
        hf_live_lose(&hf_agent.table, HF_LIVE_LOST_WAIT, size);
    hf_agent_tls.left = hf_agent.is_exact ? HF_LEFT_NOTHING : hf_agent.period_bytes;
    return false;
}

bool hf_event_is_due(size_t size, uint64_t sp)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    if (tls->busy == HF_BUSY_TRYING) {
        set_busy(HF_BUSY_SETTING_UP);
        return false;
    }
    if (is_busy(sp))
        return lose(size);
    if (HF_LIKELY(hf_agent.is_exact && hf_agent_is_owner())) {
        tls->left = HF_LEFT_NOTHING;
        return hf_control_records();
    }
    int error = errno;
    bool is_due = false;
    enter(HF_BUSY_SETTING_UP, sp);
    if (!hf_agent_is_owner() && !hf_agent_start())
        tls->left = hf_agent_is_off() ? HF_LEFT_FOR_EVER : HF_LEFT_NOTHING;
    else
        is_due = (hf_agent.is_exact || draw(size)) && hf_control_records();
    leave();
    errno = error;
    return is_due;
}

/* The thread, for as long as it takes to record one event; NULL: there is none to be had. */
static struct hf_thread *begin(bool for_free, uint64_t sp)
{
    struct hf_thread *thread = hf_agent_tls.thread;
    if (HF_LIKELY(hf_thread_is_taken())) {
        enter(HF_BUSY_RECORDING, sp);
        return thread;
    }
    enter(HF_BUSY_SETTING_UP, sp);
    thread = hf_thread_take(for_free);
    enter(HF_BUSY_RECORDING, sp);
    return thread;
}

static void end(int error)
{
    hf_thread_rest();
    leave();
    errno = error;
}

void hf_event_alloc(const void *block, size_t size, struct hf_unwind_registers caller)
{
    int error = errno;
    struct hf_thread *thread = begin(false, caller.sp);
    if (thread != NULL) {
        hf_thread_enrol(thread);
        hf_record_alloc(thread, (uintptr_t)block, size, caller);
    } else {
        hf_live_lose(&hf_agent.table, HF_LIVE_LOST_BLOCK, size);
    }
    end(error);
    hf_control_pass(size);
}

void hf_event_free(const void *block, struct hf_unwind_registers caller)
{
    if (is_busy(caller.sp) || !hf_agent_is_owner())
        return;
    int error = errno;
    struct hf_thread *thread = begin(true, caller.sp);
    if (thread != NULL)
        hf_record_free(thread, (uintptr_t)block, caller);
    end(error);
}

uint32_t hf_event_take(const void *block, struct hf_unwind_registers caller)
{
    if (is_busy(caller.sp) || !hf_agent_is_owner())
        return HF_LIVE_NONE;
    int error = errno;
    struct hf_thread *thread = begin(true, caller.sp);
    uint32_t slot = thread != NULL ? hf_record_take(thread, (uintptr_t)block) : HF_LIVE_NONE;
    end(error);
    return slot;
}

void hf_event_settle(
    const void *block, uint32_t slot, bool is_gone, struct hf_unwind_registers caller)
{
    int error = errno;
    struct hf_thread *thread = begin(true, caller.sp);
    if (thread != NULL && is_gone)
        hf_record_drop(thread, slot, caller);
    else if (thread != NULL)
        hf_record_put_back(thread, (uintptr_t)block, slot);
    end(error);
}

bool hf_event_reaches_malloc(void *(*allocate)(size_t), void (*release)(void *))
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    uint64_t left = tls->left;
    tls->left = HF_LEFT_NOTHING;
    set_busy(HF_BUSY_TRYING);
    void *block = allocate(1);
    bool is_reached = tls->busy != HF_BUSY_TRYING;
    set_busy(HF_BUSY_SETTING_UP);
    release(block);
    set_busy(HF_BUSY_NOT);
    tls->left = left;
    return is_reached;
}

bool hf_event_owns(void)
{
    if (hf_agent_is_owner())
        return true;
    if (busy() != HF_BUSY_NOT)
        return false;
    int error = errno;
    set_busy(HF_BUSY_SETTING_UP);
    bool is_started = hf_agent_start();
    set_busy(HF_BUSY_NOT);
    errno = error;
    return is_started;
}

/* Its record in the table; NULL: there is no room. */
static struct hf_live_thread *enrol(void)
{
    uint64_t sp = HF_HOOK_SP();
    if (is_busy(sp))
        return NULL;
    int error = errno;
    struct hf_thread *thread = begin(false, sp);
    if (thread != NULL)
        hf_thread_enrol(thread);
    uint32_t number = thread != NULL ? thread->number : HF_LIVE_NONE;
    end(error);
    return number != HF_LIVE_NONE ? hf_live_thread(&hf_agent.table, number) : NULL;
}

const char *hf_event_thread_name(void)
{
    const struct hf_live_thread *thread = enrol();
    return thread != NULL ? thread->name : "";
}

int hf_event_name_thread(struct hf_text name)
{
    struct hf_live_thread *thread = enrol();
    if (thread == NULL)
        return EAGAIN;
    char text[sizeof thread->name] = "";
    name = hf_text_first(name, sizeof text - 1);
    memcpy(text, name.data, name.size);
    memcpy(thread->name, text, sizeof text); /* a reader may see half of it: a name, no number */
    return 0;
}
