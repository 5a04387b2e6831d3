#include "unwind/walk.h"

#include "base/attr.h"
#include "base/mix.h"
#include "base/mutant.h"
#include "unwind/find.h"

#include <string.h>

/* A word of the cache: tag of the place, stamp of the generation, rule. A stamp is never 0. */
#define ADDRESS_BITS 47 /* of the programs' half */
#define TAG_BITS (ADDRESS_BITS - HF_UNWIND_CACHE_SET_BITS)
#define STAMP_BITS 2
_Static_assert(TAG_BITS + STAMP_BITS + HF_UNWIND_RULE_BITS == 64, "a word has no bit to spare");

enum outcome {
    STEP_DONE,
    STEP_AT_END, /* there is no caller */
    STEP_LOST,   /* there may be one */
};

struct walk_walk {
    uint64_t low, words; /* a word can be read at low + [0, words) */
    uintptr_t bias;
    struct hf_unwind_cache *cache;
    const struct hf_unwind_code *code;
    uint64_t stamp;
    bool *is_guess; /* whether a frame was found by its frame pointer, and so all further out */
};

static HF_ALWAYS_INLINE bool read_word(
    const struct walk_walk *w, uint64_t address, uint64_t *out_word)
{
    if (HF_UNLIKELY(address - w->low >= w->words) && !HF_MUTANT(BOUNDS))
        return false;
    memcpy(out_word, (const void *)(uintptr_t)(address + w->bias), sizeof *out_word);
    return true;
}

static struct hf_unwind_rule learn_rule(
    const struct walk_walk *w, uint64_t address, _Atomic uint64_t *set, uint64_t key)
{
    struct hf_unwind_rule rule = w->code->find(w->code->context, address, *w->is_guess);
    for (size_t way = HF_UNWIND_CACHE_WAYS - 1; way != 0; way--)
        atomic_store_explicit(&set[way], atomic_load_explicit(&set[way - 1], memory_order_relaxed),
            memory_order_relaxed);
    atomic_store_explicit(&set[0], key << HF_UNWIND_RULE_BITS | rule.bits, memory_order_relaxed);
    return rule;
}

static HF_ALWAYS_INLINE struct hf_unwind_rule find_rule(const struct walk_walk *w, uint64_t address)
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
    const struct walk_walk *w, uint64_t sp, uint64_t address, uint64_t *out_word)
{
    return (HF_LIKELY(address - sp < w->words) || HF_MUTANT(BOUNDS)) &&
           read_word(w, address, out_word);
}

/* From a handler of a signal to what it interrupted, if that was on the same stack. */
static enum outcome step_signal(const struct walk_walk *w, struct hf_unwind_registers *at)
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
static bool find_cfa(const struct walk_walk *w, struct hf_unwind_rule rule,
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
static struct hf_unwind_rule guess_rule(const struct walk_walk *w, struct hf_unwind_registers at)
{
    uint64_t fp;
    *w->is_guess = true;
    bool is_frame = at.fp % 8 == 0 && read_kept(w, at.sp, at.fp, &fp);
    return hf_unwind_rule_make(is_frame ? HF_UNWIND_FP : HF_UNWIND_UNKNOWN, 2, 2);
}

/* CFA = rsp + offset, and rbp is where it was or at a place of its own: nearly all rules. */
static inline bool walk_is_plain(struct hf_unwind_rule rule)
{
    return (rule.bits >> 16) - (HF_UNWIND_SP << 8) < HF_UNWIND_FP_CHAINED;
}

/*
 * Goes to the caller. `at` is only good if that is done. What is called from here is given copies,
 * so that the registers of a walk stay in registers.
 */
static HF_ALWAYS_INLINE enum outcome walk_step(
    const struct walk_walk *w, struct hf_unwind_rule rule, struct hf_unwind_registers *at)
{
    uint64_t cfa = at->sp + hf_unwind_rule_offset(rule);
    if (HF_UNLIKELY(!walk_is_plain(rule))) {
        enum hf_unwind_kind kind = hf_unwind_rule_kind(rule);
        uint64_t rare_cfa;
        if (kind == HF_UNWIND_END)
            return STEP_AT_END;
        if (kind == HF_UNWIND_SIGNAL) {
            struct hf_unwind_registers interrupted = *at;
            enum outcome outcome = step_signal(w, &interrupted);
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
    if (place != HF_UNWIND_FP_SAME) {
        uint64_t slot = place == HF_UNWIND_FP_CHAINED ? at->fp : cfa - place * UINT64_C(8);
        if (place == HF_UNWIND_FP_LOST || !read_kept(w, at->sp, slot, &at->fp))
            at->fp = 0;
    }
    at->sp = cfa;
    return at->pc != 0 ? STEP_DONE : STEP_AT_END;
}

static bool uses_fp(struct hf_unwind_rule rule)
{
    enum hf_unwind_kind kind = hf_unwind_rule_kind(rule);
    return kind == HF_UNWIND_UNKNOWN || kind == HF_UNWIND_FP || kind == HF_UNWIND_FP_DEREF ||
           hf_unwind_rule_fp_place(rule) == HF_UNWIND_FP_CHAINED;
}

/* The caller has the fp of the frame. Of a guess it is where the frame's points to. */
static bool keeps_fp(struct hf_unwind_rule rule)
{
    return hf_unwind_rule_fp_place(rule) == HF_UNWIND_FP_SAME &&
           hf_unwind_rule_kind(rule) != HF_UNWIND_UNKNOWN;
}

/* The caller is found by more than its return address and the place of its fp. */
static bool is_indirect(struct hf_unwind_rule rule)
{
    return hf_unwind_rule_kind(rule) == HF_UNWIND_FP_DEREF ||
           hf_unwind_rule_kind(rule) == HF_UNWIND_SIGNAL;
}

/* A known frame that stands has still this caller, or none, by all that its rule asks for. */
static bool goes_on(const struct walk_walk *w, const struct hf_unwind_frame *f)
{
    struct hf_unwind_registers at = {f->pc, f->sp, f->fp};
    enum outcome outcome = walk_step(w, f->rule, &at);
    return outcome == f->outcome && (f->caller == NULL || hf_unwind_is_same(f->caller, &at));
}

bool hf_unwind_fail(
    struct hf_unwind_memo *memo, struct hf_unwind_frame *from, const struct hf_unwind_frame *to)
{
    for (; from != to; from = from->caller)
        from->failed = memo->walks;
    from->failed = memo->walks;
    return false;
}

/* A known frame, which the walk is at, has still all the callers that it had. */
static HF_ALWAYS_INLINE bool stands(
    const struct walk_walk *w, struct hf_unwind_memo *memo, struct hf_unwind_frame *known)
{
    struct hf_unwind_frame *f = known;
    for (;; f = f->caller) {
        if (HF_UNLIKELY(!hf_unwind_follow(&f, w->bias)))
            return hf_unwind_fail(memo, known, f);
        if (hf_unwind_is_outermost(f))
            return true;
        if (HF_UNLIKELY(!goes_on(w, f)))
            return hf_unwind_fail(memo, known, f);
        if (f->caller == NULL)
            return true;
    }
}

/*
 * The frame that the walk is at, if it is known and all further out are as they were; or NULL. Then
 * *out_twin is one that differs further out, or NULL.
 */
static HF_ALWAYS_INLINE struct hf_unwind_frame *find_known(const struct walk_walk *w,
    struct hf_unwind_memo *memo, const struct hf_unwind_registers *at, uint64_t place,
    const struct hf_unwind_frame **out_twin)
{
    const uint32_t *set = hf_unwind_set_at(memo, place);
    *out_twin = NULL;
    for (size_t way = 0; way < HF_UNWIND_MEMO_WAYS; way++) {
        uint32_t number = set[way] ^ hf_unwind_tag_at(place);
        if (number >= memo->count)
            continue;
        struct hf_unwind_frame *f = &memo->frames[number];
        if (!hf_unwind_is_same(f, at))
            continue;
        if (f->failed != memo->walks && stands(w, memo, f))
            return f;
        *out_twin = f;
    }
    return NULL;
}

/*
 * True if the fp of its caller is a word that the frame keeps where its rule says, and that could
 * be read: then it will be there in later walks.
 */
static bool saves_fp(const struct walk_walk *w, const struct hf_unwind_frame *f)
{
    uint64_t word;
    return f->caller != NULL && !is_indirect(f->rule) &&
           hf_unwind_rule_kind(f->rule) != HF_UNWIND_UNKNOWN &&
           hf_unwind_rule_fp_place(f->rule) != HF_UNWIND_FP_LOST &&
           read_kept(w, f->sp, hf_unwind_saved_fp_at(f), &word) && word == f->caller->fp;
}

/*
 * Adds the frames [first, end), innermost first, to those that are known; the last one's caller is
 * `known`, or `outcome` says why it has none. Returns the innermost.
 */
static struct hf_unwind_frame *remember(const struct walk_walk *w, struct hf_unwind_memo *memo,
    struct hf_unwind_frame *first, struct hf_unwind_frame *end, struct hf_unwind_frame *known,
    enum outcome outcome)
{
    struct hf_unwind_frame *caller = known;
    uint32_t traits = known != NULL            ? known->traits & ~(uint32_t)HF_UNWIND_SAVES_FP
                      : outcome == STEP_AT_END ? 0
                      : outcome == STEP_DONE   ? HF_UNWIND_IS_CUT | HF_UNWIND_IS_TOO_DEEP
                                               : HF_UNWIND_IS_CUT;
    uint32_t count = known != NULL ? known->count : 0;
    uint64_t hash = known != NULL ? known->hash : traits & HF_UNWIND_IS_CUT;
    for (struct hf_unwind_frame *f = end; f-- != first; caller = f) {
        uint32_t *set = hf_unwind_set_at(memo, f->hash);
        for (size_t way = HF_UNWIND_MEMO_WAYS - 1; way != 0; way--)
            set[way] = set[way - 1];
        set[0] = hf_unwind_tag_at(f->hash) ^ (uint32_t)(f - memo->frames);
        bool is_needed = (traits & HF_UNWIND_NEEDS_FP) != 0; /* the caller's fp */
        bool is_checked = is_needed && !keeps_fp(f->rule);
        traits -= is_checked ? HF_UNWIND_NEEDS_FP : 0;
        if (HF_UNLIKELY(!walk_is_plain(f->rule))) {
            is_checked |= is_indirect(f->rule);
            traits |= uses_fp(f->rule) ? HF_UNWIND_NEEDS_FP : 0;
            if (caller != NULL && hf_unwind_rule_kind(f->rule) == HF_UNWIND_UNKNOWN)
                traits |= HF_UNWIND_IS_GUESSED;
        }
        hash = hf_mix(hash ^ f->pc, UINT64_C(0x9e3779b97f4a7c15));
        hash += hash == 0;
        f->hash = hash;
        f->caller = caller;
        f->plain_caller = is_checked ? NULL : caller;
        f->note = f->failed = 0;
        f->count = (uint16_t)++count;
        f->traits = (uint8_t)(traits | (is_checked && saves_fp(w, f) ? HF_UNWIND_SAVES_FP : 0));
        f->outcome = (uint8_t)(caller != NULL ? STEP_DONE : outcome);
    }
    memo->count += (uint32_t)(end - first);
    return caller;
}

/* With so many frames before it, a known one has none too many or too few of its own. */
static inline bool walk_fits(const struct hf_unwind_frame *known, size_t before)
{
    size_t count = known->count + before;
    return (known->traits & HF_UNWIND_IS_TOO_DEEP) == 0 ? count <= HF_UNWIND_FRAMES_MAX
                                                        : count == HF_UNWIND_FRAMES_MAX;
}

/* Walks step by step as far as nothing is known. */
static HF_APART struct hf_unwind_frame *walk_on(const struct walk_walk *w,
    struct hf_unwind_memo *memo, const struct hf_unwind_registers *from,
    const struct hf_unwind_frame *twin)
{
    struct hf_unwind_frame *first = &memo->frames[memo->count], *f = first, *known;
    struct hf_unwind_registers at = *from;
    uint64_t place = hf_unwind_place_of(&at);
    bool may_join = memo->count != 0;
    for (;;) {
        f->pc = at.pc;
        f->sp = at.sp;
        f->fp = at.fp;
        f->hash = place; /* until it is remembered */
        f->rule = twin != NULL ? twin->rule : find_rule(w, at.pc - 1);
        enum outcome outcome = walk_step(w, f++->rule, &at);
        if (outcome != STEP_DONE || f == first + HF_UNWIND_FRAMES_MAX)
            return remember(w, memo, first, f, NULL, outcome);
        place = hf_unwind_place_of(&at);
        known = may_join ? find_known(w, memo, &at, place, &twin) : NULL;
        if (known == NULL)
            continue;
        if (HF_LIKELY(walk_fits(known, (size_t)(f - first))))
            return remember(w, memo, first, f, known, STEP_DONE);
        /* What is cut off depends on the number of frames: they are found again. */
        may_join = false;
        twin = NULL;
        f = first;
        at = *from;
        place = hf_unwind_place_of(&at);
    }
}

struct hf_unwind_frame *hf_unwind_walk_on(struct hf_unwind_memo *memo,
    const struct hf_unwind_registers *registers, const struct hf_unwind_stack *stack,
    struct hf_unwind_cache *cache, const struct hf_unwind_code *code)
{
    uint64_t size = stack->high - stack->low;
    uint64_t generation = atomic_load_explicit(&cache->generation, memory_order_acquire);
    bool is_guess = false;
    struct walk_walk w = {.low = stack->low,
        .bias = stack->bias,
        .cache = cache,
        .code = code,
        .stamp = 1 + generation % 3,
        .is_guess = &is_guess};
    bool is_in_stack = stack->low < stack->high && registers->sp - stack->low <= size;
    w.words = is_in_stack && size >= 8 ? size - 7 : 0;
    if (memo->high != stack->high || memo->generation != generation || w.words == 0 ||
        memo->count > HF_UNWIND_MEMO_FRAMES - HF_UNWIND_FRAMES_MAX)
        memo->count = 0;
    memo->high = stack->high;
    memo->generation = generation;
    const struct hf_unwind_frame *twin;
    struct hf_unwind_frame *known =
        find_known(&w, memo, registers, hf_unwind_place_of(registers), &twin);
    return HF_LIKELY(known != NULL && walk_fits(known, 0)) ? known
                                                           : walk_on(&w, memo, registers, twin);
}

struct hf_unwind_frame *hf_unwind_walk(struct hf_unwind_memo *memo,
    const struct hf_unwind_registers *registers, const struct hf_unwind_stack *stack,
    struct hf_unwind_cache *cache, const struct hf_unwind_code *code)
{
    struct hf_unwind_frame *known = hf_unwind_find(memo, *registers, *stack, cache);
    return known != NULL ? known : hf_unwind_walk_on(memo, registers, stack, cache, code);
}

void hf_unwind_cache_clear(struct hf_unwind_cache *cache)
{
    atomic_fetch_add_explicit(&cache->generation, 1, memory_order_release);
    for (size_t set = 0; set < HF_COUNT(cache->words); set++)
        for (size_t way = 0; way < HF_UNWIND_CACHE_WAYS; way++)
            atomic_store_explicit(&cache->words[set][way], 0, memory_order_relaxed);
}
