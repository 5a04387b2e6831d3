#include "attach/session/calls.h"

#include "attach/postgres/contexts.h"
#include "base/containers/vec.h"
#include "os/process/process_memory.h"

#include <stdlib.h>

#define NO_PROBE (UINT32_MAX - 1) /* of page faults; UINT32_MAX is nobody's */

void hf_calls_init(struct hf_calls *calls, uint32_t pid, const struct hf_probe *probes,
    struct hf_images *images, struct hf_tracker *tracker)
{
    *calls = (struct hf_calls){.pid = pid, .probes = probes, .images = images, .tracker = tracker};
}

void hf_calls_done(struct hf_calls *calls)
{
    hf_map_done(&calls->by_tid);
    hf_touched_pages_done(&calls->touched);
    free(calls->threads);
    *calls = (struct hf_calls){0};
}

/* Memory of the process as a half shows it: what was copied then, else as it is now. */
struct seen_memory {
    const struct hf_memory *memory;
    const struct hf_half *half;
};

static bool load_word(void *context, uint64_t address, uint64_t *out_word)
{
    const struct seen_memory *seen = context;
    uint64_t at = address - seen->half->registers.sp;
    if (seen->half->stack_size >= sizeof *out_word &&
        at <= seen->half->stack_size - sizeof *out_word) {
        memcpy(out_word, seen->half->stack + at, sizeof *out_word);
        return true;
    }
    return hf_memory_copy(seen->memory, address, out_word, sizeof *out_word);
}

/* The open calls of a thread; NULL without memory. */
static struct hf_open_calls *open_calls_of(struct hf_calls *calls, uint32_t tid)
{
    bool is_new;
    uint32_t *number = hf_map_put(&calls->by_tid, tid, (uint32_t)calls->thread_count, &is_new);
    if (number == NULL)
        return NULL;
    if (is_new) {
        if (!hf_vec_reserve(&calls->threads, &calls->thread_capacity, calls->thread_count + 1,
                sizeof *calls->threads))
            return NULL;
        calls->threads[calls->thread_count++].count = 0;
    }
    return &calls->threads[*number];
}

/* Calls that were entered deeper in the stack than `slot` are over. */
static void close_deeper(struct hf_open_calls *open, uint64_t slot)
{
    while (open->count != 0 && open->items[open->count - 1].replaced.slot < slot)
        open->count--;
}

static void put_returns_back(
    struct hf_calls *calls, const struct hf_open_calls *open, const struct hf_half *half)
{
    /* The trampoline is mapped when the first return is probed. */
    if (open->count != 0 && calls->images->trampoline_end == 0 &&
        hf_images_refresh(calls->images, NULL) != HF_OK)
        return; /* the process is gone */
    struct hf_replaced_return replaced[HF_OPEN_CALLS_MAX];
    for (size_t i = 0; i < open->count; i++)
        replaced[i] = open->items[i].replaced;
    hf_saved_stack_repair(
        calls->images, half->registers.sp, half->stack, half->stack_size, replaced, open->count);
}

/* It is in the function that is called; a system call and a fault are in who does it. */
static bool is_in_called(const struct hf_calls *calls, const struct hf_half *half)
{
    return half->kind == HF_HALF_ENTRY && !calls->probes[half->probe].is_system_call;
}

/* The stack of a call begins with who called; that of a fault with what touched the page. */
static uint32_t calls_stack_of(struct hf_calls *calls, const struct hf_half *half)
{
    uint64_t frames[HF_UNWIND_FRAMES_MAX];
    struct hf_live_table *table = hf_tracker_table(calls->tracker);
    struct hf_saved_stack *walked = &calls->walked;
    uint32_t number;
    hf_saved_stack_walk(walked, calls->images, &half->registers,
        (struct hf_text){half->stack, half->stack_size}, is_in_called(calls, half),
        &(struct hf_pointer_chain){half->chain, half->chain_count});
    size_t first = !is_in_called(calls, half) || walked->count == 1 ? 0 : 1;
    for (size_t i = first; i < walked->count; i++)
        frames[i - first] = hf_images_frame(calls->images, table, walked->addresses[i]);
    unsigned flags =
        (walked->is_cut ? HF_LIVE_IS_CUT : 0u) | (walked->is_guessed ? HF_LIVE_IS_GUESSED : 0u);
    return hf_tracker_stack(calls->tracker, frames, walked->count - first, flags, &number)
               ? number
               : HF_TRACKER_NO_STACK;
}

/* The name of the context that a call makes, as text of the program, which stays where it is. */
static struct hf_text calls_name_of(
    const struct hf_calls *calls, uint64_t address, char bytes[HF_CONTEXT_LABEL_MAX])
{
    struct hf_text name = {bytes, 0};
    if (address != 0)
        (void)hf_memory_text(&calls->images->memory, address, bytes, HF_CONTEXT_LABEL_MAX, &name);
    return name;
}

static uint64_t calls_value_of(
    const struct hf_spec_entry *entry, enum hf_spec_key key, const struct hf_spec_call *call)
{
    uint64_t value;
    return hf_spec_evaluate(&entry->values[key], call, &value) ? value : 0;
}

static void remember_open(
    struct hf_open_calls *open, const struct hf_half *half, const struct hf_spec_call *arguments)
{
    struct hf_open_call call = {.replaced.slot = half->registers.sp, .probe = half->probe};
    if (open->count == HF_OPEN_CALLS_MAX || half->stack_size < sizeof call.replaced.address)
        return;
    memcpy(&call.replaced.address, half->stack, sizeof call.replaced.address);
    memcpy(call.arguments, arguments->arguments, sizeof call.arguments);
    open->items[open->count++] = call;
}

/* sbrk(2) of less than nothing gives back. */
static bool gives_back(const struct hf_traced_call *call)
{
    return call->role == HF_ROLE_MAP && (int64_t)call->size < 0;
}

static enum hf_status take_entry(
    struct hf_calls *calls, const struct hf_half *half, struct hf_error *err)
{
    const struct hf_probe *probe = &calls->probes[half->probe];
    struct hf_open_calls *open = open_calls_of(calls, half->tid);
    if (open == NULL)
        return hf_error_memory(err);
    struct seen_memory seen = {&calls->images->memory, half};
    char name[HF_CONTEXT_LABEL_MAX];
    struct hf_spec_call values = hf_spec_call_of(&half->registers);
    values.load = load_word;
    values.context = &seen;
    struct hf_traced_call call = {
        .role = probe->entry->role,
        .probe = half->probe,
        .tid = half->tid,
        .stack = HF_TRACKER_NO_STACK,
        .sp = half->registers.sp,
        .time_ns = half->time_ns,
        .context = calls_value_of(probe->entry, HF_SPEC_CONTEXT, &values),
        .is_in_context = probe->entry->is_in_context,
        .address = calls_value_of(probe->entry, HF_SPEC_POINTER, &values),
        .size = calls_value_of(probe->entry, HF_SPEC_SIZE, &values),
        .name = calls_name_of(calls, calls_value_of(probe->entry, HF_SPEC_NAME, &values), name),
    };
    calls->progress.calls++;
    close_deeper(open, half->registers.sp);
    put_returns_back(calls, open, half);
    if (probe->returns)
        remember_open(open, half, &values);
    if (gives_back(&call))
        return HF_OK;
    if (half->stack_size != 0 && hf_tracker_wants(calls->tracker, &call))
        call.stack = calls_stack_of(calls, half);
    hf_tracker_enter(calls->tracker, &call);
    return HF_OK;
}

/* What was given back lies before the new end. */
static void take_given_back(
    struct hf_calls *calls, const struct hf_half *half, uint64_t before, uint64_t size)
{
    struct hf_traced_call call = {
        .role = HF_ROLE_UNMAP,
        .probe = half->probe,
        .tid = half->tid,
        .stack = HF_TRACKER_NO_STACK,
        .sp = half->registers.sp,
        .time_ns = half->time_ns,
        .address = before + size,
        .size = 0 - size,
    };
    hf_tracker_enter(calls->tracker, &call);
}

static enum hf_status take_return(
    struct hf_calls *calls, const struct hf_half *half, struct hf_error *err)
{
    const struct hf_spec_entry *entry = calls->probes[half->probe].entry;
    struct hf_open_calls *open = open_calls_of(calls, half->tid);
    if (open == NULL)
        return hf_error_memory(err);
    uint64_t slot = half->registers.sp - 8, result = 0;
    struct seen_memory seen = {&calls->images->memory, half};
    struct hf_spec_call values = {
        .result = half->registers.ax, .load = load_word, .context = &seen};
    close_deeper(open, slot);
    bool was_seen = calls->sees_all;
    for (size_t i = open->count; i-- != 0 && open->items[i].replaced.slot == slot;) {
        if (open->items[i].probe != half->probe)
            continue;
        was_seen = true;
        memcpy(values.arguments, open->items[i].arguments, sizeof values.arguments);
        memmove(&open->items[i], &open->items[i + 1], (--open->count - i) * sizeof open->items[0]);
        if (hf_spec_succeeded(entry, &values))
            result = calls_value_of(entry, HF_SPEC_NEW, &values);
        break;
    }
    if (!was_seen)
        return HF_OK;
    uint64_t size = calls_value_of(entry, HF_SPEC_SIZE, &values);
    if (entry->role == HF_ROLE_MAP && (int64_t)size < 0 && result != 0)
        take_given_back(calls, half, result, size);
    else
        hf_tracker_return(
            calls->tracker, half->probe, half->tid, half->registers.sp, half->time_ns, result);
    return HF_OK;
}

static enum hf_status take_fault(
    struct hf_calls *calls, const struct hf_half *half, struct hf_error *err)
{
    if (!hf_touched_pages_add(&calls->touched, half->address))
        return hf_error_memory(err);
    struct hf_traced_call call = {
        .role = HF_ROLE_MAP,
        .probe = NO_PROBE,
        .tid = half->tid,
        .stack = calls_stack_of(calls, half),
        .sp = half->registers.sp,
        .time_ns = half->time_ns,
        .address = half->address & ~(HF_TOUCHED_PAGE_BYTES - 1),
        .size = HF_TOUCHED_PAGE_BYTES,
    };
    calls->progress.calls++;
    hf_tracker_enter(calls->tracker, &call);
    hf_tracker_return(
        calls->tracker, NO_PROBE, half->tid, call.sp + 8, half->time_ns, call.address);
    return HF_OK;
}

/* Of one page that was touched. */
static void take_gone(void *context, uint64_t address)
{
    struct hf_calls *calls = context;
    struct hf_traced_call call = {
        .role = HF_ROLE_UNMAP,
        .probe = NO_PROBE,
        .stack = HF_TRACKER_NO_STACK,
        .time_ns = UINT64_MAX,
        .address = address,
        .size = HF_TOUCHED_PAGE_BYTES,
    };
    hf_tracker_enter(calls->tracker, &call);
}

void hf_calls_end(struct hf_calls *calls)
{
    hf_touched_pages_gone(&calls->touched, calls->pid, take_gone, calls);
}

enum hf_status hf_calls_take(void *context, const struct hf_half *half, struct hf_error *err)
{
    struct hf_calls *calls = context;
    switch (half->kind) {
    case HF_HALF_ENTRY: return take_entry(calls, half, err);
    case HF_HALF_RETURN: return take_return(calls, half, err);
    case HF_HALF_FAULT: return take_fault(calls, half, err);
    case HF_HALF_LOST:
        calls->progress.lost += half->count;
        hf_tracker_lose(calls->tracker, HF_TRACKER_LOST_EVENTS, half->count, half->time_ns);
        return HF_OK;
    case HF_HALF_EXIT: {
        struct hf_open_calls *open = open_calls_of(calls, half->tid);
        if (open != NULL)
            open->count = 0;
        return HF_OK;
    }
    case HF_HALF_MAP: return hf_images_add(calls->images, half->mapped, err);
    case HF_HALF_EXEC: calls->progress.became_another = true; return HF_OK;
    }
    return HF_OK;
}
