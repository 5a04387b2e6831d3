/*
 * call_infos.h: the functions of Lua that run on a thread of the process.
 *
 * Each thread of Lua (states.h) has its calls in a list. Those of functions of C are left out. A
 * function that C called begins a run of luaV_execute, which the call says, and which is one native
 * frame; where a coroutine goes on after a yield through C, functions further out have no native
 * frame until they go on, and are given the nearest.
 *
 * The number of the instruction is in the call, saved by what may fail. What makes a table saves
 * none: there it is in a register that a function further in has put on the stack. That word is
 * known by what it points to, behind an instruction that makes a table, and by its place, which is
 * the same in each such call.
 *
 * Bounded: HF_INTERPRETED_FRAMES_MAX frames, HF_INTERPRETED_STEPS_MAX calls.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_LUA_CALL_INFOS_H
#define HF_UNWIND_LUA_CALL_INFOS_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/lua/states.h"

/* A block that was moved right now. `from` 0: none was; `to` 0: it is not known where it is. */
struct hf_lua_moved {
    uint64_t from, to;
};

/* Reads the frames of the threads of Lua in these native frames. `moved`: Lua may not have heard of
 * it yet. */
void hf_lua_chain_read(struct hf_interpreted_chain *chain, const struct hf_lua *lua,
    struct hf_lua_sight *sight, const struct hf_interpreted_memory *memory,
    const struct hf_lua_moved *moved, const struct hf_unwind_frame *leaf);

#endif
