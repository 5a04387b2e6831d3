#include "unwind/perl/context_chain.h"

#include "unwind/interpreted/runs.h"
#include "unwind/perl/package_names.h"

enum { VALUE_BODY = 0, VALUE_FLAGS = 12, VALUE_UNION = 16 };
enum { VALUE_TYPE_MASK = 0xff, GLOB_HAS_GP = 0x8000, HASH_HAS_AUX = 0x2000000 };

/* The first byte of a context. */
enum {
    CONTEXT_KIND_MASK = 0x0f,
    CONTEXT_NULL = 0,
    CONTEXT_SUB = 9,
    CONTEXT_FORMAT = 10,
    CONTEXT_EVAL = 11,
    CONTEXT_IS_STRING = 0x20,     /* eval of a string: CXp_REAL */
    CONTEXT_IS_BLOCK = 0xc0,      /* eval of a block, or try: CXp_EVALBLOCK, CXp_TRY */
    CONTEXT_IS_IN_PATTERN = 0x40, /* a (?{}): CXp_SUB_RE */
    CONTEXT_IS_PATTERN = 0x80,    /* a (?{}) of the function around it: CXp_SUB_RE_FAKE */
};

struct perl_reading {
    struct hf_interpreted_chain *chain;
    const struct hf_perl *perl;
    const struct hf_interpreted_memory *memory;
    uint64_t cop;   /* where the next frame is */
    uint32_t runs;  /* that are complete */
    bool has_ended; /* one more is, unless the next context is that of a block: see perl_end */
    uint32_t steps;
};

static bool perl_break(struct perl_reading *r)
{
    r->chain->is_broken = true;
    return false;
}

static bool perl_is_in(const struct hf_perl_function *function, const struct hf_unwind_frame *frame)
{
    return frame != NULL && frame->pc - 1 - function->start < function->bytes;
}

/* The outermost of the loops that eval put around each other, or the compiler. */
static bool perl_is_run(const void *of, const struct hf_unwind_frame *frame)
{
    const struct hf_perl *perl = of;
    if (!perl_is_in(&perl->run, frame))
        return perl_is_in(&perl->parse, frame);
    return frame->caller == NULL || !perl_is_in(&perl->run, frame->caller->caller);
}

bool hf_perl_runs(const struct hf_perl *perl, const struct hf_unwind_frame *leaf)
{
    return hf_interpreted_has_native(&(struct hf_interpreted_natives){leaf, perl_is_run, perl});
}

bool hf_perl_moves(const struct hf_perl *perl, const struct hf_unwind_frame *leaf)
{
    return perl_is_in(&perl->grow, leaf) && !perl_is_in(&perl->grow_string, leaf->caller) &&
           !perl_is_in(&perl->grow_array, leaf->caller);
}

static bool perl_copy_u64(struct perl_reading *r, uint64_t address, uint64_t *out)
{
    return hf_interpreted_copy(r->memory, address, out, sizeof *out) || perl_break(r);
}

/* The head of an SV, if it is of the type. */
static bool perl_copy_value(
    struct perl_reading *r, uint64_t address, uint8_t type, uint8_t out[HF_PERL_VALUE_BYTES])
{
    return (hf_interpreted_copy(r->memory, address, out, HF_PERL_VALUE_BYTES) &&
               (hf_interpreted_u32(out, VALUE_FLAGS) & VALUE_TYPE_MASK) == type) ||
           perl_break(r);
}

/* The name of a package; *out_name 0: it has none. */
static bool perl_read_package(struct perl_reading *r, uint64_t stash, uint64_t *out_name)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    uint8_t value[HF_PERL_VALUE_BYTES], body[HF_PERL_HASH_BYTES];
    *out_name = 0;
    if (stash == 0)
        return true;
    if (!perl_copy_value(r, stash, layout->type_hash, value))
        return false;
    if ((hf_interpreted_u32(value, VALUE_FLAGS) & HASH_HAS_AUX) == 0)
        return true;
    uint64_t at = hf_interpreted_u64(value, VALUE_BODY) + HF_PERL_BODY_START;
    if (!hf_interpreted_copy(r->memory, at, body, sizeof body))
        return perl_break(r);
    *out_name = hf_interpreted_u64(body, layout->hash_name - HF_PERL_BODY_START);
    uint32_t count = hf_interpreted_u32(body, layout->hash_name_count - HF_PERL_BODY_START);
    bool has_several = count != 0 && *out_name != 0;
    return !has_several || perl_copy_u64(r, *out_name, out_name);
}

/* Where a glob's own name is: that of the first one, if another is its alias. */
static bool perl_find_glob(struct perl_reading *r, uint64_t *glob, uint8_t *out_value)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    uint64_t first = 0;
    if (!perl_copy_value(r, *glob, layout->type_glob, out_value))
        return false;
    uint64_t gp = hf_interpreted_u64(out_value, VALUE_UNION);
    if ((hf_interpreted_u32(out_value, VALUE_FLAGS) & GLOB_HAS_GP) == 0 || gp == 0)
        return true;
    if (!perl_copy_u64(r, gp + layout->glob_effective, &first))
        return false;
    if (first == 0 || first == *glob)
        return true;
    *glob = first;
    return perl_copy_value(r, first, layout->type_glob, out_value);
}

static bool perl_read_glob(
    struct perl_reading *r, uint64_t glob, struct hf_interpreted_frame *frame)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    uint8_t value[HF_PERL_VALUE_BYTES], body[HF_PERL_GLOB_BYTES];
    if (!perl_find_glob(r, &glob, value))
        return false;
    uint64_t at = hf_interpreted_u64(value, VALUE_BODY) + HF_PERL_BODY_START;
    if (!hf_interpreted_copy(r->memory, at, body, sizeof body))
        return perl_break(r);
    frame->name = hf_interpreted_u64(body, layout->glob_name - HF_PERL_BODY_START);
    return perl_read_package(
        r, hf_interpreted_u64(body, layout->glob_stash - HF_PERL_BODY_START), &frame->scope);
}

/* What a function is called. */
static bool perl_read_code(
    struct perl_reading *r, uint64_t code, uint8_t type, struct hf_interpreted_frame *frame)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    uint8_t value[HF_PERL_VALUE_BYTES], body[HF_PERL_BODY_BYTES];
    if (!perl_copy_value(r, code, type, value))
        return false;
    uint64_t at = hf_interpreted_u64(value, VALUE_BODY) + HF_PERL_BODY_START;
    if (!hf_interpreted_copy(
            r->memory, at, body + HF_PERL_BODY_START, sizeof body - HF_PERL_BODY_START))
        return perl_break(r);
    uint32_t flags = hf_interpreted_u32(body, layout->code_flags);
    frame->name = hf_interpreted_u64(body, layout->code_glob);
    if ((flags & layout->code_is_named) == 0 && frame->name != 0)
        return perl_read_glob(r, frame->name, frame);
    if (frame->name == 0)
        frame->name = HF_PERL_NO_NAME;
    else if ((flags & layout->code_is_lexical) == 0)
        return perl_read_package(r, hf_interpreted_u64(body, layout->code_stash), &frame->scope);
    return true;
}

/* Adds a frame that is at the reading's statement, if there is room. */
static bool perl_add(struct perl_reading *r, struct hf_interpreted_frame *frame)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    struct hf_interpreted_chain *chain = r->chain;
    uint8_t cop[HF_PERL_COP_BYTES];
    if (r->cop == 0) /* its code is being freed */
        return true;
    if (chain->count == HF_INTERPRETED_FRAMES_MAX) {
        chain->is_cut = true;
        return true;
    }
    if (!hf_interpreted_copy(r->memory, r->cop, cop, sizeof cop))
        return perl_break(r);
    frame->file = hf_interpreted_u64(cop, layout->cop_file);
    frame->line = hf_interpreted_u32(cop, layout->cop_line);
    frame->native = r->runs; /* until all are known */
    frame->print = frame->name <= HF_PERL_NO_NAME ? frame->name : 0;
    if (frame->file == 0) /* between two files */
        return true;
    if ((frame->name > HF_PERL_NO_NAME &&
            !hf_perl_name_hash(r->memory, frame->name, &frame->print)) ||
        (frame->scope != 0 && !hf_perl_name_hash(r->memory, frame->scope, &frame->print)) ||
        !hf_perl_path_hash(r->memory, frame->file, &frame->print))
        return perl_break(r);
    chain->frames[chain->count++] = *frame;
    return true;
}

/*
 * Nothing is left to run after a function that C code called, nor after one that a sort block or a
 * (?{}) calls last: then the block's own context, the next one, is where the run ends.
 */
static void perl_end(struct perl_reading *r, bool is_block, bool has_ended)
{
    r->runs += is_block || r->has_ended;
    r->has_ended = has_ended;
}

/* One context, of whatever kind; false: the chain is broken. */
static bool perl_read_context(struct perl_reading *r, const uint8_t *context)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    struct hf_interpreted_frame frame = {.name = HF_PERL_MAIN};
    uint8_t kind = context[0] & CONTEXT_KIND_MASK;
    bool is_code = kind == CONTEXT_SUB || kind == CONTEXT_FORMAT;
    bool is_block = kind == CONTEXT_NULL || /* a sort block, which pp_sort runs */
                    (kind == CONTEXT_SUB && (context[0] & CONTEXT_IS_PATTERN) != 0);
    if (kind == CONTEXT_SUB && (context[0] & CONTEXT_IS_IN_PATTERN) != 0)
        r->has_ended = false; /* that of the pattern counts */
    perl_end(r, is_block, false);
    if (is_block || (!is_code && kind != CONTEXT_EVAL))
        return true;
    if (kind == CONTEXT_EVAL && (context[0] & CONTEXT_IS_BLOCK) != 0)
        return true;
    uint64_t code = hf_interpreted_u64(context, layout->context_code);
    if (is_code && code != 0 &&
        !perl_read_code(
            r, code, kind == CONTEXT_SUB ? layout->type_code : layout->type_format, &frame))
        return false;
    if (kind == CONTEXT_EVAL && (context[0] & CONTEXT_IS_STRING) != 0)
        frame.name = HF_PERL_EVAL;
    if ((!is_code || code != 0) && !perl_add(r, &frame)) /* else it has been left */
        return false;
    r->cop = hf_interpreted_u64(context, layout->context_cop);
    r->has_ended = hf_interpreted_u64(context, layout->context_end) == 0;
    return true;
}

/* All contexts of one stack; false: the chain is broken, or too long. */
static bool perl_read_stack(struct perl_reading *r, const uint8_t *stack)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    uint8_t context[HF_PERL_CONTEXT_BYTES];
    int32_t top = (int32_t)hf_interpreted_u32(stack, layout->stack_top);
    int32_t max = (int32_t)hf_interpreted_u32(stack, layout->stack_max);
    uint64_t contexts = hf_interpreted_u64(stack, layout->stack_contexts);
    if (top < -1 || top > max)
        return perl_break(r);
    for (int32_t i = top; i >= 0; i--) {
        if (r->steps++ == HF_INTERPRETED_STEPS_MAX) {
            r->chain->is_cut = true;
            return false;
        }
        uint64_t at = contexts + (uint64_t)i * layout->context_bytes;
        if (!hf_interpreted_copy(r->memory, at, context, sizeof context))
            return perl_break(r);
        if (!perl_read_context(r, context))
            return false;
    }
    perl_end(r, false, false);
    return true;
}

static bool perl_read_stacks(struct perl_reading *r, uint64_t interpreter)
{
    const struct hf_perl_layout *layout = r->perl->layout;
    uint8_t stack[HF_PERL_STACK_BYTES];
    uint64_t at;
    if (!perl_copy_u64(r, interpreter + layout->current_cop, &r->cop) ||
        !perl_copy_u64(r, interpreter + layout->current_stack, &at) || at == 0)
        return false; /* at == 0: it is being made, or has ended */
    for (; at != 0; at = hf_interpreted_u64(stack, layout->stack_previous)) {
        if (!hf_interpreted_copy(r->memory, at, stack, sizeof stack) ||
            r->steps++ == HF_INTERPRETED_STEPS_MAX)
            return perl_break(r);
        if (!perl_read_stack(r, stack))
            return false;
    }
    return true;
}

void hf_perl_chain_read(struct hf_interpreted_chain *chain, const struct hf_perl *perl,
    const struct hf_interpreted_memory *memory, uint64_t interpreter,
    const struct hf_unwind_frame *leaf)
{
    struct perl_reading r = {.chain = chain, .perl = perl, .memory = memory};
    struct hf_interpreted_natives natives = {leaf, perl_is_run, perl};
    struct hf_interpreted_frame main_code = {.name = HF_PERL_MAIN};
    hf_interpreted_chain_begin(chain, memory);
    bool is_whole = perl_read_stacks(&r, interpreter);
    bool is_cut = (leaf->traits & HF_UNWIND_IS_CUT) != 0;
    /* Code around all functions: a thread has none, nor do END blocks. */
    if (is_whole && (is_cut || hf_interpreted_count_natives(&natives) > r.runs))
        (void)perl_add(&r, &main_code);
    if (chain->is_broken)
        chain->count = 0;
    else
        hf_interpreted_settle_runs(chain, r.runs, &natives);
}
