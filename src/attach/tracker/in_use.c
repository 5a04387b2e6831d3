#include "attach/tracker/in_use.h"

#include "live/chunk.h"
#include "profile/unbias.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define ADDRESS_END (UINT64_C(1) << HF_LIVE_ADDRESS_BITS)
#define PAGE_BYTES 4096u /* of x86-64 */

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true; /* an anonymous mapping has its pages when they are touched */
}

static uint64_t in_use_now_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The head of a table that another began: whose it is. */
static void in_use_keep_owner(const void *memory, struct hf_live_head *head)
{
    struct hf_live_head old;
    memcpy(&old, memory, sizeof old);
    head->monotonic_ns = old.monotonic_ns;
    head->realtime_ns = old.realtime_ns;
    head->pid = old.pid;
    head->start_ticks = old.start_ticks;
    memcpy(head->command, old.command, sizeof head->command - 1);
}

/* Of what another wrote, the modules. Whoever it was: no count is believed. */
static void in_use_keep_modules(struct hf_live_table *table)
{
    for (enum hf_live_kind kind = 0; kind < HF_LIVE_KINDS; kind++) {
        _Atomic uint64_t *count = hf_live_count_of(table->state, kind);
        uint64_t most = kind < HF_LIVE_THREADS ? hf_live_region(table->head, kind)->capacity : 0;
        if (atomic_load(count) > most)
            atomic_store(count, most);
    }
    atomic_store(&table->control->part_count, 0);
    (void)madvise(table->regions[HF_LIVE_THREADS],
        table->head->table_bytes - table->head->regions[HF_LIVE_THREADS].offset, MADV_REMOVE);
}

enum hf_status hf_in_use_begin(
    struct hf_in_use *u, const struct hf_tracker_options *options, struct hf_error *err)
{
    *u = (struct hf_in_use){
        .skips_short_lived = options->skips_short_lived,
        .questions = options->questions,
        .chunk_head_bytes = options->chunk_head_bytes,
        .stacks.table = &u->table,
    };
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .pid = options->pid,
        .start_ticks = options->start_ticks,
        .period_bytes = options->period_bytes,
    };
    if (options->is_dated) {
        head.monotonic_ns = in_use_now_ns(CLOCK_MONOTONIC);
        head.realtime_ns = in_use_now_ns(CLOCK_REALTIME);
    }
    struct hf_text command = hf_text_first(options->command, sizeof head.command - 1);
    if (command.size != 0)
        memcpy(head.command, command.data, command.size);
    hf_live_plan(&head, options->table_bytes);
    /* What is shared does not count as this process's data, of which a worker has a limit. */
    void *memory = options->table;
    if (memory == NULL)
        memory = u->own_table = mmap(NULL, head.table_bytes, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    else if (options->goes_on)
        in_use_keep_owner(memory, &head);
    else
        (void)madvise(memory, head.table_bytes, MADV_REMOVE); /* what was begun and given up */
    u->table_bytes = head.table_bytes;
    if (memory == MAP_FAILED) {
        u->own_table = NULL;
        hf_error_system(err, errno, "cannot map a live table of %" PRIu64 " bytes",
            /* never 1 */ head.table_bytes);
        return HF_ERR_SYSTEM;
    }
    if (!hf_live_begin(&u->table, memory, &head, commit))
        return HF_ERR_SYSTEM;
    if (options->goes_on)
        in_use_keep_modules(&u->table);
    return HF_OK;
}

void hf_in_use_done(struct hf_in_use *u)
{
    hf_ordered_done(&u->blocks);
    hf_ordered_done(&u->ranges);
    hf_context_set_done(&u->contexts);
    hf_labelled_stacks_done(&u->stacks);
    if (u->own_table != NULL)
        (void)munmap(u->own_table, u->table_bytes);
}

void hf_in_use_lose_memory(struct hf_in_use *u)
{
    u->counts.lost[HF_TRACKER_LOST_MEMORY]++;
}

static struct hf_live_block *block_in(struct hf_in_use *u, uint32_t slot)
{
    return hf_live_block(&u->table, slot);
}

static uint64_t word_in(struct hf_in_use *u, uint32_t slot)
{
    return atomic_load_explicit(&block_in(u, slot)->word, memory_order_relaxed);
}

static uint64_t in_use_size_in(struct hf_in_use *u, uint32_t slot)
{
    return atomic_load_explicit(&block_in(u, slot)->size, memory_order_relaxed);
}

/* ---- Blocks in the table. Who calls these has taken them out of `blocks` or `ranges`. */

/* A block with the fields of `born`, which may be a part of an older one. */
struct birth {
    uint64_t address, size, time_ns;
    uint32_t stack, thread; /* of the table */
    uint32_t context;
};

/* Its slot; HF_LIVE_NONE if there was no room for it, which is counted. */
static uint32_t in_use_put(struct hf_in_use *u, struct hf_ordered *where, const struct birth *born)
{
    uint32_t slot = hf_live_put(
        &u->table, &u->slots, born->address, born->size, born->stack, born->thread, born->time_ns);
    if (slot == HF_LIVE_NONE)
        return slot;
    if (hf_context_set_link(&u->contexts, born->context, slot)) {
        if (where == NULL || hf_ordered_add(where, born->address, slot))
            return slot;
        hf_context_set_unlink(&u->contexts, slot);
    }
    hf_live_remove(&u->table, &u->slots, slot);
    hf_in_use_lose_memory(u);
    return HF_LIVE_NONE;
}

static void in_use_drop(struct hf_in_use *u, uint32_t slot)
{
    hf_context_set_unlink(&u->contexts, slot);
    hf_live_remove(&u->table, &u->slots, slot);
}

/* Frees [start, end) of the ranges; what is left of those it cuts stays. True if there was any. */
static bool unmap(struct hf_in_use *u, uint64_t start, uint64_t end)
{
    uint64_t at;
    uint32_t slot;
    bool is_any = false;
    while (end != 0 && hf_ordered_floor(&u->ranges, end - 1, &at, &slot) &&
           at + in_use_size_in(u, slot) > start) {
        const struct hf_live_block *block = block_in(u, slot);
        struct birth left = {at, 0, atomic_load(&block->birth), atomic_load(&block->stack),
            atomic_load(&block->thread), HF_CONTEXT_NONE};
        uint64_t old_end = at + in_use_size_in(u, slot);
        is_any = true;
        hf_ordered_remove(&u->ranges, at);
        in_use_drop(u, slot);
        if (at < start) {
            left.size = start - at;
            (void)in_use_put(u, &u->ranges, &left);
        }
        if (old_end > end) {
            left.address = end;
            left.size = old_end - end;
            (void)in_use_put(u, &u->ranges, &left);
        }
    }
    return is_any;
}

/* ---- Contexts. */

static void learn_short_lived(struct hf_in_use *u, uint32_t name)
{
    if (u->skips_short_lived && !hf_context_set_learn_short_lived(&u->contexts, name))
        hf_in_use_lose_memory(u);
}

static void free_all_of(struct hf_in_use *u, struct hf_tracked_context *context)
{
    while (context->first_block != HF_LIVE_NONE) {
        uint32_t slot = context->first_block, found;
        uint64_t address = hf_live_address_of(&u->table, slot);
        /* A block that is being reallocated is not there. */
        if (hf_ordered_find(&u->blocks, address, &found) && found == slot)
            hf_ordered_remove(&u->blocks, address);
        in_use_drop(u, slot);
        u->counts.frees++;
    }
}

static void forget_context(struct hf_in_use *u, uint32_t number)
{
    struct hf_tracked_context *context = &u->contexts.items[number];
    free_all_of(u, context);
    if (context->own_slot != HF_LIVE_NONE) {
        in_use_drop(u, context->own_slot);
        context->own_slot = HF_LIVE_NONE;
        u->counts.frees++;
    }
    hf_context_set_remove(&u->contexts, number);
}

/* A context that is not known; HF_CONTEXT_NONE without memory. */
static uint32_t new_context(struct hf_in_use *u, uint64_t address, uint32_t name)
{
    struct hf_tracked_context context = {.address = address,
        .name = name,
        .label = HF_LABEL_NONE,
        .own_slot = HF_LIVE_NONE,
        .first_block = HF_LIVE_NONE};
    struct hf_text names[HF_TRACKER_NAMES], said = hf_context_set_name_text(&u->contexts, name);
    size_t count = 0;
    if (u->questions.names != NULL)
        count = u->questions.names(u->questions.asked, address, said, names);
    if (count == 0 && said.size != 0)
        names[count++] = said;
    if (count != 0 && said.size == 0)
        context.name = hf_context_set_name(&u->contexts, names[count - 1]);
    uint32_t number = HF_CONTEXT_NONE;
    if (count == 0 || hf_labelled_stacks_label(&u->stacks, names, count, &context.label))
        number = hf_context_set_add(&u->contexts, &context);
    if (number == HF_CONTEXT_NONE)
        hf_in_use_lose_memory(u);
    return number;
}

uint32_t hf_in_use_context(struct hf_in_use *u, uint64_t address, uint32_t name)
{
    if (address == 0)
        return HF_CONTEXT_NONE;
    uint32_t number = hf_context_set_find(&u->contexts, address);
    if (number != HF_CONTEXT_NONE) {
        uint32_t known = u->contexts.items[number].name;
        if (name == HF_CONTEXT_NONE || known == HF_CONTEXT_NONE || name == known)
            return number;
        forget_context(u, number);
        u->counts.overwritten++;
    }
    return new_context(u, address, name);
}

uint32_t hf_in_use_present_context(struct hf_in_use *u, uint64_t address, uint32_t name)
{
    uint64_t overwritten = u->counts.overwritten;
    uint32_t context = hf_in_use_context(u, address, name);
    u->counts.overwritten = overwritten;
    return context;
}

void hf_in_use_end_context(struct hf_in_use *u, const struct hf_traced_call *call)
{
    uint32_t number = hf_context_set_find(&u->contexts, call->context);
    uint32_t name = hf_context_set_name(&u->contexts, call->name);
    if (number == HF_CONTEXT_NONE) {
        learn_short_lived(u, name);
        return;
    }
    struct hf_tracked_context *context = &u->contexts.items[number];
    learn_short_lived(u, name != HF_CONTEXT_NONE ? name : context->name);
    context->was_there = false;
    if (call->role == HF_ROLE_DELETE)
        forget_context(u, number);
    else
        free_all_of(u, context);
}

/* Bytes that its blocks have which are known. */
static uint64_t bytes_in(struct hf_in_use *u, const struct hf_tracked_context *context)
{
    uint64_t bytes = 0;
    for (uint32_t slot = context->first_block; slot != HF_LIVE_NONE;
         slot = u->contexts.links[slot].next)
        bytes += hf_chunk_held(u->chunk_head_bytes, in_use_size_in(u, slot));
    return bytes;
}

void hf_in_use_weigh_contexts(struct hf_in_use *u)
{
    for (size_t i = 0; u->questions.context_bytes != NULL && i < u->contexts.count; i++) {
        const struct hf_tracked_context *context = &u->contexts.items[i];
        if (context->own_slot == HF_LIVE_NONE)
            continue;
        uint64_t held = u->questions.context_bytes(u->questions.asked, context->address);
        uint64_t known = bytes_in(u, context);
        if (held <= known)
            continue;
        struct hf_live_block *own = block_in(u, context->own_slot);
        atomic_store_explicit(&own->size, held - known, memory_order_relaxed);
        hf_live_count(&u->table, atomic_load(&own->stack), 0, held - known);
    }
}

bool hf_in_use_is_skipped(const struct hf_in_use *u, uint32_t context)
{
    return context != HF_CONTEXT_NONE && !u->contexts.items[context].was_there &&
           hf_context_set_is_short_lived(&u->contexts, u->contexts.items[context].name);
}

/* ---- Allocations. */

static uint32_t in_use_label_of(const struct hf_in_use *u, uint32_t context)
{
    return context != HF_CONTEXT_NONE ? u->contexts.items[context].label : HF_LABEL_NONE;
}

/*
 * The label of a context that may be gone: another, of another name, may be at its address now, and
 * stays as it is.
 */
static uint32_t label_of_past(struct hf_in_use *u, uint64_t address, uint32_t name)
{
    uint32_t there = address != 0 ? hf_context_set_find(&u->contexts, address) : HF_CONTEXT_NONE;
    struct hf_text text = hf_context_set_name_text(&u->contexts, name);
    uint32_t label = HF_LABEL_NONE;
    if (there == HF_CONTEXT_NONE || name == HF_CONTEXT_NONE ||
        u->contexts.items[there].name == name)
        return in_use_label_of(u, hf_in_use_context(u, address, name));
    if (!hf_labelled_stacks_label(&u->stacks, &text, 1, &label))
        hf_in_use_lose_memory(u);
    return label;
}

/* The stack of a call, as the table has it; HF_LIVE_NONE if it has no room, which is counted. */
static uint32_t in_use_stack_of(
    struct hf_in_use *u, const struct hf_traced_call *call, uint32_t label)
{
    uint32_t stack = call->stack, in_table = HF_LIVE_NONE;
    uint64_t unknown;
    bool is_known = stack != HF_TRACKER_NO_STACK;
    if (!is_known && hf_labelled_stacks_name(&u->stacks, HF_TEXT("[stack lost]"), &unknown))
        is_known = hf_labelled_stacks_add(&u->stacks, &unknown, 1, 0, &stack);
    if (is_known)
        in_table = hf_labelled_stacks_in_table(
            &u->stacks, stack, label, call->role == HF_ROLE_CTXNEW ? HF_LIVE_IS_WHOLE : 0u);
    if (in_table == HF_LIVE_NONE)
        hf_live_lose(&u->table, HF_LIVE_LOST_STACK, call->size);
    return in_table;
}

static void count_one(struct hf_in_use *u, uint32_t stack, const struct hf_traced_call *call)
{
    double weight = hf_unbias_weight(u->table.head->period_bytes, call->size);
    hf_live_count(&u->table, stack, hf_unbias_round(weight * HF_LIVE_OBJECT),
        hf_unbias_round(weight * (double)call->size));
}

void hf_in_use_count(struct hf_in_use *u, const struct hf_traced_call *call, uint32_t name,
    uint64_t objects, uint64_t bytes)
{
    uint32_t stack = in_use_stack_of(u, call, label_of_past(u, call->context, name));
    if (stack != HF_LIVE_NONE)
        hf_live_count(&u->table, stack, objects * HF_LIVE_OBJECT, bytes);
}

void hf_in_use_add(struct hf_in_use *u, const struct hf_traced_call *call, uint32_t context,
    uint32_t thread, bool was_seen)
{
    uint64_t end;
    if (call->address == 0 || __builtin_add_overflow(call->address, call->size, &end) ||
        end > ADDRESS_END)
        return;
    uint32_t stack = in_use_stack_of(u, call, in_use_label_of(u, context)), replaced;
    if (stack == HF_LIVE_NONE)
        return;
    struct birth born = {call->address, call->size, call->time_ns, stack, thread, context};
    count_one(u, stack, call);
    u->counts.allocs += was_seen;
    if (call->role == HF_ROLE_CTXNEW) {
        born.context = HF_CONTEXT_NONE;
        u->contexts.items[context].own_slot = in_use_put(u, NULL, &born);
    } else if (call->role == HF_ROLE_MAP) {
        (void)unmap(u, call->address, end);
        (void)in_use_put(u, &u->ranges, &born);
    } else {
        if (hf_ordered_find(&u->blocks, call->address, &replaced)) {
            hf_ordered_remove(&u->blocks, call->address);
            in_use_drop(u, replaced);
            u->counts.overwritten++;
        }
        (void)in_use_put(u, &u->blocks, &born);
    }
}

void hf_in_use_add_context(
    struct hf_in_use *u, const struct hf_traced_call *call, uint32_t name, uint32_t thread)
{
    uint32_t old = hf_context_set_find(&u->contexts, call->address);
    if (old != HF_CONTEXT_NONE) {
        forget_context(u, old);
        u->counts.overwritten++;
    }
    uint32_t context = hf_in_use_context(u, call->address, name);
    if (context != HF_CONTEXT_NONE)
        hf_in_use_add(u, call, context, thread, true);
}

void hf_in_use_free_block(struct hf_in_use *u, uint64_t address, bool is_expected)
{
    uint32_t slot;
    if (hf_ordered_find(&u->blocks, address, &slot)) {
        hf_ordered_remove(&u->blocks, address);
        in_use_drop(u, slot);
        u->counts.frees++;
    } else if (address != 0 && !is_expected) {
        u->counts.unknown_frees++;
    }
}

void hf_in_use_free_range(struct hf_in_use *u, uint64_t start, uint64_t size)
{
    uint64_t end;
    if (size != 0 && !__builtin_add_overflow(start, size + PAGE_BYTES - 1, &end)) {
        if (unmap(u, start, end / PAGE_BYTES * PAGE_BYTES))
            u->counts.frees++;
        else
            u->counts.unknown_frees++;
    }
}

/* ---- All of it. */

static uint32_t slots_used(const struct hf_in_use *u)
{
    return (uint32_t)atomic_load(&u->table.state->counts[HF_LIVE_BLOCKS]);
}

void hf_in_use_clear(struct hf_in_use *u)
{
    struct hf_live_state *state = u->table.state;
    uint64_t lost = u->counts.lost[HF_TRACKER_LOST_MEMORY], used = slots_used(u);
    for (uint32_t slot = 0; slot < used; slot++) {
        if (hf_live_address_of(&u->table, slot) != 0)
            in_use_drop(u, slot);
    }
    hf_ordered_done(&u->blocks);
    hf_ordered_done(&u->ranges);
    u->blocks = u->ranges = (struct hf_ordered){0};
    for (size_t i = 0; i < u->contexts.count; i++)
        u->contexts.items[i].own_slot = HF_LIVE_NONE;
    for (uint64_t i = 0; i < atomic_load(&state->counts[HF_LIVE_STACKS]); i++) {
        struct hf_live_stack *stack = hf_live_stack(&u->table, i);
        atomic_store(&stack->objects, 0);
        atomic_store(&stack->bytes, 0);
    }
    for (size_t i = 0; i < HF_LIVE_LOSSES; i++) {
        atomic_store(&state->lost_objects[i], 0);
        atomic_store(&state->lost_bytes[i], 0);
    }
    u->counts = (struct hf_tracker_counts){.lost[HF_TRACKER_LOST_MEMORY] = lost};
}

uint64_t hf_in_use_forget(struct hf_in_use *u, uint64_t born_until_ns)
{
    uint64_t forgotten = 0, used = slots_used(u);
    for (uint32_t slot = 0; slot < used; slot++) {
        uint64_t address = hf_live_address_of(&u->table, slot);
        struct hf_ordered *const each[] = {&u->blocks, &u->ranges};
        for (size_t i = 0; i < HF_COUNT(each) && address != 0; i++) {
            uint32_t found;
            if (!hf_ordered_find(each[i], address, &found) || found != slot ||
                atomic_load(&block_in(u, slot)->birth) > born_until_ns)
                continue;
            hf_ordered_remove(each[i], address);
            in_use_drop(u, slot);
            forgotten++;
            break;
        }
    }
    return forgotten;
}

/* ---- A block that is being reallocated. */

struct hf_held_block hf_in_use_hold(struct hf_in_use *u, uint64_t address)
{
    struct hf_held_block held = {HF_LIVE_NONE, 0};
    if (hf_ordered_find(&u->blocks, address, &held.slot)) {
        held.word = word_in(u, held.slot);
        hf_ordered_remove(&u->blocks, address);
    }
    return held;
}

bool hf_in_use_is_held(struct hf_in_use *u, struct hf_held_block held)
{
    return held.slot != HF_LIVE_NONE && word_in(u, held.slot) == held.word;
}

void hf_in_use_put_back(struct hf_in_use *u, uint64_t address, struct hf_held_block held)
{
    uint32_t newer;
    if (!hf_in_use_is_held(u, held))
        return;
    if (hf_ordered_find(&u->blocks, address, &newer)) {
        u->counts.overwritten++;
        in_use_drop(u, held.slot);
    } else if (!hf_ordered_add(&u->blocks, address, held.slot)) {
        hf_in_use_lose_memory(u);
        in_use_drop(u, held.slot);
    }
}

void hf_in_use_free_held(struct hf_in_use *u, struct hf_held_block held)
{
    in_use_drop(u, held.slot);
    u->counts.frees++;
}

void hf_in_use_born_until(
    struct hf_in_use *u, uint64_t time_ns, uint64_t *out_blocks, uint64_t *out_bytes)
{
    uint64_t used = atomic_load(&u->table.state->counts[HF_LIVE_BLOCKS]);
    *out_blocks = *out_bytes = 0;
    for (uint32_t slot = 0; slot < used; slot++) {
        if (hf_live_address_of(&u->table, slot) != 0 &&
            atomic_load(&block_in(u, slot)->birth) <= time_ns) {
            *out_blocks += 1;
            *out_bytes += in_use_size_in(u, slot);
        }
    }
}
