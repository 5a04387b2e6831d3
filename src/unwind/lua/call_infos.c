#include "unwind/lua/call_infos.h"

#include "base/text.h"
#include "unwind/lua/instructions.h"

enum { CALL_BYTES = 5, CALL_OPCODE = 0xe8 }; /* of the machine: a call of an address nearby */
enum { WORDS_MAX = 64 };                     /* inward of luaV_execute, that may have the pc */

struct lua_reading {
    struct hf_interpreted_chain *chain;
    const struct hf_lua *lua;
    struct hf_lua_sight *sight;
    const struct hf_interpreted_memory *memory;
    const struct hf_lua_moved *moved;
    const struct hf_unwind_frame *leaf;
    uint32_t steps;
};

/* A call of a function of Lua. */
struct lua_call {
    uint64_t function, source, code;
    uint64_t print;
    uint32_t code_count, instruction, status;
};

static bool lua_break(struct lua_reading *r)
{
    r->chain->is_broken = true;
    return false;
}

/* The function whose closure is there. */
static bool lua_read_closure(
    struct lua_reading *r, uint64_t closure, const uint8_t *call, struct lua_call *out)
{
    uint8_t object[HF_LUA_CLOSURE_BYTES], function[HF_LUA_FUNCTION_BYTES];
    if (!hf_interpreted_copy(r->memory, closure, object, sizeof object) ||
        object[HF_LUA_TYPE] != HF_LUA_CLOSURE)
        return lua_break(r);
    out->function = hf_interpreted_u64(object, HF_LUA_CLOSURE_FUNCTION);
    if (!hf_interpreted_copy(r->memory, out->function, function, sizeof function) ||
        function[HF_LUA_TYPE] != HF_LUA_FUNCTION)
        return lua_break(r);
    out->source = hf_interpreted_u64(function, HF_LUA_FUNCTION_SOURCE);
    out->code = hf_interpreted_u64(function, HF_LUA_FUNCTION_CODE);
    out->code_count = hf_interpreted_u32(function, HF_LUA_FUNCTION_CODE_COUNT);
    uint64_t next = hf_interpreted_u64(call, HF_LUA_CALL_PC) - out->code;
    out->print = 0;
    if (out->code_count > HF_LUA_CODE_MAX || next % 4 != 0 || next / 4 > out->code_count ||
        !hf_lua_function_hash(r->memory, function, &out->print))
        return lua_break(r);
    out->instruction = (uint32_t)(next / 4) - 1; /* HF_LUA_BEFORE_CODE, when it begins */
    return true;
}

/* What a call calls; of a function of C, function 0. */
static bool lua_read_call(
    struct lua_reading *r, const uint8_t *thread, const uint8_t *call, struct lua_call *out)
{
    uint8_t value[16];
    uint64_t stack = hf_interpreted_u64(thread, HF_LUA_THREAD_STACK);
    uint64_t bytes = hf_interpreted_u64(thread, HF_LUA_THREAD_STACK_LAST) - stack;
    uint64_t at = hf_interpreted_u64(call, HF_LUA_CALL_FUNCTION) - stack;
    out->status = hf_lua_call_status(call);
    out->function = 0;
    if ((out->status & HF_LUA_CALL_IS_NATIVE) != 0)
        return true;
    if (at >= bytes || at % sizeof value != 0)
        return lua_break(r);
    stack = stack == r->moved->from ? r->moved->to : stack;
    if (!hf_interpreted_copy(r->memory, stack + at, value, sizeof value) ||
        value[HF_LUA_TYPE] != (HF_LUA_CLOSURE | HF_LUA_IS_OBJECT))
        return lua_break(r);
    return lua_read_closure(r, hf_interpreted_u64(value, 0), call, out);
}

/* True if the machine's instruction before this address calls a function that makes a table. */
static bool lua_calls_maker(const struct lua_reading *r, uint64_t pc)
{
    uint8_t call[CALL_BYTES];
    bool is_one = false;
    if (!hf_interpreted_copy(r->memory, pc - CALL_BYTES, call, sizeof call) ||
        call[0] != CALL_OPCODE)
        return false;
    uint64_t to = pc + (uint64_t)(int64_t)(int32_t)hf_interpreted_u32(call, 1);
    for (size_t i = 0; i < HF_LUA_MAKERS; i++)
        is_one |= r->lua->make_table[i] == to;
    return is_one;
}

/* Which of luaV_execute's calls that make a table this one is; HF_LUA_SITES: none. */
static uint32_t lua_find_site(const struct lua_reading *r, uint64_t pc)
{
    uint32_t i = 0;
    for (; i < HF_LUA_SITES; i++) {
        uint64_t site = atomic_load_explicit(&r->sight->sites[i], memory_order_acquire);
        if (site == pc)
            return i;
        if (site == 0)
            break;
    }
    if (i == HF_LUA_SITES || !lua_calls_maker(r, pc))
        return HF_LUA_SITES;
    atomic_store_explicit(&r->sight->site_words[i], UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&r->sight->sites[i], pc, memory_order_release);
    return i;
}

/* The instruction at which a function is that makes a table, by the words on the native stack. */
static void lua_find_instruction(
    struct lua_reading *r, const struct hf_unwind_frame *execute, struct lua_call *call)
{
    uint64_t words[WORDS_MAX], mask = 0;
    uint32_t site = lua_find_site(r, execute->pc);
    uint64_t inward = (execute->sp - r->leaf->sp) / 8;
    uint32_t count = inward < WORDS_MAX ? (uint32_t)inward : WORDS_MAX;
    if (site == HF_LUA_SITES || count == 0 ||
        !hf_interpreted_copy(r->memory, execute->sp - count * 8, words, count * sizeof words[0]))
        return;
    for (uint32_t i = 0; i < count; i++) { /* from luaV_execute inward */
        uint64_t next = words[count - 1 - i] - call->code;
        if (next % 4 == 0 && next / 4 <= call->code_count &&
            hf_lua_is_after_table(r->memory, call->code, (uint32_t)(next / 4)))
            mask |= UINT64_C(1) << i;
    }
    uint64_t always =
        mask & atomic_load_explicit(&r->sight->site_words[site], memory_order_relaxed);
    if (always != 0)
        atomic_store_explicit(&r->sight->site_words[site], always, memory_order_relaxed);
    mask = always != 0 ? always : mask;
    if (mask == 0)
        return;
    uint64_t next = words[count - 1 - (uint32_t)__builtin_ctzll(mask)] - call->code;
    call->instruction = (uint32_t)(next / 4) - 2;
}

/* Adds a frame; its caller follows, if that is one of Lua. */
static void lua_add(
    struct lua_reading *r, const struct lua_call *call, const struct lua_call *caller)
{
    struct hf_interpreted_chain *chain = r->chain;
    if (chain->count == HF_INTERPRETED_FRAMES_MAX) {
        chain->is_cut = true;
        return;
    }
    struct hf_interpreted_frame *frame = &chain->frames[chain->count++];
    *frame = (struct hf_interpreted_frame){.name = call->function,
        .file = call->source,
        .lines = call->print,
        .print = call->print,
        .offset = call->instruction};
    bool is_called = (call->status & HF_LUA_CALL_IS_TAIL) == 0;
    if (is_called && (caller->status & HF_LUA_CALL_IS_FINALIZER) != 0)
        frame->scope = HF_LUA_BY_COLLECTOR;
    else if (is_called && caller->function != 0 && (caller->status & HF_LUA_CALL_IS_HOOKED) == 0) {
        frame->scope = caller->function;
        frame->line = caller->instruction;
    }
    frame->print += frame->scope <= HF_LUA_BY_COLLECTOR ? frame->scope : 2;
}

/* The next native frame of luaV_execute in a run, from `from` on; NULL: there is none. */
static const struct hf_unwind_frame *lua_next_execute(const struct lua_reading *r,
    const struct hf_lua_run *run, const struct hf_unwind_frame *from, uint32_t *number)
{
    for (const struct hf_unwind_frame *f = from; f != NULL; f = f->caller, ++*number) {
        if (hf_lua_is_execute(r->sight, f))
            return f;
        if (f == run->last)
            break;
    }
    return NULL;
}

/* Gives the frames from number `first` on their native ones; their `native` says in which run of
 * luaV_execute they are. */
static void lua_settle(struct lua_reading *r, const struct hf_lua_run *run, uint32_t first)
{
    uint32_t number = run->first_number, at = 0;
    const struct hf_unwind_frame *f = lua_next_execute(r, run, run->first, &number);
    uint32_t native = f != NULL ? number : run->last_number;
    for (uint32_t i = first; i < r->chain->count; i++) {
        for (; f != NULL && f != run->last && at < r->chain->frames[i].native; at++) {
            uint32_t next = number + 1;
            f = lua_next_execute(r, run, f->caller, &next);
            number = f != NULL ? next : number;
            native = f != NULL ? number : native;
        }
        hf_interpreted_chain_settle(r->chain, i, native);
    }
}

/* All calls of a thread, from the innermost on. */
static bool lua_read_calls(struct lua_reading *r, const struct hf_lua_run *run,
    const uint8_t *thread, const struct hf_unwind_frame *execute)
{
    uint64_t base = run->state + HF_LUA_THREAD_BASE_CALL;
    uint64_t at = hf_interpreted_u64(thread, HF_LUA_THREAD_CALL);
    uint8_t bytes[HF_LUA_CALL_BYTES];
    struct lua_call call = {0}, caller = {0};
    uint32_t runs = 0;
    bool is_first = true;
    for (; at != 0; call = caller) {
        if (r->steps++ == HF_INTERPRETED_STEPS_MAX) {
            r->chain->is_cut = true;
            return true;
        }
        caller = (struct lua_call){0};
        if (at != base) {
            if (!hf_interpreted_copy(r->memory, at, bytes, sizeof bytes))
                return lua_break(r);
            if (!lua_read_call(r, thread, bytes, &caller))
                return false;
            if (is_first && caller.function != 0 && execute != NULL)
                lua_find_instruction(r, execute, &caller);
            is_first = false;
        }
        if (call.function != 0) {
            uint32_t count = r->chain->count;
            lua_add(r, &call, &caller);
            if (r->chain->is_cut)
                return true;
            r->chain->frames[count].native = runs;
            runs += (call.status & HF_LUA_CALL_IS_FRESH) != 0;
        }
        if (at == base)
            break;
        at = hf_interpreted_u64(bytes, HF_LUA_CALL_PREVIOUS);
    }
    return true;
}

static bool lua_read_run(struct lua_reading *r, const struct hf_lua_run *run)
{
    uint8_t thread[HF_LUA_THREAD_BYTES];
    uint32_t first = r->chain->count, number = run->first_number;
    if (!hf_interpreted_copy(r->memory, run->state, thread, sizeof thread) ||
        thread[HF_LUA_TYPE] != HF_LUA_THREAD ||
        hf_interpreted_u64(thread, HF_LUA_THREAD_JUMP) != run->jump)
        return lua_break(r);
    if (r->moved->from != 0 && r->moved->to == 0 &&
        hf_interpreted_u64(thread, HF_LUA_THREAD_STACK) == r->moved->from)
        return true;
    const struct hf_unwind_frame *execute = lua_next_execute(r, run, run->first, &number);
    if (!lua_read_calls(r, run, thread, execute))
        return false;
    if (r->chain->count != first &&
        atomic_load_explicit(&r->sight->execute_bytes, memory_order_acquire) == 0)
        hf_lua_learn_execute(r->lua, r->sight, run);
    lua_settle(r, run, first);
    return true;
}

/* True if a run further in has the same state: around a coroutine it was entered again. All its
 * calls were read then, and where it catches errors is further in. */
static bool lua_is_entered_again(const struct hf_lua_runs *runs, uint32_t run)
{
    for (uint32_t i = 0; i < run; i++) {
        if (runs->items[i].state == runs->items[run].state)
            return true;
    }
    return false;
}

void hf_lua_chain_read(struct hf_interpreted_chain *chain, const struct hf_lua *lua,
    struct hf_lua_sight *sight, const struct hf_interpreted_memory *memory,
    const struct hf_lua_moved *moved, const struct hf_unwind_frame *leaf)
{
    struct lua_reading r = {
        .chain = chain, .lua = lua, .sight = sight, .memory = memory, .moved = moved, .leaf = leaf};
    struct hf_lua_runs runs;
    hf_interpreted_chain_begin(chain, memory);
    bool is_sound = hf_lua_find_states(lua, sight, memory, leaf, &runs);
    for (uint32_t i = 0; is_sound && i < runs.count && !chain->is_cut; i++)
        is_sound = lua_is_entered_again(&runs, i) || lua_read_run(&r, &runs.items[i]);
    chain->is_cut |= runs.is_cut;
    if (!is_sound)
        chain->count = 0;
    chain->is_broken = !is_sound;
}
