/*
 * find.h: what a thread does over and over: it allocates where it did before. For walk.h.
 *
 * A stack that a memo knows is found by its leaf, and stands if each return address is what it was,
 * and each frame pointer by which a frame is found. Nearly all code needs no more than that. It is
 * part of its caller: to set out for a walk takes longer than this.
 *
 * Example:
 *
 *     static struct hf_unwind_memo memo; // of this thread
 *     static struct hf_unwind_cache cache;
 *     struct hf_unwind_code code = {0}; // who knows the rules
 *     struct hf_unwind_registers at = {0};
 *     struct hf_unwind_stack stack = {0};
 *     struct hf_unwind_frame *frame = hf_unwind_find(&memo, at, stack, &cache);
 *     if (frame == NULL)
 *         frame = hf_unwind_walk_on(&memo, &at, &stack, &cache, &code);
 */
#ifndef HF_UNWIND_FIND_H
#define HF_UNWIND_FIND_H

#include "base/attr.h"
#include "unwind/walk.h"

#include <string.h>

/* Where in the index a frame is: the upper bits choose the set, others are the entry's tag. */
static HF_ALWAYS_INLINE uint64_t hf_unwind_place_of(const struct hf_unwind_registers *at)
{
    return (at->pc ^ at->sp << 17) * UINT64_C(0x9e3779b97f4a7c15);
}

static HF_ALWAYS_INLINE uint32_t *hf_unwind_set_at(struct hf_unwind_memo *memo, uint64_t place)
{
    return memo->index[place >> (64 - HF_UNWIND_MEMO_SET_BITS)];
}

/* The upper half of an entry tells most frames of a set apart; the lower is the number. */
static HF_ALWAYS_INLINE uint32_t hf_unwind_tag_at(uint64_t place)
{
    return (uint32_t)(place >> 16) & 0xffff0000;
}

static HF_ALWAYS_INLINE bool hf_unwind_is_same(
    const struct hf_unwind_frame *f, const struct hf_unwind_registers *at)
{
    return f->pc == at->pc && f->sp == at->sp &&
           ((f->traits & HF_UNWIND_NEEDS_FP) == 0 || f->fp == at->fp);
}

/* Where the fp of its caller is, of a frame that says so. */
static HF_ALWAYS_INLINE uint64_t hf_unwind_saved_fp_at(const struct hf_unwind_frame *f)
{
    uint32_t place = hf_unwind_rule_fp_place(f->rule);
    return place == HF_UNWIND_FP_CHAINED ? f->fp : f->caller->sp - place * UINT64_C(8);
}

static HF_ALWAYS_INLINE uint64_t hf_unwind_word_at(uint64_t address, uintptr_t bias)
{
    uint64_t word;
    memcpy(&word, (const void *)(uintptr_t)(address + bias), sizeof word);
    return word;
}

/*
 * From a known frame outward as long as callers are found by the words alone that are kept on the
 * stack, a return address and perhaps a frame pointer: to the last of them, true if all are as they
 * were. The words lie outward of a frame of this very walk, and where they lay in an earlier one,
 * which had the same end of the stack: they can be read.
 */
static HF_ALWAYS_INLINE bool hf_unwind_follow(struct hf_unwind_frame **f, uintptr_t bias)
{
    for (;;) {
        const struct hf_unwind_frame *at = *f;
        for (struct hf_unwind_frame *next; (next = at->plain_caller) != NULL; *f = next, at = next)
            if (HF_UNLIKELY(hf_unwind_word_at(next->sp - 8, bias) != next->pc))
                return false;
        if (HF_LIKELY((at->traits & HF_UNWIND_SAVES_FP) == 0))
            return true;
        if (HF_UNLIKELY(hf_unwind_word_at(at->caller->sp - 8, bias) != at->caller->pc ||
                        hf_unwind_word_at(hf_unwind_saved_fp_at(at), bias) != at->caller->fp))
            return false;
        *f = at->caller;
    }
}

/* Its rule says so: it has no caller, whatever is on the stack. */
static HF_ALWAYS_INLINE bool hf_unwind_is_outermost(const struct hf_unwind_frame *f)
{
    return hf_unwind_rule_kind(f->rule) == HF_UNWIND_END;
}

/* This walk need not try the frames [from, to] again; false. */
bool hf_unwind_fail(
    struct hf_unwind_memo *memo, struct hf_unwind_frame *from, const struct hf_unwind_frame *to);

/* For hf_unwind_find: the stack of that leaf in the memo. */
static HF_ALWAYS_INLINE struct hf_unwind_frame *hf_unwind_find_leaf(
    struct hf_unwind_memo *memo, const struct hf_unwind_registers *at, uintptr_t bias)
{
    uint64_t place = hf_unwind_place_of(at);
    const uint32_t *set = hf_unwind_set_at(memo, place);
    for (size_t way = 0; way < HF_UNWIND_MEMO_WAYS; way++) {
        uint32_t number = set[way] ^ hf_unwind_tag_at(place);
        if (number >= memo->count)
            continue;
        struct hf_unwind_frame *known = &memo->frames[number], *f = known;
        if (!hf_unwind_is_same(known, at))
            continue;
        if (HF_LIKELY(hf_unwind_follow(&f, bias)))
            return hf_unwind_is_outermost(f) && (known->traits & HF_UNWIND_IS_TOO_DEEP) == 0 ? known
                                                                                             : NULL;
        (void)hf_unwind_fail(memo, known, f);
    }
    return NULL;
}

/*
 * Begins a walk. The innermost frame, if the whole stack is known and it takes no closer look to
 * see that it stands; NULL: hf_unwind_walk_on is to be asked.
 */
static HF_ALWAYS_INLINE struct hf_unwind_frame *hf_unwind_find(struct hf_unwind_memo *memo,
    struct hf_unwind_registers registers, struct hf_unwind_stack stack,
    const struct hf_unwind_cache *cache)
{
    uint64_t generation = atomic_load_explicit(&cache->generation, memory_order_acquire);
    memo->walks++;
    bool is_same = registers.sp >= stack.low && registers.sp < stack.high &&
                   memo->high == stack.high && memo->generation == generation;
    return HF_LIKELY(is_same) ? hf_unwind_find_leaf(memo, &registers, stack.bias) : NULL;
}

#endif
