#include "event.h"

#include "control.h"
#include "java_objects.h"
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

static void event_enter(enum hf_busy why, const struct hf_caller *caller)
{
    set_busy((hf_caller_sp(caller) & ~(uint64_t)HF_BUSY_MASK) | why);
    hf_agent_tls.busy_pc = caller->pc;
}

static void event_leave(void)
{
    hf_agent_tls.busy_pc = 0;
    set_busy(HF_BUSY_NOT);
}

/* A slow path that is gone does not count. */
static HF_ALWAYS_INLINE bool is_busy(const struct hf_caller *caller)
{
    return HF_UNLIKELY(busy() != HF_BUSY_NOT) && !hf_thread_mend(hf_caller_sp(caller));
}

/* The first of an hf_thread draws a gap and is charged to it; each later one was due already. */
static bool event_draw(size_t size, const struct hf_caller *caller)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    bool is_first = hf_thread_known() == NULL;
    struct hf_recorded_thread *thread = hf_thread_take(false, hf_caller_sp(caller));
    if (thread == NULL) {
        tls->left = hf_agent.period_bytes;
        hf_live_lose(&hf_agent.table, HF_LIVE_LOST_BLOCK, size);
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

/* Before the allocator is called: it may map memory, and be in the middle of that with a lock held
 * while the event of the mapping makes the thread known. */
static void know_thread(const struct hf_caller *caller)
{
    if (hf_thread_known() != NULL && hf_agent_tls.number != HF_LIVE_NONE)
        return;
    struct hf_recorded_thread *thread = hf_thread_take(false, hf_caller_sp(caller));
    if (thread != NULL)
        hf_thread_enrol(thread);
    hf_thread_rest();
}

/* Of an allocation that is sampled, or the first. */
static HF_APART bool decide(size_t size, const struct hf_caller *caller)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    if (tls->busy == HF_BUSY_TRYING) {
        set_busy(HF_BUSY_SETTING_UP);
        return false;
    }
    if (is_busy(caller))
        return lose(size);
    int error = errno;
    bool is_due = false;
    event_enter(HF_BUSY_SETTING_UP, caller);
    if (!hf_agent_is_owner() && !hf_agent_start())
        tls->left = hf_agent_is_off() ? HF_LEFT_FOR_EVER : HF_LEFT_NOTHING;
    else
        is_due = (hf_agent.is_exact || event_draw(size, caller)) && hf_control_records();
    if (is_due)
        know_thread(caller);
    event_leave();
    errno = error;
    return is_due;
}

bool hf_event_is_due(size_t size, const struct hf_caller *caller)
{
    if (HF_UNLIKELY(!hf_agent.is_exact || busy() != HF_BUSY_NOT || hf_thread_known() == NULL))
        return decide(size, caller);
    hf_agent_tls.left = HF_LEFT_NOTHING;
    return hf_control_records();
}

/* No event of this thread was recorded before, or it has no thread at the moment. */
static HF_APART struct hf_recorded_thread *take_thread(
    bool for_free, const struct hf_caller *caller)
{
    if (!hf_agent_is_owner())
        return NULL;
    event_enter(HF_BUSY_SETTING_UP, caller);
    return hf_thread_take(for_free, hf_caller_sp(caller));
}

/* The thread, for as long as it takes to record one event; NULL: there is none to be had. */
static HF_ALWAYS_INLINE struct hf_recorded_thread *event_begin(
    bool for_free, const struct hf_caller *caller)
{
    struct hf_recorded_thread *thread = hf_thread_known();
    if (HF_UNLIKELY(thread == NULL))
        thread = take_thread(for_free, caller);
    event_enter(HF_BUSY_RECORDING, caller);
    return thread;
}

static HF_ALWAYS_INLINE void event_end(int error)
{
    hf_thread_rest();
    event_leave();
    errno = error;
}

void hf_event_alloc(const void *block, size_t size, const struct hf_caller *caller)
{
    int error = errno;
    struct hf_recorded_thread *thread = event_begin(false, caller);
    if (HF_LIKELY(thread != NULL)) {
        if (HF_UNLIKELY(thread->number == HF_LIVE_NONE))
            hf_thread_enrol(thread);
        hf_record_alloc(thread, (uintptr_t)block, size, caller);
    } else {
        hf_live_lose(&hf_agent.table, HF_LIVE_LOST_BLOCK, size);
    }
    event_end(error);
    hf_control_pass(size);
}

void hf_event_free(const void *block, const struct hf_caller *caller)
{
    if (is_busy(caller))
        return;
    int error = errno;
    struct hf_recorded_thread *thread = event_begin(true, caller);
    if (HF_LIKELY(thread != NULL))
        hf_record_free(thread, (uintptr_t)block, caller);
    event_end(error);
}

uint32_t hf_event_take(const void *block, const struct hf_caller *caller)
{
    if (is_busy(caller))
        return HF_LIVE_NONE;
    int error = errno;
    struct hf_recorded_thread *thread = event_begin(true, caller);
    uint32_t slot = thread != NULL ? hf_record_take((uintptr_t)block) : HF_LIVE_NONE;
    event_end(error);
    return slot;
}

void hf_event_settle(const void *block, uint32_t slot, bool is_gone, const struct hf_caller *caller)
{
    int error = errno;
    struct hf_recorded_thread *thread = event_begin(true, caller);
    if (thread != NULL && is_gone)
        hf_record_drop(thread, (uintptr_t)block, slot, caller);
    else if (thread != NULL)
        hf_record_put_back(thread, (uintptr_t)block, slot);
    event_end(error);
}

/* The coin of a sample's half is of the thread's last random number, and HotSpot drew the gap. */
uint32_t hf_event_object(size_t size, const struct hf_caller *caller)
{
    struct hf_agent_tls *tls = &hf_agent_tls;
    tls->object = HF_LIVE_NONE;
    if (!hf_agent_is_owner() || !hf_control_records())
        return HF_LIVE_NONE;
    if (is_busy(caller)) {
        hf_live_lose(&hf_agent.table, HF_LIVE_LOST_WAIT, size);
        return HF_LIVE_NONE;
    }
    tls->is_of_object = true;
    hf_event_alloc((const void *)HF_LIVE_MOVABLE, size, caller);
    tls->is_of_object = false;
    struct hf_recorded_thread *thread = hf_thread_known();
    if (thread != NULL)
        (void)hf_sampler_below(&thread->sampler, 2);
    return tls->object;
}

void hf_event_object_end(uint32_t slot, const struct hf_caller *caller)
{
    if (!hf_agent_is_owner() || is_busy(caller))
        return;
    int error = errno;
    struct hf_recorded_thread *thread = event_begin(true, caller);
    if (thread != NULL)
        hf_record_object_end(thread, slot);
    event_end(error);
}

/* The process begins with a mapping, because it is a child after fork, or because the malloc that
 * maps is not the one that the agent replaces. */
static HF_APART bool begin_with_mapping(void)
{
    bool is_new = atomic_load_explicit(&hf_agent.state, memory_order_acquire) == HF_AGENT_NEW;
    bool is_begun = !hf_agent_is_off() && hf_event_owns();
    if (is_begun && is_new)
        hf_agent.began_with_mapping = true;
    return is_begun;
}

/* True if the thread may record where memory is mapped. */
static bool begin_mapping(const struct hf_caller *caller)
{
    if (!hf_agent_is_owner() && !begin_with_mapping())
        return false;
    if (!is_busy(caller))
        return true;
    hf_live_lose_mapping(&hf_agent.table);
    return false;
}

/* The kernel maps whole pages. */
static uint64_t end_of_pages(const void *start, size_t bytes)
{
    uint64_t from = (uintptr_t)start, page = HF_LIVE_PAGE_BYTES;
    uint64_t most = (UINT64_C(1) << (HF_LIVE_ADDRESS_BITS - 1)) - from;
    return from + (bytes < most ? (bytes + page - 1) / page * page : most);
}

void hf_event_map(const void *start, size_t bytes, bool has_memory, const struct hf_caller *caller)
{
    if (!begin_mapping(caller))
        return;
    int error = errno;
    uint64_t from = (uintptr_t)start, end = end_of_pages(start, bytes);
    struct hf_recorded_thread *thread = event_begin(false, caller);
    if (thread != NULL && thread->number == HF_LIVE_NONE)
        hf_thread_enrol(thread);
    if (thread != NULL && has_memory && hf_control_is_active())
        hf_record_map(thread, from, end, caller);
    else
        hf_mappings_take(&hf_agent.mappings, &hf_agent.table, from, end, NULL);
    if (thread == NULL)
        hf_live_lose_mapping(&hf_agent.table);
    event_end(error);
    if (HF_UNLIKELY(hf_java_objects_are_due()))
        hf_java_objects_begin(caller);
}

void hf_event_unmap(const void *start, size_t bytes, struct hf_mappings_taken *out_taken,
    const struct hf_caller *caller)
{
    out_taken->count = 0;
    if (!begin_mapping(caller))
        return;
    int error = errno;
    (void)event_begin(true, caller);
    hf_mappings_take(&hf_agent.mappings, &hf_agent.table, (uintptr_t)start,
        end_of_pages(start, bytes), out_taken);
    event_end(error);
}

void hf_event_put_back(const struct hf_mappings_taken *taken, const struct hf_caller *caller)
{
    if (taken->count == 0 || !begin_mapping(caller))
        return;
    int error = errno;
    (void)event_begin(true, caller);
    for (uint32_t i = 0; i < taken->count; i++)
        hf_mappings_add(&hf_agent.mappings, &hf_agent.table, &taken->pieces[i]);
    event_end(error);
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

bool hf_event_hold(void)
{
    if (busy() != HF_BUSY_NOT)
        return false;
    set_busy(HF_BUSY_SETTING_UP);
    return true;
}

void hf_event_let_go(void)
{
    set_busy(HF_BUSY_NOT);
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
    const struct hf_caller *caller = HF_HOOK_CALLER();
    if (is_busy(caller))
        return NULL;
    int error = errno;
    struct hf_recorded_thread *thread = event_begin(false, caller);
    if (thread != NULL)
        hf_thread_enrol(thread);
    uint32_t number = thread != NULL ? thread->number : HF_LIVE_NONE;
    event_end(error);
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
