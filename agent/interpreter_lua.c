/* interpreter_lua.c: Lua (unwind/lua/state_layout.h), as interpreter.h wants a language. */
#include "image.h"
#include "interpreter.h"
#include "unwind/lua/instructions.h"

_Static_assert(HF_LUA_NAME_BYTES <= HF_INTERPRETER_TEXT_BYTES, "function <FILE:LINE> fits");

enum { IDENT_BYTES = 64, CODE_BYTES = 256, CALLED_MAX = 6 };
enum { CALL_BYTES = 5, CALL_OPCODE = 0xe8 }; /* of the machine: a call of an address nearby */

static struct hf_lua_sight lua_sight;

/* A decimal number below 256, and what follows it; false: there is none. */
static bool lua_take_number(const char **text, uint32_t *out_number)
{
    const char *at = *text;
    *out_number = 0;
    for (; *at >= '0' && *at <= '9' && *out_number < 100; at++)
        *out_number = *out_number * 10 + (uint32_t)(*at - '0');
    bool is_one = at != *text && *out_number < 256;
    *text = *at == '.' ? at + 1 : at;
    return is_one;
}

/* "$LuaVersion: Lua 5.4.4  Copyright ...": major << 16 | minor << 8 | release; 0: it says none. */
static uint32_t lua_version(uint64_t ident)
{
    char text[IDENT_BYTES] = "";
    uint32_t major, minor, release;
    if (!hf_interpreted_copy(&hf_interpreter_by_copy, ident, text, sizeof text - 1))
        return 0;
    static const char before[] = ": Lua ";
    const char *at = strchr(text, before[0]);
    if (at == NULL || at + sizeof before > text + sizeof text ||
        memcmp(at, before, sizeof before - 1) != 0)
        return 0;
    at += sizeof before - 1;
    return lua_take_number(&at, &major) && lua_take_number(&at, &minor) &&
                   lua_take_number(&at, &release)
               ? major << 16 | minor << 8 | release
               : 0;
}

/* While code of the image is on a stack it is there, and so are the tables of its functions. */
static bool lua_find_function(void *context, uint64_t address, struct hf_lua_range *out_function)
{
    const struct hf_interpreter *interpreter = context;
    struct hf_fde fde;
    if (address - interpreter->start >= interpreter->image_bytes ||
        !hf_callframes_find(&interpreter->image.callframes, address, &fde))
        return false;
    *out_function = (struct hf_lua_range){fde.start, fde.end - fde.start};
    return true;
}

/* Puts the functions of the image that an exported one calls into `out`, in their order; returns
 * how many. */
static size_t lua_find_called(
    struct hf_interpreter *interpreter, const char *name, uint64_t out[CALLED_MAX])
{
    uint64_t bytes = 0, start = hf_image_find_symbol(interpreter->start, name, &bytes);
    uint8_t code[CODE_BYTES];
    struct hf_lua_range function;
    size_t count = 0;
    bytes = bytes < sizeof code ? bytes : sizeof code;
    if (start == 0 || !hf_interpreted_copy(&hf_interpreter_by_copy, start, code, bytes))
        return 0;
    for (uint32_t i = 0; i + CALL_BYTES <= bytes && count < CALLED_MAX; i++) {
        uint64_t to =
            start + i + CALL_BYTES + (uint64_t)(int64_t)(int32_t)hf_interpreted_u32(code, i + 1);
        if (code[i] == CALL_OPCODE && lua_find_function(interpreter, to, &function) &&
            function.start == to)
            out[count++] = to;
    }
    return count;
}

/* luaH_new and luaH_resize are what lua_createtable calls, but for the collector, which
 * lua_pushcclosure calls, too. */
static void lua_find_makers(struct hf_interpreter *interpreter, struct hf_lua *lua)
{
    uint64_t called[CALLED_MAX], others[CALLED_MAX];
    size_t count = lua_find_called(interpreter, "lua_createtable", called);
    size_t others_count = lua_find_called(interpreter, "lua_pushcclosure", others), makers = 0;
    for (size_t i = 0; i < count && makers < HF_LUA_MAKERS; i++) {
        bool is_maker = true;
        for (size_t j = 0; j < others_count; j++)
            is_maker &= others[j] != called[i];
        if (is_maker)
            lua->make_table[makers++] = called[i];
    }
}

static enum hf_live_interpreter lua_take(struct hf_interpreter *interpreter, uint64_t start)
{
    uint64_t ident = hf_image_find_symbol(start, "lua_ident", NULL);
    if (ident == 0)
        return HF_LIVE_INTERPRETER_NONE;
    interpreter->version = lua_version(ident);
    if (!hf_lua_is_known(interpreter->version))
        return HF_LIVE_INTERPRETER_UNKNOWN;
    hf_image_read(&interpreter->image, start);
    interpreter->image_bytes = hf_image_bytes(start);
    interpreter->start = start;
    lua_sight = (struct hf_lua_sight){.pc = 0};
    interpreter->lua = (struct hf_lua){.find_function = lua_find_function,
        .context = interpreter,
        .surely = &hf_interpreter_by_copy};
    lua_find_makers(interpreter, &interpreter->lua);
    return HF_LIVE_INTERPRETER_READ;
}

/*
 * It is always copied: lua_close frees coroutines whose native frames are still on the stack, and
 * an allocator of the program's own may move a stack behind a header, where nobody sees whose it
 * was. Of a walk that guessed, the image need not be in use, and its tables may go.
 */
static bool lua_find(struct hf_interpreter *interpreter, const struct hf_unwind_frame *leaf,
    struct hf_interpreter_thread *out_thread)
{
    out_thread->holds = false;
    out_thread->is_changing = out_thread->moved.from != 0;
    return (leaf->traits & HF_UNWIND_IS_GUESSED) == 0 &&
           hf_lua_runs_here(&interpreter->lua, &lua_sight, leaf);
}

static void lua_read(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreter_thread *thread,
    const struct hf_unwind_frame *leaf, struct hf_interpreted_chain *chain)
{
    hf_lua_chain_read(chain, &interpreter->lua, &lua_sight, memory, &thread->moved, leaf);
}

static size_t lua_write_name(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    (void)interpreter;
    return hf_lua_name_write(memory, frame, out);
}

static size_t lua_write_file(const struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame,
    char out[HF_INTERPRETER_TEXT_BYTES])
{
    (void)interpreter;
    return hf_lua_file_write(memory, frame, out);
}

static uint32_t lua_line(struct hf_interpreter *interpreter,
    const struct hf_interpreted_memory *memory, const struct hf_interpreted_frame *frame)
{
    (void)interpreter;
    return hf_lua_line(memory, frame);
}

const struct hf_interpreter_language hf_interpreter_lua = {
    .number = HF_LIVE_LUA,
    .is_name = hf_lua_is_name,
    .take = lua_take,
    .find = lua_find,
    .read = lua_read,
    .write_name = lua_write_name,
    .write_file = lua_write_file,
    .line = lua_line,
};
