#include "unwind/walk.h"

#include "base/attr.h"
#include "base/hash.h"

#include <string.h>

/* A word of the cache: tag of the place, stamp of the generation, rule. A stamp is never 0. */
#define ADDRESS_BITS 47 /* of the programs' half */
#define TAG_BITS (ADDRESS_BITS - HF_UNWIND_CACHE_SET_BITS)
#define STAMP_BITS 2
_Static_assert(TAG_BITS + STAMP_BITS + HF_UNWIND_RULE_BITS == 64, "a word has no bit to spare");

/* Of a frame: */
enum {
    NEEDS_FP = 1,        /* its fp matters for finding this or further frames */
    IS_INDIRECT = 2,     /* found by more words of the stack than its pc and its fp */
    IS_GUESSED_FROM = 4, /* from here on outward, a step was guessed */
};

enum outcome {
    STEP_DONE,
    STEP_AT_END, /* there is no caller */
    STEP_LOST,   /* there may be one */
};

struct walk {
    uint64_t low, words; /* a word can be read at low + [0, words) */
    uintptr_t bias;
    struct hf_unwind_cache *cache;
    const struct hf_unwind_code *code;
    uint64_t stamp;
};

static inline bool read_word(const struct walk *w, uint64_t address, uint64_t *out_word)
{
    if (HF_UNLIKELY(address - w->low >= w->words))
        return false;
    memcpy(out_word, (const void *)(uintptr_t)(address + w->bias), sizeof *out_word);
    return true;
}

static struct hf_unwind_rule learn_rule(
    const struct walk *w, uint64_t address, _Atomic uint64_t *set, uint64_t key)
{
    struct hf_unwind_rule rule = w->code->find(w->code->context, address);
    for (size_t way = HF_UNWIND_CACHE_WAYS - 1; way != 0; way--)
        atomic_store_explicit(&set[way], atomic_load_explicit(&set[way - 1], memory_order_relaxed),
            memory_order_relaxed);
    atomic_store_explicit(&set[0], key << HF_UNWIND_RULE_BITS | rule.bits, memory_order_relaxed);
    return rule;
}

static inline struct hf_unwind_rule find_rule(const struct walk *w, uint64_t address)
{
    if (HF_UNLIKELY(address >> ADDRESS_BITS != 0))
        return (struct hf_unwind_rule){0};
    /* Invertible: the number of the set and the tag together are the address. */
    uint64_t place = address * UINT64_C(0x9e3779b97f4a7c15) << (64 - ADDRESS_BITS);
    _Atomic uint64_t *set = w->cache->words[place >> (64 - HF_UNWIND_CACHE_SET_BITS)];
    uint64_t tag = place << HF_UNWIND_CACHE_SET_BITS >> (64 - TAG_BITS);
    uint64_t key = tag << STAMP_BITS | w->stamp;
    for (size_t way = 0; way < HF_UNWIND_CACHE_WAYS; way++) {
        uint64_t word = atomic_load_explicit(&set[way], memory_order_relaxed);
        if (word >> HF_UNWIND_RULE_BITS == key)
            return (struct hf_unwind_rule){word & ((1u << HF_UNWIND_RULE_BITS) - 1)};
    }
    return learn_rule(w, address, set, key);
}

/* A caller's sp lies further out, by a word at least, and that word is in the stack. */
static inline bool is_outward(const struct walk *w, uint64_t sp, uint64_t caller_sp)
{
    return caller_sp - 8 - sp < w->words && caller_sp - 8 - w->low < w->words;
}

/* Reads a word that a frame keeps. What is below its sp may be overwritten at any time. */
static inline bool read_kept(
    const struct walk *w, uint64_t sp, uint64_t address, uint64_t *out_word)
{
    return address - sp < w->words && read_word(w, address, out_word);
}

/* From a handler of a signal to what it interrupted, on the same stack. */
static enum outcome step_signal(
    const struct walk *w, struct hf_unwind_registers *at, uint64_t *out_fp_slot)
{
    uint64_t pc, sp, fp, fp_slot = at->sp + HF_UNWIND_SIGNAL_FP;
    if (!read_word(w, at->sp + HF_UNWIND_SIGNAL_PC, &pc) ||
        !read_word(w, at->sp + HF_UNWIND_SIGNAL_SP, &sp) || !read_word(w, fp_slot, &fp) ||
        !is_outward(w, at->sp, sp))
        return STEP_LOST;
    *at = (struct hf_unwind_registers){pc + 1, sp, fp};
    *out_fp_slot = fp_slot;
    return pc != 0 ? STEP_DONE : STEP_AT_END;
}

/* The CFA by the rules that are rare. */
static bool find_cfa(const struct walk *w, struct hf_unwind_rule rule,
    const struct hf_unwind_registers *at, uint64_t *out_cfa)
{
    uint64_t offset = hf_unwind_rule_offset(rule);
    switch (hf_unwind_rule_kind(rule)) {
    case HF_UNWIND_FP: *out_cfa = at->fp + offset; return true;
    case HF_UNWIND_FP_DEREF: return read_kept(w, at->sp, at->fp + offset, out_cfa);
    case HF_UNWIND_PLT:
        *out_cfa = at->sp + 8 + (((at->pc - 1) & 15) * 8 >= offset ? 8 : 0);
        return true;
    default: return false;
    }
}

/*
 * For code that has no rule: if rbp can be a frame pointer, there lie the caller's and the return
 * address. The answer depends on the registers alone, or replay would not be sound.
 */
static struct hf_unwind_rule guess_rule(const struct walk *w, const struct hf_unwind_registers *at)
{
    uint64_t fp;
    bool is_frame = at->fp % 8 == 0 && read_kept(w, at->sp, at->fp, &fp);
    return hf_unwind_rule_make(is_frame ? HF_UNWIND_FP : HF_UNWIND_UNKNOWN, 2, 2);
}

/* Goes to the caller. `at` is only good if that is done. */
static inline enum outcome step(const struct walk *w, struct hf_unwind_rule rule,
    struct hf_unwind_registers *at, uint64_t *out_fp_slot)
{
    uint64_t cfa = at->sp + hf_unwind_rule_offset(rule);
    if (HF_UNLIKELY(hf_unwind_rule_kind(rule) != HF_UNWIND_SP)) {
        if (hf_unwind_rule_kind(rule) == HF_UNWIND_END)
            return STEP_AT_END;
        if (hf_unwind_rule_kind(rule) == HF_UNWIND_SIGNAL)
            return step_signal(w, at, out_fp_slot);
        if (hf_unwind_rule_kind(rule) == HF_UNWIND_UNKNOWN)
            rule = guess_rule(w, at);
        if (!find_cfa(w, rule, at, &cfa))
            return STEP_LOST;
    }
    if (!is_outward(w, at->sp, cfa) || !read_word(w, cfa - 8, &at->pc))
        return STEP_LOST;
    uint32_t place = hf_unwind_rule_fp_place(rule);
    *out_fp_slot = 0;
    if (place != HF_UNWIND_FP_SAME) {
        uint64_t slot = place == HF_UNWIND_FP_CHAINED ? at->fp : cfa - place * UINT64_C(8);
        bool is_known = place != HF_UNWIND_FP_LOST && read_kept(w, at->sp, slot, &at->fp);
        *out_fp_slot = is_known ? slot : 0;
        at->fp = is_known ? at->fp : 0;
    }
    at->sp = cfa;
    return at->pc != 0 ? STEP_DONE : STEP_AT_END;
}

static inline bool is_indirect(struct hf_unwind_rule rule)
{
    return hf_unwind_rule_kind(rule) == HF_UNWIND_FP_DEREF ||
           hf_unwind_rule_kind(rule) == HF_UNWIND_SIGNAL;
}

static inline bool uses_fp(struct hf_unwind_rule rule)
{
    enum hf_unwind_kind kind = hf_unwind_rule_kind(rule);
    return kind == HF_UNWIND_UNKNOWN || kind == HF_UNWIND_FP || kind == HF_UNWIND_FP_DEREF ||
           hf_unwind_rule_fp_place(rule) == HF_UNWIND_FP_CHAINED;
}

static inline bool is_same(const struct hf_unwind_frame *f, const struct hf_unwind_registers *at)
{
    return f->sp == at->sp && f->pc == at->pc && ((f->traits & NEEDS_FP) == 0 || f->fp == at->fp);
}

/* A remembered frame that still stands has still this caller: more than its pc is to be checked. */
static bool has_caller(
    const struct walk *w, const struct hf_unwind_frame *f, const struct hf_unwind_frame *caller)
{
    if ((caller->traits & IS_INDIRECT) != 0) {
        struct hf_unwind_registers at = {f->pc, f->sp, f->fp};
        uint64_t fp_slot;
        return step(w, f->rule, &at, &fp_slot) == STEP_DONE && is_same(caller, &at);
    }
    uint64_t fp;
    return (caller->traits & NEEDS_FP) == 0 || caller->fp_slot == 0 ||
           (read_word(w, caller->fp_slot, &fp) && fp == caller->fp);
}

/*
 * Of the remembered frames [0, count), of which the innermost is known to stand: all from the one
 * that is returned on inward do. The return addresses lie outward of a frame of this very walk, and
 * where they lay at the last one, which had the same end of the stack: they can be read.
 */
static inline uint32_t first_standing(
    const struct walk *w, const struct hf_unwind_frame *frames, uint32_t count)
{
    for (uint32_t i = count - 1; i != 0; i--) {
        const struct hf_unwind_frame *caller = &frames[i - 1];
        uint64_t pc;
        memcpy(&pc, (const void *)(uintptr_t)(caller->sp - 8 + w->bias), sizeof pc);
        if (HF_UNLIKELY(pc != caller->pc && (caller->traits & IS_INDIRECT) == 0))
            return i;
        if (HF_UNLIKELY((caller->traits & (NEEDS_FP | IS_INDIRECT)) != 0) &&
            !has_caller(w, &frames[i], caller))
            return i;
    }
    return 0;
}

/* The outermost remembered frame stands; what follows on it is still what was found there. */
static bool is_end_same(const struct walk *w, const struct hf_unwind_memo *memo)
{
    const struct hf_unwind_frame *f = &memo->frames[0];
    if (HF_LIKELY(hf_unwind_rule_kind(f->rule) == HF_UNWIND_END))
        return true;
    struct hf_unwind_registers at = {f->pc, f->sp, f->fp};
    uint64_t fp_slot;
    return step(w, f->rule, &at, &fp_slot) == memo->outcome;
}

/*
 * Finds frames from `at` outward. Returns how many are fresh; `*kept` of the remembered ones follow
 * on them, and if that is 0, out_outcome says how it ended: STEP_DONE if there are too many.
 *
 * A frame that stands may have another fp than is remembered, if that did not matter. Where frames
 * further out do not stand, it may matter now: this goes on from what it found itself.
 */
static uint32_t find_frames(const struct walk *w, struct hf_unwind_memo *memo,
    struct hf_unwind_registers at, uint32_t *kept, enum outcome *out_outcome)
{
    uint32_t fresh = 0, traits = 0;
    uint64_t fp_slot = 0;
    do {
        while (*kept != 0 && memo->frames[*kept - 1].sp < at.sp)
            --*kept;
        struct hf_unwind_frame *same = *kept != 0 ? &memo->frames[*kept - 1] : NULL;
        if (same != NULL && is_same(same, &at)) {
            uint32_t standing = first_standing(w, memo->frames, *kept);
            if (standing == 0 && is_end_same(w, memo)) {
                /* It was found in another way than last time. */
                same->fp = at.fp;
                same->fp_slot = fp_slot;
                same->traits = (same->traits & ~(uint32_t)IS_INDIRECT) | traits;
                return fresh;
            }
            *kept = standing;
        }
        struct hf_unwind_frame *f = &memo->fresh[fresh++];
        f->pc = at.pc;
        f->sp = at.sp;
        f->fp = at.fp;
        f->fp_slot = fp_slot;
        f->rule = find_rule(w, at.pc - 1);
        f->traits = traits;
        traits = is_indirect(f->rule) ? IS_INDIRECT : 0;
        *out_outcome = step(w, f->rule, &at, &fp_slot);
    } while (*out_outcome == STEP_DONE && fresh < HF_UNWIND_FRAMES_MAX);
    *kept = 0;
    return fresh;
}

/* Puts the fresh frames on the kept ones. */
static void remember(struct hf_unwind_memo *memo, uint32_t kept, uint32_t fresh)
{
    struct hf_unwind_frame *frames = memo->frames;
    uint64_t hash = kept != 0 ? frames[kept - 1].hash : memo->is_cut;
    uint32_t outer = kept != 0 ? frames[kept - 1].traits : 0;
    memo->count = kept + fresh;
    while (fresh != 0) {
        /* Field by field: a copy of 16 bytes would have to wait for the two stores of 8 before. */
        const struct hf_unwind_frame *from = &memo->fresh[--fresh];
        struct hf_unwind_frame *to = &frames[kept];
        bool is_guess = hf_unwind_rule_kind(from->rule) == HF_UNWIND_UNKNOWN && kept != 0;
        bool needs_fp =
            uses_fp(from->rule) ||
            (hf_unwind_rule_fp_place(from->rule) == HF_UNWIND_FP_SAME && (outer & NEEDS_FP) != 0);
        outer = (needs_fp ? NEEDS_FP : 0) | (is_guess ? IS_GUESSED_FROM : outer & IS_GUESSED_FROM);
        hash = hf_hash_fold(hash ^ from->pc, UINT64_C(0x9e3779b97f4a7c15));
        to->pc = from->pc;
        to->hash = hash;
        to->sp = from->sp;
        to->fp = from->fp;
        to->fp_slot = from->fp_slot;
        to->rule = from->rule;
        to->traits = outer | from->traits;
        kept++;
    }
    memo->is_guessed = (outer & IS_GUESSED_FROM) != 0;
}

uint64_t hf_unwind_walk(struct hf_unwind_memo *memo, const struct hf_unwind_registers *registers,
    const struct hf_unwind_stack *stack, struct hf_unwind_cache *cache,
    const struct hf_unwind_code *code)
{
    uint64_t size = stack->high - stack->low;
    uint64_t generation = atomic_load_explicit(&cache->generation, memory_order_acquire);
    struct walk w = {.low = stack->low,
        .bias = stack->bias,
        .cache = cache,
        .code = code,
        .stamp = 1 + generation % 3};
    bool is_in_stack = stack->low < stack->high && registers->sp - stack->low <= size;
    w.words = is_in_stack && size >= 8 ? size - 7 : 0;
    if (memo->high != stack->high || memo->generation != generation || w.words == 0)
        memo->count = 0;
    memo->high = stack->high;
    memo->generation = generation;
    enum outcome outcome = STEP_DONE;
    uint32_t kept = memo->count, fresh = find_frames(&w, memo, *registers, &kept, &outcome);
    /* What was cut off depends on the number of frames: they are found again. */
    bool is_too_many = kept + fresh > HF_UNWIND_FRAMES_MAX;
    bool is_too_few = memo->outcome == STEP_DONE && kept + fresh < HF_UNWIND_FRAMES_MAX;
    if (kept != 0 && (is_too_many || is_too_few)) {
        kept = 0;
        fresh = find_frames(&w, memo, *registers, &kept, &outcome);
    }
    if (kept == 0) {
        memo->outcome = (uint8_t)outcome;
        memo->is_cut = outcome != STEP_AT_END;
    }
    remember(memo, kept, fresh);
    uint64_t hash = memo->frames[memo->count - 1].hash;
    return hash != 0 ? hash : 1;
}

void hf_unwind_cache_clear(struct hf_unwind_cache *cache)
{
    atomic_fetch_add_explicit(&cache->generation, 1, memory_order_release);
    for (size_t set = 0; set < HF_COUNT(cache->words); set++)
        for (size_t way = 0; way < HF_UNWIND_CACHE_WAYS; way++)
            atomic_store_explicit(&cache->words[set][way], 0, memory_order_relaxed);
}
