#include "unwind/java/method_frames.h"

#include "unwind/java/code_cache.h"
#include "unwind/java/methods.h"
#include "unwind/java/packed.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)

/* Words from the frame pointer, of an interpreted method and of a call from C++. */
enum { FP_SENT_SP = -1, FP_METHOD = -3, FP_BYTECODE = -8, FP_WRAPPER = -6 };
enum { SCOPE_BYTES = 32, SCOPE_NONE = 0 };
#define SCOPE_DEPTH_MAX 256u
#define PCS_MAX (1 << 20)

struct java_reading {
    struct hf_interpreted_chain *chain;
    const struct hf_java *java;
    const struct hf_interpreted_memory *memory;
    struct hf_java_sight *sight;
    uint64_t end;    /* of the stack */
    uint32_t native; /* the frame that all are of */
    bool is_unfit;   /* something was no frame of Java */
};

struct java_place {
    uint64_t pc, sp, fp;
};

/* A word of the stack, not below `place`. */
static bool java_stack_word(
    const struct java_reading *r, uint64_t sp, uint64_t at, uint64_t *out_word)
{
    return at % 8 == 0 && at >= sp && at < r->end && r->end - at >= 8 &&
           hf_interpreted_copy(r->memory, at, out_word, sizeof *out_word);
}

/* A method that leads to names is one. */
static bool java_is_method(const struct java_reading *r, uint64_t word)
{
    struct hf_java_method method;
    char name[HF_JAVA_NAME_BYTES];
    _Atomic uint64_t *seen = &r->sight->methods[hf_mix(word, PRIME) % HF_JAVA_SEEN];
    if (atomic_load_explicit(seen, memory_order_relaxed) == word)
        return true;
    if (!hf_java_method_read(r->java, r->sight->surely, word, &method) ||
        hf_java_name_write(r->java, r->sight->surely, &method, name) == 0)
        return false;
    atomic_store_explicit(seen, word, memory_order_relaxed);
    return true;
}

/* bytecode: its offset and one more; 0: not known. */
static bool java_add(struct java_reading *r, uint64_t method, uint32_t bytecode)
{
    struct hf_interpreted_chain *chain = r->chain;
    struct hf_java_method m;
    if (!java_is_method(r, method) || !hf_java_method_read(r->java, r->memory, method, &m)) {
        r->is_unfit = true;
        return false;
    }
    if (chain->count == HF_INTERPRETED_FRAMES_MAX) {
        chain->is_cut = true;
        return false;
    }
    uint64_t print = hf_mix(m.method ^ PRIME, PRIME);
    print = hf_mix(print ^ m.constant, PRIME);
    print = hf_mix(print ^ m.pool ^ (uint64_t)m.name << 48, PRIME);
    chain->frames[chain->count] = (struct hf_interpreted_frame){
        .scope = method, .offset = bytecode, .print = print ^ m.code_bytes};
    hf_interpreted_chain_settle(chain, chain->count++, r->native);
    return true;
}

static bool java_step_interpreter(struct java_reading *r, struct java_place *at)
{
    struct hf_java_method m;
    uint64_t method, bytecode, sent, fp = at->fp;
    if (!java_stack_word(r, at->sp, fp + (uint64_t)(8 * FP_METHOD), &method) ||
        !java_stack_word(r, at->sp, fp + (uint64_t)(8 * FP_BYTECODE), &bytecode) ||
        !java_stack_word(r, at->sp, fp + (uint64_t)(8 * FP_SENT_SP), &sent) ||
        !java_stack_word(r, at->sp, fp, &at->fp) || !java_stack_word(r, at->sp, fp + 8, &at->pc) ||
        !java_is_method(r, method) || !hf_java_method_read(r->java, r->memory, method, &m)) {
        r->is_unfit = true;
        return false;
    }
    bool is_known = bytecode >= m.code && bytecode - m.code < m.code_bytes;
    at->sp = sent;
    return java_add(r, method, is_known ? (uint32_t)(bytecode - m.code) + 1 : 0);
}

/* Where what stands at a return address of compiled code is packed; SCOPE_NONE: it is not said. */
static uint32_t java_scope_find(
    const struct java_reading *r, const struct hf_java_code *code, uint64_t pc)
{
    const struct hf_java *java = r->java;
    int32_t begin, end, offset, scope;
    if (!hf_java_i32(r->memory, code->blob, java->compiled_pcs, &begin) ||
        !hf_java_i32(r->memory, code->blob, java->compiled_pcs_end, &end) || begin < 0 ||
        end < begin || java->pc_bytes <= 0 || (end - begin) / java->pc_bytes > PCS_MAX)
        return SCOPE_NONE;
    uint64_t descriptions = code->blob + (uint32_t)begin, wanted = pc - code->begin;
    uint32_t low = 0, high = (uint32_t)((end - begin) / java->pc_bytes);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t description = descriptions + (uint64_t)middle * (uint32_t)java->pc_bytes;
        if (!hf_java_i32(r->memory, description, java->pc_offset, &offset))
            return SCOPE_NONE;
        if (offset == (int64_t)wanted)
            return hf_java_i32(r->memory, description, java->pc_scope, &scope) && scope > 0
                       ? (uint32_t)scope
                       : SCOPE_NONE;
        if (offset < (int64_t)wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return SCOPE_NONE;
}

/* The methods at a return address, innermost first. */
static bool java_read_scopes(
    struct java_reading *r, const struct hf_java_code *code, uint32_t scope)
{
    uint64_t data, method;
    int32_t metadata;
    if (!hf_java_u64(r->memory, code->blob, r->java->compiled_scopes, &data) ||
        !hf_java_i32(r->memory, code->blob, r->java->compiled_metadata, &metadata) || metadata < 0)
        return false;
    for (uint32_t depth = 0; scope != SCOPE_NONE; depth++) {
        struct hf_java_packed packed = hf_java_packed_at(r->memory, data + scope, SCOPE_BYTES);
        uint32_t outer = hf_java_packed_u32(&packed), number = hf_java_packed_u32(&packed);
        uint32_t bytecode = hf_java_packed_u32(&packed); /* and one more */
        if (packed.is_cut || depth == SCOPE_DEPTH_MAX || number == 0 || number > PCS_MAX ||
            !hf_java_u64(r->memory, code->blob + (uint32_t)metadata + 8 * (uint64_t)(number - 1), 0,
                &method) ||
            !java_add(r, method, bytecode))
            return false;
        scope = outer;
    }
    return true;
}

/* Code that was given up goes on in the interpreter: its frames return there, and keep the address
 * to which they would have. */
static void java_find_kept(
    const struct java_reading *r, const struct hf_java_code *code, uint64_t sp, uint64_t *pc)
{
    const struct hf_java *java = r->java;
    uint64_t left, left_calls, kept;
    int32_t at;
    if (!hf_java_u64(r->memory, code->blob, java->compiled_left, &left) ||
        !hf_java_u64(r->memory, code->blob, java->compiled_left_calls, &left_calls) ||
        (*pc != left && *pc != left_calls))
        return;
    if (hf_java_i32(r->memory, code->blob, java->compiled_kept_pc, &at) && at >= 0 &&
        java_stack_word(r, sp, sp + (uint32_t)at, &kept))
        *pc = kept;
}

static bool java_step_compiled(
    struct java_reading *r, const struct hf_java_code *code, struct java_place *at)
{
    uint64_t method, sender = at->sp + code->frame_bytes, pc = at->pc;
    uint64_t sp = at->sp;
    if (!java_stack_word(r, sp, sender - 8, &at->pc)) {
        r->is_unfit = true;
        return false;
    }
    if (code->frame_bytes < 16 || !java_stack_word(r, sp, sender - 16, &at->fp))
        at->fp = 0;
    at->sp = sender;
    java_find_kept(r, code, sp, &pc);
    uint32_t scope = java_scope_find(r, code, pc);
    if (scope != SCOPE_NONE)
        return java_read_scopes(r, code, scope);
    return hf_java_u64(r->memory, code->blob, r->java->compiled_method, &method) &&
           java_add(r, method, 0);
}

/* Other code, which only passes on. */
static bool java_step_stub(
    struct java_reading *r, const struct hf_java_code *code, struct java_place *at)
{
    uint64_t sender = at->sp + code->frame_bytes, sp = at->sp;
    if (!java_stack_word(r, sp, sender - 8, &at->pc))
        return false;
    if (code->frame_bytes < 16 || !java_stack_word(r, sp, sender - 16, &at->fp))
        at->fp = 0;
    at->sp = sender;
    return true;
}

/* From the outermost Java frame of a call from C++ to the Java frames before it, if there are. */
static bool java_step_call(struct java_reading *r, struct java_place *at, bool *out_is_end)
{
    const struct hf_java *java = r->java;
    uint64_t wrapper, anchor, sp;
    if (!java_stack_word(r, at->sp, at->fp + (uint64_t)(8 * FP_WRAPPER), &wrapper))
        return false;
    anchor = wrapper + (uint64_t)(int64_t)java->wrapper_anchor;
    if (!java_stack_word(r, at->sp, anchor + (uint64_t)(int64_t)java->anchor_sp, &sp))
        return false;
    *out_is_end = sp == 0;
    if (sp == 0)
        return true;
    if (!java_stack_word(r, at->sp, anchor + (uint64_t)(int64_t)java->anchor_pc, &at->pc) ||
        !java_stack_word(r, at->sp, anchor + (uint64_t)(int64_t)java->anchor_fp, &at->fp) ||
        sp <= at->sp || (at->pc == 0 && !java_stack_word(r, at->sp, sp - 8, &at->pc)))
        return false;
    at->sp = sp;
    return true;
}

/* True if there is more further out. */
static bool java_step(struct java_reading *r, struct java_place *at)
{
    struct hf_java_code code;
    uint64_t sp = at->sp;
    bool is_end = false, is_done = false;
    switch (hf_java_code_find(r->java, r->memory, at->pc, &code)) {
    case HF_JAVA_INTERPRETER: is_done = java_step_interpreter(r, at); break;
    case HF_JAVA_COMPILED: is_done = java_step_compiled(r, &code, at); break;
    case HF_JAVA_STUB: is_done = java_step_stub(r, &code, at); break;
    case HF_JAVA_CALL: is_done = java_step_call(r, at, &is_end); break;
    case HF_JAVA_NO_CODE: break;
    }
    r->chain->is_cut |= !is_done || (!is_end && at->sp <= sp);
    return is_done && !is_end && at->sp > sp;
}

const struct hf_unwind_frame *hf_java_first(
    const struct hf_unwind_frame *leaf, uint32_t *out_number)
{
    *out_number = 0;
    for (; leaf != NULL && hf_unwind_rule_kind(leaf->rule) != HF_UNWIND_UNKNOWN;
         leaf = leaf->caller)
        *out_number += 1;
    return leaf;
}

void hf_java_chain_read(struct hf_interpreted_chain *chain, const struct hf_java *java,
    const struct hf_interpreted_memory *memory, struct hf_java_sight *sight,
    const struct hf_unwind_frame *leaf, uint64_t stack_end)
{
    struct java_reading r = {
        .chain = chain, .java = java, .memory = memory, .sight = sight, .end = stack_end};
    hf_interpreted_chain_begin(chain, memory);
    const struct hf_unwind_frame *first = hf_java_first(leaf, &r.native);
    if (first == NULL)
        return;
    for (const struct hf_unwind_frame *f = leaf; f != first; f = f->caller)
        chain->hash = hf_mix(chain->hash ^ f->pc, PRIME);
    struct java_place at = {first->pc, first->sp, first->fp};
    for (uint32_t i = 0; java_step(&r, &at); i++) {
        if (i == HF_INTERPRETED_STEPS_MAX) {
            chain->is_cut = true;
            break;
        }
    }
    chain->is_outermost = chain->count != 0;
    chain->is_broken = chain->count == 0 && r.is_unfit;
}
