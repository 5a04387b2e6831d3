/*
 * states.h: which threads of Lua run on a thread of the process, innermost first, each with the
 * native frames that run it.
 *
 * No variable of Lua says so: its functions are given the lua_State. But whatever runs Lua does so
 * inside one function, which catches its errors (luaD_rawrunprotected): pcall, a coroutine that is
 * resumed, the program itself. It keeps its lua_State in its frame, and a lua_longjmp, to which the
 * lua_State points meanwhile. So it is *learned* once: a frame of Lua's image with a word that is a
 * lua_State whose lua_longjmp lies in that very frame. From then on each native frame with that pc
 * has a lua_State at that place, which is in use as long as the frame is there. What is called
 * without such a frame (lua_call by a program that catches nothing) is not seen.
 *
 * luaV_execute, which runs functions of Lua, is learned with the first of them that is seen: it is
 * the largest of the functions of the image that are on the stack then.
 *
 * Safety: any context, safe inside malloc; the sight, any number of threads.
 */
#ifndef HF_UNWIND_LUA_STATES_H
#define HF_UNWIND_LUA_STATES_H

#include "unwind/lua/state_layout.h"
#include "unwind/walk.h"

#include <stdatomic.h>

#define HF_LUA_STATES_MAX 64u    /* threads of Lua on one of the process; of more, the innermost */
#define HF_LUA_FRAME_MAX 1024u   /* bytes of a native frame that is looked through */
#define HF_LUA_TRIES 64u         /* stacks that are always looked through */
#define HF_LUA_TRIES_EACH 256u   /* then, one of so many */
#define HF_LUA_EXECUTE_MIN 2048u /* bytes of luaV_execute's code, at least */
#define HF_LUA_SITES 4u          /* calls in it that make a table */
#define HF_LUA_MAKERS 2u         /* functions that these call */

/* The code of a function. */
struct hf_lua_range {
    uint64_t start, bytes;
};

/* Lua in the process. */
struct hf_lua {
    /* The function of Lua's image that has the byte at `address`; false: it has none. */
    bool (*find_function)(void *context, uint64_t address, struct hf_lua_range *out_function);
    void *context;
    uint64_t make_table[HF_LUA_MAKERS];         /* luaH_new, luaH_resize; 0: it is not known */
    const struct hf_interpreted_memory *surely; /* fails where there is nothing */
};

/* What was learned. All-zero: nothing. */
struct hf_lua_sight {
    _Atomic uint64_t pc;                /* in luaD_rawrunprotected; 0: not yet */
    _Atomic uint32_t state_at, jump_at; /* in its frame, from its sp on */
    _Atomic uint64_t execute, execute_bytes;
    _Atomic uint32_t tries;
    /* Calls of these in luaV_execute: where, and which words inward of it may have the pc. */
    _Atomic uint64_t sites[HF_LUA_SITES], site_words[HF_LUA_SITES];
};

/* A thread of Lua, and the native frames from the first that is its own to the last. */
struct hf_lua_run {
    uint64_t state, jump; /* its address; that of the innermost lua_longjmp */
    const struct hf_unwind_frame *first, *last;
    uint32_t first_number, last_number; /* from the leaf */
};

struct hf_lua_runs {
    struct hf_lua_run items[HF_LUA_STATES_MAX];
    uint32_t count;
    bool is_cut; /* there are more outward */
};

/* True if one of these native frames can run Lua. */
HF_MUST_CHECK bool hf_lua_runs_here(
    const struct hf_lua *lua, struct hf_lua_sight *sight, const struct hf_unwind_frame *leaf);

/* Learns if need be, and finds the threads of Lua. False if a frame that should have one has none.
 */
HF_MUST_CHECK bool hf_lua_find_states(const struct hf_lua *lua, struct hf_lua_sight *sight,
    const struct hf_interpreted_memory *memory, const struct hf_unwind_frame *leaf,
    struct hf_lua_runs *out_runs);

/* Learns which function is luaV_execute, of a thread that runs functions of Lua. */
void hf_lua_learn_execute(
    const struct hf_lua *lua, struct hf_lua_sight *sight, const struct hf_lua_run *run);

static inline bool hf_lua_is_execute(
    const struct hf_lua_sight *sight, const struct hf_unwind_frame *frame)
{
    return frame->pc - 1 - atomic_load_explicit(&sight->execute, memory_order_relaxed) <
           atomic_load_explicit(&sight->execute_bytes, memory_order_relaxed);
}

#endif
