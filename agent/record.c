#include "record.h"

#include "agent.h"
#include "base/mix.h"
#include "base/mutant.h"
#include "clock.h"
#include "filter.h"
#include "live/ended.h"
#include "probe.h"
#include "real.h"
#include "sampler.h"
#include "thread.h"
#include "unwind/find.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FREES_PER_SITE 64 /* when every allocation is recorded: one in so many frees is placed */

/* Stacks are added by one thread at a time, which has the frames here. */
static struct hf_spinlock adding;
static uint64_t natives[HF_UNWIND_FRAMES_MAX];
static uint64_t frames[HF_UNWIND_FRAMES_MAX + HF_INTERPRETED_FRAMES_MAX];
static uint32_t generation; /* of the modules, that of hf_agent.stacks */

/*
 * hf_agent.stacks has the stacks by their pcs, which is enough until a library comes back at
 * another address: the same frames may come by other pcs then, and all stacks are also here from
 * then on.
 */
static struct hf_stacks by_frames;
static bool keeps_by_frames;

static const struct hf_unwind_code code = {hf_modules_rule, &hf_agent.modules};

/* What a walk found, and the interpreted frames in it. */
struct record_stack {
    const struct hf_unwind_frame *leaf;
    const struct hf_interpreted_chain *interpreted; /* NULL: there are none */
    uint64_t hash;
    uint32_t count;
    uint32_t first; /* native frames inward of this one are left out */
};

/* How many of the frames of the walk are of the stack. */
static uint32_t native_count(const struct record_stack *stack)
{
    const struct hf_interpreted_chain *chain = stack->interpreted;
    return chain != NULL && chain->is_outermost ? chain->frames[0].native + 1 : stack->leaf->count;
}

static unsigned flags_of(const struct record_stack *stack)
{
    unsigned traits = stack->leaf->traits;
    bool is_cut = stack->interpreted != NULL && stack->interpreted->is_cut;
    if (stack->interpreted != NULL && stack->interpreted->is_outermost)
        traits = 0;
    return ((traits & HF_UNWIND_IS_CUT) != 0 || is_cut ? HF_LIVE_IS_CUT : 0) |
           ((traits & HF_UNWIND_IS_GUESSED) != 0 ? HF_LIVE_IS_GUESSED : 0);
}

/* Puts the frames of a stack into `frames`; false if nobody can be asked for them now. Interpreted
 * frames stand right outward of the native one that runs them, or in its place; without room for
 * names, they do not. */
static bool make_frames(const struct record_stack *stack, size_t *out_count)
{
    const struct hf_interpreted_chain *interpreted = stack->interpreted;
    size_t count = 0;
    for (const struct hf_unwind_frame *f = stack->leaf; count < native_count(stack); f = f->caller)
        natives[count++] = f->pc;
    if (!hf_modules_frames(&hf_agent.modules, natives, count))
        return false;
    *out_count = 0;
    for (uint32_t i = stack->first, next = 0; i < count; i++) {
        frames[(*out_count)++] = natives[i];
        bool is_replaced = interpreted != NULL && hf_interpreter_replaces(&hf_agent.interpreter);
        for (; interpreted != NULL && next < interpreted->count &&
               interpreted->frames[next].native == i;
             next++) {
            uint64_t frame =
                hf_interpreter_frame(&hf_agent.interpreter, &hf_agent.table, interpreted, next);
            if (frame == 0)
                continue;
            frames[*out_count - is_replaced] = frame;
            *out_count += !is_replaced;
            is_replaced = false;
        }
    }
    return true;
}

static uint64_t record_hash_of(const uint64_t *of, size_t count, unsigned flags)
{
    uint64_t hash = flags;
    for (size_t i = 0; i < count; i++)
        hash = hf_mix(hash ^ of[i], UINT64_C(0x9e3779b97f4a7c15));
    return hash;
}

static void keep_by_frames(void)
{
    const struct hf_live_table *table = &hf_agent.table;
    uint64_t count =
        atomic_load_explicit(&table->state->counts[HF_LIVE_STACKS], memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        const struct hf_live_stack *stack = hf_live_stack(table, i);
        uint64_t hash =
            record_hash_of(hf_live_frames(table, stack), stack->frame_count, stack->flags);
        hf_stacks_add(&by_frames, hash, stack->frame_count, i);
    }
    keeps_by_frames = true;
}

/* The stack of these frames, if it came by other addresses before; or a new one. What was walked
 * while nobody knew the code is none. */
static uint32_t record_add_frames(const struct record_stack *of, enum hf_live_loss *out_why)
{
    size_t count;
    *out_why = HF_LIVE_LOST_WAIT;
    if (!make_frames(of, &count))
        return HF_STACKS_NONE;
    if (!keeps_by_frames && hf_modules_repeats(&hf_agent.modules))
        keep_by_frames();
    uint64_t hash = 0;
    uint32_t stack = HF_STACKS_NONE;
    if (keeps_by_frames) {
        hash = record_hash_of(frames, count, flags_of(of));
        stack = hf_stacks_find(&by_frames, hash, (uint32_t)count);
    }
    if (stack != HF_STACKS_NONE)
        return stack;
    if (hf_modules_is_unheard(&hf_agent.modules) || !hf_live_lock(&hf_agent.table))
        return HF_STACKS_NONE;
    *out_why = HF_LIVE_LOST_STACK;
    stack = hf_live_add_stack(&hf_agent.table, frames, count, flags_of(of));
    hf_live_unlock(&hf_agent.table);
    if (keeps_by_frames && stack != HF_LIVE_NONE)
        hf_stacks_add(&by_frames, hash, (uint32_t)count, stack);
    return stack;
}

/* Makes a stack known. */
static uint32_t record_add_stack(
    const struct record_stack *of, uint64_t hash, enum hf_live_loss *out_why)
{
    uint32_t stack = hf_stacks_find(&hf_agent.stacks, hash, of->count);
    if (stack != HF_STACKS_NONE)
        return stack;
    uint32_t now = hf_modules_generation(&hf_agent.modules);
    if (generation != now)
        hf_stacks_clear(&hf_agent.stacks); /* of no use any more: the hashes differ */
    generation = now;
    stack = record_add_frames(of, out_why);
    if (stack != HF_STACKS_NONE)
        hf_stacks_add(&hf_agent.stacks, hash, of->count, stack);
    return stack;
}

/*
 * The number of a stack that the thread's memo has no note of. pcs mean other frames in another
 * generation, so that is part of what is looked for.
 */
static HF_APART uint32_t find_stack(const struct record_stack *of, enum hf_live_loss *out_why)
{
    uint64_t hash =
        of->hash ^ hf_modules_generation(&hf_agent.modules) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t stack = hf_stacks_find(&hf_agent.stacks, hash, of->count);
    if (HF_LIKELY(stack != HF_STACKS_NONE))
        return stack;
    *out_why = HF_LIVE_LOST_WAIT;
    if (!hf_spinlock_take(&adding))
        return HF_STACKS_NONE;
    stack = record_add_stack(of, hash, out_why);
    hf_spinlock_release(&adding);
    return stack;
}

/* The map has changed: it may have an interpreter now. */
static HF_APART void look_for_interpreter(void)
{
    if (!hf_spinlock_take(&adding))
        return;
    hf_interpreter_look(&hf_agent.interpreter, &hf_agent.modules);
    hf_spinlock_release(&adding);
}

void hf_record_look_again(void)
{
    atomic_store_explicit(&hf_agent.interpreter.is_asked, true, memory_order_release);
    look_for_interpreter();
}

/* The number of a stack in a process with an interpreter: its frames change while the native ones
 * stay, so the note of a walk is only for stacks without. */
static HF_APART uint32_t find_interpreted(struct hf_recorded_thread *thread,
    struct hf_unwind_frame *leaf, uint64_t stack_end, enum hf_live_loss *out_why)
{
    struct record_stack stack = {.leaf = leaf, .hash = leaf->hash, .count = leaf->count};
    struct hf_interpreter_event event = {stack_end, {hf_agent_tls.moved_from, thread->moved_to}};
    if (hf_interpreter_read(
            &hf_agent.interpreter, &hf_agent.table, leaf, &event, &thread->interpreted)) {
        const struct hf_interpreted_chain *chain = thread->interpreted;
        stack.interpreted = chain;
        stack.hash = hf_mix(
            (chain->is_outermost ? 0 : leaf->hash) ^ chain->hash, UINT64_C(0x9e3779b97f4a7c15));
        stack.count = chain->count + native_count(&stack);
        if (hf_agent_tls.is_of_object && chain->is_outermost) {
            stack.first = chain->frames[0].native;
            stack.hash = ~stack.hash;
        }
    } else if (leaf->note != 0) {
        return leaf->note - 1;
    }
    uint32_t number = find_stack(&stack, out_why);
    if (stack.interpreted == NULL)
        leaf->note = 1 + number;
    return number;
}

static HF_APART uint32_t find_native(struct hf_unwind_frame *leaf, enum hf_live_loss *out_why)
{
    return find_stack(
        &(struct record_stack){.leaf = leaf, .hash = leaf->hash, .count = leaf->count}, out_why);
}

static struct hf_unwind_registers registers_of(const struct hf_caller *caller)
{
    return (struct hf_unwind_registers){
        .pc = caller->pc, .sp = hf_caller_sp(caller), .fp = caller->fp};
}

/* What no function here does. */
static void use_much_stack(void)
{
    char room[8192];
    __asm__ volatile("" : : "r"(memset(room, 0, sizeof room)) : "memory");
}

/* Of a stack that `known` says nothing of, or that may have interpreted frames, or is not known at
 * all.
 */
static HF_APART uint32_t walk_stack(struct hf_recorded_thread *thread,
    const struct hf_caller *caller, struct hf_unwind_frame *known, enum hf_live_loss *out_why)
{
    struct hf_unwind_registers at = registers_of(caller);
    struct hf_unwind_stack bytes = hf_thread_stack(thread, at.sp);
    struct hf_unwind_frame *leaf =
        known != NULL ? known
                      : hf_unwind_walk_on(&thread->memo, &at, &bytes, &hf_agent.cache, &code);
    if (HF_UNLIKELY(hf_interpreter_is_due(&hf_agent.interpreter, &hf_agent.modules)))
        look_for_interpreter();
    if (hf_interpreter_is_there(&hf_agent.interpreter))
        return find_interpreted(thread, leaf, bytes.high, out_why);
    if (leaf->note == 0)
        leaf->note = 1 + find_native(leaf, out_why);
    return leaf->note - 1;
}

/* The number of the stack of `caller`; HF_STACKS_NONE, and *out_why, if there is none to be had. */
static HF_ALWAYS_INLINE uint32_t record_stack_of(
    struct hf_recorded_thread *thread, const struct hf_caller *caller, enum hf_live_loss *out_why)
{
    hf_modules_settle(&hf_agent.modules);
    if (HF_MUTANT(ROOM))
        use_much_stack();
    struct hf_unwind_registers at = registers_of(caller);
    struct hf_unwind_frame *known = hf_unwind_find(
        &thread->memo, at, (struct hf_unwind_stack){thread->low, thread->high, 0}, &hf_agent.cache);
    if (HF_LIKELY(known != NULL && known->note != 0) &&
        HF_LIKELY(!hf_interpreter_is_due(&hf_agent.interpreter, &hf_agent.modules) &&
                  !hf_interpreter_is_there(&hf_agent.interpreter)))
        return known->note - 1;
    return walk_stack(thread, caller, known, out_why);
}

/* Nanoseconds when blocks are few; when they are all there is, the clock's last tick will do. */
static uint64_t record_now(void)
{
    if (HF_MUTANT(SYSCALL))
        (void)syscall(SYS_gettid);
    return hf_clock_now(hf_agent.is_exact ? CLOCK_MONOTONIC_COARSE : CLOCK_MONOTONIC);
}

/* When a block is born. The lowest bit of a sampled one's is its half: a coin. */
static uint64_t record_birth(const struct hf_recorded_thread *thread)
{
    uint64_t now = record_now();
    return hf_agent.is_exact ? now : (now & ~UINT64_C(1)) | hf_sampler_coin(&thread->sampler);
}

/* What a block of this size counts for, when it is allocated and when it is freed. */
static HF_ALWAYS_INLINE struct hf_sampler_weight weigh(uint64_t size_bytes)
{
    if (hf_agent.is_exact)
        return (struct hf_sampler_weight){HF_LIVE_OBJECT, size_bytes};
    return hf_sampler_weigh(hf_agent.period_bytes, size_bytes);
}

/* The block in this slot is not in use any more; the slot is the thread's. Returns its stack, and
 * what there is to say of the block. */
static HF_ALWAYS_INLINE uint32_t record_empty(
    struct hf_recorded_thread *thread, uint32_t slot, struct hf_live_ended *out_block)
{
    const struct hf_live_block *block = hf_live_block(&hf_agent.table, slot);
    uint32_t stack = atomic_load_explicit(&block->stack, memory_order_relaxed);
    uint64_t size = atomic_load_explicit(&block->size, memory_order_relaxed);
    struct hf_sampler_weight weight = weigh(size);
    *out_block = (struct hf_live_ended){.size_bytes = size,
        .objects = weight.objects,
        .bytes = weight.bytes,
        .birth_ns = atomic_load_explicit(&block->birth, memory_order_relaxed)};
    hf_live_remove(&hf_agent.table, &thread->slots, slot);
    hf_live_end_use(&hf_agent.table, stack, weight.objects, weight.bytes, out_block->birth_ns);
    return stack;
}

/* Of a block of which nobody saw how it was freed, that cannot be kept, or that is an object. */
static HF_APART uint32_t record_empty_apart(
    struct hf_recorded_thread *thread, uint32_t slot, struct hf_live_ended *out_block)
{
    return record_empty(thread, slot, out_block);
}

/* The filter asks for no block when all are recorded. */
static HF_ALWAYS_INLINE bool index_block(
    struct hf_recorded_thread *thread, uintptr_t address, uint32_t slot)
{
    uint32_t old;
    struct hf_live_ended ended;
    if (!hf_blocks_add(&hf_agent.blocks, &hf_agent.table, address, slot, &old))
        return false;
    if (HF_UNLIKELY(old != HF_LIVE_NONE))
        (void)record_empty_apart(thread, old, &ended);
    else if (!hf_agent.is_exact)
        hf_filter_add(address);
    return true;
}

/* The index has no room for the block. */
static HF_APART void record_lose(struct hf_recorded_thread *thread, uint32_t slot)
{
    struct hf_live_ended ended;
    (void)record_empty_apart(thread, slot, &ended);
    hf_live_lose(&hf_agent.table, HF_LIVE_LOST_BLOCK, ended.size_bytes);
}

static HF_ALWAYS_INLINE void record_put_back(
    struct hf_recorded_thread *thread, uintptr_t address, uint32_t slot)
{
    if (HF_UNLIKELY(!index_block(thread, address, slot)))
        record_lose(thread, slot);
}

void hf_record_alloc(struct hf_recorded_thread *thread, uintptr_t address, size_t size_bytes,
    const struct hf_caller *caller)
{
    enum hf_live_loss why;
    hf_shadow_expect(&hf_agent.blocks.shadow, address);
    thread->moved_to = address;
    uint32_t stack = record_stack_of(thread, caller, &why);
    if (stack == HF_STACKS_NONE) {
        hf_live_lose(&hf_agent.table, why, size_bytes);
        return;
    }
    struct hf_sampler_weight weight = weigh(size_bytes);
    uint64_t now = record_birth(thread);
    hf_live_use(&hf_agent.table, stack, weight.objects, weight.bytes, now);
    thread->last = address;
    thread->last_left = hf_agent_tls.left;
    hf_probe_alloc(address, size_bytes, weight.bytes);
    uint32_t slot = hf_live_put(
        &hf_agent.table, &thread->slots, address, size_bytes, stack, thread->number, now);
    if (HF_UNLIKELY(address == HF_LIVE_MOVABLE))
        hf_agent_tls.object = slot;
    else if (HF_LIKELY(slot != HF_LIVE_NONE))
        record_put_back(thread, address, slot);
    if (HF_UNLIKELY(slot == HF_LIVE_NONE))
        hf_live_end_use(&hf_agent.table, stack, weight.objects, weight.bytes, now);
}

static HF_ALWAYS_INLINE uint32_t record_take(uintptr_t address)
{
    uint32_t slot;
    switch (hf_blocks_take(&hf_agent.blocks, &hf_agent.table, address, &slot)) {
    case HF_BLOCKS_TAKEN:
        if (!hf_agent.is_exact)
            hf_filter_remove(address);
        return slot;
    case HF_BLOCKS_BUSY: hf_live_lose(&hf_agent.table, HF_LIVE_LOST_WAIT, 0); break;
    case HF_BLOCKS_UNKNOWN: break;
    }
    return HF_LIVE_NONE;
}

/* True if nothing was allocated since by this thread, nor freed. What is sampled is one of many: as
 * long as `left` is what it was, none was allocated, and others that were freed are not seen. */
static HF_ALWAYS_INLINE bool record_is_last(
    const struct hf_recorded_thread *thread, uintptr_t address)
{
    return thread->last == address && (hf_agent.is_exact || thread->last_left == hf_agent_tls.left);
}

/* How many freed blocks the next one of this stack counts as: 0: not at all. */
static HF_ALWAYS_INLINE uint64_t record_share(struct hf_recorded_thread *thread, uint32_t stack)
{
    if (!hf_agent.is_exact || !hf_ended_is_frequent(&hf_agent.table, stack))
        return 1;
    if (HF_LIKELY(thread->uncounted-- != 0))
        return 0;
    thread->uncounted = hf_sampler_below(&thread->sampler, 2 * HF_ENDED_SHARE - 1);
    return HF_ENDED_SHARE;
}

/* Counts what becomes of a block, as so many. */
static HF_APART void record_end(uint32_t stack, struct hf_live_ended *block, uint64_t share)
{
    block->now_ns = record_now();
    block->objects *= share;
    block->bytes *= share;
    hf_live_count_ended(&hf_agent.table, stack, block);
}

/* Counts where a block of `stack` is freed. */
static HF_APART void record_place(
    struct hf_recorded_thread *thread, uint32_t stack, const struct hf_caller *caller)
{
    enum hf_live_loss why;
    uint32_t at = record_stack_of(thread, caller, &why);
    if (at != HF_STACKS_NONE)
        hf_live_count_free(&hf_agent.table, stack, at);
}

static HF_ALWAYS_INLINE void record_drop(struct hf_recorded_thread *thread, uintptr_t address,
    uint32_t slot, const struct hf_caller *caller)
{
    hf_probe_free(address);
    struct hf_live_ended block;
    uint32_t stack = record_empty(thread, slot, &block);
    if (record_is_last(thread, address))
        hf_live_count_temporary(&hf_agent.table, stack, block.objects);
    thread->last = 0;
    uint64_t share = record_share(thread, stack);
    if (HF_UNLIKELY(share != 0))
        record_end(stack, &block, share);
    if (!hf_agent.is_exact || HF_UNLIKELY(++thread->free_count % FREES_PER_SITE == 0))
        record_place(thread, stack, caller);
}

void hf_record_object_end(struct hf_recorded_thread *thread, uint32_t slot)
{
    struct hf_live_ended block;
    record_end(record_empty_apart(thread, slot, &block), &block, 1);
}

uint32_t hf_record_take(uintptr_t address)
{
    return record_take(address);
}

void hf_record_put_back(struct hf_recorded_thread *thread, uintptr_t address, uint32_t slot)
{
    record_put_back(thread, address, slot);
}

void hf_record_drop(struct hf_recorded_thread *thread, uintptr_t address, uint32_t slot,
    const struct hf_caller *caller)
{
    thread->moved_to = 0;
    record_drop(thread, address, slot, caller);
}

void hf_record_free(
    struct hf_recorded_thread *thread, uintptr_t address, const struct hf_caller *caller)
{
    uint32_t slot = record_take(address);
    if (slot != HF_LIVE_NONE)
        record_drop(thread, address, slot, caller);
}

/* True if the heap lies there whose objects are recorded. */
static bool is_of_objects(uint64_t start, uint64_t end)
{
    return end <= atomic_load_explicit(&hf_agent.objects_end, memory_order_acquire) &&
           start >= atomic_load_explicit(&hf_agent.objects_start, memory_order_relaxed);
}

/* True if the recorded allocator calls: what it maps has the blocks in it. */
static bool is_by_allocator(uint64_t start, uint64_t end, const struct hf_caller *caller)
{
    if (hf_agent_tls.maps_for_allocator || is_of_objects(start, end))
        return true;
    uint64_t places[] = {(uint64_t)(uintptr_t)hf_real.malloc + 1, caller->pc};
    return hf_modules_frames(&hf_agent.modules, places, HF_COUNT(places)) &&
           hf_live_frame_module(places[0]) != 0 &&
           hf_live_frame_module(places[0]) == hf_live_frame_module(places[1]);
}

void hf_record_map(
    struct hf_recorded_thread *thread, uint64_t start, uint64_t end, const struct hf_caller *caller)
{
    enum hf_live_loss ignored;
    struct hf_live_mapped mapped = {
        .start = start, .end = end, .birth = record_now(), .thread = thread->number};
    mapped.stack = is_by_allocator(start, end, caller) ? HF_LIVE_BY_ALLOCATOR
                                                       : record_stack_of(thread, caller, &ignored);
    if (mapped.stack != HF_STACKS_NONE) {
        hf_mappings_add(&hf_agent.mappings, &hf_agent.table, &mapped);
        return;
    }
    hf_live_lose_mapping(&hf_agent.table);
    hf_mappings_take(&hf_agent.mappings, &hf_agent.table, start, end, NULL);
}

void hf_record_mend(void)
{
    hf_agent_tls.moved_from = 0;
    hf_agent_tls.is_of_object = false;
    hf_modules_mend(&hf_agent.modules);
    hf_blocks_mend(&hf_agent.blocks);
    hf_mappings_mend(&hf_agent.mappings);
    if (hf_spinlock_is_mine(&hf_agent.table.lock))
        hf_live_unlock(&hf_agent.table);
    if (hf_spinlock_is_mine(&adding))
        hf_spinlock_release(&adding);
}

void hf_record_reserve(void)
{
    if (!hf_spinlock_take(&adding))
        return;
    const struct hf_live_table *table = &hf_agent.table;
    uint64_t stacks = table->committed[HF_LIVE_STACKS] / sizeof(struct hf_live_stack);
    (void)!hf_stacks_reserve(&hf_agent.stacks, stacks);
    if (keeps_by_frames)
        (void)!hf_stacks_reserve(&by_frames, stacks);
    hf_spinlock_release(&adding);
}

void hf_record_forget(void)
{
    adding = (struct hf_spinlock){0};
    generation = 0;
    keeps_by_frames = false;
    hf_stacks_forget(&by_frames);
    hf_interpreter_forget(&hf_agent.interpreter);
}
