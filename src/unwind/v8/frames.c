#include "unwind/v8/frames.h"

#define PRIME UINT64_C(0x9e3779b97f4a7c15)

/* A ScopeInfo: words behind the map, and bits of the first one's number. */
enum { SCOPE_FLAGS = 8, SCOPE_LOCALS = 24, SCOPE_REST = 32, SCOPE_LOCALS_INLINE = 75 };
enum { SCOPE_IS_MODULE = 3, SCOPE_TYPE = 15, SCOPE_HAS_CLASS = 1 << 10 };
enum { SCOPE_HAS_FUNCTION = 3 << 12, SCOPE_HAS_INFERRED = 1 << 14 };
#define SCOPE_LOCALS_MAX (1u << 16)

struct v8_reading {
    struct hf_interpreted_chain *chain;
    const struct hf_v8 *v8;
    const struct hf_interpreted_memory *memory;
    struct hf_v8_sight *sight;
    uint32_t unfit; /* frames that are left out */
};

static bool v8_is_one(const struct hf_unwind_frame *f)
{
    return hf_unwind_rule_kind(f->rule) == HF_UNWIND_UNKNOWN && f->caller != NULL;
}

bool hf_v8_runs(const struct hf_unwind_frame *leaf)
{
    return (leaf->traits & HF_UNWIND_IS_GUESSED) != 0;
}

/* A small number of an object. */
static bool v8_number(
    const struct v8_reading *r, uint64_t object, uint32_t offset, uint32_t *out_number)
{
    uint64_t word;
    if (!hf_v8_object_word(r->memory, object, (int32_t)offset, &word) || (word & HF_V8_TAG) != 0)
        return false;
    *out_number = (uint32_t)(word >> 32);
    return true;
}

/* A word that is a string with characters, or else 0. */
static uint64_t v8_name_at(const struct v8_reading *r, uint64_t object, uint32_t offset)
{
    uint64_t word;
    return hf_v8_object_word(r->memory, object, (int32_t)offset, &word) &&
                   hf_v8_string_length(r->v8, r->memory, word) != 0
               ? word
               : 0;
}

/* The function's name, or what V8 calls it by where it was put; and where it begins. */
static bool v8_read_scope(
    const struct v8_reading *r, uint64_t scope, struct hf_interpreted_frame *frame)
{
    uint32_t flags, locals;
    if (!v8_number(r, scope, SCOPE_FLAGS, &flags) || !v8_number(r, scope, SCOPE_LOCALS, &locals) ||
        locals > SCOPE_LOCALS_MAX)
        return false;
    uint32_t at = SCOPE_REST + 8 * locals; /* what is known of each local */
    at += 8 * (locals < SCOPE_LOCALS_INLINE ? locals : 1);
    at += (flags & SCOPE_HAS_CLASS) != 0 ? 8 : 0;
    frame->name = 0;
    if ((flags & SCOPE_HAS_FUNCTION) != 0) {
        frame->name = v8_name_at(r, scope, at);
        at += 16;
    }
    if ((flags & SCOPE_HAS_INFERRED) != 0) {
        frame->name = frame->name != 0 ? frame->name : v8_name_at(r, scope, at);
        at += 8;
    }
    if (!v8_number(r, scope, at, &frame->offset))
        return false;
    if (frame->name == 0)
        frame->name = frame->offset == 0 ? HF_V8_MAIN : HF_V8_NO_NAME;
    return true;
}

static bool v8_print(
    const struct v8_reading *r, uint64_t string, struct hf_interpreted_frame *frame)
{
    struct hf_v8_name name;
    frame->print = hf_mix(frame->print ^ (string <= HF_V8_NO_NAME ? string + 1 : 0), PRIME);
    if (string <= HF_V8_NO_NAME)
        return true;
    bool is_there = hf_v8_name_read(r->v8, r->memory, string, &name);
    frame->print = is_there ? hf_v8_name_hash(&name, frame->print) : frame->print;
    return is_there;
}

/* True if a word is a function, which is where it is now then. */
static bool v8_find_function(const struct v8_reading *r, uint64_t *function)
{
    uint64_t word = *function;
    uint32_t type;
    _Atomic uint64_t *seen = &r->sight->functions[hf_mix(word, PRIME) % HF_V8_SEEN];
    if (atomic_load_explicit(seen, memory_order_relaxed) == word)
        return hf_v8_object_find(r->v8, r->memory, function, &type);
    if (!hf_v8_object_find(r->v8, r->sight->surely, function, &type) ||
        type - (uint32_t)r->v8->type_function >= HF_V8_FUNCTION_TYPES)
        return false;
    atomic_store_explicit(seen, word, memory_order_relaxed);
    return true;
}

/* False if it is no function; a scope of 0: it is none of a script. */
static bool v8_read_function(
    const struct v8_reading *r, uint64_t function, struct hf_interpreted_frame *frame)
{
    const struct hf_v8 *v8 = r->v8;
    uint64_t shared, name;
    uint32_t type;
    *frame = (struct hf_interpreted_frame){0};
    if (!v8_find_function(r, &function) ||
        !hf_v8_object_word(r->memory, function, v8->function_shared, &shared) ||
        !hf_v8_object_find(v8, r->memory, &shared, &type) || type != (uint32_t)v8->type_shared ||
        !hf_v8_object_word(r->memory, shared, v8->shared_script, &frame->scope) ||
        !hf_v8_object_word(r->memory, shared, v8->shared_name, &name) ||
        !hf_v8_object_find(v8, r->memory, &frame->scope, &type))
        return false;
    if (type != (uint32_t)v8->type_script) {
        frame->scope = 0;
        return true;
    }
    if (!hf_v8_object_find(v8, r->memory, &name, &type) || type != (uint32_t)v8->type_scope ||
        !v8_read_scope(r, name, frame))
        return false;
    frame->file = v8_name_at(r, frame->scope, (uint32_t)v8->script_name);
    return v8_print(r, frame->name, frame) && v8_print(r, frame->file, frame);
}

static void v8_read_frame(struct v8_reading *r, const struct hf_unwind_frame *f, uint32_t native)
{
    struct hf_interpreted_frame *frame = &r->chain->frames[r->chain->count];
    uint64_t function_at = f->fp + (uint64_t)(int64_t)r->v8->fp_function, function;
    uint64_t context_at = f->fp + (uint64_t)(int64_t)r->v8->fp_context, context;
    if (function_at - f->sp > f->fp - f->sp || context_at - f->sp > f->fp - f->sp ||
        !hf_interpreted_copy(r->memory, context_at, &context, sizeof context) ||
        (context & HF_V8_TAG) == 0 ||
        !hf_interpreted_copy(r->memory, function_at, &function, sizeof function))
        return;
    if (!v8_read_function(r, function, frame))
        r->unfit++;
    else if (frame->scope != 0)
        hf_interpreted_chain_settle(r->chain, r->chain->count++, native);
}

void hf_v8_chain_read(struct hf_interpreted_chain *chain, const struct hf_v8 *v8,
    const struct hf_interpreted_memory *memory, struct hf_v8_sight *sight,
    const struct hf_unwind_frame *leaf)
{
    struct v8_reading r = {.chain = chain, .v8 = v8, .memory = memory, .sight = sight};
    uint32_t native = 0;
    hf_interpreted_chain_begin(chain, memory);
    for (const struct hf_unwind_frame *f = leaf; f != NULL; f = f->caller, native++) {
        if (!v8_is_one(f))
            continue;
        if (chain->count == HF_INTERPRETED_FRAMES_MAX) {
            chain->is_cut = true;
            break;
        }
        v8_read_frame(&r, f, native);
    }
    chain->is_broken = chain->count == 0 && r.unfit != 0;
}
