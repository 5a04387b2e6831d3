#include "unwind/lua/states.h"

static bool lua_copy_thread(
    const struct hf_interpreted_memory *memory, uint64_t address, uint8_t out[HF_LUA_THREAD_BYTES])
{
    return address % 8 == 0 && hf_interpreted_copy(memory, address, out, HF_LUA_THREAD_BYTES) &&
           out[HF_LUA_TYPE] == HF_LUA_THREAD;
}

/* True if there is a thread of Lua, whose lua_longjmp is in these bytes of a native frame. */
static bool lua_is_caught_in(const struct hf_interpreted_memory *memory, uint64_t address,
    uint64_t frame, uint64_t bytes, uint64_t *out_jump)
{
    uint8_t thread[HF_LUA_THREAD_BYTES], other[HF_LUA_THREAD_BYTES];
    uint64_t main_thread;
    if (!lua_copy_thread(memory, address, thread))
        return false;
    *out_jump = hf_interpreted_u64(thread, HF_LUA_THREAD_JUMP);
    if (*out_jump - frame >= bytes || bytes - (*out_jump - frame) < HF_LUA_JUMP_BYTES)
        return false;
    uint64_t global = hf_interpreted_u64(thread, HF_LUA_THREAD_GLOBAL);
    return hf_interpreted_copy(
               memory, global + HF_LUA_GLOBAL_MAIN, &main_thread, sizeof main_thread) &&
           lua_copy_thread(memory, main_thread, other) &&
           hf_interpreted_u64(other, HF_LUA_THREAD_GLOBAL) == global;
}

/* Learns of a frame that catches errors, if this is one. */
static bool lua_learn_of(const struct hf_lua *lua, struct hf_lua_sight *sight,
    const struct hf_interpreted_memory *memory, const struct hf_unwind_frame *f)
{
    uint64_t words[HF_LUA_FRAME_MAX / 8], jump;
    uint64_t bytes = f->caller->sp - f->sp;
    struct hf_lua_range function;
    if (bytes < HF_LUA_JUMP_BYTES || bytes > sizeof words || bytes % 8 != 0 ||
        !lua->find_function(lua->context, f->pc - 1, &function) ||
        !hf_interpreted_copy(memory, f->sp, words, bytes))
        return false;
    for (uint32_t i = 0; i < bytes / 8; i++) {
        uint32_t at = i * 8;
        if (words[i] - f->sp < bytes ||
            !lua_is_caught_in(lua->surely, words[i], f->sp, bytes, &jump))
            continue;
        uint32_t jump_at = (uint32_t)(jump - f->sp);
        if (at - jump_at < HF_LUA_JUMP_BYTES) /* a register of whoever called */
            continue;
        atomic_store_explicit(&sight->state_at, at, memory_order_relaxed);
        atomic_store_explicit(&sight->jump_at, jump_at, memory_order_relaxed);
        atomic_store_explicit(&sight->pc, f->pc, memory_order_release);
        return true;
    }
    return false;
}

static void lua_learn(const struct hf_lua *lua, struct hf_lua_sight *sight,
    const struct hf_interpreted_memory *memory, const struct hf_unwind_frame *leaf)
{
    for (const struct hf_unwind_frame *f = leaf; f->caller != NULL; f = f->caller) {
        if (lua_learn_of(lua, sight, memory, f))
            return;
    }
}

/* True if one more stack should be looked through. */
static bool lua_tries(struct hf_lua_sight *sight)
{
    uint32_t tries = atomic_fetch_add_explicit(&sight->tries, 1, memory_order_relaxed);
    return tries < HF_LUA_TRIES || tries % HF_LUA_TRIES_EACH == 0;
}

bool hf_lua_runs_here(
    const struct hf_lua *lua, struct hf_lua_sight *sight, const struct hf_unwind_frame *leaf)
{
    uint64_t pc = atomic_load_explicit(&sight->pc, memory_order_acquire);
    struct hf_lua_range function;
    for (const struct hf_unwind_frame *f = leaf; pc != 0 && f != NULL; f = f->caller) {
        if (f->pc == pc)
            return true;
    }
    for (const struct hf_unwind_frame *f = leaf; pc == 0 && f != NULL; f = f->caller) {
        if (lua->find_function(lua->context, f->pc - 1, &function))
            return lua_tries(sight);
    }
    return false;
}

bool hf_lua_find_states(const struct hf_lua *lua, struct hf_lua_sight *sight,
    const struct hf_interpreted_memory *memory, const struct hf_unwind_frame *leaf,
    struct hf_lua_runs *out_runs)
{
    uint32_t number = 0;
    struct hf_lua_run next = {.first = leaf};
    out_runs->count = 0;
    out_runs->is_cut = false;
    if (atomic_load_explicit(&sight->pc, memory_order_acquire) == 0)
        lua_learn(lua, sight, memory, leaf);
    uint64_t pc = atomic_load_explicit(&sight->pc, memory_order_acquire);
    uint32_t state_at = atomic_load_explicit(&sight->state_at, memory_order_relaxed);
    uint32_t jump_at = atomic_load_explicit(&sight->jump_at, memory_order_relaxed);
    for (const struct hf_unwind_frame *f = leaf; pc != 0 && f != NULL; f = f->caller, number++) {
        if (f->pc != pc)
            continue;
        struct hf_lua_run *last = &out_runs->items[out_runs->count - (out_runs->count != 0)];
        if (!hf_interpreted_copy(memory, f->sp + state_at, &next.state, sizeof next.state))
            return false;
        next.jump = f->sp + jump_at;
        next.last = f;
        next.last_number = number;
        if (out_runs->count != 0 && last->state == next.state) {
            last->last = f;
            last->last_number = number;
        } else if (out_runs->count == HF_LUA_STATES_MAX) {
            out_runs->is_cut = true;
            break;
        } else {
            out_runs->items[out_runs->count++] = next;
        }
        next.first = f->caller;
        next.first_number = number + 1;
    }
    return true;
}

void hf_lua_learn_execute(
    const struct hf_lua *lua, struct hf_lua_sight *sight, const struct hf_lua_run *run)
{
    struct hf_lua_range largest = {0}, function;
    for (const struct hf_unwind_frame *f = run->first;; f = f->caller) {
        if (lua->find_function(lua->context, f->pc - 1, &function) &&
            function.bytes > largest.bytes)
            largest = function;
        if (f == run->last)
            break;
    }
    if (largest.bytes < HF_LUA_EXECUTE_MIN ||
        atomic_load_explicit(&sight->execute_bytes, memory_order_relaxed) != 0)
        return;
    atomic_store_explicit(&sight->execute, largest.start, memory_order_relaxed);
    atomic_store_explicit(&sight->execute_bytes, largest.bytes, memory_order_release);
}
