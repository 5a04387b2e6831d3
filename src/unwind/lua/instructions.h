/*
 * instructions.h: what the code of a function of Lua says: the line of an instruction, and what a
 * function is called where it is called.
 *
 * A function of Lua has no name. Lua itself tells one by the instruction that calls it: that of the
 * local variable, upvalue, global variable, field or method from which it was taken. If that cannot
 * be said, or if C called it, it is `function <FILE:LINE>`, by the line where it begins, and code
 * of a file, outside of functions, is `<main>`.
 *
 * The line of an instruction is kept as the difference from the one before, a byte each; where that
 * is too large, and after 128 instructions, there is a *mark*: the line itself.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_LUA_INSTRUCTIONS_H
#define HF_UNWIND_LUA_INSTRUCTIONS_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/lua/state_layout.h"

#define HF_LUA_TEXT_MAX 256u          /* bytes that are kept of a name or path: its end */
#define HF_LUA_NAME_BYTES 300u        /* function <FILE:LINE> */
#define HF_LUA_CODE_MAX (1u << 26)    /* instructions of a function */
#define HF_LUA_STRING_MAX (1u << 30)  /* bytes */
#define HF_LUA_BEFORE_CALL_MAX 256u   /* instructions before a call that are looked at */
#define HF_LUA_LOCALS_MAX 1024u       /* local variables that are looked at */
#define HF_LUA_MARK_DISTANCE_MAX 255u /* instructions from a mark */

/* An instruction's number before the first one: the function is about to begin. */
#define HF_LUA_BEFORE_CODE UINT32_MAX

/*
 * Of a frame, `name` is the function, `file` the text that says where its source is, `offset` the
 * number of the instruction; `scope` is the function that called it, and `line` the number of the
 * instruction there. `scope` 0: that is not known; HF_LUA_BY_COLLECTOR: a finalizer.
 */
#define HF_LUA_BY_COLLECTOR UINT64_C(1)

/* Mixes what tells a function from others into a hash. False: it is not there. */
HF_MUST_CHECK bool hf_lua_function_hash(const struct hf_interpreted_memory *memory,
    const uint8_t function[HF_LUA_FUNCTION_BYTES], uint64_t *hash);

/* Write what a frame's function, and its file, are called, without a NUL; return how many bytes, 0
 * if it is not there. */
size_t hf_lua_name_write(const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_LUA_NAME_BYTES]);
size_t hf_lua_file_write(const struct hf_interpreted_memory *memory,
    const struct hf_interpreted_frame *frame, char out[HF_LUA_TEXT_MAX]);

/* True if what was written is a name, not where the function is. */
HF_MUST_CHECK bool hf_lua_is_name(const char *name, size_t size);

/* The line that a frame is at; 0: it is not there. */
uint32_t hf_lua_line(
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame);

/* True if the instruction before number `next` of the code makes a table. */
HF_MUST_CHECK bool hf_lua_is_after_table(
    const struct hf_interpreted_memory *memory, uint64_t code, uint32_t next);

#endif
