/*
 * state_layout.h: where Lua keeps what leads to the frames of a state.
 *
 * Sources: lobject.h, lstate.h, lopcodes.h and ldo.c of Lua 5.4.4, as the compiler lays them out on
 * x86-64. Releases of 5.4 differ in them, so this holds for those that were run (hf_lua_is_known);
 * the release is in the text that Lua exports (lua_ident), and what is followed says of itself what
 * it is.
 *
 * A *thread* of Lua is a lua_State: the main one, or a coroutine. A *function* is a Proto.
 */
#ifndef HF_UNWIND_LUA_STATE_LAYOUT_H
#define HF_UNWIND_LUA_STATE_LAYOUT_H

#include "unwind/interpreted/memory.h"

#define HF_LUA_THREAD_BYTES 200u   /* a lua_State */
#define HF_LUA_CALL_BYTES 64u      /* a CallInfo */
#define HF_LUA_CLOSURE_BYTES 32u   /* of an LClosure */
#define HF_LUA_FUNCTION_BYTES 128u /* a Proto */
#define HF_LUA_JUMP_BYTES 216u     /* a lua_longjmp */

/* Offsets in bytes. */
enum {
    HF_LUA_TYPE = 8, /* of each object, and of a value on a stack; a byte */
    HF_LUA_THREAD_GLOBAL = 24,
    HF_LUA_THREAD_CALL = 32,
    HF_LUA_THREAD_STACK_LAST = 40,
    HF_LUA_THREAD_STACK = 48,
    HF_LUA_THREAD_JUMP = 88,
    HF_LUA_THREAD_BASE_CALL = 96,
    HF_LUA_GLOBAL_MAIN = 264,
    HF_LUA_CALL_FUNCTION = 0,
    HF_LUA_CALL_PREVIOUS = 16,
    HF_LUA_CALL_PC = 32,
    HF_LUA_CALL_STATUS = 62,
    HF_LUA_CLOSURE_FUNCTION = 24,
    HF_LUA_FUNCTION_PARAMETERS = 10,
    HF_LUA_FUNCTION_UPVALUE_COUNT = 16,
    HF_LUA_FUNCTION_CONSTANT_COUNT = 20,
    HF_LUA_FUNCTION_CODE_COUNT = 24,
    HF_LUA_FUNCTION_LINE_COUNT = 28,
    HF_LUA_FUNCTION_LOCAL_COUNT = 36,
    HF_LUA_FUNCTION_MARK_COUNT = 40,
    HF_LUA_FUNCTION_FIRST_LINE = 44,
    HF_LUA_FUNCTION_LAST_LINE = 48,
    HF_LUA_FUNCTION_CONSTANTS = 56,
    HF_LUA_FUNCTION_CODE = 64,
    HF_LUA_FUNCTION_UPVALUES = 80,
    HF_LUA_FUNCTION_LINES = 88,
    HF_LUA_FUNCTION_MARKS = 96,
    HF_LUA_FUNCTION_LOCALS = 104,
    HF_LUA_FUNCTION_SOURCE = 112,
    HF_LUA_STRING_SHORT_SIZE = 11, /* a byte */
    HF_LUA_STRING_LONG_SIZE = 16,
    HF_LUA_STRING_TEXT = 24,
};

/* Types of objects; on a stack or among constants, HF_LUA_IS_OBJECT is added. */
enum {
    HF_LUA_SHORT_STRING = 4,
    HF_LUA_LONG_STRING = 4 | 1 << 4,
    HF_LUA_CLOSURE = 6,
    HF_LUA_THREAD = 8,
    HF_LUA_FUNCTION = 10,
    HF_LUA_IS_OBJECT = 1 << 6,
};

/* Of a call: CIST_C, CIST_FRESH, CIST_HOOKED, CIST_TAIL, CIST_FIN. */
enum {
    HF_LUA_CALL_IS_NATIVE = 1 << 1,
    HF_LUA_CALL_IS_FRESH = 1 << 2,
    HF_LUA_CALL_IS_HOOKED = 1 << 3,
    HF_LUA_CALL_IS_TAIL = 1 << 5,
    HF_LUA_CALL_IS_FINALIZER = 1 << 7,
};

/* True if frames of this release, major << 16 | minor << 8 | release, are known. */
static inline bool hf_lua_is_known(uint32_t version)
{
    return version == 0x050404;
}

static inline uint32_t hf_lua_call_status(const uint8_t call[HF_LUA_CALL_BYTES])
{
    return hf_interpreted_u32(call, HF_LUA_CALL_STATUS - 2) >> 16;
}

#endif
