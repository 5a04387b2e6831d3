#include "unwind/walk.h"

#include "base/attr.h"
#include "base/hash.h"
#include "base/mutant.h"

#include <string.h>

/* A word of the cache: tag of the place, stamp of the generation, rule. A stamp is never 0. */
#define ADDRESS_BITS 47 /* of the programs' half */
#define TAG_BITS (ADDRESS_BITS - HF_UNWIND_CACHE_SET_BITS)
#define STAMP_BITS 2
_Static_assert(TAG_BITS + STAMP_BITS + HF_UNWIND_RULE_BITS == 64, "a word has no bit to spare");

enum trait {
    /* Of how a frame was found. */
    IS_INDIRECT = 1, /* by more words of the stack than its pc and its fp */
    /* Of its rule, and so of the step from it. */
    USES_FP = 2,
    IS_A_GUESS = 4, /* there is no rule, and it was done all the same */
    /* Of this and all further frames together. */
    NEEDS_FP = 8, /* one of them uses what fp is here */
    IS_GUESSED = 16,
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
    bool *is_guess; /* whether a frame was found by its frame pointer, and so all further out */
};

static HF_ALWAYS_INLINE bool read_word(const struct walk *w, uint64_t address, uint64_t *out_word)
{
    if (HF_UNLIKELY(address - w->low >= w->words) && !HF_MUTANT(BOUNDS))
        return false;
    memcpy(out_word, (const void *)(uintptr_t)(address + w->bias), sizeof *out_word);
    return true;
}

static struct hf_unwind_rule learn_rule(
    const struct walk *w, uint64_t address, _Atomic uint64_t *set, uint64_t key)
{
    struct hf_unwind_rule rule = w->code->find(w->code->context, address, *w->is_guess);
    for (size_t way = HF_UNWIND_CACHE_WAYS - 1; way != 0; way--)
        atomic_store_explicit(&set[way], atomic_load_explicit(&set[way - 1], memory_order_relaxed),
            memory_order_relaxed);
    atomic_store_explicit(&set[0], key << HF_UNWIND_RULE_BITS | rule.bits, memory_order_relaxed);
    return rule;
}

static HF_ALWAYS_INLINE struct hf_unwind_rule find_rule(const struct walk *w, uint64_t address)
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

/* Reads a word that a frame keeps: not below its sp, where all may be overwritten at any time. */
static HF_ALWAYS_INLINE bool read_kept(
    const struct walk *w, uint64_t sp, uint64_t address, uint64_t *out_word)
{
    return (HF_LIKELY(address - sp < w->words) || HF_MUTANT(BOUNDS)) &&
           read_word(w, address, out_word);
}

/* From a handler of a signal to what it interrupted, if that was on the same stack. */
static enum outcome step_signal(const struct walk *w, struct hf_unwind_registers *at)
{
    uint64_t from = at->sp, word;
    if (!read_kept(w, from, from + HF_UNWIND_SIGNAL_PC, &at->pc) ||
        !read_kept(w, from, from + HF_UNWIND_SIGNAL_SP, &at->sp) ||
        !read_kept(w, from, from + HF_UNWIND_SIGNAL_FP, &at->fp) ||
        !read_kept(w, from, at->sp - 8, &word))
        return STEP_LOST;
    return at->pc++ != 0 ? STEP_DONE : STEP_AT_END;
}

/* The CFA by the rules that are rare. */
static bool find_cfa(const struct walk *w, struct hf_unwind_rule rule,
    struct hf_unwind_registers at, uint64_t *out_cfa)
{
    uint64_t offset = hf_unwind_rule_offset(rule);
    switch (hf_unwind_rule_kind(rule)) {
    case HF_UNWIND_SP: *out_cfa = at.sp + offset; return true;
    case HF_UNWIND_FP: *out_cfa = at.fp + offset; return true;
    case HF_UNWIND_FP_DEREF: return read_kept(w, at.sp, at.fp + offset, out_cfa);
    case HF_UNWIND_PLT:
        *out_cfa = at.sp + 8 + (((at.pc - 1) & 15) * 8 >= offset ? 8 : 0);
        return true;
    default: return false;
    }
}

/*
 * For code that has no rule: if rbp can be a frame pointer, there lie the caller's and the return
 * address. The answer depends on the registers alone, or replay would not be sound.
 */
static struct hf_unwind_rule guess_rule(const struct walk *w, struct hf_unwind_registers at)
{
    uint64_t fp;
    *w->is_guess = true;
    bool is_frame = at.fp % 8 == 0 && read_kept(w, at.sp, at.fp, &fp);
    return hf_unwind_rule_make(is_frame ? HF_UNWIND_FP : HF_UNWIND_UNKNOWN, 2, 2);
}

/* CFA = rsp + offset, and rbp is where it was or at a place of its own: nearly all rules. */
static inline bool is_plain(struct hf_unwind_rule rule)
{
    return (rule.bits >> 16) - (HF_UNWIND_SP << 8) < HF_UNWIND_FP_CHAINED;
}

/*
 * Goes to the caller. `at` is only good if that is done. What is called from here is given copies,
 * so that the registers of a walk stay in registers.
 */
static HF_ALWAYS_INLINE enum outcome step(const struct walk *w, struct hf_unwind_rule rule,
    struct hf_unwind_registers *at, uint64_t *out_fp_slot)
{
    uint64_t cfa = at->sp + hf_unwind_rule_offset(rule);
    if (HF_UNLIKELY(!is_plain(rule))) {
        enum hf_unwind_kind kind = hf_unwind_rule_kind(rule);
        uint64_t rare_cfa;
        if (kind == HF_UNWIND_END)
            return STEP_AT_END;
        if (kind == HF_UNWIND_SIGNAL) {
            struct hf_unwind_registers interrupted = *at;
            enum outcome outcome = step_signal(w, &interrupted);
            *out_fp_slot = at->sp + HF_UNWIND_SIGNAL_FP;
            *at = interrupted;
            return outcome;
        }
        rule = kind == HF_UNWIND_UNKNOWN ? guess_rule(w, *at) : rule;
        if (!find_cfa(w, rule, *at, &rare_cfa))
            return STEP_LOST;
        cfa = rare_cfa;
    }
    if (!read_kept(w, at->sp, cfa - 8, &at->pc))
        return STEP_LOST;
    uint32_t place = hf_unwind_rule_fp_place(rule);
    uint64_t slot = 0;
    if (place != HF_UNWIND_FP_SAME) {
        slot = place == HF_UNWIND_FP_CHAINED ? at->fp : cfa - place * UINT64_C(8);
        if (place == HF_UNWIND_FP_LOST || !read_kept(w, at->sp, slot, &at->fp))
            at->fp = slot = 0;
    }
    at->sp = cfa;
    *out_fp_slot = slot;
    return at->pc != 0 ? STEP_DONE : STEP_AT_END;
}

static enum trait traits_of(struct hf_unwind_rule rule)
{
    enum hf_unwind_kind kind = hf_unwind_rule_kind(rule);
    bool uses_fp = kind == HF_UNWIND_UNKNOWN || kind == HF_UNWIND_FP ||
                   kind == HF_UNWIND_FP_DEREF ||
                   hf_unwind_rule_fp_place(rule) == HF_UNWIND_FP_CHAINED;
    return (uses_fp ? USES_FP : 0) | (kind == HF_UNWIND_UNKNOWN ? IS_A_GUESS : 0);
}

/* The caller is found by more than its return address and the place of its fp. */
static bool is_indirect(struct hf_unwind_rule rule)
{
    return hf_unwind_rule_kind(rule) == HF_UNWIND_FP_DEREF ||
           hf_unwind_rule_kind(rule) == HF_UNWIND_SIGNAL;
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
 * Whether the walk, which is `at` a frame, goes on as it did last time: as *kept of the remembered
 * frames say. If not, that many may still be joined further out.
 */
static bool is_joined(const struct walk *w, struct hf_unwind_memo *memo,
    struct hf_unwind_registers at, uint64_t fp_slot, uint32_t found, uint32_t *kept)
{
    while (*kept != 0 && memo->frames[*kept - 1].sp < at.sp)
        --*kept;
    struct hf_unwind_frame *same = *kept != 0 ? &memo->frames[*kept - 1] : NULL;
    if (same == NULL || !is_same(same, &at))
        return false;
    uint32_t standing = first_standing(w, memo->frames, *kept);
    if (standing != 0 || !is_end_same(w, memo)) {
        *kept = standing;
        return false;
    }
    /* It may have been found in another way than last time. Its fp is the same, if that matters. */
    same->fp_slot = fp_slot;
    same->traits = (same->traits & ~(uint32_t)IS_INDIRECT) | found;
    return true;
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
    struct hf_unwind_frame *f = memo->fresh;
    uint64_t fp_slot = 0, next_sp = *kept != 0 ? memo->frames[*kept - 1].sp : UINT64_MAX;
    uint32_t found = 0;
    enum outcome outcome;
    do {
        if (HF_UNLIKELY(at.sp >= next_sp)) {
            if (is_joined(w, memo, at, fp_slot, found, kept))
                return (uint32_t)(f - memo->fresh);
            next_sp = *kept != 0 ? memo->frames[*kept - 1].sp : UINT64_MAX;
        }
        struct hf_unwind_rule rule = find_rule(w, at.pc - 1);
        f->pc = at.pc;
        f->sp = at.sp;
        f->fp = at.fp;
        f->fp_slot = fp_slot;
        f->rule = rule;
        f->traits = found;
        found = 0;
        if (HF_UNLIKELY(!is_plain(rule))) {
            f->traits |= traits_of(rule);
            found = is_indirect(rule) ? IS_INDIRECT : 0;
        }
        outcome = step(w, rule, &at, &fp_slot);
    } while (++f, outcome == STEP_DONE && f != &memo->fresh[HF_UNWIND_FRAMES_MAX]);
    f[-1].traits &= ~(uint32_t)IS_A_GUESS;
    *kept = 0;
    *out_outcome = outcome;
    return (uint32_t)(f - memo->fresh);
}

/* Puts the fresh frames on the kept ones. */
static void remember(struct hf_unwind_memo *memo, uint32_t kept, uint32_t fresh)
{
    struct hf_unwind_frame *to = &memo->frames[kept];
    uint64_t hash = kept != 0 ? to[-1].hash : memo->is_cut;
    uint32_t outer = kept != 0 ? to[-1].traits : 0;
    memo->count = kept + fresh;
    for (const struct hf_unwind_frame *from = &memo->fresh[fresh]; from-- != memo->fresh; to++) {
        /* Field by field: a copy of 16 bytes would have to wait for the two stores of 8 before. */
        outer &= hf_unwind_rule_fp_place(from->rule) == HF_UNWIND_FP_SAME ? NEEDS_FP | IS_GUESSED
                                                                          : IS_GUESSED;
        if (HF_UNLIKELY(from->traits != 0))
            outer |= from->traits | ((from->traits & USES_FP) != 0 ? NEEDS_FP : 0) |
                     ((from->traits & IS_A_GUESS) != 0 ? IS_GUESSED : 0);
        hash = hf_hash_fold(hash ^ from->pc, UINT64_C(0x9e3779b97f4a7c15));
        to->pc = from->pc;
        to->hash = hash;
        to->sp = from->sp;
        to->fp = from->fp;
        to->fp_slot = from->fp_slot;
        to->rule = from->rule;
        to->traits = outer;
    }
    memo->is_guessed = (outer & IS_GUESSED) != 0;
}

uint64_t hf_unwind_walk(struct hf_unwind_memo *memo, const struct hf_unwind_registers *registers,
    const struct hf_unwind_stack *stack, struct hf_unwind_cache *cache,
    const struct hf_unwind_code *code)
{
    uint64_t size = stack->high - stack->low;
    uint64_t generation = atomic_load_explicit(&cache->generation, memory_order_acquire);
    bool is_guess = false;
    struct walk w = {.low = stack->low,
        .bias = stack->bias,
        .cache = cache,
        .code = code,
        .stamp = 1 + generation % 3,
        .is_guess = &is_guess};
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
