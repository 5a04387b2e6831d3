#include "attach/tracker/tracker.h"

#include "attach/tracker/in_use.h"
#include "attach/tracker/pending_calls.h"

#include <stdlib.h>
#include <string.h>

struct hf_tracker {
    struct hf_in_use in_use;
    struct hf_pending_calls pending;
    uint64_t last_loss_ns; /* of events that may have been frees */
};

enum hf_status hf_tracker_new(
    const struct hf_tracker_options *options, struct hf_tracker **out_tracker, struct hf_error *err)
{
    struct hf_tracker *t = calloc(1, sizeof *t);
    if (t == NULL)
        return hf_error_memory(err);
    hf_pending_calls_init(&t->pending);
    enum hf_status status = hf_in_use_begin(&t->in_use, options, err);
    if (status != HF_OK) {
        hf_tracker_free(t);
        return status;
    }
    *out_tracker = t;
    return HF_OK;
}

void hf_tracker_free(struct hf_tracker *t)
{
    if (t == NULL)
        return;
    hf_in_use_done(&t->in_use);
    hf_pending_calls_done(&t->pending);
    free(t);
}

struct hf_live_table *hf_tracker_table(struct hf_tracker *t)
{
    return &t->in_use.table;
}

bool hf_tracker_stack(struct hf_tracker *t, const uint64_t *frames_leaf_first, size_t count,
    unsigned flags, uint32_t *out_stack)
{
    return hf_labelled_stacks_add(&t->in_use.stacks, frames_leaf_first, count, flags, out_stack);
}

/* The thread, known to the table; NULL without memory. */
static struct hf_pending_thread *thread_of(struct hf_tracker *t, uint32_t tid)
{
    const struct hf_tracker_questions *questions = &t->in_use.questions;
    bool is_new;
    struct hf_pending_thread *thread = hf_pending_thread(&t->pending, tid, &is_new);
    if (thread == NULL) {
        hf_in_use_lose_memory(&t->in_use);
        return NULL;
    }
    if (is_new) {
        struct hf_live_thread record = {.tid = tid};
        struct hf_text name = {0};
        if (questions->thread != NULL)
            name = hf_text_first(questions->thread(questions->asked, tid), sizeof record.name);
        if (name.size != 0)
            memcpy(record.name, name.data, name.size);
        thread->number = hf_live_add_thread(&t->in_use.table, &record);
    }
    return thread;
}

static uint32_t tracker_name_of(struct hf_tracker *t, struct hf_text name)
{
    return hf_context_set_name(&t->in_use.contexts, name);
}

void hf_tracker_add_context(struct hf_tracker *t, uint64_t address, struct hf_text name)
{
    uint32_t context = hf_in_use_context(&t->in_use, address, tracker_name_of(t, name));
    if (context != HF_CONTEXT_NONE)
        t->in_use.contexts.items[context].was_there = true;
}

void hf_tracker_put(struct hf_tracker *t, const struct hf_traced_call *call)
{
    bool is_context = call->role == HF_ROLE_CTXNEW;
    uint64_t address = is_context ? call->address : call->context;
    uint32_t context =
        hf_in_use_present_context(&t->in_use, address, tracker_name_of(t, call->name));
    const struct hf_pending_thread *thread = thread_of(t, call->tid);
    if (thread != NULL && (!is_context || context != HF_CONTEXT_NONE))
        hf_in_use_add(&t->in_use, call, context, thread->number, false);
}

void hf_tracker_count(
    struct hf_tracker *t, const struct hf_traced_call *call, uint64_t objects, uint64_t bytes)
{
    hf_in_use_count(&t->in_use, call, tracker_name_of(t, call->name), objects, bytes);
}

void hf_tracker_weigh_contexts(struct hf_tracker *t)
{
    hf_in_use_weigh_contexts(&t->in_use);
}

void hf_tracker_clear(struct hf_tracker *t)
{
    hf_in_use_clear(&t->in_use);
    t->last_loss_ns = 0;
}

void hf_tracker_forget_suspects(struct hf_tracker *t)
{
    if (t->last_loss_ns == 0)
        return;
    t->in_use.counts.forgotten += hf_in_use_forget(&t->in_use, t->last_loss_ns);
    t->last_loss_ns = 0;
}

/* ---- Which half calls belong together. */

static bool is_range(enum hf_role role)
{
    return role == HF_ROLE_MAP || role == HF_ROLE_UNMAP;
}

static void put_back(struct hf_tracker *t, const struct hf_pending_call *pending)
{
    hf_in_use_put_back(&t->in_use, pending->call.address, pending->held);
}

/* Gives up what can no longer return to a place whose stack pointer is `sp`: what is deeper. */
static void tracker_give_up(struct hf_tracker *t, struct hf_pending_thread *thread, uint64_t sp)
{
    const struct hf_pending_call *innermost;
    while ((innermost = hf_pending_calls_innermost(&t->pending, thread)) != NULL &&
           innermost->call.sp < sp) {
        struct hf_pending_call call = hf_pending_calls_pop(&t->pending, thread);
        put_back(t, &call);
        t->in_use.counts.unpaired_entries++;
    }
}

/*
 * A call is entered at `sp`. Another at the same depth was left, by a tail call of this one or by
 * longjmp: this one counts, and the other one's return, if it comes, does nothing.
 */
static void make_way(
    struct hf_tracker *t, struct hf_pending_thread *thread, uint64_t sp, uint32_t probe)
{
    tracker_give_up(t, thread, sp);
    struct hf_pending_call *same = hf_pending_calls_innermost(&t->pending, thread);
    if (same == NULL || same->call.sp != sp)
        return;
    if (same->call.probe == probe) { /* no function is its own tail call */
        tracker_give_up(t, thread, sp + 1);
        return;
    }
    put_back(t, same);
    same->held.slot = HF_LIVE_NONE;
    same->is_recorded = false;
    same->is_left = true;
}

/* True if another pending call allocates the same for its caller: blocks, or ranges. */
static bool tracker_is_inner(
    const struct hf_tracker *t, const struct hf_pending_thread *thread, enum hf_role role)
{
    for (const struct hf_pending_call *outer = hf_pending_calls_innermost(&t->pending, thread);
         outer != NULL; outer = hf_pending_calls_outer(&t->pending, outer)) {
        if (!outer->is_left && is_range(outer->call.role) == is_range(role))
            return true;
    }
    return false;
}

/* If what the call allocates is not left out, as that of short-lived contexts is. */
static bool tracker_is_of_use(
    struct hf_tracker *t, const struct hf_traced_call *call, uint32_t name)
{
    if (call->role == HF_ROLE_CTXNEW)
        return true; /* one that stays is of use, whatever its class */
    return !hf_in_use_is_skipped(&t->in_use, hf_in_use_context(&t->in_use, call->context, name));
}

bool hf_tracker_wants(struct hf_tracker *t, const struct hf_traced_call *call)
{
    if (call->role != HF_ROLE_ALLOC && call->role != HF_ROLE_REALLOC &&
        call->role != HF_ROLE_CTXNEW && call->role != HF_ROLE_MAP)
        return false;
    struct hf_pending_thread *thread = thread_of(t, call->tid);
    if (thread == NULL)
        return false;
    make_way(t, thread, call->sp, call->probe);
    return !tracker_is_inner(t, thread, call->role) &&
           tracker_is_of_use(t, call, tracker_name_of(t, call->name));
}

/* ---- What half calls mean. */

/* A call that allocates: what it did is seen when it returns. */
static void suspend(struct hf_tracker *t, struct hf_pending_thread *thread,
    const struct hf_traced_call *call, bool is_inner_call)
{
    struct hf_pending_call pending = {
        .call = *call, .name = tracker_name_of(t, call->name), .held.slot = HF_LIVE_NONE};
    pending.call.name = (struct hf_text){0}; /* borrowed */
    pending.is_recorded = !is_inner_call && tracker_is_of_use(t, call, pending.name);
    if (!is_inner_call && !pending.is_recorded)
        t->in_use.counts.skipped++;
    if (call->role == HF_ROLE_REALLOC)
        pending.held = hf_in_use_hold(&t->in_use, call->address);
    if (!hf_pending_calls_push(&t->pending, thread, &pending)) {
        put_back(t, &pending);
        hf_in_use_lose_memory(&t->in_use);
    }
}

void hf_tracker_enter(struct hf_tracker *t, const struct hf_traced_call *call)
{
    struct hf_in_use *u = &t->in_use;
    struct hf_pending_thread *thread = thread_of(t, call->tid);
    if (thread == NULL)
        return;
    make_way(t, thread, call->sp, call->probe);
    bool is_inner_call = tracker_is_inner(t, thread, call->role);
    switch (call->role) {
    case HF_ROLE_FREE: hf_in_use_free_block(u, call->address, is_inner_call); break;
    case HF_ROLE_UNMAP: hf_in_use_free_range(u, call->address, call->size); break;
    case HF_ROLE_RESET:
    case HF_ROLE_DELETE: hf_in_use_end_context(u, call); break;
    case HF_ROLE_ALLOC:
    case HF_ROLE_REALLOC:
    case HF_ROLE_CTXNEW:
    case HF_ROLE_MAP: suspend(t, thread, call, is_inner_call); break;
    }
}

/* `call` is what came of a realloc: its address is the new one. */
static void end_realloc(struct hf_tracker *t, const struct hf_pending_call *pending,
    struct hf_traced_call *call, uint32_t thread)
{
    struct hf_in_use *u = &t->in_use;
    if (call->address == 0 && call->size != 0) {
        put_back(t, pending); /* it failed */
        return;
    }
    uint32_t context = hf_in_use_context(u, call->context, pending->name);
    if (hf_in_use_is_held(u, pending->held)) {
        uint32_t slot = pending->held.slot;
        if (context == HF_CONTEXT_NONE)
            context = hf_context_set_owner(&u->contexts, slot);
        if (call->address == pending->call.address)
            call->time_ns = atomic_load(&hf_live_block(&u->table, slot)->birth);
        hf_in_use_free_held(u, pending->held);
    } else if (pending->call.address != 0 && pending->is_recorded) {
        u->counts.unknown_frees++;
    }
    if (pending->is_recorded && (context != HF_CONTEXT_NONE || !call->is_in_context))
        hf_in_use_add(u, call, context, thread, true);
}

/* `call` is pending->call with what came of it. */
static void end_call(struct hf_tracker *t, const struct hf_pending_call *pending,
    struct hf_traced_call *call, uint32_t thread)
{
    if (call->role == HF_ROLE_REALLOC) {
        end_realloc(t, pending, call, thread);
    } else if (call->role == HF_ROLE_CTXNEW) {
        if (call->address == 0)
            call->address = call->context;
        if (pending->is_recorded)
            hf_in_use_add_context(&t->in_use, call, pending->name, thread);
    } else if (pending->is_recorded) {
        uint32_t context = hf_in_use_context(&t->in_use, call->context, pending->name);
        hf_in_use_add(&t->in_use, call, context, thread, true);
    }
}

void hf_tracker_return(struct hf_tracker *t, uint32_t probe, uint32_t tid, uint64_t sp,
    uint64_t time_ns, uint64_t result)
{
    struct hf_pending_thread *thread = thread_of(t, tid);
    if (thread == NULL)
        return;
    uint64_t entry_sp = sp - sizeof(uint64_t);
    const struct hf_pending_call *innermost;
    tracker_give_up(t, thread, entry_sp);
    while ((innermost = hf_pending_calls_innermost(&t->pending, thread)) != NULL &&
           innermost->call.sp == entry_sp && innermost->call.probe != probe) {
        struct hf_pending_call tail = hf_pending_calls_pop(&t->pending, thread);
        put_back(t, &tail); /* its own return was not seen */
        t->in_use.counts.unpaired_entries++;
    }
    if (innermost == NULL || innermost->call.sp != entry_sp) {
        t->in_use.counts.unpaired_returns++;
        return;
    }
    struct hf_pending_call pending = hf_pending_calls_pop(&t->pending, thread);
    struct hf_traced_call call = pending.call;
    call.time_ns = time_ns;
    call.address = result;
    end_call(t, &pending, &call, thread->number);
}

/* ---- What was lost, and what was counted. */

void hf_tracker_lose(
    struct hf_tracker *t, enum hf_tracker_loss why, uint64_t count, uint64_t time_ns)
{
    t->in_use.counts.lost[why] += count;
    if (why != HF_TRACKER_LOST_EVENTS || count == 0)
        return;
    if (time_ns > t->last_loss_ns)
        t->last_loss_ns = time_ns;
    for (size_t i = 0; i < t->pending.thread_count; i++)
        tracker_give_up(t, &t->pending.threads[i], UINT64_MAX);
}

void hf_tracker_add_counts(struct hf_tracker *t, const struct hf_tracker_counts *more)
{
    struct hf_tracker_counts *counts = &t->in_use.counts;
    counts->allocs += more->allocs;
    counts->frees += more->frees;
    counts->unknown_frees += more->unknown_frees;
    counts->overwritten += more->overwritten;
    counts->unpaired_entries += more->unpaired_entries;
    counts->unpaired_returns += more->unpaired_returns;
    counts->skipped += more->skipped;
}

struct hf_tracker_counts hf_tracker_counts(struct hf_tracker *t)
{
    struct hf_tracker_counts counts = t->in_use.counts;
    if (t->last_loss_ns != 0)
        hf_in_use_born_until(&t->in_use, t->last_loss_ns, &counts.suspects, &counts.suspect_bytes);
    return counts;
}
