#include "attach/tracker.h"

#include "attach/context_set.h"
#include "attach/labelled_stacks.h"
#include "attach/pending.h"
#include "base/vec.h"
#include "profile/notes.h"
#include "profile/unbias.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ADDRESS_END (UINT64_C(1) << HF_LIVE_ADDRESS_BITS)
#define NO_NAME HF_CONTEXT_NONE
#define PAGE_BYTES 4096u /* of x86-64 */

struct hf_tracker {
    struct hf_live_table table;
    struct hf_live_slots slots;
    struct hf_ordered blocks, ranges; /* address -> slot */
    struct hf_context_set contexts;
    struct hf_labelled_stacks stacks;
    struct hf_pending pending;
    struct hf_intern names; /* of contexts, as they call themselves */
    bool *is_short_lived;   /* by name */
    size_t is_short_lived_capacity;
    bool skips_short_lived;
    struct hf_tracker_questions questions;
    struct hf_tracker_counts counts;
    uint64_t last_loss_ns; /* of events that may have been frees */
};

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true; /* an anonymous mapping has its pages when they are touched */
}

static bool begin(
    struct hf_tracker *t, const struct hf_tracker_options *options, struct hf_error *err)
{
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .pid = options->pid,
        .start_ticks = options->start_ticks,
        .period_bytes = options->period_bytes,
    };
    struct hf_text command = hf_text_first(options->command, sizeof head.command - 1);
    if (command.size != 0)
        memcpy(head.command, command.data, command.size);
    hf_live_plan(&head, options->table_bytes);
    void *memory = mmap(NULL, head.table_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        hf_error_system(
            err, errno, "cannot map a live table of %" PRIu64 " bytes", head.table_bytes);
        return false;
    }
    return hf_live_begin(&t->table, memory, &head, commit);
}

enum hf_status hf_tracker_new(
    const struct hf_tracker_options *options, struct hf_tracker **out_tracker, struct hf_error *err)
{
    struct hf_tracker *t = calloc(1, sizeof *t);
    if (t == NULL)
        return hf_error_memory(err);
    hf_pending_init(&t->pending);
    t->skips_short_lived = options->skips_short_lived;
    t->questions = options->questions;
    t->stacks.table = &t->table;
    if (!begin(t, options, err)) {
        hf_tracker_free(t);
        return HF_ERR_SYSTEM;
    }
    *out_tracker = t;
    return HF_OK;
}

void hf_tracker_free(struct hf_tracker *t)
{
    if (t == NULL)
        return;
    hf_ordered_done(&t->blocks);
    hf_ordered_done(&t->ranges);
    hf_context_set_done(&t->contexts);
    hf_labelled_stacks_done(&t->stacks);
    hf_pending_done(&t->pending);
    hf_intern_done(&t->names);
    free(t->is_short_lived);
    if (t->table.head != NULL)
        (void)munmap(t->table.head, t->table.head->table_bytes);
    free(t);
}

struct hf_live_table *hf_tracker_table(struct hf_tracker *t)
{
    return &t->table;
}

bool hf_tracker_stack(struct hf_tracker *t, const uint64_t *frames_leaf_first, size_t count,
    unsigned flags, uint32_t *out_stack)
{
    return hf_labelled_stacks_add(&t->stacks, frames_leaf_first, count, flags, out_stack);
}

static struct hf_live_block *block_in(struct hf_tracker *t, uint32_t slot)
{
    return hf_live_block(&t->table, slot);
}

static uint64_t word_in(struct hf_tracker *t, uint32_t slot)
{
    return atomic_load_explicit(&block_in(t, slot)->word, memory_order_relaxed);
}

static uint64_t size_in(struct hf_tracker *t, uint32_t slot)
{
    return atomic_load_explicit(&block_in(t, slot)->size, memory_order_relaxed);
}

static void lose_memory(struct hf_tracker *t)
{
    t->counts.lost[HF_TRACKER_LOST_MEMORY]++;
}

static bool is_range(enum hf_role role)
{
    return role == HF_ROLE_MAP || role == HF_ROLE_UNMAP;
}

/* The thread, known to the table; NULL without memory. */
static struct hf_pending_thread *thread_of(struct hf_tracker *t, uint32_t tid)
{
    bool is_new;
    struct hf_pending_thread *thread = hf_pending_thread(&t->pending, tid, &is_new);
    if (thread == NULL) {
        lose_memory(t);
        return NULL;
    }
    if (is_new) {
        struct hf_live_thread record = {.tid = tid};
        struct hf_text name = {0};
        if (t->questions.thread != NULL)
            name = hf_text_first(t->questions.thread(t->questions.asked, tid), sizeof record.name);
        if (name.size != 0)
            memcpy(record.name, name.data, name.size);
        thread->number = hf_live_add_thread(&t->table, &record);
    }
    return thread;
}

/* ---- Blocks in the table. Who calls these has taken them out of `blocks` or `ranges`. */

/* A block with the fields of `born`, which may be a part of an older one. */
struct birth {
    uint64_t address, size, time_ns;
    uint32_t stack, thread; /* of the table */
    uint32_t context;
};

/* Its slot; HF_LIVE_NONE if there was no room for it, which is counted. */
static uint32_t put(struct hf_tracker *t, struct hf_ordered *where, const struct birth *born)
{
    uint32_t slot = hf_live_put(
        &t->table, &t->slots, born->address, born->size, born->stack, born->thread, born->time_ns);
    if (slot == HF_LIVE_NONE)
        return slot;
    if (hf_context_set_link(&t->contexts, born->context, slot)) {
        if (where == NULL || hf_ordered_add(where, born->address, slot))
            return slot;
        hf_context_set_unlink(&t->contexts, slot);
    }
    hf_live_remove(&t->table, &t->slots, slot);
    lose_memory(t);
    return HF_LIVE_NONE;
}

static void drop(struct hf_tracker *t, uint32_t slot)
{
    hf_context_set_unlink(&t->contexts, slot);
    hf_live_remove(&t->table, &t->slots, slot);
}

/* Frees [start, end) of the ranges; what is left of those it cuts stays. True if there was any. */
static bool unmap(struct hf_tracker *t, uint64_t start, uint64_t end)
{
    uint64_t at;
    uint32_t slot;
    bool is_any = false;
    while (end != 0 && hf_ordered_floor(&t->ranges, end - 1, &at, &slot) &&
           at + size_in(t, slot) > start) {
        const struct hf_live_block *block = block_in(t, slot);
        struct birth left = {at, 0, atomic_load(&block->birth), atomic_load(&block->stack),
            atomic_load(&block->thread), HF_CONTEXT_NONE};
        uint64_t old_end = at + size_in(t, slot);
        is_any = true;
        hf_ordered_remove(&t->ranges, at);
        drop(t, slot);
        if (at < start) {
            left.size = start - at;
            (void)put(t, &t->ranges, &left);
        }
        if (old_end > end) {
            left.address = end;
            left.size = old_end - end;
            (void)put(t, &t->ranges, &left);
        }
    }
    return is_any;
}

/* ---- Contexts. */

static bool is_skipped_name(const struct hf_tracker *t, uint32_t name)
{
    return name < t->is_short_lived_capacity && t->is_short_lived[name];
}

static void learn_short_lived(struct hf_tracker *t, uint32_t name)
{
    if (!t->skips_short_lived || name == NO_NAME || is_skipped_name(t, name))
        return;
    size_t known = t->is_short_lived_capacity;
    if (!hf_vec_reserve(&t->is_short_lived, &t->is_short_lived_capacity, (size_t)name + 1,
            sizeof *t->is_short_lived)) {
        lose_memory(t);
        return;
    }
    memset(&t->is_short_lived[known], 0, t->is_short_lived_capacity - known);
    t->is_short_lived[name] = true;
}

static uint32_t name_of(struct hf_tracker *t, struct hf_text text)
{
    uint32_t name;
    return text.size != 0 && hf_intern_put(&t->names, text.data, text.size, &name) ? name : NO_NAME;
}

static void free_all_of(struct hf_tracker *t, struct hf_context *context)
{
    while (context->first_block != HF_LIVE_NONE) {
        uint32_t slot = context->first_block, found;
        uint64_t address = hf_live_address_of(&t->table, slot);
        /* A block that is being reallocated is not there. */
        if (hf_ordered_find(&t->blocks, address, &found) && found == slot)
            hf_ordered_remove(&t->blocks, address);
        drop(t, slot);
        t->counts.frees++;
    }
}

static void forget_context(struct hf_tracker *t, uint32_t number)
{
    struct hf_context *context = &t->contexts.items[number];
    free_all_of(t, context);
    if (context->own_slot != HF_LIVE_NONE) {
        drop(t, context->own_slot);
        t->counts.frees++;
    }
    hf_context_set_remove(&t->contexts, number);
}

/* A context that is not known; HF_CONTEXT_NONE without memory. */
static uint32_t add_context(struct hf_tracker *t, uint64_t address, uint32_t name)
{
    struct hf_context context = {.address = address,
        .name = name,
        .label = HF_LABEL_NONE,
        .own_slot = HF_LIVE_NONE,
        .first_block = HF_LIVE_NONE};
    struct hf_text names[HF_TRACKER_NAMES], said = {0};
    size_t count = 0;
    if (name != NO_NAME)
        said = hf_intern_at(&t->names, name);
    if (t->questions.names != NULL)
        count = t->questions.names(t->questions.asked, address, said, names);
    if (count == 0 && name != NO_NAME)
        names[count++] = said;
    if (count != 0 && name == NO_NAME)
        context.name = name_of(t, names[count - 1]);
    uint32_t number = HF_CONTEXT_NONE;
    if (count == 0 || hf_labelled_stacks_label(&t->stacks, names, count, &context.label))
        number = hf_context_set_add(&t->contexts, &context);
    if (number == HF_CONTEXT_NONE)
        lose_memory(t);
    return number;
}

/* The context that a call is about, new ones too; HF_CONTEXT_NONE: none. */
static uint32_t context_of(struct hf_tracker *t, uint64_t address, uint32_t name)
{
    if (address == 0)
        return HF_CONTEXT_NONE;
    uint32_t number = hf_context_set_find(&t->contexts, address);
    if (number != HF_CONTEXT_NONE) {
        uint32_t known = t->contexts.items[number].name;
        if (name == NO_NAME || known == NO_NAME || name == known)
            return number;
        forget_context(t, number); /* another lives there: the delete was not seen */
        t->counts.overwritten++;
    }
    return add_context(t, address, name);
}

void hf_tracker_add_context(struct hf_tracker *t, uint64_t address, struct hf_text name)
{
    uint32_t context = context_of(t, address, name_of(t, name));
    if (context != HF_CONTEXT_NONE)
        t->contexts.items[context].was_there = true;
}

static bool is_skipped(const struct hf_tracker *t, uint32_t context)
{
    return context != HF_CONTEXT_NONE && !t->contexts.items[context].was_there &&
           is_skipped_name(t, t->contexts.items[context].name);
}

/* Reset or delete. The class of a context that nothing is known of is learned, too. */
static void end_context(struct hf_tracker *t, const struct hf_call *call)
{
    uint32_t number = hf_context_set_find(&t->contexts, call->context);
    uint32_t name = name_of(t, call->name);
    if (number == HF_CONTEXT_NONE) {
        learn_short_lived(t, name);
        return;
    }
    struct hf_context *context = &t->contexts.items[number];
    learn_short_lived(t, name != NO_NAME ? name : context->name);
    context->was_there = false;
    if (call->role == HF_ROLE_DELETE)
        forget_context(t, number);
    else
        free_all_of(t, context);
}

/* ---- Allocations. */

/* The stack of a call, as the table has it; HF_LIVE_NONE if it has no room, which is counted. */
static uint32_t stack_of(struct hf_tracker *t, const struct hf_call *call, uint32_t context)
{
    uint32_t stack = call->stack, in_table = HF_LIVE_NONE;
    uint32_t label = context != HF_CONTEXT_NONE ? t->contexts.items[context].label : HF_LABEL_NONE;
    uint64_t unknown;
    bool is_known = stack != HF_TRACKER_NO_STACK;
    if (!is_known && hf_labelled_stacks_name(&t->stacks, HF_TEXT("[stack lost]"), &unknown))
        is_known = hf_labelled_stacks_add(&t->stacks, &unknown, 1, 0, &stack);
    if (is_known)
        in_table = hf_labelled_stacks_in_table(&t->stacks, stack, label);
    if (in_table == HF_LIVE_NONE)
        hf_live_lose(&t->table, HF_LIVE_LOST_STACK, call->size);
    return in_table;
}

static void count_at(struct hf_tracker *t, uint32_t stack, const struct hf_call *call)
{
    double weight = hf_unbias_weight(t->table.head->period_bytes, call->size);
    hf_live_count(&t->table, stack, hf_unbias_round(weight * HF_LIVE_OBJECT),
        hf_unbias_round(weight * (double)call->size));
}

/* What is known of `call`, which allocated, becomes a block. */
static void record(
    struct hf_tracker *t, const struct hf_call *call, uint32_t context, bool is_counted)
{
    uint64_t end;
    const struct hf_pending_thread *thread = thread_of(t, call->tid);
    if (call->address == 0 || __builtin_add_overflow(call->address, call->size, &end) ||
        end > ADDRESS_END || thread == NULL)
        return;
    uint32_t stack = stack_of(t, call, context), replaced;
    if (stack == HF_LIVE_NONE)
        return;
    struct birth born = {call->address, call->size, call->time_ns, stack, thread->number, context};
    if (is_counted) {
        count_at(t, stack, call);
        t->counts.allocs++;
    }
    if (call->role == HF_ROLE_CTXNEW) {
        born.context = HF_CONTEXT_NONE;
        t->contexts.items[context].own_slot = put(t, NULL, &born);
    } else if (call->role == HF_ROLE_MAP) {
        (void)unmap(t, call->address, end);
        (void)put(t, &t->ranges, &born);
    } else {
        if (hf_ordered_find(&t->blocks, call->address, &replaced)) {
            hf_ordered_remove(&t->blocks, call->address);
            drop(t, replaced);
            t->counts.overwritten++;
        }
        (void)put(t, &t->blocks, &born);
    }
}

/* A context was made at call->address: what was there before is gone. */
static void make_context(struct hf_tracker *t, const struct hf_call *call, uint32_t name)
{
    uint32_t old = hf_context_set_find(&t->contexts, call->address);
    if (old != HF_CONTEXT_NONE) {
        forget_context(t, old);
        t->counts.overwritten++;
    }
    uint32_t context = context_of(t, call->address, name);
    if (context != HF_CONTEXT_NONE)
        record(t, call, context, true);
}

/* As context_of, for who saw all calls: that another context is there now is no free unseen. */
static uint32_t present_context(struct hf_tracker *t, uint64_t address, uint32_t name)
{
    uint64_t overwritten = t->counts.overwritten;
    uint32_t context = context_of(t, address, name);
    t->counts.overwritten = overwritten;
    return context;
}

void hf_tracker_put(struct hf_tracker *t, const struct hf_call *call)
{
    bool is_context = call->role == HF_ROLE_CTXNEW;
    uint32_t context =
        present_context(t, is_context ? call->address : call->context, name_of(t, call->name));
    if (!is_context || context != HF_CONTEXT_NONE)
        record(t, call, context, false);
}

void hf_tracker_count(
    struct hf_tracker *t, const struct hf_call *call, uint64_t objects, uint64_t bytes)
{
    uint32_t context = present_context(t, call->context, name_of(t, call->name));
    uint32_t stack = stack_of(t, call, context);
    if (stack != HF_LIVE_NONE)
        hf_live_count(&t->table, stack, objects * HF_LIVE_OBJECT, bytes);
}

/* ---- Half calls. */

/* The block at the address of a call is taken out, to be put back or dropped by its outcome. */
static void hold(struct hf_tracker *t, struct hf_pending_call *pending)
{
    pending->held_slot = HF_LIVE_NONE;
    if (pending->call.role != HF_ROLE_REALLOC ||
        !hf_ordered_find(&t->blocks, pending->call.address, &pending->held_slot))
        return;
    pending->held_word = word_in(t, pending->held_slot);
    hf_ordered_remove(&t->blocks, pending->call.address);
}

/* False if a reset has freed it meanwhile. */
static bool is_held(struct hf_tracker *t, const struct hf_pending_call *pending)
{
    return pending->held_slot != HF_LIVE_NONE &&
           word_in(t, pending->held_slot) == pending->held_word;
}

static void put_back(struct hf_tracker *t, const struct hf_pending_call *pending)
{
    uint32_t newer;
    if (!is_held(t, pending))
        return;
    if (hf_ordered_find(&t->blocks, pending->call.address, &newer)) {
        t->counts.overwritten++;
        drop(t, pending->held_slot);
    } else if (!hf_ordered_add(&t->blocks, pending->call.address, pending->held_slot)) {
        lose_memory(t);
        drop(t, pending->held_slot);
    }
}

/* Gives up what can no longer return to a place whose stack pointer is `sp`: what is deeper. */
static void give_up(struct hf_tracker *t, struct hf_pending_thread *thread, uint64_t sp)
{
    const struct hf_pending_call *innermost;
    while ((innermost = hf_pending_innermost(&t->pending, thread)) != NULL &&
           innermost->call.sp < sp) {
        struct hf_pending_call call = hf_pending_pop(&t->pending, thread);
        put_back(t, &call);
        t->counts.unpaired_entries++;
    }
}

/*
 * A call is entered at `sp`. Another at the same depth was left, by a tail call of this one or by
 * longjmp: this one counts, and the other one's return, if it comes, does nothing.
 */
static void make_way(
    struct hf_tracker *t, struct hf_pending_thread *thread, uint64_t sp, uint32_t probe)
{
    give_up(t, thread, sp);
    struct hf_pending_call *same = hf_pending_innermost(&t->pending, thread);
    if (same == NULL || same->call.sp != sp)
        return;
    if (same->call.probe == probe) { /* no function is its own tail call */
        give_up(t, thread, sp + 1);
        return;
    }
    put_back(t, same);
    same->held_slot = HF_LIVE_NONE;
    same->is_recorded = false;
    same->is_left = true;
}

/* True if another pending call allocates the same for its caller: blocks, or ranges. */
static bool is_inner(
    const struct hf_tracker *t, const struct hf_pending_thread *thread, enum hf_role role)
{
    for (const struct hf_pending_call *outer = hf_pending_innermost(&t->pending, thread);
         outer != NULL; outer = hf_pending_outer(&t->pending, outer)) {
        if (!outer->is_left && is_range(outer->call.role) == is_range(role))
            return true;
    }
    return false;
}

bool hf_tracker_wants(struct hf_tracker *t, const struct hf_call *call)
{
    if (call->role != HF_ROLE_ALLOC && call->role != HF_ROLE_REALLOC &&
        call->role != HF_ROLE_CTXNEW && call->role != HF_ROLE_MAP)
        return false;
    struct hf_pending_thread *thread = thread_of(t, call->tid);
    if (thread == NULL)
        return false;
    make_way(t, thread, call->sp, call->probe);
    if (is_inner(t, thread, call->role))
        return false;
    uint32_t name = name_of(t, call->name);
    if (call->role == HF_ROLE_CTXNEW)
        return name == NO_NAME || !is_skipped_name(t, name);
    return !is_skipped(t, context_of(t, call->context, name));
}

static void free_block(struct hf_tracker *t, uint64_t address, bool is_expected)
{
    uint32_t slot;
    if (hf_ordered_find(&t->blocks, address, &slot)) {
        hf_ordered_remove(&t->blocks, address);
        drop(t, slot);
        t->counts.frees++;
    } else if (address != 0 && !is_expected) {
        t->counts.unknown_frees++;
    }
}

static void free_range(struct hf_tracker *t, uint64_t start, uint64_t size)
{
    uint64_t end;
    if (size != 0 && !__builtin_add_overflow(start, size + PAGE_BYTES - 1, &end)) {
        if (unmap(t, start, end / PAGE_BYTES * PAGE_BYTES))
            t->counts.frees++;
        else
            t->counts.unknown_frees++;
    }
}

/* A call that allocates: what it did is seen when it returns. */
static void suspend(struct hf_tracker *t, struct hf_pending_thread *thread,
    const struct hf_call *call, bool is_inner_call)
{
    struct hf_pending_call pending = {.call = *call, .name = name_of(t, call->name)};
    pending.call.name = (struct hf_text){0}; /* borrowed */
    pending.is_recorded = !is_inner_call;
    if (!is_inner_call && call->role != HF_ROLE_CTXNEW && call->role != HF_ROLE_MAP)
        pending.is_recorded = !is_skipped(t, context_of(t, call->context, pending.name));
    else if (call->role == HF_ROLE_CTXNEW && is_skipped_name(t, pending.name))
        pending.is_recorded = false;
    if (!is_inner_call && !pending.is_recorded)
        t->counts.skipped++;
    hold(t, &pending);
    if (!hf_pending_push(&t->pending, thread, &pending)) {
        put_back(t, &pending);
        lose_memory(t);
    }
}

void hf_tracker_enter(struct hf_tracker *t, const struct hf_call *call)
{
    struct hf_pending_thread *thread = thread_of(t, call->tid);
    if (thread == NULL)
        return;
    make_way(t, thread, call->sp, call->probe);
    bool is_inner_call = is_inner(t, thread, call->role);
    switch (call->role) {
    case HF_ROLE_FREE: free_block(t, call->address, is_inner_call); break;
    case HF_ROLE_UNMAP: free_range(t, call->address, call->size); break;
    case HF_ROLE_RESET:
    case HF_ROLE_DELETE: end_context(t, call); break;
    case HF_ROLE_ALLOC:
    case HF_ROLE_REALLOC:
    case HF_ROLE_CTXNEW:
    case HF_ROLE_MAP: suspend(t, thread, call, is_inner_call); break;
    }
}

/* `call` is what came of a realloc: its address is the new one. */
static void end_realloc(
    struct hf_tracker *t, const struct hf_pending_call *pending, struct hf_call *call)
{
    if (call->address == 0 && call->size != 0) {
        put_back(t, pending); /* it failed */
        return;
    }
    uint32_t context = context_of(t, call->context, pending->name);
    if (is_held(t, pending)) {
        uint32_t slot = pending->held_slot;
        if (context == HF_CONTEXT_NONE)
            context = hf_context_set_owner(&t->contexts, slot);
        if (call->address == pending->call.address)
            call->time_ns = atomic_load(&block_in(t, slot)->birth);
        drop(t, slot);
        t->counts.frees++;
    } else if (pending->call.address != 0 && pending->is_recorded) {
        t->counts.unknown_frees++;
    }
    if (pending->is_recorded)
        record(t, call, context, true);
}

static void end_call(
    struct hf_tracker *t, const struct hf_pending_call *pending, uint64_t time_ns, uint64_t result)
{
    struct hf_call call = pending->call;
    call.time_ns = time_ns;
    call.address = result;
    if (call.role == HF_ROLE_REALLOC) {
        end_realloc(t, pending, &call);
    } else if (call.role == HF_ROLE_CTXNEW) {
        if (result == 0)
            call.address = call.context;
        if (pending->is_recorded)
            make_context(t, &call, pending->name);
    } else if (pending->is_recorded) {
        record(t, &call, context_of(t, call.context, pending->name), true);
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
    give_up(t, thread, entry_sp);
    while ((innermost = hf_pending_innermost(&t->pending, thread)) != NULL &&
           innermost->call.sp == entry_sp && innermost->call.probe != probe) {
        struct hf_pending_call tail = hf_pending_pop(&t->pending, thread);
        put_back(t, &tail); /* its own return was not seen */
        t->counts.unpaired_entries++;
    }
    if (innermost == NULL || innermost->call.sp != entry_sp) {
        t->counts.unpaired_returns++;
        return;
    }
    struct hf_pending_call pending = hf_pending_pop(&t->pending, thread);
    end_call(t, &pending, time_ns, result);
}

/* ---- What was lost, and what to say of it. */

void hf_tracker_lose(
    struct hf_tracker *t, enum hf_tracker_loss why, uint64_t count, uint64_t time_ns)
{
    t->counts.lost[why] += count;
    if (why != HF_TRACKER_LOST_EVENTS || count == 0)
        return;
    if (time_ns > t->last_loss_ns)
        t->last_loss_ns = time_ns;
    for (size_t i = 0; i < t->pending.thread_count; i++)
        give_up(t, &t->pending.threads[i], UINT64_MAX);
}

void hf_tracker_add_counts(struct hf_tracker *t, const struct hf_tracker_counts *counts)
{
    t->counts.allocs += counts->allocs;
    t->counts.frees += counts->frees;
    t->counts.unknown_frees += counts->unknown_frees;
    t->counts.overwritten += counts->overwritten;
    t->counts.unpaired_entries += counts->unpaired_entries;
    t->counts.unpaired_returns += counts->unpaired_returns;
    t->counts.skipped += counts->skipped;
}

struct hf_tracker_counts hf_tracker_counts(struct hf_tracker *t)
{
    struct hf_tracker_counts counts = t->counts;
    uint64_t used = atomic_load(&t->table.state->counts[HF_LIVE_BLOCKS]);
    for (uint32_t slot = 0; t->last_loss_ns != 0 && slot < used; slot++) {
        if (hf_live_address_of(&t->table, slot) != 0 &&
            atomic_load(&block_in(t, slot)->birth) <= t->last_loss_ns) {
            counts.suspects++;
            counts.suspect_bytes += size_in(t, slot);
        }
    }
    return counts;
}
